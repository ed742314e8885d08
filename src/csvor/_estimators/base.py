"""The one fit of the family: labels -> matrix -> objective -> solver, and what follows from it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from numbers import Integral, Real
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from csvor._data.fit_data import DATA_PARAMETERS, FitData
from csvor._data.kernels import KERNELS
from csvor._data.prepare import prepare_fit
from csvor._data.ranges import refusing_overflow
from csvor._estimators.endings import fit_in_words, warn_of_end, warn_of_passes
from csvor._estimators.fitted import Fitted, set_attributes
from csvor._estimators.intervals import warn_of_empty_intervals
from csvor._estimators.model import ThresholdModel
from csvor._solvers.solution import SolverStatus
from csvor._utils.compile_events import announcing_compilation
from csvor._utils.sklearn_private import (
    Interval,
    StrOptions,
    fit_context,
    validate_parameter_constraints,
)
from csvor._utils.threads import threads_for
from csvor._utils.version import Versioned
from csvor._utils.warn import Remedy

Array = NDArray[np.float64]

# Sums of separable rows settle below it, of all estimators (N21).
_NO_PENALTY = 1e9

# Of the parameters that all estimators have.
CONSTRAINTS: dict[str, list[Any]] = {
    "C": [Interval(Real, 0, None, closed="neither")],
    "kernel": [StrOptions(set(KERNELS)), callable],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
    "degree": [Interval(Real, 0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "n_components": [Interval(Integral, 1, None, closed="left"), None],
    "classes": ["array-like", None],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "tol": [Interval(Real, 0, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}


class ThresholdClassifier(Versioned, ThresholdModel, ClassifierMixin, BaseEstimator):
    """A score cut by ordered thresholds. Subclasses state parameters and how they are fitted."""

    C: float
    kernel: str | Callable[..., Any]
    gamma: str | float
    degree: float
    coef0: float
    n_components: int | None
    classes: ArrayLike | None
    class_weight: dict[Any, float] | str | None
    tol: float
    max_iter: int
    random_state: Any
    verbose: int

    # Fitted to judge other rows, and let go of: it is not asked for probabilities, and that a part
    # of the rows lacks a rare class, or takes many passes, is nothing to tell.
    _is_fold_model = False
    _takes_sparse = True

    # The counted rows in the order in which a sample is drawn; None is that of the data. It is no
    # argument, for a subclass may have a `fit` of its own.
    _places: Any = None

    @abstractmethod
    def _fit_coded(self, data: FitData) -> Fitted:
        """Fit the classes that are present, whose rows have codes 0..present.sum() - 1."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features, finite. Units and shifts do not matter to the solver; units do matter to
            the penalty, so put columns on one scale first (``StandardScaler``). float32 and
            float64 are read as they are, in any memory layout, all else as float64; sums and
            results are float64. Of SciPy's sparse forms CSR is read as it is, others become CSR
            (`PINSVOR` and a precomputed kernel take none). Of a dask array or dataframe each
            part is read where it lies; what is known of each row then is a dask array too.
        y : array-like of shape (n_samples,)
            Labels: numbers, numbers as text, an ordered categorical, or any labels that the
            parameter ``classes`` lists.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. A weight of 2 counts as the row twice, 0 as the row left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with self._announcing_compilation():
            data = prepare_fit(self, X, y, sample_weight)
            data.matrix.places = self._places
            return self._fit_to(data)

    def fit_many(
        self,
        X: ArrayLike,
        y: ArrayLike,
        settings: Iterable[Mapping[str, Any]],
        sample_weight: ArrayLike | None = None,
    ) -> list[Self]:
        """Fit a copy of this estimator for each setting, with what the data need done once.

        For a grid: checks, the order of the classes and the basis of a kernel are the same for
        all of them. Each copy is what ``clone(self).set_params(**setting).fit(X, y)`` gives. Of
        rows in partitions of dask, ``traffic_`` of each has the passes that check the data, which
        all share, and its own.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,)
            As in `fit`.
        settings : iterable of mappings
            Values by parameter name, such as ``{"C": 10.0, "p": 0.7}``. Those that the data are
            prepared by (``classes``, ``class_weight``, the kernel's) are not among them.
        sample_weight : array-like of shape (n_samples,), default=None
            As in `fit`.

        Returns
        -------
        models : list
            Fitted copies, in the order of the settings. This estimator is left as it is.

        Raises
        ------
        TypeError
            If `settings` is a single mapping.
        ValueError
            If a setting names a parameter that does not exist or that the data depend on.
        """
        settings = self._checked_settings(settings)
        first = clone(self)
        first._validate_params()
        with first._announcing_compilation():
            training = prepare_fit(first, X, y, sample_weight)
            return [first._fit_setting(setting, training) for setting in settings]

    def _checked_settings(self, settings: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """A list of them, each with parameters that can be varied under the same data."""
        if isinstance(settings, Mapping):
            raise TypeError(
                "settings is a single mapping: give a list of them, one for each fit; "
                "list(sklearn.model_selection.ParameterGrid(grid)) makes one of a grid."
            )
        checked = [dict(setting) for setting in settings]
        parameters = self.get_params(deep=False)
        for name in dict.fromkeys(name for setting in checked for name in setting):
            if name not in parameters or name in DATA_PARAMETERS:
                can = ", ".join(sorted(parameters.keys() - DATA_PARAMETERS))
                raise ValueError(
                    f"settings name {name!r}, which fit_many cannot vary: it can vary {can}. "
                    "For others use set_params and another call."
                )
        return checked

    def _fit_setting(self, setting: Mapping[str, Any], training: FitData) -> Self:
        """A copy of this estimator with one setting, fitted."""
        model = copy(self)
        for name, value in setting.items():
            setattr(model, name, value)
        validate_parameter_constraints(
            {name: self._parameter_constraints[name] for name in setting},
            setting,
            caller_name=type(self).__name__,
        )
        return model._fit_to(training, one_of_many=True)

    def _fit_to(self, data: FitData, *, one_of_many: bool = False) -> Self:
        data.reset_traffic()
        begun, start = data.traffic, perf_counter()
        with threads_for(data.matrix.size), refusing_overflow("C times sample_weight"):
            fitted = self._fit_coded(data)
        set_attributes(self, fitted, data)
        if self.verbose:
            self._print(fit_in_words(fitted.solution, data, perf_counter() - start))
        # Of a model that only judges other rows, no user can mend how its rounding ended.
        inexact = fitted.solution.status is SolverStatus.INEXACT
        if not self.converged_ and not (self._is_fold_model and inexact):
            warn_of_end(self, fitted.solution, data)
        if self.converged_ and begun is not None and not self._is_fold_model:
            warn_of_passes(self, self.traffic_["passes"] - begun["passes"], data)
        # Most points of a grid are thrown away: what they never predict is nobody's concern.
        if not (self._is_fold_model or fitted.warned or one_of_many):
            warn_of_empty_intervals(self, fitted.thresholds, data)
        return self

    def _print(self, line: str) -> None:
        print(f"[{type(self).__name__}] {line}")

    def _report_to(self) -> Callable[[int, float], None] | None:
        if self.verbose < 2:
            return None
        return lambda iteration, objective: self._print(
            f"iteration {iteration}: objective {objective:.8g}"
        )

    def _announcing_compilation(self) -> AbstractContextManager[None]:
        return announcing_compilation(self._print) if self.verbose else nullcontext()

    def _remedy(self) -> Remedy:
        if self.C > _NO_PENALTY:
            return Remedy("use a smaller ", "C", after=", for rounding hides the penalty beside it")
        return Remedy("raise ", "max_iter", after=f", say to {max(200, 2 * self.max_iter)}")

    def _remedy_for_empty_intervals(self, rare: bool) -> Remedy:
        if rare and self.class_weight is None:
            return Remedy("give rare classes more weight with ", "class_weight", "balanced")
        return Remedy("merge it with a class beside it")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # One score line cannot separate classes that do not lie in order along it.
        tags.classifier_tags.poor_score = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self._takes_sparse and self.kernel != "precomputed"
        return tags
