"""What does the most likely model say, in the units of X?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from csvor._regression.fit import Fitting, Likelihoods
from csvor._regression.kept import Kept
from csvor._utils.warn import warn

Array = NDArray[np.float64]

# Of an eigenvalue of the information, by the greatest: where the likelihood is flat, errors are
# large, not 0.
_LEAST = 1e-15


class Estimates(Kept):
    """The attributes of a fitted estimator."""

    wrong: str | float

    def _set_fitted(self, fitting: Fitting, likelihoods: Likelihoods) -> None:
        """Keep the rows and the optimum, and set what a user reads of it."""
        best, terms = likelihoods.best, likelihoods.best.model.terms
        self._fitting_, self._likelihoods = fitting, likelihoods
        self._n_weighted = float(fitting.mass.sum())
        self._model = best.model
        self._share_known = not isinstance(self.wrong, str)
        to_given = terms.in_given_units(fitting.center, fitting.factor)
        theta = to_given @ best.model.theta
        if not terms.nominal:  # thresholds that meet are apart by rounding, perhaps backwards
            cuts = terms.part(theta, "thresholds")
            np.maximum.accumulate(cuts, out=cuts)
        self.parameter_names_, self.parameters_ = terms.labels, theta
        self._inner_covariance = self._covariance(best)
        self.covariance_ = to_given @ self._inner_covariance @ to_given.T
        self.thresholds_ = terms.part(theta, "thresholds").copy()
        self.nominal_effects_ = terms.part(theta, "nominal").reshape(-1, terms.n_cuts).copy()
        self.scale_effects_ = terms.part(theta, "scale").copy()
        by_column = np.full(len(terms.names), np.nan)
        by_column[list(terms.location)] = terms.part(theta, "location")
        self.coef_ = by_column[: self.n_features_in_]
        self.wrong_share_ = float(terms.part(theta, "wrong").sum())
        self.wrong_channel_ = terms.channels[0] if terms.channels else None
        self.log_likelihood_ = fitting.log_likelihood_of(best)
        self.log_likelihood_plain_ = fitting.log_likelihood_of(likelihoods.plain)
        self.n_parameters_ = terms.size - self._share_known * len(terms.channels)
        self.aic_ = 2.0 * self.n_parameters_ - 2.0 * self.log_likelihood_
        per_parameter = float(np.log(self._n_weighted))
        self.bic_ = per_parameter * self.n_parameters_ - 2.0 * self.log_likelihood_
        self.n_iter_ = best.n_iter
        if not best.converged:
            _warn_of_search(fitting.penalty > 0)

    def _covariance(self, best: Any) -> Array:
        """Of scaled columns: the inverse information, and 0 for a share that was not sought."""
        terms = best.model.terms
        free = np.ones(terms.size, dtype=bool)
        if self._share_known:
            free[terms.slices["wrong"]] = False
        covariance = np.zeros((terms.size, terms.size))
        values, vectors = np.linalg.eigh(best.information[np.ix_(free, free)])
        values = np.maximum(values, _LEAST * values[-1])
        covariance[np.ix_(free, free)] = (vectors / values) @ vectors.T
        return covariance


def _warn_of_search(penalised: bool) -> None:
    """The likelihood has no clear peak."""
    remedy = "Give a ridge, such as penalty=1.0"
    if penalised:
        remedy = "Leave columns out, or give a larger ridge"
    warn(
        "The search for the greatest likelihood did not end: some coefficients can hardly be told "
        f"from these rows. {remedy}.",
        ConvergenceWarning,
    )
