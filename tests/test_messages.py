"""The catalogue of wordings: each is used, each that is used is there, and says how many."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from csvor._utils.words import all_of, plural, rows_text, some_of
from csvor.cli._errors import ColumnError
from csvor.cli._fault import fault
from csvor.cli._messages import MESSAGES, REMEDIES

SOURCES = "\n".join(
    path.read_text("utf-8")
    for path in (Path(__file__).parents[1] / "src/csvor/cli").rglob("*.py")
    if path.name not in {"_messages.py", "_fault.py"}
)


@pytest.mark.parametrize("kind", [*MESSAGES, *REMEDIES])
def test_each_wording_is_used(kind: str) -> None:
    stem = kind.removesuffix("number").removesuffix("date") if kind.startswith("not-a-") else kind
    assert re.search(rf'"{stem}("|{{)', SOURCES)


def test_each_fault_has_a_wording() -> None:
    kinds = re.findall(r'\bfault\(\s*"([^"{]+)"', SOURCES)
    assert len(kinds) > 60 and set(kinds) <= MESSAGES.keys()


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


def test_words() -> None:
    assert [plural(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    assert [all_of("abc"[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert (
        some_of(["a", "b", "c"], 2) == "a, b and 1 more" and some_of(["a"], 2, 5) == "a and 4 more"
    )
    assert rows_text([0], 1, first=0) == "row 0" and rows_text([4, 5], 9) == "rows 5, 6 and 7 more"
