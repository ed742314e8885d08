"""What is minimised where raters are fitted: the penalised likelihood of their ratings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, logit

from csvor._mixture.objective import SMOOTH
from csvor._mixture.rater_data import Population, Ratings
from csvor._mixture.rater_tables import (
    LEAST,
    Scale,
    label_tables,
    n_of_rater,
    table_curvature,
    table_slopes,
)
from csvor._mixture.ratings import class_posteriors, expected_slopes
from csvor._utils.threads import RowThreads

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# Standard deviations of what is weakly known: logarithms and logits of places and of masses.
_WIDE = 5.0
# Items are worked on in so many parts at most, each with counts of its own.
_CHUNKS = 8
_PLACES = 2.0
# The logarithm of the width of the first and last class, to start with.
_WIDTH = 1.4
# The logarithm of the slopes of margins, to start with.
_FLAT = -3.0
# Between the logits to bounds of nodes where there are two classes.
_GAP = 2.0


class RaterProblem:
    """The penalised likelihood in ``theta = [scale, nodes of items, raters]``.

    Each class has ``per_class`` nodes. Those of items have log masses, the same for all items, or
    with held-out ``margins`` of shape (n_items, n_classes - 1), which are about the logits of
    ``P_j(t > k)``, slopes and shifts of these as in `likelihood.py`.
    """

    def __init__(self, ratings: Ratings, margins: Array | None, per_class: int) -> None:
        self.ratings, self.per_class = ratings, per_class
        self.margins = None if margins is None else _finer(margins, per_class)
        # Without features, an item that nobody else rated tells nothing of its rater: it may be
        # unlike the others.
        self.telling = ratings.of_several | (ratings.known >= 0) | (margins is not None)
        K = ratings.n_classes
        self.n_nodes, self.n_of_rater = K * per_class, n_of_rater(K)
        self.q = self.n_nodes - 1
        self.n_scale = Scale.size(K, per_class)
        self.n_common = self.n_scale + (self.n_nodes if margins is None else 2 * self.q)
        self.population = Population()
        # The share of each label where raters do not look.
        self.careless = np.full(K, 1.0 / K)
        self.posterior = np.empty((ratings.n_items, self.n_nodes))
        self.counts = np.empty((ratings.n_raters, K, self.n_nodes))
        of_item = self.n_nodes * ratings.codes.size / ratings.n_items
        self.threads = RowThreads(ratings.n_items, of_item, most=_CHUNKS)

    def start(self) -> Array:
        """Raters who are alike, and cuts by the shares of the labels."""
        K = self.ratings.n_classes
        shares = np.bincount(self.ratings.codes, minlength=K) + 0.5
        shares = shares / shares.sum()
        above = np.clip(1.0 - np.cumsum(shares)[:-1], 1e-3, 1.0 - 1e-3)
        cuts = -2.0 * np.log(above / (1.0 - above))
        scale = np.zeros(self.n_scale)
        scale[: K - 2] = np.log(np.maximum(np.diff(cuts), 0.5))
        scale[K - 2 : K] = _WIDTH
        nodes = np.repeat(np.log(shares), self.per_class)
        if self.margins is not None:
            # Shares of all items, from which what margins say of one starts to part.
            below = np.cumsum(np.repeat(shares / self.per_class, self.per_class))[:-1]
            shifts = -logit(below) - np.exp(_FLAT) * self.margins.mean(axis=0)
            nodes = np.append(np.full(self.q, _FLAT), shifts)
        raters = np.tile(self.population.means(self.n_of_rater), self.ratings.n_raters)
        return np.concatenate([scale, nodes, raters])

    def raters_of(self, theta: Array) -> Array:
        """d, log s, logit e and likings of each rater, shape (n_raters, n_of_rater)."""
        return theta[self.n_common :].reshape(-1, self.n_of_rater)

    def scale_of(self, theta: Array) -> Scale:
        return Scale(theta[: self.n_scale], self.careless, self.per_class)

    def nodes_of(self, theta: Array) -> Array:
        """``P_j(t)`` before ratings are seen, shape (n_items, n_nodes), or (1, n_nodes)."""
        part = theta[self.n_scale : self.n_common]
        if self.margins is None:
            return np.exp(log_softmax(part))[None, :]
        return -np.diff(self._falling(part)[0], axis=1)

    def loss(self, theta: Array) -> tuple[float, Array]:
        """The value and its gradient; `posterior` and `counts` are those at theta."""
        scale, raters = self.scale_of(theta), self.raters_of(theta)
        tables = label_tables(scale, raters)
        value = -self._likelihood(theta, tables)
        slopes = table_slopes(scale, raters, self.counts / tables)
        common = [scale.slope(*slopes[1:]), self._slope_of_nodes(theta)]
        gradient = -np.concatenate([*common, slopes[0].ravel()])
        spreads = self.population.spreads(self.n_of_rater)
        z = (raters - self.population.means(self.n_of_rater)) / spreads
        value += 0.5 * float((z * z).sum())
        gradient[self.n_common :] += (z / spreads).ravel()
        weak, by_weak = self._weak_knowledge(theta[: self.n_common])
        gradient[: self.n_common] += by_weak
        return value + weak, gradient

    def curvature(self, theta: Array) -> Array:
        """Minus the second derivatives of the likelihood by each rater's own parameters.

        Shape (n_raters, n, n) of n parameters, by Louis (1982): what ratings would tell if classes
        were known, less what is lost as they are not.
        """
        scale, raters = self.scale_of(theta), self.raters_of(theta)
        self._likelihood(theta, label_tables(scale, raters))
        first, second = table_curvature(scale, raters, self.counts)
        lost = np.zeros_like(second)
        data = self.ratings
        expected_slopes(
            data.starts, data.codes, data.raters, self.telling, self.posterior, first, lost
        )
        return lost - second

    def posterior_by(self, theta: Array, tables: Array) -> Array:
        """``P(t | ratings)`` of each item, where raters label as `tables` say."""
        self._likelihood(theta, tables)
        return self.posterior.copy()

    def _likelihood(self, theta: Array, tables: Array) -> float:
        data = self.ratings
        prior = np.log(np.maximum(self.nodes_of(theta), LEAST))
        logs = np.log(tables)

        def of_chunk(items: slice) -> tuple[Array, Array]:
            counts = np.empty_like(self.counts)
            value = class_posteriors(
                items.start, items.stop, data.starts, data.codes, data.raters, data.known,
                self.telling, self.per_class, logs, prior, self.posterior, counts,
            )  # fmt: skip
            return np.array(value), counts

        value, self.counts = self.threads.sum(of_chunk)
        return float(value)

    def _falling(self, part: Array) -> tuple[Array, Codes]:
        """``P_j(t > k)`` between columns of 1 and 0, and the margin that each is held down to."""
        assert self.margins is not None
        n, q = self.margins.shape
        logits = np.clip(np.exp(part[:q]) * self.margins + part[q:], -700.0, 700.0)
        low = np.minimum.accumulate(logits, axis=1)
        source = np.maximum.accumulate(np.where(logits <= low, np.arange(q), 0), axis=1)
        ends = np.ones((n, 1))
        return np.hstack([ends, expit(low), 0.0 * ends]), source

    def _slope_of_nodes(self, theta: Array) -> Array:
        part = theta[self.n_scale : self.n_common]
        if self.margins is None:
            masses = np.exp(log_softmax(part))
            return np.asarray(self.telling @ self.posterior - self.telling.sum() * masses)
        q = self.q
        falling, source = self._falling(part)
        masses = -np.diff(falling, axis=1)
        by_mass = np.where(masses > LEAST, self.posterior / np.maximum(masses, LEAST), 0.0)
        inner = falling[:, 1:-1]
        pull = np.diff(by_mass, axis=1) * inner * (1.0 - inner)
        margins = np.take_along_axis(self.margins, source, axis=1)
        by_slope = np.bincount(source.ravel(), (pull * margins).ravel(), q) * np.exp(part[:q])
        return np.append(by_slope, np.bincount(source.ravel(), pull.ravel(), q))

    def _weak_knowledge(self, common: Array) -> tuple[float, Array]:
        """Places, masses, slopes and shifts of the size of those of a fit."""
        spreads = np.full(common.size, _PLACES)
        if self.margins is None:
            spreads[self.n_scale :] = _WIDE
        gradient = common / spreads**2
        value = 0.5 * float(gradient @ common)
        if self.margins is not None:
            slopes = slice(self.n_scale, self.n_scale + self.q)
            jumps = np.diff(common[slopes])
            value += SMOOTH * float(jumps @ jumps)
            gradient[slopes] -= 2.0 * SMOOTH * np.append(jumps, 0.0)
            gradient[slopes] += 2.0 * SMOOTH * np.append(0.0, jumps)
        return value, gradient


def _finer(margins: Array, per_class: int) -> Array:
    """Margins to bounds of nodes: between those to thresholds, and as far apart beyond them."""
    q = margins.shape[1]
    gap = (margins[:, :1] - margins[:, -1:]) / max(q - 1, 1) if q > 1 else _GAP
    wide = np.hstack([margins[:, :1] + gap, margins, margins[:, -1:] - gap])
    at = np.arange(1, (q + 1) * per_class) / per_class
    below = np.minimum(at.astype(np.int64), q)
    part = at - below
    return np.ascontiguousarray((1.0 - part) * wide[:, below] + part * wide[:, below + 1])
