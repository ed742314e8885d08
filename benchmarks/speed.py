"""Times of csvor and its peers, each in a process of its own, with the quality that they reach.

    python benchmarks/speed.py [--only fit,peers,small,growth,memory,import] [--limit 120]

Rows come from a noisy score: 5 classes of equal size, 10 % of the labels wrong. OLS solves the
normal equations of the same array. A method that takes longer than the limit is stopped and named.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from dirty import markdown, versions, write_result

PEERS = ("LinearSVC", "LogisticRegression", "mord LogisticAT", "statsmodels", "skordinal SVOREX")
# On more rows than this a peer has been seen to take minutes or fill the memory.
MOST_ROWS = {"skordinal SVOREX": 5_000, "statsmodels": 20_000}


def problem(n, d, wrong=0.1, seed=0, n_classes=5):
    """Rows, labels of which a share is wrong, and clean rows for testing."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    cuts = np.sqrt(1.09) * np.array([-0.8416, -0.2533, 0.2533, 0.8416])  # quintiles of the score

    def draw(n):
        X = rng.normal(size=(n, d))
        return X, np.digitize(X @ w + 0.3 * rng.normal(size=n), cuts)

    (X, y), clean = draw(n), draw(20_000)
    rows = rng.choice(n, int(wrong * n), replace=False)
    y[rows] = (y[rows] + rng.integers(1, n_classes, rows.size)) % n_classes
    return X, y, clean


def model_of(name, parameters):
    if name == "csvor":
        from csvor import CSVOR

        return CSVOR(**parameters)
    if name in ("CSVOR", "SVOREX"):
        import csvor

        return getattr(csvor, name)(**parameters)
    if name == "LinearSVC":
        from sklearn.svm import LinearSVC

        return LinearSVC()
    if name == "LogisticRegression":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression()
    if name == "mord LogisticAT":
        from mord import LogisticAT

        return LogisticAT()
    if name == "skordinal SVOREX":
        from skordinal.classifiers import SVOR

        return SVOR(constraints="explicit")
    raise ValueError(name)


class OLS:
    def fit(self, X, y):
        self.coef_ = np.linalg.solve(X.T @ X, X.T @ y)

    def predict(self, X):
        return np.clip(np.rint(X @ self.coef_ + 2.0), 0, 4)


class OrderedProbit:
    """statsmodels' OrderedModel."""

    def fit(self, X, y):
        from statsmodels.miscmodels.ordinal_model import OrderedModel

        self.result = OrderedModel(y, X, distr="logit").fit(method="bfgs", disp=False)

    def predict(self, X):
        return self.result.predict(X).argmax(axis=1)


def one(job):
    """Seconds of the fits of a method (least and median), and what they reached."""
    X, y, (X_test, y_test) = problem(job["n"], job["d"], job.get("wrong", 0.1))
    X = X.astype(job.get("dtype", "float64"))
    name, parameters = job["method"], job.get("parameters", {})
    make = {"OLS": OLS, "statsmodels": OrderedProbit}.get(name)
    make = make or (lambda: model_of(name, parameters))
    target = y - 2.0 if name == "OLS" else y
    make().fit(X[:1000], target[:1000])  # compiled code is read, pages are there
    seconds = []
    for _ in range(job.get("repeat", 3)):
        start = time.perf_counter()
        model = make()
        model.fit(X, target)
        seconds.append(time.perf_counter() - start)
    found = {"least": min(seconds), "median": float(np.median(seconds))}
    found["error"] = float(np.mean(np.asarray(model.predict(X_test)) != y_test))
    if name == "csvor":
        found["iterations"] = int(model.n_iter_)
        if job.get("gap", False):
            # The same sample and start, and all the iterations that lower anything.
            best = model_of("csvor", {**parameters, "tol": 1e-9, "max_iter": 3000}).fit(X, y)
            found["gap"] = model.objective_ / min(best.objective_, model.objective_) - 1.0
    if job.get("memory", False):
        found["memory"] = memory(name, X, y)
    return found


def memory(method, X, y):
    """Peak of NumPy's memory in a fit, as a share of the size of X."""
    import tracemalloc

    tracemalloc.start()
    model_of(method, {}).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / X.nbytes


def run(limit, **job):
    """`one` in a process of its own; None where it does not end in time."""
    command = [sys.executable, __file__, "--one", json.dumps(job)]
    print(job, file=sys.stderr, flush=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def fits(limit):
    rows = []
    for n, d, wrong, parameters in [
        *[(1_000_000, 10, 0.1, {"p": p}) for p in (1.0, 0.7, 1.5, 2.0)],
        *[(1_000_000, 10, 0.2, {"p": 1.0, "contamination": c}) for c in (0.1, 0.2)],
        *[(200_000, 50, 0.1, {"p": p}) for p in (1.0, 0.7, 1.5, 2.0)],
    ]:
        ols = run(limit, method="OLS", n=n, d=d, repeat=7)["median"]
        job = {"method": "csvor", "n": n, "d": d, "wrong": wrong, "parameters": parameters}
        smooth = parameters["p"] >= 1.0  # for p < 1 the best known takes hours
        found = run(limit, **job, repeat=3 if smooth else 1, gap=smooth)
        if found is None:
            rows.append(
                [f"{n:,}", d, f"{wrong:.0%}", parameters, "-", f"> {limit} s", "-", "-", "-"]
            )
            continue
        took = found["median"]
        gap = f"{found['gap']:.1e}" if "gap" in found else "-"
        given = [f"{n:,}", d, f"{wrong:.0%}", named(parameters)]
        times = [f"{took / ols:.1f}", f"{took:.3f} s", f"{1e3 * ols:.0f} ms"]
        rows.append([*given, *times, found["iterations"], gap])
    head = ["rows", "columns", "wrong", "parameters", "times OLS", "csvor", "OLS", "passes", "gap"]
    return (
        "## A fit in terms of OLS\n\nMedians of 3 and 7 fits. The gap is that of the objective "
        "to the one where nothing falls any more (tol=1e-9, the same start).\n\n"
        + markdown(head, rows)
    )


def named(parameters):
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


def peers(limit):
    rows = []
    for n in (5_000, 200_000):
        ours = run(limit, method="csvor", n=n, d=10, repeat=5)
        rows.append(
            [f"{n:,}", "csvor", f"{1e3 * ours['median']:.1f} ms", 1, f"{ours['error']:.3f}"]
        )
        for name in PEERS:
            if n > MOST_ROWS.get(name, n):
                continue
            found = run(limit, method=name, n=n, d=10, repeat=1)
            if found is None:
                rows.append([f"{n:,}", name, f"> {limit} s", "-", "-"])
                continue
            ratio = found["median"] / ours["median"]
            took = f"{1e3 * found['median']:.1f} ms"
            rows.append([f"{n:,}", name, took, f"{ratio:.1f}", f"{found['error']:.3f}"])
    head = ["rows", "method", "time", "times csvor", "error on clean labels"]
    return "## Beside peers\n\n10 columns, default settings.\n\n" + markdown(head, rows)


def small(limit):
    rows = []
    for n, d in ((150, 13), (600, 9), (5_000, 10), (20_000, 10)):
        cells = [run(limit, method="csvor", n=n, d=d, repeat=15, parameters={"p": p})
                 for p in (1.0, 0.7, 1.5, 2.0)]  # fmt: skip
        rows.append([f"{n:,}", d, *[f"{1e3 * cell['median']:.1f} ms" for cell in cells]])
    head = ["rows", "columns", "p = 1", "p = 0.7", "p = 1.5", "p = 2"]
    return "## Small fits\n\nMedians of 15 fits.\n\n" + markdown(head, rows)


GROWTH = ("csvor", "OLS", "LinearSVC", "LogisticRegression", "mord LogisticAT", "statsmodels",
          "skordinal SVOREX")  # fmt: skip


def growth(limit):
    sizes = [2**k for k in range(10, 23)]
    times = {name: until_too_slow(name, sizes, limit) for name in GROWTH}
    draw_growth(sizes, times)
    ours = times["csvor"]
    steps = ["", *[f"{b / a:.2f}" for a, b in pairwise(ours)]]
    rows = []
    for i, (n, step) in enumerate(zip(sizes, steps, strict=True)):
        took = [f"{1e3 * t[i]:.3g} ms" if i < len(t) else "" for t in times.values()]
        rows.append([f"{n:,}", step, *took])
    head = ["rows", "csvor: times the row above", *times]
    return (
        "## Growth\n\n10 columns, default settings; least of 3 fits. A method ends where the next "
        f"size would take more than {limit / 4:.0f} s.\n\n" + markdown(head, rows)
    )


def until_too_slow(name, sizes, limit):
    times = []
    for n in sizes:
        if n > MOST_ROWS.get(name, n):
            break
        found = run(limit, method=name, n=n, d=10, repeat=3)
        if found is None:
            break
        times.append(found["least"])
        if 2 * found["least"] > limit / 4:
            break
    return times


def draw_growth(sizes, times):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4.2), layout="constrained")
    # Okabe and Ito's colours, and a mark of its own for each.
    looks = zip(
        ("#D55E00", "#000000", "#0072B2", "#56B4E9", "#009E73", "#CC79A7", "#E69F00"),
        ("o-", "k--", "s-", "^-", "D-", "v-", "P-"),
        strict=True,
    )
    for (name, seconds), (colour, style) in zip(times.items(), looks, strict=True):
        width = 2.4 if name == "csvor" else 1.2
        axes.loglog(sizes[: len(seconds)], seconds, style, color=colour, label=name, lw=width, ms=4)
    axes.set(xlabel="rows (10 columns)", ylabel="seconds for a fit")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(Path(__file__).parents[1] / "docs" / "images" / "growth.png", dpi=150)


def memory_rows(limit):
    rows = []
    for n, d, dtype, method in (
        (4_000_000, 10, "float64", "CSVOR"),
        (4_000_000, 10, "float64", "SVOREX"),
        (1_000_000, 20, "float32", "CSVOR"),
        (1_000_000, 20, "float32", "SVOREX"),
    ):
        found = run(limit, method=method, n=n, d=d, dtype=dtype, repeat=1, memory=True)
        took = f"{found['least']:.2f} s"
        rows.append([f"{n:,}", d, dtype, method, f"{found['memory']:.2f}", took])
    head = ["rows", "columns", "numbers", "method", "peak beyond X and y, times X", "a fit"]
    return "## Memory\n\n" + markdown(head, rows)


def imports(limit):
    def least(code):
        times = []
        for _ in range(5):
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
            times.append(float(done.stdout))
        return min(times)

    clock = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
    fit = (
        "import time, numpy as np; from csvor import CSVOR; X = np.arange(200.0).reshape(100, 2); "
        "y = np.repeat([0, 1], 50); a = time.perf_counter(); CSVOR().fit(X, y); "
        "b = time.perf_counter(); CSVOR().fit(X, y); print(2 * b - a - time.perf_counter())"
    )
    rows = [
        ["import csvor", f"{least(clock.format('import csvor')):.2f} s"],
        ["from csvor import CSVOR", f"{least(clock.format('from csvor import CSVOR')):.2f} s"],
        ["first fit less the second, in a new process", f"{least(fit):.2f} s"],
    ]
    return "## Start\n\nLeast of 5.\n\n" + markdown(["what", "time"], rows)


PARTS = {
    "fit": fits,
    "peers": peers,
    "small": small,
    "growth": growth,
    "memory": memory_rows,
    "import": imports,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one method")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options.one)))
        return
    parts = [PARTS[name](options.limit) for name in options.only.split(",")]
    packages = ("csvor", "scikit-learn", "numba", "mord", "statsmodels", "skordinal")
    text = "\n\n".join(
        ["# Speed", *parts, f"`python benchmarks/speed.py` with\n{versions(*packages)}; "
         f"{len(os.sched_getaffinity(0))} cores."]
    )  # fmt: skip
    write_result("speed", text + "\n")


if __name__ == "__main__":
    main()
