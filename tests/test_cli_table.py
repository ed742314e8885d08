"""Tables as the command line reads them: what is taken, and where a fault is said to be."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from csvor._faults.errors import CommandError, UsageError
from csvor._faults.notes import Notes
from csvor._tables.table import Table
from csvor.cli.input._csv import split_list
from csvor.cli.input._read import read_table


def table_of(tmp_path: Path, content: bytes | str, name: str = "t.csv") -> Table:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(str(path), Notes())


def texts(table: Table, name: str) -> list[str]:
    codes, distinct = table.columns[name].coded
    return [distinct[code] for code in codes]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\n\n"])
def test_csv_is_read_as_written(tmp_path: Path, start: bytes, end: str) -> None:
    rows = ["a, b ,c", "01,x y,1.50", '10,"x, ""y""",', "", ' 2 ,"two\nlines",-3e2', ""]
    table = table_of(tmp_path, start + end.join(rows).encode())
    assert list(table.columns) == ["a", "b", "c"]
    assert table.n_rows == 3
    assert texts(table, "a") == ["01", "10", "2"]
    assert texts(table, "b") == ["x y", 'x, "y"', "two\nlines"]
    np.testing.assert_array_equal(table.columns["c"].numbers, [1.5, np.nan, -300.0])


def test_tsv_and_capital_endings(tmp_path: Path) -> None:
    table = table_of(tmp_path, "a\tb\n1,5\t2\n", "T.TSV")
    assert texts(table, "a") == ["1,5"]


@pytest.mark.parametrize("blank", ["", "NA", "NaN", "nan", "  "])
@pytest.mark.parametrize("other", ["2.5", "x"])
def test_blanks_among_numbers(tmp_path: Path, blank: str, other: str) -> None:
    """The quick way through numbers and the slow way round words agree."""
    values = table_of(tmp_path, f"a,b\n1,1\n{blank},1\n{other},1\n").columns["a"].numbers
    np.testing.assert_array_equal(values, [1.0, np.nan, np.nan if other == "x" else 2.5])


@pytest.mark.parametrize("word", ["1_000", "12,5", "0x10", "\N{ARABIC-INDIC DIGIT ONE}", "1 000"])
def test_not_every_python_number_is_one(tmp_path: Path, word: str) -> None:
    values = table_of(tmp_path, f'a,b\n1,1\n"{word}",1\n').columns["a"].numbers
    np.testing.assert_array_equal(values, [1.0, np.nan])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty; its first line must name the columns"),
        (b"\n\n", "the file is empty"),
        (b"a,b\n", "there are no rows below the first line"),
        (b"a,b", "there are no rows below the first line"),
        (b"a,b\n1,5,2\n1,7,3\n", "rows 1, 2: 3 cells where the first line names 2 columns"),
        (b"a,b\n1,2\n3\n", "t.csv, row 2: 1 cell where the first line names 2 columns ('3')"),
        (b"\na,b\n1,2\n3,4,5\n", "t.csv, row 2: 3 cells where"),
        (b"a,b,a\n1,2,3\n", "the first line names 'a' more than once"),
        (b"a,b\n1,caf\xc3", "t.csv, line 2: byte 0xc3 (byte 10 of the file) is not UTF-8"),
        (b"a,b\n1,caf\xe9\n", "t.csv, line 2: byte 0xe9 (byte 10 of the file) is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "this is UTF-16 text; save it as CSV in UTF-8"),
        (b"a,b\n1,\x00\n", "line 2: holds a NUL byte"),
        (b'a,b\n1,2\n3,"4\n5,6\n', 'line 3: a quotation mark (") is opened and never closed'),
    ],
)
def test_faults_of_a_csv(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(CommandError) as caught:
        table_of(tmp_path, content)
    assert message in str(caught.value)
    assert caught.value.exit_code == 1


def test_a_quotation_mark_inside_a_cell_is_no_fault(tmp_path: Path) -> None:
    assert texts(table_of(tmp_path, 'a,b\n5" pipe,1\n'), "a") == ['5" pipe']


def test_another_fault_of_the_last_line_is_no_open_quotation(tmp_path: Path) -> None:
    assert texts(table_of(tmp_path, 'a,b\n1,2\n"5" pipe",1'), "a") == ["1", '5 pipe"']


def test_columns_without_a_name_are_left_out(tmp_path: Path) -> None:
    path, notes = tmp_path / "t.csv", Notes()
    pd.DataFrame({"x": [1, 2]}).to_csv(path)
    assert list(read_table(str(path), notes).columns) == ["x"]
    assert notes.texts() == [f"column 1 of {path} has no name and is left out"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("records.doc", "csvor reads .csv, .tsv and .parquet files"),
        ("records.data", "name a text of columns .csv, and one of a JSON object a line .jsonl"),
        ("", "csvor reads"),
        ("recrds.csv", "there is no such file; did you mean 'records.csv'?"),
        ("nothing/like.csv", "there is no such file"),
        ("folder.csv", "this is a folder; name the file"),
    ],
)
def test_files_that_are_not_there(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "records.csv").touch()
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageError) as caught:
        read_table(str(tmp_path / name), Notes())
    assert message in str(caught.value)
    assert caught.value.exit_code == 2


def test_n64_an_address_is_to_be_downloaded() -> None:
    with pytest.raises(UsageError, match=r"^https://a\.example/p\.csv: there is no .* download"):
        read_table("https://a.example/p.csv", Notes())


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    table = read_table("-", Notes())
    assert (table.source, texts(table, "b")) == ("standard input", ["2"])


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (pa.array([1, None, 3], pa.int8()), "number", ["1", "", "3"]),
        (pa.array([1.5, 2.0, float("nan")]), "number", ["1.5", "2", "nan"]),
        (pa.array([1, 2, 3], pa.decimal128(5, 2)), "number", ["1", "2", "3"]),
        (pa.array(["b", None, " a "]), "text", ["b", "", "a"]),
        (pa.array(["b", "c", "b"], pa.large_string()).dictionary_encode(), "text", ["b", "c", "b"]),
        (pa.array([None, None, None]), "text", ["", "", ""]),
        (pa.array([True, False, None]), "bool", ["True", "False", ""]),
        (pa.array([1, 2, 3], pa.timestamp("s")), "dates", None),
        (pa.array([1, 2, 3], pa.date32()), "dates", None),
        (pa.array([[1], [2], [3]]), "lists", None),
        (pa.array([b"1", b"2", b"3"]), "text", None),
    ],
)
def test_kinds_of_parquet_columns(
    tmp_path: Path, values: Any, kind: str, expected: list[str] | None
) -> None:
    pq.write_table(pa.table({"a": values}), tmp_path / "t.parquet")
    table = read_table(str(tmp_path / "t.parquet"), Notes())
    assert table.columns["a"].kind == kind
    if expected is not None:
        assert texts(table, "a") == expected


def test_parquet_of_pandas_keeps_the_order_of_categories(tmp_path: Path) -> None:
    words = ["low", "high", "low"]
    frame = pd.DataFrame(
        {
            "ranked": pd.Categorical(words, ["low", "mid", "high"], ordered=True),
            "plain": pd.Categorical(words, ["low", "mid", "high"]),
        },
        index=[5, 6, 7],
    )
    frame.to_parquet(tmp_path / "t.pq")
    table = read_table(str(tmp_path / "t.pq"), Notes())
    assert list(table.columns) == ["ranked", "plain"]
    assert table.columns["ranked"].levels == ("low", "mid", "high")
    assert table.columns["plain"].levels is None


def test_what_only_ends_like_parquet(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="not a readable Parquet file"):
        table_of(tmp_path, "a,b\n1,2\n", "t.parquet")


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("a,b,c", ["a", "b", "c"]),
        (" a , b ", ["a", "b"]),
        ('"a, or so",b', ["a, or so", "b"]),
        ('low, "no, none"', ["low", "no, none"]),
    ],
)
def test_lists_in_an_option(text: str, entries: list[str]) -> None:
    assert split_list(text, "--classes") == entries


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,,b", "blank"), ("a,b,a", "'a' stands there more than once"), ('"a', "commas"), ("", "")],
)
def test_faults_of_lists(text: str, message: str) -> None:
    with pytest.raises(UsageError, match="--classes") as caught:
        split_list(text, "--classes")
    assert message in str(caught.value)
