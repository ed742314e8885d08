"""How does a rater label an item of each true class, or of a node in it?

The nodes t, one or several for a class, have values ``z_t``, and the middle rater has cuts ``c_k``
between classes. Rater r shifts labels by ``d_r``, tells values apart by ``s_r`` as sharply, has a
liking ``b_rk`` for each label, and gives a label without looking in the share ``e_r``, which is k
in the share ``q_k`` (a many-facet Rasch model on latent nodes, but for the last):

    P(y = k | t, r) = (1 - e_r) exp(h_k) / sum_l exp(h_l) + e_r q_k
    h_k = s_r sum_{l < k} (z_t - c_l) + k d_r + b_rk
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

Array = NDArray[np.float64]

# Where d, log s, logit e and the first liking stand among the parameters of a rater.
SHIFT, SLOPE, CARELESS, LIKING = range(4)
LEAST = 1e-12


def n_of_rater(n_classes: int) -> int:
    """How many parameters a rater has: of two labels a liking is a shift."""
    return LIKING + (n_classes if n_classes > 2 else 0)


class Scale:
    """Values of nodes and cuts between classes: those of class t lie between its cuts.

    A class has one value, or several for items that are more or less of it. In ``theta = [log gaps
    of the cuts (K - 2), log widths of the first and last class, places (K - 2)]``; the cuts have
    mean 0. A single value lies at ``logistic(place)`` of the gap; several, which need no places,
    are evenly spaced. `careless` has the share ``q_k`` of each label where nobody looks.
    """

    def __init__(self, theta: Array, careless: Array, per_class: int) -> None:
        self.n_classes, self.per_class = careless.size, per_class
        self.careless, q = careless[:, None], careless.size - 1
        self.gaps, self.ends = np.exp(theta[: q - 1]), np.exp(theta[q - 1 : q + 1])
        cuts = np.append(0.0, np.cumsum(self.gaps))
        self.cuts = cuts - cuts.mean()
        self.even = (np.arange(per_class) + 0.5) / per_class
        self.parts = np.tile(self.even, (q - 1, 1))
        if per_class == 1:
            self.parts = expit(theta[q + 1 :])[:, None]
        inner = self.cuts[:-1, None] + self.gaps[:, None] * self.parts
        first = self.cuts[0] - self.ends[0] * self.even[::-1]
        last = self.cuts[-1] + self.ends[1] * self.even
        self.values = np.vstack([first[None], inner, last[None]]).ravel()

    @staticmethod
    def size(n_classes: int, per_class: int) -> int:
        """How many parameters it has."""
        return n_classes + (n_classes - 2 if per_class == 1 else 0)

    def slope(self, by_values: Array, by_cuts: Array) -> Array:
        """Derivatives by theta, of those by values and cuts."""
        by_values = by_values.reshape(self.n_classes, self.per_class)
        first, inner, last = by_values[0], by_values[1:-1], by_values[-1]
        by_cuts = by_cuts.copy()
        by_cuts[0] += first.sum()
        by_cuts[-1] += last.sum()
        by_cuts[:-1] += inner.sum(axis=1)
        # A gap moves all cuts above it, and with the mean all back.
        above = np.cumsum(by_cuts[::-1])[::-1]
        by_gaps = above[1:] - by_cuts.sum() * np.arange(by_cuts.size - 1, 0, -1) / by_cuts.size
        by_gaps += (inner * self.parts).sum(axis=1)
        by_ends = np.array([-first @ self.even[::-1], last @ self.even])
        by_places = (inner * self.parts * (1.0 - self.parts))[:, 0] * self.gaps
        parts = [self.gaps * by_gaps, self.ends * by_ends, by_places]
        return np.concatenate(parts[: 3 if self.per_class == 1 else 2])


def label_tables(scale: Scale, raters: Array) -> Array:
    """``P(y = k | t, r)``, shape (n_raters, K, n_nodes) in the order r, k, t.

    ``raters`` of shape (n_raters, n) has d, log s, logit e and likings of each.
    """
    share = expit(raters[:, CARELESS])[:, None, None]
    return np.maximum((1.0 - share) * looking_tables(scale, raters) + share * scale.careless, LEAST)


def looking_tables(scale: Scale, raters: Array) -> Array:
    """The same of labels that are not careless."""
    K = scale.n_classes
    logits = slopes_of(raters)[:, None, None] * _rises(scale)
    logits += raters[:, SHIFT][:, None, None] * np.arange(K)[:, None]
    if raters.shape[1] > LIKING:
        logits += raters[:, LIKING:, None]
    return np.asarray(softmax(logits, axis=1))


def slopes_of(raters: Array) -> Array:
    """``s`` of each rater; a step too far ends in no infinite number."""
    return np.asarray(np.exp(np.minimum(raters[:, SLOPE], 20.0)))


def table_slopes(scale: Scale, raters: Array, by_table: Array) -> tuple[Array, Array, Array]:
    """Derivatives by raters, values and cuts, of those by the entries of tables."""
    looking = looking_tables(scale, raters)
    s, e = slopes_of(raters), expit(raters[:, CARELESS])
    K = scale.n_classes
    labels = np.arange(K)
    by_share = (by_table * (scale.careless - looking)).sum(axis=(1, 2))
    pull = (1.0 - e)[:, None, None] * by_table * looking
    pull -= looking * pull.sum(axis=1, keepdims=True)
    by_label = pull.sum(axis=2)
    by_raters = np.empty_like(raters)
    by_raters[:, SHIFT] = by_label @ labels
    by_raters[:, SLOPE] = s * (pull * _rises(scale)).sum(axis=(1, 2))
    by_raters[:, CARELESS] = by_share * e * (1.0 - e)
    by_raters[:, LIKING:] = by_label[:, : raters.shape[1] - LIKING]
    by_rise = np.einsum("r,rkt->kt", s, pull)
    by_cuts = -np.cumsum(by_rise.sum(axis=1)[::-1])[::-1][1:]
    return by_raters, labels @ by_rise, by_cuts


def table_curvature(scale: Scale, raters: Array, counts: Array) -> tuple[Array, Array]:
    """Slopes of log tables by the parameters of each rater, and sums of second derivatives.

    Shapes (n_raters, K, n_nodes, n) and (n_raters, n, n): of the latter each is the sum over labels
    and nodes of ``counts / P`` times the second derivatives of P.
    """
    tables, looking = label_tables(scale, raters), looking_tables(scale, raters)
    e = expit(raters[:, CARELESS])
    by_share = (e * (1.0 - e))[:, None, None]
    stays = (1.0 - e)[:, None, None] * looking
    features = _features(scale, raters)
    mean = np.einsum("rkt,rkta->rta", looking, features)
    centred = features - mean[:, None]
    first = stays[..., None] * centred
    first[..., CARELESS] = by_share * (scale.careless - looking)
    ratio = counts / tables
    weights = ratio * stays
    second = np.einsum("rkt,rkta,rktb->rab", weights, centred, centred, optimize=True)
    within = np.einsum("rkt,rkta,rktb->rtab", looking, centred, centred, optimize=True)
    second -= np.einsum("rt,rtab->rab", weights.sum(axis=1), within)
    # The rise depends on log s by its exponential, so that its own slope is there once more.
    second[:, SLOPE, SLOPE] += (weights * centred[..., SLOPE]).sum(axis=(1, 2))
    crossed = np.einsum("rkt,rkta->ra", -ratio * by_share * looking, centred)
    second[:, CARELESS, :] = second[:, :, CARELESS] = crossed
    bent = ratio * by_share * (1.0 - 2.0 * e)[:, None, None] * (scale.careless - looking)
    second[:, CARELESS, CARELESS] = bent.sum(axis=(1, 2))
    return first / tables[..., None], second


def _rises(scale: Scale) -> Array:
    """``sum_{l < k} (z_t - c_l)``, shape (K, n_nodes) in the order k, t."""
    K = scale.n_classes
    below = np.append(0.0, np.cumsum(scale.cuts))
    return np.arange(K)[:, None] * scale.values - below[:, None]


def _features(scale: Scale, raters: Array) -> Array:
    """Derivatives of logits by the parameters of each rater; 0 by that of his careless share."""
    R, n = raters.shape
    K = scale.n_classes
    features = np.zeros((R, K, scale.values.size, n))
    features[..., SHIFT] = np.arange(K)[:, None]
    features[..., SLOPE] = slopes_of(raters)[:, None, None] * _rises(scale)
    for k in range(n - LIKING):
        features[:, k, :, LIKING + k] = 1.0
    return features
