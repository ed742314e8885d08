"""Which labels are there once decisions on an audit have been carried out?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._decisions.checks import ReviewedRows, fitting
from csvor._decisions.decision import DROP, KEEP, RELABEL, Decision, Decisions
from csvor._decisions.faults import refuse, worded
from csvor._utils.lazy import is_lazy
from csvor._utils.spelling import format_value


@dataclass(frozen=True, eq=False)
class AppliedDecisions:
    """What `csvor.WrongLabels.apply` gives: labels as decided, and what the next audit has to know.

    Attributes
    ----------
    rows : ndarray of shape (n_kept,)
        Positions, from 0, of the rows that were not dropped: ``X[rows]``, ``X.iloc[rows]``.
    labels : array-like of shape (n_kept,)
        Their labels as decided, in the container of the labels audited, of its type and with its
        index.
    confirmed : ndarray of shape (n_kept,)
        True where a label was kept or set, in this review or before the audit.
    original : array-like of shape (n_kept,)
        The labels before any review, held as `labels` are.
    """

    rows: NDArray[np.intp]
    labels: Any
    confirmed: NDArray[np.bool_]
    original: Any


class Reviewable:
    """An audit whose labels can be decided on."""

    given: NDArray[Any]
    classes: NDArray[Any]
    _ratios: Any
    _index: Any
    # Labels as they were passed, and what they were before the audit.
    _labels: Any
    _original: Any
    # Of a table of which some rows were left out, and what else is known of it.
    _places: Any
    _table: Any

    def apply(self, decisions: Any) -> AppliedDecisions:
        """The labels with decisions carried out: relabelled rows changed, dropped rows absent.

        An audit of these labels alone would find them too clean, for the errors found are gone:
        go on with ``confirmed=`` and ``original=`` (see the example).

        Parameters
        ----------
        decisions : Decisions, path-like or dataframe
            From `csvor.read_decisions`, or its file, or a frame with the columns of one. Rows count
            from 1 there, in the order of the data. `to_frame` with columns ``decision`` and
            ``label`` added will do: its index, or positions, say which rows they are. Those that
            `audit_table` was given are carried out already.

        Returns
        -------
        applied : AppliedDecisions
            It has rows, labels, confirmed and original. What was audited is left as it is.

        Raises
        ------
        ValueError
            If a decision does not fit, with its row: another label stands there than the one in
            ``given``, there is no such row, the audit left it out, a new label is none of
            `classes`, or the index of the data has the name of a column of the file and another
            value. All faults are said at once. Also where labels lie in partitions of dask.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> from csvor import Decisions, audit_scores
        >>> from csvor.audit import Decision
        >>> rng = np.random.default_rng(0)
        >>> scores = pd.Series(rng.normal(size=300), index=range(1000, 1300))
        >>> y = pd.Series(np.digitize(scores, [-0.5, 0.5]), index=scores.index)
        >>> y.iloc[1] = 2  # wrong
        >>> audit = audit_scores(scores, y)
        >>> decided = (Decision(2, "2", "relabel", "1"), Decision(3, "2", "drop"))
        >>> applied = audit.apply(Decisions("by hand", "grade", decided))
        >>> len(applied.labels), applied.labels.loc[1001], applied.original.loc[1001]
        (299, np.int64(1), np.int64(2))

        On goes ``audit_labels(X.iloc[applied.rows], applied.labels, confirmed=applied.confirmed,
        original=applied.original)``.
        """
        if is_lazy(self.given):
            raise ValueError(
                "The labels of this audit lie in partitions. Write a folder of Parquet files with "
                "`csvor apply DECISIONS FOLDER --out NEW`."
            )
        if not isinstance(decisions, Decisions):
            from csvor._tables.review import decisions_from
            from csvor.audit._reported import numbered

            at = np.arange(self.given.size) if self._places is None else self._places
            decisions = decisions_from(decisions, "decisions", numbered(self._index, at))
        values = {format_value(label): label for label in self.classes}
        n, decided = self.given.size, self._fitting(decisions, list(values))
        is_kept, confirmed = np.ones(n, dtype=bool), (self._ratios == 0) | np.isinf(self._ratios)
        new: dict[int, Any] = {}
        for one, position in zip(decided, self._at([d.position for d in decided]), strict=True):
            is_kept[position] = one.decision != DROP
            confirmed[position] |= one.decision in (KEEP, RELABEL)
            if one.decision == RELABEL:
                new[int(position)] = values[one.label]
        rows = np.flatnonzero(is_kept)
        labels = self.given if self._labels is None else self._labels
        before = labels if self._original is None else self._original
        return AppliedDecisions(
            rows if self._places is None else self._places[rows],
            relabelled(labels, self.given, new, rows), confirmed[rows],
            relabelled(before, self.given, {}, rows),
        )  # fmt: skip

    def _at(self, rows: Any) -> NDArray[np.intp]:
        """Which of the rows audited are these of the table; -1 for one that was left out."""
        rows = np.asarray(rows, dtype=np.intp)
        if self._places is None:
            return rows
        at = np.full(self._places.max() + 1, -1, dtype=np.intp)
        at[self._places] = np.arange(self._places.size)
        return at[rows]

    def _fitting(self, decisions: Decisions, classes: Sequence[str]) -> list[Decision]:
        """The decisions, if all fit the labels audited."""
        index = self._index
        columns = {} if index is None or index.name is None else {str(index.name): index}

        def texts(name: str, positions: NDArray[np.int64]) -> list[str]:
            column, at = columns.get(name, self.given), self._at(positions)
            return [format_value(column[i]) for i in at]

        rows = ReviewedRows(
            data="the audit",
            where="in the labels audited",
            # Longer than the name of the index, and so another.
            target="".join(("given ", *columns)),
            n_rows=self.given.size if self._places is None else int(self._places.max()) + 1,
            texts=texts,
            columns=columns,
            labels=classes,
            no_such="no class of the audit",
            remedy="classes= names classes without rows",
        )
        # The page of an audit after a review saves the decisions of both.
        said = () if self._table is None else self._table.decided
        done = {(d["row"], d["decision"], d["label"]) for d in said}
        by_line = {
            line: one for line, one in enumerate(decisions) if (one.row, *one.outcome) not in done
        }
        inside = [line for line, one in by_line.items() if one.row <= rows.n_rows]
        at = self._at([by_line[line].position for line in inside])
        faults = {
            line: worded("left-out", source=decisions.source, row=by_line.pop(line).row)
            for line, place in zip(inside, at, strict=True)
            if place < 0
        }
        decided = fitting(decisions.source, by_line, faults, rows)
        refuse(faults)
        return list(decided.values())


def relabelled(
    labels: Any, values: NDArray[Any], new: Mapping[int, Any], rows: NDArray[np.intp]
) -> Any:
    """The labels of `rows`, with `new` ones at some positions, in their container.

    `values` are the same labels in an array. A new one is taken from a row that has it, so that
    types, categories and their order stay.
    """
    if len(getattr(labels, "shape", ())) == 2:
        return _relabelled_column(labels, values, new, rows)
    places, lacking = np.arange(values.size), []
    for label in dict.fromkeys(new.values()):
        same = np.flatnonzero(values == label)
        if not same.size:
            lacking.append(label)
        place = same[0] if same.size else values.size + len(lacking) - 1
        places[[position for position, one in new.items() if one == label]] = place
    there = taken(_extended(labels, lacking) if lacking else labels, places[rows])
    return there.set_axis(labels.index[rows]) if hasattr(there, "iloc") else there


def _relabelled_column(labels: Any, *how: Any) -> Any:
    """The same of a table, or an array, with one column."""
    if hasattr(labels, "iloc"):
        return relabelled(labels.iloc[:, 0], *how).to_frame()
    if hasattr(labels, "to_series"):
        return relabelled(labels.to_series(0), *how).to_frame()
    return relabelled(np.asarray(labels)[:, 0], *how)[:, None]


def taken(labels: Any, places: NDArray[np.intp]) -> Any:
    """The labels at some places."""
    if isinstance(labels, list | tuple):
        return type(labels)([labels[place] for place in places])
    if hasattr(labels, "iloc"):
        return labels.iloc[places]
    is_array = isinstance(labels, np.ndarray) or _is_polars(labels)
    return labels[places] if is_array or not hasattr(labels, "take") else labels.take(places)


def _extended(labels: Any, more: list[Any]) -> Any:
    """The labels, and others that no row has behind them."""
    if isinstance(labels, list | tuple):
        return type(labels)([*labels, *more])
    if hasattr(labels, "iloc"):
        import pandas as pd

        return pd.concat([labels, pd.Series(more, dtype=labels.dtype, name=labels.name)])
    if _is_polars(labels):
        return labels.clone().append(type(labels)(labels.name, more, dtype=labels.dtype))
    if isinstance(labels, np.ndarray):
        return np.append(labels, np.array(more, dtype=object if labels.dtype == object else None))
    raise ValueError(
        f"No row has the label {more[0]!r}, and a {type(labels).__name__} takes up no other here. "
        "Audit the labels as a pandas Series or a NumPy array."
    )


def _is_polars(labels: Any) -> bool:
    return type(labels).__module__.partition(".")[0] == "polars"
