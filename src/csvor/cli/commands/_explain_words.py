"""What is said in sentences of a regression of a file, and how far is it to be trusted?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.spelling import format_value
from csvor._utils.words import all_of, some_of
from csvor.cli._render import MOST_NAMES
from csvor.cli.commands._effects import effects_of, p_words
from csvor.cli.commands._explain_fit import Explained
from csvor.cli.input._prepare import Prepared

# Errors wider by such a factor are due to a share of wrong labels that is hardly known.
_WIDER = 1.5
# With fewer rows for each parameter errors and tests are rough.
_ENOUGH = 10
_SURE = 0.05
_WHERE = {"any": "to any other class", "beside": "to a class beside the right one"}


def summary_of(done: Explained, tests: Sequence[Mapping[str, Any]]) -> str:
    """Which columns have an effect beyond chance, by the tests of columns."""
    if done.options.penalty:
        return f"with a ridge (--penalty {done.options.penalty:g}) no effect is tested"
    target = done.prepared.target.name
    sure = [test["column"] for test in tests if test["p"] < _SURE]
    rest = [test["column"] for test in tests if test["p"] >= _SURE]
    if not sure:
        return f"no column has an effect on {target} beyond chance"
    verb = "has" if len(sure) == 1 else "have"
    text = f"{all_of(_some(sure))} {verb} an effect on {target} beyond chance (p < .05)"
    return f"{text}; {all_of(_some(rest))} may have none" if rest else text


def _some(names: Sequence[str]) -> list[str]:
    """The first names, and how many more there are."""
    left = len(names) - MOST_NAMES
    return [*names[:MOST_NAMES], f"{left} more"] if left > 0 else list(names)


def note_limits(done: Explained, wrong: Mapping[str, Any], notes: Notes) -> None:
    """Say so where rows are few, a ridge is there, or the share of wrong labels is vague."""
    n, n_parameters = round(done.model._n_weighted), int(done.model.n_parameters_)
    if n < _ENOUGH * n_parameters:
        notes.add(fault("rows-by-parameter", n=n, parameters=n_parameters, enough=_ENOUGH))
    _note_filled(done.prepared, notes)
    if done.options.penalty:
        kind = "odds ratios to 1" if done.model.link == "logit" else "coefficients to 0"
        notes.add(fault("ridge", pulled=kind))
    _note_vague_share(done, wrong, notes)


def _note_filled(prepared: Prepared, notes: Notes) -> None:
    """Say what blanks were filled by: an interval does not know it."""
    if not prepared.options.impute or not prepared.features.numeric:
        return
    if prepared.data.dask is not None:  # the blanks of a sample are not all
        notes.add(fault("filled-in-parts"))
        return
    numbers = prepared.frame[prepared.features.numeric]
    blank, medians = numbers.isna().sum(), numbers.median()
    texts = [
        f"'{name}' {blank[name]} (by {format_value(medians[name])})"
        for name in numbers.columns
        if blank[name]
    ]
    if texts:
        notes.add(fault("filled-cells", n=int(blank.sum()), columns=some_of(texts, MOST_NAMES)))


def _note_vague_share(done: Explained, wrong: Mapping[str, Any], notes: Notes) -> None:
    """Say so where a share that may be 0 makes the effects far less sure."""
    if done.all_right is None or not isinstance(done.model.wrong, str) or wrong["p"] < _SURE:
        return
    effects = effects_of(done)
    ratios = [e.estimate.error / e.if_none_wrong.error for e in effects if e.if_none_wrong]
    wider = float(np.median(ratios))
    if wider > _WIDER:
        notes.add(fault("vague-share", wider=wider))


def wrong_labels(done: Explained, known: Mapping[str, Any]) -> dict[str, Any]:
    """The share of wrong labels, the test of none, and a sentence; `known` is of the summary."""
    if not known:
        return {"share": 0.0, "sentence": "all labels are taken to be right"}
    entry = {name: _plain(known[name]) for name in ("share", "low", "high", "channel")}
    if not isinstance(done.model.wrong, str):
        share = f"{100.0 * entry['share']:.1f} % of the labels are taken to be wrong"
        return {**entry, "sentence": f"{share}, {_WHERE['any']}"}
    entry |= {"statistic": float(known["statistic"]), "p": float(known["p"])}
    return {**entry, "sentence": _sentence(done, entry)}


def _sentence(done: Explained, entry: Mapping[str, Any]) -> str:
    """What share of the labels is wrong, with the test of none where it has its distribution."""
    channel, in_groups = entry["channel"], done.prepared.data.groups is not None
    tested = not done.options.penalty and not in_groups
    p = p_words(entry["p"])
    rest = "; the test that none is wrong takes rows to be independent" * in_groups
    if channel is None:
        rest = f" ({p} of the test that none is)" if tested else rest
        return f"no label is found to be wrong{rest}"
    if tested and entry["p"] < _SURE:
        rest = f", beyond chance ({p})"
    elif tested:
        rest = f"; it may also be that none is ({p})"
    return (
        f"about {100.0 * entry['share']:.1f} % ({100.0 * entry['low']:.1f} to "
        f"{100.0 * entry['high']:.1f} %) of the labels are wrong and went {_WHERE[channel]}{rest}"
    )


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else float(value)
