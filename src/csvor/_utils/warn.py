"""Warnings that point at the line of the user that caused them."""

from __future__ import annotations

import sys
import warnings

# Frames of these packages do not help the reader of a warning.
_INSIDE = {"csvor", "numba", "sklearn"}


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn from the first frame outside of csvor, scikit-learn and Numba."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package_of(frame.f_globals) in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _package_of(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
