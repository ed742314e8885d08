"""Properties of rows in partitions: fits and answers are those of the rows in memory.

However the rows are cut, empty partitions and such of one row among them, and wherever labels and
weights are cut. `test_dask.py` has the cases by name.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import golden
from csvor import CSVOR, SVOREX
from properties import examples

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

# Fewer rows than 10 000 come here whatever they take.
FEW, MANY = 60, 12_000
# In memory the first model has up to 31 % of the rows near a kink, which have room.
COLUMNS, ROOM = 4, "300kB"
# Fits of smooth losses are the same in all that they say.
SMOOTH = {
    "power": CSVOR(p=1.5, epsilon=np.inf),
    "logistic": CSVOR(loss="logistic", epsilon=np.inf),
}
# Those of losses with kinks end as low: with a cap, from a sample of the rows, at another local
# optimum perhaps.
KINKED = {"explicit": (SVOREX(), 1e-5), "capped": (CSVOR(epsilon=2.0), 1e-3)}
MODELS = SMOOTH | {name: model for name, (model, _) in KINKED.items()}


@cache
def data(n: int, weighted: bool = False) -> tuple[Any, Any, Any]:
    return golden.rows(n, n=n, d=COLUMNS, weighted=weighted)


def chunks(n: int, least: int = 1) -> st.SearchStrategy[tuple[int, ...]]:
    """Lengths of partitions that hold n rows in all."""
    cuts = st.lists(st.integers(0, n), min_size=least - 1, max_size=5).map(sorted)
    return cuts.map(lambda at: tuple(np.diff([0, *at, n]).tolist()))


def cut(values: Any, lengths: tuple[int, ...]) -> Any:
    return da.from_array(values, chunks=(lengths, *values.shape[1:]))


@pytest.fixture(autouse=True)
def _little_room() -> Any:
    with dask.config.set({"csvor.memory-limit": ROOM, "scheduler": "synchronous"}):
        yield


@cache
def fitted(name: str, n: int, weighted: bool) -> Any:
    X, y, weights = data(n, weighted)
    return clone(MODELS[name]).fit(X, y, sample_weight=weights)


@examples(12)
@given(
    name=st.sampled_from(sorted(SMOOTH)),
    weighted=st.booleans(),
    of_X=chunks(MANY),
    of_y=chunks(MANY),
)
def test_a_fit_is_that_of_the_rows_in_memory(
    name: str, weighted: bool, of_X: tuple[int, ...], of_y: tuple[int, ...]
) -> None:
    here, (X, y, weights) = fitted(name, MANY, weighted), data(MANY, weighted)
    found = MODELS[name].fit(
        cut(X, of_X), cut(y, of_y), None if weights is None else cut(weights, of_y)
    )
    assert found.traffic_["passes"] > 0
    close(found.objective_, here.objective_)
    close(found.coef_, here.coef_)
    close(found.thresholds_, here.thresholds_)
    close(found.residuals_, here.residuals_)
    assert found.residuals_.chunks == (of_X,)
    close(found.predict_proba(cut(X, of_X)), here.predict_proba(X))
    np.testing.assert_array_equal(found.predict(cut(X, of_X)), here.predict(X))


def close(found: Any, expected: Any, tol: float = 1e-6) -> None:
    np.testing.assert_allclose(found, expected, rtol=tol, atol=tol)


@examples(10)
@given(name=st.sampled_from(sorted(KINKED)), of_X=chunks(MANY), of_y=chunks(MANY))
def test_a_fit_with_kinks_ends_as_low(
    name: str, of_X: tuple[int, ...], of_y: tuple[int, ...]
) -> None:
    X, y, _ = data(MANY)
    model, tol = KINKED[name]
    found = model.fit(cut(X, of_X), cut(y, of_y))
    assert found.traffic_["passes"] > 0
    close(found.objective_, fitted(name, MANY, False).objective_, tol)


@examples(15)
@given(name=st.sampled_from(sorted(MODELS)), of_X=chunks(FEW), of_y=chunks(FEW))
def test_few_rows_are_fitted_here_to_the_last_digit(
    name: str, of_X: tuple[int, ...], of_y: tuple[int, ...]
) -> None:
    here, (X, y, _) = fitted(name, FEW, False), data(FEW)
    found = MODELS[name].fit(cut(X, of_X), cut(y, of_y))
    for attribute in ("coef_", "thresholds_", "objective_", "residuals_"):
        np.testing.assert_array_equal(getattr(found, attribute), getattr(here, attribute))
    assert found.residuals_.chunks == (of_X,)
    # A product of one row alone is rounded in another way.
    close(found.predict_proba(cut(X, of_X)), here.predict_proba(X), 1e-12)
