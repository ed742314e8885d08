"""Sums of slacks, uncapped: what SVOREX, SVORIM and REDSVM have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._data.fit_data import FitData
from csvor._estimators.base import CONSTRAINTS, ThresholdClassifier
from csvor._estimators.fitted import Fitted
from csvor._loss.margins import ROUNDED, pair_loss
from csvor._loss.pairs import losses_of
from csvor._objective.minimise import minimise_slacks
from csvor._objective.ordinal import OrdinalObjective
from csvor._utils.warn import Remedy

Array = NDArray[np.float64]


class SlackSumClassifier(ThresholdClassifier):
    """``penalty + C sum_i s_i sum_k slack_ik``; subclasses choose the pairs and the ridge on b."""

    _constraints: ClassVar[str]
    _threshold_ridge: ClassVar[float] = 0.0
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**CONSTRAINTS}

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | Callable[..., Any] = "linear",
        gamma: str | float = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        n_components: int | None = None,
        classes: ArrayLike | None = None,
        class_weight: dict[Any, float] | str | None = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.classes = classes
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _fit_coded(self, data: FitData) -> Fitted:
        codes = data.present_codes
        rows = data.matrix.rows(codes, self.C * data.weights, self._pair())
        problem = OrdinalObjective(rows, int(data.present.sum()), self._threshold_ridge)
        solution = minimise_slacks(
            problem, tol=self.tol, max_iter=self.max_iter, report=self._report_to()
        )
        coef, thresholds = problem.split(solution.point)
        scores, _ = problem.scores_and_losses(solution.point)
        every_row = np.ones_like(codes, dtype=bool)
        return Fitted(coef, thresholds, scores, every_row, solution)

    def _remedy_for_empty_intervals(self, rare: bool) -> Remedy:
        if self._constraints == "implicit" or (rare and self.class_weight is None):
            return super()._remedy_for_empty_intervals(rare)
        return Remedy("use SVORIM, where each row meets all thresholds")

    def _pair(self) -> Any:
        return pair_loss(ROUNDED, self._constraints)

    def _residuals_of(self, scores: Array, codes: NDArray[np.integer]) -> Array:
        return losses_of(scores, codes, self.thresholds_, self._pair())
