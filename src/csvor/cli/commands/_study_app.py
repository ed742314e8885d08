"""The commands of `csvor study` and their options."""

from enum import StrEnum
from typing import Annotated

import typer

from csvor.cli._errors import OneLineGroup, failures_in_one_line
from csvor.cli.commands import _parameters as opt

study = typer.Typer(
    cls=OneLineGroup,
    help="Compare methods on data sets with spoilt rows: the experiments of the paper.",
)

PresetName = StrEnum("PresetName", "quick paper")
Folder = Annotated[str, typer.Argument(metavar="DIR", help="Folder of a study, its --out.")]


@study.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    """Take up what belongs to no command."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@study.command()
def run(
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Folder of the records; goes on in it.")
    ],
    preset: Annotated[
        PresetName | None,
        opt.one_of(
            "--preset",
            PresetName,
            "quick takes three minutes, paper is everything; without it or --spec, what DIR "
            "holds, else quick.",
            panel=None,
        ),
    ] = None,
    spec: Annotated[
        str | None, typer.Option("--spec", metavar="FILE", help="A study of your own, in TOML.")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="DIR", help="Folder of the data sets.")
    ] = None,
    jobs: Annotated[
        int | None, opt.whole("--jobs", 1, 2, "Processes; all cores unless given.", panel=None)
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="local|ADDRESS",
            help="Run the cells on the Dask cluster at ADDRESS, or on one of this machine.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="Measure this too: a name in csvor.metrics, or package.module:function. May be "
            "given several times.",
        ),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run cells that failed once more.")
    ] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Run it even if DIR holds another study; records are kept."),
    ] = False,
    debug: opt.Debug = False,
) -> None:
    """Run a study, or what is missing of it. Ctrl-C keeps what is done."""
    with failures_in_one_line(debug):
        from csvor.cli.commands._study import run_study
        from csvor.cli.commands._study_choice import StudyOptions

        run_study(
            StudyOptions(out, preset.value if preset else None, spec, tuple(measure or ())),
            data=data,
            jobs=jobs,
            retry_failed=retry_failed,
            replace=replace,
            dask=dask,
        )


@study.command()
def status(folder: Folder, json: opt.AsJson = False, debug: opt.Debug = False) -> None:
    """Say how far a study is, by data set and method, also while it runs."""
    with failures_in_one_line(debug):
        from csvor.cli.commands._study import show_status

        show_status(folder, json)


@study.command()
def report(
    folder: Folder,
    to: Annotated[
        str, typer.Option("--to", metavar="DIR", help="Folder for tables, figures and the page.")
    ],
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="DIR", help="Folder of the data sets, for the experiments."),
    ] = None,
    faces: Annotated[
        str | None,
        typer.Option(
            "--faces", metavar="DIR", help="Folder of face images (FG-NET) in place of generated."
        ),
    ] = None,
    experiments: Annotated[
        bool,
        typer.Option(
            "--experiments/--no-experiments",
            help="Whether to make the paper's further experiments, in about a minute.",
        ),
    ] = True,
    debug: opt.Debug = False,
) -> None:
    """Write the tables and figures of a study."""
    with failures_in_one_line(debug):
        from csvor.cli.commands._study import report_study

        report_study(folder, to, data, faces, experiments)
