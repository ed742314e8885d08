"""What is minimised where raters are fitted: the penalised likelihood of their ratings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csvor._mixture.rater_data import Population, Ratings
from csvor._mixture.rater_nodes import DensityNodes, MarginNodes
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

# Items are worked on in so many parts at most, each with counts of its own.
_CHUNKS = 8
# The standard deviation of what is weakly known: logarithms and logits of places.
_PLACES = 2.0
# The logarithm of the width of the first and last class, to start with.
_WIDTH = 1.4


class RaterProblem:
    """The penalised likelihood in ``theta = [scale, nodes of items, raters]``.

    Each class has ``per_class`` nodes. How many items lie at each is said by `rater_nodes.py`.
    """

    def __init__(self, ratings: Ratings, margins: Array | None, per_class: int) -> None:
        self.ratings, self.per_class = ratings, per_class
        # Without features, an item that nobody else rated tells nothing of its rater: it may be
        # unlike the others.
        self.telling = ratings.of_several | (ratings.known >= 0) | (margins is not None)
        K = ratings.n_classes
        self.n_nodes, self.n_of_rater = K * per_class, n_of_rater(K)
        self.n_scale = Scale.size(K, per_class)
        self.nodes: DensityNodes | MarginNodes = (
            DensityNodes(K, per_class) if margins is None else MarginNodes(K, per_class, margins)
        )
        self.n_common = self.n_scale + self.nodes.size
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
        raters = np.tile(self.population.means(self.n_of_rater), self.ratings.n_raters)
        return np.concatenate([scale, self.nodes.start(shares), raters])

    def raters_of(self, theta: Array) -> Array:
        """d, log s, logit e and likings of each rater, shape (n_raters, n_of_rater)."""
        return theta[self.n_common :].reshape(-1, self.n_of_rater)

    def scale_of(self, theta: Array) -> Scale:
        return Scale(theta[: self.n_scale], self.careless, self.per_class)

    def loss(self, theta: Array) -> tuple[float, Array]:
        """The value and its gradient; `posterior` and `counts` are those at theta."""
        scale, raters = self.scale_of(theta), self.raters_of(theta)
        tables = label_tables(scale, raters)
        value = -self._likelihood(theta, tables)
        slopes = table_slopes(scale, raters, self.counts / tables)
        by_common = self.nodes.slope(theta[: self.n_common], self.posterior, self.telling)
        by_common[: self.n_scale] += scale.slope(*slopes[1:])
        gradient = -np.append(by_common, slopes[0])
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
        prior = np.log(np.maximum(self.nodes.masses(theta[: self.n_common]), LEAST))
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

    def _weak_knowledge(self, common: Array) -> tuple[float, Array]:
        """Places of the size of those of a fit, and what is known of nodes."""
        scale, part = np.split(common, [self.n_scale])
        value, gradient = self.nodes.weak_knowledge(part)
        value += 0.5 * float(scale @ scale) / _PLACES**2
        return value, np.append(scale / _PLACES**2, gradient)
