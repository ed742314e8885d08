"""Classes that are passed over, and --class-weight (case N33)."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner, Result

from csvor import CSVOR, audit_labels
from csvor._faults.notes import Notes
from csvor.audit import candidate_models
from csvor.audit._class_notes import notes_on_classes
from csvor.cli.commands._app import app


@dataclass(frozen=True)
class Audit:
    """The part of an audit that is asked for."""

    classes: NDArray[Any]
    given: NDArray[Any]
    predicted: NDArray[Any]
    flagged: NDArray[np.bool_]
    conclusive: bool = True


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(arg) for arg in args])


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rare_grades() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """N33: 448, 33, 14 and 5 rows, none of them wrong."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 2))
    s = X[:, 0] + 0.6 * rng.normal(size=500)
    return X, np.digitize(s, [1.3, 1.8, 2.4]) + 1


def noted(audit: Audit, **options: Any) -> list[str]:
    notes = Notes()
    notes_on_classes(audit, options.get("class_weight") is not None, notes)
    return notes.texts()


WEIGHT = "compare with --class-weight balanced, which gives all labels the same weight"
MERGE = "merge such a label with one beside it"
CUT = "flagged for the most part: either they are wrong, or the label is too rare to learn; "


@pytest.mark.filterwarnings("ignore:predict never returns class")
def test_n33_classes_cut_as_a_whole_are_named_with_their_figures() -> None:
    X, y = rare_grades()
    model = CSVOR().fit(X, y)
    flagged = model.outliers_
    assert [int(flagged[y == k].sum()) for k in (1, 2, 3, 4)] == [0, 33, 14, 3]
    assert noted(Audit(model.classes_, y, model.predict(X), flagged)) == [
        f"labels '2' (33 of 33 rows), '3' (14 of 14 rows), '4' (3 of 5 rows) are {CUT}{WEIGHT}"
    ]


def hand_made(labels: Any, given: Any, predicted: Any, flagged: Any) -> Audit:
    of = np.array(labels, dtype=object)
    return Audit(of, of[given], of[predicted], np.array(flagged, dtype=bool))


WORDS = ["low", "medium", "high"]


@pytest.mark.parametrize(
    ("given", "predicted", "flagged", "told"),
    [
        # Half of a class is not more than half.
        ([0, 0, 1, 1, 2, 2], [0, 0, 1, 0, 2, 2], [0, 0, 0, 1, 0, 0], None),
        (
            [0, 0, 1, 1, 1, 2, 2],
            [0, 0, 1, 0, 0, 2, 2],
            [0, 0, 0, 1, 1, 0, 0],
            f"label 'medium' (2 of 3 rows) is {CUT}",
        ),
        (
            [0, 0, 1, 1, 2, 2],
            [0, 0, 0, 2, 2, 2],
            [0] * 6,
            "no held-out row was predicted as label 'medium' (2 rows): errors in this label "
            "cannot be found; ",
        ),
        # A class that is cut is named once.
        (
            [0, 0, 1, 1, 2, 2],
            [0, 0, 0, 2, 2, 2],
            [0, 0, 1, 1, 0, 0],
            f"label 'medium' (2 of 2 rows) is {CUT}",
        ),
        # A class without rows, or with one, is spoken of elsewhere.
        ([0, 0, 2, 2], [0, 0, 2, 2], [0] * 4, None),
        ([0, 0, 1, 2, 2], [0, 0, 0, 2, 2], [0, 0, 1, 0, 0], None),
    ],
)
def test_what_makes_a_class_passed_over(
    given: list[int], predicted: list[int], flagged: list[int], told: str | None
) -> None:
    audit = hand_made(WORDS, given, predicted, flagged)
    for weight, remedy in {
        None: WEIGHT,
        "balanced": MERGE,
    }.items():
        expected = [told + remedy] if told else []
        assert noted(audit, class_weight=weight) == expected


def test_rare_marks_of_a_scale_are_not_to_count_as_much_as_others() -> None:
    scale = [str(k) for k in range(1, 13)]
    codes = np.repeat(np.arange(12), 2)
    (note,) = noted(hand_made(scale, codes, np.maximum(codes, 1), [0] * 24))
    assert note.endswith("errors in this label cannot be found; " + MERGE)


def test_both_kinds_are_told_apart() -> None:
    audit = hand_made(
        WORDS, [0, 0, 1, 1, 1, 2, 2, 2], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 0, 0, 0]
    )
    cut, never = noted(audit)
    assert cut.startswith(f"label 'medium' (3 of 3 rows) is {CUT}")
    assert never.startswith("no held-out row was predicted as label 'high' (3 rows): errors ")


def test_where_nothing_can_be_said_no_class_is_blamed() -> None:
    audit = hand_made(WORDS, [0, 0, 1, 1, 2, 2], [0] * 6, [0] * 6)
    assert noted(audit)
    assert noted(replace(audit, conclusive=False)) == []


def written(X: Any, y: Any) -> None:
    pd.DataFrame(X, columns=["a", "b"]).assign(y=y).to_csv("t.csv", index=False)


# One candidate: what is asked here is what is said of it.
QUICK = (
    "audit",
    "t.csv",
    "--target",
    "y",
    "--kernel",
    "linear",
    "--C",
    1,
    "--constraints",
    "explicit",
)


def test_n33_an_audit_of_rare_grades_flags_none() -> None:
    written(*rare_grades())
    result = run(*QUICK, "--json")
    assert json.loads(result.stdout)["flagged"] <= 10
    assert result.stderr == ""


def test_an_audit_names_a_class_that_lies_off_the_line() -> None:
    """Twelve rows of the highest grade below the lowest: a line cannot place them."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    X[:12], y[:12] = [-4.0, 0.0] + 0.3 * rng.normal(size=(12, 2)), 3
    written(X, y)
    result = run(*QUICK)
    assert result.stderr == f"note: label '3' (12 of 12 rows) is {CUT}{WEIGHT}\n"
    weighted = run(*QUICK, "--class-weight", "balanced", "--json")
    assert json.loads(weighted.stdout)["flagged"] == 0


def rare_and_noisy() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(800, 2))
    return X, np.digitize(X[:, 0] + 1.5 * rng.normal(size=800), [3, 3.4, 4])


def test_an_audit_names_classes_once() -> None:
    """The estimator warns of two of them, in words of its own."""
    written(*rare_and_noisy())
    assert run(*QUICK).stderr == (
        "note: no held-out row was predicted as labels '1' (22 rows), '2' (16 rows), '3' (11 "
        f"rows): errors in these labels cannot be found; {WEIGHT}\n"
    )


def test_balanced_weights_reach_the_model() -> None:
    X, y = rare_grades()
    written(X, y)
    fit = ("fit", "t.csv", "--target", "y", "--model", "m.skops", "--contamination", 0.1)
    result = run(*fit, "--class-weight", "balanced")
    assert (result.exit_code, result.stderr) == (0, "")
    assert ", balanced class weights\n" in result.stdout
    found = json.loads(run("predict", "t.csv", "--model", "m.skops", "--json").stdout)
    predicted = [int(row["prediction"]) for row in found["predictions"]]
    model = make_pipeline(StandardScaler(), CSVOR(class_weight="balanced")).fit(X, y)
    assert predicted == model.predict(X).tolist()
    assert set(predicted) == {1, 2, 3, 4}


@pytest.mark.parametrize(("given", "held"), [("balanced", "balanced"), ("none", None)])
def test_the_settings_hold_the_weights(given: str, held: str | None) -> None:
    X, y = rare_grades()
    written(X, y)
    for command in (QUICK, ("fit", *QUICK[1:], "--model", "m.skops")):
        result = run(*command, "--class-weight", given, "--json")
        assert json.loads(result.stdout)["settings"]["class_weight"] == held


def test_a_lost_class_advises_the_option() -> None:
    """The estimator's own warning, in options."""
    written(*rare_and_noisy())
    fit = ("fit", "t.csv", "--target", "y", "--model", "m.skops", "--contamination", 0)
    assert run(*fit).stderr == (
        "note: predict never returns class '1', '2', whose rows leave no interval in thresholds_: "
        "give rare classes more weight with --class-weight balanced.\n"
    )


@pytest.mark.parametrize("options", [("3:4",), ("3:4", "1:0.5"), ("4.0:2.5e1", "3:4")])
def test_weights_of_labels_reach_the_model(options: tuple[str, ...]) -> None:
    X, y = rare_grades()
    written(X, y)
    weights = {int(float(k)): float(v) for k, v in (option.split(":") for option in options)}
    given = [part for option in options for part in ("--class-weight", option)]
    fit = ("fit", "t.csv", "--target", "y", "--model", "m.skops", "--contamination", 0.1)
    found = json.loads(run(*fit, *given, "--json").stdout)
    model = make_pipeline(StandardScaler(), CSVOR(class_weight=weights)).fit(X, y)
    thresholds = [cut["threshold"] for cut in found["thresholds"]]
    np.testing.assert_allclose(thresholds, model[-1].thresholds_, rtol=1e-9)
    assert found["settings"]["class_weight"] == {str(k): weights[k] for k in sorted(weights)}
    told = " ".join(f"{label}:{weights[label]:g}" for label in sorted(weights))
    assert f", class weights {told}\n" in run(*fit, *given).stdout


@pytest.mark.parametrize("labels", [("a:b", "c", "d", "e"), ("False", "True", "True", "True")])
def test_weights_of_labels_reach_an_audit(labels: tuple[str, ...]) -> None:
    X, y = rare_grades()
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=np.array(labels)[y - 1])
    frame.to_csv("t.csv", index=False)
    classes = list(dict.fromkeys(labels))
    given = ("--classes", ",".join(classes), "--class-weight", f"{labels[0].lower()}:9")
    found = json.loads(run(*QUICK, *given, "--json").stdout)
    fixed = {"kernel": "linear", "C": 1.0, "constraints": "explicit", "random_state": 0}
    fixed |= {"class_weight": {labels[0]: 9.0}, "classes": classes}
    models = candidate_models(frame[["a", "b"]], fixed=fixed)
    truth = audit_labels(frame[["a", "b"]], frame["y"], models, random_state=0)
    assert found["wrong_labels"]["share"] == pytest.approx(truth.share, rel=1e-6)
    flagged = {s["row"] for s in found["suspects"] if s["flagged"]}
    assert flagged == set((np.flatnonzero(truth.flagged) + 1).tolist())


TAKES = (
    "must be balanced or none, alone, or LABEL:WEIGHT with a number greater than 0, such as poor:2"
)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["equal"], f"equal: {TAKES}"),
        (["1:"], f"1:: {TAKES}"),
        ([":2"], f":2: {TAKES}"),
        (["1:0"], f"1:0: {TAKES}"),
        (["1:-1"], f"1:-1: {TAKES}"),
        (["1:inf"], f"1:inf: {TAKES}"),
        (["1:two"], f"1:two: {TAKES}"),
        (["1:2", "balanced"], f"balanced: {TAKES}"),
        (["1:2", "1:3"], "1:3: '1' has a weight already"),
        (["1:2", "1.0:2"], "1.0:2: this label has a weight already"),
        (["9:2"], "9:2: no label is '9'; the labels are '1', '2', '3', '4'"),
    ],
)
def test_other_weights_are_refused(given: list[str], message: str) -> None:
    written(*rare_grades())
    options = [part for one in given for part in ("--class-weight", one)]
    result = run("audit", "t.csv", "--target", "y", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"csvor: error: --class-weight {message}\n"
