"""The options that commands share: their names, their help, and what they take."""

import math
from collections.abc import Callable
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
DecimalSign = StrEnum("DecimalSign", {"point": ".", "comma": ","})


def number(
    option: str,
    fits: Callable[[float], bool],
    wanted: str,
    help: str,
    *,
    panel: str | None = MODEL,
    metavar: str = "X",
    kind: type[int] | type[float] = float,
) -> Any:
    """Return an option that is a number; typer alone would not say which numbers it takes."""

    def parse(given: Any) -> float:
        try:
            value = kind(given)
        except ValueError:
            value = math.nan
        if not fits(value):
            raise UsageError(f"{option} {given}: must be {wanted}")
        return value

    return typer.Option(option, parser=parse, metavar=metavar, help=help, rich_help_panel=panel)


def whole(
    option: str,
    least: int,
    example: int,
    help: str,
    *,
    panel: str | None = MODEL,
    most: float = math.inf,
) -> Any:
    """Return an option that is a whole number."""
    to = f" to {most}" if most < math.inf else ""
    wanted = f"a whole number from {least}{to}, such as {example}"
    return number(
        option, lambda n: least <= n <= most, wanted, help, panel=panel, metavar="N", kind=int
    )


def one_of(option: str, names: type[StrEnum], help: str, *, panel: str | None = MODEL) -> Any:
    """Return an option that is one of some names."""

    def parse(given: Any) -> StrEnum:
        try:
            return names(given)
        except ValueError:
            raise UsageError(f"{option} {given}: must be one of {', '.join(names)}") from None

    metavar = "|".join(names)
    return typer.Option(option, parser=parse, metavar=metavar, help=help, rich_help_panel=panel)


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A .csv, .tsv, .parquet, .xlsx, .feather or .jsonl file; - is CSV on stdin.",
    ),
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
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COL",
        help="Feature, whatever it looks like (row numbers, a copy of the label); can be repeated.",
        rich_help_panel=DATA,
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="COL", help="Column that names the rows; no feature.", rich_help_panel=DATA
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="COL",
        help="Column of what rows share (a patient, a batch): judged together; no feature.",
        rich_help_panel=DATA,
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
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        metavar="COL",
        help="Column of what each row counts, in the mean 1; no feature.",
        rich_help_panel=DATA,
    ),
]
FoldLabels = Annotated[
    bool,
    typer.Option(
        "--fold-labels",
        help="Labels that differ in case and blanks alone are one.",
        rich_help_panel=DATA,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="MARK",
        help="Cell that stands for no value, beside ?, NA, null and the like; can be repeated.",
        rich_help_panel=DATA,
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        metavar="COL",
        help="Column of codes: categories, even if they are numbers; can be repeated.",
        rich_help_panel=DATA,
    ),
]
Dates = Annotated[
    bool,
    typer.Option(
        "--dates",
        help="Read dates as days and times as hours; they are refused otherwise.",
        rich_help_panel=DATA,
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="local|ADDRESS",
        help="DATA is a folder of .parquet files, read in pieces by a Dask cluster.",
        rich_help_panel=DATA,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="SIGN",
        help="Sign between columns of a text file (or tab, space); by default it is recognised.",
        rich_help_panel=DATA,
    ),
]
Decimal = Annotated[
    DecimalSign | None,
    one_of("--decimal", DecimalSign, "Decimal sign, where the numbers leave it open.", panel=DATA),
]
Reviewed = Annotated[
    str | None,
    typer.Option(
        "--reviewed",
        metavar="FILE",
        help="Decisions on rows: kept labels count as right, others are changed or left out.",
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
    number(
        "--clip",
        lambda x: 0 < x < math.inf,
        "a finite number greater than 0, such as 5",
        "Limit numbers to the median ± S median deviations.",
        panel=DATA,
        metavar="S",
    ),
]
Strength = Annotated[
    float | None,
    number(
        "--C",
        lambda x: 0 < x < math.inf,
        "a finite number greater than 0, such as 1",
        "Weight of the losses against the penalty; > 0.",
    ),
]
Power = Annotated[
    float | None,
    number(
        "--p",
        lambda x: 0 < x <= 2,
        "a number greater than 0 and at most 2, such as 1",
        "Power of the residuals; > 0, at most 2.",
    ),
]
Contamination = Annotated[
    float | None,
    number(
        "--contamination",
        lambda x: 0 <= x <= 0.5,
        "a number from 0 to 0.5, such as 0.1",
        "Share of rows to cut away, 0 to 0.5; by default it is found.",
    ),
]
Kernel = Annotated[
    KernelName | None,
    one_of("--kernel", KernelName, "Shape of the score; rbf for curved classes."),
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
    whole("--components", 1, 500, "Approximate the kernel by N rows drawn at random."),
]
Loss = Annotated[
    LossName | None, one_of("--loss", LossName, "Loss by the margin; --p 2 is the loss itself.")
]
Constraints = Annotated[
    ConstraintsName | None,
    one_of(
        "--constraints",
        ConstraintsName,
        "A row meets the two thresholds beside its label, or all.",
    ),
]
ClassWeight = Annotated[
    list[str] | None,
    typer.Option(
        "--class-weight",
        metavar="balanced|LABEL:WEIGHT",
        help="Count all labels alike, or the rows of one so many times; can be repeated.",
        rich_help_panel=MODEL,
    ),
]
MaxIter = Annotated[int | None, whole("--max-iter", 1, 500, "Limit of iterations of a fit.")]
Tune = Annotated[
    bool, typer.Option("--tune", help="Choose C and p by cross-validation.", rich_help_panel=MODEL)
]
Folds = Annotated[int, whole("--folds", 2, 5, "Parts of the cross-validation.")]
Seed = Annotated[int, whole("--seed", 0, 1, "Seed of the random parts.", most=2**32 - 1)]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON document and nothing else.", rich_help_panel=OUTPUT
    ),
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=OUTPUT)
]


def pick(kind: Any, values: dict[str, Any]) -> Any:
    """One of the option classes from the parameters of a command, by name."""
    chosen = {name: values[name] for name in kind.__dataclass_fields__ if name in values}
    for name, value in chosen.items():
        if kind.__dataclass_fields__[name].default == ():
            chosen[name] = tuple(value or ())
        elif name == "class_weight":
            chosen[name] = _class_weight(value or [])
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


def _class_weight(given: list[str]) -> str | dict[str, float] | None:
    if given in (["balanced"], ["none"], []):
        return "balanced" if given == ["balanced"] else None
    weights: dict[str, float] = {}
    for entry in given:
        label, _, weight = (part.strip() for part in entry.rpartition(":"))
        try:
            value = float(weight)
        except ValueError:
            value = math.nan
        if not (label and 0 < value < math.inf):
            raise UsageError(
                f"--class-weight {entry}: must be balanced or none, alone, or LABEL:WEIGHT with a "
                "number greater than 0, such as poor:2"
            )
        if weights.setdefault(label, value) != value:
            raise UsageError(f"--class-weight {entry}: '{label}' has a weight already")
    return weights
