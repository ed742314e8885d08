"""What does an audit say: how many labels are wrong, which, and where?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._labels import refuse_other_order
from csvor._utils.words import are, plural
from csvor.audit._applied import Reviewable
from csvor.audit._expected_errors import ExpectedErrors, expected_errors
from csvor.audit._rater_table import RaterTable
from csvor.audit._reported import frame_of, html_of, tables_of
from csvor.audit._share_entries import SharesByValue
from csvor.audit._shares_by import shares_by

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WrongLabels(Reviewable):
    """How many labels are wrong, and which: one entry a row, in the order of the data.

    Attributes
    ----------
    share : float
        Estimated share of wrong labels, of the weight where rows have weights.
    low, high : float
        Its 95 % profile-likelihood interval.
    odds_range : tuple of two floats
        What the odds of each probability are multiplied by where the share is `low`, and `high`.
    probability : ndarray of shape (n_samples,)
        That the label of the row is wrong.
    flagged : ndarray of shape (n_samples,)
        True where that is above one half, for the most probable rows of no more weight than
        ``high``; or for as many rows as ``fdr`` allows.
    given : ndarray of shape (n_samples,)
        The labels given.
    suggested : ndarray of shape (n_samples,)
        The most probable other label where the label is flagged or less probable than that
        one, else the label given.
    direction : ndarray of shape (n_samples,)
        "too high" where the suggested label lies below the one given, "too low" where above, ""
        where they are the same.
    suggested_probability : ndarray of shape (n_samples,)
        Of the suggested label, given score and label.
    class_probabilities : ndarray of shape (n_samples, n_classes)
        Of each class given the score alone, columns in the order of ``classes``.
    predicted : ndarray of shape (n_samples,)
        The class that is most probable given the score alone.
    classes : ndarray of shape (n_classes,)
        The labels in their order.
    expected_distance : ndarray of shape (n_samples,)
        From the label to the class that is expected given the score alone, in classes.
    order : ndarray of shape (n_samples,)
        Row positions, the most suspect first.
    ordered_by : {"probability", "severity"}
        What they are ranked by; severity is ``expected_distance``.
    conclusive : bool
        False where the scores do not predict the labels: nothing can be said of any then, and none
        is flagged.
    rank_correlation : float
        Of the labels and the classes expected given the scores (Spearman's).
    log_likelihood : float
        Penalised, of labels given scores; it ranks models whose scores are of the same rows.
    n_judged : int
        The number of labels that were not known to be right before.
    named : int
        The number of flagged rows.
    expected_right : float
        How many of them should be wrong: the sum of their probabilities.
    named_share : float
        The share of the weight that they have.
    weighted : bool
        Whether rows differ in weight.
    rater : ndarray of shape (n_samples,) or None
        Who gave each label, where raters are known.
    raters : RaterTable or None
        How high or low each rater labels, and how carelessly, where raters are known.
    notes : tuple of str
        What should be known of the scores, such as class probabilities that are far too
        confident, or of the labels, such as another order of the classes that the features predict
        far better; mostly empty.
    """

    share: float
    low: float
    high: float
    odds_range: tuple[float, float]
    probability: Array
    flagged: NDArray[np.bool_]
    given: NDArray[Any]
    suggested: NDArray[Any]
    direction: NDArray[np.str_]
    suggested_probability: Array
    class_probabilities: Array
    predicted: NDArray[Any]
    classes: NDArray[Any]
    expected_distance: Array
    order: NDArray[np.intp]
    ordered_by: str
    conclusive: bool
    rank_correlation: float
    log_likelihood: float
    n_judged: int
    named: int
    expected_right: float
    named_share: float
    weighted: bool
    rater: NDArray[Any] | None
    raters: RaterTable | None
    notes: tuple[str, ...]
    # The labels judged, by their counts; what `by` needs of each row, and what a row counts.
    _n_counted: int
    _ratios: Array
    _by_rater: Array | None
    _usual: float
    _weights: Array | None
    _counts: float
    # That of the data, where they are a frame whose index does not count the rows.
    _index: Any = field(default=None, kw_only=True)
    # As they were passed, in memory, and what they were before an earlier review.
    _labels: Any = field(default=None, kw_only=True)
    _original: Any = field(default=None, kw_only=True)
    # Where the rows are in a table of which some were left out, and whether it is one of polars.
    _places: Any = field(default=None, kw_only=True)
    _polars: bool = field(default=False, kw_only=True)
    # What `AuditedTable` has of a table.
    _table: Any = field(default=None, kw_only=True)

    _columns: ClassVar[tuple[str, ...]] = (
        "given", "suggested", "probability", "suggested_probability", "direction", "predicted",
        "flagged", "expected_distance",
    )  # fmt: skip

    def to_frame(self, X: Any = None) -> Any:
        """The rows as a table, most probably wrong first.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features), default=None
            Columns to put beside, such as the features, or the whole table.

        Returns
        -------
        frame : pandas.DataFrame or polars.DataFrame
            Indexed as the data are, by position (from 0; ``row`` in files of decisions counts from
            1) where they have no index, so that it joins them; of polars, with the positions in a
            column ``position``, where the data are. It has a column for each of given, suggested,
            probability, suggested_probability, direction, predicted, flagged and expected_distance
            (residual of a `LabelAudit`, and rater where raters are known). Where nothing can be
            said, probabilities are NaN and labels those given.
        """
        return frame_of(self, self._columns + ("rater",) * (self.rater is not None), X)

    def expected_errors(self, n: int) -> ExpectedErrors:
        r"""How many errors to expect if one looks at ``n`` more rows, and how many stay behind.

        Of the n first rows of `order`, those that were not confirmed: :math:`\sum p_i`, with an
        interval for what chance adds, :math:`\sum p_i (1 - p_i)`, and for how uncertain the share
        is, which multiplies the odds of all :math:`p_i` by ``odds_range`` at its ends.

        Parameters
        ----------
        n : int
            At most the rows that `order` has.

        Returns
        -------
        errors : ExpectedErrors
            It has n, expected, low, high, left, left_low, left_high and summary.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import audit_scores
        >>> rng = np.random.default_rng(0)
        >>> scores = rng.normal(size=500)
        >>> y = np.digitize(scores + 0.3 * rng.normal(size=500), [-0.5, 0.5])
        >>> y[:25] = (y[:25] + rng.integers(1, 3, 25)) % 3  # 25 wrong labels
        >>> audit = audit_scores(scores, y)
        >>> audit.expected_errors(20).summary
        'look at 20 more, expect 10 errors (3 to 16); after that about 4 (0 to 14) stay in'
        """
        errors = expected_errors(self.probability, self.order, n, self.odds_range)
        return errors if self.conclusive else replace(errors, conclusive=False)

    def by(self, values: ArrayLike) -> SharesByValue:
        r"""The share of wrong labels for each value of a column: a site, a month, a form.

        With :math:`r_i = P(y_i \mid \text{wrong}) / P(y_i \mid \text{right})`, which is
        :math:`\frac{p_i}{1 - p_i} \frac{1 - s}{s}` of the probability :math:`p_i` that label i is
        wrong and the share s of all, rows of weights :math:`w_i` have the log-likelihood

        .. math:: \ell(t) = \sum_i w_i \log(1 - t + t r_i)

        of a share t. Its maximum is the share of the rows with a value, its fall by 1.92 ends the
        interval. What the likelihood gains if the other rows have another share is tested by
        chi-squared with one degree of freedom, step by step: the value that differs most surely
        from the others first, then those left among themselves, at the levels of Holm (1979). Where
        none differs, one is told in 5 % of all columns at most.

        Parameters
        ----------
        values : array-like of shape (n_samples,)
            Of the column, which should be no feature of what was audited: a model learns the errors
            of a site that it knows. A missing value is one of its own. In partitions as the audit
            is, or in memory.

        Returns
        -------
        shares : SharesByValue

        Raises
        ------
        TypeError
            For the name of a column.
        ValueError
            If there are not as many values as rows, or more than 200 different ones, or less than
            four rows for each.

        Notes
        -----
        The audit's one model of noise holds for all rows: where predictions are worse at one site,
        its labels look worse. Rows of `groups` that are alike count less, in the same proportion as
        in the audit. After a review, the share is that of labels not confirmed; what is tested is
        the share before it. Where `raters` are known, shares are near what their raters make them.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import audit_scores
        >>> rng = np.random.default_rng(0)
        >>> scores = rng.normal(size=1000)
        >>> y = np.digitize(scores + 0.1 * rng.normal(size=1000), [-0.5, 0.5])
        >>> site = np.repeat(["A", "B", "C", "D"], 250)
        >>> y[:40] = (y[:40] + rng.integers(1, 3, 40)) % 3  # 40 wrong labels, all of site A
        >>> shares = audit_scores(scores, y).by(site)
        >>> shares.share.round(2).tolist(), shares.differs.tolist()
        ([0.16, 0.0, 0.0, 0.0], ['higher', '', '', ''])
        >>> shares.summary.split(" (")[0]
        'A is higher, 15.6 % of 250 rows'
        """
        refuse_other_order(self._index, values=values)
        decided = self.n_judged < len(self.given)
        of = "the weight of " * self.weighted + "the undecided among " * decided
        return shares_by(
            values, self._ratios, self._weights, self.flagged, counts=self._counts,
            conclusive=self.conclusive, of=of, reviewed=decided, before=self._by_rater,
            usual=self._usual,
        )  # fmt: skip

    @property
    def summary(self) -> str:
        """The answer in a sentence."""
        n = self._n_counted or self.n_judged
        if not self.conclusive:
            return (
                f"nothing can be said of {n} labels: held-out predictions follow them no better "
                f"than chance could (rank correlation {self.rank_correlation:.2f}); more rows, or "
                "features that have to do with the label, would help"
            )
        of_weight = self.weighted and not self._n_counted
        parts = self.share, self.low, self.high
        share, low, high = (_percent(part) if of_weight else f"{n * part:.0f}" for part in parts)
        if share == "0" and not self.named:
            most = f"{high} % of the weight" if of_weight else high
            return f"no label of {n} looks wrong (at most {most} may be)"
        if of_weight:
            return (
                f"about {share} % ({low} to {high} %) of the weight of {n} labels is wrong; "
                f"{self._flagged}"
            )
        return f"about {share} ({low} to {high}) of {n} labels are wrong; {self._flagged}"

    @property
    def _flagged(self) -> str:
        """How many are flagged, and how many of these should be wrong."""
        if not self.named:
            return "no row is sure enough to be flagged"
        one = self.named == 1
        flagged = f"{plural(self.named, 'row')} {are(self.named)} flagged"
        if self.weighted and not self._n_counted:
            flagged += f", with {_percent(self.named_share)} % of the weight"
        right = f"about {self.expected_right:.0f} of them should turn out to be wrong"
        if one:
            right = f"wrong with probability {self.expected_right:.2f}"
        text = f"{flagged}, {'and ' * (not one)}{right}"
        if self._n_counted:
            stand = "it stands" if one else "they stand"
            return f"{text}; {stand} for {self._n_counted * self.named_share:.0f} labels"
        return text

    def _repr_html_(self) -> str:
        return html_of(self.summary, self.notes, tables_of(self))

    def __repr__(self) -> str:
        ends = f"{self.share:.3f} [{self.low:.3f}, {self.high:.3f}]"
        return "\n".join([f"{type(self).__name__}(share={ends}: {self.summary})", *self.notes])


def _percent(share: float) -> str:
    """In two digits, or in whole numbers."""
    return f"{100.0 * share:.1f}".removesuffix(".0") if share < 0.1 else f"{100.0 * share:.0f}"
