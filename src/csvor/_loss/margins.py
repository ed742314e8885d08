"""What one pair of row and threshold costs by its margin, for a block of rows at a time.

Each loss is convex in the margin m. A pair's side is +1 where the row belongs above the
threshold, -1 below; a row meets the two thresholds beside its class (explicit constraints) or all
of them (implicit).
"""

from __future__ import annotations

import numpy as np

from csvor._utils.compile import FAST, compiled

# max(0, 1 - m)^2, log(1 + exp(-m)), exp(-m), and max(0, 1 - m) rounded at its kink.
HINGE, LOGISTIC, EXPONENTIAL, ROUNDED = 0, 1, 2, 3
MARGIN_LOSSES = {"hinge": HINGE, "logistic": LOGISTIC, "exponential": EXPONENTIAL}
# Rows of a block: their columns fit into the cache.
BLOCK = 128

CONSTRAINTS = ("explicit", "implicit")
# exp(-m) is level below a margin of minus this, so that its square is a number.
_LEVEL = 300.0

# ``bounded``: the squared hinge takes the curvature of the parabolas above its pairs, which leaves
# of the model what the paper's scheme leaves (its slack matrix M fixed). ``width``: where the
# rounded slack u is ``u^2 / (2 width)``. ``majorant``: the share of the parabola above a rounded
# slack that stands for the curvature it has not.
PAIR = np.dtype(
    [("kind", "i8"), ("implicit", "i8"), ("bounded", "i8"), ("width", "f8"), ("majorant", "f8")]
)


def pair_loss(
    kind: int, constraints: str, *, bounded: bool = False, width: float = 0.0, majorant: float = 0.0
) -> np.ndarray:
    """The pairs that count and what each costs, as the loops read it."""
    return np.array([(kind, constraints == "implicit", bounded, width, majorant)], dtype=PAIR)


def with_width(pair: np.ndarray, width: float) -> np.ndarray:
    """The same pairs with their slacks rounded over ``width``."""
    pair = pair.copy()
    pair["width"] = width
    return pair


@compiled(fastmath=FAST)
def pair_losses(n, f, y, b, pair, g, slope, curve, pull):
    """Set the losses g of n rows, and slope times side and curvature of each pair; sum the slopes.

    ``f`` holds scores, ``y`` codes as floats, ``b`` thresholds; ``slope`` and ``curve`` have
    shape (n_thresholds, block).
    """
    kind, implicit = pair[0].kind, pair[0].implicit == 1
    for r in range(n):
        g[r] = pull[r] = 0.0
    for k in range(b.size):
        b_k, s, c = b[k], slope[k], curve[k]
        if kind == HINGE:
            for r in range(n):
                side = _side(y[r] - k)
                u = max(1.0 - side * (f[r] - b_k), 0.0) * _counts(y[r] - k, implicit)
                g[r] += u * u
                s[r] = 2.0 * side * u
                c[r] = 2.0 if u > 0.0 else 0.0
                pull[r] += s[r]
            if pair[0].bounded == 1:
                for r in range(n):
                    c[r] = 2.0 * _counts(y[r] - k, implicit)
        elif kind == ROUNDED:
            width, majorant = pair[0].width, pair[0].majorant
            for r in range(n):
                side = _side(y[r] - k)
                u = max(1.0 - side * (f[r] - b_k), 0.0) * _counts(y[r] - k, implicit)
                inside = u < width
                g[r] += 0.5 * u * u / width if inside else u - 0.5 * width
                s[r] = side * (u / width if inside else 1.0)
                above = majorant / max(u, width) + (1.0 / width if inside else 0.0)
                c[r] = above if u > 0.0 else 0.0
                pull[r] += s[r]
        else:
            for r in range(n):
                side, counts = _side(y[r] - k), _counts(y[r] - k, implicit)
                s[r] = c[r] = 0.0
                if counts == 0.0:
                    continue
                margin = side * (f[r] - b_k)
                if kind == LOGISTIC:
                    e = np.exp(-abs(margin))
                    value = np.log1p(e) + max(-margin, 0.0)
                    steep = (e if margin > 0.0 else 1.0) / (1.0 + e)
                    bend = steep * (1.0 - steep)
                else:
                    value = steep = bend = np.exp(min(-margin, _LEVEL))
                g[r] += value
                s[r] = side * steep
                c[r] = bend
                pull[r] += s[r]


@compiled(fastmath=FAST)
def _side(above):
    """Of a pair; ``above`` is code less threshold, both from 0."""
    return 1.0 if above > 0.0 else -1.0


@compiled(fastmath=FAST)
def _counts(above, implicit):
    """1 for a pair that counts, 0 for another."""
    return 1.0 if implicit | (abs(above - 0.5) == 0.5) else 0.0
