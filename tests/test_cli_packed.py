"""Packed files are read, whatever their names; damaged, huge and deep ones are refused."""

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from csvor.cli.commands._app import app
from csvor.cli.input import _packed
from csvor.cli.input._read import read_table

TEXT = "x,grade\n" + "".join(f"{k}.5,{k % 3}\n" for k in range(60))


def zipped(*names: str) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return raw.getvalue()


def zstd(raw: bytes) -> bytes:
    return pa.compress(raw, "zstd", asbytes=True)


PACKERS = {
    ".csv.gz": gzip.compress,
    ".csv.bz2": bz2.compress,
    ".csv.xz": lzma.compress,
    ".csv.zst": zstd,
    ".zip": lambda _: zipped("ratings.csv"),
}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("end", PACKERS)
def test_n64_packed_files_are_read(end: str) -> None:
    Path("t" + end).write_bytes(PACKERS[end](TEXT.encode()))
    notes = Notes()
    table = read_table("t" + end, notes)
    assert list(table.columns) == ["x", "grade"]
    assert table.n_rows == 60
    said = ["t.zip: the file ratings.csv in it is read"] if end == ".zip" else []
    assert list(notes.texts()) == said


def test_n64_a_name_that_says_nothing_is_noted_and_tabs_are_tabs() -> None:
    Path("t.csv").write_bytes(gzip.compress(TEXT.encode()))
    notes = Notes()
    assert read_table("t.csv", notes).n_rows == 60
    assert list(notes.texts()) == ["t.csv: packed by gzip, and read unpacked"]
    Path("t.tsv.gz").write_bytes(gzip.compress(TEXT.replace(",", "\t").encode()))
    assert list(read_table("t.tsv.gz", Notes()).columns) == ["x", "grade"]


def test_n64_standard_input_too(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["fit", "-", "--target", "grade", "--model", "m.skops"]
    result = CliRunner().invoke(app, command, input=gzip.compress(TEXT.encode()))
    assert result.exit_code == 0, result.output
    assert "packed by gzip" in result.stderr


@pytest.mark.parametrize(
    ("name", "raw", "complaint"),
    [
        ("t.csv.gz", gzip.compress(TEXT.encode())[:60], "not a readable packed file"),
        ("t.csv.gz", gzip.compress(TEXT.encode())[:20] + b"xxxxx" * 9, "not a readable packed"),
        ("t.csv.xz", lzma.compress(TEXT.encode())[:60], "not a readable packed file"),
        ("t.zip", zipped("a.csv", "b.csv"), "an archive of 2 files ('a.csv', 'b.csv'); unpack it"),
        ("t.zip", zipped()[:10] + b"PK", "not"),
        ("t.csv", zipped("[Content_Types].xml", "xl/a.xml"), "a workbook; give its name the end"),
        ("t.jsonl", b"[" * 20_000 + b"]" * 20_000, "line 1: brackets within brackets over 100"),
        ("t.jsonl", b'{"x":' * 20_000 + b"1" + b"}" * 20_000, "line 1: brackets within brackets"),
    ],
    ids=["cut", "damaged", "cut xz", "two files", "no archive", "workbook", "lists", "objects"],
)
def test_what_cannot_be_read_is_refused_in_a_line(name: str, raw: bytes, complaint: str) -> None:
    Path(name).write_bytes(raw)
    with pytest.raises(CommandError) as error:
        read_table(name, Notes())
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


def test_brackets_in_texts_are_not_deep() -> None:
    Path("t.jsonl").write_text('{"x": "' + "[" * 500 + '", "grade": 1}\n')
    assert read_table("t.jsonl", Notes()).n_rows == 1


def test_what_unpacks_to_more_than_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_packed, "LARGEST", 1 << 20)
    Path("t.csv.gz").write_bytes(gzip.compress(b"x,grade\n" + b"1,1\n" * 300_000))
    with pytest.raises(CommandError, match="unpacks to more than"):
        read_table("t.csv.gz", Notes())


def test_apply_takes_no_packed_file() -> None:
    Path("t.csv").write_bytes(gzip.compress(TEXT.encode()))
    Path("d.csv").write_text("row,given,decision,label\n1,0,relabel,1\n")
    result = CliRunner().invoke(app, ["apply", "d.csv", "t.csv", "--out", "o.csv"])
    assert result.exit_code == 2
    assert "t.csv: apply changes a file as it is, and this one is packed" in result.stderr
    assert not Path("o.csv").exists()


def test_n75_a_first_line_longer_than_a_block_is_read() -> None:
    """It was said to have no rows below."""
    names = ",".join(f"gene_{k:0200}" for k in range(6_000))
    rows = "".join("1," * 6_000 + f"{k % 3}\n" for k in range(20))
    Path("t.csv").write_text(f"{names},grade\n{rows}")
    table = read_table("t.csv", Notes())
    assert (table.n_rows, len(table.columns)) == (20, 6_001)
