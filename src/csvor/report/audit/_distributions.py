"""Where do scores and probabilities lie, and which labels should be which?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._labels import CodedLabels
from csvor._mixture.objective import rows_to_fit
from csvor._parts.engine import sums, take
from csvor._utils.histograms import class_histograms, score_edges
from csvor.audit import LabelAudit, WrongLabels

# Edges of the groups of probability; the first is that of the rows above suspicion.
_EDGES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
_BINS = 60

Labels = NDArray[Any]
Counts = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class Confusion:
    """Flagged rows by the label given (rows) and suggested (columns), in labels that occur."""

    given: tuple[str, ...]
    suggested: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]


@dataclass(frozen=True)
class ProbabilityGroup:
    """Rows whose label is wrong with about one probability, and how many of them should be."""

    low: float
    high: float
    n_rows: int
    expected: float


@dataclass(frozen=True)
class Bar:
    """One bin: `left`, `height`, and the part of it that is flagged, in shares of the chart."""

    left: float
    height: float
    named: float


@dataclass(frozen=True)
class ScoreChart:
    """The scores by the class given; positions are shares of the width."""

    rows: tuple[tuple[str, int, int, tuple[Bar, ...]], ...]
    width: float
    thresholds: tuple[tuple[float, str], ...]
    ticks: tuple[tuple[float, str], ...]


def confusion_of(audit: WrongLabels, classes: Sequence[str]) -> Confusion:
    """How many of the flagged rows are given and suggested which label."""
    work = partial(_pairs, audit.classes)
    counts, totals = sums(work, audit.given, audit.suggested, audit.flagged)
    rows, columns = (np.flatnonzero(counts.sum(axis=axis)) for axis in (1, 0))
    # With few classes all of them make the shape of the errors plain.
    if len(classes) <= 12:
        rows = columns = np.arange(len(classes))
    return Confusion(
        tuple(classes[k] for k in rows.tolist()),
        tuple(classes[k] for k in columns.tolist()),
        tuple(tuple(counts[k, columns].tolist()) for k in rows),
        tuple(totals[rows].tolist()),
    )


def probability_groups(audit: WrongLabels) -> list[ProbabilityGroup]:
    """The rows by the probability that their label is wrong, most probable first."""
    n_rows, expected = sums(_in_groups, audit.probability)
    n_rows[0] -= audit.probability.size - audit.n_judged
    groups = [
        ProbabilityGroup(_EDGES[k], _EDGES[k + 1], int(n_rows[k]), float(expected[k]))
        for k in range(6)
    ]
    return groups[::-1]


def score_chart(audit: LabelAudit, classes: Sequence[str]) -> ScoreChart:
    """Histograms of the held-out score, one for each class given, and the thresholds."""
    thresholds = audit.thresholds
    (score,) = take(rows_to_fit(audit.score.size), audit.score)
    edges = score_edges(score, thresholds, _BINS)
    span = edges[-1] - edges[0]
    work = partial(_in_bins, audit.classes, edges)
    counts, named = sums(work, audit.given, audit.score, audit.flagged)
    rows = []
    for label, of_class, of_named in zip(classes, counts, named, strict=True):
        tallest = max(int(of_class.max()), 1)
        bars = tuple(
            Bar(b / _BINS, float(of_class[b] / tallest), float(of_named[b] / tallest))
            for b in np.flatnonzero(of_class).tolist()
        )
        rows.append((label, int(of_class.sum()), int(of_named.sum()), bars))
    return ScoreChart(
        tuple(rows),
        1.0 / _BINS,
        tuple(
            (float((t - edges[0]) / span), f"{below} | {above}")
            for t, below, above in zip(thresholds, classes, classes[1:], strict=False)
        ),
        tuple(((t - edges[0]) / span, text) for t, text in ticks_between(edges[0], edges[-1])),
    )


def _pairs(classes: Labels, labels: Labels, suggested: Labels, flagged: Labels) -> Counts:
    """Flagged rows by both labels, and all rows by the one given."""
    K, codes = len(classes), _codes(labels, classes)
    pairs = K * codes + _codes(suggested, classes)
    named = np.bincount(pairs[flagged], minlength=K * K).reshape(K, K)
    return named, np.bincount(codes, minlength=K)


def _in_groups(probability: NDArray[np.float64]) -> Counts:
    """Rows of each group, and what their probabilities add up to."""
    place = np.clip(np.searchsorted(_EDGES, probability, side="right") - 1, 0, 5)
    return np.bincount(place, minlength=6), np.bincount(place, probability, minlength=6)


def _in_bins(
    classes: Labels, edges: NDArray[np.float64], labels: Labels, score: Any, flagged: Any
) -> Counts:
    """All and flagged rows by label given and bin; what lies beyond stands in the last bins."""
    codes, K = _codes(labels, classes), len(classes)
    return (
        class_histograms(score, codes, K, edges),
        class_histograms(score[flagged], codes[flagged], K, edges),
    )


def _codes(labels: Labels, classes: Labels) -> NDArray[np.integer]:
    return CodedLabels.from_data(labels, classes).codes


def ticks_between(low: float, high: float, form: str = "g") -> list[tuple[float, str]]:
    """About five round numbers between two, each with its text; 0 has no sign."""
    rough = (high - low) / 5
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * f for f in (1, 2, 5, 10) if unit * f >= rough)
    values = [k * step for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
    return [(value, f"{value:{form}}".replace("-", "−") if value else "0") for value in values]
