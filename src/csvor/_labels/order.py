"""The order of labels that declare none: by their numbers, or refused."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from csvor._labels.column import Column
from csvor._labels.error import ClassList, LabelError, error_at, no_label, sentence, show
from csvor._utils.warn import Remedy, alternatives, warn
from csvor._utils.words import are, nouns

_NUMERAL = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")

# What scikit-learn looks for where it fits a regression target.
CONTINUOUS = "Unknown label type: continuous. "
# Above this many distinct values, labels that are not whole are taken for a regression target.
_MAX_LISTED = 20
# More whole numbers, or more than this share of the rows, look like a measurement.
_MANY, _SHARED = 50, 0.2
# A label is suspected of being a code for "no answer" when it is this far out and this rare.
_FAR = 3
_RARE = 0.05
_MIN_SCALE = 3
_CLASSES = ("classes", ClassList())
# What surveys call the codes of those who did not answer.
_NO_ANSWERS = (
    "don't know|dont know|do not know|dk|no answer|refused|not applicable|not asked|not available|"
    "not stated|can't say|can't choose|no opinion|missing|unknown|n/a|na|weiss nicht|"
    "keine angabe|ne sait pas|no sabe|no contesta"
)
NO_ANSWER = frozenset(_NO_ANSWERS.split("|"))
_SIGNS = "?|??|-|--|.|..|none|null|nan|nil|n.a.|k. a.|k.a.|#n/a"
_MARKS = NO_ANSWER | frozenset(_SIGNS.split("|"))
_LEADING = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)(?![.,]?\d)\s*(.*)", re.DOTALL)
_STARS = re.compile("[\u2605\u2606\u2b50]+")
# What may be the unit of one number, and of another.
_ONE_UNIT = re.compile(r"st|nd|rd|th|(\w+?)s?")


class LeadingOrder(NamedTuple):
    """Labels by the numbers that they begin with; `sure` if all have one unit, or none."""

    labels: list[str]
    sure: bool


def leading_order(labels: Sequence[Any]) -> LeadingOrder | None:
    """The order of labels that begin with a number each; None if there is none (N60)."""
    numbers: dict[Any, str] = {}
    units = set()
    for label in labels:
        text = unicodedata.normalize("NFKC", str(label))
        match = _LEADING.fullmatch(text)
        if match is not None:
            number, rest = Decimal(match[1]), match[2]
            if rest[:1].isalpha():
                unit = _ONE_UNIT.fullmatch(rest.casefold())
                units.add((unit[1] if unit is not None else rest) or "")
        elif _STARS.fullmatch(text):
            number = Decimal(len(text) - text.count("\u2606"))
        else:
            return None
        numbers[number] = label
    if len(numbers) < len(labels) or len(labels) < 2:
        return None
    ordered = [numbers[number] for number in sorted(numbers)]
    return LeadingOrder(ordered, len(units) < 2 and len(labels) <= _MAX_LISTED)


class FarLabelWarning(UserWarning):
    """A label may be a code for "no answer"; `problem` says why, without what to do about it."""

    def __init__(self, problem: str, remedies: Sequence[Remedy] = ()) -> None:
        super().__init__(problem, remedies)
        self.problem, self.remedies = problem, remedies

    def __str__(self) -> str:
        if not self.remedies:
            return self.problem
        return f"{self.problem}. {sentence(alternatives(self.remedies, last='; '))}"


def number_of(label: Any) -> Any:
    """Return the number that a label is or spells exactly, or None for a word."""
    if not isinstance(label, str):
        return label
    if not _NUMERAL.fullmatch(label) or not np.isfinite(float(label)):
        return None
    return Decimal(label.strip())


def numeric_order(column: Column) -> list[int]:
    """Return positions in ``column.labels`` that put them in ascending order of their numbers.

    Raises
    ------
    LabelError
        For words, for numbers that are not whole, and for two spellings of one number.
    """
    if column.kind == "other":
        raise no_label(f"type {type(column.labels[0]).__name__} in no declared order")
    numbers = [number_of(label) for label in column.labels]
    if any(number is None for number in numbers):
        raise _words_without_order(column, [number is None for number in numbers])
    if column.kind == "text":
        _refuse_two_spellings(column, numbers)
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    fractional = [number != int(number) for number in numbers]
    if any(fractional):
        raise _continuous(column, order, fractional)
    return order


def _words_without_order(column: Column, is_word: list[bool]) -> LabelError:
    words = sorted(label for label, word in zip(column.labels, is_word, strict=True) if word)
    has_commas = all(number_of(str(word).replace(",", ".", 1)) is not None for word in words)
    remedies = [Remedy("write the decimal commas as points")]
    leading = leading_order(column.labels)
    ready = (*_CLASSES,) if leading is None else ("classes", ClassList(leading.labels))
    if 2 * sum(is_word) <= len(is_word):
        leave_out = Remedy(
            "correct these rows, leave them out with ",
            "missing_label",
            ClassList(words),
            in_code="correct or drop these rows",
        )
        list_all = Remedy("list all labels from the lowest to the highest in ", *ready)
        if not _say_nothing(column, is_word):
            none = Remedy(
                "if one of them stands for no label, leave its rows out with ",
                "missing_label",
                in_code="drop rows whose label stands for none",
            )
            return error_at(
                f"The labels have no order: most are numbers, but not {show(words)}",
                remedies if has_commas else [list_all] if leading else [list_all, none],
                column.rows_of(is_word),
                fault="some words",
            )
        return error_at(
            f"The labels have no order: most are numbers, but not {show(words)}",
            remedies if has_commas else [leave_out, list_all],
            column.rows_of(is_word),
            fault="some words",
        )
    if not has_commas:
        remedies = [
            Remedy("list them from the lowest to the highest in ", *ready),
            Remedy(in_code="use an ordered pandas Categorical or polars Enum"),
        ]
    if column.categories is not None:
        categories = show(column.categories)
        remedies.append(
            Remedy(
                in_code=f"as the categories of this categorical, {categories}, are not declared as "
                "ordered, say by .cat.as_ordered() that they are"
            )
        )
    problem = f"The labels are words without an order: {show(words)}"
    return LabelError(problem, remedies, fault="words")


def _say_nothing(column: Column, is_word: list[bool]) -> bool:
    """Whether labels that are words are marks for "no value", or rare: no classes."""
    total = column.counts.sum()
    return all(
        str(label).strip().casefold().replace("\u2019", "'") in _MARKS or count <= _RARE * total
        for label, count, word in zip(column.labels, column.counts, is_word, strict=True)
        if word
    )


def _refuse_two_spellings(column: Column, numbers: list[Decimal]) -> None:
    spellings = defaultdict(list)
    for label, number in zip(column.labels, numbers, strict=True):
        spellings[number].append(label)
    for same in spellings.values():
        if len(same) > 1:
            raise error_at(
                f"One number is written in {len(same)} ways: {show(sorted(same))}",
                [
                    Remedy("write each label in one way"),
                    Remedy(in_code="convert the labels to numbers"),
                ],
                column.rows_of([label in same for label in column.labels]),
                fault="two spellings",
            )


def _continuous(column: Column, order: list[int], fractional: list[bool]) -> LabelError:
    where, counts = column.rows_of(fractional), column.counts
    count, n = int(counts[fractional].sum()), int(counts.sum())
    example = show([column.labels[fractional.index(True)]])
    problem = (
        f"{CONTINUOUS}{count} of {n} labels "
        f"{'is not a whole number' if count == 1 else 'are not whole numbers'}, "
        f"such as {example}"
    )
    distinct = len(column.labels)
    if distinct > _MAX_LISTED or 2 * distinct > n:
        return error_at(
            f"{problem}, and {distinct} values differ: this is a regression target",
            [
                Remedy(
                    "cut it into ordered classes first",
                    in_code="cut it into ordered classes (numpy.digitize, pandas.cut)",
                ),
                Remedy(in_code="use a regressor"),
            ],
            where,
            fault="measurement",
        )
    classes = ClassList(column.labels[position] for position in order)
    remedy = Remedy("if these are ordered classes, list them: ", "classes", classes)
    return error_at(problem, [remedy], where, fault="fractions")


def measured(labels: Sequence[Any], n_rows: int) -> str:
    """Why labels that their numbers put in order look like a measurement; "" if they do not."""
    n = len(labels)
    if n <= min(_MANY, max(_MAX_LISTED, _SHARED * n_rows)) or None in map(number_of, labels):
        return ""
    return f"{n} whole numbers differ in {n_rows} labels, as where something is measured"


def _plain(label: Any) -> str:
    return repr(label) if isinstance(label, str) else str(label)


def warn_far_and_rare(column: Column, order: list[int]) -> None:
    """Warn of rare numbers far outside the scale of the others, such as 99 among 1..5.

    The scale is the run of classes that has most rows after a cut at every gap of some width;
    the classes outside it are suspected when that width is at least three times the largest gap
    inside the scale, the scale has at least three classes, and the outsiders of each side have
    at most 5 % of the rows.
    """
    numbers = [int(number_of(column.labels[position])) for position in order]
    counts = column.counts[order]
    # Python integers: the gap between the ends of a fixed-width type does not fit into it.
    gaps = [high - low for low, high in pairwise(numbers)]
    for width in sorted(set(gaps))[-16:]:
        start, stop = _fullest_run(gaps, counts, width)
        inside = gaps[start : stop - 1]
        shares = counts[:start].sum() / counts.sum(), counts[stop:].sum() / counts.sum()
        if len(inside) < _MIN_SCALE - 1 or max(shares) > _RARE or width < _FAR * max(inside):
            continue
        labels = [column.labels[position] for position in order]
        jumps = [(labels[start], labels[start - 1])] if start else []
        jumps += [(labels[stop - 1], labels[stop])] if stop < len(labels) else []
        outside = labels[:start] + labels[stop:]
        rows = int(counts[:start].sum() + counts[stop:].sum())
        warn(_far_and_rare(outside, jumps, rows, int(counts.sum()), labels))
        return


def _fullest_run(gaps: list[int], counts: NDArray[np.int64], width: int) -> tuple[int, int]:
    """Return start and stop of the run of classes with most rows between gaps >= `width`."""
    cuts = [0, *(k + 1 for k, gap in enumerate(gaps) if gap >= width), len(counts)]
    fullest = int(np.add.reduceat(counts, cuts[:-1]).argmax())
    return cuts[fullest], cuts[fullest + 1]


def _far_and_rare(
    outside: list[Any], jumps: list[tuple[Any, Any]], rows: int, n: int, labels: list[Any]
) -> FarLabelWarning:
    one, k = len(outside) == 1, len(outside)
    arrows = ", ".join(f"{_plain(near)} -> {_plain(far)}" for near, far in jumps)
    no_answer = f"if {'it means' if one else 'they mean'} 'no answer', "
    classes = ClassList(labels if len(labels) <= _MAX_LISTED else ())
    return FarLabelWarning(
        f"{nouns(k, 'Label')} {', '.join(map(_plain, outside))} {are(k)} far "
        f"from the rest ({arrows}) and rare ({rows} of {n} rows, {100 * rows / n:.2g} %)",
        [
            Remedy(
                f"{no_answer}leave {'its' if one else 'their'} rows out with ",
                "missing_label",
                ClassList(outside),
                in_code=f"{no_answer}drop these rows",
            ),
            Remedy(
                f"if {'it is a class' if one else 'they are classes'}, say so: ", "classes", classes
            ),
        ],
    )
