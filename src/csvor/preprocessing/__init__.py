"""Transformers that make features fit for a linear score."""

from csvor.preprocessing._median_clipper import MedianClipper

__all__ = ["MedianClipper"]

# The name that users import, and that files of models have, is not where the code lies.
MedianClipper.__module__ = "csvor.preprocessing"
