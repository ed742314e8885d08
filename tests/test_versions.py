"""Pickles of estimators say which version of csvor wrote them (case N50)."""

import copy
import pickle
import warnings
from typing import Any

import joblib
import numpy as np
import pytest
import skops.io
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM
from csvor._utils import version
from csvor.preprocessing import MedianClipper

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.digitize(X[:, 0], [-0.5, 0.5])
ESTIMATORS = [CSVOR, SVOREX, SVORIM, REDSVM, PINSVOR, MedianClipper]


def skops_loaded(model: Any) -> Any:
    raw = skops.io.dumps(model)
    return skops.io.loads(raw, trusted=skops.io.get_untrusted_types(data=raw))


def joblib_loaded(model: Any, path: Any) -> Any:
    joblib.dump(model, path)
    return joblib.load(path)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_pickle_of_this_version_comes_back_without_a_word(kind: Any, tmp_path: Any) -> None:
    model = kind().fit(X, Y)
    answer = "transform" if kind is MedianClipper else "predict"
    expected = getattr(model, answer)(X)
    copies = [
        pickle.loads(pickle.dumps(model)),
        joblib_loaded(model, tmp_path / "m.joblib"),
        skops_loaded(model),
        copy.deepcopy(model),
        copy.copy(model),
    ]
    for one in copies:
        assert np.array_equal(getattr(one, answer)(X), expected)
        assert vars(one).keys() == vars(model).keys()  # the version is none of its attributes
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_n50_another_version_is_named_with_this_one(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = pickle.dumps(kind().fit(X, Y))
    monkeypatch.setattr(version, "VERSION", "99.0")
    with pytest.warns(version.OtherVersionWarning) as caught:
        pickle.loads(raw)
    (warning,) = caught
    assert str(warning.message) == (
        "This was written by csvor 0.1.0 and is read by csvor 99.0, which may predict otherwise: "
        "fit it anew, or read it with csvor 0.1.0."
    ).replace("0.1.0", _this_version())
    assert (warning.message.written_by, warning.message.read_by) == (_this_version(), "99.0")  # type: ignore[union-attr]
    assert warning.filename == __file__


def test_several_estimators_of_one_pickle_warn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the filter of Python, which shows the same words of the same line once."""
    raw = pickle.dumps(make_pipeline(MedianClipper(), CSVOR()).fit(X, Y))
    monkeypatch.setattr(version, "VERSION", "99.0")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        pickle.loads(raw)
    assert len(caught) == 1


def test_a_pickle_without_a_version_is_of_an_unknown_one() -> None:
    model = CSVOR().fit(X, Y)
    old = CSVOR.__new__(CSVOR)
    with pytest.warns(version.OtherVersionWarning, match="an unknown version of csvor and") as it:
        old.__setstate__(dict(vars(model)))
    assert str(it[0].message).endswith("may predict otherwise: fit it anew.")
    assert np.array_equal(old.predict(X), model.predict(X))


def _this_version() -> str:
    import csvor

    return csvor.__version__
