"""The catalogue of wordings: each is used, each that is used is there, and says how many."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from csvor._faults.errors import (
    ColumnError,
    CommandError,
    Faults,
    FaultsError,
    UsageError,
    about,
    refuse,
)
from csvor._faults.fault import fault
from csvor._faults.messages import MESSAGES, REMEDIES
from csvor._utils.words import all_of, plural, rows_text, some_of

SOURCES = "\n".join(
    path.read_text("utf-8")
    for room in ("_tables", "_faults", "audit", "cli")
    for path in (Path(__file__).parents[1] / "src/csvor" / room).rglob("*.py")
    if path.name not in {"messages.py", "use_messages.py", "fault.py"}
)


@pytest.mark.parametrize("kind", [*MESSAGES, *REMEDIES])
def test_each_wording_is_used(kind: str) -> None:
    stem = re.sub("^(not-a-|blank-)(number|date|groups|items|raters)$", r"\1", kind)
    assert re.search(rf'"{stem}("|{{)', SOURCES)


def test_each_fault_has_a_wording() -> None:
    kinds = re.findall(r'\b(?:fault|refuse)\(\s*"([^"{]+)"', SOURCES)
    assert len(kinds) > 120 and set(kinds) <= MESSAGES.keys()


def test_singular_and_plural_go_by_the_rows() -> None:
    one, two = (str(fault("blank-labels", "y", rows=np.arange(1, n + 1), total=9)) for n in (1, 2))
    assert one == (
        "column 'y': 1 of 9 labels is blank (row 2); fill it in, or leave this row out with "
        "--missing-label ''"
    )
    assert two == (
        "column 'y': 2 of 9 labels are blank (rows 2, 3); fill them in, or leave these rows out "
        "with --missing-label ''"
    )


def test_what_a_file_holds_is_no_part_of_a_wording() -> None:
    """Brackets and braces of data stay as they are; names are quoted for a shell."""
    text = "[a|b] {n} {x!r}"
    message = str(
        fault("not-a-number", text, rows=[3], examples=[text], remedies=["drop"], total=5, like="")
    )
    assert message == (
        f"column '{text}': 1 of 5 values is not a number (row 4: '{text}'); leave the column out "
        f"with --drop '{text}'"
    )


def test_a_fault_survives_a_worker_process() -> None:
    error = ColumnError(fault("infinite", "x", rows=np.array([0, 4]), option="--weight"))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and str(again).startswith("column 'x' (--weight): 2 infinite")
    assert again.fault is not None and again.fault.kind == "infinite"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            ColumnError(fault("no-use", "w", what="dates", needed="weights")),
            "a.csv, column 'w' holds dates",
        ),
        (ColumnError("column 'w' holds"), "a.csv, column 'w' holds"),
        (CommandError(fault("unclear-cells", row_="row 3: ")), "a.csv: row 3: the cells cannot"),
        (CommandError("no rows"), "a.csv: no rows"),
    ],
)
def test_a_fault_of_a_file_names_it_and_keeps_its_kind(error: CommandError, message: str) -> None:
    with pytest.raises(CommandError) as caught, about("a.csv"):
        raise error
    assert str(caught.value).startswith(message)
    assert getattr(caught.value.fault, "kind", None) == getattr(error.fault, "kind", None)
    assert type(caught.value) is CommandError


def test_faults_of_a_file_keep_their_kinds() -> None:
    faults = Faults()
    for kind in ("zero-weights", "no-label-left"):
        faults.add(ColumnError(fault(kind, "w")))
    with pytest.raises(FaultsError) as caught, about("a.csv"):
        faults.refuse()
    assert str(caught.value).startswith("a.csv: 2 faults\n  column 'w': all weights are 0")
    kinds = [error.fault.kind for error in caught.value.faults if error.fault]
    assert kinds == ["zero-weights", "no-label-left"]


def test_a_wrong_use_is_about_no_file() -> None:
    with pytest.raises(UsageError, match=r"^--tune: ") as caught, about("a.csv"):
        refuse("dask-tune")
    assert caught.value.fault is not None and caught.value.fault.kind == "dask-tune"


def test_words() -> None:
    assert [plural(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    assert [all_of("abc"[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert (
        some_of(["a", "b", "c"], 2) == "a, b and 1 more" and some_of(["a"], 2, 5) == "a and 4 more"
    )
    assert rows_text([0], 1, first=0) == "row 0" and rows_text([4, 5], 9) == "rows 5, 6 and 7 more"
