"""Which loss each stage of re-weighting uses, until cap and smoothing are final."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import CappedPower
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]

# Where kinks need no smoothing a cap closes on this share of the rows at most: on more it ends
# higher (found by trial on 216 problems: 2 % in the mean).
_KINKED_CLOSES_ON = 0.3
# The smoothing down to which an uncapped loss gives the start of a trimmed one (found by trial on
# 120 problems: lower objectives in the mean than from the squared loss).
_OPEN = 1e-3
# Of the paper's scheme, all along.
_PAPER_DELTA = 1e-6


class Stage(NamedTuple):
    """A loss, and how long a run stays with it.

    The cap is ``epsilon``, or, where ``level`` is below 1, that quantile when the stage begins but
    at least ``epsilon``; ``delta`` smooths the power, ``trim`` is the share that is cut. The stage
    ends when an iteration lowers the objective by less than the share ``least_fall`` of itself, and
    after ``patience`` iterations (both found by trial).
    """

    p: float
    level: float = 1.0
    epsilon: float = np.inf
    delta: float = 0.0
    trim: float = 0.0
    least_fall: float = 1e-2
    patience: float = 20.0


@dataclass(frozen=True)
class Schedule:
    """The stages of one fit.

    Stage 0 has unit weights (the squared hinge). A loss that will be trimmed is then uncapped while
    ``delta`` is at least ``open_above``: from the squared loss alone whole classes can be cut that
    the end of the uncapped loss fits. From then on it is trimmed by ``trim``, or capped: while a
    given cap closes, for ``warmup`` stages, it is the quantile that cuts a share growing in equal
    steps to ``closes_on``, but at least ``epsilon``, which it is afterwards. ``delta`` falls by
    ``delta_ratio`` each stage from ``delta_start`` to ``delta_min``. For ``warmup`` stages, and
    while it is open, a run stays in a stage until it lowers the objective no more.
    """

    p: float
    epsilon: float = np.inf
    trim: float = 0.0
    warmup: int = 0
    closes_on: float = 0.0
    delta_start: float = 1.0
    delta_ratio: float = 0.05
    delta_min: float = 1e-14
    squared: bool = True
    open_above: float = np.inf

    @classmethod
    def trimming(cls, p: float, share: float, paper: bool) -> Schedule:
        """The stages that end where a share of the weight is cut."""
        if paper:
            return cls(p, trim=share, warmup=5, delta_start=_PAPER_DELTA, delta_min=_PAPER_DELTA)
        return cls(p, trim=share, warmup=5, open_above=np.inf if share == 0.0 else _OPEN)

    @classmethod
    def capping(cls, p: float, epsilon: float, paper: bool) -> Schedule:
        """The stages that end at a given cap."""
        if paper:
            return cls(p, epsilon, delta_start=_PAPER_DELTA, delta_min=_PAPER_DELTA)
        if epsilon == np.inf:
            return cls(p, epsilon)
        # A cap that closes slowly on up to half of the rows ends in lower optima (found by trial
        # on 168 problems: 0.5 % above the best known in the mean, 5 % where it closes at once).
        return cls(p, epsilon, warmup=10, closes_on=0.5, delta_ratio=0.2)

    @cached_property
    def stages(self) -> Array:
        """A `Stage` in each row until nothing changes, as `_solvers.iterate` reads them."""
        deltas = [0.0] if self.p == 2.0 else self._falling()
        stages = [Stage(2.0)] if self.squared else []
        stages += [Stage(self.p, delta=delta) for delta in self._open]
        if self.trim > 0.0 and stages:
            # What is cut depends on where the trimming begins.
            stages[-1] = stages[-1]._replace(least_fall=1e-5, patience=np.inf)
        levels = self._levels(self.closes_on)
        for i in range(max(len(deltas), self.warmup + 1)):
            delta = deltas[min(i, len(deltas) - 1)]
            if i < len(levels):
                stages.append(Stage(self.p, levels[i], self.epsilon, delta))
            else:
                stages.append(Stage(self.p, 1.0, self.epsilon, delta, self.trim))
        return np.array(stages)

    @cached_property
    def kinked(self) -> list[Stage]:
        """The stages where kinks need no smoothing: the convex problem first, then the cap."""
        deltas = [0.0] if self.p == 1.0 else [1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-6]
        levels = self._levels(min(self.closes_on, _KINKED_CLOSES_ON))
        stages = [Stage(1.0)]
        stages += [Stage(self.p, level, self.epsilon, deltas[0]) for level in levels]
        if self.p < 1.0 or self.trim > 0.0 or self.epsilon < np.inf:
            stages += [Stage(self.p, 1.0, self.epsilon, delta, self.trim) for delta in deltas]
        return stages

    def _levels(self, closes_on: float) -> list[float]:
        """The quantiles at which a given cap closes, one a stage."""
        n_stages = self.warmup if closes_on > 0.0 else 0
        return [1.0 - closes_on * stage / self.warmup for stage in range(1, n_stages + 1)]

    @property
    def last_warmup(self) -> int:
        """The last stage in which a run waits until it lowers the objective no more."""
        return self.warmup + len(self._open)

    @property
    def final(self) -> CappedPower:
        """The loss that counts, wherever the iterations end."""
        return CappedPower(self.p, self.epsilon, self.delta_min, self.trim)

    def smoothed(self, delta: float) -> Schedule:
        """The schedule whose delta falls no further."""
        return replace(self, delta_min=max(self.delta_min, delta))

    def for_many(self, tol: float) -> Schedule:
        """The schedule for so many rows that kinks are a matter of their density.

        A share of about ``delta^(1/2)`` of them lies near enough to one that delta costs up to
        ``delta^(p/2)``: together ``tol``, an amount of loss a row.
        """
        least = min(tol ** (2.0 / (1.0 + self.p)), 1e-4)
        return self.smoothed(least)

    def resumed(self, delta: float) -> Schedule:
        """The schedule to go on with where a run on some of the rows ended, with this delta.

        That is the last stage; but below p = 1 the objective has many small bends, over which
        delta falls from there by a tenth at a time.
        """
        part = replace(
            self,
            delta_start=self.delta_min if self.p >= 1.0 else delta,
            delta_ratio=0.1,
            closes_on=0.0,
            squared=False,
            warmup=0,
            open_above=np.inf,
        )
        return replace(part, warmup=len(part.stages) - 2)

    @property
    def _open(self) -> list[float]:
        return [d for d in self._falling() if d >= self.open_above] if self.p != 2.0 else []

    def _falling(self) -> list[float]:
        deltas = [max(self.delta_start, self.delta_min)]
        while deltas[-1] > self.delta_min:
            deltas.append(max(deltas[-1] * self.delta_ratio, self.delta_min))
        return deltas
