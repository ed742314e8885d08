"""Case N79: texts that a spreadsheet would run as formulas, in files that csvor writes."""

import csv
from pathlib import Path

import numpy as np
import pytest

from csvor._utils.spelling import without_formula
from properties import attempt, run

CLASSES = ["=low", "mid", "@high"]
QUICK = ("--C", 1, "--p", 1, "--contamination", 0.1, "--folds", 2, "--models", "own")
ASKED = ("--target", "grade", "--id", "name", "--classes", ",".join(CLASSES))


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).normal(size=40)
    labels = np.array(CLASSES)[np.digitize(x, [-0.5, 0.5])]
    rows = [
        ("name", "x", "grade"),
        *((f"=cmd|{i}", f"{v:.3f}", y) for i, (v, y) in enumerate(zip(x, labels, strict=True))),
    ]
    with Path("t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return rows


def test_n79_no_cell_is_a_formula_and_decisions_lead_back(table):
    run("audit", "t.csv", *ASKED, *QUICK, "--suspects", "s.csv", "--safe-cells")
    with Path("s.csv").open(encoding="utf-8") as file:
        suspects = list(csv.DictReader(file))
    assert {row["given"] for row in suspects} == {"'=low", "mid", "'@high"}
    cells = [cell for row in suspects for cell in row.values()]
    assert all(without_formula(cell) == cell for cell in cells)

    first = suspects[0]
    decided = {"row": first["row"], "given": first["given"], "decision": "relabel"}
    decided["name"] = first["name"]
    decided["label"] = next(f"'{c}" for c in CLASSES if c != "mid" and f"'{c}" != first["given"])
    Path("d.csv").write_text(f"{','.join(decided)}\n{','.join(decided.values())}\n", "utf-8")
    run("apply", "d.csv", "t.csv", "--target", "grade", "--out", "new.csv")
    with Path("new.csv").open(encoding="utf-8", newline="") as file:
        changed = [tuple(row) for row in csv.reader(file)]
    place = int(first["row"])
    expected = (*table[place][:2], decided["label"][1:])
    assert changed == [tuple(row) for row in (*table[:place], expected, *table[place + 1 :])]

    run(
        "export",
        "s.csv",
        "t.csv",
        *ASKED[:2],
        *ASKED[4:],
        "--to",
        "argilla",
        "--top",
        3,
        "--out",
        "a",
    )


def test_n79_cells_stay_as_they_are_where_nothing_is_asked(table):
    run("audit", "t.csv", *ASKED, *QUICK, "--suspects", "s.csv")
    with Path("s.csv").open(encoding="utf-8") as file:
        assert {row["given"] for row in csv.DictReader(file)} == set(CLASSES)
    refused = attempt("audit", "t.csv", *ASKED, "--safe-cells")
    assert refused.exit_code == 2
    assert "--safe-cells is about the rows of --suspects" in refused.stderr


@pytest.mark.parametrize(
    ("text", "safe"),
    [("=1+1", "'=1+1"), ("-x", "'-x"), ("-1.5", "-1.5"), ("+4", "+4"), ("", ""), ("a=b", "a=b")],
)
def test_numbers_are_no_formulas(text, safe):
    assert without_formula(text) == safe
