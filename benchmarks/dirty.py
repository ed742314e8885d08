"""Data with wrong rows, shared by the benchmarks: sets, corruption, splits and tables."""

import argparse
import csv
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
# Of skordinal; the other sets are files in the folder that CSVOR_DATA names.
BUNDLED = ("esl", "lev", "balance_scale", "swd", "era")

Data = tuple[NDArray[np.float64], NDArray[np.int64]]


def load(name: str) -> Data:
    """Features and ranks 0, 1, ... of a data set."""
    if name in BUNDLED:
        import skordinal.datasets

        bunch = getattr(skordinal.datasets, f"load_{name}")()
        X, y = np.asarray(bunch.data, dtype=float), np.asarray(bunch.target)
    else:
        folder = (ROOT / os.environ.get("CSVOR_DATA", "../shared/data")).resolve()
        with open(folder / f"{name}.csv", newline="") as file:
            table = np.array(list(csv.reader(file))[1:], dtype=float)
        X, y = table[:, :-1], table[:, -1].astype(int)
    return X, np.unique(y, return_inverse=True)[1]


def half_rings(n: int, seed: int, noise: float = 0.25) -> Data:
    """Four half rings of radius 1, 2, 3, 4, as many rows in each, with noise on the radius."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4
    radius = 1.0 + y + noise * rng.normal(size=n)
    angle = rng.uniform(0.0, np.pi, n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def mislabel(
    y: NDArray[np.int64], share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """A copy with ``int(share * n)`` labels changed to another class at random, and the mask."""
    rng = np.random.default_rng(seed)
    given, classes = y.copy(), np.unique(y)
    rows = rng.choice(y.size, int(share * y.size), replace=False)
    for row in rows:
        given[row] = rng.choice(classes[classes != y[row]])
    wrong = np.zeros(y.size, dtype=bool)
    wrong[rows] = True
    return given, wrong


def blank_features(X: NDArray[np.float64], share: float, seed: int) -> NDArray[np.float64]:
    """A copy in which a random half of the features of that share of rows is -1."""
    rng = np.random.default_rng(seed)
    X = X.copy()
    n, d = X.shape
    for row in rng.choice(n, int(share * n), replace=False):
        X[row, rng.choice(d, d // 2, replace=False)] = -1.0
    return X


def measured(
    measure: Callable[..., Any], *levels: Iterable[Any], doc: str, repeats: str, default: int
) -> tuple[dict[tuple[Any, ...], Any], int, float]:
    """What `measure` finds for all levels and repeats, their number, and the minutes of one core.

    The command line decides the number, by an option called ``repeats``, and ``--jobs``.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument(f"--{repeats}", type=int, default=default, dest="repeats")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    jobs = list(product(*levels, range(asked.repeats)))
    found = Parallel(asked.jobs)(delayed(_timed)(measure, job) for job in jobs)
    minutes = sum(seconds for _, seconds in found) / 60
    results = {job: result for job, (result, _) in zip(jobs, found, strict=True)}
    return results, asked.repeats, minutes


def _timed(measure: Callable[..., Any], job: tuple[Any, ...]) -> tuple[Any, float]:
    start = time.process_time()
    found = measure(*job)
    seconds = time.process_time() - start
    print(*job, f"{seconds:.0f} s", file=sys.stderr, flush=True)
    return found, seconds


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; floats with three digits."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        cells = [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def versions(*packages: str) -> str:
    """What a table was measured with, and on which processor."""
    named = [f"{package} {version(package)}" for package in (*packages, "numpy")]
    return ", ".join([f"Python {platform.python_version()}", *named]) + f", on {processor()}"


def processor() -> str:
    """The name of the processor."""
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text(encoding="utf-8").splitlines() if listing.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def write_result(name: str, text: str) -> None:
    """Print a result and keep it as benchmarks/results/<name>.md, with the code that it is of."""
    from csvor._utils.compile import _DIGEST

    text = f"{text.rstrip()}\n\nCode: {_DIGEST[:12]} (the digest of csvor's compiled loops)."
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text.rstrip() + "\n", encoding="utf-8")
