"""Sets whose wrong labels are known: from people who disagreed, and planted ones."""

import json
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from dirty import ROOT, load
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from wrong_labels_cell import spoil

KINDS = ("clean", "uniform", "beside", "by features", "one rater", "heaped")
SMALL, LARGE = ("esl", "swd", "lev", "era"), ("cal_housing", "computer", "bank")
LEVEL = 0.1
# A rating is wrong where it lies so far from the median of the others (of 25, 9 and 5 levels).
FAR_REQUEST, FAR_TWEET, FAR_NODULE = 8, 2, 2
BENCHMARK = Path("regression-label-error-benchmark")


class Task(NamedTuple):
    """Rows to judge; `texts` instead of X where there are words, `stored` scores of others."""

    X: NDArray[np.float64] | None
    y: NDArray[np.int64]
    wrong: NDArray[np.bool_]
    texts: list[str] | None = None
    groups: NDArray[np.int64] | None = None
    stored: NDArray[np.float64] | None = None

    def features(self) -> Any:
        """Numbers, or words and pairs of words as a sparse matrix."""
        if self.texts is None:
            return self.X
        words = TfidfVectorizer(min_df=2, sublinear_tf=True, ngram_range=(1, 2))
        return words.fit_transform(self.texts)


def draws(name: str, kind: str) -> int:
    """How often errors of a kind are planted."""
    if kind == "clean":
        return 1
    return (4 if kind == "uniform" else 2) // (1 if name in SMALL else 2)


def codes(values: Any) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1]


def benchmark(folder: Path, name: str) -> Task:
    """A set of cleanlab's benchmark, with the predictions out of fold that lie beside it."""
    table = pd.read_csv(folder / BENCHMARK / f"dataset/{name}.csv")
    given = table["given_label"].to_numpy().round(3)
    stored = np.load(folder / BENCHMARK / f"modeling/{name}/predictions/oof.npy").astype(float)
    low, high = given.min(), given.max()
    y = codes(given)
    text = "text" in table
    return Task(
        None if text else table.filter(like="diff").to_numpy(float),
        y,
        table["true_error"].to_numpy().astype(bool),
        list(table["text"].fillna("")) if text else None,
        stored=(stored - low) / (high - low) * y.max(),
    )


def requests(folder: Path, name: str) -> Task:
    """The first of five ratings of politeness, against the other four."""
    table = pd.read_csv(folder / f"politeness/corpora/{name}.annotated.csv")
    ratings = table.filter(regex=r"^Score\d").to_numpy()
    far = np.abs(ratings[:, 0] - np.median(ratings[:, 1:], axis=1))
    texts = list(table["Request"].fillna(""))
    return Task(None, codes(ratings[:, 0]), far >= FAR_REQUEST, texts)


def sentences(folder: Path, name: str) -> Task:
    """The level that annotator A gave; wrong where B gave another (they differ by one at most)."""
    files = sorted((folder / "CEFR-SP").rglob(f"CEFR-SP_{name}*.txt"))
    tables = [pd.read_csv(file, sep="\t", header=None, quoting=3) for file in files]
    table = pd.concat(tables)
    differ = (table[1] != table[2]).to_numpy()
    return Task(None, codes(table[1]), differ, list(table[0]))


def tweets(folder: Path, name: str) -> Task:
    """One rating of some twenty, at random, against the others."""
    archive = folder / "vaderSentiment/additional_resources/hutto_ICWSM_2014.tar.gz"
    with tarfile.open(archive) as files:
        parts = {
            part: files.extractfile(f"hutto_ICWSM_2014/{name}_{part}.txt")
            .read()
            .decode("utf-8-sig")
            for part in ("GroundTruth", "anonDataRatings")
        }
    texts = [line.split("\t")[2] for line in parts["GroundTruth"].splitlines()]
    ratings = [json.loads(line.split("\t")[3]) for line in parts["anonDataRatings"].splitlines()]
    rng = np.random.default_rng(0)
    chosen = [int(rng.integers(len(row))) for row in ratings]
    given = np.array([row[i] for row, i in zip(ratings, chosen, strict=True)])
    others = [np.median(np.delete(row, i)) for row, i in zip(ratings, chosen, strict=True)]
    return Task(None, codes(given), np.abs(given - np.array(others)) >= FAR_TWEET, texts)


def nodules(folder: Path, name: str) -> Task:
    """Ratings of nodules; the features are the mean of the form as other readers filled it in."""
    sys.path.append(str(ROOT / "examples"))
    import plot_readers as source

    table = source.readings()
    nodule = source.nodules(table)
    several = np.bincount(nodule)[nodule] >= 3
    table, nodule = table[several], codes(nodule[several])
    ratings, form = table["malignancy"].to_numpy(), source.features(table)
    sums, count = form.groupby(nodule).transform("sum"), np.bincount(nodule)[nodule]
    X = (sums - form).to_numpy() / (count - 1)[:, None]
    median = np.array([np.median(others) for others in source.others_of(ratings, nodule)])
    return Task(X, codes(ratings), np.abs(ratings - median) >= FAR_NODULE, groups=nodule)


REAL: dict[str, tuple[Callable[[Path, str], Task], str]] = {
    "politeness, Wikipedia": (benchmark, "standford_politeness_wiki"),
    "politeness, Stack Exchange": (benchmark, "standford_politeness_stack"),
    "label aggregation": (benchmark, "label_aggregation_easy_diff"),
    "metaphor novelty": (benchmark, "metaphor_novelity_easy_diff"),
    "ratings, Wikipedia": (requests, "wikipedia"),
    "ratings, Stack Exchange": (requests, "stack-exchange"),
    "tweets": (tweets, "tweets"),
    "nodules": (nodules, ""),
    "sentences (CEFR)": (sentences, ""),
}


def plant(X: NDArray[np.float64], true: NDArray[np.int64], kind: str, draw: int) -> Any:
    """Labels of which some are wrong, and which."""
    if kind == "clean":
        return true, np.zeros(true.size, dtype=bool)
    if kind not in ("by features", "heaped"):
        return spoil(true, kind.replace("beside", "neighbour"), LEVEL, draw)
    rng = np.random.default_rng(draw)
    given, top, n_wrong = true.copy(), true.max(), int(LEVEL * true.size)
    if kind == "heaped":  # to an even level from the odd one beside it
        rows = np.flatnonzero(true % 2 == 1)
        rows = rng.choice(rows, min(n_wrong, rows.size), replace=False)
        up = (rng.integers(0, 2, rows.size) == 1) & (true[rows] < top)
        given[rows] += np.where(up, 1, -1)
    else:
        column = (X - X.mean(axis=0)) / X.std(axis=0)
        chance = 1.0 / (1.0 + np.exp(-3.0 * column[:, 0]))
        rows = rng.choice(true.size, n_wrong, replace=False, p=chance / chance.sum())
        given[rows] = (true[rows] + rng.integers(1, top + 1, n_wrong)) % (top + 1)
    return given, given != true


def task_of(folder: Path, name: str, kind: str, draw: int) -> Task:
    """A set with real errors (kind "real"), or one into which errors are planted."""
    if kind == "real":
        read, file = REAL[name]
        return read(folder, file)
    X, true = load(name)
    given, wrong = plant(X, true, kind, draw)
    return Task(X, codes(given), wrong)
