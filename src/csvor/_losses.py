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

from csvor._loops import weighted_quantile

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


@dataclass(frozen=True, eq=False)
class CapSchedule:
    """Which loss each stage of re-weighting uses, until cap and delta are settled.

    Stage 0 has unit weights (the squared hinge). Then, for ``warmup`` stages, the cap
    is the ``1 - share`` quantile of the current ``r^p``, but at least ``floor``; ``share`` grows
    in equal steps to ``cut_share`` where ``gradual``. Afterwards the cap is ``epsilon``, or stays
    as it was last where no ``epsilon`` is given. ``delta`` falls by ``delta_ratio`` each
    stage from ``delta_start`` to ``delta_min``.
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

    @cached_property
    def stages(self) -> Array:
        """A row for each stage until nothing changes: p, level, cap, delta.

        The cap is the ``level`` quantile of r^p where that is below 1, else the cap that stands
        here, else (nan) the last one.
        """
        if self.resumed_from is not None:
            deltas = self._falling(self.delta_start)
            caps = [float(self.resumed_from.epsilon)] + [np.nan] * len(deltas)
            pairs = zip(caps, [*deltas, deltas[-1]], strict=True)
            return np.array([[self.p, 1.0, *pair] for pair in pairs])
        rows = [[2.0, 1.0, np.inf, 0.0]]
        deltas = [0.0] if self.p == 2.0 else self._falling(self.delta_start)
        for stage in range(1, max(len(deltas), self.warmup + 1) + 1):
            delta = deltas[min(stage, len(deltas)) - 1]
            if stage <= self.warmup:
                level = 1.0 - self.cut_share * (stage / self.warmup if self.gradual else 1.0)
                rows.append([self.p, level, np.inf, delta])
            else:
                rows.append([self.p, 1.0, np.nan if self.epsilon is None else self.epsilon, delta])
        return np.array(rows)

    def loss_at(self, stage: int, losses: Losses, last: CappedPower | None) -> CappedPower:
        """The loss of a stage, given what finds ``g`` and the loss before."""
        p, level, epsilon, delta = self.stages[min(stage, len(self.stages) - 1)].tolist()
        if level < 1.0:
            epsilon = self._quantile(losses(), level)
        elif np.isnan(epsilon):
            epsilon = last.epsilon if last is not None else np.inf
        return CappedPower(p, epsilon, delta)

    def part(self, share: Array) -> CapSchedule:
        """The schedule for rows that stand for all, each for its share."""
        return replace(self, importance=share)

    def for_many(self, tol: float) -> CapSchedule:
        """The schedule for so many rows that kinks are a matter of their density.

        A share of about ``delta^(1/2)`` of them lies near enough to one that delta costs up to
        ``delta^(p/2)``: together ``tol``, an amount of loss a row.
        """
        least = min(tol ** (2.0 / (1.0 + self.p)), 1e-4)
        return replace(self, delta_min=max(1e-14, least))

    def resumed(self, loss: CappedPower) -> CapSchedule:
        """The schedule to go on with where a run on some of the rows ended under ``loss``."""
        # Below 1 the objective has many small bends, which a larger delta smooths.
        start, ratio = (self.delta_min, 1.0) if self.p >= 1.0 else (1e-2, 0.2)
        wide = replace(self, resumed_from=loss, delta_start=start, delta_ratio=ratio)
        return replace(wide, warmup=len(wide.stages) - 3)

    def settled(self, stage: int, losses: Losses, last: CappedPower | None) -> CappedPower:
        """The loss that counts where the iterations end here, settled or not."""
        if self.epsilon is not None:
            cap = self.epsilon
        elif last is not None and stage > self.warmup:
            cap = last.epsilon
        else:
            cap = self._quantile(losses(), 1.0 - self.cut_share) if self.cut_share else np.inf
        return CappedPower(self.p, cap, self.delta_min)

    def steady(self, stage: int) -> bool:
        """Whether the cap is past its warm-up; equal caps before that are a coincidence."""
        return stage > self.warmup

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

    def _falling(self, start: float) -> list[float]:
        deltas = [max(start, self.delta_min)]
        while deltas[-1] > self.delta_min:
            deltas.append(max(deltas[-1] * self.delta_ratio, self.delta_min))
        return deltas

    def _quantile(self, g: Array, level: float) -> float:
        # A hair above, so that rounding does not decide on the row whose residual it is.
        cap = weighted_quantile(g, level, self.importance) ** (0.5 * self.p) * (1.0 + 1e-9)
        return max(cap, self.floor)

    @property
    def floor(self) -> float:
        """The least cap while it is found from the data."""
        return 1.0 if self.epsilon is None else float(self.epsilon)
