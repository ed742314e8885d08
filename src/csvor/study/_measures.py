"""Which figures does a cell give: those of every study, and measures that a spec names?"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from numbers import Real
from pkgutil import resolve_name
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor import metrics
from csvor.study._spec_checks import check, check_table
from csvor.study._splits import PreparedSplit

MEASURED = ("mze", "mae", "precision", "recall", "auc", "seconds")
CHOSEN = ("C", "p", "tau")
COLUMNS = ("dataset", "level", "split", "method", "status", *MEASURED, *CHOSEN, "error")
NEEDS = ("predict", "predict_proba", "decision_function")
# scikit-learn's habit, and kappas.
ENDINGS = {
    "higher": ("_score", "_kappa"),
    "lower": ("_error", "_loss", "_deviance"),
}
NAME = re.compile(r"[A-Za-z_]\w*")
PATH = re.compile(r"[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*(\.\w+)*")


@dataclass(frozen=True)
class MeasureSpec:
    """One further measure of a study, taken on the test rows of each cell.

    Attributes
    ----------
    name : str
        Of its column in the results. A name of ``csvor.metrics`` needs no ``function``.
    function : str or None
        ``package.module:function``, called with the true labels (1 to n_classes) and with what
        ``needs`` gives. If it takes ``classes`` or ``labels``, it is given all classes, lowest
        first.
    better : {"lower", "higher"} or None
        None goes by the end of the function's name: ``_score`` and ``_kappa`` are better higher,
        ``_error``, ``_loss`` and ``_deviance`` lower.
    needs : {"predict", "predict_proba", "decision_function"}
        The method of a fitted model whose answer for the test rows is measured. Probabilities
        have a column for every class.
    parameters : Mapping
        Further keywords of the function.
    """

    name: str
    function: str | None = None
    better: str | None = None
    needs: str = "predict"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where = f"measures.{self.name}"
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise ValueError(f"measures: {self.name!r} is no name; letters, digits, '_' make one.")
        if self.name in COLUMNS:
            raise ValueError(f"{where}: the results have a column of that name; take another.")
        path, better = self.function, self.better
        is_path = path is None or (isinstance(path, str) and bool(PATH.fullmatch(path)))
        check(is_path, f"{where}.function", "'package.module:function'", path)
        check(self.needs in NEEDS, f"{where}.needs", f"one of {', '.join(NEEDS)}", self.needs)
        check_table(self.parameters, f"{where}.parameters")
        is_side = better is None or better in ENDINGS
        check(is_side, f"{where}.better", "lower or higher", better)
        _ = self.direction

    @classmethod
    def of(cls, word: str) -> MeasureSpec:
        """The measure of a name of ``csvor.metrics``, or of ``package.module:function``.

        Parameters
        ----------
        word : str

        Returns
        -------
        measure : MeasureSpec
        """
        return cls(word.rpartition(":")[2].rpartition(".")[2], word) if ":" in word else cls(word)

    @property
    def direction(self) -> str:
        """Which values are better: "lower" or "higher"."""
        if self.better is not None:
            return self.better
        name = self.name if self.function is None else self.function
        for better, endings in ENDINGS.items():
            if name.endswith(endings):
                return better
        if self.function is None:
            raise ValueError(_unknown(self.name))
        raise ValueError(
            f"measures.{self.name}.better: say lower or higher in the spec, for its name does not "
            f"tell: names that end in {', '.join(e for ends in ENDINGS.values() for e in ends)} do."
        )


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure as a cell needs it: ready to be sent to another process."""

    name: str
    function: Callable[..., Any]
    needs: str
    facts: Mapping[str, Any]
    takes_classes: str | None

    def value(self, truth: NDArray[np.int64], answer: Any, n_classes: int) -> float:
        """The measure of what a model says of the test rows."""
        classes = np.arange(1, n_classes + 1)
        known = {} if self.takes_classes is None else {self.takes_classes: classes}
        value = self.function(truth, answer, **known)
        if np.ndim(value) or not isinstance(value, Real | np.generic):
            raise TypeError(f"gave {type(value).__name__} in place of a number")
        if not isfinite(value):
            raise ValueError(f"gave {value}")
        return float(value)


def _unknown(name: str) -> str:
    known = ", ".join(n for n in metrics.__all__ if not n.startswith(("get_", "per_class_")))
    return (
        f"measures: csvor.metrics has no {name!r}; its measures are {known}. A function of another "
        "place is named as package.module:function."
    )


def load_measures(specs: Sequence[MeasureSpec]) -> tuple[Measure, ...]:
    """Import the functions, and refuse what cannot be called as a measure."""
    return tuple(map(_load, specs))


def _load(spec: MeasureSpec) -> Measure:
    where = f"measures.{spec.name}"
    path = f"csvor.metrics:{spec.name}" if spec.function is None else spec.function
    try:
        function = resolve_name(path)
    except (ImportError, AttributeError) as error:
        if spec.function is None:
            raise ValueError(_unknown(spec.name)) from error
        raise ValueError(f"{where}: there is no {path}: {error}.") from error
    if not callable(function):
        raise ValueError(f"{where}: {path} is no function.")
    try:
        signature = inspect.signature(function)
        free = signature.parameters.keys() - spec.parameters.keys()
        takes = next((key for key in ("classes", "labels") if key in free), None)
        signature.bind(None, None, **{key: None for key in (takes,) if key}, **spec.parameters)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{where}: {path} does not take true labels, an answer and the parameters: {error}."
        ) from error
    facts = {"function": path, "needs": spec.needs, "parameters": dict(spec.parameters)}
    ready = partial(function, **spec.parameters)
    return Measure(spec.name, ready, spec.needs, {**facts, "code": _code(function, path)}, takes)


def _code(function: Any, path: str) -> str | None:
    """The text of a function of the user's own: its figures are measured anew when it changes."""
    try:
        return None if re.match(r"csvor\b", path) else inspect.getsource(function)
    except (OSError, TypeError):
        return None


def check_answers(measures: Sequence[Measure], estimators: Mapping[str, Any]) -> None:
    """Refuse a measure of what a method does not answer."""
    for measure in measures:
        lacking = [name for name, one in estimators.items() if not hasattr(one, measure.needs)]
        if lacking:
            raise ValueError(
                f"measures.{measure.name}: needs {measure.needs}, which {', '.join(lacking)} "
                f"{'lacks' if len(lacking) == 1 else 'lack'}; take out the measure or the method."
            )


def measured(
    measures: Sequence[Measure], model: Any, prepared: PreparedSplit, predicted: NDArray[np.int64]
) -> dict[str, Any]:
    """The measures of a fitted model, and what those that failed said."""
    values, failures = {}, {}
    for measure in measures:
        try:
            answer = predicted if measure.needs == "predict" else _answer(model, measure, prepared)
            values[measure.name] = measure.value(prepared.y_test, answer, prepared.n_classes)
        except Exception as error:
            failures[measure.name] = in_one_line(error)
    return {"measures": values, "failed_measures": failures} if measures else {}


def _answer(model: Any, measure: Measure, prepared: PreparedSplit) -> NDArray[Any]:
    answer = np.asarray(getattr(model, measure.needs)(prepared.X_test))
    if measure.needs != "predict_proba":
        return answer
    # A training part may lack a class, and the model its column.
    probabilities = np.zeros((len(answer), prepared.n_classes))
    probabilities[:, np.asarray(model.classes_, dtype=int) - 1] = answer
    return probabilities


def in_one_line(error: Exception) -> str:
    """What an error is and says."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
