"""What should be known of raters: do they agree, who turns the scale round or uses one class?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._mixture.rater_model import RaterModel
from csvor._mixture.rater_tables import LEAST
from csvor._utils.words import plural, some_of
from csvor.audit._rater_table import MIDDLE, RaterTable

Array = NDArray[np.float64]

# Fewer ratings say little of a rater's way.
_FEW = 10
# A correlation with the others that is so many standard errors below 0 is none by chance.
_SURE = 3.0
_NAMED = 5
_TWO = (
    "There are two raters: how far they are apart can be told, not which of them is right. Their "
    "middle is taken."
)


def notes_on_raters(
    model: RaterModel, item_of: NDArray[np.intp], names: NDArray[Any], classes: NDArray[Any], *,
    referred: bool, features: bool,
) -> tuple[tuple[str, ...], bool]:  # fmt: skip
    """In the order of how much they matter; and whether anything can be said of items.

    ``referred`` says whether raters are measured by one of them, or by known classes.
    """
    data = model.problem.ratings
    n = data.of_raters
    notes = []
    agreement, of_all = _agreement_with_others(model, item_of)
    turned = np.flatnonzero((n >= _FEW) & (agreement < -_SURE))
    if turned.size:
        notes.append(
            f"{_listed(names[turned])}: labels fall where those of the others rise, as if the "
            "scale were turned round."
        )
    conclusive = bool(turned.size) or of_all >= _SURE
    if not conclusive:
        beside = " and the features" * features
        notes.append(
            f"Labels follow those of the other raters{beside} no better than chance could: nothing "
            "can be said of items, nor which ratings are wrong. More ratings an item would help, "
            "if raters judge the same thing."
        )
    again = int(((np.diff(item_of) == 0) & (np.diff(data.raters) == 0)).sum())
    if again:
        notes.append(
            f"{plural(again, 'rating')} more of an item by a rater who had rated it: each counts "
            "as one that was made anew. Leave them out if they are copies."
        )
    used = np.zeros((data.n_raters, data.n_classes), dtype=bool)
    used[data.raters, data.codes] = True
    single = np.flatnonzero((n >= _FEW) & (used.sum(axis=1) == 1))
    if single.size:
        label = classes[np.argmax(used[single[0]])]
        notes.append(
            f"{_listed(names[single])}: the same label on every item"
            + (f" ({label})." if single.size == 1 else ".")
        )
    if data.n_raters == 2 and not referred:
        beside = "The features help to tell who is careless, not who is strict. " * features
        notes.append(
            f"{_TWO} {beside}Name one of them (reference=), or give true labels of some items "
            "(gold=)."
        )
    return tuple(notes), conclusive


def notes_on_table(table: RaterTable | None) -> tuple[str, ...]:
    """The same of raters of rows that have one label each."""
    if table is None or table.reference != MIDDLE or table.n.size != 2 or not table.apart.size:
        return ()
    return (f"{_TWO} Name one of them (reference=), or confirm some labels.",)


def _agreement_with_others(model: RaterModel, item_of: NDArray[np.intp]) -> tuple[Array, float]:
    """The correlation of labels with what the others expect, by its error: of each rater, of all.

    Fisher's z times the root of n - 3; of all raters within each.
    """
    data = model.problem.ratings
    tables = model.tables
    without = model.posterior[item_of] / np.maximum(tables[data.raters, data.codes], LEAST)
    without /= without.sum(axis=1, keepdims=True)
    expected = without @ model.classes_by(None) @ np.arange(data.n_classes)
    columns = np.column_stack([np.ones(expected.size), expected, data.codes])
    sums = {
        (a, b): np.bincount(data.raters, columns[:, a] * columns[:, b], data.n_raters)
        for a in range(3)
        for b in range(a, 3)
    }
    n = np.maximum(sums[0, 0], 1.0)

    def moment(a: int, b: int) -> Array:
        return np.asarray(sums[a, b] - sums[0, a] * sums[0, b] / n)

    both, one, other = moment(1, 2), moment(1, 1), moment(2, 2)
    free = int(n.sum()) - data.n_raters - 2
    of_all = _fisher(both.sum(), one.sum(), other.sum(), free)
    return _fisher(both, one, other, n - 3.0), float(of_all)


def _fisher(both: Any, one: Any, other: Any, free: Any) -> Array:
    correlation = both / np.sqrt(np.maximum(one * other, LEAST))
    z = np.arctanh(np.clip(correlation, -0.999, 0.999))
    return np.asarray(z * np.sqrt(np.maximum(free, 0.0)))


def _listed(names: NDArray[Any]) -> str:
    return some_of([str(name) for name in names], _NAMED)
