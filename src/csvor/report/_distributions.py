"""Where do scores and probabilities lie, and which labels should be which?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from csvor._labels import CodedLabels
from csvor.audit import LabelAudit, WrongLabels

# Edges of the groups of probability; the first is that of the rows above suspicion.
_EDGES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
_BINS, _OUTSIDE = 60, 0.005


@dataclass(frozen=True)
class Confusion:
    """Named rows by the label given (rows) and suggested (columns), in labels that occur."""

    given: tuple[str, ...]
    suggested: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]

    @property
    def largest(self) -> int:
        """The largest count."""
        return max((count for row in self.counts for count in row), default=0)


@dataclass(frozen=True)
class ProbabilityGroup:
    """Rows whose label is wrong with about one probability, and how many of them should be."""

    low: float
    high: float
    n_rows: int
    expected: float


@dataclass(frozen=True)
class Bar:
    """One bin: `left`, `height` and the part `named` of named rows, all in shares of the chart."""

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
    """How many of the named rows are given and suggested which label."""
    given, suggested = _codes(audit, audit.given), _codes(audit, audit.suggested)
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (given[audit.flagged], suggested[audit.flagged]), 1)
    rows, columns = (np.flatnonzero(counts.sum(axis=axis)) for axis in (1, 0))
    # With few classes all of them make the shape of the errors plain.
    if len(classes) <= 12:
        rows = columns = np.arange(len(classes))
    totals = np.bincount(given, minlength=len(classes))
    return Confusion(
        tuple(classes[k] for k in rows.tolist()),
        tuple(classes[k] for k in columns.tolist()),
        tuple(tuple(counts[k, columns].tolist()) for k in rows),
        tuple(totals[rows].tolist()),
    )


def probability_groups(audit: WrongLabels) -> list[ProbabilityGroup]:
    """The rows by the probability that their label is wrong, most probable first."""
    place = np.clip(np.searchsorted(_EDGES, audit.probability, side="right") - 1, 0, 5)
    n_rows = np.bincount(place, minlength=6)
    n_rows[0] -= audit.probability.size - audit.n_judged
    expected = np.bincount(place, audit.probability, minlength=6)
    groups = [
        ProbabilityGroup(_EDGES[k], _EDGES[k + 1], int(n_rows[k]), float(expected[k]))
        for k in range(6)
    ]
    return groups[::-1]


def score_chart(audit: LabelAudit, classes: Sequence[str]) -> ScoreChart:
    """Histograms of the held-out score, one for each class given, and the thresholds."""
    score, thresholds = audit.score, audit.thresholds
    low, high = np.quantile(score, [_OUTSIDE, 1.0 - _OUTSIDE])
    low, high = min(low, thresholds.min()), max(high, thresholds.max())
    margin = 0.03 * (high - low) or 1.0
    edges = np.linspace(low - margin, high + margin, _BINS + 1)
    span = edges[-1] - edges[0]
    # Scores beyond the chart stand in its last bins.
    inside = np.clip(score, edges[0], edges[-1])
    codes = _codes(audit, audit.given)
    rows = []
    for k, label in enumerate(classes):
        own = codes == k
        counts = np.histogram(inside[own], edges)[0]
        named = np.histogram(inside[own & audit.flagged], edges)[0]
        tallest = max(int(counts.max()), 1)
        bars = tuple(
            Bar(b / _BINS, float(counts[b] / tallest), float(named[b] / tallest))
            for b in np.flatnonzero(counts).tolist()
        )
        rows.append((label, int(own.sum()), int((own & audit.flagged).sum()), bars))
    return ScoreChart(
        tuple(rows),
        1.0 / _BINS,
        tuple(
            (float((t - edges[0]) / span), f"{below} | {above}")
            for t, below, above in zip(thresholds, classes, classes[1:], strict=False)
        ),
        tuple(
            ((t - edges[0]) / span, f"{t:g}".replace("-", "−")) for t in _ticks(edges[0], edges[-1])
        ),
    )


def _codes(audit: WrongLabels, labels: NDArray[np.generic]) -> NDArray[np.integer]:
    return CodedLabels.from_data(labels, audit.classes).codes


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers between two."""
    rough = (high - low) / 5
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * f for f in (1, 2, 5, 10) if unit * f >= rough)
    first = int(np.ceil(low / step))
    return [k * step for k in range(first, int(np.floor(high / step)) + 1)]
