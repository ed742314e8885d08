"""`csvor study`: run one, say how far it is, write its report."""

import json as jsonlib
import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
import typer
from rich.console import Console
from rich.table import Table

from csvor._faults.errors import CommandError, refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.atomic_files import written_whole
from csvor._utils.words import plural
from csvor.cli._browser import open_page
from csvor.cli._cluster import cluster
from csvor.cli._notes import printed_at_end, warnings_as_notes
from csvor.cli._paths import check_folder, check_output_folder
from csvor.cli._progress import text_progress
from csvor.cli._render import console, plain_table, print_facts
from csvor.cli.commands._command_options import StudyOptions
from csvor.cli.commands._study_choice import chosen_spec
from csvor.report import write_report
from csvor.study import Progress, Status, experiments, results, run, spec_of, status
from csvor.study._for_commands import failed_measures

MOST_FAILURES = 10
TABLE = "results.csv"
KEYS = ("dataset", "method")


def run_study(options: StudyOptions) -> None:
    """Run the cells that are missing, write the table, and print what it says in short."""
    out, jobs, dask = options.out, options.jobs, options.dask
    if dask is not None and jobs is not None:
        refuse("jobs-of-dask", jobs=jobs)
    if options.data is not None:
        check_folder(options.data, "--data")
    check_output_folder(out, "--out")
    spec = chosen_spec(options)
    has_begun, notes = False, Notes()
    try:
        with (
            printed_at_end(notes), warnings_as_notes(notes, lower_case=True),
            _workers(dask), text_progress("Study") as update,
        ):  # fmt: skip

            def show(now: Progress) -> None:
                nonlocal has_begun
                has_begun = True
                update(now.done, now.total, partial(_progress_text, now))

            table = run(
                spec,
                out,
                jobs=joblib.cpu_count() if jobs is None and dask is None else jobs,
                data=options.data,
                progress=show,
                retry_failed=options.retry_failed,
                replace=options.replace,
            )
    except KeyboardInterrupt:
        if has_begun:  # the last record may not have been shown
            done = _done(status(out))
            typer.echo(f"csvor: {done} kept in {out}; the same command goes on", err=True)
        raise
    with written_whole(Path(out, TABLE)) as part:
        table.to_csv(part, index=False, lineterminator="\n")
    screen = console()
    _print_errors(screen, table)
    print_facts(screen, [("Cells", f"{len(table)}, all done"), ("Table", str(Path(out, TABLE)))])
    failed = table[table["status"] == "failed"]
    without = failed_measures(table, [measure.name for measure in spec.measures])
    _print_failures(console(error=True), failed, without)
    if len(failed):
        raise CommandError(fault("failed-cells", n=len(failed), total=len(table)))
    if len(without):
        raise CommandError(fault("failed-measures", n=without["measure"].nunique()))


@contextmanager
def _workers(dask: str | None) -> Iterator[None]:
    """What runs the cells: joblib's processes, or the workers of a cluster."""
    if dask is None:
        yield
        return
    with cluster(dask), joblib.parallel_config(backend="dask"):
        yield


def show_status(folder: str, json: bool) -> None:
    """Print the counts of a study."""
    check_folder(folder)
    now = status(folder)
    if json:
        typer.echo(jsonlib.dumps(_document(now), indent=2, allow_nan=False))
        return
    screen = console()
    screen.print(_counts(now))
    screen.print()
    print_facts(screen, [("Cells", _progress_text(now))])
    _print_failures(screen, now.failures, now.failed_measures)


def report_study(
    folder: str,
    to: str,
    data: str | None,
    faces: str | None,
    with_experiments: bool,
    show: bool = False,
) -> None:
    """Write the report of a study."""
    for option, path in (("--data", data), ("--faces", faces)):
        if path is not None:
            check_folder(path, option)
    check_folder(folder)
    table = results(folder)
    spec = spec_of(folder)
    further = None
    if with_experiments and spec is not None:
        with text_progress("Experiments") as update:
            further = experiments(
                spec.datasets,
                data=data,
                faces=faces,
                seed=spec.seed,
                progress=lambda done, total, name: update(done, total, lambda _: name),
            )
    measures = {one.name: one.direction for one in spec.measures} if spec else {}
    page = write_report(table, to, experiments=further, measures=measures)
    if show:
        open_page(page, console())
    else:
        print_facts(console(), [("Page", str(page))])


def _document(now: Status) -> dict[str, object]:
    counts = {name: getattr(now, name) for name in ("done", "failed", "total", "seconds_left")}
    tables = ("counts", "failures", "failed_measures")
    return counts | {name: getattr(now, name).to_dict("records") for name in tables}


def _done(now: Progress | Status) -> str:
    return f"{now.done} of {plural(now.total, 'cell')}"


def _progress_text(now: Progress, seconds_since: float = 0.0) -> str:
    """`120 of 630 cells, 2 failed, 4 min left`, some seconds after it was so."""
    parts = [_done(now)]
    if now.failed:
        parts.append(f"{now.failed} failed")
    if now.done < now.total and now.seconds_left is not None:
        parts.append(f"{duration(max(now.seconds_left - seconds_since, 1.0))} left")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """`40 s`, `12 min`, `3 h 5 min`."""
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, minutes = divmod(math.ceil(whole / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _counts(now: Status) -> Table:
    """Data sets down, methods across, `done/total` in between."""
    rows = now.counts.to_dict("records")
    counts = {(row["dataset"], row["method"]): _count(row) for row in rows}
    datasets, methods = (list(dict.fromkeys(row[key] for row in rows)) for key in KEYS)
    table = plain_table("done", right=methods)
    for dataset in datasets:
        table.add_row(dataset, *(counts.get((dataset, method), "") for method in methods))
    return table


def _count(row: dict[Any, Any]) -> str:
    return f"{row['done']}/{row['total']}" + (f" ({row['failed']} failed)" * bool(row["failed"]))


def _print_errors(screen: Console, table: pd.DataFrame) -> None:
    """Mean error by level and method over all data sets, where something succeeded."""
    errors = table[table["status"] == "ok"]
    if errors.empty:
        return
    methods = list(dict.fromkeys(errors["method"]))
    shown = plain_table("rows changed", right=methods)
    # Each data set counts alike, however many splits it has.
    means = errors.groupby(["level", "method", "dataset"])["mze"].mean()
    by_level = means.groupby(["level", "method"]).mean().unstack("method")
    for level, row in by_level.iterrows():
        cells = ["" if math.isnan(row[method]) else f"{row[method]:.3f}" for method in methods]
        shown.add_row(f"{level} %", *cells)
    screen.print("Mean zero-one error over the data sets:")
    screen.print(shown)
    screen.print()


def _print_failures(screen: Console, failures: pd.DataFrame, measures: pd.DataFrame) -> None:
    """The cells that failed, and, once a method, the measures that did."""
    lines = [
        f"{row.method} on {row.dataset}, {row.level} %, split {row.split}: {row.error}"
        for row in failures.head(MOST_FAILURES).itertuples()
    ]
    more = len(failures) - len(lines)
    lines += [f"and {more} more"] if more else []
    lines += [
        f"{row['measure']} of {row['method']} in {plural(row['cells'], 'cell')}: {row['error']}"
        for row in measures.to_dict("records")
    ]
    for line in lines:
        screen.print(f"failed: {line}", soft_wrap=True)
