"""Projection onto the dual set of a loss (a ball or a box), and its Jacobian.

For losses that are support functions: with the slack arguments x of the pairs (1 - margin),
``c |max(0, x)|`` is the largest ``l.x`` over the ball ``{l >= 0, |l| <= c}``, and
``c sum max(0, x)`` that over the box ``{0 <= l <= c}``. A point ``u = l + rate x`` is brought back
to the nearest one of the set, P(u): the slope of the augmented loss by x, whose curvature is
``rate dP``, each sample with a rate of its own. Arrays hold a row for each pair of a sample, and a
column for each sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ProjectionJacobian:
    """Curvature ``factor (diag(on) - towards towards')`` of the samples that have any."""

    samples: NDArray[np.intp]
    factor: Array
    on: Array
    towards: Array

    def part(self, size: int) -> ProjectionJacobian:
        """That of so many samples, evenly spaced, which stand for all."""
        some = np.arange(size) * self.samples.size // size
        factor = self.factor[some] * (self.samples.size / size)
        return ProjectionJacobian(
            self.samples[some], factor, self.on[:, some], self.towards[:, some]
        )


class Ball:
    """``c |max(0, x)|``."""

    @staticmethod
    def value(x: Array) -> Array:
        return _length(np.maximum(x, 0.0))

    @staticmethod
    def nearest(u: Array, c: Array) -> Array:
        kept = np.maximum(u, 0.0)
        length = _length(kept)
        np.maximum(length, c, out=length)
        length[length == 0.0] = 1.0
        kept *= c / length
        return kept

    @staticmethod
    def jacobian(u: Array, c: Array, rate: Array) -> ProjectionJacobian:
        on = u > 0.0
        length = _length(np.maximum(u, 0.0))
        # Outside, one pair alone costs c, level.
        bent = (length <= c) | (on.sum(axis=0) > 1)
        samples = np.flatnonzero((c > 0.0) & (length > 0.0) & bent)
        u, length = u[:, samples], length[samples]
        outside = length > c[samples]
        positive = (u > 0.0).astype(np.float64)
        rate = rate[samples]
        factor = np.where(outside, rate * c[samples] / length, rate)
        towards = positive * u * (outside / length)
        return ProjectionJacobian(samples, factor, positive, towards)


class Box:
    """``c sum max(0, x)``."""

    @staticmethod
    def value(x: Array) -> Array:
        return np.maximum(x, 0.0).sum(axis=0)

    @staticmethod
    def nearest(u: Array, c: Array) -> Array:
        return np.minimum(np.maximum(u, 0.0), c)

    @staticmethod
    def jacobian(u: Array, c: Array, rate: Array) -> ProjectionJacobian:
        on = (u > 0.0) & (u < c)
        samples = np.flatnonzero(on.any(axis=0))
        inside = on[:, samples].astype(np.float64)
        return ProjectionJacobian(samples, rate[samples], inside, np.zeros_like(inside))


def _length(x: Array) -> Array:
    return np.sqrt(np.einsum("kn,kn->n", x, x))
