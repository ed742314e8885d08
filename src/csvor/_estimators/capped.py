"""CSVOR: the capped lp norm of a sample's losses, by re-weighting."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._data.fit_data import FitData
from csvor._estimators.base import CONSTRAINTS, ThresholdClassifier
from csvor._estimators.contamination import share_of_wrong_labels
from csvor._estimators.fitted import Fitted
from csvor._loss.capped import CappedPower
from csvor._loss.margins import CONSTRAINTS as PAIRS
from csvor._loss.margins import MARGIN_LOSSES, pair_loss
from csvor._loss.pairs import losses_of
from csvor._loss.stages import Schedule
from csvor._objective.minimise import minimise_capped
from csvor._objective.ordinal import OrdinalObjective
from csvor._rows.matrix import ScaledMatrix
from csvor._solvers.solution import Solution
from csvor._utils.sklearn_private import Interval, StrOptions
from csvor._utils.warn import Remedy

Array = NDArray[np.float64]


class CSVOR(ThresholdClassifier):
    r"""Capped lp-norm support vector ordinal regression, robust to wrong rows.

    Minimises, over coefficients w and thresholds :math:`b_1 \le \dots \le b_{K-1}`,

    .. math::

        \tfrac12 \|w\|^2 + C \sum_i s_i \min(r_i^p, \epsilon), \qquad
        r_i^2 = \max(0, 1 - f_i + b_{y_i - 1})^2 + \max(0, 1 + f_i - b_{y_i})^2,

    with the score :math:`f_i = w \cdot x_i` (or that of a kernel) and sample weights
    :math:`s_i`. A row whose :math:`r_i^p` exceeds :math:`\epsilon` adds a constant: it no longer
    influences the model, and ``outliers_`` has it.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty, > 0. The paper writes
        :math:`\gamma \|w\|^2 + \sum_i`; ``C = 1 / (2 gamma)``, and its objective is
        ``objective_ / C``.
    p : float, default=1.0
        Power of the residual, in (0, 2]. Smaller values care less how far a row is off.
    epsilon : "auto" or float, default="auto"
        The cap, at least 1 (the residual of a row on a threshold); ``inf`` cuts nothing.
        "auto" takes it from ``contamination``.
    contamination : float or "auto", default=0.1
        Share of the weight that is cut away, in [0, 0.5]: the rows with the largest
        :math:`r_i^p`, as far as these exceed 1. The loss is then trimmed: a row that is cut adds
        :math:`C s_i`, what a row on its threshold adds, and ``epsilon_`` is the quantile that
        parts the rows. 0 cuts nothing. "auto" takes the share of wrong labels that `audit_scores`
        finds in two rounds of five held-out parts, without a cap and with the share found (of
        more than 20 000 rows, a random part): ten further fits. Parts are dealt by what rows hold,
        whatever their order; landmarks are not. With two classes, one of a single row, none can be
        told and 0 is taken. Not used where ``epsilon`` is a number.
    constraints : {"explicit", "implicit"}, default="explicit"
        Which thresholds a row meets: the two beside its class, or all K - 1.
    loss : {"hinge", "logistic", "exponential"}, default="hinge"
        What a row's pair with a threshold adds to :math:`r_i^2`, by its margin m (the distance to
        the right side): :math:`\max(0, 1 - m)^2`, :math:`\log(1 + e^{-m})` or :math:`e^{-m}`. With
        ``p=2`` the last two are the capped logistic and exponential losses themselves.
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
    solver : {"newton", "multipliers", "alternating"}, default="newton"
        "newton" takes Newton steps on the re-weighted problems, or multipliers where X has many
        columns; "multipliers" takes them wherever it can (hinge with p <= 1, rows in memory),
        which is slower on few columns, but has less to compile at the first fit on a computer;
        "alternating" is the scheme printed in the paper (hinge only), kept for comparison: it
        stalls far from a stationary point.
    tol : float, default=1e-6
        The fit ends when the objective falls by at most ``tol`` times itself, or, where there is
        a bound, when ``gap_`` is at most ``tol``; >= 0.
    max_iter : int, default=500
        Limit of re-weightings, or of Newton steps where multipliers are used, >= 1.
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
    thresholds_ : ndarray of shape (n_classes - 1,)
        The thresholds b, not falling.
    epsilon_ : float
        The cap in force at the end.
    contamination_ : float
        The share of the weight that was to be cut; 0 where ``epsilon`` is a number.
    outliers_ : ndarray of shape (n_samples,)
        True for training rows that were cut away, ``residuals_ > epsilon_``.
    residuals_ : ndarray of shape (n_samples,)
        :math:`r_i^p` of the training rows.
    slope_ : float
        The slope a of `predict_proba`, > 0; found when it is first asked for.
    cutpoints_ : ndarray of shape (n_classes - 1,)
        The cuts c of `predict_proba`, rising between classes with rows; -inf below the first of
        these, inf above the last. Found when they are first asked for.
    objective_ : float
        The objective at the end.
    objective_history_ : ndarray of shape (`n_iter_`,)
        The lowest objective so far under the cap in force, after each iteration. Of a fit on
        10 000 rows and more, after each look at all of them.
    settled_from_ : int
        From this entry of ``objective_history_`` on the loss no longer changes and nothing rises.
    gap_ : float
        How far the convex problem at the end (what is cut, and slopes below p = 1, held) can be
        from its least value at most, relative to its value; nan where no bound was sought, inf
        where none was found: see the algorithm's page.
    n_iter_ : int
        Re-weightings done, or Newton steps where multipliers are used; of a fit on 10 000 rows
        and more, looks at all of them.
    converged_ : bool
        False where ``max_iter`` or rounding ended the fit.
    status_ : str
        Why the fit ended.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, where X has text names.

    See Also
    --------
    audit_labels : Rank the rows of a data set by how little their label fits.

    References
    ----------
    Xiang et al., "Robust Capped lp-Norm Support Vector Ordinal Regression",
    :doi:`10.48550/arXiv.2404.16616`.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import CSVOR
    >>> X = np.arange(12.0)[:, None]
    >>> y = ["low"] * 4 + ["medium"] * 4 + ["high"] * 4
    >>> y[1] = "high"
    >>> model = CSVOR(classes=["low", "medium", "high"]).fit(X, y)
    >>> [str(label) for label in model.predict([[1.0], [5.0], [11.0]])]
    ['low', 'medium', 'high']
    >>> np.flatnonzero(model.outliers_)
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "p": [Interval(Real, 0, 2, closed="right")],
        "epsilon": [StrOptions({"auto"}), Interval(Real, 1, None, closed="both")],
        "contamination": [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="both")],
        "constraints": [StrOptions(set(PAIRS))],
        "loss": [StrOptions(set(MARGIN_LOSSES))],
        "solver": [StrOptions({"newton", "multipliers", "alternating"})],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        p: float = 1.0,
        epsilon: str | float = "auto",
        contamination: str | float = 0.1,
        constraints: str = "explicit",
        loss: str = "hinge",
        kernel: str | Callable[..., Any] = "linear",
        gamma: str | float = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        n_components: int | None = None,
        classes: ArrayLike | None = None,
        class_weight: dict[Any, float] | str | None = None,
        solver: str = "newton",
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.p = p
        self.epsilon = epsilon
        self.contamination = contamination
        self.constraints = constraints
        self.loss = loss
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.classes = classes
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _fit_coded(self, data: FitData) -> Fitted:
        if self.solver == "alternating" and self.loss != "hinge":
            raise ValueError(
                f"solver='alternating' is the paper's scheme for the hinge, got "
                f"loss={self.loss!r}: use solver='newton'."
            )
        matrix, codes, weights = data.matrix, data.present_codes, data.weights
        n_classes, share = int(data.present.sum()), 0.0
        if self.epsilon == "auto" and self.contamination == "auto":
            share = share_of_wrong_labels(self._solve, data)
        elif self.epsilon == "auto":
            share = float(self.contamination)
        problem, solution = self._solve(matrix, codes, n_classes, weights, share, self._report_to())
        coef, thresholds = problem.split(solution.point)
        loss, (scores, g) = solution.loss, problem.scores_and_losses(solution.point)
        del problem  # what it holds of each row is no longer needed
        extra = {"epsilon_": loss.epsilon, "contamination_": share}
        extra["settled_from_"] = solution.fixed_from
        kept, residuals = ~loss.capped(g), loss.uncapped(g)
        return Fitted(coef, thresholds, scores, kept, solution, extra, residuals)

    def _solve(
        self,
        matrix: ScaledMatrix,
        codes: NDArray[np.integer],
        n_classes: int,
        weights: Array,
        share: float,
        report: Callable[..., None] | None = None,
    ) -> tuple[OrdinalObjective, Solution]:
        """The problem that cuts a share of the weight, and its solution."""
        rows = matrix.rows(codes, self.C * weights, self._pair())
        problem = OrdinalObjective(rows, n_classes)
        solution = minimise_capped(
            problem,
            self._schedule(share),
            solver=self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            report=report,
        )
        return problem, solution

    def _pair(self) -> Any:
        bounded = self.solver == "alternating"
        return pair_loss(MARGIN_LOSSES[self.loss], self.constraints, bounded=bounded)

    def _residuals_of(self, scores: Array, codes: NDArray[np.integer]) -> Array:
        g = losses_of(scores, codes, self.thresholds_, self._pair())
        return CappedPower(self.p).uncapped(g)

    def _remedy_for_empty_intervals(self, rare: bool) -> Remedy:
        if self.constraints == "implicit" or (rare and self.class_weight is None):
            return super()._remedy_for_empty_intervals(rare)
        meets = ", where each row meets all thresholds"
        return Remedy("use ", "constraints", "implicit", meets)

    def _remedy(self) -> Remedy:
        if self.solver == "alternating":
            return Remedy("use ", "solver", "newton", ", which does not stall")
        return super()._remedy()

    def _schedule(self, share: float) -> Schedule:
        p, paper = float(self.p), self.solver == "alternating"
        if self.epsilon == "auto":
            return Schedule.trimming(p, share, paper)
        return Schedule.capping(p, float(self.epsilon), paper)
