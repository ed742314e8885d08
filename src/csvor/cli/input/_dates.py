"""Which day or hour does a text stand for (N39)?"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_HOUR = r"(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?: ?([ap])\.?m\.?)?"
_CLOCK = rf"(?:(?:T|,? ){_HOUR} ?(Z|UTC|[+-]\d\d:?\d\d)?)?"
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
# Whole or cut short, so that Marathon 2020 is no month.
_MONTH = rf"({'|'.join(_MONTHS)})(?:u?ary?|ruary?|ch|il|e|i|y|ust|t|t?ember|ober)?\.?"
_NAME = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
CLOCK = "hours:minutes"
_FORMS = {
    name: re.compile(form, re.IGNORECASE)
    for name, form in {
        "year-month-day": rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_CLOCK}",
        "year-month": r"(\d{4})[-/](0[1-9]|1[0-2])",
        "month year": rf"{_MONTH}[-/. ]+(\d{{4}})",
        "month/year": r"(0?[1-9]|1[0-2])[-/]((?:19|20)\d\d)",
        "day.month.year": rf"(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}}|\d\d){_CLOCK}",
        "slashes": rf"(\d{{1,2}})([-/])(\d{{1,2}})\2(\d{{4}}|\d\d){_CLOCK}",
        "day month year": rf"(\d{{1,2}})[-. ]+{_NAME}[-., ]+(\d{{4}}|\d\d){_CLOCK}",
        "month day year": rf"{_NAME} (\d{{1,2}}),? (\d{{4}}){_CLOCK}",
        CLOCK: r"(\d{1,3}):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?(?: ?([ap])\.?m\.?)?",
    }.items()
}
_EPOCH = datetime(1970, 1, 1)
_HOUR_US = 3.6e9
# 13.05.45 and 13 May 45.
_SHORT_YEAR = re.compile(r"\d{1,2}[-/. ]+\w+[-/., ]+\d\d(?!\d)")


@dataclass(frozen=True)
class Dates:
    """What texts say as dates: a value each, NaN where it is none; and the forms that they have.

    Dates are days since 1970-01-01, times are hours. `either` holds the places of dates that may be
    day/month or month/day: nothing in the column tells which. `short_years` says that a year of two
    digits is one to come: it may as well be a century ago, as that of a birth.
    """

    values: NDArray[np.float64]
    forms: tuple[str, ...]
    either: tuple[int, ...] = ()
    short_years: bool = False

    @property
    def are_hours(self) -> bool:
        """Whether these are times of day, or durations."""
        return self.forms == (CLOCK,)


def form_of(text: str) -> str | None:
    """The form of a text that looks like a date or a time."""
    if (
        not text
        or not (text[0].isdigit() or text[0].isalpha())
        or not (text[-1].isalnum() or text[-1] == ".")
    ):
        return None
    return next((name for name, form in _FORMS.items() if form.fullmatch(text)), None)


def read_dates(texts: Sequence[str]) -> Dates:
    """Read texts that are dates for the most part."""
    form_of_each = [form_of(text) for text in texts]
    forms = tuple(dict.fromkeys(form for form in form_of_each if form is not None))
    slashed = [i for i, form in enumerate(form_of_each) if form == "slashes"]
    month_first = False
    either: tuple[int, ...] = ()
    if slashed:
        readings = [
            [_value(texts[i], "slashes", first) for i in slashed] for first in (False, True)
        ]
        day_first, month_first = (None not in values for values in readings)
        if day_first and month_first and readings[0] != readings[1]:
            either = tuple(slashed)
        month_first = month_first and not day_first
    values = np.full(len(texts), np.nan)
    for i, form in enumerate(form_of_each):
        value = None if form is None else _value(texts[i], form, month_first)
        values[i] = np.nan if value is None else value
    # Of a day to come, the century is in doubt.
    short = [i for i, text in enumerate(texts) if _SHORT_YEAR.match(text)]
    return Dates(values, forms, either, bool(np.any(values[short] > _today())))


def _value(text: str, form: str, month_first: bool) -> float | None:
    match = _FORMS[form].fullmatch(text)
    assert match is not None
    try:
        return _READERS[form](match.groups(), month_first)
    except ValueError:
        return None


def _today() -> int:
    return (date.today() - _EPOCH.date()).days


Parts = Sequence[str]


def _days(year: str, month: str | int, day: str, clock: Parts) -> float:
    full = int(year)
    if len(year) == 2:
        full += 1900 if full >= 69 else 2000
    moment = datetime(full, int(month), int(day))
    if clock and clock[0] is not None:
        moment += _clock(clock[:5])
        zone = clock[5]
        if zone and zone.upper() not in {"Z", "UTC"}:
            minutes = 60 * int(zone[1:3]) + int(zone[-2:])
            moment -= timedelta(minutes=-minutes if zone[0] == "-" else minutes)
    return (moment - _EPOCH) / timedelta(days=1)


def _clock(parts: Parts) -> timedelta:
    hours, minutes, seconds, fraction, half = parts
    hour = int(hours)
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + 12 * (half in "pP")
    return timedelta(
        hours=hour, minutes=int(minutes), seconds=float(f"{seconds or 0}.{fraction or 0}")
    )


def _slashes(parts: Parts, month_first: bool) -> float:
    first, _, second, year, *clock = parts
    day, month = (second, first) if month_first else (first, second)
    return _days(year, month, day, clock)


def _month(name: str) -> int:
    return 1 + _MONTHS.index(name[:3].lower())


_READERS: dict[str, Callable[[Parts, bool], float]] = {
    "year-month-day": lambda p, _: _days(p[0], p[2], p[3], p[4:]),
    "year-month": lambda p, _: _days(p[0], p[1], "1", ()),
    "month year": lambda p, _: _days(p[1], _month(p[0]), "1", ()),
    "month/year": lambda p, _: _days(p[1], p[0], "1", ()),
    "day.month.year": lambda p, _: _days(p[2], p[1], p[0], p[3:]),
    "slashes": _slashes,
    "day month year": lambda p, _: _days(p[2], _month(p[1]), p[0], p[3:]),
    "month day year": lambda p, _: _days(p[2], _month(p[0]), p[1], p[3:]),
    CLOCK: lambda p, _: _clock(p) / timedelta(hours=1),
}


def numbers_of_times(values: pa.Array) -> tuple[NDArray[np.float64], bool]:
    """Dates of a typed column in days since 1970-01-01; times and durations in hours, if True."""
    are_hours = pa.types.is_time(values.type) or pa.types.is_duration(values.type)
    kind = pa.time64("us") if pa.types.is_time(values.type) else pa.timestamp("us")
    if pa.types.is_duration(values.type):
        kind = pa.duration("us")
    elif pa.types.is_timestamp(values.type):
        kind = pa.timestamp("us", values.type.tz)
    microseconds = values.cast(kind, safe=False).cast(pa.int64()).cast(pa.float64())
    numbers = microseconds.to_numpy(zero_copy_only=False)
    return numbers / (_HOUR_US if are_hours else 24 * _HOUR_US), are_hours
