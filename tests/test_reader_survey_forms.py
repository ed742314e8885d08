"""Answers of survey forms: scales whose labels begin with numbers, and their timestamps (N60)."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from csvor import CSVOR
from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from csvor._tables.dates import read_dates
from csvor._tables.table import as_column
from csvor._tables.target import Target, read_target

GOOGLE = ["1 - not at all", "2", "3", "4", "5 - very"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def target_of(labels: list[str], notes: Notes | None = None, **more: Any) -> Target:
    import pyarrow as pa

    column = as_column("answer", pa.array(labels * 8))
    return read_target(column, more.get("declared"), more.get("missing", ()), notes or Notes())


def run(*args: object) -> Result:
    from csvor.cli.commands._app import app

    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


@pytest.mark.parametrize(
    "labels",
    [
        GOOGLE,
        ["0 \u2013 Mostly me", "1", "2", "3 \u2013 Mostly other people"],
        ["1 (strongly disagree)", "2 (disagree)", "10 (agree)"],
        ["1=never", "2=sometimes", "3=always"],
        ["1 star", "2 stars", "3 stars", "10 stars"],
        ["5%", "25%", "100%"],
        ["1/5", "2/5", "3/5"],
        ["-1: worse", "0: same", "1: better"],
        ["1st", "2nd", "3rd", "10th"],
        ["2.5 - fair", "10.5 - good"],
        ["\u2605\u2606\u2606", "\u2605\u2605\u2606", "\u2605\u2605\u2605"],
        ["\u0661", "\u0662", "\u0663"],
        ["\uff11", "\uff12", "\uff13"],
        ["18-24", "25-34", "65+"],
    ],
)  # fmt: skip
def test_n60_labels_that_begin_with_numbers_have_their_order(labels: list[str]) -> None:
    """The advice dropped both ends of the scale."""
    notes = Notes()
    target = target_of(labels[::-1], notes)
    assert target.classes == labels
    assert target.counts == [8] * len(labels)
    assert target.order == "numbers that the labels begin with"
    assert any("read in the order of the numbers that they begin with" in n for n in notes.texts())


@pytest.mark.parametrize(
    "labels",
    [["2 weeks", "3 days", "1 month"], ["1 never", "2 seldom", "3 always"], ["500k", "2M", "10"]],
)
def test_n60_numbers_of_other_units_are_offered_alone(labels: list[str]) -> None:
    with pytest.raises(CommandError) as error:
        target_of(labels)
    assert "--missing-label" not in str(error.value)
    assert "in --classes " in str(error.value)


@pytest.mark.parametrize(
    "labels",
    [["1a", "1b", "2a"], ["grade 1", "grade 2"], ["1,5", "2,5", "1,0"], ["low 1", "2", "3"],
     ["1.2.2024", "3.4.2024", "5.6.2024"], ["2024-02-01 00:00:00", "2025-04-03 00:00:00", "5"]],
)  # fmt: skip
def test_n60_other_labels_are_not_ordered(labels: list[str]) -> None:
    with pytest.raises(CommandError):
        target_of(labels)


def test_n60_the_library_offers_a_ready_list() -> None:
    X = np.arange(30.0)[:, None]
    y = np.array(GOOGLE)[np.arange(30) // 6]
    with pytest.raises(ValueError, match="no order") as error:
        CSVOR().fit(X, y)
    assert "classes=['1 - not at all', '2', '3', '4', '5 - very']" in str(error.value)
    assert "drop" not in str(error.value)
    assert CSVOR(classes=GOOGLE).fit(X, y).classes_.tolist() == GOOGLE


def test_n60_missing_label_is_advised_for_what_says_nothing() -> None:
    rare = ["1", "2", "3"] * 20 + ["x?"]
    for labels in (["1", "2", "n/a"], ["1", "2", "don't know"], rare):
        with pytest.raises(CommandError, match="leave them out with --missing-label"):
            target_of(labels)
    with pytest.raises(CommandError) as error:
        target_of(["1", "2", "none at all"])
    said = str(error.value)
    assert "--missing-label 'none" not in said
    assert said.index("--classes LOWEST") < said.index("if one of them stands for no label")
    # Both remedies go further, and neither loses a row in silence.
    all_rows = target_of(["1", "2", "none at all"], declared=["none at all", "1", "2"])
    assert all_rows.counts == [8, 8, 8]
    left = target_of(["1", "2", "none at all"], missing=["none at all"])
    assert (left.counts, left.left_out) == ([8, 8], {"none at all": 8})


def test_n60_labels_with_commas() -> None:
    labels = ["No, not at all", "Yes, a little", "Yes"]
    with pytest.raises(CommandError, match="one that holds a comma stands in quotation marks"):
        target_of(labels)
    rows = [f'{i / 8},"{labels[i // 27 % 3]}"' for i in range(81)]
    Path("t.csv").write_text("\n".join(["x,answer", *rows]))
    command = ["fit", "t.csv", "--target", "answer", "--model", "m.skops"]
    result = run(*command, "--classes", "No, not at all,Yes, a little,Yes")
    assert "an entry that holds a comma stands in quotation marks" in result.stderr or (
        "is none of --classes" in result.stderr or "are none of --classes" in result.stderr
    )
    classes = '"No, not at all","Yes, a little",Yes'
    result = run(*command, "--classes", classes, "--class-weight", '"No, not at all":2')
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2024/03/01 9:00:00 AM GMT+1", 19783 + 8 / 24),
        ("2024/03/01 9:00:00 PM GMT-11", 19783 + 32 / 24),
        ("2024/03/01 9:00:00 AM GMT+5:30", 19783 + 3.5 / 24),
        ("2024-03-01 09:00 UTC", 19783 + 9 / 24),
        ("2024-03-01T09:00:00+01:00", 19783 + 8 / 24),
        ("Fri Mar 01 2024 09:00:00", 19783 + 9 / 24),
        ("Fri Mar 01 2024 09:00:00 GMT+0100", 19783 + 8 / 24),
    ],
)
def test_n60_timestamps_of_forms(text: str, days: float) -> None:
    assert read_dates([text]).values[0] == pytest.approx(days, abs=1e-9)


def test_n60_a_form_as_it_is_downloaded() -> None:
    rows = [
        f"2024/03/{1 + i % 28:02} 9:{i % 60:02}:00 AM GMT+1,{i % 5 + 1},{GOOGLE[i % 5]}"
        for i in range(100)
    ]
    Path("t.csv").write_text("\n".join(["Timestamp,like,answer", *rows]))
    command = ["fit", "t.csv", "--target", "answer", "--dates", "--model", "m.skops"]
    result = run(*command)
    assert result.exit_code == 0, result.output
    assert "'1 - not at all', '2', '3', '4', '5 - very'" in result.stderr
    assert "left out" not in result.output
