"""One of five raters is unlike the others: what does an audit say that knows who labelled what?

    python benchmarks/one_rater_apart.py [--draws 4] [--jobs 2]

Each row of five sets (at most 1 000 rows) has one label, by one of five raters at random. Fewer
draws are printed only.
"""

import argparse
import sys
import time
import warnings
from itertools import product

import numpy as np
import pandas as pd
from dirty import load, markdown, versions, write_result
from joblib import Parallel, delayed
from sklearn.metrics import average_precision_score

from csvor import audit_labels

SETS = ("stock", "balance_scale", "esl", "housing", "computer")
KINDS = ("clean", "too high", "half too high", "careless")
N_RATERS, MOST_ROWS, DRAWS = 5, 1_000, 4


def problem(name, kind, draw):
    """Features, true classes, labels and raters; the first rater is apart."""
    X, truth = load(name)
    if truth.size > MOST_ROWS:
        rows = np.random.default_rng(draw).choice(truth.size, MOST_ROWS, replace=False)
        X, truth = X[rows], np.unique(truth[rows], return_inverse=True)[1]
    rng = np.random.default_rng(100 + draw)
    raters, y = rng.integers(0, N_RATERS, truth.size), truth.copy()
    part = {"clean": 0.0, "too high": 1.0, "half too high": 0.5, "careless": 0.3}[kind]
    rows = (raters == 0) & (rng.random(truth.size) < part)
    y[rows] = np.minimum(truth[rows] + 1, truth.max())
    if kind == "careless":
        y[rows] = rng.integers(0, truth.max() + 1, rows.sum())
    return X, truth, y, raters


def measured(name, kind, draw):
    """What an audit says with raters, and without."""
    warnings.simplefilter("ignore")
    X, truth, y, raters = problem(name, kind, draw)
    wrong, found = y != truth, {"set": name, "kind": kind, "draw": draw}
    found |= {"true": wrong.mean(), "wrong": wrong.sum(), "rows": y.size}
    for who, known in (("", raters), ("without ", None)):
        start = time.process_time()
        audit = audit_labels(X, y, raters=known, random_state=draw)
        found |= {
            f"{who}share": audit.share, f"{who}low": audit.low, f"{who}high": audit.high,
            f"{who}named": audit.named, f"{who}promised": audit.expected_right,
            f"{who}right": wrong[audit.flagged].sum(), f"{who}time": time.process_time() - start,
            f"{who}precision": np.nan,
        }  # fmt: skip
        if wrong.any():
            found[f"{who}precision"] = average_precision_score(wrong, audit.probability)
        if known is not None:
            table = audit.raters
            found |= {"shift": table.shift[0], "careless": table.careless[0]}
            found["others apart"] = np.setdiff1d(table.apart, [0]).size
    print(name, kind, draw, f"{found['time']:.0f} s", file=sys.stderr, flush=True)
    return found


def report(table):
    """A row for each set and kind, in the mean over draws."""
    table["covers"] = table["true"].between(table["low"] - 1e-9, table["high"] + 1e-9)
    rows = []
    for (name, kind), draws in table.groupby(["set", "kind"], sort=False):
        mean = draws.drop(columns=["set", "kind"]).mean()
        rows.append(
            [
                name, kind, f"{mean['true']:.3f}",
                f"{mean['share']:.3f} ({mean['low']:.3f} to {mean['high']:.3f})",
                f"{draws['covers'].sum()} of {len(draws)}",
                f"{mean['named']:.1f} / {mean['promised']:.1f} / {mean['right']:.1f}",
                f"{mean['right'] / mean['wrong']:.0%}" if mean["wrong"] else "",
                f"{mean['precision']:.3f}" if mean["wrong"] else "",
                f"{mean['without precision']:.3f}" if mean["wrong"] else "",
                f"{mean['without share']:.3f}", f"{mean['shift']:+.2f}", f"{mean['careless']:.2f}",
                int(draws["others apart"].sum()),
            ]
        )  # fmt: skip
    head = ["set", "errors", "true", "share", "covers", "flagged / promised / right", "found",
            "precision", "without raters", "share without", "his shift", "his careless share",
            "others told apart"]  # fmt: skip
    return f"""# One of five raters is unlike the others

Each row has one label. The first rater gives a class too high (the top class stays), does so in
half of his rows, or labels 30 % of his rows at random; or nothing is wrong. Precision is the
average precision of the ranking; `without raters` is the same audit that does not know who they
are. Means over {table["draw"].nunique()} draws.

{markdown(head, rows)}

An audit takes {table["time"].median():.1f} s of processor time in the median,
{table["without time"].median():.1f} s without raters.

`python benchmarks/one_rater_apart.py` with
{versions("csvor", "scikit-learn", "numpy")}.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    todo = product(SETS, KINDS, range(asked.draws))
    found = Parallel(asked.jobs)(delayed(measured)(*cell) for cell in todo)
    text = report(pd.DataFrame(found))
    if asked.draws == DRAWS:
        write_result("one_rater_apart", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
