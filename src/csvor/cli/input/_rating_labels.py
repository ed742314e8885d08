"""Which labels do raters give, in one column or in several, and which are true?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from csvor._faults.errors import ColumnError, CommandError, listed
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._faults.spelling import visible
from csvor._tables.column_checks import Rows
from csvor._tables.table import TableColumn
from csvor._tables.target import Target, no_labels, read_target
from csvor._utils.spelling import as_number, closest_label, format_value, same
from csvor.cli._options import DataOptions
from csvor.cli.input._csv import classes_of


def true_labels(
    column: TableColumn, target: Target, data: DataOptions, rows: Rows, items: NDArray[Any]
) -> pd.Series[Any]:
    """The true labels in rows of `items`, as raters write theirs; no value where none is."""
    column = column.take(rows)
    codes, texts = column.coded
    blank, hits = no_labels(column, data.missing_label)
    none = blank.union(*hits.values())
    if len(none) == len(texts):
        raise ColumnError(fault("no-gold", column.name, option="--gold"))
    known = [format_value(label) for label in target.classes]
    place = [next((k for k, one in enumerate(known) if same(text, one)), -1) for text in texts]
    unknown = [i for i in range(len(texts)) if place[i] < 0 and i not in none]
    if unknown:
        wrong, label = np.isin(codes, unknown), texts[unknown[0]]
        close = closest_label(label, known)
        hint = f"did you mean '{close}'?" if close else f"the labels are {listed(known)}"
        facts: dict[str, Any] = {"rows": rows[wrong], "label": label, "hint": visible(hint)}
        raise ColumnError(fault("unknown-gold", column.name, option="--gold", **facts))
    true = np.array(place)[codes]
    several = pd.Series(true[true >= 0]).groupby(items[true >= 0], sort=False).nunique() > 1
    if several.any():
        item = several.idxmax()
        facts = {"rows": rows[(items == item) & (true >= 0)], "item": item}
        raise ColumnError(fault("gold-differs", column.name, option="--gold", **facts))
    return pd.Series(ordered(true, target))


def ordered(codes: NDArray[np.int64], target: Target) -> pd.Categorical[Any]:
    """The labels of codes, of which -1 is none, with their order."""
    kind = pd.CategoricalDtype(pd.Index(target.classes), ordered=True)
    return pd.Categorical.from_codes(codes, dtype=kind)


def labels_of(column: TableColumn, data: DataOptions, notes: Notes) -> Target:
    """The labels of a column; a blank stands for none."""
    missing = data.missing_label
    if no_labels(column, ())[0] and "" not in missing:
        missing = (*missing, "")
    return read_target(column, classes_of(data.classes), missing, notes, fold=data.fold_labels)


def labels_of_columns(columns: Sequence[TableColumn], data: DataOptions, notes: Notes) -> Target:
    """The labels of all columns, one below the other; a fault is told of the column that has it."""
    try:
        return labels_of(_stacked(columns, data.target), data, notes)
    except CommandError as error:
        kinds = {one.fault.kind for one in getattr(error, "faults", [error]) if one.fault}
        for column in columns:
            with _only_of(kinds):
                labels_of(column, data, Notes())
        raise


@contextmanager
def _only_of(kinds: Collection[str]) -> Iterator[None]:
    """Let only faults of these kinds through."""
    try:
        yield
    except CommandError as error:
        if error.fault is not None and error.fault.kind in kinds:
            raise


def _stacked(columns: Sequence[TableColumn], name: str) -> TableColumn:
    """The columns below each other; texts where they are not of one kind.

    What is written 5.0 in a column, as beside blanks, and 5 in another becomes 5.
    """
    kinds = {(column.kind, column.levels) for column in columns}
    types = {column.values.type for column in columns}
    texts = [[text or None for text in column.texts] for column in columns]
    spelling = _one_spelling({text for part in texts for text in part if text})
    if len(kinds) == 1 and len(types) == 1 and not spelling:
        values = pa.concat_arrays([column.values for column in columns])
    elif {column.kind for column in columns} == {"number"}:
        values = pa.concat_arrays([column.values.cast(pa.float64()) for column in columns])
    else:
        values = [spelling.get(text, text) for part in texts for text in part]
        values = pa.array(values, pa.large_string())
        return TableColumn(name, "text", values)
    return TableColumn(name, columns[0].kind, values, columns[0].levels, columns[0].no_order)


def _one_spelling(texts: Collection[str]) -> dict[str | None, str]:
    """For numbers that are written in several ways, the shortest of each."""
    ways: dict[float, list[str]] = {}
    for text in texts:
        ways.setdefault(as_number(text), []).append(text)
    several = [same for number, same in ways.items() if len(same) > 1 and number == number]
    return {text: min(same, key=len) for same in several for text in same}
