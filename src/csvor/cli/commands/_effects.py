"""What does each column do to the label: odds ratios with intervals, tests and a sentence?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, norm

from csvor import OrdinalRegression
from csvor._regression.summary import reach_of
from csvor._utils.spelling import format_value
from csvor.cli.commands._explain_fit import Explained
from csvor.cli.input._regression_columns import RegressionColumn

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A coefficient per unit with its interval, and the odds ratio for some units more.

    The odds ratio is None where the link has none, and for effects on the spread.
    """

    coefficient: float
    error: float
    low: float
    high: float
    p: float
    odds_ratio: float | None
    odds_ratio_low: float | None
    odds_ratio_high: float | None


@dataclass(frozen=True)
class Effect:
    """One column, or a level of it, at all thresholds, at one, or on the spread.

    Of words, `level` is compared with `base`. `kind` is location, nominal or scale; a nominal
    effect is on the odds of a class `above` this one. The odds ratio is for so many `units` more.
    `if_none_wrong` is None where the model takes all labels to be right.
    """

    column: str
    level: str | None
    base: str | None
    kind: str
    above: str | None
    units: float
    estimate: Estimate
    if_none_wrong: Estimate | None
    sentence: str

    def entry(self) -> dict[str, Any]:
        """What a JSON document has of it."""
        values = asdict(self)
        return {**values.pop("estimate"), **values}


@dataclass(frozen=True)
class _Parameter:
    """A parameter of the model: its place, what it is of, and whether its sign is turned."""

    place: int
    column: RegressionColumn
    level: str | None
    kind: str
    above: str | None = None

    @property
    def sign(self) -> float:
        """Effects on thresholds are turned round: + is towards higher classes."""
        return -1.0 if self.kind == "nominal" else 1.0


def effects_of(done: Explained) -> list[Effect]:
    """The effects of the columns, in the order of the columns."""
    effects = []
    level, (covariance, other) = done.options.level, done.covariances
    for parameter in _parameters(done):
        estimate = _estimate(done.model, covariance, parameter, level)
        plain = None
        if done.all_right is not None:
            plain = _estimate(done.all_right, other, parameter, level)
        column = parameter.column
        effects.append(
            Effect(
                column.name,
                parameter.level,
                column.base if column.is_words else None,
                parameter.kind,
                parameter.above,
                column.step,
                estimate,
                plain,
                _sentence(parameter, estimate, done.prepared.target.name),
            )
        )
    return effects


def _parameters(done: Explained) -> Iterator[_Parameter]:
    """The parameters of each column: of location, of each threshold, of the spread."""
    terms = done.model._model.terms
    place = {name: j for j, name in enumerate(terms.names)}
    starts = {kind: part.start for kind, part in terms.slices.items()}
    for column in done.columns:
        levels = column.levels or (None,)
        for name, level in zip(column.names, levels, strict=True):
            j = place[name]
            if j in terms.location:
                at = starts["location"] + terms.location.index(j)
                yield _Parameter(at, column, level, "location")
            if j in terms.nominal:
                first = starts["nominal"] + terms.nominal.index(j) * terms.n_cuts
                for i, above in enumerate(terms.classes[:-1]):
                    yield _Parameter(first + i, column, level, "nominal", above)
            if j in terms.scale:
                at = starts["scale"] + terms.scale.index(j)
                yield _Parameter(at, column, level, "scale")


def _estimate(
    model: OrdinalRegression, covariance: Array, parameter: _Parameter, level: float
) -> Estimate:
    value = parameter.sign * float(model.parameters_[parameter.place])
    error = float(np.sqrt(max(covariance[parameter.place, parameter.place], 0.0)))
    reach = reach_of(level) * error
    p = float(2.0 * norm.sf(abs(value) / error)) if error > 0.0 else 1.0
    ratios: list[float | None] = [None, None, None]
    if model.link == "logit" and parameter.kind != "scale":
        ends = np.array([value, value - reach, value + reach]) * parameter.column.step
        ratios = np.exp(np.clip(ends, -700.0, 700.0)).tolist()
    return Estimate(value, error, value - reach, value + reach, p, *ratios)


def _sentence(parameter: _Parameter, estimate: Estimate, target: str) -> str:
    column, step = parameter.column, parameter.column.step
    if parameter.level is None:
        change = f"{'one' if step == 1.0 else format_value(step)} more of {column.name}"
    else:
        change = (
            f"{column.name} {shown_level(parameter.level)} instead of {shown_level(column.base)}"
        )
    if estimate.odds_ratio is not None:
        label = f"a higher {target}" if parameter.above is None else f"more than {parameter.above}"
        value, low, high = ratio_texts(
            estimate.odds_ratio, estimate.odds_ratio_low, estimate.odds_ratio_high
        )
        return f"{change}: the odds of {label} are {value} times as high ({low} to {high})"
    ends = [step * x for x in (estimate.coefficient, estimate.low, estimate.high)]
    if parameter.kind == "scale":
        value, low, high = ratio_texts(*np.exp(np.clip(ends, -700.0, 700.0)).tolist())
        return f"{change}: the spread is {value} times as wide ({low} to {high})"
    value, low, high = (f"{x:+.3g}" for x in ends)
    label = target if parameter.above is None else f"more than {parameter.above}"
    return f"{change}: the scale that underlies {label} moves by {value} ({low} to {high})"


def shown_level(level: str | None) -> str:
    """A level of words in a text."""
    return level or "(blank)"


def ratio_texts(*values: float | None) -> tuple[str, ...]:
    """Odds ratios in three figures; all of them near 1 have one more."""
    known = [value for value in values if value is not None]
    near = all(0.9 < value < 1.1 for value in known)
    return tuple(_ratio(value, 3 if near else 2) for value in known)


def _ratio(value: float, decimals: int) -> str:
    if value >= 1e4 or value < 1e-3:
        return f"{value:.1e}"
    if value >= 10.0:
        return f"{value:.{0 if value >= 100.0 else 1}f}"
    return f"{value:.{decimals if value >= 0.1 else 3}f}"


def p_text(p: float) -> str:
    """A p-value as papers write it."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def p_words(p: float) -> str:
    """A p-value in a sentence."""
    return f"p {p_text(p)}" if p < 0.001 else f"p = {p_text(p)}"


def tests_of_columns(done: Explained) -> list[dict[str, Any]]:
    """Of each column: is it of no use, all its levels and thresholds together? Tests of Wald."""
    places: dict[str, list[int]] = {}
    for parameter in _parameters(done):
        places.setdefault(parameter.column.name, []).append(parameter.place)
    tests = []
    for name, at in places.items():
        values, covariance = done.model.parameters_[at], done.covariances[0][np.ix_(at, at)]
        statistic = float(values @ np.linalg.pinv(covariance, hermitian=True) @ values)
        tests.append(
            {
                "column": name,
                "statistic": statistic,
                "df": len(at),
                "p": float(chi2.sf(statistic, len(at))),
            }
        )
    return tests
