"""How does a frame as it comes become numbers for a linear score?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from csvor._faults.fault import Fault
from csvor._faults.notes import Notes
from csvor._faults.python import in_arguments, in_python, names_of, texts_of
from csvor._tables.column_parser import Rules
from csvor._tables.feature_columns import choose_features
from csvor._tables.features import FeatureColumns
from csvor._tables.frames import row_names, table_of_frame
from csvor._tables.header_rows import refuse_further_headers
from csvor._tables.model_columns import features_frame
from csvor._tables.table import Table
from csvor._utils.version import Versioned
from csvor._utils.warn import warn
from csvor.preprocessing._encoding import encoder_of

_ARGUMENTS = ("drop", "keep", "categorical", "missing", "dates", "decimal", "impute", "clip")


class _NotesOfWords(Notes):
    """Notes on single words: how a column is read has been said of `fit`."""

    def add(self, note: str | Fault) -> None:
        if isinstance(note, Fault):
            super().add(note)


class TableEncoder(Versioned, TransformerMixin, BaseEstimator):
    r"""Read the columns of a frame as ``csvor audit`` reads those of a file, and encode them.

    Number i of column j becomes, with its mean and standard deviation in `fit`,

    .. math:: z_{ij} = (x_{ij} - m_j) / s_j,

    and words become indicators, of which a word that `fit` has not seen has none. Numbers are read
    in what people write (``34 kg``, ``72 %``, ``1.234,50 €``, ``?``), dates as days, if that is
    asked for. Columns of one value, row numbers and
    texts that name the rows are left out. What no reading fits is refused, all faults at once, and
    later frames are read as that of `fit` was: other units, or words in the place of numbers, are
    refused.

    Parameters
    ----------
    drop : sequence of str, default=()
        Columns to leave out.
    keep : sequence of str, default=()
        Columns that are features whatever they look like, such as row numbers.
    categorical : sequence of str, default=()
        Columns of codes, which are categories though they are numbers.
    missing : sequence of str, default=()
        Cells that stand for no value, beside ``?``, ``NA``, ``null`` and the like.
    dates : bool, default=False
        Read dates as days since 1970-01-01, and times as hours; they are refused otherwise.
    decimal : {".", ","} or None, default=None
        The decimal sign of numbers in texts, where they leave it open.
    impute : bool, default=False
        Fill blank numbers with the median of their column; they are refused otherwise. A blank
        among words is a category of its own.
    clip : float or None, default=None
        Limit numbers as `MedianClipper` does with this many ``spreads``.

    Attributes
    ----------
    columns_ : dict
        The columns by their use: ``numeric``, ``categorical`` (with the words of each),
        ``constant`` and ``row_numbers`` (both left out), ``readings`` (how numbers are written).
    encoder_ : ColumnTransformer
        Encodes the columns that were read.
    notes_ : tuple of str
        What ``csvor audit`` would say of the columns: what is left out, how cells are read, far
        values.
    n_features_in_ : int
        Number of columns in `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns in `fit`.

    Raises
    ------
    TypeError
        If X is no frame of pandas, polars or Arrow and no array, or holds no rows yet.
    ValueError
        If columns cannot be read, each with its rows and what can be done.

    See Also
    --------
    csvor.audit_table : Audits the labels of such a frame.
    skrub.TableVectorizer : Embeds texts and takes dates apart; it reads no units or marks.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from csvor import CSVOR
    >>> from csvor.preprocessing import TableEncoder
    >>> X = pd.DataFrame({"weight": ["61 kg", "72,5 kg", "n/a", "80 kg"], "ward": list("ABAB")})
    >>> encoder = TableEncoder(impute=True).fit(X)
    >>> encoder.get_feature_names_out().tolist()
    ['weight', 'ward_A', 'ward_B']
    >>> encoder.transform(X).round(2).tolist()[:2]
    [[-1.55, 1.0, 0.0], [0.15, 0.0, 1.0]]
    >>> model = make_pipeline(TableEncoder(impute=True), CSVOR()).fit(X, [1, 2, 1, 2])
    >>> model.predict(X).tolist()
    [1, 2, 1, 2]
    """

    def __init__(
        self,
        *,
        drop: Sequence[str] = (),
        keep: Sequence[str] = (),
        categorical: Sequence[str] = (),
        missing: Sequence[str] = (),
        dates: bool = False,
        decimal: str | None = None,
        impute: bool = False,
        clip: float | None = None,
    ) -> None:
        self.drop = drop
        self.keep = keep
        self.categorical = categorical
        self.missing = missing
        self.dates = dates
        self.decimal = decimal
        self.impute = impute
        self.clip = clip

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the use of each column, and learn its scale or its words.

        Parameters
        ----------
        X : dataframe or ndarray of shape (n_samples, n_features)
            Of pandas, polars or Arrow; columns of an array are called x0, x1 and so on.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        notes = Notes()
        X = _as_frame(X)
        uses = {use: names_of(use, getattr(self, use)) for use in ("drop", "keep", "categorical")}
        missing = texts_of("missing", self.missing)
        with in_python(_ARGUMENTS, row_names(X, "X")):
            table = table_of_frame(X, "X")
            refuse_further_headers(table.source, list(table.columns.values()))
            for use, names in uses.items():
                for name in names:
                    table.column(name, f"--{use}")
            features, frame = choose_features(
                table, table.rows, [name for name in table.columns if name not in uses["drop"]],
                kept=uses["keep"], impute=self.impute, clip=self.clip is not None, notes=notes,
                rules=Rules(self.decimal, missing, self.dates, uses["categorical"]),
            )  # fmt: skip
            self.notes_ = tuple(map(in_arguments, notes.texts()))
        encoder = encoder_of(features, impute=self.impute, clip=self.clip)
        encoder.set_output(transform="default").fit(frame)
        return self._with(features, encoder, table.columns)

    def _with(self, features: FeatureColumns, encoder: Any, names: Iterable[str]) -> Self:
        """As fitted to columns of these names, that were read and encoded so."""
        self.columns_, self.encoder_ = asdict(features), encoder
        self.feature_names_in_ = np.array(list(names), dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def transform(self, X: Any) -> Any:
        """Read and encode rows as those of `fit` were.

        Parameters
        ----------
        X : dataframe or ndarray of shape (n_samples, n_features)
            With the columns of `fit`, in any order.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_features_out)
            Sparse where there are many categories.

        Warns
        -----
        UserWarning
            For words that `fit` has not seen, or has seen in another spelling.
        """
        check_is_fitted(self)
        notes, X = _NotesOfWords(), _as_frame(X)
        with in_python(_ARGUMENTS, row_names(X, "X")):
            frame = self._read(table_of_frame(X, "X").as_part(), notes)
        for note in notes.texts():
            warn(note)
        return self.encoder_.transform(frame)

    @property
    def _features(self) -> FeatureColumns:
        return FeatureColumns(**self.columns_)

    def _read(self, table: Table, notes: Notes) -> pd.DataFrame:
        """The features of a table, not yet encoded."""
        return features_frame(
            table, self._features, impute=self.impute, notes=notes, decimal=self.decimal
        )

    def _read_at(self, X: Any, rows: NDArray[np.intp]) -> tuple[Table, pd.DataFrame]:
        """Some rows of a frame as a table, and their features, not yet encoded."""
        with in_python(_ARGUMENTS, row_names(X, "X")):
            part = table_of_frame(X, "X").as_part(rows)
            return part, self._read(part, Notes())

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns that `transform` gives.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of str
            Of numbers the name of the column, of words with the word behind it.
        """
        check_is_fitted(self)
        names = self.encoder_.get_feature_names_out()
        short = [name.partition("__")[2] for name in names]
        return np.array(short if len({*short}) == len(short) else names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


def _as_frame(X: Any) -> Any:
    """An array with names for its columns; frames as they are."""
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return X
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
