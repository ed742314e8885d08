"""Class order and codes of ordinal labels: declared, categorical or numeric; never guessed."""

from csvor._labels.classes import OrdinalLabels
from csvor._labels.coded import CodedLabels, code_pair
from csvor._labels.column import read_column
from csvor._labels.containers import (
    index_of,
    pandas_index,
    refuse_lazy_frame,
    refuse_other_order,
)
from csvor._labels.error import LabelError

__all__ = [
    "CodedLabels",
    "LabelError",
    "OrdinalLabels",
    "code_pair",
    "index_of",
    "pandas_index",
    "read_column",
    "refuse_lazy_frame",
    "refuse_other_order",
]
