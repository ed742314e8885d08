"""Audits of rows that differ in weight: what is said of the weight, and what of rows."""

from dataclasses import replace

import dask
import dask.array as da
import numpy as np
import pytest

from csvor import audit_labels, audit_scores
from csvor._mixture.mixture import Mixture
from csvor.audit import _findings, candidate_models
from csvor.audit._findings import View, findings
from csvor.audit._labelling import Labelling


def combinations():
    """Case N57: 3 000 answers as a table of combinations with their counts."""
    rng = np.random.default_rng(0)
    columns = rng.integers(1, 6, 3000), rng.integers(0, 3, 3000), rng.integers(0, 2, 3000)
    score = columns[0] + 1.2 * columns[1] - 1.5 * columns[2] + 0.5 * rng.normal(size=3000)
    y = np.digitize(score, [2.2, 3.8, 5.2])
    bad = rng.choice(3000, 150, replace=False)
    y[bad] = (y[bad] + rng.integers(1, 4, 150)) % 4
    return np.unique(np.column_stack([*columns, y]), axis=0, return_counts=True)


def test_of_weighted_rows_the_share_is_that_of_the_weight():
    table, counts = combinations()
    X, y = table[:, :3], table[:, 3]
    model = candidate_models(X, fixed={"kernel": "linear", "C": 1.0})
    every = np.repeat(np.arange(counts.size), counts)
    of_rows = audit_labels(X[every], y[every], model, groups=every)
    counted = audit_labels(X, y, model, sample_weight=counts)
    assert counted.conclusive
    assert counted.share == pytest.approx(of_rows.share, abs=0.01)
    assert counted.named_share <= counted.high < 0.06
    assert counted.named > counts.size * counted.high
    named = counts[counted.flagged].sum() / counts.sum()
    assert counted.named_share == pytest.approx(named)
    share, low, high = (f"{3000 * one:.0f}" for one in (counted.share, counted.low, counted.high))
    assert f"about {share} ({low} to {high}) of 3000 labels are wrong; " in counted.summary
    right = f"about {counted.expected_right:.0f} of them should turn out to be wrong"
    assert counted.summary.endswith(
        f"{counted.named} rows are flagged, and {right}; they stand for {3000 * named:.0f} labels"
    )
    assert (counted.weighted, of_rows.weighted) == (True, False)
    none = replace(counted, named=0, expected_right=0.0, named_share=0.0)
    assert none.summary.endswith(" of 3000 labels are wrong; no row is sure enough to be flagged")
    scaled = audit_labels(X, y, model, sample_weight=counts / counts.mean())
    assert scaled.high - scaled.low > 2 * (counted.high - counted.low)
    share, high = (100 * one for one in (scaled.share, scaled.high))
    written = f"{share:.1f}".removesuffix(".0")
    assert f"about {written} % (" in scaled.summary
    assert f" to {high:.0f} %) of the weight of {counts.size} labels is wrong; " in scaled.summary


def test_of_few_rows_that_stand_for_many_something_can_be_said():
    """Six combinations that stand for 600 answers say what the answers say (case N57)."""
    score = np.repeat([-2.0, 0.0, 2.0], 2)
    y, counts = np.array([0, 1, 1, 0, 1, 0]), np.array([190.0, 10, 120, 80, 195, 5])
    table = audit_scores(score, y, sample_weight=counts)
    every = np.repeat(np.arange(6), counts.astype(int))
    answers = audit_scores(score[every], y[every])
    assert table.conclusive and answers.conclusive
    assert table.rank_correlation == pytest.approx(answers.rank_correlation)
    assert " of 600 " in table.summary
    assert table.summary.split(";")[0] == answers.summary.split(";")[0]
    few = audit_scores(score, y, sample_weight=counts / 100.5)
    assert not few.conclusive
    assert few.summary.startswith("nothing can be said of 6 labels")


@pytest.mark.filterwarnings("ignore:No rows of class 1")
def test_a_class_of_weight_0_is_refused(rng):
    """No row that counts says what it looks like: all of it would be named."""
    X = rng.normal(size=(300, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    y[:20] = rng.integers(0, 3, 20)
    weights = np.where(y == 1, 0.0, 1.0)
    with pytest.raises(ValueError, match="All rows of class 1 have weight 0"):
        audit_scores(X[:, 0], y, sample_weight=weights)
    with pytest.raises(ValueError, match="All rows of class 1 have weight 0"):
        audit_labels(X, y, models="own", sample_weight=weights)
    many = (np.tile(c, (70, *[1] * (c.ndim - 1))) for c in (X, y, weights))
    columns = [da.from_array(c, chunks=(7_000, *c.shape[1:])) for c in many]
    small = dask.config.set({"csvor.memory-limit": 100, "scheduler": "synchronous"})
    with small, pytest.raises(ValueError, match="All rows of class 1 have weight 0"):
        audit_labels(*columns[:2], models="own", sample_weight=columns[2])
    # Where some rows of the class count, the others are judged by these.
    weights[np.flatnonzero(y == 1)[::2]] = 1.0
    audit = audit_scores(X[:, 0], y, sample_weight=weights)
    assert audit.flagged[(y == 1) & (weights == 0.0)].mean() < 0.2
    # A class without any row is another matter.
    audit_scores(X[:, 0], y, classes=range(4), sample_weight=np.ones(300))


def test_weights_that_differ_widen_the_interval(rng):
    score = rng.normal(size=400)
    y = np.digitize(score + 0.3 * rng.normal(size=400), [-0.5, 0.5])
    y[:30] = (y[:30] + rng.integers(1, 3, 30)) % 3
    differ = np.where(rng.random(400) < 0.5, 0.2, 1.8)
    widths = {}
    for name, weights in (("alike", np.full(400, 0.999)), ("differ", differ), ("more", 7 * differ)):
        audit = audit_scores(score, y, sample_weight=weights)
        widths[name] = audit.high - audit.low
    assert widths["differ"] > 1.15 * widths["alike"]  # by Kish 1.28, at another share
    assert widths["more"] == pytest.approx(widths["differ"], rel=0.1)  # not narrower by any unit


def test_named_rows_have_no_more_weight_than_the_upper_end(monkeypatch):
    codes, score = np.repeat([1, 0], 100), np.repeat([5.0, -5.0], 100)
    codes[:6], score[:6] = 0, [4.0, 4.4, 5.0, 5.2, 5.6, 6.0]
    weights = np.ones(200)
    weights[5] = 3.0  # of the label that is most probably wrong
    margins = score[:, None]
    views = [View(Mixture(np.ones(1), np.zeros(1), 0.1, 0.0, 0.0), margins, margins)]
    named = []
    for high in (0.1, 0.0215):
        monkeypatch.setattr(_findings, "interval", lambda *_, high=high: (0.01, 0.0, high))
        labelling = Labelling(codes, weights)
        found = findings(views, labelling, labelling, classes=np.arange(2))
        assert found["named_share"] <= high
        named.append(np.flatnonzero(found["flagged"]).tolist())
    assert named == [[0, 1, 2, 3, 4, 5], [4, 5]]


def test_a_weight_of_four_is_four_rows(rng):
    score = rng.normal(size=300)
    y = np.digitize(score + 0.3 * rng.normal(size=300), [-0.5, 0.5])
    y[:15] = (y[:15] + rng.integers(1, 3, 15)) % 3
    weighted = audit_scores(score, y, sample_weight=np.full(300, 4.0))
    rows = audit_scores(np.repeat(score, 4), np.repeat(y, 4))
    for name in ("share", "low", "high", "log_likelihood", "odds_range"):
        assert getattr(weighted, name) == pytest.approx(getattr(rows, name), rel=1e-3), name
    assert rows.odds_range[0] < 0.6 < 1.5 < rows.odds_range[1]
