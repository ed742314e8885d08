"""Which kind of file does the end of its name tell?"""

from pathlib import PurePath

# The signs between columns.
TEXT = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
PARQUET = (".parquet", ".pq")
WORKBOOK = (".xlsx",)
EXCEL = (".ods", ".xls", *WORKBOOK)
FEATHER = (".arrow", ".feather")
JSON_LINES = (".jsonl", ".ndjson")
# Text files packed by a program.
PACKED = (".bz2", ".gz", ".xz", ".zip", ".zst")
# SPSS and Stata.
SURVEY = (".dta", ".sav", ".zsav")
# Tables that are written, files of which labels alone are changed, and all that is read.
WRITTEN = (".csv", ".tsv", *PARQUET)
EDITED = (*WRITTEN, ".txt", *WORKBOOK)
READ = tuple(dict.fromkeys((*EDITED, *sorted((*FEATHER, *JSON_LINES, *EXCEL, *SURVEY)))))


def kind_of(name: str) -> str:
    """The end of a name, that of the file in it where it is packed; .csv where that has none."""
    path = PurePath(name.lower())
    if path.suffix not in PACKED:
        return path.suffix
    inner = PurePath(path.stem).suffix
    return inner if inner in TEXT else ".csv"
