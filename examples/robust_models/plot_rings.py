"""
Can the score bend?
===================

Four classes lie on half rings of growing radius, and 15 % of the labels are changed to another
class at random. SVOREX and CSVOR have the same RBF kernel and the same C. SVOREX pays for each
wrong label in full and bends towards it; CSVOR cuts the worst rows away.
"""

import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import Normal, Stroke

from csvor import CSVOR, SVOREX

C, GAMMA, WRONG = 10.0, 0.5, 0.15
# Four steps of one scale that stays in order for every kind of colour vision and in grey.
COLOURS = [mpl.colormaps["viridis"](level) for level in (0.0, 0.36, 0.68, 1.0)]
# White on a dark stroke shows on all of them.
TRUTH = {
    "color": "white",
    "ls": "--",
    "lw": 1.4,
    "path_effects": [Stroke(linewidth=3.0, foreground="black"), Normal()],
}


def half_rings(n, rng):
    """Rows of 4 classes at radius 1, 2, 3, 4, with noise on the radius."""
    rank = np.arange(n) % 4
    radius = 1.0 + rank + 0.25 * rng.normal(size=n)
    angle = rng.uniform(0.0, np.pi, n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), rank + 1


def mislabel(y, share, rng):
    """Labels of which a share is moved to another class, and which these are."""
    wrong = rng.permutation(y.size) < share * y.size
    return np.where(wrong, (y - 1 + rng.integers(1, 4, y.size)) % 4 + 1, y), wrong


def draw(ax, model, X, y, wrong, title):
    """Regions of the model under the training rows, and where the true classes part."""
    x1, x2 = np.meshgrid(np.linspace(-5.4, 5.4, 361), np.linspace(-0.7, 5.3, 201))
    region = model.predict(np.column_stack([x1.ravel(), x2.ravel()])).reshape(x1.shape)
    ax.contourf(x1, x2, region, levels=[0.5, 1.5, 2.5, 3.5, 4.5], colors=COLOURS, alpha=0.45)
    ax.contour(x1, x2, region, levels=[1.5, 2.5, 3.5], colors="black", linewidths=1.4)
    angle = np.linspace(0.0, np.pi, 200)
    for radius in (1.5, 2.5, 3.5):
        ax.plot(radius * np.cos(angle), radius * np.sin(angle), **TRUTH)
    for rank in range(1, 5):
        rows = (y == rank) & ~wrong
        ax.scatter(*X[rows].T, s=16, color=COLOURS[rank - 1], edgecolors="black", linewidths=0.4)
        rows = (y == rank) & wrong
        ax.scatter(
            *X[rows].T, s=44, marker="D", color=COLOURS[rank - 1], edgecolors="red", linewidths=1.4
        )
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])


# %%
# Each model's regions are drawn under the training rows.

rng = np.random.default_rng(0)
X, true = half_rings(400, rng)
y, wrong = mislabel(true, WRONG, rng)
X_test, y_test = half_rings(4000, rng)
figure, axes = plt.subplots(2, 1, figsize=(6.6, 7.9), layout="constrained")
for ax, kind in zip(axes, (SVOREX, CSVOR), strict=True):
    model = kind(C, kernel="rbf", gamma=GAMMA).fit(X, y)
    error = np.mean(model.predict(X_test) != y_test)
    draw(ax, model, X, y, wrong, f"{kind.__name__}: {error:.1%} of clean test rows wrong")
handles = [
    plt.Line2D([], [], ls="", marker="s", ms=9, color=colour, label=f"class {rank}")
    for rank, colour in enumerate(COLOURS, start=1)
]
marker = {"ls": "", "marker": "D", "mec": "red", "mew": 1.4, "color": "lightgrey"}
handles += [
    plt.Line2D([], [], **marker, ms=7, label="wrong label, colour of the label"),
    plt.Line2D([], [], color="black", lw=1.4, label="model"),
    plt.Line2D([], [], **TRUTH, label="truth"),
]
figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)

# %%
# ``python plot_rings.py rings.png`` keeps the picture.

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=180)
