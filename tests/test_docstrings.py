"""The public docstrings: complete, true to the signatures, and their examples run."""

import doctest
import inspect
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from typing import Any

import numpy as np
import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc, NumpyDocString

import csvor
import csvor.audit
import csvor.corruption
import csvor.datasets
import csvor.formula
import csvor.metrics
import csvor.plots
import csvor.preprocessing
import csvor.report
import csvor.stats
import csvor.study

# Figures here are those of whole audits.
ALL_TREES = True

MODULES = (
    csvor,
    csvor.audit,
    csvor.corruption,
    csvor.datasets,
    csvor.formula,
    csvor.metrics,
    csvor.plots,
    csvor.preprocessing,
    csvor.report,
    csvor.stats,
    csvor.study,
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def public_objects() -> Iterator[tuple[str, Any]]:
    """Classes and functions that users import, each by its first public name."""
    found = set()
    for module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if (inspect.isclass(value) or inspect.isfunction(value)) and value not in found:
                found.add(value)
                yield f"{module.__name__}.{name}", value


def public_methods(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Methods that csvor itself writes (those of scikit-learn are documented there)."""
    for name, value in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("_") and value.__module__.startswith("csvor."):
            yield name, value


OBJECTS = dict(public_objects())
ESTIMATORS = {name: o for name, o in OBJECTS.items() if hasattr(o, "fit")}
CALLABLES = {name: o for name, o in OBJECTS.items() if inspect.isfunction(o)} | {
    f"{name}.{method}": function
    for name, o in OBJECTS.items()
    if inspect.isclass(o)
    for method, function in public_methods(o)
}


def documented(doc: NumpyDocString, section: str) -> list[str]:
    """The names in a section; an entry may hold several, as in `a, b : int`."""
    return [name.strip().lstrip("*") for entry in doc[section] for name in entry.name.split(",")]


def taken(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


@pytest.mark.parametrize("name", CALLABLES)
def test_parameters_are_those_of_the_signature(name: str) -> None:
    doc = FunctionDoc(CALLABLES[name])
    assert documented(doc, "Parameters") == taken(CALLABLES[name])
    assert doc["Returns"] or doc["Yields"], "what it returns is not said"


@pytest.mark.parametrize("name", [n for n, o in OBJECTS.items() if inspect.isclass(o)])
def test_class_sections(name: str) -> None:
    cls = OBJECTS[name]
    doc = ClassDoc(cls)
    if issubclass(cls, Exception):
        return
    if name in ESTIMATORS:
        assert documented(doc, "Parameters") == taken(cls.__init__)
    assert documented(doc, "Attributes"), "no Attributes"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_attributes_are_those_of_a_fit(name: str) -> None:
    # Set only where the columns have names.
    fitted = {"feature_names_in_"}
    for parameters in ({}, {"kernel": "rbf"}):
        model = ESTIMATORS[name]()
        if "kernel" in model.get_params():
            model.set_params(**parameters)
        model.fit(np.arange(8.0)[:, None], [1, 1, 2, 1, 2, 1, 2, 2])
        fitted |= {key for key in vars(model) if key.endswith("_") and not key.startswith("_")}
    fitted |= {
        key
        for cls in type(model).__mro__
        if cls.__module__.startswith("csvor.")
        for key, value in vars(cls).items()
        if isinstance(value, property) and not key.startswith("_")
    }
    assert set(documented(ClassDoc(type(model)), "Attributes")) == fitted


# Where one name has several texts, and why. All others read alike wherever they stand, so that
# what was learnt of one estimator or measure holds for the next.
DIFFERENT = {
    "C": "the convention of each method's authors",
    "tol": "each solver measures its own end",
    "max_iter": "each solver counts its own steps",
    "n_iter_": "each solver counts its own steps",
    "verbose": "each solver reports after its own steps",
    "objective_history_": "each solver reports after its own steps",
    "thresholds_": "pin-SVOR derives them from its boundaries",
    "residuals_": "each method has its own loss",
    "outliers_": "a loss without a cap cuts nothing",
    "classes": "a measure has labels alone, a scorer a model; zero-one error needs no order",
}


def texts(objects: dict[str, Any], read: Any, *sections: str) -> dict[str, set[tuple[str, str]]]:
    """By name of an entry: its types and texts in the docstrings of all objects, defaults aside."""
    found: dict[str, set[tuple[str, str]]] = {}
    for value in objects.values():
        doc = read(value)
        for entry in (entry for section in sections for entry in doc[section]):
            kind = entry.type.partition(", default=")[0]
            found.setdefault(entry.name, set()).add((kind, " ".join(entry.desc)))
    return found


THRESHOLD_MODELS = {n: o for n, o in ESTIMATORS.items() if hasattr(o, "predict_projection")}
MEASURES = {
    name: o
    for name, o in OBJECTS.items()
    if name.startswith("csvor.metrics.") and inspect.isfunction(o)
}


def test_what_estimators_and_measures_share_reads_alike() -> None:
    models = texts(THRESHOLD_MODELS, ClassDoc, "Parameters", "Attributes")
    measures = texts(MEASURES, FunctionDoc, "Parameters")
    assert len(THRESHOLD_MODELS) == 5 and {"kernel", "slope_", "cutpoints_"} <= models.keys()
    assert len(MEASURES) >= 7 and {"y_true", "sample_weight"} <= measures.keys()
    several = {
        name for table in (models, measures) for name, found in table.items() if len(found) > 1
    }
    assert several == DIFFERENT.keys()


@pytest.mark.parametrize("name", OBJECTS)
def test_formula_comes_before_the_parameters(name: str) -> None:
    """Of estimators and measures, what is computed is said first."""
    value = OBJECTS[name]
    if inspect.isclass(value) and issubclass(value, Exception):
        return
    if name not in ESTIMATORS and "y_true" not in inspect.signature(value).parameters:
        return
    doc = inspect.getdoc(value) or ""
    head = doc.partition("\nParameters\n")[0]
    assert ".. math::" in head or ":math:" in head or "::\n" in head, "no formula"


@pytest.mark.parametrize("name", OBJECTS | CALLABLES)
def test_examples_run(name: str) -> None:
    value = (OBJECTS | CALLABLES)[name]
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    report: list[str] = []
    tests = [test for test in finder.find(value, name) if test.examples]
    for test in tests:
        runner.run(test, out=report.append)
    assert not runner.summarize(verbose=False).failed, "".join(report)
    # What a function returns is shown in the example of that function.
    assert tests or name not in OBJECTS or is_dataclass(value), "no Examples"
