"""Class probabilities: proportional odds with the score as the one covariate (case N37)."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, getcontext

import numpy as np
import pytest
import skops.io
from scipy.optimize import check_grad, minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.metrics import log_loss

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM
from csvor._estimators.probability import (
    Calibration,
    _Likelihood,
    fit_curve,
    interval_probabilities,
)
from csvor._loss.pairs import count_passed
from problems import b12, logistic_rows

FAMILY = [CSVOR, SVOREX, SVORIM, REDSVM, PINSVOR]


def probabilities(scores, cuts, slope=1.0, predicted=None):
    scores, cuts = np.asarray(scores, float), np.asarray(cuts, float)
    predicted = count_passed(scores, cuts) if predicted is None else np.asarray(predicted)
    return interval_probabilities(scores, cuts, slope, predicted)


def drawn(rng, n, cuts, slope):
    """Scores, and classes from the model itself."""
    scores = rng.uniform(-4, 4, n)
    return scores, np.digitize(scores + rng.logistic(size=n) / slope, cuts)


# From slope and cuts to probabilities.


def test_values_by_hand():
    """f = 0, c = (-1, 1), a = ln 3: P(y <= 1) = 1/(1 + 3) = 1/4, P(y <= 2) = 3/4."""
    np.testing.assert_allclose(probabilities([0.0], [-1, 1], np.log(3.0)), [[0.25, 0.5, 0.25]])


def test_predicted_class_in_a_narrow_interval_is_raised_and_the_row_scaled():
    """f = 0, c = (-1/10, 1/10), a = 1: tails expit(-0.1) = 0.47502, middle 0.04996 -> 0.47502."""
    tail = expit(-0.1)
    proba = probabilities([0.0], [-0.1, 0.1])
    np.testing.assert_allclose(proba, [[1 / 3, 1 / 3, 1 / 3]], rtol=1e-9)
    assert tail > 1 - 2 * tail
    assert proba.argmax() == 1


def test_valid_everywhere(rng):
    for cuts in ([0.0], [-1, 0, 0, 5], [0, 0, 0], [-1e6, 3]):
        scores = np.concatenate([rng.normal(size=200) * 3, cuts, [-1e6, 1e6, 1e300]])
        proba = probabilities(scores, cuts, 2.0)
        assert np.all((proba >= 0) & (proba <= 1))
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_array_equal(proba.argmax(axis=1), count_passed(scores, cuts))


def test_the_upper_tail_is_as_precise_as_the_lower():
    """40 above the lowest cut: its class has e^-40, the middle one (e - 1) e^-40."""
    tail = np.exp(-40.0)
    np.testing.assert_allclose(
        probabilities([40.0], [0, 1])[0], [tail, (np.e - 1) * tail, 1.0], rtol=1e-12
    )
    np.testing.assert_allclose(
        probabilities([-40.0], [-1, 0])[0], [1.0, (np.e - 1) * tail, tail], rtol=1e-12
    )


def test_a_class_between_cuts_in_one_place_has_no_mass():
    """So have the lowest and the highest class beyond infinite cuts."""
    assert probabilities([3.0], [0, 0])[0, 1] == 0.0
    proba = probabilities([-1e300, 0.0, 1e300], [-np.inf, 0, np.inf, np.inf], 2.0, [1, 1, 2])
    np.testing.assert_array_equal(proba[:, [0, 3, 4]], 0.0)
    np.testing.assert_allclose(proba[:, 1], [1.0, 0.5, 0.0], atol=1e-11)


# From rows to slope and cuts.


def test_slope_and_cuts_of_greatest_likelihood(rng):
    """Labels drawn from the model give its slope and cuts back."""
    slope, cuts = fit_curve(*drawn(rng, 20000, [-1.0, 0.2, 1.0], 1.7), np.ones(20000))
    assert slope == pytest.approx(1.7, rel=0.05)
    np.testing.assert_allclose(cuts, [-1.0, 0.2, 1.0], atol=0.07)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_the_maximum_is_that_of_another_minimiser(n_classes, rng):
    """Nelder-Mead on the formula, written out, with no gradient and no log-sums."""
    scores = rng.normal(size=60)
    codes = np.digitize(scores + rng.logistic(size=60), np.linspace(-1, 1, n_classes - 1))
    weights = rng.uniform(0.5, 2.0, 60)

    def loss(theta):
        edges = np.concatenate([[-np.inf], theta[1:], [np.inf]])
        mass = expit(edges[codes + 1] - theta[0] * scores) - expit(edges[codes] - theta[0] * scores)
        return -weights @ np.log(np.maximum(mass, 1e-300))

    slope, cuts = fit_curve(scores, codes, weights)
    start = np.append(1.0, np.linspace(-1, 1, n_classes - 1))
    tight = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 20000, "maxfev": 20000}
    found = minimize(loss, start, method="Nelder-Mead", options=tight | {"adaptive": True}).x
    np.testing.assert_allclose(np.append(slope, slope * cuts), found, rtol=2e-4, atol=2e-4)
    assert loss(np.append(slope, slope * cuts)) <= loss(found) + 1e-4


def test_derivatives_are_those_of_the_value(rng):
    scores, codes = drawn(rng, 50, [-1.0, 0.0, 2.0], 1.0)
    likelihood = _Likelihood(scores, codes, rng.uniform(size=50))
    theta = np.array([0.7, -1.2, 0.1, 0.9])
    assert check_grad(likelihood.value, lambda at: likelihood.derivatives(at)[0], theta) < 1e-6
    step, promised = likelihood.newton_step(theta)
    ahead = likelihood.derivatives(theta + 1e-6 * step)[0]
    behind = likelihood.derivatives(theta - 1e-6 * step)[0]
    gradient = likelihood.derivatives(theta)[0]
    # H step = -gradient
    np.testing.assert_allclose((ahead - behind) / 2e-6, -gradient, rtol=1e-6, atol=1e-8)
    assert promised == pytest.approx(-gradient @ step)


def test_a_weight_counts_as_repetitions(rng):
    scores, codes = drawn(rng, 40, [0.0, 1.0], 1.0)
    weights = rng.integers(1, 4, 40)
    weighted = fit_curve(scores, codes, weights.astype(float))
    n = weights.sum()
    repeated = fit_curve(np.repeat(scores, weights), np.repeat(codes, weights), np.ones(n))
    scaled = fit_curve(scores, codes, 1e-3 * weights)
    for other in (repeated, scaled):
        assert weighted[0] == pytest.approx(other[0], rel=1e-6)
        np.testing.assert_allclose(weighted[1], other[1], rtol=1e-6, atol=1e-6)


def test_a_row_far_on_the_wrong_side_counts_with_its_whole_misfit(rng):
    """The likelihood in 100 digits, where 1e-16 is no floor: one row 150 margins off."""
    getcontext().prec = 100
    scores, codes = drawn(rng, 300, [-1.0, 1.0], 3.0)
    scores, codes = np.append(scores, 150.0), np.append(codes, 0)

    def likelihood(slope, cuts):
        total = Decimal(0)
        for score, code in zip(scores, codes, strict=True):
            passed = [1 / (1 + (Decimal(slope) * Decimal(score - c)).exp()) for c in cuts]
            low, high = ([Decimal(0), *passed, Decimal(1)][code + k] for k in (0, 1))
            total += (high - low).ln()
        return float(total)

    slope, cuts = fit_curve(scores, codes, np.ones(301))
    assert 40 < 150 * slope < 300
    best = likelihood(slope, cuts)
    for factor in (0.98, 1.02):
        assert best > likelihood(factor * slope, cuts / factor)
    for move in (-0.05, 0.05):
        assert best > likelihood(slope, cuts + move)


@pytest.mark.parametrize("n_classes", [2, 3, 20])
@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1.0, 1e150])
def test_separable_rows_have_a_finite_slope(n_classes, scale):
    """Each cut lies between its classes; slope times mean distance is tens, not infinite."""
    codes = np.repeat(np.arange(n_classes), 4)
    scores = scale * np.arange(codes.size)
    slope, cuts = fit_curve(scores, codes, np.ones(codes.size))
    spread = np.abs(scores - scores.mean()).mean()
    assert 5 < slope * spread / n_classes < 40
    assert np.all((scores[3:-1:4] < cuts) & (cuts < scores[4::4]))


@pytest.mark.parametrize("sign", [0.0, -1.0])
def test_scores_that_tell_nothing_give_the_shares(sign):
    scores, codes = sign * np.arange(12.0), np.repeat([0, 1, 2], [2, 4, 6])
    slope, cuts = fit_curve(scores, codes, np.ones(12))
    assert slope > 0 and np.all(np.diff(cuts) > 0)
    proba = probabilities(scores, cuts, slope, codes.max() + 0 * codes)
    np.testing.assert_allclose(proba, np.tile([2 / 12, 4 / 12, 6 / 12], (12, 1)), atol=1e-5)


@pytest.mark.parametrize("weight", [1e-12, 1e-200, 5e-324, 1e200])
def test_a_class_of_hardly_any_weight_keeps_its_place(weight):
    codes = np.repeat([0, 1, 2], 4)
    for k in range(3):
        slope, cuts = fit_curve(np.arange(12.0), codes, np.where(codes == k, weight, 1.0))
        assert np.isfinite(slope) and slope > 0
        assert np.diff(cuts)[0] > 0


def test_many_rows_are_told_by_a_part(rng):
    """Classes in a cycle, which a part taken at even distances would see only one of."""
    scores = 2.0 * rng.normal(size=60_000) + np.arange(60_000) % 3
    codes = count_passed(scores + rng.logistic(size=60_000), np.array([-1.0, 1.0]))
    ones, all_kept = np.ones(60_000), np.ones(60_000, bool)
    part = Calibration(scores, codes, ones, all_kept, np.ones(3, bool), 0.0)
    assert part.scores.size == 10_000
    slope, cuts = part.curve
    whole_slope, whole_cuts = fit_curve(scores, codes, ones)
    assert slope == pytest.approx(whole_slope, rel=0.06)
    np.testing.assert_allclose(cuts, whole_cuts, atol=0.1)


@pytest.mark.parametrize("rows", [1, 12, 150])
def test_a_rare_class_among_many_rows_counts_as_it_does_in_all_of_them(rows, rng):
    """Of 12 in 200 000, a random part has none or one; its share decides the cut."""
    scores = rng.normal(size=200_000)
    codes = np.digitize(scores + rng.logistic(size=200_000), [0.0])
    codes[rng.choice(200_000, rows, replace=False)] = 2
    ones, all_kept = np.ones(200_000), np.ones(200_000, bool)
    slope, cuts = Calibration(scores, codes, ones, all_kept, np.ones(3, bool), 0.0).curve
    share = 1.0 - expit(slope * (cuts[1] - scores)).mean()
    assert share == pytest.approx(rows / 200_000, rel=0.05)


def test_rows_that_were_cut_away_do_not_count_unless_the_class_has_no_other(rng):
    scores, codes = drawn(rng, 300, [-1.0, 1.0], 1.5)
    kept = rng.uniform(size=300) < 0.7
    ones, present = np.ones(300), np.array([True, True, False, True])
    slope, cuts = Calibration(scores, codes, ones, kept, present, 5.0).curve
    expected = fit_curve(scores[kept], codes[kept], ones[kept])
    assert slope == pytest.approx(expected[0])
    np.testing.assert_allclose(cuts, 5.0 + expected[1][[0, 1, 1]], rtol=1e-9)

    kept[codes == 2] = False
    slope, cuts = Calibration(scores, codes, ones, kept, present, 0.0).curve
    told = kept | (codes == 2)
    np.testing.assert_allclose(cuts[:2], fit_curve(scores[told], codes[told], ones[told])[1])


# The models.


def n37():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, 1))
    return x, np.digitize(1.5 * x[:, 0] + rng.logistic(size=1000), [-0.7, 0.7])


@pytest.mark.filterwarnings("ignore:All inner boundaries coincide")
@pytest.mark.parametrize("estimator", FAMILY)
def test_n37_every_class_with_rows_has_a_probability(estimator):
    x, y = n37()
    model = estimator().fit(x, y)
    proba = model.predict_proba(x)
    # The slope is that of the rows that are kept: a tenth is cut by CSVOR alone.
    assert proba.min() > (1e-6 if estimator is CSVOR else 1e-4)
    assert log_loss(y, proba) <= 1.2 * 0.857
    np.testing.assert_array_equal(proba.argmax(axis=1), model.predict(x))
    assert model.slope_ > 0 and np.all(np.diff(model.cutpoints_) > 0.1)


def test_n37_all_rows_of_a_class_cut_away():
    """One row of class 0 among those of class 2: cut, and yet the class has a place of its own."""
    x, y = b12()
    y = y + 1
    y[10] = 0
    model = CSVOR(epsilon=1.0).fit(x, y)
    assert model.outliers_[10]
    proba = model.predict_proba(x)
    assert proba.min() > 0
    np.testing.assert_array_equal(proba.argmax(axis=1), model.predict(x))


@pytest.mark.filterwarnings("ignore:All inner boundaries coincide")
@pytest.mark.parametrize("estimator", FAMILY)
def test_a_copy_has_the_same_probabilities(estimator, tmp_path):
    X, y = logistic_rows()
    model = estimator().fit(X, y)
    late = copy.deepcopy(model)  # before any probability was asked for
    with ThreadPoolExecutor(4) as pool:
        several = list(pool.map(lambda _: model.predict_proba(X), range(8)))
    proba = several[0]
    path = tmp_path / "model.skops"
    skops.io.dump(model, path)
    stored = skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))
    copies = [late, copy.copy(model), pickle.loads(pickle.dumps(model)), stored]
    for other in several + [other.predict_proba(X) for other in copies]:
        np.testing.assert_array_equal(other, proba)
    for other in copies:
        assert other.slope_ == model.slope_
        np.testing.assert_array_equal(other.cutpoints_, model.cutpoints_)
    assert not hasattr(clone(model), "slope_")


def test_a_saved_model_holds_no_rows():
    X, y = logistic_rows()
    model = CSVOR().fit(X, y)
    assert model._calibration.scores.size == np.sum(~model.outliers_)
    again = pickle.loads(pickle.dumps(model))
    assert vars(again._calibration).keys() == {"curve"}


def test_another_fit_forgets_the_curve():
    X, y = logistic_rows()
    model = SVORIM().fit(X, y)
    before = model.slope_
    model.fit(10.0 * X[:60], y[:60] > 0)
    assert model.slope_ != before and model.cutpoints_.size == 1
    model.cutpoints_[:] = 7.0  # a copy
    assert model.cutpoints_[0] != 7.0
    assert model.fit(X, y).slope_ == before
