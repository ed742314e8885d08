"""The share of wrong labels and the probability of each, from scores: parts and whole."""

from functools import partial

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR, audit_scores
from csvor._mixture.channels import as_used, beside, by_distance, label_probabilities
from csvor._mixture.interval import profile_interval, rival_of, share_interval
from csvor._mixture.likelihood import class_masses, label_likelihood
from csvor._mixture.mixture import (
    Mixture,
    fit_mixture,
    keeps_classes,
)
from csvor._mixture.objective import Problem, problem_of
from csvor.audit._labelling import Labelling
from csvor.audit._margins import margins_of
from problems import g, mislabel, read_set


def drawn(rng, n=800, n_classes=4, noise=0.25):
    """A score and the labels that follow from it with some noise."""
    score = rng.normal(size=n)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return score, np.digitize(score + noise * rng.normal(size=n), cuts)


def out_of_fold(X, y, model, folds=5):
    """Margins of rows that the model has not seen."""
    classes = np.unique(y)
    margins = np.empty((y.size, classes.size - 1))
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
        scaler = StandardScaler().fit(X[train])
        model.set_params(classes=classes).fit(scaler.transform(X[train]), y[train])
        score = model.predict_projection(scaler.transform(X[test]))
        margins[test] = score[:, None] - model.thresholds_
    return margins


def test_channel_by_hand():
    """K = 3, eta = 0.3, nu = 0.1: 0.6 + 0.1 on the diagonal, 0.1 elsewhere, and 0.1 beside t."""
    expected = np.full((3, 3), 0.1) + 0.6 * np.eye(3)
    expected += 0.1 * np.array([[0, 0.5, 0], [1, 0, 1], [0, 0.5, 0]])
    chances = label_probabilities(0.3, 0.1, 3, beside(3))
    np.testing.assert_allclose(chances, expected)
    np.testing.assert_allclose(label_probabilities(0.3, 0.0, 3), 0.1 + 0.7 * np.eye(3))
    np.testing.assert_allclose(chances.sum(axis=0), 1.0)
    np.testing.assert_allclose(beside(2).table, [[0, 1], [1, 0]])


def test_channels_by_hand():
    """Falling by a half; and as used: the middle is four times as frequent as the curve has it."""
    thirds = [[0, 0.5, 1 / 3], [2 / 3, 0, 2 / 3], [1 / 3, 0.5, 0]]
    np.testing.assert_allclose(by_distance(3, 0.5).table, thirds)
    assert (beside(5).reach, by_distance(5).reach) == (1, 4)
    used = as_used(np.full(12, 99.0)).table
    np.testing.assert_allclose(used[~np.eye(12, dtype=bool)], 1 / 11)
    counts = np.full(12, 99.0)
    counts[5] = 399.0
    used = as_used(counts).table
    assert used[5, 0] > 3 * used[4, 0]
    np.testing.assert_allclose(used.sum(axis=0), 1.0)


@pytest.mark.parametrize("channel", [None, beside(5), by_distance(5)])
def test_gradient_by_finite_differences(rng, channel):
    """Of the likelihood, and of that at a share which is made up of two kinds."""
    margins = np.sort(2 * rng.normal(size=(200, 4)), axis=1)[:, ::-1]
    margins[:20] = rng.normal(size=(20, 4))  # probabilities that would not fall
    weights, confirmed = rng.exponential(size=200), rng.random(200) < 0.1
    y = rng.integers(0, 5, 200)
    original = np.where(confirmed, rng.integers(0, 5, 200), y)
    problem = Problem(margins, y, weights, confirmed, original)
    curves = 0.3 * rng.normal(size=8)
    rates, part = ([-2.0], []) if channel is None else ([-2.0, -3.0], [0.4])
    for loss, ends in ((problem.loss, rates), (partial(problem.loss_at, 0.15), part)):
        theta = np.concatenate([curves, ends])
        slope = [
            (loss(theta + 1e-6 * e, channel)[0] - loss(theta - 1e-6 * e, channel)[0]) / 2e-6
            for e in np.eye(theta.size)
        ]
        np.testing.assert_allclose(loss(theta, channel)[1], slope, rtol=1e-6, atol=3e-5)


def test_one_row_by_hand():
    """K = 2, a = 1, c = 0, m = 2: P(above) = 0.8808; eta = 0.2, the label is the lower class.

    P(y) = 0.9 * 0.1192 + 0.1 * 0.8808 = 0.19536; wrong with 0.1 * 0.8808 / 0.19536 = 0.4508.
    """
    from csvor._mixture.mixture import Mixture

    mixture = Mixture(np.ones(1), np.zeros(1), 0.2, 0.0, 0.0)
    truth = mixture.truth(np.array([[2.0]]), np.array([0]))
    above = expit(2.0)
    expected = 0.1 * above / (0.9 * (1 - above) + 0.1 * above)
    assert truth[0, 1] == pytest.approx(expected)
    assert truth[0, 1] == pytest.approx(0.4508, abs=1e-4)
    assert mixture.share == pytest.approx(0.1)


@pytest.mark.parametrize("channel", [beside(4), by_distance(4)])
def test_the_compiled_likelihood_is_that_of_whole_arrays(rng, channel):
    """sum_i w_i log sum_t P(y_i | t) P_i(t), and P(original | t) P(t) at t = y if confirmed."""
    margins = np.sort(2 * rng.normal(size=(300, 3)), axis=1)[:, ::-1]
    margins[:20] = rng.normal(size=(20, 3))
    y, weights, confirmed = (
        rng.integers(0, 4, 300),
        rng.exponential(size=300),
        rng.random(300) < 0.2,
    )
    slopes, shifts = rng.uniform(0.5, 2, 3), rng.normal(size=3)
    masses = class_masses(slopes, shifts, margins)
    np.testing.assert_allclose(masses.sum(axis=1), 1.0)
    original = np.where(confirmed, rng.integers(0, 4, 300), y)
    P = label_probabilities(0.2, 0.1, 4, channel)
    rows = P[y]
    rows[confirmed] = np.eye(4)[y[confirmed]]
    likelihood = np.where(confirmed, P[original, y], 1.0) * (rows * masses).sum(axis=1)
    expected = weights @ np.log(np.maximum(likelihood, 1e-12))
    data = margins.copy(), y, weights, confirmed, original, np.zeros(300, dtype=np.int64)
    way = channel.table, channel.reach
    alike = np.zeros(1), np.ones(1), np.array([0.2])
    outputs = np.empty(7), np.empty((4, 1))
    found = label_likelihood(*data, slopes, shifts, *alike, 0.1, *way, *outputs)
    assert found == pytest.approx(expected, rel=1e-12)


def test_thresholds_that_meet_have_a_likelihood_to_climb(rng):
    """Equal margins leave a class no mass where shifts are equal, and none to be won by a step."""
    score, y = drawn(rng, 600, 4)
    margins = score[:, None] - np.array([-0.6, 0.0, 0.0])
    mixture = fit_mixture(margins, y)
    assert mixture.class_probabilities(margins).mean(axis=0) == pytest.approx(0.25, abs=0.04)
    assert mixture.share <= 0.02


def test_confirmed_labels_are_right_and_the_share_is_of_the_rest(rng):
    score, y = drawn(rng, 2000, 4, noise=0.1)
    given, wrong = mislabel(y, 0.2, 0)
    margins = margins_of(score, given, 4)
    known = rng.random(y.size) < 0.5  # of both kinds, and set right
    righted = np.where(known, y, given)
    mixture = fit_mixture(margins, righted, None, known, given)
    assert mixture.share == pytest.approx(wrong.mean(), abs=0.03)  # as it was before
    truth = mixture.truth(margins, righted, known)
    np.testing.assert_array_equal(truth[known], np.eye(4)[righted[known]])
    low, high = share_interval(mixture, margins, righted, None, known, given)
    assert low <= wrong.mean() <= high
    labels = Labelling(righted, None, known, given)
    assert labels.share_judged(mixture.share) == pytest.approx(wrong[~known].mean(), abs=0.05)
    assert labels.share_left(mixture.share) == pytest.approx((wrong & ~known).mean(), abs=0.03)
    assert fit_mixture(margins, given, None, np.ones(y.size, bool)).share <= 0.05  # only the prior


def test_whether_classes_are_kept_counts_rows_as_often_as_they_weigh_and_confirmed_ones_as_right():
    """Class 1 has 60 rows where it belongs and 100 where class 2 does: 93 it may have."""
    codes = np.repeat([0, 1, 1, 2], [100, 60, 100, 100])
    margins = np.array([[-9, -18], [9, -9], [18, 9], [18, 9]], dtype=float)
    margins = np.repeat(margins, [100, 60, 100, 100], axis=0)
    stray = np.repeat([False, False, True, False], [100, 60, 100, 100])
    mixture = Mixture(np.ones(2), np.zeros(2), 0.01, 0.2, 0.0, beside(3))
    weights, confirmed = np.ones(360), np.zeros(360, dtype=bool)

    def kept(weights, confirmed):
        return keeps_classes(Problem(margins, codes, weights, confirmed, codes), mixture)

    assert not kept(weights, confirmed)
    assert kept(np.where(stray, 0.5, 1.0), confirmed)
    assert kept(weights, stray)


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("n_classes", [2, 4, 7])
def test_the_share_is_found_and_the_promise_kept(rng, n_classes, rate):
    score, y = drawn(rng, 2000, n_classes, noise=0.1)
    given, wrong = mislabel(y, rate, 0) if rate else (y, np.zeros(y.size, bool))
    found = audit_scores(score, given)
    assert abs(found.share - wrong.mean()) <= 0.02
    assert found.low <= wrong.mean() <= found.high
    assert found.low <= found.share <= found.high
    right = wrong[found.flagged].sum()
    assert abs(found.expected_right - right) <= max(0.1 * right, 3.0)
    if rate:
        assert right >= 0.7 * wrong.sum()  # some lie beside a threshold
        restored = found.suggested[found.flagged & wrong] == y[found.flagged & wrong]
        assert restored.mean() > 0.75
    else:
        assert found.named <= 0.002 * y.size


def test_errors_to_a_class_beside_need_evidence(rng):
    score, y = drawn(rng, 3000, 5, noise=0.05)
    assert fit_mixture(margins_of(score, y, 5), y).nu == 0.0
    wrong = rng.random(y.size) < 0.1
    step = np.where(y == 0, 1, np.where(y == 4, -1, rng.choice([-1, 1], y.size)))
    given = np.where(wrong, y + step, y)
    mixture = fit_mixture(margins_of(score, given, 5), given)
    assert mixture.nu == pytest.approx(0.1, abs=0.03)
    found = audit_scores(score, given)
    assert found.share == pytest.approx(wrong.mean(), abs=0.03)
    assert wrong[found.flagged].mean() > 0.8


def test_errors_of_a_class_or_two_are_found_and_within_the_interval(rng):
    """To any class, .05 of .1 were found and 35 named, and the interval ended below .1."""
    score, y = drawn(rng, 1500, 5, noise=0.15)
    wrong, steps = rng.random(y.size) < 0.1, rng.choice([-2, -1, 1, 2], y.size)
    moved = np.clip(y + steps, 0, 4)
    given = np.where(wrong, np.where(moved == y, y - np.sign(steps), moved), y)
    margins = margins_of(score, given, 5)
    mixture = fit_mixture(margins, given)
    assert mixture.channel.name == "distance"
    weights = rng.integers(1, 4, y.size)
    weighted = fit_mixture(margins, given, weights.astype(float))
    repeated = fit_mixture(np.repeat(margins, weights, 0), np.repeat(given, weights))
    assert weighted.nu == pytest.approx(repeated.nu, abs=1e-4)
    found = audit_scores(score, given)
    assert found.low <= wrong.mean() <= found.high
    assert found.share == pytest.approx(wrong.mean(), abs=0.03)
    assert wrong[found.flagged].mean() > 0.8
    known = rng.random(y.size) < 0.5
    reviewed = fit_mixture(margins, np.where(known, y, given), None, known, given)
    assert reviewed.channel.name == "distance"
    assert reviewed.share == pytest.approx(wrong.mean(), abs=0.03)


def test_where_another_channel_is_about_as_likely_the_interval_holds_both(rng):
    """21 of 600 labels are wrong, by a class or two: too few to be sure of that."""
    score, y = drawn(rng, 600, 5, noise=0.15)
    rows, given = rng.choice(600, 30, replace=False), y.copy()
    given[rows] = np.clip(y[rows] + rng.choice([-2, -1, 1, 2], 30), 0, 4)
    data = margins_of(score, given, 5), given
    mixture = fit_mixture(*data)
    assert mixture.channel is None
    # Ten copies of each row tell no more, though their likelihood gains ten times as much.
    copies = [np.repeat(part, 10, axis=0) for part in data]
    assert fit_mixture(*copies).channel is not None
    assert fit_mixture(*copies, information=0.1).channel is None
    problem = problem_of(*data, None, None, None)
    rival = rival_of(problem, mixture)
    assert rival.channel.name == "distance"
    low, high = share_interval(mixture, *data)
    assert low < mixture.share < profile_interval(problem, mixture, 1.92)[1] < rival.share < high
    assert share_interval(rival, *data) == pytest.approx((low, high), abs=1e-3)


def test_many_rows_do_not_make_curves_right(rng):
    """Of 16 000 rows it is sqrt((1 / 16 + 1 / 2) / (1 / 2 + 1 / 2)) = .75 as wide as of 2 000."""
    widths = []
    for n in (2_000, 16_000):
        score, y = drawn(rng, n, 4, noise=0.1)
        given, wrong = mislabel(y, 0.1, 0)
        audit = audit_scores(score, given)
        assert audit.low <= wrong.mean() <= audit.high
        widths.append(audit.high - audit.low)
    assert widths[1] == pytest.approx(0.75 * widths[0], rel=0.15)


def test_errors_that_take_most_of_a_class_are_within_the_interval(rng):
    """Of three classes 38 % of the labels are a class away: at most 14 of 1 500 were said to be."""
    score, y = drawn(rng, 1500, 3, noise=0.15)
    wrong = rng.random(1500) < 0.38
    given = y + wrong * np.where(y == 1, rng.choice([-1, 1], 1500), 1 - y)
    audit = audit_scores(score, given)
    assert audit.named == 0
    assert audit.low <= wrong.mean() <= audit.high
    assert audit_scores(score, y).high < 0.02


def test_errors_some_classes_away_are_a_rival_on_many_classes():
    """Errors of 1 to 4 classes of 11, too few to choose the channel."""
    rng = np.random.default_rng(2)
    score = rng.normal(size=500)
    noisy = score + 0.12 * rng.normal(size=500)
    y = np.searchsorted(np.quantile(noisy, np.arange(1, 11) / 11), noisy)
    wrong, steps = rng.random(500) < 0.08, rng.choice([-4, -3, -2, -1, 1, 2, 3, 4], 500)
    given = np.where(wrong, np.clip(y + steps, 0, 10), y)
    data = margins_of(score, given, 11), given
    mixture = fit_mixture(*data)
    assert mixture.channel is None
    low, high = share_interval(mixture, *data)
    assert low <= np.mean(given != y) <= high
    problem = problem_of(*data, None, None, None)
    assert rival_of(problem, mixture).share > mixture.share
    # Of rows that are as good as one in a hundred, it is no better.
    assert rival_of(problem, mixture, 0.01) is None


def test_the_interval_holds_a_share_of_more_than_two_fifths():
    rng = np.random.default_rng(0)
    score = rng.normal(size=1500)
    noisy = score + 0.03 * rng.normal(size=1500)
    y = np.searchsorted(np.quantile(noisy, np.arange(1, 5) / 5), noisy)
    wrong, step = rng.random(1500) < 0.45, np.where(rng.random(1500) < 0.5, -1, 1)
    given = np.where(wrong, y + np.where(y == 0, 1, np.where(y == 4, -1, step)), y)
    data = margins_of(score, given, 5), given
    mixture = fit_mixture(*data)
    low, high = share_interval(mixture, *data)
    assert 0.4 < low < mixture.share < np.mean(wrong) < high


def test_labels_as_levels_are_used(rng):
    """People prefer even levels, where they are wrong as well."""
    score = rng.normal(size=800)
    y = np.clip(np.round(2 * score + 5 + 0.2 * rng.normal(size=800)), 0, 10).astype(int)
    y = np.where(rng.random(800) < 0.75, 2 * np.round(y / 2), y).astype(int)
    given = np.where(rng.random(800) < 0.15, rng.choice([0, 2, 4, 6, 8, 10], 800), y)
    margins = margins_of(score, given, 11)
    mixture = fit_mixture(margins, given)
    assert mixture.channel.name == "as used"
    low, high = share_interval(mixture, margins, given)
    assert low <= np.mean(given != y) <= high


def test_forms_of_scores(rng):
    """Margins, and the probabilities that they stand for, tell the same."""
    score, y = drawn(rng)
    given = mislabel(y, 0.1, 1)[0]
    margins = margins_of(score, given, 4)
    above = expit(2.0 * margins)
    ends = np.ones((y.size, 1))
    probabilities = -np.diff(np.hstack([ends, above, 0 * ends]), axis=1)
    one, other = audit_scores(margins, given), audit_scores(probabilities, given)
    assert one.share == pytest.approx(other.share, abs=2e-3)
    assert np.mean(one.flagged == other.flagged) > 0.99
    np.testing.assert_allclose(one.class_probabilities.sum(axis=1), 1.0)


def test_units_order_and_repetition(rng):
    score, y = drawn(rng)
    given = mislabel(y, 0.1, 1)[0]
    found = audit_scores(score, given)
    moved = audit_scores(100.0 * score - 7.0, given)
    assert moved.share == pytest.approx(found.share, abs=1e-6)
    margins = margins_of(score, given, 4)
    for unit in (1e-6, 1e6):  # slopes alone do not reach so far
        scaled = audit_scores(unit * margins, given)
        np.testing.assert_allclose(scaled.probability, found.probability, atol=1e-4)
    rows = rng.permutation(y.size)
    shuffled = audit_scores(score[rows], given[rows])
    np.testing.assert_allclose(shuffled.probability, found.probability[rows], atol=1e-4)
    weights = rng.integers(1, 4, y.size)
    weighted = audit_scores(margins, given, sample_weight=weights)
    repeated = audit_scores(np.repeat(margins, weights, 0), np.repeat(given, weights))
    assert weighted.share == pytest.approx(repeated.share, abs=1e-4)
    assert weighted.log_likelihood == pytest.approx(repeated.log_likelihood, rel=1e-6)


def test_a_false_discovery_rate(rng):
    score, y = drawn(rng, 2000, 4, noise=0.3)
    given, wrong = mislabel(y, 0.15, 2)
    half = audit_scores(score, given)
    few, many = audit_scores(score, given, fdr=0.02), audit_scores(score, given, fdr=0.3)
    assert few.named < half.named < many.named
    for found, rate in ((few, 0.02), (many, 0.3)):
        assert (1 - found.probability[found.flagged]).mean() <= rate
        assert np.mean(~wrong[found.flagged]) <= rate + 0.06
        assert (
            found.order[: found.named].tolist()
            == np.flatnonzero(found.flagged)[
                np.argsort(-found.probability[found.flagged], kind="stable")
            ].tolist()
        )


def test_words_frame_and_repr(rng):
    score, y = drawn(rng, 300, 3, noise=0.02)
    y[:10] = (y[:10] + 1) % 3
    words = np.array(["low", "mid", "high"])
    found = audit_scores(score, words[y], classes=words)
    assert found.classes.tolist() == words.tolist()
    frame = found.to_frame()
    assert frame.index[: found.named].tolist() == found.order[: found.named].tolist()
    assert set(frame["suggested"]) <= set(words)
    text = repr(found)
    assert len(text) < 180
    assert f"{found.named} rows are flagged" in text
    for at in np.flatnonzero(found.flagged):
        assert found.suggested[at] != words[y[at]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": np.zeros((30, 5))}, "have shape"),
        ({"scores": np.zeros(30)}, "all the same"),
        ({"scores": np.full((30, 3), 1 / 3)}, "all the same"),
        ({"scores": np.ones((30, 2))}, "all the same"),
        ({"scores": np.arange(30.0)[:, None] - [20, 10]}, "rise from column 0 to column 1"),
        ({"scores": np.ma.masked_less(np.arange(30.0), 1)}, "NaN or infinity .first in row 0"),
        ({"scores": np.full(30, np.nan)}, "NaN or infinity .first in row 0"),
        ({"scores": -np.arange(30.0)}, "fall where the classes rise"),
        ({"scores": np.full((30, 3), 0.4)}, "row 0 is no distribution"),
        ({"fdr": 1.0}, "fdr=1.0 must lie between"),
        ({"scores": np.zeros(29)}, "inconsistent"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_refusals(change, message):
    given = {"scores": np.arange(30.0), "y": np.repeat([1, 2, 3], 10), **change}
    with pytest.raises(ValueError, match=message):
        audit_scores(given.pop("scores"), given.pop("y"), **given)


def test_scores_that_tell_nothing_may_fall_by_chance():
    scores, y = np.arange(40.0), np.tile([3, 1, 2, 2], 10)[::-1]
    y[:4] = 3
    assert -0.4 < spearmanr(scores, y).statistic < -0.05
    assert audit_scores(scores, y).named == 0


def test_clean_generated_grades_are_left_alone():
    """N32: on clean G(0..4, 300) at most 3 % are flagged."""
    for seed in range(5):
        X, y = g(seed, 300)
        found = audit_scores(out_of_fold(X, y, CSVOR(contamination=0)), y)
        assert found.named <= 0.01 * y.size
        assert found.low == 0.0


@pytest.mark.parametrize(
    ("name", "rate", "off", "precision"),
    [("stock", 0.1, 0.03, 0.8), ("stock", 0.2, 0.03, 0.85), ("newthyroid", 0.1, 0.03, 0.9)],
)
def test_known_sets(data_dir, name, rate, off, precision):
    X, y = read_set(data_dir, name)
    given, wrong = mislabel(y, rate, 0)
    d = X.shape[1]
    model = CSVOR(
        30, contamination=rate, kernel="rbf", gamma=0.3 / d, n_components=100, random_state=0
    )
    found = audit_scores(out_of_fold(X, given, model), given)
    assert abs(found.share - wrong.mean()) <= off
    assert wrong[found.flagged].mean() >= precision
    assert abs(found.expected_right - wrong[found.flagged].sum()) <= 0.15 * found.named


def test_columns_in_the_order_of_the_alphabet_are_refused(rng):
    """scikit-learn's probabilities of words have them; in class order they are not."""
    words = np.array(["bad", "fair", "good", "excellent"])
    score, y = drawn(rng, 400, 4, noise=0.1)
    model = LogisticRegression()
    P = cross_val_predict(model, score[:, None], words[y], cv=5, method="predict_proba")
    with pytest.raises(ValueError, match=r"order of the alphabet.*scores\[:, \[0, 2, 3, 1\]\]"):
        audit_scores(P, words[y], classes=words)
    found = audit_scores(P[:, [0, 2, 3, 1]], words[y], classes=words)
    assert found.share <= 0.02
    two = np.array(["poor", "ok"])[(y > 1).astype(int)]
    P = cross_val_predict(model, score[:, None], two, cv=5, method="predict_proba")
    with pytest.raises(ValueError, match="order of the alphabet"):
        audit_scores(P, two, classes=["poor", "ok"])


def test_probabilities_of_fewer_classes_are_no_margins(rng):
    y = drawn(rng, 200, 4)[1]
    P = rng.dirichlet(np.ones(3), 200)
    with pytest.raises(ValueError, match="3 columns that sum to 1, like probabilities of 3 class"):
        audit_scores(P, y)


def test_large_scores_are_those_of_small_ones_whatever_rows_weigh():
    """Squares of the scores by the weights are no numbers; powers of 2 round nothing."""
    X, y = g(0, 60)
    scores, weights = X[:, 0] + X[:, 1], np.random.default_rng(0).integers(1, 4, 60) * 2.0**60
    small = audit_scores(scores, y, sample_weight=weights)
    large = audit_scores(np.ldexp(scores, 495), y, sample_weight=weights)
    assert np.array_equal(small.probability, large.probability)
