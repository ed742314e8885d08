"""Feature maps: from rows to the basis in which a linear score is fitted, and back.

A kernel k(x, z) = <phi(x), phi(z)> is a linear model in phi. On landmarks L with Gram matrix
K_LL = B B', the map ``Z = k(X, L) B'^-1`` has the same inner products (exactly where L is all rows,
in the sense of Nystroem otherwise), so a penalty on its coefficients is the penalty of the kernel
machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state

from csvor._data.gram_factor import factored
from csvor._rows.storage import as_array, basis_of_rows, variance_of

Array = NDArray[np.float64]

KERNELS = ("linear", "rbf", "poly", "sigmoid", "cosine", "precomputed")
# All attributes that some feature map gives a fitted model.
ATTRIBUTES = ("coef_", "dual_coef_", "X_fit_", "landmarks_", "gamma_", "_kernel")

_PARAMETERS = {
    "rbf": ("gamma",),
    "poly": ("gamma", "coef0", "degree"),
    "sigmoid": ("gamma", "coef0"),
}
# Names of the kernels that have a gamma.
WITH_GAMMA = frozenset(_PARAMETERS)
# Rows whose values against the landmarks are held at once.
_BLOCK = 16_384
# Columns whose middle is so many spreads from 0 lose digits when rows are compared.
_FAR_SPREADS = 100.0


class FeatureMap(Protocol):
    """``mapped`` are the training rows in the basis."""

    mapped: Array

    def attributes_of(self, coef: Array) -> dict[str, Any]: ...


class LinearMap:
    """The features, or a basis of the rows where there are more columns than rows."""

    def __init__(self, X: Any) -> None:
        self._basis = basis_of_rows(X)
        self.mapped = X if self._basis is None else X @ self._basis

    def attributes_of(self, coef: Array) -> dict[str, Any]:
        """The fitted attributes from which scores are computed."""
        return {"coef_": coef if self._basis is None else self._basis @ coef}


@dataclass(frozen=True)
class Kernel:
    """A kernel by name or callable, with the parameters in force at `fit`."""

    name: str | Callable[..., Any]
    gamma: float
    degree: float
    coef0: float

    def __call__(
        self, X: Array, landmarks: Array | None, columns: NDArray[np.intp], first: int = 0
    ) -> Array:
        """Values of rows X, of which the first is row ``first``, against landmarks, in float64.

        These stand in ``columns`` of a precomputed kernel.
        """
        if self.name == "precomputed":
            return X[:, columns].astype(np.float64, copy=False)
        X = X.astype(np.float64, copy=False)
        landmarks = landmarks if landmarks is None else landmarks.astype(np.float64, copy=False)
        if callable(self.name):
            values = as_array(self.name(X, landmarks))
            if values.shape != (X.shape[0], columns.size):
                raise ValueError(
                    f"The callable kernel returned shape {values.shape} for {X.shape[0]} rows "
                    f"against {columns.size}: it must return k(x, z) for every pair of a row of "
                    f"its first and a row of its second argument, {(X.shape[0], columns.size)}."
                )
        else:
            parameters = {name: getattr(self, name) for name in self.parameters}
            if self.name == "rbf" and not (landmarks is None or issparse(X) or issparse(landmarks)):
                X, landmarks = _nearer_to_0(X, landmarks)
            with np.errstate(all="ignore"):  # what comes out is judged below
                values = pairwise_kernels(X, landmarks, metric=self.name, **parameters)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"kernel={self.name!r} gives {values[row, column]} for row {first + row} against "
                f"row {columns[column]}: use another kernel, or other gamma, degree (a whole "
                "number where gamma x.z + coef0 can be negative) and coef0."
            )
        return values

    def scores(
        self, X: Array, landmarks: Array | None, columns: NDArray[np.intp], dual_coef: Array
    ) -> Array:
        """``k(X, landmarks) dual_coef``, block by block: the values take the most memory."""
        blocks = [slice(start, start + _BLOCK) for start in range(0, X.shape[0], _BLOCK)]
        return np.concatenate(
            [self(X[rows], landmarks, columns, rows.start) @ dual_coef for rows in blocks]
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """Those of gamma, coef0 and degree that it has."""
        return _PARAMETERS.get(self.name, ()) if isinstance(self.name, str) else ()


def _nearer_to_0(X: Array, landmarks: Array) -> tuple[Array, Array]:
    """The same less the middle of columns far from 0, of which distances would cancel (N67)."""
    centre, spread = landmarks.mean(axis=0), landmarks.std(axis=0)
    centre[np.abs(centre) <= _FAR_SPREADS * spread] = 0.0
    return (X - centre, landmarks - centre) if centre.any() else (X, landmarks)


class KernelMap:
    """A kernel's basis on landmarks: all rows, or ``n_components`` drawn at random.

    ``positions`` are those of the rows of X among all rows at `fit`.
    """

    def __init__(
        self,
        X: Array,
        positions: NDArray[np.intp],
        kernel: Kernel,
        n_components: int | None,
        random_state: Any,
    ) -> None:
        n = X.shape[0]
        if n_components is None or n_components >= n:
            drawn = np.arange(n)
        else:
            drawn = np.sort(check_random_state(random_state).permutation(n)[:n_components])
        self._kernel = kernel
        self._columns = positions[drawn]
        self._landmarks = None if kernel.name == "precomputed" else X[drawn]
        # Of many rows, values against the landmarks take more memory than all else: block by block.
        values_of = kernel(X[:_BLOCK], self._landmarks, self._columns)
        gram = values_of[drawn] if n <= _BLOCK else kernel(X[drawn], self._landmarks, self._columns)
        uneven = np.abs(gram - gram.T).max()
        if uneven > 1e-6 * np.abs(gram).max():
            raise ValueError(
                f"The kernel is not symmetric: k(x, z) and k(z, x) differ by up to {uneven:.2g}."
            )
        self._factor = factored(gram)
        if drawn.size == n:
            self.mapped = self._factor.landmarks
            return
        self.mapped = np.empty((n, self._factor.landmarks.shape[1]))
        self.mapped[:_BLOCK] = self._factor.mapped(values_of)
        for start in range(_BLOCK, n, _BLOCK):
            block = X[start : start + _BLOCK]
            values_of = kernel(block, self._landmarks, self._columns, start)
            self.mapped[start : start + _BLOCK] = self._factor.mapped(values_of)

    def attributes_of(self, coef: Array) -> dict[str, Any]:
        """The fitted attributes from which scores are computed."""
        attributes: dict[str, Any] = {
            "landmarks_": self._columns,
            "dual_coef_": self._factor.dual(coef),
            "_kernel": self._kernel,
        }
        if self._landmarks is not None:
            attributes["X_fit_"] = self._landmarks
        if "gamma" in self._kernel.parameters:
            attributes["gamma_"] = self._kernel.gamma
        return attributes


def gamma_of(gamma: str | float, X: Array, weights: Array) -> float:
    """The number that ``gamma`` stands for: "scale" and "auto" are those of SVC."""
    if gamma == "scale":
        spread = variance_of(X, weights)
        return 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0
    return 1.0 / X.shape[1] if gamma == "auto" else float(gamma)
