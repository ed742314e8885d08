"""Properties of what is read: a number, or a table, is the same however it is written (N39, N41).

A model that is fitted once predicts from a plain file and from the same data written in another
way: the rows of both have to get the same scores, to the last digit.
"""

import csv
import io
import string
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from properties import attempt, examples, run

# What may stand beside all numbers of a column.
UNITS = {"plain": "{}", "percent": "{}%", "dollars": "${}", "euros": "{} €", "kilograms": "{} kg"}
MINUSES = {"hyphen": "-{}", "minus sign": "\N{MINUS SIGN}{}", "brackets": "({})"}
THOUSANDS = ("", ",", ".", "'", " ", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}")
NOTATIONS = [(d, t) for d in ".," for t in THOUSANDS if d != t]
FULL_WIDTH = str.maketrans(string.digits, "".join(chr(0xFF10 + i) for i in range(10)))
# A whole number and how many of its digits are decimals.
NUMBERS = st.tuples(st.integers(-(10**9), 10**9), st.integers(0, 4))
# Signs that divide cells, quotes and breaks among letters; an accent that is one sign or two.
TEXTS = st.text('ab1 ,;|"\t\n#=é\u0301', min_size=1, max_size=8).map(lambda text: f"r{text}")


@pytest.fixture(scope="module", autouse=True)
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a model for each unit, of one column of numbers."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for unit, form in UNITS.items():
            x = rng.normal(scale=1000.0, size=60)
            labels = np.array(["low", "mid", "high"])[np.digitize(x, [-500.0, 500.0])]
            cells = zip(labels, (form.format(f"{value:.2f}") for value in x), strict=True)
            Path("t.csv").write_text("y,x\n" + "".join(f"{y},{v}\n" for y, v in cells), "utf-8")
            order = ("--target", "y", "--classes", "low,mid,high")
            run("fit", "t.csv", *order, "--model", f"{unit}.skops")
        yield folder


def scores(unit: str, content: str, *options: str) -> list[dict[str, str]]:
    """What `csvor predict --score` says of each row of a file."""
    Path("new.csv").write_bytes(content.encode())
    result = run("predict", "new.csv", "--model", f"{unit}.skops", "--score", *options)
    return list(csv.DictReader(io.StringIO(result.stdout_bytes.decode(), newline="")))


def plain(number: tuple[int, int]) -> str:
    digits, decimals = number
    text = f"{abs(digits):0{decimals + 1}d}"
    whole, part = text[: len(text) - decimals], text[len(text) - decimals :]
    return "-" * (digits < 0) + whole + "." * (decimals > 0) + part


def written(text: str, notation: tuple[str, str], minus: str, unit: str) -> str:
    """A plain number in other signs."""
    decimal, thousands = notation
    whole, point, part = text.removeprefix("-").partition(".")
    grouped = f"{int(whole):,}".replace(",", thousands)
    body = UNITS[unit].format(grouped + (decimal if point else "") + part)
    return MINUSES[minus].format(body) if text.startswith("-") else body


def column(cells: list[str]) -> str:
    """A file of one column; its name is in quotes as well, so that no sign divides it."""
    return "".join(f'"{cell}"\n' for cell in ["x", *cells])


@examples(40)
@given(
    numbers=st.lists(NUMBERS, min_size=1, max_size=6),
    notation=st.sampled_from(NOTATIONS),
    minus=st.sampled_from(sorted(MINUSES)),
    unit=st.sampled_from(sorted(UNITS)),
)
def test_n39_numbers_are_the_same_in_any_notation(
    numbers: list[tuple[int, int]], notation: tuple[str, str], minus: str, unit: str
) -> None:
    # One cell that can be read in one way only: it decides for the others.
    texts = ["1234567.25" if notation[1] else "0.25", *map(plain, numbers)]
    expected = scores(unit, column([UNITS[unit].format(text) for text in texts]))
    found = scores(unit, column([written(text, notation, minus, unit) for text in texts]))
    assert found == expected

    values = np.array([float(text) for text in texts])
    by_value = np.array([float(row["score"]) for row in expected])[np.argsort(values)]
    assert (np.diff(by_value) >= 0).all()
    assert np.unique(by_value).size == np.unique(values).size


@examples(15)
@given(numbers=st.lists(NUMBERS, min_size=1, max_size=6))
def test_n39_digits_of_full_width_are_digits(numbers: list[tuple[int, int]]) -> None:
    texts = ["0.25", *map(plain, numbers)]
    wide = [text.translate(FULL_WIDTH) for text in texts]
    assert scores("plain", column(wide)) == scores("plain", column(texts))


@examples(20)
@given(
    numbers=st.lists(NUMBERS, max_size=6),
    point=st.integers(0, 6),
    comma=st.integers(0, 6),
)
def test_n39_a_point_and_a_comma_for_decimals_contradict(
    numbers: list[tuple[int, int]], point: int, comma: int
) -> None:
    """Wherever they stand, nothing is predicted, and the column is named."""
    cells = list(map(plain, numbers))
    cells.insert(point, "0.25")
    cells.insert(comma, "0,25")
    Path("new.csv").write_text(column(cells), "utf-8")
    result = attempt("predict", "new.csv", "--model", "plain.skops", "--score")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "column 'x'" in result.stderr


DIALECTS = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(",;\t|"),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        "end": st.sampled_from(["\n", "\r\n"]),
        "mark": st.sampled_from(["", "\ufeff"]),
        "above": st.sampled_from(["", "\n", "# exported, with care\n", "sep={}\n"]),
        "last": st.sampled_from(["", "\n", "\n\n"]),
    }
)


def in_dialect(rows: list[tuple[str, ...]], dialect: dict[str, str]) -> str:
    delimiter, end = dialect["delimiter"], dialect["end"]
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, quoting=dialect["quoting"], lineterminator=end).writerows(
        rows
    )
    above = dialect["above"].format(delimiter).replace("\n", end)
    last = dialect["last"].replace("\n", end)
    return dialect["mark"] + above + out.getvalue().removesuffix(end) + last


@examples(50)
@given(rows=st.lists(st.tuples(TEXTS, NUMBERS), min_size=1, max_size=6), dialect=DIALECTS)
def test_n41_cells_are_the_same_in_any_dialect(
    rows: list[tuple[str, tuple[int, int]]], dialect: dict[str, str]
) -> None:
    """Texts come back as they were, but for blanks at their ends and the form of Unicode."""
    texts = [text.strip() for text, _ in rows]
    assume(not any(text.count("\n") and text.count(dialect["delimiter"]) for text in texts))
    cells = [(text, plain(number)) for text, number in rows]
    found = scores("plain", in_dialect([("name", "x"), *cells], dialect), "--id", "name")
    assert [row["name"] for row in found] == [unicodedata.normalize("NFC", t) for t in texts]
    expected = scores("plain", column([number for _, number in cells]))
    assert [row["score"] for row in found] == [row["score"] for row in expected]
