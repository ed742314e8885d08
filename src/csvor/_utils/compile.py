"""How a loop is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

# Sums may be taken in any order, which vector instructions need; no value is assumed finite.
FAST = {"reassoc", "contract", "nsz", "arcp"}


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile at the first call, and keep the result on disk where there is a place for it."""

    def decorate(function: Callable[..., Any]) -> Any:
        options.update(nogil=True, error_model="numpy")
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # neither the package's folder nor the user's can be written to
            return njit(**options)(function)

    return decorate
