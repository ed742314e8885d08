"""Ordinal regression for labels that are sometimes wrong: capped lp-norm support vectors."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from csvor._utils.version import VERSION

if TYPE_CHECKING:
    from csvor._decisions import Decisions, read_decisions
    from csvor._estimators import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM
    from csvor._regression import OrdinalRegression, compare_models
    from csvor._utils.trusted import TRUSTED_TYPES
    from csvor.audit import (
        LabelAudit,
        RatersAudit,
        WrongLabels,
        audit_labels,
        audit_raters,
        audit_scores,
    )
    from csvor.audit._table import audit_table

__all__ = [
    "CSVOR",
    "PINSVOR",
    "REDSVM",
    "SVOREX",
    "SVORIM",
    "TRUSTED_TYPES",
    "Decisions",
    "LabelAudit",
    "OrdinalRegression",
    "RatersAudit",
    "WrongLabels",
    "audit_labels",
    "audit_raters",
    "audit_scores",
    "audit_table",
    "compare_models",
    "read_decisions",
]
__version__ = VERSION

_HOMES = dict.fromkeys(("CSVOR", "PINSVOR", "REDSVM", "SVOREX", "SVORIM"), "csvor._estimators")
_AUDITS = (
    "LabelAudit",
    "RatersAudit",
    "WrongLabels",
    "audit_labels",
    "audit_raters",
    "audit_scores",
)
_HOMES |= dict.fromkeys(_AUDITS, "csvor.audit")
# Here, for it reads tables: csvor.audit needs neither pandas nor pyarrow.
_HOMES["audit_table"] = "csvor.audit._table"
_HOMES["TRUSTED_TYPES"] = "csvor._utils.trusted"
_HOMES |= dict.fromkeys(("Decisions", "read_decisions"), "csvor._decisions")
_HOMES |= dict.fromkeys(("OrdinalRegression", "compare_models"), "csvor._regression")


def __getattr__(name: str) -> Any:
    """Import on first use: `csvor --help` need not wait for SciPy and scikit-learn."""
    if name not in _HOMES:
        raise AttributeError(f"module 'csvor' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
