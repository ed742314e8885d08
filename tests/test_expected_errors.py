"""How many errors to expect in the rows that come next, and behind them."""

from dataclasses import astuple

import numpy as np
import pytest
from scipy.special import expit, logit

from csvor import audit_scores
from csvor.audit._expected_errors import expected_errors, odds_range

P = np.array([0.1, 0.9, 0.5, 0.0, 0.2])
ORDER = np.array([1, 2, 4, 0, 3])


def test_chance_alone_by_hand():
    errors = expected_errors(P, ORDER, 2, (1.0, 1.0))
    # 1.4 and 0.3 expected, with variances of .09 + .25 and .16 + .09.
    assert (errors.n, errors.low, errors.high) == (2, 0, 2)  # 1.4 +- 1.14, of two rows
    assert errors.expected == pytest.approx(1.4) and errors.left == pytest.approx(0.3)
    assert (errors.left_low, errors.left_high) == (0, 2)  # 0.3 +- 0.98
    assert errors.summary == (
        "look at 2 more, expect 1 error (0 to 2); after that about 0 (0 to 2) stay in"
    )


def test_an_uncertain_share_moves_all_odds():
    p = np.full(1000, 0.1)
    # Of the interval, a binomial variance is no doubt, and another is what chance adds anyhow.
    doubt = [np.sqrt((end - 0.1) ** 2 - 1.96**2 * 2 * 0.09 / 4000) for end in (0.05, 0.15)]
    factors = odds_range(p, (0.1, 0.05, 0.15), 4000)
    ends = expit(logit(0.1) + np.log(factors))
    assert ends == pytest.approx([0.1 - doubt[0], 0.1 + doubt[1]], abs=1e-3)
    # The shorter side is as wide as half of the interval.
    assert odds_range(p, (0.1, 0.09, 0.19), 4000)[0] == pytest.approx(factors[0])
    low, high = np.exp(logit([0.05, 0.2]) - logit(0.1))
    errors = expected_errors(p, np.arange(1000), 500, (low, high))
    chance = 1.96**2 * 500 * 0.09
    assert errors.low == np.floor(50 - np.sqrt(25**2 + chance))
    assert errors.high == np.ceil(50 + np.sqrt(50**2 + chance))
    assert (errors.left_low, errors.left_high) == (errors.low, errors.high)


def test_a_share_of_none_is_no_infinity():
    none = np.zeros(9)
    assert np.isfinite(odds_range(none, (0.0, 0.0, 1.0), 9)).all()
    factors = odds_range(none, (0.0, 0.0, 0.0), 9)
    assert astuple(expected_errors(none, np.arange(9), 3, factors)) == (3, 0, 0, 0, 0, 0, 0, True)
    sure = expected_errors(np.array([0.0, 1.0]), np.array([1, 0]), 1, (0.5, 2.0))
    assert astuple(sure) == (1, 1, 1, 1, 0, 0, 0, True)


@pytest.mark.parametrize("n", [-1, 6])
def test_more_rows_than_there_are_is_refused(n):
    with pytest.raises(ValueError, match=f"n={n} must lie between 0 and the 5 rows"):
        expected_errors(P, ORDER, n, (1.0, 1.0))


def test_all_rows_leave_none():
    errors = expected_errors(P, ORDER, 5, (0.5, 2.0))
    assert errors.expected == pytest.approx(P.sum())
    assert (errors.left, errors.left_low, errors.left_high) == (0.0, 0, 0)


def test_rows_in_partitions_are_counted_alike():
    da = pytest.importorskip("dask.array")
    p = np.random.default_rng(0).random(1000) ** 4
    order = np.argsort(-p)
    here = expected_errors(p, order, 30, (0.5, 1.7))
    there = expected_errors(da.from_array(p, chunks=130), order[:100], 30, (0.5, 1.7))
    assert astuple(there) == pytest.approx(astuple(here))


def test_intervals_cover_what_is_there():
    """In 10 of 12 draws at least, of rows that come next and of those behind."""
    hits = np.zeros(2)
    for draw in range(12):
        rng = np.random.default_rng(draw)
        score = rng.normal(size=300)
        y = np.digitize(score + 0.3 * rng.logistic(size=300), [-1, 0, 1])
        wrong = rng.random(300) < 0.1
        y[wrong] = (y[wrong] + rng.integers(1, 4, wrong.sum())) % 4
        audit = audit_scores(score, y)
        errors = audit.expected_errors(30)
        among = wrong[audit.order[:30]].sum()
        behind = wrong.sum() - among
        hits += [
            errors.low <= among <= errors.high,
            errors.left_low <= behind <= errors.left_high,
        ]
    assert (hits >= 10).all()


def test_a_share_of_the_rows_is_refused_for_their_number() -> None:
    with pytest.raises(TypeError, match=r"n=0\.1 must be a number of rows, a whole one"):
        expected_errors(P, ORDER, 0.1, (1.0, 1.0))  # type: ignore[arg-type]
