"""What must be equal by mathematics: between the methods, with scikit-learn, between kernels."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM
from exact_programs import random_problem, sides, slack_sum_optimum, slack_sum_value

# Convex, so that two roads to one problem must end at one objective.
ESTIMATORS = {
    "SVOREX": lambda **kernel: SVOREX(2.0, tol=1e-8, **kernel),
    "SVORIM": lambda **kernel: SVORIM(2.0, tol=1e-8, **kernel),
    "REDSVM": lambda **kernel: REDSVM(2.0, tol=1e-8, **kernel),
    "PINSVOR": lambda **kernel: PINSVOR(2.0, tau=0.1, tol=1e-9, **kernel),
    "CSVOR": lambda **kernel: CSVOR(2.0, p=2, epsilon=np.inf, **kernel),
    "CSVOR-logistic": lambda **kernel: CSVOR(
        2.0, p=2, epsilon=np.inf, loss="logistic", constraints="implicit", **kernel
    ),
}
TWO_CLASSES = [number for number in range(30) if random_problem(number)[4] == 2]
every_estimator = pytest.mark.parametrize("build", ESTIMATORS.values(), ids=ESTIMATORS)


def spread_problem(seed=0, n=50, d=4):
    """Weighted rows of four classes, with labels that no line sorts."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    codes = np.digitize(X[:, 0] + 0.7 * rng.normal(size=n), [-0.8, 0.1, 0.9])
    return X, codes, rng.exponential(size=n) + 0.1, rng.normal(size=(40, d))


def assert_same_model(one, other, rows, other_rows=None, rel=1e-6):
    """One objective, and one w: differences of scores agree to the root of that precision."""
    other_rows = rows if other_rows is None else other_rows
    assert one.objective_ == pytest.approx(other.objective_, rel=rel)
    scores, others = one.predict_projection(rows), other.predict_projection(other_rows)
    assert np.ptp(scores) > 0.1
    np.testing.assert_allclose(scores - scores[0], others - others[0], atol=3e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("number", TWO_CLASSES)
def test_two_classes_are_the_support_vector_machine(number, kernel):
    """SVOREX, SVORIM and REDSVM all; scikit-learn's objective is that of its dual."""
    X, codes, weights, C, _ = random_problem(number)
    options = {"kernel": kernel, "gamma": 0.3}
    used = weights > 0  # else scikit-learn refuses the rows
    machine = SVC(C=C, tol=1e-6, random_state=0, **options).fit(X[used], codes[used], weights[used])
    v = np.zeros(used.sum())
    v[machine.support_] = machine.dual_coef_[0]
    gram = pairwise_kernels(X[used], metric=kernel, **({"gamma": 0.3} if kernel == "rbf" else {}))
    dual = np.abs(v).sum() - 0.5 * v @ gram @ v
    for method in (SVOREX, SVORIM, REDSVM):
        model = method(C, **options).fit(X, codes, weights)
        assert dual * (1 - 1e-6) <= model.objective_ <= dual * (1 + 1e-5)
        if kernel == "linear":
            w = machine.coef_[0]
            np.testing.assert_allclose(model.coef_, w, atol=2e-3 * max(1.0, np.abs(w).max()))


@pytest.mark.parametrize("number", TWO_CLASSES)
def test_explicit_and_implicit_are_one_for_two_classes(number):
    X, codes, weights, C, _ = random_problem(number)
    one, other = (method(C).fit(X, codes, weights) for method in (SVOREX, SVORIM))
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.thresholds_, other.thresholds_)
    for options in ({}, {"p": 2.0, "loss": "logistic"}, {"p": 0.7, "epsilon": 2.0}):
        one, other = (
            CSVOR(C, constraints=pairs, **options).fit(X, codes, weights)
            for pairs in ("explicit", "implicit")
        )
        np.testing.assert_array_equal(one.coef_, other.coef_)
        assert one.objective_ == other.objective_


@pytest.mark.parametrize("number", range(0, 30, 3))
def test_redsvm_is_svorim_with_a_ridge_on_its_thresholds(number):
    X, codes, weights, C, n_classes = random_problem(number)
    red, plain = (method(C).fit(X, codes, weights) for method in (REDSVM, SVORIM))

    def ridge(model):
        return 0.5 * np.sum((model.thresholds_ - model.thresholds_.mean()) ** 2)

    w, b = red.coef_, red.thresholds_
    without = slack_sum_value(w, X @ w, b, codes, C * weights, "implicit")
    assert red.objective_ - without == pytest.approx(ridge(red), abs=1e-9 * red.objective_)
    # Each is the better one under its own objective.
    assert plain.objective_ <= without * (1 + 1e-6)
    assert red.objective_ <= (plain.objective_ + ridge(plain)) * (1 + 1e-6)
    if n_classes == 2:
        assert red.objective_ == pytest.approx(plain.objective_, rel=1e-6)


def test_redsvm_is_one_binary_machine_on_copies_of_the_rows():
    """Row i with threshold k becomes (x_i, -e_k) with the label of its side: the reduction."""
    X, codes, weights, _ = spread_problem()
    C, side = 0.7, sides(codes, 4)
    copies = np.vstack([np.hstack([X, np.tile(-np.eye(3)[k], (50, 1))]) for k in range(3)])
    machine = SVC(C=C, kernel="linear", tol=1e-8, random_state=0)
    machine.fit(copies, side.T.ravel(), np.tile(weights, 3))
    model = REDSVM(C, tol=1e-9).fit(X, codes, weights)
    np.testing.assert_allclose(model.coef_, machine.coef_[0, :4], atol=1e-4)
    theta = machine.coef_[0, 4:]
    np.testing.assert_allclose(model.thresholds_, theta - machine.intercept_, atol=1e-4)


@pytest.mark.parametrize("number", range(0, 30, 3))
@pytest.mark.parametrize("pairs", ["explicit", "implicit"])
def test_csvor_with_p_2_and_no_cap_is_the_squared_hinge(number, pairs):
    X, codes, weights, C, n_classes = random_problem(number)
    program = X, codes, C * weights, n_classes, pairs
    primal, dual, w, _ = slack_sum_optimum(*program, power=2)
    assert primal == pytest.approx(dual, rel=1e-9)
    for cap in ({"epsilon": np.inf}, {"contamination": 0.0}, {"epsilon": 1e9}):
        model = CSVOR(C, p=2, constraints=pairs, **cap).fit(X, codes, weights)
        assert model.objective_ == pytest.approx(primal, rel=1e-8)
        np.testing.assert_allclose(model.coef_, w, atol=1e-4 * max(1.0, np.abs(w).max()))


@every_estimator
def test_precomputed_inner_products_are_the_linear_kernel(build):
    X, codes, weights, rows = spread_problem()
    linear = build().fit(X, codes, weights)
    given = build(kernel="precomputed").fit(X @ X.T, codes, weights)
    assert_same_model(linear, given, rows, rows @ X.T)
    w = given.dual_coef_ @ X
    assert 0.5 * w @ w == pytest.approx(0.5 * linear.coef_ @ linear.coef_, rel=1e-3)


@every_estimator
def test_more_columns_than_rows(build):
    """The linear road goes through a basis of the rows, the kernel's through the Gram matrix."""
    X, codes, weights, rows = spread_problem(1, n=30, d=45)
    linear = build().fit(X, codes, weights)
    given = build(kernel=lambda A, B: A @ B.T).fit(X, codes, weights)
    assert_same_model(linear, given, rows)
    # w is in the span of the rows: anything beside it would only cost.
    beside = linear.coef_ - X.T @ np.linalg.lstsq(X.T, linear.coef_, rcond=None)[0]
    np.testing.assert_allclose(beside, 0.0, atol=1e-9)
    wide = np.hstack([X[:, :3], np.zeros((30, 42))])
    assert build().fit(wide, codes, weights).objective_ == pytest.approx(
        build().fit(X[:, :3], codes, weights).objective_, rel=1e-6
    )


@every_estimator
def test_all_rows_as_landmarks_are_the_exact_kernel(build):
    X, codes, weights, rows = spread_problem()
    exact = build(kernel="rbf", gamma=0.3).fit(X, codes, weights)
    for n_components in (50, 1000):
        options = {"kernel": "rbf", "gamma": 0.3, "n_components": n_components}
        sampled = build(**options, random_state=3).fit(X, codes, weights)
        assert_same_model(exact, sampled, rows, rel=1e-9)
    # Fewer landmarks are a smaller space: the optimum there is not lower.
    few = build(kernel="rbf", gamma=0.3, n_components=12, random_state=3).fit(X, codes, weights)
    assert few.dual_coef_.shape == (12,)
    assert few.objective_ >= exact.objective_ * (1 - 1e-6)


@every_estimator
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rbf", {"gamma": 0.3}),
        ("poly", {"gamma": 0.5, "coef0": 2.0, "degree": 2}),
        ("cosine", {}),
    ],
)
def test_a_callable_kernel_is_the_one_it_computes(build, name, options):
    X, codes, weights, rows = spread_problem()
    named = build(kernel=name, **options).fit(X, codes, weights)

    def kernel(A, B):
        return pairwise_kernels(A, B, metric=name, **options)

    called = build(kernel=kernel).fit(X, codes, weights)
    assert_same_model(named, called, rows)
    gram, cross = kernel(X, X), kernel(rows, X)
    given = build(kernel="precomputed").fit(gram, codes, weights)
    assert_same_model(named, given, rows, cross)
