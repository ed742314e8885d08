"""`csvor apply` and `--reviewed`: decisions on rows, and what becomes of a file by them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from csvor import read_decisions
from csvor._faults.notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli.commands._app import app
from csvor.cli.input._decisions import read_review
from csvor.cli.input._prepare import prepare
from csvor.cli.input._read import read_table

# A mark, blanks, quotes, a comma and a line break in cells, a blank line, no end of line at last.
DATA = (
    '\ufeff"id", grade ,"x, y"\r\n\r\n'
    'A,"poor" ,"1,5"\r\n'
    'B,fair,"a ""q"" b"\r\n'
    'C, good ,"two\nlines"\r\n'
    "D,fair,é"
)
DECISIONS = """row,id,target,given,decision,label
1,A,grade,poor,relabel,good
3,C,grade,good,relabel,fair
2,B,grade,fair,keep,
4,D,grade,fair,drop,
"""


def run(*args: object, input: str | None = None) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args], input=input)


def write(name: str, text: str) -> str:
    Path(name).write_bytes(text.encode())
    return name


def read(name: str) -> str:
    return Path(name).read_bytes().decode()


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("data.csv", DATA)
    write("decisions.csv", DECISIONS)


def test_what_is_not_decided_stays_the_bytes_that_it_was() -> None:
    result = run("apply", "decisions.csv", "data.csv", "--out", "clean.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "Data       data.csv: 4 rows",
        "Decisions  decisions.csv: 1 kept, 2 relabelled, 1 dropped",
        "Labels     grade: poor to good (1), good to fair (1)",
        "Written    3 rows: clean.csv; beside it clean.csv.applied.json, a record of it",
        "",
        "Next, of the file as it was: csvor audit data.csv --target grade "
        "--reviewed decisions.csv, other options as before",
    ]
    expected = DATA.replace('A,"poor" ,', 'A,"good" ,').replace("C, good ,", "C, fair ,")
    assert read("clean.csv") == expected.removesuffix("D,fair,é")
    assert read("data.csv") == DATA
    again = run("apply", "decisions.csv", "data.csv", "--out", "clean.csv")
    assert again.stderr == "note: clean.csv was there already, and is replaced\n"
    refused = run("apply", "decisions.csv", "clean.csv", "--out", "clean.csv")
    assert refused.exit_code == 2 and "replaced" not in refused.stderr


def test_the_file_goes_to_standard_output_and_the_words_beside_it() -> None:
    write("decisions.csv", DECISIONS.split("2,B")[0])
    result = run("apply", "decisions.csv", "data.csv")
    expected = DATA.replace('A,"poor" ,', 'A,"good" ,').replace("C, good ,", "C, fair ,")
    assert result.stdout_bytes.decode() == expected
    assert "2 relabelled" in result.stderr


def test_all_of_it_as_json() -> None:
    found = json.loads(run("apply", "decisions.csv", "data.csv", "--out", "c.csv", "--json").stdout)
    assert found == {
        "command": "apply",
        "data": {"file": "data.csv", "rows": 4},
        "target": "grade",
        "decisions": {"file": "decisions.csv", "kept": 1, "relabelled": 2, "dropped": 1},
        "changes": [
            {"from": "poor", "to": "good", "rows": 1},
            {"from": "good", "to": "fair", "rows": 1},
        ],
        "out": {"file": "c.csv", "rows": 3, "record": "c.csv.applied.json"},
        "next": None,
        "notes": [],
    }


def test_a_label_that_needs_quotes_gets_them_and_tabs_stay_tabs() -> None:
    write("data.tsv", "grade\tx\nlow, bad\t1\nhigh\t2\n")
    write("d.csv", 'row,given,decision,label\n2,high,relabel,"low, bad"\n')
    assert run("apply", "d.csv", "data.tsv", "--target", "grade", "--out", "o.tsv").exit_code == 0
    assert read("o.tsv") == "grade\tx\nlow, bad\t1\nlow, bad\t2\n"
    write("data.csv", 'grade,x\n"low, bad",1\nhigh,2\n')
    assert run("apply", "d.csv", "data.csv", "--target", "grade", "--out", "o.csv").exit_code == 0
    assert read("o.csv") == 'grade,x\n"low, bad",1\n"low, bad",2\n'


def test_numbers_and_truth_values_may_be_written_as_a_spreadsheet_does() -> None:
    write("data.csv", "grade,x\n1,5\n2,6\n3,7\n")
    write("d.csv", "row,given,decision,label\n1.0,1.0,relabel,3.0\n")
    assert run("apply", "d.csv", "data.csv", "--target", "grade", "--out", "o.csv").exit_code == 0
    assert read("o.csv") == "grade,x\n3,5\n2,6\n3,7\n"
    write("data.csv", "ok,x\nTrue,5\nFalse,6\n")
    write("d.csv", "row,given,decision,label\n1,TRUE,relabel,FALSE\n")
    assert run("apply", "d.csv", "data.csv", "--target", "ok", "--out", "o.csv").exit_code == 0
    assert read("o.csv") == "ok,x\nFalse,5\nFalse,6\n"


def test_rows_without_a_decision_are_left_alone() -> None:
    write(
        "d.csv", "row,given,decision,label\n1,poor,,\n2,fair,,good\n3,good,Relabel,poor\n4,fair,,\n"
    )
    assert run("apply", "d.csv", "data.csv", "--target", "grade", "--out", "o.csv").exit_code == 0
    assert read("o.csv") == DATA.replace("C, good ,", "C, poor ,")


@pytest.mark.parametrize("name", ["position", "site"])
def test_a_table_of_an_audit_says_by_its_positions_which_rows_are_decided(name: str) -> None:
    """The index of `to_frame`, from 0; where another index stands there, it may be a feature's."""
    table = pd.DataFrame({"given": ["good", "poor"], "decision": ["relabel", "keep"]}, [2, 0])
    table.assign(label=["poor", ""], position=1).iloc[:, : 3 + (name == "site")].to_csv(
        "d.csv", index_label=name
    )
    result = run("apply", "d.csv", "data.csv", "--target", "grade", "--out", "o.csv")
    if name == "site":
        assert result.exit_code == 1 and "the column 'row' is missing" in result.stderr
        return
    assert read("o.csv") == DATA.replace("C, good ,", "C, poor ,")
    assert [d.row for d in read_decisions("d.csv")] == [3, 1]
    write("d.csv", read("d.csv").replace("2,good", "?,good"))
    assert (
        "'?' in column 'row' is no row number"
        in run("apply", "d.csv", "data.csv", "--target", "grade", "--out", "p.csv").stderr
    )


def test_a_cell_of_any_length_is_passed_on() -> None:
    long = "z" * 200_000
    write("data.csv", f'grade,x\npoor,"{long}"\ngood,b\n')
    write("d.csv", "row,given,decision,label\n1,poor,relabel,good\n")
    assert run("apply", "d.csv", "data.csv", "--target", "grade", "--out", "o.csv").exit_code == 0
    assert read("o.csv") == f'grade,x\ngood,"{long}"\ngood,b\n'


@pytest.mark.parametrize("ordered", [True, False])
def test_parquet_keeps_types_and_other_columns(ordered: bool) -> None:
    frame = pd.DataFrame(
        {
            "when": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
            "grade": pd.Categorical(
                ["poor", "good", "poor"], categories=["poor", "fair", "good"], ordered=ordered
            ),
            "parts": [[1], [2, 3], []],
        }
    )
    frame.to_parquet("data.parquet")
    write("d.csv", "row,given,decision,label\n1,poor,relabel,good\n2,good,drop,\n3,poor,keep,\n")
    result = run("apply", "d.csv", "data.parquet", "--target", "grade", "--out", "o.parquet")
    assert (result.exit_code, result.stderr) == (0, "")
    before, after = pq.read_table("data.parquet"), pq.read_table("o.parquet")
    assert after.schema == before.schema
    assert after["grade"].to_pylist() == ["good", "poor"]
    assert after["grade"].chunk(0).dictionary.to_pylist() == ["poor", "fair", "good"]
    kept = before.select(["when", "parts"]).take(pa.array([0, 2]))
    assert after.select(["when", "parts"]).equals(kept)
    assert pd.read_parquet("o.parquet")["grade"].dtype == frame["grade"].dtype


@pytest.mark.parametrize("kind", ["int16", "float64", "boolean", "string"])
def test_parquet_labels_of_every_kind(kind: str) -> None:
    values = {"boolean": [True, False, True], "string": ["0", "1", "0"]}.get(kind, [0, 1, 0])
    pd.DataFrame({"g": pd.Series(values, dtype=kind), "x": [1, 2, 3]}).to_parquet("data.parquet")
    given, new = ("True", "False") if kind == "boolean" else ("0", "1")
    write("d.csv", f"row,given,decision,label\n1,{given},relabel,{new}\n")
    assert run("apply", "d.csv", "data.parquet", "--target", "g", "--out", "o.pq").exit_code == 0
    before, after = pq.read_table("data.parquet"), pq.read_table("o.pq")
    assert after.schema == before.schema
    assert after["g"].to_pylist() == [values[1], values[1], values[2]]


def test_parquet_keeps_row_groups_and_names_with_blanks() -> None:
    frame = pd.DataFrame({"g ": ["poor", "good", "poor", "good"], "x": range(4)})
    frame.to_parquet("data.parquet", row_group_size=2)
    write("d.csv", "row,given,decision,label\n1,poor,relabel,good\n")
    result = run("apply", "d.csv", "data.parquet", "--target", "g", "--out", "o.parquet")
    assert (result.exit_code, result.stderr) == (0, "")
    assert pd.read_parquet("o.parquet")["g "].tolist() == ["good", "good", "poor", "good"]
    assert pq.read_metadata("o.parquet").num_row_groups == 2


@pytest.mark.parametrize("values", [[1, 2], [None, None]])
def test_a_label_that_the_type_cannot_hold_is_refused(values: list[int | None]) -> None:
    table = pa.table({"g": values, "x": [1, 2]})
    Path("data").mkdir()
    pq.write_table(table, "data/0.parquet")
    pq.write_table(table, "data.parquet")
    write("d.csv", f"row,given,decision,label\n1,{values[0] or ''},relabel,2.5\n")
    for data in ("data", "data.parquet"):
        out = "out" if data == "data" else "out.parquet"
        more = ("--target", "g", "--classes", "1,2,2.5", "--out", out)
        result = run("apply", "d.csv", data, *more)
        assert result.exit_code == 1, result.stdout
        source = "data/0.parquet" if data == "data" else data
        said = f"{source}: the label '2.5' cannot stand in a column of type {table['g'].type}; save"
        assert said in result.stderr
        assert not Path(out).exists()


def test_a_label_beyond_the_ordered_categories_is_refused() -> None:
    grade = pd.Categorical(["poor", "good"], ["poor", "good"], ordered=True)
    pd.DataFrame({"g": grade}).to_parquet("data.parquet")
    write("d.csv", "row,given,decision,label\n1,poor,relabel,fair\n")
    more = ("--target", "g", "--classes", "fair", "--out", "o.parquet")
    result = run("apply", "d.csv", "data.parquet", *more)
    assert result.exit_code == 1
    said = "data.parquet: the label 'fair' is none of the file's ordered categories 'poor', 'good'"
    assert f"{said}; add it to them in its place" in result.stderr


def test_all_faults_of_decisions_are_said_at_once() -> None:
    rows = ["x,poor,keep,", "1,poor,relable,good", "2,fair,relabel,", "3,good,relabel,goood"]
    rows += ["9,fair,keep,", "4,poor,keep,", "1,poor,drop,", ",,,", "4,fair,drop,"]
    write("d.csv", "row,given,decision,label\n" + "\n".join(rows) + "\n")
    result = run("apply", "d.csv", "data.csv", "--target", "grade", "--out", "o.csv")
    assert result.exit_code == 1
    head, *lines = result.stderr.splitlines()
    assert head == "csvor: error: 8 faults"
    starts = [
        "d.csv, row 1: 'x' in column 'row' is no row number",
        "d.csv, row 2: the decision 'relable' is none of keep, relabel and drop; is 'relabel' me",
        "d.csv, row 3: row 2 is to be relabelled, and its new label is blank; fill in",
        "d.csv: row 3 is to become 'goood', which no row of column 'grade' is; is 'good' meant?",
        "d.csv: row 9 is decided, and data.csv has 4 rows",
        "d.csv: row 4 is given as 'poor', but is 'fair'",
        "d.csv: row 1 is decided more than once; leave one decision",
        "d.csv: row 4 is decided more than once; leave one decision",
    ]
    assert [line.strip()[: len(s)] for line, s in zip(lines, starts, strict=True)] == starts
    assert not Path("o.csv").exists()


def test_ten_faults_are_printed_and_the_others_counted() -> None:
    write("d.csv", "row,given,decision\n" + "".join(f"{i},fair,keep\n" for i in range(5, 18)))
    lines = run("apply", "d.csv", "data.csv", "--target", "grade", "--out", "o.csv").stderr
    assert lines.splitlines()[0] == "csvor: error: 13 faults"
    assert lines.splitlines()[-2].startswith("  d.csv: row 14 is decided, and data.csv has 4")
    assert lines.splitlines()[-1] == "  and 3 more"


HOLD = "decisions hold for the file that was audited"


def test_rows_in_another_order_are_one_fault_with_the_remedy() -> None:
    rows = "".join(f"{i},{name},fair,keep\n" for i, name in enumerate("DCBA", start=1))
    write("d.csv", f"row,id,given,decision\n{rows}5,E,fair,keep\n")
    result = run("apply", "d.csv", "data.csv", "--target", "grade", "--out", "o.csv")
    assert result.exit_code == 1
    head, fault, beyond = result.stderr.splitlines()
    assert head == "csvor: error: 2 faults" and "row 5 is decided, and data.csv has 4" in beyond
    assert fault == (
        "  d.csv: row 1 is given as 'fair', but is 'poor' in column 'grade' of data.csv, and 3 more"
        f" rows differ; this is another file, or changed since: {HOLD}; name it as it was then"
    )


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_swapped_decisions_and_data_are_named(kind: str) -> None:
    data, out = f"my data.{kind}", f"o.{kind}"
    frame = pd.DataFrame({"id": list("ABCD"), "grade": ["poor", "fair", "good", "fair"]})
    frame.to_excel(data, index=False) if kind == "xlsx" else frame.to_csv(data, index=False)
    result = run("apply", data, "decisions.csv", "--out", out)
    assert (result.exit_code, result.stderr) == (
        2, f"csvor: error: DECISIONS and DATA are swapped: csvor apply decisions.csv '{data}'\n"
    )  # fmt: skip
    assert run("apply", "decisions.csv", data, "--out", out).exit_code == 0


@pytest.mark.parametrize(
    ("decisions", "said"),
    [
        ("row,decision\n1,keep\n", "d.csv: the column 'given' is missing; a file of decisions has"),
        ("row,given,decision\n1,poor,\n", "d.csv: no row has a decision (keep, relabel or drop)"),
        ("row,given,decision\nx,poor,keep\n", "d.csv, row 1: 'x' in column 'row' is no row number"),
        ("row,given,decision\n0,poor,keep\n", "d.csv, row 1: '0' in column 'row' is no row number"),
        ("row,given,decision\n1e99,poor,keep\n", "d.csv, row 1: '1e99' in column 'row' is no row"),
        (
            "row,given,decision\n1,poor,keep\n1,poor,drop\n",
            "d.csv: row 1 is decided more than once; leave one decision",
        ),
        (
            "row,given,decision\n1,poor,kep\n",
            "d.csv, row 1: the decision 'kep' is none of keep, relabel and drop; is 'keep' meant?",
        ),
        (
            "row,given,decision,label\n1,poor,relabel,\n",
            "d.csv, row 1: row 1 is to be relabelled, and its new label is blank",
        ),
        (
            "row,given,decision,label\n1,poor,keep,good\n",
            "d.csv, row 1: row 1 keeps 'poor', and its column 'label' says 'good'",
        ),
        (
            "row,given,decision\n9,poor,keep\n",
            f"d.csv: row 9 is decided, and data.csv has 4 rows; {HOLD}",
        ),
        (
            "row,given,decision\n1,good,keep\n",
            "d.csv: row 1 is given as 'good', but is 'poor' in column 'grade' of data.csv; this is "
            f"another file, or changed since: {HOLD}",
        ),
        (
            "row,given,decision,label\n1,fair,relabel,poor\n",
            "d.csv: row 1 is given as 'fair', but is 'poor' in column 'grade' of data.csv; it "
            f"seems to be applied already: {HOLD}",
        ),
        (
            "row,given,decision,label\n1,poor,relabel,goood\n",
            "d.csv: row 1 is to become 'goood', which no row of column 'grade' is; is 'good' meant?"
            " --classes names classes without rows",
        ),
        (
            "row,id,given,decision\n2,A,fair,keep\n",
            "d.csv: row 2 has id 'A', but 'B' in data.csv; this is another file, or its rows were "
            f"moved: {HOLD}",
        ),
    ],
)
@pytest.mark.parametrize("command", ["apply", "audit"])
def test_decisions_that_do_not_fit_are_refused(decisions: str, said: str, command: str) -> None:
    write("d.csv", decisions)
    given = {
        "apply": ("apply", "d.csv", "data.csv", "--target", "grade", "--out", "o.csv"),
        "audit": ("audit", "data.csv", "--target", "grade", "--reviewed", "d.csv"),
    }
    result = run(*given[command])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"csvor: error: {said}")
    assert result.stderr.count("\n") == 1
    assert not Path("o.csv").exists()


@pytest.mark.parametrize("n", [3, 4])
def test_decisions_that_have_been_applied_are_refused_in_a_sentence(n: int) -> None:
    """Without and with the row that is dropped, which is none of the new file."""
    write("decisions.csv", "".join(DECISIONS.splitlines(keepends=True)[: n + 1]))
    assert run("apply", "decisions.csv", "data.csv", "--out", "clean.csv").exit_code == 0
    said = (
        "csvor: error: decisions.csv: these decisions have been applied already: clean.csv is what "
        "csvor apply wrote with them; audit what is left, in the file as it was, with csvor audit "
        "data.csv --target grade --reviewed decisions.csv, other options as before\n"
    )
    again = run("apply", "decisions.csv", "clean.csv", "--out", "again.csv")
    audit = run("audit", "clean.csv", "--target", "grade", "--reviewed", "decisions.csv")
    assert [(one.exit_code, one.stderr) for one in (again, audit)] == [(1, said)] * 2
    assert not Path("again.csv").exists()
    # Other decisions, or a file without its record, are spoken of row by row.
    write("other.csv", DECISIONS.split("3,C")[0])
    assert "it seems to be applied already" in run("apply", "other.csv", "clean.csv").stderr
    Path("clean.csv.applied.json").unlink()
    assert "row 1 is given as 'poor'" in run("apply", "decisions.csv", "clean.csv").stderr


def test_classes_name_a_label_without_rows() -> None:
    write("d.csv", "row,given,decision,label\n2,fair,relabel,excellent\n")
    order = ("--target", "grade", "--classes", "poor,fair,good,excellent")
    assert run("apply", "d.csv", "data.csv", *order, "--out", "o.csv").exit_code == 0
    assert read("o.csv") == DATA.replace("B,fair", "B,excellent")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("data.csv", "--target", "x"), "--target x: decisions.csv is about the column 'grade'"),
        (("data.csv", "--out", "o.tsv"), "--out o.tsv: the name must end in .csv"),
        (("data.csv", "--out", "data.csv"), "--out data.csv: this file is read, as DATA"),
        (
            ("data.csv", "--out", "decisions.csv"),
            "--out decisions.csv: this file is read",
        ),
        (("data.csv", "--json"), "--json and --out - both need standard output"),
        (("-", "--out", "o.csv"), "apply reads the data from a file"),
        (("none.csv", "--out", "o.csv"), "none.csv: there is no such file"),
        (
            ("data.csv", "--classes", "LOWEST,...,HIGHEST"),
            "--classes LOWEST,...,HIGHEST: write your labels",
        ),
    ],
)
def test_wrong_use_is_told(args: tuple[str, ...], said: str) -> None:
    result = run("apply", "decisions.csv", *args)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"csvor: error: {said}")
    assert read("data.csv") == DATA


def test_the_column_has_to_be_known() -> None:
    write("d.csv", "row,given,decision\n1,poor,keep\n")
    result = run("apply", "d.csv", "data.csv", "--out", "o.csv")
    assert result.exit_code == 2
    assert "d.csv does not say which column the labels are in; name it with --target" in (
        result.stderr
    )


def test_reviewed_rows_are_prepared_with_what_was_decided() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    grades = np.array(["low", "medium", "high"])[np.digitize(x, [-0.5, 0.5])]
    pd.DataFrame({"x": x, "grade": grades}).to_csv("t.csv", index=False)
    other = {"low": "high", "medium": "low", "high": "low"}[grades[4]]
    write(
        "d.csv",
        f"row,target,given,decision,label\n3,grade,{grades[2]},keep,\n"
        f"5,grade,{grades[4]},relabel,{other}\n8,grade,{grades[7]},drop,\n",
    )
    options = DataOptions("t.csv", "grade", "low,medium,high", reviewed="d.csv")
    work = prepare(options, ModelOptions(), Notes())
    assert work.row_numbers == [n for n in range(1, 41) if n != 8]
    data = work.audit_data()
    assert [work.row_numbers[i] for i in np.flatnonzero(data["confirmed"])] == [3, 5]
    expected = grades.copy()
    expected[4] = other
    assert work.target.labels.tolist() == np.delete(expected, 7).tolist()
    assert len(work.frame) == 39
    assert work.described()["reviewed"] == {
        "file": "d.csv",
        "kept": 1,
        "relabelled": 1,
        "dropped": 1,
    }


def test_a_sign_between_columns_that_is_not_recognised_is_named() -> None:
    write("carets.csv", "grade^x\npoor^1\ngood^2\n")
    write("decided.csv", "row,target,given,decision,label\n1,grade,poor,relabel,good\n")
    assert run("apply", "decided.csv", "carets.csv").exit_code == 2
    result = run("apply", "decided.csv", "carets.csv", "--delimiter", "^")
    assert (result.exit_code, result.stdout) == (0, "grade^x\ngood^1\ngood^2\n")


def test_files_with_comments_and_reviewers_are_read_as_those_without() -> None:
    Path("t.csv").write_text("a,grade,comment\n1,poor,x\n2,good,y\n3,good,z\n", "utf-8")
    plain = "row,target,given,decision,label"
    lines = ["1,grade,poor,relabel,good", "3,grade,good,drop,"]
    Path("plain.csv").write_text("\n".join([plain, *lines]), "utf-8")
    # A column of the data with such a name need not agree.
    more = [f"{plain},comment,reviewer", f'{lines[0]},"a, ""b""; c",Ana', f"{lines[1]},,Bo"]
    Path("more.csv").write_text("\n".join(more), "utf-8")
    for name in ("plain", "more"):
        result = run("apply", f"{name}.csv", "t.csv", "--out", f"of_{name}.csv")
        assert result.exit_code == 0, result.output
    assert Path("of_more.csv").read_bytes() == Path("of_plain.csv").read_bytes()
    review = read_review("more.csv", read_table("t.csv", Notes()), None, None, Notes())
    said = [(decision.comment, decision.reviewer) for decision in review.decisions]
    assert said == [('a, "b"; c', "Ana"), ("", "Bo")]


def test_decisions_that_are_still_among_the_downloads() -> None:
    result = run("apply", "data-decisions.csv", "data.csv", "--out", "o.csv")
    assert result.exit_code == 2
    assert (
        "there is no such file; the page saves it among your browser's downloads" in result.stderr
    )


def test_all_that_is_wrong_with_decisions_is_said_in_one_run() -> None:
    lines = ["row,given,decision,label", "x,fair,keep,", "2,good,relabl,fair", "9,poor,drop,"]
    write("d.csv", "\n".join(lines))
    of_lines = ["  d.csv, row 1: 'x' in column 'row'", "  d.csv, row 2: the decision 'relabl'"]
    starts = {
        (): ["  d.csv does not say which column", *of_lines],
        ("--target", "grad"): ["  data.csv has no column 'grad'", *of_lines],
        ("--target", "grade"): [*of_lines, "  d.csv: row 9 is decided, and data.csv has 4 rows"],
    }
    for options, expected in starts.items():
        result = run("apply", "d.csv", "data.csv", "--out", "c.csv", *options)
        assert result.exit_code == (1 if "grade" in options else 2)
        said = zip(result.stderr.splitlines(), ["csvor: error: 3 faults", *expected], strict=True)
        assert all(line.startswith(start) for line, start in said), result.stderr
    write("d.csv", "row,decison\n1,keep\n")
    result = run("apply", "d.csv", "data.csv", "--out", "c.csv")
    assert result.exit_code == 1 and "2 faults\n  d.csv: the columns 'given', " in result.stderr
    assert "which column the labels are in" in result.stderr
    write("e.csv", "\n".join(lines))
    assert run("review", "d.csv", "e.csv").stderr.startswith("csvor: error: 3 faults\n  d.csv: ")
