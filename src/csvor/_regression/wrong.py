"""How do labels go wrong in a likelihood: ``P(y | x) = sum_t M[y, t] P(t | x)``?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from csvor._mixture.channels import beside, channel_of

Array = NDArray[np.float64]


@cache
def wrong_table(channel: str, n_classes: int) -> Array:
    """Given that a label is wrong: ``N[k, t]``, which it is for each true class. Columns sum to 1.

    "any" is each other class alike, "beside" a class beside the true one.
    """
    if channel == "beside":
        table = beside(n_classes).table
    else:
        table = channel_of(channel, np.ones((n_classes, n_classes))).table
    table.setflags(write=False)  # it is kept: each block of rows asks for it
    return table


def label_table(channels: Sequence[str], shares: Array, n_classes: int) -> Array:
    """``M[k, t]``: label k of a row of class t, right or wrong."""
    table = (1.0 - shares.sum()) * np.eye(n_classes)
    for channel, share in zip(channels, shares, strict=True):
        table += share * wrong_table(channel, n_classes)
    return table


def table_slopes(channels: Sequence[str], n_classes: int) -> list[Array]:
    """The derivative of ``M`` by each share."""
    return [wrong_table(channel, n_classes) - np.eye(n_classes) for channel in channels]


def by_cuts(table: Array) -> Array:
    """``A`` with ``sum_t M[k, t] P(t) = A[k] @ F + const``: the factor of F at each threshold."""
    return table[:, :-1] - table[:, 1:]
