"""`csvor predict`: labels for the rows of a table, by a model file."""

import json
from typing import Any

from csvor.cli._errors import about, listed
from csvor.cli._files import check_table_output, write_table
from csvor.cli._model import Model, load_model
from csvor.cli._notes import Notes
from csvor.cli._progress import progress
from csvor.cli.input._match import features_frame
from csvor.cli.input._prepare import plain
from csvor.cli.input._read import Asked, read_table
from csvor.cli.input._table import Table


def run_predict(
    data: str,
    model_path: str,
    out: str,
    id_name: str | None,
    as_json: bool,
    notes: Notes,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> None:
    """Predict and write the labels."""
    check_table_output(out, "--out", data)
    model = load_model(model_path)
    with progress(f"Reading {data}"):
        named = [name for name in (id_name, model.id) if name is not None]
        texts = (*model.features.categorical, *named)
        table = read_table(data, notes, Asked(delimiter, texts))
        ids = _ids(table, model, id_name)
        with about(table.source):
            frame = features_frame(
                table, model.features, impute=model.impute, notes=notes, decimal=decimal
            )
        _note_unused(table, model, ids[0] if ids else None, notes)
    with progress("Predicting"), notes.of_warnings():
        labels = [plain(label) for label in model.pipeline.predict(frame)]
    columns: dict[str, list[Any]] = {"row": list(range(1, table.n_rows + 1))}
    if ids is not None:
        name, values = ids
        columns["id" if name in {"row", "prediction"} else name] = values
    columns["prediction"] = labels
    if out != "-" or not as_json:
        write_table(out, columns)
    if as_json:
        keys = ["row", *(["id"] if ids is not None else []), "prediction"]
        document = {
            "command": "predict",
            "data": {"file": table.source, "rows": table.n_rows},
            "model": model_path,
            "target": model.target,
            "classes": model.classes,
            "order": model.order,
            "predictions": [
                dict(zip(keys, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ],
            "notes": notes.texts(),
        }
        print(json.dumps(document, allow_nan=False))


def _ids(table: Table, model: Model, name: str | None) -> tuple[str, list[str]] | None:
    """The column that names the rows: the one asked for, else the model's if it is there."""
    if name is not None:
        column = table.column(name, "--id")
    elif model.id in table.columns:
        column = table.columns[model.id]
    else:
        return None
    codes, texts = column.coded
    return column.name, [texts[code] for code in codes]


def _note_unused(table: Table, model: Model, id_name: str | None, notes: Notes) -> None:
    features = model.features
    seen = [*features.used, *features.constant, *features.row_numbers]
    known = {*seen, *model.dropped, model.groups, id_name}
    extra = [name for name in table.columns if name not in known and name != model.target]
    if extra:
        notes.add(f"the model does not use the column{'s' * (len(extra) > 1)} {listed(extra)}")
    if model.target in table.columns:
        notes.add(f"the label column '{model.target}' of {table.source} is not looked at")
