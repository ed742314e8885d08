"""After a review by somebody who errs never: do the intervals hold what is left, and what comes?

    python benchmarks/review_loop.py [--draws 20] [--jobs 2]

Generated sets of 600 to 1 000 rows and five classes. Those that the audit names, or the 40 most
suspect rows, are looked at and set right, and the rest is audited with `confirmed` and `original`,
by csvor's own models. In a tenth as many draws errors are of one or two classes instead of
any. Fewer draws are printed only.
"""

import argparse
from collections import defaultdict
from itertools import product

import numpy as np
from dirty import versions, write_result
from joblib import Parallel, delayed

from csvor import audit_labels

# Rows, noise of the score, share of wrong labels.
SETS = {
    "sharp": (800, 0.15, 0.1),
    "mid": (800, 0.5, 0.1),
    "noisy": (1000, 1.2, 0.1),
    "few errors": (600, 0.5, 0.04),
    "many errors": (800, 0.5, 0.2),
}
REVIEWS = ("flagged rows", "first 40")
DRAWS = 20


def problem(name, seed):
    """Features, true labels and labels; errors of odd seeds are of one or two classes."""
    n, noise, share = SETS[name]
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    score = X @ [2, 1, -1, 0.5, 0] + 0.8 * np.sin(2 * X[:, 0]) + noise * rng.logistic(size=n)
    truth = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    y, rows = truth.copy(), rng.choice(n, int(share * n), replace=False)
    if seed % 2 == 0:
        y[rows] = (truth[rows] + rng.integers(1, 5, rows.size)) % 5
        return X, truth, y
    steps = rng.choice([-2, -1, 1, 2], rows.size)
    y[rows] = np.clip(truth[rows] + steps, 0, 4)
    same = y[rows] == truth[rows]
    y[rows[same]] = np.clip(truth[rows[same]] - steps[same], 0, 4)
    return X, truth, y


def reviewed(name, seed):
    """For each review of some rows, what its audit says and what is so."""
    X, truth, y = problem(name, seed)
    first = audit_labels(X, y, models="own")
    answers = {}
    for review, rows in zip(
        REVIEWS, (np.flatnonzero(first.flagged), first.order[:40]), strict=True
    ):
        if not rows.size:
            continue
        known = np.isin(np.arange(y.size), rows)
        after = np.where(known, truth, y)
        audit = audit_labels(X, after, models="own", confirmed=known, original=y)
        answers[review] = judged(audit, after != truth, max(10, rows.size))
    return answers


def judged(audit, wrong, again):
    """Whether each interval holds, and how wide it is."""
    left, low, high = wrong.sum(), audit.low * audit.n_judged, audit.high * audit.n_judged
    cells = [(np.floor(low) <= left <= np.ceil(high), high - low)]
    for n in (20, 40, 100, again):
        errors, among = audit.expected_errors(n), wrong[audit.order[:n]].sum()
        cells.append((errors.low <= among <= errors.high, errors.high - errors.low))
        behind = errors.left_low, errors.left_high
        cells.append((behind[0] <= left - among <= behind[1], behind[1] - behind[0]))
    return cells


def table(answers):
    """Coverage and mean width of each interval, by errors, set and review."""
    spans = ("20", "40", "100", "as many again")
    heads = ["left", *(f"{part} {n}" for n in spans for part in ("next", "after"))]
    lines = [f"| errors | set | review | cases | {' | '.join(heads)} |", "|---" * 13 + "|"]
    for (kind, name, review), cells in answers.items():
        means = np.mean(np.array(cells, dtype=float), axis=0)
        texts = [f"{held:.2f} ({width:.0f})" for held, width in means]
        lines.append(f"| {kind} | {name} | {review} | {len(cells)} | {' | '.join(texts)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    seeds = [*range(0, 2 * options.draws, 2), *range(1, 2 * (options.draws // 10), 2)]
    cells = list(product(SETS, seeds))
    found = Parallel(n_jobs=options.jobs)(delayed(reviewed)(*cell) for cell in cells)
    answers = defaultdict(list)
    for (name, seed), both in zip(cells, found, strict=True):
        kind = "a class or two" if seed % 2 else "any class"
        for review, one in both.items():
            answers[kind, name, review].append(one)
            answers[kind, "all", "both"].append(one)
    text = f"# The reviewer's loop\n\n{versions('scikit-learn')}.\n\n"
    text += "Of 95 % intervals the share that holds what is so, and the mean width in rows.\n\n"
    text += table(dict(sorted(answers.items())))
    if options.draws == DRAWS:
        write_result("review_loop", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
