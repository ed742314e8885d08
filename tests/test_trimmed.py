"""Contamination is the share that is cut (case N31): the trimmed loss through the estimator."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR
from problems import g, mislabel, noisy_quartiles, read_set, stated_loss


def n31():
    """1000 rows, 7 classes, a tenth of the labels wrong: features, labels, truth, wrong rows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1000, 8))
    f = X @ rng.normal(size=8) + rng.logistic(size=1000)
    y = np.digitize(f, np.quantile(f, np.arange(1, 7) / 7))
    truth = y.copy()
    rows = rng.choice(1000, 100, replace=False)
    y[rows] = (y[rows] + rng.integers(1, 7, 100)) % 7
    return X, y, truth, y != truth


def of_its_kind(seed):
    """200 to 1000 rows, 2 to 8 columns, 3 to 7 classes, a tenth of the labels wrong."""
    rng = np.random.default_rng(seed)
    n, d, n_classes = rng.integers(200, 1001), rng.integers(2, 9), rng.integers(3, 8)
    X = rng.normal(size=(n, d))
    f = X @ rng.normal(size=d) + rng.logistic(size=n)
    y = np.digitize(f, np.quantile(f, np.arange(1, n_classes) / n_classes))
    return X, mislabel(y, 0.1, seed)[0]


@pytest.mark.parametrize(
    ("contamination", "right"),
    [(0.02, 17), (0.05, 35), (0.1, 54), (0.15, 63), (0.2, 72), (0.3, 80)],
)
def test_n31_the_share_is_flagged_and_holds_the_wrong_labels(contamination, right):
    X, y, truth, wrong = n31()
    model = CSVOR(contamination=contamination).fit(X, y)
    assert model.converged_
    assert model.outliers_.sum() == round(1000 * contamination)
    assert (model.outliers_ & wrong).sum() >= right
    assert model.epsilon_ >= 1.0
    if contamination == 0.15:
        assert np.abs(model.predict(X) - truth).mean() <= 0.83


def test_n31_the_share_is_cut_on_sets_of_its_kind():
    for seed in range(60):
        X, y = of_its_kind(seed)
        for contamination in (0.05, 0.1, 0.2):
            model = CSVOR(contamination=contamination).fit(X, y)
            share = model.outliers_.mean()
            if model.epsilon_ > 1.0:
                assert 0.5 * contamination <= share <= 1.5 * contamination
                # Exactly, but for the row that would be cut in part.
                assert contamination - 1 / y.size < share <= contamination
            else:
                assert share < contamination
                assert np.all(model.residuals_[~model.outliers_] <= 1.0)


def test_no_row_on_its_side_of_the_thresholds_is_cut():
    """Of clean rows far fewer than half have a residual above 1."""
    X, y = g(0, 300)
    model = CSVOR(contamination=0.5, C=10.0).fit(X, y)
    assert model.epsilon_ == 1.0
    assert 0 < model.outliers_.sum() < 30
    np.testing.assert_array_equal(model.outliers_, model.residuals_ > 1.0)


def trimmed_value(model, trimmed, X, y):
    """The trimmed objective that `trimmed` states, at the solution of another model."""
    loss = stated_loss(trimmed, model.residuals(X, y), np.ones(y.size))
    return 0.5 * model.coef_ @ model.coef_ + trimmed.C * loss


def balance_scale():
    datasets = pytest.importorskip("skordinal.datasets", reason="the set comes with skordinal")
    found = datasets.load_balance_scale()
    return np.asarray(found.data, dtype=float), np.asarray(found.target)


@pytest.mark.parametrize("p", [0.7, 1.0, 1.5])
def test_a_clean_set_ends_no_higher_than_the_uncapped_solution(p):
    """625 rows, of which 49 belong to the middle class: a tenth could swallow it whole."""
    X, y = balance_scale()
    model = CSVOR(p=p, contamination=0.1).fit(X, y)
    uncapped = CSVOR(p=p, epsilon=np.inf).fit(X, y)
    assert trimmed_value(model, model, X, y) == pytest.approx(model.objective_, rel=1e-6)
    assert model.objective_ <= trimmed_value(uncapped, model, X, y) * (1 + 1e-6)
    middle = y == model.classes_[1]
    assert middle.sum() == 49
    assert not model.outliers_[middle].all()


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("contamination", [0.1, 0.037])
def test_weights_are_repetitions_of_a_trimmed_fit(p, contamination):
    """Also where the share of the weight is no whole number, so that a row is cut in part."""
    for seed in range(4):
        X, y = noisy_quartiles(seed)
        X, y = X[:119], y[:119]
        times = 1 + np.arange(y.size) % 3
        cut = contamination * times.sum()
        assert cut % 1 > 0.1
        weighted = CSVOR(p=p, contamination=contamination).fit(X, y, sample_weight=times)
        repeated = CSVOR(p=p, contamination=contamination).fit(
            np.repeat(X, times, axis=0), np.repeat(y, times)
        )
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-6)
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(np.repeat(weighted.outliers_, times), repeated.outliers_)
        # The last row may be left in, where it would be cut in part.
        assert cut - times.max() < times[weighted.outliers_].sum() <= cut


@pytest.mark.parametrize("epsilon", [1.0, 1.5, 4.0])
def test_a_number_for_the_cap_is_kept(epsilon):
    X, y = noisy_quartiles(0)
    fits = [CSVOR(C=5, epsilon=epsilon, contamination=c).fit(X, y) for c in (0.0, 0.1, 0.4)]
    for model in fits:
        assert model.epsilon_ == epsilon
        loss = np.minimum(model.residuals_, epsilon).sum()
        assert model.objective_ == pytest.approx(0.5 * model.coef_ @ model.coef_ + 5 * loss)
        np.testing.assert_array_equal(model.coef_, fits[0].coef_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("contamination", [0.05, 0.1, 0.3])
def test_the_alternating_scheme_cuts_the_share_too(contamination):
    for seed in range(4):
        X, y = noisy_quartiles(seed)
        model = CSVOR(contamination=contamination, solver="alternating").fit(X, y)
        assert model.outliers_.sum() == round(300 * contamination)
        assert trimmed_value(model, model, X, y) == pytest.approx(model.objective_, rel=1e-6)
        newton = CSVOR(contamination=contamination).fit(X, y)
        assert newton.objective_ <= model.objective_ * (1 + 1e-6)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.2])
def test_the_share_is_found_inside_the_training_rows(data_dir, rate):
    X, y = read_set(data_dir, "newthyroid")
    X = StandardScaler().fit_transform(X)
    given, wrong = mislabel(y, rate, 0) if rate else (y, np.zeros(y.size, dtype=bool))
    model = CSVOR(contamination="auto").fit(X, given)
    assert model.contamination_ == pytest.approx(wrong.mean(), abs=0.03)
    same = CSVOR(contamination=model.contamination_).fit(X, given)
    np.testing.assert_array_equal(model.coef_, same.coef_)
    assert model.outliers_.mean() <= model.contamination_ + 1e-9
    if rate:
        assert wrong[model.outliers_].mean() > 0.9


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "rbf", "n_components": 30, "random_state": 0},
        {"constraints": "implicit", "p": 1.5},
        {"loss": "logistic", "p": 2.0},
        {"solver": "alternating", "tol": 1e-3},
    ],
    ids=str,
)
def test_the_share_is_found_for_any_form(parameters, rng):
    x = rng.normal(size=(300, 2))
    y = np.digitize(x[:, 0], [-0.7, 0.0, 0.7])
    y[:30] = (y[:30] + 2) % 4
    model = CSVOR(contamination="auto", **parameters).fit(x, y)
    assert model.contamination_ == pytest.approx(0.1, abs=0.05)
    assert model.outliers_[:30].mean() > 0.7


@pytest.mark.parametrize(
    "form",
    [
        lambda X: (X, {}),
        lambda X: (sparse.csr_array(np.where(X > 0.5, X, 0.0)), {}),
        lambda X: (X.astype(np.float32), {"kernel": "rbf"}),
        lambda X: (rbf_kernel(X), {"kernel": "precomputed"}),
        lambda X: (np.repeat(X, 80, axis=1), {"C": 1e-3}),
    ],
    ids=["array", "sparse", "kernel", "precomputed", "wide"],
)
def test_the_share_does_not_depend_on_the_order_of_the_rows(form):
    """Case N72: folds followed positions, and 15 of 34 fits predicted otherwise."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(120, 3))
    y = np.digitize(x.sum(axis=1) + 0.3 * rng.normal(size=120), [-1.0, 1.0])
    y[:12] = (y[:12] + 1) % 3
    weights = 1.0 + rng.integers(0, 2, 120)
    X, parameters = form(x)
    rows = rng.permutation(120)
    X_moved = X[rows]
    if parameters.get("kernel") == "precomputed":
        X_moved = X_moved[:, rows]
    here, there = (
        CSVOR(contamination="auto", **parameters).fit(*data)
        for data in ((X, y, weights), (X_moved, y[rows], weights[rows]))
    )
    assert here.contamination_ > 0.01
    assert here.contamination_ == pytest.approx(there.contamination_, abs=1e-6)
    np.testing.assert_array_equal(here.predict(X)[rows], there.predict(X_moved))
    np.testing.assert_array_equal(here.outliers_[rows], there.outliers_)


@pytest.mark.parametrize("columns", [5, 70])
@pytest.mark.parametrize("as_form", [np.asarray, sparse.csr_array], ids=["array", "sparse"])
def test_a_class_of_one_row_is_fitted(columns, as_form, rng):
    """Case N68: without its row, 64 columns or more were a division by zero."""
    X, model = as_form(rng.normal(size=(40, columns))), CSVOR(contamination="auto")
    assert model.fit(X, [0] * 39 + [1]).contamination_ == 0.0
    assert model.fit(X, [0] * 20 + [1] * 19 + [2]).contamination_ < 0.01


def test_of_many_rows_a_part_tells_the_share(rng):
    x = rng.normal(size=(30_000, 3))
    y = np.digitize(x.sum(axis=1) + 0.2 * rng.normal(size=30_000), [-1.0, 1.0])
    y[:3000] = (y[:3000] + 1) % 3
    model = CSVOR(contamination="auto").fit(x, y)
    assert model.contamination_ == pytest.approx(0.1, abs=0.01)
    assert CSVOR(contamination="auto", epsilon=2.0).fit(x[:300], y[:300]).contamination_ == 0.0


def test_rows_of_weight_0_far_from_the_origin_move_nothing_over_the_cap(rng):
    """A shift of 1e7 rounds residuals by more than the width of the cap."""
    for _ in range(10):
        X = rng.normal(size=(120, 4))
        y = np.digitize(X.sum(axis=1) + 0.5 * rng.normal(size=120), [-1.0, 1.0])
        y[:12] = (y[:12] + 1) % 3
        weights = np.ones(120)
        weights[-3:] = 0.0
        model = CSVOR(contamination=0.1).fit(X + 1e7, y, weights)
        assert model.outliers_[:-3].sum() <= 11


def test_trimming_begins_where_the_uncapped_loss_ends():
    """A fit without a cap that leaves nothing to cut is not left for one that cuts."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 6))
    y = np.digitize(X.sum(axis=1), [-1.0, 1.0])
    for p in (1.0, 1.5, 2.0):
        for constraints in ("explicit", "implicit"):
            open_end = CSVOR(1e3, p=p, constraints=constraints, contamination=0).fit(X, y)
            assert open_end.residuals_.max() <= 1.0
            trimmed = CSVOR(1e3, p=p, constraints=constraints).fit(X, y)
            assert trimmed.objective_ <= open_end.objective_ * (1 + 1e-3)
            assert not trimmed.outliers_.any()


def test_a_tiny_power_is_a_number():
    x = np.arange(30.0)[:, None]
    model = CSVOR(p=1e-3, epsilon=1.5).fit(x, np.repeat([1, 2, 3], 10))
    assert np.isfinite(model.objective_)


def test_exponential_losses_of_rows_that_are_cut_stay_numbers():
    r = np.random.default_rng(0)
    X = r.normal(size=(60, 2))
    y = np.digitize(X @ [1, 1.0] + 2 * r.logistic(size=60), [-1, 0, 1])
    model = CSVOR(1e4, loss="exponential", epsilon=1.0).fit(X, y)
    assert np.isfinite(model.objective_) and model.outliers_.any()
