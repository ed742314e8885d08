"""The data sets: read, checked and refused, split, downloaded from a stand-in.

Nothing here goes to the network: OpenML is a function put in the place of scikit-learn's, the
archive is a zip file in the cache or behind a loopback server.
"""

import io
import sys
import threading
import urllib.error
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from csvor import datasets
from csvor._labels import LabelError
from csvor.datasets import DatasetError, DatasetNotFoundError, _sources, equal_frequency

REAL = datasets.names()[:4]
DISCRETISED = datasets.names()[4:]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the test's own, and no CSVOR_DATA."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    monkeypatch.delenv("CSVOR_DATA", raising=False)
    return tmp_path / "home" / "csvor"


def lenses(rng: np.random.Generator) -> pd.DataFrame:
    """A made-up table with the known figures of contact_lenses (columns, means, class counts)."""
    age, rest = np.repeat(np.arange(3), 8), np.tile(np.arange(8), 3)
    columns = [age == 0, age == 1, age == 2, rest & 1, rest >> 1 & 1, rest >> 2]
    frame = pd.DataFrame(np.column_stack(columns).astype(int))
    frame.columns = list(datasets.info("contact_lenses").feature_names)
    return frame.assign(y=rng.permutation(np.repeat([1, 2, 3], [15, 5, 4])))


def machine(rng: np.random.Generator) -> pd.DataFrame:
    """A made-up table with the known figures of machine: columns moved to the known means."""
    known = datasets.info("machine")
    values = rng.normal(size=(known.n_rows, known.n_features + 1))
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    spreads, means = [*known.spreads, known.target_spread], [*known.means, known.target_mean]
    frame = pd.DataFrame(values * spreads + means, columns=[*known.feature_names, "target"])
    return frame


def write(frame: pd.DataFrame, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False)


# --- the catalogue and the real data


def test_catalogue_is_consistent() -> None:
    assert len(datasets.names()) == 10
    assert datasets.names("all") == datasets.names() + datasets.names("skordinal")
    for name in datasets.names():
        known = datasets.info(name)
        assert sum(known.class_counts) == known.n_rows
        assert len(known.means) == len(known.spreads) == known.n_features
        assert known.spoiled == ("labels" if name in REAL else "features")
        assert known.discretised == (name in DISCRETISED)
        assert known.n_splits == (30 if name in REAL else 20)
        if name in REAL:
            assert known.n_train == int(0.75 * known.n_rows)
    with pytest.raises(ValueError, match="group='some' is not known"):
        datasets.names("some")
    with pytest.raises(ValueError, match="no data set 'iris' in the paper"):
        datasets.info("iris")


FIGURES = {  # rows, features, class counts, training rows: as the folder's README has them
    "contact_lenses": (24, 6, "15/5/4", 18),
    "squash_unstored": (52, 52, "24/24/4", 39),
    "tae": (151, 54, "49/50/52", 113),
    "newthyroid": (215, 5, "30/150/35", 161),
    "machine": (209, 6, "42/42/42/42/41", 150),
    "housing": (506, 13, "102/101/101/101/101", 300),
    "stock": (950, 9, "190/190/190/190/190", 600),
    "bank": (8192, 8, "1639/1639/1638/1638/1638", 50),
    "computer": (8192, 12, "1639/1639/1638/1638/1638", 100),
    "cal_housing": (20640, 8, "4128/4128/4128/4128/4128", 150),
}


@pytest.mark.parametrize("name", datasets.names())
def test_real_data(name: str, data_dir: Path) -> None:
    bunch = datasets.load(name, data_dir)
    n_rows, n_features, counts, n_train = FIGURES[name]
    assert bunch.data.shape == (n_rows, n_features)
    assert bunch.data.dtype == np.float64
    assert bunch.target.dtype == np.int64
    assert "/".join(map(str, np.bincount(bunch.target)[1:])) == counts
    assert len(bunch.feature_names) == n_features
    assert len(bunch.target_names) == counts.count("/") + 1
    assert bunch.name == name
    assert Path(bunch.filename).parent == data_dir
    assert str(n_rows) in bunch.DESCR
    if name in DISCRETISED:
        assert bunch.raw_target.shape == (n_rows,)
        np.testing.assert_array_equal(equal_frequency(bunch.raw_target), bunch.target)
    else:
        assert bunch.raw_target is None

    found = datasets.splits(bunch)
    assert len(found) == (30 if name in REAL else 20)
    published = bunch.published_splits
    for (train, test), (train_0, test_0) in zip(found, published, strict=False):
        np.testing.assert_array_equal(train, train_0)
        np.testing.assert_array_equal(test, test_0)
    shares = np.bincount(bunch.target)[1:] / n_rows
    for train, test in found:
        assert len(train) == n_train
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(n_rows))
        counts_train = np.bincount(bunch.target[train], minlength=len(shares) + 1)[1:]
        assert np.abs(counts_train - n_train * shares).max() < 2
    drawn = [tuple(train) for train, _ in found[len(published) :]]
    assert len(set(drawn)) == len(drawn)


def test_labels_of_a_target_alone(data_dir: Path, tmp_path: Path) -> None:
    text = (data_dir / "stock_raw.csv").read_bytes()
    (tmp_path / "stock_raw.csv").write_bytes(text)
    alone, both = datasets.load("stock", tmp_path), datasets.load("stock", data_dir)
    np.testing.assert_array_equal(alone.target, both.target)
    np.testing.assert_array_equal(alone.data, both.data)
    assert Path(alone.filename).name == "stock_raw.csv"


# --- places


def test_places_in_their_order(
    tmp_path: Path, cache: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"is not in .*csvor data get contact_lenses"):
        datasets.load("contact_lenses")
    assert not cache.exists()
    for folder in (cache, tmp_path / "env", tmp_path / "given"):
        write(lenses(rng), folder / "contact_lenses.csv")
        (tmp_path / "env").mkdir(exist_ok=True)
    assert datasets.locate("contact_lenses") == cache
    monkeypatch.setenv("CSVOR_DATA", str(tmp_path / "env"))
    assert Path(datasets.load("contact_lenses").filename).parent == tmp_path / "env"
    given = datasets.load("contact_lenses", tmp_path / "given")
    assert Path(given.filename).parent == tmp_path / "given"
    (tmp_path / "env" / "contact_lenses.csv").unlink()
    assert datasets.locate("contact_lenses") == cache
    assert datasets.locate("tae") is None
    with pytest.raises(DatasetNotFoundError, match=r"folder '.*nowhere': there is no such folder"):
        datasets.load("tae", tmp_path / "nowhere")
    monkeypatch.setenv("CSVOR_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DatasetNotFoundError, match=r"CSVOR_DATA '.*nowhere'"):
        datasets.load("tae")


def test_a_wrong_set_is_not_passed_over(
    tmp_path: Path, cache: Path, rng: np.random.Generator
) -> None:
    """A copy further down the list would hide that the first one is broken."""
    write(lenses(rng), cache / "contact_lenses.csv")
    write(lenses(rng).iloc[1:], tmp_path / "given" / "contact_lenses.csv")
    with pytest.raises(DatasetError, match="23 rows where 24 are expected"):
        datasets.load("contact_lenses", tmp_path / "given")


def test_unknown_and_own_sets(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no data set 'mine'.*holds no mine\.csv"):
        datasets.load("mine", tmp_path)
    rows = [f"{i},{i * i},{i // 10 + 1}" for i in range(30)]
    (tmp_path / "mine.csv").write_text("\n".join(["a,b,y", *rows]), encoding="utf-8")
    mine = datasets.load("mine", tmp_path)
    assert (mine.name, mine.feature_names, mine.target_names) == ("mine", ["a", "b"], [*"123"])
    found = datasets.splits(mine)
    assert len(found) == 30
    assert {len(train) for train, _ in found} == {22}


# --- refusals


def changed(frame: pd.DataFrame, row: int, column: str, value: object) -> pd.DataFrame:
    frame = frame.astype(object)
    frame.loc[row, column] = value
    return frame


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f.iloc[:20], "20 rows where 24 are expected"),
        (lambda f: f.drop(columns="tear_normal"), "5 features where 6 are expected"),
        (lambda f: changed(f, 3, "y", 4), "label 4 in row 4 is not in 1..3"),
        (lambda f: changed(f, 3, "y", 1.5), "column 'y', row 4: 1.5 is no class number"),
        (
            lambda f: f.assign(y=[1] * 14 + [2] * 6 + [3] * 4),
            "class counts 14/6/4, expected 15/5/4",
        ),
        (
            lambda f: f.assign(tear_normal=0, age_young=1),
            "column 'age_young' has the mean 1, expected 0.333333 .and 1 other columns.",
        ),
        (lambda f: changed(f, 5, "tear_normal", "no"), "column 'tear_normal', row 6: 'no' is no n"),
        (lambda f: changed(f, 5, "tear_normal", None), "column 'tear_normal', row 6: blank"),
        (lambda f: changed(f, 5, "tear_normal", np.inf), "row 6: 'inf' is no number"),
        (lambda f: changed(f, 5, "y", None), "column 'y', row 6: blank"),
        (lambda f: f.rename(columns={"y": "z"}), "has no column 'y'; its columns are 'age_young'"),
        (lambda f: f.iloc[:0], "there are no rows below the first line"),
    ],
)
def test_a_wrong_copy_is_refused(
    spoil: Callable[[pd.DataFrame], pd.DataFrame],
    message: str,
    tmp_path: Path,
    rng: np.random.Generator,
) -> None:
    frame = lenses(rng)
    write(frame, tmp_path / "contact_lenses.csv")
    good = datasets.load("contact_lenses", tmp_path)
    np.testing.assert_array_equal(good.data, frame.iloc[:, :-1])
    np.testing.assert_array_equal(good.target, frame["y"])
    assert good.target_names == ["none", "soft", "hard"]
    write(spoil(frame), tmp_path / "contact_lenses.csv")
    with pytest.raises(DatasetError, match=message):
        datasets.load("contact_lenses", tmp_path)


def test_discretised_files_must_agree(tmp_path: Path, rng: np.random.Generator) -> None:
    frame = machine(rng)
    write(frame, tmp_path / "machine_raw.csv")
    assert datasets.load("machine", tmp_path).target_names == [*"12345"]
    labelled = frame.drop(columns="target").assign(y=equal_frequency(frame["target"]))
    write(labelled, tmp_path / "machine.csv")
    both = datasets.load("machine", tmp_path)
    np.testing.assert_array_equal(both.raw_target, frame["target"])

    low, high = labelled.index[labelled["y"] == 1][0], labelled.index[labelled["y"] == 2][0]
    swapped = labelled.copy()
    swapped.loc[[low, high], "y"] = [2, 1]
    write(swapped, tmp_path / "machine.csv")
    with pytest.raises(DatasetError, match="2 labels are not those that the target gives"):
        datasets.load("machine", tmp_path)
    write(labelled.iloc[::-1], tmp_path / "machine.csv")
    with pytest.raises(DatasetError, match="do not hold the same features and rows"):
        datasets.load("machine", tmp_path)
    (tmp_path / "machine.csv").unlink()
    write(frame.assign(target=frame["target"] + 50), tmp_path / "machine_raw.csv")
    with pytest.raises(DatasetError, match=r"the target has the mean 155\.6\d+, expected 105\.622"):
        datasets.load("machine", tmp_path)
    # The case of the README: as many rows, columns and classes, but other quantities.
    write(frame.assign(MMAX=frame["MMAX"] / frame["MYCT"].mean()), tmp_path / "machine_raw.csv")
    with pytest.raises(DatasetError, match="column 'MMAX' has the mean"):
        datasets.load("machine", tmp_path)


@pytest.mark.parametrize(
    ("trains", "tests", "message"),
    [
        ([range(17)], [range(17, 24)], "1 splits with 17 training rows, expected at most 30 with"),
        ([range(18)], [range(17, 23)], "split 1 does not hold each of the rows once"),
        ([range(18)] * 31, [range(18, 24)] * 31, "31 splits with 18"),
        ([range(18)] * 2, [range(18, 24)], "one line for each split"),
    ],
)
def test_wrong_splits_are_refused(
    trains: Any, tests: Any, message: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    write(lenses(rng), tmp_path / "contact_lenses.csv")
    arrays = {"train_idx": np.array(trains), "test_idx": np.array(tests)}
    np.savez(tmp_path / "contact_lenses_splits.npz", **arrays)
    with pytest.raises(DatasetError, match=message):
        datasets.load("contact_lenses", tmp_path)
    (tmp_path / "contact_lenses_splits.npz").write_bytes(b"no zip")
    with pytest.raises(DatasetError, match="not a file of splits"):
        datasets.load("contact_lenses", tmp_path)


# --- discretisation and splits


def test_equal_frequency(rng: np.random.Generator) -> None:
    target = rng.integers(0, 6, 53)
    labels = equal_frequency(target)
    assert np.bincount(labels)[1:].tolist() == [11, 11, 11, 10, 10]
    # By hand: the place in the stable order decides the class.
    place = np.empty(53, dtype=int)
    place[sorted(range(53), key=lambda i: (target[i], i))] = np.arange(53)
    np.testing.assert_array_equal(labels, np.searchsorted([11, 22, 33, 43], place, "right") + 1)
    assert equal_frequency([2.0, 1.0], 2).tolist() == [2, 1]
    for wrong, message in (
        ([[1.0, 2.0]], "one column"),
        ([1.0, np.nan], "target is nan in row 1"),
        ([1.0], "n_classes=5 must be from 2 to the 1 rows"),
    ):
        with pytest.raises(ValueError, match=message):
            equal_frequency(wrong)


def own(target: Any, name: str = "own", published: Any = ()) -> Bunch:
    return Bunch(name=name, target=np.asarray(target), published_splits=list(published))


def test_splits_depend_on_name_and_number_alone() -> None:
    labels = np.repeat([1, 2, 3], [9, 12, 7])
    first = datasets.splits(own(labels))
    again = datasets.splits(own(labels), n_splits=3)
    assert len(again) == 3
    for (train, test), (train_again, test_again) in zip(first[:3], again, strict=True):
        np.testing.assert_array_equal(train, train_again)
        np.testing.assert_array_equal(test, test_again)
    assert any(
        (a[0] != b[0]).any() for a, b in zip(first, datasets.splits(own(labels, "b")), strict=True)
    )
    # A published split takes the place of the drawn one; the others stay.
    published = (np.arange(21), np.arange(21, 28))
    mixed = datasets.splits(own(labels, published=[published]))
    assert len(mixed) == 30
    np.testing.assert_array_equal(mixed[0][0], np.arange(21))
    np.testing.assert_array_equal(mixed[1][0], first[1][0])
    # Drawn once and for all: no release of scikit-learn may change them.
    assert first[0][1].tolist() == PINNED
    with pytest.raises(ValueError, match="n_splits=0 must be at least 1"):
        datasets.splits(own(labels), n_splits=0)
    with pytest.raises(DatasetError, match="'own' cannot be split by class"):
        datasets.splits(own([1, 1, 1, 1, 2]))


PINNED = [0, 4, 9, 12, 18, 24, 27]


# --- own files


def test_load_csv(tmp_path: Path) -> None:
    path = tmp_path / "wear.csv"
    path.write_text("grade,km,year\ngood,10,2001\npoor,90.5,2002\ngood,20,2003\n", encoding="utf-8")
    wear = datasets.load_csv(path, "grade", classes=["poor", "fair", "good"])
    assert wear.target.tolist() == [3, 1, 3]
    assert wear.target_names == ["poor", "fair", "good"]
    assert wear.feature_names == ["km", "year"]
    assert wear.data.tolist() == [[10, 2001], [90.5, 2002], [20, 2003]]
    assert "3 rows, 2 features, classes poor < fair < good (1, 0, 2 rows)" in wear.DESCR
    with pytest.raises(LabelError, match="good"):
        datasets.load_csv(path, "grade")
    with pytest.raises(LabelError, match="poor"):
        datasets.load_csv(path, "grade", classes=["fair", "good"])
    with pytest.raises(DatasetError, match="has no column 'label'; its columns are 'grade', 'km'"):
        datasets.load_csv(path, "label")
    with pytest.raises(DatasetError, match="column 'grade', row 1: 'good' is no number"):
        datasets.load_csv(path, "km")
    path.write_text("grade\n1\n2\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="no column besides 'grade'"):
        datasets.load_csv(path, "grade")
    path.write_text("a,grade\n1,1\n2,2,3\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="not a readable CSV file"):
        datasets.load_csv(path, "grade")
    path.write_bytes(b"")
    with pytest.raises(DatasetError, match="not a readable CSV file"):
        datasets.load_csv(path, "grade")


# --- skordinal


@pytest.mark.parametrize("name", datasets.names("skordinal"))
def test_bundled(name: str) -> None:
    pytest.importorskip("skordinal", reason="the extra baselines is not installed")
    from csvor.datasets._catalogue import BUNDLED

    bunch = datasets.load(name)
    assert (*bunch.data.shape, len(bunch.target_names)) == BUNDLED[name]
    assert np.unique(bunch.target).tolist() == [*range(1, len(bunch.target_names) + 1)]
    assert len(bunch.DESCR) > 100
    assert len(datasets.splits(bunch)) == 30


def test_bundled_need_skordinal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skordinal", None)
    with pytest.raises(ImportError, match=r"'esl' comes with .* pip install 'csvor\[baselines\]'"):
        datasets.load("esl")


# --- download: OpenML


def openml(frame: pd.DataFrame, target: str, number: int) -> Callable[..., Bunch]:
    def fetch_openml(**options: Any) -> Bunch:
        assert options["data_id"] == number
        return Bunch(data=frame.drop(columns=target), target=frame[target])

    return fetch_openml


def test_openml_regression(
    tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = machine(rng)
    there = frame.rename(columns={"target": "class", "CACH": "ca_ch"})[
        ["class", "CHMAX", "ca_ch", "MYCT", "MMIN", "MMAX", "CHMIN"]
    ]
    there["CHMAX"] = there["CHMAX"].astype("category")
    monkeypatch.setattr("sklearn.datasets.fetch_openml", openml(there, "class", 230))
    write(machine(rng), tmp_path / "machine.csv")
    (tmp_path / "machine_splits.npz").write_bytes(b"of another copy")
    assert datasets.fetch("machine", tmp_path) == tmp_path
    assert sorted(p.name for p in tmp_path.iterdir()) == ["machine.csv", "machine_raw.csv"]
    got = datasets.load("machine", tmp_path)
    assert got.feature_names == list(datasets.info("machine").feature_names)
    np.testing.assert_allclose(got.data, frame.drop(columns="target"), rtol=1e-14)
    np.testing.assert_array_equal(got.target, equal_frequency(frame["target"]))

    # What is there stays where the download is not the set.
    before = (tmp_path / "machine.csv").read_bytes()
    wrong = there.assign(MYCT=there["MYCT"] * 2)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", openml(wrong, "class", 230))
    with pytest.raises(DatasetError, match=r"What openml has is not .* machine: column 'MYCT'"):
        datasets.fetch("machine", tmp_path)
    assert (tmp_path / "machine.csv").read_bytes() == before
    gaps = there.assign(MYCT=there["MYCT"].where(there.index > 0))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", openml(gaps, "class", 230))
    with pytest.raises(DatasetError, match="column 'MYCT' has the mean nan"):
        datasets.fetch("machine", tmp_path)


def test_openml_classes(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real sets as UCI codes them, made from the copies here, come back as they were."""
    tae = datasets.load("tae", data_dir)
    coded = pd.DataFrame(
        {
            "native": tae.data[:, 0] + 1,
            "instructor": tae.data[:, 1:26] @ np.arange(1, 26),
            "course": tae.data[:, 26:52] @ np.arange(1, 27),
            "semester": tae.data[:, 52] + 1,
            "size": tae.data[:, 53],
            "class": pd.Categorical(tae.target.astype(str)),
        }
    )
    monkeypatch.setattr("sklearn.datasets.fetch_openml", openml(coded, "class", 48))
    got = datasets.load("tae", datasets.fetch("tae", tmp_path, source="openml"))
    np.testing.assert_array_equal(got.data, tae.data)
    np.testing.assert_array_equal(got.target, tae.target)

    thyroid = datasets.load("newthyroid", data_dir)
    uci = np.array([0, 3, 1, 2])[thyroid.target]  # hypo 3, normal 1, hyper 2
    coded = pd.DataFrame(thyroid.data, columns=[*"abcde"]).assign(Class=uci.astype(str))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", openml(coded, "Class", 40682))
    got = datasets.load("newthyroid", datasets.fetch("newthyroid", tmp_path, source="openml"))
    np.testing.assert_array_equal(got.data, thyroid.data)
    np.testing.assert_array_equal(got.target, thyroid.target)


def test_openml_out_of_reach(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise urllib.error.URLError("no route")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fail)
    with pytest.raises(DatasetError, match=r"openml: no route.*put stock\.csv into"):
        datasets.load("stock", download=True)
    assert not cache.exists()
    with pytest.raises(DatasetError, match="no data set 'squash_unstored' at OpenML"):
        datasets.fetch("squash_unstored", tmp_path, source="openml")
    with pytest.raises(ValueError, match="no data set 'esl' in the paper"):
        datasets.fetch("esl", tmp_path)


# --- download: the archive


def archive(frame: pd.DataFrame, trains: list[list[int]], name: str = "contact-lenses") -> bytes:
    """A zip file in the shape of the real one, with other sets beside the one asked for."""
    rows = frame.to_numpy(float)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for folder in (f"ordinal-regression/{name}", f"ordinal-regression/other-{name}"):
            for k, train in enumerate(trains):
                test = [row for row in range(len(rows)) if row not in train]
                short = folder.rpartition("/")[2]
                for part, chosen in (("train", train), ("test", test)):
                    text = "\n".join(" ".join(map(str, rows[row])) for row in chosen)
                    file.writestr(f"datasets/{folder}/matlab/{part}_{short}.{k}", text)
                    file.writestr(f"datasets/{folder}/weka/{part}_{short}-{k}.arff", "@relation")
    return buffer.getvalue()


@pytest.fixture
def serve() -> Iterator[Callable[[bytes], str]]:
    """A loopback server that sends some bytes to whoever asks."""
    servers = []

    def start(content: bytes) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/a.zip"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_archive(
    serve: Callable[[bytes], str],
    cache: Path,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = lenses(rng)
    # Half of the rows twice, as tae has copies: a bit less, and labels in the order of the rows.
    frame["tear_normal"] = frame["astigmatic_yes"]
    frame = frame.sort_values(list(frame.columns[:-1])).assign(y=np.repeat([1, 2, 3], [15, 5, 4]))
    assert frame.duplicated().sum() >= 10
    trains = [sorted(rng.permutation(24)[:18].tolist()) for _ in range(12)]
    monkeypatch.setattr(_sources, "URL", serve(archive(frame, trains)))
    assert datasets.fetch("contact_lenses") == cache
    got = datasets.load("contact_lenses")
    assert len(got.published_splits) == 12
    everything = np.column_stack([got.data, got.target])

    def same_rows(a: np.ndarray, b: np.ndarray) -> bool:
        return sorted(map(tuple, a.tolist())) == sorted(map(tuple, b.tolist()))

    for train, (rows, others) in zip(trains, got.published_splits, strict=True):
        assert same_rows(everything[rows], frame.to_numpy(float)[train])
        assert len(np.unique(np.r_[rows, others])) == 24
    # The archive is kept: the next set needs no server.
    monkeypatch.setattr(_sources, "URL", "http://127.0.0.1:9/gone.zip")
    with pytest.raises(DatasetError, match="has no folder 'tae'"):
        datasets.fetch("tae")


def test_archive_broken(
    serve: Callable[[bytes], str], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_sources, "URL", serve(b"an error page"))
    with pytest.raises(DatasetError, match="sent is not a zip file"):
        datasets.fetch("tae")
    assert list(cache.iterdir()) == []
    monkeypatch.setattr(_sources, "URL", "http://127.0.0.1:9/gone.zip")
    with pytest.raises(DatasetError, match=r"could not be downloaded \(ayrna"):
        datasets.fetch("tae")
    assert list(cache.iterdir()) == []


def test_archive_rows_must_fit(
    serve: Callable[[bytes], str],
    cache: Path,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = archive(lenses(rng), [[*range(18)], [*range(6, 24)]])
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(buffer := io.BytesIO(), "w") as new,
    ):
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, text.replace(b"0.0", b"0.5") if name.endswith(".1") else text)
    monkeypatch.setattr(_sources, "URL", serve(buffer.getvalue()))
    with pytest.raises(
        DatasetError, match=r"Split 1 of 'contact-lenses' .* rows that split 0 lacks"
    ):
        datasets.fetch("contact_lenses")
    assert [p.name for p in cache.iterdir()] == ["datasets-orreview.zip"]


# --- copying


def test_copy_from_a_folder(tmp_path: Path, rng: np.random.Generator) -> None:
    write(lenses(rng), tmp_path / "a" / "contact_lenses.csv")
    arrays = {"train_idx": [range(18)], "test_idx": [range(18, 24)]}
    np.savez(tmp_path / "a" / "contact_lenses_splits.npz", **arrays)
    target = tmp_path / "b" / "c"
    datasets.fetch("contact_lenses", target, source=tmp_path / "a")
    for path in (tmp_path / "a").iterdir():
        assert (target / path.name).read_bytes() == path.read_bytes()
    assert len(list(target.iterdir())) == 2
    datasets.fetch("contact_lenses", target, source=target)  # onto itself
    assert len(datasets.load("contact_lenses", target).published_splits) == 1

    write(lenses(rng).iloc[:9], tmp_path / "a" / "contact_lenses.csv")
    with pytest.raises(DatasetError, match="9 rows where 24"):
        datasets.fetch("contact_lenses", target, source=tmp_path / "a")
    assert len(datasets.load("contact_lenses", target).target) == 24
    with pytest.raises(DatasetError, match="does not hold the data set 'tae'"):
        datasets.fetch("tae", target, source=tmp_path / "a")
    with pytest.raises(DatasetError, match="is neither a folder nor one of auto, ayrna, openml"):
        datasets.fetch("tae", target, source=tmp_path / "nowhere")
    (tmp_path / "file").touch()
    write(lenses(rng), tmp_path / "a" / "contact_lenses.csv")
    with pytest.raises(DatasetError, match="is a file; name a folder"):
        datasets.fetch("contact_lenses", tmp_path / "file", source=tmp_path / "a")
