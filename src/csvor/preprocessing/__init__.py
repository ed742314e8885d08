"""Transformers that make features fit for a linear score."""

from csvor.preprocessing._median_clipper import MedianClipper
from csvor.preprocessing._table_encoder import TableEncoder

__all__ = ["MedianClipper", "TableEncoder"]

# The name that users import, and that files of models have, is not where the code lies.
MedianClipper.__module__ = TableEncoder.__module__ = "csvor.preprocessing"
