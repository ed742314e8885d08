"""Feature maps: from rows to the basis in which a linear score is fitted, and back.

A kernel k(x, z) = <phi(x), phi(z)> is a linear model in phi. On landmarks L with Gram matrix
K_LL = U diag(l) U', the map ``Z = k(X, L) U diag(l)^-1/2`` has the same inner products (exactly
where L is all rows, in the sense of Nystroem otherwise), so a penalty on its coefficients is the
penalty of the kernel machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state

Array = NDArray[np.float64]

# Directions of the Gram matrix below this share of its largest eigenvalue are rounding.
_RANK = 1e-12

# k(X, L, columns): kernel values of rows X against landmarks L, which stand in these columns of
# a precomputed Gram matrix.
Kernel = Callable[[Array, Array, NDArray[np.intp]], Array]


class FeatureMap(Protocol):
    """``mapped`` are the training rows in the basis."""

    mapped: Array

    def score_of(self, coef: Array) -> dict[str, Any]: ...


class LinearMap:
    """The features, or an orthonormal basis of the rows where there are more columns than rows."""

    def __init__(self, X: Array) -> None:
        n, d = X.shape
        self._basis = np.linalg.qr(X.T)[0] if d > n else None
        self.mapped = X if self._basis is None else X @ self._basis

    def score_of(self, coef: Array) -> dict[str, Any]:
        """The fitted attributes from which scores are computed."""
        return {"coef_": coef if self._basis is None else self._basis @ coef}


class KernelMap:
    """A kernel's basis on landmarks: all rows, or ``n_components`` drawn at random."""

    def __init__(
        self, X: Array, kernel: Kernel, n_components: int | None, random_state: Any
    ) -> None:
        n = X.shape[0]
        if n_components is None or n_components >= n:
            landmarks = np.arange(n)
        else:
            landmarks = np.sort(check_random_state(random_state).permutation(n)[:n_components])
        self._landmarks = X[landmarks]
        self._columns = landmarks
        gram = kernel(X, self._landmarks, landmarks)
        values, vectors = eigh(gram[landmarks])
        if values[0] < -1e-6 * values[-1]:
            warnings.warn(
                f"The kernel is not positive semi-definite (smallest eigenvalue {values[0]:.2g}, "
                f"largest {values[-1]:.2g}); its negative part is left out. Use another kernel "
                "or other gamma and coef0.",
                UserWarning,
                stacklevel=5,
            )
        kept = values > _RANK * values[-1]
        if not kept.any():
            raise ValueError("The kernel is zero on all rows; rows must not all be at the origin.")
        self._basis = vectors[:, kept] * values[kept] ** -0.5
        self.mapped = gram @ self._basis

    def score_of(self, coef: Array) -> dict[str, Any]:
        """The fitted attributes from which scores are computed."""
        return {
            "X_fit_": self._landmarks,
            "landmarks_": self._columns,
            "dual_coef_": self._basis @ coef,
        }


def kernel_function(
    kernel: str | Callable[..., Any], *, gamma: float | None, degree: float, coef0: float
) -> Kernel:
    """The kernel of that name, or the callable, which maps (X, L) to (n_rows, n_landmarks)."""
    if callable(kernel):
        return lambda X, L, columns: np.asarray(kernel(X, L), dtype=np.float64)
    if kernel == "precomputed":
        return lambda X, L, columns: X[:, columns]
    parameters = {
        "rbf": {"gamma": gamma},
        "poly": {"gamma": gamma, "coef0": coef0, "degree": degree},
        "sigmoid": {"gamma": gamma, "coef0": coef0},
        "cosine": {},
    }[kernel]
    return lambda X, L, columns: pairwise_kernels(X, L, metric=kernel, **parameters)
