"""PINSVOR: distances to class centres beside the ordinal hinges."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._data.fit_data import FitData
from csvor._estimators.base import CONSTRAINTS, ThresholdClassifier
from csvor._estimators.fitted import Fitted
from csvor._loss.pinball import pinball_losses, pinball_pieces
from csvor._objective.boundaries import BoundaryObjective
from csvor._solvers.screening import minimise_many_maxima
from csvor._utils.sklearn_private import Interval, StrOptions
from csvor._utils.warn import Remedy, warn

Array = NDArray[np.float64]


class PINSVOR(ThresholdClassifier):
    r"""Ordinal regression with pinball loss (pin-SVOR).

    Minimises, over w and K + 1 finite boundaries :math:`b_0 \le \dots \le b_K` with class centres
    :math:`m_j = (b_{j-1} + b_j) / 2`,

    .. math::

        \tfrac12 \|w\|^2 + C_2 (b_K - b_0) + C \sum_i s_i \ell(f_i, y_i),

    in the form of the paper with :math:`[u]_+ = \max(0, u)`,

    .. math::

        \ell(f, j) = \bigl[ \tau (f - m_j) + (1 - \tau) [f - (b_j - 1)]_+ \bigr]_+
        + \bigl[ \tau (m_j - f) + (1 - \tau) [(b_{j-1} + 1) - f]_+ \bigr]_+,

    and in that of its authors' code,

    .. math::

        \ell(f, j) = \tau |f - m_j| + (1 - \tau) \bigl( [f - (b_j - 1)]_+
        + [(b_{j-1} + 1) - f]_+ \bigr).

    The two agree where every class is at least 2 wide. A row belongs to the class of the nearest
    centre, of those that have rows: ``thresholds_`` are the midpoints between these.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty, > 0.
    tau : float, default=0.5
        Share of the distance to the centre, in (0, 1); near 0 the hinges of `SVOREX` remain.
        A large one pulls all boundaries together, which gives a warning.
    C2 : float, default=None
        Weight of the distance between the outer boundaries, >= 0; None takes C.
    form : {"paper", "code"}, default="paper"
        Which of the two losses.
    kernel : str or callable, default="linear"
        "linear", "rbf", "poly", "sigmoid", "cosine" or "precomputed"; "poly" is
        ``(gamma x.z + coef0)^degree``. A callable maps (X, Z) to an array of shape
        (n_X, n_Z); "precomputed" takes that array in place of X.
    gamma : {"scale", "auto"} or float, default="scale"
        Of rbf, poly and sigmoid, > 0; "scale" is ``1 / (n_features X.var())``, "auto"
        ``1 / n_features``.
    degree : float, default=3
        Of poly, >= 0.
    coef0 : float, default=1.0
        Of poly and sigmoid.
    n_components : int, default=None
        Landmark rows of a Nystroem approximation of the kernel, >= 1; None is exact, with work
        that grows with the cube of the rows.
    classes : array-like of shape (n_classes,), default=None
        The labels in their order, lowest first. Needed for words; numbers, numbers as text and
        ordered categoricals (pandas, polars ``Enum``) have an order of their own.
    class_weight : dict or "balanced", default=None
        Factors of the weights of a class's rows; "balanced" gives all classes the same sum.
    tol : float, default=1e-8
        The fit ends when the objective is certified to lie within this share of its minimum (of
        ``C sum(s) / 1000`` where that is more), >= 0. Below 1e-10 rounding may end it first,
        which gives a warning.
    max_iter : int, default=200
        Limit of iterations of the interior-point method, >= 1. A dozen is the rule.
    random_state : int, RandomState instance or None, default=None
        Decides the landmarks.
    verbose : int, default=0
        1 prints a line for each fit, 2 the objective of each iteration too.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels in their order, in the dtype given.
    coef_ : ndarray of shape (n_features,)
        The coefficients w; linear kernel only.
    dual_coef_ : ndarray of shape (n_landmarks,)
        ``f = k(X, X_fit_) dual_coef_``; other kernels only.
    X_fit_ : ndarray of shape (n_landmarks, n_features)
        The landmark rows, all training rows for an exact kernel.
    landmarks_ : ndarray of shape (n_landmarks,)
        Their positions at `fit`.
    gamma_ : float
        The gamma in use; kernels that have one.
    boundaries_ : ndarray of shape (n_classes + 1,)
        The boundaries b. A class without rows has no width between two that have rows, and
        width 2 beyond them.
    thresholds_ : ndarray of shape (n_classes - 1,)
        Midpoints between neighbouring centres, not falling.
    outliers_ : ndarray of shape (n_samples,)
        True nowhere: this loss has no cap.
    residuals_ : ndarray of shape (n_samples,)
        The loss of each training row.
    slope_ : float
        The slope a of `predict_proba`, > 0; found when it is first asked for.
    cutpoints_ : ndarray of shape (n_classes - 1,)
        The cuts c of `predict_proba`, rising between classes with rows; -inf below the first of
        these, inf above the last. Found when they are first asked for.
    objective_ : float
        The objective at the end.
    objective_history_ : ndarray of shape (`n_iter_`,)
        The lowest objective so far after each iteration.
    gap_ : float
        How far the convex problem at the end (what is cut, and slopes below p = 1, held) can be
        from its least value at most, relative to its value; nan where no bound was sought, inf
        where none was found: see the algorithm's page.
    n_iter_ : int
        Iterations of the interior-point method done.
    converged_ : bool
        False where ``max_iter`` or rounding ended the fit.
    status_ : str
        Why the fit ended.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, where X has text names.

    References
    ----------
    G. Zhong, Y. Xiao, B. Liu, L. Zhao, X. Kong, "Ordinal Regression With Pinball Loss", IEEE
    TNNLS 35(8), 2024, :doi:`10.1109/TNNLS.2023.3258464`.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import PINSVOR
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.repeat([1, 2, 3], 4)
    >>> PINSVOR(C=10, tau=0.1).fit(X, y).predict([[0.0], [5.0], [11.0]])
    array([1, 2, 3])
    """

    _takes_sparse = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "tau": [Interval(Real, 0, 1, closed="neither")],
        "C2": [Interval(Real, 0, None, closed="left"), None],
        "form": [StrOptions({"paper", "code"})],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        tau: float = 0.5,
        C2: float | None = None,
        form: str = "paper",
        kernel: str | Callable[..., Any] = "linear",
        gamma: str | float = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        n_components: int | None = None,
        classes: ArrayLike | None = None,
        class_weight: dict[Any, float] | str | None = None,
        tol: float = 1e-8,
        max_iter: int = 200,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.tau = tau
        self.C2 = C2
        self.form = form
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
        matrix: Any = data.matrix
        codes, present, weights = data.present_codes, data.present, data.weights
        n_classes = int(present.sum())
        spread_cost = self.C if self.C2 is None else self.C2
        problem = BoundaryObjective(
            matrix,
            codes,
            n_classes,
            costs=self.C * weights,
            width_cost=float(spread_cost),
            pieces=pinball_pieces(self.tau, self.form),
        )
        solution = minimise_many_maxima(
            problem, tol=self.tol, max_iter=self.max_iter, report=self._report_to()
        )
        coef, boundaries = problem.split(solution.point)
        inner = boundaries[1:-1] if n_classes > 2 else boundaries
        coincide = bool(inner[-1] - inner[0] <= 1e-6 * (1.0 + np.abs(boundaries).max()))
        if coincide:
            warn(
                f"All {'inner ' if n_classes > 2 else ''}boundaries coincide, so the classes have "
                f"no places of their own: with tau={self.tau} the rows are drawn to their centres "
                "more than the hinges push the classes apart. Use a smaller tau, or another C."
            )
        centres = 0.5 * (boundaries[:-1] + boundaries[1:])
        _, shift = matrix.in_given_units(coef)
        extra = {"boundaries_": _spread_over_classes(boundaries, present) + shift}
        cuts = 0.5 * (centres[:-1] + centres[1:])
        every_row = np.ones_like(codes, dtype=bool)
        scores = matrix.values @ coef
        return Fitted(coef, cuts, scores, every_row, solution, extra, warned=coincide)

    def _remedy_for_empty_intervals(self, rare: bool) -> Remedy:
        if rare and self.class_weight is None:
            return super()._remedy_for_empty_intervals(rare)
        less = f" than {self.tau}, which draws rows to their centres less"
        return Remedy("use a smaller ", "tau", after=less)

    def _residuals_of(self, scores: Array, codes: NDArray[np.integer]) -> Array:
        return pinball_losses(scores, codes, self.boundaries_, self.tau, self.form)


def _spread_over_classes(boundaries: Array, present: NDArray[np.bool_]) -> Array:
    """Boundaries of all classes: none wide between two with rows, 2 wide beyond them."""
    passed = np.concatenate([[0], np.cumsum(present)])
    first, last = np.argmax(present), present.size - np.argmax(present[::-1])
    steps = np.arange(passed.size)
    beyond = np.minimum(steps - first, 0) + np.maximum(steps - last, 0)
    return boundaries[passed] + 2.0 * beyond
