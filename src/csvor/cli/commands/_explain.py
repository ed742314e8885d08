"""`csvor explain`: what drives the label?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import pandas as pd

from csvor._faults.errors import refuse
from csvor._faults.notes import Notes
from csvor._utils.spelling import format_value
from csvor._utils.words import plural
from csvor.cli._browser import open_report
from csvor.cli._follow_up import command_line
from csvor.cli._notes import warnings_as_notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._paths import check_output, refuse_layout
from csvor.cli._progress import progress
from csvor.cli._render import Fact, console, data_facts, print_facts
from csvor.cli._streams import print_json
from csvor.cli.commands._effects import effects_of, tests_of_columns
from csvor.cli.commands._explain_fit import Explained, explained
from csvor.cli.commands._explain_options import ExplainOptions
from csvor.cli.commands._explain_print import (
    print_effects,
    print_shifts,
    print_thresholds,
    table_lines,
)
from csvor.cli.commands._explain_words import note_limits, summary_of, wrong_labels
from csvor.cli.commands._in_memory import RowsInMemory
from csvor.cli.commands._proportional import proportional_odds
from csvor.cli.commands._rows import Rows, rows_of
from csvor.cli.input._complete_rows import complete_rows
from csvor.report._regression import write_regression_page

_LINKS = {
    "logit": "proportional odds",
    "probit": "ordered probit",
    "cloglog": "proportional hazards",
    "loglog": "cumulative log-log",
    "cauchit": "cumulative Cauchy",
}
# Rows that are alike, and ids that come again: what is said of them is said of held-out rows.
_OF_OTHER_COMMANDS = (
    "copied-rows", "conflicting-rows", "mostly-conflicting-rows", "mostly-conflicting-ratings",
    "repeated-ids",
)  # fmt: skip


def run_explain(
    data: DataOptions, model: ModelOptions, options: ExplainOptions, notes: Notes
) -> None:
    """Fit a regression to a file or pieces and print, or write, what it says."""
    if options.no_wrong and options.wrong != "auto":
        refuse("both", one="--wrong", other="--no-wrong", what="which labels may be wrong")
    if data.dask is not None:
        refuse_layout(data.data, data.delimiter, data.sheet)
    if options.report is not None:
        check_output(options.report, "--report", [".html", ".htm"])
    elif options.open:
        refuse("open-of-no-page")
    notes.pass_over(*_OF_OTHER_COMMANDS)
    with _rows(data, model, options, notes) as rows:
        done = explained(rows, options, notes)
        with progress("Testing"), warnings_as_notes(notes, lower_case=True):
            document = _document(done, notes)
    facts = _facts(done, document)
    if options.report is not None:
        write_regression_page(
            document,
            table_lines(document),
            options.report,
            source="" if data.data == "-" else done.prepared.table.source,
            facts=dict(facts),
            command=command_line(("csvor", "explain"), data, model, options),
        )
    if options.json:
        open_report(options, console(error=True))
        print_json("explain", document)
        return
    out = console()
    print_facts(out, [*facts, *_answers(document)])
    print_effects(out, document)
    if options.thresholds:
        print_thresholds(out, document["thresholds"])
    print_shifts(out, document["raters"])
    if options.report is not None:
        print_facts(out, [("Written", options.report)])
    open_report(options, out)


@contextmanager
def _rows(
    data: DataOptions, model: ModelOptions, options: ExplainOptions, notes: Notes
) -> Iterator[Rows]:
    """The rows, of which those with a blank are left out where that is asked for."""
    if not options.complete:
        with rows_of(data, model, notes) as rows:
            yield rows
        return
    if data.dask is not None:
        refuse("dask-complete")
    if model.impute:
        refuse("both", one="--complete", other="--impute", what="what becomes of blanks")
    notes.pass_over("blank-words")
    # Blanks are refused unless they would be filled.
    with rows_of(data, replace(model, impute=True), notes) as rows:
        work = complete_rows(rows.prepared, notes)
        yield RowsInMemory(replace(work, options=model))


def _facts(done: Explained, document: dict[str, Any]) -> list[Fact]:
    """What was read, and what was fitted."""
    fit = document["model"]
    name = "partial " * bool(done.options.nominal) + _LINKS[fit["link"]]
    text = (
        f"{name} ({fit['link']}), {plural(fit['parameters'], 'parameter')}, "
        f"log-likelihood {fit['log_likelihood']:.1f}, AIC {fit['aic']:.1f}"
    )
    if fit["penalty"]:
        text += f", ridge {fit['penalty']:g}"
    return [*data_facts(done.prepared, "in their units"), ("Model", text)]


def _answers(document: dict[str, Any]) -> list[Fact]:
    """What is said in sentences."""
    answers = [("Answer", document["summary"]), ("Wrong", document["wrong_labels"]["sentence"])]
    if document["proportional_odds"] is not None:
        answers.append(("Thresholds", document["proportional_odds"]["sentence"]))
    return answers


def _document(done: Explained, notes: Notes) -> dict[str, Any]:
    model, options = done.model, done.options
    described = done.prepared.described()
    settings = {name: described["settings"][name] for name in ("impute", "clip")}
    described |= {"settings": {**asdict(options), **settings, "standardised": False}}
    del described["tuned"], described["conflicts"], described["reviewed"]
    tests = tests_of_columns(done)
    summary = model.summary(options.level, covariance=done.covariances[0])
    note_limits(done, summary.wrong, notes)
    return {
        **described,
        "summary": summary_of(done, tests),
        "model": {
            "link": model.link,
            "penalty": model.penalty,
            "weight": float(model._n_weighted),
            "parameters": int(model.n_parameters_),
            "log_likelihood": float(model.log_likelihood_),
            "aic": float(model.aic_),
            "bic": float(model.bic_),
        },
        "level": options.level,
        "effects": [effect.entry() for effect in effects_of(done)],
        "columns_tested": tests,
        "wrong_labels": wrong_labels(done, summary.wrong),
        "proportional_odds": proportional_odds(done),
        "thresholds": _thresholds(done, summary.thresholds),
        "raters": _raters(done),
        "notes": notes.texts(),
    }


def _thresholds(done: Explained, table: pd.DataFrame) -> list[dict[str, Any]]:
    classes = [format_value(label) for label in done.prepared.target.classes]
    return [
        {"below": below, "above": above, **{str(k): float(v) for k, v in row.items()}}
        for (below, above), row in zip(pairwise(classes), table.to_dict("records"), strict=True)
    ]


def _raters(done: Explained) -> list[dict[str, Any]]:
    if done.prepared.raters is None:
        return []
    table = done.model.rater_shifts(done.options.level).rename(columns={"estimate": "shift"})
    keys = ("shift", "error", "low", "high", "p")
    return [
        {"rater": str(name), **{key: float(row[key]) for key in keys}}
        for name, row in table.iterrows()
    ]
