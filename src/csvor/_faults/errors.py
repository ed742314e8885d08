"""What may a failure be about, and how are several of them raised at once?"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, NoReturn

from csvor._faults.fault import Fault, fault
from csvor._faults.spelling import visible
from csvor._utils.spelling import closest
from csvor._utils.words import some_of

# The exit status that each ends a command with.
FAILED, WRONG_USE = 1, 2


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
        self.exit_code = self.faults[0].exit_code
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


def unreadable(source: str, what: str, why: Exception | str) -> CommandError:
    """The refusal of a file that is not what its name says."""
    return CommandError(fault("unreadable", source=source, what=what, why=str(why)))


def one_line(text: str) -> str:
    """`text` without line breaks, for messages that stay on one line."""
    return " ".join(text.split())


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


def nearest(name: str, known: Sequence[str]) -> str:
    """The part of a message that helps with a name that is not among the `known` ones."""
    close = closest(name, known)
    return (
        f"the columns are {listed(known)}" if close is None else f"did you mean '{visible(close)}'?"
    )


def listed(names: Sequence[object], most: int = 10) -> str:
    """Names in quotes, the first `most` of them."""
    return some_of([f"'{visible(str(name))}'" for name in names], most)
