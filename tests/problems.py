"""Data that several test files share: every draw is written out, so a value can be traced."""

import csv

import numpy as np
import pandas as pd


def b12():
    """One column 0..11, ranks 0, 1, 2 with four rows each."""
    x = np.arange(12.0)
    return x[:, None], np.digitize(x, [4, 8])


def g(seed, n):
    """Two uniform columns, five ranks cut on x1 + x2 / 2."""
    X = np.random.default_rng(seed).uniform(-3, 3, (n, 2))
    return X, np.digitize(X[:, 0] + 0.5 * X[:, 1], [-2, -0.7, 0.7, 2])


def logistic_rows():
    """90 rows, two normal columns, three ranks with logistic noise."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 2))
    z = 1.5 * X[:, 0] - X[:, 1] + rng.logistic(size=90)
    return X, np.digitize(z, [-1, 1])


def noisy_quartiles(seed):
    """300 rows, 4 classes, 15 % of the labels drawn at random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 6))
    w = rng.normal(size=6)
    w /= np.linalg.norm(w)
    s = X @ w + 0.3 * rng.normal(size=300)
    y = np.digitize(s, np.quantile(s, [0.25, 0.5, 0.75])) + 1
    rows = rng.choice(300, 45, replace=False)
    y[rows] = rng.integers(1, 5, 45)
    return X, y


def mislabel(y, share, seed):
    """A copy with int(share * n) labels changed to another class at random, and the mask."""
    rng = np.random.default_rng(seed)
    y = np.array(y)
    classes = np.unique(y)
    rows = rng.choice(y.size, int(share * y.size), replace=False)
    for row in rows:
        y[row] = rng.choice(classes[classes != y[row]])
    wrong = np.zeros(y.size, dtype=bool)
    wrong[rows] = True
    return y, wrong


def read_set(folder, name):
    """Features and labels of a benchmark set: a header, and the label in the last column."""
    with open(folder / f"{name}.csv", newline="") as file:
        rows = list(csv.reader(file))[1:]
    table = np.array(rows, dtype=float)
    return table[:, :-1], table[:, -1].astype(int)


def stated_loss(model, residuals, weights):
    """What residuals ``r^p`` cost under a cap, or where a share of the weight is cut.

    A row that is cut costs the cap, of a trimmed loss 1; the last of these is cut in part.
    """
    if model.epsilon != "auto":
        return weights @ np.minimum(residuals, model.epsilon)
    order = np.argsort(-residuals)
    residuals, weights = residuals[order], weights[order]
    before = np.cumsum(weights) - weights
    cut = np.clip(model.contamination * weights.sum() - before, 0.0, weights)
    return weights @ residuals - cut @ np.maximum(residuals - 1.0, 0.0)


# N27: mean absolute errors of three methods on six data sets.
N27 = pd.DataFrame(
    {
        "A": [0.10, 0.20, 0.15, 0.30, 0.05, 0.40],
        "B": [0.12, 0.25, 0.16, 0.33, 0.09, 0.41],
        "C": [0.50, 0.60, 0.55, 0.70, 0.45, 0.80],
    }
)
# N28: accuracies; A and B are the same method twice.
N28 = pd.DataFrame({"A": [0.9, 0.8, 0.85, 0.7, 0.95, 0.6]})
N28["B"] = N28.A
N28["C"] = [0.5, 0.4, 0.45, 0.3, 0.55, 0.2]
