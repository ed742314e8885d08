"""The commands and their options. What they do is imported when they run: help is quick."""

from enum import StrEnum
from typing import Annotated

import typer

from csvor.cli._errors import failures_in_one_line
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._paths import check_input, check_input_or_folder, check_output, check_parquet
from csvor.cli.commands import _parameters as opt
from csvor.cli.commands._completion import CompletingGroup
from csvor.cli.commands._data_app import data_app
from csvor.cli.commands._study_app import study

app = typer.Typer(
    name="csvor",
    cls=CompletingGroup,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Fit ordered labels (ratings, grades, stages) of which some are wrong, and find those.",
    epilog="Exit status: 0 done, 1 the data or the fit failed, 2 wrong use, 130 interrupted.",
)
app.add_typer(study, name="study")
app.add_typer(data_app, name="data")


class DemoData(StrEnum):
    """Data sets that skordinal brings along."""

    esl = "esl"
    lev = "lev"
    swd = "swd"
    balance_scale = "balance_scale"


def _print_version(wanted: bool) -> None:
    if wanted:
        from csvor import __version__

        typer.echo(f"csvor {__version__}")
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Take up what belongs to no command."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def audit(
    data: opt.Data,
    target: opt.TargetName,
    classes: opt.Classes = None,
    id: opt.Id = None,
    groups: opt.Groups = None,
    drop: opt.Drop = None,
    keep: opt.Keep = None,
    weight: opt.Weight = None,
    missing_label: opt.MissingLabel = None,
    fold_labels: opt.FoldLabels = False,
    missing: opt.Missing = None,
    categorical: opt.Categorical = None,
    dates: opt.Dates = False,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = None,
    dask: opt.Dask = None,
    reviewed: opt.Reviewed = None,
    impute: opt.Impute = False,
    clip: opt.Clip = None,
    C: opt.Strength = None,
    p: opt.Power = None,
    contamination: opt.Contamination = None,
    kernel: opt.Kernel = None,
    gamma: opt.Gamma = None,
    components: opt.Components = None,
    loss: opt.Loss = None,
    constraints: opt.Constraints = None,
    class_weight: opt.ClassWeight = None,
    max_iter: opt.MaxIter = None,
    folds: opt.Folds = 5,
    seed: opt.Seed = 0,
    fdr: Annotated[
        float | None,
        opt.number(
            "--fdr",
            lambda x: 0 < x < 1,
            "a number between 0 and 1, such as 0.1",
            "Name as many rows as keep the expected share of right labels below X.",
            panel=opt.OUTPUT,
        ),
    ] = None,
    top: Annotated[int, opt.whole("--top", 0, 20, "Rows to show.", panel=opt.OUTPUT)] = 20,
    suspects: Annotated[
        str | None,
        typer.Option(
            "--suspects",
            metavar="FILE",
            help="Write all rows (.csv, .tsv, .parquet; - is stdout); with --dask a new folder.",
            rich_help_panel=opt.OUTPUT,
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Write a page on which the rows are reviewed (.html).",
            rich_help_panel=opt.OUTPUT,
        ),
    ] = None,
    json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Tell how many labels are wrong, and which, most probably wrong first.

    Each row is judged by models that have not seen it; which model, and how many labels are wrong,
    is found from the data. Options of the model narrow what is compared.
    """
    given = locals()
    with failures_in_one_line(debug):
        options = opt.pick(ModelOptions, given)
        source = opt.pick(DataOptions, given)
        from csvor.cli._notes import Notes
        from csvor.cli.commands._audit import AuditOutput, run_audit

        notes = Notes()
        with notes.told_at_end():
            run_audit(source, options, AuditOutput(top, fdr, suspects, report, json), notes)


@app.command()
def fit(
    data: opt.Data,
    target: opt.TargetName,
    model: Annotated[
        str, typer.Option("--model", metavar="FILE", help="Model file to write (.skops).")
    ],
    classes: opt.Classes = None,
    id: opt.Id = None,
    groups: opt.Groups = None,
    drop: opt.Drop = None,
    keep: opt.Keep = None,
    weight: opt.Weight = None,
    missing_label: opt.MissingLabel = None,
    fold_labels: opt.FoldLabels = False,
    missing: opt.Missing = None,
    categorical: opt.Categorical = None,
    dates: opt.Dates = False,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = None,
    dask: opt.Dask = None,
    impute: opt.Impute = False,
    clip: opt.Clip = None,
    C: opt.Strength = None,
    p: opt.Power = None,
    contamination: opt.Contamination = None,
    kernel: opt.Kernel = opt.KernelName.linear,
    gamma: opt.Gamma = None,
    components: opt.Components = None,
    loss: opt.Loss = None,
    constraints: opt.Constraints = None,
    class_weight: opt.ClassWeight = None,
    max_iter: opt.MaxIter = None,
    tune: opt.Tune = False,
    folds: opt.Folds = 5,
    seed: opt.Seed = 0,
    json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Fit a model to all rows and write it to a file."""
    given = locals()
    with failures_in_one_line(debug):
        options = opt.pick(ModelOptions, given)
        source = opt.pick(DataOptions, given)
        check_output(model, "--model", [".skops"])
        from csvor.cli._notes import Notes
        from csvor.cli.commands._fit import run_fit

        notes = Notes()
        with notes.told_at_end():
            run_fit(source, options, model, json, notes)


@app.command()
def predict(
    data: opt.Data,
    model: Annotated[
        str, typer.Option("--model", metavar="FILE", help="Model file that csvor fit wrote.")
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where to write (.csv, .tsv, .parquet; - is stdout); with --dask a new folder.",
        ),
    ] = "-",
    id: opt.Id = None,
    proba: Annotated[
        bool,
        typer.Option(
            "--proba",
            help="Write the probability of each label as well, a column each.",
            rich_help_panel=opt.OUTPUT,
        ),
    ] = False,
    score: Annotated[
        bool,
        typer.Option(
            "--score",
            help="Write the score as well, which the thresholds cut into labels.",
            rich_help_panel=opt.OUTPUT,
        ),
    ] = False,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = None,
    dask: opt.Dask = None,
    json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Write the label that a model gives to each row. Columns are matched by name."""
    with failures_in_one_line(debug):
        if dask is None:
            check_input(data)
        else:
            check_parquet(data)
        check_input(model)
        from csvor.cli._notes import Notes
        from csvor.cli.commands._predict import PredictOptions, run_predict

        notes = Notes()
        with notes.told_at_end():
            sign = None if decimal is None else decimal.value
            options = PredictOptions(out, id, proba, score, json, delimiter, sign, dask)
            run_predict(data, model, options, notes)


@app.command()
def show(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file that csvor fit wrote.")],
    json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Show what is in a model file: labels, columns, coefficients, versions."""
    with failures_in_one_line(debug):
        from csvor.cli._notes import Notes
        from csvor.cli.commands._show import run_show

        notes = Notes()
        with notes.told_at_end():
            run_show(model, json, notes)


@app.command()
def apply(
    decisions: Annotated[
        str, typer.Argument(metavar="DECISIONS", help="The file that the page of --report saved.")
    ],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="The .csv, .tsv or .parquet file, or folder of such, audited."
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where to write, in the kind of DATA (a new folder for one); - is stdout.",
        ),
    ] = "-",
    target: Annotated[
        str | None,
        typer.Option(
            "--target", metavar="COL", help="Column of the labels, if DECISIONS does not say."
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option("--classes", metavar="A,B,C", help="Labels, where some have no row in DATA."),
    ] = None,
    delimiter: opt.Delimiter = None,
    json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Write DATA with the labels that were decided; all else stays as it is."""
    with failures_in_one_line(debug):
        check_input(decisions)
        check_input_or_folder(data)
        from csvor.cli._notes import Notes
        from csvor.cli.commands._apply import run_apply

        notes = Notes()
        with notes.told_at_end():
            run_apply(decisions, data, out, target, classes, delimiter, json, notes)


@app.command()
def demo(
    data: Annotated[
        DemoData | None,
        opt.one_of(
            "--data",
            DemoData,
            "A data set of skordinal instead of generated records.",
            panel=None,
        ),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Folder for the files.")
    ] = "csvor-demo",
    noise: Annotated[
        float,
        opt.number(
            "--noise",
            lambda x: 0 < x < 1,
            "a number between 0 and 1, such as 0.1",
            "Share of the labels to spoil; between 0 and 1.",
            panel=None,
        ),
    ] = 0.1,
    seed: opt.Seed = 0,
    debug: opt.Debug = False,
) -> None:
    """Audit records whose wrong labels are known, and count how many are found."""
    with failures_in_one_line(debug):
        from csvor.cli._notes import Notes
        from csvor.cli.commands._demo import run_demo

        notes = Notes()
        with notes.told_at_end():
            run_demo(data.value if data else None, out, noise, seed, notes)
