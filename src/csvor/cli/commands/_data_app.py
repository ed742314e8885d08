"""The commands of `csvor data` and their options."""

from typing import Annotated

import typer

from csvor._faults.notes import Notes
from csvor.cli._errors import OneLineGroup, help_without_command
from csvor.cli._options import AsJson
from csvor.cli._parameters import argument, option
from csvor.cli.commands._command import command

data_app = typer.Typer(cls=OneLineGroup, help="List, get and check the data sets of the study.")
data_app.callback(invoke_without_command=True)(help_without_command)

DataFolder = Annotated[str | None, option("Folder to look in (else CSVOR_DATA, the cache).", "DIR")]


@command(data_app, "list")
def data_list(data: DataFolder = None, json: AsJson = False) -> None:
    """List the data sets: rows, features, classes, and where they are found."""
    from csvor.cli.commands._data import run_list

    run_list(data, json)


@command(data_app, "get")
def data_get(
    names: Annotated[list[str], argument("NAME...", "Data sets of the paper, or all.")],
    notes: Notes,
    to: Annotated[str | None, option("Folder to write into instead of the cache.", "DIR")] = None,
    source: Annotated[
        str, option("auto, ayrna, openml, or a folder to copy from.", "SOURCE", name="--from")
    ] = "auto",
    force: Annotated[bool, option("Get what is already there as well, and replace it.")] = False,
    json: AsJson = False,
) -> None:
    """Download data sets, or copy them from a folder. Only the right data are written."""
    from csvor.cli.commands._data import run_get

    run_get(names, to, source, force, json, notes)


@command(data_app, "check")
def data_check(
    names: Annotated[list[str] | None, argument("NAME...", "Data sets; all ten if none.")] = None,
    data: DataFolder = None,
    json: AsJson = False,
) -> None:
    """Compare data sets with their known figures; exit status 1 if one is wrong or missing."""
    from csvor.cli.commands._data import run_check

    run_check(names or [], data, json)
