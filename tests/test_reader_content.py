"""Notes and hints by what columns hold: texts that rows share, bytes, names twice, short codes."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from csvor import CSVOR
from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from csvor.cli._paths import check_input
from csvor.cli.commands._app import app
from csvor.cli.input._pieces import pieces_of
from csvor.cli.input._read import read_table


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def units(name: str, seed: int = 0, follow: float = 0.8) -> pd.DataFrame:
    """Rows of 100 units, three to nine each, whose labels are mostly that of the unit."""
    draw = np.random.default_rng(seed)
    unit = np.repeat(np.arange(100), draw.integers(3, 10, 100))
    grade = np.where(draw.random(len(unit)) < follow, unit % 4, draw.integers(0, 4, len(unit)))
    frame = pd.DataFrame({"x": draw.normal(size=len(unit)) + grade, "grade": grade})
    frame.insert(0, name, [f"P{one:03}" for one in unit])
    return frame.sample(frac=1, random_state=0)


def notes_of(*more: str) -> str:
    result = run("fit", "t.csv", "--target", "grade", "--model", "m.skops", *more)
    assert result.exit_code == 0, result.output
    return result.stderr


def test_n66_texts_that_rows_share_are_noted_whatever_the_column_is_called() -> None:
    units("patient").to_csv("t.csv", index=False)
    assert "--groups patient" in notes_of()
    units("firm").to_csv("t.csv", index=False)
    said = notes_of()
    assert "column 'firm': 100 texts, each on several rows that mostly share a label" in said
    # Each remedy ends it.
    for remedy in ("--groups", "--keep", "--categorical"):
        assert "'firm'" not in notes_of(remedy, "firm")


def test_n66_categories_without_such_labels_are_not_noted() -> None:
    units("town", follow=0.0).to_csv("t.csv", index=False)
    assert "'town'" not in notes_of()
    few = units("town")
    few["town"] = few["town"].str[-1]
    few.to_csv("t.csv", index=False)
    assert "'town'" not in notes_of()


def test_n63_a_name_twice_in_parquet() -> None:
    """It was not a readable Parquet file, with a list of types."""
    table = pa.Table.from_arrays([pa.array([1.5, 2.5]), pa.array([3, 4])], ["x", "x"])
    pq.write_table(table, "t.parquet")
    for read in (lambda: read_table("t.parquet", Notes()), lambda: piece().plain()):
        with pytest.raises(CommandError, match=r"t\.parquet: 'x' names more than one column"):
            read()
    pq.write_table(table.rename_columns(["x", "y"]), "t.parquet")
    assert read_table("t.parquet", Notes()).n_rows == 2


def piece() -> Any:
    return pieces_of("t.parquet", Notes())[0]


KINDS = [
    pa.binary(), pa.large_binary(), pa.binary(4), pa.binary_view(),
    pa.dictionary(pa.int8(), pa.binary()),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_n63_text_without_its_mark(kind: pa.DataType) -> None:
    """It was said to hold lists."""
    values = [b"good", b"poor", None, b"fair"]
    plain = pa.array(values, pa.binary())
    array = plain.dictionary_encode() if pa.types.is_dictionary(kind) else plain.cast(kind)
    pa.feather.write_feather(pa.table({"word": array, "n": [1, 2, 3, 4]}), "t.feather")
    notes = Notes()
    table = read_table("t.feather", notes)
    assert table.columns["word"].texts == ["good", "poor", "", "fair"]
    said = "the column 'word' holds bytes, which are read as text in UTF-8"
    assert notes.texts() == [f"t.feather: {said}"]


def test_n63_labels_and_features_of_bytes_in_parquet() -> None:
    n = 90
    table = pa.table(
        {
            "x": np.arange(n) / 9.0,
            "word": pa.array([b"abc"[i % 3 : i % 3 + 1] for i in range(n)], pa.binary()),
            "grade": pa.array([b"low mid top".split()[i // 30] for i in range(n)], pa.binary()),
        }
    )
    pq.write_table(table, "t.parquet")
    command = ["--target", "grade", "--classes", "low,mid,top"]
    result = run("fit", "t.parquet", *command, "--model", "m.skops")
    assert result.exit_code == 0, result.output
    assert "the columns 'word', 'grade' hold bytes" in result.stderr
    notes = Notes()
    (one,) = pieces_of("t.parquet", notes)
    assert one.plain()["grade"].to_pylist()[:1] == ["low"]
    assert len(notes.texts()) == 1
    # Decisions go into the bytes.
    Path("d.csv").write_text("row,target,given,decision,label\n2,grade,low,relabel,top\n")
    result = run("apply", "d.csv", "t.parquet", "--out", "o.parquet")
    assert result.exit_code == 0, result.output
    after = pq.read_table("o.parquet")
    assert after.schema.field("grade").type == pa.binary()
    assert after["grade"].to_pylist()[:3] == [b"low", b"top", b"low"]


def test_n63_other_bytes_are_called_bytes() -> None:
    table = pa.table({"x": [1.5, 2.5] * 9, "raw": [b"\xff\xfe", b"a"] * 9, "grade": [1, 2] * 9})
    pq.write_table(table, "t.parquet")
    result = run("fit", "t.parquet", "--target", "grade", "--model", "m.skops")
    assert (
        "column 'raw' holds bytes that are no text in UTF-8; leave the column out" in result.stderr
    )
    drop = run("fit", "t.parquet", "--target", "grade", "--drop", "raw", "--model", "m.skops")
    assert drop.exit_code == 0, drop.output
    label = run("fit", "t.parquet", "--target", "raw", "--model", "m.skops")
    assert "column 'raw' holds bytes that are no text, which are no labels" in label.stderr


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([[1, 2]] * 9, pa.list_(pa.int64())),
        ([{"a": 1}] * 9, pa.struct([("a", pa.int64())])),
        ([[("a", 1)]] * 9, pa.map_(pa.string(), pa.int64())),
    ],
    ids=["list", "struct", "map"],
)
def test_n63_lists_and_records(values: list[Any], kind: pa.DataType) -> None:
    table = pa.table({"x": np.arange(9.0), "cell": pa.array(values, kind), "grade": [1, 2, 2] * 3})
    pq.write_table(table, "t.parquet")
    result = run("fit", "t.parquet", "--target", "grade", "--model", "m.skops")
    assert "column 'cell' holds lists or records; make one column of each entry" in result.stderr
    drop = run("fit", "t.parquet", "--target", "grade", "--drop", "cell", "--model", "m.skops")
    assert drop.exit_code == 0, drop.output


def test_n63_bytes_as_labels_of_an_array() -> None:
    y = np.array([b"1", b"2"] * 5)
    with pytest.raises(ValueError, match=r"Decode them, as by numpy\.char\.decode\(y\)"):
        CSVOR().fit(np.arange(10.0)[:, None], y)
    CSVOR().fit(np.arange(10.0)[:, None], np.char.decode(y))


@pytest.mark.parametrize(
    "counts",
    [
        {"I": 200, "II": 32, "III": 4},
        {"AA": 200, "AAA": 7, "CCC": 90, "CC": 5},
        {"IIB": 900, "IIIB": 10},
        {"T1a": 300, "T1b": 3, "T2a": 50},
        {"low-grade": 300, "high-grade": 50},
    ],
)
def test_n65_right_labels_are_not_asked_after(counts: dict[str, int]) -> None:
    labels = [label for label, n in counts.items() for _ in range(n)]
    pd.DataFrame({"x": np.arange(len(labels)) % 17, "grade": labels}).to_csv("t.csv", index=False)
    result = run("fit", "t.csv", "--target", "grade", "--model", "m.skops")
    assert "words without an order" in result.stderr
    assert "meant?" not in result.stderr


def test_n65_slips_are_asked_after() -> None:
    labels = ["good"] * 90 + ["poor"] * 90 + ["goood"] * 3 + ["Poor "] * 2
    pd.DataFrame({"x": np.arange(len(labels)) % 17, "grade": labels}).to_csv("t.csv", index=False)
    result = run("fit", "t.csv", "--target", "grade", "--model", "m.skops")
    assert "'goood' 3 (is 'good' meant?)" in result.stderr
    assert "(is 'poor' meant?)" in result.stderr


def test_n65_files_that_are_meant() -> None:
    for name in ("l_bool.csv", "ratings.csv"):
        Path(name).touch()
    for name, hint in [("t_mcol.csv", ""), ("rating.csv", "; did you mean 'ratings.csv'?")]:
        with pytest.raises(CommandError) as error:
            check_input(name)
        assert str(error.value) == f"{name}: there is no such file{hint}"
