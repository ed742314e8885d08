"""What do mixtures say of labels: how many are wrong, and which?

What is said of a row is made where it lies; what is said of all is added up over the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._data.fit_data import in_partitions
from csvor._mixture.interval import MOST, share_interval
from csvor._mixture.likelihood import LEAST
from csvor._mixture.mixture import Mixture
from csvor._parts.engine import each
from csvor.audit._expected_errors import odds_range
from csvor.audit._flags import LISTED, fdr_cut, share_cut, totals
from csvor.audit._labelling import Labelling
from csvor.audit._ranking import (
    expected_distance,
    rank_correlation,
    ranked_by,
    tells_something,
)
from csvor.audit._raters_of_rows import raters_of_rows
from csvor.audit._shares_by import MOST_RATIO

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# What differs in log-likelihood counts an eighth: it varies with the parts (found by trial on
# twelve sets: rankings are alike between 2 and 16, promises and clean sets best from 8 on).
_TEMPERATURE = 8.0
# Of less weight, a mixture changes no probability by more than that.
NO_WEIGHT = 1e-3
# An interval takes as long as many mixtures: those of so many, the most likely ones, are averaged.
_INTERVALS = 3
# Curves that are not quite right add an error as large as that of so many rows, however many there
# are. (All 20 640 rows of cal_housing, no label changed: .013 to .027 without it.)
_MISFIT_ROWS = 2_000.0


@dataclass(frozen=True, eq=False)
class View:
    """A mixture, margins of all rows, those that it was fitted to, and what they are made of."""

    mixture: Mixture
    margins: Any
    fit_margins: Array
    shares: tuple[float, ...] = (1.0, 0.0, 0.0)


def findings(
    views: Sequence[View],
    labels: Labelling,
    fit_labels: Labelling,
    *,
    classes: NDArray[Any],
    fdr: float | None = None,
    order: str = "auto",
    n_independent: float | None = None,
) -> dict[str, Any]:
    """The attributes of `WrongLabels`, by the weighted mean of several mixtures.

    Parameters
    ----------
    views : sequence of View
    labels : Labelling of all rows
    fit_labels : Labelling
        Of the rows that mixtures were fitted to.
    classes : ndarray of shape (n_classes,)
    fdr : float or None
        The false discovery rate that flags are to keep.
    order : {"auto", "probability", "severity"}
        What rows are ranked by.
    n_independent : float or None
        How many independent rows tell as much where rows of a group are alike; by default all do.
    """
    codes, confirmed = labels.codes, labels.confirmed
    views, weight = weighted(views)
    truth, before, ratios, by_rater = _beliefs_of(views, weight, labels, classes.size)
    probability = each(wrong, float, truth, codes)
    correlation = correlation_of(views, weight, fit_labels)
    n_compared = fit_labels.independent
    information = fit_labels.information(n_independent, codes.size)
    if n_independent is not None:
        of_weight = n_independent * fit_labels.total / fit_labels.codes.size
        n_compared = min(of_weight, n_compared)
    conclusive = tells_something(correlation, n_compared)
    shares = interval(views, weight, fit_labels, information)
    share, low, high = map(labels.share_judged, shares)
    label_of: Callable[[Any], Any] = partial(each, partial(np.take, classes), classes.dtype)
    if not conclusive:
        shares = shares[0], 0.0, max(shares[0], MOST * (1.0 - 1.0 / classes.size))
        low, high = map(labels.share_judged, shares[1:])
    distance = each(expected_distance, float, before, codes)
    by = ranked_by(order, classes.size, codes, labels.weights)
    ranks = probability if by == "probability" else distance
    if confirmed is not None and by == "severity":
        ranks = ranks * ~confirmed
    may_be = labels.judged & conclusive
    flagged = may_be & (probability > (0.5 if fdr is None else fdr_cut(probability, fdr)))
    count = partial(totals, ranks, probability, are_counts=fit_labels.are_counts)
    sums = count(flagged, labels.mass)
    if fdr is None and sums.named_share > high:
        most = high * float(labels.mass.sum())
        flagged = flagged & (probability > share_cut(probability, labels.mass, most))
        sums = count(flagged, labels.mass)
    fits = [(view.mixture, view.fit_margins) for view in views]
    differ = any(mixture.effects is not None for mixture, _ in fits)
    suggested = each(suggestions, np.int64, truth, codes, flagged)
    return {
        "share": share,
        "low": low,
        "high": high,
        "odds_range": odds_range(probability, shares, fit_labels.total),
        "probability": probability,
        "flagged": flagged,
        "given": label_of(codes),
        "suggested": label_of(suggested),
        "direction": each(directions, np.dtype("U8"), codes, suggested),
        "suggested_probability": each(of_codes, float, truth, suggested),
        "class_probabilities": before.copy(),  # not a view that keeps more than this
        "predicted": label_of(each(partial(np.argmax, axis=1), np.int64, before)),
        "classes": classes,
        "expected_distance": distance,
        "order": sums.order,
        "ordered_by": by,
        "conclusive": conclusive,
        "rank_correlation": correlation,
        "log_likelihood": -min(view.mixture.loss for view in views),
        "n_judged": int(labels.judged.sum()),
        "named": sums.named,
        "expected_right": sums.expected,
        "named_share": sums.named_share,
        "weighted": sums.weighted,
        "rater": None if labels.panel is None else labels.panel.of_rows(labels.raters),
        "raters": raters_of_rows(fits, weight, labels, probability, before, shares),
        "_n_counted": sums.counted,
        "_ratios": _with_known(ratios, labels),
        "_by_rater": by_rater if differ else None,
        "_usual": shares[0],
        "_weights": labels.weights,
        "_counts": information,
    }


def put_back(
    entries: dict[str, Any], places: NDArray[np.intp], rank: NDArray[np.intp]
) -> dict[str, Any]:
    """Findings of rows where these have places in the data, of which the rank is the inverse."""
    back = {name: value[rank] for name, value in _of_rows(entries).items()}
    return {**entries, **back, "order": places[entries["order"]]}


def findings_in_partitions(entries: dict[str, Any], chunks: tuple[int, ...]) -> dict[str, Any]:
    """The same findings, entries of rows as dask arrays with these partitions."""
    laid = {name: in_partitions(value, chunks) for name, value in _of_rows(entries).items()}
    return {**entries, **laid, "order": entries["order"][:LISTED]}


def _of_rows(entries: dict[str, Any]) -> dict[str, NDArray[Any]]:
    return {
        name: value
        for name, value in entries.items()
        if isinstance(value, np.ndarray) and name not in ("classes", "order")
    }


def likelihood_weights(losses: Sequence[float]) -> Array:
    """``exp`` of an eighth of the log-likelihood, in shares of their sum."""
    loss = np.array(losses)
    weights = np.exp((loss.min() - loss) / _TEMPERATURE)
    return weights / weights.sum()


def weighted(views: Sequence[View]) -> tuple[list[View], Array]:
    """The views that count, and their weights in shares of the sum."""
    weights = likelihood_weights([view.mixture.loss for view in views])
    counted = np.flatnonzero(weights >= NO_WEIGHT).tolist()
    return [views[i] for i in counted], weights[counted] / weights[counted].sum()


def probability_wrong(views: Sequence[View], labels: Labelling, n_classes: int) -> Any:
    """The probability that each label is wrong, by the weighted mean of the views."""
    truth, *_ = _beliefs_of(*weighted(views), labels, n_classes)
    return each(wrong, float, truth, labels.codes)


def _beliefs_of(
    views: Sequence[View], weight: Array, labels: Labelling, n_classes: int
) -> tuple[Any, Any, Any, Any]:
    """The probability of each class given label and score, and given the score alone; how much
    more probable each label is if it is wrong than if it is right; and by which factor its rater
    changes the odds that it is wrong.
    """
    known = {
        name: labels.columns[name] for name in ("confirmed", "raters") if name in labels.columns
    }
    func = partial(_beliefs, [view.mixture for view in views], weight, tuple(known))
    margins = [view.margins for view in views]
    both = each(func, float, labels.codes, *known.values(), *margins, width=2 * n_classes + 2)
    return both[:, :n_classes], both[:, n_classes:-2], both[:, -2], both[:, -1]


def _beliefs(
    mixtures: Sequence[Mixture],
    weight: Array,
    names: Sequence[str],
    codes: NDArray[np.integer],
    *columns: Any,
) -> Array:
    """What `_beliefs_of` gives, side by side."""
    known = dict(zip(names, columns, strict=False))
    confirmed, raters, margins = known.get("confirmed"), known.get("raters"), columns[len(names) :]
    truth = np.zeros((codes.size, mixtures[0].slopes.size + 1))
    before = np.zeros_like(truth)
    if_right, if_wrong, chance = np.zeros((3, codes.size))
    for mixture, w, seen in zip(mixtures, weight, margins, strict=True):
        of_mixture = mixture.truth(seen, codes, raters=raters)
        classes = mixture.class_probabilities(seen)
        right, mass = of_codes(of_mixture, codes), np.maximum(of_codes(classes, codes), LEAST)
        odds = (1.0 - right) / np.maximum(right, LEAST)
        if_wrong += w * mass * odds * (1.0 - mixture.share) / mixture.share
        if_right += w * mass
        truth += w * of_mixture
        before += w * classes
        chance += w * mixture.chance_wrong(seen, raters)
    share = sum(w * mixture.share for mixture, w in zip(mixtures, weight, strict=True))
    by_rater = (chance * (1.0 - share)) / np.maximum((1.0 - chance) * share, LEAST)
    if confirmed is not None:
        truth[confirmed] = np.eye(truth.shape[1])[codes[confirmed]]
    ratios = np.clip(if_wrong / if_right, 1.0 / MOST_RATIO, MOST_RATIO)
    return np.column_stack([truth, before, ratios, by_rater])


def _with_known(ratios: Any, labels: Labelling) -> Any:
    """0 for labels known to be right, infinite for those that were wrong before a review."""
    if labels.confirmed is None:
        return ratios
    original = labels.codes if labels.original is None else labels.original
    return each(_known, float, ratios, labels.codes, labels.confirmed, original)


def _known(ratios: Array, codes: Any, confirmed: Mask, original: Any) -> Array:
    return np.where(confirmed, np.where(original == codes, 0.0, np.inf), ratios)


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


def correlation_of(views: Sequence[View], weight: Array, labels: Labelling) -> float:
    """Of labels, and the classes expected given the score alone, the rank correlation."""
    classes = np.arange(views[0].mixture.slopes.size + 1)
    expected = sum(
        w * (view.mixture.class_probabilities(view.fit_margins) @ classes)
        for view, w in zip(views, weight, strict=True)
    )
    return rank_correlation(np.asarray(expected), labels.codes, labels.weights)


def interval(
    views: Sequence[View], weight: Array, labels: Labelling, information: float
) -> tuple[float, float, float]:
    """The share and its interval: what is uncertain within the mixtures, and between them.

    Each row in memory tells ``information``, and as much less as curves may be wrong.
    """
    shares = np.array([view.mixture.share for view in views])
    share = float(weight @ shares)
    counted = np.argsort(-weight, kind="stable")[:_INTERVALS]
    information *= _MISFIT_ROWS / (_MISFIT_ROWS + information * labels.total)
    within = np.zeros(2)
    for i in counted.tolist():
        ends = share_interval(
            views[i].mixture, views[i].fit_margins, *labels.for_mixture, information=information
        )
        within += weight[i] / weight[counted].sum() * (np.array(ends) - shares[i]) ** 2
    between = 1.96**2 * float(weight @ (shares - share) ** 2)
    low, high = share + np.array([-1.0, 1.0]) * np.sqrt(within + between)
    return share, max(0.0, float(low)), float(high)
