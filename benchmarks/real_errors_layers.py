"""What is made of a score: by its residual, by cleanlab, by nessie's formulas, and by csvor."""

import time
import warnings
from typing import Any

import numpy as np
from cleanlab.count import num_label_issues
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from cleanlab.regression.rank import get_label_quality_scores as regression_quality_scores
from numpy.typing import NDArray
from real_errors_sets import Task
from scipy.stats import entropy, rankdata
from sklearn.metrics import average_precision_score

from csvor import WrongLabels, audit_labels, audit_scores

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]

RANKINGS = {
    "self_confidence": (False, True),
    "normalized_margin": (False, True),
    "confidence_weighted_entropy": (False,),
}
FILTERS = (
    "prune_by_class",
    "prune_by_noise_rate",
    "both",
    "confident_learning",
    "predicted_neq_given",
    "low_normalized_margin",
    "low_self_confidence",
)
# "outre" compares each row with half of all others.
MOST_ROWS_OUTRE = 7000
COUNTS = ("off_diagonal", "off_diagonal_calibrated")


def precision(wrong: Mask, suspicion: Matrix) -> float:
    """Average precision; NaN where no label is wrong."""
    return float(average_precision_score(wrong, suspicion)) if wrong.any() else float("nan")


def expected_class(score: Matrix) -> Matrix:
    return score if score.ndim == 1 else score @ np.arange(score.shape[1])


def rankings(score: Matrix, y: NDArray[np.int64]) -> dict[str, Matrix]:
    """How suspect each label is, by each way that is not csvor's."""
    value = expected_class(score)
    found = {"residual": np.abs(y - value)}
    for method in ("residual", "outre") if y.size <= MOST_ROWS_OUTRE else ("residual",):
        quality = regression_quality_scores(y.astype(float), value, method=method)
        found[f"cleanlab regression {method}"] = -quality
    if score.ndim == 1:
        return found
    for method, choices in RANKINGS.items():
        for adjusted in choices:
            quality = get_label_quality_scores(y, score, method=method, adjust_pred_probs=adjusted)
            found[f"cleanlab {method}{' adjusted' if adjusted else ''}"] = -quality
    return found | nessie(score, y)


def nessie(score: Matrix, y: NDArray[np.int64]) -> dict[str, Matrix]:
    """Its scorers that need class probabilities only, and their Borda count."""
    ordered = np.sort(score, axis=1)
    found = {
        "nessie uncertainty": 1.0 - score[np.arange(y.size), y],
        "nessie margin": 1.0 - (ordered[:, -1] - ordered[:, -2]),
        "nessie entropy": entropy(score.T),
    }
    ranks = rankdata(list(found.values()), method="ordinal", axis=1)
    return found | {"nessie Borda": ranks.sum(axis=0).astype(float)}


def by_others(task: Task, score: Matrix) -> dict[str, Any]:
    """Average precision of each ranking, what each filter names, and each count."""
    y, wrong = task.y, task.wrong
    found: dict[str, Any] = {
        "ranked": {name: precision(wrong, s) for name, s in rankings(score, y).items()},
        "named": {},
        "counted": {},
    }
    if score.ndim == 2:
        for name in FILTERS:
            named = find_label_issues(y, score, filter_by=name, n_jobs=1)
            found["named"][name] = (int(named.sum()), int(wrong[named].sum()))
        for name in COUNTS:
            count = num_label_issues(y, score, estimation_method=name)
            found["counted"][name] = count / y.size
    return found


def by_csvor(task: Task, score: Matrix | None) -> dict[str, Any]:
    """Of a score, or by csvor's own models of the features where there is none."""
    warnings.simplefilter("ignore")
    start = time.process_time()
    audit: WrongLabels
    if score is None:
        audit = audit_labels(task.features(), task.y, groups=task.groups)
    else:
        audit = audit_scores(score, task.y)
    seconds = time.process_time() - start
    suspicion = np.empty(task.y.size)
    suspicion[audit.order] = -np.arange(task.y.size)
    return {
        "precision": precision(task.wrong, suspicion),
        "by probability": precision(task.wrong, audit.probability),
        "by distance": precision(task.wrong, audit.expected_distance),
        "ranked by": audit.ordered_by,
        "conclusive": bool(audit.conclusive),
        **{name: float(getattr(audit, name)) for name in ("share", "low", "high")},
        "named": int(audit.flagged.sum()),
        "promised": float(audit.expected_right),
        "right": int(task.wrong[audit.flagged].sum()),
        "seconds": seconds,
    }
