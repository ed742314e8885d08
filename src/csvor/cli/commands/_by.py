"""What share of the labels is wrong for each value of the columns that `--by` names?"""

from typing import Any

import numpy as np

from csvor import LabelAudit
from csvor._utils.words import are, plural
from csvor.audit import SharesByValue
from csvor.audit._values import check_values
from csvor.cli._errors import UsageError
from csvor.cli._render import Fact
from csvor.cli.commands._rows import Rows
from csvor.cli.input._prepare import plain

# Values that a sentence names.
_MOST_NAMED = 5
Shares = dict[str, SharesByValue]


def check_by(rows: Rows) -> None:
    """Refuse columns of too many values before the work begins."""
    for name, column in zip(rows.prepared.data.by, rows.by_columns(), strict=True):
        try:
            check_values(column)
        except ValueError as error:
            raise UsageError(f"column '{name}' (--by): {error}") from None


def shares_of(rows: Rows, audit: LabelAudit) -> Shares:
    """The shares by the values of each column."""
    names = rows.prepared.data.by
    return {name: audit.by(column) for name, column in zip(names, rows.by_columns(), strict=True)}


def rows_named(audit: LabelAudit, decided: bool) -> str:
    """What the shares are shares of, before the number of rows with a value."""
    return "the weight of " * audit.weighted + "the undecided among " * decided


def share_facts(shares: Shares, of: str) -> list[Fact]:
    """A sentence for each column; `of` is what `rows_named` says."""
    known = {name: one for name, one in shares.items() if one.conclusive}
    return [("By", f"{name}: {_sentence(one, of)}") for name, one in known.items()]


def _sentence(shares: SharesByValue, of: str) -> str:
    """The values that differ, worst first, and how many do not."""
    n_differ = int(np.count_nonzero(shares.differs != ""))
    if not n_differ:
        return f"the shares of {plural(shares.share.size, 'value')} do not differ beyond chance"
    texts = [_text(shares, i, of) for i in shares.order[: min(n_differ, _MOST_NAMED)].tolist()]
    if n_differ > len(texts):
        texts.append(f"{n_differ - len(texts)} more differ")
    n_others = shares.share.size - n_differ
    if n_others:
        does = "does" if n_others == 1 else "do"
        texts.append(f"the {plural(n_others, 'other')} {does} not differ beyond chance")
    return "; ".join(texts)


def _text(shares: SharesByValue, i: int, of: str) -> str:
    value = "rows without a value" if shares.values[i] is None else shares.values[i]
    share, low, high = (100 * part[i] for part in (shares.share, shares.low, shares.high))
    p_value = shares.adjusted_p_value[i]
    p_text = "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}"
    named, n_rows = int(shares.named[i]), plural(int(shares.n_rows[i]), "row")
    return (
        f"{value} is {shares.differs[i]}, {share:.1f} % of {of}{n_rows} "
        f"({low:.1f} to {high:.1f} %; {named} {are(named)} named; {p_text})"
    )


def by_document(shares: Shares) -> dict[str, list[dict[str, Any]]]:
    """The shares as JSON has them, values in their order."""
    return {name: _entries(one) for name, one in shares.items()}


def _entries(shares: SharesByValue) -> list[dict[str, Any]]:
    table = shares.to_frame().reset_index().rename(columns={"n_rows": "rows"})
    entries = [
        {str(key): plain(value) for key, value in zip(table.columns, row, strict=True)}
        for row in table.itertuples(index=False)
    ]
    for entry, value in zip(entries, shares.values.tolist(), strict=True):
        entry |= {"value": value, "differs": entry["differs"] or None}
        if not shares.conclusive:
            entry["share"] = None
    return entries
