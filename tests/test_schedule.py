"""Which loss each stage of re-weighting uses."""

import numpy as np
import pytest

from csvor import CSVOR
from csvor._loss.capped import CappedPower
from csvor._loss.stages import Schedule

P, LEVEL, EPSILON, DELTA, TRIM = range(5)


def test_it_begins_with_the_squared_hinge():
    for schedule in (Schedule(0.7), Schedule(1.0, 1.5), Schedule(1.0, trim=0.1, warmup=5)):
        np.testing.assert_array_equal(schedule.stages[0, :5], [2.0, 1.0, np.inf, 0.0, 0.0])


def test_delta_falls_to_its_least_and_stays():
    """1, 1/20, 1/400 and no lower than 1e-3; the squared loss needs none."""
    stages = Schedule(1.0, 1.5, delta_min=1e-3).stages
    np.testing.assert_allclose(stages[1:, DELTA], [1.0, 0.05, 0.0025, 1e-3])
    np.testing.assert_array_equal(stages[1:, EPSILON], 1.5)
    longer = Schedule(1.0, 1.5, delta_min=1e-3, warmup=6).stages
    np.testing.assert_allclose(longer[1:, DELTA], [1.0, 0.05, 0.0025] + [1e-3] * 4)
    np.testing.assert_array_equal(
        Schedule(2.0, 1.5).stages[:, :5], [[2, 1, np.inf, 0, 0], [2, 1, 1.5, 0, 0]]
    )


def test_given_cap_closes_in_equal_steps_and_is_then_exact():
    schedule = Schedule(1.0, 1.5, warmup=10, closes_on=0.5, delta_ratio=0.2)
    closing, last = schedule.stages[1:11], schedule.stages[11:]
    # Shares of 5, 10, .. 50 % lie above.
    np.testing.assert_allclose(closing[:, LEVEL], np.arange(0.95, 0.45, -0.05))
    np.testing.assert_array_equal(last[:, LEVEL], 1.0)
    np.testing.assert_array_equal(last[:, EPSILON], 1.5)
    np.testing.assert_array_equal(schedule.stages[:, TRIM], 0.0)
    assert schedule.last_warmup == 10
    assert schedule.final == CappedPower(1.0, 1.5, 1e-14)


def test_a_trimmed_loss_is_open_first():
    """delta = 1, 1/20, 1/400 with nothing cut (1/8000 is below 1e-3), then all again, trimmed."""
    schedule = Schedule(1.0, trim=0.1, warmup=5, open_above=1e-3)
    stages = schedule.stages
    np.testing.assert_allclose(stages[1:7, DELTA], [1, 0.05, 0.0025, 1, 0.05, 0.0025])
    np.testing.assert_array_equal(stages[:4, TRIM], 0.0)
    np.testing.assert_array_equal(stages[4:, TRIM], 0.1)
    np.testing.assert_array_equal(stages[:, EPSILON], np.inf)
    np.testing.assert_array_equal(stages[:, LEVEL], 1.0)
    assert stages[-1, DELTA] == 1e-14
    assert schedule.last_warmup == 8
    assert schedule.final == CappedPower(1.0, np.inf, 1e-14, 0.1)
    # The squared loss itself needs no opening, nor a delta.
    squared = Schedule(2.0, trim=0.1, warmup=5, open_above=1e-3)
    np.testing.assert_array_equal(squared.stages[1:, DELTA], 0.0)
    np.testing.assert_array_equal(squared.stages[1:, TRIM], 0.1)
    assert squared.last_warmup == 5


def test_many_rows_need_no_smaller_delta_than_tol_tells():
    """tol^(2 / (1 + p)): 1e-6 at p = 1 and 1e-4 for p = 1/2 at tol = 1e-3; never above 1e-4."""
    assert Schedule(1.0).for_many(1e-6).delta_min == pytest.approx(1e-6)
    assert Schedule(2.0).for_many(1e-6).delta_min == pytest.approx(1e-4)
    assert Schedule(0.5).for_many(1e-3).delta_min == pytest.approx(1e-4)
    assert Schedule(1.0).for_many(0.0).delta_min == 1e-14
    assert Schedule(1.0).smoothed(1e-4).delta_min == 1e-4
    assert Schedule(1.0, delta_min=1e-3).smoothed(1e-4).delta_min == 1e-3


@pytest.mark.parametrize("given", [{"trim": 0.1}, {"epsilon": 1.5, "closes_on": 0.5}], ids=str)
def test_a_resumed_run_has_the_final_loss_at_once(given):
    """But for delta below p = 1: 1e-2, 1e-3, 1e-4."""
    schedule = Schedule(1.0, warmup=5, open_above=1e-3, **given).for_many(1e-6).resumed(1e-2)
    for stage in schedule.stages:
        assert stage[P] == 1.0
        assert (stage[LEVEL], stage[EPSILON], stage[TRIM]) == (
            1.0, given.get("epsilon", np.inf), given.get("trim", 0.0),
        )  # fmt: skip
        assert stage[DELTA] == pytest.approx(1e-6)
    assert schedule.last_warmup < 0
    bent = Schedule(0.5, warmup=5, **given).for_many(1e-2).resumed(1e-2)
    np.testing.assert_allclose(bent.stages[:3, DELTA], [1e-2, 1e-3, 1e-4])
    assert bent.last_warmup == len(bent.stages) - 2


def test_an_estimator_chooses_its_schedule():
    assert CSVOR()._schedule(0.1).final.trim == 0.1
    assert CSVOR()._schedule(0.0).final == CappedPower(1.0, np.inf, 1e-14)
    assert CSVOR()._schedule(0.0).stages[:, TRIM].max() == 0.0
    given = CSVOR(p=1.5, epsilon=3.0)._schedule(0.0)
    assert given.final == CappedPower(1.5, 3.0, 1e-14)
    assert given.stages[10, LEVEL] == 0.5
    paper = CSVOR(solver="alternating")._schedule(0.1)
    np.testing.assert_array_equal(paper.stages[1:, DELTA], 1e-6)
    np.testing.assert_array_equal(paper.stages[1:, TRIM], 0.1)
