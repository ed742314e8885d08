"""How does a failure become a line, or one for each fault, and an exit status?"""

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from csvor._faults.errors import FAILED, WRONG_USE, CommandError, FaultsError, one_line
from csvor._faults.fault import Fault
from csvor._faults.notes import Notes
from csvor._faults.spelling import harmless
from csvor._utils.interrupts import is_interrupt
from csvor.cli._streams import escape_for_people
from csvor.cli._try import command_to_try

INTERRUPTED = 130
# As of a program that the signal of a broken pipe ends: 128 + SIGPIPE.
PIPE_CLOSED = 141


def _complain(error: Exception | str, noted: Sequence[Fault] = ()) -> None:
    """Print what is to be said of an error: a line, or one for each of several faults.

    The command to try has what they ask for, and what was `noted` before.
    """
    text = str(error) if isinstance(error, FaultsError) else one_line(_message_of(error))
    # Not by typer, which writes UTF-8 to a stream that says it is ASCII.
    print(f"csvor: error: {harmless(text)}", file=sys.stderr)
    faults = error.faults if isinstance(error, FaultsError) else [error]
    of_file = [getattr(one, "fault", None) for one in faults]
    if command := command_to_try(of_file, noted):
        print(harmless(command), file=sys.stderr)


@contextmanager
def failures_in_one_line(debug: bool = False, notes: Notes | None = None) -> Iterator[None]:
    """Turn every failure inside into one line and an exit status; `debug` adds the traceback."""
    try:
        yield
        sys.stdout.flush()
    except typer.Exit:
        raise
    except BrokenPipeError:
        # The reader of the pipe has gone; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(PIPE_CLOSED) from None
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        if debug:
            print(traceback.format_exc().rstrip(), file=sys.stderr)
        _complain(error, notes.faults if notes else ())
        raise typer.Exit(getattr(error, "exit_code", FAILED)) from None


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
        except (KeyboardInterrupt, typer.Abort):  # typer makes a status of most of them
            status = INTERRUPTED
        except CommandError as error:
            _complain(error)
            status = error.exit_code
        except OSError as error:  # of --help and --version, on a full disk
            _complain(error)
            status = FAILED
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
        if status == INTERRUPTED:
            print("csvor: interrupted", file=sys.stderr)
        sys.exit(status)

    def hint_on(self, error: Any) -> str:
        """What to say behind a wrong use of the command."""
        return ""


def _name_what_is_meant(error: Any, context: Any) -> None:
    """Of an option to write that the command has not, suggest its own, not the like-sounding."""
    if context and getattr(error, "option_name", "").lstrip("-") in _ELSEWHERE:
        known = {option for one in context.command.params for option in one.opts}
        error.possibilities = sorted({"--out"} & known or _WRITING & known) or error.possibilities


def help_without_command(context: typer.Context) -> None:
    """Print the help of a group where none of its commands is named."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
