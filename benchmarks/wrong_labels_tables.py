"""The tables of `wrong_labels.py`, and whether what was to be reached is."""

from itertools import product

import pandas as pd
from dirty import markdown
from wrong_labels_cell import CLASSIFIERS, ONE_RATER, RANKINGS

LEVELS = (0.0, 0.05, 0.1, 0.2)
PERCENT = [f"{level:.0%}" for level in LEVELS]
KINDS = ("neighbour", "mirrored", "one class", *ONE_RATER)
KIND_SETS, KIND_LEVEL = ("stock", "balance_scale", "esl", "housing"), 0.1
# The average precision to reach with 10 and with 20 % wrong labels.
PRECISION = {
    "newthyroid": (0.98, 0.98),
    "esl": (0.87, 0.89),
    "lev": (0.62, 0.72),
    "balance_scale": (0.98, 0.98),
    "housing": (0.75, 0.80),
    "stock": (0.92, 0.95),
    "swd": (0.60, 0.67),
    "era": (0.34, 0.54),
    "machine": (0.69, 0.76),
    "computer": (0.67, 0.76),
    "bank": (0.88, 0.90),
    "cal_housing": (0.52, 0.64),
}
SETS = tuple(PRECISION)
# How far the share may be off in the mean, by level.
OFF = (0.01, 0.02, 0.025, 0.035)
# Which share may be flagged where nothing is wrong; more where classes overlap most.
FLAGGED, NOISY, FLAGGED_NOISY = 0.01, ("lev", "era", "cal_housing"), 0.04
COVERED, KEPT = 0.85, 0.15
# Where errors to a neighbouring class can be told: the share found is to lie between these.
SHARP, SHARE_BESIDE = ("stock", "balance_scale"), (0.07, 0.12)
WHO = ("", *(f"{short} " for short in CLASSIFIERS))
NAMES = ("csvor", *CLASSIFIERS)


def tabulated(found):
    """One row a cell, with what follows from its figures."""
    table = pd.DataFrame(found)
    table["covers"] = table["truth"].between(table["low"] - 1e-9, table["high"] + 1e-9)
    for who in WHO:
        table[f"{who}off"] = (table[f"{who}share"] - table["truth"]).abs()
    return table


def means(table):
    """Over draws, by set, kind and level; of cleanlab's rankings the best in that mean."""
    found = table.drop(columns="draw").groupby(["name", "kind", "level"], sort=False).mean()
    for short in CLASSIFIERS:
        found[f"{short} precision"] = found[[f"{short} {r}" for r in RANKINGS]].max(axis=1)
    return found


def by_set(mean, show, levels=LEVELS):
    """A row for each set, and in it a cell for each level."""
    there = mean.index.get_level_values("name")
    return [
        [name, *(show(mean.loc[name, "uniform", level]) for level in levels)]
        for name in SETS
        if name in there
    ]


def joined(tables):
    """Rows that begin with the same column, side by side."""
    return [
        [rows[0][0], *(cell for row in rows for cell in row[1:])]
        for rows in zip(*tables, strict=True)
    ]


def shares(mean):
    columns = [by_set(mean, lambda m, who=who: float(m[f"{who}share"])) for who in WHO]
    head = ["set", *(f"{name} {percent}" for name in NAMES for percent in PERCENT)]
    return markdown(head, joined(columns))


def intervals(mean):
    def show(m):
        return f"{m['low']:.3f} to {m['high']:.3f}, {m['covers']:.0%}"

    return markdown(["set", *PERCENT], by_set(mean, show))


def answer(m):
    """Flagged, promised and right."""
    return f"{m['flagged']:.1f} / {m['promised']:.1f} / {m['right']:.1f}"


def flags(mean):
    def beside(short):
        return lambda m: f"{m[f'{short} flagged']:.0f} / {m[f'{short} right']:.0f}"

    others = [by_set(mean, beside(short), (0.0, 0.1)) for short in CLASSIFIERS]
    head = ["set", *PERCENT, *(f"{short} {p}" for short in CLASSIFIERS for p in ("0%", "10%"))]
    return markdown(head, joined([by_set(mean, answer), *others]))


def precisions(mean):
    columns = [by_set(mean, lambda m, w=who: float(m[f"{w}precision"]), LEVELS[1:]) for who in WHO]
    goals = [[row[0], "{:.2f} / {:.2f}".format(*PRECISION[row[0]])] for row in columns[0]]
    head = [f"{name} {percent}" for name in NAMES for percent in PERCENT[1:]]
    return markdown(["set", *head, "to reach at 10 / 20%"], joined([*columns, goals]))


def other_kinds(mean):
    rows = []
    for cell in product(KIND_SETS, KINDS, (KIND_LEVEL,)):
        if cell in mean.index:
            m = mean.loc[cell]
            found = f"{m['share']:.3f} ({m['low']:.3f} to {m['high']:.3f})"
            counts = [float(m[f"{short} share"]) for short in CLASSIFIERS]
            precision = [float(m[f"{who}precision"]) for who in WHO]
            rows.append([*cell[:2], float(m["truth"]), found, *counts, answer(m), *precision])
    counts = [f"count {short}" for short in CLASSIFIERS]
    precision = [f"precision {name}" for name in NAMES]
    flagged = "flagged / promised / right"
    return markdown(["set", "kind", "true", "share", *counts, flagged, *precision], rows)


def goals(table, mean):
    """What was to be reached, what was, and what cleanlab did where that can be compared."""
    uniform = mean.xs("uniform", level="kind")
    covered = table.loc[table["kind"] == "uniform", "covers"].mean()
    least = f"at least {COVERED:.0%}"
    rows = [
        *(_off(uniform, level, most) for level, most in zip(LEVELS, OFF, strict=True)),
        *_flagged(uniform.xs(0.0, level="level")["share flagged"]),
        *_kept(uniform),
        ["interval covers the truth", least, f"{covered:.1%}", covered >= COVERED, ""],
        *(_precision(uniform, level, place) for place, level in enumerate((0.1, 0.2))),
        *(row for name in SHARP for row in _beside(mean, name)),
    ]
    for row in rows:
        row[3] = "yes" if row[3] else "**no**"
    return markdown(["what", "to reach", "found", "reached", "cleanlab"], rows)


def _off(uniform, level, most):
    off = uniform.xs(level, level="level").mean()
    beside = ", ".join(f"{short} {off[f'{short} off']:.3f}" for short in CLASSIFIERS)
    what = f"mean distance of share and truth at {level:.0%}"
    return [what, f"at most {most:g}", f"{off['off']:.4f}", off["off"] <= most, beside]


def _flagged(clean):
    noisy = clean.index.isin(NOISY)
    parts = ("other sets", clean[~noisy], FLAGGED), (", ".join(NOISY), clean[noisy], FLAGGED_NOISY)
    for which, part, most in parts:
        if len(part):
            found = f"{part.max():.2%} ({part.idxmax()})"
            yield [
                f"most flagged at 0%: {which}",
                f"at most {most:.0%}",
                found,
                part.max() <= most,
                "",
            ]


def _kept(uniform):
    clean = uniform.index.get_level_values("level") == 0.0
    counted = uniform[~(clean & uniform.index.get_level_values("name").isin(NOISY))]
    whole = counted["promised"].sum() / counted["right"].sum()
    spoilt = uniform[~clean]
    single = (spoilt["promised"] / spoilt["right"]).mean()
    goal = f"1 to within {KEPT:g}"
    yield [
        "promised over right, all rows together",
        goal,
        f"{whole:.3f}",
        abs(whole - 1) <= KEPT,
        "",
    ]
    what = "promised over right, mean over sets and levels but 0%"
    yield [what, goal, f"{single:.3f}", abs(single - 1) <= KEPT, ""]


def _precision(uniform, level, place):
    at = uniform.xs(level, level="level")
    short = [name for name in at.index if at.loc[name, "precision"] < PRECISION[name][place]]
    best = at[[f"{one} precision" for one in CLASSIFIERS]].max(axis=1)
    found = f"{len(at) - len(short)} of {len(at)}" + (f", not {', '.join(short)}" if short else "")
    beside = f"the best of its six is above on {(best > at['precision']).sum()}"
    return [f"sets with their average precision at {level:.0%}", "all", found, not short, beside]


def _beside(mean, name):
    if (name, "neighbour", KIND_LEVEL) not in mean.index:
        return
    m = mean.loc[name, "neighbour", KIND_LEVEL]
    low, high = SHARE_BESIDE
    counts = ", ".join(f"{short} {m[f'{short} share']:.3f}" for short in CLASSIFIERS)
    what = f"{name}, a class beside: share"
    yield [what, f"{low:g} to {high:g}", f"{m['share']:.3f}", low <= m["share"] <= high, counts]
    kept = m["promised"] / m["right"] if m["right"] else float("nan")
    what = f"{name}, a class beside: promised over right"
    yield [what, f"1 to within {KEPT:g}", f"{kept:.3f}", abs(kept - 1) <= KEPT, ""]
