"""How are the cells of a study run, and what is kept of a run that ends early?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
import pandas as pd

from csvor.study._cell import Cell, work_on
from csvor.study._measures import check_answers, load_measures
from csvor.study._plan import made_by, make_method_run, make_plan
from csvor.study._progress import Progress, Tally, in_order
from csvor.study._records import (
    has_failed,
    other_study,
    read_records,
    sweep,
    write_plan,
    write_record,
)
from csvor.study._spec import Spec
from csvor.study._spec_files import check_methods
from csvor.study._splits import load_data
from csvor.study._state import table_of

Outcome = tuple[Cell, dict[str, Any]]


def run(
    spec: Spec,
    folder: str | Path,
    *,
    jobs: int | None = None,
    data: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    retry_failed: bool = False,
    replace: bool = False,
) -> pd.DataFrame:
    """Run a study, or what is missing of it.

    A cell is one method on one split of one data set at one level of corruption. Its parameters are
    chosen by stratified cross-validation on the corrupted training rows (mean zero-one error; of
    equal settings the one listed first), it is fitted again to all of them and scored on the
    clean test rows. Each record is written as soon as its cell ends, whole or not at all: a run
    that was killed goes on where it was, and finds what an unbroken one does. A record counts
    only for the same data, split, seed, parameters and grid, and as long as csvor's protocol number
    (and the version of another package that a method comes from) is the same.

    Parameters
    ----------
    spec : Spec
    folder : str or Path
        Where records are kept; made if it does not exist.
    jobs : int or None, default=None
        Processes, as joblib counts them (-1 is one per core); None takes what
        ``joblib.parallel_config`` says, which may name any backend, and otherwise 1.
    data : str or Path, default=None
        Folder of the data sets, for ``csvor.datasets.load``.
    progress : callable, default=None
        Called with a `Progress` at the start and after each cell.
    retry_failed : bool, default=False
        Run cells again whose record is of a failure, or with a measure that failed.
    replace : bool, default=False
        Run another study in a folder that holds one, which is otherwise refused: one that has not
        all that the earlier one has. The records of both are kept, the plan is of the last.

    Returns
    -------
    results : DataFrame
        As `results` gives it. Cells that failed are in it with their message.

    Raises
    ------
    ValueError
        Before the first cell, if a data set, a method, a parameter, a value of one or a measure of
        the spec is none, and if the folder holds another study.
    ImportError
        If the package of a method is not installed.

    Examples
    --------
    >>> from csvor.study import preset, run
    >>> table = run(preset("quick"), "runs/quick", data="data")  # doctest: +SKIP
    """
    folder = Path(folder)
    check_methods(spec)
    method_runs = {entry.name: make_method_run(entry) for entry in spec.methods}
    measures = load_measures(spec.measures)
    check_answers(measures, {name: each.estimator for name, each in method_runs.items()})
    if not replace:
        _refuse_other(folder, spec)
    sets = load_data(spec.datasets, data)
    n_jobs = joblib.effective_n_jobs(jobs)
    plan = make_plan(spec, sets, method_runs, measures, n_jobs)
    sweep(folder)
    write_plan(folder, plan)
    done = {
        cell: record
        for cell, record in read_records(folder, plan.cells).items()
        if not (retry_failed and has_failed(record))
    }
    tally = Tally(plan.cells, done)
    if progress:
        progress(tally.progress(n_jobs))
    tasks = (
        joblib.delayed(_outcome)(
            cell, sets[cell.dataset].part(cell.split), method_runs[cell.method], measures, spec
        )
        for cell in in_order([cell for cell in plan.cells if cell not in done])
    )
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    with _given_up_at_end(parallel(tasks)) as outcomes:
        for cell, record in outcomes:
            write_record(folder, cell, record, made_by(cell.method))
            tally.add(cell, record)
            if progress:
                progress(tally.progress(n_jobs))
    # Of its own plan: another run may have written one since.
    return table_of(read_records(folder, plan.cells), plan.measure_names)


def _refuse_other(folder: Path, spec: Spec) -> None:
    if other := other_study(folder, spec):
        raise ValueError(
            f"{folder} holds another study, which this one would replace ({other}): name another "
            "folder, or say that it may (replace=True)."
        )


def _outcome(cell: Cell, data: Any, method_run: Any, measures: Any, spec: Spec) -> Outcome:
    return cell, work_on(cell, data, method_run, measures, n_folds=spec.folds, seed=spec.seed)


@contextmanager
def _given_up_at_end(outcomes: Generator[Outcome]) -> Iterator[Generator[Outcome]]:
    """End what is under way at once when the caller stops, by an interrupt for instance."""
    try:
        yield outcomes
    finally:
        with warnings.catch_warnings():
            # joblib advises against it; here it is meant.
            warnings.filterwarnings("ignore", r"\d+ tasks ", UserWarning)
            outcomes.close()
