"""What does a fit need of data in partitions?"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from csvor._data.fit_data import (
    FitData,
)
from csvor._parts.graph import Parts, as_array, layer, shared
from csvor._parts.partitions import PassCount
from csvor._rows.dask import DaskMatrix
from csvor._solvers.refine import SHARE

Array = NDArray[np.float64]

# Bytes of rows that a fit on one machine may hold.
_ROOM_OF_A_MACHINE = 2**33


@dataclass(frozen=True, eq=False)
class PartitionedFitData(FitData):
    """Data of a fit in partitions: codes and weights are arrays of dask's."""

    in_memory = False
    known_mass: NDArray[Any] | None = None
    # What was asked before the first fit.
    checks: PassCount = field(default_factory=PassCount)

    @property
    def mass(self) -> Any:
        assert self.known_mass is not None
        return self.known_mass[self.present]

    def scores_of_all(self, of_counted: da.Array, project: Any) -> Any:
        return self.X.each(project) if self.left_out else of_counted

    @property
    def traffic(self) -> dict[str, int]:
        return asdict(self.X.traffic)

    def reset_traffic(self) -> None:
        vars(self.X.traffic).update(asdict(self.checks))

    @property
    def wanted_room(self) -> int | None:
        assert isinstance(self.matrix, DaskMatrix)
        return self.matrix.wanted_room(SHARE)

    @property
    def room_of_all(self) -> int | None:
        return self.X.n_bytes if self.X.n_bytes <= _ROOM_OF_A_MACHINE else None

    def map_rows(self, work: Any, *columns: da.Array) -> Any:
        arguments = [*Parts.of_all(*columns), shared((work,), len(self.X.parts))]
        return as_array(layer(_applied, arguments), self.X.sizes, np.float64)

    def to_user(self, of_rows: da.Array) -> Any:
        return of_rows


def _applied(*arguments: Any) -> Any:
    *columns, (work,) = arguments
    return work(*columns)
