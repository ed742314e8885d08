"""Files as the trade writes them: delimiters, lines above the names, other kinds (N40, N41)."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from csvor._decisions.decision import Decision
from csvor._faults.errors import CommandError, UsageError
from csvor._faults.notes import Notes
from csvor._tables.review import Review
from csvor._tables.table import Table
from csvor._tables.target import read_target
from csvor.cli._edit import write_edited
from csvor.cli.commands._app import app
from csvor.cli.input._read import ReadOptions, read_table


def table_of(
    tmp_path: Path,
    content: str,
    name: str = "t.csv",
    notes: Notes | None = None,
    **asked: Any,
) -> Table:
    path = tmp_path / name
    path.write_bytes(content.encode())
    return read_table(str(path), notes or Notes(), ReadOptions(**asked))


def cells(table: Table) -> dict[str, list[str]]:
    found = {}
    for name, column in table.columns.items():
        codes, texts = column.coded
        found[name] = [texts[code] for code in codes]
    return found


WANTED = {"grade": ["good", "poor"], "x": ["1,5", "2"], "z": ["3", "4"]}
DIALECTS = {
    "semicolons": ("grade;x;z\ngood;1,5;3\npoor;2;4\n", "columns are separated by ';'"),
    "tabs": ("grade\tx\tz\ngood\t1,5\t3\npoor\t2\t4\n", "columns are separated by tabs"),
    "bars": ("grade|x|z\ngood|1,5|3\npoor|2|4\n", "columns are separated by '|'"),
    "blanks": ("grade x z\ngood 1,5 3\npoor 2 4\n", "columns are separated by blanks"),
    "aligned blanks": (" grade  x   z\n good   1,5 3\n poor   2   4 \n", "separated by blanks"),
    "hint": ("sep=;\ngrade;x;z\ngood;1,5;3\npoor;2;4\n", "line 1, 'sep=;', names the sign"),
    "comments": (
        "# exported, with care\n#\ngrade;x;z\ngood;1,5;3\npoor;2;4\n",
        "2 lines with # above the names are passed over",
    ),
    "sign at the end": (
        'grade,x,z\ngood,"1,5",3,\npoor,2,4,\n',
        "also stands at the end of each row",
    ),
    "last line of blanks": ('grade,x,z\ngood,"1,5",3\npoor,2,4\n   \n', ""),
    "rows of blanks": (
        'grade,x,z\ngood,"1,5",3\npoor,2,4\n,,\n, ,\n',
        "2 rows of blanks at the end are left out",
    ),
    "mark of UTF-8": ('\ufeffgrade,x,z\ngood,"1,5",3\npoor,2,4\n', ""),
    "mark of UTF-8 and a hint": ("\ufeffsep=;\ngrade;x;z\ngood;1,5;3\npoor;2;4\n", "'sep=;'"),
    "R": (
        '"grade" "x" "z"\n"1" "good" "1,5" 3\n"2" "poor" 2 4\n',
        "one name fewer than cells in a row, as R writes it",
    ),
    "R with commas": (
        'grade,x,z\na,good,"1,5",3\nb,poor,2,4\n',
        "one name fewer than cells in a row, as R writes it",
    ),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_n41_files_as_the_trade_writes_them(tmp_path: Path, name: str) -> None:
    content, said = DIALECTS[name]
    notes = Notes()
    assert cells(table_of(tmp_path, content, notes=notes)) == WANTED
    assert said in " ".join(notes.texts())
    assert bool(notes.texts()) == bool(said)
    # A byte more or less of the same is still the same file.
    assert cells(table_of(tmp_path, content.replace("\n", "\r\n"))) == WANTED
    assert cells(table_of(tmp_path, content, name="t.txt")) == WANTED


@pytest.mark.parametrize("name", DIALECTS)
def test_n41_labels_are_changed_where_they_stand(tmp_path: Path, name: str) -> None:
    content, _ = DIALECTS[name]
    table = table_of(tmp_path, content)
    decisions = (Decision(1, "good", "drop", ""), Decision(2, "poor", "relabel", "fair"))
    review = Review("d.csv", "grade", decisions, n_rows=table.n_rows)
    out = tmp_path / "o.csv"
    arguments = (str(tmp_path / "t.csv"), table.dialect, review, str(out))
    if ("blanks" in name and "rows" not in name and "last" not in name) or name == "R":
        with pytest.raises(CommandError, match="columns that blanks separate are not edited"):
            write_edited(*arguments)
        return
    assert write_edited(*arguments) == 1
    kept = "".join(line for line in content.splitlines(True) if "good" not in line)
    assert out.read_bytes().decode() == kept.replace("poor", "fair")


@pytest.mark.parametrize("sign", ["|", "pipe", "PIPE"])
def test_the_user_may_name_the_delimiter(tmp_path: Path, sign: str) -> None:
    content = "a,b|c,d\n1,2|3,4\n"
    assert list(table_of(tmp_path, content).columns) == ["a", "b|c", "d"]
    assert list(table_of(tmp_path, content, delimiter=sign).columns) == ["a,b", "c,d"]


@pytest.mark.parametrize("sign", ["", ";;", "a", '"', "1"])
def test_what_is_no_delimiter(tmp_path: Path, sign: str) -> None:
    with pytest.raises(UsageError, match=r"--delimiter .*: must be one sign, such as ';'"):
        table_of(tmp_path, "a,b\n1,2\n", delimiter=sign)


def test_a_name_may_begin_with_a_number_sign(tmp_path: Path) -> None:
    assert list(table_of(tmp_path, "#id,x\n1,2\n").columns) == ["#id", "x"]


def test_a_decimal_comma_in_the_names_divides_nothing(tmp_path: Path) -> None:
    table = table_of(tmp_path, "weight, kg;height, m;grade\n70,5;1,80;2\n66,5;1,7;1\n")
    assert list(table.columns) == ["weight, kg", "height, m", "grade"]


def test_all_rows_of_a_wrong_width_are_told_at_once(tmp_path: Path) -> None:
    rows = ["1,2"] * 30
    rows[4] = rows[9] = "1,2,3"
    rows[7] = "1"
    with pytest.raises(CommandError) as caught:
        table_of(tmp_path, "\n".join(["a,b", *rows, "   ", "1", ""]))
    one, two, three = str(caught.value).splitlines()
    assert one == "2 faults"
    assert "rows 5, 10: 3 cells where the first line names 2 columns ('1,2,3')" in two
    assert "rows 8, 31: 1 cell where the first line names 2 columns ('1')" in three


def test_plain_columns_become_numbers_and_others_stay_text(tmp_path: Path) -> None:
    rows = [f"{i},{i / 4:.2f},{'?' if i == 39_999 else i},0{i % 7},w{i % 3}" for i in range(40_000)]
    table = table_of(tmp_path, "\n".join(["a,b,late,grade,word", *rows]), texts={"grade"})
    kinds = {name: column.kind for name, column in table.columns.items()}
    assert kinds == {"a": "number", "b": "number", "late": "text", "grade": "text", "word": "text"}
    assert table.columns["late"].values[0].as_py() == "0"
    assert table.columns["grade"].values[9].as_py() == "02"
    assert len(table.columns["late"].values) == table.n_rows == 40_000


@pytest.mark.parametrize("values", [["1.234", "12.500"], ["1.000", "2.000"]])
def test_points_that_may_mark_thousands_keep_their_text(tmp_path: Path, values: list[str]) -> None:
    table = table_of(tmp_path, "\n".join(["a;b", *[f"{v};0.5" for v in values]]), texts=())
    assert (table.columns["a"].kind, table.columns["b"].kind) == ("text", "number")
    assert table.columns["b"].points


def ordered(codes: list[int | None], levels: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), levels, ordered=True)


LEVELS = ["low", "mid", "high"]
KIND = pa.dictionary(pa.int8(), pa.string(), True)


def parquet_with(path: Path, *parts: pa.Array, **options: Any) -> str:
    with pq.ParquetWriter(path, pa.schema([("g", KIND)]), **options) as writer:
        for part in parts:
            writer.write_table(pa.table({"g": part}))
    return str(path)


def order_of(path: str) -> Any:
    column = read_table(path, Notes()).columns["g"]
    return read_target(column, None, [""], Notes()).classes


def test_n40_one_stored_list_is_the_order(tmp_path: Path) -> None:
    one = [ordered([2, 0, 1], LEVELS), ordered([], LEVELS), ordered([None, 1], LEVELS)]
    assert order_of(parquet_with(tmp_path / "t.parquet", *one)) == LEVELS
    assert order_of(parquet_with(tmp_path / "t.parquet", pa.chunked_array(one, KIND))) == LEVELS


@pytest.mark.parametrize(
    ("parts", "options", "why"),
    [
        ([ordered([2, 0, 1], LEVELS)], {"use_dictionary": False}, "holds no list of its values"),
        (
            [ordered([1, 0], ["low", "high"]), ordered([2, 1], LEVELS)],
            {},
            "row groups 1 and 2 of the file list the values differently",
        ),
        (
            [ordered([1, 0], ["low", "high"]), ordered([1, 0], ["high", "low"])],
            {},
            "list the values differently",
        ),
        (
            [pa.chunked_array([ordered([1, 0], ["low", "high"]), ordered([2, 1], LEVELS)], KIND)],
            {},
            "the list of row group 1 of the file lacks values that it has",
        ),
    ],
)
def test_n40_a_lost_order_is_no_order(
    tmp_path: Path, parts: list[Any], options: dict[str, Any], why: str
) -> None:
    path = parquet_with(tmp_path / "t.parquet", *parts, **options)
    with pytest.raises(CommandError) as caught:
        order_of(path)
    assert why in str(caught.value) and "--classes LOWEST,...,HIGHEST" in str(caught.value)
    assert caught.value.exit_code == 1
    column = read_table(path, Notes()).columns["g"]
    assert read_target(column, list(LEVELS), [""], Notes()).classes == LEVELS


def test_n40_an_unordered_category_needs_no_list(tmp_path: Path) -> None:
    frame = pd.DataFrame({"g": pd.Categorical(["b", "a"])})
    frame.to_parquet(tmp_path / "t.parquet", use_dictionary=False)
    assert cells(read_table(str(tmp_path / "t.parquet"), Notes())) == {"g": ["b", "a"]}


FRAME = pd.DataFrame({"grade": ["good", "poor", None], "x": [1.5, 2.0, np.nan], "n": [1, 2, 3]})
FRAME_CELLS = {"grade": ["good", "poor", ""], "x": ["1.5", "2", ""], "n": ["1", "2", "3"]}


def test_feather(tmp_path: Path) -> None:
    FRAME.to_feather(tmp_path / "t.feather")
    assert cells(read_table(str(tmp_path / "t.feather"), Notes())) == FRAME_CELLS
    path = tmp_path / "o.arrow"
    pa_feather.write_feather(pa.table({"g": ordered([2, 0, 1], LEVELS)}), path)
    assert order_of(str(path)) == LEVELS


def test_json_lines(tmp_path: Path) -> None:
    FRAME.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    assert cells(read_table(str(tmp_path / "t.jsonl"), Notes())) == FRAME_CELLS


def test_excel(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="writes the workbook of this test")
    path, notes = tmp_path / "t.xlsx", Notes()
    mixed = FRAME.assign(dose=["5 mg", 7, "8 mg"], seen=pd.Timestamp("2020-01-13"), yes=True)
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        mixed.to_excel(book, sheet_name="2020", index=False)
        FRAME.to_excel(book, sheet_name="notes")
    table = read_table(str(path), notes)
    kinds = {name: column.kind for name, column in table.columns.items()}
    assert kinds == {
        **{"grade": "text", "x": "number", "n": "number"},
        **{"dose": "text", "seen": "dates", "yes": "bool"},
    }
    assert {name: cells(table)[name] for name in FRAME_CELLS} == FRAME_CELLS
    assert cells(table)["dose"] == ["5 mg", "7", "8 mg"]
    said = f"{path}: only the first of 2 sheets, '2020', is read; --sheet NAME reads another"
    assert notes.texts() == [f"{said} ('notes')"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.feather", b"no", "not a readable Feather file"),
        ("t.jsonl", b'{"a": 1}\n[2]\n', "not readable as JSON lines"),
        (
            "t.xlsx",
            b"a,b\n1,2\n",
            r"t\.xlsx: this is text, and no workbook; give its name the end .csv",
        ),
        (
            "t.xlsx",
            b"PK\3\4\0\0",
            r"not a readable workbook \(.*\); get the whole file again, or op",
        ),
    ],
)
def test_what_only_ends_like_one(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CommandError, match=message):
        read_table(str(tmp_path / name), Notes())


def test_a_typed_file_has_no_delimiter(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(UsageError, match=r"--delimiter ;: .* is no text file"):
        read_table(str(tmp_path / "t.parquet"), Notes(), ReadOptions(delimiter=";"))


@pytest.mark.parametrize(
    ("data", "out", "message"),
    [
        ("t.xls", "o.xls", "apply edits .csv, .tsv, .parquet, .pq, .txt, .xlsx files"),
        ("t.txt", "o.csv", "the name must end in .txt"),
        ("t.parquet", "o.csv", "the name must end in .parquet or .pq"),
    ],
)
def test_what_apply_edits_stays_of_its_kind(
    data: str, out: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("d.csv", data):
        Path(name).touch()
    result = CliRunner().invoke(app, ["apply", "d.csv", data, "--out", out])
    assert result.exit_code == 2 and message in result.stderr


def test_names_are_compared_in_one_form_of_unicode(tmp_path: Path) -> None:
    table = table_of(tmp_path, "gro\u0308\u00dfe,x\n1,2\n")
    assert list(table.columns) == ["gr\u00f6\u00dfe", "x"]
    assert table.column("gro\u0308\u00dfe", "--target").name == "gr\u00f6\u00dfe"


def test_blanks_separate_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO(b"grade x\n1 2.5\n2 3.5\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(raw))
    assert cells(read_table("-", Notes())) == {"grade": ["1", "2"], "x": ["2.5", "3.5"]}


def test_lines_of_json_and_csv_say_the_same(tmp_path: Path) -> None:
    rows = [{"grade": "good", "x": 1.5}, {"grade": "poor", "x": None}]
    path = tmp_path / "t.ndjson"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert cells(read_table(str(path), Notes())) == {"grade": ["good", "poor"], "x": ["1.5", ""]}
