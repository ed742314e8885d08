"""CSVOR keeps what its docstring says: the objective, the residuals, the cap, the predictions."""

import pickle
import warnings

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import csvor
from csvor import CSVOR, PINSVOR, SVOREX
from csvor._estimators.endings import _not_converged
from csvor._solvers.solution import Solution, SolverStatus
from problems import b12, g, logistic_rows, mislabel, noisy_quartiles, stated_loss

PARAMETERS = [
    {},
    {"p": 0.5},
    {"p": 1.5, "C": 0.1},
    {"p": 2.0, "C": 100.0},
    {"epsilon": 1.0},
    {"p": 0.5, "epsilon": 2.0, "C": 10.0},
    {"p": 2.0, "epsilon": 1.5},
    {"epsilon": np.inf},
    {"contamination": 0.4},
    {"solver": "alternating", "epsilon": 1.5, "max_iter": 200, "tol": 1e-3},
]
each_parameters = pytest.mark.parametrize("parameters", PARAMETERS, ids=str)


def wrong_rows(seed=0, n=120):
    """Five classes; one label in ten is wrong."""
    X, y = g(seed, n)
    return X, mislabel(y, 0.1, seed)[0]


def residual_by_hand(model, scores, codes):
    """r_i^p, row by row, as the docstring writes it."""
    b = [-np.inf, *model.thresholds_, np.inf]
    lower = np.array([max(0.0, 1 - f + b[k]) for f, k in zip(scores, codes, strict=True)])
    upper = np.array([max(0.0, 1 + f - b[k + 1]) for f, k in zip(scores, codes, strict=True)])
    return np.sqrt(lower**2 + upper**2) ** model.p


# What the fit minimises and what it leaves behind.


@each_parameters
def test_objective_residuals_and_outliers_are_the_stated_ones(parameters):
    X, y = wrong_rows()
    weights = 1.0 + np.arange(120) % 3
    model = CSVOR(**parameters).fit(X, y, sample_weight=weights)
    residual = residual_by_hand(model, X @ model.coef_, y)
    penalty = 0.5 * model.coef_ @ model.coef_
    loss = stated_loss(model, residual, weights)
    # A score rounds to 1e-14; at p = 1/2 a slack of that size is a residual of 1e-7.
    tight = 1e-10 if model.p >= 1 else 1e-6
    assert model.objective_ == pytest.approx(penalty + model.C * loss, rel=tight)
    np.testing.assert_allclose(model.residuals_, residual, rtol=tight, atol=tight)
    np.testing.assert_allclose(model.residuals(X, y), residual, rtol=tight, atol=tight)
    np.testing.assert_array_equal(model.outliers_, model.residuals_ > model.epsilon_)
    assert model.outliers_.dtype == bool
    assert model.epsilon_ == parameters.get("epsilon", model.epsilon_) >= 1
    assert np.all(np.diff(model.thresholds_) >= 0)
    assert model.objective_history_.shape == (model.n_iter_,)


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
def test_outliers_are_found_again_from_their_residuals(p):
    """No row sits on the cap, where rounding would decide."""
    for number in range(10):
        X, y = wrong_rows(number)
        model = CSVOR(p=p).fit(X, y)
        again = model.residuals(X, y) > model.epsilon_
        np.testing.assert_array_equal(again, model.outliers_)


def test_residuals_of_other_rows_by_hand():
    """w = 1, b = (4, 8): x = 1 is 3 below the first threshold, 7 below the second."""
    model = CSVOR(p=1.5).fit(*b12())
    model.coef_, model.thresholds_ = np.ones(1), np.array([4.0, 8.0])
    found = model.residuals([[1.0], [1.0], [1.0], [4.5], [7.5], [9.0]], [0, 1, 2, 1, 1, 2])
    np.testing.assert_allclose(found, [0.0, 4.0**1.5, 8.0**1.5, 0.5**1.5, 0.5**1.5, 0.0])


def test_two_classes_at_p_2_without_a_cap_are_a_squared_hinge():
    X, rank = logistic_rows()
    y, side = rank > 0, np.where(rank > 0, 1.0, -1.0)

    def objective(theta):
        slack = np.maximum(0.0, 1 - side * (X @ theta[:2] - theta[2]))
        slope = -2 * slack * side
        return (
            0.5 * theta[:2] @ theta[:2] + 3.0 * slack @ slack,
            np.append(theta[:2] + 3.0 * X.T @ slope, -3.0 * slope.sum()),
        )

    options = {"ftol": 1e-15, "gtol": 1e-9}
    best = minimize(objective, np.zeros(3), jac=True, method="L-BFGS-B", options=options)
    model = CSVOR(C=3.0, p=2.0, epsilon=np.inf).fit(X, y)
    assert model.objective_ == pytest.approx(best.fun, rel=1e-10)
    np.testing.assert_allclose([*model.coef_, *model.thresholds_], best.x, rtol=1e-5)
    # scikit-learn penalises the intercept a little, the less the larger its scaling.
    svc = LinearSVC(C=3.0, dual=False, intercept_scaling=1e4, tol=1e-8, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(model.predict(X), svc.predict(X))


def convex_optimum(X, codes, weights, C, p):
    """min 1/2 |w|^2 + C sum_i weights_i r_i^p over w and ordered b, by an outside solver."""
    n_thresholds = codes.max()
    w, b = cp.Variable(X.shape[1]), cp.Variable(n_thresholds)
    above, below = np.flatnonzero(codes > 0), np.flatnonzero(codes < n_thresholds)
    eye = np.eye(codes.size)
    lower = eye[:, above] @ cp.pos(1 - X[above] @ w + b[codes[above] - 1])
    upper = eye[:, below] @ cp.pos(1 + X[below] @ w - b[codes[below]])
    r = cp.norm(cp.vstack([lower, upper]), 2, axis=0)
    cost = 0.5 * cp.sum_squares(w) + C * weights @ (cp.power(r, p) if p > 1 else r)
    return cp.Problem(cp.Minimize(cost), [b[:-1] <= b[1:]]).solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_without_a_cap_the_optimum_is_reached(p, C):
    """For p >= 1 the problem without a cap is convex, so there is one truth."""
    X, y = noisy_quartiles(0)
    X, y = X[:80], y[:80]
    weights = 1.0 + np.arange(80) % 3
    optimum = convex_optimum(X, y - 1, weights, C, p)
    model = CSVOR(C=C, p=p, epsilon=np.inf).fit(X, y, sample_weight=weights)
    assert optimum * (1 - 1e-7) <= model.objective_ <= optimum * (1 + (3e-5 if p == 1 else 1e-8))
    model.set_params(tol=1e-10, max_iter=2000).fit(X, y, sample_weight=weights)
    assert optimum * (1 - 1e-7) <= model.objective_ <= optimum * (1 + 1e-6)
    assert not model.outliers_.any()


# The cap.


@pytest.mark.parametrize("contamination", [0.05, 0.1, 0.25, 0.5])
@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_auto_cap_is_a_quantile_of_the_residuals_but_at_least_one(contamination, p):
    X, y = wrong_rows()
    model = CSVOR(p=p, contamination=contamination, max_iter=1).fit(X, y)
    cap = np.sort(model.residuals_)[int(np.ceil((1 - contamination) * 120 - 1e-9)) - 1]
    assert model.epsilon_ == pytest.approx(max(cap, 1.0), rel=1e-6)
    assert (cap < 1) == (contamination == 0.5)
    # The share is met where the cap is settled; after that rows may move across it.
    assert model.outliers_.mean() <= contamination


@pytest.mark.parametrize(
    "parameters", [{"contamination": 0}, {"epsilon": np.inf}, {"epsilon": 1e9}]
)
def test_no_cap_cuts_nothing(parameters):
    model = CSVOR(**parameters).fit(*wrong_rows())
    assert not model.outliers_.any()
    assert model.epsilon_ == parameters.get("epsilon", np.inf)


def test_contamination_is_not_used_where_the_cap_is_given():
    X, y = wrong_rows()
    model = CSVOR(epsilon=1.5, contamination=0.4).fit(X, y)
    np.testing.assert_array_equal(model.coef_, CSVOR(epsilon=1.5).fit(X, y).coef_)


# The way there.


@each_parameters
@pytest.mark.parametrize("data", [wrong_rows(1), logistic_rows()], ids=["wrong", "logistic"])
def test_the_objective_does_not_rise_once_the_loss_is_settled(parameters, data):
    model = CSVOR(**parameters).fit(*data)
    assert model.converged_
    settled = model.objective_history_[model.settled_from_ :]
    assert settled.size >= 1
    assert np.all(np.diff(settled) <= 1e-9 * settled[:-1])
    assert model.objective_ == pytest.approx(settled.min(), rel=1e-12)


def test_verbose_prints_a_line_for_each_fit_or_for_each_iteration(capsys):
    X, y = wrong_rows()
    model = CSVOR(verbose=2).fit(X, y)
    *iterations, last = capsys.readouterr().out.splitlines()
    assert iterations == [
        f"[CSVOR] iteration {k}: objective {value:.8g}"
        for k, value in enumerate(model.objective_history_, start=1)
    ]
    CSVOR(verbose=1).fit(X, y)
    (line,) = capsys.readouterr().out.splitlines()
    start = f"[CSVOR] objective {model.objective_:.8g} after {model.n_iter_} iterations, "
    assert line.startswith(start)
    assert last.startswith(start)
    assert line.endswith(" s: the objective fell by less than tol")
    CSVOR().fit(X, y)
    assert capsys.readouterr() == ("", "")


# Predictions.


def with_thresholds(thresholds, slope=1.0):
    """A fitted model whose score is the first column, with these thresholds, as cuts too."""
    n_classes = len(thresholds) + 1
    X = np.arange(4.0 * n_classes)[:, None] @ [[1.0, 0.0]]
    model = CSVOR(p=2).fit(X, np.repeat(np.arange(n_classes) * 10, 4))
    model.coef_, model.thresholds_ = np.array([1.0, 0.0]), np.array(thresholds, dtype=float)
    vars(model._calibration)["curve"] = slope, model.thresholds_
    return model


@pytest.mark.parametrize(
    "thresholds",
    [
        [0.0],
        [-1.0, 1.0],
        [0.5, 0.5],
        [-2.0, 0.0, 0.0, 3.0],
        [0.0] * 4,
        [-1e-9, 0.0, 1e-9],
        [-1e6, 7.0],
    ],
    ids=str,
)
@pytest.mark.parametrize("slope", [0.005, 1.0, 10.0])
def test_predictions_agree_for_any_score(thresholds, slope, rng):
    """On, just below, just above and between thresholds, equal ones too, and a million away."""
    b = np.array(thresholds)
    scores = np.concatenate(
        [
            b,
            np.nextafter(b, np.inf),
            np.nextafter(b, -np.inf),
            0.5 * (b[1:] + b[:-1]),
            rng.normal(size=40) * 10.0 ** rng.integers(-9, 7, 40),
            [0.0, -0.0, 1e6, -1e6, 1e300, -1e300],
        ]
    )
    X = np.column_stack([scores, np.zeros(scores.size)])
    model = with_thresholds(thresholds, slope)
    codes = np.array([sum(score >= threshold for threshold in thresholds) for score in scores])
    np.testing.assert_array_equal(model.predict(X), 10 * codes)
    np.testing.assert_array_equal(model.predict_projection(X), scores)
    decision, proba = model.decision_function(X), model.predict_proba(X)
    if len(thresholds) == 1:
        np.testing.assert_array_equal(decision, scores - thresholds[0])
    else:
        assert decision.shape == (scores.size, len(thresholds) + 1)
        np.testing.assert_array_equal(decision.argmax(axis=1), codes)
    assert proba.shape == (scores.size, len(thresholds) + 1)
    np.testing.assert_array_equal(proba.argmax(axis=1), codes)
    assert np.all((proba >= 0) & (proba <= 1))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    assert np.all(
        np.diff(proba.cumsum(axis=1), axis=1) >= 0
    )  # P(y <= k) does not cross P(y <= k+1)


def test_decision_function_and_probabilities_by_hand():
    """f = 0.5, b = (-1, 1): 1.5 above the first threshold, 0.5 below the second."""
    model = with_thresholds([-1.0, 1.0], slope=2.0)
    np.testing.assert_array_equal(model.decision_function([[0.5, 7.0]]), [[-1.5, 0.5, -0.5]])
    below = 1 / (1 + np.exp(-2.0 * (np.array([-1.0, 1.0]) - 0.5)))
    expected = [[below[0], below[1] - below[0], 1 - below[1]]]
    np.testing.assert_allclose(model.predict_proba([[0.5, 7.0]]), expected, rtol=1e-12)


@each_parameters
def test_predictions_of_fitted_models_agree(parameters):
    X, y = wrong_rows(2)
    model = CSVOR(**parameters).fit(X, y)
    far = np.vstack([X, 1e6 * X])
    scores = far @ model.coef_
    np.testing.assert_allclose(model.predict_projection(far), scores, rtol=1e-12)
    codes = (model.predict_projection(far)[:, None] >= model.thresholds_).sum(axis=1)
    np.testing.assert_array_equal(model.predict(far), codes)
    proba = model.predict_proba(far)
    np.testing.assert_array_equal(proba.argmax(axis=1), codes)
    np.testing.assert_array_equal(model.decision_function(far).argmax(axis=1), codes)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    assert model.score(X, y) == np.mean(codes[: y.size] == y)


def test_a_pickled_model_predicts_the_same():
    X, y = wrong_rows()
    model = CSVOR(p=1.5).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.residuals(X, y), model.residuals(X, y))
    np.testing.assert_array_equal(again.outliers_, model.outliers_)


# What is refused.


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"C": 0}, r"'C' parameter of CSVOR must be a float in the range \(0.0, inf\). Got 0 "),
        ({"C": np.inf}, r"'C' parameter of CSVOR .* Got inf "),
        ({"C": np.nan}, r"'C' parameter of CSVOR .* Got nan "),
        ({"C": "1"}, r"'C' parameter of CSVOR .* Got '1' "),
        ({"p": 0}, r"'p' parameter of CSVOR must be a float in the range \(0.0, 2.0\]. Got 0 "),
        ({"p": 2.5}, r"'p' parameter of CSVOR .* Got 2.5 "),
        ({"epsilon": 0.99}, r"'epsilon' .* a str among \{'auto'\} or .* \[1.0, inf\]. Got 0.99 "),
        ({"epsilon": "none"}, r"'epsilon' parameter of CSVOR .* Got 'none' "),
        ({"epsilon": np.nan}, r"'epsilon' parameter of CSVOR .* Got nan "),
        ({"contamination": 0.6}, r"'contamination' .* in the range \[0.0, 0.5\]. Got 0.6 "),
        ({"contamination": -0.1}, r"'contamination' parameter of CSVOR .* Got -0.1 "),
        ({"classes": 3}, r"'classes' parameter of CSVOR must be an array-like or None. Got 3 "),
        ({"solver": "lbfgs"}, r"'solver' .* a str among \{.*'newton'.*\}. Got 'lbfgs' "),
        ({"tol": -1e-9}, r"'tol' parameter of CSVOR .* Got -1e-09 "),
        ({"max_iter": 0}, r"'max_iter' .* an int in the range \[1, inf\). Got 0 "),
        ({"max_iter": 10.0}, r"'max_iter' parameter of CSVOR .* Got 10.0 "),
        ({"verbose": -1}, r"'verbose' parameter of CSVOR .* Got -1 "),
    ],
    ids=str,
)
def test_parameters_out_of_range_are_named(parameters, complaint):
    with pytest.raises(ValueError, match=complaint):
        CSVOR(**parameters).fit(*b12())


@pytest.mark.parametrize(
    ("X", "y", "complaint"),
    [
        ([1.0, 2.0], [0, 1], "Expected 2D array, got 1D array"),
        ([[1.0], [2.0], [3.0]], [0, 1], r"inconsistent numbers of samples: \[3, 2\]"),
        (np.empty((0, 2)), [], r"0 sample\(s\)"),
        (np.empty((3, 0)), [0, 1, 1], r"0 feature\(s\)"),
        ([["a"], ["b"]], [0, 1], "could not convert string to float: 'a'"),
        (np.array([[1j], [2.0]]), [0, 1], "Complex data not supported"),
        ([[1.0], [2.0]], None, "requires y to be passed, but the target y is None"),
    ],
    ids=str,
)
def test_data_of_a_wrong_shape_or_type_are_refused(X, y, complaint):
    with pytest.raises(ValueError, match=complaint):
        CSVOR().fit(X, y)


@pytest.mark.parametrize("classes", ["ab", {"a": 1}, [["a", "b"]], []], ids=str)
def test_what_cannot_be_a_class_list_is_refused(classes):
    with pytest.raises(ValueError, match="classes"):
        CSVOR(classes=classes).fit([[0.0], [1.0]], ["a", "b"])


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_the_scheme_of_the_paper_is_for_the_hinge(loss):
    with pytest.raises(ValueError, match="solver='newton'"):
        CSVOR(solver="alternating", loss=loss).fit(*b12())


def far_value(X, y):
    X = X.copy()
    X[3, 0] = 1e7
    return CSVOR().fit(X, y)


@pytest.mark.parametrize(
    "provoke",
    [
        lambda X, y: CSVOR(max_iter=1).fit(X, y),
        lambda X, y: SVOREX(classes=[0, 1, 2, 3]).fit(X, y),
        lambda X, y: CSVOR().fit(X, y[:, None]),
        lambda X, y: CSVOR().fit(X, np.where(np.arange(y.size) == 5, 99, y)),
        lambda X, y: CSVOR().fit(X * [1e-9, 1.0], y),
        lambda X, y: CSVOR(kernel="sigmoid", coef0=-9.0, gamma=9.0).fit(X, y),
        lambda X, y: PINSVOR(tau=0.9, C=1e-4).fit(X, y),
        lambda X, y: make_pipeline(CSVOR(max_iter=1)).fit(X, y),
        far_value,
    ],
    ids=["limit", "empty", "column", "99", "scale", "kernel", "boundaries", "pipeline", "far"],
)
def test_a_warning_points_at_the_line_that_caused_it(provoke):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        provoke(*logistic_rows())
    assert caught
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("name", ["CSVOR", "SVOREX", "SVORIM", "REDSVM", "PINSVOR"])
@pytest.mark.filterwarnings("ignore:All inner boundaries coincide")
def test_many_fits_are_single_fits(name):
    X, y = wrong_rows()
    X = np.column_stack([X, X[:, 0] ** 2])
    weights = np.arange(len(y)) % 3
    build = getattr(csvor, name)
    first = build(kernel="rbf", n_components=10, random_state=0)
    settings = [{"C": 0.1}, {"C": 3.0, "tol": 1e-5}, {}]
    models = first.fit_many(X, y, settings, weights)
    assert not hasattr(first, "classes_")
    for model, setting in zip(models, settings, strict=True):
        alone = clone(first).set_params(**setting).fit(X, y, weights)
        assert model.get_params() == alone.get_params()
        assert vars(model).keys() == vars(alone).keys()
        for attribute in ("dual_coef_", "thresholds_", "residuals_", "slope_", "objective_"):
            np.testing.assert_array_equal(getattr(model, attribute), getattr(alone, attribute))


def test_many_fits_name_what_they_cannot_vary():
    X, y = wrong_rows()
    for name in ("kernel", "classes", "c"):
        with pytest.raises(ValueError, match=f"settings name '{name}'.*can vary C, constraints"):
            CSVOR().fit_many(X, y, [{}, {name: 1}])
    with pytest.raises(ValueError, match="The 'C' parameter of CSVOR"):
        CSVOR().fit_many(X, y, [{"C": -1.0}])
    with pytest.raises(TypeError, match="ParameterGrid"):
        CSVOR().fit_many(X, y, {"p": [1, 2]})
    assert CSVOR().fit_many(X, y, []) == []


def test_an_objective_of_nothing_has_no_share_to_fall_by():
    solution = Solution(None, None, 0.0, [0.0, 0.0], 0, SolverStatus.MAX_ITER, 2)
    assert "before it had settled" in str(_not_converged(CSVOR(), solution))
