"""Tables as they come in: columns of one length and of known kinds."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from csvor._faults.errors import UsageError, nearest
from csvor._utils.cached import cached_property
from csvor._utils.spelling import BLANK, as_number, format_value, normal

# Ends what is a date alone.
MIDNIGHT = " 00:00:00"
Kind = Literal["text", "number", "bool", "dates", "lists"]
# No mark between thousands: 1.5, 1.2345, .5, 0.125, -0.125, 1234.567, 1.500e3.
_CLEAR_POINT = r"\.(\d{0,2}|\d{4,}|\d+[eE].*)$|^[+-]?0*\.|^[+-]?\d{4,}\."


@dataclass(frozen=True)
class TableColumn:
    """One column: its name, what it holds, and its values as Arrow has them.

    `levels` are the values of an ordered category, lowest first, and `order` says what orders them;
    where the file says that there is an order and does not hold it, `no_order` says why. `points`
    tells of numbers that were written with decimal points. Where the values are those of some rows
    of the data alone, `row_numbers` are the rows, from 0, in rising order. `title` is what the file
    says that the column is.
    """

    name: str
    kind: Kind
    values: pa.Array
    levels: tuple[Any, ...] | None = None
    no_order: str = ""
    points: bool = False
    row_numbers: NDArray[np.int64] | None = None
    order: str = "ordered category of the file"
    title: str = ""

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows that the values are of, from 0."""
        return np.arange(len(self.values)) if self.row_numbers is None else self.row_numbers

    @property
    def unusable(self) -> str:
        """What a column of the kind "lists" holds."""
        nested = pa.types.is_nested(self.values.type)
        return "lists or records" if nested else "bytes that are no text"

    def positions(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the values of rows stand that it has."""
        return rows if self.row_numbers is None else np.searchsorted(self.row_numbers, rows)

    @cached_property
    def coded(self) -> tuple[NDArray[np.int64], list[str]]:
        """Codes into the distinct texts, in the order in which they come; a blank is ""."""
        values = pc.utf8_trim_whitespace(self.values) if self.kind == "text" else self.values
        encoded = values.dictionary_encode(null_encoding="encode")
        text_of_value = [
            "" if value is None else normal(format_value(value))
            for value in encoded.dictionary.to_pylist()
        ]
        texts = {text: code for code, text in enumerate(dict.fromkeys(text_of_value))}
        codes = np.array([texts[text] for text in text_of_value], dtype=np.int64)
        return codes[encoded.indices.to_numpy(zero_copy_only=False)], list(texts)

    @property
    def texts(self) -> list[str]:
        """The text of each value."""
        codes, texts = self.coded
        return [texts[code] for code in codes]

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The values as numbers, NaN where one is blank or no number."""
        if self.kind == "text":
            parsed = parsed_numbers(self.values)
        else:
            parsed = self.values.cast(pa.float64(), safe=False)  # ids of 19 digits are rounded
        if parsed is not None:
            numbers: NDArray[np.float64] = parsed.to_numpy(zero_copy_only=False)
            return numbers
        codes, texts = self.coded
        return np.array([as_number(text) for text in texts])[codes]

    def take(self, rows: NDArray[np.int64]) -> "TableColumn":
        """The column at these rows."""
        if np.array_equal(rows, self.rows):
            return self
        return replace(
            self, values=self.values.take(pa.array(self.positions(rows))), row_numbers=None
        )


@dataclass(frozen=True)
class Table:
    """Columns of one length; `source` is the name used in messages.

    `n_rows` are all rows of the data, of which the columns may hold some alone. `dialect` says how
    the cells of a text file are divided (`csvor.cli.input._dialect`). `first_line` is that of row 1
    as a spreadsheet counts, 0 where rows are no lines.
    """

    source: str
    columns: dict[str, TableColumn]
    n_rows: int
    dialect: Any = None
    first_line: int = 0

    def only(self, names: Collection[str]) -> "Table":
        """The table with these columns alone: the others need memory."""
        wanted = {normal(name) for name in names}
        kept = {name: column for name, column in self.columns.items() if name in wanted}
        return replace(self, columns=kept)

    def as_part(self, rows: NDArray[np.int64] | None = None) -> "Table":
        """The table as one of some `rows` alone, which may lack all words that a model knows."""
        rows = self.rows if rows is None else rows
        columns = {n: replace(one.take(rows), row_numbers=rows) for n, one in self.columns.items()}
        return replace(self, columns=columns)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows that are here, from 0."""
        return next(iter(self.columns.values())).rows

    def column(self, name: str, option: str) -> TableColumn:
        """The column that an option names."""
        column = self.columns.get(normal(name))
        if column is None:
            known = list(self.columns)
            several = all(part.strip() in known for part in name.split(","))
            hint = f"give {option} once for each column" if several else nearest(name, known)
            raise UsageError(f"{self.source} has no column '{name}' ({option}); {hint}")
        return column


def parsed_numbers(texts: pa.Array) -> pa.Array | None:
    """Texts as numbers, null where blank; None if one is neither."""
    trimmed = pc.utf8_trim_whitespace(texts)
    blank = pc.is_in(trimmed, pa.array(BLANK, trimmed.type))
    try:
        return pc.if_else(blank, None, trimmed).cast(pa.float64())
    except pa.ArrowInvalid:
        return None


def has_points(texts: pa.Array) -> bool:
    """Whether a point is in any text."""
    return bool(pc.any(pc.match_substring(texts, ".")).as_py())


def has_clear_points(texts: pa.Array) -> bool:
    """Whether a point of any number is a decimal one: it cannot stand between thousands."""
    clear = pc.match_substring_regex(pc.utf8_trim_whitespace(texts), _CLEAR_POINT)
    return bool(pc.any(clear).as_py())


def as_column(
    name: str, array: pa.Array | pa.ChunkedArray, no_order: str = "", points: bool = False
) -> TableColumn:
    """Give an Arrow array one of the kinds that csvor knows."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # of no chunks, or too large for one
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    levels = None
    if pa.types.is_dictionary(array.type):
        if array.type.ordered and not no_order:
            levels = tuple(array.dictionary.to_pylist())
        array = array.dictionary_decode()
    kind = _kind(array.type)
    if kind == "text":
        array = array.cast(pa.large_string())
    if kind == "number" and pa.types.is_decimal(array.type):
        array = array.cast(pa.float64())
    return TableColumn(name, kind, array, levels, no_order, points)


def _kind(kind: pa.DataType) -> Kind:
    is_a = pa.types
    if any(
        f(kind) for f in (is_a.is_string, is_a.is_large_string, is_a.is_string_view, is_a.is_null)
    ):
        return "text"
    if is_a.is_boolean(kind):
        return "bool"
    if is_a.is_integer(kind) or is_a.is_floating(kind) or is_a.is_decimal(kind):
        return "number"
    return "dates" if is_a.is_temporal(kind) else "lists"
