"""How is a diagram of ranks laid out, and how large must it be?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, isfinite

from matplotlib.textpath import TextPath

ROW = 0.8  # between the names, in the units of the y axis
BAR = 0.32  # between the bars of groups
ABOVE, BELOW = 2.3, 0.5  # the first and the last name
NAMES, WORDS = 9, 8  # points
# In inches: a unit of the y axis, what ranks take at least, alone and for each, and beside them the
# line to a name, and what is left around it.
UNIT, LEAST, EACH, STUB, PAD = 0.27, 3.4, 0.26, 0.22, 0.08


class RankDiagram:
    """What stands where: methods to the left and right, rows in units of the y axis, and inches."""

    def __init__(
        self,
        ranks: Mapping[str, float],
        cd: float | None,
        groups: Sequence[Sequence[str]],
        test: str,
    ) -> None:
        self.order = sorted(ranks.items(), key=lambda item: item[1])
        n_left = (len(self.order) + 1) // 2
        self.left, self.right = self.order[:n_left], self.order[n_left:][::-1]
        self.first = 0.75 + BAR * len(groups)
        self.depth = self.first + ROW * (n_left - 1)
        self.cd = cd if cd is not None and isfinite(cd) else 0.0
        # The test alone where bars are drawn without a difference.
        self.of_test = f"CD = {self.cd:.2f} ({test})" if self.cd else test * bool(groups)
        labels = (
            [label(*item, at_left) for item in side]
            for side, at_left in ((self.left, True), (self.right, False))
        )
        self._beside = [
            STUB + 2 * PAD + max((_width(label, NAMES) for label in side), default=0.0)
            for side in labels
        ]
        self._words = _width(self.of_test, WORDS) + 2 * PAD

    def _around(self, across: float) -> tuple[float, float, float]:
        """Inches of the ranks and of what is left and right of them."""
        ruler = self.cd / max(len(self.order) - 1, 1) * across
        return across, self._beside[0], max(self._beside[1], ruler + self._words - across)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        across = max(LEAST, EACH * len(self.order))
        height = 0.1 + UNIT * (ABOVE + self.depth + BELOW)
        return sum(self._around(across)), height

    def fitted(self, width: float) -> tuple[float, float, float]:
        """The same inches in axes of a width; names that do not fit run over its edges."""
        first = self._around(max(width - sum(self._beside), width / 3))
        # The words of the test may go beyond the names.
        across, left, right = self._around(max(width - sum(first[1:]), width / 3))
        share = min(1.0, (width - across) / (left + right))
        return across, left * share, right * share


def _width(text: str, points: float) -> float:
    """Of a line of text, in inches."""
    if not text.strip():
        return 0.0
    # Letters that are hinted for a screen take a little more.
    return 1.06 / 72 * float(TextPath((0, 0), text, size=points, usetex=False).get_extents().width)


def label(name: str, rank: float, at_left: bool) -> str:
    """A method with its rank, which stands on the side of the ranks."""
    # Rounded down, as 1.996 is no second place.
    text = f"{floor(rank * 100 + 0.5) / 100:.2f}"
    return f"{name}  {text}" if at_left else f"{text}  {name}"
