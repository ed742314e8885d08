"""How is a CSV file of features and labels read, and where is it broken?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from csvor._labels import OrdinalLabels
from csvor.datasets._catalogue import DatasetError, DatasetNotFoundError

if TYPE_CHECKING:
    import pandas as pd


class CsvTable(NamedTuple):
    """Feature columns as numbers, and the column of labels or targets as it came (None: apart)."""

    data: NDArray[np.float64]
    feature_names: list[str]
    target: Any


def read_table(path: Path, target: str) -> CsvTable:
    """Read a CSV file of which one column is the target and the others are numbers."""
    import pandas as pd

    if not path.is_file():
        raise DatasetNotFoundError(f"{path}: there is no such file")
    try:
        frame = pd.read_csv(path)
    except (ValueError, pd.errors.ParserError) as error:
        raise DatasetError(f"{path}: not a readable CSV file ({error})") from None
    if target not in frame:
        columns = ", ".join(map(repr, frame.columns))
        raise DatasetError(f"{path} has no column {target!r}; its columns are {columns}")
    if frame.empty:
        raise DatasetError(f"{path}: there are no rows below the first line")
    features = frame.drop(columns=target)
    if features.shape[1] == 0:
        raise DatasetError(f"{path} has no column besides {target!r}; there are no features")
    data = np.column_stack([numbers(features[name], path) for name in features])
    if frame[target].isna().any():
        row = int(np.argmax(frame[target].isna()))
        raise DatasetError(f"{path}, column {target!r}, row {row + 1}: blank; leave the row out")
    return CsvTable(data, list(features.columns), frame[target])


def numbers(column: pd.Series[Any], path: Path) -> NDArray[np.float64]:
    """A column as finite numbers; the first that is none is named, rows counted from 1."""
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        cell = "blank" if pd.isna(column.iloc[row]) else f"{str(column.iloc[row])!r} is no number"
        raise DatasetError(
            f"{path}, column {column.name!r}, row {row + 1}: {cell}; features are finite numbers "
            "here: fill gaps and encode words first"
        )
    return values


def load_csv(path: str | Path, target: str, *, classes: Any = None, name: str | None = None) -> Any:
    """Read a data set of one's own from a CSV file.

    Parameters
    ----------
    path : str or Path
        A CSV file with a header line. Every column but `target` is a feature and holds finite
        numbers; rows with gaps and columns of words are refused, not dropped.
    target : str
        The column of labels.
    classes : array-like of shape (n_classes,), default=None
        All classes, lowest first. None sorts labels that are whole numbers; words are refused.
    name : str, default=None
        The name of the set; None takes that of the file without its ending.

    Returns
    -------
    bunch : Bunch
        What `load` returns: ``data``, ``target`` (1..K), ``feature_names``, ``target_names`` (the
        labels as text), ``raw_target`` (None), ``published_splits`` (none), ``name``,
        ``filename`` and ``DESCR``.

    Raises
    ------
    DatasetError
        If the file cannot be read, names no such column, or holds a value that is no number;
        `DatasetNotFoundError` if it does not exist.
    LabelError
        For labels without an order, or outside `classes`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from csvor.datasets import load_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "wear.csv")
    ...     _ = path.write_text("km,grade\\n10,good\\n90,poor\\n", encoding="utf-8")
    ...     wear = load_csv(path, "grade", classes=["poor", "good"])
    >>> wear.name, wear.data.tolist(), wear.target.tolist(), wear.target_names
    ('wear', [[10.0], [90.0]], [2, 1], ['poor', 'good'])
    """
    path = Path(path)
    table = read_table(path, target)
    labels = OrdinalLabels.from_data(table.target, classes=classes)
    codes = labels.encode(table.target, name=target)
    names = [str(label) for label in labels.classes.tolist()]
    name = path.stem if name is None else name
    counts = ", ".join(map(str, labels.counts(codes)))
    descr = (
        f"{name}: {len(codes)} rows, {table.data.shape[1]} features, classes "
        f"{' < '.join(names)} ({counts} rows), read from {path.name}."
    )
    return as_bunch(name, table, codes + 1, names, descr, path)


def as_bunch(
    name: str,
    table: CsvTable,
    labels: NDArray[np.int64],
    classes: list[str],
    descr: str,
    path: str | Path,
    **more: Any,
) -> Any:
    """The one shape that every loader returns, and what this set has besides."""
    return Bunch(
        data=table.data,
        target=labels,
        feature_names=table.feature_names,
        target_names=classes,
        name=name,
        filename=str(path),
        DESCR=descr,
        **{"raw_target": None, "published_splits": [], **more},
    )
