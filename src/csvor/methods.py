"""The methods of a comparison of ordinal models, by name, and which C and p are tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

__all__ = ["METHODS", "Method", "make_method"]


@dataclass(frozen=True)
class Method:
    """Where a method's class is, and what it needs to be the one of that name.

    Attributes
    ----------
    module, name : str
        The class.
    parameters : Mapping
        Parameters that differ from its defaults.
    extra : str
        The extra of csvor that brings the module; empty for csvor's own.
    """

    module: str
    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    extra: str = ""


METHODS: dict[str, Method] = {
    "CSVOR": Method("csvor", "CSVOR"),
    # The share that is cut is found, not given.
    "CSVOR-auto": Method("csvor", "CSVOR", {"contamination": "auto"}),
    "SVOREX": Method("csvor", "SVOREX"),
    "SVORIM": Method("csvor", "SVORIM"),
    "PINSVOR": Method("csvor", "PINSVOR"),
    "REDSVM": Method("csvor", "REDSVM"),
    # Proportional odds with wrong labels; the ridge is for classes that columns separate.
    "POR": Method("csvor", "OrdinalRegression", {"penalty": 1e-3}),
    # Both take numeric labels only, and know no class that their training rows lack.
    "POM": Method("skordinal.classifiers", "POM", extra="baselines"),
    "KDLOR": Method("skordinal.classifiers", "KDLOR", {"kernel": "linear"}, extra="baselines"),
}

STRENGTHS = tuple(10.0**e for e in range(-3, 4))
# Nearest to 1 first: of equal errors that p is preferred.
POWERS = (1.0, 0.7, 1.5, 1.7, 0.5, 2.0)


def make_method(name: str, **parameters: Any) -> Any:
    """Make an unfitted estimator of a registered method.

    Parameters
    ----------
    name : str
        A key of ``METHODS``.
    **parameters
        Passed to its class, over those of the registry.

    Returns
    -------
    estimator : object
        A scikit-learn classifier.

    Raises
    ------
    ValueError
        If no method has that name.
    ImportError
        If the package that holds it is not installed.

    Examples
    --------
    >>> from csvor.methods import make_method
    >>> make_method("SVORIM", C=10)
    SVORIM(C=10)
    """
    if name not in METHODS:
        raise ValueError(f"There is no method {name!r}; the methods are {', '.join(METHODS)}.")
    method = METHODS[name]
    try:
        module = import_module(method.module)
    except ImportError as error:
        raise ImportError(
            f"{name} comes from {method.module.partition('.')[0]}, which is not installed: "
            f"pip install 'csvor[{method.extra}]'."
        ) from error
    return getattr(module, method.name)(**{**method.parameters, **parameters})
