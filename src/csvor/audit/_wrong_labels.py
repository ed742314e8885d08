"""How many labels are wrong, and which: what is found, by one mixture or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from csvor._estimators.mislabelling import Mixture, share_interval
from csvor._rows.lazy import taken

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Of rows in partitions so many are ranked.
LISTED = 1_000
# A mixture of less weight than this adds nothing to an interval.
_SLIGHT = 0.05


@dataclass(frozen=True, eq=False)
class WrongLabels:
    """How many labels are wrong, and which: one entry a row, in the order of the data.

    Attributes
    ----------
    share : float
        Estimated share of wrong labels.
    low, high : float
        Its 95 % profile-likelihood interval.
    probability : ndarray of shape (n_samples,)
        That the label of the row is wrong.
    flagged : ndarray of shape (n_samples,)
        True where that is above one half, or for as many rows as ``fdr`` allows.
    given : ndarray of shape (n_samples,)
        The labels given.
    suggested : ndarray of shape (n_samples,)
        The most probable other label where the label is flagged or less probable than that
        one, else the label given.
    direction : ndarray of shape (n_samples,)
        "too high" where the suggested label lies below the one given, "too low" where above, ""
        where they are the same.
    suggested_probability : ndarray of shape (n_samples,)
        Of the suggested label, given score and label.
    class_probabilities : ndarray of shape (n_samples, n_classes)
        Of each class given the score alone, columns in the order of ``classes``.
    predicted : ndarray of shape (n_samples,)
        The class that is most probable given the score alone.
    classes : ndarray of shape (n_classes,)
        The labels in their order.
    order : ndarray of shape (n_samples,)
        Row positions, most probably wrong first.
    log_likelihood : float
        Penalised, of labels given scores; it ranks models whose scores are of the same rows.
    n_judged : int
        The number of labels that were not known to be right before.
    named : int
        The number of flagged rows.
    expected_right : float
        How many of them should be wrong: the sum of their probabilities.
    """

    share: float
    low: float
    high: float
    probability: Array
    flagged: NDArray[np.bool_]
    given: NDArray[Any]
    suggested: NDArray[Any]
    direction: NDArray[np.str_]
    suggested_probability: Array
    class_probabilities: Array
    predicted: NDArray[Any]
    classes: NDArray[Any]
    order: NDArray[np.intp]
    log_likelihood: float
    n_judged: int
    named: int
    expected_right: float

    _columns: ClassVar[tuple[str, ...]] = (
        "given", "suggested", "probability", "suggested_probability", "direction", "predicted",
        "flagged",
    )  # fmt: skip

    def to_frame(self) -> Any:
        """The rows as a table, most probably wrong first.

        Returns
        -------
        frame : pandas.DataFrame
            Indexed by row position, a column for each of given, suggested, probability,
            suggested_probability, direction, predicted and flagged (and residual of a
            `LabelAudit`).
        """
        import pandas as pd

        columns = taken(self.order, *(getattr(self, name) for name in self._columns))
        index = pd.Index(self.order, name="row")
        return pd.DataFrame(dict(zip(self._columns, columns, strict=True)), index)

    @property
    def summary(self) -> str:
        """The answer in a sentence."""
        n = self.n_judged
        share, low, high = (f"{n * part:.0f}" for part in (self.share, self.low, self.high))
        if share == "0" and not self.named:
            return f"no label of {n} looks wrong (at most {high} may be)"
        named = f"{self.named} are named, of which about {self.expected_right:.0f} should be"
        if self.named == 1:
            named = f"1 is named, and should be with probability {self.expected_right:.2f}"
        elif not self.named:
            named = "none is sure enough to be named"
        return f"about {share} ({low} to {high}) of {n} labels are wrong; {named}"

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(share={self.share:.3f} [{self.low:.3f}, {self.high:.3f}]: "
            f"{self.summary})"
        )


class Labelling(NamedTuple):
    """What is known of labels, in arrays of NumPy or dask.

    Attributes
    ----------
    codes : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
    confirmed : ndarray of shape (n,) or None
        True for labels that are known to be right.
    original : ndarray of shape (n,) or None
        Codes of what these were before.
    """

    codes: NDArray[np.int64]
    weights: Array | None = None
    confirmed: Mask | None = None
    original: NDArray[np.int64] | None = None

    def take(self, rows: NDArray[np.intp]) -> Labelling:
        """The same of some rows."""
        known = {name: part for name, part in self._asdict().items() if part is not None}
        return Labelling(**dict(zip(known, taken(rows, *known.values()), strict=True)))

    @property
    def judged(self) -> Mask:
        """The labels that are not known to be right."""
        known = self.confirmed
        return np.ones_like(self.codes, dtype=bool) if known is None else ~known

    def share_left(self, before: float) -> float:
        """The share of all labels that are wrong, where that was so before some were set right."""
        if self.confirmed is None or self.original is None:
            return before
        righted = self.confirmed & (self.original != self.codes)
        return max(0.0, before - float(np.average(righted, weights=self.weights)))

    def share_judged(self, before: float) -> float:
        """The same of those judged: what is confirmed is right."""
        judged = float(np.average(self.judged, weights=self.weights))
        return min(1.0, self.share_left(before) / judged) if judged > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class View:
    """A mixture, the margins that it was fitted to, and its weight beside others."""

    mixture: Mixture
    margins: Array
    weight: float = 1.0


def findings(
    views: Sequence[View], labels: Labelling, *, classes: NDArray[Any], fdr: float | None = None
) -> dict[str, Any]:
    """What the mixtures say of coded labels in the average: the attributes of `WrongLabels`."""
    codes, confirmed = labels.codes, labels.confirmed
    weight = shares_of(views)
    mixtures = [view.mixture for view in views]
    truth, before = beliefs(mixtures, weight, codes, confirmed, *(view.margins for view in views))
    probability = wrong(truth, codes)
    order = np.argsort(-probability, kind="stable")
    flagged = flags(probability, order, fdr)
    if confirmed is not None:
        flagged &= ~confirmed
    suggested = suggestions(truth, codes, flagged)
    share, low, high = map(labels.share_judged, interval(views, weight, labels))
    return {
        "share": share,
        "low": low,
        "high": high,
        "probability": probability,
        "flagged": flagged,
        "given": classes[codes],
        "suggested": classes[suggested],
        "direction": directions(codes, suggested),
        "suggested_probability": of_codes(truth, suggested),
        "class_probabilities": before,
        "predicted": classes[before.argmax(axis=1)],
        "classes": classes,
        "order": order,
        "log_likelihood": -min(view.mixture.loss for view in views),
        "n_judged": int(labels.judged.sum()),
        "named": int(flagged.sum()),
        "expected_right": float(probability[flagged].sum()),
    }


def shares_of(views: Sequence[View]) -> Array:
    """The weights of views, in shares of their sum."""
    weight = np.array([view.weight for view in views])
    return weight / weight.sum()


def beliefs(
    mixtures: Sequence[Mixture],
    weight: Array,
    codes: NDArray[np.integer],
    confirmed: Mask | None,
    *margins: Array,
) -> tuple[Array, Array]:
    """The probability of each class given label and score, and given the score alone."""
    truth = np.zeros((codes.size, mixtures[0].slopes.size + 1))
    before = np.zeros_like(truth)
    for mixture, w, seen in zip(mixtures, weight, margins, strict=True):
        truth += w * mixture.truth(seen, codes, confirmed)
        before += w * mixture.class_probabilities(seen)
    return truth, before


def of_codes(truth: Array, codes: NDArray[np.integer]) -> Array:
    """The probability of one class for each row."""
    return truth[np.arange(codes.size), codes]


def wrong(truth: Array, codes: NDArray[np.integer]) -> Array:
    """The probability that the label is wrong."""
    return np.clip(1.0 - of_codes(truth, codes), 0.0, 1.0)


def suggestions(truth: Array, codes: NDArray[np.integer], flagged: Mask) -> NDArray[np.integer]:
    """The most probable other label where the one given is flagged or less probable."""
    others = truth.copy()
    others[np.arange(codes.size), codes] = -1.0
    best = others.argmax(axis=1)
    return np.where(flagged | (of_codes(truth, best) > of_codes(truth, codes)), best, codes)


def directions(codes: NDArray[np.integer], suggested: NDArray[np.integer]) -> NDArray[np.str_]:
    """In which direction the label given errs."""
    return np.array(["too low", "", "too high"])[np.sign(codes - suggested) + 1]


def flags(probability: Array, order: NDArray[np.intp], fdr: float | None) -> Mask:
    """What is more probably wrong than right, or the most rows that ``fdr`` allows."""
    if fdr is None:
        return probability > 0.5
    flagged = np.zeros(probability.size, dtype=bool)
    right = np.cumsum(1.0 - probability[order]) / np.arange(1, probability.size + 1)
    flagged[order[: int(np.count_nonzero(right <= fdr))]] = True
    return flagged


def interval(views: Sequence[View], weight: Array, labels: Labelling) -> tuple[float, float, float]:
    """The share and its interval: what is uncertain within the mixtures, and between them."""
    shares = np.array([view.mixture.share for view in views])
    share = float(weight @ shares)
    counted = np.flatnonzero(weight >= _SLIGHT)
    within = np.zeros(2)
    for i in counted.tolist():
        ends = share_interval(views[i].mixture, views[i].margins, *labels)
        within += weight[i] / weight[counted].sum() * (np.array(ends) - shares[i]) ** 2
    between = 1.96**2 * float(weight @ (shares - share) ** 2)
    low, high = share + np.array([-1.0, 1.0]) * np.sqrt(within + between)
    return share, max(0.0, float(low)), float(high)
