"""Warnings are made again from their text, pickled, and point at a line of the user."""

import pickle
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import csvor  # noqa: F401  (brings all warnings of the library)
from csvor import CSVOR
from csvor._utils.warn import AdvisedWarning


def _kinds(of: type[Warning]) -> Iterator[type[Warning]]:
    for kind in of.__subclasses__():
        if kind.__module__.startswith("csvor"):
            yield kind
        yield from _kinds(kind)


@pytest.mark.parametrize("kind", sorted(set(_kinds(UserWarning)), key=lambda kind: kind.__name__))
def test_n89_a_warning_is_made_again_from_its_text(kind: type[Warning]) -> None:
    with pytest.warns(kind, match="rows are far"):
        warnings.warn("rows are far: scale them", kind, stacklevel=1)


def test_n89_the_warning_of_a_fit_survives_its_text_and_a_pickle() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.warns(AdvisedWarning) as caught:
        CSVOR(max_iter=1, tol=1e-12).fit(X, np.digitize(X @ [1.0, 2.0, -1.0], [-1.0, 1.0]))
    message = caught[0].message
    assert caught[0].filename == __file__
    assert str(type(message)(str(message))) == str(message)
    assert str(pickle.loads(pickle.dumps(message))) == str(message)
