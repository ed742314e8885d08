"""Damaged and odd files, and what every command has to answer.

`attempt(seed, folder)` writes a file that was right, changes bytes or cells of it, and gives it to
a command: it succeeds, or ends in a line that is ours and leaves no output half written.
``python tests/fuzz_files.py FIRST LAST`` runs many, and prints each answer once.
"""

from __future__ import annotations

import gzip
import io
import re
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from csvor.cli.commands._app import app
from fuzz import RAW, try_all

# Texts that mean something to some reader, terminal or page.
ODD = [
    "", " ", "NA", "nan", "inf", "-1e400", "1,5", "1.234,5", "12 mg/L", "5%", "=1+1", "\x00",
    "\x1b[31m", "\ufeff", "\u202e", "é", "e\u0301", "2024-02-30", "2024-01-01", "TRUE", '"', '""',
    "'", ";", "\t", "\r", "\n", "a" * 3000, "<b>", "\uff19", "1e308", "9" * 40, "0x10", "1_000",
    "None", "[]", "{}", "\\",
]  # fmt: skip
HIGH = ("fit", "audit", "predict", "show", "apply", "review")


def _pick(rng: np.random.Generator, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def _table(rng: np.random.Generator) -> pd.DataFrame:
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)).round(2)
    grade = np.digitize(X[:, 0] + 0.2 * rng.normal(size=n), [-0.5, 0.5]) + 1
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    if rng.random() < 0.4:
        frame["word"] = rng.choice(["red", "green", ""], size=n)
    if rng.random() < 0.3:
        frame["day"] = pd.date_range("2024-01-01", periods=n).astype(str)
    frame["grade"] = grade
    if rng.random() < 0.5:
        frame = frame.astype(str)
        for _ in range(int(rng.integers(1, 4))):
            frame.iat[int(rng.integers(n)), int(rng.integers(frame.shape[1]))] = _pick(rng, ODD)
    if rng.random() < 0.1:
        frame = frame.rename(columns={frame.columns[0]: _pick(rng, [*ODD, "grade"])})
    return frame


def _text(rng: np.random.Generator, frame: pd.DataFrame) -> bytes:
    end, comma = _pick(rng, ["\n", "\r\n"]), _pick(rng, [",", ",", ";", "\t", "|"])
    text = frame.to_csv(index=False, sep=comma, lineterminator=end)
    return text.encode(_pick(rng, ["utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace")


def _workbook(rng: np.random.Generator, frame: pd.DataFrame) -> bytes:
    clean = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
    cleaned = frame.map(lambda cell: clean.sub("", cell) if isinstance(cell, str) else cell)
    cleaned.columns = [clean.sub("", str(name)) for name in frame.columns]
    file = io.BytesIO()
    cleaned.to_excel(file, index=False)
    return file.getvalue()


def _parquet(rng: np.random.Generator, frame: pd.DataFrame) -> bytes:
    return bytes(frame.loc[:, ~frame.columns.duplicated()].rename(columns=str).to_parquet())


def _lines(rng: np.random.Generator, frame: pd.DataFrame) -> bytes:
    return bytes(
        frame.loc[:, ~frame.columns.duplicated()].to_json(orient="records", lines=True), "utf-8"
    )


KINDS: dict[str, Callable[[np.random.Generator, pd.DataFrame], bytes]] = {
    ".csv": _text, ".tsv": _text, ".xlsx": _workbook, ".parquet": _parquet, ".jsonl": _lines,
    ".csv.gz": lambda rng, frame: gzip.compress(_text(rng, frame)),
}  # fmt: skip


def damaged(rng: np.random.Generator, content: bytes) -> bytes:
    """The same with bytes changed, cut, doubled or put in; one in three times as it was."""
    if rng.random() < 0.33 or not content:
        return content
    data, n = bytearray(content), len(content)
    for _ in range(int(rng.integers(1, 4))):
        at, length = int(rng.integers(n)), int(rng.integers(1, 40))
        change = rng.integers(5)
        if change == 0:
            data[at : at + 1] = bytes([int(rng.integers(256))])
        elif change == 1:
            del data[at : at + length]
        elif change == 2:
            data[at:at] = data[at : at + length]
        elif change == 3:
            data[at:at] = str(_pick(rng, ODD)).encode("utf-8", "replace")
        else:
            del data[at:]
    return bytes(data)


def _repacked(rng: np.random.Generator, archive: bytes) -> bytes:
    """An archive of which one part is damaged and packed again, so that it is read."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(file, "w") as new:
        names = old.namelist()
        hit = _pick(rng, names)
        for name in names:
            content = old.read(name)
            new.writestr(name, damaged(rng, content) if name == hit else content)
    return file.getvalue()


class Base:
    """Right files that others are made of: a table, a model and decisions."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        x = rng.normal(size=40).round(2)
        frame = pd.DataFrame({"x": x, "w": rng.choice(["a", "b"], 40)})
        frame["grade"] = np.digitize(x, [-0.5, 0.5]) + 1
        with tempfile.TemporaryDirectory() as folder:
            table, model = Path(folder, "t.csv"), Path(folder, "m.skops")
            frame.to_csv(table, index=False)
            invoke("fit", table, "--target", "grade", "--model", model)
            self.table, self.model = table.read_bytes(), model.read_bytes()
        lines = ["row,target,given,decision,label,comment,reviewer"]
        for row in range(1, 9):
            given = int(frame.grade[row - 1])
            kind, label = ("relabel", given % 3 + 1) if row % 2 else ("keep", "")
            lines.append(f"{row},grade,{given},{kind},{label},fine,anna")
        self.decisions = "\n".join(lines).encode() + b"\n"


_base: list[Base] = []


def base() -> Base:
    if not _base:
        _base.append(Base())
    return _base[0]


def invoke(*args: Any) -> Any:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


def attempt(seed: int, folder: Path) -> str:
    """What the command answered, in a word or a line.

    Raises
    ------
    AssertionError
        If it ended in another way than a command may.
    """
    rng = np.random.default_rng(seed)
    command = _pick(rng, HIGH)
    story = f"seed {seed}: {command}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = _arguments(rng, command, folder)
        before = {path.name for path in folder.iterdir()}
        result = invoke(*args)
    story += " " + " ".join(str(arg).replace(f"{folder}/", "") for arg in args[1:])
    left = {path.name for path in folder.iterdir()} - before
    error = result.exception
    assert error is None or isinstance(error, SystemExit), f"{story}: {type(error)}: {error}"
    if result.exit_code == 0:
        return f"{command} succeeded"
    assert result.exit_code in (1, 2), f"{story}: exit {result.exit_code}"
    assert not left, f"{story}: left {left}"
    last = result.stderr.strip().splitlines()
    message = last[-1] if last else ""
    assert "csvor: error" in result.stderr, f"{story}: {result.stderr[-300:]}"
    assert "unexpected" not in result.stderr.replace("unexpected end", ""), f"{story}: {message}"
    ours = re.sub(r"JSON parse error: [^)]*", "", result.stderr)  # Arrow says where
    assert not RAW.search(ours), f"{story}: {result.stderr[-300:]}"
    assert result.stdout == "", f"{story}: {result.stdout[:100]}"
    return message.replace(f"{folder}/", "")


def _arguments(rng: np.random.Generator, command: str, folder: Path) -> list[Any]:
    kind = _pick(rng, list(KINDS))
    table = folder / f"t{kind}"
    fit = ["--target", "grade"]
    if command in ("fit", "audit"):
        frame = _table(rng)
        content = KINDS[kind](rng, frame)
        if kind == ".xlsx" and rng.random() < 0.5:
            table.write_bytes(_repacked(rng, content))
        else:
            table.write_bytes(damaged(rng, content))
        if command == "fit":
            return [command, table, *fit, "--model", folder / "new.skops"]
        quick = ["--C", 1, "--p", 1, "--contamination", 0.1, "--folds", 2, "--models", "own"]
        return [command, table, *fit, *quick, *_pick(rng, [[], ["--json"], ["--suspects", "-"]])]
    table = folder / "t.csv"
    table.write_bytes(damaged(rng, base().table) if rng.random() < 0.3 else base().table)
    if command in ("predict", "show"):
        model = folder / "m.skops"
        change = _repacked if rng.random() < 0.6 else damaged
        model.write_bytes(change(rng, base().model))
        return [command, table, "--model", model] if command == "predict" else [command, model]
    decisions = [folder / "a.csv", folder / "b.csv"]
    for path in decisions:
        path.write_bytes(damaged(rng, base().decisions))
    if command == "review":
        return [command, *decisions, *_pick(rng, [[], ["--majority", "--out", folder / "new.csv"]])]
    return [command, decisions[0], table, "--out", folder / "new.csv"]


def _attempt_anywhere(seed: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return attempt(seed, Path(folder))


if __name__ == "__main__":
    import resource  # which Windows has not

    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    try_all(_attempt_anywhere, r"'[^']*'|\d+")
