"""Ordinal regression whose coefficients are read: estimates, errors, tests."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from csvor._data.checks import check_features
from csvor._data.prepare import prepare_fit
from csvor._data.ranges import refusing_overflow
from csvor._estimators.answers import by_partition
from csvor._labels import pandas_index, refuse_other_order
from csvor._regression.checks import (
    check_columns,
    refuse_flat,
    refuse_separation,
    warn_of_lost_classes,
)
from csvor._regression.confint import ProfileIntervals
from csvor._regression.design import Design
from csvor._regression.effects import Effects
from csvor._regression.estimates import Estimates
from csvor._regression.influence import Influence
from csvor._regression.likelihood import probability_right
from csvor._regression.likelihood_tests import LikelihoodTests
from csvor._regression.links import LINKS
from csvor._regression.residuals import Residuals
from csvor._regression.summary import Summaries
from csvor._utils.sklearn_private import Interval, StrOptions, fit_context
from csvor._utils.threads import threads_for
from csvor._utils.version import Versioned

Array = NDArray[np.float64]


class OrdinalRegression(
    Design, Estimates, Effects, Influence, LikelihoodTests, ProfileIntervals, Residuals, Summaries,
    Versioned, ClassifierMixin, BaseEstimator,
):  # fmt: skip
    r"""Cumulative link model (proportional odds) in which some labels may be wrong.

    .. math::

        P(y = k \mid x) = (1 - \eta) \Big[F\Big(\frac{c_k + z^T g_k - x^T b}{e^{s^T t}}\Big)
        - F\Big(\frac{c_{k-1} + z^T g_{k-1} - x^T b}{e^{s^T t}}\Big)\Big] + \eta \, N(k \mid x),

    with thresholds c, coefficients b of the columns x, effects g of ``nominal`` columns z on each
    threshold, effects t of ``scale`` columns s on the spread, and a share :math:`\eta` of labels
    that are wrong and go to any other class, or to one beside. All are estimated together by
    maximum likelihood; errors come from the observed information. Without wrong labels this is
    ``clm`` of R's package ordinal, with its signs: ``exp(b)`` is the factor of the odds of a
    higher class for one unit of x.

    Parameters
    ----------
    link : {"logit", "probit", "cloglog", "loglog", "cauchit"}, default="logit"
        The distribution F: logistic (proportional odds), normal, Gumbel of minima (proportional
        hazards) and of maxima, Cauchy.
    wrong : {"auto", "any", "beside"} or float, default="auto"
        Which labels may be wrong. "any": a share, found, to each other class alike; "beside": to
        a class beside the right one; "auto": that of both which is more likely. A number in
        [0, 1) is a share to any class that is known; 0 takes all labels to be right.
    nominal : array-like of str or int, default=()
        Columns of X with an effect of its own on each threshold (partial proportional odds).
    scale : array-like of str or int, default=()
        Columns of X that change the spread; they may move the thresholds as well.
    location : array-like of str or int, default=None
        Columns of X with a coefficient; None is all that are not in ``nominal``. Others must be in
        ``nominal`` or in ``scale``.
    penalty : float, default=0.0
        Ridge ``penalty / 2`` times the squared coefficients, in the units of X, >= 0. Standard
        errors then are those of the penalised likelihood.
    classes : array-like of shape (n_classes,), default=None
        The labels in their order, lowest first. Needed for words; numbers, numbers as text and
        ordered categoricals have an order of their own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels in their order.
    coef_ : ndarray of shape (n_features,)
        The coefficients b in the order of the columns; nan for a nominal one, and for one that
        is in ``scale`` alone.
    thresholds_ : ndarray of shape (n_classes - 1,)
        The thresholds c, of a row of zeros.
    nominal_effects_ : ndarray of shape (n_nominal, n_classes - 1)
        The effects g, which are added to the thresholds.
    scale_effects_ : ndarray of shape (n_scale,)
        The effects t on the logarithm of the spread.
    wrong_share_ : float
        The share of labels that are wrong; 0 where none is found.
    wrong_channel_ : str or None
        "any" or "beside": where wrong labels go; None where none is found.
    parameter_names_ : list of str
        As R's ``clm`` names them: "1|2", "1|2.age", "age", "scale.age", "wrong.any".
    parameters_ : ndarray of shape (n_parameters,)
        All estimates, in that order.
    covariance_ : ndarray of shape (n_parameters, n_parameters)
        Of the estimates: the inverse of the observed information.
    log_likelihood_, aic_, bic_ : float
        Of the model, without the ridge, which AIC and BIC take no notice of; n in BIC is the sum
        of the weights.
    log_likelihood_plain_ : float
        Of the same model without wrong labels.
    n_parameters_ : int
        How many were estimated.
    n_iter_ : int
        Steps of the search.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, where X has text names.

    References
    ----------
    R. H. B. Christensen, "ordinal: Regression Models for Ordinal Data", R package.
    P. McCullagh, "Regression models for ordinal data", Journal of the Royal Statistical Society
    B 42(2), 1980, :doi:`10.1111/j.2517-6161.1980.tb01109.x`.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import OrdinalRegression
    >>> rng = np.random.default_rng(2)
    >>> X = rng.normal(size=(1000, 2))
    >>> y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=1000), [-1.0, 1.0])
    >>> model = OrdinalRegression().fit(X, y)
    >>> model.coef_.round(1)
    array([ 1. , -0.5])
    """

    kernel: ClassVar[str] = "linear"
    class_weight: ClassVar[None] = None
    # What a fit says of a class without rows is an error here, not a warning.
    _is_fold_model: ClassVar[bool] = True
    # Columns are scaled within.
    _takes_any_units: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "link": [StrOptions(set(LINKS))],
        "wrong": [StrOptions({"auto", "any", "beside"}), Interval(Real, 0, 1, closed="left")],
        "nominal": ["array-like"],
        "scale": ["array-like"],
        "location": ["array-like", None],
        "penalty": [Interval(Real, 0, None, closed="left")],
        "classes": ["array-like", None],
    }

    def __init__(
        self,
        *,
        link: str = "logit",
        wrong: str | float = "auto",
        nominal: ArrayLike = (),
        scale: ArrayLike = (),
        location: ArrayLike | None = None,
        penalty: float = 0.0,
        classes: ArrayLike | None = None,
    ) -> None:
        self.link = link
        self.wrong = wrong
        self.nominal = nominal
        self.scale = scale
        self.location = location
        self.penalty = penalty
        self.classes = classes

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        raters: ArrayLike | None = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, finite, without a column of ones. In any units: estimates follow them. They
            are kept for tests and effects, not copied where they are an array: do not change it.
        y : array-like of shape (n_samples,)
            Labels: numbers, numbers as text, an ordered categorical, or any labels that the
            parameter ``classes`` lists.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative: how many rows each stands for, as ``weights`` of R's ``clm``.
        raters : array-like of shape (n_samples,), default=None
            Who gave each label. Each rater then has a shift of the thresholds; shifts sum to 0,
            and `rater_shifts` tells them.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If columns are collinear or constant, effects cannot be told apart, there are no fewer
            parameters than rows, or a class has no rows.
        SeparationError
            If columns separate classes without an exception: a ValueError.
        """
        refuse_other_order(X, raters=raters)
        data = prepare_fit(self, X, y, sample_weight)
        if not data.present.all():
            missing = ", ".join(map(repr, data.classes[~data.present].tolist()))
            raise ValueError(
                f"No rows of class {missing}: its thresholds cannot be estimated. Leave it out of "
                "classes, or merge it with a class beside it."
            )
        fitting, n_rows = self._fitting(data, raters)
        with threads_for(data.matrix.size), refusing_overflow("sample_weight"):
            at_zero = fitting.model(fitting.terms, np.zeros(fitting.terms.size))
            check_columns(at_zero, fitting.rows, n_rows, self.penalty > 0)
            likelihoods = fitting.fitted(self.wrong)
            model = likelihoods.best.model
            right = probability_right(model, fitting.rows)
            if not self.penalty:
                refuse_separation(model, fitting.rows, right, likelihoods.best.peaked)
                refuse_flat(likelihoods.plain.model, likelihoods.plain.information)
            if model.terms.channels:
                warn_of_lost_classes(model.terms, fitting.rows, fitting.mass, right)
        self.classes_ = data.classes
        named = [index for index in (pandas_index(X), pandas_index(y)) if index is not None]
        self._set_fitted(replace(fitting, index=named[0] if named else None), likelihoods)
        return self

    def _without_rows(self) -> Self:
        """A copy that predicts; a copy takes nothing of the training rows along."""
        return copy(self)

    def __getstate__(self) -> dict[str, Any]:
        """The training rows, which tests need, stay where they are."""
        state: dict[str, Any] = super().__getstate__()
        return {k: v for k, v in state.items() if k not in ("_fitting_", "_likelihoods")}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # One score line cannot separate classes that do not lie in order along it.
        tags.classifier_tags.poor_score = True
        return tags

    @by_partition
    def predict_proba(self, X: ArrayLike) -> Array:
        """The probability of each true class; of labelled errors it is free.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; rows sum to 1. Far from the training rows
            thresholds with effects of their own may cross: what would be negative there is 0.
        """
        X = self._checked(X)
        return self._model.probabilities(X)

    def _checked(self, X: ArrayLike) -> Array:
        """Features, with 0 for the shifts of raters."""
        check_is_fitted(self)
        X = np.asarray(check_features(self, X, reset=False), dtype=np.float64)
        n_raters = max(len(self._raters) - 1, 0)
        return np.hstack([X, np.zeros((X.shape[0], n_raters))]) if n_raters else X

    @by_partition
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Members of ``classes_``.
        """
        codes = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[codes]
