"""Rows that hang together: --groups, repeated ids, copies and conflicts (case N35)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import average_precision_score
from typer.testing import CliRunner, Result

from csvor._data.folds import held_out_parts
from csvor._faults.errors import CommandError, UsageError
from csvor._faults.notes import Notes
from csvor._tables.related_rows import (
    find_repeats,
    group_numbers,
    note_repeats,
    refuse_few_groups,
)
from csvor._tables.table import TableColumn, as_column
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli.commands import _tune
from csvor.cli.commands._app import app
from csvor.cli.input._prepare import Prepared, prepare

FIT = ("fit", "t.csv", "--target", "y", "--model", "m.skops")


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(arg) for arg in args])


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def visits(n: int = 40, each: int = 6) -> pd.DataFrame:
    """Patients with several visits each, one after the other, and grades of the patient."""
    rng = np.random.default_rng(0)
    level = rng.normal(size=n)
    patient = np.repeat(np.arange(n), each)
    return pd.DataFrame(
        {
            "patient": [f"p{i:02}" for i in patient],
            "a": level[patient] + 0.1 * rng.normal(size=n * each),
            "b": rng.normal(size=n * each),
            "y": np.digitize(level, [-0.5, 0.5])[patient],
        }
    )


def prepared(frame: pd.DataFrame, notes: Notes | None = None, **data: Any) -> Prepared:
    frame.to_csv("t.csv", index=False)
    return prepare(DataOptions("t.csv", "y", **data), ModelOptions(), notes or Notes())


# --groups


def test_a_column_of_groups_is_no_feature_and_numbers_the_rows() -> None:
    work = prepared(visits(), groups="patient")
    assert work.features.used == ["a", "b"]
    assert work.groups is not None
    assert pd.factorize(work.groups)[0].tolist() == np.repeat(np.arange(40), 6).tolist()
    assert prepared(visits().drop(columns="patient")).groups is None


def test_groups_are_those_of_the_rows_used() -> None:
    frame = visits(n=9, each=3).astype({"y": object})
    frame.loc[[0, 1, 2, 4], "y"] = ""
    frame.loc[1, "patient"] = ""  # blank, but in a row without a label
    work = prepared(frame, groups="patient", missing_label=("",))
    assert work.groups is not None
    numbers = pd.factorize(work.groups)[0].tolist()
    assert numbers == [0, 0, *np.repeat(np.arange(1, 8), 3)]


def test_one_column_may_name_rows_and_groups() -> None:
    notes = Notes()
    work = prepared(visits(), notes, id="patient", groups="patient")
    assert notes.texts() == []
    assert work.ids is not None
    assert work.ids[:7] == [*["p00"] * 6, "p01"]
    result = run(*FIT, "--groups", "patient")
    assert " Groups patient (40 values) " in " ".join(result.stdout.split())
    found = json.loads(run(*FIT, "--groups", "patient", "--json").stdout)
    assert (found["columns"]["groups"], found["columns"]["id"]) == ("patient", None)


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (["a", " b", "a", "b "], [0, 1, 0, 1]),
        (pa.array([2, 1, 2, 7]), [0, 1, 0, 2]),
        (pa.array([2.5, 1, 2.5, 7]), [0, 1, 0, 2]),
        (pa.array([True, False, True, True]), [0, 1, 0, 0]),
        (pa.array([3, 1, 3, 9], pa.date32()), [0, 1, 0, 2]),
    ],
)
def test_values_of_any_kind_make_groups(values: Any, codes: list[int]) -> None:
    array = values if isinstance(values, pa.Array) else pa.array(values)
    numbers = group_numbers(as_column("g", array), np.arange(4))
    assert pd.factorize(numbers)[0].tolist() == codes


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            ["a", " ", "a", ""],
            "column 'g' (--groups): 2 of 4 values are blank (rows 2, 4); fill them in, with the "
            "value above where it is left out because it repeats, and with a value of its own "
            "where a row belongs to no other",
        ),
        (
            pa.array([1, 2, None, 2]),
            "column 'g' (--groups): 1 of 4 values is blank (row 3); fill it in, with the value "
            "above where it is left out because it repeats",
        ),
        (pa.array([1, float("nan"), 3, 2]), "(row 2); fill it in"),
        (pa.array([[1], [2], [1], [2]]), "(--groups) holds lists or records, which are no groups"),
        (pa.array([b"\xff"] * 4), "(--groups) holds bytes that are no text, which are no groups"),
    ],
)
def test_a_row_without_a_group_is_refused(values: Any, message: str) -> None:
    array = values if isinstance(values, pa.Array) else pa.array(values)
    with pytest.raises(CommandError) as caught:
        group_numbers(as_column("g", array), np.arange(4))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["--groups", "pat"], 2, "t.csv has no column 'pat' (--groups); did you mean 'patient'?"),
        (["--groups", "y"], 2, "column 'y' is named by both --target and --groups"),
        (["--groups", "a", "--drop", "a"], 2, "'a' is named by both --groups and --drop"),
        (["--groups", "a", "--keep", "a"], 2, "'a' is named by both --groups and --keep"),
        (["--keep", "b", "--drop", "b"], 2, "column 'b' is named by both --drop and --keep"),
        (["--groups", "some"], 1, "t.csv, column 'some' (--groups): 6 of 240 values are blank"),
        (["--groups", "few", "--drop", "patient", "--drop", "some", "--tune"], 2, "3 groups only"),
    ],
)
def test_wrong_use_and_wrong_groups(args: list[str], status: int, message: str) -> None:
    frame = visits()
    frame["some"] = frame["patient"].where(frame["patient"] != "p07", "")
    frame["few"] = np.arange(240) % 3
    frame.to_csv("t.csv", index=False)
    result = run(*FIT, *args)
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr.splitlines()[-1]


def test_as_many_parts_as_groups() -> None:
    refuse_few_groups(None, 90)
    refuse_few_groups(np.array([0, 0, 1, 2]), 3)
    with pytest.raises(UsageError, match="--folds 4: --groups names 3 groups only"):
        refuse_few_groups(np.array([0, 0, 1, 2]), 4)


def test_tuning_keeps_groups_together(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def watched(codes: Any, cv: int, groups: Any, seed: Any) -> Any:
        parts = held_out_parts(codes, cv, groups, seed)
        of_rows = np.array(groups)
        seen.extend((set(of_rows[train]), set(of_rows[test])) for train, test in parts)
        return parts

    monkeypatch.setattr(_tune, "held_out_parts", watched)
    monkeypatch.setattr(_tune, "STRENGTHS", (0.1, 10.0))
    monkeypatch.setattr(_tune, "POWERS", (1.0,))
    prepared(visits())
    result = run(*FIT, "--groups", "patient", "--tune", "--folds", 3)
    assert result.exit_code == 0, result.stderr
    assert [train & test for train, test in seen] == [set()] * 3
    assert len(set().union(*(test for _, test in seen))) == 40


def test_n35_an_audit_judges_patients_by_others() -> None:
    """Twelve of 120 patients are wrong at each of their six visits."""
    rng = np.random.default_rng(0)
    level = rng.normal(size=(120, 4))
    patient = np.repeat(np.arange(120), 6)
    grade = np.digitize(level @ [1, 0.5, 0, 0], [-0.8, 0, 0.8])
    wrong = rng.choice(120, 12, replace=False)
    grade[wrong] = (grade[wrong] + rng.integers(1, 4, 12)) % 4
    frame = pd.DataFrame(level[patient] + 0.05 * rng.normal(size=(720, 4))).add_prefix("x")
    frame.assign(patient=patient, y=grade[patient]).to_csv("t.csv", index=False)
    curve = ("--kernel", "rbf", "--C", 30, "--gamma", 0.1, "--constraints", "explicit")

    def precision(*args: object) -> float:
        result = run("audit", "t.csv", "--target", "y", *curve, *args, "--json")
        rows = json.loads(result.stdout)["suspects"]
        found = pd.DataFrame(rows).sort_values("row")["probability"]
        return float(average_precision_score(np.isin(patient, wrong), found))

    # A curve that bends towards the five other visits of a patient hides the wrong ones.
    apart, together = precision("--groups", "patient"), precision("--id", "patient")
    assert apart > 0.85 and together < 0.77
    result = run("audit", "t.csv", "--target", "y", "--groups", "patient", "--folds", 121)
    assert result.exit_code == 2
    assert result.stderr == (
        "csvor: error: --folds 121: --groups names 120 groups only; give --folds 120\n"
    )


def test_a_model_knows_its_column_of_groups() -> None:
    visits().to_csv("t.csv", index=False)
    assert run(*FIT, "--groups", "patient").exit_code == 0
    result = run("predict", "t.csv", "--model", "m.skops")
    assert result.stderr == "note: the label column 'y' of t.csv is not looked at\n"


# Notes


def test_repeated_ids_are_noted() -> None:
    notes = Notes()
    frame = visits()
    prepared(frame, notes, id="patient")
    assert notes.texts() == [
        "column 'patient' (--id): 40 values are on more than one row (rows 1, 2, 3, 4, 5 and 235 "
        "more), each judged by a model fitted to the others; where they belong together, say "
        "so with --groups patient"
    ]
    frame["the id"] = [f"v{i}" for i in range(240)]
    frame.loc[[3, 9], "the id"] = "v"
    frame.loc[[4, 5], "the id"] = ""  # of no row
    prepared(frame.drop(columns="patient"), notes := Notes(), id="the id")
    (note,) = notes.texts()
    assert note.startswith("column 'the id' (--id): 1 value is on more than one row (rows 4, 10)")
    assert note.endswith("say so with --groups 'the id'")


def four_times() -> pd.DataFrame:
    """N35: 200 records, of which ten were entered four times, one below the other."""
    frame = visits(200, 1).drop(columns="patient")
    return frame.loc[np.repeat(np.arange(200), np.where(np.arange(200) < 10, 4, 1))]


def test_n35_copies_are_counted() -> None:
    prepared(four_times(), notes := Notes())
    assert notes.texts() == [
        "30 rows have the features and the label of an earlier row (rows 2, 3, 4, 6, 7 and 25 "
        "more): a copy is judged by a model fitted to the other; enter each record once, or "
        "keep copies together with --groups COL"
    ]
    grouped = four_times()
    grouped["record"] = [f"r{i}" for i in grouped.index]
    prepared(grouped, notes := Notes(), groups="record")
    assert notes.texts() == []
    # Of two groups, the rows of the later one are told of.
    grouped.iloc[2:4, grouped.columns.get_loc("record")] = "other"
    work = prepared(grouped, notes := Notes(), groups="record")
    assert work.repeats.copies.tolist() == [1, 2, 3]
    prepared(four_times().assign(rows=2), notes := Notes(), counts="rows")  # a table of counts
    assert notes.texts() == []


def test_of_a_table_of_counts_rows_stand_for_as_many_as_are_counted() -> None:
    """Six of eight combinations contradict another one, and 7 of 107 answers, or 300 of 400."""
    frame = pd.DataFrame({"a": [0, 0, 1, 1, 2, 2, 3, 4], "y": [0, 1, 0, 1, 1, 2, 2, 0]})
    few = frame.assign(n=[1, 2, 1, 1, 1, 1, 50, 50])
    work = prepared(few, notes := Notes(), counts="n")
    (note,) = notes.texts()
    assert note.startswith("6 rows have the same features as a row with another label (3 sets; ")
    assert work.described()["conflicts"] == [[1, 2], [3, 4], [5, 6]]
    prepared(few.assign(n=[50] * 8), notes := Notes(), counts="n")
    (note,) = notes.texts()
    assert note.startswith("300 of 400 rows (by --counts) have the same features as a row with ")
    # A combination that nobody gave contradicts none.
    work = prepared(few.assign(n=[1, 0, 3, 0, 4, 0, 9, 9]), notes := Notes(), counts="n")
    assert (notes.texts(), work.described()["conflicts"]) == ([], [])
    work = prepared(few.assign(n=[0, 0, 3, 1, 0, 1, 9, 9]), notes := Notes(), counts="n")
    assert work.described()["conflicts"] == [[3, 4]]


def test_n35_conflicts_are_counted_and_listed() -> None:
    frame = visits(200, 1).drop(columns="patient")
    again = frame.loc[[5, 9, 9, 150]].assign(y=lambda f: (f["y"] + [1, 1, 2, 1]) % 3)
    frame = pd.concat([frame, again])
    work = prepared(frame, notes := Notes())
    assert notes.texts() == [
        "7 rows have the same features as a row with another label (3 sets; rows 6, 201, 10, 202, "
        "203 and 2 more): at most one of the labels of each set can be right"
    ]
    assert work.described()["conflicts"] == [[6, 201], [10, 202, 203], [151, 204]]
    found = json.loads(run(*FIT, "--json").stdout)
    assert found["conflicts"] == [[6, 201], [10, 202, 203], [151, 204]]
    assert found["notes"][: len(notes.texts())] == notes.texts()


def test_conflicts_count_the_rows_of_the_file() -> None:
    frame = visits(30, 1).drop(columns="patient").astype({"y": object})
    frame.loc[[0, 1], "y"] = ""
    frame = pd.concat([frame, frame.loc[[4]].assign(y=(frame.loc[4, "y"] + 1) % 3)])
    assert prepared(frame, missing_label=("",)).described()["conflicts"] == [[5, 31]]


def test_where_features_are_coarse_a_note_says_so_and_copies_are_none() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 3, 300), "y": rng.integers(0, 3, 300)})
    work = prepared(frame, notes := Notes())
    assert notes.texts() == [
        "300 of 300 rows have the same features as a row with another label: the features alone "
        "do not settle the label; add columns that tell such rows apart, if there are any"
    ]
    assert len(work.repeats.copies) == 300 - 9
    assert [len(one) for one in work.described()["conflicts"]] == [
        min(100, (frame["a"] == a).sum()) for a in frame["a"].unique()
    ]


def test_at_most_a_hundred_conflicts_are_listed() -> None:
    frame = pd.DataFrame({"a": np.repeat(np.arange(150.0), 2) / 3, "y": [0, 1] * 150})
    work = prepared(frame)
    assert len(work.repeats.conflicts) == 150
    assert work.described()["conflicts"] == [[2 * i + 1, 2 * i + 2] for i in range(100)]


def by_hand(frame: pd.DataFrame, codes: Any, groups: Any) -> tuple[list[int], list[list[int]]]:
    """Copies and conflicts, row by row against all others."""
    rows = [tuple(map(str, row)) for row in frame.itertuples(index=False)]
    rng = range(len(rows))
    alike = [[j for j in rng if rows[i] == rows[j]] for i in rng]
    copies = []
    for i in rng:
        same = [j for j in alike[i] if codes[i] == codes[j]]
        if min(same) < i and len({groups[j] for j in same}) > 1:
            copies.append(i)
    conflicts = [a for i, a in enumerate(alike) if a[0] == i and len({codes[j] for j in a}) > 1]
    return copies, conflicts


@pytest.mark.parametrize("grouped", [False, True])
def test_repeats_are_those_found_by_hand(rng: np.random.Generator, grouped: bool) -> None:
    for n in (1, 7, 60):
        frame = pd.DataFrame(
            {
                "x": rng.choice([0.5, np.nan, 2.0], n),
                "z": rng.integers(0, 3, n).astype(float),
                "town": rng.choice(np.array(["u", "", "v"], dtype=object), n),
            }
        )
        codes, groups = rng.integers(0, 3, n), rng.integers(0, 4, n)
        found = find_repeats(frame, codes, groups if grouped else None)
        copies, conflicts = by_hand(frame, codes, groups if grouped else np.arange(n))
        assert found.copies.tolist() == copies
        assert [one.tolist() for one in found.conflicts] == conflicts


def test_zero_has_no_sign() -> None:
    frame = pd.DataFrame({"x": [0.0, -0.0, 1.0]})
    found = find_repeats(frame, np.array([0, 1, 1]), None)
    assert [one.tolist() for one in found.conflicts] == [[0, 1]]


def test_many_rows_are_compared_by_columns() -> None:
    """200 000 rows; as pairs they would be twenty thousand millions."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (200_000, 12)).astype(float)).add_prefix("x")
    frame["town"] = rng.choice(np.array(["u", "v", "w"], dtype=object), len(frame))
    codes = rng.integers(0, 4, len(frame))
    found = find_repeats(frame, codes, None)
    counted = frame.assign(code=codes)
    assert len(found.copies) == counted.duplicated().sum()
    kinds = counted.drop_duplicates().groupby(list(frame)).size()
    assert len(found.conflicts) == (kinds > 1).sum()
    note_repeats(found, np.arange(len(frame)), Notes())


def test_one_row_again_is_told_of_in_the_singular() -> None:
    frame = visits(30, 1).drop(columns="patient")
    prepared(pd.concat([frame, frame.loc[[4]]]), notes := Notes())
    (note,) = notes.texts()
    assert note.startswith("1 row has the features and the label of an earlier row (row 31): ")


def test_columns_are_not_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that names both rows and groups is taken once where all rows are used."""
    taken = []
    take = TableColumn.take
    monkeypatch.setattr(TableColumn, "take", lambda c, rows: taken.append(c.name) or take(c, rows))
    prepared(visits(), id="patient", groups="patient")
    assert taken.count("patient") == 1
