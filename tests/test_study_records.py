"""What all methods meet on a split, what a record depends on, and how it is kept."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV

import csvor
from csvor import SVOREX, datasets
from csvor.methods import METHODS, Method
from csvor.study import MethodSpec, Spec, fit_each, fit_together
from csvor.study import _plan as plan_module
from csvor.study import _splits as splits_module
from csvor.study._cell import Cell, work_on
from csvor.study._methods import STUDY_METHODS, MethodRun, StudyMethod
from csvor.study._plan import make_method_run, make_plan
from csvor.study._records import (
    path_of,
    read_record,
    read_records,
    sweep,
    write_json,
    write_record,
)
from csvor.study._select import Fold, expand, select
from csvor.study._splits import StudyData, load_data, prepare_split, seed_of
from study_sets import Nearest, Sets

CELL = Cell("grades", 10, 2, "CSVOR", "a" * 64, 1.0)
FOUND = {"status": "ok", "error": "", "mze": 0.25, "mae": 0.25, "seconds": 0.1}
SPEC = Spec(
    ("grades",),
    (0, 20),
    (MethodSpec("SVOREX", grid={"C": (0.1, 1)}), MethodSpec("CSVOR", grid={"C": (1,)})),
    splits=2,
    folds=3,
)


@pytest.fixture(autouse=True)
def sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits_module, "datasets", Sets)


@pytest.fixture
def grades() -> StudyData:
    return load_data(["grades"], None)["grades"]


def keys(spec: Spec = SPEC, data: StudyData | None = None) -> dict[tuple[Any, ...], str]:
    """The keys of all cells by what the cell is called."""
    sets = load_data(spec.datasets, None) if data is None else {data.name: data}
    method_runs = {entry.name: make_method_run(entry) for entry in spec.methods}
    cells = make_plan(spec, sets, method_runs).cells
    return {(c.dataset, c.level, c.split, c.method): c.key for c in cells}


# ------------------------------------------------------------------ what all methods meet


def test_seeds_are_the_same_everywhere() -> None:
    """The first four bytes that `printf 'a\\x1f1' | sha256sum` prints."""
    assert seed_of("a", 1) == 0x839E11A4
    assert seed_of("a1") != seed_of("a", 1)


@pytest.mark.parametrize("name", ["grades", "cut"])
def test_only_training_rows_are_spoilt(name: str) -> None:
    data = load_data([name], None)[name]
    clean, dirty = (prepare_split(data, level, 1, n_folds=3, seed=0) for level in (0, 20))
    assert not clean.corrupted.any()
    assert dirty.corrupted.sum() == 9  # 20 % of 45
    np.testing.assert_array_equal(clean.X_test, dirty.X_test)
    np.testing.assert_array_equal(clean.y_test, dirty.y_test)
    if name == "grades":
        np.testing.assert_array_equal(clean.X, dirty.X)
        np.testing.assert_array_equal(clean.y != dirty.y, dirty.corrupted)
        assert set(dirty.y) == {1, 2, 3}
    else:
        np.testing.assert_array_equal(clean.y, dirty.y)
        np.testing.assert_array_equal((clean.X != dirty.X).any(axis=1), dirty.corrupted)
        assert set(dirty.X[clean.X != dirty.X]) == {-1.0}


def test_scales_are_those_of_the_training_part() -> None:
    sets = load_data(["grades", "cut"], None)
    real, cut = (prepare_split(sets[name], 0, 0, n_folds=3, seed=0) for name in ("grades", "cut"))
    assert real.X.shape[1] == 3, "the constant column is dropped"
    np.testing.assert_allclose(real.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(real.X.std(axis=0), 1)
    np.testing.assert_allclose(cut.X[:, :3].min(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(cut.X[:, :3].max(axis=0), 1)
    train, test = sets["grades"].splits[0]
    rows = sets["grades"].X[:, :3]
    expected = (rows[test] - rows[train].mean(axis=0)) / rows[train].std(axis=0)
    np.testing.assert_allclose(real.X_test, expected)


def test_outliers_and_folds_change_with_split_level_and_seed(grades: StudyData) -> None:
    def of(level: int, split: int, seed: int) -> tuple[Any, ...]:
        found = prepare_split(grades, level, split, n_folds=3, seed=seed)
        return tuple(found.corrupted), tuple(map(tuple, (found.folds[0][0], found.folds[1][0])))

    assert of(10, 0, 0) == of(10, 0, 0)
    for other in ((20, 0, 0), (10, 1, 0), (10, 0, 1)):
        assert all(a != b for a, b in zip(of(10, 0, 0), of(*other), strict=True))


def test_folds_are_stratified_and_take_each_row_once(grades: StudyData) -> None:
    prepared = prepare_split(grades, 0, 0, n_folds=5, seed=0)
    held_out = np.concatenate([out for _, out in prepared.folds])
    assert sorted(held_out) == list(range(45))
    for fitted, out in prepared.folds:
        assert sorted([*fitted, *out]) == list(range(45))
        assert np.bincount(prepared.y[out]).tolist() == [0, 3, 3, 3]


def test_an_unknown_set_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits_module, "datasets", datasets)
    with pytest.raises(
        ValueError, match=r"^datasets: There is no data set 'x': .* tae, newthyroid"
    ):
        load_data(["x"], tmp_path)


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (["low", "high"], "The labels are words without an order: 'high', 'low'"),
        ([1, 1.5], r"15 of 30 labels are not whole numbers, such as 1\.5"),
        ([3], "There is only one class: 3"),
    ],
)
def test_labels_that_a_study_cannot_use_name_their_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labels: list[Any], problem: str
) -> None:
    """The remedy was an argument that a study has not."""
    monkeypatch.setattr(splits_module, "datasets", datasets)
    y = np.resize(np.array(labels, dtype=object), 30)
    pd.DataFrame({"x": np.arange(30), "y": y}).to_csv(tmp_path / "mine.csv", index=False)
    remedy = "Write whole numbers there, in the order of two classes or more"
    with pytest.raises(ValueError, match=rf"^datasets: mine, column 'y': {problem}\. {remedy}"):
        load_data(["mine"], tmp_path)


def test_n07_a_label_that_may_be_none_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splits_module, "datasets", datasets)
    y = np.r_[np.arange(100) % 5 + 1, [99] * 4]
    pd.DataFrame({"x": np.arange(104), "y": y}).to_csv(tmp_path / "mine.csv", index=False)
    with pytest.warns(UserWarning, match="^datasets: mine, column 'y': Label 99 is far"):
        load_data(["mine"], tmp_path)


# ------------------------------------------------------------------------------- selection


class Table(Nearest):
    """Is wrong on as many of the rows held out as its parameters are listed with."""

    def __init__(self, a: int = 0, b: int = 0, wrong: Any = ()) -> None:
        self.a = a
        self.b = b
        self.wrong = wrong

    def fit(self, X: Any, y: Any) -> "Table":
        return self

    def predict(self, X: Any) -> Any:
        n_wrong = dict(self.wrong).get((self.a, self.b), 9)
        return np.where(np.arange(len(X)) < n_wrong, 2, 1)


@pytest.mark.parametrize(
    ("wrong", "chosen"),
    [
        ({(1, 2): 1}, (1, 2)),
        ({(1, 2): 1, (2, 1): 1}, (1, 2)),
        ({(1, 2): 1, (1, 1): 1}, (1, 1)),
        ({(2, 2): 1, (1, 2): 2}, (2, 2)),
        ({}, (1, 1)),
    ],
)
def test_of_equal_settings_the_one_listed_first(wrong: Any, chosen: tuple[int, int]) -> None:
    X, y = np.zeros((40, 1)), np.ones(40, int)
    rows = np.arange(40)
    folds = [(rows[:20], rows[20:]), (rows[20:], rows[:20]), (rows[:30], rows[30:])]
    settings = expand({"a": (1, 2), "b": (1, 2)})
    method = MethodRun("T", Table(wrong=tuple(wrong.items())), settings)
    found = select(method, (Fold(X[fit], y[fit], X[out], y[out]) for fit, out in folds))
    assert (found.chosen["a"], found.chosen["b"]) == chosen
    share = wrong.get(chosen, 9) / 20
    assert found.error == found.errors.min() == pytest.approx((2 * share + 2 * share) / 3)


def test_it_is_a_grid_search(grades: StudyData) -> None:
    prepared = prepare_split(grades, 20, 0, n_folds=3, seed=0)
    grid = {"C": (0.001, 0.1, 10.0)}
    method = MethodRun("SVOREX", SVOREX(classes=[1, 2, 3]), expand(grid))
    found = select(method, prepared.fold_rows())
    truth = GridSearchCV(SVOREX(classes=[1, 2, 3]), grid, cv=prepared.folds).fit(
        prepared.X, prepared.y
    )
    np.testing.assert_allclose(found.errors, 1 - truth.cv_results_["mean_test_score"])
    assert found.chosen == truth.best_params_


def test_a_grid_may_vary_what_the_data_are_prepared_by(grades: StudyData) -> None:
    """fit_many cannot vary gamma: such a grid is fitted one by one, with the same predictions."""
    prepared = prepare_split(grades, 0, 0, n_folds=3, seed=0)
    grid = expand({"gamma": (0.1, 1.0), "C": (1.0,)})
    estimator = csvor.CSVOR(kernel="rbf")
    given = (prepared.X, prepared.y, grid, prepared.X_test)
    found = fit_together(estimator, *given)
    np.testing.assert_array_equal(found, fit_each(estimator, *given))


def test_a_grid_fit_of_another_shape_is_refused(grades: StudyData) -> None:
    prepared = prepare_split(grades, 0, 0, n_folds=3, seed=0)
    method = MethodRun(
        "N", Nearest(), expand({"shrink": (0, 0.5)}), lambda *given: fit_each(*given).T
    )
    with pytest.raises(ValueError, match=r"fit_grid of N gave .* \(15, 2\) for 2 settings and 15"):
        select(method, prepared.fold_rows())


@pytest.mark.parametrize("name", ["CSVOR", "SVOREX", "SVORIM", "PINSVOR", "REDSVM", "POM", "KDLOR"])
def test_folds_that_lack_a_class_are_no_failure(name: str) -> None:
    """The one row of class 3 is held out in one of two folds: its fit knows 1 and 2 only."""
    if METHODS[name].extra:
        pytest.importorskip("skordinal", reason="skordinal is not installed")
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2, 3], [20, 20, 1])
    X = y[:, None] + 0.3 * rng.normal(size=(41, 3))
    splits = {0: (np.arange(0, 41), np.arange(0, 41, 5))}
    data = StudyData("few", X, y, 3, "labels", splits)
    grid = {key: values[3:5] for key, values in STUDY_METHODS[name].grid.items()}
    grid = grid or {"POM": {"alpha": (0.1, 1.0)}, "KDLOR": {"u": (0.01, 0.1)}}[name]
    method_run = make_method_run(MethodSpec(name, grid=grid))
    cell = replace(CELL, dataset="few", split=0, level=0, method=name)
    found = work_on(cell, data, method_run, n_folds=2, seed=0)
    assert (found["status"], found["error"]) == ("ok", "")
    assert found["mze"] < 0.5


# ------------------------------------------------------------------------- what a key holds


@pytest.mark.parametrize(
    "spec",
    [
        replace(SPEC, folds=4),
        replace(SPEC, seed=1),
        replace(SPEC, methods=(MethodSpec("SVOREX", grid={"C": (0.1, 2)}), MethodSpec("CSVOR"))),
        replace(SPEC, methods=(MethodSpec("SVOREX", grid={"C": (1, 0.1)}), MethodSpec("CSVOR"))),
        replace(
            SPEC,
            methods=(
                MethodSpec("SVOREX", grid={"C": (0.1, 1)}, parameters={"tol": 1e-5}),
                MethodSpec("CSVOR", grid={"C": (1,)}, parameters={"p": 2.0}),
            ),
        ),
    ],
    ids=["folds", "seed", "grid", "order of the grid", "parameters"],
)
def test_a_key_changes_with_the_spec(spec: Spec) -> None:
    before, after = keys(), keys(spec)
    assert before.keys() == after.keys()
    assert not set(before.values()) & set(after.values())


def test_a_key_changes_with_data_protocol_and_code(
    grades: StudyData, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(keys().values())
    X = grades.X.copy()
    X[0, 0] = np.nextafter(X[0, 0], np.inf)
    assert not before & set(keys(data=replace(grades, X=X)).values())
    swapped = {split: (train[::-1], test) for split, (train, test) in grades.splits.items()}
    assert not before & set(keys(data=replace(grades, splits=swapped)).values())
    with monkeypatch.context() as patched:
        patched.setitem(
            STUDY_METHODS, "SVOREX", StudyMethod(fit_grid=lambda *given: fit_each(*given))
        )
        changed = keys()
        assert {cell[3] for cell, key in changed.items() if key in before} == {"CSVOR"}
    with monkeypatch.context() as patched:
        patched.setattr(plan_module, "PROTOCOL", plan_module.PROTOCOL + 1)
        assert not before & set(keys().values())
    assert set(keys().values()) == before


def test_a_key_does_not_change_with_the_modules_of_csvor(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys()
    for kind in (csvor.SVOREX, csvor.CSVOR, fit_together):
        monkeypatch.setattr(kind, "__module__", "csvor._elsewhere")
    monkeypatch.setattr(csvor, "__version__", "99.0")
    assert keys() == before
    monkeypatch.setitem(METHODS, "SVOREX", Method("csvor._elsewhere.sums", "SVOREX"))
    monkeypatch.setattr(plan_module, "make_method", lambda name, **given: SVOREX(**given))
    only_svorex = replace(SPEC, methods=SPEC.methods[:1])
    assert keys(only_svorex).items() <= before.items()


def test_a_key_changes_with_the_place_of_a_method_of_the_users_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = replace(SPEC, methods=(MethodSpec("NEAR"),))
    monkeypatch.setitem(METHODS, "NEAR", Method("study_sets", "Nearest"))
    before = keys(spec)
    monkeypatch.setitem(METHODS, "NEAR", Method("study_sets", "Threads"))
    assert not set(before.values()) & set(keys(spec).values())


def test_a_key_does_not_change_with_what_else_is_run(grades: StudyData) -> None:
    wider = Spec(
        ("cut", "grades"), (10, 20, 0), (*SPEC.methods[::-1], MethodSpec("SVORIM")), folds=3
    )
    before, after = keys(), keys(wider)
    assert before.items() <= after.items()
    assert len(set(after.values())) == len(after) == 2 * 3 * 4 * 3


def test_a_method_of_the_users_own_has_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "NEAR", Method("study_sets", "Nearest"))
    found = keys(replace(SPEC, methods=(MethodSpec("NEAR", splits=1),)))
    assert [cell[2] for cell in found] == [0, 0], "one split at two levels"


# ------------------------------------------------------------------------ how it is kept


def test_a_record_comes_back(tmp_path: Path) -> None:
    assert read_record(tmp_path, CELL) is None
    write_record(tmp_path, CELL, FOUND, {"csvor": "0.1.0"})
    found = read_record(tmp_path, CELL)
    assert found is not None
    assert found.items() >= {**FOUND, "level": 10, "key": CELL.key}.items()
    assert read_records(tmp_path, [replace(CELL, split=3), CELL]) == {CELL: found}
    assert [path.name for path in tmp_path.rglob("*.*")] == [path_of(tmp_path, CELL).name]


def test_a_record_of_another_key_is_no_record(tmp_path: Path) -> None:
    write_record(tmp_path, CELL, FOUND, {})
    other = replace(CELL, key="b" * 64)
    assert read_record(tmp_path, other) is None
    # Keys that agree in the part that is in the name, too.
    assert read_record(tmp_path, replace(CELL, key="a" * 63 + "b")) is None
    write_record(tmp_path, other, {**FOUND, "mze": 0.5}, {})
    assert [read_record(tmp_path, cell)["mze"] for cell in (CELL, other)] == [0.25, 0.5]  # type: ignore[index]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"format": 99}',
        b'{"format": 1, "status": "?"}',
        b'{"format": 1, "status": "ok", "seconds": 1.0, "mae": 0.1}',
        b'{"format": 1, "status": "failed", "seconds": null}',
    ],
)
def test_a_damaged_record_is_named(tmp_path: Path, text: bytes) -> None:
    path = path_of(tmp_path, CELL)
    path.parent.mkdir(parents=True)
    path.write_bytes(text)
    with pytest.raises(ValueError, match=rf"{path.name}: no record of a study .*delete the file"):
        read_record(tmp_path, CELL)


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"x": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(path, {"x": float("nan")})

    def no_place(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("csvor._utils.atomic_files.os.replace", no_place)
    with pytest.raises(OSError, match="No space"):
        write_json(path, {"x": 2})
    assert json.loads(path.read_text()) == {"x": 1}
    assert os.listdir(tmp_path) == ["a.json"]


def test_leftovers_of_killed_processes_are_swept(tmp_path: Path) -> None:
    place = path_of(tmp_path, CELL).parent
    (tmp_path / "mine").mkdir()
    place.mkdir(parents=True)
    old, new, other = (place / name for name in (".a.json.1.part", ".b.json.2.part", "c.part"))
    plan, mine = tmp_path / ".study.json.3.part", tmp_path / "mine" / ".thesis.zip.part"
    for path in (old, new, other, plan, mine):
        path.touch()
    long_ago = time.time() - 3600
    for path in (old, other, plan, mine):
        os.utime(path, (long_ago, long_ago))
    sweep(tmp_path)
    left = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {new, other, mine}


def test_flags_are_judged_against_the_spoilt_rows(grades: StudyData) -> None:
    method_run = make_method_run(MethodSpec("CSVOR", grid={"C": (1.0,)}))
    cell = replace(CELL, level=20, split=0)
    found = work_on(cell, grades, method_run, n_folds=3, seed=0)
    prepared = prepare_split(grades, 20, 0, n_folds=3, seed=0)
    model = csvor.CSVOR(C=1.0).fit(prepared.X, prepared.y)
    hits = (model.outliers_ & prepared.corrupted).sum()
    assert found["corrupted"] == np.flatnonzero(prepared.corrupted).tolist()
    assert found["flagged"] == np.flatnonzero(model.outliers_).tolist()
    assert found["precision"] == pytest.approx(hits / model.outliers_.sum())
    assert found["recall"] == pytest.approx(hits / 9)
    spoilt, rest = (model.residuals_[rows] for rows in (prepared.corrupted, ~prepared.corrupted))
    above = spoilt[:, None] - rest
    assert found["auc"] == pytest.approx(((above > 0) + 0.5 * (above == 0)).mean())
    assert found["mze"] == pytest.approx(np.mean(model.predict(prepared.X_test) != prepared.y_test))
    none = work_on(replace(cell, level=0), grades, method_run, n_folds=3, seed=0)
    assert [none[name] for name in ("precision", "recall", "auc")] == [None] * 3
    assert pd.notna(none["mze"])
