"""Decisions in Python: files are read and written, and labels get what was decided."""

import csv
from pathlib import Path

import pytest

from csvor import Decisions, read_decisions
from csvor._decisions import Decision

# A comma, quotes, another alphabet, a sign that spreadsheets write, and a line break.
IDS = ['Ng, "Bo"', "Žofie; 3", "Ωμέγα", "\u200b名前\t7", "two\nlines", "'=1+1"]
NAMES = ["row", "id", "target", "given", "decision", "label", "comment", "reviewer", "audit"]


def write(path: Path, rows: list[list[object]], sign: str = ",", encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=sign).writerows(rows)
    return path


@pytest.mark.parametrize(
    ("sign", "encoding"), [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-8-sig"), ("|", "utf-8")]
)
def test_files_of_spreadsheets_are_read(tmp_path: Path, sign: str, encoding: str) -> None:
    rows: list[list[object]] = [NAMES]
    rows += [[i + 1, one, "grade", "poor", "Keep", "", "a, b; c", "Ana", ""]
             for i, one in enumerate(IDS)]  # fmt: skip
    rows += [[9, "blank", "grade", "poor", "", "", "", "", ""], [""] * len(NAMES)]
    decisions = read_decisions(write(tmp_path / "d.csv", rows, sign, encoding))
    assert [d.row for d in decisions] == [1, 2, 3, 4, 5, 6]
    assert [d.others for d in decisions] == [{"id": one} for one in IDS]
    first = decisions.decisions[0]
    assert (first.position, first.old_label, first.outcome) == (0, "poor", ("keep", ""))
    assert (first.comment, first.reviewer) == ("a, b; c", "Ana")
    assert (decisions.target, decisions.counts["kept"]) == ("grade", 6)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    some = tuple(
        Decision(i + 1, "po,or", "relabel", 'g"ood', "why;", "Ana", {"id": one})
        for i, one in enumerate(IDS)
    )
    decisions = Decisions("", "grade", some, "csvor audit x.csv --target grade")
    path = decisions.to_csv(tmp_path / "d.csv")
    again = read_decisions(path)
    assert (again.decisions, again.target, again.audit) == (some, "grade", decisions.audit)
    assert decisions.to_frame().columns.tolist() == NAMES
    assert decisions.to_frame()["row"].tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("row,decision\n1,keep\n", "the column 'given' is missing; a file of decisions has the"),
        ("", "the columns 'row', 'given', 'decision' are missing"),
        ("row,given,decision\n1,poor,\n", "no row has a decision (keep, relabel or drop)"),
        ("row,given,decision\n1,po,or,keep\n", "row 1: 4 cells where the first line names 3"),
        ("row,row,given,decision\n1,1,poor,keep\n", "the first line names 'row' more than once"),
        (
            "row,given,decision\n0,poor,keep\n2,poor,kep\n",
            "2 faults\n  d.csv, row 1: '0' in column 'row' is no row number; these count from 1 "
            "below the header of the data\n  d.csv, row 2: the decision 'kep' is none of keep, "
            "relabel and drop; is 'keep' meant?",
        ),
        (
            "row,target,given,decision\n1,a,poor,keep\n2,b,poor,keep\n",
            "the column 'target' names 'a', 'b'; decisions are about one",
        ),
    ],
)
def test_files_with_faults_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(text, "utf-8")
    with pytest.raises(ValueError) as caught:
        read_decisions("d.csv")
    assert said in str(caught.value)


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes("row,given,decision\n1,schön,keep\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"byte 25 is not UTF-8 text; save the file as CSV in"):
        read_decisions(path)
