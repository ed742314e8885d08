"""Rows that are further lines of names, and rows that are cut off (N61)."""

from pathlib import Path

import pandas as pd
import pytest

from csvor import audit_table
from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from csvor.cli.input._read import read_table
from csvor.preprocessing import TableEncoder

NAMES = "x,q,town,grade\n"
ROWS = [f"{i / 7:.2f},{i % 5},{'abc'[i % 3]},{i % 4}\n" for i in range(60)]
QUESTIONS = "How long?,How much?,Where?,Which grade?\n"
IDS = "".join(f'"{{""ImportId"":""Q{k}""}}",' for k in range(4))[:-1] + "\n"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def complaint(*lines: str) -> str:
    Path("t.csv").write_text("".join(lines))
    with pytest.raises(CommandError) as error:
        read_table("t.csv", Notes())
    return str(error.value)


def n_rows(*lines: str) -> int:
    Path("t.csv").write_text("".join(lines))
    return read_table("t.csv", Notes()).n_rows


def test_n61_lines_below_the_names_that_a_survey_writes() -> None:
    """There were seven faults, each with a remedy of its own."""
    assert complaint(NAMES, QUESTIONS, IDS, *ROWS) == (
        "t.csv, rows 1, 2: they look like further lines of names, for they hold words "
        "('How long?') where the rows below have numbers; delete them"
    )
    assert "t.csv, row 1: it looks like a further line of names" in complaint(NAMES, IDS, *ROWS)
    assert n_rows(NAMES, *ROWS) == 60


def test_n61_names_that_stand_in_the_second_line() -> None:
    rows = [f"{i / 7:.2f},{i % 5},{i % 3},{'abc'[i % 3]},{i % 4}\n" for i in range(60)]
    said = complaint("x,Rate,,,grade\n", ",Open-Ended Response,Staff,Rooms,Response\n", *rows)
    assert "the columns 3, 4 have no name in the first line; write a name for each" in said
    assert n_rows("x,Rate,Staff,Rooms,grade\n", *rows) == 60


def test_n61_files_that_were_joined() -> None:
    both = [*ROWS[:20], NAMES, *ROWS[20:40], NAMES, *ROWS[40:]]
    assert complaint(NAMES, *both) == (
        "t.csv, rows 21, 42: they repeat the names of the columns, as where files were joined; "
        "delete them"
    )
    words = [f"{'abc'[i % 3]},{'de'[i % 2]}\n" for i in range(30)]
    assert "row 31: it repeats the names" in complaint("a,b\n", *words, "a,b\n")
    assert n_rows(NAMES, *ROWS) == 60


@pytest.mark.parametrize(
    "first",
    ["?,?,a,?\n", "n/a,.,a,-\n", "none yet,3,a,1\n", "1.5,2,a,?\n", "lost,lost,lost,lost\n"],
)
def test_n61_rows_with_marks_are_rows(first: str) -> None:
    assert n_rows(NAMES, first, *ROWS) == 61


def test_n61_words_alone_and_few_rows_say_nothing() -> None:
    words = [f"{'abc'[i % 3]},{'de'[i % 2]}\n" for i in range(30)]
    assert n_rows("a,b\n", "first,second\n", *words) == 31
    assert n_rows(NAMES, QUESTIONS, *ROWS[:5]) == 6


@pytest.mark.parametrize("place", [20, 60])
def test_n61_short_rows_are_cut_off(place: int) -> None:
    """The advice was that for rows too long: quotes around cells that hold the delimiter."""
    said = complaint(NAMES, *ROWS[:place], "3.3,1." + "\n" * (place < 60), *ROWS[place:])
    assert f"t.csv, row {place + 1}: 2 cells where the first line names 4 columns" in said
    assert "as where a file is cut off: get it whole, or complete or delete the row" in said
    assert "quotes" not in said
    assert "put cells that hold the delimiter in quotes" in complaint(NAMES, *ROWS, "1,2,3,4,5\n")


def test_n61_frames_that_pandas_read() -> None:
    """There was a fault for each column, each with a remedy of its own."""
    Path("t.csv").write_text("".join([NAMES, QUESTIONS, IDS, *ROWS, NAMES]))
    frame = pd.read_csv("t.csv", index_col="town")
    with pytest.raises(ValueError, match=r"^frame, row town: it repeats the names .*; delete it$"):
        audit_table(frame.reset_index().set_index("town", drop=False), "grade")
    lines = r"^X, rows Where\?, .*: they look like further lines of names, .*; delete them$"
    with pytest.raises(ValueError, match=lines):
        TableEncoder().fit(frame[:-1])
    TableEncoder().fit(frame[2:-1])
