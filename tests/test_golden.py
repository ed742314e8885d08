"""Fits end where they ended before: `golden_fits.json` holds what `golden.py` found once."""

import json

import pytest

import golden

KEPT = json.loads(golden.KEPT.read_text(encoding="utf-8"))
CASES = [case for case in golden.cases() if not golden.is_trimmed(*case[1:3])]


def test_all_cases_are_kept_and_no_others() -> None:
    assert [case[0] for case in golden.cases()] == list(KEPT)


@pytest.mark.parametrize(("name", "estimator", "params", "data"), CASES, ids=[c[0] for c in CASES])
def test_ends_where_it_ended(name, estimator, params, data) -> None:
    kept = KEPT[name]
    apart = golden.differences(golden.outcome(golden.fit(estimator, params, data)), kept)
    assert not golden.objective_differs(kept, apart["objective"])
    if kept["p"] >= 1.0 and kept["rows"] < 10_000:
        assert apart["firm history"] <= 1e-7


def test_a_difference_is_seen() -> None:
    """Another objective, history or flag is not taken for the one that is kept."""
    kept = KEPT["p 1.5, cap 2.0"]
    moved = {
        **kept,
        "objective": kept["objective"] * (1.0 + 2e-6),
        "history": [kept["history"][0] * (1.0 - 1e-6), *kept["history"][1:]],
        "flags": "",
    }
    apart = golden.differences(moved, kept)
    assert golden.objective_differs(kept, apart["objective"])
    assert apart["firm history"] == pytest.approx(1e-6, rel=1e-3)
    assert not apart["flags"]

    below = KEPT["p 0.5, cap 2.0"]
    assert not golden.objective_differs(below, -0.1)
    assert golden.objective_differs(below, 0.02)
    assert not golden.objective_differs(KEPT["share 0.1"], 0.5)
