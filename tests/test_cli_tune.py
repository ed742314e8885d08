"""--tune: the pair of C and p with the lowest error in cross-validation, ties decided."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

from csvor import CSVOR
from csvor._labels import CodedLabels
from csvor.cli._model import load_model
from csvor.cli.commands import _tune
from csvor.cli.commands._app import app
from csvor.cli.commands._tune import tune


class Fixed(ClassifierMixin, BaseEstimator):
    """Predicts 1 for the pairs of C and p in `best` and 0 for all others."""

    def __init__(
        self, C: float = 1.0, p: float = 1.0, best: tuple[tuple[float, float], ...] = ()
    ) -> None:
        self.C = C
        self.p = p
        self.best = best

    def fit_many(
        self,
        X: object,
        y: object,
        settings: list[dict[str, float]],
        sample_weight: object = None,
    ) -> list["Fixed"]:
        return [clone(self).set_params(**setting) for setting in settings]

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), 1 if (self.C, self.p) in self.best else 0)


@pytest.mark.parametrize(
    ("best", "chosen"),
    [
        (((10.0, 2.0),), (10.0, 2.0)),
        (((10.0, 1.0), (0.1, 2.0), (100.0, 1.0)), (0.1, 2.0)),
        (((1.0, 0.5), (1.0, 1.5), (1.0, 2.0)), (1.0, 1.5)),
        ((), (0.001, 1.0)),
    ],
)
def test_ties_go_to_the_smaller_c_then_to_the_p_nearest_one(
    best: tuple[tuple[float, float], ...], chosen: tuple[float, float]
) -> None:
    labels = np.repeat([1, 0], [15, 5])
    frame = pd.DataFrame({"x": np.arange(20.0)})
    pipeline = Pipeline([("scale", StandardScaler()), ("model", Fixed(best=best))])
    told: list[tuple[int, int]] = []
    coded = CodedLabels.from_data(labels)
    choice = tune(pipeline, frame, coded, folds=5, seed=0, update=lambda *now: told.append(now))
    assert (choice.C, choice.p) == chosen
    assert choice.error == pytest.approx(0.25 if best else 0.75)
    assert told == [(i, 210) for i in range(6, 211, 6)]


def test_it_is_a_grid_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tune, "STRENGTHS", (0.01, 1.0, 100.0))
    monkeypatch.setattr(_tune, "POWERS", (1.0, 0.5, 2.0))
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3))
    labels = np.digitize(X @ [1, 2, 0] + rng.normal(size=120), [-1, 1])
    pipeline = make_pipeline(StandardScaler(), CSVOR(classes=[0, 1, 2]))
    choice = tune(
        *(pipeline, pd.DataFrame(X), CodedLabels.from_data(labels)),
        folds=4,
        seed=2,
        update=lambda done, total: None,
    )
    truth = GridSearchCV(
        pipeline,
        {"csvor__C": [0.01, 1.0, 100.0], "csvor__p": [0.5, 1.0, 2.0]},
        cv=StratifiedKFold(4, shuffle=True, random_state=2),
    ).fit(pd.DataFrame(X), labels)
    # Parts of equal size: the mean of their errors is what both count.
    assert choice.error == pytest.approx(1 - truth.best_score_)
    scores = dict(
        zip(
            [(c["csvor__C"], c["csvor__p"]) for c in truth.cv_results_["params"]],
            truth.cv_results_["mean_test_score"],
            strict=True,
        )
    )
    assert scores[choice.C, choice.p] == pytest.approx(truth.best_score_)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    X = np.random.default_rng(0).uniform(-3, 3, (60, 2))
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": np.digitize(X[:, 0] + X[:, 1], [-1, 1])})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_the_choice_is_told_and_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tune, "STRENGTHS", (0.1, 10.0))
    monkeypatch.setattr(_tune, "POWERS", (0.5, 2.0))
    runner = CliRunner(env={"COLUMNS": "120"})
    out = path.with_name("m.skops")
    fit = ["fit", str(path), "--target", "y", "--model", str(out), "--tune", "--folds", "3"]
    found = json.loads(runner.invoke(app, [*fit, "--json"]).stdout)
    chosen, model = found["tuned"], load_model(str(out)).pipeline[-1]
    assert (model.C, model.p) == (chosen["C"], chosen["p"])
    assert chosen["C"] in (0.1, 10.0) and chosen["p"] in (0.5, 2.0)
    assert chosen["n_fits"] == 3 * 2 * 2
    told = " ".join(runner.invoke(app, fit).stdout.split())
    assert (
        f" Model C {chosen['C']:g}, p {chosen['p']:g}, contamination 0 (found); C and p chosen "
        f"by 3 folds, error {chosen['error']:.3f} (12 fits) Fit "
    ) in told


def test_more_folds_than_rows_of_any_label(path: Path) -> None:
    args = ["fit", str(path), "--target", "y", "--model", "m.skops", "--tune", "--folds", "40"]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 2
    assert result.stderr == "csvor: error: --folds 40: no label has that many rows\n"


def test_equal_weights_choose_as_none_do_and_others_count(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tune, "STRENGTHS", (0.1, 10.0))
    monkeypatch.setattr(_tune, "POWERS", (1.0,))
    frame = pd.read_csv(path)
    found = {}
    for name, weights in {"equal": 7.0, "unlike": np.arange(60) % 7}.items():
        frame.assign(w=weights).to_csv(path, index=False)
        args = ["fit", str(path), "--target", "y", "--model", str(path.with_name("m.skops"))]
        args += ["--tune", "--folds", "2", "--json"]
        for weighted in (["--weight", "w"], ["--drop", "w"]):
            result = CliRunner().invoke(app, [*args, *weighted])
            found[name, weighted[0]] = json.loads(result.stdout)["tuned"]
    assert found["equal", "--weight"] == found["equal", "--drop"] == found["unlike", "--drop"]
    assert found["unlike", "--weight"]["error"] != found["unlike", "--drop"]["error"]
