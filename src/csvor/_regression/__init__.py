"""Ordinal regression for those who read coefficients: cumulative link models with wrong labels."""

from csvor._regression.checks import SeparationError
from csvor._regression.comparison import compare_models
from csvor._regression.estimator import OrdinalRegression
from csvor._regression.summary import Summary

__all__ = ["OrdinalRegression", "SeparationError", "Summary", "compare_models"]
