"""How are the data sets read that the package skordinal brings along?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from csvor.datasets._table import Table, as_bunch


def load_bundled(name: str) -> Any:
    """One of its sets in the shape of csvor's own; classes count from 1."""
    try:
        from skordinal import datasets
    except ImportError as error:
        raise ImportError(
            f"The data set {name!r} comes with the package skordinal; install it with "
            "pip install 'csvor[baselines]'"
        ) from error
    found = getattr(datasets, f"load_{name}")()
    labels = np.asarray(found.target, dtype=np.int64) + 1
    data = np.asarray(found.data, dtype=np.float64)
    return as_bunch(
        name,
        Table(data, list(found.feature_names), None),
        labels,
        [str(label) for label in found.target_names],
        found.DESCR,
        Path(str(found.filename)),
    )
