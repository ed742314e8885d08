"""What X is, asked once: a few products behind one interface, nothing ordinal."""

from csvor._matrix._dense import DenseMatrix
from csvor._matrix._spans import Spans, spans_of

__all__ = ["DenseMatrix", "Spans", "spans_of"]
