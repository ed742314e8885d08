"""Which loss each stage of re-weighting uses, until cap and smoothing are final."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import CappedPower

Array = NDArray[np.float64]

# A stage ends when an iteration lowers the objective by less than this share of itself, and after
# so many iterations (found by trial). What is cut depends on where the trimming begins, so the
# stage before it goes on for longer.
_USUAL, _BEFORE_TRIMMING = (1e-2, 20.0), (1e-5, np.inf)


# Where kinks need no smoothing a cap closes on this share of the rows at most: on more it ends
# higher (found by trial on 216 problems: 2 % in the mean).
_KINKED_CLOSES_ON = 0.3

# The loss of a stage for a solver that knows kinks: power, level of the quantile that is the cap (1
# where it is epsilon), the least cap, what is added to residuals below p = 1, and trimmed share.
Stage = namedtuple("Stage", "p level epsilon delta trim")


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

    @cached_property
    def stages(self) -> Array:
        """A row for each stage until nothing changes, as `_solvers.iterate` reads them."""
        deltas = [0.0] if self.p == 2.0 else self._falling()
        rows = [(2.0, 1.0, np.inf, 0.0, 0.0, *_USUAL)] if self.squared else []
        rows += [(self.p, 1.0, np.inf, delta, 0.0, *_USUAL) for delta in self._open]
        if self.trim > 0.0 and rows:
            rows[-1] = (*rows[-1][:5], *_BEFORE_TRIMMING)
        n_stages = max(len(deltas), self.warmup + 1)
        for stage in range(1, n_stages + 1):
            delta = deltas[min(stage, len(deltas)) - 1]
            if self.closes_on > 0.0 and stage <= self.warmup:
                level = 1.0 - self.closes_on * stage / self.warmup
                rows.append((self.p, level, np.inf, delta, 0.0, *_USUAL))
            else:
                rows.append((self.p, 1.0, self.epsilon, delta, self.trim, *_USUAL))
        return np.array(rows)

    @cached_property
    def kinked(self) -> list[Stage]:
        """The stages where kinks need no smoothing: the convex problem first, then the cap."""
        stages = [Stage(1.0, 1.0, np.inf, 0.0, 0.0)]
        deltas = [0.0] if self.p == 1.0 else [1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-6]
        for stage in range(1, self.warmup + 1 if self.closes_on > 0.0 else 1):
            level = 1.0 - min(self.closes_on, _KINKED_CLOSES_ON) * stage / self.warmup
            stages.append(Stage(self.p, level, self.epsilon, deltas[0], 0.0))
        if self.p < 1.0 or self.trim > 0.0 or self.epsilon < np.inf:
            stages += [Stage(self.p, 1.0, self.epsilon, delta, self.trim) for delta in deltas]
        return stages

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
