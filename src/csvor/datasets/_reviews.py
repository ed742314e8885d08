"""What do generated texts with ordered labels look like: short reviews with stars?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._utils.random_state import generator

_THINGS = (
    "room", "bed", "breakfast", "staff", "bathroom", "view", "lobby", "pool", "location", "lift",
    "parking", "dinner", "wifi", "carpet", "balcony", "shower", "service", "bar",
)  # fmt: skip
# From awful to wonderful; levels side by side share words, as people do.
_WORDS = [
    words.split()
    for words in (
        "filthy awful broken terrible rude mouldy disgusting unusable",
        "dirty broken noisy poor cold rude worn smelly",
        "small noisy dated average plain worn acceptable basic",
        "clean quiet good friendly fine comfortable tasty pleasant",
        "spotless wonderful excellent friendly perfect comfortable superb lovely",
    )
]
_BEFORE = ("", "", "rather ", "really ", "quite ", "a bit ", "so ")
# How far a thing, and the stars, may lie from how good the whole was.
_OF_THING, _OF_STARS = 0.6, 0.3
_EDGES = (-1.3, -0.5, 0.4, 1.2)


def make_ordinal_reviews(
    n_samples: int = 1000, *, random_state: Any = None
) -> tuple[list[str], NDArray[np.int64]]:
    r"""Write short reviews of hotels, with one to five stars.

    .. math:: q_i \sim N(0, 1), \qquad y_i = 1 + \#\{k : q_i + 0.3 u_i \ge e_k\}, \quad
        u_i \sim N(0, 1), \quad e = (-1.3, -0.5, 0.4, 1.2)

    A review speaks of two to five things, each in a word for the level of
    :math:`2 + 1.1 (q_i + 0.6 v)` from 0 (awful) to 4 (wonderful), v standard normal. Levels side by
    side share words. So the words tell the stars well, but not without errors.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of reviews, at least 1.
    random_state : int, RandomState, Generator or None, default=None
        Decides the reviews.

    Returns
    -------
    texts : list of str
    stars : ndarray of shape (n_samples,), int64
        1 to 5.

    Raises
    ------
    ValueError
        If `n_samples` is less than 1.

    Examples
    --------
    >>> from csvor.datasets import make_ordinal_reviews
    >>> texts, stars = make_ordinal_reviews(3, random_state=0)
    >>> print(stars[1], texts[1])
    3 location worn, view really comfortable
    """
    if n_samples < 1:
        raise ValueError(f"n_samples={n_samples} must be at least 1.")
    rng = generator(random_state)
    quality = rng.standard_normal(n_samples)
    stars = 1 + np.digitize(quality + _OF_STARS * rng.standard_normal(n_samples), _EDGES)
    return [_review(q, rng) for q in quality], stars.astype(np.int64)


def _review(quality: float, rng: np.random.Generator) -> str:
    things = rng.choice(_THINGS, rng.integers(2, 6), replace=False)
    of_things = quality + _OF_THING * rng.standard_normal(things.size)
    levels = np.clip(np.rint(2.0 + 1.1 * of_things), 0, 4).astype(int)
    phrases = (
        f"{thing} {rng.choice(_BEFORE)}{rng.choice(_WORDS[level])}"
        for thing, level in zip(things, levels, strict=True)
    )
    return ", ".join(phrases)
