"""float32 features are never copied to float64 as a whole, and give the results of float64."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM, audit_labels
from csvor._rows import products
from csvor._rows.blocks import product
from csvor._rows.dense import DenseMatrix
from csvor._rows.products import Products


def problem(n, d, n_classes=5, noise=0.3, seed=0, shift=0.0, dtype=np.float32):
    """Features with labels, one in ten drawn at random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    w = rng.normal(size=d)
    score = X @ w / np.linalg.norm(w) + noise * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    wrong = rng.random(n) < 0.1
    y[wrong] = rng.integers(0, n_classes, wrong.sum())
    return (X + shift).astype(dtype), y


# Tall sets go through compiled loops for float32, small ones through those of whole runs, wide ones
# through multipliers, and more columns than rows through a basis of them.
TALL, SMALL, WIDE, FLAT = (45_000, 10), (300, 6), (300, 90), (60, 100)
CASES = [
    *[(CSVOR(p=p), TALL) for p in (1.0, 1.5)],
    (CSVOR(constraints="implicit", contamination="auto"), TALL),
    (CSVOR(kernel="rbf", n_components=30, random_state=0), TALL),
    (SVOREX(), TALL),
    *[
        pytest.param(estimator, TALL, marks=pytest.mark.slow)
        for estimator in (
            *[CSVOR(p=p) for p in (0.7, 2.0)],
            CSVOR(epsilon=2.0),
            CSVOR(loss="logistic", p=2.0),
            *(SVORIM(), REDSVM()),
        )
    ],
    *[(CSVOR(p=p), WIDE) for p in (0.7, 1.0, 1.5)],
    *[(estimator, WIDE) for estimator in (SVOREX(), REDSVM(), PINSVOR())],
    *[(estimator, SMALL) for estimator in (CSVOR(), SVORIM(), PINSVOR(), CSVOR(kernel="rbf"))],
    (CSVOR(kernel="poly"), SMALL),
    *[(estimator, FLAT) for estimator in (CSVOR(), SVOREX())],
]


@pytest.mark.filterwarnings("ignore:predict never returns:UserWarning")
@pytest.mark.filterwarnings("ignore:All .*boundaries coincide:UserWarning")
@pytest.mark.parametrize(("estimator", "shape"), CASES, ids=str)
def test_results_are_those_of_the_same_values_in_float64(estimator, shape):
    X, y = problem(*shape)
    wide = X.astype(np.float64)
    model = estimator.fit(X, y)
    classes, scores = model.predict(X), model.predict_projection(X)
    outliers, objective = model.outliers_, model.objective_
    coef = model.coef_ if hasattr(model, "coef_") else model.dual_coef_
    assert coef.dtype == model.thresholds_.dtype == model.residuals_.dtype == np.float64
    assert scores.dtype == np.float64
    model.fit(wide, y)
    # Of many rows, loops read float32 as it is: other machine code, whose rounding can lead to
    # another of the local optima that a cap has.
    rel, atol = (1e-4, 0.02) if shape == TALL else (1e-9, 1e-6)
    assert objective == pytest.approx(model.objective_, rel=rel)
    assert np.mean(classes == model.predict(wide)) >= 0.999
    assert np.mean(outliers == model.outliers_) >= 0.999
    np.testing.assert_allclose(scores, model.predict_projection(wide), atol=atol)


@pytest.mark.parametrize("estimator", [CSVOR(), CSVOR(p=2.0), SVOREX()], ids=str)
def test_rounding_to_float32_moves_hardly_a_class(estimator):
    exact, y = problem(50_000, 10, dtype=np.float64)
    rounded = exact.astype(np.float32)
    expected = estimator.fit(exact, y).predict(exact)
    assert np.mean(estimator.fit(rounded, y).predict(rounded) == expected) >= 0.999


def test_a_large_shift_costs_no_digits():
    X, y = problem(30_000, 15, shift=4096.0)
    model, other = CSVOR().fit(X, y), CSVOR().fit(X.astype(np.float64), y)
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(
        model.predict_projection(X), X.astype(np.float64) @ model.coef_, rtol=0, atol=1e-9
    )


def peak_of(work):
    """Largest memory in use during some work, less that at its begin."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("estimator", "layout"),
    [
        *[(CSVOR(), layout) for layout in ("C", "F", "strided")],
        *[(SVOREX(), layout) for layout in ("C", "F", "strided")],
        *[(CSVOR(p=2.0), "strided"), (REDSVM(), "C")],
    ],
    ids=str,
)
def test_a_tall_fit_takes_half_of_x(estimator, layout):
    X, y = problem(200_000, 20)
    if layout == "F":
        X = np.asfortranarray(X)
    elif layout == "strided":
        X = np.repeat(X, 2, axis=1)[:, ::2]
    estimator.fit(X[:30_000], y[:30_000])  # loops are compiled, modules are there
    # A part of 20 000 rows, and the blocks of each thread, do not grow with the rows.
    fixed = 20_000 * 20 * 4 + 4_000_000
    assert peak_of(lambda: estimator.fit(X, y)) <= 0.5 * X.size * 4 + fixed
    assert peak_of(lambda: estimator.predict(X)) <= 0.35 * X.size * 4


def test_a_tall_fit_in_float64_takes_half_of_x():
    X, y = problem(300_000, 10, dtype=np.float64)
    model = CSVOR().fit(X[:50_000], y[:50_000])
    assert peak_of(lambda: model.fit(X, y)) <= 0.5 * X.nbytes + 20_000 * 10 * 8 + 4_000_000


def test_many_rows_against_landmarks_are_never_all_at_hand():
    X, y = problem(100_000, 5)
    model = CSVOR(kernel="rbf", n_components=100, random_state=0).fit(X[:2000], y[:2000])
    assert model.X_fit_.dtype == np.float32
    assert peak_of(lambda: model.predict(X)) <= 0.6 * 8 * 100_000 * 100


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_blocks_are_those_of_the_whole(dtype, monkeypatch):
    rng = np.random.default_rng(0)
    X = (100.0 + rng.normal(size=(3000, 70))).astype(dtype)
    matrix = DenseMatrix(X, np.ones(3000))
    Z = (X.astype(np.float64) - matrix.center) * matrix.factor
    monkeypatch.setattr(products, "_KEPT", 0)
    monkeypatch.setattr(products, "_AT_ONCE", 10_000)
    found = Products(matrix)
    w, v = rng.normal(size=70), rng.normal(size=3000)
    np.testing.assert_allclose(found.matvec(w), Z @ w, atol=1e-11)
    np.testing.assert_allclose(found.transpose_matvec(v), v @ Z, atol=1e-10)
    assert found.mean_square(matrix.ridge) == pytest.approx(np.mean(Z**2 @ (1.0 / matrix.ridge)))
    rows, weights, share = np.arange(5, 900, 2), rng.random(448), rng.normal(size=(3, 448))
    own, mixed = found.sandwich(rows, weights, share)
    np.testing.assert_allclose(own, Z[rows].T @ (weights[:, None] * Z[rows]), atol=1e-10)
    np.testing.assert_allclose(mixed, Z[rows].T @ share.T, atol=1e-10)
    assert ("values" in matrix.__dict__) == (dtype == np.float64)
    np.testing.assert_allclose(product(X, w), X.astype(np.float64) @ w, rtol=1e-13)


@pytest.mark.parametrize("make", [pd.DataFrame, np.asfortranarray, lambda X: X[::-1][::-1]])
def test_what_holds_the_numbers_does_not_matter(make):
    X, y = problem(45_000, 10)
    expected = CSVOR().fit(X, y)
    held = make(X)
    before = np.array(held)
    model = CSVOR().fit(held, y)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-9)
    np.testing.assert_array_equal(model.predict(held), expected.predict(X))
    np.testing.assert_array_equal(np.asarray(held), before)


def test_read_only_features_stay_as_they_are():
    X, y = problem(300, 6)
    before = X.copy()
    for estimator in (CSVOR(), SVOREX(), PINSVOR(tau=0.1), CSVOR(kernel="rbf")):
        free = estimator.fit(X, y).predict(X)
        np.testing.assert_array_equal(X, before)
        X.flags.writeable = False
        np.testing.assert_array_equal(estimator.fit(X, y).predict(X), free)
        X.flags.writeable = True


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.int32, bool])
def test_other_numbers_count_as_float64(dtype):
    X, y = problem(300, 6)
    X = X.astype(dtype)
    np.testing.assert_array_equal(
        CSVOR().fit(X, y).coef_, CSVOR().fit(X.astype(np.float64), y).coef_
    )


def test_sums_of_float32_do_not_overflow():
    X, y = problem(300, 6)
    X[:, 0] = np.where(X[:, 0] > 0, 3e38, 2.9e38)
    with np.errstate(all="raise"), pytest.warns(UserWarning, match="column 0 ranges from"):
        CSVOR().fit(X, y)
    X[7, 3] = np.inf
    with pytest.raises(ValueError, match=r"infinity \(inf\): column 3, row 7"):
        CSVOR().fit(X, y)


@pytest.mark.slow
def test_an_audit_names_the_same_rows():
    X, y = problem(400, 4, n_classes=3)
    one, other = (audit_labels(Z, y, cv=3) for Z in (X, X.astype(np.float64)))
    assert one.share == pytest.approx(other.share, abs=5e-3)
    assert np.mean(one.flagged == other.flagged) >= 0.99
