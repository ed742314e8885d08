"""Audits say what they said before: `golden_audits.json` holds what `golden_audits.py` kept once.

Of the sets of many rows one is audited here in each form; ``python tests/golden_audits.py check``
audits them all.
"""

import copy
import json

import pytest

import golden_audits as golden

KEPT = json.loads(golden.KEPT.read_text(encoding="utf-8"))
SMALL = [case.name for case in golden.SMALL]
MANY = "many, reviewed, groups"


def test_all_audits_are_kept_and_no_others() -> None:
    forms = {name: set(case.forms) for name, case in golden.CASES.items()}
    assert {name: set(kept) for name, kept in KEPT.items()} == forms


@pytest.mark.parametrize("name", SMALL)
def test_says_what_it_said(name) -> None:
    found = golden.outcome(golden.audit(golden.CASES[name]))
    assert golden.differences(found, KEPT[name]["memory"]) == []


@pytest.mark.parametrize("name", [case.name for case in golden.BENCHMARKS])
def test_says_what_it_said_of_benchmark_data(name, data_dir) -> None:
    found = golden.outcome(golden.audit(golden.CASES[name]))
    assert golden.differences(found, KEPT[name]["memory"]) == []


@pytest.mark.parametrize("form", golden.FORMS)
def test_says_what_it_said_of_many_rows(form) -> None:
    if form == "partitions":
        pytest.importorskip("dask.array")
    found = golden.outcome(golden.audit(golden.CASES[MANY], form))
    assert golden.differences(found, KEPT[MANY][form]) == []


@pytest.mark.parametrize("case", golden.LARGE, ids=lambda case: case.name)
def test_rows_in_partitions_say_what_rows_in_memory_say(case) -> None:
    """The same folds and the same answer, however the data are cut."""
    kept = KEPT[case.name]
    assert golden.differences(kept["partitions"], kept["memory"], case.tol) == []


def test_a_difference_is_seen_in_every_entry() -> None:
    kept = KEPT["clusters"]["memory"]
    assert golden.differences(copy.deepcopy(kept), kept) == []
    for name in golden.NUMBERS:
        assert lines_of(kept, name, kept[name] * (1.0 + 3e-6) + 3e-6) == [name]
    for name in golden.OF_ROWS:
        moved = copy.deepcopy(kept[name])
        column = moved["rows"][3]
        moved["rows"][3] = [v + 3e-6 for v in column] if isinstance(column, list) else column + 3e-6
        assert lines_of(kept, name, moved) == [name]
    for name in golden.LABELS:
        assert lines_of(kept, name, {**kept[name], "sha256": ""}) == [name]
        assert lines_of(kept, name, {**kept[name], "counts": {"1": 1}}) == [name]
    assert lines_of(kept, "classes", kept["classes"][::-1]) == ["classes"]


def test_suspects_may_change_places_only_where_they_are_as_probably_wrong() -> None:
    kept = {**KEPT["clusters"]["memory"], "order": [[5, 0.9], [7, 0.8], [6, 0.8], [2, 0.7]]}
    assert lines_of(kept, "order", [[5, 0.9], [6, 0.8], [7, 0.8], [2, 0.7]]) == []
    assert lines_of(kept, "order", [[5, 0.9], [7, 0.8], [6, 0.8], [3, 0.7]]) == []
    assert lines_of(kept, "order", [[4, 0.9], [7, 0.8], [6, 0.8], [2, 0.7]]) == ["order"]
    assert lines_of(kept, "order", [[5, 0.9], [7, 0.81], [6, 0.8], [2, 0.7]]) == ["order"]


def lines_of(kept, name, value):
    """The entries that differ where one of them has another value."""
    lines = golden.differences({**kept, name: value}, kept)
    return [line.partition(":")[0].partition(",")[0] for line in lines]
