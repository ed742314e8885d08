"""How does a cell run beside others: with one thread, and without warnings?"""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from functools import cache
from threading import Lock
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


class _OnceForAll:
    """What is set for the whole process while at least one cell runs.

    Cells may share a process (joblib's threading backend), and neither the warning filters nor
    the threads of BLAS are one's own there: the first cell sets them, the last one puts them back.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._undo = ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._undo = ExitStack()
                self._undo.enter_context(_controller().limit(limits=1, user_api="blas"))
                self._undo.enter_context(warnings.catch_warnings())
                _silence()
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._undo.close()


def _silence() -> None:
    # The record says whether the fit has converged; a class with few rows is missing from some
    # folds, which the methods are told (`classes=`) or do not mind.
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", UserWarning)
    warnings.simplefilter("ignore", RuntimeWarning)


class Quiet:
    """``with Quiet():`` one thread for BLAS and OpenMP, no warnings of fits."""

    _shared = _OnceForAll()

    def __enter__(self) -> None:
        self._shared.__enter__()
        # Unlike that of BLAS, the number of OpenMP's threads belongs to the thread that asks.
        self._openmp: Any = _controller().limit(limits=1, user_api="openmp")
        self._openmp.__enter__()

    def __exit__(self, *error: object) -> None:
        self._openmp.__exit__(*error)
        self._shared.__exit__(*error)
