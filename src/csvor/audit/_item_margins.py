"""What do models that have not seen an item say of its class, taught by ratings of others?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._estimators.capped import CSVOR
from csvor._labels import CodedLabels, OrdinalLabels
from csvor._utils.sklearn_private import safe_split
from csvor.audit._candidates import judge_rows, to_compare
from csvor.audit._data import audit_data, estimators_of
from csvor.audit._labels import FitReport
from csvor.audit._mixes import MODELS, with_trees
from csvor.audit._models import models_of

Array = NDArray[np.float64]

# A class of an item that is less probable teaches nothing.
_LEAST = 0.05


def item_margins(
    X: Any, posterior: Array, labels: OrdinalLabels, estimator: Any, cv: Any, random_state: Any,
    progress: Any,
) -> Array:  # fmt: skip
    """Logits of ``P(t > k)`` of each item by models of other items, shape (n_items, n_classes - 1).

    An item is a row for each class that its ratings leave probable, with that probability for
    weight; all its rows are held out together. Models are compared as by `audit_labels`.
    """
    items, codes = np.nonzero(posterior >= min(_LEAST, posterior.max(axis=1).min()))
    weights = posterior[items, codes]
    repeated = safe_split(CSVOR(), X, None, items, items)[0]
    coded = CodedLabels(labels, codes.astype(np.int64))
    columns = (repeated, coded, weights, None, None, None, items)
    chosen = estimators_of(estimator)
    kind = models_of(chosen)
    rows: Any = audit_data(columns, (labels.classes, None, cv, random_state))
    kind.check(chosen, rows)
    compared, estimators = to_compare(kind, chosen, rows, random_state)
    compares = not chosen
    fits = 2 * len(estimators) + (len(compared) < len(rows)) + len(MODELS[1:]) * compares
    report = FitReport(progress, fits * len(rows.part_sizes))
    *_, best = judge_rows(kind, estimators, rows, compared, report)
    views = [best.view]
    if compares:
        views = with_trees(rows, estimators[0], views, best.view, report)
    report.end()
    view = min(views, key=lambda each: each.mixture.loss)
    first = np.searchsorted(items, np.arange(posterior.shape[0]))
    margins = view.margins[rows.rank[first]]
    return np.asarray(view.mixture.slopes * margins + view.mixture.shifts)
