"""Kernels: gamma, landmarks, Gram matrices and what is refused or warned of."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC
from sklearn.utils import get_tags

from csvor import CSVOR, PINSVOR, SVOREX
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
