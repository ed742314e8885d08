"""What do all displays share?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from csvor.audit import LabelAudit
from csvor.plots._arrays import of_audit
from csvor.plots._style import Canvas, axes_or_new


class Display:
    """Where it was drawn."""

    ax_: Axes
    figure_: Canvas
    # The methods of other panels of the picture.
    _beside: Sequence[str] = ()

    def __init_subclass__(cls) -> None:
        # The name that users import is not where the code lies.
        cls.__module__ = "csvor.plots"

    def _axes(self, ax: Axes | None, width: float, height: float) -> Axes:
        """Keep the axes to draw in, those of a new figure where there are none, and its figure."""
        self.ax_ = axes_or_new(ax, width, height)
        self.figure_ = self.ax_.figure
        return self.ax_

    @classmethod
    def _of_audit(cls, audit: LabelAudit, other: str, *names: str) -> list[Any]:
        """What `audit_labels` says of each row; audits of `other` kinds have a way of their own."""
        if not isinstance(audit, LabelAudit):
            raise TypeError(
                f"audit must be what audit_labels found, got {type(audit).__name__}: give the "
                f"{other} to {cls.__name__}.from_predictions."
            )
        return of_audit(audit, *names)
