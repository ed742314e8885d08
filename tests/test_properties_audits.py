"""Properties of audits: however rows are cut into partitions, they are those of rows in memory.

`test_dask_audit.py` has the cases by name.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given

from csvor import CSVOR
from csvor.audit import LabelAudit, audit_labels
from properties import examples
from test_properties_partitions import ROOM, chunks, close, cut, data

dask = pytest.importorskip("dask")

# In each of two folds more rows than come here whatever they take.
FEW, MANY = 240, 20_400
MODEL = CSVOR(contamination=0.1)
# What is said of all rows, and of each.
WHOLE = ("share", "low", "high", "log_likelihood", "n_judged", "named", "expected_right")
OF_ROWS = ("probability", "suggested_probability", "class_probabilities", "residual", "score")
LABELS = ("flagged", "given", "suggested", "direction", "predicted")


@pytest.fixture(autouse=True)
def _little_room() -> Iterator[None]:
    with dask.config.set({"csvor.memory-limit": ROOM, "scheduler": "synchronous"}):
        yield


@cache
def audited(n: int) -> LabelAudit:
    """What the rows in memory say."""
    X, y, _ = data(n)
    return audit_labels(X, y, MODEL, cv=2, fdr=0.1)


@pytest.mark.parametrize(("n", "of_examples"), [(FEW, 4), (MANY, 2)], ids=["few rows", "many rows"])
def test_an_audit_is_that_of_the_rows_in_memory(n: int, of_examples: int) -> None:
    @examples(of_examples)
    @given(of_X=chunks(n, least=3), of_y=chunks(n))
    def holds(of_X: tuple[int, ...], of_y: tuple[int, ...]) -> None:
        X, y, _ = data(n)
        expected = audited(n)
        found = audit_labels(cut(X, of_X), cut(y, of_y), MODEL, cv=2, fdr=0.1)
        for name in WHOLE:
            assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-6), name
        for name in OF_ROWS:
            close(getattr(found, name), getattr(expected, name))
        for name in LABELS:
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
        probability = np.asarray(expected.probability)
        close(probability[found.order], probability[expected.order[: len(found.order)]])
        assert found.probability.chunks == (of_X,)

    holds()
