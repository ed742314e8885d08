"""Pages of all commands and their options, written from the command line itself before a build."""

from pathlib import Path
from typing import Any

import typer
from sphinx.application import Sphinx

from csvor.cli.commands._app import app as commands

FOLDER = Path("generated", "options")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("*", r"\*").replace("`", r"\`").replace("|", r"\|")


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def _option(parameter: Any) -> str:
    """The entry of one option or argument."""
    names = [*parameter.opts, *parameter.secondary_opts]
    value = "" if parameter.is_flag else f" {parameter.metavar or ''}"
    head = ", ".join(f"{name}{value}".rstrip() for name in names)
    text = _escaped(parameter.help or "")
    if parameter.required:
        text += " Required."
    elif parameter.default not in (None, False, True, (), ""):
        text += f" Default: ``{parameter.default}``."
    return f".. option:: {head}\n\n   {text}\n"


def _command(command: Any, name: str, line: str) -> str:
    """What a command does, and its options by the panels of ``--help``."""
    arguments = [p for p in command.params if p.opts[0][:1] != "-"]
    options = [p for p in command.params if p not in arguments]
    usage = " ".join([name, *(p.metavar for p in arguments), "[OPTIONS]"])
    parts = [_heading(name, line), _escaped(command.help or "") + "\n"]
    parts += [f".. program:: {name}\n", f".. code-block:: text\n\n   {usage}\n"]
    parts += [f"``{p.metavar}``\n   {_escaped(p.help)}\n" for p in arguments]
    for panel in dict.fromkeys(p.rich_help_panel for p in options):
        parts.append(f".. rubric:: {panel or 'Options'}\n")
        parts += [_option(p) for p in options if p.rich_help_panel == panel]
    return "\n".join(parts)


def _group(group: Any, name: str) -> str:
    """A command with commands of its own."""
    below = (_command(c, f"{name} {n}", "-") for n, c in group.commands.items())
    return "\n".join([_heading(name, "="), _escaped(group.help or "") + "\n", *below])


def write(app: Sphinx) -> None:
    """Write a page for each command; what has not changed stays, so that it is not read anew."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, command in typer.main.get_command(commands).commands.items():
        title = f"csvor {name}"
        text = (
            _group(command, title)
            if hasattr(command, "commands")
            else _command(command, title, "=")
        )
        page = folder / f"{name}.rst"
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
