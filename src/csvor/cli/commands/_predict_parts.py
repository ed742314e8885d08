"""`csvor predict --dask`: labels for rows that stay in pieces, into a file for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from csvor._utils.atomic_files import folder_written_whole
from csvor._utils.threads import one_of_many
from csvor._utils.words import plural
from csvor.cli._cluster import cluster
from csvor.cli._errors import Faults, UsageError, about
from csvor.cli._files import refuse_files_unseen, write_table
from csvor.cli._model import Model, load_model
from csvor.cli._notes import Notes
from csvor.cli._paths import check_new_folder, refuse_delimiter
from csvor.cli._progress import progress
from csvor.cli._render import console, print_facts
from csvor.cli.commands._outputs import PredictOptions
from csvor.cli.commands._predict import (
    answers_of,
    as_table,
    ids_of,
    labels_of,
    note_unused,
)
from csvor.cli.input._categories import refuse_strange
from csvor.cli.input._model_columns import check_there, features_frame
from csvor.cli.input._pieces import Piece, pieces_of, table_of

# Words of columns of which a model knows none, by the name of the column.
Strange = dict[str, list[str]]


def predict_in_parts(options: PredictOptions, notes: Notes) -> None:
    """Write a folder of Parquet files, one for each piece of the data, whole or not at all."""
    data, model_path = options.data, options.model
    _check(data, options)
    model = load_model(model_path)
    model.record.note_versions(model_path, notes)
    pieces = pieces_of(data)
    with cluster(str(options.dask)) as client, folder_written_whole(Path(options.out)) as folder:
        work = partial(_predict_piece, model, options, data, str(folder))
        found = {}
        with progress("Predicting", len(pieces)) as update:
            for number, of_piece in _each(client, work, pieces):
                found[number] = of_piece
                update(len(found), len(pieces))
        told, strange = zip(*(found[number] for number in sorted(found)), strict=True)
        for text in chain(*told):
            notes.add_of_part(text)
        _refuse_strange(strange, model, data)
        refuse_files_unseen(folder, len(pieces), options.out, "--out")
    n_rows = sum(piece.n_rows for piece in pieces)
    files = plural(len(pieces), "file")
    print_facts(console(), [("Written", f"{plural(n_rows, 'row')} in {files}: {options.out}")])


def _check(data: str, options: PredictOptions) -> None:
    if options.out == "-":
        raise UsageError("--dask writes a folder of Parquet files; name a new one with --out")
    if options.json:
        raise UsageError("--json holds all rows; leave it out, --dask writes Parquet files")
    refuse_delimiter(options.delimiter, data)
    check_new_folder(options.out, "--out", data)


def _refuse_strange(of_pieces: Sequence[Strange], model: Model, source: str) -> None:
    """Refuse columns of which the model knows no word in any piece."""
    faults = Faults()
    for name, known in model.features.categorical.items():
        if all(name in strange for strange in of_pieces):
            words = dict.fromkeys(word for strange in of_pieces for word in strange[name])
            with faults.collected():
                refuse_strange(name, list(words), known)
    faults.refuse(source)


def _each(client: Any, work: Any, pieces: list[Piece]) -> Any:
    """Numbers of pieces and what the work says of them, as it comes; what is left is given up."""
    from distributed import as_completed

    futures = client.map(work, list(enumerate(pieces)), pure=False)
    numbers = {future.key: number for number, future in enumerate(futures)}
    try:
        for future in as_completed(futures):
            yield numbers[future.key], future.result()
            future.release()
    finally:
        client.cancel(futures)


def _predict_piece(
    model: Model, options: PredictOptions, source: str, folder: str, numbered: tuple[int, Piece]
) -> tuple[list[str], Strange]:
    """Write the predictions of a piece; what is to be noted, and columns without a known word."""
    number, piece = numbered
    notes, record = Notes(), model.record
    table = table_of(piece.plain(), piece.rows, source)
    check_there(replace(table, source=_named(piece, source)), model.features)
    id_name, ids = ids_of(table, record, options.id)
    with about(source), one_of_many():
        frame = features_frame(
            table, model.features, impute=record.impute, notes=notes, decimal=options.decimal
        )
        note_unused(table, record, id_name, notes)
        answers, proba = answers_of(model, frame, table, ids, options, notes)
    columns = as_table(answers, id_name, labels_of(model), proba)
    write_table(str(Path(folder, f"part-{number:05}.parquet")), columns)
    words = {name: frame[name].unique().tolist() for name in model.features.categorical}
    return notes.texts(), {
        name: found
        for name, found in words.items()
        if not set(found) & set(model.features.categorical[name])
    }


def _named(piece: Piece, source: str) -> str:
    """The file of a piece as the user would write it."""
    name = Path(piece.path).name
    return source if Path(source).name == name else str(Path(source, name))
