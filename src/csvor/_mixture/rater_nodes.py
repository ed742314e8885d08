"""How many items lie at each node: by a density over the scale, or by margins of each item?

A class has one node or several. Where it has several, what is said of them goes linearly from the
middle of one class to that of the next, in straight lines to both ends, so that they are no more
parameters than the classes are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, logit

from csvor._mixture.objective import SMOOTH
from csvor._mixture.rater_tables import LEAST, Scale

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# Standard deviations of what is weakly known: logarithms of masses; slopes and shifts of margins.
_WIDE, _PLACES = 5.0, 2.0
# The logarithm of the slopes of margins, to start with.
_FLAT = -3.0
# Between the logits to bounds of nodes where there are two classes.
_GAP = 2.0


class DensityNodes:
    """The same for all items: ``log P(t)`` is the width of a node and a broken line, normalised.

    The parameters are the log densities in the middle of the classes. The logarithms of widths are
    those of the scale.
    """

    def __init__(self, n_classes: int, per_class: int) -> None:
        K, first = n_classes, Scale.size(n_classes, per_class)
        self.size = K
        at = (np.arange(K * per_class) + 0.5) / per_class
        self._of_common = np.zeros((at.size, first + K))
        self._of_common[:, first:] = _broken_line(at, K)
        if per_class > 1:
            width_of = [K - 2, *range(K - 2), K - 1]
            self._of_common[np.arange(at.size), np.repeat(width_of, per_class)] = 1.0

    def start(self, shares: Array) -> Array:
        return np.log(shares)

    def masses(self, common: Array) -> Array:
        """``P_j(t)`` before ratings are seen, shape (n_items, n_nodes), or (1, n_nodes)."""
        return np.asarray(np.exp(log_softmax(self._of_common @ common)))[None]

    def slope(self, common: Array, posterior: Array, telling: NDArray[np.bool_]) -> Array:
        """Derivatives by what is common, of the log-likelihood of the items that are telling."""
        extra = telling @ posterior - telling.sum() * self.masses(common)[0]
        return np.asarray(extra @ self._of_common)

    def weak_knowledge(self, part: Array) -> tuple[float, Array]:
        """Masses of the size of those of a fit: a penalty and its gradient."""
        return 0.5 * float(part @ part) / _WIDE**2, part / _WIDE**2


class MarginNodes:
    """By held-out margins of shape (n_items, n_classes - 1), about the logits of ``P_j(t > k)``.

    The parameters are log slopes and shifts of these as in `likelihood.py`: one for each bound
    between nodes, or if a class has several, of the middle of each class.
    """

    def __init__(self, n_classes: int, per_class: int, margins: Array) -> None:
        self.first = Scale.size(n_classes, per_class)
        self.margins, self.per_class = _finer(margins, per_class), per_class
        bounds = np.arange(1, n_classes * per_class) / per_class
        several = per_class > 1
        self._line = _broken_line(bounds, n_classes) if several else np.eye(n_classes - 1)
        self.size = 2 * self._line.shape[1]

    def start(self, shares: Array) -> Array:
        """Shares of all items, from which what margins say of one starts to part."""
        below = np.cumsum(shares) - 0.5 * shares if self.per_class > 1 else np.cumsum(shares)[:-1]
        mean = np.linalg.lstsq(self._line, self.margins.mean(axis=0), rcond=None)[0]
        shifts = -logit(below) - np.exp(_FLAT) * mean
        return np.append(np.full(shifts.size, _FLAT), shifts)

    def masses(self, common: Array) -> Array:
        """``P_j(t)`` before ratings are seen, shape (n_items, n_nodes)."""
        return -np.diff(self._falling(common)[0], axis=1)

    def slope(self, common: Array, posterior: Array, telling: NDArray[np.bool_]) -> Array:
        """Derivatives by what is common, of the log-likelihood."""
        q = self.margins.shape[1]
        falling, source = self._falling(common)
        masses = -np.diff(falling, axis=1)
        by_mass = np.where(masses > LEAST, posterior / np.maximum(masses, LEAST), 0.0)
        inner = falling[:, 1:-1]
        pull = np.diff(by_mass, axis=1) * inner * (1.0 - inner)
        margins = np.take_along_axis(self.margins, source, axis=1)
        by_slope = np.bincount(source.ravel(), (pull * margins).ravel(), q)
        by_slope *= np.exp(self._line @ self._halves(common)[0])
        by_shift = np.bincount(source.ravel(), pull.ravel(), q)
        parts = [np.zeros(self.first), by_slope @ self._line, by_shift @ self._line]
        return np.concatenate(parts)

    def weak_knowledge(self, part: Array) -> tuple[float, Array]:
        """Slopes and shifts of the size of those of a fit, slopes next to each other alike."""
        half = self.size // 2
        jumps = np.diff(part[:half])
        value = 0.5 * float(part @ part) / _PLACES**2 + SMOOTH * float(jumps @ jumps)
        gradient = part / _PLACES**2
        gradient[:half] -= 2.0 * SMOOTH * np.append(jumps, 0.0)
        gradient[:half] += 2.0 * SMOOTH * np.append(0.0, jumps)
        return value, gradient

    def _halves(self, common: Array) -> Array:
        return common[self.first :].reshape(2, -1)

    def _falling(self, common: Array) -> tuple[Array, Codes]:
        """``P_j(t > k)`` between columns of 1 and 0, and the margin that each is held down to."""
        n, q = self.margins.shape
        slopes, shifts = self._halves(common) @ self._line.T
        logits = np.clip(np.exp(slopes) * self.margins + shifts, -700.0, 700.0)
        low = np.minimum.accumulate(logits, axis=1)
        source = np.maximum.accumulate(np.where(logits <= low, np.arange(q), 0), axis=1)
        ends = np.ones((n, 1))
        return np.hstack([ends, expit(low), 0.0 * ends]), source


def _broken_line(at: Array, n_classes: int) -> Array:
    """What each of the middles of classes has to say at places, which class k has from k on."""
    below = np.clip(np.floor(at - 0.5).astype(np.int64), 0, n_classes - 2)
    middles = np.eye(n_classes)
    part = (at - 0.5 - below)[:, None]
    return (1.0 - part) * middles[below] + part * middles[below + 1]


def _finer(margins: Array, per_class: int) -> Array:
    """Margins to bounds of nodes: between those to thresholds, and as far apart beyond them."""
    q = margins.shape[1]
    gap = (margins[:, :1] - margins[:, -1:]) / (q - 1) if q > 1 else _GAP
    wide = np.hstack([margins[:, :1] + gap, margins, margins[:, -1:] - gap])
    at = np.arange(1, (q + 1) * per_class) / per_class
    below = np.minimum(at.astype(np.int64), q)
    part = at - below
    return np.ascontiguousarray((1.0 - part) * wide[:, below] + part * wide[:, below + 1])
