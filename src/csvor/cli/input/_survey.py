"""What do the files of SPSS and Stata hold: value labels in the order of their codes?"""

import math
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from csvor._faults.errors import CommandError, unreadable
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.spelling import as_number, format_value

ORDER = "value labels of the file, by their codes"
_MOST_CODES = 5

Labels = Mapping[Any, str]


def read_survey(source: str, notes: Notes) -> tuple[pa.Table, dict[str, str]]:
    """The table of a .sav, .zsav or .dta file, blank where a value is declared missing; its titles.

    These are what the file says that columns are: the question that was asked, mostly.

    A column whose values all have a label holds these, as a category that is ordered by the codes
    where they are numbers. Where some values have none, as between the ends of a scale, the codes
    stay, with a note.
    """
    values, meta, missing = _read(source)
    arrays = {name: _plain(values[name]) for name in values}
    blanks = {}
    for name, labels in meta.variable_value_labels.items():
        text = pa.types.is_string(arrays[name].type)
        gone = [code for code in labels if _is_missing(code, missing.get(name, ()), text)]
        if gone:
            blanks[name] = ", ".join(f"'{labels[code]}'" for code in gone[:_MOST_CODES])
        there = {code: label for code, label in labels.items() if code not in gone}
        if there:
            arrays[name] = _labelled(name, arrays[name], there, notes)
    if blanks:
        listed = ", ".join(f"'{name}' ({texts})" for name, texts in blanks.items())
        notes.add(fault("declared-missing", n=len(blanks), columns=listed))
    titles = {name.strip(): text or "" for name, text in meta.column_names_to_labels.items()}
    return pa.table(arrays), titles


def _read(source: str) -> tuple[Any, Any, Mapping[str, Any]]:
    """A frame of the values, what is said of them, and the ranges that are declared missing."""
    try:
        import pyreadstat
    except ImportError:
        raise CommandError(fault("no-pyreadstat", source=source)) from None
    read = pyreadstat.read_dta if source.lower().endswith(".dta") else pyreadstat.read_sav
    try:
        values, meta = read(source, output_format="pandas")
        _, declared = read(source, metadataonly=True, user_missing=True)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError) as error:
        what = "Stata file" if read is pyreadstat.read_dta else "SPSS file"
        raise unreadable(source, what, error) from None
    return values, meta, declared.missing_ranges


def _in_order(labels: Labels) -> tuple[Labels, bool]:
    """Codes with their labels by rising number, and whether there is such an order of all."""
    numbers = {code: as_number(str(code)) for code in labels}
    if any(math.isnan(number) for number in numbers.values()):
        return labels, False
    return {code: labels[code] for code in sorted(labels, key=numbers.__getitem__)}, True


def _is_missing(code: Any, ranges: Any, text: bool) -> bool:
    """Whether a code is declared missing: by the file, or as one of Stata's .a to .z."""
    if isinstance(code, str) and not text:
        return True
    return any(one["lo"] <= code <= one["hi"] for one in ranges)


def _plain(values: Any) -> pa.Array:
    """Values as Arrow has them: these programs know no whole numbers, but people do."""
    array = pa.array(values.to_numpy(), from_pandas=True)
    if pa.types.is_floating(array.type):
        try:
            return array.cast(pa.int64())
        except pa.ArrowInvalid:
            return array
    return array.cast(pa.string()) if pa.types.is_null(array.type) else array


def _labelled(name: str, array: pa.Array, labels: Labels, notes: Notes) -> pa.Array:
    """A category of the labels; the codes where a value has no label, or two share one."""
    labels, ordered = _in_order(labels)
    levels = list(labels.values())
    encoded = array.dictionary_encode()
    values = encoded.dictionary.to_pylist()
    bare = sorted({value for value in values if value not in labels} - {None, ""})
    facts: dict[str, Any] = {
        "codes": [format_value(code) for code in bare],
        "labels": ", ".join(
            f"{format_value(code)} '{label}'" for code, label in list(labels.items())[:_MOST_CODES]
        ),
    }
    if bare:
        notes.add(fault("partly-labelled", name, n=len(bare), **facts))
        return array
    if len(set(levels)) < len(levels):
        notes.add(fault("labels-alike", name, **facts))
        return array
    position = {code: i for i, code in enumerate(labels)}
    code_of_value = pa.array([position.get(value) for value in values], pa.int32())
    codes = code_of_value.take(encoded.indices)
    return pa.DictionaryArray.from_arrays(codes, pa.array(levels), ordered=ordered)
