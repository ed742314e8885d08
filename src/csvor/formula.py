"""Regressions by formulas, as in R's ``ordinal::clm``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from csvor._labels import refuse_lazy_frame
from csvor._regression import OrdinalRegression
from csvor._regression.formula_terms import FormulaColumns, parsed, variables_of
from csvor._utils.lazy import is_lazy
from csvor._utils.warn import warn
from csvor._utils.words import all_of, are, plural

__all__ = ["clm"]

Array = NDArray[np.float64]


class FormulaRegression(OrdinalRegression):
    """An `OrdinalRegression` that reads new rows by the formula that it was fitted with."""

    _design: FormulaColumns | None = None
    _term_columns: dict[str, list[str]] | None = None

    def _fitting(self, data: Any, raters: Any) -> tuple[Any, int]:
        """A fit to other columns has no formula any more."""
        self._design = self._term_columns = None
        return super()._fitting(data, raters)

    def _checked(self, X: ArrayLike) -> Array:
        """Features of a table, or of the columns that the formula makes of it."""
        X = _in_pandas(X)
        if self._design is not None and isinstance(X, pd.DataFrame):
            names = self.feature_names_in_
            if not all(name in X.columns for name in names):
                X = self._design.columns(X)
        return super()._checked(X)


def clm(
    formula: str,
    data: Any,
    *,
    nominal: str | None = None,
    scale: str | None = None,
    link: str = "logit",
    wrong: str | float = "auto",
    weights: str | None = None,
    raters: str | None = None,
    classes: ArrayLike | None = None,
    penalty: float = 0.0,
) -> FormulaRegression:
    """Fit a cumulative link model that a formula describes, some labels of which may be wrong.

    Columns are called as in R: ``tempwarm`` is the level warm of temp, ``tempwarm:contactyes`` an
    interaction. The first level of a factor is the base (treatment contrasts), of an ordered one
    too; texts have their levels in the order of the alphabet, categoricals in their own. Rows
    with a missing value in any column that is used are left out, with a warning.

    Parameters
    ----------
    formula : str
        Such as ``"rating ~ temp + contact"``: the column of the labels, and terms with
        ``+``, ``:``, ``*`` and Python functions, such as ``np.log(age)``. ``.`` is all other
        columns.
    data : DataFrame
        The table, of pandas, polars or Arrow.
    nominal : str, default=None
        Terms with an effect of their own on each threshold, such as ``"~ contact"``; they are
        taken out of the location.
    scale : str, default=None
        Terms that change the spread, such as ``"~ temp"``.
    link : {"logit", "probit", "cloglog", "loglog", "cauchit"}, default="logit"
        The distribution of the latent variable.
    wrong : {"auto", "any", "beside"} or float, default="auto"
        Which labels may be wrong, as in `csvor.OrdinalRegression`; 0 gives the figures of R.
    weights : str, default=None
        Column of how many rows each stands for.
    raters : str, default=None
        Column of who gave each label: each has a shift.
    classes : array-like of shape (n_classes,), default=None
        Labels in order, where they have none of their own (words).
    penalty : float, default=0.0
        Ridge, as in `csvor.OrdinalRegression`.

    Returns
    -------
    model : csvor.OrdinalRegression
        The fitted model. ``predict``, ``predict_proba`` and all else that takes new rows read them
        by the same formula: a data frame of the columns that it names.

    Raises
    ------
    ImportError
        If formulaic is not installed (``pip install 'csvor[formula]'``).
    TypeError
        If data lies in partitions of dask, or is a LazyFrame of polars.
    ValueError
        If a formula cannot be read, or names a column that data has not.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from csvor.formula import clm
    >>> rng = np.random.default_rng(0)
    >>> data = pd.DataFrame({"age": rng.normal(size=400)})
    >>> data["temp"] = rng.choice(["cold", "warm"], 400)
    >>> latent = 2.0 * (data["temp"] == "warm") - data["age"] + rng.logistic(size=400)
    >>> data["rating"] = np.digitize(latent, [-1.0, 1.0])
    >>> model = clm("rating ~ temp + age", data, wrong=0)
    >>> model.parameter_names_
    ['0|1', '1|2', 'tempwarm', 'age']
    """
    label, location = _sides(formula)
    sources = {"location": location, "nominal": nominal, "scale": scale}
    named = {"formula": label, "weights": weights, "raters": raters}
    apart = {key: name for key, name in named.items() if name is not None}
    table = _table(data, apart)
    terms = [name for name in table.columns if name not in apart.values()]
    formulas = {
        kind: parsed(text, kind, terms) for kind, text in sources.items() if text is not None
    }
    table = _complete(table, {*apart.values(), *variables_of(formulas.values())})
    design, X = FormulaColumns.of(formulas, table)
    model = FormulaRegression(
        link=link, wrong=wrong, penalty=penalty, classes=classes,
        **{kind: design.names_of(kind) for kind in ("location", "nominal", "scale")},
    )  # fmt: skip
    rows_weigh, rated_by = (None if key is None else table[key] for key in (weights, raters))
    model.fit(X, table[label], rows_weigh, raters=rated_by)
    model._design, model._term_columns = design, design.terms
    return model


def _sides(formula: str) -> tuple[str, str]:
    """The column of the labels, and the terms."""
    label, tilde, terms = formula.partition("~")
    if not tilde or not label.strip() or not terms.strip():
        raise ValueError(
            f"formula {formula!r} must name labels and terms, as in 'rating ~ temp + contact'."
        )
    return label.strip().strip("`"), terms


def _table(data: Any, apart: dict[str, str]) -> pd.DataFrame:
    """The data, which have the columns that are named apart from terms."""
    refuse_lazy_frame(data=data)
    if is_lazy(data):
        raise TypeError(
            "data lies in partitions of dask, and formulas read rows in memory: give "
            "data.compute(), or columns of numbers to OrdinalRegression."
        )
    data = _in_pandas(data)
    table = data if isinstance(data, pd.DataFrame) else pd.DataFrame(data)
    for key, name in apart.items():
        if name not in table.columns:
            raise ValueError(f"{key} names {name!r}, which is no column of data.")
    return table


def _in_pandas(data: Any) -> Any:
    """A frame of polars or Arrow as one of pandas; anything else as it is."""
    if not hasattr(data, "to_pandas"):
        return data
    frame, kinds = data.to_pandas(), getattr(data, "schema", None)
    for name, kind in kinds.items() if isinstance(kinds, Mapping) else ():
        if type(kind).__name__ == "Enum":  # has an order, which earlier releases of polars drop
            frame[name] = frame[name].cat.as_ordered()
    return frame


def _complete(table: pd.DataFrame, names: set[str]) -> pd.DataFrame:
    """The rows in which all of the columns that are in the table have a value."""
    used = [name for name in table.columns if name in names]
    missing = table[used].isna()
    n_missing = int(missing.any(axis=1).sum())
    if not n_missing:
        return table[used]
    columns = [repr(name) for name in used if missing[name].any()]
    warn(
        f"{plural(n_missing, 'row')} of {len(table)} with no value in {all_of(columns)} "
        f"{are(n_missing)} left out."
    )
    return table.loc[~missing.any(axis=1), used]
