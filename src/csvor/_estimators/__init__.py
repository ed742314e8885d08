"""The estimators: parameters, what they mean, and which loss they choose."""

from csvor._estimators.capped import CSVOR
from csvor._estimators.pinball import PINSVOR
from csvor._estimators.redsvm import REDSVM
from csvor._estimators.svorex import SVOREX
from csvor._estimators.svorim import SVORIM

__all__ = ["CSVOR", "PINSVOR", "REDSVM", "SVOREX", "SVORIM"]

# The name that users import, and that pickles and model files hold, is not where the code lies.
for _estimator in (CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM):
    _estimator.__module__ = "csvor"
