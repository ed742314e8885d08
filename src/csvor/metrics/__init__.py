"""Measures for ordered labels that scikit-learn lacks, and scorers that know the class order."""

from csvor.metrics._class_errors import (
    average_mean_absolute_error,
    maximum_mean_absolute_error,
    per_class_mean_absolute_error,
)
from csvor.metrics._errors import accuracy_off1_score, mean_absolute_error, mean_zero_one_error
from csvor.metrics._kappa import weighted_kappa
from csvor.metrics._scorers import get_scorer, get_scorer_names

__all__ = [
    "accuracy_off1_score",
    "average_mean_absolute_error",
    "get_scorer",
    "get_scorer_names",
    "maximum_mean_absolute_error",
    "mean_absolute_error",
    "mean_zero_one_error",
    "per_class_mean_absolute_error",
    "weighted_kappa",
]
