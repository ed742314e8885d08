"""The label column of a file: order, missing codes, and what is refused (cases N01 to N10)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from csvor._faults.errors import CommandError, UsageError
from csvor._faults.notes import Notes
from csvor._tables.table import as_column
from csvor._tables.target import Target, read_target
from csvor.cli.input._csv import classes_of


def target_of(
    values: Any, classes: str | None = None, missing: Sequence[str] = (), notes: Notes | None = None
) -> Target:
    """`values` is a list of texts, as from a CSV file, or an Arrow array, as from Parquet."""
    column = as_column("grade", values if isinstance(values, pa.Array) else pa.array(values))
    return read_target(column, classes_of(classes), missing, notes or Notes())


def refusal(kind: type[CommandError], *args: Any, **kwargs: Any) -> str:
    with pytest.raises(kind) as caught:
        target_of(*args, **kwargs)
    assert isinstance(caught.value, kind)
    assert caught.value.exit_code == kind.exit_code
    return str(caught.value)


WORDS = ["low"] * 4 + ["medium"] * 4 + ["high"] * 4


def test_n01_words_need_an_order() -> None:
    assert refusal(CommandError, WORDS) == (
        "column 'grade': the labels are words without an order: 'high' 4, 'low' 4, 'medium' 4; "
        "list them from the lowest to the highest in --classes LOWEST,...,HIGHEST"
    )
    target = target_of(WORDS, "low, medium,high")
    assert target.classes == ["low", "medium", "high"]
    assert target.counts == [4, 4, 4]
    assert target.order == "declared with --classes"
    assert target.labels.tolist() == WORDS


@pytest.mark.parametrize("ordered", [True, False])
def test_n01_categories_of_the_file(ordered: bool) -> None:
    levels = pa.array(["low", "medium", "high", "top"])
    codes = pa.array([0, 1, 2] * 4, pa.int8())
    values = pa.DictionaryArray.from_arrays(codes, levels, ordered=ordered)
    if not ordered:
        assert "the labels are words" in refusal(CommandError, values)
        return
    target = target_of(values)
    assert target.classes == ["low", "medium", "high", "top"]
    assert target.counts == [4, 4, 4, 0]
    assert target.order == "ordered category of the file"


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([3, 4, 5], "i"),
        ([1, 5, 9], "i"),
        ([-1, 0, 1], "i"),
        ([0, 2, 2], "i"),
        ([0.0, 1.0, 2.0], "f"),
    ],
)
def test_n02_numbers_order_themselves(labels: list[Any], kind: str) -> None:
    given = np.repeat(labels, 4)
    typed = target_of(pa.array(given))
    assert typed.classes == sorted(set(labels))
    assert typed.order == "numbers"
    assert typed.labels.dtype.kind == kind
    np.testing.assert_array_equal(typed.labels, given)

    as_text = target_of([str(label) for label in given])
    assert as_text.classes == [str(label) for label in sorted(set(labels))]
    assert as_text.counts == typed.counts


def test_n03_ten_comes_after_two() -> None:
    grades = [str(grade) for grade in range(1, 12) for _ in range(2)]
    target = target_of(grades)
    assert target.classes == [str(grade) for grade in range(1, 12)]
    assert target.order == "numbers (every label can be read as one)"
    padded = target_of(["10", "02", "01"] * 2)
    assert padded.classes == ["01", "02", "10"]


def test_two_spellings_of_one_number() -> None:
    assert refusal(CommandError, ["1", "2", "1", "1.0"]) == (
        "column 'grade': one number is written in 2 ways: '1', '1.0' (rows 1, 3, 4); write each "
        "label in one way"
    )
    message = refusal(CommandError, ["1", "2", "1", "1.0"], "1,2")
    assert message == (
        "column 'grade': 1 label is none of --classes: '1.0' 1 (row 4); correct it, add it to "
        "--classes or leave this row out with --missing-label 1.0"
    )


def test_numbers_that_are_one_only_as_floats() -> None:
    """The rule of the library, which compares them exactly."""
    large = ["9007199254740992", "9007199254740993"]
    assert target_of(large * 3).classes == large


def test_n04_half_points_need_a_list() -> None:
    halves = ["1.0"] * 4 + ["1.5"] * 4 + ["2.0"] * 4
    for values, such, classes in (
        (halves, "'1.5'", "1.0,1.5,2.0"),
        (pa.array([float(h) for h in halves]), "1.5", "1,1.5,2"),
    ):
        assert refusal(CommandError, values) == (
            f"column 'grade': 4 of 12 labels are not whole numbers, such as {such} (rows 5, 6, 7, "
            f"8); if these are ordered classes, list them: --classes {classes}"
        )
    assert target_of(halves, "1,1.5,2").classes == ["1.0", "1.5", "2.0"]
    typed = target_of(pa.array([float(h) for h in halves]), "1,1.5,2")
    assert typed.classes == [1.0, 1.5, 2.0]


@pytest.mark.parametrize("as_text", [True, False])
def test_n04_a_measurement_is_refused(as_text: bool) -> None:
    values: Any = [round(1.03 + 0.38 * i, 2) for i in range(12)]
    message = refusal(CommandError, list(map(str, values)) if as_text else pa.array(values))
    assert "12 of 12 labels are not whole numbers, such as " in message
    assert (
        "12 values differ: this is a regression target (rows 1, 2, 3, 4, 5 and 7 more)" in message
    )
    assert "; cut it into ordered classes first" in message


def test_n04_a_measurement_is_what_the_library_takes_for_one() -> None:
    values = [str(0.5 + i) for i in range(25)] * 4
    assert "25 values differ: this is a regression target" in refusal(CommandError, values)


@pytest.mark.parametrize(("n_classes", "n"), [(51, 600), (21, 100), (20, 40), (30, 600)])
def test_whole_numbers_as_many_as_where_something_is_measured_are_noted(
    n_classes: int, n: int
) -> None:
    y, notes = np.arange(n) % n_classes, Notes()
    target_of(pa.array(y), notes=notes)
    note = (
        f"column 'grade': {n_classes} whole numbers differ in {n} labels, as where something is "
        "measured; cut them into ordered classes first"
    )
    assert notes.texts() == ([note] if n_classes in (51, 21) else [])


@pytest.mark.parametrize("classes", [None, "1,2"])
def test_a_long_measurement_is_refused(classes: str | None) -> None:
    values = [f"{0.5 + i}" for i in range(20_000)]
    assert "20000" in refusal(CommandError, values, classes)


def test_a_label_for_each_row_is_refused() -> None:
    assert "every row has a label of its own" in refusal(CommandError, list("123456"))


def test_n05_small_integers_stay_what_they_are() -> None:
    given = np.repeat(np.arange(-100, 100, dtype=np.int8), 2)
    target = target_of(pa.array(given))
    assert target.labels.dtype == np.int8
    assert target.classes == list(range(-100, 100))


BLANKS: list[Any] = [
    ["1", "", "1", "1", "2", "2", " ", "2", "3", "", "3", "3"],
    pa.array([1, None, 1, 1, 2, 2, None, 2, 3, None, 3, 3]),
    pa.array([1, np.nan, 1, 1, 2, 2, np.nan, 2, 3, None, 3, 3], from_pandas=False),
]


@pytest.mark.parametrize("values", BLANKS, ids=["text", "null", "nan"])
def test_n06_missing_labels(values: Any) -> None:
    assert refusal(CommandError, values) == (
        "column 'grade': 3 of 12 labels are blank (rows 2, 7, 10); fill them in, or leave these "
        "rows out with --missing-label ''"
    )
    target = target_of(values, missing=[""])
    assert target.left_out == {"blank": 3}
    assert target.rows.tolist() == [0, 2, 3, 4, 5, 7, 8, 10, 11]
    assert target.counts == [3, 3, 3]


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("code", ["99", "99.0", " 99"])
def test_n07_codes_for_no_answer(typed: bool, code: str) -> None:
    given = [99] * 6 + [1, 2, 3, 4, 5] * 40
    values: Any = pa.array(given) if typed else [str(label) for label in given]
    target = target_of(values, missing=[code])
    assert target.left_out == {code.strip(): 6}
    assert target.rows[0] == 6
    assert [str(label) for label in target.classes] == list("12345")

    notes = Notes()
    assert str(target_of(values, notes=notes).classes[-1]) == "99"
    (note,) = notes.texts()
    assert "99" in note and "far" in note and "6 of 206 rows" in note
    assert "--missing-label" in note and "classes=" not in note

    message = refusal(CommandError, values, "1,2,3,4,5")
    assert "6 labels are none of --classes: '99' 6 (rows 1, 2, 3 and 3 more)" in message
    assert "--missing-label 99" in message


def test_n07_several_codes_and_one_that_is_not_there() -> None:
    notes = Notes()
    target = target_of(["1", "2", "", "-9", "n/a"] * 3, missing=["", "-9", "n/a", "8"], notes=notes)
    assert target.left_out == {"blank": 3, "-9": 3, "n/a": 3}
    assert target.classes == ["1", "2"]
    assert notes.texts() == ["--missing-label '8': no row has this label"]


@pytest.mark.parametrize("labels", [["1,0", "1,5", "2,0"], ["1", "1,5", "2"]])
def test_decimal_commas_in_labels_are_no_words(labels: list[str]) -> None:
    assert refusal(CommandError, labels * 4).endswith("; write the decimal commas as points")
    assert target_of(labels * 4, ",".join(f'"{label}"' for label in labels)).classes == labels


def test_a_word_among_numbers_is_named() -> None:
    message = refusal(CommandError, ["1", "2", "3", "n/a", "2", "1", "3"])
    assert "most are numbers, but not 'n/a' (row 4)" in message
    assert "--missing-label 'n/a'" in message


def test_n08_booleans_and_two_classes() -> None:
    target = target_of(pa.array([True, False, True]))
    assert (target.classes, target.labels.dtype) == ([False, True], np.dtype(bool))
    assert target_of(pa.array([True, False, True]), "TRUE,false").classes == [True, False]
    assert "the labels are True and False" in refusal(UsageError, pa.array([True, False]), "a,b")
    assert target_of(["0", "1", "1"]).classes == ["0", "1"]


@pytest.mark.parametrize("words", [("False", "True"), ("FALSE", "TRUE"), ("false", "true")])
def test_n08_booleans_as_text_are_ordered_like_booleans(words: tuple[str, str]) -> None:
    """As from CSV; they come back as they were written."""
    target = target_of([words[1], words[0], words[1]])
    assert (target.classes, target.order) == (list(words), "False before True")
    assert target.labels.tolist() == [words[1], words[0], words[1]]
    assert target_of([words[1], words[0]] * 2, f"{words[1]},{words[0]}").classes == [*words[::-1]]
    assert "words without an order" in refusal(CommandError, [*words, "maybe"] * 2)


@pytest.mark.parametrize("classes", [None, "0,1"])
def test_n08_one_class(classes: str | None) -> None:
    message = refusal(CommandError, ["0"] * 12, classes)
    assert "all 12 rows have the label '0', so there is nothing to order" in message


def test_n10_a_declared_class_without_rows_stays() -> None:
    target = target_of(["low", "high", "low"], "low,medium,high")
    assert target.classes == ["low", "medium", "high"]
    assert target.counts == [2, 0, 1]


@pytest.mark.parametrize(
    ("values", "classes", "message"),
    [
        (pa.array([1, 2, 1]), "low,high", "'low', but the labels of column 'grade' are whole"),
        (pa.array([1, 2, 1]), "1,1.5,2", "'1.5', but the labels of column 'grade' are whole"),
        (pa.array([1.0, 2.0, 1.0]), "1,b", "'b', but the labels of column 'grade' are numbers"),
        (["a", "b"], "a", "name at least two classes"),
    ],
)
def test_classes_that_cannot_be_the_labels(values: Any, classes: str, message: str) -> None:
    assert message in refusal(UsageError, values, classes)


def test_whole_classes_for_float_labels() -> None:
    target = target_of(pa.array([1.0, 2.0, 1.0]), "2,1")
    assert target.classes == [2.0, 1.0]
    assert target_of(pa.array([1, 2, 1]), "2.0,1").classes == [2, 1]


def test_labels_are_not_dates() -> None:
    dates = pa.array([1, 2], pa.date32())
    assert "holds dates, which are no labels" in refusal(CommandError, dates)


def test_no_row_left() -> None:
    assert "no row is left" in refusal(CommandError, ["9", "9"], missing=["9"])


def test_a_slip_in_the_list_of_classes_is_named() -> None:
    message = refusal(CommandError, ["good", "poor", "excellent"] * 2, "poor,good,excelent")
    assert message.endswith("; 'excelent' in --classes is no label, is 'excellent' meant?")
