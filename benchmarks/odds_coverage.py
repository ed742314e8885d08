"""Coefficients where labels are wrong: bias, error and coverage of 95 % intervals.

    python benchmarks/odds_coverage.py CACHE [--draws 400] [--only 300] [--rorm FOLDER]

benchmarks/README.md says what is measured. Each cell is kept in the folder CACHE; from those that
are there results/odds_coverage.md and docs/images/odds_coverage.png are written. `csvor.clm` is
the model without wrong labels. Where Rscript and R's package ordinal are there, ordinal::clm gets
the same draws; statsmodels some of them; with a copy of github.com/t-momozaki/RORM, density power.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
import warnings
from itertools import product
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from dirty import ROOT, markdown, versions, write_result

from csvor import OrdinalRegression

BETA, CUTS, K = np.array([1.5, -1.0, 0.5, 0.0]), np.array([-2.0, -0.7, 0.7, 2.0]), 5
SIZES = (300, 1_000, 3_000)
KINDS = (
    ("none", 0.0), ("any", 0.05), ("any", 0.1), ("any", 0.2), ("beside", 0.1), ("rater", 0.1),
)  # fmt: skip
KIND_NAMES = {"any": "any class", "beside": "beside", "rater": "one rater"}
NAMES = [f"x{j}" for j in range(4)]
# Of a cell, for those that take long.
STATSMODELS, RORM = 40, 20


def draw(n, kind, wrong, seed):
    """Features, labels and raters; the first of ten raters is too high by a class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y, raters = np.digitize(X @ BETA + rng.logistic(size=n), CUTS), rng.integers(0, 10, n)
    rows = rng.choice(n, int(wrong * n), replace=False)
    if kind == "any":
        y[rows] = (y[rows] + rng.integers(1, K, rows.size)) % K
    elif kind == "beside":
        step = rng.choice([-1, 1], rows.size)
        step[y[rows] == 0], step[y[rows] == K - 1] = 1, -1
        y[rows] += step
    elif kind == "rater":
        y = np.where(raters == 0, np.minimum(y + 1, K - 1), y)
    return X, y, raters


def line(method, seed, estimate, error, seconds, share=np.nan, p=np.nan):
    """What one fit says."""
    numbers = {f"b{j}": b for j, b in enumerate(estimate)} | {
        f"e{j}": e for j, e in enumerate(error)
    }
    return {"method": method, "draw": seed, **numbers, "seconds": seconds, "share": share, "p": p}


def of_csvor(method, seed, X, y, wrong, raters=None):
    """A fit of `OrdinalRegression`; a failure has a line without numbers."""
    start = time.process_time()
    try:
        model = OrdinalRegression(wrong=wrong).fit(X, y, raters=raters)
    except ValueError as error:
        return line(method, seed, [np.nan] * 4, [np.nan] * 4, np.nan) | {"error": str(error)}
    seconds = time.process_time() - start
    at = [model.parameter_names_.index(name) for name in NAMES]
    errors = np.sqrt(np.diag(model.covariance_))[at]
    p = np.nan if wrong == 0 else model.summary().wrong["p"]
    return line(method, seed, model.coef_, errors, seconds, model.wrong_share_, p)


def of_statsmodels(seed, X, y):
    """A fit of statsmodels' OrderedModel."""
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    start = time.process_time()
    fit = OrderedModel(y, X, distr="logit").fit(method="bfgs", disp=False)
    return line("statsmodels", seed, fit.params[:4], fit.bse[:4], time.process_time() - start)


def of_r(draws, folder, powers=()):
    """Fits of R for many draws."""
    with tempfile.TemporaryDirectory() as temporary:
        table, fits = Path(temporary, "draws.csv"), Path(temporary, "fits.csv")
        frames = [pd.DataFrame(X, columns=NAMES).assign(draw=seed, y=y + 1) for seed, X, y in draws]
        pd.concat(frames).to_csv(table, index=False)
        call = ["Rscript", str(ROOT / "benchmarks/r_rivals.R"), str(table), str(fits)]
        call += [str(folder), *map(str, powers)] if powers else []
        subprocess.run(call, check=True)
        fits = pd.read_csv(fits)
    lines = []
    for (seed, method), fit in fits[fits["parameter"].isin(NAMES)].groupby(["draw", "method"]):
        fit = fit.set_index("parameter").loc[NAMES]
        name = "ordinal::clm" if method == "clm" else method
        lines.append(line(name, seed, fit["estimate"], fit["se"], fit["seconds"].iloc[0]))
    return lines


def cell(n, kind, wrong, n_draws, rorm):
    """All fits of a cell."""
    lines, draws = [], [draw(n, kind, wrong, seed) for seed in range(n_draws)]
    for seed, (X, y, raters) in enumerate(draws):
        lines += [
            of_csvor("csvor", seed, X, y, "auto"),
            of_csvor("csvor, none wrong", seed, X, y, 0),
        ]
        if kind == "rater":
            lines.append(of_csvor("csvor, raters", seed, X, y, "auto", raters))
        if seed < STATSMODELS:
            lines.append(of_statsmodels(seed, X, y))
    if shutil.which("Rscript"):
        listed = [(seed, X, y) for seed, (X, y, _) in enumerate(draws)]
        lines += of_r(listed, rorm)
        if rorm and n == 1_000:
            power = of_r(listed[:RORM], rorm, (0.5,))
            lines += [fit for fit in power if fit["method"] != "ordinal::clm"]
    return pd.DataFrame(lines).assign(n=n, kind=kind, wrong=wrong)


def measured(fits):
    """A line for each method of each cell."""
    b, e = (fits[[f"{name}{j}" for j in range(4)]].to_numpy() for name in "be")
    fits = fits.assign(
        failed=np.isnan(b).any(axis=1), rejects=(fits["p"] < 0.05).where(~fits["p"].isna())
    )
    for j in range(4):
        fits[f"bias{j}"] = b[:, j] - BETA[j]
        fits[f"covers{j}"] = np.where(
            np.isnan(e[:, j]), np.nan, np.abs(b[:, j] - BETA[j]) <= 1.959964 * e[:, j]
        )
    keys = ["n", "kind", "wrong", "method"]
    numbers = [c for c in fits.columns if c[:4] in ("bias", "cove")] + [f"e{j}" for j in range(4)]
    table = fits.groupby(keys, sort=False)[
        [*numbers, "share", "rejects", "seconds", "failed"]
    ].mean()
    table["rmse"] = np.sqrt(
        (fits[[f"bias{j}" for j in range(4)]] ** 2)
        .mean(axis=1)
        .groupby([fits[k] for k in keys], sort=False)
        .mean()
    )
    table["draws"] = fits.groupby(keys, sort=False).size()
    return table.reset_index()


def report(table):
    """The tables of results/odds_coverage.md."""
    rows = []
    for _, t in table.iterrows():
        plain = table[
            (table["n"] == t["n"])
            & (table["kind"] == t["kind"])
            & (table["wrong"] == t["wrong"])
            & (table["method"] == "csvor, none wrong")
        ]
        wider = [t[f"e{j}"] / plain[f"e{j}"].iloc[0] for j in range(4)]
        size = f"{t['n']:,}".replace(",", " ")
        rows.append([
            size, t["kind"], f"{t['wrong']:.0%}", t["method"], t["draws"],
            " ".join(f"{t[f'bias{j}']:+.2f}" for j in range(4)), f"{t['rmse']:.3f}",
            " ".join(f"{t[f'covers{j}']:.1%}" for j in range(4)),
            " ".join(f"{w:.2f}" for w in wider),
            "" if np.isnan(t["share"]) else f"{t['share']:.3f}",
            "" if np.isnan(t["rejects"]) else f"{t['rejects']:.1%}",
            f"{1e3 * t['seconds']:.0f}", f"{t['failed'] * t['draws']:.0f}" if t["failed"] else "",
        ])  # fmt: skip
    head = ["rows", "wrong labels", "share", "method", "draws", "bias", "error", "coverage",
            "errors by plain", "share told", "test rejects", "ms", "failed"]  # fmt: skip
    return f"""# Coefficients where labels are wrong

Five classes, coefficients 1.5, -1, .5 and 0 of four normal columns. Labels are changed to any other
class, to a class beside, or one of ten raters is a class too high. Of each method: bias of the four
coefficients, root mean squared error over them, share of draws in which the 95 % interval holds the
truth, standard errors beside those of the same draws with all labels taken to be right, the share
of wrong labels that is told, how often "no wrong labels" is refused at 5 %, processor time.

{markdown(head, rows)}

`python benchmarks/odds_coverage.py` with {versions("csvor", "numpy", "scipy", "statsmodels")}.
"""


def picture(table):
    """Bias, error and coverage of the largest coefficient in each cell, for each method."""
    import matplotlib.pyplot as plt

    looks = {
        "csvor": ("#0072B2", "o", "-"), "csvor, raters": ("#009E73", "^", "-"),
        "ordinal::clm": ("#D55E00", "s", "--"), "density power 0.5": ("#CC79A7", "D", ":"),
    }  # fmt: skip
    what = {
        "bias0": "bias of a coefficient of 1.5", "rmse": "root mean squared error of all four",
        "covers0": "95 % intervals that hold it",
    }  # fmt: skip
    ticks = ["none", *(f"{wrong:.0%}\n{KIND_NAMES[kind]}" for kind, wrong in KINDS[1:])]
    figure, axes = plt.subplots(
        3, 3, figsize=(9.5, 7), sharex=True, sharey="row", layout="constrained"
    )
    for (i, (column, name)), (k, n) in product(enumerate(what.items()), enumerate(SIZES)):
        axis = axes[i, k]
        for method, (colour, marker, dash) in looks.items():
            of = table[(table["n"] == n) & (table["method"] == method)]
            at = [KINDS.index(cell) for cell in of[["kind", "wrong"]].itertuples(index=False)]
            axis.plot(at, of[column], color=colour, marker=marker, ls=dash, ms=5, label=method)
        if column == "covers0":
            axis.axhspan(0.93, 0.97, color="#999999", alpha=0.3, lw=0)
            axis.set_xlabel("labels changed")
        elif column == "bias0":
            axis.axhline(0.0, color="#999999", lw=0.8)
            axis.set_title(f"{n:,} rows".replace(",", " "), fontsize=9)
        axis.set_xticks(range(len(KINDS)), ticks, fontsize=7)
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_ylabel(name if k == 0 else "", fontsize=8)
    handles = {
        line.get_label(): line
        for axis in axes.flat
        for line in axis.lines
        if len(line.get_xdata()) and line.get_label() in looks
    }
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper center", ncols=4, frameon=False
    )
    figure.savefig(ROOT / "docs" / "images" / "odds_coverage.png", dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cache", type=Path)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--only", type=int)
    parser.add_argument("--rorm", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    asked.cache.mkdir(parents=True, exist_ok=True)
    cells = []
    for n, (kind, wrong) in product(SIZES, KINDS):
        kept = asked.cache / f"{n}_{kind}_{wrong}_{asked.draws}.csv"
        if not kept.exists() and asked.only in (None, n):
            cell(n, kind, wrong, asked.draws, asked.rorm).to_csv(kept, index=False)
            print(kept.name, flush=True)
        if kept.exists():
            cells.append(pd.read_csv(kept))
    table = measured(pd.concat(cells))
    write_result("odds_coverage", report(table))
    picture(table)


if __name__ == "__main__":
    main()
