"""Warnings that point at the line of the user that caused them."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import sklearn

# Frames of these do not help the reader of a warning.
_INSIDE = (str(Path(__file__).parents[1]), str(Path(sklearn.__file__).parent))


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn from the first frame outside of csvor and scikit-learn."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
