"""`csvor predict`: labels for the rows of a file, or of each file of a folder, by a model file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from csvor._faults.errors import Faults, refuse
from csvor._faults.notes import Notes
from csvor._tables.categories import refuse_strange
from csvor._tables.model_columns import check_there
from csvor._tables.table import Table
from csvor._utils.atomic_files import folder_written_whole
from csvor._utils.threads import one_of_many
from csvor._utils.words import plural
from csvor.cli._cluster import cluster
from csvor.cli._files import (
    check_table_output,
    refuse_files_unseen,
    safe_cells,
    write_part,
    write_table,
)
from csvor.cli._model import StoredModel, load_model
from csvor.cli._paths import check_new_folder, refuse_layout
from csvor.cli._progress import progress
from csvor.cli._render import console, print_facts
from csvor.cli._streams import print_json
from csvor.cli.commands._command_options import PredictOptions
from csvor.cli.commands._predictions import Predictions, predictions_of
from csvor.cli.input._pieces import Piece, pieces_of, table_of
from csvor.cli.input._read import ReadOptions, read_table

# Words of columns of which a model knows none, by the name of the column.
UnknownWords = dict[str, list[str]]


def run_predict(options: PredictOptions, notes: Notes) -> None:
    """Predict and write the labels."""
    in_pieces = options.dask is not None
    if in_pieces:
        _check_folder(options)
    else:
        check_table_output(options.out, "--out")
    model = load_model(options.model)
    model.record.note_versions(options.model, notes)
    if in_pieces:
        _predict_pieces(model, options, notes)
        return
    with progress(f"Reading {options.data}"):
        names = [*model.features.categorical, options.id, model.record.columns["id"]]
        texts = [name for name in names if name is not None]
        table = read_table(
            options.data, notes, ReadOptions(options.delimiter, texts, options.sheet)
        )
    predictions = predictions_of(model, table, options, notes)
    if options.out != "-" or not options.json:
        write_table(options.out, safe_cells(predictions.columns(), options.safe_cells))
    if options.json:
        print_json("predict", _document(model, table, predictions, options, notes))


def _document(
    model: StoredModel,
    table: Table,
    predictions: Predictions,
    options: PredictOptions,
    notes: Notes,
) -> dict[str, Any]:
    record = model.record
    return {
        "data": {"file": table.source, "rows": table.n_rows},
        "model": options.model,
        "target": record.target,
        "classes": record.classes,
        "order": record.document["order"],
        "predictions": list(predictions.records()),
        "notes": notes.texts(),
    }


def _predict_pieces(model: StoredModel, options: PredictOptions, notes: Notes) -> None:
    """Write a folder of Parquet files, one for each piece of the data, whole or not at all."""
    data = options.data
    pieces = pieces_of(data, notes)
    with cluster(str(options.dask)) as client, folder_written_whole(Path(options.out)) as folder:
        func = partial(_predict_piece, model, options, str(folder))
        answers = {}
        with progress("Predicting", len(pieces)) as update:
            for number, answer in _each(client, func, pieces):
                answers[number] = answer
                update(len(answers), len(pieces))
        texts, unknown = zip(*(answers[number] for number in sorted(answers)), strict=True)
        for text in chain(*texts):
            notes.add_of_part(text)
        _refuse_unknown_words(unknown, model, data)
        refuse_files_unseen(folder, len(pieces), options.out, "--out")
    n_rows = sum(piece.n_rows for piece in pieces)
    files = plural(len(pieces), "file")
    print_facts(console(), [("Written", f"{plural(n_rows, 'row')} in {files}: {options.out}")])


def _check_folder(options: PredictOptions) -> None:
    if options.out == "-":
        refuse("dask-to-stdout", by="with --out")
    if options.json:
        refuse("dask-json")
    if options.safe_cells:
        refuse("dask-safe-cells")
    refuse_layout(options.data, options.delimiter, options.sheet)
    check_new_folder(options.out, "--out", options.data)


def _refuse_unknown_words(pieces: Sequence[UnknownWords], model: StoredModel, source: str) -> None:
    """Refuse columns of which the model knows no word in any piece."""
    faults = Faults()
    for name, known in model.features.categorical.items():
        if all(name in unknown for unknown in pieces):
            words = dict.fromkeys(word for unknown in pieces for word in unknown[name])
            with faults.collected():
                refuse_strange(name, list(words), known)
    faults.refuse(source)


def _each(client: Any, func: Any, pieces: list[Piece]) -> Any:
    """Numbers of pieces and what `func` returns of them, as it comes; what is left is given up."""
    from distributed import as_completed

    futures = client.map(func, list(enumerate(pieces)), pure=False)
    numbers = {future.key: number for number, future in enumerate(futures)}
    try:
        for future in as_completed(futures):
            yield numbers[future.key], future.result()
            future.release()
    finally:
        client.cancel(futures)


def _predict_piece(
    model: StoredModel, options: PredictOptions, folder: str, numbered: tuple[int, Piece]
) -> tuple[list[str], UnknownWords]:
    """Write the predictions of a piece; return notes, and words of columns with no known one."""
    (number, piece), notes, features = numbered, Notes(), model.features
    table = table_of(piece.plain(), piece.rows, options.data)
    check_there(replace(table, source=_shown(piece, options.data)), features)
    with one_of_many():
        predictions = predictions_of(model, table, options, notes)
    write_part(folder, number, predictions.columns())
    words = {name: predictions.frame[name].unique().tolist() for name in features.categorical}
    unknown = {
        name: words
        for name, words in words.items()
        if not set(words) & set(features.categorical[name])
    }
    return notes.texts(), unknown


def _shown(piece: Piece, source: str) -> str:
    """The file of a piece as the user would write it."""
    name = Path(piece.path).name
    return source if Path(source).name == name else str(Path(source, name))
