"""What is wrong with decisions, in words?"""

from collections.abc import Mapping

# Faults that are printed.
MOST = 10
_HOLD = "decisions hold for the file that was audited"
_WORDS = {
    "no-row-number": "{source}, row {line}: '{row}' in column 'row' is no row number; these count from 1 below the header of the data",
    "no-decision": "{source}, row {line}: the decision '{decision}' is none of keep, relabel and drop{hint}",
    "no-new-label": "{source}, row {line}: row {row} is to be relabelled, and its new label is blank; fill in the column 'label'",
    "kept-with-label": "{source}, row {line}: row {row} keeps '{old}', and its column 'label' says '{label}'; write relabel, or blank the label",
    "twice": "{source}: row {row} is decided more than once; leave one decision",
    "beyond": "{source}: row {row} is decided, and {data} has {n}; " + _HOLD,
    "left-out": "{source}: row {row} is decided, and the audit left it out, since it has no label or was dropped before; take the decision out",
    "applied": "{source}: row {row} is given as '{old}', but is '{now}' {where}; it seems to be applied already: " + _HOLD,
    "differs": "{source}: row {row} is given as '{old}', but is '{now}' {where}; this is another file, or changed since: " + _HOLD,
    "moved": "{source}: row {row} has {name} '{there}', but '{here}' in {data}; this is another file, or its rows were moved: " + _HOLD,
    "other-cells": "{source}: row {row} of {data} has other cells than the row that was reviewed; rows were moved, or cells changed: " + _HOLD,
    "unknown": "{source}: row {row} is to become '{label}', which {no_such} is; {hint} {remedy}",
}  # fmt: skip


class DecisionsError(ValueError):
    """Decisions cannot be used; `faults` has a sentence for each, in the order of the file."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        more = [f"and {len(faults) - MOST} more"] * (len(faults) > MOST)
        head = [f"{len(faults)} faults"] * (len(faults) > 1)
        super().__init__("\n  ".join([*head, *faults[:MOST], *more]))


def worded(kind: str, **facts: object) -> str:
    """The sentence of a fault."""
    return _WORDS[kind].format(**facts)


def of_first(kind: str, more: int, **facts: object) -> str:
    """The sentence of a fault that so many more rows have, with what to do."""
    what, why = _WORDS[kind].split("; ")
    return f"{what}, and {more} more rows differ; {why}; name it as it was then".format(**facts)


def refuse(faults: Mapping[int, str]) -> None:
    """Refuse decisions that have faults, by the lines that these are in."""
    if faults:
        raise DecisionsError([faults[line] for line in sorted(faults)])
