"""What X is, asked once: a few products behind one interface, nothing ordinal."""

from csvor._matrix._dense import DenseMatrix

__all__ = ["DenseMatrix"]
