"""Which options have audit, predict, apply, export, review and study run of their own?"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from csvor._utils.spelling import normal
from csvor.cli._options import (
    AsJson,
    Dask,
    Data,
    Decimal,
    Delimiter,
    Id,
    Number,
    OpenPage,
    SafeCells,
    Sheet,
    Text,
    Texts,
    check_data,
)
from csvor.cli._parameters import OUTPUT, argument, choice, option, share, whole, written_file
from csvor.cli._paths import check_input, check_input_or_folder

_file = partial(written_file, panel=OUTPUT)


@dataclass(frozen=True)
class AuditOutput:
    """How many rows an audit flags, and where its result goes."""

    fdr: Annotated[
        Number,
        share(
            "Flag rows while at most a share X of them is expected to have a correct label.",
            panel=OUTPUT,
        ),
    ] = None
    order: Annotated[
        str,
        choice(
            "auto|probability|severity",
            "Rank rows by probability, or by the distance of label and prediction.",
            panel=OUTPUT,
        ),
    ] = "auto"
    models: Annotated[
        Text,
        choice(
            "all|own",
            "own: csvor's models; all: trees too. By default all, but own for a single model.",
            panel=OUTPUT,
        ),
    ] = None
    top: Annotated[
        int, whole(0, 20, "Rows to show, but for those of probability 0.000.", panel=OUTPUT)
    ] = 20
    suspects: Annotated[
        Text, _file("Write all rows (.csv, .tsv, .parquet; - is stdout); with --dask a new folder.")
    ] = None
    report: Annotated[Text, _file("Write a page on which the rows are reviewed (.html).")] = None
    safe_cells: SafeCells = False
    no_rows: Annotated[
        bool, option("With --report: a summary without any row, to pass on.", panel=OUTPUT)
    ] = False
    open: OpenPage = False
    json: AsJson = False


@dataclass(frozen=True)
class PredictOptions:
    """Which rows, how they are read, and what is written of each."""

    data: Data
    model: Annotated[str, option("Model file that csvor fit wrote.", "FILE")]
    out: Annotated[
        str,
        written_file(
            "Where to write (.csv, .tsv, .parquet; - is stdout); with --dask a new folder."
        ),
    ] = "-"
    id: Id = None
    proba: Annotated[
        bool, option("Write the probability of each label as well, a column each.", panel=OUTPUT)
    ] = False
    score: Annotated[
        bool, option("Write the score as well, which the thresholds cut into labels.", panel=OUTPUT)
    ] = False
    safe_cells: SafeCells = False
    delimiter: Delimiter = None
    sheet: Sheet = None
    decimal: Decimal = None
    dask: Dask = None
    json: AsJson = False

    def __post_init__(self) -> None:
        check_data(self.data, self.dask)
        check_input(self.model)


@dataclass(frozen=True)
class ApplyOptions:
    """Which decisions are applied to which data, and where the result goes."""

    decisions: Annotated[
        str,
        argument(
            "DECISIONS",
            "The file that the page of --report saved, or a CSV with the columns row, given, "
            "decision (keep, relabel or drop) and label.",
        ),
    ]
    data: Annotated[
        str,
        argument("DATA", "The .csv, .tsv, .parquet, .xlsx file audited, or folder of .parquet."),
    ]
    out: Annotated[
        str,
        written_file("Where to write, in the kind of DATA (a new folder for one); - is stdout."),
    ] = "-"
    target: Annotated[Text, option("Column of the labels, if DECISIONS does not say.", "COL")] = (
        None
    )
    classes: Annotated[Text, option("Labels, where some have no row in DATA.", "A,B,C")] = None
    delimiter: Delimiter = None
    sheet: Sheet = None
    json: AsJson = False

    def __post_init__(self) -> None:
        check_input(self.decisions)
        check_input_or_folder(self.data)


TOOLS = "label-studio|argilla"


@dataclass(frozen=True)
class ExportOptions:
    """Which rows go to a labelling tool, and what is shown of them there."""

    suspects: Annotated[
        str, argument("SUSPECTS", "The file that csvor audit --suspects wrote; its order stays.")
    ]
    data: Annotated[str, argument("DATA", "The file that was audited.")]
    to: Annotated[str, choice(TOOLS, "The tool that the rows are for.", panel=None)]
    out: Annotated[
        str, option("Tasks to write: a .json file, or for argilla a new folder.", "FILE|DIR")
    ]
    target: Annotated[str, option("Column of the labels.", "COL")]
    classes: Annotated[Text, option("All labels in order, lowest first.", "A,B,C")] = None
    top: Annotated[
        int | None,
        whole(1, 500, "The first N rows; by default those that are flagged.", panel=None),
    ] = None
    drop: Annotated[Texts, option("Column not to show; can be repeated.", "COL")] = ()
    missing_label: Annotated[
        Texts, option("Label that stands for none, as in the audit; can be repeated.", "CODE")
    ] = ()
    fold_labels: Annotated[
        bool, option("Labels that differ in case and blanks alone are one, as in the audit.")
    ] = False
    delimiter: Delimiter = None
    sheet: Sheet = None
    json: AsJson = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", normal(self.target))
        for file in (self.suspects, self.data):
            check_input(file)


@dataclass(frozen=True)
class ReviewOptions:
    """Which files of decisions are compared, what settles disputes, and where the result goes."""

    files: Annotated[
        Texts, argument("FILES", "Files of decisions on the same data, one of each reviewer.")
    ]
    out: Annotated[Text, _file("Write the merged decisions (.csv), without rows in dispute.")] = (
        None
    )
    disputes: Annotated[Text, _file("Write the rows in dispute (.csv), to be decided there.")] = (
        None
    )
    majority: Annotated[
        bool,
        option("Settle a row by what more than half of those say who decided it.", panel=OUTPUT),
    ] = False
    prefer: Annotated[
        Text, option("Settle rows (left) in dispute by this one of FILES.", "FILE", OUTPUT)
    ] = None
    top: Annotated[int, whole(0, 20, "Rows to show of those that differ.", panel=OUTPUT)] = 20
    json: AsJson = False

    def __post_init__(self) -> None:
        for source in self.files:
            check_input(source)


@dataclass(frozen=True)
class StudyOptions:
    """Which study runs, on which data and workers, and where its records lie."""

    out: Annotated[str, option("Folder of the records; goes on in it.", "DIR")]
    preset: Annotated[
        Text,
        choice(
            "quick|paper",
            "quick takes three minutes, paper is everything; without it or --spec, what DIR "
            "holds, else quick.",
            panel=None,
        ),
    ] = None
    spec: Annotated[Text, option("A study of your own, in TOML.", "FILE")] = None
    data: Annotated[Text, option("Folder of the data sets.", "DIR")] = None
    jobs: Annotated[int | None, whole(1, 2, "Processes; all cores unless given.", panel=None)] = (
        None
    )
    dask: Annotated[
        Text,
        option(
            "Run the cells on the Dask cluster at ADDRESS, or on one of this machine.",
            "local|ADDRESS",
        ),
    ] = None
    measure: Annotated[
        Texts,
        option(
            "Measure this too: a name in csvor.metrics, or package.module:function. May be "
            "given several times.",
            "NAME",
        ),
    ] = ()
    retry_failed: Annotated[bool, option("Run cells that failed once more.")] = False
    replace: Annotated[
        bool, option("Run it even if DIR holds another study; records are kept.")
    ] = False
