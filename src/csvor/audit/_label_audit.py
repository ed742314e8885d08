"""What does an audit by the rows' own features say beside the wrong labels?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from csvor.audit._candidate import Candidate
from csvor.audit._wrong_labels import WrongLabels

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class LabelAudit(WrongLabels):
    """What `audit_labels` says: also all that `WrongLabels` holds, from the rows' own features.

    Attributes
    ----------
    residual : ndarray of shape (n_samples,)
        ``r^p`` of the label given, under the chosen model fitted to other rows; of a model that is
        not of csvor, how many classes lie between the label and the class expected.
    score : ndarray of shape (n_samples,)
        That model's score of the row, less the mean of its thresholds; else the mean of the
        margins that are read from it.
    thresholds : ndarray of shape (n_classes - 1,)
        The thresholds on the scale of ``score``, in the mean over the parts; of a model that is not
        of csvor, those that cut the scores into the shares of the classes.
    model : estimator
        The chosen model fitted on all rows; of csvor, at the share of wrong labels found.
    candidates : tuple of Candidate
        What was compared, best first: each has ``estimator``, ``share``, ``log_likelihood``,
        ``weight`` and ``settings``.
    models : dict of str to float
        How much csvor's own models ("csvor") or the estimators given ("estimator"), boosting and
        extra trees count in the margins, in shares of 1.
    """

    residual: Array
    score: Array
    thresholds: Array
    model: Any
    candidates: tuple[Candidate, ...]
    models: dict[str, float]

    _columns: ClassVar[tuple[str, ...]] = (*WrongLabels._columns, "residual")
