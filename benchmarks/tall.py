"""Fits of many rows of every kind: times as multiples of the benchmark's problem, and objectives.

    python benchmarks/tall.py [--repeats 3] [--only WORD] [--limit 20]

Each problem is fitted in turn with the benchmark's, and the least times are compared: by the clock
and, since a busy machine moves that, by the processor. The best known objective is the lowest of
the fit and of one to which all rows are near a kink, with a tol of 1e-9.
"""

import argparse
import multiprocessing
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import warnings

import numpy as np
from dirty import markdown, versions, write_result

import csvor._solvers.refine as policy
from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM

ROWS = 100_000
CLEAN = {"noise": 0.05, "wrong": 0.0}
PROBLEMS = {
    "the benchmark's": ({}, CSVOR()),
    "noise .05, none wrong": (CLEAN, CSVOR()),
    "noise .1, none wrong": ({"noise": 0.1, "wrong": 0.0}, CSVOR()),
    "noise .3, none wrong": ({"wrong": 0.0}, CSVOR()),
    "noise 1, none wrong": ({"noise": 1.0, "wrong": 0.0}, CSVOR()),
    "noise .05": ({"noise": 0.05}, CSVOR()),
    "noise 1": ({"noise": 1.0}, CSVOR()),
    "2 classes": ({"n_classes": 2}, CSVOR()),
    "2 classes, clean": ({"n_classes": 2, **CLEAN}, CSVOR()),
    "10 classes": ({"n_classes": 10}, CSVOR()),
    "20 classes": ({"n_classes": 20}, CSVOR()),
    "rare classes": ({"rare": True}, CSVOR()),
    "rare classes, none wrong": ({"rare": True, "wrong": 0.0}, CSVOR()),
    "rare classes, balanced": ({"rare": True}, CSVOR(class_weight="balanced")),
    "4 integer columns": ({"d": 4, "columns": "integer"}, CSVOR()),
    "10 integer columns, clean": ({"columns": "integer", **CLEAN}, CSVOR()),
    "0/1 columns": ({"columns": "binary"}, CSVOR()),
    "correlated columns": ({"columns": "correlated"}, CSVOR()),
    "heavy-tailed columns": ({"columns": "heavy"}, CSVOR()),
    "C = 1e-4": ({}, CSVOR(1e-4)),
    "C = 1e-4, clean": (CLEAN, CSVOR(1e-4)),
    "C = 100": ({}, CSVOR(100.0)),
    "C = 100, clean": (CLEAN, CSVOR(100.0)),
    "p = .5": ({}, CSVOR(p=0.5)),
    "p = .5, clean": (CLEAN, CSVOR(p=0.5)),
    "p = .7": ({}, CSVOR(p=0.7)),
    "p = 1.5": ({}, CSVOR(p=1.5)),
    "p = 2": ({}, CSVOR(p=2.0)),
    "p = 2, clean": (CLEAN, CSVOR(p=2.0)),
    "epsilon = 1": ({}, CSVOR(epsilon=1.0)),
    "epsilon = 2": ({}, CSVOR(epsilon=2.0)),
    "no cap": ({}, CSVOR(epsilon=np.inf)),
    "no cap, clean": (CLEAN, CSVOR(epsilon=np.inf)),
    "contamination .2": ({}, CSVOR(contamination=0.2)),
    "logistic": ({}, CSVOR(loss="logistic")),
    "exponential": ({}, CSVOR(loss="exponential")),
    "implicit": ({}, CSVOR(constraints="implicit")),
    "implicit, clean": (CLEAN, CSVOR(constraints="implicit")),
    "weights": ({"weighted": True}, CSVOR()),
    "SVOREX": ({}, SVOREX()),
    "SVOREX, clean": (CLEAN, SVOREX()),
    "SVORIM": ({}, SVORIM()),
    "REDSVM": ({}, REDSVM()),
    "PINSVOR": ({}, PINSVOR()),
}
# A solver that has been seen not to end runs in a process that can be stopped.
STOPPED = {"PINSVOR"}


def features(kind, n, d, rng):
    if kind == "integer":
        return rng.integers(1, 6, size=(n, d)).astype(float)
    if kind == "binary":
        return (rng.random((n, d)) < 0.3).astype(float)
    if kind == "correlated":
        return rng.normal(size=(n, 1)) + 0.1 * rng.normal(size=(n, d))
    return rng.standard_t(2, size=(n, d)) if kind == "heavy" else rng.normal(size=(n, d))


def problem(
    d=10, n_classes=5, noise=0.3, wrong=0.1, rare=False, columns="normal", weighted=False, n=ROWS
):
    """Rows, labels by a linear score with noise (in its spreads), and weights or none."""
    rng = np.random.default_rng(0)
    X = features(columns, n, d, rng)
    score = X @ rng.normal(size=d)
    score = score / score.std() + noise * rng.normal(size=n)
    # Even classes, or each a fifth of the one below.
    shares = np.where(rare, 0.2 ** np.arange(n_classes), 1.0)
    y = np.digitize(score, np.quantile(score, (shares / shares.sum()).cumsum()[:-1]))
    bad = rng.random(n) < wrong
    y[bad] = (y[bad] + rng.integers(1, n_classes, bad.sum())) % n_classes
    return X, y, rng.exponential(size=n) if weighted else None


def timed(model, data):
    """Seconds by the clock and by the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(*data)
    return np.array([time.perf_counter() - wall, time.process_time() - cpu])


def best_known(model, data):
    """The lowest objective known."""
    slow = type(model)(**{**model.get_params(), "tol": 1e-9, "max_iter": 3000})
    share, policy.SHARE = policy.SHARE, 1.0
    try:
        return min(slow.fit(*data).objective_, model.objective_)
    finally:
        policy.SHARE = share


def stopped(name, limit):
    """Whether a problem takes longer than the limit."""
    given, model = PROBLEMS[name]
    process = multiprocessing.Process(target=model.fit, args=problem(**given))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.kill()
        return True
    return False


def row(name, repeats, limit):
    given, model = PROBLEMS[name]
    if name in STOPPED and stopped(name, limit):
        return [name, f"> {limit:.0f} s", "", "", "", "", ""]
    data, ours = problem(**given), PROBLEMS["the benchmark's"]
    usual = problem(**ours[0])
    runs = [(timed(model, data), timed(ours[1], usual)) for _ in range(repeats)]
    least, of_benchmark = np.min(runs, axis=0)
    model.fit(*data)
    above = "" if name in STOPPED else f"{model.objective_ / best_known(model, data) - 1.0:.1e}"
    wall, cpu = least / of_benchmark
    return [
        name, f"{1e3 * least[0]:.0f} ms", f"{wall:.1f}", f"{cpu:.1f}", model.n_iter_, above,
        "yes" if model.converged_ else "no",
    ]  # fmt: skip


def report(names, repeats, limit):
    head = [
        "problem", "time", "times the benchmark's", "by the processor", "n_iter_",
        "above the best known", "converged",
    ]  # fmt: skip
    rows = []
    for name in names:
        rows.append(row(name, repeats, limit))
        print(rows[-1], flush=True)
    return f"""# Many rows of every kind

{ROWS:,} rows. The benchmark's problem: 10 normal columns, five even classes by a linear score with
noise of .3 of its spread, a tenth of the labels wrong, `CSVOR()`. "Clean" is noise of .05 and no
wrong label; "rare" classes each have a fifth of the rows of the one below. Least of {repeats} fits,
each in turn with the benchmark's. Where rows are cut or p < 1 the best known is that of some local
optima.

{markdown(head, rows)}

`python benchmarks/tall.py --repeats {repeats}` with
{versions("csvor", "scikit-learn", "numba")}; {len(os.sched_getaffinity(0))} cores.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="problems with this in their name")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for a doubtful solver")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of iterations and of classes without rows
    for model in (CSVOR(), CSVOR(p=0.7), CSVOR(loss="logistic"), SVOREX()):  # compiled first
        model.fit(*problem(n=50_000))
    names = [name for name in PROBLEMS if given.only in name]
    text = report(names, given.repeats, given.limit)
    if not given.only:
        write_result("tall", text)


if __name__ == "__main__":
    main()
