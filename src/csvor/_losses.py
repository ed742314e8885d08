"""The capped lp norm of a sample's losses, its supergradient, and how its cap is found.

``g`` is the sum of a sample's pair losses (squared slacks for the hinge) and ``r = sqrt(g)`` its
residual. The losses here are concave in ``g``, which is what re-weighting needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Losses = Callable[[], Array]


@dataclass(frozen=True)
class CappedPower:
    """``v(g) = min(g^(p/2), epsilon)``, the capped lp norm ``min(r^p, epsilon)``.

    ``delta`` keeps the supergradient finite at ``g = 0``: it is taken of ``(g + delta)^(p/2)``.
    """

    p: float
    epsilon: float = np.inf
    delta: float = 0.0

    def uncapped(self, g: Array) -> Array:
        """``r^p``."""
        return g ** (0.5 * self.p)

    def value(self, g: Array) -> Array:
        return np.minimum(self.uncapped(g), self.epsilon)

    @cached_property
    def cap(self) -> float:
        """The cap as one on g."""
        return float(self.epsilon) ** (2.0 / self.p)

    def capped(self, g: Array) -> NDArray[np.bool_]:
        """True for the samples that are cut away, ``r^p > epsilon``."""
        return g > self.cap

    @property
    def corner(self) -> float:
        """The slope of `smoothed` just below the cap, where it is 0 just above."""
        return 0.5 * self.p * (self.cap + self.delta) ** (0.5 * self.p - 1.0)

    def smoothed(self, g: Array) -> Array:
        """``(g + delta)^(p/2) - delta^(p/2)``, capped where v is: its slope is `supergradient`."""
        half = 0.5 * self.p
        return (np.minimum(g, self.cap) + self.delta) ** half - self.delta**half

    @cached_property
    def shortfall(self) -> float:
        """What `smoothed` falls short of the cap for the samples that are cut away, as <= 0."""
        if self.epsilon == np.inf:
            return 0.0
        half = 0.5 * self.p
        return (self.cap + self.delta) ** half - self.delta**half - float(self.epsilon)

    def supergradient(self, g: Array) -> Array:
        """``(p/2) (g + delta)^((p-2)/2)``, and 0 for the samples that are cut away."""
        weight = 0.5 * self.p * (g + self.delta) ** (0.5 * self.p - 1.0)
        weight[self.capped(g)] = 0.0
        return weight


SQUARED = CappedPower(p=2.0)

# A cap found from the data may cut this many times the share that was asked for.
_MOST_CUT = 1.5


def weighted_quantile(values: Array, level: float, weights: Array) -> float:
    """The least value up to which ``level`` of the weight lies: a weight is a repetition."""
    if weights.max() == weights.min():
        rank = max(int(np.ceil(level * values.size - 1e-9)) - 1, 0)  # 0.55 * 100 is 55.00000...01
        return float(np.partition(values, rank)[rank])
    return float(np.quantile(values, level, weights=weights, method="inverted_cdf"))


@dataclass(frozen=True, eq=False)
class CapSchedule:
    """Which loss each iteration of re-weighting uses, until cap and delta are settled.

    Iteration 0 has unit weights (the squared hinge). Then, for ``warmup`` iterations, the cap
    is the ``1 - share`` quantile of the current ``r^p``, but at least ``floor``; ``share`` grows
    in equal steps to ``cut_share`` where ``gradual``. Afterwards the cap is ``epsilon``, or stays
    as it was last where no ``epsilon`` is given. ``delta`` falls by ``delta_ratio`` each
    iteration from ``delta_start`` to ``delta_min``.
    """

    p: float
    epsilon: float | None
    cut_share: float
    importance: Array
    warmup: int = 5
    gradual: bool = False
    delta_start: float = 1.0
    delta_ratio: float = 0.05
    delta_min: float = 1e-14
    most_cut: float = _MOST_CUT
    resumed_from: CappedPower | None = None

    def loss_at(self, iteration: int, losses: Losses, last: CappedPower | None) -> CappedPower:
        """The loss of an iteration, given what finds ``g`` and the loss of the one before."""
        if self.resumed_from is not None:
            return last or replace(self.resumed_from, delta=self.delta_min)
        if iteration == 0 or last is None:
            return SQUARED
        return CappedPower(self.p, self._cap(iteration, losses, last), self._delta(iteration))

    def part(self, rows: NDArray[np.intp]) -> CapSchedule:
        """The schedule for some of the rows."""
        return replace(self, importance=self.importance[rows])

    def for_many(self, tol: float) -> CapSchedule:
        """The schedule for so many rows that kinks are a matter of their density.

        A share of about ``delta^(1/2)`` of them lies near enough to one that delta costs up to
        ``delta^(p/2)``: together ``tol``, an amount of loss a row.
        """
        least = min(tol ** (2.0 / (1.0 + self.p)), 1e-4)
        return replace(self, delta_min=max(1e-14, least))

    def resumed(self, loss: CappedPower) -> CapSchedule:
        """The schedule to go on with where a run on some of the rows ended under ``loss``."""
        return replace(self, resumed_from=loss, warmup=0)

    def settled(self, iteration: int, losses: Losses, last: CappedPower | None) -> CappedPower:
        """The loss that counts where the iterations end here, settled or not."""
        if self.epsilon is not None:
            cap = self.epsilon
        elif last is not None and iteration > self.warmup:
            cap = last.epsilon
        else:
            cap = self._quantile(losses(), 1.0 - self.cut_share) if self.cut_share else np.inf
        return CappedPower(self.p, cap, self.delta_min)

    def steady(self, iteration: int) -> bool:
        """Whether the cap is past its warm-up; equal caps before that are a coincidence."""
        return iteration > self.warmup

    def reopened(self, losses: Losses, last: CappedPower) -> CappedPower:
        """The loss to go on with from where a run ended, the same where it may end there.

        A cap taken from the residuals of an early iterate can come to cut many more rows than
        asked for. It is then raised until ``most_cut`` times the share is left.
        """
        if self.epsilon is not None or last.epsilon == np.inf:
            return last
        g = losses()
        most = min(self.most_cut * self.cut_share, 1.0)
        if self.importance[last.capped(g)].sum() <= most * self.importance.sum():
            return last
        return replace(last, epsilon=self._quantile(g, 1.0 - most))

    def _cap(self, iteration: int, losses: Losses, last: CappedPower) -> float:
        if iteration <= self.warmup:
            reached = iteration / self.warmup if self.gradual else 1.0
            level = 1.0 - reached * self.cut_share
            return self._quantile(losses(), level) if level < 1.0 else np.inf
        return last.epsilon if self.epsilon is None else self.epsilon

    def _delta(self, iteration: int) -> float:
        if self.p == 2.0:
            return 0.0
        return max(self.delta_start * self.delta_ratio ** (iteration - 1), self.delta_min)

    def _quantile(self, g: Array, level: float) -> float:
        floor = 1.0 if self.epsilon is None else self.epsilon
        # A hair above, so that rounding does not decide on the row whose residual it is.
        cap = weighted_quantile(g, level, self.importance) ** (0.5 * self.p) * (1.0 + 1e-9)
        return max(cap, floor)
