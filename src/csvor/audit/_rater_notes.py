"""What should be known of raters: do they agree, who turns the scale round or uses one class?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from csvor._data.tables import named_columns
from csvor._mixture.rater_data import Ratings
from csvor._mixture.rater_model import RaterModel
from csvor._mixture.rater_tables import LEAST
from csvor._tables.likely_raters import likely_raters
from csvor._utils.lazy import is_lazy
from csvor._utils.words import plural, some_of
from csvor.audit._rater_agreement import (
    FEW,
    SURE,
    agreement,
    moments,
    one_label,
    turned_round,
)
from csvor.audit._rater_table import MIDDLE, RaterTable

Array = NDArray[np.float64]

_NAMED = 5
# Among more raters copies are not looked for; others must agree as often so rarely.
_PAIRED, _CHANCE = 200, 1e-4
_TWO = (
    "There are two raters: how far they are apart can be told, not which of them is right. Their "
    "middle is taken."
)


def notes_on_raters(
    model: RaterModel, item_of: NDArray[np.intp], names: NDArray[Any], classes: NDArray[Any],
    sums: Array, *, referred: bool, features: bool,
) -> tuple[tuple[str, ...], bool]:  # fmt: skip
    """In the order of how much they matter; and whether anything can be said of items.

    ``sums`` are those of `with_others`; ``referred`` says whether raters are measured by one of
    them or by known classes, or cannot be compared.
    """
    data = model.problem.ratings
    notes = []
    turned, alone = turned_round(sums), data.n_raters == 1
    if turned.size:
        notes.append(_turned(names[turned], "true labels" if alone else "those of the others"))
    conclusive = bool(turned.size) or agreement(sums)[1] >= SURE
    if not conclusive:
        beside = " and the features" * features
        others = "true labels" if alone else "those of the other raters"
        more = "true labels" if alone else "ratings an item"
        notes.append(
            f"Labels follow {others}{beside} no better than chance could: nothing can be said of "
            f"items, nor which ratings are wrong. More {more} would help, if raters judge the same "
            "thing."
        )
    again = int(((np.diff(item_of) == 0) & (np.diff(data.raters) == 0)).sum())
    if again:
        notes.append(
            f"{plural(again, 'rating')} more of an item by a rater who had rated it: each counts "
            "as one that was made anew. Leave them out if they are copies."
        )
    notes += _copies(data, item_of, names)
    single = one_label(sums)
    label = f" ({classes[data.codes[data.raters == single[0]][0]]})" if single.size == 1 else ""
    notes += _of_one_label(names[single], f"item{label}")
    if data.n_raters == 2 and not referred:
        beside = "The features help to tell who is careless, not who is strict. " * features
        notes.append(
            f"{_TWO} {beside}Name one of them (reference=), or give true labels of some items "
            "(gold=)."
        )
    return tuple(notes), conclusive


def notes_on_table(table: RaterTable | None, *, conclusive: bool) -> tuple[str, ...]:
    """The same of raters of rows that have one label each."""
    if table is None:
        return ()
    names, notes = table.names[table.turned], []
    if names.size:
        notes.append(_turned(names, "the features say that they"))
    notes += _of_one_label(table.names[table.single], "row")
    if not conclusive:
        return tuple(notes)
    if table.reference == MIDDLE and table.n.size == 2 and table.apart.size:
        notes.append(f"{_TWO} Name one of them (reference=), or confirm some labels.")
    return tuple(notes)


def notes_on_features(X: Any) -> tuple[str, ...]:
    """Which columns of a table of features are likely to be those of raters."""
    if not hasattr(X, "columns") or is_lazy(X):
        return ()
    return tuple(
        f"Column {name!r} of X looks like who gave the label, so a model learns who is strict. "
        "Give it as raters=, and leave it out of X."
        for name in likely_raters(named_columns(X))
    )


def _of_one_label(names: NDArray[Any], on: str) -> list[str]:
    return [f"{_listed(names)}: the same label on every {on}."] if names.size else []


def _copies(data: Ratings, item_of: NDArray[np.intp], names: NDArray[Any]) -> list[str]:
    """Who gives the labels of another rater, as a model does that is asked twice."""
    if data.n_raters > _PAIRED:
        return []
    cells, shape = (item_of, data.raters), (data.n_items, data.n_raters)
    rated = csr_array((np.ones(item_of.size), cells), shape)
    both, alike = (rated.T @ rated).toarray(), np.zeros(2 * shape[1:])
    for k in range(data.n_classes):
        of_label = csr_array((1.0 * (data.codes == k), cells), shape)
        alike += (of_label.T @ of_label).toarray()
    both, alike = np.triu(both, 1), np.triu(alike, 1)
    # How often others agree: all pairs but this one.
    share = (alike.sum() - alike) / np.maximum(both.sum() - both, 1.0)
    copies = (both >= FEW) & (alike == both) & (share**both < _CHANCE) & (both < both.sum())
    set_of, notes = connected_components(copies, directed=False)[1], []
    for one in np.flatnonzero(np.bincount(set_of) > 1)[:_NAMED]:
        inside = copies & (set_of == one)
        n = both[inside].sum()
        others = (alike.sum() - n) / (both.sum() - n)
        notes.append(
            f"{_listed(names[set_of == one])}: the same label on all items that two of them rated "
            f"({n:.0f} times), where others agree on {100.0 * others:.0f} %. Each counts as one "
            "more rater. If these are copies, leave all but one of them out."
        )
    return notes


def _turned(names: NDArray[Any], others: str) -> str:
    return f"{_listed(names)}: labels fall where {others} rise, as if the scale were turned round."


def with_others(model: RaterModel, item_of: NDArray[np.intp]) -> Array:
    """Moments of labels and what the ratings of the others expect."""
    data = model.problem.ratings
    without = model.posterior[item_of] / np.maximum(model.tables[data.raters, data.codes], LEAST)
    without /= without.sum(axis=1, keepdims=True)
    expected = without @ model.classes_by(None) @ np.arange(data.n_classes)
    return moments(data.n_raters, data.raters, expected, data.codes)


def _listed(names: NDArray[Any]) -> str:
    return some_of([str(name) for name in names], _NAMED)
