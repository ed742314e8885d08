"""Do class probabilities keep what they claim?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A difference that matters, and one that is no chance (boosting and 5 neighbours by default, 400 to
# 1 500 rows: .13 to .26, 6 to 23 errors; forests up to .07; models that are calibrated: below 0).
_MATTERS, _ERRORS = 0.1, 4.0


def notes_on_claims(
    probabilities: Array, codes: NDArray[np.integer], weights: Array | None, share: float
) -> tuple[str, ...]:
    """A note where far fewer labels are hit than promised, wrong labels set aside (N53).

    Promised is the mean of the greatest probability of each row, of which wrong labels keep
    ``1 - share``.
    """
    top = probabilities.max(axis=1)
    promised = float(np.average(top, weights=weights))
    kept = float(np.average(probabilities.argmax(axis=1) == codes, weights=weights))
    parts = np.full(codes.size, 1.0 / codes.size) if weights is None else weights / weights.sum()
    by_chance = np.sqrt(parts**2 @ (top * (1.0 - top)))
    missing = promised * (1.0 - share) - kept
    if missing < max(_MATTERS, _ERRORS * by_chance):
        return ()
    return (
        f"The class probabilities promise {promised:.0%} of the labels and hit {kept:.0%}: "
        "calibrate the model (scikit-learn's CalibratedClassifierCV), and wrong labels are told "
        "better from its own errors.",
    )
