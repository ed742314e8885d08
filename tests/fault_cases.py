"""Commands that `faults.py` ends: what is typed, what they read, and what they write."""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd

from fuzz_files import base, invoke

Files = dict[str, bytes]
# What stood in a file before.
OLD = b"old"


@dataclass(frozen=True)
class Command:
    """What is typed, about how many seconds it takes, and files that it replaces."""

    words: str
    seconds: float
    replaced: str = ""


QUICK = "--C 1 --p 1 --contamination 0.1 --folds 2 --models own"
RATINGS = "ratings.csv --target grade --item item --rater rater"
STUDY = "study run --spec spec.toml --data ."
COMMANDS = {
    "fit": Command("fit t.csv --target grade --model new.skops", 3, "new.skops"),
    "audit": Command(
        f"audit t.csv --target grade {QUICK} --report page.html --suspects s.csv",
        3, "page.html s.csv",
    ),
    "audit of all models": Command(
        "audit many.csv --target grade --report page.html --suspects s.parquet",
        8, "page.html s.parquet",
    ),
    "audit of raters": Command(f"audit {RATINGS} --report page.html", 4, "page.html"),
    "apply": Command("apply decisions.csv t.csv --out c.csv", 1.5, "c.csv c.csv.applied.json"),
    "consensus": Command(f"consensus {RATINGS} --out labels.csv", 4, "labels.csv"),
    "explain": Command("explain many.csv --target grade --report page.html", 4, "page.html"),
    "predict": Command("predict t.csv --model m.skops --out p.csv", 2, "p.csv"),
    "predict in parts": Command("predict t.parquet --model m.skops --out parts --dask local", 8),
    "study": Command(f"{STUDY} --out out --jobs 2", 8),
    "report": Command("study report done --to there --no-experiments", 6, "there/report.html"),
}  # fmt: skip
SPEC = """
datasets = ["mine"]
levels = [0, 20]
splits = 3
folds = 2
[methods.CSVOR.grid]
C = [0.1, 1, 10]
[methods.SVOREX.grid]
C = [0.1, 1, 10]
"""


@cache
def inputs(name: str) -> Files:
    """The files that a command finds."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), _tables())
        if name == "report":
            through(f"{STUDY} --out done --jobs 1", Path(folder))
        return files_of(Path(folder))


@cache
def _tables() -> Files:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2, 3], 12)
    mine = pd.DataFrame({"a": y + rng.normal(size=36), "b": rng.normal(size=36), "y": y})
    X = rng.normal(size=(1500, 6)).round(3)
    grade = np.digitize(X.sum(axis=1) + rng.normal(size=1500), [-2, 0, 2])
    item = np.repeat(np.arange(30), 3)
    rated = np.clip(item % 4 + (rng.random(90) < 0.2), 0, 3)
    tables = {
        "mine.csv": mine,
        "many.csv": pd.DataFrame(X, columns=[*"abcdef"]).assign(grade=grade),
        "ratings.csv": pd.DataFrame({"item": item, "rater": [*"abc"] * 30, "grade": rated}),
    }  # fmt: skip
    made = {name: table.to_csv(index=False).encode() for name, table in tables.items()}
    made |= {"t.csv": base().table, "m.skops": base().model, "decisions.csv": base().decisions}
    made["t.parquet"] = bytes(pd.read_csv(io.BytesIO(made["t.csv"])).to_parquet())
    made["spec.toml"] = SPEC.encode()
    return made


@cache
def whole(name: str) -> Files:
    """What a command writes that nothing ends, as `comparable` has it."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), inputs(name))
        through(COMMANDS[name].words, Path(folder))
        written = files_of(Path(folder))
    before = inputs(name)
    assert before.items() <= written.items()
    return {path: comparable(path, raw) for path, raw in written.items() if path not in before}


def write(folder: Path, files: Files) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def files_of(folder: Path) -> Files:
    """All files of a folder, with what they hold."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def through(words: str, folder: Path) -> None:
    """A run that has to succeed, in this process."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        result = invoke(*words.split())
    finally:
        os.chdir(before)
    assert result.exit_code == 0, f"{words}: {result.stderr[-500:]}"


def comparable(path: str, raw: bytes) -> bytes:
    """A file without what differs from run to run: times, and numbers of objects in models.

    Raises
    ------
    ValueError
        If it is not whole.
    """
    if raw == OLD:
        return raw
    if path.endswith(".skops"):
        with ZipFile(io.BytesIO(raw)) as archive:
            members = [archive.read(name) for name in archive.namelist()]
        raw = b"".join(sorted(re.sub(rb"\d{10,}", b"", member) for member in members))
    if path.endswith(".json"):
        content = {k: v for k, v in json.loads(raw).items() if "seconds" not in k}
        return json.dumps(content).encode()
    if path.endswith("results.csv"):
        table = pd.read_csv(io.BytesIO(raw)).drop(columns="seconds")
        return bytes(table.to_csv(index=False), "utf-8")
    return re.sub(rb"\d{4}-\d\d-\d\d[T ][\d:]+", b"", raw)
