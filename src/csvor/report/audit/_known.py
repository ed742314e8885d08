"""What does the page of an audit take from the audit itself, where nothing else is said?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from csvor._decisions.decision import id_column
from csvor.audit import WrongLabels
from csvor.audit._reported import rows_in


def known_of(audit: WrongLabels, X: Any, **said: Any) -> tuple[WrongLabels, Any, dict[str, Any]]:
    """The audit and X as the page reads them, and what it shows of rows, by its parameters.

    The index of the data names the rows. Of a table there are the features, as the model takes
    them, and cells as they were written; X is the frame that was audited.
    """
    known: dict[str, Any] = dict.fromkeys(["rows", "ids", "id_name", "cells"])
    known |= {"target": "label", "conflicts": (), "decided": ()}
    if audit._places is not None:
        known["rows"] = audit._places + 1
    # One that counts the rows from 0 stands beside their numbers for nothing.
    if audit._index is not None and not np.array_equal(audit._index, audit._places):
        known |= {"ids": audit._index, "id_name": audit._index.name}
    if audit._table is not None:
        of_table = dict(vars(audit._table))
        id_name = of_table.pop("id")
        known |= of_table
        if X is not None:
            model: Any = audit.model  # type: ignore[attr-defined]
            part, X = model[0]._read_at(X, rows_in(audit, X))
            known["cells"] = model[0]._features.as_written(part, part.rows)
            if id_name is not None and id_name not in part.columns:
                raise ValueError(
                    f"X has no column {id_name!r}, which names the rows of this audit: give the "
                    "frame that was audited."
                )
            if id_name is not None:
                known |= {"ids": part.columns[id_name].texts, "id_name": id_name}
            encoded = Pipeline([("columns", model[0].encoder_), *model.steps[1:]])
            audit = replace(audit, model=encoded)  # type: ignore[call-arg]
    for name, value in said.items():
        if value is not None and not (isinstance(value, tuple) and not value):
            known[name] = value
    return audit, X, known | {"id_name": id_column(known["id_name"])}
