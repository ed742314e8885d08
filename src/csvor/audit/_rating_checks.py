"""Are ratings fit for an audit: raters who are raters, items with one set of features?"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, issparse
from scipy.sparse.csgraph import connected_components

from csvor._mixture.rater_data import Ratings
from csvor._utils.words import all_of, plural

Rows = NDArray[np.intp]

# Columns are sorted by design where so many rows rise somewhere and none falls.
_RISING = 20
# Without features, so large a part of the ratings must hang together.
_TOGETHER = 0.9


def check_features_of_items(X: Any, rows: Rows, first: Rows, names: NDArray[Any]) -> None:
    """Refuse features of an item that differ between its rows."""
    if hasattr(X, "iloc"):
        columns = [(repr(name), X.iloc[:, j]) for j, name in enumerate(X.columns)]
    elif issparse(X):
        sparse: Any = X
        table = sparse.tocsr()
        differences = table[rows] - table[first]
        differences.eliminate_zeros()
        at, column = differences.nonzero()
        columns = []
        if at.size:
            _refuse_feature(str(column[0]), names[at[0]])
    else:
        array = np.asarray(X)
        columns = [(str(j), array[:, j]) for j in range(array.shape[1])] if array.ndim == 2 else []
    for name, values in columns:
        values = np.asarray(values)
        one, other = values[rows], values[first]
        differ = np.flatnonzero((one != other) & ~((one != one) & (other != other)))
        if differ.size:
            _refuse_feature(name, names[differ[0]])


def _refuse_feature(column: str, item: Any) -> None:
    raise ValueError(
        f"column {column} of X differs between the rows of item {item}: features belong to the "
        "item, not to the rating. Leave the column out, or give the item one value."
    )


def check_sorted_columns(table: Any, names: NDArray[Any]) -> None:
    """Refuse columns without names of people that hold the ratings of each item by size."""
    stems = {re.sub(r"[\W_]*\d+$", "", str(name)) for name in names}
    if len(stems) > 1:
        return
    import pandas as pd

    if isinstance(table.dtypes.iloc[0], pd.CategoricalDtype):
        table = table.apply(lambda column: column.cat.codes.where(column.notna()))
    if not all(dtype.kind in "biuf" for dtype in table.dtypes):
        return
    steps = np.diff(table.to_numpy(dtype=np.float64), axis=1)
    for direction, signed in (("rise", steps), ("fall", -steps)):
        if (signed > 0).any(axis=1).sum() >= _RISING and not (signed < 0).any():
            first, last = names[0], names[-1]
            raise ValueError(
                f"the labels {direction} from {first!r} to {last!r} in every row: these columns "
                "hold the labels of each item by size, not each those of one rater. Give the "
                "columns as the raters filled them in; if they are no more to be had, audit the "
                "median of each row with audit_labels."
            )


def check_linked(ratings: Ratings, raters: NDArray[Any], *, features: bool) -> tuple[str, ...]:
    """Refuse raters who cannot be compared, or say which are apart from the others."""
    if ratings.n_raters == 1 and not (ratings.known >= 0).any():
        raise ValueError(
            f"there is one rater, {raters.tolist()[0]!r}: nobody to compare him with. Give the "
            "true labels of some items (gold=), or audit his labels with audit_labels."
        )
    n_items, R = ratings.n_items, ratings.n_raters
    item_of = np.repeat(np.arange(n_items), np.diff(ratings.starts))
    links = coo_array(
        (np.ones(item_of.size), (item_of, n_items + ratings.raters)), shape=(n_items + R,) * 2
    )
    _, part = connected_components(links, directed=False)
    # Items whose class is known hang together by it.
    gold = np.unique(part[:n_items][ratings.known >= 0])
    part = np.where(np.isin(part, gold), gold[0] if gold.size else -1, part)
    parts, sizes = np.unique(part[item_of], return_counts=True)
    if parts.size == 1:
        return ()
    most = int(sizes.max())
    apart = raters[part[n_items:] != parts[np.argmax(sizes)]]
    several = int(ratings.of_several.sum())
    overlap = (
        f"{plural(several, 'item')} of {n_items} {'has' if several == 1 else 'have'} ratings of "
        f"more than one rater, and raters fall into {parts.size} sets that share no item"
    )
    if features:
        return (
            f"{overlap}: between these, severity and items are told apart by the features alone.",
        )
    if most < _TOGETHER * item_of.size or not (several or gold.size):
        raise ValueError(
            f"{overlap}: who is strict cannot be told from whose items are low. Let raters of "
            "different sets rate some items in common, or give features X or the true labels "
            "of some items of each (gold=)."
        )
    who = all_of(map(str, apart[:5])) + (f" and {apart.size - 5} more" if apart.size > 5 else "")
    return (f"{overlap}: {who} cannot be compared with the others.",)
