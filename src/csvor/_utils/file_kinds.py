"""Which kind of file does the end of its name tell?"""

# The signs between columns.
TEXT = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
PARQUET = (".parquet", ".pq")
WORKBOOK = (".xlsx",)
EXCEL = (".ods", ".xls", *WORKBOOK)
FEATHER = (".arrow", ".feather")
JSON_LINES = (".jsonl", ".ndjson")
# SPSS and Stata.
SURVEY = (".dta", ".sav", ".zsav")
# Tables that are written, files of which labels alone are changed, and all that is read.
WRITTEN = (".csv", ".tsv", *PARQUET)
EDITED = (*WRITTEN, ".txt", *WORKBOOK)
READ = tuple(dict.fromkeys((*EDITED, *sorted((*FEATHER, *JSON_LINES, *EXCEL, *SURVEY)))))
