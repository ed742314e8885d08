"""How does the name of a data set become arrays?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from csvor.datasets._catalogue import BUNDLED, DatasetNotFoundError, catalogue, names
from csvor.datasets._fetch import fetch
from csvor.datasets._folders import files_of, folders_of, locate
from csvor.datasets._table import CsvTable, as_bunch, load_csv
from csvor.datasets._verify import read_known


def load(name: str, folder: str | Path | None = None, *, download: bool = False) -> Any:
    """Load a data set by name, checked against its known figures.

    Parameters
    ----------
    name : str
        One of ``names("all")``; or any NAME of which `folder` holds a ``NAME.csv`` with labels in
        the column ``y``.
    folder : str or Path, default=None
        Where to look first. None takes the folder that the environment variable CSVOR_DATA names,
        if it is set. The cache (`cache_folder`) comes after either. The five sets of skordinal
        come from that package (extra ``baselines``).
    download : bool, default=False
        Whether a set that is in none of these places is downloaded into the cache (`fetch`).

    Returns
    -------
    bunch : Bunch
        ``data``: ndarray of shape (n_samples, n_features), float64, as published, not scaled;
        ``target``: ndarray of shape (n_samples,), int64, classes 1..K;
        ``feature_names``, ``target_names``: lists of str, lowest class first;
        ``raw_target``: ndarray of shape (n_samples,), the regression target of a discretised set
        where its file is there, else None;
        ``published_splits``: list of (train, test) row positions, see `splits`;
        ``name``, ``filename``, ``DESCR``: str.

    Raises
    ------
    DatasetNotFoundError
        If the set is in none of the places; the message names them and the remedy.
    DatasetError
        If its rows, features, class counts, column means or labels are not the known ones.
    ValueError
        If there is no set of that name.
    ImportError
        If the set comes with skordinal and that is not installed.

    Notes
    -----
    No source of the ten sets states a licence that lets csvor pass them on, so it brings none.
    A folder holds ``NAME.csv`` (features, last the label ``y`` in 1..K), for the discretised sets
    ``NAME_raw.csv`` (last the column ``target``) besides or instead, from which labels follow by
    `equal_frequency`, and ``NAME_splits.npz`` (``train_idx``, ``test_idx``) where index sets are
    published.

    Examples
    --------
    >>> from csvor.datasets import load
    >>> stock = load("stock", "../shared/data")  # doctest: +SKIP
    >>> stock.data.shape, stock.target_names     # doctest: +SKIP
    ((950, 9), ['1', '2', '3', '4', '5'])
    """
    if name in BUNDLED:
        return _bundled(name)
    known = catalogue().get(name)
    directory = locate(name, folder)
    if directory is not None:
        if known is None:
            return load_csv(files_of(name, directory).labelled, "y", name=name)
        return read_known(known, directory)
    folders = " and ".join(map(str, folders_of(folder)))
    if known is None:
        raise ValueError(
            f"There is no data set {name!r}: the known ones are {', '.join(names('all'))}, and "
            f"{folders} holds no {name}.csv."
        )
    if download:
        return read_known(known, fetch(name))
    raise DatasetNotFoundError(
        f"Data set {name!r} is not in {folders}: name the folder that holds {name}.csv (folder=, "
        f"or CSVOR_DATA), or download it with csvor.datasets.fetch({name!r}) or "
        f"`csvor data get {name}`."
    )


def _bundled(name: str) -> Any:
    """One of its sets in the shape of csvor's own; classes count from 1."""
    try:
        from skordinal import datasets
    except ImportError as error:
        raise ImportError(
            f"The data set {name!r} comes with the package skordinal; install it with "
            "pip install 'csvor[baselines]'"
        ) from error
    bunch = getattr(datasets, f"load_{name}")()
    labels = np.asarray(bunch.target, dtype=np.int64) + 1
    table = CsvTable(np.asarray(bunch.data, dtype=np.float64), list(bunch.feature_names), None)
    classes = [str(label) for label in bunch.target_names]
    return as_bunch(name, table, labels, classes, bunch.DESCR, Path(str(bunch.filename)))
