"""The commands and their options. What they do is imported when they run: help is quick."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from csvor._faults.errors import CommandError, listed, refuse
from csvor._faults.notes import Notes
from csvor._utils.words import all_of
from csvor.cli._errors import OneLineGroup, help_without_command
from csvor.cli._options import AsJson, DataOptions, ModelOptions, Seed
from csvor.cli._parameters import argument, choice, option, share, written_file
from csvor.cli._paths import check_output
from csvor.cli._try import TYPED
from csvor.cli.commands._command import command
from csvor.cli.commands._command_options import (
    TOOLS,
    ApplyOptions,
    AuditOutput,
    ExportOptions,
    PredictOptions,
    ReviewOptions,
)
from csvor.cli.commands._data_app import data_app
from csvor.cli.commands._explain_options import ExplainOptions
from csvor.cli.commands._study_app import study

_COMPLETION = {"--install-completion", "--show-completion"}
# Bytes of a file that is read at once.
_QUICK = 50_000_000
_SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


class CompletingGroup(OneLineGroup):
    """The group of all commands: completion is asked for in a shell that is known, or refused."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Look at the shell before typer does, which would install for a shell called None."""
        asked = _COMPLETION.intersection(args)
        if asked and not ctx.resilient_parsing:
            _check_shell(asked.pop())
        TYPED.set(("csvor", *args))
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def hint_on(self, error: Any) -> str:
        """The columns of the file, where --target lacks; quotes, where blanks end a list."""
        if "--target" in getattr(getattr(error, "param", None), "opts", ()):
            names = next(filter(None, map(_columns_of, TYPED.get()[2:])), None)
            return f": the columns are {listed(names)}" if names else ""
        ends = any(word.endswith(",") for word in TYPED.get())
        if ends and "unexpected extra argument" in error.format_message():
            return ": write a list without blanks, or in quotes"
        return ""


def _columns_of(word: str) -> list[str]:
    """The columns of the file that a word names; none where it names no table, or a large one."""
    path = Path(word)
    if not path.is_file() or path.stat().st_size > _QUICK:
        return []
    from csvor.cli.input._read import read_table

    try:
        return list(read_table(word, Notes()).columns)
    except CommandError:
        return []


def _check_shell(option: str) -> None:
    import shellingham

    try:
        name = shellingham.detect_shell()[0]
    except shellingham.ShellDetectionFailure:
        name = ""
    if name not in _SHELLS:
        why = f"{name} cannot be completed in" if name else "which shell started csvor is unclear"
        refuse("unknown-shell", name=option, why=why, shells=all_of(_SHELLS, " or "))


app = typer.Typer(
    name="csvor",
    cls=CompletingGroup,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Find wrong labels among ordered ones (ratings, grades), and fit models robust to them.",
    epilog="Exit status: 0 done, 1 the data or the fit failed, 2 wrong use, 130 interrupted.",
)
app.add_typer(study, name="study")
app.add_typer(data_app, name="data")


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
    help_without_command(context)


@command(app, without={"tune"})
def audit(data: DataOptions, model: ModelOptions, output: AuditOutput, notes: Notes) -> None:
    """Tell how many labels are wrong, and which, most probably wrong first.

    Each row is judged by models fitted without it; the model and the number of wrong labels are
    found from the data. Options of the model narrow what is compared.
    """
    from csvor.cli.commands._audit import run_audit

    run_audit(data, model, output, notes)


_OF_OTHER_MODELS = {
    *("C", "p", "contamination", "kernel", "gamma", "components", "loss", "constraints"),
    *("class_weight", "max_iter", "tune", "folds", "seed"),
}


@command(app, without={*_OF_OTHER_MODELS, "by", "item", "reference", "gold", "reviewed"})
def explain(data: DataOptions, model: ModelOptions, options: ExplainOptions, notes: Notes) -> None:
    """Tell what drives the label: odds ratios that wrong labels do not distort.

    A cumulative link model (proportional odds) with a share of wrong labels in its likelihood; the
    share, and tests of what the model takes for granted, come with it.
    """
    from csvor.cli.commands._explain import run_explain

    run_explain(data, model, options, notes)


@command(app, without={"tune", "dask", "reviewed", "by", "groups", "weight", "counts"})
def consensus(
    data: DataOptions,
    model: ModelOptions,
    out: Annotated[str, written_file("Where to write (.csv, .tsv, .parquet; - is stdout).")],
    notes: Notes,
    json: AsJson = False,
) -> None:
    """Write the label of each item that several raters labelled, and of whom to ask one more.

    Give one label a row with --item and --rater, or a column for each rater with --target A,B,C.
    """
    from csvor.cli.commands._consensus import run_consensus

    run_consensus(data, model, out, json, notes)


@command(app, without={"reviewed", "by", "rater", "item", "reference", "gold"}, kernel="linear")
def fit(
    data: DataOptions,
    options: ModelOptions,
    model: Annotated[str, written_file("Model file to write (.skops).")],
    notes: Notes,
    json: AsJson = False,
) -> None:
    """Fit a model to all rows and write it to a file."""
    check_output(model, "--model", [".skops"])
    from csvor.cli.commands._fit import run_fit

    run_fit(data, options, model, json, notes)


@command(app)
def predict(options: PredictOptions, notes: Notes) -> None:
    """Write the label that a model gives to each row. Columns are matched by name."""
    from csvor.cli.commands._predict import run_predict

    run_predict(options, notes)


@command(app)
def show(
    model: Annotated[str, argument("MODEL", "Model file that csvor fit wrote.")],
    notes: Notes,
    json: AsJson = False,
) -> None:
    """Show what is in a model file: labels, columns, coefficients, versions."""
    from csvor.cli.commands._show import run_show

    run_show(model, json, notes)


@command(app)
def apply(options: ApplyOptions, notes: Notes) -> None:
    """Write DATA with the labels that were decided; all else stays as it is."""
    from csvor.cli.commands._apply import run_apply

    run_apply(options, notes)


@command(app)
def export(options: ExportOptions, notes: Notes) -> None:
    """Write rows to review in Label Studio or Argilla, with the labels suggested."""
    from csvor.cli.commands._export import run_export

    run_export(options, notes)


@command(app, "import")
def import_(
    file: Annotated[str, argument("FILE", "What the tool exported (for argilla, or a folder).")],
    tool: Annotated[
        str, replace(choice(TOOLS, "The tool that it comes from.", panel=None), name="--from")
    ],
    out: Annotated[str, written_file("Decisions to write (.csv), as csvor apply takes them.")],
    notes: Notes,
    json: AsJson = False,
) -> None:
    """Write the decisions that were made in Label Studio or Argilla."""
    from csvor.cli.commands._export import run_import

    run_import(file, tool, out, json, notes)


@command(app)
def review(options: ReviewOptions, notes: Notes) -> None:
    """Compare the decisions of several reviewers: how far they agree, which rows are in dispute.

    --out writes them merged: what all agree on, and what one alone decided. A dispute is settled
    by --majority or --prefer, or left out.
    """
    from csvor.cli.commands._review import run_review

    run_review(options, notes)


@command(app)
def demo(
    notes: Notes,
    data: Annotated[
        str | None,
        choice(
            "esl|lev|swd|balance_scale",
            "A data set of skordinal instead of generated records.",
            panel=None,
        ),
    ] = None,
    out: Annotated[str, option("Folder for the files.", "DIR")] = "csvor-demo",
    noise: Annotated[
        float, share("Share of the labels to spoil; between 0 and 1.", panel=None)
    ] = 0.1,
    seed: Seed = 0,
) -> None:
    """Audit records whose wrong labels are known, and count how many are found."""
    from csvor.cli.commands._demo import run_demo

    run_demo(data, out, noise, seed, notes)
