"""What the options of a command say of the data and of the model."""

from dataclasses import dataclass
from typing import Any

from csvor.cli._errors import UsageError
from csvor.cli._paths import check_input, check_parquet
from csvor.cli._spelling import normal

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
    groups: str | None = None
    keep: tuple[str, ...] = ()
    weight: str | None = None
    missing: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    dates: bool = False
    fold_labels: bool = False
    delimiter: str | None = None
    decimal: str | None = None
    dask: str | None = None

    def __post_init__(self) -> None:
        # Names are compared in one form of Unicode, as those of the file are.
        for name in ("target", "id", "groups", "weight"):
            given = getattr(self, name)
            object.__setattr__(self, name, None if given is None else normal(given))
        for name in ("drop", "keep", "categorical"):
            object.__setattr__(self, name, tuple(map(normal, getattr(self, name))))
        if self.dask is None:
            check_input(self.data)
        else:
            check_parquet(self.data)
        if self.reviewed is not None:
            check_input(self.reviewed)


@dataclass(frozen=True)
class ModelOptions:
    """How the rows are encoded and fitted; what is None was left open."""

    C: float | None = None
    p: float | None = None
    contamination: float | None = None
    kernel: str | None = None
    gamma: str | float | None = None
    components: int | None = None
    loss: str | None = None
    constraints: str | None = None
    class_weight: str | dict[Any, float] | None = None
    max_iter: int | None = None
    tune: bool = False
    folds: int = 5
    seed: int = 0
    impute: bool = False
    clip: float | None = None

    def __post_init__(self) -> None:
        # Where the kernel is open, curves are among what is compared.
        kernel = "rbf" if self.kernel is None else self.kernel
        if self.gamma is not None and kernel not in WITH_GAMMA:
            raise UsageError(
                f"--gamma {self.gamma}: the {kernel} kernel has none; --kernel rbf has"
            )
        if self.components is not None and kernel == "linear":
            raise UsageError(
                f"--components {self.components}: the linear kernel needs none; --kernel rbf can"
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the estimator that were given."""
        own = ("C", "p", "contamination", "kernel", "gamma", "loss", "constraints")
        named = {name: getattr(self, name) for name in (*own, "class_weight", "max_iter")}
        named |= {"n_components": self.components, "random_state": self.seed}
        return {name: value for name, value in named.items() if value is not None}
