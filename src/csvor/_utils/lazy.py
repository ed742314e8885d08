"""Do numbers lie in partitions of dask?"""

from __future__ import annotations

from typing import Any


def is_lazy(data: Any) -> bool:
    """Whether these are a collection of dask, told without an import of it."""
    return hasattr(type(data), "__dask_graph__")
