"""Graded records of which some grades are wrong, and known to be."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor.corruption import flip_labels

N_ROWS = 400


@dataclass(frozen=True)
class Graded:
    """Feature columns, the true labels and the classes in order."""

    target: str
    columns: dict[str, list[Any]]
    truth: NDArray[Any]
    classes: list[str]
    id: str | None = None

    @property
    def declared(self) -> str | None:
        """What --classes must say, None where the labels are numbers."""
        return None if all(name.isdigit() for name in self.classes) else ",".join(self.classes)


def bridges(rng: np.random.Generator) -> Graded:
    """Inspections of bridges that do not exist, graded by what was measured."""
    age = rng.uniform(1, 95, N_ROWS)
    trucks = rng.gamma(2.0, 400.0, N_ROWS)
    crack = rng.gamma(1.5, 0.015 * age)
    corrosion = np.clip(0.4 * age + rng.normal(0, 10, N_ROWS), 0, 100)
    material = rng.choice(["concrete", "steel", "timber"], N_ROWS, p=[0.5, 0.35, 0.15])
    decay = (
        0.03 * age
        + 0.0006 * trucks
        + 0.6 * crack
        + 0.04 * corrosion
        + np.select([material == "timber", material == "steel"], [1.2, 0.4], 0.0)
        + rng.normal(0, 0.1, N_ROWS)
    )
    grade = np.digitize(-decay, np.quantile(-decay, [0.15, 0.45, 0.8]))
    classes = ["poor", "fair", "good", "excellent"]
    columns: dict[str, list[Any]] = {
        "bridge": [f"B{i:03d}" for i in range(1, N_ROWS + 1)],
        "age_years": age.round(0).astype(int).tolist(),
        "trucks_per_day": trucks.round(0).astype(int).tolist(),
        "crack_mm": crack.round(2).tolist(),
        "corrosion_percent": corrosion.round(1).tolist(),
        "material": material.tolist(),
    }
    return Graded("condition", columns, np.array(classes)[grade], classes, id="bridge")


def bundled(name: str) -> Graded:
    """A data set that the package skordinal brings along."""
    from csvor.datasets import load

    try:
        bunch = load(name)
    except ImportError:
        raise CommandError(fault("no-skordinal", data=name)) from None
    columns = {
        feature: [int(v) if float(v).is_integer() else v for v in values.tolist()]
        for feature, values in zip(bunch.feature_names, bunch.data.T, strict=True)
    }
    classes = list(bunch.target_names)
    return Graded("grade", columns, np.array(classes)[bunch.target - 1], classes)


def with_wrong_labels(
    graded: Graded, share: float, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Labels of which a share is changed to another class at random, and which those are."""
    return flip_labels(graded.truth, share, classes=graded.classes, random_state=rng)
