"""The family's programs written down a second time, for outside solvers; nothing of csvor is used.

A `*_value` is the objective in its letters at given w, scores f and b. An `*_optimum` takes codes
0..K-1 and ``costs = C * weights``, and gives the least value first, then where it is reached.
"""

import clarabel
import cvxpy as cp
import numpy as np
from scipy import sparse
from scipy.optimize import linprog, minimize


def random_problem(number):
    """X, codes, weights, C, K: 2..7 classes of unlike sizes, and in turn what is hard about some.

    C runs from 1e-2 to 1e3 in the 30 problems of numbers 0..29.
    """
    rng = np.random.default_rng(number)
    n_classes = 2 + number % 6
    n, d = int(rng.integers(3 * n_classes, 41)), int(rng.integers(1, 7))
    if number % 7 == 3:  # fewer rows than columns
        d = n + 3
    drawn = rng.choice(n_classes, n - n_classes, p=rng.dirichlet(np.ones(n_classes)))
    codes = np.concatenate([np.arange(n_classes), drawn])
    X = rng.normal(size=(n, d)) * rng.choice([0.5, 1.0, 3.0], d) + rng.normal(size=d)
    if number % 4 != 2:  # else the labels have nothing to do with the features
        X[:, 0] += codes
    if number % 6 == 5:  # rows that stand there twice, some under another label
        X[n_classes : n // 2] = X[n // 2 : n // 2 + n // 2 - n_classes]
    weights = np.ones(n) if number % 3 == 0 else rng.exponential(size=n) + 0.05
    if number % 5 == 4:  # rows left out by their weight
        weights[n_classes:] *= rng.random(n - n_classes) < 0.8
    C = 10.0 ** (-2 + 5 * ((number * 7) % 30) / 29)
    return X, codes, weights, C, n_classes


def sides(codes, n_classes):
    """+1 where the row belongs above threshold k, -1 where it belongs below."""
    return np.array([[1.0 if code > k else -1.0 for k in range(n_classes - 1)] for code in codes])


def met(codes, n_classes, pairs):
    """1 where the row meets threshold k: the two beside its class, or (implicit) all."""
    if pairs == "implicit":
        return np.ones((codes.size, n_classes - 1))
    return np.array([[float(k in (c - 1, c)) for k in range(n_classes - 1)] for c in codes])


def slack_sum_value(w, f, b, codes, costs, pairs, ridge=False):
    """The objective of SVOREX, SVORIM and (with the ridge, at its best bias) REDSVM."""
    slacks = np.maximum(0.0, 1.0 - sides(codes, b.size + 1) * (f[:, None] - b))
    value = 0.5 * w @ w + costs @ (slacks * met(codes, b.size + 1, pairs)).sum(axis=1)
    if ridge:
        value += 0.5 * np.sum((b - b.mean()) ** 2)
    return value


def slack_sum_optimum(X, codes, costs, n_classes, pairs, *, ridge=False, power=1):
    """min 1/2 |w|^2 [+ 1/2 |theta|^2] + sum costs * slack^power by Clarabel itself.

    Variables: w, a bias (0 without the ridge), theta, one slack a pair. Gives the primal and the
    dual objective, w, and b = theta - bias.
    """
    d, n_thresholds, n_orders = X.shape[1], n_classes - 1, n_classes - 2
    row, threshold = np.nonzero(met(codes, n_classes, pairs))
    side, cost, m = sides(codes, n_classes)[row, threshold], costs[row], row.size
    squares = 2.0 * cost if power == 2 else np.zeros(m)
    P = np.concatenate([np.ones(d), [0.0], np.full(n_thresholds, float(ridge)), squares])
    q = np.concatenate([np.zeros(d + 1 + n_thresholds), cost if power == 1 else np.zeros(m)])
    # bias = 0; side (w.x + bias - theta_k) + slack >= 1; slack >= 0; theta_k <= theta_{k+1}.
    no_bias = np.zeros((1, d + 1 + n_thresholds + m))
    no_bias[0, d] = 0.0 if ridge else 1.0
    margin = side[:, None] * np.hstack([X[row], np.ones((m, 1)), -np.eye(n_thresholds)[threshold]])
    order = np.eye(n_thresholds)[:-1] - np.eye(n_thresholds)[1:]
    A = np.vstack(
        [
            no_bias,
            np.hstack([-margin, -np.eye(m)]),
            np.hstack([np.zeros_like(margin), -np.eye(m)]),
            np.hstack([np.zeros((n_orders, d + 1)), order, np.zeros((n_orders, m))]),
        ]
    )
    bound = np.concatenate([[0.0], -np.ones(m), np.zeros(m + n_orders)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * m + n_orders)]
    program = sparse.diags(P, format="csc"), q, sparse.csc_matrix(A), bound
    found = clarabel.DefaultSolver(*program, cones, settings).solve()
    x = np.array(found.x)
    return found.obj_val, found.obj_val_dual, x[:d], x[d + 1 : d + 1 + n_thresholds] - x[d]


def threshold_room(f, codes, costs, n_classes, pairs, least):
    """Lowest and highest place of each threshold where the slacks f leaves still cost ``least``."""
    row, threshold = np.nonzero(met(codes, n_classes, pairs) * (costs > 0)[:, None])
    side, m, n_thresholds = sides(codes, n_classes)[row, threshold], row.size, n_classes - 1
    order = np.eye(n_thresholds)[:-1] - np.eye(n_thresholds)[1:]
    A = np.vstack(
        [
            np.hstack([side[:, None] * np.eye(n_thresholds)[threshold], -np.eye(m)]),
            np.hstack([order, np.zeros((n_classes - 2, m))]),
            np.concatenate([np.zeros(n_thresholds), costs[row]])[None, :],
        ]
    )
    bound = np.concatenate([side * f[row] - 1.0, np.zeros(n_classes - 2), [least]])
    limits = [(None, None)] * n_thresholds + [(0, None)] * m
    room = np.empty((2, n_thresholds))
    for k in range(n_thresholds):
        for end, sign in enumerate((1.0, -1.0)):
            aim = np.zeros(n_thresholds + m)
            aim[k] = sign
            found = linprog(aim, A, bound, bounds=limits)
            assert found.status in (0, 3), found.message  # 3: without an end
            room[end, k] = found.x[k] if found.status == 0 else -sign * np.inf
    return room


def pair_losses(margin, loss):
    return {
        "hinge": lambda: np.maximum(0.0, 1.0 - margin) ** 2,
        "logistic": lambda: np.log1p(np.exp(-margin)),
        "exponential": lambda: np.exp(-margin),
    }[loss]()


def row_residuals(f, b, codes, pairs, loss, p):
    """r_i^p: the sum of a row's pair losses to the power p/2."""
    margin = sides(codes, b.size + 1) * (f[:, None] - b)
    return (pair_losses(margin, loss) * met(codes, b.size + 1, pairs)).sum(axis=1) ** (p / 2)


CONVEX_ATOMS = {
    "hinge": lambda margin: cp.square(cp.pos(1 - margin)),
    "logistic": lambda margin: cp.logistic(-margin),
    "exponential": lambda margin: cp.exp(-margin),
}


def ordinal_optimum(X, codes, costs, n_classes, pairs, loss, p=2):
    """min 1/2 |w|^2 + sum_i costs_i (sum of row i's pair losses)^(p/2), b ordered, by cvxpy.

    p = 1 is for the hinge: the 2-norm of a row's slacks, a second-order cone.
    """
    w, b = cp.Variable(X.shape[1]), cp.Variable(n_classes - 1)
    side, E = sides(codes, n_classes), met(codes, n_classes, pairs)
    margins = [cp.multiply(side[:, k], X @ w - b[k]) for k in range(n_classes - 1)]
    if p == 1:
        slacks = cp.vstack([cp.multiply(E[:, k], cp.pos(1 - m)) for k, m in enumerate(margins)])
        total = costs @ cp.norm(slacks, 2, axis=0)
    else:
        total = sum((costs * E[:, k]) @ CONVEX_ATOMS[loss](m) for k, m in enumerate(margins))
    order = [cp.diff(b) >= 0] if n_classes > 2 else []
    return solved(cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + total), order), 1e-7)


def descent_optimum(X, codes, costs, n_classes, pairs, loss):
    """The same for p = 2 by SciPy's L-BFGS-B over w, the first threshold and the gaps >= 0."""
    d, side, E = X.shape[1], sides(codes, n_classes), met(codes, n_classes, pairs)
    slope = {
        "logistic": lambda margin: -1.0 / (1.0 + np.exp(margin)),
        "exponential": lambda margin: -np.exp(-margin),
    }[loss]

    def value_and_gradient(theta):
        w, b = theta[:d], np.cumsum(theta[d:])
        margin = side * ((X @ w)[:, None] - b)
        pull = costs[:, None] * E * side * slope(margin)
        by_gaps = np.cumsum(-pull.sum(axis=0)[::-1])[::-1]
        value = 0.5 * w @ w + costs @ (pair_losses(margin, loss) * E).sum(axis=1)
        return value, np.concatenate([w + X.T @ pull.sum(axis=1), by_gaps])

    limits = [(None, None)] * (d + 1) + [(0.0, None)] * (n_classes - 2)
    options = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 50}
    start = np.zeros(d + n_classes - 1)
    found = minimize(value_and_gradient, start, jac=True, bounds=limits, options=options)
    return found.fun


def pinball_value(w, f, b, codes, costs, tau, C2, form):
    """The objective of pin-SVOR, row by row; b are the K + 1 boundaries."""
    total = 0.5 * w @ w + C2 * (b[-1] - b[0])
    for score, j, cost in zip(f, codes, costs, strict=True):
        centre = (b[j] + b[j + 1]) / 2
        high, low = max(0.0, score - (b[j + 1] - 1)), max(0.0, (b[j] + 1) - score)
        if form == "paper":
            up = max(0.0, tau * (score - centre) + (1 - tau) * high)
            down = max(0.0, tau * (centre - score) + (1 - tau) * low)
            total += cost * (up + down)
        else:
            total += cost * (tau * abs(score - centre) + (1 - tau) * (high + low))
    return total


def pinball_optimum(X, codes, costs, n_classes, tau, C2, form):
    """pin-SVOR's primal by cvxpy: the paper's, constraint by constraint, or the code's."""
    n, d = X.shape
    w, b, eta = cp.Variable(d), cp.Variable(n_classes + 1), cp.Variable()
    f, low, high = X @ w, b[codes], b[codes + 1]
    centre = (low + high) / 2
    constraints = [cp.diff(b) >= 0, b[n_classes] - b[0] <= eta]
    if form == "paper":
        xi, xi_star = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
        constraints += [
            tau * (f - centre) <= xi,
            tau * (centre - f) <= xi_star,
            f - (high - 1) + tau * ((high - 1) - centre) <= xi,
            (low + 1) - f + tau * (centre - (low + 1)) <= xi_star,
        ]
        losses = costs @ (xi + xi_star)
    else:
        hinges = cp.pos(1 - (high - f)) + cp.pos(1 - (f - low))
        losses = costs @ ((1 - tau) * hinges + tau * cp.abs(f - centre))
    aim = cp.Minimize(0.5 * cp.sum_squares(w) + losses + C2 * eta)
    return solved(cp.Problem(aim, constraints), 1e-9)


def pinball_dual_optimum(X, codes, costs, n_classes, tau, C2):
    """The dual of the paper's form."""
    n = codes.size
    beta, beta_star = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
    delta, delta_star = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
    order = cp.Variable(n_classes, nonneg=True)
    spread = delta - delta_star
    rows = [(codes == j).astype(float) for j in range(n_classes)]
    constraints = [beta + delta <= costs, beta_star + delta_star <= costs]
    for j in range(n_classes - 1):
        hinges = rows[j + 1] @ beta_star - rows[j] @ beta
        centres = (rows[j] + rows[j + 1]) @ spread
        constraints.append(
            (1 - tau) * hinges + tau / 2 * centres + order[j + 1] - order[j] == 0  # of b_j
        )
    first, last = rows[0], rows[-1]
    constraints += [
        (1 - tau) * (first @ beta_star) + tau / 2 * (first @ spread) + order[0] == C2,
        (1 - tau) * (last @ beta) - tau / 2 * (last @ spread) + order[n_classes - 1] == C2,
    ]
    v = (1 - tau) * (beta_star - beta) + tau * spread
    aim = -0.5 * cp.sum_squares(X.T @ v) + (1 - tau) * cp.sum(beta + beta_star)
    return solved(cp.Problem(cp.Maximize(aim), constraints), 1e-9)


def solved(problem, tol):
    """The least (greatest) value; cvxpy warns where the solver is not sure of it."""
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol)
    return problem.value
