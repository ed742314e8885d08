"""Decisions in Python: files are read and written, and labels get what was decided."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from csvor import Decisions, WrongLabels, audit_labels, audit_scores, read_decisions
from csvor._decisions.read import _rows
from csvor.audit import Decision

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


def test_a_cell_may_be_longer_than_the_csv_module_reads(tmp_path: Path) -> None:
    text = f"row,given,decision,comment\n3,b,keep,{'a' * 140_000}"
    (path := tmp_path / "d.csv").write_text(text)
    limit = csv.field_size_limit(131_072)
    try:
        (one,) = read_decisions(path)
        assert csv.field_size_limit() == 131_072 and one.comment == "a" * 140_000
    finally:
        csv.field_size_limit(limit)


@pytest.mark.parametrize("sign", list(",;\t|"))
def test_cells_are_divided_as_the_csv_module_divides_them(sign: str) -> None:
    rng = np.random.default_rng(0)
    pieces = ["a", " ", '"', '""', '"x"', "\n", "\r\n", "\r", sign, ";b", ""]
    for picked in rng.integers(len(pieces), size=(1000, 12)):
        text = "".join(pieces[i] for i in picked)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
        cells = [[cell.strip() for cell in row] for row in rows]
        assert _rows(text, sign) == ([row for row in cells if any(row)] or [[]]), repr(text)


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


ORDER = ["poor", "fair", "good", "excellent"]
GRADES = np.resize(["poor", "fair", "good"], 60)
SCORES = np.resize([-1.0, 0.0, 1.0], 60) + 0.1 * np.random.default_rng(0).normal(size=60)
# To a class of other rows, and to one that no row has.
SOME = Decisions(
    "d.csv",
    "grade",
    (
        Decision(1, "poor", "relabel", "good"),
        Decision(2, "fair", "drop"),
        Decision(3, "good", "keep"),
        Decision(5, "fair", "relabel", "excellent"),
    ),
)
AFTER = ["good", "good", "poor", "excellent", "good"]


def audited(y: Any) -> WrongLabels:
    return audit_scores(SCORES, y, classes=ORDER)


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize(
    "held",
    [
        list,
        tuple,
        np.array,
        lambda y: y.astype(object),
        lambda y: y[:, None],
        lambda y: pd.Series(y, range(100, 160), name="g"),
        lambda y: pd.Series(y, dtype=pd.CategoricalDtype(ORDER, ordered=True)),
        lambda y: pd.Series(y, dtype="string[pyarrow]"),
        lambda y: pd.DataFrame({"g": y}, [f"r{i}" for i in range(60)]),
        lambda y: pl.Series("g", y.tolist()),
        lambda y: pl.Series("g", y.tolist(), dtype=pl.Enum(ORDER)),
        lambda y: pl.DataFrame({"g": y.tolist()}),
    ],
)
def test_labels_come_back_as_they_came(held: Callable[[Any], Any]) -> None:
    y = held(GRADES)
    applied = audited(y).apply(SOME)
    assert type(applied.labels) is type(applied.original) is type(y)
    assert np.ravel(applied.labels)[:5].tolist() == AFTER
    assert np.ravel(applied.original).tolist() == np.delete(GRADES, 1).tolist()
    assert applied.rows.tolist() == np.delete(np.arange(60), 1).tolist()
    assert np.flatnonzero(applied.confirmed).tolist() == [0, 1, 3]
    assert np.ravel(y).tolist() == GRADES.tolist()
    if hasattr(y, "iloc"):
        assert applied.labels.index.equals(y.index.delete(1))
    if not isinstance(y, list | tuple | np.ndarray):
        assert getattr(applied.labels, "dtype", None) == getattr(y, "dtype", None)
        assert getattr(applied.labels, "name", None) == getattr(y, "name", None)


def test_numbers_keep_their_type() -> None:
    y = np.resize(np.array([1, 2, 3], dtype=np.int16), 60)
    applied = audit_scores(SCORES, y).apply(
        Decisions("d", "y", (Decision(1, "1.0", "relabel", "3"),))
    )
    assert applied.labels.dtype == np.int16 and applied.labels[:3].tolist() == [3, 2, 3]


def test_arrow_labels_take_classes_of_other_rows_alone() -> None:
    audit = audited(pa.array(GRADES.tolist()))
    assert audit.apply(replace(SOME, decisions=SOME.decisions[:2])).labels[0].as_py() == "good"
    with pytest.raises(ValueError, match="No row has the label 'excellent', and a StringArray"):
        audit.apply(SOME)


def test_decisions_that_do_not_fit_are_refused_by_row(tmp_path: Path) -> None:
    y = pd.Series(GRADES, pd.Index([f"p{i}" for i in range(60)], name="patient"))
    names = ["row", "patient", "given", "decision", "label"]
    rows: list[list[object]] = [
        names,
        [1, "p0", "good", "keep", ""],
        [61, "p61", "good", "keep", ""],
        [2, "p7", "fair", "keep", ""],
        [3, "p2", "good", "relabel", "goood"],
        [4, "p3", "poor", "relabel", "fair"],
    ]
    path = write(tmp_path / "d.csv", rows)
    with pytest.raises(ValueError) as caught:
        audited(y).apply(path)
    head, *faults = str(caught.value).replace(str(path), "d.csv").splitlines()
    assert head == "4 faults"
    said = [
        "d.csv: row 1 is given as 'good', but is 'poor' in the labels audited; this is another",
        "d.csv: row 61 is decided, and the audit has 60 rows; decisions hold for the file",
        "d.csv: row 2 has patient 'p7', but 'p1' in the audit; this is another file, or its",
        "d.csv: row 3 is to become 'goood', which no class of the audit is; is 'good' meant?",
    ]
    assert [fault.strip()[: len(one)] for fault, one in zip(faults, said, strict=True)] == said
    done = audited(y).apply(write(path, [names, rows[5]]))
    assert done.labels["p3"] == "fair" and y["p3"] == "poor"


def test_an_index_may_have_any_name() -> None:
    for name in ("given", "given given", ""):
        y = pd.Series(GRADES, pd.Index([f"p{i}" for i in range(60)], name=name))
        assert audited(y).apply(SOME).labels.iloc[:5].tolist() == AFTER


def test_what_was_decided_goes_into_the_next_audit_and_its_decisions() -> None:
    X = pd.DataFrame({"x": SCORES}, [f"r{i}" for i in range(60)])
    y = pd.Series(np.resize([0, 1, 2], 60), X.index)
    y.iloc[[0, 30]] = 2
    first = audit_labels(X, y, LogisticRegression())
    some = (Decision(1, "2", "relabel", "0"), Decision(2, "1", "drop"))
    once = first.apply(Decisions("d", "y", some))
    again = audit_labels(
        X.iloc[once.rows],
        once.labels,
        models="own",
        confirmed=once.confirmed,
        original=once.original,
    )
    assert not again.flagged[0] and again.flagged[29]
    twice = again.apply(Decisions("d", "y", (Decision(30, "2", "relabel", "0"),)))
    assert twice.confirmed.sum() == 2 and twice.labels.index.equals(once.labels.index)
    assert (twice.labels.iloc[[0, 29]] == 0).all() and (twice.original.iloc[[0, 29]] == 2).all()
