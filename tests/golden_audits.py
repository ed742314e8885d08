"""Audits whose outcome is kept in a file, so that another way to compute them can be held to it.

``python tests/golden_audits.py write [NAME ...]`` audits all sets, or those named, and keeps what
each of the 17 entries says; ``check`` audits them again and prints what differs, old and new. Sets
of the benchmarks are read from the folder that CSVOR_DATA names, and left as they are without it.

Small sets are audited in memory (handed over as dask arrays they come here and say the same).
Those of 20 400 rows are audited in memory and in partitions: two records each, which agree.
"""

import argparse
import hashlib
import json
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import golden
from csvor import CSVOR, REDSVM, SVOREX, SVORIM, datasets
from csvor.audit import audit_labels

ROOT = Path(__file__).resolve().parents[1]
KEPT = Path(__file__).with_name("golden_audits.json")
# Of two folds, each leaves more rows than are brought here whatever they take.
MANY, ROOM = 20_400, 400_000
# Numbers are equal up to this much and this share of them.
RELATIVE = 1e-6
# The suspects, and the rows of each column of numbers, that are kept.
SUSPECTS, SHOWN = 20, 8
NUMBERS = ("share", "low", "high", "log_likelihood", "n_judged", "named", "expected_right")
OF_ROWS = ("probability", "suggested_probability", "class_probabilities")
LABELS = ("flagged", "given", "suggested", "direction", "predicted")
FORMS = ("memory", "partitions")


@dataclass(frozen=True)
class Case:
    """A set to audit: ``data`` makes X, y and a dict of columns beside them."""

    name: str
    data: Callable[[], tuple[Any, Any, dict[str, Any]]]
    estimator: Any = field(default_factory=lambda: CSVOR(contamination=0.1))
    options: dict[str, Any] = field(default_factory=lambda: {"cv": 3})
    forms: tuple[str, ...] = ("memory",)
    # To which both forms agree: sums of slacks end within 1e-6 of their optimum, where
    # probabilities are 1e-5 apart (1e-6 where they end within 1e-8).
    tol: float = RELATIVE


def rows(seed, **options):
    X, y, weights = golden.rows(seed, **options)
    return X, y, {} if weights is None else {"sample_weight": weights}


def spoilt(X, y, share=0.12):
    """The same with some labels drawn at random from all."""
    rng = np.random.default_rng(len(y))
    some = rng.random(len(y)) < share
    return X, np.where(some, rng.choice(np.unique(y), len(y)), y), {}


def clusters():
    X, y, _ = datasets.make_ordinal_clusters(50, n_outliers=9, random_state=0)
    return X, y, {}


def reviews():
    texts, stars = datasets.make_ordinal_reviews(120, random_state=0)
    return spoilt(CountVectorizer(min_df=4).fit_transform(texts).astype(float), stars)


def images():
    pixels, y = datasets.make_ordinal_images(90, n_classes=3, side=12, random_state=0)
    return spoilt(pixels.reshape(len(y), -1), y)


def reviewed(seed, n):
    """Weights, labels that a review set right or confirmed, and groups of rows."""
    X, y, known = rows(seed, n=n, d=3, weighted=True)
    rng = np.random.default_rng(seed)
    confirmed, original = rng.random(n) < 0.1, y.copy()
    original[confirmed] = 1 + (y[confirmed] - 1 + rng.integers(0, 2, confirmed.sum())) % 4
    groups = rng.integers(0, n // 4, n)
    return X, y, {**known, "confirmed": confirmed, "original": original, "groups": groups}


def words(seed, n, **options):
    X, y, known = rows(seed, n=n, **options)
    return X, np.array(["poor", "fair", "good", "best"])[y - 1], known


def diabetes():
    X, target = load_diabetes(return_X_y=True)
    return spoilt(X, datasets.equal_frequency(target, 4))


def loaded(load, some=slice(None)):
    X, y = load(return_X_y=True)
    return spoilt(X[some], y[some])


def benchmark(name):
    bunch = datasets.load(name, folder())
    return spoilt(bunch.data, bunch.target)


def folder():
    return (ROOT / os.environ.get("CSVOR_DATA", "../shared/data")).resolve()


CLASSES = ["poor", "fair", "good", "best"]
SCALED = make_pipeline(StandardScaler(), CSVOR(contamination=0.1))
RBF = make_pipeline(StandardScaler(), CSVOR(contamination=0.1, kernel="rbf", gamma=0.1))
SMALL = (
    Case("clusters", clusters),
    Case("compared", lambda: rows(3, n=40, d=2, k=3, wrong=0.3), None, {"cv": 2, "models": "own"}),
    Case("rows, fdr", lambda: rows(1), options={"cv": 5, "fdr": 0.1}),
    Case("reviewed, groups", lambda: reviewed(2, 200), options={"cv": 4}),
    Case("words", lambda: words(4, 160), SCALED, {"cv": 3, "classes": CLASSES}),
    Case("missing class", lambda: rows(12, k=5, d=3, without=3, wrong=0.25, weighted=True),
         options={"cv": 3, "classes": [1, 2, 3, 4, 5]}),
    Case("reviews, sparse", reviews, CSVOR(contamination=0.1, C=0.1)),
    Case("images", images, CSVOR(contamination=0.1, C=0.01)),
    Case("iris", lambda: loaded(load_iris), make_pipeline(StandardScaler(), SVOREX()), {"cv": 5}),
    Case("wine", lambda: loaded(load_wine), [SCALED, RBF]),
    Case("breast cancer", lambda: loaded(load_breast_cancer, slice(0, 300)), SCALED, {"cv": 2}),
    Case("diabetes", diabetes, make_pipeline(StandardScaler(), SVORIM())),
)  # fmt: skip
LARGE = (
    Case("many rows", lambda: rows(6, n=MANY, d=3), options={"cv": 2}, forms=FORMS),
    Case("many, reviewed, groups", lambda: reviewed(7, MANY),
         options={"cv": 2, "fdr": 0.05}, forms=FORMS),
    Case("many, words", lambda: words(8, MANY, d=3), make_pipeline(StandardScaler(), REDSVM()),
         {"cv": 2, "classes": CLASSES}, FORMS, 1e-4),
)  # fmt: skip
BENCHMARKS = tuple(
    Case(name, lambda name=name: benchmark(name), SCALED)
    for name in ("newthyroid", "tae", "machine")
)
CASES = {case.name: case for case in (*SMALL, *LARGE, *BENCHMARKS)}


def audit(case, form="memory", noise=0.0):
    """The audit of a case; in partitions with so little room that all rows stay there."""
    X, y, columns = case.data()
    if noise:
        of_row = 1.0 + noise * np.random.default_rng(1).uniform(-1.0, 1.0, (X.shape[0], 1))
        X = X.multiply(of_row).tocsr() if hasattr(X, "tocsr") else X * of_row
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes and iterations, which sets run out of
        if form == "memory":
            return audit_labels(X, y, case.estimator, **columns, **case.options)
        return in_partitions(X, y, columns, case)


def in_partitions(X, y, columns, case):
    import dask
    import dask.array as da

    assert X.nbytes > ROOM, "all rows would come here"
    third = -(-len(y) // 3)
    laid = {name: da.from_array(value, chunks=third + 7) for name, value in columns.items()}
    with dask.config.set({"csvor.memory-limit": ROOM, "scheduler": "synchronous"}):
        found = audit_labels(
            da.from_array(X, chunks=(third, -1)), da.from_array(y, chunks=third), case.estimator,
            **laid, **case.options,
        )  # fmt: skip
        return dask.compute(vars(found))[0]


def outcome(found):
    """What is kept of an audit, or of the dict of its entries."""
    entries = found if isinstance(found, dict) else vars(found)
    order = entries["order"][: SUSPECTS + 1]
    probability = entries["probability"][order]
    return {
        **{name: float(entries[name]) for name in NUMBERS},
        **{name: column(entries[name]) for name in OF_ROWS},
        **{name: labels(entries[name]) for name in LABELS},
        "classes": [str(name) for name in entries["classes"]],
        "order": [[int(row), float(p)] for row, p in zip(order, probability, strict=True)],
    }


def column(values):
    """A column of numbers: its mean, its mean square, and some rows of it."""
    rows = np.linspace(0, len(values) - 1, SHOWN).astype(int)
    return {
        "mean": np.mean(values, axis=0).tolist(),
        "mean square": np.mean(values**2, axis=0).tolist(),
        "rows": values[rows].tolist(),
    }


def labels(values):
    """A column of labels: how often there is each, and what tells one column from another."""
    names, counts = np.unique(values, return_counts=True)
    text = "\n".join(map(str, np.asarray(values).tolist()))
    return {
        "counts": dict(zip(map(str, names.tolist()), counts.tolist(), strict=True)),
        "sha256": hashlib.sha256(text.encode()).hexdigest()[:12],
    }


def differences(found, kept, tol=RELATIVE):
    """One line for each entry of an outcome that is not as it is kept."""
    lines = []
    for name in NUMBERS:
        if apart(found[name], kept[name], tol):
            lines.append(f"{name}: {kept[name]:.10g} is now {found[name]:.10g}")
    for name in OF_ROWS:
        for part, value in kept[name].items():
            if apart(found[name][part], value, tol):
                worst = np.abs(np.subtract(found[name][part], value)).max()
                lines.append(f"{name}, {part}: up to {worst:.2g} apart")
    for name in LABELS:
        if found[name]["counts"] != kept[name]["counts"]:
            lines.append(f"{name}: {kept[name]['counts']} is now {found[name]['counts']}")
        elif found[name]["sha256"] != kept[name]["sha256"]:
            lines.append(f"{name}: as many of each, in other rows")
    if found["classes"] != kept["classes"]:
        lines.append(f"classes: {kept['classes']} is now {found['classes']}")
    if orders_differ(found["order"], kept["order"], tol):
        lines.append(
            f"order: {[r for r, _ in kept['order']]} is now {[r for r, _ in found['order']]}"
        )
    return lines


def apart(found, kept, tol):
    alike = np.shape(found) == np.shape(kept)
    return not (alike and np.allclose(found, kept, rtol=tol, atol=tol))


def orders_differ(found, kept, tol):
    """Whether other rows come first; those that are as probably wrong may change places."""
    if apart([p for _, p in found], [p for _, p in kept], tol):
        return True
    gaps = np.abs(np.diff([p for _, p in kept]))
    near = np.append(np.inf, gaps), np.append(gaps, 0.0)  # one more row may tie with the last
    firm = np.minimum(*near) > 10 * tol
    return any(a[0] != b[0] for a, b in np.array([found, kept])[:, firm].swapaxes(0, 1))


def write(path, names):
    """Keep the outcome of the audits; a set that noise carries elsewhere is not fit for it."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    unfit = 0
    for case in chosen(names):
        for form in case.forms:
            found = outcome(audit(case, form))
            moved = differences(outcome(audit(case, form, noise=1e-13)), found)
            unfit += bool(moved)
            if moved:
                print(f"{case.name}, {form}: depends on rounding: {'; '.join(moved)}")
                continue
            kept.setdefault(case.name, {})[form] = found
            print(f"{case.name}, {form}: {found['named']:.0f} named", flush=True)
    lines = (f"{json.dumps(name)}: {json.dumps(kept[name])}" for name in CASES if name in kept)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return int(unfit > 0)


def check(path, names):
    """Print the differences; 1 where there are any."""
    kept, failed = json.loads(path.read_text(encoding="utf-8")), 0
    for case in chosen(names):
        for form in case.forms:
            lines = differences(outcome(audit(case, form)), kept[case.name][form])
            failed += bool(lines)
            print(f"{case.name}, {form}: {'differs' if lines else 'same'}")
            print("".join(f"    {line}\n" for line in lines), end="")
    print(f"{failed} audits differ")
    return int(failed > 0)


def chosen(names):
    """The cases of these names, or all for which there are data."""
    there = [case for case in CASES.values() if case not in BENCHMARKS or folder().is_dir()]
    return [CASES[name] for name in names] or there


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["write", "check"])
    parser.add_argument("names", nargs="*", help="sets, by name (default: all)")
    parser.add_argument("--out", type=Path, default=KEPT, help="the file that is written or read")
    given = parser.parse_args()
    sys.exit({"write": write, "check": check}[given.task](given.out, given.names))
