"""How many labels are wrong, and which: `csvor audit` through files, and cleanlab beside it.

    python benchmarks/wrong_labels.py [--draws 4] [--sets stock,esl] [--jobs 2] [--cache FOLDER]

Twelve data sets, of which 0, 5, 10 and 20 % of the labels are changed to another class at random;
four of them also with other kinds of errors. What is done is kept in the cache and not run again
while the code is the same. A part of the sets or draws is printed only; results/wrong_labels.md is
written where nothing is left out. Needs cleanlab.
"""

import argparse
import tempfile
from itertools import product
from pathlib import Path

from dirty import versions, write_result
from joblib import Memory, Parallel, delayed
from wrong_labels_cell import MOST_ROWS, N_RATERS, Cell, code, code_of_csvor, compare, measure
from wrong_labels_tables import (
    KIND_LEVEL,
    KIND_SETS,
    KINDS,
    LEVELS,
    SETS,
    flags,
    goals,
    intervals,
    means,
    other_kinds,
    precisions,
    shares,
    tabulated,
)

DRAWS = 4


def cells(sets, draws):
    """What is measured, in the order of the tables."""
    uniform = product(sets, ("uniform",), LEVELS, range(draws))
    others = product(
        (name for name in KIND_SETS if name in sets), KINDS, (KIND_LEVEL,), range(draws)
    )
    return [Cell(*cell) for cell in (*uniform, *others)]


def report(table, draws):
    """All tables, and how they came about."""
    mean = means(table)
    seconds = table["seconds"]
    return f"""# Wrong labels: how many, and which

`csvor audit FILE --target y --json`, a process for each file, with no other option; and cleanlab
on the same rows. Means over draws 0 to {draws - 1}. A draw takes {MOST_ROWS} rows at random where a
set has more, and changes 0, 5, 10 or 20 % of the labels to another class at random.

cleanlab has 5-fold out-of-fold probabilities of logistic regression (LR) and of histogram gradient
boosting (HGB), features standardised. Its share is `num_label_issues`, what it flags is
`find_label_issues`, and its average precision that of the best of its three rankings
(self-confidence, normalised margin, confidence-weighted entropy) in the mean over the draws.

## What was to be reached

{goals(table, mean)}

"Promised" is how many of the flagged rows should be wrong by the audit's own account
(`expected_right`), "right" how many are. What is flagged at 0 % on lev, era and cal_housing is not
counted there.

## Share of wrong labels

{shares(mean)}

## Interval of the share

Mean ends of the 95 % interval, and in how many of the draws it covers the truth.

{intervals(mean)}

## Rows flagged

csvor: flagged / promised / right. cleanlab: flagged / right.

{flags(mean)}

## Average precision

Of the ranking by probability; chance is the share of wrong labels.

{precisions(mean)}

## Other kinds of errors

- neighbour: 10 % of the labels, moved to a class beside.
- mirrored: 10 %, from the k-th lowest class to the k-th highest; never the class in the middle.
- one class: 10 % of all rows, all from the most frequent class, to any other.
- one rater: the rows are dealt to {N_RATERS} raters at random, and one of them is a class too high
  throughout; the top class stays. With --rater the audit knows who labelled each row.

{other_kinds(mean)}

An audit takes {seconds.median():.1f} s of processor time in the median, the start of the program
and the reading of the file among them.

`python benchmarks/wrong_labels.py` with
{versions("csvor", "cleanlab", "scikit-learn", "skordinal")}.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(SETS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", default=Path(tempfile.gettempdir(), "csvor-wrong-labels"))
    asked = parser.parse_args()
    if unknown := set(asked.sets) - set(SETS):
        parser.error(f"unknown sets {sorted(unknown)}; there are {', '.join(SETS)}")
    keep, todo = Memory(asked.cache, verbose=0).cache, cells(asked.sets, asked.draws)
    found: list[dict] = [{} for _ in todo]
    for work, of_code in ((measure, code_of_csvor()), (compare, code())):
        results = Parallel(asked.jobs)(delayed(keep(work))(cell, of_code) for cell in todo)
        found = [before | after for before, after in zip(found, results, strict=True)]
    text = report(tabulated(found), asked.draws)
    if asked.draws == DRAWS and len(asked.sets) == len(SETS):
        write_result("wrong_labels", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
