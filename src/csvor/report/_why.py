"""Why is a row suspect: which features pull its score, and which good rows are like it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import NearestNeighbors

from csvor._estimators.steps import at_final, final_of
from csvor.audit import WrongLabels

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

NEIGHBOURS = 3
# Features are chosen by their pulls on so many of the rows.
_SAMPLE = 50


class FeatureTable:
    """The rows as a table, and as the model takes them."""

    def __init__(self, X: Any) -> None:
        if hasattr(X, "to_pandas"):  # polars, pyarrow
            X = X.to_pandas()
        self._named = isinstance(X, pd.DataFrame)
        self.frame = X if self._named else pd.DataFrame(np.asarray(X))
        before = "" if self._named else "x"
        self.names = [f"{before}{column}" for column in self.frame.columns]

    def for_model(self, frame: pd.DataFrame) -> Any:
        """Rows in the container that the model was fitted with."""
        return frame if self._named else frame.to_numpy()

    def with_typical(self, frame: pd.DataFrame, j: int) -> pd.DataFrame:
        """The mean in place of a column of numbers, the most frequent value of another."""
        column = self.frame.iloc[:, j]
        changed = frame.copy()
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            changed.isetitem(j, column.mean())
        else:
            usual = column.mode(dropna=False).iloc[0]
            changed.isetitem(j, pd.Series([usual] * len(frame), dtype=column.dtype).array)
        return changed


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
    def n_features(self) -> int:
        """How many features there are."""
        return len(self.names)

    @property
    def kind(self) -> str:
        """What stands beside the values: "pulls", "neighbours" or ""."""
        return "pulls" if self.pulls is not None else "neighbours" if self.near else ""


def evidence_of(audit: WrongLabels, X: Any, rows: Rows, most: int) -> Evidence:
    """Values, and pulls or neighbours, of at most so many features."""
    model = getattr(audit, "model", None)
    # The columns of a precomputed kernel are no features.
    if X is None or (model is not None and final_of(model).kernel == "precomputed"):
        return Evidence((), np.empty(0, dtype=np.intp))
    table = FeatureTable(X)
    if len(table.frame) != audit.probability.size:
        raise ValueError(
            f"X has {len(table.frame)} rows and the audit {audit.probability.size}: give the X "
            "that was audited."
        )
    columns = np.arange(min(most, len(table.names)))
    if model is not None:
        columns = strongest(model, table, rows, most)
    values = [table.frame.iloc[:, j].to_numpy() for j in columns.tolist()]
    found = Evidence(table.names, columns, values)
    if model is None:
        return found
    if final_of(model).kernel == "linear":
        return replace(found, pulls=pulls(model, table, rows, columns))
    return replace(found, near=nearest_good(audit, model, table, rows))


def pulls(model: Any, table: FeatureTable, rows: Rows, columns: Rows) -> Array:
    """What the score of each row owes to each of some columns, of shape (rows, columns).

    It is ``f(x) - f(x with x_j at its typical value)``, and so ``w_j`` times the standardised
    ``x_j`` for a line on standardised features.
    """
    frame = table.frame.iloc[rows]
    own = _score(model, table.for_model(frame))
    without = [_score(model, table.for_model(table.with_typical(frame, j))) for j in columns]
    return own[:, None] - np.column_stack(without)


def strongest(model: Any, table: FeatureTable, rows: Rows, most: int) -> Rows:
    """The columns, in their order, that pull these rows most; all of them where they are few."""
    columns = np.arange(len(table.names))
    if len(columns) <= most:
        return columns
    sample = rows[np.linspace(0, len(rows) - 1, min(_SAMPLE, len(rows))).astype(int)]
    strength = np.abs(pulls(model, table, sample, columns)).mean(axis=0)
    return np.sort(np.argsort(-strength, kind="stable")[:most])


def nearest_good(audit: WrongLabels, model: Any, table: FeatureTable, rows: Rows) -> list[Rows]:
    """For each row, the nearest that have its suggested label and are more likely right than not.

    Near is by the features as the model takes them: standardised, categories as indicators.
    """
    Z = np.asarray(at_final(model, table.for_model(table.frame)), dtype=float)
    good = audit.probability < 0.5
    found: list[Rows] = [np.empty(0, dtype=np.intp)] * len(rows)
    for label in pd.unique(np.asarray(audit.suggested)[rows]):
        there = np.flatnonzero(good & (audit.given == label))
        asking = np.flatnonzero(np.asarray(audit.suggested)[rows] == label)
        if not len(there):
            continue
        index = NearestNeighbors(n_neighbors=min(NEIGHBOURS + 1, len(there))).fit(Z[there])
        near = there[index.kneighbors(Z[rows[asking]], return_distance=False)]
        for i, others in zip(asking, near, strict=True):
            found[i] = others[others != rows[i]][:NEIGHBOURS]
    return found


def _score(model: Any, X: Any) -> Array:
    projection: ArrayLike = final_of(model).predict_projection(at_final(model, X))
    return np.asarray(projection, dtype=float)
