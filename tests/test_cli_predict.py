"""`csvor fit` and `csvor predict`: the model file, and columns matched by name."""

import csv
import importlib
import inspect
import io
import json
import os
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy.sparse import csr_array
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from typer.testing import CliRunner, Result

from csvor import (
    CSVOR,
    PINSVOR,
    REDSVM,
    SVOREX,
    SVORIM,
    TRUSTED_TYPES,
    OrdinalRegression,
)
from csvor._tables.features import FeatureColumns
from csvor.cli import _record
from csvor.cli._model import load_model
from csvor.cli._record import Record, now, versions
from csvor.cli.commands._app import app
from csvor.preprocessing import MedianClipper, TableEncoder
from problems import g


def run(*args: object, input: str | None = None) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args], input=input)


def b12(*labels: Any) -> pd.DataFrame:
    """x = 0, ..., 11, graded in three fours."""
    return pd.DataFrame({"x": np.arange(12), "rank": np.repeat(np.array(labels), 4)})


def predictions(result: Result) -> list[str]:
    assert result.exit_code == 0, result.stderr
    rows = list(csv.reader(io.StringIO(result.stdout)))
    assert rows[0] == ["row", "prediction"]
    assert [row[0] for row in rows[1:]] == [str(i) for i in range(1, len(rows))]
    return [row[1] for row in rows[1:]]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def towns() -> pd.DataFrame:
    """Rows with a name, two numbers, a category and a constant; graded by all but the name."""
    rng = np.random.default_rng(0)
    a, b, town = rng.normal(size=60), rng.normal(size=60), rng.choice(["n", "s"], 60)
    rank = np.digitize(a - b + 2 * (town == "s"), [0, 1.5])
    words = np.array(["no", "some", "much"])
    frame = pd.DataFrame({"a": a, "b": b, "town": town, "one": 1, "rank": words[rank]})
    frame.insert(0, "name", [f"p{i}" for i in range(60)])
    frame.to_csv("t.csv", index=False)
    result = run(
        "fit",
        "t.csv",
        "--target",
        "rank",
        "--classes",
        "no,some,much",
        "--id",
        "name",
        "--model",
        "m.skops",
    )
    assert result.exit_code == 0, result.stderr
    return frame


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (("low", "medium", "high"), "low,medium,high"),
        (("01", "02", "10"), None),
        ((3, 4, 5), None),
        ((-1, 0, 1), None),
        (("1.0", "1.5", "2.0"), "1,1.5,2"),
    ],
)
@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_labels_come_back_as_given(labels: tuple[Any, ...], classes: str | None, end: str) -> None:
    frame = b12(*labels)
    frame.to_csv("t.csv", index=False) if end == "csv" else frame.to_parquet("t.parquet")
    more = ["--classes", classes] if classes else []
    result = run("fit", f"t.{end}", "--target", "rank", "--model", "m.skops", *more)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "0.000 of the training rows get another label" in result.stdout
    frame[["x"]].to_csv("new.csv", index=False)
    expected = [str(label) for label in np.repeat(np.array(labels), 4)]
    assert predictions(run("predict", "new.csv", "--model", "m.skops")) == expected


def test_n08_booleans() -> None:
    b12(False, True, True).to_parquet("t.parquet")
    assert run("fit", "t.parquet", "--target", "rank", "--model", "m.skops").exit_code == 0
    found = json.loads(run("predict", "t.parquet", "--model", "m.skops", "--json").stdout)
    assert [row["prediction"] for row in found["predictions"]] == [False] * 4 + [True] * 8


def test_n12_more_columns_than_rows() -> None:
    X = np.random.default_rng(0).normal(size=(6, 40))
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(40)]).assign(rank=[0, 0, 1, 1, 2, 2])
    frame.to_csv("t.csv", index=False)
    assert run("fit", "t.csv", "--target", "rank", "--model", "m.skops").exit_code == 0
    assert predictions(run("predict", "t.csv", "--model", "m.skops")) == list("001122")


def test_n13_clipping_undoes_a_mistyped_value() -> None:
    def g(seed: int, n: int) -> pd.DataFrame:
        X = np.random.default_rng(seed).uniform(-3, 3, (n, 2))
        y = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-2, -0.7, 0.7, 2])
        return pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "y": y})

    train, test = g(0, 200), g(1000, 2000)
    train.loc[1, "x1"] = 3000.0
    train.to_csv("t.csv", index=False)
    test.to_csv("new.csv", index=False)
    fit = ("fit", "t.csv", "--target", "y", "--model", "m.skops")
    note, lost = run(*fit).stderr.splitlines()
    assert note.startswith("note: column 'x1', row 2: 3000 is ")
    assert lost.startswith("note: predict never returns class ")
    clipped = run(*fit, "--clip", 5)
    assert clipped.stderr == "note: m.skops was there already, and is replaced\n"
    assert "x1, x2 (limited to 5 median deviations, standardised)" in clipped.stdout
    found = predictions(run("predict", "new.csv", "--model", "m.skops"))
    assert np.abs(np.array(found, dtype=int) - test["y"]).mean() < 0.10


def test_n15_columns_are_matched_by_name(towns: pd.DataFrame) -> None:
    truth = predictions_with_names(run("predict", "t.csv", "--model", "m.skops"))
    swapped = towns[["b", "town", "name", "a"]].assign(c=5, d="x")
    swapped.to_csv("new.csv", index=False)
    result = run("predict", "new.csv", "--model", "m.skops")
    assert predictions_with_names(result) == truth
    assert result.stderr == "note: the model does not use the columns 'c', 'd'\n"

    renamed = run("predict", "-", "--model", "m.skops", input="a,B,town\n1,2,n\n")
    assert (renamed.exit_code, renamed.stdout) == (2, "")
    assert renamed.stderr == (
        "csvor: error: standard input lacks the column 'b' that the model was fitted with; it "
        "has 'a', 'B', 'town'; rename 'B' to 'b' if that is meant\n"
    )
    several = run("predict", "-", "--model", "m.skops", input="A,b,twon\n1,2,n\n")
    assert "rename 'A' to 'a' and 'twon' to 'town' if that is meant" in several.stderr
    lost = run("predict", "-", "--model", "m.skops", input="a,town,qqq\n1,n,2\n")
    assert "'b' that the model was fitted with; it has 'a', 'town', 'qqq'; add it" in lost.stderr


def predictions_with_names(result: Result) -> list[list[str]]:
    assert result.exit_code == 0, result.stderr
    rows = list(csv.reader(io.StringIO(result.stdout)))
    assert rows[0] == ["row", "name", "prediction"]
    assert [row[:2] for row in rows[1:]] == [[str(i + 1), f"p{i}"] for i in range(60)]
    return rows


def test_the_label_column_is_not_looked_at(towns: pd.DataFrame) -> None:
    truth = run("predict", "t.csv", "--model", "m.skops")
    assert truth.stderr == "note: the label column 'rank' of t.csv is not looked at\n"
    towns.assign(rank="").to_csv("new.csv", index=False)
    assert run("predict", "new.csv", "--model", "m.skops").stdout == truth.stdout


def test_values_never_seen_are_noted(towns: pd.DataFrame) -> None:
    new = "a,b,town\n0,0,w\n0,0,n\n1,1,e\n"
    result = run("predict", "-", "--model", "m.skops", input=new)
    assert result.exit_code == 0
    assert result.stderr == (
        "note: column 'town': 2 rows with values that the model has not seen ('w', 'e'); they "
        "count as none of the known\n"
    )


def test_blanks_need_a_model_that_fills_them(towns: pd.DataFrame) -> None:
    new = "a,b,town\n0,,n\n"
    refused = run("predict", "-", "--model", "m.skops", input=new)
    assert refused.exit_code == 1
    assert refused.stderr == (
        "csvor: error: standard input: blank values in columns of numbers: 'b' 1 (row 1); fill "
        "them in, or fit the model with --impute\n"
    )
    fit = ("fit", "t.csv", "--target", "rank", "--classes", "no,some,much", "--id", "name")
    assert run(*fit, "--model", "m.skops", "--impute").exit_code == 0
    filled = predictions(run("predict", "-", "--model", "m.skops", input=new))
    by_hand = f"a,b,town\n0,{np.median(towns['b'])},n\n"
    assert filled == predictions(run("predict", "-", "--model", "m.skops", input=by_hand))


def test_files_and_json(towns: pd.DataFrame) -> None:
    printed = run("predict", "t.csv", "--model", "m.skops", "--id", "town").stdout
    to_file = run("predict", "t.csv", "--model", "m.skops", "--id", "town", "--out", "p.csv")
    assert (to_file.exit_code, to_file.stdout) == (0, "")
    assert Path("p.csv").read_text(encoding="utf-8") == printed
    assert printed.splitlines()[0] == "row,town,prediction"

    found = json.loads(run("predict", "t.csv", "--model", "m.skops", "--json").stdout)
    assert found["classes"] == ["no", "some", "much"]
    assert found["order"] == "declared with --classes"
    assert found["predictions"][3] | {"prediction": ""} == {"row": 4, "id": "p3", "prediction": ""}
    assert len(found["predictions"]) == 60

    assert run("predict", "t.csv", "--model", "m.skops", "--out", "p.parquet").exit_code == 0
    assert pd.read_parquet("p.parquet")["prediction"].tolist() == [
        row["prediction"] for row in found["predictions"]
    ]


def test_fit_as_json(towns: pd.DataFrame) -> None:
    fit = ("fit", "t.csv", "--target", "rank", "--classes", "no,some,much", "--id", "name")
    found = json.loads(run(*fit, "--model", "m.skops", "--json").stdout)
    assert (found["command"], found["model"]) == ("fit", "m.skops")
    assert 0 <= found["training_error"] < 0.2
    assert found["columns"] == {
        "numeric": ["a", "b"],
        "categorical": {"town": ["n", "s"]},
        "constant": ["one"],
        "row_numbers": [],
        "dropped": [],
        "kept": [],
        "id": "name",
        "groups": None,
        "rater": None,
        "weight": None,
        "counts": None,
        "readings": {},
    }
    assert found["conflicts"] == []


def test_the_pipeline_of_a_model_file_serves_the_library(towns: pd.DataFrame) -> None:
    model = load_model("m.skops")
    found = json.loads(run("predict", "t.csv", "--model", "m.skops", "--json").stdout)
    expected = [row["prediction"] for row in found["predictions"]]
    assert model.pipeline.predict(towns).tolist() == expected
    assert model.pipeline[-1].classes_.tolist() == ["no", "some", "much"]


def test_n44_probabilities_and_the_score(towns: pd.DataFrame) -> None:
    model = load_model("m.skops")
    predict = ("predict", "t.csv", "--model", "m.skops")
    result = run(*predict, "--proba", "--score")
    assert result.exit_code == 0
    # As Python reads numbers: the quick way of old pandas can be a last digit off.
    found = pd.read_csv(io.StringIO(result.stdout), dtype=str)
    found = found.astype({"row": "int64"} | dict.fromkeys(["score", "no", "some", "much"], float))
    assert [*found] == ["row", "name", "prediction", "score", "no", "some", "much"]
    assert found["prediction"].tolist() == model.pipeline.predict(towns).tolist()
    proba = found[["no", "some", "much"]].to_numpy()
    np.testing.assert_array_equal(proba, model.pipeline.predict_proba(towns))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    score = model.pipeline[-1].predict_projection(model.pipeline[:-1].transform(towns))
    np.testing.assert_array_equal(found["score"], score)

    one = json.loads(run(*predict, "--proba", "--score", "--json").stdout)["predictions"][7]
    row = found.iloc[7]
    assert one == {
        **{"row": 8, "id": "p7", "prediction": row["prediction"], "score": row["score"]},
        "probabilities": {label: row[label] for label in ("no", "some", "much")},
    }
    assert run(*predict, "--score").stdout.splitlines()[0] == "row,name,prediction,score"
    assert run(*predict, "--proba").stdout.splitlines()[0] == "row,name,prediction,no,some,much"
    plain = json.loads(run(*predict, "--json").stdout)["predictions"][7]
    assert plain == {"row": 8, "id": "p7", "prediction": row["prediction"]}

    assert run(*predict, "--proba", "--score", "--out", "p.parquet").exit_code == 0
    pd.testing.assert_frame_equal(pd.read_parquet("p.parquet"), found)


@pytest.mark.parametrize(
    ("labels", "id_name", "names"),
    [
        ((3, 4, 5), "name", ["row", "name", "prediction", "score", "3", "4", "5"]),
        ((False, True, True), "3", ["row", "3", "prediction", "score", "False", "True"]),
        (
            ("row", "score", "P(row)"),
            "score",
            ["row", "id", "prediction", "score", "P(row)", "P(score)", "P(P(row))"],
        ),
        (("a", "b", "c"), "b", ["row", "b", "prediction", "score", "a", "P(b)", "c"]),
    ],
)
def test_every_column_of_probabilities_has_a_name_of_its_own(
    labels: tuple[Any, ...], id_name: str, names: list[str]
) -> None:
    b12(*labels).assign(**{id_name: [f"i{i}" for i in range(12)]}).to_csv("t.csv", index=False)
    order = ["--classes", ",".join(map(str, dict.fromkeys(labels)))]
    fit = ("fit", "t.csv", "--target", "rank", *order, "--id", id_name, "--model", "m.skops")
    assert run(*fit).exit_code == 0
    result = run("predict", "t.csv", "--model", "m.skops", "--proba", "--score")
    rows = list(csv.reader(io.StringIO(result.stdout)))
    assert rows[0] == names
    assert [row[1] for row in rows[1:]] == [f"i{i}" for i in range(12)]


class Foreign(CSVOR):
    """A type that is neither scikit-learn's nor csvor's."""


def a_zip(before: bytes = b"", **files: str) -> bytes:
    """Files put into an archive, or into one that is there."""
    raw = io.BytesIO(before)
    with zipfile.ZipFile(raw, "a") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return raw.getvalue()


def with_record(model: Any) -> bytes:
    """A model file that holds something else than csvor fit wrote."""
    document: dict[str, Any] = {"target": "y", "order": "", "coefficients": None}
    document |= {name: [] for name in ("classes", "thresholds", "notes")}
    document |= {name: {} for name in ("columns", "settings", "parameters")}
    record = Record(now(), versions(), asdict(FeatureColumns()), document, [])
    return a_zip(skops.io.dumps(model), csvor_json=record.as_json())


NOT_ONE = "not a model that csvor fit wrote"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", NOT_ONE),
        (b"PK\x03\x04 and then nothing", NOT_ONE),
        (a_zip(a_txt="a"), f"{NOT_ONE} (it has no csvor.json)"),
        (skops.io.dumps({"a": 1}), f"a skops file, but {NOT_ONE} (it has no csvor.json)"),
        (skops.io.dumps(CSVOR()), f"a skops file, but {NOT_ONE} (it has no csvor.json)"),
        (a_zip(csvor_json="a"), f"{NOT_ONE} (csvor.json: "),
        (a_zip(csvor_json="[]"), f"{NOT_ONE} (csvor.json: "),
        (a_zip(csvor_json='{"format": 2, "facts": []}'), f"{NOT_ONE} (csvor.json: "),
        (with_record({"a": 1}), f"{NOT_ONE} (it holds no pipeline)"),
        (with_record(Foreign()), "types that are not csvor's: 'test_cli_predict.Foreign'"),
        (
            with_record(Pipeline([("f", FunctionTransformer(os.system))])),
            "types that are not csvor's: 'posix.system'",
        ),
        (
            a_zip(csvor_json='{"format": 3, "versions": {"csvor": "9.1"}}'),
            "written by csvor 9.1 in form 3, and csvor",
        ),
    ],
    # Not the bytes, which have the time in them.
    ids=[
        "empty", "cut off", "archive", "skops", "model alone", "no JSON", "no record", "no facts",
        "no pipeline", "foreign", "foreign function", "later form",
    ],
)  # fmt: skip
def test_files_that_are_no_models(content: bytes, message: str) -> None:
    Path("m.skops").write_bytes(content)
    result = run("predict", "-", "--model", "m.skops", input="a\n1\n")
    assert (result.exit_code, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("csvor: error: m.skops: ")
    assert message in line


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("csvor.json", "LARGEST_RECORD"),
        ("schema.json", "LARGEST_RECORD"),
        ("part", "LARGEST_MODEL"),
    ],
)
def test_n74_a_model_that_unpacks_to_much_is_not_unpacked(
    name: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_record, limit, 1 << 20)
    monkeypatch.setattr(zipfile.ZipFile, "read", Mock(side_effect=AssertionError("unpacked")))
    with zipfile.ZipFile("m.skops", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(1 << 21))
    result = run("predict", "-", "--model", "m.skops", input="a\n1\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"m.skops: {NOT_ONE} (" in result.stderr
    assert "unpacks to more than" in result.stderr


def test_types_of_models_can_be_named_to_skops() -> None:
    """`TRUSTED_TYPES` has what estimators hold, of classes that are there, and nothing else."""
    X, y = g(0, 80)
    models = [
        make_pipeline(MedianClipper(), CSVOR(kernel="rbf", n_components=9, random_state=0)),
        *(kind() for kind in (SVOREX, SVORIM, REDSVM, PINSVOR)),
        OrdinalRegression(penalty=1.0),
        make_pipeline(TableEncoder(), CSVOR()),
        CSVOR(kernel="rbf", n_components=9, random_state=0),
    ]
    rows = [X] * 7 + [csr_array(X)]
    held = set()
    for model, its in zip(models, rows, strict=True):
        file = skops.io.dumps(model.fit(its, y))
        held.update(skops.io.get_untrusted_types(data=file))
        again = skops.io.loads(file, trusted=TRUSTED_TYPES)
        assert again.predict(its).tolist() == model.predict(its).tolist()
    ours = {name for name in TRUSTED_TYPES if name.startswith("csvor")}
    assert ours <= held <= set(TRUSTED_TYPES)
    for name in ours:
        module, _, attribute = name.rpartition(".")
        assert inspect.isclass(getattr(importlib.import_module(module), attribute))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["fit", "t.csv", "--target", "rank", "--model", "m.pkl"], "must end in .skops"),
        (["fit", "t.csv", "--target", "rank", "--model", "no/m.skops"], "folder no does not exist"),
        (["fit", "t.csv", "--target", "rank"], "Missing option '--model'"),
        (["predict", "t.csv", "--model", "none.skops"], "none.skops: there is no such file"),
        (["predict", "t.csv", "--model", "m.skops", "--out", "p.txt"], "must end in .csv"),
        (
            ["predict", "t.csv", "--model", "m.skops", "--out", "t.csv"],
            "this file is read",
        ),
        (["predict", "t.csv", "--model", "m.skops", "--id", "q"], "no column 'q' (--id)"),
    ],
)
def test_wrong_use(towns: pd.DataFrame, args: list[str], message: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert message in line


def test_labels_of_a_damaged_model_are_refused() -> None:
    """They are in the pipeline and in the record: fuzzing changed one of them."""
    model = make_pipeline(CSVOR()).fit(*g(0, 40))
    Path("m.skops").write_bytes(with_record(model))
    result = run("predict", "-", "--model", "m.skops", input="a\n1\n")
    assert result.exit_code == 1
    assert f"{NOT_ONE} (its labels are not those of its csvor.json)" in result.stderr
