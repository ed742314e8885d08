"""The feature columns of a file: their use, their faults, and the encoding (cases N11 to N13)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from csvor._faults.errors import CommandError, UsageError
from csvor._faults.notes import Notes
from csvor._tables.feature_columns import choose_features
from csvor._tables.features import FeatureColumns
from csvor._tables.model_columns import features_frame
from csvor._tables.table import Table, as_column
from csvor.preprocessing._encoding import make_pipeline


def table_of(**columns: Any) -> Table:
    """Lists of texts are as from a CSV file, Arrow arrays as from Parquet."""
    arrays = {k: v if isinstance(v, pa.Array) else pa.array(v) for k, v in columns.items()}
    n_rows = len(next(iter(arrays.values())))
    return Table("t.csv", {k: as_column(k, v) for k, v in arrays.items()}, n_rows)


def chosen(
    table: Table,
    rows: Sequence[int] | None = None,
    impute: bool = False,
    notes: Notes | None = None,
    clip: bool = False,
) -> tuple[FeatureColumns, pd.DataFrame]:
    at = np.arange(table.n_rows) if rows is None else np.array(rows)
    notes = notes or Notes()
    return choose_features(table, at, list(table.columns), impute=impute, clip=clip, notes=notes)


def refusal(*args: Any, kind: type[CommandError] = CommandError, **kwargs: Any) -> str:
    with pytest.raises(kind) as caught:
        chosen(*args, **kwargs)
    assert isinstance(caught.value, kind)
    assert caught.value.exit_code == kind.exit_code
    return str(caught.value)


def numerals(n: int) -> list[str]:
    return [f"{value:.2f}" for value in np.random.default_rng(0).normal(size=n)]


def encoded(table: Table, **kwargs: Any) -> NDArray[np.float64]:
    """All columns of a table, as the model sees them."""
    features, frame = chosen(table, impute=kwargs.get("impute", False))
    options = {"impute": False, "clip": None, **kwargs}
    pipeline = make_pipeline(features, "passthrough", **options)
    return np.asarray(pipeline.fit_transform(frame))


def test_uses_of_columns() -> None:
    notes = Notes()
    table = table_of(
        town=["a", "b", "", "a"],
        x=["1", "2", "3", "4"],
        same=["7", "7", "7", "7"],
        flag=pa.array([True, False, True, None]),
        word=["w"] * 4,
        z=pa.array([1.5, 2, 3, 4]),
        empty=[""] * 4,
    )
    features, frame = chosen(table, notes=notes)
    assert features.numeric == ["x", "z"]
    assert features.categorical == {"town": ["", "a", "b"], "flag": ["", "False", "True"]}
    assert features.constant == ["same", "word", "empty"]
    assert list(frame) == ["x", "z", "town", "flag"]
    assert frame["town"].tolist() == ["a", "b", "", "a"]
    assert notes.texts() == [
        "blank values in columns of words: 'town' 1 (row 3), 'flag' 1 (row 4); blank is treated as "
        "a category; fill these cells in if you know their values",
        "column 'empty' is blank in all rows and is left out",
        "columns 'same', 'word' have one value only and are left out",
    ]


def test_n83_marks_among_words_are_categories_and_noted() -> None:
    town = ["a", "NA", "b", "-", "a", "NA"]
    notes = Notes()
    features, frame = chosen(table_of(town=town, x=list("123456")), notes=notes)
    assert features.categorical == {"town": ["-", "NA", "a", "b"]}
    assert frame["town"].tolist() == town
    (note,) = notes.texts()
    assert note == (
        "marks for 'no value' in columns of words: 'town' ('NA' 2, '-' 1); each is treated as a "
        "category; --missing 'NA' counts it as blank"
    )


def test_rows_left_out_do_not_count() -> None:
    """Neither their blanks nor their values: the row of "bad" has no label."""
    table = table_of(x=["bad", "2", "3"], same=["1", "7", "7"])
    features, frame = chosen(table, rows=[1, 2])
    assert (features.numeric, features.constant) == (["x"], ["same"])
    assert frame["x"].tolist() == [2.0, 3.0]


def test_encoding_by_hand() -> None:
    table = table_of(x=["1", "2", "6"], town=["b", "a", "b"])
    by_hand = [[-2 / np.sqrt(14 / 3), 0, 1], [-1 / np.sqrt(14 / 3), 1, 0]]
    np.testing.assert_allclose(encoded(table)[:2], by_hand)


def test_impute_and_clip_by_hand() -> None:
    table = table_of(x=["1", "", "2", "3", "100"])
    # The median of 1, 2, 3, 100 is 2.5; then the median deviation of 1, 2.5, 2, 3, 100 is 0.5.
    clipped = np.array([1.5, 2.5, 2.0, 3.0, 3.5])
    by_hand = (clipped - clipped.mean()) / clipped.std()
    np.testing.assert_allclose(encoded(table, impute=True, clip=2.0)[:, 0], by_hand)


def test_a_category_that_a_training_part_lacks() -> None:
    features, frame = chosen(table_of(town=["a", "b", "c", "c"]))
    pipeline = make_pipeline(features, "passthrough", impute=False, clip=None)
    seen = pipeline.fit(frame.iloc[:2]).transform(frame)
    np.testing.assert_array_equal(seen, [[1, 0], [0, 1], [0, 0], [0, 0]])


@pytest.mark.parametrize("names", [("a", "a_b"), ("a_b", "a")])
def test_names_of_encoded_columns_may_collide(names: tuple[str, str]) -> None:
    table = table_of(
        **{names[0]: ["b_c", "x", "x"], names[1]: ["c", "y", "y"]}, a_x=["1", "2", "4"]
    )
    assert encoded(table).shape == (3, 5)


def test_n13_blank_numbers() -> None:
    table = table_of(x=[*numerals(30), *[""] * 6], z=["", *numerals(35)], same=["1", ""] * 18)
    assert refusal(table) == (
        "blank values in columns of numbers: 'x' 6 (rows 31, 32, 33 and 3 more), 'z' 1 (row 1); "
        "fill them in, let --impute do so, leave their rows out with --complete, or leave the "
        "columns out with --drop x --drop z"
    )
    assert chosen(table, impute=True)[0].numeric == ["x", "z"]
    assert "'x' 5 (rows 32, 33, 34" in refusal(table, rows=[*range(1, 30), *range(31, 36)])


@pytest.mark.parametrize("typed", [True, False])
def test_n13_infinite_numbers(typed: bool) -> None:
    values: Any = [1.0, 2.0, np.inf, 3.0]
    table = table_of(x=pa.array(values) if typed else [str(v) for v in values])
    assert refusal(table, impute=True) == (
        "column 'x': 1 infinite value (row 3); correct it or leave this row out"
    )
    assert "column 'x': 1 infinite value (row 3)" in refusal(table, rows=[2, 3])


def test_n13_a_value_far_out_is_noted_unless_it_is_clipped() -> None:
    values = np.random.default_rng(0).uniform(-3, 3, 200)
    values[1] = 3000.0
    notes = Notes()
    table = table_of(x=pa.array(values))
    chosen(table, notes=notes)
    (note,) = notes.texts()
    assert note.startswith("column 'x', row 2: 3000 is ")
    assert note.endswith("limit such values with --clip 5")
    chosen(table, notes=(clipped := Notes()), clip=True)
    assert clipped.texts() == []


def test_n11_numbers_of_any_size() -> None:
    values = np.random.default_rng(0).normal(size=50)
    plain = encoded(table_of(x=pa.array(values)))
    for factor, shift in ((1e8, 0), (1e100, 0), (1e-100, 0), (1, 1e4)):
        other = encoded(table_of(x=pa.array(values * factor + shift)))
        np.testing.assert_allclose(other, plain, atol=1e-9)
    assert "column 'x', row 4: 1e+200 is too large" in refusal(table_of(x=["1", "2", "3", "1e200"]))


def test_n12_a_column_that_hardly_varies() -> None:
    values = np.full(90, 1e8)
    values[-1] += 1
    assert np.abs(encoded(table_of(x=pa.array(values)))).max() < 10


@pytest.mark.parametrize("wrong", ["about 3", "12,5"])
def test_numbers_with_a_few_texts(wrong: str) -> None:
    table = table_of(dose=[*numerals(36), wrong, "3", wrong, "3"])
    mark = "say that it is no value with --missing 'about 3' --impute, " * (wrong == "about 3")
    told = refusal(table)
    assert told.startswith(
        f"column 'dose': 2 of 40 values are not numbers like '0.13' (row 37: '{wrong}', row 39: "
        f"'{wrong}'); correct them, blank them and use --impute, {mark}".removesuffix(", ")
    )
    assert told.endswith(", or leave the column out with --drop dose")


def test_one_text_among_numbers_is_told_of_in_the_singular() -> None:
    message = refusal(table_of(dose=[*numerals(36), "none of it"]))
    assert message.endswith(
        "1 of 37 values is not a number like '0.13' (row 37: 'none of it'); correct it, blank it "
        "and use --impute, say that it is no value with --missing 'none of it' --impute, or leave "
        "the column out with --drop dose"
    )


def test_a_short_column_of_numbers_with_a_text_is_no_category() -> None:
    message = refusal(table_of(dose=[*numerals(11), "12,5"]))
    assert "column 'dose': 1 of 12 values is not a number like '0.13' (row 12: '12,5')" in message


@pytest.mark.parametrize("whole", ["3", "-2", ""])
def test_decimal_commas_are_read_with_a_note(whole: str) -> None:
    table = table_of(dose=["5,0", " 1,25", whole, ",5e1", "-0,125"], x=list("12345"))
    notes = Notes()
    features, frame = chosen(table, impute=True, notes=notes)
    assert (features.numeric, features.categorical) == (["dose", "x"], {})
    expected = [5.0, 1.25, float(whole or "nan"), 5.0, -0.125]
    np.testing.assert_array_equal(frame["dose"], expected)
    assert notes.texts() == ["decimal commas are read as points: column 'dose' (row 1: '5,0' is 5)"]
    again = features_frame(table, features, impute=True, notes=Notes())
    pd.testing.assert_frame_equal(again, frame)


def test_commas_that_may_mark_thousands_are_refused() -> None:
    table = table_of(income=["1,234", "950", "12,500"])
    assert refusal(table) == (
        "column 'income': commas may mark thousands or decimals (row 1: '1,234' is 1.234 or 1234); "
        "say with --decimal . or --decimal , which sign the decimals have"
    )
    features = FeatureColumns(numeric=["income"])
    with pytest.raises(CommandError, match="thousands or decimals"):
        features_frame(table, features, impute=False, notes=Notes())


def test_points_and_commas_in_one_column_are_refused() -> None:
    message = refusal(table_of(dose=["5,0", "5.5", "5,0", "6.5"]))
    assert "2 of 4 values are not numbers like '5.5' (row 1: '5,0', row 3: '5,0')" in message


def test_lists_of_codes_stay_categories() -> None:
    notes = Notes()
    features, _ = chosen(table_of(code=["1,2", "1,2,3", "1,2", "2"]), notes=notes)
    assert list(features.categorical) == ["code"]
    assert notes.texts() == []


def test_codes_with_few_numbers_are_categories() -> None:
    features, _ = chosen(table_of(code=["1", "2", "x", "y", "2", "x"]))
    assert features.categorical == {"code": ["1", "2", "x", "y"]}


@pytest.mark.parametrize(
    "texts", [[f"n{i}" for i in range(4)], [f"it was {i} times fine" for i in range(400)]]
)
def test_texts_that_never_repeat_are_refused(texts: list[str]) -> None:
    message = refusal(table_of(name=texts))
    assert "every row has a text of its own, as in an identifier; mark it with --id name" in message


def test_texts_that_hardly_repeat_are_refused() -> None:
    message = refusal(table_of(name=[f"n{i // 2 if i < 20 else i}" for i in range(100)]))
    assert "column 'name': 90 different texts in 100 rows are too many for categories" in message
    assert chosen(table_of(name=[f"n{i % 50}" for i in range(100)]))[0].used == ["name"]


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["2024-01-05", "2024-02-06", ""], "dates ('2024-01-05')"),
        (["05.01.2024", "06.02.2024", "06.02.2024"], "dates ('05.01.2024')"),
        (["2024-01-05T10:00:00", "2024-02-06T11:00", "2024-02-06T11:00"], "dates"),
        (pa.array([1, 2, 3], pa.timestamp("us")), "dates"),
        (pa.array([[1], [2], [3]]), "lists"),
    ],
)
def test_dates_and_lists_are_refused(values: Any, what: str) -> None:
    message = refusal(table_of(seen=values, x=["1", "2", "3"]))
    assert f"column 'seen' holds {what}" in message
    assert "--drop seen" in message


def test_no_feature_left() -> None:
    assert "no feature column is left" in refusal(table_of(x=["1", "1"]))


def test_n15_columns_are_matched_by_name() -> None:
    features, frame = chosen(table_of(a=["1", "2", "5"], b=["3", "4", "5"], town=["u", "v", "v"]))
    notes = Notes()
    again = features_frame(
        table_of(town=["u", "v", "v"], b=["3", "4", "5"], c=list("xyz"), a=["1", "2", "5"]),
        features,
        impute=False,
        notes=notes,
    )
    pd.testing.assert_frame_equal(again[list(frame)], frame)
    assert notes.texts() == []


@pytest.mark.parametrize(
    ("columns", "kind", "message"),
    [
        ({"x": ["1"]}, UsageError, "t.csv lacks the columns 'z', 'town' that the model was fitted"),
        ({"x": ["1"], "z": ["x"], "town": ["a"]}, CommandError, "(row 1: 'x'); correct it, or fit"),
        ({"x": ["1"], "z": ["?"], "town": ["a"]}, CommandError, "'z' 1 (row 1); fill them in, or"),
        (
            {"x": ["1"], "z": [""], "town": ["a"]},
            CommandError,
            "'z' 1 (row 1); fill them in, or fit",
        ),
        ({"x": ["1"], "z": ["inf"], "town": ["a"]}, CommandError, "1 infinite value (row 1)"),
        ({"x": ["1"], "z": ["2024-01-01"], "town": ["a"]}, CommandError, "'z' holds days, but"),
        (
            {"x": ["1"], "z": ["1"], "town": ["c"]},
            CommandError,
            "none of its values, in any row ('c'",
        ),
    ],
)
def test_faults_of_a_table_to_predict(
    columns: dict[str, Any], kind: type[CommandError], message: str
) -> None:
    features = FeatureColumns(numeric=["x", "z"], categorical={"town": ["a", "b"]})
    with pytest.raises(kind) as caught:
        features_frame(table_of(**columns), features, impute=False, notes=Notes())
    assert message in str(caught.value)


def test_values_that_the_model_has_not_seen_are_counted() -> None:
    features = FeatureColumns(numeric=["x"], categorical={"town": ["a", "b"]})
    notes = Notes()
    table = table_of(x=["1", "2", "", "3"], town=["c", "a", "", "c"])
    features_frame(table, features, impute=True, notes=notes)
    assert notes.texts() == [
        "column 'town': 3 rows with values that the model has not seen ('c', ''); they count as "
        "none of the known"
    ]
