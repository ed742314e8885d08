"""Failures of the command line: one line a fault on standard error, and an exit status."""

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from csvor._utils.spelling import closest as closest
from csvor._utils.words import some_of
from csvor.cli._fault import Fault, fault
from csvor.cli._spelling import visible
from csvor.cli._streams import escape_for_people
from csvor.cli._try import command_to_try

FAILED, WRONG_USE, INTERRUPTED = 1, 2, 130
# As of a program that the signal of a broken pipe ends: 128 + SIGPIPE.
PIPE_CLOSED = 141


class CommandError(Exception):
    """The data or the fit cannot be used; a `Fault`, or a text, says where and what to do."""

    exit_code = FAILED

    @property
    def fault(self) -> Fault | None:
        """What is wrong as data, where it is."""
        return self.args[0] if self.args and isinstance(self.args[0], Fault) else None

    def of_file(self, source: str) -> "CommandError":
        """The same with the name of the file before what is said of its columns and rows."""
        if self.fault is not None:
            return CommandError(replace(self.fault, file=source))
        return CommandError(f"{source}{',' if isinstance(self, ColumnError) else ':'} {self}")


class ColumnError(CommandError):
    """A column cannot be used; the message begins with `column 'NAME'`."""


class FaultsError(CommandError):
    """Several faults of one file, each with its place and remedy."""

    def __init__(
        self, faults: Sequence[CommandError], source: str = "", most: int | None = None
    ) -> None:
        self.faults, self.source, self.most = list(faults), source, most
        lines = [one_line(str(fault)) for fault in self.faults[:most]]
        more = [f"and {len(faults) - len(lines)} more"] * (len(faults) > len(lines))
        head = f"{source}: {len(faults)} faults".lstrip(": ")
        super().__init__("\n  ".join([head, *lines, *more]))

    def __reduce__(self) -> Any:
        return type(self), (self.faults, self.source, self.most)

    def of_file(self, source: str) -> CommandError:
        """The same, with the name of the file above the faults."""
        return FaultsError(self.faults, source)


class UsageError(CommandError):
    """The command was called wrongly: an option, a file name or a column that does not exist."""

    exit_code = WRONG_USE


def refuse(kind: str, **facts: Any) -> NoReturn:
    """Refuse a wrong use of the command, in the words that this kind has."""
    raise UsageError(fault(kind, **facts))


def one_line(text: str) -> str:
    """`text` without line breaks, for messages that stay on one line."""
    return " ".join(text.split())


def _complain(error: Exception | str) -> None:
    """Print what is to be said of an error: a line, or one for each of several faults."""
    text = str(error) if isinstance(error, FaultsError) else one_line(_message_of(error))
    # Not by typer, which writes UTF-8 to a stream that says it is ASCII.
    print(f"csvor: error: {text}", file=sys.stderr)
    faults = error.faults if isinstance(error, FaultsError) else [error]
    of_file = [getattr(one, "fault", None) for one in faults]
    if command := command_to_try(of_file):
        print(command, file=sys.stderr)


@contextmanager
def failures_in_one_line(debug: bool = False) -> Iterator[None]:
    """Turn every failure inside into one line and an exit status; `debug` adds the traceback."""
    try:
        yield
        sys.stdout.flush()
    except typer.Exit:
        raise
    except KeyboardInterrupt:
        typer.echo("csvor: interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of the pipe has gone; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(PIPE_CLOSED) from None
    except Exception as error:
        if debug:
            print(traceback.format_exc().rstrip(), file=sys.stderr)
        _complain(error)
        raise typer.Exit(getattr(error, "exit_code", FAILED)) from None


@contextmanager
def about(source: str) -> Iterator[None]:
    """Put the name of the file before what is said of its columns and rows."""
    try:
        yield
    except UsageError:
        raise
    except CommandError as error:
        raise error.of_file(source) from error


class Faults:
    """Collects what is wrong with a file, so that one run tells all of it."""

    def __init__(self) -> None:
        self.errors: list[CommandError] = []

    def add(self, error: CommandError) -> None:
        """Take up one fault."""
        self.errors.append(error)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep the fault that ends the work inside; a wrong use is none of the file's."""
        try:
            yield
        except UsageError:
            raise
        except CommandError as error:
            self.errors += error.faults if isinstance(error, FaultsError) else [error]

    def refuse(self, source: str = "") -> None:
        """Raise the faults, if there are any; `source` is the name of the file."""
        if len(self.errors) > 1:
            raise FaultsError(self.errors, source)
        for error in self.errors:
            with about(source) if source else nullcontext():
                raise error


def _message_of(error: Exception | str) -> str:
    """What is said of an error: known kinds speak for themselves."""
    if isinstance(error, str | CommandError | ValueError) and str(error):
        return str(error)
    if isinstance(error, MemoryError):
        return "not enough memory for this data"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"unexpected {type(error).__name__}: {error} (--debug shows where)"


# Usual names of what a command writes, and those that it has here.
_ELSEWHERE = frozenset({"o", "out", "output", "outfile"})
_WRITING = frozenset({"--model", "--suspects", "--report"})


class OneLineGroup(TyperGroup):
    """A command group whose usage errors are one line as well."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command and leave with its exit status, unless not in stand-alone mode."""
        stands_alone = options.get("standalone_mode", True)
        options["standalone_mode"] = False
        if not stands_alone:
            return super().main(*args, **options)
        escape_for_people()
        try:
            status = super().main(*args, **{**options, "prog_name": "csvor"})
        except (KeyboardInterrupt, typer.Abort):
            typer.echo("csvor: interrupted", err=True)
            status = INTERRUPTED
        except CommandError as error:
            _complain(error)
            status = error.exit_code
        except Exception as error:
            # Older releases of typer raise click's errors, later ones their own: same methods.
            if not hasattr(error, "format_message"):
                raise
            context = getattr(error, "ctx", None)
            _name_what_is_meant(error, context)
            hint = self.hint_on(error)
            hint += f" (see '{context.command_path} --help')" if context else ""
            _complain(error.format_message().rstrip(".") + hint)
            status = WRONG_USE
        sys.exit(status)

    def hint_on(self, error: Any) -> str:
        """What to say behind a wrong use of the command."""
        return ""


def _name_what_is_meant(error: Any, context: Any) -> None:
    """Of an option to write that the command has not, suggest its own, not the like-sounding."""
    if context and getattr(error, "option_name", "").lstrip("-") in _ELSEWHERE:
        known = {option for one in context.command.params for option in one.opts}
        error.possibilities = sorted({"--out"} & known or _WRITING & known) or error.possibilities


def nearest(name: str, known: Sequence[str]) -> str:
    """The part of a message that helps with a name that is not among the `known` ones."""
    close = closest(name, known)
    return (
        f"the columns are {listed(known)}" if close is None else f"did you mean '{visible(close)}'?"
    )


def listed(names: Sequence[object], most: int = 10) -> str:
    """Names in quotes, the first `most` of them."""
    return some_of([f"'{visible(str(name))}'" for name in names], most)
