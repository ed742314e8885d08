"""`csvor audit --dask`: rows in pieces are judged as those of one table in memory."""

import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from csvor._faults.notes import Notes
from csvor._tables.related_rows import group_numbers
from csvor._tables.table import as_column
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli.input import _sample
from csvor.cli.input._parts import reader_of
from csvor.cli.input._pieces import pieces_of
from csvor.cli.input._prepare import prepare
from test_cli_dask import OPTIONS, address, bridges, cut, run  # noqa: F401

dask = pytest.importorskip("dask", reason="dask is not installed")

ONE_MODEL = ("--kernel", "linear", "--C", "1")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def spoilt(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Bridges with clear grades, a twentieth of which is wrong by intent; and which are."""
    frame = bridges(n)
    score = frame["load"] - frame["age"] / 100 + 2 * (frame["kind"] == "beam")
    code = np.digitize(score, [2, 5])
    rng = np.random.default_rng(1)
    wrong = (rng.random(n) < 0.05) & (frame["grade"] != "99").to_numpy()
    code[wrong] = (code[wrong] + rng.integers(1, 3, wrong.sum())) % 3
    words = np.array(["poor", "fair", "good"], dtype=object)[code]
    frame["grade"] = np.where(frame["grade"] == "99", "99", words)
    return frame, wrong


def document(*args: object) -> dict[str, Any]:
    result = run("audit", *args, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_an_audit_in_pieces_is_the_audit_in_memory(address: str) -> None:  # noqa: F811
    frame, wrong = spoilt(2000)
    frame.to_parquet("all.parquet")
    cut(frame, "pieces")
    more = (*OPTIONS, *ONE_MODEL, "--id", "name", "--weight", "n")
    here = document("all.parquet", *more)
    there = document("pieces", *more, "--dask", address)
    for name in ("classes", "columns", "settings", "target", "order"):
        assert there[name] == here[name]
    found, expected = there["wrong_labels"], here["wrong_labels"]
    for name in ("share", "low", "high"):
        assert found[name] == pytest.approx(expected[name], abs=0.003)
    flagged = [{r["row"] for r in one["suspects"] if r["flagged"]} for one in (here, there)]
    assert len(flagged[0] ^ flagged[1]) <= 0.05 * len(flagged[0])
    rows = np.array(sorted(flagged[1])) - 1
    assert wrong[rows].mean() > 0.95 and len(rows) > 0.9 * wrong.sum()
    first = there["suspects"][0]
    assert first["id"] == f"b{first['row'] - 1}" and first["given"] == frame.grade[first["row"] - 1]


def test_pieces_say_of_rows_what_the_file_says() -> None:
    """Groups by the same numbers: so they have the same folds."""
    frame, _ = spoilt(600)
    frame["site"] = [f"s{i // 4}" for i in range(600)]
    frame.to_parquet("all.parquet")
    cut(frame, "pieces")
    options = {"id": "name", "groups": "site", "weight": "n", "missing_label": ("99",)}
    data = DataOptions("all.parquet", "grade", "poor,fair,good", **options)
    work = prepare(data, ModelOptions(), Notes())
    pieces = pieces_of("pieces", Notes())
    arrays = pa.concat_tables([piece.plain() for piece in pieces])
    types = dict(zip(arrays.column_names, arrays.schema.types, strict=True))
    reader = reader_of(work, as_column("grade", arrays["grade"]), types)
    parts = [reader.read(piece) for piece in pieces]
    for name, expected in {"rows": work.target.rows, "groups": work.groups}.items():
        values = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(values, expected)
    codes, weights = (np.concatenate([getattr(p, n) for p in parts]) for n in ("codes", "weights"))
    np.testing.assert_array_equal(codes, work.target.coded.codes)
    np.testing.assert_allclose(weights / weights.mean(), work.weights)
    pd.testing.assert_frame_equal(
        pd.concat([p.frame for p in parts], ignore_index=True), work.frame
    )
    names = np.concatenate([reader.named(piece)[1] for piece in pieces])
    assert names.tolist() == work.ids


@pytest.mark.slow
def test_rows_that_stay_in_pieces_are_listed_and_written(
    address: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_sample, "MOST_ROWS", 3000)
    n = 15_000
    frame, wrong = spoilt(n)
    frame["site"] = [f"s{i // 3}" for i in range(n)]
    frame.loc[:832, "grade"] = "99"  # the first piece
    wrong[:833] = False
    cut(frame, "pieces")
    more = (*OPTIONS, *ONE_MODEL, "--id", "name", "--groups", "site", "--folds", "3")
    written = ("--suspects", "suspects", "--report", "page.html", "--dask", address)
    with dask.config.set({"csvor.memory-limit": "300kB"}):
        result = run("audit", "pieces", *more, *written)
    assert result.exit_code == 0, result.stderr
    rows = pd.read_parquet("suspects").set_index("row")
    used = np.flatnonzero(frame["grade"] != "99")
    assert rows.index.tolist() == (used + 1).tolist()
    assert rows["name"].tolist() == frame["name"][used].tolist()
    assert rows["given"].tolist() == frame["grade"][used].tolist()
    flagged = rows["flagged"].to_numpy()
    assert wrong[used][flagged].mean() > 0.95 and flagged[wrong[used]].mean() > 0.9
    told = re.search(r"about (\d+) .*; (\d+) rows are flagged", " ".join(result.stdout.split()))
    assert told is not None and int(told[2]) == flagged.sum()
    assert abs(int(told[1]) - wrong.sum()) < 0.1 * wrong.sum()
    assert "Groups      site\n" in result.stdout
    assert f"all {len(used)} rows in 5 files: suspects" in result.stdout
    listed = re.findall(r"\n *(\d+)  b\d+", result.stdout)
    assert list(map(int, listed)) == rows["probability"].nlargest(20, "all").index[:20].tolist()
    page = Path("page.html").read_text(encoding="utf-8")
    assert f"of {len(used)} in all, are on this page" in page
    names = re.findall(r">(b\d+)<", page)
    assert set(names) <= set(rows.query("probability > 0")["name"])
    assert len(names) == min(int(told[2]) + 300, 1000)


def test_a_group_has_one_number_in_all_pieces_and_blanks_are_refused(
    address: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = (
        group_numbers(as_column("g", pa.array(values)), np.arange(len(values)))
        for values in (["x", "y", "x"], ["y", "z"])
    )
    assert one[0] == one[2] != one[1] == other[0] != other[1]
    frame, _ = spoilt(400)
    frame["site"] = [str(i // 2) if i != 251 else "" for i in range(400)]
    cut(frame, "pieces")
    more = (*OPTIONS, *ONE_MODEL, "--id", "name", "--groups", "site")
    result = run("audit", "pieces", *more, "--dask", address)
    assert result.exit_code == 1
    assert "column 'site' (--groups): 1 of 396 values is blank (row 252)" in result.stderr
    monkeypatch.setattr(_sample, "MOST_ROWS", 2)
    frame["site"] = 1 + np.isin(np.arange(400), [250, 300]) + 2 * (np.arange(400) == 399)
    frame.to_parquet("pieces/p9.parquet")
    for path in Path("pieces").glob("*[y0-3].parquet"):
        path.unlink()
    result = run("audit", "pieces", *more, "--folds", "4", "--dask", address)
    assert result.exit_code == 2
    assert "--folds 4: --groups names 3 groups only" in result.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--suspects", "-"), "--dask writes a folder of Parquet files; name a new one"),
        (("--suspects", "pieces"), "this folder holds files already"),
        (("--suspects", "s.csv"), "what is written is a folder of Parquet files"),
        (("--suspects", "pieces/new"), "this lies in the folder of the data; name another"),
        (("--reviewed", "-"), "with --dask decisions come from a file"),
        (("--delimiter", ";"), "pieces is no text file"),
        (("--report", "page.txt"), "the name must end in .html"),
    ],
)
def test_wrong_use_is_told_before_a_cluster_starts(words: tuple[str, ...], told: str) -> None:
    cut(bridges(30), "pieces", 2)
    result = run("audit", "pieces", "--target", "grade", *words, "--dask", "nowhere")
    assert result.exit_code == 2, result.output
    assert told in result.stderr and result.stderr.count("\n") == 1


def test_more_folds_than_rows_are_refused(address: str) -> None:  # noqa: F811
    cut(bridges(30), "pieces", 2)
    result = run("audit", "pieces", *OPTIONS, "--folds", "31", "--id", "name", "--dask", address)
    assert result.exit_code == 2
    assert "--folds 31: there are 29 rows only" in result.stderr


def test_rows_that_do_not_count_tell_nothing_of_others(
    address: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first rows of a word, of the end of a column and of a label have no label, or go."""
    monkeypatch.setattr(_sample, "MOST_ROWS", 20)
    n = 300
    frame = bridges(n).assign(kind="beam", one=1).drop(columns="name")
    score = frame["load"] - frame["age"] / 100
    frame["grade"] = np.where(score > 3, "good", "fair")
    frame.loc[[31, 101, 203], "kind"] = "cable"
    frame.loc[[31, 77], "one"] = 5
    frame.loc[31, "grade"] = "99"
    frame.loc[[32, 102, 204], "grade"] = "poor"
    frame.loc[33, "grade"] = "worst"
    frame.to_parquet("all.parquet")
    cut(frame, "pieces")
    rows = [(33, "poor", "drop"), (34, "worst", "drop")]
    pd.DataFrame(rows, columns=["row", "given", "decision"]).to_csv("d.csv", index=False)
    more = (*OPTIONS, *ONE_MODEL, "--folds", "2", "--reviewed", "d.csv")
    here = document("all.parquet", *more)
    there = document("pieces", *more, "--dask", address)
    for name in ("classes", "columns"):
        assert there[name] == here[name]
    assert there["data"] == {**here["data"], "file": "pieces"}
    assert here["columns"]["constant"] == [] and here["classes"][0]["count"] == 2


def decisions(frame: pd.DataFrame, wrong: np.ndarray) -> None:
    """Thirty wrong labels set right, five rows dropped, ten kept, across all pieces."""
    other = {"poor": "good", "fair": "good", "good": "poor"}
    labelled = (frame["grade"] != "99").to_numpy()
    bad, good = np.flatnonzero(wrong & labelled), np.flatnonzero(~wrong & labelled)
    rng = np.random.default_rng(0)
    chosen = rng.choice(bad, 35, replace=False)
    kinds = [(chosen[:30], "relabel"), (chosen[30:], "drop"), (rng.choice(good, 10, False), "keep")]
    rows = [
        {
            "row": i + 1, "name": frame["name"][i], "target": "grade", "given": frame["grade"][i],
            "decision": kind, "label": other[frame["grade"][i]] if kind == "relabel" else "",
        }
        for chosen, kind in kinds for i in chosen.tolist()
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv("d.csv", index=False)


def test_a_review_is_carried_out_and_goes_on_in_pieces(address: str) -> None:  # noqa: F811
    frame, wrong = spoilt(2000)
    frame.to_parquet("all.parquet")
    cut(frame, "pieces")
    decisions(frame, wrong)
    for data, out in (("all.parquet", "clean.parquet"), ("pieces", "clean")):
        applied = run("apply", "d.csv", data, "--out", out)
        assert applied.exit_code == 0, applied.stderr
    found, expected = (pd.read_parquet(name) for name in ("clean", "clean.parquet"))
    found = found.sort_values("name", key=lambda names: names.str[1:].astype(int))
    pd.testing.assert_frame_equal(found.reset_index(drop=True), expected.reset_index(drop=True))
    assert len(found) == 1995
    before, after = Path("pieces/empty.parquet"), Path("clean/empty.parquet")
    assert after.read_bytes() == before.read_bytes()

    more = (*OPTIONS, *ONE_MODEL, "--id", "name", "--reviewed", "d.csv", "--report")
    here = document("all.parquet", *more, "a.html")
    there = document("pieces", *more, "b.html", "--dask", address)
    for name in ("reviewed", "classes"):
        assert there[name] == here[name]
    assert there["data"] == {**here["data"], "file": "pieces"}
    for name in ("share", "low", "high"):
        assert there["wrong_labels"][name] == pytest.approx(here["wrong_labels"][name], abs=0.003)
    decided = set(pd.read_csv("d.csv").query("decision != 'drop'")["row"])
    flagged = {one["row"] for one in there["suspects"] if one["flagged"]}
    assert flagged and not flagged & decided
    page = Path("b.html").read_text(encoding="utf-8")
    config = json.loads(re.search(r'id="config">(.*?)</script>', page)[1])
    assert {one["row"] for one in config["earlier"]} == set(pd.read_csv("d.csv")["row"])
    assert "csvor apply pieces-decisions.csv pieces --out pieces-clean" in page


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("d.csv", "pieces"), "name a file of decisions, and a new folder with --out"),
        (("d.csv", "pieces", "--out", "pieces"), "this folder holds files already"),
        (("d.csv", "pieces", "--out", "pieces/new"), "this lies in the folder of the data"),
        (("d.csv", "empty", "--out", "new"), "there is no Parquet file in this folder"),
        (("d.csv", "pieces", "--out", "new", "--delimiter", ";"), "pieces is no text file"),
    ],
)
def test_a_folder_is_edited_into_a_new_one(words: tuple[str, ...], told: str) -> None:
    frame, wrong = spoilt(1000)
    cut(frame, "pieces")
    decisions(frame, wrong)
    Path("empty").mkdir()
    result = run("apply", *words)
    assert result.exit_code == 2 and told in result.stderr, result.output
    assert not Path("new").exists()


def test_a_piece_that_was_read_holds_no_rows() -> None:
    bridges(1000).to_parquet("all.parquet")
    (piece,) = pieces_of("all.parquet", Notes())
    assert piece.plain().num_rows == 1000
    assert len(pickle.dumps(piece)) < 1000


def test_decisions_on_other_rows_leave_no_folder() -> None:
    frame, wrong = spoilt(1000)
    decisions(frame, wrong)
    cut(frame.iloc[::-1].reset_index(drop=True), "pieces")
    result = run("apply", "d.csv", "pieces", "--out", "new")
    assert result.exit_code == 1 and "this is another file, or" in result.stderr
    assert sorted(path.name for path in Path().iterdir()) == ["d.csv", "pieces"]


def test_names_of_columns_are_checked_before_any_row_is_read(
    address: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = bridges(60)
    cut(frame, "pieces")
    frame.drop(columns=["age"]).to_parquet("pieces/z.parquet")

    def no_reading(*_: Any) -> Any:
        raise AssertionError("a piece was read")

    monkeypatch.setattr("csvor.cli.commands._in_parts._sample", no_reading)
    result = run("audit", "pieces", *OPTIONS, "--dask", address)
    assert result.exit_code == 1
    assert "pieces/z.parquet has no column 'age', which other files have" in result.stderr
    Path("pieces/z.parquet").unlink()
    for option, name in (("--groups", "grupe"), ("--id", "nmae"), ("--drop", "lod")):
        result = run("audit", "pieces", *OPTIONS, option, name, "--dask", address)
        assert result.exit_code == 2 and f"no column '{name}' ({option})" in result.stderr
