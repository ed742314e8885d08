"""How does a function become a command of typer, with the options that its parameters declare?"""

import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from csvor._faults.fault import fault, having
from csvor._faults.notes import Notes
from csvor.cli._errors import failures_in_one_line
from csvor.cli._notes import printed_at_end
from csvor.cli._parameters import OUTPUT, option
from csvor.cli._paths import refuse_overwritten


def command(
    app: typer.Typer, name: str | None = None, *, without: Collection[str] = (), **defaults: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command of `app`.

    A parameter whose type is an option class stands for the options that its fields
    declare, save those in `without`; `defaults` differ from those of the fields. `--debug` comes
    last. Where the function takes `notes`, they are printed when it ends, however it ends, and
    with them which files it has replaced.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(function, include_extras=True)
        del hints["return"]
        takes_notes = hints.pop("notes", None) is not None
        signature = inspect.signature(function).parameters
        groups = {
            key: list(_of_class(hint, without, defaults))
            if is_dataclass(hint)
            else [_Field(key, hint, signature[key].default)]
            for key, hint in hints.items()
        }

        every = [member for group in groups.values() for member in group]
        options = {member.option for member in [*every, _DEBUG]}

        @wraps(function)
        def run(*, debug: bool, **values: Any) -> None:
            notes = Notes()
            with having(options), failures_in_one_line(debug, notes), printed_at_end(notes):
                arguments: dict[str, Any] = {"notes": notes} if takes_notes else {}
                # The last first: the options of the model are checked before files are.
                for key, members in reversed(groups.items()):
                    read = {member.name: member.read(values[member.name]) for member in members}
                    is_class = is_dataclass(hints[key])
                    arguments[key] = hints[key](**read) if is_class else read[key]
                written = {one.shown: values[one.name] for one in every if one.writes}
                read_from = {one.shown: values[one.name] for one in every if not one.writes}
                refuse_overwritten(written, read_from)
                there = [path for path in written.values() if path and Path(path).is_file()]
                function(**arguments)
                for path in there:
                    notes.add(fault("replaced", path=path))

        parameters = [member.parameter for member in [*every, _DEBUG]]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        app.command(name)(run)
        return run

    return register


class _Field:
    """An option of a command: its name, type, declaration and default."""

    def __init__(self, name: str, hint: Any, default: Any) -> None:
        kind, declaration, *_ = get_args(hint)
        convert = declaration.convert
        if get_origin(kind) is tuple:
            kind, convert = list[str] | None, lambda values: tuple(values or ())
            default = None if default == () else default
        self.name, self.convert, self.writes = name, convert, declaration.writes
        self.option = declaration.name or "--" + name.replace("_", "-")
        self.shown = declaration.metavar if declaration.is_argument else self.option
        self.parameter = inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[declaration.kind or kind, declaration.info(name)],
        )

    def read(self, value: Any) -> Any:
        return value if self.convert is None else self.convert(value)


def _of_class(kind: Any, without: Collection[str], defaults: dict[str, Any]) -> Iterator[_Field]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        if field.name not in without:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            yield _Field(field.name, hints[field.name], defaults.get(field.name, default))


_DEBUG = _Field(
    "debug", Annotated[bool, option("Show the traceback of an error.", panel=OUTPUT)], False
)
