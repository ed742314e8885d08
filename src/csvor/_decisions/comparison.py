"""Where do the decisions of several reviewers differ, and which of them stand?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from csvor._decisions.decision import CHECK, RELABEL, Decision, Decisions
from csvor._decisions.faults import DecisionsError
from csvor._utils.spelling import same
from csvor._utils.words import all_of

# How a row came to its decision; DISPUTED has none.
BY_ONE, AGREED, MAJORITY, PREFERRED, DISPUTED = "one", "agreed", "majority", "preferred", "disputed"


@dataclass(frozen=True)
class ReviewedRow:
    """What reviewers decided on a row, by their names; `outcome` stands, if there is one."""

    by: Mapping[str, Decision]
    how: str
    outcome: Decision | None

    @property
    def first(self) -> Decision:
        """The decision of the first reviewer who decided."""
        return next(iter(self.by.values()))

    @property
    def others(self) -> dict[str, str]:
        """What the files hold of the row besides, such as its id."""
        return {
            name: text for d in reversed([*self.by.values()]) for name, text in d.others.items()
        }

    @property
    def comments(self) -> str:
        """Each comment, with the name of who wrote it."""
        return "; ".join(f"{name}: {d.comment}" for name, d in self.by.items() if d.comment)


@dataclass(frozen=True)
class PairAgreement:
    """How far two reviewers agree on the rows that both decided.

    On `n_same` they decide the same, and set the same label where they relabel. `kappa` is Cohen's,
    of keep, relabel and drop alone; None where chance alone would agree on all rows. Of
    `n_relabelled` rows that both relabel, `n_same_label` get one label.
    """

    names: tuple[str, str]
    n_rows: int
    n_same: int
    kappa: float | None
    n_relabelled: int
    n_same_label: int


@dataclass(frozen=True)
class ReviewComparison:
    """The decisions of several files, row by row in their order; `names` are the reviewers."""

    names: tuple[str, ...]
    files: tuple[Decisions, ...]
    rows: tuple[ReviewedRow, ...]

    def of(self, *how: str) -> list[ReviewedRow]:
        """The rows that came to their decision so."""
        return [row for row in self.rows if row.how in how]

    @property
    def audit(self) -> str:
        """The command that audited, if the files name one."""
        commands = {file.audit for file in self.files if file.audit}
        return commands.pop() if len(commands) == 1 else ""

    @property
    def target(self) -> str:
        """The column of the labels, "" where no file says it."""
        return next((file.target for file in self.files if file.target), "")

    def agreements(self) -> list[PairAgreement]:
        """Of each two reviewers with a row in common."""
        pairs = combinations(self.names, 2)
        return [a for a in (_agreement(self.rows, *pair) for pair in pairs) if a.n_rows]

    def merged(self, source: str) -> Decisions:
        """The decisions that stand, as a file."""
        decided = tuple(row.outcome for row in self.rows if row.outcome is not None)
        return Decisions(source, self.target, decided, self.audit)

    def open(self, source: str) -> Decisions:
        """The rows in dispute without a decision, and what was decided as their comments."""
        rows = tuple(
            Decision(one.row, one.old_label, "", comment=_said(row.by), others=row.others)
            for row in self.of(DISPUTED)
            for one in [row.first]
        )
        return Decisions(source, self.target, rows, self.audit)


def compared(
    files: Sequence[Decisions], *, majority: bool = False, preferred: int | None = None
) -> ReviewComparison:
    """Compare the decisions of several reviewers, and merge them; DecisionsError if data differ.

    With `majority`, what more than half of those say who decided a row settles a dispute; the file
    that is `preferred`, by its position, settles those that are left.
    """
    _check_same_data(files)
    names = names_of(files)
    by_row: dict[int, dict[str, Decision]] = {}
    for name, file in zip(names, files, strict=True):
        for one in file:
            by_row.setdefault(one.row, {})[name] = one
    first = None if preferred is None else names[preferred]
    rows = tuple(_settled(by_row[row], majority, first) for row in sorted(by_row))
    return ReviewComparison(names, tuple(files), rows)


def names_of(files: Sequence[Decisions]) -> tuple[str, ...]:
    """What each reviewer is called: by the name that one file alone has, else as the file is."""
    said = [{d.reviewer for d in file} for file in files]
    names = [one.copy().pop() if len(one) == 1 else "" for one in said]
    stems = [Path(file.source).stem for file in files]
    pairs = zip(names, stems, strict=True)
    mixed = [name if name and names.count(name) == 1 else stem for name, stem in pairs]
    for several in (mixed, stems):
        if all(several) and len(set(several)) == len(files):
            return tuple(several)
    return tuple(file.source for file in files)


def alike(a: Decision, b: Decision) -> bool:
    """Whether two decisions do the same to a row."""
    return a.decision == b.decision and (a.decision != RELABEL or same(a.label, b.label))


def groups_of(by: Mapping[str, Decision]) -> list[dict[str, Decision]]:
    """Reviewers who decided the same together."""
    groups: list[dict[str, Decision]] = []
    for name, one in by.items():
        for group in groups:
            if alike(one, next(iter(group.values()))):
                group[name] = one
                break
        else:
            groups.append({name: one})
    return groups


def in_words(one: Decision) -> str:
    """A decision for people: keep, drop, or the new label."""
    return f"{one.decision} {one.label}" if one.decision == RELABEL else one.decision


def _settled(by: Mapping[str, Decision], majority: bool, first: str | None) -> ReviewedRow:
    groups = groups_of(by)
    standing = max(groups, key=len)
    if len(groups) == 1:
        how = AGREED if len(by) > 1 else BY_ONE
    elif majority and 2 * len(standing) > len(by):
        how = MAJORITY
    elif first in by:
        how, standing = PREFERRED, next(group for group in groups if first in group)
    else:
        return ReviewedRow(by, DISPUTED, None)
    row = ReviewedRow(by, how, None)
    comments = {BY_ONE: row.first.comment, AGREED: row.comments}
    reviewers = dict.fromkeys(one.reviewer or name for name, one in standing.items())
    outcome = replace(
        next(iter(standing.values())),
        comment=comments.get(how, f"{how}: {_said(by)}"),
        reviewer=", ".join(reviewers),
        others=row.others,
    )
    return replace(row, outcome=outcome)


def _said(by: Mapping[str, Decision]) -> str:
    """What each reviewer decided, and why."""
    return "; ".join(
        f"{name}: {in_words(one)}{f' ({one.comment})' if one.comment else ''}"
        for name, one in by.items()
    )


def _agreement(rows: Sequence[ReviewedRow], a: str, b: str) -> PairAgreement:
    both = [(row.by[a], row.by[b]) for row in rows if a in row.by and b in row.by]
    kinds = [[one.decision for one in pair] for pair in both]
    relabelled = [pair for pair in both if {one.decision for one in pair} == {RELABEL}]
    kappa = None
    if len({kind for pair in kinds for kind in pair}) > 1:
        from sklearn.metrics import cohen_kappa_score

        kappa = float(cohen_kappa_score(*zip(*kinds, strict=True)))
    return PairAgreement(
        (a, b), len(both), sum(alike(*pair) for pair in both), kappa, len(relabelled),
        sum(alike(*pair) for pair in relabelled),
    )  # fmt: skip


def _check_same_data(files: Sequence[Decisions]) -> None:
    targets = {file.target: file.source for file in reversed(files) if file.target}
    if len(targets) > 1:
        said = [f"{source} is about '{target}'" for target, source in targets.items()]
        raise DecisionsError([f"{all_of(said)}: decisions of one column can be compared"])
    faults = [fault for pair in combinations(files, 2) for fault in _differences(*pair)]
    if faults:
        raise DecisionsError(list(dict.fromkeys(faults)))


def _differences(a: Decisions, b: Decisions) -> Iterator[str]:
    """What two files say otherwise of the data themselves."""
    of_row = {one.row: one for one in a}
    for two in b:
        one = of_row.get(two.row)
        if one is None:
            continue
        pairs = [("given", one.old_label, two.old_label)]
        shared = [n for n in one.others if n in two.others]
        if not (one.others.get(CHECK) and two.others.get(CHECK)):
            shared = [n for n in shared if n != CHECK]
        pairs += [(n, one.others[n], two.others[n]) for n in shared]
        for name, old, new in pairs:
            if not same(old, new):
                yield (
                    f"row {two.row} has {name} '{old}' in {a.source}, but '{new}' in {b.source}; "
                    "decisions of the same data can be compared"
                )
                break
