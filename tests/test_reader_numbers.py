"""Numbers as people write them: one mark is read, with a note; a contradiction is refused (N39)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from csvor import CSVOR
from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from csvor._tables.column_parser import Rules
from csvor._tables.feature_columns import choose_features
from csvor._tables.features import FeatureColumns
from csvor._tables.model_columns import features_frame
from csvor._tables.number_text import numeral
from csvor._tables.table import Table, as_column
from csvor.preprocessing._encoding import make_pipeline


def table_of(**columns: Any) -> Table:
    arrays = {k: v if isinstance(v, pa.Array) else pa.array(v) for k, v in columns.items()}
    n_rows = len(next(iter(arrays.values())))
    return Table("t.csv", {k: as_column(k, v) for k, v in arrays.items()}, n_rows)


def chosen(table: Table, notes: Notes | None = None, **rules: Any) -> tuple[FeatureColumns, Any]:
    at = np.arange(table.n_rows)
    return choose_features(
        table,
        at,
        list(table.columns),
        impute=True,
        clip=False,
        notes=notes or Notes(),
        rules=Rules(**rules),
    )


def refusal(**columns: Any) -> str:
    with pytest.raises(CommandError) as caught:
        chosen(table_of(**columns))
    assert caught.value.exit_code == 1
    return str(caught.value)


def values_of(texts: Sequence[str], notes: Notes | None = None, **rules: Any) -> list[float]:
    features, frame = chosen(table_of(x=list(texts)), notes, **rules)
    assert features.numeric == ["x"], features
    return frame["x"].tolist()


SPELLINGS: dict[str, tuple[list[str], list[float]]] = {
    "percent": (["72%", "34.5 %", "0"], [72, 34.5, 0]),
    "thousands and point": (["1,700.50", "950", "12,000.25"], [1700.5, 950, 12000.25]),
    "thousands and comma": (["1.700,50", "950", "12.000,25"], [1700.5, 950, 12000.25]),
    "dollars": (["$1,700.00", "$950", "-$3"], [1700, 950, -3]),
    "dollars behind a minus": (["$-3.5", "$ 4"], [-3.5, 4]),
    "blank": (["1 700", "12 000 000", "950"], [1700, 12e6, 950]),
    "no-break blank": (["1\N{NO-BREAK SPACE}700", "950"], [1700, 950]),
    "thin blank": (["1\N{NARROW NO-BREAK SPACE}700", "2\N{THIN SPACE}000"], [1700, 2000]),
    "apostrophe": (["1'700", "1\N{RIGHT SINGLE QUOTATION MARK}900.5"], [1700, 1900.5]),
    "kilograms": (["34 kg", "75kg", "80.5 KG"], [34, 75, 80.5]),
    "units of an area": (["34 m²", "75 m²", "12 m²"], [34, 75, 12]),
    "words": (["3 rooms", "4 rooms", "5 rooms"], [3, 4, 5]),
    "degrees": (["36.5 °C", "40°C"], [36.5, 40]),
    "euros": (["34 €", "€ 12"], [34, 12]),
    "euros in words": (["EUR 34", "EUR 12,50"], [34, 12.5]),
    "minus sign": (["\N{MINUS SIGN}5", "3"], [-5, 3]),
    "en dash": (["\N{EN DASH}5.5", "3"], [-5.5, 3]),
    "accounting": (["(12)", "5", "(1,000.5)"], [-12, 5, -1000.5]),
    "minus behind": (["12-", "5"], [-12, 5]),
    "full-width digits": (["\uff11\uff12", "\uff17.\uff15"], [12, 7.5]),
    "Arabic digits": (["\u0661\u0662", "\u0667"], [12, 7]),
    "India": (["1,00,000.5", "25,00,000"], [100000.5, 2500000]),
    "powers": (["1,5e3", "2,5E-1"], [1500, 0.25]),
    "plus": (["+5 %", "-5 %"], [5, -5]),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_n39_one_mark_is_read_with_a_note(name: str) -> None:
    texts, expected = SPELLINGS[name]
    notes = Notes()
    assert values_of(texts, notes) == expected
    (note,) = notes.texts()
    assert "column 'x' (row" in note and " is " in note


@pytest.mark.parametrize(
    "written",
    [
        lambda x: f"{x:.4f}%",
        lambda x: f"{x:,.4f}",
        lambda x: f"{x:.4f}".replace(".", ","),
        lambda x: f"$ {x:.4f}",
        lambda x: f"{x:.4f} kg",
        lambda x: f"{x:.4f}".replace("-", "\N{MINUS SIGN}"),
        lambda x: f"({-x:.4f})" if x < 0 else f"{x:.4f}",
    ],
)
@pytest.mark.parametrize("mark", ["?", "NULL", "n/a"])
def test_n39_a_file_with_marks_is_as_good_as_one_without(
    written: Callable[[float], str], mark: str
) -> None:
    """A column of 62 categories in its place predicts with an error of 0.275, not of 0.01."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = np.digitize(x, [-0.5, 0.5])
    texts = [written(value) for value in x]
    blank = rng.random(300) < 0.15
    known = [mark if gone else text for gone, text in zip(blank, texts, strict=True)]
    features, frame = chosen(table_of(x=known))
    assert features.numeric == ["x"]
    model = make_pipeline(features, CSVOR(C=100.0), impute=True, clip=None).fit(frame, y)
    assert np.mean(model.predict(frame)[~blank] != y[~blank]) <= 0.02
    again = features_frame(table_of(x=texts), features, impute=True, notes=Notes())
    assert np.mean(model.predict(again) != y) <= 0.02


MARKS = ["?", "NULL", "None", "N/A", "n/a", "#N/A", "-", "--", ".", "missing", "unknown"]


@pytest.mark.parametrize("mark", [*MARKS, "null", "MISSING", "#DIV/0!", "—", "(blank)", "<NA>"])
@pytest.mark.parametrize("texts", [["1.5", "2.5", "3.5"], ["72%", "3%", "4%"], ["1,5", "2", "3"]])
def test_n39_marks_for_no_value_count_as_blank(mark: str, texts: list[str]) -> None:
    notes = Notes()
    found = values_of([mark, *texts, mark], notes)
    assert np.isnan(found).tolist() == [True, False, False, False, True]
    assert any(f"count as blank: column 'x' ('{mark}' 2)" in note for note in notes.texts()), (
        notes.texts()
    )


def test_marks_of_a_file_of_its_own() -> None:
    texts = ["1", "2", "not asked", "3", "-99"]
    assert np.isnan(values_of(texts, missing=("not asked", " -99 "))).tolist() == [
        *[False, False, True, False, True]
    ]
    features, _ = chosen(table_of(x=["u", "v", "gone"] * 2, z=list("123456")), missing=("gone",))
    assert features.categorical == {"x": ["", "u", "v"]}
    assert features.missing == ["gone"]
    again = features_frame(table_of(x=["gone"], z=["gone"]), features, impute=True, notes=Notes())
    assert again["x"].tolist() == [""] and np.isnan(again["z"]).all()


@pytest.mark.parametrize("mark", ["-99", "-99.0", " -99 "])
def test_numbers_that_stand_for_no_value(mark: str) -> None:
    typed = pa.array([1.5, -99, 3, None])
    for values in (typed, ["1.5", "-99.0", "3", ""]):
        notes = Notes()
        features, frame = chosen(table_of(x=values), notes, missing=(mark,))
        assert np.isnan(frame["x"]).tolist() == [False, True, False, True]
        (note,) = notes.texts()
        assert "count as blank: column 'x' ('-99" in note
        again = features_frame(table_of(x=typed), features, impute=True, notes=Notes())
        assert np.isnan(again["x"]).tolist() == [False, True, False, True]


def test_a_mark_that_no_cell_has_is_said() -> None:
    notes = Notes()
    chosen(table_of(x=["1", "2"] * 2, z=["a", "b"] * 2), notes, missing=("gone", "7"))
    assert notes.texts() == [
        "--missing 'gone': no cell has this mark",
        "--missing '7': no cell has this mark",
    ]


def test_words_keep_their_marks() -> None:
    features, _ = chosen(table_of(x=["u", "v", "unknown", "?"] * 2))
    assert features.categorical == {"x": ["?", "u", "unknown", "v"]}


@pytest.mark.parametrize(
    "texts",
    [
        ["A1", "B2", "A1"],
        ["18-24", "25-34", "65+"],
        ["Q1", "Q2", "Q1"],
        ["1st", "2nd", "3rd"],
        ["5a", "5b", "6a"],
        ["2009-10", "2011-12", "2012-13"],
        ["120/80", "130/90", "120/80"],
        ["1,2", "1,2,3", "1,2"],
        ["2wd", "4wd", "2wd"],
        ["1.2.10a", "1.2.3", "1.2.3"],
    ],
)
def test_codes_stay_categories(texts: list[str]) -> None:
    features, _ = chosen(table_of(x=texts * 2))
    assert features.categorical == {"x": sorted(set(texts))}


@pytest.mark.parametrize(
    ("texts", "where"),
    [
        (["72%", "3%", "0.72"], "1 of 3 values is not a number like '72%' (row 3: '0.72')"),
        (["34 kg", "75 lb", "3 kg"], "1 of 3 values is not a number like '34 kg' (row 2: '75 lb')"),
        (["$5", "$7", "€6"], "(row 3: '€6')"),
        (["5k", "7k", "1.2M"], "(row 3: '1.2M')"),
        (["5,0", "5.5", "6.5"], "1 of 3 values is not a number like '5.5' (row 1: '5,0')"),
        (["1,700.50", "1.700,50"], "(row 2: '1.700,50')"),
        ([*[f"{i / 8} %" for i in range(12)], *["a lot"] * 8], "8 of 20 values are not numbers"),
    ],
)
def test_n39_contradictions_are_refused(texts: list[str], where: str) -> None:
    message = refusal(x=texts)
    assert message.startswith("column 'x': ") and where in message
    assert message.endswith("--drop x")
    assert ("--categorical" in message) == (len(set(texts)) < len(texts))
    # As categories they are taken only where rows share them.
    assert "--categorical x" in refusal(x=texts * 2)
    assert chosen(table_of(x=texts * 2), categorical=("x",))[0].categorical.keys() == {"x"}


def test_numbers_among_many_words_are_said_to_be_categories() -> None:
    notes = Notes()
    features, _ = chosen(table_of(x=[*map(str, range(12)), *["low"] * 20]), notes)
    assert len(features.categorical["x"]) == 13
    assert notes.texts() == [
        "words with some numbers among them are read as categories: column 'x' (row 13: 'low')"
    ]


def test_codes_that_are_numbers_are_categories_if_asked() -> None:
    features, frame = chosen(table_of(x=["01", "02", "01"]), categorical=("x",))
    assert features.categorical == {"x": ["01", "02"]}
    assert frame["x"].tolist() == ["01", "02", "01"]


def test_the_decimal_sign_of_one_column_counts_for_the_file() -> None:
    either, clear = ["1.234", "12.500"], ["0,5", "7,25"]
    assert chosen(table_of(x=either))[1]["x"].tolist() == [1.234, 12.5]
    assert chosen(table_of(x=either, z=clear))[1]["x"].tolist() == [1234, 12500]
    commas = ["1,234", "12,500"]
    assert chosen(table_of(x=commas, z=clear))[1]["x"].tolist() == [1.234, 12.5]
    assert chosen(table_of(x=commas, z=["0.5", "7.25"]))[1]["x"].tolist() == [1234, 12500]
    assert "points may mark thousands" in refusal(x=either, z=clear, u=["0.5", "7.25"])


@pytest.mark.parametrize(("sign", "values"), [(".", [1234, 12500]), (",", [1.234, 12.5])])
def test_the_user_may_name_the_decimal_sign(sign: str, values: list[float]) -> None:
    assert "--decimal" in refusal(x=["1,234", "12,500"])
    assert values_of(["1,234", "12,500"], decimal=sign) == values


def fitted(texts: Sequence[str], **rules: Any) -> FeatureColumns:
    return chosen(table_of(x=list(texts)), **rules)[0]


def predicted(features: FeatureColumns, texts: Any, decimal: str | None = None) -> list[float]:
    frame = features_frame(table_of(x=texts), features, impute=True, notes=Notes(), decimal=decimal)
    return frame["x"].tolist()


def test_new_rows_are_read_as_those_of_the_fit() -> None:
    percent = fitted(["72%", "3%", "5.5%"])
    assert percent.readings == {"x": {"decimal": ".", "thousands": "", "unit": "%"}}
    assert predicted(percent, ["1 %", "0"]) == [1, 0]
    assert predicted(percent, ["1,5 %"]) == [1.5]
    for other in (["0.72"], pa.array([0.72])):
        with pytest.raises(CommandError, match=r"written without a unit, but .* with '%'"):
            predicted(percent, other)
    with pytest.raises(CommandError, match=r"with '%', but .* without a unit"):
        predicted(fitted(["1", "2"]), ["72%"])
    with pytest.raises(CommandError, match=r"with 'lb', but .* with 'kg'"):
        predicted(fitted(["34 kg", "36 kg"]), ["34 lb"])
    assert predicted(fitted(["34 kg", "36 kg"]), pa.array([34.0])) == [34]
    with pytest.raises(CommandError, match=r"written without a unit, but .* with 'k'"):
        predicted(fitted(["5k", "6k"]), ["5000"])
    assert predicted(fitted(["3 rooms", "4 rooms", "5 rooms"]), ["4 rooms"]) == [4]


def test_a_sign_that_is_unclear_in_new_rows_is_that_of_the_fit() -> None:
    commas = fitted(["1,25", "0,5"])
    assert predicted(commas, ["1,234"]) == [1.234]
    assert predicted(commas, ["1.5"]) == [1.5]
    grouped = fitted(["1,234.5", "2,000.5"])
    assert predicted(grouped, ["1,234"]) == [1234]
    assert predicted(commas, ["1,234"], ".") == [1234]
    # The fit tells the decimal sign, and that none stood between thousands.
    with pytest.raises(CommandError, match=r"'1.234' is 1.234 or 1234\); say with --decimal"):
        predicted(commas, ["1.234"])
    assert predicted(commas, ["1.234"], ".") == [1.234]
    assert predicted(fitted(["1.234,5", "0,5"]), ["1.234"]) == [1234]


def test_numbers_of_19_digits_are_rounded() -> None:
    for kind in (pa.int64(), pa.uint64()):
        _, frame = chosen(table_of(x=pa.array([2**62 + 1, 3, None], kind)))
        np.testing.assert_array_equal(frame["x"], [2.0**62, 3, np.nan])


def test_a_power_is_not_two_numbers_side_by_side() -> None:
    powers = ["10²", "10³", "10⁴", "5₂"]
    features, _ = chosen(table_of(x=powers * 2))
    assert features.categorical == {"x": powers}


def test_units_are_said_as_they_are_written() -> None:
    """Those that differ in case alone are one unit: people write mg/L beside mg/l."""
    notes = Notes()
    chosen(table_of(x=["5.6 mg/L", "7 mg/l", "8 mg/L"], z=["1 MW", "2 MW", "3.5 MW"]), notes)
    assert notes.texts() == [
        "'mg/L', 'mg/l' beside the numbers are passed over, as one unit: column 'x' (row 1: "
        "'5.6 mg/L' is 5.6)",
        "'MW' beside the numbers is passed over: column 'z' (row 1: '1 MW' is 1)",
    ]


def test_days_have_no_clock_in_notes() -> None:
    notes = Notes()
    chosen(table_of(x=pa.array([datetime(2024, 2, 1), datetime(2024, 2, 3)])), notes, dates=True)
    assert notes.texts() == [
        "dates are read as days since 1970-01-01: column 'x' (row 1: '2024-02-01' is 19754)"
    ]


@pytest.mark.parametrize("sign", ["\x00", "\x01", "\x02", "\x7f"])
def test_a_control_character_is_no_mark_of_a_number(sign: str) -> None:
    assert numeral(f"{sign}.84") is None
    assert numeral(f"3.5{sign}") is None
    assert numeral(f"€3{sign}") is None
