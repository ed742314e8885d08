"""Kernels: what every method says, held against the kernel written out and against SVC."""

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import manhattan_distances, pairwise_kernels, rbf_kernel
from sklearn.svm import SVC

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM, audit_labels
from csvor._data.kernels import Kernel, KernelMap
from problems import g, mislabel, noisy_quartiles, stated_loss


def named(value):
    """An id that is the same in every process: a function has an address otherwise."""
    return re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", str(value))


def laplacian(X, Z):
    return np.exp(-0.5 * manhattan_distances(X, Z))


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": "auto", "n_components": 40},
    {"kernel": "poly", "degree": 2},
    {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.0},
    {"kernel": "cosine"},
    {"kernel": laplacian},
    {"kernel": "precomputed"},
    {"kernel": "precomputed", "n_components": 60},
]
FAMILY = [
    CSVOR(),
    CSVOR(constraints="implicit", epsilon=2.0),
    CSVOR(loss="logistic", p=2.0),
    SVOREX(),
    SVORIM(),
    REDSVM(),
    PINSVOR(tau=0.1),
]
# Every estimator meets some kernels, every kernel some estimators.
CASES = [(FAMILY[(2 * i + j) % 7], kernel) for i, kernel in enumerate(KERNELS) for j in (0, 3)]
each_kernel = pytest.mark.parametrize("kernel", KERNELS[1:], ids=named)
ignore_indefinite = pytest.mark.filterwarnings("ignore:The kernel is not positive")


def rows():
    """200 rows, two columns, five ranks, one in ten wrong."""
    X, y = g(5, 200)
    return X, mislabel(y, 0.1, 0)[0]


def configured(estimator, kernel, X, **more):
    """The estimator with a kernel and its seed, and X as that kernel takes it."""
    model = clone(estimator).set_params(random_state=0, **kernel, **more)
    return model, rbf_kernel(X, gamma=0.2) if kernel["kernel"] == "precomputed" else X


@ignore_indefinite
@pytest.mark.parametrize(("estimator", "kernel"), CASES, ids=named)
def test_contract(estimator, kernel):
    X, y = rows()
    model, X = configured(estimator, kernel, X)
    before = X.copy()
    assert model.fit(X, y) is model and model.converged_
    np.testing.assert_array_equal(X, before)
    assert hasattr(model, "coef_") == (kernel["kernel"] == "linear")
    assert hasattr(model, "dual_coef_") != hasattr(model, "coef_")

    scores, b = model.predict_projection(X), model.thresholds_
    assert scores.shape == (200,) and b.shape == (4,) and np.all(np.diff(b) >= 0)
    predicted = model.predict(X)
    np.testing.assert_array_equal(predicted, np.sum(scores[:, None] >= b, axis=1))
    decision, mass = model.decision_function(X), model.predict_proba(X)
    assert decision.shape == mass.shape == (200, 5)
    np.testing.assert_array_equal(decision.argmax(axis=1), predicted)
    np.testing.assert_array_equal(mass.argmax(axis=1), predicted)
    np.testing.assert_allclose(mass.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.residuals(X, y), model.residuals_, rtol=1e-6, atol=1e-6)

    again = clone(model).fit(X, y)
    loaded = pickle.loads(pickle.dumps(model))
    for other in (again, loaded):
        np.testing.assert_array_equal(other.predict_projection(X), scores)


def test_they_tell_curved_classes_apart():
    """Rings: no line orders them, any of the curved kernels does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.digitize((X**2).sum(axis=1), [0.5, 1.4, 2.8])
    assert CSVOR().fit(X, y).score(X, y) < 0.5
    for kernel in ({"kernel": "rbf"}, {"kernel": "poly", "degree": 2}, {"kernel": laplacian}):
        for estimator in (CSVOR, SVOREX):
            assert estimator(10.0, **kernel).fit(X, y).score(X, y) >= 0.9, (estimator, kernel)


@pytest.mark.parametrize("kernel", [k for k in KERNELS[1:] if k["kernel"] != "sigmoid"], ids=named)
def test_objective_and_scores_are_those_of_the_kernel(kernel):
    """``1/2 a'Ka`` and C times the trimmed loss, with the kernel between landmarks written out."""
    X, y = rows()
    model, X = configured(CSVOR(C=3.0), kernel, X)
    model.fit(X, y)
    a = model.dual_coef_
    parameters = {"gamma": model.gamma_} if kernel["kernel"] == "rbf" else {}
    if kernel["kernel"] == "poly":
        parameters = {"gamma": model.gamma_, "degree": 2, "coef0": 1.0}
    if kernel["kernel"] == "precomputed":
        assert not hasattr(model, "X_fit_")
        K = X[:, model.landmarks_]
    else:
        L = model.X_fit_
        np.testing.assert_array_equal(L, X[model.landmarks_])
        called = kernel["kernel"] is laplacian
        K = laplacian(X, L) if called else pairwise_kernels(X, L, kernel["kernel"], **parameters)
    np.testing.assert_allclose(model.predict_projection(X), K @ a, rtol=1e-9, atol=1e-9)
    penalty = 0.5 * a @ K[model.landmarks_] @ a
    loss = 3.0 * stated_loss(model, model.residuals_, np.ones(y.size))
    assert model.objective_ == pytest.approx(penalty + loss, rel=1e-6)


@pytest.mark.parametrize("estimator", FAMILY, ids=named)
def test_one_kernel_by_three_names(estimator):
    X, y = rows()
    named = clone(estimator).set_params(kernel="rbf", gamma=0.3).fit(X, y)
    called = clone(estimator).set_params(kernel=lambda X, Z: rbf_kernel(X, Z, 0.3)).fit(X, y)
    given = clone(estimator).set_params(kernel="precomputed").fit(rbf_kernel(X, gamma=0.3), y)
    new = np.random.default_rng(1).uniform(-3, 3, (30, 2))
    truth = named.predict_projection(new)
    np.testing.assert_allclose(called.predict_projection(new), truth, atol=1e-8)
    cross = rbf_kernel(new, X, gamma=0.3)
    np.testing.assert_allclose(given.predict_projection(cross), truth, atol=1e-8)
    np.testing.assert_allclose(given.thresholds_, named.thresholds_, atol=1e-8)


@pytest.mark.parametrize("estimator", FAMILY, ids=named)
@pytest.mark.parametrize(
    "kernel",
    [{"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0}, {"kernel": np.inner}],
    ids=named,
)
def test_the_inner_product_is_the_linear_model(estimator, kernel):
    X, y = noisy_quartiles(3)
    linear = clone(estimator).set_params(tol=1e-8).fit(X, y)
    curved = clone(linear).set_params(**kernel).fit(X, y)
    tight = {"rtol": 1e-4, "atol": 1e-4}
    np.testing.assert_allclose(curved.predict_projection(X), linear.predict_projection(X), **tight)
    np.testing.assert_allclose(curved.thresholds_, linear.thresholds_, **tight)
    assert curved.objective_ == pytest.approx(linear.objective_, rel=1e-6)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_two_classes_are_a_support_vector_machine(C, kernel):
    X, y = rows()
    y = y > 2
    outside = SVC(C=C, kernel=kernel, coef0=1.0, tol=1e-7, random_state=0).fit(X, y)
    truth = outside.decision_function(X)
    for estimator in (SVOREX, SVORIM):
        model = estimator(C=C, kernel=kernel, tol=1e-9).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), truth, rtol=1e-3, atol=1e-3)


EXACT = [k | {"gamma": 0.2} if k["kernel"] == "rbf" else k for k in KERNELS if len(k) == 1]


@pytest.mark.parametrize("estimator", [CSVOR(), CSVOR(p=1.5, epsilon=2.0), SVOREX()], ids=named)
@pytest.mark.parametrize("kernel", EXACT, ids=named)
def test_weights_and_row_order(estimator, kernel):
    """A weight is a number of repetitions, 0 included; the order of the rows does not matter."""
    X, y = rows()
    X, y = X[:90], y[:90]
    times = np.arange(90) % 3
    taken = np.random.default_rng(2).permutation(np.repeat(np.arange(90), times))
    model, gram = configured(estimator, kernel, X)
    model.fit(gram, y, sample_weight=times)
    repeated, rows_taken = configured(estimator, kernel, X[taken])
    repeated.fit(rows_taken, y[taken])
    np.testing.assert_allclose(model.residuals_[taken], repeated.residuals_, atol=1e-4)
    np.testing.assert_allclose(model.thresholds_, repeated.thresholds_, atol=1e-3)
    assert model.objective_ == pytest.approx(repeated.objective_, rel=1e-6)


def test_audit_with_a_kernel():
    X = np.random.default_rng(0).normal(size=(300, 2))
    true = np.digitize((X**2).sum(axis=1), [0.5, 1.4, 2.8])
    y, wrong = mislabel(true, 0.1, 0)
    model = CSVOR(C=10.0, kernel="rbf", n_components=80, random_state=0)
    audit = audit_labels(X, y, model)
    assert wrong[audit.order[:20]].mean() >= 0.9
    assert wrong[audit_labels(X, y, CSVOR()).order[:20]].mean() <= 0.5


def test_many_rows_are_mapped_block_by_block(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    y = np.digitize(X[:, 0] ** 2, [0.3, 1.0])
    model = CSVOR(kernel="rbf", n_components=60, random_state=0)
    whole = clone(model).fit(X, y).predict_projection(X)
    monkeypatch.setattr("csvor._data.kernels._BLOCK", 64)
    np.testing.assert_allclose(clone(model).fit(X, y).predict_projection(X), whole, rtol=1e-9)

    def spoilt(A, B):
        values = A @ B.T
        values[A[:, 0] == X[300, 0]] = np.nan
        return values

    with pytest.raises(ValueError, match="for row 300 against row"):
        KernelMap(X, np.arange(500), Kernel(spoilt, 1.0, 1.0, 0.0), 60, 0)
