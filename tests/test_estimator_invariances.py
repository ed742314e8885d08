"""What must not change a fit of CSVOR, and what must change it in a known way.

The problem is not convex: two fits agree because they take the same path to the same place.
"""

import numpy as np
import pytest
from scipy.stats import ortho_group

from csvor import CSVOR
from problems import g, logistic_rows, mislabel, noisy_quartiles

PARAMETERS = [
    {},
    {"p": 0.5, "epsilon": 1.5},
    {"p": 1.5},
    {"p": 1.0, "epsilon": 2.0},
    {"p": 2.0, "contamination": 0.3},
    {"C": 30.0, "epsilon": np.inf},
    {"solver": "alternating", "epsilon": 1.5, "max_iter": 30, "tol": 1e-2},
]


def rows(name):
    """2 to 5 classes, 1 to 6 columns, always with rows that are cut away."""
    if name == "two classes":
        X, y = logistic_rows()
        return X, y > 0
    if name == "one column":
        X, y = noisy_quartiles(4)
        return (X @ np.arange(1.0, 7.0)[:, None] / 6)[:100], y[:100]
    if name == "three classes":
        return logistic_rows()
    if name == "four classes":
        X, y = noisy_quartiles(2)
        return X[:100], y[:100]
    X, y = g(5, 100)
    return X, mislabel(y, 0.1, 0)[0]


NAMES = ["two classes", "one column", "three classes", "four classes", "five classes"]
# Each set of parameters meets some of the data, each of the data some of the parameters.
CASES = [(NAMES[i % 5], PARAMETERS[i % 7]) for i in range(7)] + [(NAMES[0], {}), (NAMES[1], {})]
each_case = pytest.mark.parametrize(("name", "parameters"), CASES, ids=str)


def assert_same_fit(model, other, take=slice(None)):
    """All that is fitted agrees; `other` has the rows `take` of `model`."""
    tight = {"rtol": 1e-6, "atol": 1e-6}
    np.testing.assert_array_equal(model.classes_, other.classes_)
    np.testing.assert_allclose(model.coef_, other.coef_, **tight)
    np.testing.assert_allclose(model.thresholds_, other.thresholds_, **tight)
    assert model.objective_ == pytest.approx(other.objective_, rel=1e-6)
    assert model.epsilon_ == pytest.approx(other.epsilon_, rel=1e-6)
    assert model.slope_ == pytest.approx(other.slope_, rel=1e-3)
    # At p < 1 a residual of rounding size is blown up: compare the slacks behind it.
    power = 1 / model.p
    # They are the differences of the coefficients times features of up to some ten units.
    slacks, others = model.residuals_[take] ** power, other.residuals_**power
    np.testing.assert_allclose(slacks, others, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(model.outliers_[take], other.outliers_)
    assert model.converged_ == other.converged_


@each_case
def test_n16_a_weight_is_a_number_of_repetitions(name, parameters):
    X, y = rows(name)
    times = 1 + np.arange(y.size) % 3
    weighted = CSVOR(**parameters).fit(X, y, sample_weight=times)
    repeated = CSVOR(**parameters).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_same_fit(weighted, repeated, np.repeat(np.arange(y.size), times))


@each_case
def test_n16_weight_zero_leaves_the_row_out(name, parameters):
    X, y = rows(name)
    kept = np.arange(y.size) % 4 != 0
    # What is left out may be anything; its residual and flag are still told.
    X = np.where(kept[:, None], X, 50.0 * X)
    weighted = CSVOR(**parameters).fit(X, y, sample_weight=kept.astype(float))
    dropped = CSVOR(**parameters).fit(X[kept], y[kept])
    assert_same_fit(weighted, dropped, kept)
    np.testing.assert_array_equal(weighted.outliers_, weighted.residuals_ > weighted.epsilon_)


@each_case
def test_weights_scale_as_the_strength(name, parameters):
    X, y = rows(name)
    C = parameters.get("C", 1.0)
    weights = 1.0 + np.arange(y.size) % 2
    halved = CSVOR(**parameters | {"C": 2 * C}).fit(X, y, sample_weight=0.5 * weights)
    assert_same_fit(CSVOR(**parameters).fit(X, y, sample_weight=weights), halved)


@pytest.mark.filterwarnings("ignore:No rows of class")
@pytest.mark.parametrize("gone", [0, 2, 4])
def test_a_class_of_weight_zero_is_a_class_without_rows(gone):
    X, y = rows("five classes")
    weighted = CSVOR().fit(X, y, sample_weight=1.0 * (y != gone))
    dropped = CSVOR(classes=range(5)).fit(X[y != gone], y[y != gone])
    assert_same_fit(weighted, dropped, y != gone)
    np.testing.assert_array_equal(weighted.classes_, range(5))


@pytest.mark.parametrize("seed_of_rows", [5, 26, 33])
@pytest.mark.parametrize("parameters", [{}, {"p": 0.5}, {"epsilon": 1.5}], ids=str)
def test_a_threshold_that_nothing_pulls_at_has_one_place_too(seed_of_rows, parameters):
    """Between two classes with no slack at all, a range of thresholds costs the same."""
    X, y = g(seed_of_rows, 100)
    y, _ = mislabel(y, 0.1, seed_of_rows)
    kept = np.arange(100) % 4 != 0
    weighted = CSVOR(**parameters).fit(X, y, sample_weight=kept)
    assert_same_fit(weighted, CSVOR(**parameters).fit(X[kept], y[kept]), kept)
    order = np.random.default_rng(0).permutation(100)
    model = CSVOR(**parameters).fit(X, y)
    assert_same_fit(model, CSVOR(**parameters).fit(X[order], y[order]), order)


@each_case
def test_the_order_of_the_rows_does_not_matter(name, parameters):
    X, y = rows(name)
    order = np.random.default_rng(1).permutation(y.size)
    model = CSVOR(**parameters).fit(X, y)
    assert_same_fit(model, CSVOR(**parameters).fit(X[order], y[order]), order)


@each_case
def test_a_shift_of_the_columns_moves_the_thresholds_only(name, parameters):
    X, y = rows(name)
    shift = np.linspace(-40.0, 3000.0, X.shape[1])
    model, moved = CSVOR(**parameters).fit(X, y), CSVOR(**parameters).fit(X + shift, y)
    np.testing.assert_array_equal(moved.predict(X + shift), model.predict(X))
    moved.thresholds_ -= moved.coef_ @ shift
    assert_same_fit(model, moved)


@each_case
@pytest.mark.parametrize("scale", [1e-3, 64.0])
def test_one_scale_of_all_columns_is_a_change_of_strength(name, parameters, scale):
    X, y = rows(name)
    C = parameters.get("C", 1.0)
    model = CSVOR(**parameters).fit(X, y)
    scaled = CSVOR(**parameters | {"C": C / scale**2}).fit(scale * X, y)
    np.testing.assert_array_equal(scaled.predict(scale * X), model.predict(X))
    scaled.coef_ *= scale
    scaled.objective_ *= scale**2
    assert_same_fit(model, scaled)


@each_case
def test_columns_can_be_turned(name, parameters):
    """||w|| does not know the axes: permuted, mirrored and rotated columns give the same scores."""
    X, y = rows(name)
    d = X.shape[1]
    turn = ortho_group.rvs(d, random_state=2) if d > 1 else -np.eye(1)
    model, turned = CSVOR(**parameters).fit(X, y), CSVOR(**parameters).fit(X @ turn, y)
    turned.coef_ = turn @ turned.coef_
    assert_same_fit(model, turned)


@each_case
def test_both_ends_are_alike(name, parameters):
    """With the scale read from the other end, scores and thresholds change their sign."""
    X, y = rows(name)
    classes = np.unique(y)
    model = CSVOR(**parameters).fit(X, y)
    mirrored = CSVOR(classes=classes[::-1], **parameters).fit(X, y)
    np.testing.assert_array_equal(mirrored.classes_, classes[::-1])
    if name != "one column":
        np.testing.assert_array_equal(mirrored.predict(X), model.predict(X))
    mirrored.classes_ = classes
    mirrored.coef_ *= -1
    mirrored.thresholds_ = -mirrored.thresholds_[::-1]
    assert_same_fit(model, mirrored)


def test_labels_and_features_negated_together():
    X, y = rows("five classes")
    model, mirrored = CSVOR().fit(X, y), CSVOR().fit(-X, -y)
    np.testing.assert_array_equal(mirrored.classes_, [-4, -3, -2, -1, 0])
    np.testing.assert_allclose(mirrored.coef_, model.coef_, rtol=1e-6)
    np.testing.assert_allclose(mirrored.thresholds_, -model.thresholds_[::-1], rtol=1e-6)
    np.testing.assert_array_equal(mirrored.predict(-X), -model.predict(X))


@pytest.mark.parametrize(
    "names",
    [
        [10, 20, 30, 40, 50],
        [-3, 0, 1, 2, 40],
        [0.0, 1.0, 5.0, 6.0, 9.0],
        ["1", "2", "9", "10", "11"],
        list("edcab"),
        ["no", "No", "NO", "nó", "n o"],
    ],
    ids=str,
)
def test_labels_renamed_in_order_give_the_same_bits(names):
    X, y = rows("five classes")
    model = CSVOR().fit(X, y)
    declare = {"classes": names} if isinstance(names[0], str) and not names[0].isdigit() else {}
    renamed = CSVOR(**declare).fit(X, np.array(names)[y])
    assert renamed.classes_.tolist() == names
    for attribute in ("coef_", "thresholds_", "objective_history_", "residuals_", "outliers_"):
        np.testing.assert_array_equal(getattr(renamed, attribute), getattr(model, attribute))
    np.testing.assert_array_equal(renamed.predict(X), np.array(names)[model.predict(X)])


@pytest.mark.parametrize("parameters", PARAMETERS[:4], ids=str)
def test_a_copied_column_is_the_column_times_the_root_of_two(parameters):
    """Halves of a weight w cost 2 (w/2)^2 / 2, as w / sqrt(2) on the column times sqrt(2)."""
    X, y = rows("three classes")
    copied = CSVOR(**parameters).fit(np.column_stack([X, X[:, 0]]), y)
    scaled = CSVOR(**parameters).fit(X * [np.sqrt(2), 1.0], y)
    np.testing.assert_allclose(copied.coef_[0], copied.coef_[2], rtol=1e-6)
    copied.coef_ = np.array([np.sqrt(2) * copied.coef_[0], copied.coef_[1]])
    assert_same_fit(copied, scaled)


@pytest.mark.parametrize("parameters", PARAMETERS[:6], ids=str)
@pytest.mark.parametrize(("n", "d"), [(6, 40), (25, 25), (40, 41)])
def test_fewer_rows_than_columns(parameters, n, d):
    """Only the rows' own subspace matters: the n coordinates in it give the same fit."""
    X = np.random.default_rng(n).normal(size=(n, d))
    y = np.arange(n) % 3
    axes, coordinates = np.linalg.qr(X.T)
    wide, narrow = CSVOR(**parameters).fit(X, y), CSVOR(**parameters).fit(coordinates.T, y)
    narrow.coef_ = axes @ narrow.coef_
    assert_same_fit(wide, narrow)
    assert np.mean(wide.predict(X) == y) >= 0.9
    assert d < 2 * n or not wide.outliers_.any()


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_two_fits_give_the_same_bits(parameters):
    X, y = rows("four classes")
    model, again = CSVOR(**parameters), CSVOR(**parameters).fit(X, y)
    model.fit(-X[:90, :3], y[:90] > 2)  # forgotten by the next fit
    model.fit(X, y)
    for attribute in ("coef_", "thresholds_", "objective_history_", "residuals_", "slope_"):
        np.testing.assert_array_equal(getattr(model, attribute), getattr(again, attribute))
