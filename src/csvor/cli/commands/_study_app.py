"""The commands of `csvor study` and their options."""

from typing import Annotated

import typer

from csvor.cli._errors import OneLineGroup, help_without_command
from csvor.cli._options import AsJson
from csvor.cli._parameters import argument, option
from csvor.cli.commands._command import command
from csvor.cli.commands._command_options import StudyOptions

study = typer.Typer(
    cls=OneLineGroup,
    help="Compare methods on data sets with simulated errors: the experiments of the paper.",
)
study.callback(invoke_without_command=True)(help_without_command)

Folder = Annotated[str, argument("DIR", "Folder of a study, its --out.")]


@command(study)
def run(options: StudyOptions) -> None:
    """Run a study, or what is missing of it. Ctrl-C keeps what is done."""
    from csvor.cli.commands._study import run_study

    run_study(options)


@command(study)
def status(folder: Folder, json: AsJson = False) -> None:
    """Say how far a study is, by data set and method, also while it runs."""
    from csvor.cli.commands._study import show_status

    show_status(folder, json)


@command(study)
def report(
    folder: Folder,
    to: Annotated[str, option("Folder for tables, figures and the page.", "DIR")],
    data: Annotated[
        str | None, option("Folder of the data sets, for the experiments.", "DIR")
    ] = None,
    faces: Annotated[
        str | None, option("Folder of face images (FG-NET) in place of generated.", "DIR")
    ] = None,
    experiments: Annotated[
        bool,
        option(
            name="--experiments/--no-experiments",
            help="Whether to make the paper's further experiments, in about a minute.",
        ),
    ] = True,
    show: Annotated[bool, option("Open the page in the browser.", name="--open")] = False,
) -> None:
    """Write the tables and figures of a study."""
    from csvor.cli.commands._study import report_study

    report_study(folder, to, data, faces, experiments, show)
