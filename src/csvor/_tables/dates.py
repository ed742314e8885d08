"""Which day or hour does a text stand for (N39)?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from csvor._tables.table import MIDNIGHT

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NAME = rf"(?P<name>{'|'.join(_MONTHS)})"
# Whole or cut short, so that Marathon 2020 is no month.
_MONTH = rf"{_NAME}(?:u?ary?|ruary?|ch|il|e|i|y|ust|t|t?ember|ober)?\.?"
_DAY, _NUMBER, _YEAR = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<year>\d{4}|\d\d)"
_SECOND = r"(?::(?P<second>(?:[0-5]\d|60)(?:[.,]\d+)?))?"
_TIME = rf":(?P<minute>[0-5]\d){_SECOND}(?: ?(?P<half>[ap])\.?m\.?)?"
_ZONE = r"(?P<zone>Z|(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d\d)?)?|[+-]\d\d:?\d\d)"
_CLOCK = rf"(?:(?:T|,? )(?P<hour>\d{{1,2}}){_TIME} ?{_ZONE}?)?"
CLOCK = "hours:minutes"
_FORMS = {
    name: re.compile(form, re.IGNORECASE)
    for name, form in {
        "year-month-day": rf"(?P<year>\d{{4}})([-/.]){_NUMBER}\2{_DAY}{_CLOCK}",
        "year-month": r"(?P<year>\d{4})[-/](?P<month>0[1-9]|1[0-2])",
        "month year": rf"{_MONTH}[-/. ]+(?P<year>\d{{4}})",
        "month/year": r"(?P<month>0?[1-9]|1[0-2])[-/](?P<year>(?:19|20)\d\d)",
        "day.month.year": rf"{_DAY}\.{_NUMBER}\.{_YEAR}{_CLOCK}",
        "slashes": rf"{_DAY}([-/]){_NUMBER}\2{_YEAR}{_CLOCK}",
        "day month year": rf"{_DAY}[-. ]+{_NAME}[a-z]*\.?[-., ]+{_YEAR}{_CLOCK}",
        "weekday month day year": rf"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? {_NAME}[a-z]*\.? "
        rf"{_DAY},? (?P<year>\d{{4}}){_CLOCK}",
        "month day year": rf"{_NAME}[a-z]*\.? {_DAY},? (?P<year>\d{{4}}){_CLOCK}",
        CLOCK: rf"(?P<hour>\d{{1,3}}){_TIME}",
    }.items()
}
_WITH_CLOCK = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(?::(\d\d)(?:\.\d*)?)?")
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
    if not text[:1].isalnum() or not (text[-1].isalnum() or text[-1] == "."):
        return None
    return next((name for name, form in _FORMS.items() if form.fullmatch(text)), None)


def read_dates(texts: Sequence[str]) -> Dates:
    """Read texts that are dates for the most part."""
    form_of_each = [form_of(text) for text in texts]
    values = np.array([_value(*pair) for pair in zip(texts, form_of_each, strict=True)])
    slashed = [i for i, form in enumerate(form_of_each) if form == "slashes"]
    either: tuple[int, ...] = ()
    if slashed:
        day_first = values[slashed]
        month_first = np.array([_value(texts[i], "slashes", month_first=True) for i in slashed])
        if not np.isnan(month_first).any():
            if np.isnan(day_first).any():
                values[slashed] = month_first
            elif (day_first != month_first).any():
                either = tuple(slashed)
    # Of a day to come, the century is in doubt.
    short = [i for i, text in enumerate(texts) if _SHORT_YEAR.match(text)]
    to_come = bool(np.any(values[short] > (date.today() - _EPOCH.date()).days))
    forms = tuple(dict.fromkeys(form for form in form_of_each if form is not None))
    return Dates(values, forms, either, to_come)


def dates_in_short(texts: Sequence[str]) -> list[str]:
    """Dates without a clock where all are at midnight, else to the minute or the second.

    Blanks may stand among them; if another text does, all are returned as they are.
    """
    matches = [_WITH_CLOCK.fullmatch(text) for text in texts]
    if any(text and not match for text, match in zip(texts, matches, strict=True)):
        return list(texts)
    whole = [f"{m[1]} {m[2]}:{m[3] or '00'}" if m else "" for m in matches]
    ends = (MIDNIGHT, ":00", "")
    end = next(end for end in ends if all(text.endswith(end) for text in whole if text))
    return [text.removesuffix(end) for text in whole]


def _value(text: str, form: str | None, month_first: bool = False) -> float:
    """Days since 1970-01-01, or hours; NaN where there is no such day or hour."""
    match = None if form is None else _FORMS[form].fullmatch(text)
    if match is None:
        return np.nan
    parts = {name: part.lower() for name, part in match.groupdict().items() if part is not None}
    try:
        clock = _clock(**parts) if "hour" in parts else timedelta()
        return clock / timedelta(hours=1) if form == CLOCK else _days(parts, month_first, clock)
    except ValueError:
        return np.nan


def _days(parts: dict[str, str], month_first: bool, clock: timedelta) -> float:
    year, day = int(parts["year"]), int(parts.get("day", "1"))
    month = 1 + _MONTHS.index(parts["name"]) if "name" in parts else int(parts["month"])
    if len(parts["year"]) == 2:
        year += 1900 if year >= 69 else 2000
    moment = datetime(year, day, month) if month_first else datetime(year, month, day)
    return (moment + clock - _EPOCH) / timedelta(days=1)


def _clock(
    hour: str, minute: str, second: str = "0", half: str = "", zone: str = "z", **_: str
) -> timedelta:
    """The time since midnight, in UTC where a zone is named."""
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            raise ValueError(hour)
        hours = hours % 12 + 12 * (half == "p")
    time = timedelta(hours=hours, minutes=int(minute), seconds=float(second.replace(",", ".")))
    zone = zone.removeprefix("utc").removeprefix("gmt").replace(":", "")
    if zone in {"z", ""}:
        return time
    off, minutes = (zone[:-2], zone[-2:]) if len(zone) > 3 else (zone, "0")
    return time - timedelta(hours=int(off), minutes=int(zone[0] + minutes))


def numbers_of_times(values: pa.Array) -> tuple[NDArray[np.float64], bool]:
    """Dates of a typed column in days since 1970-01-01; times and durations in hours, if True."""
    kind, are_hours = pa.timestamp("us", getattr(values.type, "tz", None)), False
    for is_kind, exact in ((pa.types.is_time, pa.time64), (pa.types.is_duration, pa.duration)):
        if is_kind(values.type):
            kind, are_hours = exact("us"), True
    microseconds = values.cast(kind, safe=False).cast(pa.int64()).cast(pa.float64())
    numbers = microseconds.to_numpy(zero_copy_only=False)
    return numbers / (_HOUR_US if are_hours else 24 * _HOUR_US), are_hours
