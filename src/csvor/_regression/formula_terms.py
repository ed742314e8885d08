"""Which columns do the terms of a formula make of a table, and what does R call them?"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from csvor._utils.words import rows_text

# formulaic writes temp[T.warm], and temp[warm] where a factor has all its levels; R tempwarm.
_LEVEL = re.compile(r"\[(?:T\.)?([^\[\]]*)\]")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m|[⧛⧚]")
_INTERCEPT = "Intercept"


@dataclass(frozen=True)
class FormulaColumns:
    """How formulas become columns.

    Attributes
    ----------
    specs : dict
        The specifications of formulaic, by what they are for.
    variables : tuple of str
        The columns of data that they read.
    """

    specs: dict[str, Any]
    variables: tuple[str, ...]

    @classmethod
    def of(
        cls, formulas: dict[str, Any], table: pd.DataFrame
    ) -> tuple[FormulaColumns, pd.DataFrame]:
        """That of a table, and its columns."""
        made = {kind: _matrix(formula, table) for kind, formula in formulas.items()}
        names = variables_of(formulas.values())
        design = cls(
            {kind: matrix.model_spec for kind, matrix in made.items()},
            tuple(sorted(name for name in table.columns if name in names)),
        )
        return design, _joined(made.values())

    @property
    def terms(self) -> dict[str, list[str]]:
        """The names of the columns of each term."""
        return {
            str(term): [_as_in_r(spec.column_names[i]) for i in at]
            for spec in self.specs.values()
            for term, at in spec.term_indices.items()
            if str(term) != "1"
        }

    def names_of(self, kind: str) -> list[str]:
        """The columns of a formula; none where there is no such formula."""
        names = self.specs[kind].column_names if kind in self.specs else ()
        return [_as_in_r(name) for name in names if name != _INTERCEPT]

    def columns(self, table: pd.DataFrame) -> pd.DataFrame:
        """Those of other rows."""
        lacking = [name for name in self.variables if name not in table.columns]
        if lacking:
            raise ValueError(
                f"The rows lack the column {lacking[0]!r}, which the formula of the model names."
            )
        for name in self.variables:
            missing = np.flatnonzero(table[name].isna())
            if missing.size:
                raise ValueError(
                    f"Column {name!r} has no value in {rows_text(missing, first=0)}: fill it in, "
                    "or leave the rows out."
                )
        return _joined(_matrix(spec, table) for spec in self.specs.values())


def parsed(text: str, kind: str, available: Sequence[Any]) -> Any:
    """The formula of terms; "." in it stands for the columns that are available."""
    try:
        from formulaic import Formula
        from formulaic.errors import FormulaicError
    except ImportError as error:
        raise ImportError(
            "Formulas are read by formulaic, which is not installed: pip install 'csvor[formula]'."
        ) from error
    text = text.strip().removeprefix("~")
    key = "formula" if kind == "location" else kind
    try:
        formula = Formula(text, _context={"__formulaic_variables_available__": list(available)})
    except FormulaicError as error:
        raise ValueError(f"{key} {text.strip()!r} cannot be read: {_plain(error)}") from error
    if "1" not in map(str, formula):
        raise ValueError(
            f"{key} {text.strip()!r} takes the intercept out, and the thresholds are the "
            "intercepts of this model: leave 0 or -1 out."
        )
    return formula


def variables_of(formulas: Iterable[Any]) -> set[str]:
    """The names in their terms: those of columns, and of functions.

    Its own ``required_variables`` lack the arguments of transforms such as ``poly``.
    """
    from formulaic.utils.code import sanitize_variable_names

    names: set[str] = set()
    for factor in (factor for one in formulas for term in one for factor in term.factors):
        names |= {str(name) for name in factor.required_variables}
        if factor.eval_method.value == "python":
            aliases: dict[str, str] = {}
            text = sanitize_variable_names(factor.expr, {}, aliases)
            nodes = ast.walk(ast.parse(text, mode="eval"))
            names |= {aliases.get(n.id, n.id) for n in nodes if isinstance(n, ast.Name)}
    return names


def _plain(error: Exception) -> str:
    """What is said of an error, without the marks that colour it at a terminal."""
    return " ".join(_COLOUR.sub("", str(error)).split())


def _matrix(spec: Any, table: pd.DataFrame) -> Any:
    """The columns that a formula, or the specification of a fit, makes of complete rows."""
    from formulaic.errors import DataMismatchWarning, FormulaicError

    table = table.apply(_as_factor)
    try:
        with warnings.catch_warnings():
            # pandas warns of how formulaic makes categoricals.
            warnings.simplefilter("ignore", FutureWarning)
            warnings.simplefilter("error", DataMismatchWarning)
            return spec.get_model_matrix(table, context={}, na_action="ignore")
    except (FormulaicError, DataMismatchWarning) as error:
        raise ValueError(f"The terms of the formula cannot be made: {_plain(error)}") from error


def _as_factor(column: pd.Series[Any]) -> pd.Series[Any]:
    """As R has it: truth values are factors of FALSE and TRUE, and no level is without rows."""
    if column.dtype == bool:
        return column.map({False: "FALSE", True: "TRUE"}).astype("category")
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.remove_unused_categories()
    return column


def _joined(matrices: Iterable[Any]) -> pd.DataFrame:
    """The columns of all, each once, as R calls them, without the intercept."""
    columns: dict[str, Any] = {}
    for matrix in matrices:
        for name in matrix.columns:
            if name == _INTERCEPT:
                continue
            values = np.asarray(matrix[name], dtype=np.float64)
            if not np.array_equal(columns.setdefault(_as_in_r(name), values), values):
                raise ValueError(
                    f"Two columns of the formula are called {_as_in_r(name)!r}, as R has it: "
                    "rename a column of data."
                )
    if not columns:
        raise ValueError("The formula has no terms: give one at least, as in 'rating ~ temp'.")
    return pd.DataFrame(columns)


def _as_in_r(name: str) -> str:
    """tempwarm of temp[T.warm]."""
    return _LEVEL.sub(r"\1", name)
