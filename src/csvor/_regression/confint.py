"""Between which ends does each parameter of a regression lie?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from csvor._regression.fit import Fitting
from csvor._regression.kept import Kept
from csvor._regression.optimum import Optimum
from csvor._regression.profile import Profile, share_interval, uncentred
from csvor._regression.summary import reach_of
from csvor._utils.words import all_of

Array = NDArray[np.float64]


class ProfileIntervals(Kept):
    """Intervals of the estimates."""

    def confint(
        self,
        level: float = 0.95,
        method: str = "profile",
        parameters: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        r"""Intervals of parameters: of the profile likelihood, or estimates and their errors.

        .. math::

            \{v : 2 (\ell(\hat\theta) - \max_{\theta_j = v} \ell(\theta)) \le
            \chi^2_1(\mathrm{level})\}

        Parameters
        ----------
        level : float, default=0.95
            How often such intervals hold the parameter.
        method : {"profile", "wald"}, default="profile"
            "wald" is the estimate and the normal quantile times its standard error. Far from
            that are profile intervals of few rows, and of a share of wrong labels near 0.
        parameters : str or sequence of str, default=None
            Some of ``parameter_names_``; all by default. Each takes about ten short searches.

        Returns
        -------
        table : DataFrame of shape (n_parameters, 2)
            Columns ``low`` and ``high``, a row for each parameter. An end is infinite where the
            rows do not bound the parameter; the lower end of a share of wrong labels is 0 where
            a model without them is not refused. A share that was given is both ends.

        Notes
        -----
        Where labels may be wrong, a profile interval allows for any share of them, though none
        is found to be: at another value of a coefficient some may be. Of 300 rows, 10 % of them
        wrong, it then held each of two coefficients in 93 % of 200 draws, and that of a model
        without wrong labels, as "wald" is, in 88 to 90 %.

        Raises
        ------
        ValueError
            If a parameter has another name, or the model was stored and has no training rows.

        References
        ----------
        D. J. Venzon and S. H. Moolgavkar, "A Method for Computing Profile-Likelihood-Based
        Confidence Intervals", Applied Statistics 37(1), 1988, :doi:`10.2307/2347496`.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import OrdinalRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 1))
        >>> y = np.digitize(X[:, 0] + rng.logistic(size=300), [-1.0, 1.0])
        >>> OrdinalRegression(wrong=0).fit(X, y).confint(parameters="x0").round(1)
                   low  high
        parameter
        x0         0.9   1.4
        """
        if method not in ("profile", "wald"):
            raise ValueError(f"method must be 'profile' or 'wald', got {method!r}.")
        reach, names = reach_of(level), self._parameters_named(parameters)
        interval = self._profile_interval if method == "profile" else self._wald_interval
        return pd.DataFrame(
            [interval(self.parameter_names_.index(name), reach) for name in names],
            columns=["low", "high"],
            index=pd.Index(names, name="parameter"),
        )

    def _parameters_named(self, parameters: str | Sequence[str] | None) -> list[str]:
        check_is_fitted(self)
        names = [parameters] if isinstance(parameters, str) else parameters
        names = list(self.parameter_names_ if names is None else names)
        for name in names:
            if name not in self.parameter_names_:
                known = all_of([repr(known) for known in self.parameter_names_])
                raise ValueError(f"{name!r} is no parameter of this model, which has {known}.")
        return names

    def _wald_interval(self, position: int, reach: float) -> tuple[float, float]:
        estimate = float(self.parameters_[position])
        far = reach * float(np.sqrt(max(self.covariance_[position, position], 0.0)))
        is_share = position >= self._model.terms.slices["wrong"].start
        return max(estimate - far, 0.0 if is_share else -np.inf), estimate + far

    def _profile_interval(self, position: int, reach: float) -> tuple[float, float]:
        fitting, likelihoods = self._training, self._likelihoods
        optima = [likelihoods.best]
        if likelihoods.by_channel and not likelihoods.best.model.terms.channels:
            # A search that may take labels to be wrong need not come back to none of them.
            optima.append(max(likelihoods.by_channel.values(), key=lambda end: end.value))
        ends = [self._interval_of(fitting, best, position, reach) for best in optima]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def _interval_of(
        self, fitting: Fitting, best: Optimum, position: int, reach: float
    ) -> tuple[float, float]:
        """The values at which the likelihood is less than that of one optimum by so much."""
        terms = best.model.terms
        fixed = np.zeros(terms.size, dtype=bool)
        fixed[terms.slices["wrong"]] = self._share_known
        if fixed[position]:
            return float(self.parameters_[position]), float(self.parameters_[position])
        if position >= terms.slices["wrong"].start:
            return share_interval(fitting, self._likelihoods, reach)
        if position < terms.n_cuts:
            fitting, best = uncentred(fitting, best)
        low, high = Profile.of(fitting, best, position, fixed).interval(reach)
        unit = terms.in_given_units(fitting.center, fitting.factor)[position, position]
        return low * unit, high * unit
