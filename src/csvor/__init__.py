"""Ordinal regression for labels that are sometimes wrong: capped lp-norm support vectors."""

from csvor._audit import LabelAudit, audit_labels
from csvor._estimators import CSVOR

__all__ = ["CSVOR", "LabelAudit", "audit_labels"]
__version__ = "0.1.0"
