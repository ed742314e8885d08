"""Small generated data sets in the place of `csvor.datasets`, and estimators for the tests."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import Bunch
from threadpoolctl import threadpool_info


class Sets:
    """`grades` has label noise, `cut` a target cut into classes, `lone` a single class.

    Any NAME.csv in the folder is a data set as well.
    """

    @staticmethod
    def names() -> tuple[str, ...]:
        return ("grades", "cut", "lone")

    @staticmethod
    def info(name: str) -> Bunch:
        return Bunch(spoiled="features" if name == "cut" else "labels")

    @staticmethod
    def load(name: str, folder: Any = None) -> Bunch:
        if name in Sets.names():
            rng = np.random.default_rng(len(name))
            X = np.column_stack([rng.normal(size=(60, 3)), np.ones(60)])
            target = X[:, :3] @ [2.0, 1.0, 0.0] + 0.3 * rng.normal(size=60)
            y = np.ones(60, int) if name == "lone" else 1 + np.argsort(np.argsort(target)) // 20
        else:
            frame = pd.read_csv(Path(folder, f"{name}.csv"))
            y, X = frame.pop("y").to_numpy(), frame.to_numpy()
        return Bunch(
            data=X,
            target=y,
            target_names=["low", "medium", "high"],
            name=name,
        )

    @staticmethod
    def splits(bunch: Bunch) -> list[Any]:
        drawn = StratifiedShuffleSplit(4, train_size=0.75, random_state=0)
        return list(drawn.split(bunch.data, bunch.target))


class Nearest(ClassifierMixin, BaseEstimator):
    """Class of the nearest class mean; quick, and deterministic."""

    def __init__(self, shrink: float = 0.0, wait: float = 0.0) -> None:
        self.shrink = shrink
        self.wait = wait

    def fit(self, X: Any, y: Any) -> "Nearest":
        time.sleep(self.wait)
        self.classes_ = np.unique(y)
        self.means_ = np.array([(1 - self.shrink) * X[y == k].mean(axis=0) for k in self.classes_])
        return self

    def predict(self, X: Any) -> Any:
        far = ((X[:, None, :] - self.means_) ** 2).sum(axis=2)
        return self.classes_[far.argmin(axis=1)]


class Broken(Nearest):
    """Fails on some training parts."""

    def fit(self, X: Any, y: Any) -> "Broken":
        if np.sum(X[:, 0] > 0) % 2:
            raise ArithmeticError("no luck\nwith this split")
        super().fit(X, y)
        return self


class Threads(Nearest):
    """Fails where linear algebra may use more than one thread."""

    def fit(self, X: Any, y: Any) -> "Threads":
        used = {pool["num_threads"] for pool in threadpool_info()}
        if used != {1}:
            raise RuntimeError(f"threads: {used}")
        super().fit(X, y)
        return self
