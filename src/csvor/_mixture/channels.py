"""To which classes do labels go that are wrong?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csvor._utils.cached import cached_property

Array = NDArray[np.float64]

# Each class further away is less probable by so much: a label errs by a class or two (found by
# trial: .2 to .45 gain alike on errors of one or two classes of five) ...
_NEAR = 0.3
# ... or, on a scale of more classes than this, by a part of it.
_FEW_CLASSES, _PART = 6, 0.25
# So many classes are a scale of numbers, on which people prefer some of them ...
MANY_CLASSES = 10
# ... where the counts of levels and the means of those beside them differ by so large a share of
# all labels, in sum and beyond chance. (Politeness from 1 to 25, rated by people: .99 and 1.01;
# means of five ratings, 16 levels: .007. Two crowds of 11 levels: .26.)
_HEAPED = 0.5


@dataclass(frozen=True, eq=False)
class Channel:
    """One way in which labels go wrong.

    Attributes
    ----------
    name : str
    table : ndarray of shape (n_classes, n_classes)
        ``N(k | t)``, the probability of each wrong label k given the true class t: columns sum to
        1, and the diagonal is 0.
    """

    name: str
    table: Array

    @cached_property
    def reach(self) -> int:
        """How far a label lies from the true class at most, in classes."""
        labels, truths = np.nonzero(self.table)
        return int(np.abs(labels - truths).max())


def channel_of(name: str, chances: Array) -> Channel:
    """Wrong labels as often as ``chances``, of shape (n_classes, n_classes), has it."""
    table = np.array(chances, dtype=float)
    np.fill_diagonal(table, 0.0)
    return Channel(name, table / table.sum(axis=0))


def beside(n_classes: int) -> Channel:
    """Half to each class beside the true one, all to the only one at an end."""
    return channel_of("beside", _distances(n_classes) == 1.0)


def by_distance(n_classes: int, ratio: float = _NEAR) -> Channel:
    """Each class further away is less probable by a factor."""
    return channel_of("distance", ratio ** _distances(n_classes))


def as_used(counts: Array) -> Channel:
    """As often as each level is used beside a parabola through the logarithms of the counts."""
    roots = np.sqrt(counts + 1.0)
    place = np.linspace(-0.5, 0.5, counts.size)
    curve = np.polyfit(place, np.log(counts + 1.0), 2, w=roots)
    used = (counts + 1.0) / np.exp(np.polyval(curve, place))
    return channel_of("as used", np.tile(used[:, None], counts.size))


def channels_of(counts: Array) -> list[Channel]:
    """Those that are tried, beside errors to any class, where labels are as frequent as that."""
    K = counts.size
    channels = [beside(K), by_distance(K)] if K > 2 else []
    if K > _FEW_CLASSES:
        channels.append(by_distance(K, np.exp(-1.0 / (_PART * K))))
    return [*channels, as_used(counts)] if is_heaped(counts) else channels


def is_heaped(counts: Array) -> bool:
    """Whether some levels of a scale are used far more, or less, often than those beside them."""
    if counts.size < MANY_CLASSES:
        return False
    middle, neighbours = counts[1:-1], (counts[:-2] + counts[2:]) / 2.0
    by_chance = np.sqrt(middle + neighbours / 2.0)
    beyond = np.maximum(np.abs(middle - neighbours) - 2.0 * by_chance, 0.0)
    return bool(beyond.sum() > _HEAPED * counts.sum())


def label_probabilities(
    eta: float, nu: float, n_classes: int, channel: Channel | None = None
) -> Array:
    """``P(y = k | t)``, a column for each true class."""
    even = (1.0 - eta - nu) * np.eye(n_classes) + eta / n_classes
    return even if channel is None else even + nu * channel.table


def _distances(n_classes: int) -> Array:
    k = np.arange(float(n_classes))
    return np.abs(k[:, None] - k)
