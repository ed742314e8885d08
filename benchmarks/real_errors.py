"""Wrong labels of people, and planted ones: the same scores, read by csvor, cleanlab and others.

    python benchmarks/real_errors.py FOLDER [--cache FOLDER] [--sets "esl;tweets"] [--others]

benchmarks/README.md says what is measured and which checkouts FOLDER holds. What is done is kept in
the cache: scores and what others make of them while this benchmark is the same, csvor's part while
csvor is, too. `--others` stops before csvor's part; a part of the sets is printed only;
results/real_errors.md is written where nothing is left out. Needs cleanlab, mord, skordinal and
pylidc.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from dirty import versions, write_result
from joblib import Memory
from real_errors_layers import by_csvor, by_others
from real_errors_scores import SCORES, out_of_fold
from real_errors_sets import KINDS, LARGE, REAL, SMALL, draws, task_of
from real_errors_tables import report
from wrong_labels_cell import code, code_of_csvor

HERE = Path(__file__).parent
OWN = "csvor's models"


class Cell(NamedTuple):
    """A set, a kind of error, a draw, and whose score: or csvor's audit of the features."""

    name: str
    kind: str
    draw: int
    score: str


def cells(names: list[str]) -> list[Cell]:
    """What is measured, in the order of the tables."""
    real = [(name, "real", 0) for name in REAL]
    planted = [
        (name, kind, draw)
        for name in (*SMALL, *LARGE)
        for kind in KINDS
        for draw in range(draws(name, kind))
    ]
    wanted = [cell for cell in (*real, *planted) if cell[0] in names]
    return [Cell(*cell, score) for cell in wanted for score in (*SCORES, OWN)]


def score_of(folder: Path, cell: Cell, of_code: str) -> np.ndarray | None:
    """Out of fold; None where nobody stored one. `of_code` keeps results apart."""
    task = task_of(folder, *cell[:3])
    return None if cell.score == "stored" and task.stored is None else out_of_fold(task, cell.score)


def others(folder: Path, cell: Cell, of_code: str, score: np.ndarray) -> dict:
    task = task_of(folder, *cell[:3])
    truth = {
        "wrong": float(task.wrong.mean()),
        "rows": task.y.size,
        "levels": int(task.y.max()) + 1,
    }
    return truth | by_others(task, score)


def csvor(folder: Path, cell: Cell, of_code: str, score: np.ndarray | None) -> dict:
    return by_csvor(task_of(folder, *cell[:3]), score)


def measured(todo: list[Cell], folder: Path, memory: Memory, others_only: bool) -> list[dict]:
    """A record of each cell, from the cache where it is there."""
    kept = [memory.cache(work, ignore=["folder"]) for work in (score_of, others)]
    audit = memory.cache(csvor, ignore=["folder", "score"])
    parts = [HERE / f"real_errors_{part}.py" for part in ("sets", "scores", "layers")]
    plain, whole, records = code(*parts), code_of_csvor(), []
    for cell in todo:
        start, record, score = time.process_time(), cell._asdict(), None
        of_csvor = cell.score in ("csvor", OWN)
        if others_only and of_csvor:
            continue
        if cell.score != OWN:
            score = kept[0](folder, cell, whole if of_csvor else plain)
            if score is None:
                continue
            record |= kept[1](folder, cell, whole if of_csvor else plain, score)
        if not others_only:
            record |= {"csvor": audit(folder, cell, whole, score)}
        if (seconds := time.process_time() - start) > 0.5:
            print(*cell, f"{seconds:.0f} s", file=sys.stderr, flush=True)
        records.append(record)
    return records


def main() -> None:
    everything = [*REAL, *SMALL, *LARGE]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", default=Path(tempfile.gettempdir(), "csvor-real-errors"))
    parser.add_argument("--sets", type=lambda text: text.split(";"), default=everything)
    parser.add_argument("--others", action="store_true", help="all but csvor's part")
    asked = parser.parse_args()
    if unknown := set(asked.sets) - set(everything):
        parser.error(f"unknown sets {sorted(unknown)}; there are {'; '.join(everything)}")
    memory = Memory(asked.cache, verbose=0)
    records = measured(cells(asked.sets), asked.folder, memory, asked.others)
    if asked.others:
        return
    text = report(records, OWN, versions("csvor", "cleanlab", "mord", "scikit-learn", "skordinal"))
    if len(asked.sets) == len(everything):
        write_result("real_errors", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
