"""Files of SPSS and Stata: value labels, values declared missing, dates, and decisions on them."""

import builtins
import datetime
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from csvor._tables.target import read_target
from csvor.cli.commands._app import app
from csvor.cli.input._read import read_table

pyreadstat = pytest.importorskip("pyreadstat", reason="the extra survey is not installed")

ANSWERS = {3: "good", 1: "poor", 2: "fair", 8: "Don't know", 99: "refused"}
LABELS = {"answer": ANSWERS, "nps": {0: "never", 10: "surely"}, "sex": {"m": "male", "f": "female"}}
DAYS = [datetime.date(2020, 1, day) for day in range(1, 7)]


def survey() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "answer": [1.0, 3, 2, 99, 8, 2],
            "nps": [0.0, 10, 7, 7, 3, 2],
            "sex": ["m", "f", "m", "", "f", "m"],
            "day": DAYS,
            "age": [20, 30.5, 40, 50, 60, None],
        }
    )


@pytest.fixture
def sav(tmp_path: Path) -> str:
    path = str(tmp_path / "wave.sav")
    missing = {"answer": [{"lo": 90, "hi": 99}]}
    about = {"variable_value_labels": LABELS, "column_labels": {"answer": "Was it good?"}}
    pyreadstat.write_sav(survey(), path, missing_ranges=missing, **about)
    return path


def test_labels_are_ordered_by_their_codes(sav: str) -> None:
    notes = Notes()
    table = read_table(sav, notes)
    answer = table.columns["answer"]
    assert answer.texts == ["poor", "good", "fair", "", "Don't know", "fair"]
    assert answer.levels == ("poor", "fair", "good", "Don't know")
    assert table.columns["sex"].texts == ["male", "female", "male", "", "female", "male"]
    assert (answer.title, table.columns["sex"].title) == ("Was it good?", "")
    assert table.columns["sex"].levels is None  # letters have no order
    assert table.columns["day"].kind == "dates"
    assert table.columns["day"].values.to_pylist() == DAYS
    assert table.columns["age"].texts == ["20", "30.5", "40", "50", "60", ""]
    assert "declares missing are blank in the column 'answer' ('refused')" in notes.texts()[-1]


def test_a_target_needs_no_classes(sav: str) -> None:
    notes = Notes()
    column = read_table(sav, Notes()).columns["answer"]
    target = read_target(column, None, [""], notes)
    assert target.classes == ["poor", "fair", "good", "Don't know"]
    assert target.order == "value labels of the file, by their codes"
    (said,) = notes.texts()
    assert "leave its rows out with --missing-label 'Don't know'" in said.replace('"', "'")
    # A label that stands for none is no class.
    target = read_target(column, None, ["", "Don't know"], Notes())
    assert (target.classes, target.counts) == (["poor", "fair", "good"], [1, 2, 1])


def test_where_values_have_no_label_the_codes_are_numbers(sav: str) -> None:
    notes = Notes()
    column = read_table(sav, notes).columns["nps"]
    assert (column.kind, column.texts, column.levels) == ("number", ["0", "10", *"7732"], None)
    said = notes.texts()[0]
    assert "column 'nps': 3 values without a value label ('2', '3', '7';" in said
    assert "labels are 0 'never', 10 'surely'), so its codes are read as numbers" in said


def test_two_codes_of_one_label_are_told_apart(tmp_path: Path) -> None:
    path, notes = str(tmp_path / "t.sav"), Notes()
    labels = {"a": {1: "no", 2: "yes", 3: "yes"}}
    pyreadstat.write_sav(pd.DataFrame({"a": [1.0, 2, 3]}), path, variable_value_labels=labels)
    assert read_table(path, notes).columns["a"].texts == ["1", "2", "3"]
    assert "two codes have one label (1 'no', 2 'yes', 3 'yes')" in notes.texts()[0]


def test_stata(tmp_path: Path) -> None:
    path, notes = str(tmp_path / "t.DTA"), Notes()
    codes = pd.Series([2, 1, "a", 2], dtype=object)
    frame = pd.DataFrame({"grade": codes, "x": [1.5, 2, 3, 4]})
    labels = {"grade": {1: "low", 2: "high", "a": "refused"}}
    declared = {"grade": ["a"]}
    pyreadstat.write_dta(frame, path, variable_value_labels=labels, missing_user_values=declared)
    grade = read_table(path, notes).columns["grade"]
    assert (grade.texts, grade.levels) == (["high", "low", "", "high"], ("low", "high"))
    assert "'grade' ('refused')" in notes.texts()[0]


def test_what_is_no_such_file(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(CommandError, match=r"t\.sav: not a readable SPSS file"):
        read_table(str(path), Notes())


def test_the_extra_is_named(sav: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "pyreadstat":
            raise ImportError(name)
        return plain(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CommandError, match=r"pip install 'csvor\[survey\]'"):
        read_table(sav, Notes())


def test_decisions_on_a_survey(sav: str, tmp_path: Path) -> None:
    decisions = tmp_path / "d.csv"
    rows = "1,answer,poor,relabel,fair\n2,answer,good,drop,\n3,answer,fair,keep,\n"
    decisions.write_text(f"row,target,given,decision,label\n{rows}")
    run, clean = CliRunner(), tmp_path / "clean.parquet"
    call = ["apply", str(decisions), sav, "--out"]
    refused = run.invoke(app, [*call, str(tmp_path / "clean.sav")])
    assert refused.exit_code == 2
    assert "name a .parquet file, which keeps labels in their order, or .csv" in refused.stderr
    done = run.invoke(app, [*call, str(clean), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["decisions"]["relabelled"] == 1
    stored = pq.read_table(clean)
    assert stored["answer"].to_pylist() == ["fair", "fair", None, "Don't know", "fair"]
    assert pa.types.is_dictionary(stored.schema.field("answer").type)
    assert read_table(str(clean), Notes()).columns["answer"].levels[:3] == ("poor", "fair", "good")
    done = run.invoke(app, [*call, "-"])
    first = done.stdout.splitlines()[:2]
    assert first == ["answer,nps,sex,day,age", "fair,0,male,2020-01-01,20"]
