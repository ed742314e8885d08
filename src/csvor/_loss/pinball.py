"""What does a row cost by its score and the boundaries of its class?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Distance to the centre of the class, and slacks at its upper and lower boundary, by
# (score, lower boundary, upper boundary, 1).
_OFF = np.array([1.0, -0.5, -0.5, 0.0])
_ABOVE = np.array([1.0, 0.0, -1.0, 1.0])
_BELOW = np.array([-1.0, 1.0, 0.0, 1.0])


def pinball_pieces(tau: float, form: str) -> tuple[Array, Array]:
    """The loss as a sum of maxima of linear pieces ``slope . (f, b_lo, b_hi) + offset``.

    In the paper's form each side costs ``max(0, tau off, tau off + (1 - tau) slack)``; in that of
    its authors' code slacks and distance stand apart.

    Returns
    -------
    slopes : ndarray of shape (n_maxima, n_pieces, 3)
    offsets : ndarray of shape (n_maxima, n_pieces)
    """
    nothing = 0.0 * _OFF
    if form == "paper":
        pieces = [
            [nothing, tau * off, tau * off + (1.0 - tau) * slack]
            for off, slack in ((_OFF, _ABOVE), (-_OFF, _BELOW))
        ]
    else:
        pieces = [
            [nothing, (1.0 - tau) * _ABOVE],
            [nothing, (1.0 - tau) * _BELOW],
            [tau * _OFF, -tau * _OFF],
        ]
    of_pieces = np.array(pieces)
    return of_pieces[..., :3], of_pieces[..., 3]


def pinball_losses(
    scores: Array, codes: NDArray[np.integer], boundaries: Array, tau: float, form: str
) -> Array:
    """The loss of each row."""
    views = np.stack([scores, boundaries[codes], boundaries[codes + 1]])
    slopes, offsets = pinball_pieces(tau, form)
    return (slopes @ views + offsets[..., None]).max(axis=1).sum(axis=0)
