"""Dates and times: refused once, or read as numbers with --dates (N39)."""

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from test_reader_numbers import chosen, predicted, refusal, table_of

DAY = dt.date(1970, 1, 1)


def days(year: int, month: int, day: int, hour: float = 0.0) -> float:
    return (dt.date(year, month, day) - DAY).days + hour / 24


FORMS: list[tuple[list[str], list[float]]] = [
    (["2020-01-13", "2019-12-31"], [days(2020, 1, 13), days(2019, 12, 31)]),
    (["2020/1/13", "2019/12/31"], [days(2020, 1, 13), days(2019, 12, 31)]),
    (["13.01.20", "31.12.99"], [days(2020, 1, 13), days(1999, 12, 31)]),
    (["13.01.2020", "1.2.2021"], [days(2020, 1, 13), days(2021, 2, 1)]),
    (["13/01/2020", "02/03/2020"], [days(2020, 1, 13), days(2020, 3, 2)]),
    (["01/13/2020", "02/03/2020"], [days(2020, 1, 13), days(2020, 2, 3)]),
    (["2020-01", "2019-12"], [days(2020, 1, 1), days(2019, 12, 1)]),
    (["01/2020", "12-2019"], [days(2020, 1, 1), days(2019, 12, 1)]),
    (["Jan 2020", "December 2019"], [days(2020, 1, 1), days(2019, 12, 1)]),
    (["Sept. 2020", "May-2019"], [days(2020, 9, 1), days(2019, 5, 1)]),
    (["13 Jan 2020", "Feb 3, 2021"], [days(2020, 1, 13), days(2021, 2, 3)]),
    (["2020-01-13T06:00:00", "2020-01-13 18:00"], [days(2020, 1, 13, 6), days(2020, 1, 13, 18)]),
    (["2020-01-13T06:00:00Z", "2020-01-13T06:00+06:00"], [days(2020, 1, 13, 6), days(2020, 1, 13)]),
    (["13.01.2020 06:00", "14.01.2020"], [days(2020, 1, 13, 6), days(2020, 1, 14)]),
    (["08:30", "17:45:36"], [8.5, 17.76]),
    (["8:30 AM", "12:15 p.m.", "12:30 am"], [8.5, 12.25, 0.5]),
    (["2020-01-13", "14.01.2020"], [days(2020, 1, 13), days(2020, 1, 14)]),
]


@pytest.mark.parametrize(("texts", "values"), FORMS)
def test_dates_are_refused_or_read_as_numbers(texts: list[str], values: list[float]) -> None:
    message = refusal(x=texts)
    assert message.startswith("column 'x' holds ") and f"('{texts[0]}')" in message
    assert "--dates" in message and message.endswith("--drop x")
    notes = Notes()
    features, frame = chosen(table_of(x=[*texts, "n/a"]), notes, dates=True)
    np.testing.assert_allclose(frame["x"], [*values, np.nan])
    assert len(notes.texts()) == 2 and f"(row 1: '{texts[0]}' is " in notes.texts()[-1]
    assert features.readings["x"] == {"as": "hours" if ":" in texts[0][:3] else "days"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([1, 2], pa.date32()), [1, 2]),
        (pa.array([0, 43_200, None], pa.timestamp("s")), [0, 0.5, np.nan]),
        (pa.array([0, 3600], pa.timestamp("s", "Europe/Paris")), [0, 1 / 24]),
        (pa.array([30_600, 0], pa.time32("s")), [8.5, 0]),
        (pa.array([5400, 0], pa.duration("s")), [1.5, 0]),
    ],
)
def test_typed_dates(values: Any, expected: list[float]) -> None:
    assert "column 'x' holds dates; read them as numbers with --dates" in refusal(x=values)
    _, frame = chosen(table_of(x=values), dates=True)
    np.testing.assert_allclose(frame["x"], expected)


def test_dates_that_are_none_are_refused_by_row() -> None:
    texts = [*["2020-01-13"] * 12, "31.02.2020"]
    with pytest.raises(CommandError, match=r"1 of 13 values is not a date \(row 13: '31.02.2020'"):
        chosen(table_of(x=texts), dates=True)
    with pytest.raises(CommandError, match=r"row 13: 'soon'\).*--missing soon"):
        chosen(table_of(x=[*[f"2020-01-{d:02d}" for d in range(1, 13)], "soon"]), dates=True)


def test_day_and_month_that_may_be_either_are_refused() -> None:
    with pytest.raises(CommandError, match=r"day/month or month/day \(row 1: '01/03/2020'"):
        chosen(table_of(x=["01/03/2020", "02/03/2020"]), dates=True)


def test_new_dates_are_read_as_those_of_the_fit() -> None:
    features, _ = chosen(table_of(x=["2020-01-13", "2020-02-13"]), dates=True)
    assert predicted(features, ["14.01.2020"]) == [days(2020, 1, 14)]
    assert predicted(features, pa.array([1], pa.date32())) == [1]
    with pytest.raises(CommandError, match="'x' holds numbers, but the model was fitted to days"):
        predicted(features, ["3"])


def test_years_of_two_digits_that_are_to_come_are_told() -> None:
    for born, told in [
        ("13.05.45", True),
        ("13.05.1945", False),
        ("13.05.01", False),
        ("2199-05-13", False),
    ]:
        notes = Notes()
        chosen(table_of(x=[born, "24.12.99", "1.2.20"]), notes, dates=True)
        assert any("; years 00 to 68 are 2000 to 2068: column 'x'" in n for n in notes.texts()) == (
            told
        )
