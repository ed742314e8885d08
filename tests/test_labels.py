"""Class order and codes: what is ordered how, what is refused, and in which words."""

import pickle
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import DataConversionWarning

from csvor._labels import LabelError, OrdinalLabels

WORDS = ["low", "medium", "high"]
# B12's ranks: 0 for x < 4, 1 for 4 <= x < 8, 2 otherwise.
RANKS = np.repeat([0, 1, 2], 4)


def coded(y: Any, classes: Any = None) -> tuple[list[Any], list[int]]:
    """The classes that are found in `y` and the code of each row."""
    labels = OrdinalLabels.from_data(y, classes)
    codes = labels.encode(y)
    assert codes.dtype == np.int64
    # Decoding gives the labels back, in the dtype of the classes.
    decoded = labels.decode(codes)
    assert decoded.dtype == labels.classes.dtype
    assert decoded.tolist() == list(np.ravel(np.asarray(y)).tolist())
    return labels.classes.tolist(), codes.tolist()


def error_of(y: Any, classes: Any = None) -> LabelError:
    with pytest.raises(LabelError) as caught:
        OrdinalLabels.from_data(y, classes)
    return caught.value


# Containers: what holds the labels does not matter.

CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "ndarray": np.array,
    "object ndarray": lambda y: np.array(y, dtype=object),
    "Series": pd.Series,
    "Series with another index": lambda y: pd.Series(y, index=range(50, 50 + len(y))),
    "object Series": lambda y: pd.Series(y, dtype=object),
    "Index": pd.Index,
    "unordered Categorical": pd.Categorical,
    "unordered Series": lambda y: pd.Series(y, dtype="category"),
    "polars": pl.Series,
    "masked array without a mask": np.ma.array,
    "reversed view": lambda y: np.array(y[::-1])[::-1],
}
NUMBER_CONTAINERS = CONTAINERS | {
    "nullable": lambda y: pd.Series(y).convert_dtypes(),
    "pyarrow": lambda y: pd.Series(y, dtype="int64[pyarrow]"),
}
TEXT_CONTAINERS = CONTAINERS | {
    "string dtype": lambda y: pd.Series(y, dtype="string"),
    "polars Categorical": lambda y: pl.Series(y, dtype=pl.Categorical),
}


@pytest.mark.parametrize("kind", NUMBER_CONTAINERS)
@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([3, 5, 4], [3, 4, 5]),
        ([9, 1, 5], [1, 5, 9]),
        ([0, -1, 1], [-1, 0, 1]),
        ([2, 0, 2], [0, 2]),
    ],
)
def test_n02_numbers_are_sorted_whatever_their_container(
    kind: str, values: list[int], classes: list[int]
) -> None:
    y = NUMBER_CONTAINERS[kind](values)
    assert coded(y) == (classes, [classes.index(v) for v in values])


@pytest.mark.parametrize("kind", TEXT_CONTAINERS)
def test_n01_words_take_the_order_given(kind: str) -> None:
    y = TEXT_CONTAINERS[kind](["high", "low", "medium", "low"])
    assert coded(y, WORDS) == (WORDS, [2, 0, 1, 0])


@pytest.mark.parametrize("kind", TEXT_CONTAINERS)
def test_n01_words_without_an_order_are_refused(kind: str) -> None:
    error = error_of(TEXT_CONTAINERS[kind](["medium", "low", "high", "low"]))
    assert error.problem == "The labels are words without an order: 'high', 'low', 'medium'"
    assert "classes=[...]" in error.remedy
    assert ("as_ordered" in error.remedy) == kind.startswith("unordered")
    assert error.positions == ()


def test_n01_an_unordered_categorical_with_its_categories_in_order_is_refused() -> None:
    y = pd.Categorical(["low", "high", "medium"], categories=WORDS, ordered=False)
    assert "'low', 'medium', 'high', are not declared as ordered" in str(error_of(y))


@pytest.mark.parametrize("kind", ["Categorical", "Series", "CategoricalIndex", "DataFrame"])
def test_n01_an_ordered_categorical_gives_its_order(kind: str) -> None:
    y = pd.Categorical(["high", "low", "high"], categories=WORDS, ordered=True)
    made = {
        "Categorical": y,
        "Series": pd.Series(y, index=[7, 8, 9]),
        "CategoricalIndex": pd.CategoricalIndex(y),
    }
    if kind == "DataFrame":
        with pytest.warns(DataConversionWarning):
            labels = OrdinalLabels.from_data(pd.DataFrame({"y": y}))
    else:
        labels = OrdinalLabels.from_data(made[kind])
        assert labels.encode(made[kind]).tolist() == [2, 0, 2]
    # "medium" has no row and stays.
    assert labels.classes.tolist() == WORDS
    assert labels.declared


def test_an_ordered_categorical_of_integers_keeps_its_order() -> None:
    y = pd.Series([1, 2, 3, 7, 1]).astype(pd.CategoricalDtype([3, 1, 7, 2], ordered=True))
    assert coded(y) == ([3, 1, 7, 2], [1, 3, 0, 2, 1])
    assert OrdinalLabels.from_data(y).classes.dtype == np.int64


def test_an_unordered_categorical_of_integers_is_sorted_by_value() -> None:
    y = pd.Categorical([1, 2, 3, 7, 1], categories=[3, 1, 7, 2, 99])
    assert coded(y) == ([1, 2, 3, 7], [0, 1, 2, 3, 0])
    assert not OrdinalLabels.from_data(y).declared


def test_a_polars_enum_gives_its_order() -> None:
    y = pl.Series(["high", "low", "high"], dtype=pl.Enum(WORDS))
    assert coded(y) == (WORDS, [2, 0, 2])
    assert OrdinalLabels.from_data(y).declared


@pytest.mark.parametrize(
    "categories",
    [
        pd.IntervalIndex.from_breaks([0, 10, 20, 40]),
        pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"]),
        [1.5, 0.5, 2.25],
        [True, False],
    ],
    ids=["intervals", "dates", "fractions", "booleans"],
)
def test_an_ordered_categorical_may_hold_anything(categories: Any) -> None:
    y = pd.Categorical.from_codes([1, 0, 1], categories=categories, ordered=True)
    labels = OrdinalLabels.from_data(y)
    assert labels.classes.tolist() == list(categories)
    assert labels.encode(y).tolist() == [1, 0, 1]
    # What predict returns can be compared again.
    assert labels.encode(labels.decode(np.array([0, 1]))).tolist() == [0, 1]


def test_a_class_list_wins_over_the_order_of_the_dtype() -> None:
    y = pd.Categorical(["high", "low"], categories=WORDS, ordered=True)
    assert coded(y, ["high", "low"]) == (["high", "low"], [0, 1])


# Numbers: any width, whole floats, booleans; never changed by arithmetic.

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4", ">f8"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_n02_n04_classes_keep_the_dtype_of_the_labels(dtype: str) -> None:
    y = np.array([5, 3, 4, 3], dtype=dtype)
    labels = OrdinalLabels.from_data(y)
    assert labels.classes.dtype == y.dtype
    assert coded(y) == ([3, 4, 5], [2, 0, 1, 0])
    # The same when the classes are listed as plain numbers.
    assert OrdinalLabels.from_data(y, [3, 4, 5, 6]).classes.dtype == y.dtype


@pytest.mark.parametrize("dtype", ["Int8", "UInt16", "Int64", "Float32", "boolean"])
def test_nullable_numbers_keep_their_width(dtype: str) -> None:
    y = pd.Series([1, 0, 1], dtype=dtype)
    labels = OrdinalLabels.from_data(y)
    assert labels.classes.dtype == y.dtype.numpy_dtype
    assert labels.encode(y).tolist() == [1, 0, 1]


def test_n08_booleans_stay_booleans() -> None:
    y = np.array([True, False, True])
    labels = OrdinalLabels.from_data(y)
    assert labels.classes.dtype == bool
    assert coded(y) == ([False, True], [1, 0, 1])
    assert OrdinalLabels.from_data([True, False]).classes.dtype == bool


@pytest.mark.parametrize(
    "y",
    [
        [2, 1.0, True, 3],
        np.array([2, 1, 1, 3], dtype=object),
        np.array([Decimal(2), Fraction(1), np.float32(1), np.int8(3)], dtype=object),
    ],
    ids=["mixed list", "object integers", "object numbers of all types"],
)
def test_numbers_match_by_value_whatever_their_type(y: Any) -> None:
    assert OrdinalLabels.from_data(y).classes.tolist() == [1, 2, 3]
    assert OrdinalLabels.from_data(y).encode(y).tolist() == [1, 0, 0, 2]


def test_n05_int8_is_widened() -> None:
    y = np.repeat(np.arange(-100, 100), 2).astype(np.int8)
    narrow, wide = OrdinalLabels.from_data(y), OrdinalLabels.from_data(y.astype(np.int64))
    assert narrow.classes.dtype == np.int8
    assert np.array_equal(narrow.classes, wide.classes)
    assert np.array_equal(narrow.encode(y), np.repeat(np.arange(200), 2))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**63, 2**63 + 1, 2**64 - 1], np.uint64),
        ([-(2**63), 0, 2**63 - 1], np.int64),
        ([2**53, 2**53 + 1, 2**53 + 2], np.int64),
        ([0, 255, 7], np.uint8),
        ([-128, 127, 0], np.int8),
        ([1e300, -1e300, 0.0], np.float64),
        ([10**12, 2 * 10**12, 5], np.float64),
    ],
)
def test_large_numbers_stay_exact(values: list[Any], dtype: type) -> None:
    y = np.array(values, dtype=dtype)
    classes = sorted(values)
    assert coded(y) == (classes, [classes.index(v) for v in values])
    assert coded(y, classes[::-1])[1] == [2 - classes.index(v) for v in values]


@pytest.mark.parametrize("values", [[2**63, -1], [2**64, 1], [2**53 + 1, 1.0, 2**53]])
def test_a_list_does_not_lose_large_integers(values: list[Any]) -> None:
    classes = sorted(values)
    labels = OrdinalLabels.from_data(values)
    assert labels.classes.tolist() == classes
    assert labels.encode(values).tolist() == [classes.index(v) for v in values]
    assert OrdinalLabels.from_data(values, classes).encode(values).tolist() == [
        classes.index(v) for v in values
    ]


# N03: numbers written as text.


@pytest.mark.parametrize("kind", TEXT_CONTAINERS)
def test_n03_text_numbers_are_sorted_as_numbers(kind: str) -> None:
    grades = [str(grade) for grade in range(1, 12)]
    y = TEXT_CONTAINERS[kind]([*grades[::-1], *grades])
    classes, codes = coded(y)
    assert classes == grades  # '2' before '10', and still text
    assert codes == [*range(10, -1, -1), *range(11)]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["10", "-3", "+2", "0"], ["-3", "0", "+2", "10"]),
        (["1e1", "2.0", "3."], ["2.0", "3.", "1e1"]),
        ([" 2", "1"], ["1", " 2"]),
        (["18446744073709551615", "18446744073709551614"], None),
    ],
)
def test_n03_every_way_to_write_a_number(y: list[str], classes: list[str] | None) -> None:
    assert OrdinalLabels.from_data(y).classes.tolist() == (classes or y[::-1])


def test_n03_two_spellings_of_one_number_are_refused() -> None:
    error = error_of(["1", "2", "01", "1.0", "2"])
    assert error.problem == "One number is written in 3 ways: '01', '1', '1.0'"
    assert (error.positions, error.count) == ((0, 2, 3), 3)


def test_n03_text_numbers_that_are_not_whole_are_refused_like_floats() -> None:
    error = error_of(["1", "1.5", "2", "1.5", "2", "1"])
    assert error.problem.startswith("Unknown label type: continuous. 2 of 6 labels")
    assert "classes=['1', '1.5', '2']" in error.remedy
    assert coded(["2", "1.5", "1"], ["1", "1.5", "2"])[1] == [2, 1, 0]


@pytest.mark.parametrize("odd", ["n/a", "", "one", "nan", "inf", "1_000", "0x1", "1e999", "٣"])
def test_n03_a_word_among_text_numbers_is_named(odd: str) -> None:
    error = error_of(["1", "2", "3", odd, "2"])
    assert error.problem == f"The labels have no order: most are numbers, but not {odd!r}"
    assert (error.positions, error.count) == ((3,), 1)


@pytest.mark.parametrize(("n_words", "is_rare"), [(1, True), (2, True), (3, False), (20, False)])
def test_n03_rows_of_a_word_are_left_out_where_it_is_rare(n_words: int, is_rare: bool) -> None:
    """Of 40 rows two are 5 %; a word that has more of them may be a class."""
    error = error_of(["1", "2"] * ((40 - n_words) // 2) + ["1"] * (n_words % 2) + ["x"] * n_words)
    without = "drop rows whose label stands for none"
    assert ("correct or drop these rows" in error.remedy.lower()) == is_rare
    assert (without in error.remedy) != is_rare


# N04: numbers that are not whole.


def test_n04_half_points_need_a_class_list() -> None:
    y = np.repeat([1.0, 1.5, 2.0], 4)
    error = error_of(y)
    assert error.problem == (
        "Unknown label type: continuous. 4 of 12 labels are not whole numbers, such as 1.5"
    )
    assert "classes=[1.0, 1.5, 2.0]" in error.remedy
    assert (error.positions, error.count) == ((4, 5, 6, 7), 4)
    assert coded(y, [1.0, 1.5, 2.0]) == ([1.0, 1.5, 2.0], RANKS.tolist())


@pytest.mark.parametrize(
    "y",
    [
        np.linspace(1.03, 2.41, 12),  # more values than half the rows
        np.repeat(np.arange(21) / 2, 10),  # more than 20 values
        [0.5, 1.5],
    ],
)
def test_n04_many_values_are_a_regression_target(y: Any) -> None:
    error = error_of(y)
    assert "Unknown label type: continuous" in error.problem
    assert error.problem.endswith("this is a regression target")
    assert "classes=" not in error.remedy


def test_n04_one_label_that_is_not_whole_is_enough() -> None:
    error = error_of([1.0, 2.0, 1.0, 2.0, 1.0, 1.25])
    assert "1 of 6 labels is not a whole number, such as 1.25" in error.problem
    assert str(error).count("(row 5, counted from 0)") == 1


def test_n04_tenths_match_across_float_widths() -> None:
    y = np.array([0.1, 0.2, 0.3, 0.1], dtype=np.float32)
    labels = OrdinalLabels.from_data(y, [0.1, 0.2, 0.3])
    assert labels.classes.dtype == np.float32
    assert labels.encode(y).tolist() == [0, 1, 2, 0]
    assert labels.encode([0.3, 0.1]).tolist() == [2, 0]


@pytest.mark.parametrize(
    ("classes", "y"),
    [
        ([1, 300], np.array([1, 44], dtype=np.int8)),  # 300 as int8 is 44
        ([False, True], np.array([0.0, 2.0])),
        ([0.5, 0.5 + 1e-12], np.array([0.5 + 1e-6], dtype=np.float32)),
        (["a", "excellent"], np.array(["a", "exc"])),
    ],
    ids=["int8", "bool", "float32", "text"],
)
def test_a_label_of_a_narrower_type_is_no_other_class(classes: list[Any], y: np.ndarray) -> None:
    labels = OrdinalLabels.from_data(classes, classes)
    with pytest.raises(LabelError, match="not among the classes"):
        labels.encode(y)


def test_classes_that_float32_cannot_part_are_not_merged() -> None:
    labels = OrdinalLabels.from_data(np.array([0.5, 0.5 + 1e-12]), [0.5, 0.5 + 1e-12])
    assert labels.encode(np.array([0.5], dtype=np.float32)).tolist() == [0]


# N06: missing labels.

MISSING: dict[str, Any] = {
    "NaN": np.where(np.isin(np.arange(12), [1, 6, 9]), np.nan, RANKS),
    "None": [None if i in (1, 6, 9) else int(r) for i, r in enumerate(RANKS)],
    "NaN in a list of text": [np.nan if i in (1, 6, 9) else str(r) for i, r in enumerate(RANKS)],
}
MISSING |= {
    "different NaNs": np.array(
        [float("nan") if i in (1, 6, 9) else 0 for i in range(12)], dtype=object
    ),
    "NaT": np.array([pd.NaT if i in (1, 6, 9) else 0 for i in range(12)], dtype=object),
    "pd.NA": pd.Series(MISSING["None"], dtype="Int64"),
    "text": pd.Series([None if v is None else str(v) for v in MISSING["None"]]),
    "string dtype": pd.Series([None if v is None else str(v) for v in MISSING["None"]]).astype(
        "string"
    ),
    "categorical": pd.Categorical(MISSING["None"], categories=[0, 1, 2], ordered=True),
    "unordered": pd.Series(pd.Categorical(MISSING["None"])),
    "polars numbers": pl.Series(MISSING["None"]),
    "polars text": pl.Series([None if v is None else str(v) for v in MISSING["None"]]),
    "polars enum": pl.Series(
        [None if v is None else str(v) for v in MISSING["None"]], dtype=pl.Enum(["0", "1", "2"])
    ),
    "masked": np.ma.array(RANKS, mask=np.isin(np.arange(12), [1, 6, 9])),
}


@pytest.mark.parametrize("kind", MISSING)
def test_n06_missing_labels_are_counted_and_located(kind: str) -> None:
    error = error_of(MISSING[kind])
    assert error.problem == "3 of 12 labels are missing"
    assert (error.positions, error.count) == ((1, 6, 9), 3)
    assert str(error) == (
        "3 of 12 labels are missing (rows 1, 6, 9, counted from 0). "
        "Drop these rows, or give them their label."
    )
    # The same after the fit.
    labels = OrdinalLabels(np.array(["0", "1", "2"] if "text" in kind else [0, 1, 2]), True)
    with pytest.raises(LabelError, match="3 of 12 labels are missing"):
        labels.encode(MISSING[kind])


def test_n06_only_the_first_rows_are_listed() -> None:
    error = error_of([None] * 7 + [1])
    assert (error.positions, error.count) == ((0, 1, 2, 3, 4), 7)
    assert "(rows 0, 1, 2, 3, 4 and 2 more, counted from 0)" in str(error)


@pytest.mark.parametrize("y", [[0.0, np.inf, 1.0], np.array([0, -np.inf, 1], dtype=object)])
def test_infinite_labels_are_refused(y: Any) -> None:
    error = error_of(y)
    assert error.problem == "1 of 3 labels is infinite"
    assert error.positions == (1,)


# N07: codes for "no answer".

SCALE = np.tile([1, 2, 3, 4, 5], 40)


def with_codes(*codes: int, rows: int = 3) -> np.ndarray:
    y = SCALE.copy()
    y[: rows * len(codes)] = np.repeat(codes, rows)
    return y


@pytest.mark.parametrize(
    ("codes", "rows", "said"),
    [
        ([99], 6, r"Label 99 is far from the rest \(5 -> 99\) and rare \(6 of 200 rows, 3 %\)"),
        ([9], 3, r"Label 9 is far from the rest \(5 -> 9\) and rare \(3 of 200 rows, 1.5 %\)"),
        ([-9], 3, r"Label -9 is far from the rest \(1 -> -9\) and rare"),
        ([-9, 99], 3, r"Labels -9, 99 are far from the rest \(1 -> -9, 5 -> 99\) and rare"),
        ([-99, 99], 5, r"Labels -99, 99 are far .* \(10 of 200 rows, 5 %\)"),
        ([88, 99], 5, r"Labels 88, 99 are far from the rest \(5 -> 88\)"),
        ([99, 999], 3, r"Labels 99, 999 are far from the rest \(5 -> 99\)"),
        ([-9, -8, 98, 99], 2, r"Labels -9, -8, 98, 99 are far .* \(1 -> -8, 5 -> 98\)"),
        ([8], 1, r"Label 8 is far from the rest \(5 -> 8\)"),
    ],
)
@pytest.mark.parametrize("kind", ["int", "int8", "float", "text", "categorical"])
def test_n07_far_and_rare_numbers_are_named(
    codes: list[int], rows: int, said: str, kind: str
) -> None:
    y: Any = with_codes(*codes, rows=rows)
    if kind == "int8" and 999 in codes:
        pytest.skip("999 is no int8")
    if kind in ("float", "text"):  # written 99.0 and '99'
        y, said = y.astype(kind.replace("text", "str")), r"far from the rest .* and rare"
    elif kind != "int":
        y = y.astype(np.int8) if kind == "int8" else pd.Categorical(y)
    with pytest.warns(UserWarning, match=said):
        labels = OrdinalLabels.from_data(y)
    assert [float(c) for c in labels.classes] == sorted({1, 2, 3, 4, 5, *codes})


def test_n07_the_warning_names_both_ways_out() -> None:
    with pytest.warns(UserWarning, match=r"drop these rows; .* classes=\[1, 2, 3, 4, 5, 99\]"):
        OrdinalLabels.from_data(with_codes(99))
    # Said once, it is not said again.
    OrdinalLabels.from_data(with_codes(99), [1, 2, 3, 4, 5, 99])


@pytest.mark.parametrize(
    ("codes", "no_answer", "a_class"),
    [([99], "if it means 'no answer'", "if it is a class"),
     ([88, 99], "if they mean 'no answer'", "if they are classes")],
)  # fmt: skip
def test_n07_the_warning_speaks_of_one_or_of_several(
    codes: list[int], no_answer: str, a_class: str
) -> None:
    with pytest.warns(UserWarning, match=f"(?i){no_answer}, drop these rows; {a_class}, say so"):
        OrdinalLabels.from_data(with_codes(*codes))


@pytest.mark.parametrize(
    "y",
    [
        np.tile([1, 5, 9], 10),
        np.append(np.tile([1, 5, 9], 40), 13),  # even steps
        with_codes(99, rows=11),  # 5.5 % of the rows
        with_codes(7),  # a gap of 2 beside gaps of 1
        np.append(np.tile([1, 2], 60), 99),  # two classes are no scale
        np.append(np.tile([0, 50], 60), 99),
        np.repeat([1, 2, 3, 99], 3),  # few rows: nothing is rare
        np.arange(200),
        np.repeat([2**63, 2**63 + 1, 2**63 + 2], 30).astype(np.uint64),
        pd.Categorical(with_codes(99), categories=[1, 2, 3, 4, 5, 99], ordered=True),
    ],
    ids=["1-5-9", "1-5-9-13", "common", "near", "two", "two wide", "few", "many", "u8", "declared"],
)
def test_n07_other_scales_do_not_warn(y: Any) -> None:
    OrdinalLabels.from_data(y)  # warnings are errors here


def test_n07_the_gap_is_not_computed_in_the_narrow_type() -> None:
    # -128 and 127 are 255 apart, which int8 would call -1.
    y = np.append(np.tile([-128, -127, -126], 40), 127).astype(np.int8)
    with pytest.warns(UserWarning, match=r"Label 127 is far from the rest \(-126 -> 127\)"):
        OrdinalLabels.from_data(y)


def test_n07_a_declared_list_refuses_the_code() -> None:
    labels = OrdinalLabels.from_data(with_codes(99), [1, 2, 3, 4, 5])
    with pytest.raises(LabelError) as caught:
        labels.encode(with_codes(99))
    assert caught.value.problem == "Label 99 is not among the classes 1, 2, 3, 4, 5"
    assert (caught.value.positions, caught.value.count) == ((0, 1, 2), 3)


# N08 to N10: which classes are present.


@pytest.mark.parametrize("y", [[0] * 12, ["3"] * 4, [True], pd.Categorical([7], ordered=True)])
def test_n08_a_single_class_is_named(y: Any) -> None:
    error = error_of(y)
    label = np.asarray(y)[0].item() if hasattr(np.asarray(y)[0], "item") else y[0]
    assert error.problem == f"There is only one class: {label!r}"
    assert "classes=[...]" in error.remedy


@pytest.mark.parametrize("part", [slice(4, 12), slice(0, 8), slice(0, 4)])
def test_n09_declared_classes_stay_in_every_fold(part: slice) -> None:
    y = RANKS[part]
    labels = OrdinalLabels.from_data(y, [0, 1, 2])
    assert labels.classes.tolist() == [0, 1, 2]
    assert labels.encode(y).tolist() == y.tolist()


def test_n10_counts_show_the_class_without_rows() -> None:
    y = pd.Categorical(["low", "high", "high"], categories=WORDS, ordered=True)
    labels = OrdinalLabels.from_data(y)
    codes = labels.encode(y)
    assert labels.counts(codes).tolist() == [1, 0, 2]
    assert labels.counts(codes, [0.5, 1.0, 2.0]).tolist() == [0.5, 0.0, 3.0]


def test_n09_numbers_that_are_no_class_take_their_place() -> None:
    labels = OrdinalLabels(np.array([0, 2]), declared=False)
    assert labels.with_numbers_of([0, 1, 2, 7]).classes.tolist() == [0, 1, 2, 7]
    assert labels.with_numbers_of([2, 0]) is labels
    text = OrdinalLabels(np.array(["2", "10"]), declared=False)
    assert text.with_numbers_of(["9", "2"]).classes.tolist() == ["2", "9", "10"]
    tenths = OrdinalLabels(np.array([0.1, 0.3], dtype=np.float32), declared=True)
    wider = tenths.with_numbers_of(np.array([0.1, 0.2, 0.3]))
    assert wider.encode([0.1, 0.2, 0.3]).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("classes", "y"),
    [
        (["low", "high"], ["low", "medium"]),  # a word has no place
        (["1", "2"], ["1", "n/a"]),
        ([3, 1, 2], [1, 4]),  # nor has a number in an order that is not that of numbers
        (["1", "2"], ["01", "2"]),  # a second spelling is no new class
        ([1, 2], ["3"]),
    ],
)
def test_n09_what_has_no_place_is_refused_by_name(classes: list[Any], y: list[Any]) -> None:
    labels = OrdinalLabels(np.array(classes), declared=True)
    assert labels.with_numbers_of(y) is labels
    with pytest.raises(LabelError, match=r"not among the classes|but the classes are numbers"):
        labels.encode(y)


# The class list.


@pytest.mark.parametrize(
    "classes",
    [
        WORDS,
        tuple(WORDS),
        np.array(WORDS),
        np.array(WORDS, dtype=object),
        pd.Index(WORDS),
        pd.Series(WORDS),
        pl.Series(WORDS),
        pd.Categorical(WORDS),  # in the order written, not that of its categories
    ],
    ids=lambda classes: type(classes).__name__,
)
def test_a_class_list_in_any_container(classes: Any) -> None:
    assert coded(["high", "low"], classes) == (WORDS, [2, 0])


def test_a_class_list_need_not_ascend() -> None:
    assert coded([1, 2, 3, 1], [3, 1, 2]) == ([3, 1, 2], [1, 2, 0, 1])
    assert coded([1, 2], range(3)) == ([0, 1, 2], [1, 2])


@pytest.mark.parametrize(
    ("classes", "complaint"),
    [
        ([1, 2, 1], "classes lists 1 more than once"),
        ([1, 2, 1.0, True], "classes lists 1"),
        (["a", "b", "a"], "classes lists 'a' more than once"),
        ([1], "classes lists only one class: 1"),
        ([], "classes is empty"),
        ([1, None], "classes holds missing values"),
        ([1, np.nan, 2.0], "classes holds missing values"),
        ([0, np.inf], "classes holds infinite values"),
        ([[0, 1], [2, 3]], r"classes should be a 1d array, .* got \(2, 2\)"),
        ([[0], [1]], r"classes should be a 1d array, .* got \(2, 1\)"),
        (np.array([[0], [1]]), r"classes should be a 1d array, .* got \(2, 1\)"),
        ([[0], [1, 2]], "rows of different lengths"),
        ("low,high", "got an object of type str"),
        ({"low", "high"}, "got an object of type set"),
        (3, "got an object of type int"),
        ([1, "2"], "classes mixes numbers and text, such as 1, '2'"),
        ([1j, 2j], "Complex data not supported"),
    ],
)
def test_unusable_class_lists_are_refused(classes: Any, complaint: str) -> None:
    with pytest.raises(LabelError, match=complaint):
        OrdinalLabels.from_data([0, 1, 2], classes)


@pytest.mark.parametrize(
    ("y", "classes", "complaint"),
    [
        (["1", "2"], [1, 2], r"labels are text \('1', '2'\) but the classes are numbers \(1, 2\)"),
        ([1, 2], ["1", "2"], "labels are numbers .* but the classes are text"),
        (pd.Series(["1", "2"]), [1, 2], "List the classes as text too"),
        ([True, False], ["no", "yes"], "labels are numbers"),
    ],
)
def test_text_never_matches_numbers(y: Any, classes: list[Any], complaint: str) -> None:
    with pytest.raises(LabelError, match=complaint):
        OrdinalLabels.from_data(y, classes)
    with pytest.raises(LabelError, match=complaint):
        OrdinalLabels(np.array(classes), declared=True).encode(y)


@pytest.mark.parametrize("codes", [[0, 1, 2], [2, 0], np.array([1, 2, 0], dtype=np.uint8)], ids=str)
def test_n36_codes_against_words_were_numbered_by_the_alphabet(codes: Any) -> None:
    words = ["low", "medium", "high"]
    expected = (
        "but the classes are text ('low', 'medium', 'high'). If you gave words, a wrapper of "
        "scikit-learn (such as cross_val_predict or VotingClassifier) has numbered them by the "
        "alphabet, which is not their order. Give it ranks in place of the words, 0 for 'low' to 2 "
        "for 'high', without classes=."
    )
    with pytest.raises(LabelError) as caught:
        OrdinalLabels.from_data(codes, words)
    assert str(caught.value).endswith(expected)
    with pytest.raises(LabelError) as caught:
        OrdinalLabels(np.array(words, dtype=object), declared=True).encode(codes)
    assert str(caught.value).endswith(expected)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([0, 1, 2], ["0", "1", "2"]),  # the same numbers as text
        ([1, 2, 3], ["low", "medium", "high"]),  # counted from 1: no wrapper does
        ([-1, 0, 1], ["low", "medium", "high"]),
        ([0.0, 1.0, 2.0], ["low", "medium", "high"]),
        ([False, True], ["no", "yes"]),
    ],
)
def test_other_numbers_against_text_are_no_codes(y: list[Any], classes: list[str]) -> None:
    with pytest.raises(LabelError, match="List the classes as numbers too, or convert the labels"):
        OrdinalLabels.from_data(y, classes)


@pytest.mark.parametrize(
    ("y", "classes", "dtype"),
    [
        (np.array([1, 2], dtype=np.int8), [1.0, 2.0, 3.0], "i1"),
        (np.array([1, 2], dtype=np.int8), [1, 2, 300], "i8"),  # 300 is no int8
        (np.array([1, 2], dtype=np.int8), [1, 2, 2.5], "f8"),
        (np.array([1, 2], dtype=np.uint8), [-1, 1, 2], "i8"),
        (np.array([1.0, 2.0]), [1, 2, 3], "f8"),
        (np.array([True, False]), [0, 1], "?"),
        (np.array([True, False]), [0, 1, 2], "i8"),
        (np.array([False]), [0.0, 2.0], "f8"),  # 2.0 is no boolean
        (np.array([0, 1]), [False, True], "i8"),
        (np.array(["a", "b"]), ["a", "b", "excellent"], "U9"),  # never cut short
        (np.array(["a", "bbbb"]), ["a", "bbbb"], "U4"),
        (np.array(["a", "b"], dtype=object), ["a", "b"], "O"),
        (np.array([1, 2], dtype=object), [1, 2], "O"),
        (np.array([1, 2], dtype=np.int8), np.array([1, 2, 10**9], dtype=object), "O"),
    ],
)
def test_classes_take_the_dtype_of_y_where_nothing_is_lost(
    y: np.ndarray, classes: Any, dtype: str
) -> None:
    labels = OrdinalLabels.from_data(y, classes)
    assert labels.classes.dtype == np.dtype(dtype)
    assert labels.classes.tolist() == list(classes)
    assert labels.decode(labels.encode(y)).tolist() == y.tolist()


# Shapes and types.


@pytest.mark.parametrize(
    "y",
    [
        np.array([[2], [0], [1]]),
        [[2], [0], [1]],
        pd.DataFrame({"y": [2, 0, 1]}),
        pl.DataFrame({"y": [2, 0, 1]}),
    ],
    ids=["ndarray", "list", "pandas", "polars"],
)
def test_one_column_is_taken_with_a_warning(y: Any) -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array"):
        labels = OrdinalLabels.from_data(y)
    assert labels.classes.tolist() == [0, 1, 2]
    assert labels.encode(y).tolist() == [2, 0, 1]
    assert labels.encode(y[:1]).tolist() == [2]


@pytest.mark.parametrize("y", [np.array([b"a", b"b"]), np.array([b"a", b"b"], dtype=object)])
def test_bytes_are_to_be_decoded(y: np.ndarray) -> None:
    assert "numpy.char.decode(y)" in error_of(y).remedy
    assert "decode" not in error_of(np.array([1j, 2j])).remedy


def test_what_has_to_be_in_one_dimension_is_named() -> None:
    assert error_of(np.zeros((3, 2))).remedy == "Pass one label per row, in one dimension."
    remedy = "Pass one label per class, in one dimension."
    assert error_of([0, 1], np.zeros((3, 2))).remedy == remedy


@pytest.mark.parametrize(
    ("y", "complaint"),
    [
        (np.zeros((3, 2)), r"y should be a 1d array, .* got \(3, 2\)"),
        (pd.DataFrame({"a": [1], "b": [2]}), r"got \(1, 2\)"),
        (np.zeros((2, 1, 1)), r"got \(2, 1, 1\)"),
        (5, "got an object of type int"),
        ("low", "got an object of type str"),
        (None, "requires y to be passed, but the target y is None"),
        ([], "y is empty"),
        (np.array([], dtype=int), "y is empty"),
        (pd.Series([], dtype="category"), "y is empty"),
        (pl.Series([], dtype=pl.Enum(WORDS)), "y is empty"),
        ([[1], [2, 3]], "rows of different lengths"),
        ([[1], 2], "rows of different lengths"),
        (csr_array(np.eye(3)), "y is a sparse matrix"),
        ([1 + 1j, 2], "Complex data not supported"),
        ([b"a", b"b"], "y holds values of the type |S1|, which are no labels"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "datetime64"),
        (pd.Series(pd.to_datetime(["2020-01-01"])), "datetime64"),
        (pd.Series(pd.interval_range(0, 3)), "type Interval in no declared order"),
        (np.array([{}, {}], dtype=object), "lists or other containers"),
        ([1, "a", 2, 3], r"The labels mix numbers and text, such as 1, 'a' \(row 1,"),
        (np.array(["a", 1], dtype=object), "The labels mix text and numbers"),
        (pd.Series(["a", 1.5]), "The labels mix text and numbers"),
    ],
)
def test_what_cannot_be_labels_is_refused(y: Any, complaint: str) -> None:
    with pytest.raises(LabelError, match=complaint):
        OrdinalLabels.from_data(y)


def test_long_labels_and_long_lists_are_cut_in_messages() -> None:
    error = error_of(["x" * 1000, *(f"w{i:02}" for i in range(30))])
    assert len(str(error)) < 400
    assert "... (31 in all)" in error.problem


# The error object, and what is left alone.


def test_errors_survive_a_worker_process() -> None:
    error = error_of([1, None, 2])
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert (again.problem, again.remedy) == (error.problem, error.remedy)
    assert (again.positions, again.count) == ((1,), 1)
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("y", [RANKS, RANKS.astype(np.float32), RANKS.astype(str)])
def test_n14_labels_may_be_read_only_and_are_not_changed(y: np.ndarray) -> None:
    y = y.copy()
    y.flags.writeable = False
    before = y.tobytes()
    labels = OrdinalLabels.from_data(y)
    labels.decode(labels.encode(y))[0] = labels.classes[1]
    assert y.tobytes() == before
    assert labels.encode(y).tolist() == RANKS.tolist()


def test_the_given_class_list_is_copied() -> None:
    classes = np.array([0, 1, 2])
    OrdinalLabels.from_data(RANKS, classes).classes[0] = 7
    assert classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", ["i1", "i8", "u8", "f8"])
@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5], [0, 10, 60, 100, 120]])
def test_agrees_with_unique(rng: np.random.Generator, dtype: str, values: list[int]) -> None:
    y = rng.choice(values, size=3000).astype(dtype)
    classes, codes = np.unique(y, return_inverse=True)
    labels = OrdinalLabels.from_data(y)
    assert np.array_equal(labels.classes, classes)
    assert np.array_equal(labels.encode(y), codes)


def test_random_integers_of_any_range_agree_with_unique(rng: np.random.Generator) -> None:
    for high in (3, 300, 30_000, 2**62):
        y = rng.integers(-high, high, size=500)
        classes, codes = np.unique(y, return_inverse=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # some are far and rare
            labels = OrdinalLabels.from_data(y)
        assert np.array_equal(labels.classes, classes)
        assert np.array_equal(labels.encode(y), codes)


@pytest.mark.parametrize("dtype", ["i1", "i8", "f8", "U2"])
def test_all_sets_of_small_integers_agree_with_unique(dtype: str) -> None:
    values = range(-3, 4)
    for some in (c for size in range(2, 8) for c in combinations(values, size)):
        y = np.array(some)[::-1].astype(dtype)
        labels = OrdinalLabels.from_data(y)
        assert np.array_equal(labels.classes.astype(int), some)
        assert labels.encode(y).tolist() == [*reversed(range(len(some)))]
