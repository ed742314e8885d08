"""The objective over time: csvor, the plain one-step scheme and the paper's alternating scheme.

    python benchmarks/convergence.py

20 000 rows, 10 columns, 5 classes, every tenth label wrong; p = 1 and a cap of 4. The gap is that
to the lowest objective that any of them reaches in the time given.
"""

import time
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from dirty import markdown, versions, write_result
from speed import problem

from csvor import CSVOR
from csvor._objective.ordinal import OrdinalObjective
from csvor._rows import dense
from csvor._solvers import sample

RUNS = {
    "csvor": {},
    "one step, weights only": {},
    "alternating (the paper)": {"solver": "alternating"},
}
MAX_ITER = 1500
GAPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


def timed(name, X, y):
    """Seconds and objectives after each iteration."""
    model = CSVOR(epsilon=4.0, tol=0.0, max_iter=MAX_ITER, **RUNS[name])
    start, seen = time.perf_counter(), []
    model._report_to = lambda: lambda _, value: seen.append((time.perf_counter() - start, value))
    is_hinge, least, few = OrdinalObjective.is_hinge, sample.LEAST, dense._SMALL
    dense._SMALL = X.size // 2  # told step by step, but for the sample
    if name.startswith("one step"):
        OrdinalObjective.is_hinge = False  # the curvature of the loss stays left out
        sample.LEAST = 10**9  # all rows from the start
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
    finally:
        OrdinalObjective.is_hinge, sample.LEAST, dense._SMALL = is_hinge, least, few
    seconds, values = np.array(seen).T
    return seconds[model.settled_from_ :], values[model.settled_from_ :]


def main():
    X, y, _ = problem(20_000, 10)
    CSVOR(epsilon=4.0).fit(X, y)  # compiled code is read
    curves = {name: timed(name, X, y) for name in RUNS}
    least = min(values.min() for _, values in curves.values())
    figure, axes = plt.subplots(figsize=(5.5, 4), layout="constrained")
    rows = []
    for (name, (seconds, values)), style in zip(curves.items(), ("-", "--", ":"), strict=True):
        gaps = values / least - 1.0
        axes.loglog(seconds, np.maximum(gaps, 1e-9), style, label=name)
        reached = [np.flatnonzero(gaps <= gap) for gap in GAPS]
        times = [f"{seconds[found[0]]:.3f} s" if found.size else "-" for found in reached]
        rows.append([name, *times, f"{gaps[-1]:.1e}", f"{seconds[-1]:.1f} s"])
    axes.set(xlabel="seconds", ylabel="objective above the lowest known", ylim=(1e-8, 10))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(Path(__file__).parents[1] / "docs" / "images" / "convergence.png", dpi=150)
    head = ["scheme", *[f"gap {gap:.0e}" for gap in GAPS], "last gap", "after"]
    text = "\n\n".join(["# Time to a gap", __doc__.split("\n\n")[2].strip(), markdown(head, rows)])
    write_result(
        "convergence", f"{text}\n\n`python benchmarks/convergence.py` with\n{versions('csvor')}."
    )


if __name__ == "__main__":
    main()
