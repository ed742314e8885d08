"""A plugin of pytest: loops run as Python, so that coverage and mutations see their lines.

``python -m pytest -n 0 -p uncompiled tests/test_margins.py`` with this folder on PYTHONPATH.
"""

from functools import wraps

import numpy as np

from csvor._utils import compile as kept


def _as_it_is(**options):
    def decorate(function):
        @wraps(function)
        def call(*args):
            return function(*map(_as_records, args))

        call.py_func = function
        call.overloads = {}
        return call

    return decorate


def _as_records(value):
    """Fields of a structured array are attributes of its entries in compiled code."""
    if isinstance(value, np.ndarray) and value.dtype.names and not isinstance(value, np.recarray):
        return value.view(np.recarray)
    if isinstance(value, np.void) and not isinstance(value, np.record):
        return value.view((np.record, value.dtype))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_as_records, value))
    return value


kept.compiled = _as_it_is
kept.without_refcount = lambda array: array
# Compiled code divides as NumPy does, in silence.
np.seterr(all="ignore")
