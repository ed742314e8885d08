"""How are scores counted by class between edges that thresholds lie inside?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Scores beyond these quantiles stand in the outermost bins.
_OUTSIDE = 0.005
# Beyond the outermost score or threshold, as a share of the width.
_MARGIN = 0.03


def score_edges(
    scores: NDArray[np.float64], thresholds: NDArray[np.float64], n_bins: int
) -> NDArray[np.float64]:
    """Edges of equal bins that hold nearly all scores, and all thresholds, which are in order."""
    low, high = np.quantile(scores, [_OUTSIDE, 1.0 - _OUTSIDE])
    low, high = min(low, thresholds[0]), max(high, thresholds[-1])
    margin = _MARGIN * (high - low) or 1.0
    return np.linspace(low - margin, high + margin, n_bins + 1)


def class_histograms(
    scores: NDArray[np.float64],
    codes: NDArray[np.integer],
    n_classes: int,
    edges: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Scores of each class (row) in each bin; what lies beyond the edges is in the last bins."""
    inside = np.clip(scores, edges[0], edges[-1])
    return np.array([np.histogram(inside[codes == k], edges)[0] for k in range(n_classes)])
