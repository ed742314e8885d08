"""How do tasks go to Argilla, and how do its records become answers?"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.atomic_files import folder_written_whole
from csvor.cli.labelling._task import (
    AUTHOR,
    COMMENT,
    DECISION,
    DECISION_TITLE,
    LABEL,
    QUESTION,
    Answer,
    Task,
    answer_to,
    read_json_list,
)

_QUESTIONS = (LABEL, DECISION, COMMENT)
_SETTINGS, _DATASET, _RECORDS = ".argilla/settings.json", ".argilla/dataset.json", "records.json"


def write_argilla(tasks: Sequence[Task], classes: Sequence[str], out: str) -> None:
    """Write a folder that `argilla.Dataset.from_disk` reads: settings, and records."""
    name = re.sub(r"[^a-z0-9_-]+", "-", Path(out).name.lower()).strip("-_")
    settings = dataset_settings(tasks[0].target, classes)
    dataset = {"name": name or "csvor", "guidelines": settings["guidelines"]}
    records = [_as_record(one) for one in tasks]
    with folder_written_whole(Path(out)) as folder:
        (folder / ".argilla").mkdir()
        for file, content in ((_SETTINGS, settings), (_DATASET, dataset), (_RECORDS, records)):
            (folder / file).write_text(f"{json.dumps(content)}\n", "utf-8")


def dataset_settings(target: str, classes: Sequence[str]) -> dict[str, Any]:
    """The fields that a reviewer sees and the questions, the classes in their order."""
    return {
        "guidelines": f"Each record is a row of a table. Its label ({target}) may be wrong.",
        "fields": [
            _named("given", "The label given", {"type": "text"}, required=True),
            _named("cells", "The row", {"type": "text"}, required=True),
        ],
        "questions": [
            _named(LABEL, QUESTION, _selection(classes), required=True),
            _named(DECISION, DECISION_TITLE, _selection(("keep", "drop"))),
            _named(COMMENT, "Comment", {"type": "text"}),
        ],
        "metadata": [
            {"name": "row", "title": "Row", "settings": {"type": "integer"}},
            {"name": "chance_of_error", "title": "Chance", "settings": {"type": "float"}},
        ],
        "vectors": [],
        "allow_extra_metadata": True,
    }


def _named(name: str, title: str, settings: Any, required: bool = False) -> dict[str, Any]:
    return {"name": name, "title": title, "settings": settings, "required": required}


def _selection(values: Sequence[str]) -> dict[str, Any]:
    options = [{"value": value, "text": value} for value in values]
    return {"type": "label_selection", "options": options}


def _as_record(one: Task) -> dict[str, Any]:
    lines = [f"{name}: {text}" for name, text in {**one.ids, **one.cells}.items()]
    metadata = {"row": one.row, "target": one.target, "ids": json.dumps(dict(one.ids))}
    chance = {} if one.score is None else {"chance_of_error": one.score}
    suggestion = {"value": one.suggested, "score": one.score, "agent": AUTHOR}
    return {
        "id": str(one.row),
        "fields": {"given": one.given, "cells": "\n".join([f"row: {one.row}", *lines])},
        "metadata": {**metadata, **chance},
        "suggestions": {LABEL: suggestion},
        "responses": {},
        "vectors": {},
    }


def read_argilla(source: str, notes: Notes) -> Iterator[Answer]:
    """The answers in records: a folder of `to_disk`, or a JSON file of `records.to_list`.

    Flat records say which answers were submitted. Others say of the record alone whether it is
    completed, so that drafts of one reviewer could be taken for answers beside those of another:
    such a record is refused, and one that is not completed is passed over with a note.
    """
    path = Path(source, _RECORDS) if Path(source).is_dir() else Path(source)
    n_open = 0
    for position, record in enumerate(read_json_list(str(path)), start=1):
        flat = "fields" not in record
        data = _data_of(record if flat else {**record["fields"], **(record["metadata"] or {})})
        by_reviewer = _flat(record) if flat else _nested(record)
        if not flat and by_reviewer and record.get("status") != "completed":
            n_open += 1
            continue
        if not flat and len(by_reviewer) > 1:
            raise CommandError(fault("argilla-status", source=source, row=data.get("row")))
        for reviewer, answered in by_reviewer.items():
            yield answer_to(source, position, data, reviewer=reviewer, **answered)
    if n_open:
        notes.add(fault("argilla-open", source=source, n=n_open))


def _data_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """What the record says of the row."""
    try:
        ids = json.loads(record.get("ids") or "{}")
    except (ValueError, TypeError):
        return {}
    return {**{name: record.get(name) for name in ("row", "target", "given")}, "ids": ids}


def _flat(record: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The answers of each reviewer that were submitted, by question."""
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    for name in _QUESTIONS:
        columns = [record.get(f"{name}.responses{end}") or [] for end in ("", ".users", ".status")]
        for value, reviewer, status in zip(*columns, strict=True):
            if status == "submitted" and value is not None:
                answers[str(reviewer)][name] = str(value).strip()
    return answers


def _nested(record: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The answers of each reviewer by question, whatever their status."""
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    for name in _QUESTIONS:
        for one in (record.get("responses") or {}).get(name) or ():
            if one.get("value") is not None:
                answers[str(one.get("user_id"))][name] = str(one["value"]).strip()
    return answers
