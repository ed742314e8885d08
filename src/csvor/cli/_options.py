"""The options that commands share, and their checks."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from csvor.cli._errors import UsageError

DATA = "Data"
MODEL = "Model"
OUTPUT = "Output"

KernelName = StrEnum("KernelName", "linear rbf poly sigmoid cosine")
LossName = StrEnum("LossName", "hinge logistic exponential")
ConstraintsName = StrEnum("ConstraintsName", "explicit implicit")
WITH_GAMMA = {"rbf", "poly", "sigmoid"}

Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="A .csv, .tsv or .parquet file; - is CSV on stdin."),
]
TargetName = Annotated[
    str, typer.Option("--target", metavar="COL", help="Column of the labels.", rich_help_panel=DATA)
]
Classes = Annotated[
    str | None,
    typer.Option(
        "--classes",
        metavar="A,B,C",
        help="All labels in order, lowest first.",
        rich_help_panel=DATA,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop", metavar="COL", help="Column to leave out; can be repeated.", rich_help_panel=DATA
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="COL", help="Column that names the rows; no feature.", rich_help_panel=DATA
    ),
]
MissingLabel = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-label",
        metavar="CODE",
        help="Label that stands for none ('' is blank): leave its rows out; can be repeated.",
        rich_help_panel=DATA,
    ),
]
Impute = Annotated[
    bool,
    typer.Option(
        "--impute", help="Fill blank numbers with the median of their column.", rich_help_panel=DATA
    ),
]
Clip = Annotated[
    float | None,
    typer.Option(
        "--clip",
        metavar="S",
        help="Limit numbers to the median ± S median deviations.",
        rich_help_panel=DATA,
    ),
]
Strength = Annotated[
    float,
    typer.Option(
        "--C", help="Weight of the losses against the penalty; > 0.", rich_help_panel=MODEL
    ),
]
Power = Annotated[
    float,
    typer.Option("--p", help="Power of the residuals; > 0, at most 2.", rich_help_panel=MODEL),
]
Contamination = Annotated[
    float,
    typer.Option(
        "--contamination",
        help="Share of rows expected to be wrong; 0 to 0.5.",
        rich_help_panel=MODEL,
    ),
]
Kernel = Annotated[
    KernelName,
    typer.Option(
        "--kernel", help="Shape of the score; rbf for curved classes.", rich_help_panel=MODEL
    ),
]
Gamma = Annotated[
    str | None,
    typer.Option(
        "--gamma",
        metavar="G",
        help="Of rbf, poly and sigmoid: scale, auto or a number > 0.",
        rich_help_panel=MODEL,
    ),
]
Components = Annotated[
    int | None,
    typer.Option(
        "--components",
        metavar="N",
        min=1,
        help="Approximate the kernel by N rows drawn at random.",
        rich_help_panel=MODEL,
    ),
]
Loss = Annotated[
    LossName,
    typer.Option(
        "--loss", help="Loss by the margin; --p 2 is the loss itself.", rich_help_panel=MODEL
    ),
]
Constraints = Annotated[
    ConstraintsName,
    typer.Option(
        "--constraints",
        help="A row meets the two thresholds beside its label, or all.",
        rich_help_panel=MODEL,
    ),
]
MaxIter = Annotated[
    int | None,
    typer.Option(
        "--max-iter",
        metavar="N",
        min=1,
        help="Limit of iterations of a fit.",
        rich_help_panel=MODEL,
    ),
]
Tune = Annotated[
    bool, typer.Option("--tune", help="Choose C and p by cross-validation.", rich_help_panel=MODEL)
]
Folds = Annotated[
    int,
    typer.Option("--folds", help="Parts of the cross-validation.", min=2, rich_help_panel=MODEL),
]
Seed = Annotated[
    int, typer.Option("--seed", help="Seed of the random parts.", min=0, rich_help_panel=MODEL)
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON document and nothing else.", rich_help_panel=OUTPUT
    ),
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=OUTPUT)
]


@dataclass(frozen=True)
class DataOptions:
    """Which file, and which of its columns mean what."""

    data: str
    target: str
    classes: str | None = None
    drop: tuple[str, ...] = ()
    id: str | None = None
    missing_label: tuple[str, ...] = ()


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
        if not 0 < self.C < math.inf:
            raise UsageError(f"--C {self.C:g}: must be greater than 0 and finite")
        if not 0 < self.p <= 2:
            raise UsageError(f"--p {self.p:g}: must be greater than 0 and at most 2")
        if not 0 <= self.contamination <= 0.5:
            raise UsageError(f"--contamination {self.contamination:g}: must be from 0 to 0.5")
        if self.clip is not None and not 0 < self.clip < math.inf:
            raise UsageError(f"--clip {self.clip:g}: must be greater than 0 and finite")
        if self.gamma is not None and self.kernel not in WITH_GAMMA:
            raise UsageError(
                f"--gamma {self.gamma}: the {self.kernel} kernel has none; --kernel rbf has"
            )
        if self.components is not None and self.kernel == "linear":
            raise UsageError(
                f"--components {self.components}: the linear kernel needs none; --kernel rbf can"
            )


def pick(kind: Any, values: dict[str, Any]) -> Any:
    """One of the option classes from the parameters of a command, by name."""
    chosen = {name: values[name] for name in kind.__dataclass_fields__ if name in values}
    for name, value in chosen.items():
        if name in {"drop", "missing_label"}:
            chosen[name] = tuple(value or ())
        elif name == "gamma":
            chosen[name] = _gamma(value)
        elif isinstance(value, StrEnum):
            chosen[name] = value.value
    return kind(**chosen)


def _gamma(text: str | None) -> str | float | None:
    if text in {None, "scale", "auto"}:
        return text
    try:
        gamma = float(str(text))
    except ValueError:
        gamma = math.nan
    if not 0 < gamma < math.inf:
        raise UsageError(f"--gamma {text}: must be scale, auto or a number greater than 0")
    return gamma
