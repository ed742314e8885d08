"""What do models say of rows that they have not seen?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from csvor._estimators.capped import CSVOR
from csvor._labels import OrdinalLabels
from csvor._mixture.objective import margins_of_score, rows_to_fit
from csvor._parts.engine import rows_where, take
from csvor._utils.cached import cached_property
from csvor._utils.sampling import random_rows
from csvor.audit._labelling import Labelling

Array = NDArray[np.float64]
Judged = tuple[Any, Array]

# So many rows of each class are in a sample, if there are.
_OF_A_CLASS = 50


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What a model of the other rows says of each row, in arrays of NumPy or dask.

    Attributes
    ----------
    scores : array of shape (n,)
        The scores, less the mean of the thresholds of the model that gave them.
    residuals : array of shape (n,)
        ``r^p`` for the label given.
    fit_scores : ndarray of shape (n_fit,)
        Those of the rows that mixtures are fitted to.
    thresholds : ndarray of shape (n_classes - 1,)
        The thresholds on the scale of `scores`, in the mean over the rows.
    margins : array of shape (n, n_classes - 1)
        Those of the scores; a mixture has thresholds of its own.
    fit_margins : ndarray of shape (n_fit, n_classes - 1)
        Those that mixtures are fitted to.
    """

    scores: Any
    residuals: Any
    fit_scores: Array
    thresholds: Array
    reading: ClassVar[str] = "margins"

    @property
    def margins(self) -> Any:
        return margins_of_score(self.scores, self.thresholds.size + 1)

    @property
    def fit_margins(self) -> Array:
        return margins_of_score(self.fit_scores, self.thresholds.size + 1)


@dataclass(frozen=True, eq=False)
class AuditData(ABC):
    """What is audited, in memory or in partitions.

    Attributes
    ----------
    labels : OrdinalLabels
    labelling : Labelling of n rows
    n_independent : float or None
        How many independent rows tell as much of the labels, where rows belong to groups.
    """

    labels: OrdinalLabels
    labelling: Labelling
    n_independent: float | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return int(self.labelling.codes.size)

    def independent_among(self, size: int) -> float | None:
        """`n_independent` of so many random rows, of which fewer share a group.

        Where the mean group has m rows that correlate by r, ``n / n_independent`` is
        ``1 + (m - 1) r``: it falls to ``1 + (m size / n - 1) r``, but for at most r.
        """
        if self.n_independent is None:
            return None
        return 1.0 / (1.0 / size + 1.0 / self.n_independent - 1.0 / len(self))

    @property
    def classes(self) -> NDArray[Any]:
        """The labels in their order."""
        return self.labels.classes

    @property
    @abstractmethod
    def part_sizes(self) -> NDArray[np.integer]:
        """The rows that are held out in each part."""

    @property
    def most_in_memory(self) -> int:
        """So many rows may be in memory at once."""
        return len(self)

    def at(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """The rows of these numbers in an order that follows from what rows hold."""
        return numbers

    def in_order(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Some rows, distinct ones, in that order."""
        return np.unique(rows)

    @cached_property
    def rows_to_fit(self) -> NDArray[np.intp]:
        """The rows that mixtures are fitted to."""
        return self.at(rows_to_fit(len(self)))

    @cached_property
    def rows_of_some(self) -> NDArray[np.intp]:
        """The rows that models are fitted to which need them in memory, in their order."""
        return self._with_rare_classes(self.rows_to_fit[: self.most_in_memory])

    def _with_rare_classes(self, drawn: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows drawn, and others up to `_OF_A_CLASS` of each class that has them, in order."""
        codes = self.labelling.codes
        if drawn.size < len(self):
            rng = np.random.default_rng(0)
            counts = np.bincount(take(drawn, codes)[0], minlength=self.classes.size)
            rare = np.flatnonzero(counts < _OF_A_CLASS).tolist()
            others = [self.in_order(rows_where(codes == k)) for k in rare]
            drawn = np.concatenate([drawn, *(rng.permutation(o)[:_OF_A_CLASS] for o in others)])
        return self.in_order(drawn)

    @cached_property
    def some(self) -> Any:
        """These rows, in memory."""
        return self.take(self.rows_of_some, CSVOR())

    @abstractmethod
    def each_by_part(
        self, func: Callable[..., Any], fit: Callable[[int, Event], Iterator[Any]], width: int
    ) -> Any:
        """``func(models, X)`` of each row, by the models ``fit(k, stopped)`` of its part k.

        In memory one model after the other is fitted and asked; none is kept.
        """

    @cached_property
    def fit_labels(self) -> Labelling:
        """The labels beside `HeldOut.fit_margins`."""
        return self.labelling.take(self.rows_to_fit)

    def sample(self, size: int, estimator: Any) -> Any:
        """A random part of the rows, in memory, held out as they are here.

        At least `_OF_A_CLASS` of each class that has them are among them.
        """
        rows = self.take(self._with_rare_classes(self.at(random_rows(len(self), size))), estimator)
        return replace(rows, parts=[part for part in rows.parts if part[1].size])

    def held_out(self, estimators: Sequence[Any], report: Callable[[], None]) -> list[HeldOut]:
        """What models of the other parts say of each.

        Parameters
        ----------
        estimators : sequence of estimators
            They know all classes, and share all steps but the last.
        report : callable
            Called after each fit, from any thread, never from two at once.
        """
        held = []
        for judged, thresholds in self.judged(estimators, report):
            centred = thresholds - thresholds.mean(axis=1, keepdims=True)
            mean = np.average(centred, axis=0, weights=self.part_sizes)
            (to_fit,) = take(self.rows_to_fit, judged)
            held.append(HeldOut(judged[:, 0], judged[:, 1], to_fit[:, 0], mean))
        return held

    @abstractmethod
    def judged(self, estimators: Sequence[Any], report: Callable[[], None]) -> list[Judged]:
        """Of each estimator `judge` of all rows, and the thresholds of the model of each part."""

    @abstractmethod
    def take(self, rows: NDArray[np.intp], estimator: Any) -> Any:
        """Some rows in memory, as the estimator takes them, in the same parts."""

    @abstractmethod
    def check(self, estimators: Sequence[Any]) -> None:
        """Whether the rows, or the estimators if there are any, are fit for an audit."""

    def features(self, compared: Any) -> Any:
        """Those by which candidates are made that are compared on some rows."""
        return compared.X

    @abstractmethod
    def fit(self, model: Any) -> Any:
        """The model, fitted to all rows."""

    def to_user(self, entries: dict[str, Any]) -> dict[str, Any]:
        """Findings as the user gets them."""
        return entries


def judge(final: Any, X: Any, codes: NDArray[np.integer]) -> Array:
    """Scores, less the mean of the thresholds, and residuals of rows as the model sees them."""
    scores = final.predict_projection(X)
    residuals = final._residuals_of(scores, codes)
    return np.column_stack([scores - final.thresholds_.mean(), residuals])


def split_pipeline(estimator: Any) -> tuple[Any, Any]:
    """The steps that can be shared with other models, or None, and the rest."""
    if type(estimator) is Pipeline and len(estimator) > 1:
        return estimator[:-1], estimator[-1]
    return None, estimator
