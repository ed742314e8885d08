"""What does an audit find, in sentences that a reader can repeat, and how was it made?"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor import __version__
from csvor._decisions.decision import OUTCOMES
from csvor._parts.engine import sums, take
from csvor._utils.words import are, plural
from csvor.audit import WrongLabels
from csvor.audit._expected_errors import ExpectedErrors, after_review, rows_after_review
from csvor.report.audit._distributions import Confusion

# Confusions that are equally frequent are listed if they are no more.
_MOST_ALIKE = 3
# So much of all wrong labels is worth a search, in so many rows.
_MOSTLY, _MOST_CHECKED = 0.8, 1000


def answer_of(
    audit: WrongLabels,
    target: str,
    confusion: Confusion,
    decided: Sequence[Mapping[str, Any]] = (),
    with_rows: bool = True,
) -> tuple[str, ...]:
    """What was reviewed, how many labels are wrong, which are confused, and what to do next."""
    if not audit.conclusive:
        correlation = f"{audit.rank_correlation:.2f}".replace("-", "−")
        sentences = [
            f"Nothing can be said of the {_labels(audit)} in '{target}': the other columns do not "
            f"predict them better than chance (rank correlation {correlation}).",
            "This does not mean that the labels are right.",
            f"More rows, or columns that have to do with '{target}', would help.",
        ]
    else:
        expected = after_review(audit, len(decided))
        is_rest = bool(decided) and audit.n_judged < audit.probability.size
        sentences = [
            _share(audit, f"'{target}' not reviewed yet" if is_rest else f"'{target}'"),
            _confused(audit, confusion),
            *_next(audit, expected, with_rows),
        ]
    return tuple(filter(None, [_reviewed(decided), *sentences]))


def _reviewed(decided: Sequence[Mapping[str, Any]]) -> str:
    """What was done in an earlier review."""
    if not decided:
        return ""
    kinds = Counter(str(one["decision"]) for one in decided)
    done = ", ".join(f"{kinds[kind]} {word}" for kind, word in OUTCOMES.items() if kinds[kind])
    return f"Reviewed so far: {plural(len(decided), 'row')} ({done})."


def _n(audit: WrongLabels) -> int:
    return int(audit._n_counted or audit.n_judged)


def _labels(audit: WrongLabels) -> str:
    return plural(_n(audit), "label")


def _share(audit: WrongLabels, where: str) -> str:
    """The share in per cent with its interval, and what it is in labels where all weigh alike."""
    n, of_weight = _n(audit), audit.weighted and not audit._n_counted
    all_of_them = f"{'the weight of ' if of_weight else ''}the {_labels(audit)} in {where}"
    if not audit.named and (audit.share < 0.005 if of_weight else n * audit.share < 0.5):
        most = f"{_percent(audit.high)} %"
        most += "" if of_weight else f" ({n * audit.high:.0f})"
        return f"Of {all_of_them} none looks wrong; at most {most} may be (95 % interval)."
    low, high = _percent(audit.low), _percent(audit.high)
    text = f"About {_percent(audit.share)} % of {all_of_them} "
    text += f"{'is' if of_weight else 'are'} probably wrong (95 % interval: {low} to {high} %)"
    if of_weight:
        return f"{text}."
    wrong, fewest, most = (f"{n * part:.0f}" for part in (audit.share, audit.low, audit.high))
    return f"{text}, which is about {wrong} ({fewest} to {most}) of them."


def _confused(audit: WrongLabels, confusion: Confusion) -> str:
    """The two kinds of errors that are most frequent among the flagged rows."""
    counts = [
        (count, label, other)
        for label, row in zip(confusion.given, confusion.counts, strict=True)
        for other, count in zip(confusion.suggested, row, strict=True)
        if count and label != other
    ]
    if not counts:
        return ""
    counts.sort(key=lambda one: -one[0])
    tiers = [list(tier) for _, tier in groupby(counts, key=lambda one: one[0])]
    top, second = tiers[0], tiers[1] if len(tiers) > 1 else []
    count, label, other = top[0]
    if audit.named == 1:
        return f"The one flagged row has '{label}' where '{other}' is likelier."
    flagged = plural(audit.named, "flagged row")
    if len(top) > _MOST_ALIKE:
        return f"No confusion stands out among the {flagged}."
    also = "".join(f" and '{label}' where '{other}' is" for _, label, other in top[1:])
    each = " each" * (len(top) > 1)
    text = f"Most often '{label}' stands where '{other}' is likelier{also}"
    text += f" ({count}{each} of {flagged})"
    if len(top) == 1 and 0 < len(second) <= _MOST_ALIKE:
        others = " and ".join(f"'{label}' where '{other}' is" for _, label, other in second)
        rows = plural(second[0][0], "row") + " each" * (len(second) > 1)
        text += f", then {others} likelier (about {rows})"
    return f"{text}."


def _next(audit: WrongLabels, expected: ExpectedErrors | None, with_rows: bool) -> tuple[str, ...]:
    """What to do, and where the other wrong labels are; a summary has no rows to look at."""
    look = "Next, look at {}" if with_rows else "Next, have {} reviewed"
    if _nothing_left(audit):
        return (f"No row is flagged: nothing {'more ' * bool(expected)}needs to be reviewed.",)
    if expected is not None:
        wrong, left = round(expected.expected), round(expected.left)
        more = look.format(plural(expected.n, "more row"))
        return (
            f"{more}, by {_ranked_by(audit)}: about {wrong} ({expected.low} to {expected.high}) "
            f"{are(wrong)} wrong. About {left} more ({expected.left_low} to {expected.left_high}) "
            f"{are(left)} among the rows behind these.",
            "To stop here, save the decisions and apply them." * with_rows,
        )
    if not audit.named:
        no_row = "No row is flagged: none is more probably wrong than right. If rows are reviewed, "
        return (f"{no_row}begin with the highest chance of error.", _others(audit))
    if audit.named == 1:
        chance = min(round(100 * audit.expected_right), 99)
        more = "over " if audit.expected_right >= 0.995 else ""
        one = f"with a chance of {more}{chance} % it is wrong"
        return (f"{look.format('the one flagged row')}: {one}.", _others(audit))
    right = round(audit.expected_right)
    rows = look.format(f"the {audit.named} flagged rows")
    return (f"{rows}: about {right} of them {are(right)} wrong.", _others(audit))


def _others(audit: WrongLabels) -> str:
    """Where the wrong labels are that are not flagged, and how many rows hold most of them."""
    others = _not_flagged(audit)
    if not others:
        return ""
    n_rows, all_wrong = _rows_with_most(audit), round(_n(audit) * audit.share)
    where = f"The other {others} {are(others)} among the rows that are not flagged"
    search = f"o find about {100 * _MOSTLY:.0f} % of all {all_wrong}, check the first {n_rows} rows"
    if not n_rows:
        return f"{where}." * bool(audit.named)
    return f"{f'{where}: t' if audit.named else 'T'}{search} by {_ranked_by(audit)}."


def _rows_with_most(audit: WrongLabels) -> int:
    """In how many of the first rows most wrong labels are; 0 where a search is not worth it."""
    if not _not_flagged(audit):
        return 0
    (total,) = sums(_total, audit.probability)
    (chances,) = take(audit.order[:_MOST_CHECKED], audit.probability)
    n_rows = int(np.searchsorted(chances.cumsum(), _MOSTLY * total[0])) + 1
    return n_rows if audit.named < n_rows <= chances.size else 0


def rows_to_look_at(audit: WrongLabels, n_decided: int) -> int:
    """To how many of the first rows the answer sends; 0 where to the flagged ones alone."""
    if not audit.conclusive or _nothing_left(audit):
        return 0
    n_rows = rows_after_review(audit, n_decided)
    return _rows_with_most(audit) if n_rows is None else n_rows


def _nothing_left(audit: WrongLabels) -> bool:
    return not audit.named and _n(audit) * audit.share < 0.5


def _not_flagged(audit: WrongLabels) -> int:
    """How many wrong labels are among the rows that are not flagged; 0 where weights hide it."""
    beside = round(_n(audit) * audit.share) - round(audit.expected_right)
    return 0 if audit.weighted else max(beside, 0)


def _ranked_by(audit: WrongLabels) -> str:
    return "chance of error" if audit.ordered_by == "probability" else audit.ordered_by


def _total(probability: NDArray[np.float64]) -> tuple[NDArray[np.float64]]:
    return (np.array([float(probability.sum())]),)


def _percent(share: float) -> str:
    """In two digits, or in whole numbers."""
    return f"{100.0 * share:.1f}".removesuffix(".0") if share < 0.1 else f"{100.0 * share:.0f}"


def listed_in_words(audit: WrongLabels, n_shown: int, n_flagged: int) -> str:
    """Which rows are on the page, and which are not."""
    n = audit.probability.size
    if not audit.conclusive:
        return f"{n_shown} of {n} rows are on this page; their order means nothing"
    if n_flagged < audit.named:
        return f"The first {n_shown} of {audit.named} flagged rows, of {n} in all, are on this page"
    verb = are(n_shown)
    if not n_flagged:
        most = f"the {n_shown} with the highest chance of error"
        return f"No row is flagged; {most}, of {n} in all, {verb} on this page"
    rest = f" and the {n_shown - n_flagged} that follow" if n_shown > n_flagged else ""
    return f"{plural(n_flagged, 'flagged row')}{rest}, of {n} in all, {verb} on this page"


def title_of(source: str, target: str) -> str:
    """What the page is about."""
    return f"Label check: {target} in {Path(source).name}" if source else f"Label check: {target}"


def made_by(command: str, provenance: Mapping[str, str]) -> dict[str, str]:
    """When the page was written, with what, and by which command, by name."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    written = f"{now}, by csvor {__version__} and Python {platform.python_version()}"
    return {"Written": written, **({"Command": command} if command else {}), **provenance}
