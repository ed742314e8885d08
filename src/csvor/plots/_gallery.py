"""Which images did a fit flag, and which should it have?"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from csvor._utils.words import plural
from csvor.plots._arrays import in_memory, refuse_unequal
from csvor.plots._style import BLUE, INK, VERMILION, Canvas, figure_or_new, styled

# Flagged, occluded, and what that is called.
_OUTCOMES = (
    (True, True, "flagged, occluded"),
    (True, False, "flagged, but clean"),
    (False, True, "not flagged, but occluded"),
    (False, False, "not flagged, clean"),
)


@styled
def occlusion_gallery(
    images: ArrayLike,
    occluded: ArrayLike,
    flagged: ArrayLike,
    *,
    residuals: ArrayLike | None = None,
    auc: float | None = None,
    most: int = 10,
    figure: Canvas | None = None,
) -> Canvas:
    """Draw images by what a fit said of them and what is true, one row for each of the four.

    Frames are solid where the flag is right and dashed where it is wrong.

    Parameters
    ----------
    images : array-like of shape (n_samples, height, width)
        Grey values; all share one scale. RGB images have a fourth axis of length 3.
    occluded : array-like of bool of shape (n_samples,)
        The truth.
    flagged : array-like of bool of shape (n_samples,)
        What the fit said, such as ``outliers_``.
    residuals : array-like of shape (n_samples,), default=None
        Shows the largest first; None keeps the order of the images.
    auc : float, default=None
        Area under the ROC curve of the residuals against the truth, to print.
    most : int, default=10
        Images in a row, at most.
    figure : Figure or SubFigure, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    figure : Figure or SubFigure

    Raises
    ------
    ValueError
        For no images, lengths that differ, images that are not two-dimensional, or `most`
        below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor.plots import occlusion_gallery
    >>> images = np.random.default_rng(0).uniform(size=(6, 8, 8))
    >>> truth = np.array([True, True, False, False, False, False])
    >>> flags = np.array([True, False, True, False, False, False])
    >>> figure = occlusion_gallery(images, truth, flags)
    >>> [ax.get_ylabel().splitlines()[-1] for ax in figure.axes if ax.get_ylabel()]
    ['1 image', '1 image', '1 image', '3 images']
    """
    images, occluded, flagged, residuals = in_memory(
        images=images, occluded=occluded, flagged=flagged, residuals=residuals
    )
    pixels = np.asarray(images, dtype=float)
    truth, flags = np.asarray(occluded, dtype=bool), np.asarray(flagged, dtype=bool)
    order = np.arange(len(pixels))
    if residuals is not None:
        order = np.argsort(-np.asarray(residuals, dtype=float), kind="stable")
    if pixels.ndim not in (3, 4) or not len(pixels):
        raise ValueError(f"images must have shape (n_samples, height, width); not {pixels.shape}.")
    refuse_unequal(images=pixels, occluded=truth, flagged=flags, residuals=order)
    if most < 1:
        raise ValueError(f"most={most} must be at least 1.")
    strips = [
        (name, f == t, order[(flags == f)[order] & (truth == t)[order]]) for f, t, name in _OUTCOMES
    ]
    columns = min(most, max(len(rows) for _, _, rows in strips))
    figure = figure_or_new(figure, 1.5 + 0.62 * columns, 3.1)
    grid = figure.subplots(len(strips), columns, squeeze=False)
    limits = {"vmin": pixels.min(), "vmax": max(pixels.max(), pixels.min() + 1e-9)}
    for axes, (name, right, rows) in zip(grid, strips, strict=True):
        _row(axes, pixels, rows, name, right, limits)
    score = "" if auc is None else f"; AUC {auc:.3f}"
    ranked = "" if residuals is None else ", largest residuals first"
    figure.suptitle(f"{int(flags.sum())} of {len(flags)} images flagged{score}{ranked}", size=9)
    return figure


def _row(
    axes: NDArray[np.object_],
    pixels: NDArray[np.float64],
    rows: NDArray[np.intp],
    name: str,
    right: bool,
    limits: dict[str, float],
) -> None:
    first: Axes = axes[0]
    label = f"{name}\n{plural(len(rows), 'image')}"
    first.set_ylabel(label, rotation=0, ha="right", va="center", labelpad=6, color=INK)
    for ax, row in zip(axes, rows, strict=False):
        scale = limits if pixels.ndim == 3 else {}
        ax.imshow(pixels[row] if scale else np.clip(pixels[row], 0, 1), cmap="gray", **scale)
    for i, ax in enumerate(axes):
        ax.set(xticks=[], yticks=[])
        is_used = i < len(rows)
        for spine in ax.spines.values():
            spine.set_visible(is_used)
            spine.set(color=BLUE if right else VERMILION, linewidth=1.8, capstyle="butt")
            spine.set_linestyle("-" if right else (0, (2.0, 1.2)))
        ax.patch.set_visible(is_used)
