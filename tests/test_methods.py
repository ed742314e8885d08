"""The registry of methods."""

import sys

import numpy as np
import pytest

from csvor.methods import METHODS, Method, make_method
from problems import g


@pytest.mark.parametrize("name", METHODS)
def test_each_method_fits_and_predicts_classes(name):
    if METHODS[name].extra:
        pytest.importorskip("skordinal", reason="skordinal is not installed")
    X, y = g(0, 120)
    model = make_method(name).fit(X, y)
    assert type(model).__name__ == METHODS[name].name
    assert np.mean(model.predict(X) == y) > 0.6
    assert set(model.predict(X)) <= set(y)


def test_parameters_go_over_those_of_the_registry():
    pytest.importorskip("skordinal", reason="skordinal is not installed")
    assert make_method("KDLOR").kernel == "linear"
    assert make_method("KDLOR", kernel="rbf").kernel == "rbf"
    assert make_method("CSVOR", C=3.0).C == 3.0


def test_an_unknown_method_is_named_with_those_there_are():
    with pytest.raises(
        ValueError, match="no method 'SVR'; the methods are CSVOR, CSVOR-auto, SVOREX"
    ):
        make_method("SVR")


def test_a_missing_package_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setitem(METHODS, "X", Method("skordinal_x.y", "X", extra="baselines"))
    monkeypatch.setitem(sys.modules, "skordinal_x", None)
    with pytest.raises(ImportError, match=r"pip install 'csvor\[baselines\]'"):
        make_method("X")
