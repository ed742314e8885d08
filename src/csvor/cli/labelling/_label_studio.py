"""How do tasks go to Label Studio, and how do its exports become answers?"""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.atomic_files import write_whole
from csvor.cli.input._read import ReadOptions, read_table
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

_COLUMN = re.compile(r"\$[\w\[\].{}]")
# The object that the questions are about.
_GIVEN = "given"


def config_path(out: str) -> Path:
    """The file of the labelling interface that belongs to a file of tasks."""
    return Path(out).with_suffix(".xml")


def write_label_studio(tasks: Sequence[Task], classes: Sequence[str], out: str) -> None:
    """Write tasks with predictions, and beside them the labelling interface."""
    texts = json.dumps([_as_task(one) for one in tasks], ensure_ascii=False, indent=1)
    write_whole(Path(out), f"{texts}\n".encode())
    interface = labelling_interface(classes, any(one.ids for one in tasks))
    write_whole(config_path(out), interface.encode())


def labelling_interface(classes: Sequence[str], has_ids: bool = True) -> str:
    """The interface of a project: the row, its label, and the classes in their order.

    Of a class such as "under $100" Label Studio would take $100 for a column of the task.
    """
    taken = [label for label in classes if _COLUMN.search(label)]
    if taken:
        raise CommandError(fault("label-like-column", label=taken[0]))
    view = ET.Element("View")
    ET.SubElement(view, "Header", value="Row $row: $target is")
    ET.SubElement(view, "Text", name=_GIVEN, value=f"${_GIVEN}")
    ET.SubElement(view, "Header", value=QUESTION, size="5")
    _choices(view, LABEL, classes)
    ET.SubElement(view, "Header", value=DECISION_TITLE, size="5")
    _choices(view, DECISION, ("keep", "drop"))
    ET.SubElement(view, "TextArea", name=COMMENT, toName=_GIVEN, maxSubmissions="1",
                  editable="true", placeholder="Comment")  # fmt: skip
    if has_ids:
        ET.SubElement(view, "Table", name="ids", value="$ids")
    ET.SubElement(view, "Table", name="cells", value="$cells")
    ET.indent(view)
    return f"{ET.tostring(view, encoding='unicode')}\n"


def _choices(view: ET.Element, name: str, values: Sequence[str]) -> None:
    choices = ET.SubElement(
        view, "Choices", name=name, toName=_GIVEN, choice="single-radio", showInline="true"
    )
    for value in values:
        ET.SubElement(choices, "Choice", value=value)


def _as_task(one: Task) -> dict[str, Any]:
    data = {
        "row": one.row,
        "target": one.target,
        _GIVEN: one.given,
        "suggested": one.suggested,
        "chance_of_error": one.score,
        "ids": dict(one.ids),
        "cells": dict(one.cells),
    }
    choice = {
        "id": f"row{one.row}",
        "from_name": LABEL,
        "to_name": _GIVEN,
        "type": "choices",
        "value": {"choices": [one.suggested]},
    }
    prediction = {"model_version": AUTHOR, "result": [choice]}
    score = {} if one.score is None else {"score": one.score}
    return {"data": data, "predictions": [{**prediction, **score}]}


def read_label_studio(source: str, notes: Notes) -> Iterator[Answer]:
    """The answers in an export: JSON with annotations, JSON-MIN or CSV.

    What was skipped is no answer, and a task without annotations has none.
    """
    if Path(source).suffix.lower() == ".json":
        entries: Iterable[dict[str, Any]] = read_json_list(source)
    else:
        entries = _lines(source, notes)
    for position, entry in enumerate(entries, start=1):
        if "annotations" not in entry:
            yield _answer(source, position, entry, entry, entry.get("annotator"), entry)
            continue
        for one in entry["annotations"] or ():
            if not (one.get("was_cancelled") or one.get("skipped")):
                results = {r.get("from_name"): r.get("value") for r in one.get("result") or ()}
                data = entry.get("data") or {}
                yield _answer(source, position, data, results, one.get("completed_by"), one)


def _lines(source: str, notes: Notes) -> Iterable[dict[str, Any]]:
    """The lines of a CSV, in which ids are JSON."""
    columns = read_table(source, notes, ReadOptions()).columns
    texts = [column.texts for column in columns.values()]
    for line in zip(*texts, strict=True):
        entry: dict[str, Any] = dict(zip(columns, line, strict=True))
        try:
            yield {**entry, "ids": json.loads(entry.get("ids") or "{}")}
        except ValueError:
            yield {**entry, "row": ""}


def _answer(
    source: str, position: int, data: Mapping[str, Any], results: Mapping[str, Any], by: Any,
    about: Mapping[str, Any],
) -> Answer:  # fmt: skip
    answered = {name: _text(results.get(name)) for name in (LABEL, DECISION, COMMENT)}
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    time = about.get("updated_at") or about.get("created_at")
    who = {"reviewer": "" if by is None else str(by), "time": str(time or "")}
    return answer_to(source, position, data, **answered, **who)


def _text(value: Any) -> str:
    """The text of a result, whichever of its forms it has: one choice, or lines of text."""
    if isinstance(value, dict):
        value = value.get("choices") or value.get("text")
    if isinstance(value, list):
        value = "\n".join(_text(one) for one in value)
    return "" if value is None else str(value).strip()
