"""The inner problem against an outside solver, and the paper's scheme against its letter."""

import clarabel
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from csvor import CSVOR
from csvor._loss.margins import HINGE, pair_loss
from csvor._loss.pairs import losses_at
from csvor._loss.stages import Schedule
from csvor._objective.ordinal import OrdinalObjective
from csvor._rows.dense import DenseMatrix, DenseRows
from csvor._solvers.reweight import reweight
from problems import noisy_quartiles

# A single stage with unit weights: the weighted squared hinge itself.
SQUARED = Schedule(2.0)
EXPLICIT = pair_loss(HINGE, "explicit")


def random_problem(seed):
    """A weighted squared ordinal hinge: K in 2..10, and in turn what is hard about some."""
    rng = np.random.default_rng(seed)
    n_classes = 2 + seed % 9
    n = int(rng.integers(3 * n_classes, 60))
    d = int(rng.integers(1, 8))
    kind = seed % 5
    if kind == 0:
        d = n + 5  # fewer rows than columns
    X = rng.normal(size=(n, d))
    codes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    if kind == 1:  # a class with one row
        codes[n_classes:][codes[n_classes:] == 0] = n_classes - 1
    if kind == 2:  # duplicate rows, some with other labels
        X[n // 2 : n // 2 + n // 3] = X[: n // 3]
    if kind == 3:  # labels against the score: thresholds meet
        codes = codes[np.argsort(-X[:, 0])] if n_classes == 2 else codes
        X[:, 0] = -codes + 0.1 * rng.normal(size=n)
        codes = np.where(rng.random(n) < 0.5, (codes * 3) % n_classes, codes)
        codes[:n_classes] = np.arange(n_classes)
    weights = rng.exponential(size=n) * rng.choice([0.0, 1.0, 10.0], n, p=[0.1, 0.7, 0.2])
    return X, codes, weights + 1e-3, n_classes


def clarabel_optimum(X, codes, weights, n_classes):
    """min 1/2 |w|^2 + sum weights (xi^2 + xi*^2) over w, b_1 <= .. <= b_{K-1}, slacks >= 0."""
    d = X.shape[1]
    lower = np.flatnonzero(codes > 0)
    upper = np.flatnonzero(codes < n_classes - 1)
    m = lower.size + upper.size
    P = sparse.diags(
        np.concatenate(
            [np.ones(d), np.zeros(n_classes - 1), 2 * weights[lower], 2 * weights[upper]]
        )
    ).tocsc()
    eye = np.eye(n_classes - 1)
    # 1 - f + b <= xi for the threshold below, 1 + f - b <= xi for the one above.
    A_pairs = np.vstack(
        [
            np.hstack([-X[lower], eye[codes[lower] - 1]]),
            np.hstack([X[upper], -eye[codes[upper]]]),
        ]
    )
    slack_columns = -np.eye(m)
    order = np.zeros((n_classes - 2, d + n_classes - 1 + m))
    for k in range(n_classes - 2):
        order[k, d + k], order[k, d + k + 1] = 1.0, -1.0
    positive = np.hstack([np.zeros((m, d + n_classes - 1)), slack_columns])
    A = sparse.csc_matrix(np.vstack([np.hstack([A_pairs, slack_columns]), order, positive]))
    b = np.concatenate([-np.ones(m), np.zeros(n_classes - 2 + m)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.NonnegativeConeT(b.size)]
    solution = clarabel.DefaultSolver(P, np.zeros(P.shape[0]), A, b, cones, settings).solve()
    assert str(solution.status) in ("Solved", "AlmostSolved")
    return solution.obj_val, solution.obj_val_dual


def minimum(number):
    X, codes, weights, n_classes = random_problem(number)
    matrix = DenseMatrix(X, np.ones(codes.size))
    rows = DenseRows(matrix, codes.astype(np.int32), weights, EXPLICIT.copy())
    problem = OrdinalObjective(rows, n_classes)
    solution = reweight(problem, problem.origin, SQUARED, tol=1e-14, max_iter=100)
    return problem, solution


@pytest.mark.parametrize("number", range(50))
def test_inner_problem_against_clarabel(number):
    problem, solution = minimum(number)
    primal, dual = clarabel_optimum(*random_problem(number))
    assert abs(primal - dual) <= 1e-9 * primal
    assert solution.status.converged
    assert solution.objective == pytest.approx(primal, rel=1e-8)
    assert problem.value(solution.point) == pytest.approx(primal, rel=1e-8)


def test_some_problems_have_an_active_order_constraint():
    """So the test above does meet what it says it meets."""
    active = 0
    for number in range(50):
        problem, solution = minimum(number)
        _, thresholds = problem.split(solution.point)
        assert np.all(np.diff(thresholds) >= 0)
        active += np.any(np.diff(thresholds) == 0)
    assert active >= 8


def letter_of_algorithm_2(X, y, gamma, p, epsilon, delta, n_iter):
    """The paper's scheme with its matrices written out; n_classes = 4, errata mended.

    theta = (b_{y-1} + 1, b_y - 1); pairs with an infinite threshold drop out. With E the 0/1
    mask of the finite pairs and h = (-1, +1) their signs, the slack of pair j is
    (h_j (f - theta_j) + M_j)_+ and M = max(0, -h (f - theta)).
    """
    n, d = X.shape
    codes = y - 1
    E = np.column_stack([codes > 0, codes < 3]).astype(float)
    k = np.column_stack([np.maximum(codes - 1, 0), np.minimum(codes, 2)])
    sign = np.array([-1.0, 1.0])
    M, D = np.zeros((n, 2)), np.ones(n)
    w, b = np.zeros(d), np.zeros(3)
    for _ in range(n_iter):
        # q = theta - h M is what f should equal: sum_j D E (f - q_j)^2, q_j = b_kj + const_j.
        const = np.array([1.0, -1.0]) - sign * M
        W = D[:, None] * E
        total = W.sum(axis=1)
        ridge = gamma * np.eye(d) + X.T @ (total[:, None] * X)
        # w(b) = ridge^-1 X' sum_j W (b_kj + const_j) = B b + a
        pick = np.zeros((n, 3))
        for j in range(2):
            np.add.at(pick, (np.arange(n), k[:, j]), W[:, j])
        B = np.linalg.solve(ridge, X.T @ pick)
        a = np.linalg.solve(ridge, X.T @ (W * const).sum(axis=1))
        # Quadratic in b: rows sqrt(W) (X w(b) - b_kj - const_j), and sqrt(gamma) w(b).
        blocks, rhs = [np.sqrt(gamma) * B], [-np.sqrt(gamma) * a]
        for j in range(2):
            root = np.sqrt(W[:, j])[:, None]
            blocks.append(root * (X @ B - np.eye(3)[k[:, j]]))
            rhs.append(root[:, 0] * (const[:, j] - X @ a))
        A, r = np.vstack(blocks), np.concatenate(rhs)
        b = ordered_least_squares(A, r)
        w = B @ b + a
        f = X @ w
        gaps = sign * (f[:, None] - b[k] - np.array([1.0, -1.0]))
        M = np.maximum(0.0, -gaps)
        g = np.sum((E * (gaps + M)) ** 2, axis=1)
        D = np.where(g ** (p / 2) <= epsilon, p / 2 * (g + delta) ** (p / 2 - 1), 0.0)
    return gamma * w @ w + np.minimum(g ** (p / 2), epsilon).sum(), w, b


def ordered_least_squares(A, r):
    """min |A b - r| with b_1 <= b_2 <= b_3, by trying every set of equal neighbours."""
    groupings = [[0, 1, 2], [0, 0, 1], [0, 1, 1], [0, 0, 0]]
    best = None
    for groups in groupings:
        G = np.eye(max(groups) + 1)[groups]
        b = G @ np.linalg.lstsq(A @ G, r, rcond=None)[0]
        value = np.sum((A @ b - r) ** 2)
        if np.all(np.diff(b) >= -1e-12) and (best is None or value < best[0]):
            best = value, b
    return best[1]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize(("p", "epsilon"), [(1.0, 1.5), (1.5, 4.0), (2.0, 1.5)])
def test_alternating_scheme_follows_the_letter_of_the_paper(number, p, epsilon):
    X, y = noisy_quartiles(number)
    gamma, delta, n_iter = 0.1, 1e-6, 12
    expected, w, b = letter_of_algorithm_2(X, y, gamma, p, epsilon, delta, n_iter)
    C = 0.5 / gamma
    # Started where M = 0 and D = I: at w = 0, b = 0 every finite pair has slack 1.
    losses = np.empty(300)
    losses_at(np.zeros(300), y - 1, np.zeros(3), EXPLICIT, losses)
    assert set(losses) == {1.0, 2.0}
    model = CSVOR(C, p=p, epsilon=epsilon, solver="alternating", tol=0.0, max_iter=n_iter)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert model.n_iter_ == n_iter
    assert model.objective_ / C == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.thresholds_, b, rtol=1e-6, atol=1e-9)


def test_printed_theta_has_no_loss_at_zero():
    """Erratum 1: with theta = (b_{y-1} - 1, b_y + 1) the margin has the wrong sign.

    At w = 0, b = 0 the printed slacks are max(0, theta_1 - f) = max(0, -1) = 0 and
    max(0, f - theta_2) = max(0, -1) = 0 for every row of any data; the slacks of the model are
    max(0, 1 - f + b) = 1 for each finite threshold.
    """
    _, y = noisy_quartiles(0)
    f, b = np.zeros(300), np.zeros(3)
    extended = np.concatenate([[-np.inf], b, [np.inf]])
    printed = (extended[y - 1] - 1, extended[y] + 1)
    assert np.all(np.maximum(0, printed[0] - f) == 0)
    assert np.all(np.maximum(0, f - printed[1]) == 0)
    losses = np.empty(300)
    losses_at(f, y - 1, b, EXPLICIT, losses)
    mended = np.column_stack([extended[y - 1] + 1 - f, f - (extended[y] - 1)])
    assert losses.sum() == np.sum(np.maximum(mended, 0) ** 2)
    # 300 rows, two thresholds each but for the rows of the end classes.
    assert losses.sum() == 600 - np.sum((y == 1) | (y == 4))
