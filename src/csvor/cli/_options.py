"""Which options do commands share, and what do they say of data and model?"""

from dataclasses import dataclass, fields
from functools import partial
from typing import Annotated, Any

from csvor._faults.errors import refuse
from csvor._tables.roles import Roles
from csvor.cli._parameters import (
    DATA,
    MODEL,
    OUTPUT,
    argument,
    as_positive,
    choice,
    number,
    option,
    positive,
    whole,
)
from csvor.cli._paths import check_input, check_parquet

WITH_GAMMA = {"rbf", "poly", "sigmoid"}
Text = str | None
Texts = tuple[str, ...]
Number = float | None


def _read_gamma(text: str | None) -> str | float | None:
    if text in {None, "scale", "auto"}:
        return text
    gamma = as_positive(text)
    if gamma is None:
        refuse("gamma-form", gamma=text)
    return gamma


def _read_class_weight(entries: list[str] | None) -> str | dict[str, float] | None:
    if not entries or entries in (["balanced"], ["none"]):
        return "balanced" if entries == ["balanced"] else None
    weights: dict[str, float] = {}
    for entry in entries:
        label, _, weight = (part.strip() for part in entry.rpartition(":"))
        value = as_positive(weight)
        if not label or value is None:
            refuse("class-weight-form", entry=entry)
        # As in --classes, where a label that holds a comma needs them.
        if len(label) > 2 and label[0] == label[-1] == '"':
            label = label[1:-1].replace('""', '"')
        if weights.setdefault(label, value) != value:
            refuse("class-weight-twice", entry=entry, label=label)
    return weights


_of_data = partial(option, panel=DATA)
_column = partial(_of_data, metavar="COL")


def _repeated(help: str, metavar: str = "COL") -> Any:
    return _of_data(f"{help}; can be repeated.", metavar)


Data = Annotated[
    str,
    argument(
        "DATA",
        "A .csv, .tsv, .parquet, .xlsx, .feather, .jsonl, .sav or .dta file; - is CSV on stdin.",
    ),
]
Id = Annotated[Text, _column("Column that names the rows; not a feature.")]
_DELIMITER = "Sign between columns of a text file (or tab, space); by default it is recognised."
Delimiter = Annotated[Text, _of_data(_DELIMITER, "SIGN")]
_SHEET = "Sheet of a workbook (.xlsx, .xls, .ods); by default the first."
Sheet = Annotated[Text, _of_data(_SHEET, "NAME")]
Decimal = Annotated[
    Text, choice(".|,", "Decimal sign, where the numbers leave it open.", panel=DATA)
]
_DASK = "DATA is a folder of .parquet files, read in pieces by a Dask cluster."
Dask = Annotated[Text, _of_data(_DASK, "local|ADDRESS")]
Seed = Annotated[int, whole(0, 1, "Seed of the random parts.", most=2**32 - 1)]
OpenPage = Annotated[bool, option("With --report: open the page in the browser.", panel=OUTPUT)]
SafeCells = Annotated[
    bool,
    option("Put a ' before texts that begin as formulas do (=, +, -, @).", panel=OUTPUT),
]
AsJson = Annotated[bool, option("Print one JSON document and nothing else.", panel=OUTPUT)]


@dataclass(frozen=True)
class DataOptions:
    """Which file, and which of its columns mean what."""

    data: Data
    target: Annotated[
        str, _column("Column of the labels; of raters with a column each, COL,COL,...")
    ]
    classes: Annotated[Text, _of_data("All labels in order, lowest first.", "A,B,C")] = None
    id: Id = None
    groups: Annotated[
        Text,
        _column("Column of what rows share (a patient, a batch): judged together; not a feature."),
    ] = None
    by: Annotated[
        Texts, _repeated("Column to compare shares of wrong labels by; not a feature (see --keep)")
    ] = ()
    rater: Annotated[
        Text, _column("Column of who gave the label: who is strict or careless; not a feature.")
    ] = None
    item: Annotated[
        Text, _column("Column of what several raters labelled, one label a row; not a feature.")
    ] = None
    reference: Annotated[
        Text, _of_data("Rater by whom the others are measured; by default the middle.", "NAME")
    ] = None
    gold: Annotated[
        Text, _column("Column of true labels of items, blank where unknown; not a feature.")
    ] = None
    drop: Annotated[Texts, _repeated("Column to leave out")] = ()
    keep: Annotated[
        Texts, _repeated("Feature, whatever it looks like (row numbers, a copy of the label)")
    ] = ()
    weight: Annotated[Text, _column("Column of weights, rescaled to mean 1; not a feature.")] = None
    counts: Annotated[
        Text, _column("Column of how many rows each row stands for; not a feature.")
    ] = None
    missing_label: Annotated[
        Texts, _repeated("Label that stands for none ('' is blank): leave its rows out", "CODE")
    ] = ()
    fold_labels: Annotated[
        bool, _of_data("Labels that differ in case and blanks alone are one.")
    ] = False
    missing: Annotated[
        Texts, _repeated("Cell that stands for no value, beside ?, NA, null and the like", "MARK")
    ] = ()
    categorical: Annotated[
        Texts, _repeated("Column of codes: categories, even if they are numbers")
    ] = ()
    dates: Annotated[
        bool, _of_data("Read dates as days and times as hours; they are refused otherwise.")
    ] = False
    delimiter: Delimiter = None
    sheet: Sheet = None
    decimal: Decimal = None
    dask: Dask = None
    reviewed: Annotated[
        Text,
        _of_data(
            "Decisions of the page: kept labels count as right, others are changed or left out.",
            "FILE",
        ),
    ] = None

    def __post_init__(self) -> None:
        for name, value in vars(self.roles).items():
            object.__setattr__(self, name, value)
        check_data(self.data, self.dask)
        if self.reviewed is not None:
            check_input(self.reviewed)

    @property
    def roles(self) -> Roles:
        """What is said of columns and cells, whatever holds them."""
        return Roles(**{field.name: getattr(self, field.name) for field in fields(Roles)})


def check_data(data: str, dask: str | None) -> None:
    """Refuse what is no file, or, with `--dask`, no Parquet."""
    if dask is None:
        check_input(data)
    else:
        check_parquet(data)


@dataclass(frozen=True)
class ModelOptions:
    """How the rows are encoded and fitted; what is None was left open."""

    C: Annotated[Number, positive(1, "Weight of the losses against the penalty; > 0.")] = None
    p: Annotated[
        Number,
        number(
            lambda x: 0 < x <= 2,
            "a number greater than 0 and at most 2, such as 1",
            "Power of the residuals; > 0, at most 2.",
        ),
    ] = None
    contamination: Annotated[
        Number,
        number(
            lambda x: 0 <= x <= 0.5,
            "a number from 0 to 0.5, such as 0.1",
            "Share of rows to cut away, 0 to 0.5; by default it is found.",
        ),
    ] = None
    kernel: Annotated[
        Text,
        choice("linear|rbf|poly|sigmoid|cosine", "Shape of the score; rbf for curved classes."),
    ] = None
    gamma: Annotated[
        str | float | None,
        option(
            "Of rbf, poly and sigmoid: scale, auto or a number > 0.",
            "G",
            panel=MODEL,
            kind=Text,
            convert=_read_gamma,
        ),
    ] = None
    components: Annotated[
        int | None, whole(1, 500, "Approximate the kernel by N rows drawn at random.")
    ] = None
    loss: Annotated[
        Text, choice("hinge|logistic|exponential", "Loss by the margin; --p 2 is the loss itself.")
    ] = None
    constraints: Annotated[
        Text,
        choice("explicit|implicit", "A row meets the two thresholds beside its label, or all."),
    ] = None
    class_weight: Annotated[
        str | dict[Any, float] | None,
        option(
            "Count all labels alike, or the rows of one so many times; can be repeated.",
            "balanced|LABEL:WEIGHT",
            panel=MODEL,
            kind=list[str] | None,
            convert=_read_class_weight,
        ),
    ] = None
    max_iter: Annotated[int | None, whole(1, 500, "Limit of iterations of a fit.")] = None
    tune: Annotated[bool, option("Choose C and p by cross-validation.", panel=MODEL)] = False
    folds: Annotated[int, whole(2, 5, "Parts of the cross-validation.")] = 5
    seed: Seed = 0
    impute: Annotated[bool, _of_data("Fill blank numbers with the median of their column.")] = False
    clip: Annotated[
        Number,
        positive(5, "Limit numbers to the median ± S median deviations.", panel=DATA, metavar="S"),
    ] = None

    def __post_init__(self) -> None:
        # Where the kernel is open, curves are among what is compared.
        kernel = "rbf" if self.kernel is None else self.kernel
        if self.gamma is not None and kernel not in WITH_GAMMA:
            refuse("gamma-of-none", gamma=self.gamma, kernel=kernel)
        if self.components is not None and kernel == "linear":
            refuse("components-of-linear", components=self.components)

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the estimator that were given."""
        names = ("C", "p", "contamination", "kernel", "gamma", "loss", "constraints")
        values = {name: getattr(self, name) for name in (*names, "class_weight", "max_iter")}
        values |= {"n_components": self.components, "random_state": self.seed}
        return {name: value for name, value in values.items() if value is not None}
