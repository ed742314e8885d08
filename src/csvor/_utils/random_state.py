"""How does `random_state` become a generator?"""

from __future__ import annotations

from typing import Any

import numpy as np


def generator(random_state: Any) -> np.random.Generator:
    """A generator of one's own; None is fresh entropy, never NumPy's global state."""
    if isinstance(random_state, np.random.RandomState):
        # Drawn from the caller's stream, which moves on, as scikit-learn's functions do.
        return np.random.default_rng(random_state.randint(0, 2**32, dtype=np.uint64))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state={random_state!r} is no seed; give a whole number from 0, a RandomState, "
            "a Generator or None."
        ) from None
