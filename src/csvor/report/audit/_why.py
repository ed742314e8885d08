"""Why is a row suspect: which features pull its score, and which good rows are like it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import NearestNeighbors

from csvor._estimators.steps import at_final, final_of, is_own
from csvor._rows.csr import is_sparse
from csvor.audit import WrongLabels
from csvor.report.audit._features import FeatureTable, SparseTable, table_of

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Table = FeatureTable | SparseTable

NEIGHBOURS = 3
# Features are chosen by their pulls on so many of the rows.
_SAMPLE = 50


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the features say of some rows.

    `columns` are positions of features, `values` what all rows have there; `pulls` belong to a
    line, `near` (positions of rows, for each of the rows) to a curve, neither to no model.
    """

    names: Sequence[str]
    columns: Rows
    values: Sequence[NDArray[Any]] = ()
    pulls: Array | None = None
    near: Sequence[Rows] = ()

    @property
    def kind(self) -> str:
        """What stands beside the values: "pulls", "neighbours" or ""."""
        return "pulls" if self.pulls is not None else "neighbours" if self.near else ""


def evidence_of(audit: WrongLabels, X: Any, rows: Rows, most: int) -> Evidence:
    """Values, and pulls or neighbours, of at most so many features."""
    model = getattr(audit, "model", None)
    if model is not None and not (is_own(model) and audit.conclusive):
        model = None  # it may be of any form, or predict nothing: nothing is said of why
    # The columns of a precomputed kernel are no features.
    if X is None or (model is not None and final_of(model).kernel == "precomputed"):
        return Evidence((), np.empty(0, dtype=np.intp))
    table = table_of(X, model)
    if table.n_rows != audit.probability.size:
        raise ValueError(
            f"X has {table.n_rows} rows and the audit {audit.probability.size}: give the X "
            "that was audited."
        )
    columns = np.arange(min(most, len(table.names)))
    if model is not None:
        columns = strongest(model, table, rows, most)
    values = [table.values(j) for j in columns.tolist()]
    evidence = Evidence(table.names, columns, values)
    if model is None:
        return evidence
    if final_of(model).kernel == "linear":
        return replace(evidence, pulls=pulls(model, table, rows, columns))
    return replace(evidence, near=nearest_good(audit, model, table, rows))


def pulls(model: Any, table: Table, rows: Rows, columns: Rows) -> Array:
    """What the score of each row owes to each of some columns, of shape (rows, columns).

    It is ``f(x) - f(x with x_j at its typical value)``, and so ``w_j`` times the standardised
    ``x_j`` for a line on standardised features.
    """
    part = table.rows(rows)
    score = _score(model, table.for_model(part))
    typical = [table.for_model(table.with_typical(part, j)) for j in columns.tolist()]
    return np.array([score - _score(model, X) for X in typical]).reshape(-1, score.size).T


def strongest(model: Any, table: Table, rows: Rows, most: int) -> Rows:
    """The columns, in their order, that pull these rows most; all of them where they are few."""
    if len(table.names) <= most:
        return np.arange(len(table.names))
    sample = rows[np.linspace(0, len(rows) - 1, min(_SAMPLE, len(rows))).astype(int)]
    columns = table.telling(sample)
    strength = np.abs(pulls(model, table, sample, columns)).mean(axis=0)
    return np.sort(columns[np.argsort(-strength, kind="stable")[:most]])


def nearest_good(audit: WrongLabels, model: Any, table: Table, rows: Rows) -> list[Rows]:
    """For each row, the nearest that have its suggested label and are more likely right than not.

    Near is by the features as the model takes them: standardised, categories as indicators.
    """
    Z = at_final(model, table.for_model(table.rows(slice(None))))
    Z = Z.tocsr() if is_sparse(Z) else np.asarray(Z, dtype=float)
    good = audit.probability < 0.5
    nearest: list[Rows] = [np.empty(0, dtype=np.intp)] * len(rows)
    suggested = np.asarray(audit.suggested)[rows]
    for label in pd.unique(suggested):
        there = np.flatnonzero(good & (audit.given == label))
        asking = np.flatnonzero(suggested == label)
        if not len(there):
            continue
        index = NearestNeighbors(n_neighbors=min(NEIGHBOURS + 1, len(there))).fit(Z[there])
        near = there[index.kneighbors(Z[rows[asking]], return_distance=False)]
        for i, others in zip(asking, near, strict=True):
            nearest[i] = others[others != rows[i]][:NEIGHBOURS]
    return nearest


def _score(model: Any, X: Any) -> Array:
    projection: ArrayLike = final_of(model).predict_projection(at_final(model, X))
    return np.asarray(projection, dtype=float)
