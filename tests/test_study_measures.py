"""N48: measures that a spec names: their values, what fails and is kept, what is refused."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import study_measures
from csvor import SVOREX, metrics
from csvor.methods import METHODS, Method
from csvor.study import MeasureSpec, MethodSpec, Spec, results, run, spec_from_dict, spec_of, status
from csvor.study import _splits as splits_module
from csvor.study._measures import COLUMNS, load_measures, measured
from csvor.study._splits import PreparedSplit, load_data, prepare_split
from study_sets import Sets

NEAR = MethodSpec("NEAREST", grid={"shrink": (0.0,)})
SVO = MethodSpec("SVOREX", grid={"C": (1.0,)})
SPEC = Spec(("grades", "cut"), (0, 20), (NEAR, SVO), splits=2, folds=3)
PICKY = MeasureSpec.of("study_measures:picky_score")
COST = MeasureSpec("cost", "study_measures:far_cost", better="lower", parameters={"power": 2})


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits_module, "datasets", Sets)
    monkeypatch.setitem(METHODS, "NEAREST", Method("study_sets", "Nearest"))


def measuring(*measures: MeasureSpec, **changes: Any) -> Spec:
    return replace(SPEC, measures=measures, **changes)


def problem_of(name: str = "grades") -> PreparedSplit:
    return prepare_split(load_data([name], None)[name], 0, 0, n_folds=3, seed=0)


# ---------------------------------------------------------------------------- what is measured


def test_measures_are_columns_and_change_nothing_else(tmp_path: Path) -> None:
    plain = run(SPEC, tmp_path / "plain")
    kappa = MeasureSpec("weighted_kappa", parameters={"weights": "linear"})
    errors = MeasureSpec("mean_absolute_error"), MeasureSpec("maximum_mean_absolute_error")
    table = run(measuring(COST, kappa, *errors), tmp_path / "more")
    names = ["cost", "weighted_kappa", "mean_absolute_error", "maximum_mean_absolute_error"]
    assert table.columns.tolist() == [*COLUMNS, *names, *(f"{name}_error" for name in names)]
    same = [name for name in COLUMNS if name != "seconds"]
    pd.testing.assert_frame_equal(table[same], plain[same])
    assert (table[[f"{name}_error" for name in names]] == "").all().all()
    np.testing.assert_allclose(table.mean_absolute_error, table.mae)
    assert (table.cost >= table.mae - 1e-12).all()
    assert (table.maximum_mean_absolute_error >= table.mae - 1e-12).all()
    assert table.weighted_kappa.between(-1, 1).all()
    pd.testing.assert_frame_equal(results(tmp_path / "more"), table)
    assert spec_of(tmp_path / "more") == measuring(COST, kappa, *errors)


def test_values_by_hand() -> None:
    """Truth 1, 1, 3; said 1, 2, 1: squares 0, 1, 4; of four classes."""
    prepared = problem_of()
    truth, said = np.array([1, 1, 3]), np.array([1, 2, 1])
    prepared = replace(prepared, y_test=truth, X_test=prepared.X_test[:3], n_classes=4)
    found = measured(
        load_measures([COST, MeasureSpec("accuracy_off1_score")]), None, prepared, said
    )
    assert found == {
        "measures": {"cost": pytest.approx(5 / 3), "accuracy_off1_score": pytest.approx(2 / 3)},
        "failed_measures": {},
    }
    # Class 3 is nowhere, so without all classes 2 and 4 would be neighbours.
    given = MeasureSpec("mean_absolute_error")
    far = replace(prepared, y_test=np.array([2, 2, 2]))
    found = measured(load_measures([given]), None, far, np.array([4, 4, 4]))
    assert found["measures"] == {"mean_absolute_error": 2.0}
    assert metrics.mean_absolute_error([2], [4]) == 1.0


def test_probabilities_have_a_column_for_every_class() -> None:
    """The training rows lack class 2 of three."""
    prepared = problem_of()
    rows = prepared.y != 2
    model = SVOREX().fit(prepared.X[rows], prepared.y[rows])
    proba = replace(MeasureSpec.of("study_measures:likelihood_score"), needs="predict_proba")
    found = measured(load_measures([proba]), model, prepared, prepared.y_test)["measures"]
    given = model.predict_proba(prepared.X_test)
    column = {1: 0, 3: 1}
    by_hand = [0 if y == 2 else given[i, column[y]] for i, y in enumerate(prepared.y_test.tolist())]
    assert found["likelihood_score"] == pytest.approx(np.mean(by_hand))


def test_measures_go_to_other_processes() -> None:
    loaded = load_measures([COST, MeasureSpec("weighted_kappa", parameters={"weights": "linear"})])
    truth, said = np.array([1, 1, 3]), np.array([1, 2, 1])
    there = pickle.loads(pickle.dumps(loaded))
    values = [[one.value(truth, said, 3) for one in measures] for measures in (loaded, there)]
    assert values[0] == values[1]


def test_scikit_learns_measures_get_the_classes_too(tmp_path: Path) -> None:
    loss = MeasureSpec("log_loss", "sklearn.metrics:log_loss", needs="predict_proba")
    f1 = MeasureSpec("f1", "sklearn.metrics:f1_score", parameters={"average": "macro"})
    found = run(measuring(loss, f1, methods=(SVO,), datasets=("grades",)), tmp_path)
    assert (found.log_loss > 0).all()
    assert found.f1.between(0.3, 1).all()


# ------------------------------------------------------------------------------- what fails


def test_a_measure_that_raises_is_told_once_a_method_and_all_else_is_kept(tmp_path: Path) -> None:
    nothing, many = (MeasureSpec.of(f"study_measures:{name}_score") for name in ("nothing", "many"))
    table = run(measuring(PICKY, COST, nothing, many), tmp_path)
    assert set(table.status) == {"ok"}
    assert table[["mze", "mae", "cost"]].notna().all().all()
    wrong = table.mze > 0
    assert wrong.sum() > 0
    assert (table.picky_score.isna() == wrong).all()
    assert set(table.picky_score_error[wrong]) == {"ArithmeticError: no luck with this split"}
    assert set(table.picky_score_error[~wrong]) <= {""}
    told = status(tmp_path).failed_measures
    assert told.columns.tolist() == ["measure", "method", "cells", "error"]
    by_method = table[wrong].groupby("method").size()
    assert told[told.measure == "picky_score"].set_index("method").cells.to_dict() == (
        by_method.to_dict()
    )
    assert told[told.measure != "picky_score"].iloc[:, :].values.tolist() == [
        ["nothing_score", "NEAREST", 8, "ValueError: gave nan"],
        ["nothing_score", "SVOREX", 8, "ValueError: gave nan"],
        ["many_score", "NEAREST", 8, "TypeError: gave ndarray in place of a number"],
        ["many_score", "SVOREX", 8, "TypeError: gave ndarray in place of a number"],
    ]


def test_cells_with_a_failed_measure_are_run_again_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = measuring(MeasureSpec.of("study_measures:nothing_score"), methods=(NEAR,))
    assert (run(spec, tmp_path).nothing_score_error != "").all()
    (source,) = (one.facts["code"] for one in load_measures(spec.measures))
    mended = study_measures.far_cost
    monkeypatch.setattr(study_measures, "nothing_score", mended)
    monkeypatch.setattr("csvor.study._measures._code", lambda function, module: source)
    assert (run(spec, tmp_path).nothing_score_error != "").all()
    assert (run(spec, tmp_path, retry_failed=True).nothing_score_error == "").all()


def test_a_changed_function_is_measured_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = measuring(MeasureSpec.of("study_measures:nothing_score"), methods=(NEAR,))
    run(spec, tmp_path)
    monkeypatch.setattr(study_measures, "nothing_score", study_measures.far_cost)
    assert (run(spec, tmp_path).nothing_score_error == "").all()


# ------------------------------------------------------------------------------ what is refused


def no_fits(*given: Any, **more: Any) -> Any:
    raise AssertionError("a cell was run")


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (
            MeasureSpec("q", "study_measures:likelihood_score", needs="predict_proba"),
            r"measures\.q: needs predict_proba, which NEAREST lacks; take out the measure or the m",
        ),
        (
            MeasureSpec("d", "study_measures:far_cost", "lower", "decision_function"),
            r"measures\.d: needs decision_function, which NEAREST lacks",
        ),
        (
            MeasureSpec("kappa_error"),
            "csvor.metrics has no 'kappa_error'; its measures are accuracy_off1",
        ),
        (MeasureSpec.of("nowhere.at:all_score"), r"there is no nowhere\.at:all_score: No module"),
        (MeasureSpec.of("study_measures:no_score"), "there is no study_measures:no_score"),
        (
            MeasureSpec("n", "study_measures:NUMBER", "lower"),
            "NUMBER is no function",
        ),
        (MeasureSpec.of("study_measures:alone_score"), "does not take true labels, an answer and"),
        (
            MeasureSpec("weighted_kappa", parameters={"wieghts": "linear"}),
            "weighted_kappa does not take .* unexpected keyword argument 'wieghts'",
        ),
    ],
)
def test_what_is_refused_before_the_first_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: MeasureSpec, message: str
) -> None:
    monkeypatch.setattr("csvor.study._run.work_on", no_fits)
    with pytest.raises(ValueError, match=message):
        run(measuring(measure), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"far": {"function": "m:cost"}},
            r"measures\.far\.better: say lower or higher in the",
        ),
        ({"far_cost": {}}, "csvor.metrics has no 'far_cost'; its measures are accuracy_off1"),
        ({"mae": {}}, r"measures\.mae: the results have a column of that name"),
        ({"a b": {"better": "lower"}}, "'a b' is no name"),
        ({"a": {"better": "more"}}, r"measures\.a\.better: must be lower or higher, got 'more'"),
        (
            {"a": {"better": "lower", "needs": "score"}},
            r"a\.needs: must be one of predict",
        ),
        (
            {"a": {"better": "lower", "function": "f"}},
            r"must be 'package\.module:function'",
        ),
        ({"a": {"function": "m:f", "parameter": {}}}, "measures.a has the unknown key 'parameter'"),
        ({"a_score": {"parameters": 3}}, r"measures\.a_score\.parameters: must be a table"),
        (
            {"a_score": {}, "a_score_error": {}},
            "measures: 'a_score_error' is listed more than once",
        ),
        (["a_score"], "measures: must be a table"),
    ],
)
def test_what_a_spec_refuses(table: Any, message: str) -> None:
    content = {"datasets": ["tae"], "levels": [0], "methods": {"CSVOR": {}}, "measures": table}
    with pytest.raises(ValueError, match=message):
        spec_from_dict(content)


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("accuracy_off1_score", "higher"),
        ("weighted_kappa", "higher"),
        ("average_mean_absolute_error", "lower"),
        ("sklearn.metrics:log_loss", "lower"),
        ("sklearn.metrics:f1_score", "higher"),
    ],
)
def test_which_side_is_better(name: str, better: str) -> None:
    assert MeasureSpec.of(name).direction == better


def test_a_study_without_measures_has_the_keys_that_it_had(tmp_path: Path) -> None:
    """Or records of earlier versions would be lost."""
    run(SPEC, tmp_path)
    before = {path.name for path in tmp_path.rglob("records/*/*.json")}
    run(measuring(COST), tmp_path)
    run(SPEC, tmp_path, replace=True)
    after = {path.name for path in tmp_path.rglob("records/*/*.json")}
    assert len(before) == 16
    assert before < after
    assert len(after) == 32
