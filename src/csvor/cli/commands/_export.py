"""`csvor export` and `csvor import`: rows to review in a labelling tool, and the decisions back."""

import re
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from csvor._decisions.decision import Decisions
from csvor._faults.errors import refuse
from csvor._faults.notes import Notes
from csvor._tables.review import faults_of_decisions
from csvor._utils.words import all_of, plural
from csvor.cli._paths import check_input, check_new_folder, check_output, refuse_overwritten
from csvor.cli._progress import progress
from csvor.cli._render import Fact, console, print_facts
from csvor.cli._streams import print_json
from csvor.cli.commands._command_options import ExportOptions
from csvor.cli.input._read import ReadOptions, read_table
from csvor.cli.labelling._argilla import read_argilla, write_argilla
from csvor.cli.labelling._label_studio import config_path, read_label_studio, write_label_studio
from csvor.cli.labelling._suspects import TaskSelection, classes_of, tasks_of
from csvor.cli.labelling._task import decisions_of

LABEL_STUDIO = "label-studio"


def run_export(options: ExportOptions, notes: Notes) -> None:
    """Write the rows to review for a tool, and say how they get there."""
    to_label_studio = options.to == LABEL_STUDIO
    _check_output(options, to_label_studio)
    with progress(f"Reading {options.data}"):
        table = read_table(options.data, notes, ReadOptions(options.delimiter, sheet=options.sheet))
        suspects = read_table(options.suspects, Notes())
        names = (field.name for field in fields(TaskSelection))
        asked = TaskSelection(**{name: getattr(options, name) for name in names})
        classes = classes_of(table, asked, notes)
        tasks = tasks_of(suspects, table, asked, classes)
    write = write_label_studio if to_label_studio else write_argilla
    write(tasks, classes, options.out)
    written = [options.out, *([str(config_path(options.out))] * to_label_studio)]
    if options.json:
        document = {"data": {"file": table.source, "rows": table.n_rows}, "target": tasks[0].target}
        rows = [one.row for one in tasks]
        out = {"to": options.to, "files": written}
        print_json("export", {**document, "classes": classes, "rows": rows, "out": out})
        return
    facts = [("Data", f"{table.source}: {plural(table.n_rows, 'row')}")]
    facts.append(("Tasks", f"{plural(len(tasks), 'row')}, with the label suggested for each"))
    facts.append(("Written", all_of(written)))
    screen = console()
    print_facts(screen, facts)
    for line in _next(options.out, to_label_studio):
        screen.print(line, soft_wrap=True)


def _check_output(options: ExportOptions, to_label_studio: bool) -> None:
    out = options.out
    if to_label_studio:
        check_output(out, "--out", [".json"])
        read = {"SUSPECTS": options.suspects, "DATA": options.data}
        refuse_overwritten({"--out": config_path(out)}, read)
        return
    if Path(out).suffix:
        refuse("argilla-folder", out=out)
    check_new_folder(out, "--out", options.data)


def _next(out: str, to_label_studio: bool) -> list[str]:
    if to_label_studio:
        return [
            f"\nNext, in Label Studio: paste {config_path(out)} into Labeling Interface > Code,",
            f"import {out}, and after the review export JSON; then",
            f"csvor import EXPORT.json --from {LABEL_STUDIO} --out decisions.csv",
        ]
    return [
        "\nNext, in Python: import argilla as rg; client = rg.Argilla(api_url=..., api_key=...)",
        f"dataset = rg.Dataset.from_disk({out!r}, workspace=..., client=client); after the review",
        "json.dump(dataset.records.to_list(flatten=True), open('records.json', 'w')); then",
        "csvor import records.json --from argilla --out decisions.csv",
    ]


def run_import(file: str, tool: str, out: str, as_json: bool, notes: Notes) -> None:
    """Write the decisions that were made in a tool: a file, or one of each reviewer."""
    if not (tool == "argilla" and Path(file).is_dir()):
        check_input(file)
    check_output(out, "--out", [".csv"])
    read = read_label_studio if tool == LABEL_STUDIO else read_argilla
    with progress(f"Reading {file}"), faults_of_decisions():
        decided = decisions_of(file, read(file, notes))
    paths = _paths(out, decided)
    for path in paths:
        refuse_overwritten({"--out": path}, {"FILE": file})
    for path, one in zip(paths, decided, strict=True):
        one.to_csv(path)
    if as_json:
        files = [
            {"file": path, "reviewer": _reviewers(one), **one.counts}
            for path, one in zip(paths, decided, strict=True)
        ]
        print_json("import", {"target": decided[0].target, "decisions": files})
        return
    facts: list[Fact] = []
    for path, one in zip(paths, decided, strict=True):
        counts = ", ".join(f"{n} {word}" for word, n in one.counts.items())
        by = f" by {_reviewers(one)}" if len(decided) > 1 else ""
        facts.append(("Written", f"{path}: {plural(len(one), 'row')}{by}, {counts}"))
    screen = console()
    print_facts(screen, facts)
    if len(decided) > 1:
        screen.print(f"\nNext, compare them: csvor review {' '.join(paths)}", soft_wrap=True)


def _reviewers(one: Decisions) -> str:
    return all_of(list(dict.fromkeys(d.reviewer for d in one if d.reviewer)))


def _paths(out: str, decided: Sequence[Decisions]) -> list[str]:
    """The file of decisions, or one for each reviewer, named after them."""
    if len(decided) == 1:
        return [out]
    path, paths = Path(out), list[str]()
    for number, one in enumerate(decided, start=1):
        name = re.sub(r"[^\w.@-]+", "-", one.decisions[0].reviewer).strip("-.") or str(number)
        file = str(path.with_name(f"{path.stem}-{name}{path.suffix}"))
        paths.append(
            file
            if file not in paths
            else file.removesuffix(path.suffix) + f"-{number}{path.suffix}"
        )
    return paths
