"""Which item, which rater and which label has each rating, in a long or a wide table?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, indexable

from csvor._data.tables import masked_as_nan
from csvor._estimators.capped import CSVOR
from csvor._labels import CodedLabels, index_of
from csvor._mixture.rater_data import Ratings
from csvor._utils.lazy import is_lazy
from csvor._utils.sklearn_private import safe_split
from csvor.audit._rating_checks import check_features_of_items, check_sorted_columns

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RatingData:
    """Ratings in the order of the engine, and what they are called.

    Attributes
    ----------
    ratings : Ratings
    coded : CodedLabels
        Of the ratings, in that order.
    items, raters : ndarrays of shape (n_items,) and (n_raters,)
        Their names.
    item_of : ndarray of shape (n_ratings,)
        The item of each rating.
    row_of : ndarray of shape (n_ratings,)
        Its row in a long table, its cell in a wide one, row by row.
    features : X with a row for each item, or None
    """

    ratings: Ratings
    coded: CodedLabels
    items: NDArray[Any]
    raters: NDArray[Any]
    item_of: Rows
    row_of: Rows
    features: Any


def read_ratings(
    X: Any, ratings: Any, items: Any, raters: Any, classes: ArrayLike | None, gold: Any
) -> RatingData:
    """The ratings, checked; cells without a label are left out."""
    for name, column in (("X", X), ("ratings", ratings), ("items", items), ("raters", raters)):
        if is_lazy(column):
            raise TypeError(f"{name} lies in partitions of dask: give {name}.compute().")
    if X is not None:
        (X,) = indexable(masked_as_nan(X))
    is_wide = _is_wide(ratings)
    table = _wide(ratings, items, raters) if is_wide else _long(ratings, items, raters)
    labels, row_of, item_names, item_of, rater_names, rater_of = table
    coded = CodedLabels.from_data(labels, classes)
    order = np.lexsort((coded.codes, rater_of, item_of))
    K, n_items = coded.labels.classes.size, len(item_names)
    counts = np.bincount(item_of, minlength=n_items)
    known = np.full(n_items, -1)
    if gold is not None:
        all_items = np.arange(n_items)
        of, rows = (all_items, all_items) if is_wide else (item_of, row_of)
        known = _known(gold, coded, of, rows, item_names, len(ratings))
    data = Ratings(
        np.append(0, np.cumsum(counts)), coded.codes[order], rater_of[order].astype(np.int64),
        known, len(rater_names), K,
    )  # fmt: skip
    features = X
    if X is not None:
        check_consistent_length(X, np.empty(len(ratings)))
        if not is_wide:
            first = row_of[_first_of(item_of, n_items)]
            check_features_of_items(X, row_of, first[item_of], item_names[item_of])
            features = safe_split(CSVOR(), X, None, first, first)[0]
    return RatingData(
        data, coded[order], item_names, rater_names, item_of[order], row_of[order], features
    )


def _is_wide(ratings: Any) -> bool:
    shape = getattr(ratings, "shape", None)
    if shape is None:
        shape = np.shape(ratings)
    return len(shape) == 2 and shape[1] > 1


def _long(ratings: Any, items: Any, raters: Any) -> tuple[Any, ...]:
    """Labels, rows, and names and numbers of items and raters, of ratings one a row."""
    import pandas as pd

    labels = pd.Series(masked_as_nan(ratings)) if not hasattr(ratings, "iloc") else ratings
    labels = labels.reset_index(drop=True)
    n = len(labels)
    for name, column in (("items", items), ("raters", raters)):
        if column is None:
            raise ValueError(
                f"ratings has one label a row, and {name} is missing: give {name} with a name for "
                "each row, or ratings as a table with a row for each item and a column for each "
                "rater."
            )
    rows = np.flatnonzero(~labels.isna().to_numpy())
    item_names, item_of = _numbered(items, n, "items")
    rater_names, rater_of = _numbered(raters, n, "raters")
    # Items and raters that have no label at all stand for nothing.
    kept_items, item_of = np.unique(item_of[rows], return_inverse=True)
    kept_raters, rater_of = np.unique(rater_of[rows], return_inverse=True)
    return (
        _whole(labels.iloc[rows]), rows, item_names[kept_items], item_of, rater_names[kept_raters],
        rater_of,
    )  # fmt: skip


def _wide(ratings: Any, items: Any, raters: Any) -> tuple[Any, ...]:
    """The same of a table with a row for each item and a column for each rater."""
    import pandas as pd

    named = hasattr(ratings, "columns")
    if hasattr(ratings, "to_pandas"):
        ratings = ratings.to_pandas()
    table = ratings if hasattr(ratings, "iloc") else pd.DataFrame(masked_as_nan(ratings))
    if raters is None:
        raters = list(table.columns) if named else [f"column {j}" for j in range(table.shape[1])]
    names = np.asarray(raters, dtype=object)
    if names.shape != (table.shape[1],) or len(set(names.tolist())) < names.size:
        raise ValueError(
            f"raters must have a name of its own for each of the {table.shape[1]} columns of "
            f"ratings, got {names.tolist()!r}."
        )
    item_names = _names_of_rows(table) if items is None else np.asarray(items)
    if item_names.shape != (len(table),) or len(np.unique(item_names)) < item_names.size:
        raise ValueError(
            f"items must have a name of its own for each of the {len(table)} rows of ratings."
        )
    there = ~table.isna().to_numpy()
    columns = [table.iloc[there[:, j], j] for j in range(table.shape[1])]
    labels = pd.concat(columns, ignore_index=True)
    rater_of, item_of = np.nonzero(there.T)
    check_sorted_columns(table, names)
    used, rater_of = np.unique(rater_of, return_inverse=True)
    cells = item_of * table.shape[1] + used[rater_of]
    return _whole(labels), cells, item_names, item_of, names[used], rater_of


def _numbered(column: Any, n: int, name: str) -> tuple[NDArray[Any], Rows]:
    """Distinct names in their order, and the number of each row's."""
    import pandas as pd

    values = pd.Series(np.asarray(masked_as_nan(column)))
    if len(values) != n:
        raise ValueError(f"{name} must have a name for each of the {n} ratings, got {len(values)}.")
    without = np.flatnonzero(values.isna().to_numpy())
    if without.size:
        raise ValueError(
            f"{name} has no name in {without.size} of {n} rows (first in row {without[0]}): leave "
            "these ratings out, or name it."
        )
    try:
        numbers, names = pd.factorize(values, sort=True)
    except TypeError:  # numbers among words have no order
        numbers, names = pd.factorize(values)
    return np.asarray(names), numbers


def _whole(labels: Any) -> Any:
    """Numbers that were whole before blanks among them made them floats."""
    if labels.dtype.kind == "f" and len(labels) and bool((labels % 1 == 0).all()):
        return labels.astype(np.int64)
    return labels


def _names_of_rows(table: Any) -> NDArray[Any]:
    """The index of a table, where it names each row, else their positions."""
    index = index_of(table)
    has_names = index is not None and index.nlevels == 1 and index.is_unique
    return np.asarray(index) if has_names else np.arange(len(table))


def _first_of(item_of: Rows, n_items: int) -> Rows:
    """The first rating of each item."""
    first = np.full(n_items, item_of.size)
    np.minimum.at(first, item_of, np.arange(item_of.size))
    return first


def _known(
    gold: Any, coded: CodedLabels, item_of: Rows, rows: Rows, names: NDArray[Any], n: int
) -> NDArray[np.int64]:
    """The true class of each item, -1 where none is known; `rows` are of the items `item_of`."""
    import pandas as pd

    values = pd.Series(masked_as_nan(gold)) if not hasattr(gold, "iloc") else gold
    if len(values) != n:
        raise ValueError(
            f"gold must have a label, or a blank, for each of the {n} rows of ratings, got "
            f"{len(values)}."
        )
    values = values.reset_index(drop=True).iloc[rows]
    there = ~values.isna().to_numpy()
    known = np.full(names.size, -1)
    if not there.any():
        raise ValueError("gold has no label: give the true label of some items, or no gold.")
    codes, of = coded.labels.encode(_whole(values[there]), name="gold"), item_of[there]
    known[of] = codes
    differ = np.flatnonzero(known[of] != codes)
    if differ.size:
        raise ValueError(f"gold differs between the rows of item {names[of[differ[0]]]}.")
    return known
