"""Which label should each item have, and who of its raters is strict, blurred or careless?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._mixture.rater_model import RaterModel, fit_raters
from csvor._mixture.rater_shifts import rater_figures
from csvor._mixture.rater_tables import LEAST, SHIFT, label_tables
from csvor.audit._item_margins import item_margins
from csvor.audit._labels import without_data_warnings
from csvor.audit._panel import check_reference
from csvor.audit._progress import drawing_progress
from csvor.audit._rater_agreement import (
    alpha_of,
    beside_truth,
    kappa_of,
    one_label,
    turned_round,
)
from csvor.audit._rater_notes import notes_on_raters, with_others
from csvor.audit._rater_table import MIDDLE, RaterTable
from csvor.audit._raters_audit import RatersAudit
from csvor.audit._rating_checks import check_linked
from csvor.audit._rating_data import RatingData, read_ratings
from csvor.audit._reported import is_polars

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@drawing_progress
def audit_raters(
    X: Any,
    ratings: ArrayLike,
    items: ArrayLike | None = None,
    raters: ArrayLike | None = None,
    *,
    classes: ArrayLike | None = None,
    estimator: Any = None,
    cv: Any = 5,
    reference: Any = None,
    gold: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = 0,
    progress: Callable[[int, int], None] | bool | None = None,
) -> RatersAudit:
    r"""Tell the class of items that several raters labelled, and how each rater labels.

    An item's class t has a value :math:`z_t`, and rater r gives it one of K labels with

    .. math::

        P(y = k \mid t, r) = (1 - e_r) \frac{e^{h_k}}{\sum_l e^{h_l}} + e_r q_k, \quad
        h_k = s_r \sum_{l < k} (z_t - c_l) + k d_r + b_{rk}:

    he shifts labels on the scale of cuts :math:`c_l` by :math:`d_r`, tells classes apart by
    :math:`s_r` as sharply as others, likes label k by :math:`b_{rk}`, and labels without looking in
    the share :math:`e_r`; of such labels :math:`q_k` are k. The likelihood of all ratings,
    :math:`\prod_j \sum_t P_j(t) \prod_{r} P(y_{jr} \mid t, r)`, is maximised with :math:`d_r`,
    :math:`\log s_r` and :math:`b_{rk}` from normal distributions whose variances the ratings tell:
    a rater with few of them stays near the others. :math:`P_j(t)` is one for all items, or where
    there are features, that of models which have not seen the item. Without features (and gold),
    items that one rater alone rated say nothing of him, as they may be unlike the others; they are
    left out of the likelihood. Where it is likelier that raters see one quality, and each cuts it
    into labels, a class has several values, and an item near a cut misleads all raters; else items
    of a class are alike. Probabilities of items and labels are means over what the parameters of
    raters may be.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of features, or None
        With a row for each row of `ratings`. In a long table all rows of an item hold the same.
    ratings : array-like of shape (n_ratings,) or (n_items, n_raters)
        Long, one label a row, or wide, a row for each item and a column for each rater. Blanks (NaN
        or None) are ratings that were not made.
    items : array-like of shape (n_ratings,) or (n_items,), default=None
        Which item each row is of; of a wide table names of its rows, by default its index.
    raters : array-like of shape (n_ratings,) or (n_raters,), default=None
        Who gave each label; of a wide table names of its columns, by default those of a dataframe.
    classes : array-like of shape (n_classes,), default=None
        The labels in their order, lowest first; needed for words.
    estimator : estimator, Pipeline, sequence of such or None, default=None
        What predicts classes from features, as `audit_labels` has it.
    cv : int, splitter or iterable of (train, test), default=5
        Number of parts in which items are held out, or a splitter of scikit-learn.
    reference : str or other name, default=None
        The rater by whom the others are measured, and who decides what is in a class; None is the
        middle (median) of the raters.
    gold : array-like of the rows of `ratings`, default=None
        True labels of items, blank where unknown: raters are measured by these.
    random_state : int, RandomState instance or None, default=0
        Decides the parts and landmarks.
    progress : callable or bool, default=None
        Called as ``progress(done, total)`` after each fit of a model to features; True draws a bar.

    Returns
    -------
    audit : RatersAudit

    Raises
    ------
    TypeError
        For columns in partitions of dask.
    ValueError
        For labels without an order; names that are missing; one rater alone; raters who rated
        different items, so that nobody can tell who is strict; columns that hold the labels of each
        item by size; features of an item that differ between its rows; a reference who gave no
        rating.

    Notes
    -----
    Intervals are those of a normal approximation at the maximum (of a logit, for careless shares).
    Where raters have more than 1 000 parameters (over some 120 raters of 5 classes), those of the
    others are taken as known for the interval of each.

    A rating is wrong where it is not the item's class: also one of a rater who is one class too
    high. With the middle of the raters for a reference, classes are theirs: what all raters have
    in common cannot be seen without `gold`.

    References
    ----------
    A. P. Dawid and A. M. Skene (1979), "Maximum likelihood estimation of observer error-rates using
    the EM algorithm", Applied Statistics 28, 20-28, doi:10.2307/2346806. J. M. Linacre (1989),
    "Many-facet Rasch measurement", MESA Press. T. A. Louis (1982), "Finding the observed
    information matrix when using the EM algorithm", Journal of the Royal Statistical Society B 44,
    226-233, doi:10.1111/j.2517-6161.1982.tb01203.x.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import audit_raters
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(1, 6, 100)
    >>> ratings = truth[:, None] + (rng.random((100, 4)) < 0.2) * rng.integers(-1, 2, (100, 4))
    >>> ratings[:, 3] += 1  # the last one is a class too high
    >>> audit = audit_raters(None, np.clip(ratings, 1, 5), raters=["Ann", "Bo", "Cy", "Di"])
    >>> float((audit.label == truth).mean()) > 0.95
    True
    >>> audit.raters.names[3], audit.raters.shift_in_words(3)
    ('Di', '0.7 classes too high (0.6 to 0.9)')
    """
    data = read_ratings(X, ratings, items, raters, classes, gold)
    number = _number_of(reference, data.raters, gold)
    notes = check_linked(data.ratings, data.raters, features=X is not None)
    model = fit_raters(data.ratings)
    if X is not None:
        with without_data_warnings():
            margins = item_margins(
                data.features, model.posterior @ model.classes_by(None), data.coded.labels,
                estimator, cv, random_state, progress,
            )  # fmt: skip
        model = fit_raters(data.ratings, margins, start=model)
    sums = with_others(model, data.item_of)
    more, conclusive = notes_on_raters(
        model, data.item_of, data.raters, data.coded.labels.classes, sums,
        referred=number is not None or gold is not None or bool(notes), features=X is not None,
    )  # fmt: skip
    name = MIDDLE if number is None else str(reference)
    name = "gold" if gold is not None else name
    audit = _findings(data, model, number, name, sums, notes + more, conclusive)
    return replace(audit, _polars=is_polars(ratings, X, items))


def _number_of(reference: Any, names: NDArray[Any], gold: Any) -> int | None:
    check_reference(names, reference)
    if reference is None:
        return None
    if gold is not None:
        raise ValueError("raters are measured by gold or by a reference, not by both.")
    numbers = np.flatnonzero(names == reference)
    if not numbers.size:
        raise ValueError(f"reference={reference!r} gave no rating; raters are {names.tolist()!r}.")
    return int(numbers[0])


def _findings(
    data: RatingData, model: RaterModel, number: int | None, reference: str, sums: Array,
    notes: tuple[str, ...], conclusive: bool,
) -> RatersAudit:  # fmt: skip
    classes_by, ratings = model.classes_by(number), data.ratings
    posterior = model.posterior @ classes_by
    classes = data.coded.labels.classes
    best = posterior.argmax(axis=1)
    known = ratings.known[data.item_of]
    wrong = np.where(
        known < 0, 1.0 - posterior[data.item_of, ratings.codes], ratings.codes != known
    )
    agrees = ratings.codes == best[data.item_of]
    information = _information(model, classes_by)
    order = np.argsort(-information, kind="stable")
    agreement = np.bincount(ratings.raters, agrees, ratings.n_raters) / ratings.of_raters
    raters = RaterTable(
        names=data.raters, n=ratings.of_raters.astype(np.int64), agreement=agreement,
        reference=reference, turned=turned_round(sums), single=one_label(sums),
        **vars(rater_figures(model, number)),
        **beside_truth(ratings, known, best[data.item_of]),
    )  # fmt: skip
    return RatersAudit(
        classes=classes, items=data.items, label=classes[best],
        probability=posterior.max(axis=1), class_probabilities=posterior,
        n_ratings=np.diff(ratings.starts), information=information,
        ask_next=order[ratings.known[order] < 0], has_gold=ratings.known >= 0,
        rating_row=data.row_of, rating_item=data.item_of, rating_rater=ratings.raters,
        given=data.coded.decoded,
        rating_probability=wrong, flagged=(wrong > 0.5) & ~agrees & conclusive,
        conclusive=conclusive, raters=raters,
        label_probabilities=_of_classes(model, classes_by),
        alpha=alpha_of(data), kappa=kappa_of(data), notes=notes,
        _nodes=model.posterior, _tables=model.tables,
    )  # fmt: skip


def _of_classes(model: RaterModel, classes_by: Array) -> Array:
    """``P(y = k | class, r)``, in the mean over the nodes of each class."""
    weights = np.maximum(model.masses, LEAST)[:, None] * classes_by
    of_class = np.maximum(weights.sum(axis=0), LEAST)
    return np.asarray(model.tables @ (weights / of_class))


def _information(model: RaterModel, classes_by: Array) -> Array:
    """Mutual information, in bits, of an item's class and one more label of the middle rater."""
    middle = model.population.means(model.problem.n_of_rater)[None]
    middle[0, SHIFT] = np.median(model.raters[:, SHIFT])
    (table,) = label_tables(model.scale, middle)
    before = _entropy(model.posterior @ classes_by)
    for of_label in table:
        joint = (model.posterior * of_label) @ classes_by
        chance = joint.sum(axis=1)
        before -= chance * _entropy(joint / np.maximum(chance, LEAST)[:, None])
    return np.maximum(before, 0.0)


def _entropy(probabilities: Array) -> Array:
    return np.asarray(-(probabilities * np.log2(np.maximum(probabilities, 1e-300))).sum(axis=1))
