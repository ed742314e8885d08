"""The commands of `csvor data` and their options."""

from typing import Annotated

import typer

from csvor.cli._errors import OneLineGroup, failures_in_one_line
from csvor.cli.commands import _parameters as opt

data_app = typer.Typer(cls=OneLineGroup, add_completion=False, rich_markup_mode="rich")

DataFolder = Annotated[
    str | None,
    typer.Option("--data", metavar="DIR", help="Folder to look in (else CSVOR_DATA, the cache)."),
]


@data_app.callback(invoke_without_command=True)
def data_root(context: typer.Context) -> None:
    """List, get and check the data sets of the study."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@data_app.command("list")
def data_list(
    data: DataFolder = None,
    json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """List the data sets: rows, features, classes, and where they are found."""
    with failures_in_one_line(debug):
        from csvor.cli.commands._data import run_list

        run_list(data, json)


@data_app.command("get")
def data_get(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Data sets of the paper, or all.")
    ],
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="DIR", help="Folder to write into instead of the cache."),
    ] = None,
    source: Annotated[
        str,
        typer.Option(
            "--from", metavar="SOURCE", help="auto, ayrna, openml, or a folder to copy from."
        ),
    ] = "auto",
    force: Annotated[
        bool, typer.Option("--force", help="Get what is already there as well, and replace it.")
    ] = False,
    json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Download data sets, or copy them from a folder. Only the right data are written."""
    with failures_in_one_line(debug):
        from csvor.cli._notes import Notes
        from csvor.cli.commands._data import run_get

        notes = Notes()
        with notes.told_at_end():
            run_get(names, to, source, force, json, notes)


@data_app.command("check")
def data_check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Data sets; all ten if none.")
    ] = None,
    data: DataFolder = None,
    json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Compare data sets with their known figures; exit status 1 if one is wrong or missing."""
    with failures_in_one_line(debug):
        from csvor.cli.commands._data import run_check

        run_check(names or [], data, json)
