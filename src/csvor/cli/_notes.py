"""How do warnings become notes of a command, and how do notes leave it?"""

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import partial

from csvor._faults.errors import one_line
from csvor._faults.notes import Notes
from csvor._faults.options import OF_LABELS, as_option
from csvor._faults.spelling import harmless
from csvor._utils.warn import AdvisedWarning
from csvor.cli._options import ModelOptions

# The commands say the same with the number of rows. scikit-learn gives no category of its own.
_RARE_CLASS = "The least populated class"
# Parameters of the estimators that are options of the commands, and what labels have.
_OPTIONS = {field.name for field in fields(ModelOptions)} | OF_LABELS
# How a parameter is spelled as an option of the commands.
option_of = partial(as_option, known=_OPTIONS)
# Words of the library on raters, and what the commands have for them.
_SAID_OTHERWISE = {
    "(gold=)": "(--gold COL)",
    "(reference=)": "(--reference NAME)",
    "confirm some labels": "confirm some labels (--reviewed FILE)",
    "audit_labels": "csvor audit",
    # ... and of the regression.
    " of X ": " ",
    "X has ": "there are ",
    "penalty=1.0": "--penalty 1",
    "Leave it out of classes": "Leave it out of --classes",
    "wrong=0": "--no-wrong",
    "out of nominal or scale": "out of --nominal or --scale",
    "a larger ridge": "a larger --penalty",
}

_LEAVE_OUT = re.compile("(Leave (?:it|one|one of them|columns) out),")


@contextmanager
def printed_at_end(notes: Notes) -> Iterator[None]:
    """Print the notes when the work inside is over, however it ends."""
    try:
        yield
    finally:
        for text in notes.texts():
            print(f"note: {harmless(text)}", file=sys.stderr)


@contextmanager
def warnings_as_notes(
    notes: Notes, *said_otherwise: type[Warning], lower_case: bool = False
) -> Iterator[None]:
    """Take up the warnings raised inside, except those that are meant for programmers.

    In lower case they begin as notes do, but for names in capitals.
    """
    # Here: help and the listing of data sets need no estimator.
    from csvor._data.fit_data import EmptyClassWarning
    from csvor._data.ranges import FarValueWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # The commands say these in words of their own, with rows and columns of the file.
        categories: tuple[type[Warning], ...] = (FarValueWarning, EmptyClassWarning)
        for category in (*categories, *said_otherwise):
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("ignore", message=_RARE_CLASS)
        try:
            yield
        finally:
            # Fits side by side warn in any order.
            for warning in sorted(caught, key=lambda one: str(one.message)):
                if issubclass(warning.category, (UserWarning, RuntimeWarning)):
                    note = one_line(in_options(warning.message))
                    if lower_case and not note[:2].isupper():
                        note = f"{note[:1].lower()}{note[1:]}"
                    notes.add_warning(note, one_line(str(warning.message)))


def in_options(message: Warning | str) -> str:
    """What the library says, with options in place of its functions and parameters."""
    if isinstance(message, AdvisedWarning):
        return message.spelled(option_of)
    text = str(message)
    for word, option in _SAID_OTHERWISE.items():
        text = text.replace(word, option)
    return _LEAVE_OUT.sub(r"\1 (--drop COL),", text)
