"""Which words has each fault, and each note, of the data? One line a message.

`{column:q}` is a name as a shell takes it, `{rows}` a list of rows, `[it|them]` singular or plural:
`csvor._faults.fault` fills them in. A number such as N39 beside a
message is the case that asks for it: its tests have the same number.
"""

from csvor._faults.use_messages import USE_MESSAGES

REMEDIES = {
    "add-columns": "add [it|them] or fit anew",
    "blank": "blank [it|them] and use --impute",
    "blank-in-fit": "fit with --impute and blank [it|them], for the model takes numbers",
    "fill": "fill them in",
    "impute": "let --impute do so",
    "complete": "leave their rows out with --complete",
    "drop-these": "leave [the column|the columns] out with {names:--drop}",
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
    "mark-id": "mark it with --id {column:q}",
    "leave-out": "leave it out with --drop {column:q}",
    "missing": "say that it is no value with --missing {example:q} --impute",
}

MESSAGES = {
    **USE_MESSAGES,
    # Columns of features
    "blank-numbers": "blank values in columns of numbers: {columns}",
    "blank-numbers-in-fit": "blank values in columns of numbers: {columns}; fill them in, or fit the model with --impute",
    "blank-words": "blank values in columns of words: {columns}; blank is treated as a category; fill these cells in if you know their values",
    "bytes": "holds bytes that are no text in UTF-8; leave the column out with --drop {column:q}",  # N63
    "bytes-as-text": "{source}: the [column|columns] {names} [holds|hold] bytes, which are read as text in UTF-8",  # N63
    "constant": "[column|columns] {names} [has|have] one value only and [is|are] left out",
    "blank-columns": "[column|columns] {names} [is|are] blank in all rows and [is|are] left out",  # N62
    "dates": "holds {what}{example_text}",
    "empty-column": "has no values; leave it out with --drop {column:q}",
    "far-value": ", row {row}: {value:g} is {times:.0f} interquartile ranges away from the median {median:g}; correct it, or limit such values with --clip 5",
    "far-values": "{n} columns have a value hundreds of interquartile ranges away from the median: {columns}; correct these, or limit such values with --clip 5",  # N67
    "huge": ", row {row}: {value:g} is too large to compute with; correct it, or leave the row out",
    "idle-mark": "--missing '{mark}': no cell has this mark",
    "infinite": ": {n} infinite [value|values] ({rows}); correct [it|them] or leave [this row|these rows] out",
    "lists": "holds lists or records; make one column of each entry, or leave the column out with --drop {column:q}",
    "lists-unlike-fit": "holds lists or records, but the model was fitted to none; write it as it was there",
    "marks-as-words": "marks for 'no value' in columns of words: {columns}; each is treated as a category; --missing '{mark}' counts it as blank",  # N83
    "many-texts": ": {n_texts} different texts in {n_rows} rows are too many for categories",
    "no-features": "no feature column is left to fit with",
    "not-a-date": ": {n} of {total} values [is not a date|are not dates] ({examples})",  # N39
    "not-a-number": ": {n} of {total} values [is not a number|are not numbers]{like} ({examples})",  # N39
    "own-texts": ": every row has a text of its own, as in an identifier",
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
    "shared-texts": ": {n_texts} texts, each on several rows that mostly share a label, are used as categories; if they name what the rows are of, such as a patient or a firm, judge these rows together with --groups {column:q}, or use it without this note with --keep {column:q}",  # N66
    "count-name": "is used as a feature; if it says how many rows each one stands for, --counts {column:q}; if it is a measurement, --keep {column:q} silences this note",  # N57
    "weight-name": "is used as a feature; if it says what a row counts, --weight {column:q}; if it is a measurement, --keep {column:q} silences this note",
    # Files
    "blank-rows": "{source}: {n} [row|rows] of blanks at the end [is|are] left out",  # N41
    "blanks-not-edited": "columns that blanks separate are not edited; save it as .csv",
    "comment-lines": "{source}: {n} [line|lines] with # above the names [is|are] passed over",  # N41
    "declared-missing": "values that the file declares missing are blank in the [column|columns] {columns}",
    "delimiter": "{source}: the columns are separated by {sign}",  # N41
    "delimiter-at-end": "{source}: the sign between columns also stands at the end of each row",  # N41
    "delimiter-line": "{source}: line {line}, {text!r}, names the sign between columns",  # N41
    "double-columns": "{source}: {names} names more than one column; rename one",
    "double-names": "{source}: the first line names {names} more than once; rename one of them",
    "empty-file": "{source}: the file is empty; its first line must name the columns",
    "empty-sheet": "{source}: the sheet '{sheet}' is empty; its first row must name columns",
    "first-sheet": "{source}: only the first of {n} sheets, '{sheet}', is read; --sheet NAME reads another ({others:5})",
    "formulas-without-values": "{source}: {n} [cell|cells] of the column '{name}' ({cell}) [has a formula that was|have formulas that were] never computed, as programs write them that are no spreadsheet; open the file in a spreadsheet and save it there, or take the column out",  # N62
    "merged-cells": ": cells that are merged over several lines have their value in each of these ({areas:3})",  # N62
    "merged-label": "the label in {cell} is that of merged cells ({area}); take them apart, and write the label into each",
    "no-such-sheet": "{source} has no sheet '{sheet}' (--sheet); its sheets are {names}",
    "sheet-of-no-workbook": "--sheet {sheet:q}: {source} is no workbook (.xlsx, .xls or .ods)",
    "sheet-reaches-far": "{source}: the sheet '{sheet}' has a value in line {line} and one in column {letters}, and {limit} million cells can be read, those between counted; delete the lines below the table and the columns beside it, or write the table into a file of its own",  # N74
    "workbook-unpacks": "{source}: unpacks to more than {limit} GiB; write the table into a file of its own, without formats, or as .csv",  # N74
    "late-quote": '{source}, line {line}: a quotation mark (") is opened and closed in the midst of a cell in line {last}, so that the lines between would be one cell; close it in its line, or take both marks away',
    "labels-alike": ": two codes have one label ({labels}), so its codes are read as numbers; --categorical {column:q} makes them categories",
    "list-with-blank": "{name} {text!r}: an entry is blank",
    "list-with-double": "{name} {text!r}: {entries} stands there more than once; an entry that holds a comma stands in quotation marks, as in '\"no, never\",yes'",
    "list-without-commas": "{name} {text!r}: give the entries with commas between them",
    "nameless-column": "column {position} of {source} has no name and is left out",
    "no-pyreadstat": "{source}: reading files of SPSS and Stata needs pyreadstat; pip install 'csvor[survey]', or save it as CSV in UTF-8",
    "no-delimiter": "--delimiter {text}: must be one sign, such as ';', or one of {names}",
    "no-rows": "{source}: there are no rows",
    "no-rows-below-names": "{source}: there are no rows below the first line",
    "nested-json": "{source}, line {line}: brackets within brackets over 100 deep, so this is no table",
    "no-table": "{source}: csvor reads .csv, .tsv and .parquet files (and - for CSV), and {others}; name a text of columns .csv, and one of a JSON object a line .jsonl",  # N64
    "no-utf-8": "{source}, line {line}: byte 0x{byte:02x} (byte {position} of the file) is not UTF-8 text; save the file as CSV in UTF-8",
    "nul-byte": "{source}, line {line}: holds a NUL byte, so this is not a CSV file",
    "open-quote": '{source}, line {line}: a quotation mark (") is opened and never closed; close it, or write it twice in quotes',
    "quoted-rows": '{source}, lines {lines}: one cell in quotation marks holds what looks like rows; if they are rows, a quotation mark (") is missing',
    "partly-labelled": ": {n} [value|values] without a value label ({codes:5}; labels are {labels}), so its codes are read as numbers; where a code stands for no answer, --missing CODE, and --missing-label CODE for labels",
    "ragged-rows": "{source}, {rows}: {width} [width:cell|cells] where {others} ({text!r}); put cells that hold the delimiter in quotes",
    "further-names": "{source}, {rows}: [it looks|they look] like [a further line|further lines] of names, for [it holds|they hold] words ('{example:v}') where the rows below have numbers; delete [it|them]",  # N61
    "further-names-and-nameless": "{source}, {rows}: [it looks|they look] like [a further line|further lines] of names, for [it holds|they hold] words ('{example:v}') where the rows below have numbers, and the columns {nameless} have no name in the first line; write a name for each of these there, and delete the [row|rows]",  # N61
    "repeated-names": "{source}, {rows}: [it repeats|they repeat] the names of the columns, as where files were joined; delete [it|them]",  # N61
    "short-rows": "{source}, {rows}: {width} [width:cell|cells] where {others} ({text!r}); cells are missing, as where a file is cut off: get it whole, or complete or delete the [row|rows]",  # N61
    "row-names": "{source}: there is one name fewer than cells in a row, as R writes it: the first cell is the name of the row, and is left out",  # N41
    "label-is-formula": "the label in {cell} is computed by a formula; put its value there first",
    "rows-not-dropped": "the sheet '{sheet}' has {why}, so [its line|its lines] {lines} cannot be taken out here: leave the [row|rows] out of the decisions, apply the others, and delete [the line|the lines] by hand; or save the sheet as .csv",
    "unclear-cell": "the cell {cell} is not as it was read; save the sheet as .csv",
    "unclear-workbook": "the sheet is not written as Excel and other programs write it; save it as .csv",
    "unclear-cells": "{row_}the cells cannot be told apart; put those that hold quotation marks or line breaks in quotes",
    "unreadable": "{source}: not a readable {what} ({why})",
    "unreadable-json": "{source}: not readable as JSON lines, one object with the same keys a line ({why})",
    "unseen-files": "{name} {path}: {n} [file|files] of {n_files} cannot be seen from here; name a folder that this machine and the workers share",
    "unpacked": "{source}: packed by {packer}, and read unpacked",
    "unpacks-too-large": "{source}: unpacks to more than {limit} GiB; unpack it, and take the part that is meant",
    "unzipped": "{source}: the file {member} in it is read",
    "words-for-classes": "{name} {text}: write your labels in place of these words, lowest first",
    "text-as-workbook": "{source}: this is text, and no workbook; give its name the end .csv",
    "unreadable-workbook": "{source}: not a readable workbook ({why}); get the whole file again, or open it in a spreadsheet program and save it as .xlsx",
    "workbook-as-text": "{source}: this is a workbook; give its name the end .xlsx",
    "zip-of-several": "{source}: an archive of {n} files ({names}); unpack it, and name one of them",
    "utf-16": "{source}: this is UTF-16 text; save it as CSV in UTF-8",
    # Labels
    "blank-labels": ": {n} of {total} labels [is|are] blank ({rows}); fill [it|them] in, or leave [this row|these rows] out with --missing-label ''",
    "class-of-numbers": "--classes: '{entry}', but the labels of column '{name}' are {what}",
    "class-of-truth-values": "--classes: '{entry}', but the labels are True and False",
    "few-classes": "--classes: name at least two classes, lowest first",
    "folded-labels": "labels in other spellings are read as one: {pairs}",  # N42
    "idle-label": "--missing-label '{code}': no row has this label",
    "label-of-no-answer": ": {labels} [is a class|are classes] in the order of the file; where [it says|they say] that nobody answered, leave [its|their] rows out with {leave_out}",
    "label-of-other-type": "the label '{label}' cannot stand in a column of type {arrow_type}; save the file with labels of another type, such as text, and give that one",
    "label-weighted-twice": "--class-weight {entry}:{weight:g}: this label has a weight already",
    "labels": ": {problem}; {remedies_}",
    "leading-numbers": ": the labels are read in the order of the numbers that they begin with ({labels}); --classes gives another",  # N60
    "lost-order": ": its values are said to be ordered, but {why}, so their order is lost; give it with --classes LOWEST,...,HIGHEST",  # N40
    "no-category": "the label '{label}' is none of the file's ordered categories {levels}; add it to them in its place",
    "no-label-left": ": no row is left that has a label",
    "no-such-label": "--class-weight {entry}:{weight:g}: no label is '{entry}'; {hint}",
    "dates-as-labels": "holds dates, which are no labels; if a spreadsheet made dates of labels such as 1-2, write these as text there",  # N62
    "names-below": "{source}: the first line names no column '{name}', but row {row} below it holds this name; delete the lines above that row, so that the names of the columns stand in the first line",  # N62
    "nothing-to-fold": "--fold-labels: no two labels differ in case and blanks alone",
    "one-label": ": all {n} rows have the label '{label}', so there is nothing to order",
    "own-labels": ": every row has a label of its own; csvor needs classes that rows share",
    "unknown-labels": ": {n} [label is|labels are] none of --classes: {labels}; {spelled}correct [it|them], add [n_labels:it|them] to --classes or leave [this row|these rows] out with {leave_out}{hints}",  # N42
    # Decisions about labels
    "audits-differ": "the files come from audits by different commands, so the merged file names none",
    "applied-before": "{source} is what csvor apply wrote: {n} [error|errors] found before [is|are] gone from it, and what is left looks cleaner than it is; go on with the file as it was: {again}",
    "all-applied": "{source}: these decisions have been applied already: {data} is what csvor apply wrote with them; audit what is left, in the file as it was, with {again}",
    "blank-target": "{source}: the column 'target' is blank; give --target",
    "no-target": "{source} does not say which column the labels are in; name it with --target",
    "other-target": "--target {asked}: {source} is about the column '{name}' (column 'target')",
    "two-inputs": "data and decisions cannot both come from standard input",
    # Rows that are reviewed in a labelling tool
    "argilla-folder": "--out {out}: for Argilla a folder is written, which rg.Dataset.from_disk reads; name one without an ending",
    "argilla-open": "{source}: {n} [record has answers and is|records have answers and are] not completed; [it stays|they stay] undecided, for drafts are not told apart: json.dump(dataset.records.to_list(flatten=True), file) says which answers were submitted",
    "argilla-status": "{source}: row {row} has answers of several reviewers, and nothing says which were submitted; write the records with json.dump(dataset.records.to_list(flatten=True), file)",
    "label-like-column": "Label Studio takes the label '{label}' for a column of the task; take another tool, or call it otherwise in the data",
    "no-suspects": "{source}: the [column|columns] {names} [is|are] missing; csvor audit --suspects FILE writes such a file",
    "no-task": "{source}, entry {position}: {names} of the row are missing, so csvor export has not made this task; is --from right?",
    "none-answered": "{source}: no row is decided ({n} [n:answer|answers] in the file)",
    "none-flagged": "{source}: no row is flagged; --top N takes the first N rows",
    "suggested-no-class": "SUSPECTS suggests {names}, and the labels are {classes}; give --classes, --fold-labels and --missing-label as in the audit",
    "suspect-beyond": "{source}: '{row}' in column 'row' is no row of {data}, which has {n}; give the file that was audited",
    "suspect-moved": "{source}: row {row} has {name} '{there}', but '{here}' in {data}; give the file that was audited, or audit this one again",
    "suspects-twice": "{source}: column 'row' has a row more than once",
    # Weights
    "no-weight": ": {n} of {total} values [is|are] no weight, a finite number from 0 on ({rows}: '{text}'); correct [it|them], or give the weight 0 to rows that are not to count",
    "no-count": ": {n} of {total} values [is|are] no count, a whole number from 0 on ({rows}: '{text}'); correct [it|them], or give --weight where they are shares",
    "no-use": "holds {what}, which are no {needed}",
    "zero-weights": ": all weights are 0, so no row counts",
    # Rows that hang together
    "no-gold": ": all values are blank; give the true label of some items, or leave --gold out",
    "unknown-gold": ": {n} [value is|values are] no label of the raters, such as '{label}' ({rows}); {hint}",
    "blank-groups": ": {n} of {total} values [is|are] blank ({rows}); fill [it|them] in, with the value above where it is left out because it repeats, and with a value of its own where a row belongs to no other",
    "blank-items": ": {n} of {total} values [is|are] blank ({rows}); fill [it|them] in, or leave [this row|these rows] out",
    "blank-rater": ": no cell holds a label, so this rater gave none; leave the column out with --drop {column:q}",
    "blank-raters": ": {n} of {total} values [is|are] blank ({rows}); fill [it|them] in, with one name such as unknown where nobody knows who it was",
    "conflicting-rows": "{n} rows have the same features as a row with another label ({n_sets} [n_sets:set|sets]; {rows}): at most one of the labels of each set can be right",
    "copied-rows": "{n} [row has|rows have] the features and the label of an earlier row ({rows}): a copy is judged by a model fitted to the other; enter each record once, or keep copies together with --groups COL",
    "feature-of-rating": " differs between the rows of item '{item}' ({rows}): features belong to the item, not to the rating; give it one value, or leave the column out with --drop {column:q}",
    "gold-of-rating": " differs between the rows of item '{item}' ({rows}): features belong to the item, not to the rating; give it one value, or leave the column out with --drop {column:q}; where it holds true labels, name it with --gold {column:q}",
    "few-groups": "--folds {folds}: --groups names {n} [group only; name a column with more groups|groups only; give --folds {n}]",
    "mostly-conflicting-ratings": "{n} of {total} rows{by} have the same features as a row with another label; where several raters labelled one item, name the column of the items with --item",
    "mostly-conflicting-rows": "{n} of {total} rows{by} have the same features as a row with another label: the features alone do not settle the label; add columns that tell such rows apart, if there are any",
    "many-raters": ": {n_raters} different names in {n_rows} rows are hardly two labels of each, as in a number of the row; name the column that says who labelled",
    "likely-labels": "the [column|columns] {names} [holds|hold] labels as --target does, and [is|are] used as [a feature|features]; where [it has|they have] the labels of other raters, name all of them: --target {targets}",
    "likely-labels-or-gold": "the [column|columns] {names} [holds|hold] labels as --target does, and [is|are] used as [a feature|features]; where [it has|they have] the labels of other raters, name all of them: --target {targets}; where [it has|one has] the true labels: --gold {gold:q}",
    "likely-gold": "holds labels as --target does, one an item, and is used as a feature; where these are true labels, measure raters by them with --gold {column:q}; use it without this note with --keep {column:q}",
    "likely-rater": "looks like who gave the label and is used as a feature, so that a model learns who is strict; tell raters apart with --rater {column:q}, or use it without this note with --keep {column:q}",
    "raters-alike": ": {names} differ in case and blanks alone, and each is taken for a rater; write the name of one rater in one way",
    "one-rater": ": all {n_rows} rows are of '{rater}', so there is nobody to compare; leave {options} out{gold}",
    "repeated-items": ": {n} rows have an item that another row has, too ({rows}); with a column for each rater an item has one row",
    "repeated-ids": ": {n_ids} [n_ids:value is|values are] on more than one row ({rows}), each judged by a model fitted to the others; where they belong together, say so with --groups {column:q}",
    # Regression
    "dependent-ids": ": {n} [value is|values are] on more than one row; errors take rows to be independent, and with --groups {column:q} they hold for rows that hang together",
    "incomplete-rows": "{n} [row|rows] with a blank in the [n_names:column|columns] {names} [is|are] left out",
    "no-complete-row": "every row has a blank in the [column|columns] {names}; leave [it|them] out with {names:--drop}, or fill blanks with --impute",
    "rows-of-groups": "intervals of the effects hold for rows of --groups that hang together; the test that no label is wrong and those of the thresholds take rows to be independent",
    "rows-of-few-groups": "--groups: {n} groups are few for errors that hold in groups: with fewer than 30 intervals are too narrow",
    "vague-share": "the share of wrong labels can hardly be told from these columns, and may be 0; not knowing it makes intervals {wider:.1f} times as wide as with --no-wrong, which takes all labels to be right",
    "filled-cells": "--impute filled {n} [cell|cells] by the median of the column: {columns}; intervals take these for values that were seen, and are too narrow",
    "filled-in-parts": "--impute fills blanks by the median of the column; intervals take these for values that were seen, and are too narrow",
    "rows-by-parameter": "{n} rows for {parameters} parameters are few: with fewer than {enough} for each, intervals, p-values and the share of wrong labels are only rough",
    "ridge": "a ridge pulls {pulled}, and their size depends on --penalty: intervals, and p-values in --json, are of pulled values and no findings",
    "weights-no-counts": "--weight: AIC, BIC, the test that no label is wrong and those of the thresholds take weights for counts of rows, and are only rough where they are none",
    "weights-in-parts": "errors take --weight for counts, for --dask leaves rows in pieces; those of a part of the rows without --dask hold for any weights",
    # Fits and audits
    "fitted": "{error:.3f} of the training rows get another label; {n} [was cut away as an outlier|were cut away as outliers]",
    "spoilt": "{n} of {total} labels [was|were] changed to another at random",
    "class-flagged": "[label|labels] {labels} [is|are] flagged for the most part: either they are wrong, or the label is too rare to learn; {remedy}",
    "by-groups": "is that of --groups as well: a group is judged by models of the others alone, so one that is unlike them looks wrong without being so",
    "class-never-predicted": "no held-out row was predicted as [label|labels] {labels}: errors in [this label|these labels] cannot be found; {remedy}",
    "lone-labels": "[one row only has the label|the labels] {names}[: it is judged by a model fitted without this label| have one row each: these are judged by models fitted without their label]",
    "sample": "looked at {n_drawn} of {n_rows} rows, among them each word and the ends of each column: how columns are read, faults, row numbers, copies of the label and rows that come again{medians} are told by these; means, deviations and the counts of a fit are of all rows",
    "unused-columns": "the model does not use the [column|columns] {names}",
    "unused-label": "the label column '{name}' of {source} is not looked at",
}
