"""Which sections has the report of a study, and what stands in each?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csvor.report.study import _comparisons, _measured, _sentences
from csvor.report.study._comparisons import rank_levels
from csvor.report.study._page import Section
from csvor.report.study._published import (
    CRITERION,
    agreement_table,
    compare_published,
    disagreement_table,
)
from csvor.report.study._results import MEASURES, Results
from csvor.report.study._tables import ReportTable

ALPHA = 0.05
_READING = (
    "A cell is one method on one split of one data set at one level. The level is the share of "
    "training rows that were corrupted; errors are measured on clean test rows.",
    "The mean zero-one error is the share of test rows with a wrong class; the mean absolute error "
    "counts how many classes a prediction is off.",
    "± is the standard deviation over the splits (divisor n - 1), not a confidence interval.",
    "Ranks are of the means on each data set. Friedman's test asks whether ranks differ more than "
    "chance would have it; two average ranks differ where they are further apart than Nemenyi's "
    "critical difference.",
    f"A cell agrees with the published one if {CRITERION}; the standard error is that of the "
    "difference, from both standard deviations and numbers of splits.",
)


def sections_of(
    results: Results, experiments: Mapping[str, Any], focus: str, pictures: bool
) -> list[Section]:
    """The sections that have something in them, in their order."""
    full = results.without(results.partial)
    rankings = rank_levels(full, "mze", ALPHA)
    mean = _measured.mean_table(full, "mze")
    compared = compare_published(results.frame)
    drawn = _drawn(results, rankings, mean, experiments, focus) if pictures else {}
    coverage = _sentences.coverage(results)
    agreement = _sentences.agreement(compared)
    summary = [
        *_sentences.ranking(rankings, focus),
        *_sentences.growth(mean, focus),
        *_sentences.significance(rankings, focus, ALPHA),
        *agreement[:1],
        *_sentences.detection(results),
        *_sentences.partial(results.partial),
        *coverage,
    ]
    if not pictures:
        summary.append("Pictures were left out on request.")
    ranks = [*_rank_tables(results, full, rankings, focus), *drawn.get("ranks", [])]
    beside = [] if compared.empty else [agreement_table(compared), disagreement_table(compared)]
    run = _some(_measured.gap_table(results), _measured.failure_table(results))
    run += _some(_measured.time_table(results))
    sections = [
        Section("summary", "Summary", summary, [*_some(mean), *drawn.get("mean", [])]),
        Section("ranks", "Ranks and tests", (), ranks),
        _of_errors(results, drawn.get("levels", [])),
        _of_measures(results),
        Section("published", "Beside the published results", agreement, beside),
        Section(
            "outliers",
            "Outliers found",
            (),
            _measured.detection_tables(results, ["level"]),
            _measured.detection_tables(results, ["dataset", "level"]),
            "By data set",
        ),
        Section("pictures", "Losses and experiments", (), drawn.get("experiments", [])),
        Section("cells", "What was run", coverage, run),
        Section("reading", "How to read this", _READING),
    ]
    return [section for section in sections if section.filled]


def _drawn(
    results: Results, rankings: Any, mean: ReportTable | None, experiments: Any, focus: str
) -> dict[str, Any]:
    # Here, so that tables can be had without matplotlib; the first of them names the remedy.
    import csvor.plots  # noqa: F401
    from csvor.report.study import _pictures

    return {
        "mean": _pictures.mean_picture(mean, "mze", focus),
        "ranks": _pictures.rank_pictures(rankings, "mze"),
        "levels": _pictures.level_pictures(results, "mze", focus),
        "experiments": [_pictures.loss_picture(), *_pictures.experiment_pictures(experiments)],
    }


def _rank_tables(results: Results, full: Results, rankings: Any, focus: str) -> list[ReportTable]:
    """Ranks and tests of the methods that met most splits; ranks of all on those they share."""
    tables: list[ReportTable | None] = [*_compared(full, rankings, "mze")]
    if focus in full.methods:
        tables.append(_comparisons.pair_table(full, focus, "mze"))
    if results.partial:
        tables.append(_comparisons.shared_rank_table(results, "mze", ALPHA))
    return _some(*tables)


def _of_errors(results: Results, pictures: list[Any]) -> Section:
    """The errors that every study measures."""
    tables = [*_measured.result_tables(results, "mze"), *pictures]
    more = _further_tables(results, "mae") if results.frame.mae.notna().any() else []
    return Section("results", "Results", (), tables, more, "Mean absolute error")


def _of_measures(results: Results) -> Section:
    """What measures of one's own say."""
    further = [name for name in results.measures if name not in MEASURES]
    return Section(
        "measures",
        "Further measures",
        [sentence for name in further for sentence in _sentences.further(results, name)],
        [table for name in further for table in _further_tables(results, name)],
    )


def _further_tables(results: Results, column: str) -> list[ReportTable]:
    """Means, ranks and tests by a measure, without the methods that it failed for."""
    failed = tuple(results.failed_measure(column).index)
    ranked = results.without(tuple({*results.partial, *failed}))
    tables = _measured.result_tables(results, column)
    if len(ranked.methods) > 1:
        tables += _compared(ranked, rank_levels(ranked, column, ALPHA), column)
    return tables


def _compared(results: Results, rankings: Any, column: str) -> list[ReportTable]:
    """Ranks and the test of all methods."""
    return [
        _comparisons.rank_table(results, rankings, column),
        _comparisons.difference_table(results, rankings, column),
    ]


def _some(*tables: ReportTable | None) -> list[ReportTable]:
    """Those that there are."""
    return [table for table in tables if table is not None]
