"""Which columns have a use that an option names, and what do they say of each row (N35, N44)?"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._decisions.decision import DROP, KEEP, RELABEL
from csvor._faults.errors import ColumnError, UsageError, listed, refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._faults.spelling import folded, visible
from csvor._parts.engine import total
from csvor._tables.column_parser import clear_reading
from csvor._tables.number_column import SIGNS, NumberColumn, is_blank
from csvor._tables.related_rows import group_numbers, names_in
from csvor._tables.review import Review
from csvor._tables.roles import Roles
from csvor._tables.table import Table, TableColumn
from csvor._utils.spelling import closest

Rows = NDArray[np.int64]


def feature_names(table: Table, data: Roles, targets: Sequence[str] | None = None) -> list[str]:
    """Every column that no option gives another use; `targets` are those of --target: several."""
    named = [("--target", name) for name in targets or [data.target]]
    uses_of_one = ("id", "groups", "item", "rater", "weight", "counts", "gold")
    named += [(f"--{use}", name) for use in uses_of_one if (name := getattr(data, use)) is not None]
    named += [("--drop", name) for name in data.drop] + [("--keep", name) for name in data.keep]
    uses: dict[str, str] = {}
    for name in data.categorical:
        table.column(name, "--categorical")
    for option, asked in named:
        name = table.column(asked, option).name
        other = uses.setdefault(name, option)
        if other != option and (other, option) != ("--id", "--groups"):
            raise UsageError(f"column '{name}' is named by both {other} and {option}")
    for asked in data.by:
        name = table.column(asked, "--by").name
        if uses.setdefault(name, "--by") in ("--target", "--weight", "--counts"):
            raise UsageError(f"column '{name}' is named by both {uses[name]} and --by")
    return [name for name in table.columns if uses.get(name, "--keep") == "--keep"]


def columns_as_text(data: Roles) -> list[str]:
    """Columns that are shown as they were written."""
    one = (data.target, data.id, data.groups, data.item, data.rater, data.gold)
    return [name for name in (*one, *data.by, *data.categorical) if name is not None]


def check_rater_names(data: Roles, raters: Collection[str], n_rows: int, notes: Notes) -> None:
    """Refuse a single rater without gold, and a reference who is none; note names of one rater."""
    names = sorted(set(raters))
    if len(names) == 1 and data.gold is None:
        options, gold = "--rater", ""
        if data.item is not None:
            options, gold = (
                "--item and --rater",
                ", or give the true labels of some items (--gold COL)",
            )
        facts: dict[str, Any] = {"n_rows": n_rows, "rater": names[0]}
        facts |= {"options": options, "gold": gold}
        raise ColumnError(fault("one-rater", data.rater or "", option="--rater", **facts))
    if data.reference is not None and data.reference not in names:
        close = closest(data.reference, names)
        hint = f"raters are {listed(names)}" if close is None else f"did you mean '{close}'?"
        refuse("unknown-reference", name=data.reference, hint=visible(hint))
    spellings = Counter(map(folded, names))
    alike = [name for name in names if spellings[folded(name)] > 1]
    if alike and data.rater is not None:
        notes.add(fault("raters-alike", data.rater, option="--rater", names=listed(alike)))


def check_raters(roles: Roles, raters: Any, notes: Notes) -> None:
    """Refuse columns that do not say who labelled, and a reference that did not, before the work.

    `raters` has one for each row, in memory or in partitions.
    """
    if roles.rater is None:
        return
    _, (names,) = total(_distinct, raters)
    names = set(names.tolist())
    if 2 * len(names) > raters.size:
        facts = {"n_raters": len(names), "n_rows": raters.size}
        raise ColumnError(fault("many-raters", roles.rater, option="--rater", **facts))
    check_rater_names(roles, names, raters.size, notes)


def _distinct(start: int, column: NDArray[Any]) -> tuple[tuple[()], tuple[NDArray[Any]]]:
    return (), (pd.unique(column),)


@dataclass(frozen=True, eq=False)
class ColumnUses:
    """The columns that are no features, of a table of all rows or of a piece of them.

    `review` is what was decided on the labels. `rows` count from 0 through all pieces; None comes
    back where no option names a column.
    """

    data: Roles
    review: Review | None = None

    def labels(self, table: Table) -> TableColumn:
        """The column of the labels, those of the review in place."""
        column = table.column(self.data.target, "--target")
        return column if self.review is None else self.review.applied(column)

    @property
    def dropped(self) -> Rows:
        """The rows that the review drops."""
        return np.empty(0, np.int64) if self.review is None else self.review.positions(DROP)

    def weights(self, table: Table, rows: Rows, decimal: str | None) -> NDArray[np.float64] | None:
        """What each row counts; `decimal` is the sign that the features tell."""
        if self.data.weighing is None:
            return None
        return read_weights(table, *self.data.weighing, rows, self.data.decimal or decimal)

    def groups(self, table: Table, rows: Rows) -> Rows | None:
        """A number of the group of each row, the same in any piece."""
        name = self.data.groups
        return None if name is None else group_numbers(table.column(name, "--groups"), rows)

    def raters(self, table: Table, rows: Rows) -> NDArray[Any] | None:
        """Who gave each label, as it is written."""
        name = self.data.rater
        return None if name is None else names_in(table.column(name, "--rater"), rows, "rater")

    def ids(self, table: Table, rows: Rows) -> list[str] | None:
        """What the rows are called."""
        return None if self.data.id is None else table.column(self.data.id, "--id").take(rows).texts

    def by(self, table: Table, rows: Rows) -> list[NDArray[Any]]:
        """The texts of the columns by whose values shares are compared; no value is None."""
        columns = []
        for name in self.data.by:
            codes, texts = table.column(name, "--by").take(rows).coded
            blank = [is_blank(text, self.data.missing, SIGNS) for text in texts]
            known = [None if no else text for text, no in zip(texts, blank, strict=True)]
            columns.append(np.array(known, dtype=object)[codes])
        return columns

    def confirmed(self, rows: Rows) -> NDArray[np.bool_] | None:
        """Which of the rows have a label that the review kept or set."""
        review = self.review
        return None if review is None else np.isin(rows, review.positions(KEEP, RELABEL))

    def codes_before(self, classes: list[Any], rows: Rows, codes: Rows) -> Rows | None:
        """The codes of the labels as they were before the review."""
        return None if self.review is None else self.review.before(classes, rows, codes)


def read_weights(
    table: Table, option: str, name: str, rows: NDArray[np.int64], decimal: str | None = None
) -> NDArray[np.float64]:
    """The weights of the `rows`; what is not a number from 0 on, or no whole count, is refused."""
    column = table.column(name, option).take(rows)
    if column.kind not in {"text", "number"}:
        about = {"what": column.kind, "needed": "weights"}
        raise ColumnError(fault("no-use", name, option=option, **about))
    values = _numbers(column, rows, decimal)
    kind = "no-count" if option == "--counts" else "no-weight"
    right = np.isfinite(values) & (values >= 0)
    if kind == "no-count":
        right &= values == np.rint(values)
    wrong = np.flatnonzero(~right)
    if len(wrong):
        codes, texts = column.coded
        facts: dict[str, Any] = {"total": len(values), "text": texts[codes[wrong[0]]]}
        raise ColumnError(fault(kind, name, option=option, rows=rows[wrong], **facts))
    return values


def weight_of_one(weighing: tuple[str, str] | None, total: float, n_counting: int) -> float:
    """What weights are divided by: the mean of those above 0, so that they make no more rows.

    A row of weight 0 is as good as not there, and 0 and 1 stay as they are. Counts are not divided.
    """
    if weighing is None:
        return 1.0
    option, name = weighing
    if not total:
        raise ColumnError(fault("zero-weights", name, option=option))
    return 1.0 if option == "--counts" else total / n_counting


def _numbers(
    column: TableColumn, rows: NDArray[np.int64], decimal: str | None
) -> NDArray[np.float64]:
    """The numbers of a column, NaN where there is none."""
    if column.kind == "text":
        numerals = NumberColumn(column)
        if numerals.are_numbers():
            return clear_reading(column, numerals, rows, decimal).values[column.coded[0]]
    return column.numbers
