"""Sparse rows beside LinearSVC: times, certified gaps, memory; and columns of words.

    python benchmarks/sparse_rows.py

Fits run in turn, once each. LinearSVC has the hinge and the same C; its binary problem is that of
the middle threshold.
"""

import time
import tracemalloc
import warnings

import numpy as np
from dirty import markdown, versions, write_result
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import OneHotEncoder, normalize
from sklearn.svm import LinearSVC

from csvor import CSVOR, SVOREX

ROWS, COLUMNS, STORED = 100_000, 50_000, 50
SEPARABLE = 50_000, 20_000
WORDS = ((5_000, 400), (20_000, 900))


def labels_of(score, rng):
    """Five even classes, a tenth of them at random."""
    score = score + 0.3 * score.std() * rng.normal(size=score.size)
    y = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    return np.where(rng.random(y.size) < 0.1, rng.integers(0, 5, y.size), y)


def stored_rows(data, columns, shape):
    starts = np.arange(0, columns.size + 1, STORED, dtype=np.int32)
    X = sparse.csr_array((data, columns.astype(np.int32), starts), shape=shape)
    X.sum_duplicates()
    return X


def rows_of(columns, rng):
    """Rows of these columns, with numbers of length 1."""
    return normalize(stored_rows(rng.uniform(0.5, 1.5, columns.size), columns, (ROWS, COLUMNS)))


def separable():
    """Rows of numbers from 0 to 1, whose labels are those of a linear score."""
    rng, (n, d) = np.random.default_rng(0), SEPARABLE
    columns, data = rng.integers(0, d, n * STORED), rng.uniform(size=n * STORED)
    X = stored_rows(data, columns, SEPARABLE)
    score = X @ rng.normal(size=d)
    return X, np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))


def problems():
    """Columns alike, and as often as words are: one over their rank."""
    rng = np.random.default_rng(0)
    alike = rows_of(rng.integers(0, COLUMNS, ROWS * STORED), rng)
    shares = 1.0 / np.arange(1, COLUMNS + 1)
    ranked = rows_of(rng.choice(COLUMNS, ROWS * STORED, p=shares / shares.sum()), rng)
    for name, X in (("columns alike", alike), ("columns as often as words", ranked)):
        yield name, X, labels_of(X @ rng.normal(size=COLUMNS), rng)
    yield "labels that can be separated", *separable()


def timed(model, X, y):
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    return time.perf_counter() - start


def memory_of(model, X, y):
    """Peak beside X, in units of X."""
    tracemalloc.start()
    timed(model, X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def beside_linear_svc():
    for name, X, y in problems():
        peer, high = LinearSVC(loss="hinge", dual=True), (y >= 3).astype(int)
        all_classes, one = timed(peer, X, y), timed(peer, X, high)
        slacks, capped, binary = SVOREX(), CSVOR(), SVOREX()
        ours, cut, single = timed(slacks, X, y), timed(capped, X, y), timed(binary, X, high)
        row = [
            name, f"{all_classes:.1f} s", f"{one:.1f} s",
            f"{ours:.1f} s", f"{ours / all_classes:.2f}", f"{slacks.gap_:.0e}",
            f"{single:.1f} s", f"{single / one:.2f}",
            f"{cut:.1f} s", f"{cut / all_classes:.2f}", f"{capped.gap_:.0e}",
            f"{memory_of(SVOREX(tol=1e-3), X, y):.2f}", f"{memory_of(CSVOR(tol=1e-3), X, y):.2f}",
        ]  # fmt: skip
        print(row, flush=True)
        yield row


def columns_of_words():
    rng = np.random.default_rng(1)
    for n, levels in WORDS:
        table = rng.integers(0, levels, (n, 2))
        effect = rng.normal(size=(levels, 2))
        y = labels_of(effect[table[:, 0], 0] + effect[table[:, 1], 1], rng)
        X = OneHotEncoder().fit_transform(table)
        model = CSVOR()
        row = [f"{n} x 2 x {levels}", f"{timed(model, X, y):.2f} s", f"{model.gap_:.0e}"]
        print(row, flush=True)
        yield row


def report():
    head = [
        "rows", "LinearSVC, five classes", "one threshold", "SVOREX, five classes", "ratio",
        "gap_", "SVOREX, one threshold", "ratio", "CSVOR, five classes", "ratio", "gap_",
        "memory beside X, SVOREX", "CSVOR",
    ]  # fmt: skip
    warm = sparse.random_array((500, 400), density=0.05, rng=0, format="csr")
    for model in (SVOREX(), CSVOR()):  # compiles
        timed(model, warm, np.arange(500) % 5)
    return f"""# Sparse rows

{ROWS} x {COLUMNS}, {STORED} numbers a row of length 1, five classes, C = 1; labels that can be
separated, of {SEPARABLE[0]} x {SEPARABLE[1]}, numbers from 0 to 1. Memory is traced in a fit of its
own at tol = 1e-3, in units of X.

{markdown(head, list(beside_linear_svc()))}

Two columns of words, one-hot:

{markdown(["rows x columns x words", "CSVOR", "gap_"], list(columns_of_words()))}

`python benchmarks/sparse_rows.py` with
{versions("csvor", "scikit-learn")}.
"""


if __name__ == "__main__":
    write_result("sparse_rows", report())
