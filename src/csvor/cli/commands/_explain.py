"""`csvor explain`: what drives the label?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from csvor._utils.words import all_of, plural
from csvor.cli._errors import refuse
from csvor.cli._fault import fault
from csvor.cli._follow_up import command_line
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._paths import check_output, refuse_delimiter
from csvor.cli._progress import progress
from csvor.cli._render import MOST_NAMES, Fact, console, data_facts, print_facts
from csvor.cli._spelling import format_value
from csvor.cli._streams import print_json
from csvor.cli.commands._command_options import ExplainOptions
from csvor.cli.commands._effects import effects_of, p_words, tests_of_columns
from csvor.cli.commands._explain_fit import Explained, explained
from csvor.cli.commands._explain_print import (
    print_effects,
    print_shifts,
    print_thresholds,
    table_lines,
)
from csvor.cli.commands._in_memory import RowsInMemory
from csvor.cli.commands._proportional import proportional_odds
from csvor.cli.commands._rows import Rows, rows_of
from csvor.cli.input._complete_rows import complete_rows
from csvor.report._regression import write_regression_page

# Errors wider by such a factor are due to a share of wrong labels that is hardly known.
_WIDER = 1.5

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
_WHERE = {"any": "to any other class", "beside": "to a class beside the right one"}


def run_explain(
    data: DataOptions, model: ModelOptions, options: ExplainOptions, notes: Notes
) -> None:
    """Fit a regression to a file or pieces and print, or write, what it says."""
    if data.dask is not None:
        refuse_delimiter(data.delimiter, data.data)
    if options.report is not None:
        check_output(options.report, "--report", [".html", ".htm"], data.data)
    notes.pass_over(*_OF_OTHER_COMMANDS)
    with _rows(data, model, options, notes) as rows:
        done = explained(rows, options, notes)
        with progress("Testing"), notes.of_warnings():
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
        refuse("complete-and-impute")
    notes.pass_over("blank-words")
    # Blanks are refused unless they would be filled.
    with rows_of(data, replace(model, impute=True), notes) as rows:
        work = complete_rows(rows.prepared, notes)
        yield RowsInMemory(replace(work, options=model))


def _facts(done: Explained, document: dict[str, Any]) -> list[Fact]:
    """What was read, and what was fitted."""
    fit = document["model"]
    text = (
        f"{_LINKS[fit['link']]} ({fit['link']}), {plural(fit['parameters'], 'parameter')}, "
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


def _summary(tests: Sequence[Mapping[str, Any]], target: str) -> str:
    """Which columns have an effect beyond chance."""
    sure = [test["column"] for test in tests if test["p"] < 0.05]
    rest = [test["column"] for test in tests if test["p"] >= 0.05]
    if not sure:
        return f"no column has an effect on {target} beyond chance"
    verb = "has" if len(sure) == 1 else "have"
    text = f"{all_of(_some(sure))} {verb} an effect on {target} beyond chance (p < .05)"
    return f"{text}; {all_of(_some(rest))} may have none" if rest else text


def _some(names: Sequence[str]) -> list[str]:
    """The first names, and how many more there are."""
    left = len(names) - MOST_NAMES
    return [*names[:MOST_NAMES], f"{left} more"] if left > 0 else list(names)


def _document(done: Explained, notes: Notes) -> dict[str, Any]:
    model, options = done.model, done.options
    described = done.prepared.described()
    settings = {name: described["settings"][name] for name in ("impute", "clip")}
    described |= {"settings": {**asdict(options), **settings, "standardised": False}}
    del described["tuned"], described["conflicts"], described["reviewed"]
    tests = tests_of_columns(done)
    summary = model.summary(options.level, covariance=done.covariances[0])
    _note_vague_share(done, summary.wrong, notes)
    return {
        **described,
        "summary": _summary(tests, done.prepared.target.name),
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
        "wrong_labels": _wrong_labels(done, summary.wrong),
        "proportional_odds": proportional_odds(done),
        "thresholds": _thresholds(done, summary.thresholds),
        "raters": _raters(done),
        "notes": notes.texts(),
    }


def _note_vague_share(done: Explained, wrong: Mapping[str, Any], notes: Notes) -> None:
    """Say so where a share that may be 0 makes the effects far less sure."""
    if done.all_right is None or not isinstance(done.model.wrong, str) or wrong["p"] < 0.05:
        return
    effects = effects_of(done)
    ratios = [e.estimate.error / e.if_none_wrong.error for e in effects if e.if_none_wrong]
    wider = float(np.median(ratios))
    if wider > _WIDER:
        notes.add(fault("vague-share", wider=wider))


def _wrong_labels(done: Explained, known: Mapping[str, Any]) -> dict[str, Any]:
    """The share of wrong labels, the test of none, and a sentence; `known` is of the summary."""
    if not known:
        return {"share": 0.0, "sentence": "all labels are taken to be right"}
    entry = {name: _plain(known[name]) for name in ("share", "low", "high", "channel")}
    if not isinstance(done.model.wrong, str):
        share = f"{100.0 * entry['share']:.1f} % of the labels are taken to be wrong"
        return {**entry, "sentence": f"{share}, {_WHERE['any']}"}
    entry |= {"statistic": float(known["statistic"]), "p": float(known["p"])}
    p = p_words(entry["p"])
    if entry["channel"] is None:
        sentence = f"no label is found to be wrong ({p} of the test that none is)"
    else:
        sentence = (
            f"about {100.0 * entry['share']:.1f} % ({100.0 * entry['low']:.1f} to "
            f"{100.0 * entry['high']:.1f} %) of the labels are wrong and went "
            f"{_WHERE[entry['channel']]}"
        )
        sentence += (
            f"; it may also be that none is ({p})" if entry["p"] >= 0.05 else
            f", beyond chance ({p})"
        )  # fmt: skip
    return {**entry, "sentence": sentence}


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


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else float(value)
