"""Ordinal regression for labels that are sometimes wrong: capped lp-norm support vectors."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from csvor._audit import LabelAudit, audit_labels
    from csvor._estimators import CSVOR

__all__ = ["CSVOR", "LabelAudit", "audit_labels"]
__version__ = "0.1.0"

_HOMES = {
    "CSVOR": "csvor._estimators",
    "LabelAudit": "csvor._audit",
    "audit_labels": "csvor._audit",
}


def __getattr__(name: str) -> Any:
    """Import on first use: SciPy and scikit-learn take seconds that `csvor --help` need not wait."""
    if name not in _HOMES:
        raise AttributeError(f"module 'csvor' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
