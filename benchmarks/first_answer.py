"""How long is a first `csvor audit` on a new machine, and which loops does it compile?

    python benchmarks/first_answer.py [--tree NAME=FOLDER ...] [--runs 3]

A table of 800 x 10 (numbers, words, dates, blanks, 72 wrong labels of 800) is audited by the
command line with an empty folder for machine code, and again with what the first run left. Of
several trees of the source, each a folder that holds the package, runs take turns: a machine that
has other work to do has it for all of them. Seconds are medians of the runs.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from dirty import markdown, versions, write_result

ROOT = Path(__file__).resolve().parents[1]
GRADES = ["none", "mild", "moderate", "severe", "critical"]
AUDIT = (
    "audit", "wounds.csv", "--target", "grade", "--classes", ",".join(GRADES), "--id", "patient_id",
    "--dates", "--missing", "n/d", "--impute",
)  # fmt: skip
# Prints which loops are compiled while a command runs: each by its name, with its own seconds, and
# whether Python or another loop calls it.
LOOPS = """
import json, sys, time
from numba.core import event
loops, open_ = [], []
class Listener(event.Listener):
    def on_start(self, event):
        open_.append([time.thread_time(), 0.0])
    def on_end(self, event):
        begin, inner = open_.pop()
        seconds = time.thread_time() - begin
        if open_:
            open_[-1][1] += seconds
        loop = event.data["dispatcher"].py_func
        loops.append((loop.__module__, loop.__qualname__, seconds - inner, len(open_)))
event.register("numba:compile", Listener())
from csvor.cli.commands._app import app
try:
    app(sys.argv[1:], standalone_mode=False)
except SystemExit:
    pass
print(json.dumps(loops), file=sys.stderr)
"""


def table(n=800, n_wrong=72, seed=7):
    """Patients with numbers, words, dates and blanks, whose grade is wrong in some rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    mobility = rng.choice(["bed", "chair", "walks"], n)
    score = X @ [1.5, 1.0, 0.7, 0.3] + 0.8 * (mobility == "bed") + 0.4 * rng.normal(size=n)
    rank = np.digitize(score, np.quantile(score, [0.25, 0.5, 0.75, 0.92]))
    wrong = rng.choice(n, n_wrong, replace=False)
    rank[wrong] = (rank[wrong] + rng.integers(1, 5, n_wrong)) % 5
    days = pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    frame = pd.DataFrame(
        {
            "patient_id": [f"P{i:05d}" for i in rng.permutation(n) + 1000],
            "visit_date": days.strftime("%Y-%m-%d"),
            "age": np.round(60 + 15 * X[:, 0]),
            "wound_cm2": np.round(np.exp(1 + 0.5 * X[:, 1]), 2),
            "crp_mg_l": np.round(np.exp(3 + X[:, 2]), 1).astype(object),
            "bmi": np.round(27 + 4 * X[:, 3], 1),
            "mobility": mobility,
            "smoker": rng.choice(["yes", "no"], n),
            "ward": rng.choice(list("ABCD"), n),
            "grade": np.array(GRADES)[rank],
        }
    )
    frame.loc[rng.choice(n, 54, replace=False), "crp_mg_l"] = np.nan
    frame.loc[rng.choice(n, 6, replace=False), "crp_mg_l"] = "n/d"
    frame.loc[rng.choice(n, 60, replace=False), "bmi"] = np.nan
    return frame


def run(tree, kept, folder, *command):
    """Seconds of the processor and of the clock that a command takes, and its standard error."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "NUMBA_CACHE_DIR": str(kept)}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    clock, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, clock, done.stderr


def measured(trees, n_runs, folder):
    """The seconds of each command by the name of the tree, and the loops of a first audit."""
    seconds = {name: {"first": [], "later": [], "help": [], "import": []} for name in trees}
    loops = {}
    for i in range(n_runs):
        for name, tree in trees.items():
            with tempfile.TemporaryDirectory() as kept:
                its = seconds[name]
                its["first"].append(run(tree, kept, folder, "-m", "csvor.cli", *AUDIT)[:2])
                its["later"].append(run(tree, kept, folder, "-m", "csvor.cli", *AUDIT)[:2])
                its["help"].append(run(tree, kept, folder, "-m", "csvor.cli", "--help")[:2])
                its["import"].append(run(tree, kept, folder, "-c", "import csvor; csvor.CSVOR")[:2])
            if i == 0:
                with tempfile.TemporaryDirectory() as kept:
                    errors = run(tree, kept, folder, "-c", LOOPS, *AUDIT)[2]
                    loops[name] = json.loads(errors.splitlines()[-1])
            print(name, i, {k: v[-1] for k, v in its.items()}, file=sys.stderr, flush=True)
    return seconds, loops


def report(seconds, loops):
    """The tables of what it takes, and of what the loops of the last tree cost."""
    first, rows = next(iter(seconds)), []
    for name, its in seconds.items():
        for what, runs in its.items():
            used, clock = (statistics.median(column) for column in zip(*runs, strict=True))
            ratio = used / statistics.median(one for one, _ in seconds[first][what])
            rows.append([what, name, f"{used:.1f}", f"{clock:.1f}", f"{ratio:.2f}"])
    rows.sort(key=lambda row: list(next(iter(seconds.values()))).index(row[0]))
    text = "Medians; trees took turns on a machine that had other work too: go by the ratios.\n\n"
    text += markdown(["run", "tree", "s of the processor", "s", f"times {first}"], rows)
    counts = [
        [name, sum("csvor" in loop[0] for loop in its), len(its), f"{sum(x[2] for x in its):.1f}"]
        for name, its in loops.items()
    ]
    heads = ["tree", "loops of csvor compiled", "with those of Numba", "s of the processor"]
    text += f"\n\n## What a first audit compiles\n\n{markdown(heads, counts)}\n"
    name = list(loops)[-1]
    by_cost = sorted(loops[name], key=lambda loop: -loop[2])[:20]
    lines = [
        [f"{module.removeprefix('csvor.')}.{loop}", f"{own:.2f}", "loops" if depth else "Python"]
        for module, loop, own, depth in by_cost
    ]
    heads = ["loop", "s of the processor", "called by"]
    return f"{text}\nThe dearest of {name}, each without what it calls:\n\n{markdown(heads, lines)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    trees = dict(pair.split("=", 1) for pair in asked.tree) or {"now": str(ROOT / "src")}
    with tempfile.TemporaryDirectory() as folder:
        table().to_csv(Path(folder, "wounds.csv"), index=False)
        seconds, loops = measured(trees, asked.runs, folder)
    text = report(seconds, loops)
    write_result("first_answer", f"# The first answer\n\n{text}\n\n{versions('numba')}.")


if __name__ == "__main__":
    main()
