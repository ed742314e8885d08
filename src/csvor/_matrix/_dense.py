"""Dense features, centred and scaled inside so that units do not matter to the solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class DenseMatrix:
    """A private copy ``(X - center) / scale`` of the features.

    The thresholds are free, so a shift of a column changes nothing but its rounding, and a
    scale is undone by ``ridge``, the penalty of each scaled coefficient. The problem solved is
    the one stated in the units of X; only its conditioning changes.
    """

    def __init__(self, X: Array, sample_weight: Array) -> None:
        share = sample_weight / sample_weight.sum()
        self.center = share @ X
        self.values = X - self.center
        spread = np.sqrt(share @ self.values**2)
        # A column whose spread is below the rounding of its values is constant; so is one whose
        # ridge, 1 / spread^2, would leave the range of numbers.
        constant = spread <= np.maximum(1e-15 * np.abs(self.center), 1e-150)
        self.scale = np.where(constant, np.maximum(np.abs(self.center), 1.0), spread)
        self.values /= self.scale
        self.values[:, constant] = 0.0

    @property
    def n_features(self) -> int:
        return self.values.shape[1]

    @property
    def ridge(self) -> Array:
        """``1 / scale^2``: the penalty ``||w||^2`` as seen by the scaled coefficients."""
        return self.scale**-2.0

    def matvec(self, coef: Array) -> Array:
        return self.values @ coef

    def rmatvec(self, u: Array) -> Array:
        """``X' u`` for u of shape (n_samples,) or (n_samples, k)."""
        return self.values.T @ u

    def gram(self, weights: Array) -> Array:
        """``X' diag(weights) X``, from the rows with a weight only."""
        rows = np.flatnonzero(weights)
        part = self.values if rows.size == weights.size else self.values[rows]
        root = part * np.sqrt(weights[rows])[:, None]
        return root.T @ root

    def in_given_units(self, coef: Array) -> tuple[Array, float]:
        """Coefficients for X as given, and what the thresholds gain by it."""
        coef = coef / self.scale
        return coef, float(self.center @ coef)
