"""Which words has each fault, and each note, of the data? One line a message.

`{column:q}` is a name as a shell takes it, `{rows}` a list of rows, `[it|them]` singular or plural:
`csvor.cli._fault` fills them in. A case of the list of cases that asks for a message is beside it.
"""

REMEDIES = {
    "add-columns": "add [it|them] or fit anew",
    "blank": "blank [it|them] and use --impute",
    "blank-in-fit": "fit with --impute and blank [it|them], for the model takes numbers",
    "categorical": "read the column as categories with --categorical {column:q}",
    "correct": "correct [it|them]",
    "dates": "read them as numbers with --dates",
    "drop": "leave the column out with --drop {column:q}",
    "group-texts": "group them (free text is not read)",
    "groups": "judge rows that share one together with --groups {column:q}",
    "id": "name the rows by it with --id {column:q}",
    "iso-dates": "write them as year-month-day",
    "keep": "use it all the same with --keep {column:q}",
    "keep-silent": "use it without this note with --keep {column:q}",
    "rename": "rename {renames} if that is meant",
    "missing": "say with --missing {example:q} that it is no value",
}

MESSAGES = {
    # Columns of features
    "blank-numbers": "blank values in columns of numbers: {columns}; fill them in, let --impute do so, or --drop {first:q}",
    "blank-numbers-in-fit": "blank values in columns of numbers: {columns}; fill them in, or fit the model with --impute",
    "blank-words": "blank values in columns of words: {columns}; they count as a category of their own, so fill them in if they are not one",
    "constant": "[column|columns] {names} [has|have] one value only and [is|are] left out",
    "dates": "holds {what}{example_text}",
    "empty-column": "has no values; leave it out with --drop {column:q}",
    "far-value": ", row {row}: {value:g} is {times:.0f} interquartile ranges away from the median {median:g}; correct it, or limit such values with --clip 5",
    "huge": ", row {row}: {value:g} is too large to compute with",
    "idle-mark": "--missing '{mark}': no cell has this mark",
    "infinite": ": {n} infinite [value|values] ({rows}); correct [it|them] or leave [this row|these rows] out",
    "lists": "holds lists; make one column of each entry, or leave the column out with --drop {column:q}",
    "lists-unlike-fit": "holds lists, but the model was fitted to none; write it as it was there",
    "many-texts": ": {n_texts} different texts in {n_rows} rows are too many for categories",
    "no-features": "no feature column is left to fit with",
    "not-a-date": ": {n} of {total} values [is not a date|are not dates] ({examples})",  # N39
    "not-a-number": ": {n} of {total} values [is not a number|are not numbers]{like} ({examples})",  # N39
    "own-texts": ": every row has a text of its own, as in an identifier; mark it with --id {column:q} or leave it out with --drop {column:q}",
    "unclear-dates": ": dates may be day/month or month/day (row {row}: '{example}')",  # N39
    "unclear-sign": ": {signs} may mark thousands or decimals (row {row}: '{example}' is {one} or {other}); say with --decimal . or --decimal , which sign the decimals have",  # N39
    # Columns for a model that was fitted
    "lacking-columns": "{source} lacks the [column|columns] {names} that the model was fitted with; it has {others}",
    "new-words": ": {n} [row|rows] with values that the model has not seen ({words}); they count as none of the known",
    "numbers-in-fit": ": the model takes this column as numbers",
    "spellings": ": other spellings are read as those of the fit ({pairs})",
    "unit-unlike-fit": ": the numbers are written {now}, but those that the model was fitted to {then}; write them as they were there",
    "unknown-words": ": the model knows none of its values, in any row ({words:5}); it was fitted with {known:5}: write them so, or fit anew",
    "unlike-fit": "holds {now}, but the model was fitted to {then}; write it as it was there",
    # Columns that tell what a model should not learn from
    "id-numbers": "looks like an id (whole numbers, each once) and is used as a feature",
    "id-texts": "looks like an id (each row has a text of its own, such as '{text}') and is left out",
    "label-copy": "determines the label exactly; drop it with --drop {column:q} if it is a copy of it: the labels are then judged by the other columns",
    "label-near-copy": "alone gives the label of {share:.1f} % of the rows ({beyond:.1f} % beyond chance), as a copy of it would: then rows are suspect where the two differ, and hardly elsewhere; with --drop {column:q} the other columns judge the labels",
    "row-numbers": "looks like row numbers ({how}) and is left out, for these say where a row stands and not what it is like",
    "shared-id": "looks like an id of what several rows share ({n_different} {what}) and is used as {use}; judge these rows together with --groups {column:q}, or use it without this note with --keep {column:q}",
    "weight-name": "is used as a feature; if it says what a row counts, --weight {column:q}; if it is a measurement, --keep {column:q} ends this note",
    # Files
    "blank-rows": "{source}: {n} [row|rows] of blanks at the end [is|are] left out",  # N41
    "blanks-not-edited": "columns that blanks separate are not edited; save it as .csv",
    "comment-lines": "{source}: {n} [line|lines] with # above the names [is|are] passed over",  # N41
    "delimiter": "{source}: the columns are separated by {sign}",  # N41
    "delimiter-at-end": "{source}: the sign between columns also stands at the end of each row",  # N41
    "delimiter-line": "{source}: line {line}, {text!r}, names the sign between columns",  # N41
    "double-columns": "{source}: {names} names more than one column; rename one",
    "double-names": "{source}: the first line names {names} more than once; rename one of them",
    "empty-file": "{source}: the file is empty; its first line must name the columns",
    "empty-sheet": "{source}: the sheet '{sheet}' is empty; its first row must name columns",
    "first-sheet": "{source}: only the first of {n} sheets, '{sheet}', is read",
    "late-quote": '{source}, line {line}: a quotation mark (") is opened and closed in the midst of a cell in line {last}, so that the lines between would be one cell; close it in its line, or take both marks away',
    "list-with-blank": "{name} {text!r}: an entry is blank",
    "list-with-double": "{name} {text!r}: {entries} stands there more than once",
    "list-without-commas": "{name} {text!r}: give the entries with commas between them",
    "nameless-column": "column {position} of {source} has no name and is left out",
    "no-calamine": "{source}: reading workbooks needs python-calamine; pip install 'csvor[excel]', or save the sheet as CSV in UTF-8",
    "no-delimiter": "--delimiter {text}: must be one sign, such as ';', or one of {names}",
    "no-rows": "{source}: there are no rows",
    "no-rows-below-names": "{source}: there are no rows below the first line",
    "no-table": "{source}: csvor reads .csv, .tsv and .parquet files (and - for CSV), and {others}",
    "no-utf-8": "{source}, line {line}: byte 0x{byte:02x} (byte {position} of the file) is not UTF-8 text; save the file as CSV in UTF-8",
    "nul-byte": "{source}, line {line}: holds a NUL byte, so this is not a CSV file",
    "open-quote": '{source}, line {line}: a quotation mark (") is opened and never closed; close it, or write it twice in quotes',
    "quoted-rows": '{source}, lines {lines}: one cell in quotation marks holds what looks like rows; if they are rows, a quotation mark (") is missing',
    "ragged-rows": "{source}, {rows}: {width} [width:cell|cells] where the first line names {expected} [expected:column|columns] ({text!r}); put cells that hold the delimiter in quotes",
    "ragged-unnamed-rows": "{source}, {rows}: {width} [width:cell|cells] where other rows have {expected} [expected:cell|cells] ({text!r}); put cells that hold the delimiter in quotes",  # N41
    "row-names": "{source}: there is one name fewer than cells in a row, as R writes it: the first cell is the name of the row, and is left out",  # N41
    "unclear-cells": "the cells cannot be told apart; put those that hold quotation marks or line breaks in quotes",
    "unclear-cells-of-row": "row {row}: the cells cannot be told apart; put those that hold quotation marks or line breaks in quotes",
    "unreadable": "{source}: not a readable {what} ({why})",
    "unreadable-json": "{source}: not readable as JSON lines, one object with the same keys a line ({why})",
    "unseen-files": "{name} {path}: {n} [file|files] of {n_files} cannot be seen from here; name a folder that this machine and the workers share",
    "utf-16": "{source}: this is UTF-16 text; save it as CSV in UTF-8",
    # Labels
    "blank-labels": ": {n} of {total} labels [is|are] blank ({rows}); fill [it|them] in, or leave [this row|these rows] out with --missing-label ''",
    "class-of-numbers": "--classes: '{entry}', but the labels of column '{name}' are {what}",
    "class-of-truth-values": "--classes: '{entry}', but the labels are True and False",
    "few-classes": "--classes: name at least two classes, lowest first",
    "folded-labels": "labels in other spellings are read as one: {pairs}",  # N42
    "idle-label": "--missing-label '{code}': no row has this label",
    "label-of-other-type": "the label '{label}' cannot stand in a column of type {arrow_type}; save the file with labels of another type, such as text, and give that one",
    "label-weighted-twice": "--class-weight {entry}:{weight:g}: this label has a weight already",
    "labels": ": {problem}; {remedies_}",
    "lost-order": ": its values are said to be ordered, but {why}, so their order is lost; give it with --classes LOWEST,...,HIGHEST",  # N40
    "no-category": "the label '{label}' is none of the file's ordered categories {levels}; add it to them in its place",
    "no-label-left": ": no row is left that has a label",
    "no-such-label": "--class-weight {entry}:{weight:g}: no label is '{entry}'; {hint}",
    "no-labels": "holds {what}, which are no labels",
    "nothing-to-fold": "--fold-labels: no two labels differ in case and blanks alone",
    "one-label": ": all {n} rows have the label '{label}', so there is nothing to order",
    "own-labels": ": every row has a label of its own; csvor needs classes that rows share",
    "unknown-labels": ": {n} [label is|labels are] none of --classes: {labels}; correct [it|them], add [n_labels:it|them] to --classes or leave [this row|these rows] out with {leave_out}{hints}",  # N42
    # Decisions about labels
    "applied-already": "{source}: row {row} is given as '{given}', but is '{now}' in column '{name}' of {data}; it seems to be applied already: decisions hold for the file that was audited",
    "blank-target": "{source}: the column 'target' is blank; give --target",
    "decided-beyond": "{source}: row {row} is decided, and {data} has {n} [row|rows]; decisions hold for the file that was audited",
    "decided-twice": "{source}: row {row} is decided more than once; leave one decision",
    "given-differs": "{source}: row {row} is given as '{given}', but is '{now}' in column '{name}' of {data}; this is another file, or changed since: decisions hold for the file that was audited",
    "kept-with-label": "{source}, row {line}: row {row} keeps '{given}', and its column 'label' says '{label}'; write relabel, or blank the label",
    "no-decision": "{source}, row {line}: the decision '{decision}' is none of keep, relabel and drop{hint}",
    "no-decisions": "{source}: no row has a decision (keep, relabel or drop)",
    "no-decisions-file": "{source}: the [column|columns] {names} [is|are] missing; a file of decisions has the columns {columns}",
    "no-new-label": "{source}, row {line}: row {row} is to be relabelled, and its new label is blank; fill in the column 'label'",
    "no-row-number": "{source}, row {line}: '{row}' in column 'row' is no row number; these count from 1 below the header of the data",
    "no-target": "{source} does not say which column the labels are in; name it with --target",
    "other-target": "--target {asked}: {source} is about the column '{name}' (column 'target')",
    "row-moved": "{source}: row {row} has {name} '{there}', but '{here}' in {data}; this is another file, or its rows were moved: decisions hold for the file that was audited",
    "two-inputs": "data and decisions cannot both come from standard input",
    "two-targets": "{source}: the column 'target' names {names}; decisions are about one",
    "unknown-new-label": "{source}: row {row} is to become '{label}', which no row of column '{name}' is; {hint} --classes names classes without rows",
    # Weights
    "no-weight": ": {n} of {total} values [is|are] no weight, a finite number from 0 on ({rows}: '{text}'); correct [it|them], or give the weight 0 to rows that are not to count",
    "no-weights": "holds {what}, which are no weights",
    "zero-weights": ": all weights are 0, so no row counts",
    # Rows that hang together
    "blank-groups": ": {n} of {total} values [is|are] blank ({rows}); fill [it|them] in, with a value of its own where a row belongs to no other",
    "conflicting-rows": "{n} rows have the same features as a row with another label ({n_sets} [n_sets:set|sets]; {rows}): at most one of the labels of each set can be right",
    "copied-rows": "{n} [row has|rows have] the features and the label of an earlier row ({rows}): a copy is judged by a model that has seen the other; enter each record once, or keep copies together with --groups COL",
    "few-groups": "--folds {folds}: --groups names {n} [group|groups] only",
    "mostly-conflicting-rows": "{n} of {total} rows have the same features as a row with another label: the features alone do not settle the label; add columns that tell such rows apart, if there are any",
    "no-groups": "holds lists, which are no groups",
    "repeated-ids": ": {n_ids} [n_ids:value is|values are] on more than one row ({rows}), each judged by a model that has seen the others; where they belong together, say so with --groups {column:q}",
}
