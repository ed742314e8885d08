"""What the options of a command say of the data and of the model."""

from dataclasses import dataclass

from csvor.cli._errors import UsageError

WITH_GAMMA = {"rbf", "poly", "sigmoid"}


@dataclass(frozen=True)
class DataOptions:
    """Which file, and which of its columns mean what."""

    data: str
    target: str
    classes: str | None = None
    drop: tuple[str, ...] = ()
    id: str | None = None
    missing_label: tuple[str, ...] = ()
    reviewed: str | None = None


@dataclass(frozen=True)
class ModelOptions:
    """How the rows are encoded and fitted."""

    C: float = 1.0
    p: float = 1.0
    contamination: float = 0.1
    kernel: str = "linear"
    gamma: str | float | None = None
    components: int | None = None
    loss: str = "hinge"
    constraints: str = "explicit"
    max_iter: int | None = None
    tune: bool = False
    folds: int = 5
    seed: int = 0
    impute: bool = False
    clip: float | None = None

    def __post_init__(self) -> None:
        if self.gamma is not None and self.kernel not in WITH_GAMMA:
            raise UsageError(
                f"--gamma {self.gamma}: the {self.kernel} kernel has none; --kernel rbf has"
            )
        if self.components is not None and self.kernel == "linear":
            raise UsageError(
                f"--components {self.components}: the linear kernel needs none; --kernel rbf can"
            )
