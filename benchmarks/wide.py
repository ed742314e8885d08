"""Fits with many columns beside logistic regression: times, objectives and certified gaps.

    python benchmarks/wide.py [--repeats 3]

Each ratio is of runs in turn on one thread; times are medians. The objective by re-weighting, the
other policy, is given where that takes no more than some seconds.
"""

import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import warnings

import numpy as np
from dirty import markdown, versions, write_result
from sklearn.linear_model import LogisticRegression

from csvor import CSVOR, SVOREX, SVORIM

SIZES = ((2_000, 384), (5_000, 768), (20_000, 384))
# The same in float32.
LARGE = (50_000, 768)
STRENGTHS = (0.01, 1.0)
# Numbers of X up to which re-weighting is run too.
OTHER = 1_000_000
# Sizes from which the choice of the policy was made.
GRID = ((500, 32), (500, 64), (500, 128), (5_000, 32), (5_000, 64), (5_000, 128), (20_000, 64))


def embedded(n, d, seed=0):
    """Rows of d columns from 20 hidden ones, five even classes, a tenth of the labels at random."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, 20))
    X = hidden @ rng.normal(size=(20, d)) / np.sqrt(20) + 0.5 * rng.normal(size=(n, d))
    score = hidden @ rng.normal(size=20) / 4.5 + 0.3 * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 5, n), y)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def by_re_weighting(model, X, y):
    """The model fitted the other way."""
    import csvor._objective.minimise as policy  # here: another version has no such module

    columns, policy._COLUMNS = policy._COLUMNS, X.shape[1] + 1
    try:
        return model.fit(X, y)
    finally:
        policy._COLUMNS = columns


def by_multipliers(model, X, y):
    import csvor._objective.minimise as policy

    kept, policy._COLUMNS, policy._ROWS = (policy._COLUMNS, policy._ROWS), 1, np.inf
    try:
        return model.fit(X, y)
    finally:
        policy._COLUMNS, policy._ROWS = kept


def timed(fit, *arguments):
    start = time.perf_counter()
    found = fit(*arguments)
    return time.perf_counter() - start, found


def at_cap(model, X, y, epsilon):
    """The capped objective of a fit under a cap of another one."""
    losses = model.C * np.minimum(model.residuals(X, y), epsilon).sum()
    return 0.5 * model.coef_ @ model.coef_ + losses


def beside_logistic_regression(repeats):
    """A row for each size and C."""
    for n, d in (*SIZES, LARGE):
        X, y = embedded(n, d)
        X = X.astype(np.float32) if (n, d) == LARGE else X
        for C in STRENGTHS:
            models = (LogisticRegression(C=C, max_iter=2000), CSVOR(C), SVOREX(C))
            runs = [[timed(model.fit, X, y)[0] for model in models] for _ in range(repeats)]
            seconds = np.array(runs)
            peer, ours, slacks = np.median(seconds, axis=0)
            _, model, explicit = models
            row = [
                f"{n} x {d}", str(X.dtype), f"{C:g}", f"{peer:.2f} s", f"{ours:.2f} s",
                f"{np.median(seconds[:, 1] / seconds[:, 0]):.1f}", model.n_iter_,
                f"{model.gap_:.0e}", f"{slacks:.2f} s", f"{explicit.gap_:.0e}",
            ]  # fmt: skip
            if n * d <= OTHER:
                other_seconds, other = timed(by_re_weighting, CSVOR(C), X, y)
                ends = [at_cap(m, X, y, other.epsilon_) for m in (model, other)]
                row += [f"{other_seconds:.1f} s", f"{ends[0] / ends[1] - 1.0:+.2%}"]
            else:
                row += ["", ""]
            print(row, flush=True)
            yield row


def by_both_policies():
    """Seconds of both policies, and where they end, on sizes about the choice."""
    for n, d in GRID:
        X, y = embedded(n, d, seed=n + d)
        row = [f"{n} x {d}"]
        for model in (CSVOR(0.01), CSVOR(1.0), SVORIM(1.0)):
            old, one = timed(by_re_weighting, model, X, y)
            reached = one.objective_
            new, other = timed(by_multipliers, model, X, y)
            row += [f"{old:.2f} / {new:.2f} s", f"{other.objective_ / reached - 1.0:+.1e}"]
        print(row, flush=True)
        yield row


def report(repeats):
    head = [
        "rows x columns", "numbers", "C", "LogisticRegression", "CSVOR", "ratio", "Newton steps",
        "gap_", "SVOREX", "its gap_", "CSVOR by re-weighting", "objective at its cap",
    ]  # fmt: skip
    grid = ["rows x columns"]
    for name in ("CSVOR, C = 0.01", "CSVOR, C = 1", "SVORIM, C = 1"):
        grid += [name, "objective"]
    return f"""# Many columns

Generated embeddings: 20 hidden columns and noise, five even classes, a tenth of the labels at
random. One thread, p = 1, contamination 0.1; logistic regression by lbfgs with the same C. Medians
of {repeats} runs, each model in turn. `gap_` is certified, tol is 1e-6. The objective of CSVOR less
that of re-weighting is at the cap that re-weighting found, relative.

{markdown(head, list(beside_logistic_regression(repeats)))}

The choice of the policy: seconds by re-weighting (SVORIM: by smoothing) / by multipliers, and the
relative difference of the objectives reached (trimmed loss: local optima).

{markdown(grid, list(by_both_policies()))}

`python benchmarks/wide.py --repeats {repeats}` with
{versions("csvor", "scikit-learn")}.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of iterations, which re-weighting runs out of
    for model in (CSVOR(), SVOREX(), SVORIM()):  # compiled before anything is timed
        for fit in (by_re_weighting, by_multipliers):
            fit(model, *embedded(600, 70))
            fit(model, *embedded(12_000, 40))
    write_result("wide", report(given.repeats))


if __name__ == "__main__":
    main()
