"""Which command can be typed after faults of a file, with the options that the file needs?"""

import shlex
from collections.abc import Sequence
from contextvars import ContextVar

from csvor._faults.fault import OPTIONS, Fault

# The words of the command that runs, as they were typed.
TYPED: ContextVar[Sequence[str]] = ContextVar("TYPED", default=())
# Stands for the labels, whose order only the user knows.
ORDER = "LOWEST,...,HIGHEST"
_IMPUTE = ("--impute",)
_LEFT_OUT = frozenset({"bytes", "empty-column", "lists", "own-texts"})


def command_to_try(faults: Sequence[Fault | None], noted: Sequence[Fault] = ()) -> str:
    """A line with the whole command; blank where no option helps, or none to paste.

    It names the rows by a column that is `noted` to be their id.
    """
    answers = [_answers(fault) for fault in faults]
    options = list(dict.fromkeys(option for several in answers for option in several))
    if not options or not TYPED.get():
        return ""
    ids = [option for option in options if option[0] == "--id"]
    if not ids and _takes_id():
        options += [("--id", one.column) for one in noted if "id" in one.remedies][:1]
    dropped = {option: ("--drop", option[1]) for option in ids[1:]}  # one column names the rows
    options = [dropped.get(option, option) for option in options]
    typed = {tuple(TYPED.get()[i : i + len(option)]) for option in options for i in range(99)}
    words = [word for option in options if option not in typed for word in option]
    if len(faults) == 1 and ORDER in words:
        return ""  # the fault says it
    hints = ["once the others are corrected"] * (not all(answers))
    hints += [f"with your labels, lowest first, in place of {ORDER}"] * (ORDER in words)
    return f"{', '.join(['Try', *hints])}: {shlex.join([*TYPED.get(), *words])}"


def _answers(fault: Fault | None) -> list[tuple[str, ...]]:
    """The options that a fault asks for, of those that the command has; none if the file must be
    corrected.
    """
    known = OPTIONS.get() or ()
    answers = [] if fault is None else _options(fault)
    return answers if all(option[0] in known for option in answers) else []


def _options(fault: Fault) -> list[tuple[str, ...]]:
    if fault.kind == "blank-numbers":
        return [_without_blanks()]
    if fault.kind == "blank-labels":
        return [("--missing-label", "")]
    if fault.kind == "labels":
        return [("--classes", ORDER)] if fault.facts["lack_order"] else []
    if fault.kind == "lost-order":
        return [("--classes", ORDER)]
    if "dates" in fault.remedies:
        return [("--dates",)]
    if "missing" in fault.remedies:
        return [("--missing", fault.examples[0]), _without_blanks()]
    if "id" in fault.remedies and _takes_id():
        return [("--id", fault.column)]
    leave_out = "drop" in fault.remedies or fault.kind in _LEFT_OUT
    return [("--drop", fault.column)] if leave_out else []


def _takes_id() -> bool:
    """Whether the command has an option for the id, and it was not typed."""
    typed = {word.partition("=")[0] for word in TYPED.get()}
    return "--id" in (OPTIONS.get() or ()) and "--id" not in typed


def _without_blanks() -> tuple[str]:
    """The option that leaves rows with blanks out, else the one that fills them."""
    whole = "--complete" in (OPTIONS.get() or ()) and not {"--dask", "--impute"} & set(TYPED.get())
    return ("--complete",) if whole else _IMPUTE
