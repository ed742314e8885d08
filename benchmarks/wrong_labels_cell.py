"""One file with wrong labels: what `csvor audit` says of it, and what cleanlab does."""

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from cleanlab.count import num_label_issues
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from dirty import ROOT, Data, load, mislabel
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import csvor

Labels = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST_ROWS = 1000
CLASSIFIERS = {
    "LR": LogisticRegression(max_iter=1000),
    "HGB": HistGradientBoostingClassifier(random_state=0),
}
RANKINGS = ("self_confidence", "normalized_margin", "confidence_weighted_entropy")
N_RATERS = 5
# Without and with a column of who labelled.
ONE_RATER = ("one rater", "one rater, --rater")


class Cell(NamedTuple):
    """A data set, a kind of error, the share of labels that it is to hit, and a seed."""

    name: str
    kind: str
    level: float
    draw: int


def code(*sources: Path) -> str:
    """What a result depends on beside the cell: files of this benchmark, others, and packages."""
    sources = (*sources, Path(__file__), ROOT / "benchmarks/dirty.py")
    text = b"".join(path.read_bytes() for path in sorted(sources))
    packages = [version(name) for name in ("cleanlab", "numpy", "scikit-learn", "skordinal")]
    return hashlib.sha256(text + repr(packages).encode()).hexdigest()[:12]


def code_of_csvor() -> str:
    """The same with the sources of csvor."""
    return code(*Path(csvor.__file__).parent.rglob("*.py"))


def some_rows(name: str, draw: int) -> Data:
    """A data set, or a random part of it."""
    X, y = load(name)
    if y.size > MOST_ROWS:
        rows = np.random.default_rng(draw).choice(y.size, MOST_ROWS, replace=False)
        X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    return X, y


def raters_of(n: int, draw: int) -> Labels:
    """Who labelled each row."""
    return np.random.default_rng(draw).integers(0, N_RATERS, n)


def spoil(true: Labels, kind: str, level: float, draw: int) -> tuple[Labels, Mask]:
    """Labels of which some are wrong, and which."""
    if kind == "uniform":
        return mislabel(true, level, draw)
    rng = np.random.default_rng(draw)
    given, top = true.copy(), true.max()
    n_wrong = int(level * true.size)
    if kind == "neighbour":
        rows = rng.choice(true.size, n_wrong, replace=False)
        up = rng.integers(0, 2, n_wrong) == 1
        up = (up | (true[rows] == 0)) & (true[rows] != top)
        given[rows] += np.where(up, 1, -1)
    elif kind == "mirrored":
        rows = rng.choice(np.flatnonzero(true != top - true), n_wrong, replace=False)
        given[rows] = top - true[rows]
    elif kind == "one class":
        frequent = np.bincount(true).argmax()
        rows = rng.choice(np.flatnonzero(true == frequent), n_wrong, replace=False)
        given[rows] = (frequent + rng.integers(1, top + 1, n_wrong)) % (top + 1)
    elif kind in ONE_RATER:
        rows = raters_of(true.size, draw) == 0
        given[rows] = np.minimum(true[rows] + 1, top)
    else:
        raise ValueError(f"no kind of error is called {kind!r}.")
    return given, given != true


def labels_of(cell: Cell) -> tuple[NDArray[np.float64], Labels, Mask]:
    """Features, labels, and which of these are wrong."""
    warnings.simplefilter("ignore")  # of classes rarer than the folds
    X, true = some_rows(cell.name, cell.draw)
    return X, *spoil(true, cell.kind, cell.level, cell.draw)


def measure(cell: Cell, code: str) -> dict[str, Any]:
    """The truth, and what `csvor audit` finds; `code` keeps results apart."""
    X, given, wrong = labels_of(cell)
    raters = raters_of(wrong.size, cell.draw) if cell.kind == ONE_RATER[1] else None
    found = {**cell._asdict(), "truth": wrong.mean(), **audited(X, given, wrong, raters)}
    print(*cell, f"{found['seconds']:.0f} s", file=sys.stderr, flush=True)
    return found


def compare(cell: Cell, code: str) -> dict[str, Any]:
    """What cleanlab finds."""
    X, given, wrong = labels_of(cell)
    return {
        f"{short} {name}": value
        for short, classifier in CLASSIFIERS.items()
        for name, value in by_cleanlab(X, given, wrong, classifier).items()
    }


def audited(
    X: NDArray[np.float64], given: Labels, wrong: Mask, raters: Labels | None
) -> dict[str, Any]:
    """By the command line, with no option but the target, and raters where they are known."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "data.csv")
        table = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
        known = {} if raters is None else {"who": raters}
        table.assign(y=given, **known).to_csv(file, index=False)
        command = [sys.executable, "-m", "csvor.cli", "audit", str(file), "--target", "y", "--json"]
        command += ["--rater", "who"] if known else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    document = json.loads(done.stdout)
    rows = pd.DataFrame(document["suspects"]).set_index("row").loc[1 + np.arange(wrong.size)]
    flagged = rows["flagged"].to_numpy(bool)
    answer = document["wrong_labels"]
    return {
        **{name: answer[name] for name in ("share", "low", "high")},
        "flagged": flagged.sum(),
        "share flagged": flagged.mean(),
        "promised": answer["expected_right"],
        "right": wrong[flagged].sum(),
        "precision": precision(wrong, rows["probability"].to_numpy()),
        "seconds": seconds,
    }


def by_cleanlab(
    X: NDArray[np.float64], given: Labels, wrong: Mask, classifier: Any
) -> dict[str, Any]:
    """By out-of-fold probabilities: its count, the rows that it names, and its rankings."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), classifier)
    mass = cross_val_predict(model, X, given, cv=folds, method="predict_proba")
    named = find_label_issues(given, mass, n_jobs=1)
    return {
        "share": num_label_issues(given, mass) / given.size,
        "flagged": named.sum(),
        "right": wrong[named].sum(),
        **{
            method: precision(wrong, -get_label_quality_scores(given, mass, method=method))
            for method in RANKINGS
        },
    }


def precision(wrong: Mask, suspicion: NDArray[np.float64]) -> float:
    """Average precision; NaN where no label is wrong."""
    return float(average_precision_score(wrong, suspicion)) if wrong.any() else float("nan")
