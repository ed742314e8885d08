"""What models say of rows that they have not seen: the same parts for all, nothing of the truth."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from mord import LogisticAT
from numpy.typing import NDArray
from real_errors_sets import Task
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skordinal.classifiers import POM

from csvor import CSVOR

Rows = NDArray[np.int64]
Matrix = NDArray[np.float64]

STRENGTHS = (0.03, 0.3, 3.0)
ROUNDS = (10, 40)
LEAST = 1e-6
PARTS = 5
COMPONENTS = 50
# Settings that are tried: the one with the least log loss out of fold is taken.
CLASSIFIERS: dict[str, Callable[[], list[Any]]] = {
    "logistic": lambda: [LogisticRegression(C=C, max_iter=300) for C in STRENGTHS],
    "boosting": lambda: [
        HistGradientBoostingClassifier(learning_rate=0.2, max_iter=rounds, random_state=0)
        for rounds in ROUNDS
    ],
    "proportional odds": lambda: [POM(max_iter=200)],
    "mord": lambda: [LogisticAT(alpha=1.0 / C, max_iter=200) for C in STRENGTHS[1:]],
    "csvor": lambda: [CSVOR(C=C) for C in STRENGTHS],
}
# These do not take sparse rows: words become the leading components of their matrix.
DENSE = ("boosting", "proportional odds", "mord")
SCORES = (*CLASSIFIERS, "ridge", "stored")


def parts_of(task: Task) -> list[tuple[Rows, Rows]]:
    """Five parts, with groups whole."""
    splitter: Any = StratifiedKFold(PARTS, shuffle=True, random_state=0)
    if task.groups is not None:
        splitter = StratifiedGroupKFold(PARTS, shuffle=True, random_state=0)
    elif np.bincount(task.y).max() < PARTS:
        splitter = KFold(PARTS, shuffle=True, random_state=0)
    return list(splitter.split(task.y, task.y, task.groups))


def out_of_fold(task: Task, name: str) -> Matrix:
    """Probabilities (n, K), or a score (n,) in units of a level."""
    warnings.simplefilter("ignore")  # of classes rarer than the parts, and of limits of iterations
    if name == "stored":
        assert task.stored is not None
        return task.stored
    X, parts = task.features(), parts_of(task)
    words = task.texts is not None
    if name == "ridge":
        return _predicted(
            make_pipeline(_scaler(words), Ridge(1.0 if words else 10.0)), X, task, parts
        )
    if words and name in DENSE:
        X = TruncatedSVD(COMPONENTS, random_state=0).fit_transform(X)
    scaler = _scaler(words and name not in DENSE)
    tried = [
        _probabilities(make_pipeline(scaler, model), X, task, parts)
        for model in CLASSIFIERS[name]()
    ]
    rows = np.arange(task.y.size)
    return min(tried, key=lambda P: -np.log(P[rows, task.y]).mean())


def _scaler(words: bool) -> Any:
    return "passthrough" if words else StandardScaler()


def _predicted(model: Any, X: Any, task: Task, parts: list[tuple[Rows, Rows]]) -> Matrix:
    score = np.empty(task.y.size)
    for train, test in parts:
        score[test] = clone(model).fit(X[train], task.y[train]).predict(X[test])
    return score


def _probabilities(model: Any, X: Any, task: Task, parts: list[tuple[Rows, Rows]]) -> Matrix:
    """Of all classes; those that a part of the rows lacks are all but impossible there."""
    mass = np.full((task.y.size, task.y.max() + 1), LEAST)
    for train, test in parts:
        there, inside = np.unique(task.y[train], return_inverse=True)
        fitted = clone(model).fit(X[train], inside)
        mass[np.ix_(test, there)] += fitted.predict_proba(X[test])
    return mass / mass.sum(axis=1, keepdims=True)
