"""Kernels: gamma, landmarks, Gram matrices and what is refused or warned of."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC
from sklearn.utils import get_tags

from csvor import CSVOR, PINSVOR, SVOREX, audit_labels
from problems import g, mislabel


def rows():
    """200 rows, two columns, five ranks, one in ten wrong."""
    X, y = g(5, 200)
    return X, mislabel(y, 0.1, 0)[0]


@pytest.mark.filterwarnings("ignore:The kernel is not positive")
@pytest.mark.parametrize("gamma", ["scale", "auto", 0.007])
def test_gamma_is_that_of_svc(gamma):
    X, y = rows()
    X = X * [1.0, 30.0] + 5.0
    expected = SVC(gamma=gamma, random_state=0).fit(X, y)._gamma
    for kernel in ("rbf", "sigmoid"):
        model = SVOREX(1e-3, kernel=kernel, gamma=gamma).fit(X, y)
        assert model.gamma_ == pytest.approx(expected, rel=1e-12)


def test_components_beyond_the_rows_are_all_rows():
    X, y = rows()
    exact = CSVOR(kernel="rbf").fit(X, y)
    for n_components in (200, 201, 10**6):
        model = CSVOR(kernel="rbf", n_components=n_components, random_state=3).fit(X, y)
        np.testing.assert_array_equal(model.landmarks_, np.arange(200))
        np.testing.assert_array_equal(model.dual_coef_, exact.dual_coef_)


def test_random_state_decides_the_landmarks():
    X, y = rows()

    def landmarks(seed):
        model = CSVOR(kernel="rbf", n_components=20, random_state=seed).fit(X, y)
        assert model.dual_coef_.shape == (20,) and model.X_fit_.shape == (20, 2)
        assert np.all(np.diff(model.landmarks_) > 0)
        return model.landmarks_.tolist()

    assert landmarks(0) == landmarks(0) == landmarks(np.random.RandomState(0))
    assert landmarks(0) != landmarks(1)
    generator = np.random.RandomState(5)
    assert landmarks(generator) != landmarks(generator)


def test_many_landmarks_come_near_the_exact_kernel():
    X, y = rows()
    exact = CSVOR(kernel="rbf", epsilon=np.inf).fit(X, y)
    near = CSVOR(kernel="rbf", epsilon=np.inf, n_components=60, random_state=0).fit(X, y)
    assert near.objective_ >= exact.objective_ * (1 - 1e-6)
    assert near.objective_ == pytest.approx(exact.objective_, rel=0.01)
    assert np.mean(near.predict(X) == exact.predict(X)) >= 0.97


def test_an_indefinite_kernel_warns():
    X, y = rows()
    model = CSVOR(kernel="sigmoid", gamma=1.0, coef0=-1.0)
    with pytest.warns(UserWarning, match="not positive semi-definite") as warned:
        model.fit(X, y)
    assert len(warned) == 1 and warned[0].filename == __file__
    assert np.all(np.isfinite(model.predict_projection(X)))


@pytest.mark.parametrize("estimator", [CSVOR(), PINSVOR()], ids=str)
@pytest.mark.parametrize("shape", [(20, 19), (20, 2), (20, 21)])
def test_a_gram_matrix_must_be_square(estimator, shape):
    model = clone(estimator).set_params(kernel="precomputed")
    with pytest.raises(ValueError, match=rf"square matrix at fit, got \({shape[0]}, {shape[1]}\)"):
        model.fit(np.ones(shape), np.arange(20) % 3)


def test_a_gram_matrix_of_other_columns_is_refused():
    X, y = rows()
    model = CSVOR(kernel="precomputed", n_components=30, random_state=0).fit(rbf_kernel(X), y)
    assert model.predict(rbf_kernel(X[:7], X)).shape == (7,)
    with pytest.raises(ValueError, match="X has 30 features, but CSVOR is expecting 200"):
        model.predict(rbf_kernel(X[:7], X[:30]))
    with pytest.raises(ValueError, match="zero on all rows"):
        CSVOR(kernel="precomputed").fit(np.zeros((6, 6)), [1, 2, 3] * 2)


@pytest.mark.parametrize("bad", [{"kernel": "gauss"}, {"gamma": 0.0}, {"n_components": 0}])
def test_wrong_parameters_are_named(bad):
    X, y = rows()
    with pytest.raises(ValueError, match=f"The '{next(iter(bad))}' parameter of CSVOR"):
        CSVOR(**{"kernel": "rbf", **bad}).fit(X, y)


def test_precomputed_is_cut_along_both_sides():
    X, y = rows()
    gram = rbf_kernel(X, gamma=0.5)
    for name in ("linear", "rbf", "precomputed"):
        assert get_tags(CSVOR(kernel=name)).input_tags.pairwise == (name == "precomputed")
    by_gram = cross_val_score(CSVOR(kernel="precomputed"), gram, y, cv=4)
    by_name = cross_val_score(CSVOR(kernel="rbf", gamma=0.5), X, y, cv=4)
    np.testing.assert_array_equal(by_gram, by_name)


def test_another_kernel_leaves_nothing_behind():
    X, y = rows()
    model = CSVOR(kernel="rbf").fit(X, y).set_params(kernel="linear").fit(X, y)
    assert hasattr(model, "coef_")
    for name in ("dual_coef_", "X_fit_", "landmarks_"):
        assert not hasattr(model, name)
    model.set_params(kernel="cosine").fit(X, y)
    assert not hasattr(model, "coef_")


def test_landmarks_keep_memory_small():
    """Some copies of the (rows, landmarks) map, never a matrix of all rows."""
    X, y = g(0, 4000)
    tracemalloc.start()
    try:
        CSVOR(kernel="rbf", n_components=40, random_state=0, epsilon=np.inf).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 8 * 8 * 4000 * 40


@pytest.mark.parametrize("estimator", [CSVOR(), SVOREX(), PINSVOR(tau=0.1)], ids=str)
@pytest.mark.parametrize(
    "kernel",
    [{"kernel": "rbf"}, {"kernel": "rbf", "n_components": 30, "random_state": 0}],
    ids=["exact", "landmarks"],
)
def test_a_weight_of_zero_is_a_row_left_out(estimator, kernel):
    """Neither the spread in gamma="scale" nor the landmarks know the row."""
    X, y = rows()
    X[::7] *= 50.0
    weights = np.ones(y.size)
    weights[::7] = 0.0
    kept = weights > 0
    whole = clone(estimator).set_params(**kernel).fit(X, y, weights)
    part = clone(estimator).set_params(**kernel).fit(X[kept], y[kept])
    assert whole.gamma_ == part.gamma_
    np.testing.assert_array_equal(whole.dual_coef_, part.dual_coef_)
    np.testing.assert_array_equal(whole.landmarks_, np.flatnonzero(kept)[part.landmarks_])
    np.testing.assert_allclose(whole.residuals_, part.residuals(X, y), rtol=1e-9, atol=1e-9)
    assert whole.outliers_.shape == y.shape


def test_a_weight_of_zero_leaves_its_row_and_column_of_a_gram_matrix_out():
    X, y = rows()
    weights = np.ones(y.size)
    weights[::7] = 0.0
    kept = weights > 0
    gram = rbf_kernel(X)
    whole = CSVOR(kernel="precomputed").fit(gram, y, weights)
    part = CSVOR(kernel="precomputed").fit(gram[np.ix_(kept, kept)], y[kept])
    scores = part.predict_projection(gram[:, kept])
    np.testing.assert_allclose(whole.predict_projection(gram), scores, atol=1e-12)


def test_a_weight_is_a_repetition_for_gamma_too():
    X, y = rows()
    weights = np.random.default_rng(0).integers(1, 4, y.size)
    weighted = CSVOR(kernel="rbf").fit(X, y, weights)
    repeated = CSVOR(kernel="rbf").fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.gamma_ == pytest.approx(repeated.gamma_, rel=1e-12)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-5)


def test_a_fitted_kernel_stays_as_it_was():
    X, y = rows()
    model = CSVOR(kernel="poly", degree=2).fit(X, y)
    scores = model.predict_projection(X)
    model.set_params(degree=5, coef0=-1.0, kernel="rbf")
    np.testing.assert_array_equal(model.predict_projection(X), scores)
    model.set_params(kernel="cosine").fit(X, y)
    assert not hasattr(model, "gamma_")


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ({"kernel": lambda X, Z: X @ Z.T + np.nan}, "gives nan for row 0 against row 0"),
        ({"kernel": lambda X, Z: X[:, :1]}, r"returned shape \(\d+, 1\)"),
        ({"kernel": lambda X, Z: X @ Z.T + X[:, :1]}, "not symmetric"),
        ({"kernel": "poly", "degree": 2.5, "coef0": 0.0}, "a whole number"),
        ({"kernel": "poly", "degree": 400, "gamma": 9.0}, "gives inf"),
    ],
    ids=["nan", "shape", "asymmetric", "fraction", "overflow"],
)
def test_a_kernel_without_a_value_is_named(kernel, message):
    X, y = rows()
    with pytest.raises(ValueError, match=message):
        CSVOR(**kernel).fit(X, y)


def test_audit_of_a_gram_matrix_is_that_of_the_rows():
    X, y = rows()
    parts = list(StratifiedKFold(5).split(X, y))  # by default they follow what rows hold
    of_rows = audit_labels(X, y, CSVOR(kernel="rbf", gamma=0.5), cv=parts)
    of_gram = audit_labels(rbf_kernel(X, gamma=0.5), y, CSVOR(kernel="precomputed"), cv=parts)
    for name in ("residual", "score", "probability", "class_probabilities"):
        np.testing.assert_allclose(getattr(of_gram, name), getattr(of_rows, name), atol=1e-6)
    np.testing.assert_array_equal(of_gram.flagged, of_rows.flagged)
