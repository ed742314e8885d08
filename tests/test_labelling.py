"""Rows to Label Studio and Argilla and back; with the tools' own checks where they are installed.

`pip install label-studio-sdk argilla` in an environment of its own runs all of it: they ask for
other releases of packages than csvor has, and no server.
"""

import csv
import json
import random
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock
from uuid import UUID

import pytest
from typer.testing import CliRunner, Result

from csvor import read_decisions
from csvor._faults.errors import CommandError, UsageError
from csvor.cli.commands._app import app
from csvor.cli.labelling._label_studio import labelling_interface
from csvor.cli.labelling._suspects import _spelled

CLASSES = ["poor", 'so "so", really', "好", "très bon"]
ORDER = ["--classes", 'poor,"so ""so"", really",好,très bon']
ANN, BO, CY = (UUID(int=i) for i in (1, 2, 3))
N_ROWS, N_FLAGGED = 700, 500
Decided = dict[int, tuple[str, str]]  # of a row: the label chosen, and keep or drop


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


def done(*args: object) -> Any:
    result = run(*args, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def name_of(row: int) -> str:
    """An id that no format may spoil."""
    return ("P,{}", 'say "{}"', "患者 {}", "Łódź\t{}", " {} | $row", "'{}' <b>&amp;")[
        row % 6
    ].format(row)


def write_csv(path: str, names: list[str], rows: Any) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])


@pytest.fixture(autouse=True)
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The labels in data.csv; suspects.csv flags 500 of the rows, in another order."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(0)
    labels = [draw.choice(CLASSES) for _ in range(N_ROWS)]
    rows = [(name_of(i), label, i / 7, f'a "note"; {i}') for i, label in enumerate(labels, start=1)]
    write_csv("data.csv", ["patient", "grade", "x", "note"], rows)
    order = draw.sample(range(1, N_ROWS + 1), N_ROWS)
    others = [CLASSES[(CLASSES.index(label) + 1) % 4] for label in labels]
    lines = [
        (row, name_of(row), labels[row - 1], others[row - 1], 1 - i / 1000, 2, 3, "too high",
         "true" if i < N_FLAGGED else "false")
        for i, row in enumerate(order)
    ]  # fmt: skip
    names = ["row", "patient", "given", "suggested", "probability", "expected_distance"]
    write_csv("suspects.csv", [*names, "residual", "direction", "flagged"], lines)
    return labels


def export(to: str, out: str, *more: str) -> Any:
    return done("export", "suspects.csv", "data.csv", "--to", to, "--out", out, "--target", "grade",
                *ORDER, *more)  # fmt: skip


def answers_for(rows: list[int], labels: list[str]) -> Decided:
    """Of five rows in turn: another label, the same, keep, drop, and nothing."""
    decided: Decided = {}
    for i, row in enumerate(rows):
        label = labels[row - 1]
        other = CLASSES[(CLASSES.index(label) + 2) % 4]
        chosen = ((other, ""), (label, ""), (other, "keep"), (other, "drop"))
        if i % 5 < 4:
            decided[row] = chosen[i % 5]
    return decided


def check_applied(decided: Decided, labels: list[str]) -> None:
    """What was decided is in the file, and no other row is changed."""
    document = done("apply", "decisions.csv", "data.csv", "--out", "clean.csv")
    with Path("data.csv").open(encoding="utf-8", newline="") as file:
        names, *before = csv.reader(file)
    expected = [names]
    for row, cells in enumerate(before, start=1):
        label, decision = decided.get(row, ("", ""))
        if decision != "drop":
            kept = decision == "keep" or not label
            expected.append([cells[0], labels[row - 1] if kept else label, *cells[2:]])
    with Path("clean.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == expected
    assert document["decisions"]["dropped"] == sum(d == "drop" for _, d in decided.values())
    for one in read_decisions("decisions.csv"):
        assert one.others == {"patient": name_of(one.row).strip()}


# Label Studio


def studio_export(tasks: list[Any], by: dict[Any, Decided]) -> list[Any]:
    """The tasks as Label Studio exports them, with annotations of some people."""

    def result(name: str, value: dict[str, Any]) -> dict[str, Any]:
        kind = "textarea" if "text" in value else "choices"
        about = {"id": "x", "origin": "manual", "from_name": name, "to_name": "given"}
        return {**about, "type": kind, "value": value}

    exported = []
    for number, task in enumerate(tasks, start=101):
        annotations: list[Any] = []
        for person, decided in by.items():
            label, decision = decided.get(task["data"]["row"], ("", ""))
            results = [result("label", {"choices": [label]})] * bool(label)
            results += [result("decision", {"choices": [decision]})] * bool(decision)
            results += [result("comment", {"text": ['"hm", …']})] * bool(decision)
            about = {"id": number, "completed_by": person, "was_cancelled": not results}
            times = {"created_at": "2026-11-30T01:00:00Z", "updated_at": "2026-11-30T02:00:00Z"}
            annotations.append({**about, **times, "lead_time": 3.2, "result": results})
        more = {"drafts": [], "predictions": [], "meta": {}}
        exported.append({"id": number, "annotations": annotations, "data": task["data"], **more})
    return exported


def test_500_suspects_to_label_studio_and_back(given: list[str]) -> None:
    document = export("label-studio", "tasks.json")
    assert document["classes"] == CLASSES
    tasks = json.loads(Path("tasks.json").read_text("utf-8"))
    assert len(tasks) == N_FLAGGED
    assert [one["data"]["row"] for one in tasks] == document["rows"]
    first = tasks[0]["data"]
    assert first["ids"] == {"patient": name_of(first["row"]).strip()}
    assert first["cells"]["note"] == f'a "note"; {first["row"]}'
    assert "grade" not in first["cells"]
    (choice,) = tasks[0]["predictions"][0]["result"]
    assert choice["value"]["choices"] == [first["suggested"]]
    assert tasks[0]["predictions"][0]["score"] == first["chance_of_error"] == 1.0
    decided = answers_for(document["rows"], given)
    Path("export.json").write_text(json.dumps(studio_export(tasks, {7: decided})), "utf-8")
    back = done("import", "export.json", "--from", "label-studio", "--out", "decisions.csv")
    (counts,) = back["decisions"]
    assert (counts["kept"], counts["relabelled"], counts["dropped"]) == (200, 100, 100)
    assert counts["reviewer"] == "7"
    check_applied(decided, given)
    assert {one.comment for one in read_decisions("decisions.csv")} == {"", '"hm", …'}


def test_the_package_of_label_studio_takes_the_tasks_and_converts_them(given: list[str]) -> None:
    pytest.importorskip("label_studio_sdk", reason="700 MB: tried where it is installed")
    from label_studio_sdk.converter import Converter
    from label_studio_sdk.label_interface import LabelInterface

    rows = export("label-studio", "tasks.json")["rows"]
    config = Path("tasks.xml").read_text("utf-8")
    tasks = json.loads(Path("tasks.json").read_text("utf-8"))
    interface = LabelInterface(config)
    interface.validate()
    assert list(interface.get_control("label").labels) == CLASSES
    for task in tasks:
        assert interface.validate_task({"data": task["data"]})
        assert interface.validate_prediction(task["predictions"][0], return_errors=True) == []
    decided = answers_for(rows, given)
    exported = studio_export(tasks, {7: decided})
    for task in exported:
        for annotation in task["annotations"]:
            assert not annotation["result"] or interface.validate_annotation(annotation)
    Path("export.json").write_text(json.dumps(exported), "utf-8")
    converter = Converter(config, ".", download_resources=False)
    converter.convert_to_json_min("export.json", "min", is_dir=False)
    converter.convert_to_csv("export.json", "csv", is_dir=False, sep=",")
    for file in ("min/result.json", "csv/result.csv"):
        done("import", file, "--from", "label-studio", "--out", "decisions.csv")
        check_applied(decided, given)


def test_a_later_answer_counts_and_people_are_kept_apart(given: list[str]) -> None:
    rows = export("label-studio", "tasks.json", "--top", "3")["rows"]
    tasks = json.loads(Path("tasks.json").read_text("utf-8"))
    ann, bo = {"id": 1, "email": "ann@x.org"}, {"id": 2, "email": "bo@x.org"}
    first, second = (dict.fromkeys(rows, (label, "")) for label in CLASSES[:2])
    (older,) = (studio_export(tasks[:1], {"a": first}),)
    exported = studio_export(tasks, {"a": second, "b": first})
    older[0]["annotations"][0]["updated_at"] = "2026-11-29T02:00:00Z"
    exported[0]["annotations"] += older[0]["annotations"]
    for task in exported:
        for one in task["annotations"]:
            one["completed_by"] = {"a": ann, "b": bo}[one["completed_by"]]
    Path("export.json").write_text(json.dumps(exported), "utf-8")
    back = done("import", "export.json", "--from", "label-studio", "--out", "d.csv")
    assert [one["file"] for one in back["decisions"]] == ["d-ann@x.org.csv", "d-bo@x.org.csv"]
    labels = [d.label or d.old_label for d in read_decisions("d-ann@x.org.csv")]
    assert labels == [CLASSES[1]] * 3
    # Neither the file of one of them nor that of the interface may be what is read.
    Path("e-bo@x.org.csv").hardlink_to("export.json")
    again = ("import", "export.json", "--from", "label-studio", "--out", "e.csv")
    assert "--out e-bo@x.org.csv: this file is read, as FILE" in refusal(*again)
    assert not Path("e-ann@x.org.csv").exists()
    Path("e.xml").hardlink_to("data.csv")
    again = ("export", "suspects.csv", "data.csv", "--to", "label-studio", "--out", "e.json")
    assert "--out e.xml: this file is read, as DATA" in refusal(*again, "--target", "grade")
    assert not Path("e.json").exists()
    # Those who share no row are in one file, with their names.
    exported[0]["annotations"] = exported[0]["annotations"][:1]
    for task in exported[1:]:
        task["annotations"] = task["annotations"][1:]
    Path("export.json").write_text(json.dumps(exported), "utf-8")
    (one,) = done("import", "export.json", "--from", "label-studio", "--out", "d.csv")["decisions"]
    assert one["file"] == "d.csv"
    assert {d.reviewer for d in read_decisions("d.csv")} == {"ann@x.org", "bo@x.org"}


# Argilla


def flat_records(records: list[Any], by: dict[UUID, Decided], status: str) -> list[Any]:
    """The records as `records.to_list(flatten=True)` gives them."""
    flat = []
    for record in records:
        one = {"id": record["id"], "status": "pending", **record["fields"], **record["metadata"]}
        for name, place in (("label", 0), ("decision", 1)):
            said = {
                who: d[int(record["id"])][place] for who, d in by.items() if int(record["id"]) in d
            }
            said = {who: text for who, text in said.items() if text}
            keys = [f"{name}.responses", f"{name}.responses.users", f"{name}.responses.status"]
            columns = [list(said.values()), [str(who) for who in said], [status] * len(said)]
            one |= dict(zip(keys, columns, strict=True)) if said else dict.fromkeys(keys)
        flat.append(one)
    return flat


def test_500_suspects_to_argilla_and_back(given: list[str]) -> None:
    rows = export("argilla", "tasks", "--drop", "x")["rows"]
    records = json.loads(Path("tasks/records.json").read_text("utf-8"))
    assert [record["id"] for record in records] == [str(row) for row in rows]
    assert len(rows) == N_FLAGGED
    cells = records[0]["fields"]["cells"].split("\n")
    assert cells[1] == f"patient: {name_of(rows[0]).strip()}"
    assert not any(line.startswith("x:") for line in cells)
    settings = json.loads(Path("tasks/.argilla/settings.json").read_text("utf-8"))
    options = settings["questions"][0]["settings"]["options"]
    assert [option["value"] for option in options] == CLASSES
    decided = answers_for(rows, given)
    Path("r.json").write_text(json.dumps(flat_records(records, {ANN: decided}, "submitted")))
    (one,) = done("import", "r.json", "--from", "argilla", "--out", "decisions.csv")["decisions"]
    assert one["reviewer"] == str(ANN)
    check_applied(decided, given)
    # Drafts and what was discarded decide nothing.
    for status in ("draft", "discarded"):
        Path("r.json").write_text(json.dumps(flat_records(records, {ANN: decided}, status)))
        result = run("import", "r.json", "--from", "argilla", "--out", "no.csv")
        assert result.exit_code == 1
        assert "no row is decided" in result.stderr
    assert not Path("no.csv").exists()


def test_three_reviewers_in_argilla(given: list[str]) -> None:
    rows = export("argilla", "tasks", "--top", "6")["rows"]
    records = json.loads(Path("tasks/records.json").read_text("utf-8"))
    by = {who: dict.fromkeys(rows, (CLASSES[i], "")) for i, who in enumerate((ANN, BO, CY))}
    Path("r.json").write_text(json.dumps(flat_records(records, by, "submitted")))
    back = done("import", "r.json", "--from", "argilla", "--out", "d.csv")["decisions"]
    assert [one["file"] for one in back] == [f"d-{who}.csv" for who in (ANN, BO, CY)]
    assert [len(read_decisions(one["file"])) for one in back] == [6, 6, 6]
    for row in rows[:4]:
        by[BO][row] = by[CY][row] = (CLASSES[1], "")
    Path("r.json").write_text(json.dumps(flat_records(records, by, "submitted")))
    files = done("import", "r.json", "--from", "argilla", "--out", "d.csv")["decisions"]
    names = [one["file"] for one in files]
    done("review", *names, "--majority", "--out", "decisions.csv")
    # The other two rows have three labels by three people: they are in dispute, and stay.
    check_applied(dict.fromkeys(rows[:4], (CLASSES[1], "")), given)
    # Records that do not say who submitted are refused where several answered.
    said = [{"value": CLASSES[0], "user_id": str(who)} for who in (ANN, BO)]
    nested = [{**one, "responses": {"label": said}, "status": "completed"} for one in records]
    Path("r.json").write_text(json.dumps(nested))
    result = run("import", "r.json", "--from", "argilla", "--out", "d.csv")
    assert result.exit_code == 1
    assert "records.to_list(flatten=True)" in result.stderr


def test_the_package_of_argilla_takes_the_records(
    given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rg = pytest.importorskip("argilla", reason="700 MB: tried where it is installed")
    from argilla._models import DatasetModel
    from argilla.client import Argilla
    from argilla.records._io import GenericIO

    monkeypatch.setattr(Argilla, "_default_client", MagicMock())
    rows = export("argilla", "tasks")["rows"]
    settings = rg.Settings.from_json("tasks/.argilla/settings.json")
    settings.validate()
    assert settings.questions["label"].labels == CLASSES
    dataset = DatasetModel(**json.loads(Path("tasks/.argilla/dataset.json").read_text("utf-8")))
    assert dataset.name == "tasks"
    records = json.loads(Path("tasks/records.json").read_text("utf-8"))
    made = [rg.Record.from_dict(one) for one in records]
    decided = answers_for(rows, given)
    for one in made:
        label, decision = decided.get(int(one.id), ("", ""))
        for name, value in (("label", label), ("decision", decision)):
            if value:
                one.responses.add(rg.Response(name, value, user_id=ANN, status="submitted"))
        if label:
            one._model.status = "completed"
        one.suggestions.api_models()
    for flatten in (True, False):
        Path("r.json").write_text(json.dumps(GenericIO.to_list(made, flatten=flatten)))
        done("import", "r.json", "--from", "argilla", "--out", "decisions.csv")
        check_applied(decided, given)


def test_suggestions_are_spelled_as_the_labels() -> None:
    assert _spelled(["true", "False", "true"], ["False", "True"]) == ["True", "False", "True"]
    assert _spelled(["2", "1"], ["1.0", "2.0"]) == ["2.0", "1.0"]
    with pytest.raises(UsageError, match="give --classes, --fold-labels and --missing-label as in"):
        _spelled(["fair"], ["poor", "good"])


# What is refused


def test_no_label_is_taken_for_a_column() -> None:
    with pytest.raises(CommandError, match=r"takes the label 'under \$100' for a column"):
        labelling_interface(["under $100", "more"])
    assert 'value="$$"' in labelling_interface(["$", "$$"])


def refusal(*args: object) -> str:
    result = run(*args)
    assert result.exit_code, result.output
    return " ".join(result.stderr.split())


def test_what_does_not_fit_is_refused(given: list[str]) -> None:
    call = ["export", "suspects.csv", "data.csv", "--target", "grade", *ORDER]
    studio = [*call, "--to", "label-studio", "--out", "tasks.json"]
    assert "for Argilla a folder" in refusal(*call, "--to", "argilla", "--out", "tasks.json")
    text = Path("suspects.csv").read_text("utf-8")
    write_csv("none.csv", ["row", "given"], [(1, given[0])])
    assert "'suggested', 'probability', 'flagged' are missing" in refusal(
        "export", "none.csv", *studio[2:]
    )
    Path("suspects.csv").write_text(text.replace("true", "false"), "utf-8")
    assert "no row is flagged; --top N takes the first N rows" in refusal(*studio)
    Path("suspects.csv").write_text(text, "utf-8")
    lines = Path("data.csv").read_text("utf-8").splitlines(keepends=True)
    Path("data.csv").write_text("".join([lines[0], *lines[2:]]), "utf-8")
    assert "give the file that was audited" in refusal(*studio)
    assert not Path("tasks.json").exists()


def test_a_file_of_another_tool_is_refused() -> None:
    Path("x.json").write_text(json.dumps([{"id": 1, "data": {"text": "a"}, "annotations": [{}]}]))
    call = ("import", "x.json", "--out", "d.csv", "--from")
    message = refusal(*call, "label-studio")
    assert "x.json, entry 1: 'row', 'target', 'given' of the row are missing" in message
    Path("x.json").write_text('{"a": 1}')
    assert "not a readable export (no list of tasks)" in refusal(*call, "argilla")
    Path("x.json").write_text("a,b")
    assert "not a readable JSON file" in refusal(*call, "label-studio")
