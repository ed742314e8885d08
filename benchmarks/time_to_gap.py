"""Time to a gap with many columns: csvor, its other policy, an older version, and LinearSVC.

    python benchmarks/time_to_gap.py [--old FOLDER]

2 000 rows of 384 columns as in wide.py, C = 1, p = 1, no cap: a convex problem with one least
value. Five classes, and two: the labels above the middle threshold against the others, which
LinearSVC minimises too (it penalises the intercept, so it is held to a least value of its own).
Each point is a fit of its own with its own tolerance, the faster of two. FOLDER holds the source of
another version (``FOLDER/src/csvor``).
"""

import argparse
import os
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import matplotlib.pyplot as plt
import numpy as np
from dirty import markdown, versions, write_result
from sklearn.svm import LinearSVC
from wide import by_re_weighting, embedded

from csvor import CSVOR

GAPS = (1e-3, 1e-5, 1e-7)
TOLS = tuple(10.0**-k for k in range(1, 10))
LIMIT = 30.0  # seconds of a fit after which no longer one follows


def data():
    X, y = embedded(2_000, 384)
    return {"five classes": (X, y), "two classes": (X, (y >= 2).astype(int))}


def ours(X, y, tol, fit=CSVOR.fit):
    return fit(CSVOR(epsilon=np.inf, tol=tol, max_iter=5_000), X, y)


def value_of(model, X, y):
    """The objective, anew from coefficients and thresholds."""
    return 0.5 * model.coef_ @ model.coef_ + model.residuals(X, y).sum()


def liblinear(X, y, tol):
    # Not few iterations of a strict tolerance: under one it never looks again at rows left out.
    return LinearSVC(loss="hinge", C=1.0, tol=tol, max_iter=500_000, random_state=0).fit(X, y)


def value_of_liblinear(model, X, y):
    w, b = model.coef_[0], model.intercept_[0]
    margins = np.where(y == 1, 1.0, -1.0) * (X @ w + b)
    return 0.5 * (w @ w + b * b) + np.maximum(1.0 - margins, 0.0).sum()


def curve(fit, value, X, y, settings):
    """Seconds and objectives of fits that take longer and longer."""
    found = []
    for setting in settings:
        runs = []
        while len(runs) < 2 and sum(seconds for seconds, _ in runs) < LIMIT / 3:
            start = time.perf_counter()
            model = fit(X, y, setting)
            runs.append((time.perf_counter() - start, value(model, X, y)))
        found.append(min(runs, key=lambda run: run[0]))
        if found[-1][0] > LIMIT:
            break
    return np.array(found).T


def least_of_liblinear(X, y):
    """The least value with the intercept penalised: csvor's problem cannot state it, a QP can."""
    import cvxpy as cp

    w, b = cp.Variable(X.shape[1]), cp.Variable()
    margins = cp.multiply(np.where(y == 1, 1.0, -1.0), X @ w + b)
    size = 0.5 * (cp.sum_squares(w) + b**2)
    problem = cp.Problem(cp.Minimize(size + cp.sum(cp.pos(1.0 - margins))))
    return problem.solve(solver="CLARABEL", tol_gap_rel=1e-11, tol_gap_abs=1e-9, tol_feas=1e-10)


def of_old_version(folder):
    """Curves of the source in a folder, found in a process of its own."""
    out = Path(folder) / "time_to_gap.npz"
    environment = os.environ | {"PYTHONPATH": str(Path(folder) / "src")}
    command = [sys.executable, __file__, "--curves", str(out)]
    subprocess.run(command, env=environment, check=True)
    with np.load(out) as found:
        return dict(found)


def curves_of_ours(fit=CSVOR.fit):
    for X, y in data().values():  # compiled, or read
        ours(X, y, 0.1, fit)
    return {
        name: curve(partial(ours, fit=fit), value_of, X, y, TOLS) for name, (X, y) in data().items()
    }


def time_to(gap, seconds, gaps):
    """Until a fit has reached the gap: the quickest one that has."""
    reached = seconds[gaps <= gap]
    return f"{reached.min():.2f} s" if reached.size else f"not by {gaps.min():.0e}"


def gaps_of(curves, problems):
    """The same curves with gaps for objectives."""
    found = {}
    for problem, (X, y) in problems.items():
        least = min(values.min() for (name, at), (_, values) in curves.items()
                    if at == problem and name != "LinearSVC")  # fmt: skip
        for (name, at), (seconds, values) in curves.items():
            if at == problem:
                base = least_of_liblinear(X, y) if name == "LinearSVC" else least
                found[name, at] = seconds, np.maximum(values / base - 1.0, 1e-12)
    return found


def draw(found, problems):
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
    names = list(dict.fromkeys(name for name, _ in found))
    for axis, problem in zip(axes, problems, strict=True):
        for name, marker in zip(names, "os^D", strict=False):
            if (name, problem) in found:
                seconds, gaps = found[name, problem]
                axis.loglog(seconds, gaps, marker=marker, markersize=4, label=name)
        for gap in GAPS:
            axis.axhline(gap, color="0.85", linewidth=0.8, zorder=0)
        axis.set(title=problem, xlabel="seconds")
    axes[0].set(ylabel="objective above the least, relative", ylim=(1e-10, None))
    axes[1].legend(frameon=False, fontsize="small")
    figure.savefig(Path(__file__).parents[1] / "docs/images/time_to_gap.png", dpi=150)


def report(found):
    rows = [
        [problem, name, *(time_to(gap, *found[name, problem]) for gap in GAPS)]
        for name, problem in found
    ]
    head = ["problem", "method", *(f"gap {gap:.0e}" for gap in GAPS)]
    return f"""# Time to a gap with many columns

2 000 rows of 384 columns (`wide.py`), C = 1, p = 1, no cap, one thread. Seconds of the quickest fit
whose objective lies within the gap of the least one, each tolerance a fit of its own. LinearSVC
(hinge) penalises the intercept: its least value is that of its own problem, by Clarabel.

{markdown(head, rows)}

![Time to a gap](../../docs/images/time_to_gap.png)

`python benchmarks/time_to_gap.py` with
{versions("csvor", "scikit-learn")}.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--old", metavar="FOLDER")
    parser.add_argument("--curves", metavar="FILE", help="only csvor's curves, into a file")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of iterations, which run out
    if given.curves:
        return np.savez(given.curves, **curves_of_ours())
    problems = data()
    methods = {"csvor": curves_of_ours(), "csvor by re-weighting": curves_of_ours(by_re_weighting)}
    if given.old:
        methods["csvor 0.1.0"] = of_old_version(given.old)
    curves = {(name, at): found for name, by in methods.items() for at, found in by.items()}
    two = problems["two classes"]
    found = curve(liblinear, value_of_liblinear, *two, TOLS)
    curves["LinearSVC", "two classes"] = found
    found = gaps_of(curves, problems)
    draw(found, problems)
    write_result("time_to_gap", report(found))


if __name__ == "__main__":
    main()
