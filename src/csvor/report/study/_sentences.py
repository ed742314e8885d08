"""What do the results say, in words?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from csvor._utils.words import all_of, plural
from csvor.report.study._comparisons import LevelRanking
from csvor.report.study._published import IN_WORDS
from csvor.report.study._results import Results
from csvor.report.study._tables import ReportTable, number, small


def coverage(results: Results) -> list[str]:
    """How much of the study there is."""
    done = int((results.frame.status == "ok").sum())
    failed, planned = len(results.failures), results.n_planned
    missing = planned - done - failed
    sets, levels = len(results.datasets), len(results.levels)
    sentences = [
        f"{plural(len(results.methods), 'method')} on {plural(sets, 'data set')} at "
        f"{plural(levels, 'level')} of corruption: {done:,} of {planned:,} cells have a "
        f"result, "
        f"{failed:,} failed, {missing:,} were not run."
    ]
    if failed:
        per_method = results.failures.method.value_counts(sort=False)
        parts = [f"{count} of {name}" for name, count in per_method.items()]
        sentences.append(f"Failed cells count for no mean: {all_of(parts)}.")
    if any(results.n_splits(name) == 1 for name in results.datasets):
        sentences.append("Where there is one split, nothing says how far chance goes.")
    return sentences


def ranking(rankings: Sequence[LevelRanking], focus: str) -> list[str]:
    """Who has the best average rank, and at which levels it is not `focus`."""
    compared = [(r.level, r.comparison.ranks) for r in rankings if r.comparison is not None]
    ours = [(level, ranks) for level, ranks in compared if focus in ranks.average.index]
    if not ours:
        return [
            f"At {level} % the best average rank is {all_of(ranks.best)}'s: "
            f"{number(float(ranks.average.min()), 2)}."
            for level, ranks in compared
        ] or ["There are no two methods with results to compare."]
    won = [level for level, ranks in ours if ranks.best == (focus,)]
    sentences = []
    if won:
        where = "" if len(won) == len(ours) else f": {all_of([f'{level} %' for level in won])}"
        sentences.append(
            f"{focus} has the best average rank at {len(won)} of "
            f"{plural(len(ours), 'level')}{where}."
        )
    else:
        sentences.append(
            f"{focus} has the best average rank, alone, at none of {plural(len(ours), 'level')}."
        )
    for level, ranks in ours:
        best = float(ranks.average.min())
        if focus not in ranks.best:
            sentences.append(
                f"At {level} % the best average rank is not {focus}'s: {all_of(ranks.best)} "
                f"{number(best, 2)}, {focus} {number(float(ranks.average[focus]), 2)}."
            )
        elif ranks.best != (focus,):
            others = [name for name in ranks.best if name != focus]
            sentences.append(
                f"At {level} % {focus} shares the best average rank, {number(best, 2)}, with "
                f"{all_of(others)}."
            )
    return sentences


def significance(rankings: Sequence[LevelRanking], focus: str, alpha: float) -> list[str]:
    """At which levels a difference is shown, and from whom `focus` is told apart at the last."""
    tested = [r for r in rankings if r.comparison and r.comparison.test.name != "none"]
    sentences = [
        f"At {r.level} %: {r.comparison.test.note}."
        for r in rankings
        if r.comparison and r.comparison.test.name == "none"
    ]
    if not tested:
        return sentences
    shown = [r.level for r in tested if r.comparison and r.comparison.test.significant(alpha)]
    where = (
        f" ({all_of([f'{level} %' for level in shown])})" if 0 < len(shown) < len(tested) else ""
    )
    sentences.append(
        f"That methods differ is shown at {len(shown)} of {plural(len(tested), 'level')}{where}, "
        f"by tests at {100 * alpha:g} %."
    )
    last = tested[-1].comparison
    assert last is not None
    if focus in last.ranks.average.index and tested[-1].level in shown:
        together = {name for group in last.groups if focus in group for name in group}
        others = [str(name) for name in last.ranks.average.index if name != focus]
        apart = [name for name in others if name not in together]
        joined = [name for name in others if name in together]
        parts = [f"told apart from {all_of(apart)}"] if apart else []
        parts += [f"not told apart from {all_of(joined)}"] if joined else []
        sentences.append(
            f"At {tested[-1].level} % {focus} is {' and '.join(parts)} "
            f"(p = {small(last.test.p_value)} over {plural(last.test.n_cases, 'data set')})."
        )
    return sentences


def partial(methods: Sequence[str]) -> list[str]:
    """Which methods are left out of ranks, tests and means, and why."""
    if not methods:
        return []
    return [
        f"{all_of(list(methods))} met less than half of the splits, so ranks, tests and means are "
        "those of the other methods; a table of its own ranks all on the splits that they share."
    ]


def growth(mean: ReportTable | None, focus: str) -> list[str]:
    """How the mean error grows with the corruption, of `focus` and of the best other method."""
    if mean is None or len(mean.numbers) < 2:
        return []
    first, last = mean.numbers.iloc[0], mean.numbers.iloc[-1]
    methods = [str(name) for name in mean.numbers.columns if name != "level"]
    others = sorted((name for name in methods if name != focus), key=lambda name: last[name])
    chosen = ([focus] if focus in methods else []) + others[:1]
    parts = [
        f"{name} from {number(float(first[name]))} to {number(float(last[name]))}"
        for name in chosen
    ]
    return [
        f"{mean.caption.rstrip('.')}, from {first.level:g} to {last.level:g} %: {all_of(parts)}"
        + (f" ({others[0]} is the best other at {last.level:g} %)." if len(chosen) > 1 else ".")
    ]


def agreement(compared: pd.DataFrame) -> list[str]:
    """How many cells agree with the published ones."""
    if compared.empty:
        return ["None of these cells has a published value to compare with."]
    n, within = len(compared), int(compared.within.sum())
    sentences = [f"{within} of {n} cells agree with the published mean ({IN_WORDS})."]
    if within < n:
        grouped = compared.groupby("method", sort=False).within
        parts = [
            f"{name} {int(part.sum())} of {len(part)}" for name, part in grouped if not part.all()
        ]
        lower = int((compared.difference[~compared.within] < 0).sum())
        sentences.append(
            f"Not all agree of {all_of(parts)}; of the {n - within} that do not, ours is lower in "
            f"{lower} and higher in {n - within - lower}."
        )
    return sentences


def further(results: Results, column: str) -> list[str]:
    """Which values of a measure are better, and which methods are in none of its ranks, and why."""
    measure, failed = results.measures[column], results.failed_measure(column)
    return [f"{column}: {measure.better} is better."] + [
        f"{column} failed for {method} in {plural(cells, 'cell')}, and it is in no rank of it: "
        f"{error}."
        for method, cells, error in zip(failed.index, failed["cells"], failed["error"], strict=True)
    ]


def detection(results: Results) -> list[str]:
    """How well flags meet the corrupted rows, at the highest level."""
    sentences = []
    last = results.levels[-1]
    rows = results.frame[(results.frame.level == last) & (results.frame.status == "ok")]
    for method in results.methods:
        of_method = rows[rows.method == method]
        if last == 0 or not of_method.auc.notna().any():
            continue
        means = of_method.groupby("dataset")[["precision", "recall", "auc"]].mean().mean()
        sentences.append(
            f"At {last} % the flags of {method} have a precision of {number(means.precision, 2)} "
            f"and a recall of {number(means.recall, 2)}, its residuals an AUC of "
            f"{number(means.auc, 2)} (means over the data sets)."
        )
    return sentences
