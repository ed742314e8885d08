"""The estimators: parameters, what they mean, and which loss they choose."""

from csvor._estimators._capped import CSVOR
from csvor._estimators._pinball import PINSVOR
from csvor._estimators._slack_sums import REDSVM, SVOREX, SVORIM

__all__ = ["CSVOR", "PINSVOR", "REDSVM", "SVOREX", "SVORIM"]
