"""Raters of labels, one a row: who is high or low, blurred or careless, and what is wrong then."""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.special import expit

from csvor import CSVOR, audit_labels, audit_scores
from csvor._data.groups import GroupCounts
from csvor._mixture.channels import by_distance
from csvor._mixture.likelihood import RaterEffects
from csvor._mixture.mixture import Mixture, fit_mixture
from csvor._mixture.objective import Problem, margins_of_score
from csvor._mixture.rater_effects import about_the_middle
from csvor.audit._data import audit_data

K = 5


def rated(seed, kind, n=1000, n_raters=5, names="abcdefgh"):
    """A score, true classes, labels, and who gave them: the first is unlike the others."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n)
    cuts = np.quantile(score, np.arange(1, K) / K)
    truth = np.digitize(score + 0.1 * rng.logistic(size=n), cuts)
    raters = rng.integers(0, n_raters, n)
    his, y = raters == 0, truth.copy()
    up = np.minimum(truth + 1, K - 1)
    if kind == "high":
        y[his] = up[his]
    elif kind == "half high":
        some = his & (rng.random(n) < 0.5)
        y[some] = up[some]
    elif kind == "careless":
        some = his & (rng.random(n) < 0.3)
        y[some] = rng.integers(0, K, some.sum())
    return score, truth, y, np.array(list(names))[raters]


@pytest.mark.parametrize("channel", [None, by_distance(K)])
def test_gradients_by_finite_differences(rng, channel):
    """By curves and rates, and by what sets raters apart, labels that are known among them."""
    n, q = 150, K - 1
    margins = np.sort(2.0 * rng.normal(size=(n, q)), axis=1)[:, ::-1]
    y, known = rng.integers(0, K, n), rng.random(n) < 0.3
    original = np.where(known, rng.integers(0, K, n), y)
    problem = Problem(margins, y, rng.exponential(size=n), known, original, rng.integers(0, 3, n))
    effects = 0.4 * rng.normal(size=(3, 3))
    effects[2, 0] = 9.0  # as careless as can be: his share falls where nu rises
    problem = problem.with_effects(RaterEffects(*effects))
    theta = np.concatenate([0.3 * rng.normal(size=2 * q), [-2.0], [-3.0] * (channel is not None)])
    slope = [
        (problem.loss(theta + h, channel)[0] - problem.loss(theta - h, channel)[0]) / 2e-6
        for h in 1e-6 * np.eye(theta.size)
    ]
    np.testing.assert_allclose(problem.loss(theta, channel)[1], slope, rtol=1e-5, atol=1e-4)

    def value(moved):
        return problem.log_likelihood(theta, channel, RaterEffects(*moved))

    by_effects = value(effects)[1][:3]
    for i in range(3):
        h = np.zeros((3, 3))
        h[i] = 1e-6
        of_each = (value(effects + h)[1][3] - value(effects - h)[1][3]) / 2e-6
        np.testing.assert_allclose(by_effects[i], of_each, rtol=1e-5, atol=1e-4)
    assert value(effects)[1][3].sum() == pytest.approx(value(effects)[0])


def test_a_row_by_hand():
    """K = 2, a = 1, c = 0, m = 1; the rater's cut is moved by 1: he sees above with P = .8808.

    The true class is above with .7311. A label above is wrong where the value lies between the two
    cuts: .8808 - .7311 = .1497 of .8808, so with .1700.
    """
    effects = RaterEffects(np.array([0.0, 1.0]), np.zeros(2), np.full(2, -30.0))
    mixture = Mixture(np.ones(1), np.zeros(1), 0.5, 0.0, 0.0, effects=effects)
    rows = np.array([[1.0]]), np.array([1]), None
    truth = mixture.truth(*rows, np.array([1]))
    assert truth[0, 0] == pytest.approx((expit(2.0) - expit(1.0)) / expit(2.0), abs=1e-9)
    assert truth[0, 0] == pytest.approx(0.1700, abs=1e-4)
    assert mixture.truth(*rows, np.array([0]))[0, 0] == pytest.approx(0.0, abs=1e-9)


def test_told_relative_to_another_rater_the_likelihood_is_the_same(rng):
    score, _, y, names = rated(0, "half high", 300)
    raters = np.unique(names, return_inverse=True)[1]
    known = np.zeros(300, dtype=bool)
    problem = Problem(margins_of_score(score, K), y, np.ones(300), known, y, raters)
    theta, effects = np.append(rng.normal(size=2 * (K - 1)), -3.0), 0.5 * rng.normal(size=(3, 5))
    values = [
        problem.log_likelihood(t, None, RaterEffects(*e))[0]
        for t, e in (
            (theta, effects),
            about_the_middle(theta, effects, K - 1),
            about_the_middle(theta, effects, K - 1, 2),
        )
    ]
    assert values == pytest.approx([values[0]] * 3)


@pytest.mark.parametrize(
    ("kind", "least"), [("high", 0.9), ("half high", 0.75), ("careless", 0.75)]
)
def test_who_is_unlike_the_others_is_found(kind, least):
    score, truth, y, raters = rated(0, kind)
    wrong = y != truth
    without = audit_scores(score, y)
    audit = audit_scores(score, y, raters=raters)
    assert audit.low <= wrong.mean() <= audit.high
    assert audit.share == pytest.approx(wrong.mean(), abs=0.03)
    right = wrong[audit.flagged].sum()
    assert right >= least * wrong.sum()
    assert audit.expected_right == pytest.approx(right, rel=0.15)
    assert right > 1.2 * wrong[without.flagged].sum() or kind == "careless"
    table = audit.raters
    assert table.names.tolist() == list("abcde")
    np.testing.assert_array_equal(table.n, np.unique(raters, return_counts=True)[1])
    assert table.agreement[0] == pytest.approx((y == truth)[raters == "a"].mean(), abs=0.06)
    if kind == "careless":
        assert table.careless_interval[0, 0] > 0.1 > table.careless_interval[1:, 1].max()
        assert not table.apart.size
    else:
        assert table.apart.tolist() == [0]
        low, high = table.shift_interval[0]
        assert low <= (y - truth)[raters == "a"].mean() <= high
        assert table.summary.startswith("1 rater differs from the middle of the raters, most a: 0.")
    fixed = audit.suggested[wrong & audit.flagged] == truth[wrong & audit.flagged]
    assert fixed.mean() > 0.85


@pytest.mark.parametrize("draw", range(3))
def test_raters_who_are_alike_change_nothing(draw):
    score, _, y, raters = rated(draw, "clean")
    audit = audit_scores(score, y, raters=raters)
    assert audit.share <= 0.005
    assert audit.named <= 1
    assert not audit.raters.apart.size
    # Of 200 labels of each, none careless, it was .0009.
    assert audit.raters.careless_interval[:, 1].min() > audit.high
    assert audit.raters.careless_interval[:, 1].max() < 0.04
    assert audit.log_likelihood == pytest.approx(audit_scores(score, y).log_likelihood)


def test_who_gave_few_labels_stays_near_the_others():
    score, truth, y, raters = rated(1, "clean", 600)
    few = np.flatnonzero(raters == "a")[:3]
    raters[raters == "a"] = "b"
    raters[few] = "z"
    y[few] = np.minimum(truth[few] + 1, K - 1)
    high = raters == "c"
    y[high] = np.minimum(truth[high] + 1, K - 1)
    table = audit_scores(score, y, raters=raters).raters
    of = dict(zip(table.names, table.shift, strict=True))
    width = dict(zip(table.names, np.ptp(table.shift_interval, axis=1), strict=True))
    assert of["c"] > of["z"] >= -0.05
    assert width["z"] > 1.5 * width["c"]


def test_measured_by_one_of_them():
    score, _, y, raters = rated(0, "high")
    audit = audit_scores(score, y, raters=raters, reference="a")
    others = raters != "a"
    assert not audit.flagged[~others].any()
    assert audit.flagged[others].mean() > 0.6
    assert audit.raters.shift[0] == 0.0
    assert audit.raters.shift_interval[1:, 1].max() < -0.5
    assert audit.raters.summary.startswith("4 raters differ from a, most ")


def test_a_reference_with_few_labels_is_uncertain():
    """24 labels of his, and all others half a class higher: 0 (0 to .005) were said to be wrong."""
    rng = np.random.default_rng(1)
    score, chance = rng.normal(size=800), np.array([0.03] + [0.97 / 7] * 7)
    cuts = np.quantile(score, np.arange(1, K) / K)
    raters = rng.choice(8, 800, p=chance)
    value = score + 0.1 * rng.logistic(size=800)
    truth = np.digitize(value, cuts)
    audit = audit_scores(score, np.digitize(value + 0.3 * (raters > 0), cuts), raters=raters,
                         reference=0)  # fmt: skip
    y = audit.given
    assert audit.low <= (y != truth).mean() <= audit.high
    low, high = audit.raters.shift_interval[1:].T
    shift = (np.digitize(value + 0.3, cuts) - truth).mean()
    assert ((low <= shift) & (shift <= high)).all()


def test_of_many_raters_one_stands_out_after_a_review():
    """Labels known to be right have a kink at effects of 0, which is no information of 1e5."""
    score, truth, y, names = rated(0, "half high", n_raters=20, names="abcdefghijklmnopqrst")
    seen = np.random.default_rng(0).random(y.size) < 0.6
    raters = np.unique(names, return_inverse=True)[1]
    righted = np.where(seen, truth, y)
    mixture = fit_mixture(margins_of_score(score, K), righted, None, seen, y, raters)
    assert mixture.effects.shifts[0] > 0.5 > 0.3 > np.abs(mixture.effects.shifts[1:]).max()
    assert mixture.errors[0].min() > 0.05


def test_a_rater_without_a_clue_has_as_few_derivatives_as_likelihoods(rng):
    """Beyond the largest careless share neither moves."""
    margins, y = margins_of_score(rng.normal(size=50), K), rng.integers(0, K, 50)
    known, raters = np.zeros(50, dtype=bool), np.zeros(50, dtype=np.int64)
    problem = Problem(margins, y, np.ones(50), known, y, raters)
    theta = np.append(np.zeros(2 * (K - 1)), -1.0)
    values = [
        problem.log_likelihood(theta, None, RaterEffects(*np.array([[0.0], [0.0], [odds]])))
        for odds in (8.0, 8.1)
    ]
    assert values[0][0] == values[1][0]
    assert values[0][1][2] == 0.0


def test_of_two_raters_nobody_knows_who_is_right():
    score, _, y, raters = rated(0, "high", n_raters=2)
    assert audit_scores(score, y, raters=raters).notes == (
        "There are two raters: how far they are apart can be told, not which of them is right. "
        "Their middle is taken. Name one of them (reference=), or confirm some labels.",
    )
    assert not audit_scores(score, y, raters=raters, reference="b").notes


def test_a_rater_who_never_looks():
    score, truth, y, raters = rated(0, "clean")
    his = raters == "a"
    y[his] = np.random.default_rng(50).integers(0, K, his.sum())
    audit = audit_scores(score, y, raters=raters)
    assert audit.raters.careless[0] > 0.95
    assert audit.share == pytest.approx((y != truth).mean(), abs=0.015)
    assert audit.raters.careless[1:].max() < 0.02


def test_a_scale_turned_round_is_said_and_no_shift():
    score, truth, y, raters = rated(0, "clean", 400)
    y = np.where(raters == "b", K - 1 - truth, truth)
    audit = audit_scores(score, y, raters=raters)
    (note,) = audit.notes
    assert note.startswith("b: labels fall where the features say that they rise")
    assert audit.raters.turned.tolist() == [1]
    assert 1 not in audit.raters.apart
    assert "the scale of b is turned round" in audit.raters.summary
    assert not audit_scores(score, truth, raters=raters).raters.turned.size


def test_a_turned_scale_that_hides_what_the_features_say_is_said():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    truth = np.digitize(X[:, 0] + 0.1 * rng.normal(size=150), [-0.7, 0.0, 0.7])
    raters = rng.integers(0, 3, 150)
    audit = audit_labels(X, np.where(raters, truth, 3 - truth), models="own", raters=raters)
    assert not audit.conclusive
    assert [note[:23] for note in audit.notes if note.startswith("0")] == [
        "0: labels fall where the"[:23]
    ]


def test_raters_among_the_features_are_said():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=200), "grader_id": rng.integers(0, 3, 200)})
    y = np.digitize(X["size"] + 0.1 * rng.normal(size=200), [-0.5, 0.5])
    for table in (X, pl.from_pandas(X), pa.Table.from_pandas(X)):
        (note,) = audit_labels(table, y, models="own").notes
        assert note.startswith("Column 'grader_id' of X looks like who gave the label")
    assert not audit_labels(X[["size"]], y, models="own", raters=X["grader_id"]).notes


def test_a_rater_with_one_label_is_said():
    score, truth, _, raters = rated(0, "clean", 400)
    audit = audit_scores(score, np.where(raters == "b", 2, truth), raters=raters)
    assert "b: the same label on every row." in audit.notes
    assert audit.raters.single.tolist() == [1]


def test_rows_of_weight_0_do_not_count_in_the_table():
    score, _, y, raters = rated(0, "high", 400)
    weights = np.where((raters == "a") & (np.arange(400) % 2), 0.0, 1.0)
    weights[raters == "c"] = 0.0
    table = audit_scores(score, y, raters=raters, sample_weight=weights).raters
    kept = weights > 0.0
    assert table.n.tolist() == [(kept & (raters == name)).sum() for name in "abcde"]
    assert np.flatnonzero(np.isnan(table.agreement)).tolist() == [2]


def test_suspects_have_their_rater():
    score, _, y, raters = rated(0, "high", 400)
    audit = audit_scores(score, y, raters=raters)
    table = audit.to_frame()
    assert table["rater"].tolist() == raters[audit.order].tolist()
    assert "rater" not in audit_scores(score, y).to_frame()


def test_fewer_rows_share_a_group(rng):
    """Of 600 rows in 20 groups with one label each, 20 tell as much; of 60 nearly as many do."""
    groups = np.repeat(np.arange(20), 30)
    y = rng.integers(0, 3, 20)[groups]
    columns = (rng.normal(size=(600, 1)), y, None, None, None, None, groups)
    rows = audit_data(columns, (None, None, 5, 0))
    assert rows.n_independent == pytest.approx(20.0)
    some = rng.choice(600, 60, replace=False)
    taken = rows.take(np.sort(some), CSVOR()).n_independent
    right = GroupCounts.of(groups[some].tolist(), y[some], 3).effective_rows
    assert 0.7 * right < taken <= right


def test_a_review_tells_of_raters_too():
    """What a rater had given counts, not what was set."""
    score, truth, y, raters = rated(0, "high")
    rng = np.random.default_rng(0)
    seen = rng.random(y.size) < 0.2
    righted = np.where(seen, truth, y)
    data = margins_of_score(score, K), righted, None, seen, y
    codes = np.unique(raters, return_inverse=True)[1]
    mixture = fit_mixture(*data, codes)
    assert mixture.share == pytest.approx((y != truth).mean(), abs=0.03)
    assert mixture.effects.shifts[0] > 3.0


def test_rows_in_partitions_have_the_same_raters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    truth = np.digitize(X[:, 0] + 0.1 * rng.normal(size=400), [-0.6, 0.0, 0.6])
    raters = rng.integers(0, 3, 400)
    y = np.where(raters == 0, np.minimum(truth + 1, 3), truth)
    here = audit_labels(X, y, CSVOR(), raters=raters)
    assert here.raters.apart.tolist() == [0]
    columns = (da.from_array(a, chunks=(150, *a.shape[1:])) for a in (X, y, raters))
    with dask.config.set({"csvor.memory-limit": 1000}):
        X, y, raters = columns
        there = audit_labels(X, y, CSVOR(), raters=raters)
    assert there.share == pytest.approx(here.share, abs=1e-3)
    np.testing.assert_allclose(there.raters.shift, here.raters.shift, atol=1e-2)
    np.testing.assert_array_equal(there.raters.n, here.raters.n)


def test_refusals():
    score, _, y, raters = rated(0, "clean", 100)
    with pytest.raises(ValueError, match="raters has 100 names in 100 rows"):
        audit_scores(score, y, raters=np.arange(100))
    with pytest.raises(ValueError, match="raters has one name, Ann: raters are measured by"):
        audit_scores(score, y, raters=["Ann"] * 100)
    with pytest.raises(ValueError, match="reference='x' is none of the raters: a, b, c, d, e"):
        audit_scores(score, y, raters=raters, reference="x")
    with pytest.raises(ValueError, match="reference='a' names a rater: give raters="):
        audit_scores(score, y, reference="a")
    missing = raters.astype(object)
    missing[7] = None
    with pytest.raises(ValueError, match=r"raters has no name for 1 of 100 rows \(first for row 7"):
        audit_scores(score, y, raters=missing)
    with pytest.raises(ValueError, match="raters must have one name for each of the 100 rows"):
        audit_scores(score, y, raters=raters[:50])
