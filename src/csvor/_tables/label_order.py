"""In which spelling, and in which order, are the labels of a column (N01 to N10, N42)?"""

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._faults.errors import ColumnError, UsageError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._faults.options import as_option
from csvor._faults.rows import ROW_NAMES, rows_named
from csvor._faults.spelling import folded, visible
from csvor._labels import LabelError, OrdinalLabels
from csvor._labels.order import (
    CONTINUOUS,
    NO_ANSWER,
    FarLabelWarning,
    leading_order,
    measured,
    number_of,
)
from csvor._tables.dates import form_of
from csvor._tables.table import TableColumn
from csvor._utils.spelling import as_number, closest_label, format_value
from csvor._utils.warn import alternatives
from csvor._utils.words import plural, some_of

# Labels that a message names.
_MOST_LABELS = 20
# A share of the rows; more of them are no slips.
_RARE = 0.1
# What spreadsheets make of 1-2 and 3-4 (N62).
_MADE_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?: 00:00:00)?|\d{1,2}[-. ]+[A-Z][a-z]{2}|[A-Z][a-z]{2}[- ]\d{1,2}"
)
_OF_DATES = (
    "; if a spreadsheet made dates of labels such as 1-2, write these as text there, for the file "
    "has lost them"
)


class LabelColumn:
    """The labels that a column holds, as texts and, where they are numbers, as numbers."""

    def __init__(self, column: TableColumn, rows: NDArray[np.int64]) -> None:
        self.column = column
        self.name = column.name
        self.rows = rows
        self._take(*column.coded)

    def _take(self, codes: NDArray[np.int64], texts: list[str]) -> None:
        self.codes, self.texts = codes, texts
        self.counts = np.bincount(codes, minlength=len(texts))
        self.values = [number_of(text) for text in texts]

    def fold(self, declared: Sequence[str] | None, notes: Notes) -> None:
        """Read labels that differ in case and blanks alone as one, and say which (N42)."""
        if self.column.kind != "text":
            return
        levels = [format_value(level) for level in self.column.levels or ()]
        spelling = one_spelling(self.texts, self.counts.tolist(), declared or levels)
        pairs = [
            f"'{visible(text)}' ({plural(count, 'row')}) as '{visible(spelling[text])}'"
            for text, count in zip(self.texts, self.counts.tolist(), strict=True)
            if spelling[text] != text
        ]
        if not pairs:
            notes.add(fault("nothing-to-fold"))
            return
        notes.add(fault("folded-labels", pairs=", ".join(pairs)))
        labels = list(dict.fromkeys(spelling.values()))
        code_of_text = np.array([labels.index(spelling[text]) for text in self.texts])
        self._take(code_of_text[self.codes], labels)

    def ordered(self, declared: list[str] | None, notes: Notes) -> tuple[list[Any], str]:
        """The classes in their order, and what says so."""
        if len(self.texts) == 1:
            raise ColumnError(fault("one-label", self.name, n=len(self.rows), label=self.texts[0]))
        if declared is not None:
            return self.declared(declared), "declared with --classes"
        return self.infer_order(notes)

    def labels(self) -> NDArray[Any]:
        """One label a row, in the type of the file."""
        if self.column.kind == "text":
            return np.array(self.texts)[self.codes]
        return np.asarray(self.column.values.to_numpy(zero_copy_only=False))

    def rows_with(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The rows of some labels, counted from 0 in the file."""
        wanted = set(texts)
        return self.rows[np.array([text in wanted for text in self.texts])[self.codes]]

    def declared(self, entries: list[str]) -> list[Any]:
        """The classes that `entries` name, in their order, as the file has them."""
        if len(entries) < 2:
            raise UsageError(fault("few-classes"))
        classes = [self._as_in_file(entry) for entry in entries]
        known = [format_value(value) for value in classes]
        unknown = [text for text in self.texts if text not in known]
        if unknown:
            self._refuse_unknown(unknown, known)
        return classes

    def _refuse_unknown(self, unknown: list[str], known: list[str]) -> None:
        """Refuse labels that are in no list: each with its rows, and the one it may be (N42)."""
        hints = [
            f"; '{visible(idle)}' in --classes is no label, is '{visible(label)}' meant?"
            for idle in known
            if idle not in self.texts and (label := closest_label(idle, unknown)) is not None
        ]
        others = [text for text in unknown if folded(text) not in map(folded, known)]
        spelled = "" if others == unknown else "--fold-labels takes no notice of case and blanks; "
        labels = [
            f"'{visible(text)}' {len(rows)} ({rows_named(rows, most=3)}{_hint(text, known, '; ')})"
            for text in unknown[:_MOST_LABELS]
            for rows in [self.rows_with([text])]
        ]
        facts: dict[str, Any] = {"rows": self.rows_with(unknown), "n_labels": len(unknown)}
        facts["labels"] = some_of(labels, _MOST_LABELS, len(unknown))
        facts |= {"spelled": spelled, "hints": "".join(hints)}
        facts["leave_out"] = as_option("missing_label", tuple(others or unknown))
        raise ColumnError(fault("unknown-labels", self.name, **facts))

    def _as_in_file(self, entry: str) -> Any:
        """One declared class in the type, and where it occurs in the spelling, of the file."""
        kind, number = self.column.kind, as_number(entry)
        if kind == "bool":
            if entry.lower() not in {"true", "false"}:
                raise UsageError(fault("class-of-truth-values", entry=entry))
            return entry.lower() == "true"
        if kind == "text":
            if entry in self.texts or None in self.values:
                return entry
            pairs = zip(self.texts, self.values, strict=True)
            return next((text for text, value in pairs if value == number_of(entry)), entry)
        whole = self.labels().dtype.kind in "iu"
        if not np.isfinite(number) or (whole and not number.is_integer()):
            what = "whole numbers" if whole else "numbers"
            raise UsageError(fault("class-of-numbers", entry=entry, name=self.name, what=what))
        return int(number) if whole else number

    def infer_order(self, notes: Notes) -> tuple[list[Any], str]:
        """The order that the labels carry themselves, and what it is; words carry none."""
        if self.column.no_order:  # N40
            raise ColumnError(fault("lost-order", self.name, why=self.column.no_order))
        if self.column.levels is not None:
            self._note_no_answer(notes)
            return list(self.column.levels), self.column.order
        if self.column.kind == "bool":
            return [False, True], "False before True"
        if sorted(text.lower() for text in self.texts) == ["false", "true"]:
            return sorted(self.texts, key=str.lower), "False before True"
        leading = self._leading_order()
        if leading is not None:
            notes.add(fault("leading-numbers", self.name, labels=leading))
            return leading, "numbers that the labels begin with"
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                classes = OrdinalLabels.from_data(self.labels()).classes.tolist()
        except LabelError as error:
            raise self._as_column_error(error) from error
        if len(self.texts) == len(self.codes) > 2:
            raise ColumnError(fault("own-labels", self.name))
        for message in [warning.message for warning in caught]:
            if isinstance(message, FarLabelWarning):  # N07
                remedies = alternatives(message.remedies, as_option)
                notes.add(fault("labels", self.name, problem=message.problem, remedies_=remedies))
        if problem := measured(self.texts, len(self.rows)):
            remedies = "cut them into ordered classes first"
            notes.add(fault("labels", self.name, problem=problem, remedies_=remedies))
        as_text = self.column.kind == "text"
        return classes, "numbers" + " (every label can be read as one)" * as_text

    def _leading_order(self) -> list[Any] | None:
        """Labels that are no numbers and begin with one each, in its order (N60)."""
        if self.column.kind != "text" or None not in self.values:
            return None
        leading = leading_order(self.texts)
        dates = any(form_of(text) for text in self.texts)
        each_once = len(self.texts) == len(self.codes)
        return None if leading is None or not leading.sure or dates or each_once else leading.labels

    def _note_no_answer(self, notes: Notes) -> None:
        """Say which classes are called as what is no answer: a file orders these as all others."""
        labels = [text for text in self.texts if folded(text).replace("\u2019", "'") in NO_ANSWER]
        if labels:
            leave_out = as_option("missing_label", tuple(labels))
            facts: dict[str, Any] = {"labels": labels, "leave_out": leave_out}
            notes.add(fault("label-of-no-answer", self.name, n=len(labels), **facts))

    def _as_column_error(self, error: LabelError) -> ColumnError:
        """What the library refused, with rows of the file and the remedies in options."""
        # The library begins with a phrase that scikit-learn asks for.
        problem = error.problem.removeprefix(CONTINUOUS)
        problem = f"{problem[0].lower()}{problem[1:]}"
        remedies = alternatives(error.remedies, as_option)
        if error.positions:
            problem += f" ({rows_named(self.rows[list(error.positions)], error.count)})"
        if error.fault == "words":
            problem = f"the labels are words without an order: {self._labels_with_counts()}"
            if len({folded(text) for text in self.texts}) < len(self.texts):
                remedies += "; --fold-labels takes no notice of case and blanks"
            if ROW_NAMES.get() is None and any(re.search(r",\D", text) for text in self.texts):
                remedies += (
                    "; one that holds a comma stands in quotation marks, as '\"no, never\",...'"
                )
            if any(_MADE_DATE.fullmatch(text) for text in self.texts):
                remedies += _OF_DATES
        facts: dict[str, Any] = {"remedies_": remedies, "lack_order": error.fault == "words"}
        return ColumnError(fault("labels", self.name, problem=problem, **facts))

    def _labels_with_counts(self) -> str:
        """All labels with their numbers of rows; of rare ones, the frequent one that is meant."""
        counts = dict(sorted(zip(self.texts, self.counts.tolist(), strict=True)))
        labels = []
        for text, count in counts.items():
            rare = count <= _RARE * len(self.codes)
            frequent = [other for other, n in counts.items() if rare and n >= 5 * count]
            hint = _hint(text, frequent, " (")
            labels.append(f"'{visible(text)}' {count}{hint}{')' * bool(hint)}")
        return some_of(labels, _MOST_LABELS)


def _hint(text: str, known: Sequence[str], before: str) -> str:
    """A question for the known label that another spelling may be; "" if there is none."""
    same = [label for label in known if folded(label) == folded(text)]
    label = same[0] if same else closest_label(text, known)
    return "" if label is None else f"{before}is '{visible(label)}' meant?"


def one_spelling(
    texts: Sequence[str], counts: Sequence[int], declared: Sequence[str]
) -> dict[str, str]:
    """The spelling in which each label is read: that of a declared one, else the most frequent."""
    spellings: dict[str, list[str]] = {}
    by_count = sorted(zip(texts, counts, strict=True), key=lambda pair: -pair[1])
    for label in [*declared, *(text for text, _ in by_count)]:
        spellings.setdefault(folded(label), []).append(label)
    # Labels that are declared side by side are not one.
    return {text: text if text in declared else spellings[folded(text)][0] for text in texts}
