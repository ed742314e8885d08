"""The only room that knows how theta = [w; b_1; gaps] is packed, and what is summed over pairs."""

from csvor._objective._capped import CappedArrays, CappedHinge, CappedPoint
from csvor._objective._few import SlackMinimiser
from csvor._objective._packing import Packing
from csvor._objective._surrogate import OrdinalObjective, Point, Surrogate

__all__ = [
    "CappedArrays",
    "CappedHinge",
    "CappedPoint",
    "OrdinalObjective",
    "Packing",
    "Point",
    "SlackMinimiser",
    "Surrogate",
]
