"""All faults of a file in one run; labels, ids, weights and words of a file (N42, N44)."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner, Result

from csvor._faults.errors import ColumnError, CommandError, UsageError
from csvor._faults.notes import Notes
from csvor._faults.spelling import folded, quoted, visible
from csvor._tables.column_uses import read_weights, weight_of_one
from csvor._tables.feature_columns import choose_features
from csvor._tables.features import FeatureColumns
from csvor._tables.model_columns import features_frame
from csvor._tables.table import as_column
from csvor._tables.target import Target, read_target
from csvor.cli._model import load_model
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli.commands import _audit
from csvor.cli.commands._app import app
from csvor.cli.input._csv import classes_of
from csvor.cli.input._prepare import prepare
from test_reader_numbers import chosen, table_of


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def target_of(texts: list[str], classes: str | None = None, **options: Any) -> Target:
    column = as_column("grade", pa.array(texts))
    return read_target(column, classes_of(classes), (), options.pop("notes", Notes()), **options)


def refusal(texts: list[str], classes: str | None = None, **options: Any) -> str:
    with pytest.raises(CommandError) as caught:
        target_of(texts, classes, **options)
    return str(caught.value)


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


# One run


def spoilt() -> pd.DataFrame:
    n = 40
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "grade": [*["good", "poor"] * 18, "goood", "Poor", "", "good"],
            "seen": ["2020-01-13"] * n,
            "share": [*[f"{i} %" for i in range(n - 1)], "0.72"],
            "income": ["1,234", "12,500"] * (n // 2),
            "size": [*rng.normal(size=n - 1).round(3), "large"],
            "note": [f"it was {i} times fine" for i in range(n)],
            "x": rng.integers(0, 9, n),
        }
    )


def test_n42_all_faults_in_one_run() -> None:
    spoilt().to_csv("t.csv", index=False)
    result = run("audit", "t.csv", "--target", "grade", "--classes", "poor,good")
    assert result.exit_code == 1
    first, *others, command = result.stderr.splitlines()
    assert first == "csvor: error: t.csv: 7 faults"
    starts = [
        "  column 'grade': 1 of 40 labels is blank (row 39); ",
        "  column 'grade': 2 labels are none of --classes: 'goood' 1 (row 37; is 'good' meant?), "
        "'Poor' 1 (row 38; is 'poor' meant?); ",
        "  column 'seen' holds dates ('2020-01-13'); read them as numbers with --dates, or ",
        "  column 'share': 1 of 40 values is not a number like '0 %' (row 40: '0.72'); ",
        "  column 'income': commas may mark thousands or decimals (row 1: '1,234' is ",
        "  column 'size': 1 of 40 values is not a number like ",
        "  column 'note': every row has a text of its own",
    ]
    assert [line[: len(start)] for line, start in zip(others, starts, strict=True)] == starts
    assert command.startswith("Try, once the others are corrected: csvor audit t.csv")


def test_faults_of_labels_columns_groups_and_weights_are_told_together() -> None:
    frame = spoilt()[["grade", "x", "size"]].assign(g=["a", ""] * 20, w=[-1, 1] * 20)
    frame.to_csv("t.csv", index=False)
    data = DataOptions("t.csv", "grade", groups="g", weight="w")
    with pytest.raises(CommandError) as caught:
        prepare(data, ModelOptions(), Notes())
    told = str(caught.value)
    assert told.startswith("t.csv: 5 faults\n")
    for part in ("blank (row 39)", "words without an order", "(--groups)", "(--weight)", "'size'"):
        assert part in told


def test_one_fault_is_one_line() -> None:
    spoilt()[["grade", "x"]].iloc[:36].to_csv("t.csv", index=False)
    result = run("audit", "t.csv", "--target", "grade")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("csvor: error: t.csv, column 'grade': the labels are words")


def test_all_faults_of_new_rows_in_one_run() -> None:
    features = FeatureColumns(numeric=["x", "z"], categorical={"town": ["a", "b"]})
    with pytest.raises(CommandError) as caught:
        features_frame(
            table_of(x=["soon"], z=["inf"], town=["c"]), features, impute=False, notes=Notes()
        )
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == [
        *["3 faults", "  column 'x'", "  column 'z'", "  column 'town'"]
    ]


def test_faults_of_new_rows_are_a_line_each_and_their_remedies_are_those_of_predict() -> None:
    n = 40
    frame = pd.DataFrame({"x": np.arange(n) % 7 + 0.5, "z": np.arange(n) % 5, "y": [1, 2] * 20})
    frame["seen"], frame["tags"] = ["2020-01-13", "2020-02-14"] * 20, ["a", "b"] * 20
    frame.to_csv("t.csv", index=False)
    fit = run("fit", "t.csv", "--target", "y", "--dates", "--model", "m.skops")
    assert fit.exit_code == 0, fit.stderr
    new = pd.DataFrame({"x": ["soon", "2"], "z": [1, 2], "seen": ["01/02/2020", "03/04/2020"]})
    new.assign(tags=[["a"], ["b"]]).to_parquet("new.parquet")
    first, *others = run("predict", "new.parquet", "--model", "m.skops").stderr.splitlines()
    assert first == "csvor: error: new.parquet: 3 faults"
    assert [line.split(":")[0] for line in others] == [
        *["  column 'x'", "  column 'seen'"],
        "  column 'tags' holds lists or records, but the model was fitted to none; write it as it "
        "was there",
    ]
    assert not any("--drop" in line or "--categorical" in line for line in others)


def test_words_in_remedies_can_be_typed() -> None:
    texts = [*map(str, range(30)), "don't care"]
    with pytest.raises(ColumnError) as caught:
        chosen(table_of(**{"it's": texts}))
    assert 'no value with --missing "don\'t care" --impute' in str(caught.value)
    assert str(caught.value).endswith('--drop "it\'s"')
    for word in ["a b", "don't", 'it\'s "so"', "a\\'b", "$x", "-1", "x;y"]:
        assert shlex.split(quoted(word)) == [word]


def test_what_cannot_be_seen_or_is_long_is_shown_so() -> None:
    for text, shown in [("5\u200b1", "row 31: '5<U+200B>1'"), ("q" * 5000, "... (5000 letters)")]:
        with pytest.raises(ColumnError) as caught:
            chosen(table_of(x=[*map(str, range(30)), text]))
        assert shown in str(caught.value) and len(str(caught.value)) < 600


# Labels


def test_n42_spellings_are_counted_and_the_nearest_label_is_named() -> None:
    texts = [*["good", "poor"] * 20, "goood", "Poor", "Poor", "awful"]
    assert refusal(texts, "poor,good") == (
        "column 'grade': 4 labels are none of --classes: 'goood' 1 (row 41; is 'good' meant?), "
        "'Poor' 2 (rows 42, 43; is 'poor' meant?), 'awful' 1 (row 44); --fold-labels takes no "
        "notice of case and blanks; correct them, add them to --classes or leave these rows out "
        "with --missing-label goood --missing-label awful"
    )
    assert (
        "without an order: 'Poor' 2 (is 'poor' meant?), 'awful' 1, 'good' 20, 'goood' 1 (is 'good' "
        "meant?), 'poor' 20; list them from the lowest"
    ) in refusal(texts)


def test_n42_fold_labels_says_what_it_merged() -> None:
    notes = Notes()
    texts = ["good", "Good", " good", "very  good", "VERY GOOD", "very good", "poor\u200b", "poor"]
    target = target_of(texts, "poor,good,very good", fold=True, notes=notes)
    assert target.classes == ["poor", "good", "very good"]
    assert target.counts == [2, 3, 3]
    assert notes.texts() == [
        "labels in other spellings are read as one: 'Good' (1 row) as 'good', "
        "'very<U+0020><U+0020>good' (1 row) as 'very good', 'VERY GOOD' (1 row) as 'very good', "
        "'poor<U+200B>' (1 row) as 'poor'"
    ]
    assert set(target.labels.tolist()) == {"poor", "good", "very good"}


def test_without_a_list_the_most_frequent_spelling_is_kept() -> None:
    target = target_of(["TRUE", "true", "true", "False"], fold=True)
    assert (target.classes, target.counts) == (["False", "true"], [1, 3])


def test_labels_that_are_declared_side_by_side_are_two() -> None:
    target = target_of(["A", "a", "A ", "B"], "a,A,B", fold=True)
    assert (target.classes, target.counts) == (["a", "A", "B"], [1, 2, 1])


def test_fold_labels_says_so_where_nothing_is_to_be_merged() -> None:
    notes = Notes()
    target_of(["a", "b"], "a,b", fold=True, notes=notes)
    assert notes.texts() == ["--fold-labels: no two labels differ in case and blanks alone"]


def test_one_form_of_unicode() -> None:
    composed, apart = "gr\u00fcn", "gru\u0308n"
    target = target_of([composed, apart, "rot"], f"rot,{apart}")
    assert (target.classes, target.counts) == (["rot", composed], [1, 2])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("good", "good"),
        ("gr\u00fcn", "gr\u00fcn"),
        ("good\u200b", "good<U+200B>"),
        ("go\u00adod", "go<U+00AD>od"),
        ("very\u00a0good", "very<U+00A0>good"),
        ("\u0434\u043e\u0431\u0440\u043e", "\u0434\u043e\u0431\u0440\u043e"),
        ("a  b", "a<U+0020><U+0020>b"),
        ("a\tb", "a<U+0009>b"),
    ],
)
def test_n42_what_cannot_be_seen_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert f"'{shown}' 1" in refusal([text, "x", "y", "x"], "x,y") or text == "a  b"


def test_what_folding_overlooks() -> None:
    assert folded(" Very\u00a0 G\u200bOOD ") == folded("very good") == "very good"
    assert folded("Stra\u00dfe") == folded("STRASSE")
    assert folded("good") != folded("goood")


# Words


@pytest.mark.parametrize(
    ("fit", "new"),
    [
        (pa.array([True, False, True]), ["TRUE", "false", "True"]),
        (["true", "false", "true"], pa.array([True, False, True])),
        (["TRUE", "FALSE", "TRUE"], ["yes", "No", "y"]),
        (["TRUE", "FALSE", "TRUE"], ["1", "0", "1"]),
    ],
)
def test_n42_true_and_false_are_what_they_are_however_written(fit: Any, new: Any) -> None:
    features, frame = chosen(table_of(x=fit))
    assert features.categorical == {"x": ["False", "True"]}
    again = features_frame(table_of(x=new), features, impute=False, notes=Notes())
    assert again["x"].tolist() == frame["x"].tolist() == ["True", "False", "True"]


def test_true_and_false_in_a_column_of_numbers() -> None:
    features, _ = chosen(table_of(x=["0", "1", "1"]))
    for new in (["TRUE", "false"], pa.array([True, False])):
        again = features_frame(table_of(x=new), features, impute=False, notes=Notes())
        assert again["x"].tolist() == [1, 0]


def test_another_spelling_of_a_known_word_is_said() -> None:
    notes, features = Notes(), FeatureColumns(categorical={"town": ["Bonn", "Ulm"]})
    again = features_frame(
        table_of(town=["BONN", "ulm ", "Bonn"]), features, impute=False, notes=notes
    )
    assert again["town"].tolist() == ["Bonn", "Ulm", "Bonn"]
    assert notes.texts() == [
        "column 'town': other spellings are read as those of the fit ('BONN' as 'Bonn', 'ulm' as "
        "'Ulm')"
    ]


def test_n42_a_column_that_is_wholly_unknown_is_refused() -> None:
    features = FeatureColumns(categorical={"town": ["Bonn", "Ulm"]})
    with pytest.raises(
        ColumnError, match=r"'town': the model knows none of its values, in any row \('B', 'U'"
    ):
        features_frame(table_of(town=["B", "U"]), features, impute=False, notes=Notes())


# Ids


def notes_on(**columns: Any) -> tuple[FeatureColumns, list[str]]:
    notes = Notes()
    x = np.random.default_rng(0).normal(size=len(next(iter(columns.values()))))
    features, _ = chosen(table_of(**columns, x=pa.array(x)), notes)
    return features, notes.texts()


@pytest.mark.parametrize("name", ["code", "patient"])
def test_a_code_for_each_row_is_left_out(name: str) -> None:
    features, (note,) = notes_on(**{name: [f"P-{i:03d}" for i in range(40)]})
    assert (features.used, features.row_numbers) == (["x"], [name])
    assert note == (
        f"column '{name}' looks like an id (each row has a text of its own, such as 'P-000') and "
        f"is left out; name the rows by it with --id {name}"
    )


@pytest.mark.parametrize("name", ["id", "patientId", "case_no", "USER_ID", "respondent", "nr"])
def test_numbers_that_may_be_ids_are_said_to_be_used(name: str) -> None:
    once = np.random.default_rng(0).permutation(np.arange(0, 400, 7)[:50])
    features, (note,) = notes_on(**{name: pa.array(once)})
    assert features.used == [name, "x"]
    assert f"'{name}' looks like an id (whole numbers, each once)" in note
    assert f"--id {name}" in note and f"--keep {name}" in note
    features, (note,) = notes_on(**{name: pa.array(np.repeat(once, 2)[::-1])})
    assert "an id of what several rows share (50 whole numbers)" in note
    assert f"--groups {name}" in note
    features, (note,) = notes_on(**{name: [f"p{i}" for i in np.repeat(once, 2)]})
    assert "an id of what several rows share (50 texts)" in note


@pytest.mark.parametrize("name", ["income", "width", "idea", "number_of_rooms", "paid"])
def test_measurements_are_no_ids(name: str) -> None:
    once = np.random.default_rng(0).permutation(np.arange(0, 400, 7)[:50])
    assert notes_on(**{name: pa.array(once)})[1] == []


# Weights


@pytest.mark.parametrize("name", ["weight", "wt", "finalwt", "fnlwgt", "pweight", "sample_weight"])
def test_n44_a_feature_that_may_be_a_weight_is_named(name: str) -> None:
    x = pa.array(np.random.default_rng(1).uniform(1, 2, 30))
    (note,) = notes_on(**{name: x})[1]
    assert f"--weight {name}" in note and f"--keep {name}" in note
    notes = Notes()
    table = table_of(**{name: x})
    arguments = {"kept": [name], "impute": False, "clip": False, "notes": notes}
    choose_features(table, np.arange(30), [name], **arguments)
    assert notes.texts() == []


@pytest.mark.parametrize("name", ["count", "Counts", "freq", "Frequency", "row_count", "n_obs"])
def test_n57_a_feature_that_may_be_a_count_is_named(name: str) -> None:
    (note,) = notes_on(**{name: pa.array(np.arange(30) % 7 + 1)})[1]
    assert f"--counts {name}" in note and f"--keep {name}" in note
    assert notes_on(**{name: pa.array(np.random.default_rng(1).uniform(1, 2, 30))})[1] == []


@pytest.mark.parametrize("name", ["left_weight", "weighted_score", "height", "word_count"])
def test_measurements_are_no_weights(name: str) -> None:
    assert notes_on(**{name: pa.array(np.random.default_rng(1).uniform(1, 2, 30))})[1] == []


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        (["1", "-1", "2"], "1 of 3 values is no weight, a finite number from 0 on (row 2: '-1')"),
        (["1", "", "two"], "2 of 3 values are no weight"),
        (pa.array([1.0, np.inf, 2.0]), "(row 2: 'inf')"),
        (["0", "0", "0"], "all weights are 0"),
        (pa.array([1, 2, 3], pa.date32()), "holds dates, which are no weights"),
    ],
)
def test_what_is_no_weight(weights: Any, why: str) -> None:
    with pytest.raises(ColumnError) as caught:
        values = read_weights(table_of(w=weights), "--weight", "w", np.arange(3))
        weight_of_one(("--weight", "w"), values.sum(), 3)
    assert str(caught.value).startswith("column 'w' (--weight)") and why in str(caught.value)


def test_counts_are_whole() -> None:
    counts = read_weights(table_of(w=["3", "0", "12"]), "--counts", "w", np.arange(3))
    assert counts.tolist() == [3, 0, 12] and weight_of_one(("--counts", "w"), 15, 3) == 1.0
    with pytest.raises(ColumnError, match=r"1 of 2 values is no count, .* \(row 2: '1\.5'\)"):
        read_weights(table_of(w=["3", "1.5"]), "--counts", "w", np.arange(2))


def test_weights_may_have_marks() -> None:
    for weights in (["1,5", "2,5"], ["150 %", "250 %"]):
        found = read_weights(table_of(w=weights), "--weight", "w", np.arange(2))
        np.testing.assert_allclose(
            found / weight_of_one(("--weight", "w"), found.sum(), 2), [0.75, 1.25]
        )
    assert (
        read_weights(table_of(w=["1,234", "2,345"]), "--weight", "w", np.arange(2), ",") is not None
    )
    with pytest.raises(ColumnError, match=r"commas may mark thousands .*; say with --decimal"):
        read_weights(table_of(w=["1,234", "2,345"]), "--weight", "w", np.arange(2))


def test_weights_have_the_decimal_sign_of_the_file() -> None:
    x = [f"{i % 7},{i % 9}5" for i in range(20)]
    frame = pd.DataFrame({"x": x, "w": ["1.234", "950"] * 10, "y": [1, 2] * 10})
    frame.to_csv("t.csv", index=False)
    work = prepare(DataOptions("t.csv", "y", weight="w"), ModelOptions(), Notes())
    assert work.weights is not None
    np.testing.assert_allclose(work.weights[:2], np.array([1234, 950]) / 1092)


def test_n44_weights_count_in_the_fit() -> None:
    """What they are multiplied by does not: their mean is 1."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 2))
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": np.digitize(x[:, 0], [-0.5, 0.5])})
    weights = {"weighted": np.repeat([1, 4], 60), "scaled": np.repeat([500, 2000], 60)}
    scores = {}
    for name, given in (weights | {"plain": np.ones(120)}).items():
        frame.assign(w=given).to_csv("t.csv", index=False)
        args = ("fit", "t.csv", "--target", "y", "--model", "m.skops", "--weight", "w")
        result = run(*args, "--contamination", 0)
        assert result.exit_code == 0, result.stderr
        model = load_model("m.skops")
        assert model.features.used == ["a", "b"] and "w" in model.record.known
        scores[name] = model.pipeline.decision_function(frame)
    np.testing.assert_allclose(scores["scaled"], scores["weighted"], atol=1e-6)
    assert np.abs(scores["plain"] - scores["weighted"]).max() > 1e-3


def test_n44_weights_reach_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "w": [1, 3] * 20, "y": [1, 2] * 20})
    frame.to_csv("t.csv", index=False)
    seen: list[Any] = []

    def stop(*_: Any, sample_weight: Any, **__: Any) -> None:
        seen.append(sample_weight)
        raise UsageError("seen")

    monkeypatch.setattr(_audit, "audit_labels", stop)
    assert run("audit", "t.csv", "--target", "y", "--weight", "w").stderr.endswith("seen\n")
    np.testing.assert_allclose(seen[0], [0.5, 1.5] * 20)
    assert run("audit", "t.csv", "--target", "y", "--counts", "w").stderr.endswith("seen\n")
    np.testing.assert_array_equal(seen[1], [1.0, 3.0] * 20)
    message = run("audit", "t.csv", "--target", "y", "--weight", "w", "--counts", "w").stderr
    assert "--weight and --counts both say what a row counts" in message
    message = run("audit", "t.csv", "--target", "y", "--weight", "w", "--drop", "w").stderr
    assert "column 'w' is named by both --weight and --drop" in message


# From the file to the model and back


def test_a_file_is_read_by_the_rules_of_the_fit() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 100, 200)
    y = np.digitize(x, [30, 60])
    words = np.array(["poor", "fair", "good"])[y]
    seen = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 400, 200), "D")
    frame = pd.DataFrame({"share": [f"{v:.1f} %".replace(".", ",") for v in x], "grade": words})
    frame["seen"] = seen.strftime("%d.%m.%Y")
    frame.loc[3, "share"] = "k. A."
    frame.to_csv("t.csv", index=False, sep=";")
    options = ("--classes", "poor,fair,good", "--dates", "--missing", "k. A.", "--impute")
    fit = run("fit", "t.csv", "--target", "grade", *options, "--model", "m.skops", "--C", 100)
    assert fit.exit_code == 0, fit.stderr
    assert "decimal commas are read as points, '%' beside the numbers is passed over" in fit.stderr
    new = pd.DataFrame({"share": ["12.5%", "80 %", "k. A."], "seen": ["2020-05-01"] * 3})
    new.to_csv("new.csv", index=False)
    predicted = run("predict", "new.csv", "--model", "m.skops")
    assert predicted.exit_code == 0, predicted.stderr
    assert predicted.stdout.splitlines()[1:3] == ["1,poor", "2,good"]
    new.to_csv("bars.txt", index=False, sep="|")
    again = run(
        "predict", "bars.txt", "--model", "m.skops", "--delimiter", "pipe", "--decimal", "."
    )
    assert again.stdout == predicted.stdout
