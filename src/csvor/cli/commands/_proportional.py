"""Is one coefficient of a column enough for all thresholds, and which option helps if not?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from csvor._faults.spelling import quoted
from csvor._parts.engine import sums
from csvor._regression.changes import refitted, with_nominal
from csvor._regression.checks import SeparationError, refuse_separation
from csvor._regression.likelihood import probability_right
from csvor._regression.terms import column_positions
from csvor._utils.spelling import format_value
from csvor._utils.words import all_of
from csvor.cli.commands._effects import p_words, shown_level
from csvor.cli.commands._explain_fit import Explained
from csvor.cli.input._regression_columns import RegressionColumn
from csvor.stats import holm

# A column fails whose p-value, corrected by Holm, lies below it.
_LEAST = 0.05
# Of the test of all columns together: no column of a file is called so.
_ALL = ""


def proportional_odds(done: Explained) -> dict[str, Any] | None:
    """The tests of each column and of all, with advice; None where there is nothing to test.

    Tests are likelihood ratios, in which wrong labels stay: none of two classes, or of a ridge.
    """
    model, options = done.model, done.options
    terms = {
        column.name: list(column.names)
        for column in done.columns
        if column.name not in options.nominal
    }
    if model.thresholds_.size < 2 or options.penalty or not terms:
        return None
    together = {_ALL: [name for names in terms.values() for name in names]}
    nominal = model.nominal_test(terms | together)
    tests: list[dict[str, Any]] = [{"column": name, **_test(nominal.loc[name])} for name in terms]
    of_all = _test(nominal.loc[_ALL])
    for test, p in zip(tests, holm([test["p"] for test in tests]).tolist(), strict=True):
        test["p_holm"] = p
    failing = {test["column"] for test in tests if test["p_holm"] < _LEAST}
    open_ = {name: terms[name] for name in terms if name in failing and name not in options.scale}
    scale = model.scale_test(open_) if open_ else None
    for test in tests:
        name = test["column"]
        test["advice"] = None
        if name in failing:
            spread = np.inf if scale is None or name not in open_ else scale.loc[name, "aic"]
            narrower = spread < nominal.loc[name, "aic"]
            test["advice"] = f"--scale {quoted(name)}" if narrower else _nominal(done, name)
    return {"columns": tests, "all": of_all, "sentence": _sentence(done, tests, of_all)}


def _test(line: Any) -> dict[str, Any]:
    return {"statistic": float(line["statistic"]), "df": int(line["df"]), "p": float(line["p"])}


def _sentence(done: Explained, tests: list[dict[str, Any]], of_all: dict[str, float]) -> str:
    one = "one odds ratio" if done.model.link == "logit" else "one coefficient"
    each, every = "each column", "all columns"
    if done.options.nominal:
        each, every = "each of the other columns", "the other columns"
    failing = [test for test in tests if test["advice"] is not None]
    together = f"{p_words(of_all['p'])} of {every} together"
    if not failing and of_all["p"] < _LEAST:
        return (
            f"{one} of {each} may not be enough for all thresholds: no column alone fails, "
            f"but all together do ({p_words(of_all['p'])})"
        )
    if not failing:
        return f"{one} of {each} is enough for all thresholds ({together})"
    names = all_of([f"{test['column']} ({p_words(test['p_holm'])})" for test in failing])
    corrected = " (corrected for the number of columns)" if len(tests) > 1 else ""
    worst = min(failing, key=lambda test: test["p_holm"])  # the others may fail for want of it
    begin = "fit again with " if len(failing) == 1 else "begin with "
    begin *= worst["advice"].startswith("--")
    return (
        f"{one} is not enough for all thresholds of {names}{corrected}, {together}: {begin}"
        f"{worst['advice']}"
    )


def _nominal(done: Explained, name: str) -> str:
    """The option of effects on each threshold; where they have no end, what helps instead."""
    option = f"--nominal {quoted(name)}"
    column = next(column for column in done.columns if column.name == name)
    empty = _level_without(done, column) if column.is_words else None
    if empty is not None:
        level, label = empty
        return f"merge {label} with a class beside it, for no row of {name} {level} has it"
    model = done.model
    fitting, best = model._training, model._likelihoods.best
    at = column_positions("terms", list(column.names), fitting.terms.names)
    end = refitted(fitting, best, with_nominal(best.model.terms, at), model._share_known)
    right = probability_right(end.model, fitting.rows)
    try:
        refuse_separation(end.model, fitting.rows, right, end.peaked)
    except SeparationError:
        return f"merge classes, for with {option} columns separate them"
    return option


def _level_without(done: Explained, column: RegressionColumn) -> tuple[str, str] | None:
    """The first level of words that has no row of some class, and this class."""
    rows, names = done.model._training.rows, done.model._training.terms.names
    at, n_classes = [names.index(name) for name in column.names], done.model.classes_.size
    (counts,) = sums(partial(_class_counts, at, n_classes), rows.X, rows.codes, rows.weights)
    empty = np.argwhere(counts == 0.0)
    if not empty.size:
        return None
    level, k = empty[0]
    label = format_value(done.prepared.target.classes[k])
    return shown_level((column.base, *column.levels)[level]), label


def _class_counts(at: list[int], n_classes: int, X: Any, codes: Any, weights: Any) -> Any:
    """The weight of each class (columns) in the base, and in each level (rows)."""
    levels = np.asarray(X[:, at], dtype=np.float64)
    levels = np.column_stack([1.0 - levels.sum(axis=1), levels])
    return (np.array([np.bincount(codes, weights * one, n_classes) for one in levels.T]),)
