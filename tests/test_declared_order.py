"""A declared order of the classes that the features contradict is noted, and no other."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from csvor import CSVOR, audit_labels
from csvor.audit._data import audit_data
from csvor.audit._declared_order import notes_on_order
from csvor.cli.commands._app import app

RIGHT = ["none", "mild", "moderate", "severe", "critical"]
DECLARED = ["critical", "none", "severe", "mild", "moderate"]


def severities(rng, n=300):
    X = rng.normal(size=(n, 4))
    score = X @ [1.0, 2.0, -1.0, 0.0] + 0.5 * rng.normal(size=n)
    return X, np.array(RIGHT)[np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))]


def notes(X, y, classes, weights=None):
    rows = audit_data((X, y, weights, None, None, None, None), (classes, None, 5, 0))
    return notes_on_order(rows, CSVOR())


def says(order):
    return " < ".join(order)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, pd.DataFrame])
def test_another_order_is_named(container, rng):
    X, y = severities(rng)
    (note,) = notes(container(X), y, DECLARED)
    assert says(RIGHT) in note or says(RIGHT[::-1]) in note
    assert notes(container(X), y, RIGHT) == notes(container(X), y, RIGHT[::-1]) == ()


def test_rows_without_weight_say_nothing(rng):
    X, y = severities(rng)
    doubled, weights = np.r_[X, rng.normal(size=X.shape)], np.repeat([1.0, 0.0], len(y))
    (note,) = notes(doubled, np.r_[y, rng.permutation(y)], DECLARED, weights)
    assert says(RIGHT) in note or says(RIGHT[::-1]) in note


@pytest.mark.parametrize(("n", "n_classes"), [(30, 3), (200, 2), (200, 5), (400, 9)])
def test_no_order_is_read_out_of_chance(n, n_classes, rng):
    for _ in range(5):
        X, y = rng.normal(size=(n, 6)), rng.permutation(np.arange(n) % n_classes)
        assert notes(X, y, None) == ()


def test_neighbours_exchanged_are_no_other_scale(rng):
    X, y = severities(rng)
    assert notes(X, y, [*RIGHT[1::-1], *RIGHT[2:]]) == ()


def test_in_memory_and_in_partitions(rng):
    da = pytest.importorskip("dask.array")
    import dask

    X, y = severities(rng, 600)
    here = audit_labels(X, y, CSVOR(contamination=0.0), classes=DECLARED)
    with dask.config.set({"csvor.memory-limit": "12kB", "scheduler": "synchronous"}):
        lazy = da.from_array(X, chunks=(100, 4)), da.from_array(y, chunks=100)
        there = audit_labels(*lazy, CSVOR(contamination=0.0), classes=DECLARED)
    assert isinstance(there.probability, da.Array)
    for audit in (here, there):
        (note,) = audit.notes
        assert says(RIGHT) in note or says(RIGHT[::-1]) in note
        assert repr(audit).endswith(note)


def test_the_command_says_it_once(rng, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = severities(rng)
    pd.DataFrame(X, columns=list("abcd")).assign(grade=y).to_csv("t.csv", index=False)
    words = "audit t.csv --target grade --models own --kernel linear --report r.html --json"
    done = CliRunner().invoke(app, [*words.split(), "--classes", ",".join(DECLARED)])
    (note,) = [note for note in json.loads(done.stdout)["notes"] if "order" in note]
    assert done.stderr.count(note) == (tmp_path / "r.html").read_text().count("far better in") == 1
