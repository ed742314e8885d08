"""How does a column get other labels at some of its rows?"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._utils.spelling import format_value


def relabelled(values: pa.Array, new: Mapping[int, str]) -> pa.Array:
    """An Arrow array with other values at some positions, of the same type."""
    if not new:
        return values
    if pa.types.is_dictionary(values.type):
        return _relabelled_category(values, new)
    mask = np.zeros(len(values), dtype=bool)
    mask[list(new)] = True
    replacements = [_typed(new[i], values.type) for i in sorted(new)]
    return pc.replace_with_mask(values, pa.array(mask), pa.array(replacements, values.type))


def _relabelled_category(values: pa.DictionaryArray, new: Mapping[int, str]) -> pa.Array:
    kind = values.type
    levels = values.dictionary.to_pylist()
    code_of = {format_value(level): code for code, level in enumerate(levels)}
    added = [text for text in dict.fromkeys(new.values()) if text not in code_of]
    if added and kind.ordered:
        raise CommandError(fault("no-category", label=added[0], levels=levels))
    levels += [_typed(text, kind.value_type) for text in added]
    code_of.update({text: len(code_of) + i for i, text in enumerate(added)})
    codes = values.indices.to_pylist()
    for position, text in new.items():
        codes[position] = code_of[text]
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, kind.index_type), pa.array(levels, kind.value_type), ordered=kind.ordered
    )


def _typed(text: str, kind: pa.DataType) -> Any:
    """The value that a label stands for in a column of this type."""
    if pa.types.is_boolean(kind):
        return text.lower() == "true"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return text
    try:
        return pa.scalar(text).cast(kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise CommandError(fault("label-of-other-type", label=text, arrow_type=str(kind))) from None
