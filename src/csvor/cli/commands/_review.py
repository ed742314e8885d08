"""`csvor review`: the decisions of several reviewers compared, and merged."""

import shlex
from pathlib import Path
from typing import Any

from csvor._decisions.comparison import (
    AGREED,
    BY_ONE,
    DISPUTED,
    MAJORITY,
    PREFERRED,
    PairAgreement,
    ReviewComparison,
    ReviewedRow,
    compared,
    in_words,
)
from csvor._decisions.decision import CHECK, Decision
from csvor._faults.errors import refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.review import faults_of_decisions
from csvor._utils.words import all_of, are, plural
from csvor.cli._follow_up import read_command
from csvor.cli._paths import check_output
from csvor.cli._render import (
    Fact,
    console,
    keep_words_whole,
    plain_table,
    print_facts,
    print_table,
)
from csvor.cli._streams import print_json
from csvor.cli.commands._command_options import ReviewOptions
from csvor.cli.input._decisions import read_file
from csvor.report.audit._follow_up import apply_command

_DIFFER = (MAJORITY, PREFERRED, DISPUTED)
# Of a kappa that says little of reviewers who mostly agree.
_LOW_KAPPA, _MOST_SAME = 0.4, 0.8


def run_review(options: ReviewOptions, notes: Notes) -> None:
    """Compare files of decisions, print how far they agree, and write what stands."""
    preferred = _check(options)
    files = []
    with faults_of_decisions() as faults:
        for source in options.files:
            with faults.collected():
                files.append(read_file(source, notes))
        if not faults.errors:
            comparison = compared(files, majority=options.majority, preferred=preferred)
    if len({file.audit for file in files if file.audit}) > 1:
        notes.add(fault("audits-differ"))
    merged, disputed = comparison.merged(options.out or ""), comparison.of(DISPUTED)
    if options.out is not None:
        merged.to_csv(options.out)
    if options.disputes is not None:
        comparison.open(options.disputes).to_csv(options.disputes)
    if options.json:
        print_json("review", {**_document(comparison, options), "notes": notes.texts()})
        return
    screen = console()
    print_facts(screen, _facts(comparison, options))
    differ = comparison.of(*_DIFFER)
    if differ and options.top:
        screen.file.write("\n")
        _print_rows(comparison, differ[: options.top])
        if len(differ) > options.top:
            more = plural(len(differ) - options.top, "more row")
            screen.print(f"\n{more} on which reviewers differ: --top {len(differ)}")
    if options.out is not None and len(merged):
        _, _, data, *_ = read_command(comparison.audit) or ("", "", "")
        screen.print(f"\nNext: {apply_command(options.out, data)}", soft_wrap=True)
    elif not disputed and options.out is None:
        screen.print("\nNext: the same with --out FILE, which writes the decisions merged")
    if disputed:
        screen.print(f"\n{_open_disputes(len(disputed), options)}", soft_wrap=True)


def _open_disputes(n: int, options: ReviewOptions) -> str:
    """How many rows are not settled, and how to go on with them."""
    them = "it" if n == 1 else "them"
    out, text = options.out, f"{plural(n, 'row')} in dispute {are(n)}"
    text += " open" if out is None else f" left out of {out}"
    if options.disputes is None:
        ways = ["--majority"] * (not options.majority) + ["--prefer FILE"] * (not options.prefer)
        ways.append(f"--disputes FILE, which writes {them} to be decided")
        return f"{text}: settle {them} with {all_of(ways, ' or ')}"
    words = [out or "", options.disputes]
    if out is None:
        words = [*options.files, options.disputes, "--prefer", options.disputes]
        words += ["--majority"] * options.majority
    command = shlex.join(["csvor", "review", *words, "--out", "ALL.csv"])
    return f"{text}: decide {them} in {options.disputes}, then {command}"


def _check(options: ReviewOptions) -> int | None:
    """Refuse what cannot be compared or written; the position of the file that is preferred."""
    paths = [Path(source).resolve() for source in options.files]
    if len(paths) < 2:
        refuse("one-review", n=len(paths))
    twice = [s for s, path in zip(options.files, paths, strict=True) if paths.count(path) > 1]
    if twice:
        refuse("review-twice", name=twice[0])
    for name, out in (("--out", options.out), ("--disputes", options.disputes)):
        if out is not None:
            check_output(out, name, [".csv"])
    if options.prefer is None:
        return None
    preferred = Path(options.prefer).resolve()
    if preferred not in paths:
        refuse("prefers-none", name=options.prefer, names=list(options.files))
    return paths.index(preferred)


def _facts(comparison: ReviewComparison, options: ReviewOptions) -> list[Fact]:
    facts = [
        (name, file.summary())
        for name, file in zip(comparison.names, comparison.files, strict=True)
    ]
    n, n_by_one = len(comparison.rows), len(comparison.of(BY_ONE))
    n_differ = len(comparison.of(*_DIFFER))
    text = f"{plural(n, 'row')} decided, {n - n_by_one} by several reviewers"
    facts.append(("Rows", f"{text}, {n_by_one} by one"))
    facts += [("Agreement", _in_words(one)) for one in comparison.agreements()]
    if not comparison.agreements():
        facts.append(("Agreement", "no row was decided by two reviewers"))
    facts.append(("Differ", _differ(comparison, n_differ)))
    if options.out is not None:
        settled = plural(n - len(comparison.of(DISPUTED)), "decision")
        facts.append(("Written", f"{settled}: {options.out}"))
    if options.disputes is not None:
        text = f"{plural(len(comparison.of(DISPUTED)), 'row')} to decide: {options.disputes}"
        facts.append(("In dispute", text))
    return facts


def _differ(comparison: ReviewComparison, n_differ: int) -> str:
    """How many rows are in dispute, and how the others were settled."""
    if not n_differ:
        return "no row"
    ways = {MAJORITY: "settled by the majority", PREFERRED: "settled by --prefer"}
    ways[DISPUTED] = "in dispute"
    counts = [(len(comparison.of(how)), words) for how, words in ways.items()]
    return f"{plural(n_differ, 'row')}: " + ", ".join(f"{n} {words}" for n, words in counts if n)


def _in_words(one: PairAgreement) -> str:
    a, b = one.names
    text = f"{a} and {b}: the same decision on {one.n_same} of {plural(one.n_rows, 'row')}"
    text += f" ({100 * one.n_same / one.n_rows:.0f} %)"
    if one.n_relabelled:
        text += f", the same label in {one.n_same_label} of {one.n_relabelled} that both relabel"
    if one.kappa is not None:
        text += f"; Cohen's kappa of keep, relabel and drop {one.kappa:.2f}"
        if one.kappa < _LOW_KAPPA and one.n_same > _MOST_SAME * one.n_rows:
            text += ", low since nearly all decisions are of one kind"
    return text


def _print_rows(comparison: ReviewComparison, rows: list[ReviewedRow]) -> None:
    """The rows on which reviewers differ, what each decided, and what became of it."""
    ids = list(dict.fromkeys(name for row in rows for name in row.others if name != CHECK))
    has_comments = any(row.comments for row in rows)
    table = plain_table()
    table.add_column("row", justify="right", no_wrap=True)
    for name in (*ids, "given", *comparison.names, "merged", *["comments"] * has_comments):
        table.add_column(name, overflow="fold")
    for row in rows:
        said = [in_words(row.by[n]) if n in row.by else "" for n in comparison.names]
        merged = "in dispute" if row.outcome is None else f"{in_words(row.outcome)} ({row.how})"
        cells = [*(row.others.get(name, "") for name in ids), row.first.old_label, *said, merged]
        table.add_row(str(row.first.row), *cells, *[row.comments] * has_comments)
    screen = console()
    keep_words_whole(table, screen)
    print_table(screen, table)


def _document(comparison: ReviewComparison, options: ReviewOptions) -> dict[str, Any]:
    count = {how: len(comparison.of(how)) for how in (BY_ONE, AGREED, *_DIFFER)}
    files = zip(comparison.names, comparison.files, strict=True)
    return {
        "target": comparison.target,
        "files": [{"file": f.source, "reviewer": name, **f.counts} for name, f in files],
        "rows": {"decided": len(comparison.rows), **count},
        "agreement": [
            {
                "reviewers": list(one.names),
                "rows": one.n_rows,
                "same_decision": one.n_same,
                "kappa": one.kappa,
                "both_relabel": one.n_relabelled,
                "same_label": one.n_same_label,
            }
            for one in comparison.agreements()
        ],
        "differ": [_row_document(row) for row in comparison.of(*_DIFFER)],
        "out": options.out,
        "disputes": options.disputes,
    }


def _row_document(row: ReviewedRow) -> dict[str, Any]:
    return {
        "row": row.first.row,
        **row.others,
        "given": row.first.old_label,
        "decisions": [
            {"reviewer": name, **_outcome(one), "comment": one.comment or None}
            for name, one in row.by.items()
        ],
        "how": row.how,
        "merged": None if row.outcome is None else _outcome(row.outcome),
    }


def _outcome(one: Decision) -> dict[str, str | None]:
    decision, label = one.outcome
    return {"decision": decision, "label": label or None}
