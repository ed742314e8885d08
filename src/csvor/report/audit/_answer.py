"""What does an audit find, in sentences that a reader can repeat, and how was it made?"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from csvor import __version__
from csvor._utils.words import are, plural
from csvor.audit import WrongLabels
from csvor.report.audit._distributions import Confusion

# Confusions that are equally frequent are listed if they are no more.
_MOST_ALIKE = 3


def answer_of(audit: WrongLabels, target: str, confusion: Confusion) -> tuple[str, ...]:
    """How many labels are wrong, which are confused, and what to do next."""
    if not audit.conclusive:
        correlation = f"{audit.rank_correlation:.2f}".replace("-", "−")
        return (
            f"Nothing can be said of the {_labels(audit)} in '{target}': the other columns do not "
            f"predict them better than chance (rank correlation {correlation}).",
            "This does not mean that the labels are right.",
            f"More rows, or columns that have to do with '{target}', would help.",
        )
    confused = _confused(audit, confusion)
    return (_share(audit, target), *([confused] if confused else []), _next(audit))


def _n(audit: WrongLabels) -> int:
    return int(audit._n_counted or audit.n_judged)


def _labels(audit: WrongLabels) -> str:
    return plural(_n(audit), "label")


def _share(audit: WrongLabels, target: str) -> str:
    """The share in per cent with its interval, and what it is in labels where all weigh alike."""
    n, of_weight = _n(audit), audit.weighted and not audit._n_counted
    all_of_them = f"{'the weight of ' if of_weight else ''}the {_labels(audit)} in '{target}'"
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
        text += f", then {others} ({second[0][0]}{' each' * (len(second) > 1)})"
    return f"{text}."


def _next(audit: WrongLabels) -> str:
    """What to do."""
    if audit.named:
        right = f"{audit.expected_right:.0f}"
        if audit.named == 1:
            chance = min(round(100 * audit.expected_right), 99)
            more = "over " if audit.expected_right >= 0.995 else ""
            return (
                f"Next, look at the one flagged row: with a chance of {more}{chance} % it is wrong."
            )
        return f"Next, look at the {audit.named} flagged rows: about {right} of them are wrong."
    if _n(audit) * audit.share < 0.5:
        return "No row is flagged: nothing needs to be reviewed."
    return (
        "No row is flagged: none is more probably wrong than right. If you review, begin with the "
        "highest chance of error."
    )


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
