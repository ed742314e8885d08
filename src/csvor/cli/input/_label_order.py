"""The labels that a column holds: in which spelling, and in which order?"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._labels import LabelError, OrdinalLabels
from csvor._labels.order import CONTINUOUS, FarLabelWarning, number_of
from csvor.cli._errors import (
    ColumnError,
    UsageError,
    are,
    closest,
    plural,
    rows_text,
    these_rows,
)
from csvor.cli._notes import Notes
from csvor.cli._spelling import folded, visible
from csvor.cli.input._column_checks import quoted
from csvor.cli.input._table import Column, as_number, format_value

# Labels that a message names.
_MOST_LABELS, _MOST_OPTIONS = 20, 3


class LabelColumn:
    """The labels that a column holds, as texts and, where they are numbers, as numbers."""

    def __init__(self, column: Column, rows: NDArray[np.int64]) -> None:
        self.column = column
        self.rows = rows
        self._take(*column.coded)

    def _take(self, codes: NDArray[np.int64], texts: list[str]) -> None:
        self.codes, self.texts = codes, texts
        self.counts = np.bincount(codes, minlength=len(texts))
        self.values = [number_of(text) for text in texts]
        self.are_numbers = None not in self.values

    def fold(self, declared: Sequence[str] | None, notes: Notes) -> None:
        """Read labels that differ in case and blanks alone as one, and say which."""
        if self.column.kind != "text":
            return
        levels = [format_value(level) for level in self.column.levels or ()]
        one = one_spelling(self.texts, self.counts.tolist(), declared or levels)
        merged = {text: label for text, label in one.items() if text != label}
        if not merged:
            notes.add("--fold-labels: no two labels differ in case and blanks alone")
            return
        told = ", ".join(
            f"'{visible(text)}' ({plural(int(self.counts[self.texts.index(text)]), 'row')}) as "
            f"'{visible(label)}'"
            for text, label in merged.items()
        )
        notes.add(f"labels in other spellings are read as one: {told}")
        kept = list(dict.fromkeys(one.values()))
        place = np.array([kept.index(one[text]) for text in self.texts])
        self._take(place[self.codes], kept)

    def ordered(self, declared: list[str] | None, notes: Notes) -> tuple[list[Any], str]:
        """The classes in their order, and what says so."""
        if len(self.texts) == 1:
            raise ColumnError(
                f"column '{self.column.name}': all {len(self.rows)} rows have the label "
                f"'{self.texts[0]}', so there is nothing to order"
            )
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
            raise UsageError("--classes: name at least two classes, lowest first")
        classes = [self._as_in_file(entry) for entry in entries]
        known = [format_value(value) for value in classes]
        unknown = [text for text in self.texts if text not in known]
        if unknown:
            self._refuse_unknown(unknown, known)
        return classes

    def _refuse_unknown(self, unknown: list[str], known: list[str]) -> None:
        """Refuse labels that are in no list: each with its rows, and the one that it may be."""
        n_rows = len(self.rows_with(unknown))
        it, them = ("it" if n == 1 else "them" for n in (n_rows, len(unknown)))
        idle = [text for text in known if text not in self.texts]
        typos = [(text, closest(text, unknown)) for text in idle]
        hint = "".join(
            f"; '{visible(typo)}' in --classes is no label, is '{visible(meant)}' meant?"
            for typo, meant in typos
            if meant is not None
        )
        if any(folded(text) in map(folded, known) for text in unknown):
            hint += "; --fold-labels takes no notice of case and blanks"
        told = [self._told(text, one_of(text, known)) for text in unknown[:_MOST_LABELS]]
        more = len(unknown) - len(told)
        options = [f"--missing-label {quoted(text)}" for text in unknown[:_MOST_OPTIONS]]
        others = " and so on" * (len(unknown) > _MOST_OPTIONS)
        raise ColumnError(
            f"column '{self.column.name}': {plural(n_rows, 'label')} {are(n_rows)} none of "
            f"--classes: {', '.join(told)}{f' and {more} more' * (more > 0)}; correct {it}, add "
            f"{them} to --classes or leave {these_rows(n_rows)} out with {' '.join(options)}"
            f"{others}{hint}"
        )

    def _told(self, text: str, meant: str | None) -> str:
        """A label with its number of rows, the first of them, and the label that it may be."""
        rows = self.rows_with([text])
        close = f"; is '{visible(meant)}' meant?" if meant is not None else ""
        return f"'{visible(text)}' {len(rows)} ({rows_text(rows, most=3)}{close})"

    def _as_in_file(self, entry: str) -> Any:
        """One declared class in the type, and where it occurs in the spelling, of the file."""
        kind, number = self.column.kind, as_number(entry)
        if kind == "bool":
            if entry.lower() not in {"true", "false"}:
                raise UsageError(f"--classes: '{entry}', but the labels are True and False")
            return entry.lower() == "true"
        if kind == "text":
            if entry in self.texts or not self.are_numbers:
                return entry
            same = [
                t for t, v in zip(self.texts, self.values, strict=True) if v == number_of(entry)
            ]
            return same[0] if same else entry
        dtype = self.labels().dtype
        if not np.isfinite(number) or (dtype.kind in "iu" and not number.is_integer()):
            what = "whole numbers" if dtype.kind in "iu" else "numbers"
            raise UsageError(
                f"--classes: '{entry}', but the labels of column '{self.column.name}' are {what}"
            )
        return int(number) if dtype.kind in "iu" else number

    def infer_order(self, notes: Notes) -> tuple[list[Any], str]:
        """The order that the labels carry themselves, and what it is; words carry none."""
        levels = self.column.levels
        if self.column.no_order:
            raise ColumnError(
                f"column '{self.column.name}': its values are said to be ordered, but "
                f"{self.column.no_order}, so their order is lost; give it with --classes "
                "LOWEST,...,HIGHEST"
            )
        if levels is not None:
            return list(levels), "ordered category of the file"
        if self.column.kind == "bool":
            return [False, True], "False before True"
        if sorted(text.lower() for text in self.texts) == ["false", "true"]:
            return sorted(self.texts, key=str.lower), "False before True"
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                classes = OrdinalLabels.from_data(self.labels()).classes.tolist()
        except LabelError as error:
            raise self._in_options(error) from error
        if len(self.texts) == len(self.codes) > 2:
            raise ColumnError(
                f"column '{self.column.name}': every row has a label of its own; csvor needs "
                "classes that rows share"
            )
        for warning in caught:
            if isinstance(warning.message, FarLabelWarning):
                notes.add(
                    f"column '{self.column.name}': {warning.message.problem}; leave out a code for "
                    "'no answer' with --missing-label, or name all classes with --classes"
                )
        as_text = self.column.kind == "text"
        return classes, "numbers" + " (every label can be read as one)" * as_text

    def _in_options(self, error: LabelError) -> ColumnError:
        """What the library refused, with rows of the file and a remedy in options."""
        labels = [format_value(label) for label in error.labels]
        first = quoted("".join(labels[:1]))
        remedies = {
            "words": "csvor does not guess it; give it with --classes LOWEST,...,HIGHEST",
            "some words": f"leave {these_rows(error.count)} out with --missing-label {first}, or "
            "give the order of all labels with --classes",
            "two spellings": "write it in one",
            "fractions": f"if these are grades, say so with --classes {','.join(labels)}",
            "measurement": "cut it into ordered classes first",
        }
        if all(number_of(text.replace(",", ".", 1)) is not None for text in self.texts):
            remedies["words"] = remedies["some words"] = "write the decimal commas as points"
        where = ""
        if error.positions:
            where = f" ({rows_text(self.rows[list(error.positions)], error.count)})"
        # The library begins with a phrase that scikit-learn asks for.
        problem = error.problem.removeprefix(CONTINUOUS)
        if error.fault == "words":
            problem = f"the labels are words without an order: {self._all_told()}"
            if len({folded(text) for text in self.texts}) < len(self.texts):
                remedies["words"] += "; --fold-labels takes no notice of case and blanks"
        return ColumnError(
            f"column '{self.column.name}': {problem[0].lower()}{problem[1:]}"
            f"{where}; {remedies.get(error.fault, error.remedy)}"
        )

    def _all_told(self) -> str:
        """All labels with their numbers of rows; of rare ones, the frequent one that is meant."""
        told = []
        for text, count in sorted(zip(self.texts, self.counts.tolist(), strict=True)):
            others = [t for t, n in zip(self.texts, self.counts, strict=True) if n >= 5 * count]
            meant = one_of(text, others)
            close = f" (is '{visible(meant)}' meant?)" if meant is not None else ""
            told.append(f"'{visible(text)}' {count}{close}")
        more = len(told) - _MOST_LABELS
        return ", ".join(told[:_MOST_LABELS]) + (f" and {more} more" if more > 0 else "")


def one_of(text: str, known: Sequence[str]) -> str | None:
    """The known label that another spelling may be."""
    same = [label for label in known if folded(label) == folded(text)]
    return same[0] if same else closest(text, known)


def one_spelling(
    texts: Sequence[str], counts: Sequence[int], declared: Sequence[str]
) -> dict[str, str]:
    """The spelling in which each label is read: that of a declared one, else the most frequent."""
    kinds: dict[str, list[str]] = {}
    often = sorted(zip(texts, counts, strict=True), key=lambda pair: -pair[1])
    for label in [*declared, *(text for text, _ in often)]:
        kinds.setdefault(folded(label), []).append(label)
    # Labels that are declared side by side are not one.
    return {text: text if text in declared else kinds[folded(text)][0] for text in texts}
