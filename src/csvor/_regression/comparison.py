"""Which of several regressions of the same rows is enough for them?"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2

from csvor._parts.engine import sums
from csvor._regression.likelihood import Rows
from csvor._regression.wrong_test import wrong_test

Array = NDArray[np.float64]

# Of log-likelihood: a larger model that is worse by more does not hold the smaller one.
_WORSE = 1e-6


def compare_models(*models: Any) -> pd.DataFrame:
    r"""Likelihood ratios between nested `OrdinalRegression` models, as R's ``anova`` of clm.

    .. math::

        2 (\ell_{\text{larger}} - \ell_{\text{smaller}}) \sim \chi^2_{df},

    and where the larger model has a share of wrong labels besides, which cannot be below 0, half
    :math:`\chi^2_{df - 1}` and half :math:`\chi^2_{df}`.

    Parameters
    ----------
    *models : OrdinalRegression
        Two or more, fitted to the same rows and labels, with the same link. Each must hold those
        with fewer parameters; that their columns are nested is not checked.

    Returns
    -------
    table : DataFrame of shape (n_models, 6)
        By number of parameters: ``parameters``, ``log_likelihood``, ``aic``, and beside the line
        above ``statistic``, ``df``, ``p``. The index is the place of the model in the call.

    Raises
    ------
    ValueError
        If there are fewer than two models, rows, weights, labels or links differ, a model has a
        penalty, was stored without its training rows, or cannot hold the smaller one.

    References
    ----------
    S. G. Self and K.-Y. Liang, "Asymptotic Properties of Maximum Likelihood Estimators and
    Likelihood Ratio Tests under Nonstandard Conditions", Journal of the American Statistical
    Association 82(398), 1987, :doi:`10.1080/01621459.1987.10478472`.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import OrdinalRegression, compare_models
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.digitize(X[:, 0] + rng.logistic(size=300), [-1.0, 1.0])
    >>> smaller = OrdinalRegression(wrong=0).fit(X[:, :1], y)
    >>> larger = OrdinalRegression(wrong=0).fit(X, y)
    >>> compare_models(smaller, larger)["p"].round(2)
    model
    1     NaN
    2    0.24
    Name: p, dtype: float64
    """
    if len(models) < 2:
        raise ValueError(f"A comparison is of two models or more, got {len(models)}.")
    for other in models[1:]:
        _refuse_apart(models[0], other)
    order = sorted(range(len(models)), key=lambda i: models[i].n_parameters_)
    table = pd.DataFrame(
        {
            "parameters": [models[i].n_parameters_ for i in order],
            "log_likelihood": [models[i].log_likelihood_ for i in order],
            "aic": [models[i].aic_ for i in order],
        },
        index=pd.Index([i + 1 for i in order], name="model"),
    )
    steps = [_step(models[i], models[j]) for i, j in pairwise(order)]
    table[["statistic", "df", "p"]] = [(np.nan, np.nan, np.nan), *steps]
    return table


def _refuse_apart(model: Any, other: Any) -> None:
    """Models whose likelihoods are not of the same rows."""
    mine, others = model._training, other._training
    if mine.penalty or others.penalty:
        raise ValueError(
            "A likelihood ratio of penalised estimates has no known distribution: fit the models "
            "with penalty=0."
        )
    if mine.link != others.link:
        raise ValueError(
            f"Links differ, {mine.link} and {others.link}: such models are not nested; compare "
            "their aic_."
        )
    if mine.terms.classes != others.terms.classes or not _same_rows(mine.rows, others.rows):
        raise ValueError("The models are not of the same rows, labels and weights.")


def _same_rows(mine: Rows, others: Rows) -> bool:
    if mine.codes.shape != others.codes.shape:
        return False
    columns = (mine.codes, others.codes, mine.weights, others.weights)
    (apart,) = sums(_apart, *columns)
    return bool(apart == 0)


def _apart(codes: Any, other_codes: Any, weights: Any, other_weights: Any) -> tuple[int]:
    return (int(np.sum((codes != other_codes) | (weights != other_weights))),)


def _step(smaller: Any, larger: Any) -> tuple[float, float, float]:
    """The statistic of two models, its degrees of freedom, and p."""
    channel = smaller.wrong_channel_
    gain = larger.log_likelihood_ - smaller.log_likelihood_
    df = larger.n_parameters_ - smaller.n_parameters_
    edge = channel is None and larger.wrong_channel_ is not None and not larger._share_known
    if (
        gain < -_WORSE
        or channel not in (None, larger.wrong_channel_)
        or (larger._share_known and larger.wrong_share_ != smaller.wrong_share_)
        or (
            edge
            and df == 1
            and abs(larger.log_likelihood_plain_ - smaller.log_likelihood_) > _WORSE
        )
    ):
        raise ValueError(
            f"The model with {larger.n_parameters_} parameters does not hold that with "
            f"{smaller.n_parameters_}: models must be nested."
        )
    statistic = max(2.0 * gain, 0.0)
    if df == 0:
        return statistic, 0.0, np.nan
    if not edge:
        return statistic, float(df), float(chi2.sf(statistic, df))
    if df == 1:
        return statistic, float(df), wrong_test(larger._training, larger._likelihoods).p_value
    return statistic, float(df), float(np.mean(chi2.sf(statistic, [df - 1, df])))
