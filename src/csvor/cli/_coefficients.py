"""What does each column add to the score, and which classes does each threshold set apart?"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

Entry = dict[str, Any]


def encodings_of(pipeline: Pipeline) -> list[Entry]:
    """What a fitted pipeline does to each column before the model, in the order of its columns.

    Words have ``levels``, one indicator each. A number is filled with ``median`` where it is blank,
    limited to ``lower`` and ``upper``, and becomes ``(x - mean) / scale``.
    """
    encodings = []
    for _, step, _ in pipeline[0].transformers_:
        names = step.feature_names_in_.tolist()
        if hasattr(step, "categories_"):
            levels = [values.tolist() for values in step.categories_]
            encodings += [{"column": n, "levels": of} for n, of in zip(names, levels, strict=True)]
            continue
        numbers: dict[str, Any] = {"column": names}
        for part in step:
            for key, attribute in _LEARNT.items():
                if hasattr(part, attribute):
                    numbers[key] = [_finite(value) for value in getattr(part, attribute).tolist()]
        rows = zip(*numbers.values(), strict=True)
        encodings += [dict(zip(numbers, row, strict=True)) for row in rows]
    return encodings


_LEARNT = {
    "median": "statistics_",
    "lower": "lower_",
    "upper": "upper_",
    "mean": "mean_",
    "scale": "scale_",
}


def coefficients_of(pipeline: Pipeline) -> list[Entry] | None:
    """What each column or level adds to the score, strongest column first; None of a curve.

    A level adds its ``coefficient``, a number as many times it as it has standard deviations above
    its mean.
    """
    model = pipeline[-1]
    if not hasattr(model, "coef_"):
        return None
    values = iter(model.coef_.tolist())
    groups = [list(_entries(encoding, values)) for encoding in encodings_of(pipeline)]
    groups.sort(key=lambda group: -max(abs(entry["coefficient"]) for entry in group))
    return [entry for group in groups for entry in group]


def _entries(encoding: Entry, values: Iterator[float]) -> Iterator[Entry]:
    column = {"column": encoding["column"]}
    if "levels" not in encoding:
        unit = {"mean": encoding["mean"], "scale": encoding["scale"]}
        yield {**column, "coefficient": next(values), **unit}
        return
    entries = [{**column, "level": x, "coefficient": next(values)} for x in encoding["levels"]]
    yield from sorted(entries, key=lambda entry: -abs(entry["coefficient"]))


def thresholds_of(model: Any) -> list[Entry]:
    """The thresholds that cut the score, with the classes below and above."""
    classes = model.classes_.tolist()
    return [
        {"below": below, "above": above, "threshold": value}
        for (below, above), value in zip(pairwise(classes), model.thresholds_.tolist(), strict=True)
    ]


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
