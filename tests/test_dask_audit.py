"""Audits of dask arrays and dataframes are those of the rows in memory."""

import re
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

import csvor._mixture.objective
import csvor.audit._candidates
import csvor.audit._labels
from csvor import CSVOR, PINSVOR
from csvor.audit import audit_labels
from csvor.report import write_audit_report
from csvor.report.audit._distributions import confusion_of, probability_groups, score_chart
from problems import mislabel
from test_audit_models import steps
from test_many_rows import rows

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

# Of two parts, each leaves more rows than are brought here whatever they take.
N = 20_400
OF_ROWS = (
    "probability", "flagged", "given", "suggested", "direction", "suggested_probability",
    "class_probabilities", "predicted", "residual", "score",
)  # fmt: skip


@pytest.fixture(scope="module")
def data():
    return rows(N)


@pytest.fixture(scope="module", autouse=True)
def elsewhere():
    """So little room that all rows stay in their partitions; mixtures are those of some rows."""
    with (
        dask.config.set({"csvor.memory-limit": "400kB", "scheduler": "synchronous"}),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(csvor._mixture.objective, "_ENOUGH", 2500)
        yield


def lazy(X, y, chunks=5000):
    return da.from_array(X, chunks=(chunks, 2)), da.from_array(y, chunks=4000)


def same(found, here, atol=1e-7):
    for name in OF_ROWS:
        value, expected = getattr(found, name), getattr(here, name)
        assert isinstance(value, da.Array)
        assert (value.shape, value.dtype) == (expected.shape, expected.dtype)
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(value, expected, atol=atol)
        else:
            np.testing.assert_array_equal(value, expected)
    for name in ("share", "low", "high", "log_likelihood", "named", "expected_right", "n_judged"):
        assert getattr(found, name) == pytest.approx(getattr(here, name), rel=1e-5)
    np.testing.assert_allclose(found.thresholds, here.thresholds, atol=atol)
    assert len(found.order) == 1000
    np.testing.assert_allclose(here.probability[found.order], here.probability[here.order[:1000]])


MODEL = CSVOR(contamination=0.1)


@pytest.fixture(scope="module")
def here(data, elsewhere):
    return audit_labels(*data, MODEL, cv=2)


@pytest.fixture(scope="module")
def there(data, elsewhere):
    return audit_labels(*lazy(*data), MODEL, cv=2)


def test_the_audit_is_that_of_the_rows_in_memory(here, there):
    found = there
    same(found, here)
    assert found.probability.chunks == ((5000, 5000, 5000, 5000, 400),)
    assert found.summary == here.summary and repr(found) == repr(here)
    np.testing.assert_allclose(found.model.coef_, here.model.coef_, rtol=1e-7)
    frame, expected = found.to_frame(), here.to_frame().loc[found.order]
    assert list(frame.columns) == list(expected.columns) and frame.index.name == "position"
    assert (frame["suggested"] == expected["suggested"]).all()


@pytest.mark.parametrize("draw", range(6))
def test_draws_differ_only_where_rows_near_a_kink_have_no_room(draw):
    """In memory fits take a third of the rows and more; of 200 kB 29 % have room.

    Then they end at another point that is as low, to their `tol`.
    """
    X, y = rows(N, seed=draw)
    here = audit_labels(X, y, MODEL, cv=2)
    same(audit_labels(*lazy(X, y), MODEL, cv=2), here, atol=1e-6)
    with dask.config.set({"csvor.memory-limit": "200kB"}):
        found = audit_labels(*lazy(X, y), MODEL, cv=2)
        off = np.abs(np.asarray(found.probability) - here.probability).max()
    assert off < 1e-2
    assert found.model.objective_ == pytest.approx(here.model.objective_, rel=MODEL.tol)


def test_quantiles_are_estimated_from_the_rows_that_they_are_in_memory():
    """From 40 000 rows a fold on these are some, drawn in the order that follows from content."""
    X, y = rows(81_000)
    here = audit_labels(X, y, MODEL, cv=2)
    with dask.config.set({"csvor.memory-limit": "2.5MB"}):
        found = audit_labels(*lazy(X, y), MODEL, cv=2)
        same(found, here, atol=1e-6)


def test_partitions_of_any_size_give_the_same(data, here):
    """Empty ones and such of unknown length among them."""
    X, y = data
    parts = [slice(a, b) for a, b in pairwise([0, 1, 1, 9000, 9003, 9003, N])]
    uneven_X = da.concatenate([da.from_array(X[part], chunks=(-1, -1)) for part in parts])
    uneven_y = da.concatenate([da.from_array(y[part], chunks=-1) for part in parts])
    every = da.concatenate([da.ones(part.stop - part.start, dtype=bool) for part in parts])
    same(audit_labels(uneven_X[every], uneven_y[every], MODEL, cv=2), here)


def test_what_is_known_of_labels_counts_as_in_memory(data):
    X, y = data
    rng = np.random.default_rng(3)
    confirmed, original = rng.random(N) < 0.1, y.copy()
    original[confirmed] = (y[confirmed] + rng.integers(0, 2, confirmed.sum())) % 5
    groups, weights = rng.integers(0, 300, N), rng.integers(1, 3, N).astype(float)
    known = {"confirmed": confirmed, "original": original, "sample_weight": weights, "fdr": 0.05}
    here = audit_labels(X, y, MODEL, cv=2, groups=groups, **known)
    laid = {name: da.from_array(known[name], chunks=6000) for name in list(known)[:3]}
    found = audit_labels(*lazy(X, y), MODEL, cv=2, groups=groups, fdr=0.05, **laid)
    same(found, here)
    assert found.named > 0 and found.expected_right / found.named > 0.95


def curved(n, share, seed=0):
    """Classes by the distance from the middle, a share of labels wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    truth = np.digitize((X**2).sum(axis=1) + 0.1 * rng.normal(size=n), [1.2, 2.4, 4.0])
    wrong = rng.random(n) < share
    return X, np.where(wrong, (truth + rng.integers(1, 4, n)) % 4, truth), wrong


def test_models_are_compared_on_rows_drawn_by_their_number(monkeypatch):
    """A curve wins, on landmarks drawn here, and finds how many labels are wrong and which."""
    monkeypatch.setattr(csvor.audit._candidates, "COMPARED", 600)
    monkeypatch.setattr(csvor.audit._candidates, "_LANDMARKS", 20)
    monkeypatch.setattr(csvor.audit._candidates, "_CURVES", ((30.0, 0.1), (30.0, 0.3)))
    X, y, wrong = curved(N, 0.1)
    done = []
    parts = da.from_array(X, chunks=(9000, 3)), da.from_array(y)
    audit = audit_labels(*parts, cv=2, progress=lambda *of: done.append(of))
    assert done[-1][0] == done[-1][1] and len(audit.candidates) > 5
    assert audit.model.steps[1][0] == "landmarks" and audit.model[-1].kernel == "linear"
    assert audit.share == pytest.approx(0.1, abs=0.015)
    assert audit.low < wrong.mean() < audit.high
    flagged = audit.flagged.compute()
    assert flagged.sum() == audit.named
    assert wrong[flagged].mean() > 0.9 and flagged[wrong].mean() > 0.8
    assert (audit.model.predict(X) == y).mean() == pytest.approx(0.9, abs=0.1)


def test_a_clean_set_gets_a_clean_answer():
    X, y, _ = curved(N, 0.0)
    squares = {"kernel": "poly", "degree": 2, "coef0": 1.0, "n_components": 10, "random_state": 0}
    model = CSVOR(contamination="auto", **squares)
    audit = audit_labels(da.from_array(X, chunks=(9000, 3)), da.from_array(y), model, cv=2)
    assert audit.share < 0.005 and audit.named < 0.001 * N


def test_dataframes_and_words(data, here):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    words = np.array(["poor", "fair", "good", "better", "best"])
    frame = pd.DataFrame(data[0], columns=list("abcd"))
    frame["grade"] = pd.Categorical(words[data[1]], words, ordered=True)
    parts = dd.from_pandas(frame, npartitions=3)
    audit = audit_labels(parts[list("abcd")], parts["grade"], MODEL, cv=2)
    assert audit.classes.tolist() == words.tolist()
    np.testing.assert_array_equal(audit.suggested, words[here.suggested])
    np.testing.assert_allclose(audit.probability, here.probability, atol=1e-7)


def test_csr_blocks(data, here):
    blocks = da.from_array(data[0], chunks=(10_200, 4)).map_blocks(sparse.csr_matrix)
    with pytest.warns(UserWarning, match="let all rows come to this process"):
        audit = audit_labels(blocks, data[1], MODEL, cv=2)
    assert audit.share == pytest.approx(here.share, rel=1e-3)
    assert np.mean(audit.flagged.compute() == here.flagged) > 0.999


def test_small_data_are_audited_in_memory():
    X, y = rows(400)
    here = audit_labels(X, y, MODEL)
    found = audit_labels(*lazy(X, y, 150), MODEL)
    for name in OF_ROWS:
        np.testing.assert_array_equal(getattr(found, name), getattr(here, name))
        assert getattr(found, name).chunks[0] == (150, 150, 100)
    assert found.summary == here.summary
    pytest.importorskip("pandas")
    assert found.to_frame().equals(here.to_frame())


def without_the_minute(page):
    """The page's text but for the minute that it says it was written in."""
    text, n = re.subn(r"20\d\d-\d\d-\d\d \d\d:\d\d UTC", "", page.read_text("utf-8"))
    assert n == 1
    return text


def test_the_page_of_rows_that_all_come_here_is_that_of_rows_in_memory(tmp_path):
    X, y = rows(400)
    here = audit_labels(X, y, MODEL)
    found = audit_labels(*lazy(X, y, 150), MODEL)
    more = {"ids": [f"r{i}" for i in range(400)], "conflicts": [[3, 9], [390, 4]]}
    page = write_audit_report(here, X, tmp_path / "here.html", rows=2 * np.arange(400), **more)
    wanted = without_the_minute(page)
    numbers = 2 * np.arange(400)
    kinds = (lazy(X, y)[0], da.from_array(numbers)), (X, numbers), (X.tolist(), numbers.tolist())
    for features, numbers in kinds:
        other = write_audit_report(found, features, tmp_path / "a.html", rows=numbers, **more)
        assert without_the_minute(other) == wanted


def test_a_page_counts_all_rows_and_lists_the_first(data, here, there, tmp_path):
    X, y = data
    found = there
    classes = list("01234")
    assert confusion_of(found, classes) == confusion_of(here, classes)
    for one, other in zip(probability_groups(found), probability_groups(here), strict=True):
        assert (one.low, one.n_rows) == (other.low, other.n_rows)
        assert one.expected == pytest.approx(other.expected)
    charts = [score_chart(audit, classes) for audit in (found, here)]
    assert [row[1:3] for row in charts[0].rows] == [row[1:3] for row in charts[1].rows]
    bars = zip(*(chart.rows[2][3] for chart in charts), strict=True)
    moved = sum(abs(a.height - b.height) for a, b in bars)
    assert moved < 0.01
    names = da.from_array(np.array([f"r{i}" for i in range(N)]), chunks=3000)
    page = write_audit_report(found, lazy(X, y)[0], tmp_path / "a.html", ids=names)
    listed = re.findall(r">r(\d+)<", page.read_text(encoding="utf-8"))
    assert list(map(int, listed)) == found.order[: len(listed)].tolist() and len(listed) == 1000
    assert np.mean(here.flagged[found.order[: len(listed)]]) > 0.99


def test_a_page_of_other_rows_is_refused(data, there):
    other = da.ones((N + 1, 2), chunks=(5000, 2))
    for given, message in (
        ({"X": other}, "X has 20401 entries, the audit has 20400 rows"),
        ({"X": data[0][1:]}, "X has 20399 entries, the audit has 20400 rows"),
        ({"X": None, "ids": [1, 2]}, "ids has 2 entries"),
    ):
        with pytest.raises(ValueError, match=message):
            write_audit_report(there, **given, path="never.html")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cv": [(np.arange(9), np.arange(9))]}, r"cv=.* must be a number from 2 to 100"),
        ({"cv": 1}, "cv=1 must be a number from 2 to 100"),
        ({"estimator": CSVOR(kernel="rbf")}, "n_components=150 or so"),
        ({"estimator": CSVOR(kernel="precomputed")}, "give kernel='rbf'"),
        ({"estimator": PINSVOR()}, "Fit CSVOR, SVOREX, SVORIM or REDSVM"),
        ({"confirmed": np.zeros(N)}, "confirmed must be True or False.*In partition"),
        (
            {"groups": np.where(np.arange(N) == 5004, np.nan, 1.0)},
            r"first for row 4\).*partition 1",
        ),
        ({"groups": np.zeros(N)}, "the number of groups, 1"),
        ({"fdr": 2.0}, "fdr=2.0 must lie between"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_with_a_remedy(given, message, data):
    with pytest.raises(ValueError, match=message):
        audit_labels(*lazy(*data), **{"estimator": MODEL, "cv": 2, **given})


def test_labels_before_a_review_and_columns_elsewhere(data):
    X, y = data
    with pytest.raises(ValueError, match=r"1 rows that are not confirmed \(first for row 2"):
        moved = np.where(np.arange(N) == 5002, (y + 1) % 5, y)
        audit_labels(*lazy(X, y), MODEL, cv=2, original=moved)
    with pytest.raises(TypeError, match=r"y lies in partitions of dask.*y\.compute\(\)"):
        audit_labels(X, lazy(X, y)[1])
    with pytest.raises(TypeError, match=r"groups lies in partitions"):
        audit_labels(X, y, groups=da.ones(N))


@pytest.mark.slow
def test_trees_judge_rows_in_partitions_as_in_memory():
    X, y = steps(0, n=600)
    labels, _ = mislabel(y, 0.1, 1)
    here = audit_labels(X, labels, CSVOR(), models="all")
    lazy = da.from_array(X, chunks=(150, 6)), da.from_array(labels, chunks=150)
    # Of the 600 rows all but one are in memory at once.
    with dask.config.set({"csvor.memory-limit": X.nbytes - 1}):
        there = audit_labels(*lazy, CSVOR(), models="all")
        probability = np.asarray(there.probability)
    assert there.models == pytest.approx(here.models, abs=0.2)
    assert np.corrcoef(probability, here.probability)[0, 1] > 0.9
