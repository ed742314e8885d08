"""Which feature columns are there, and what is known of each?"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._tables.table import Table

# From so many indicators of categories on, rows are sparse (N45): one a column is not 0.
SPARSE_FROM = 100
# Numbers are stored whole; beside many of them there is nothing to spare.
_MOST_STORED = 0.25


@dataclass
class FeatureColumns:
    """The columns by their use; of the categorical ones, the values seen.

    `row_numbers` name rows, by numbers or texts. `readings` say how numbers are written where they
    are not plain ones, `missing` which marks stand for no value beside the usual ones.
    """

    numeric: list[str] = field(default_factory=list)
    categorical: dict[str, list[str]] = field(default_factory=dict)
    constant: list[str] = field(default_factory=list)
    row_numbers: list[str] = field(default_factory=list)
    readings: dict[str, dict[str, str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    @property
    def used(self) -> list[str]:
        """The names of the columns that the model takes."""
        return [*self.numeric, *self.categorical]

    @property
    def decimal(self) -> str | None:
        """The decimal sign that columns with marks tell, if it is one."""
        signs = {how["decimal"] for how in self.readings.values() if "decimal" in how}
        return signs.pop() if len(signs) == 1 else None

    @property
    def are_sparse(self) -> bool:
        """Whether the encoded rows are mostly zeros, and enough of them to be left out."""
        indicators = sum(map(len, self.categorical.values()))
        stored = len(self.used) / (len(self.numeric) + indicators)
        return indicators >= SPARSE_FROM and stored <= _MOST_STORED

    def as_written(self, table: Table, rows: NDArray[np.int64]) -> pd.DataFrame:
        """The cells of columns of numbers that are not plain ones: dates, percentages, units."""
        cells = {}
        for name in self.readings:
            codes, texts = table.columns[name].take(rows).coded
            cells[name] = pd.Categorical.from_codes(codes, pd.Index(texts))
        return pd.DataFrame(cells, index=range(len(rows)))
