"""What csvor uses of scikit-learn that is not public, in one place."""

from sklearn.base import _fit_context as fit_context
from sklearn.preprocessing._data import _is_constant_feature as is_constant_feature
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as openmp_threads
from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.metaestimators import _safe_split as safe_split
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "Interval",
    "StrOptions",
    "check_sample_weight",
    "fit_context",
    "is_constant_feature",
    "openmp_threads",
    "safe_split",
    "validate_parameter_constraints",
]
