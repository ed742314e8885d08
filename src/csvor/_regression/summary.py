"""What do estimates and their errors say, as tables?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from csvor._regression.kept import Kept, as_covariance
from csvor._regression.profile import share_interval
from csvor._regression.raters import shifts_of
from csvor._regression.wrong_test import wrong_test

Array = NDArray[np.float64]


def reach_of(level: float) -> float:
    """How many errors an interval of that level goes to each side."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, such as 0.95, got {level!r}.")
    return float(norm.ppf(0.5 + level / 2.0))


def wald_table(
    names: Sequence[str] | NDArray[Any], estimates: Array, errors: Array, level: float = 0.95
) -> pd.DataFrame:
    """Estimates with standard errors, z, two-sided p, and intervals of that level."""
    reach = reach_of(level) * errors
    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimates / errors
    return pd.DataFrame(
        {
            "estimate": estimates,
            "error": errors,
            "z": z,
            "p": 2.0 * norm.sf(np.abs(z)),
            "low": estimates - reach,
            "high": estimates + reach,
        },
        index=pd.Index(names, name="parameter"),
    )


@dataclass(frozen=True, eq=False)
class Summary:
    """A fitted model as tables.

    Attributes
    ----------
    coefficients : DataFrame
        Of coefficients, nominal and scale effects: estimate, error, z, p, low, high; with the
        logit link ``odds_ratio``, ``odds_ratio_low``, ``odds_ratio_high`` of the coefficients.
    thresholds : DataFrame
        The same of the thresholds, which are not tested: estimate, error, low, high.
    wrong : dict
        ``share`` of labels that are wrong, ``channel``, ``error``, the ends of its profile
        interval ``low`` and ``high`` (`OrdinalRegression.confint`), and of the test of none
        ``statistic`` and ``p``; empty where all labels are taken to be right.
    fit : dict
        ``rows``, ``parameters``, ``log_likelihood``, ``aic``, ``bic``, ``link``.
    """

    coefficients: pd.DataFrame
    thresholds: pd.DataFrame
    wrong: dict[str, Any]
    fit: dict[str, Any]

    @classmethod
    def of(cls, model: Any, level: float, covariance: Array) -> Self:
        """Of a fitted `OrdinalRegression`."""
        errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        table = wald_table(model.parameter_names_, model.parameters_, errors, level)
        slices = model._model.terms.slices
        location, scale = slices["location"], slices["scale"]
        coefficients = pd.concat(
            [table.iloc[location], table.iloc[slices["nominal"]], table.iloc[scale]]
        )
        if model._model.link == "logit":
            n = location.stop - location.start
            with np.errstate(over="ignore"):  # of a column in small units one more is very much
                for name, of in (("", "estimate"), ("_low", "low"), ("_high", "high")):
                    shown = coefficients[of].where(np.arange(len(coefficients)) < n)
                    coefficients[f"odds_ratio{name}"] = np.exp(shown)
        thresholds = table.iloc[slices["thresholds"]][["estimate", "error", "low", "high"]]
        fit = {
            "rows": float(model._n_weighted),
            "parameters": model.n_parameters_,
            "log_likelihood": model.log_likelihood_,
            "aic": model.aic_,
            "bic": model.bic_,
            "link": model._model.link,
        }
        wrong = _wrong(model, table, level, covariance is model.covariance_)
        return cls(coefficients, thresholds, wrong, fit)

    def __str__(self) -> str:
        fit = self.fit
        lines = [
            f"{fit['rows']:g} rows, link {fit['link']}: log-likelihood "
            f"{fit['log_likelihood']:.2f}, AIC {fit['aic']:.2f}, BIC {fit['bic']:.2f}",
            "",
            self.coefficients.to_string(float_format=_short),
            "",
            "Thresholds",
            self.thresholds.to_string(float_format=_short),
        ]
        if self.wrong:
            lines += ["", _wrong_line(self.wrong)]
        return "\n".join(lines)

    __repr__ = __str__


def _short(value: float) -> str:
    return f"{value:.4g}"


def _wrong(model: Any, table: pd.DataFrame, level: float, from_likelihood: bool) -> dict[str, Any]:
    fitting, likelihoods = model._training, model._likelihoods
    if not likelihoods.by_channel:
        return {}
    share, channel = model.wrong_share_, model.wrong_channel_
    low = high = share
    error = 0.0 if channel is None else float(table["error"].iloc[-1])
    if not from_likelihood and channel is not None:
        low, high = max(float(table["low"].iloc[-1]), 0.0), float(table["high"].iloc[-1])
    elif not model._share_known:
        low, high = share_interval(fitting, likelihoods, reach_of(level))
    test = wrong_test(fitting, likelihoods)
    return {
        "share": share, "channel": channel, "error": error, "low": low, "high": high,
        "statistic": test.statistic, "p": test.p_value,
    }  # fmt: skip


def _wrong_line(wrong: dict[str, Any]) -> str:
    if wrong["channel"] is None:
        return f"No label is found to be wrong (0.0% to {wrong['high']:.1%})."
    where = {"any": "any class", "beside": "a class beside"}[wrong["channel"]]
    return (
        f"Wrong labels, to {where}: {wrong['share']:.1%} ({wrong['low']:.1%} to "
        f"{wrong['high']:.1%}); that none is wrong: p = {wrong['p']:.2g}"
    )


class Summaries(Kept):
    """Tables of a fitted model."""

    _raters: list[str]

    def rater_shifts(self, level: float = 0.95) -> pd.DataFrame:
        """How much higher than the middle of the raters each one labels.

        Parameters
        ----------
        level : float, default=0.95
            Of the intervals.

        Returns
        -------
        table : DataFrame
            A row for each rater: shift of the predictor, standard error, z, p, low, high.
        """
        check_is_fitted(self)
        if not self._raters:
            raise ValueError("This model has no raters: give them to fit(X, y, raters=...).")
        terms = self._model.terms
        end = terms.slices["location"].stop  # the raters are the last columns
        at = range(end - len(self._raters) + 1, end)
        shifts, errors = shifts_of(self.parameters_[at], self.covariance_[np.ix_(at, at)])
        return wald_table(self._raters, shifts, errors, level)

    def summary(self, level: float = 0.95, *, covariance: ArrayLike | None = None) -> Summary:
        """Estimates with errors, tests and intervals, thresholds, and the share of wrong labels.

        Parameters
        ----------
        level : float, default=0.95
            Of the intervals.
        covariance : array-like of shape (n_parameters, n_parameters), default=None
            In place of ``covariance_``, such as `sandwich` gives. The interval of the share of
            wrong labels then is by it, too; the test of none is that of the likelihood.

        Returns
        -------
        summary : Summary
            Prints as a table; ``coefficients`` and ``thresholds`` are data frames.
        """
        check_is_fitted(self)
        if covariance is None:
            return Summary.of(self, level, self.covariance_)
        return Summary.of(self, level, as_covariance(covariance, self.parameters_.size))
