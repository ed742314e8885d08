"""Which class of a file does each label of --class-weight mean?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from csvor._faults.errors import UsageError, listed
from csvor._faults.fault import fault
from csvor._utils.spelling import closest_label, format_value, same
from csvor.cli._options import ModelOptions


def with_class_weights(options: ModelOptions, classes: Sequence[Any]) -> ModelOptions:
    """The options with their weights by class, as the file has it, in the order of the classes."""
    class_weight = options.class_weight
    if not isinstance(class_weight, dict):
        return options
    texts = {format_value(label): label for label in classes}
    weights: dict[str, float] = {}
    for entry, weight in class_weight.items():
        fitting = [entry] if entry in texts else [text for text in texts if same(text, entry)]
        if not fitting:
            close = closest_label(entry, list(texts))
            hint = f"the labels are {listed(list(texts))}"
            hint = hint if close is None else f"did you mean '{close}'?"
            raise UsageError(fault("no-such-label", entry=entry, weight=weight, hint=hint))
        if fitting[0] in weights:
            raise UsageError(fault("label-weighted-twice", entry=entry, weight=weight))
        weights[fitting[0]] = weight
    in_order = {label: weights[text] for text, label in texts.items() if text in weights}
    return replace(options, class_weight=in_order)
