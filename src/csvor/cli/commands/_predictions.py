"""What does a model say of the rows of a table?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from csvor._estimators.steps import at_final
from csvor._faults.errors import about
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.model_columns import features_frame
from csvor._tables.table import Table
from csvor._utils.spelling import format_value
from csvor.cli._model import StoredModel
from csvor.cli._notes import warnings_as_notes
from csvor.cli._progress import progress
from csvor.cli._record import Record
from csvor.cli.commands._command_options import PredictOptions
from csvor.cli.input._prepare import plain


@dataclass(frozen=True, eq=False)
class Predictions:
    """Answers for rows by name, with the probabilities of each label, a list a label."""

    frame: pd.DataFrame
    answers: dict[str, list[Any]]
    id_name: str | None
    labels: list[str]
    probabilities: list[list[float]]

    def columns(self) -> dict[str, list[Any]]:
        """The answers by the names that they have in a file, each name once."""
        name = self.id_name
        columns = dict(self.answers)
        if name is not None and name not in columns:
            columns = {name if key == "id" else key: values for key, values in columns.items()}
        for label, values in zip(self.labels, self.probabilities, strict=False):
            while label in columns:
                label = f"P({label})"
            columns[label] = values
        return columns

    def records(self) -> Iterator[dict[str, Any]]:
        """One dictionary a row."""
        answers = dict(self.answers)
        if self.probabilities:
            rows = zip(*self.probabilities, strict=True)
            answers["probabilities"] = [dict(zip(self.labels, row, strict=True)) for row in rows]
        for row in zip(*answers.values(), strict=True):
            yield dict(zip(answers, row, strict=True))


def predictions_of(
    model: StoredModel, table: Table, options: PredictOptions, notes: Notes
) -> Predictions:
    """What a model says of each row of a table."""
    record, final = model.record, model.pipeline[-1]
    id_name, ids = _ids_of(table, record, options.id)
    with about(table.source):
        frame = features_frame(
            table, model.features, impute=record.impute, notes=notes, decimal=options.decimal
        )
    _note_unused(table, record, id_name, notes)
    answers: dict[str, list[Any]] = {"row": (table.rows + 1).tolist()}
    if ids is not None:
        answers["id"] = ids
    with progress("Predicting"), warnings_as_notes(notes):
        encoded = at_final(model.pipeline, frame)
        answers["prediction"] = [plain(label) for label in final.predict(encoded)]
        if options.score:
            answers["score"] = final.predict_projection(encoded).tolist()
        probabilities = final.predict_proba(encoded).T.tolist() if options.proba else []
    labels = [format_value(plain(label)) for label in final.classes_]
    return Predictions(frame, answers, id_name, labels, probabilities)


def _ids_of(table: Table, record: Record, name: str | None) -> tuple[str | None, list[str] | None]:
    """The column that names the rows: the one asked for, else the model's if it is there."""
    if name is not None:
        column = table.column(name, "--id")
    elif record.columns["id"] in table.columns:
        column = table.columns[record.columns["id"]]
    else:
        return None, None
    codes, texts = column.coded
    return column.name, [texts[code] for code in codes]


def _note_unused(table: Table, record: Record, id_name: str | None, notes: Notes) -> None:
    known = {*record.known, record.target, id_name}
    extra = [name for name in table.columns if name not in known]
    if extra:
        notes.add(fault("unused-columns", n=len(extra), names=extra))
    if record.target in table.columns:
        notes.add(fault("unused-label", name=record.target, source=table.source))
