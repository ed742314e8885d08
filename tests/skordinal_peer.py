"""skordinal's SVOR and REDSVM beside ours: the same problem, and its solution in our terms.

Its SVOR has the kernel ``x.z / d`` (so its C is d times ours) and adds 0.001 to ``k(x, x)`` of
each training row, a small ridge on squared slacks; its REDSVM has plain ``x.z``.
"""

import numpy as np

from csvor import REDSVM, SVOREX, SVORIM
from exact_programs import slack_sum_value
from problems import read_set

SETS = {"contact_lenses": 2, "newthyroid": 2, "machine": 2, "bank": 1}  # and how many splits
METHODS = {
    "SVOREX": (SVOREX, "explicit", False),
    "SVORIM": (SVORIM, "implicit", False),
    "REDSVM": (REDSVM, "implicit", True),
}
ON_DIAGONAL = 1e-3


def splits(folder, name):
    """Standardised training rows, their codes, and test rows, of the first splits of a set."""
    X, y = read_set(folder, name)
    codes = np.searchsorted(np.unique(y), y)
    published = folder / f"{name}_splits.npz"
    if published.exists():
        with np.load(published) as parts:
            rows = list(zip(parts["train_idx"], parts["test_idx"], strict=True))
    else:  # machine: 150 rows to train on
        orders = [np.random.default_rng(seed).permutation(codes.size) for seed in range(20)]
        rows = [(order[:150], order[150:]) for order in orders]
    for train, test in rows[: SETS[name]]:
        mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
        varied = spread > 0
        scaled = (X[:, varied] - mean[varied]) / spread[varied]
        yield scaled[train], codes[train], scaled[test]


def fit_peer(method, C, A, codes, tol=1e-3):
    """skordinal's model of our C."""
    from skordinal import classifiers

    _, pairs, ridge = METHODS[method]
    if ridge:
        return classifiers.REDSVM(C=C, kernel="linear", tol=tol).fit(A, codes)
    C = A.shape[1] * C
    return classifiers.SVOR(C=C, kernel="linear", constraints=pairs, tol=tol).fit(A, codes)


def fit_on_its_kernel(method, C, A, codes, B):
    """Ours on the Gram matrix that skordinal uses: thresholds, and scores and classes of rows B."""
    estimator, _, ridge = METHODS[method]
    scale, extra = (1, 0.0) if ridge else (A.shape[1], ON_DIAGONAL)
    gram = A @ A.T / scale + extra * np.eye(A.shape[0])
    model = estimator(scale * C, kernel="precomputed", tol=1e-8).fit(gram, codes)
    rows = B @ A.T / scale
    return model.thresholds_, model.predict_projection(rows), model.predict(rows)


def in_our_terms(peer, A):
    """w and thresholds of a linear model from its scores; A has centred columns.

    The least-squares w of least norm lies in the span of the rows, as the model's own does.
    """
    scores = peer.predict_projection(A.copy())
    columns = np.column_stack([A, np.ones(A.shape[0])])
    *w, bias = np.linalg.lstsq(columns, scores, rcond=None)[0]
    assert np.allclose(columns @ [*w, bias], scores, rtol=1e-9, atol=1e-9)
    return np.array(w), peer.thresholds_ - bias


def objective_in_our_terms(method, C, w, b, A, codes):
    _, pairs, ridge = METHODS[method]
    return slack_sum_value(w, A @ w, b, codes, np.full(codes.size, float(C)), pairs, ridge)
