"""What do mixtures say of labels in partitions?

Of each row lazily, where it lies; what is said of all is added up here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from csvor._rows.partitions import run
from csvor._rows.parts import Parts, as_array, layer
from csvor.audit._wrong_labels import (
    LISTED,
    Mask,
    View,
    beliefs,
    directions,
    interval,
    of_codes,
    shares_of,
    suggestions,
    wrong,
)

Array = NDArray[np.float64]

# By rounds of so many counts the cut of a false discovery rate is found to 1e-9.
_BINS, _ROUNDS = 1_000, 3


def of_each(
    work: Callable[..., Any], dtype: Any, *arrays: Any, width: int | None = None
) -> da.Array:
    """What ``work`` makes of the rows of each partition."""
    parts = layer(work, Parts.of_all(*arrays))
    return as_array(parts, arrays[0].chunks[0], dtype, () if width is None else (width,))


def findings_in_partitions(
    trials: Sequence[Any], weights: Array, rows: Any, fdr: float | None
) -> dict[str, Any]:
    """As `findings`: entries of rows are dask arrays, ``order`` has the first of all."""
    labels, classes = rows.labelling, rows.classes
    codes, confirmed, K = labels.codes, labels.confirmed, classes.size
    told = [
        View(trial.mixture, trial.held.telling, weight)
        for trial, weight in zip(trials, weights, strict=True)
    ]
    weight, mixtures = shares_of(told), [trial.mixture for trial in trials]
    margins = [trial.held.margins for trial in trials]
    if confirmed is not None:
        margins = [confirmed, *margins]
    both = of_each(
        partial(_beliefs, mixtures, weight, confirmed is not None), float, codes, *margins,
        width=2 * K,
    )  # fmt: skip
    truth, before = both[:, :K], both[:, K:]
    probability = of_each(wrong, float, truth, codes)
    cut = 0.5 if fdr is None else _cut(probability, fdr)
    flagged: Any = probability > cut
    if confirmed is not None:
        flagged &= ~confirmed
    suggested = of_each(suggestions, np.int64, truth, codes, flagged)
    share, low, high = map(labels.share_judged, interval(told, weight, rows.telling))
    order, named, expected = _totals(probability, flagged)
    take = partial(of_each, partial(np.take, classes), classes.dtype)
    return {
        "share": share,
        "low": low,
        "high": high,
        "probability": probability,
        "flagged": flagged,
        "given": take(codes),
        "suggested": take(suggested),
        "direction": of_each(directions, np.dtype("U8"), codes, suggested),
        "suggested_probability": of_each(of_codes, float, truth, suggested),
        "class_probabilities": before,
        "predicted": take(of_each(partial(np.argmax, axis=1), np.int64, before)),
        "classes": classes,
        "order": order,
        "log_likelihood": -min(mixture.loss for mixture in mixtures),
        "n_judged": int(labels.judged.sum()),
        "named": named,
        "expected_right": expected,
    }


def in_partitions(found: dict[str, Any], chunks: tuple[int, ...]) -> dict[str, Any]:
    """What was found of rows here, as arrays in partitions."""
    return {
        name: da.from_array(value, chunks=(chunks, *value.shape[1:]), name=False)
        if isinstance(value, np.ndarray) and name not in ("classes", "order")
        else value
        for name, value in found.items()
    } | {"order": found["order"][:LISTED]}


def _beliefs(mixtures: Any, weight: Array, has_confirmed: bool, codes: Any, *columns: Any) -> Array:
    confirmed, margins = (columns[0], columns[1:]) if has_confirmed else (None, columns)
    return np.concatenate(beliefs(mixtures, weight, codes, confirmed, *margins), axis=1)


def _totals(probability: da.Array, flagged: da.Array) -> tuple[NDArray[np.intp], int, float]:
    """The rows most probably wrong, and of those flagged their number and what they add up to."""
    starts = np.cumsum([0, *probability.chunks[0][:-1]]).tolist()
    columns = Parts.of_all(probability, flagged)
    (named, expected), (rows, values) = run(_totals_of_part, columns, own=starts)
    return rows[np.argsort(-values, kind="stable")[:LISTED]], int(named), float(expected)


def _totals_of_part(
    start: int, probability: Array, flagged: Mask
) -> tuple[tuple[int, float], tuple[NDArray[np.intp], Array]]:
    rows = np.sort(np.argsort(-probability, kind="stable")[:LISTED])
    sums = int(flagged.sum()), float(probability[flagged].sum())
    return sums, (start + rows, probability[rows])


def _cut(probability: da.Array, fdr: float) -> float:
    """Above it lie the most rows of which the expected share of right labels is at most ``fdr``.

    That share rises with each row that is added, the most probably wrong ones first.
    """
    low, high, above = -1e-9, 1.0, np.zeros(2)
    for _ in range(_ROUNDS):
        edges = np.linspace(low, high, _BINS + 1)
        (sums,), _ = run(_right, Parts.of_all(probability), given=(edges,))
        counts, right = np.cumsum(sums[:, ::-1], axis=1) + above[:, None]
        kept = int(np.count_nonzero(right <= fdr * counts))
        if kept == _BINS:
            return low
        high = edges[_BINS - kept]
        low = edges[_BINS - kept - 1]
        if kept:
            above = np.array([counts[kept - 1], right[kept - 1]])
    return float(high)


def _right(probability: Array, edges: Array) -> tuple[tuple[Array], tuple[()]]:
    """In each bin, ends of which belong to the one below, the rows and their right labels."""
    bins = np.searchsorted(edges, probability, side="left") - 1
    inside = (bins >= 0) & (bins < edges.size - 1)
    bins, right = bins[inside], 1.0 - probability[inside]
    counts = [np.bincount(bins, weights, edges.size - 1) for weights in (None, right)]
    return (np.array(counts, dtype=float),), ()
