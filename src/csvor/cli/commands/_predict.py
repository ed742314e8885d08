"""`csvor predict`: labels for the rows of a table, by a model file."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from csvor._estimators.steps import at_final
from csvor.cli._errors import about, listed
from csvor.cli._files import check_table_output, write_table
from csvor.cli._model import Model, load_model
from csvor.cli._notes import Notes
from csvor.cli._progress import progress
from csvor.cli._record import Record
from csvor.cli._spelling import format_value
from csvor.cli.commands._outputs import PredictOptions
from csvor.cli.input._model_columns import features_frame
from csvor.cli.input._prepare import plain
from csvor.cli.input._read import ReadOptions, read_table
from csvor.cli.input._table import Table


def run_predict(options: PredictOptions, notes: Notes) -> None:
    """Predict and write the labels."""
    data, model_path = options.data, options.model
    if options.dask is not None:
        from csvor.cli.commands._predict_parts import predict_in_parts

        predict_in_parts(options, notes)
        return
    check_table_output(options.out, "--out", data)
    model = load_model(model_path)
    record = model.record
    record.note_versions(model_path, notes)
    with progress(f"Reading {data}"):
        texts = [*model.features.categorical, options.id, record.columns["id"]]
        asked = ReadOptions(options.delimiter, [name for name in texts if name is not None])
        table = read_table(data, notes, asked)
        id_name, ids = ids_of(table, record, options.id)
        with about(table.source):
            frame = features_frame(
                table, model.features, impute=record.impute, notes=notes, decimal=options.decimal
            )
        note_unused(table, record, id_name, notes)
    answers, proba = answers_of(model, frame, table, ids, options, notes)
    labels = labels_of(model)
    if options.out != "-" or not options.json:
        write_table(options.out, as_table(answers, id_name, labels, proba))
    if options.json:
        if proba:
            rows = zip(*proba, strict=True)
            answers["probabilities"] = [dict(zip(labels, row, strict=True)) for row in rows]
        document = {
            "command": "predict",
            "data": {"file": table.source, "rows": table.n_rows},
            "model": model_path,
            "target": record.target,
            "classes": record.classes,
            "order": record.document["order"],
            "predictions": [
                dict(zip(answers, row, strict=True)) for row in zip(*answers.values(), strict=True)
            ],
            "notes": notes.texts(),
        }
        print(json.dumps(document, allow_nan=False))


def answers_of(
    model: Model,
    frame: pd.DataFrame,
    table: Table,
    ids: list[str] | None,
    options: PredictOptions,
    notes: Notes,
) -> tuple[dict[str, list[Any]], list[Any]]:
    """What a model says of each row of a table, and the probabilities by label."""
    answers: dict[str, list[Any]] = {"row": (table.rows + 1).tolist()}
    if ids is not None:
        answers["id"] = ids
    with progress("Predicting"), notes.of_warnings():
        encoded, final = at_final(model.pipeline, frame), model.pipeline[-1]
        answers["prediction"] = [plain(label) for label in final.predict(encoded)]
        if options.score:
            answers["score"] = final.predict_projection(encoded).tolist()
        proba = final.predict_proba(encoded).T.tolist() if options.proba else []
    return answers, proba


def labels_of(model: Model) -> list[str]:
    """The names of the probabilities, in the order of the classes."""
    return [format_value(plain(label)) for label in model.pipeline[-1].classes_]


def as_table(
    answers: Mapping[str, list[Any]], id_name: str | None, labels: list[str], proba: list[Any]
) -> dict[str, list[Any]]:
    """The answers by the names that they have in a file, each name once."""
    columns = dict(answers)
    if id_name is not None and id_name not in answers:
        columns = {id_name if key == "id" else key: values for key, values in answers.items()}
    for label, values in zip(labels, proba, strict=False):
        while label in columns:
            label = f"P({label})"
        columns[label] = values
    return columns


def ids_of(table: Table, record: Record, name: str | None) -> tuple[str | None, list[str] | None]:
    """The column that names the rows: the one asked for, else the model's if it is there."""
    if name is not None:
        column = table.column(name, "--id")
    elif record.columns["id"] in table.columns:
        column = table.columns[record.columns["id"]]
    else:
        return None, None
    codes, texts = column.coded
    return column.name, [texts[code] for code in codes]


def note_unused(table: Table, record: Record, id_name: str | None, notes: Notes) -> None:
    known = {*record.known, record.target, id_name}
    extra = [name for name in table.columns if name not in known]
    if extra:
        notes.add(f"the model does not use the column{'s' * (len(extra) > 1)} {listed(extra)}")
    if record.target in table.columns:
        notes.add(f"the label column '{record.target}' of {table.source} is not looked at")
