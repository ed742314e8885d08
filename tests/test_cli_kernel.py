"""--kernel, --gamma, --components, --loss and --constraints: what they fit, tell and store."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner, Result

from csvor import CSVOR, audit_labels
from csvor.audit._reported import reported
from csvor.cli._model import load_model
from csvor.cli.commands._app import app
from csvor.cli.input import _prepare

TARGET = ("--target", "ring")
# With a kernel and its gamma, what leaves one candidate.
REST = {"C": 1.0, "constraints": "explicit", "contamination": 0.1}


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


def rings(n: int = 120) -> pd.DataFrame:
    """Two columns and the ring that a row is in; rows 3 and 8 are said to be in another."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    X[2], X[7] = (0.1, 0.0), (2.5, 1.0)
    ring = np.digitize((X**2).sum(axis=1), [0.7, 2.2])
    ring[2], ring[7] = 2, 0
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "ring": ring + 1})


@pytest.fixture(autouse=True)
def _in_a_folder_with_rings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rings().to_csv("t.csv", index=False)


@pytest.mark.parametrize(
    ("options", "parameters", "told"),
    [
        (
            ["--kernel", "rbf", "--gamma", "scale", "--components", 40, "--seed", 3],
            {"kernel": "rbf", "n_components": 40, "random_state": 3},
            "rbf kernel (gamma scale) on 40 rows",
        ),
        (
            ["--kernel", "rbf", "--gamma", 0.25, "--C", 10],
            {"kernel": "rbf", "gamma": 0.25, "C": 10.0},
            "rbf kernel (gamma 0.25) on 67 rows",
        ),
        (
            ["--kernel", "poly", "--gamma", "auto", "--constraints", "implicit"],
            {"kernel": "poly", "gamma": "auto", "constraints": "implicit"},
            "implicit constraints, poly kernel (gamma auto) on 67 rows",
        ),
        (["--kernel", "cosine"], {"kernel": "cosine"}, "cosine kernel on 67 rows"),
        (
            ["--kernel", "linear", "--loss", "logistic", "--p", 2],
            {"loss": "logistic", "p": 2.0},
            "logistic loss",
        ),
        # Lines of so few rows go by multipliers.
        (["--kernel", "linear"], {"solver": "multipliers"}, ""),
    ],
)
def test_the_audit_is_that_of_the_library(
    options: list[object], parameters: dict[str, object], told: str
) -> None:
    parameters = {**REST, **parameters}
    for name, value in REST.items():
        if f"--{name}" not in options:
            options = [*options, f"--{name}", value]
    result = run("audit", "t.csv", *TARGET, *options, "--suspects", "out.csv")
    assert result.exit_code == 0
    curved = parameters.get("kernel") in {"rbf", "poly"}
    for note in result.stderr.splitlines():  # a line does not order rings
        assert not curved and note.startswith("note: no held-out row was predicted as label")
    p, C, seed = parameters.get("p", 1), parameters["C"], parameters.get("random_state", 0)
    told = f"C {C:g}, p {p:g}, contamination 0.1{', ' if told else ''}{told}; 5 folds, seed {seed}"
    assert f" Model {told} Answer " in " ".join(result.stdout.split())

    frame = rings()
    if "kernel" in parameters:  # on landmarks: seven tenths of the rows that a fold leaves
        parameters = {"n_components": 67, **parameters}
    model = make_pipeline(
        StandardScaler(),
        CSVOR(**{"random_state": 0, **parameters}, tol=1e-4),  # type: ignore[arg-type]
    )
    truth = audit_labels(frame[["a", "b"]], frame["ring"], model, random_state=seed)  # type: ignore[arg-type]
    rows = list(csv.DictReader(io.StringIO(Path("out.csv").read_text(encoding="utf-8"))))
    assert [int(row["row"]) - 1 for row in rows] == truth.order.tolist()
    for name in ("probability", "residual"):
        # A line says nothing of rings, and then no row has a probability.
        written = [float(row[name] or "nan") for row in rows]
        np.testing.assert_array_equal(written, getattr(reported(truth), name)[truth.order])


def test_a_curved_kernel_finds_what_a_line_cannot() -> None:
    """So a curve is chosen; a line, asked for, predicts no ring, and does not say that it does."""
    args = ["audit", "t.csv", *TARGET, "--folds", 3, "--json"]
    for options in (["--C", 10, "--models", "own"], ["--kernel", "rbf", "--C", 10]):
        found = json.loads(run(*args, *options).stdout)
        assert {s["row"] for s in found["suspects"] if s["flagged"]} == {3, 8}
        assert {s["row"] for s in found["suspects"] if s["given"] != s["suggested"]} == {3, 8}
        assert found["candidates"][0]["kernel"] == "rbf"
    line = json.loads(run(*args, "--kernel", "linear", "--models", "own").stdout)
    assert line["flagged"] == 0 and line["wrong_labels"]["high"] > 0.1
    assert {3, 8} - {suspect["row"] for suspect in line["suspects"][:20]}
    heights = [one["candidates"][0]["log_likelihood"] for one in (line, found)]
    assert heights[0] < heights[1] - 40


def test_json_holds_the_settings() -> None:
    args = ["audit", "t.csv", *TARGET, "--json", "--kernel", "rbf", "--components", 30, "--C", 1]
    args += ["--folds", 2, "--models", "own", "--contamination", 0.1]
    found = json.loads(run(*args, "--loss", "exponential", "--gamma", "scale").stdout)
    settings = {
        name: found["settings"][name]
        for name in ("kernel", "gamma", "components", "loss", "constraints")
    }
    assert settings == {
        "kernel": "rbf",
        "gamma": "scale",
        "components": 30,
        "loss": "exponential",
        "constraints": None,
    }
    assert found["fit"]["gamma"] == pytest.approx(0.5, rel=1e-12)  # 1 / columns, standardised
    open_ = json.loads(run(*args).stdout)
    assert open_["settings"]["gamma"] is None
    assert open_["fit"]["gamma"] == open_["candidates"][0]["gamma"]
    assert {round(one["gamma"], 9) for one in open_["candidates"]} == {0.05, 0.15, 0.5}


def test_a_model_file_keeps_the_kernel() -> None:
    options = ["--kernel", "rbf", "--gamma", 0.8, "--components", 50, "--C", 10]
    fitted = run("fit", "t.csv", *TARGET, *options, "--model", "m.skops")
    assert fitted.exit_code == 0, fitted.stderr
    assert "rbf kernel (gamma 0.8) on 50 rows" in fitted.stdout
    settings = load_model("m.skops").record.document["settings"]
    assert (settings["kernel"], settings["components"]) == ("rbf", 50)
    frame = rings()
    expected = make_pipeline(
        StandardScaler(),
        CSVOR(
            C=10.0,
            kernel="rbf",
            gamma=0.8,
            n_components=50,
            contamination="auto",
            random_state=0,
        ),
    ).fit(frame[["a", "b"]], frame["ring"])
    lines = run("predict", "t.csv", "--model", "m.skops").stdout.splitlines()
    predicted = [int(line.split(",")[1]) for line in lines[1:]]
    assert predicted == expected.predict(frame[["a", "b"]]).tolist()
    assert np.mean(predicted == frame["ring"]) >= 0.9


@pytest.mark.parametrize("kernel", ["poly", "sigmoid", "cosine"])
@pytest.mark.filterwarnings("ignore:The kernel is not positive")
def test_every_kernel_can_be_stored(kernel: str) -> None:
    args = ["fit", "t.csv", *TARGET, "--kernel", kernel, "--model", "m.skops"]
    assert run(*args).exit_code == 0
    assert run("predict", "t.csv", "--model", "m.skops").exit_code == 0


def test_an_indefinite_kernel_is_noted_once() -> None:
    rest = [text for name, value in REST.items() for text in (f"--{name}", value)]
    result = run("audit", "t.csv", *TARGET, "--kernel", "sigmoid", "--gamma", 2, *rest)
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith("note: The kernel is not positive semi-definite")
    assert line.endswith("(6 such notes)")


def test_a_large_exact_kernel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_prepare, "MOST_EXACT", 100)
    args = ["fit", "t.csv", *TARGET, "--model", "m.skops", "--kernel", "rbf"]
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "csvor: error: --kernel rbf: an exact kernel of 120 rows takes minutes to hours; "
        "approximate it, for example by --components 500 (--components 120 is the exact one)\n"
    )
    for enough in (20, 120):
        assert run(*args, "--components", enough).exit_code == 0
    assert run(*args[:-2]).exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kernel", "gauss"], "--kernel gauss: must be one of linear, rbf"),
        (["--loss", "hing"], "--loss hing: must be one of hinge, log"),
        (["--constraints", "all"], "--constraints all: must be one of explicit"),
        (["--kernel", "rbf", "--gamma", "0"], "--gamma 0: must be scale, auto or a number"),
        (["--kernel", "rbf", "--gamma", "nan"], "--gamma nan: must be scale, auto or a number"),
        (["--kernel", "rbf", "--gamma", "wide"], "--gamma wide: must be scale, auto or a number"),
        (
            ["--kernel", "linear", "--gamma", "0.5"],
            "--gamma 0.5: the linear kernel has none; --kernel rbf has",
        ),
        (["--kernel", "cosine", "--gamma", "auto"], "--gamma auto: the cosine kernel has none"),
        (
            ["--kernel", "linear", "--components", "9"],
            "--components 9: the linear kernel needs none; --kernel rbf can",
        ),
        (["--kernel", "rbf", "--components", "0"], "--components 0: must be a whole number from 1"),
    ],
)
def test_wrong_use(options: list[str], message: str) -> None:
    for command in (["audit"], ["fit", "--model", "m.skops"]):
        result = run(*command, "t.csv", *TARGET, *options)
        assert (result.exit_code, result.stdout) == (2, "")
        (line,) = result.stderr.splitlines()
        assert line.startswith(f"csvor: error: {message}"), line


def test_gamma_and_components_are_of_the_curves_that_an_audit_compares() -> None:
    """Where no kernel is given; a fit is of a line unless it is told otherwise."""
    both = ["--gamma", 0.4, "--components", 20]
    few = ["--C", 10, "--folds", 3, "--contamination", 0.1]
    found = json.loads(run("audit", "t.csv", *TARGET, *both, *few, "--json").stdout)
    candidates = {(c["kernel"], c["gamma"], c["n_components"]) for c in found["candidates"]}
    assert candidates == {("linear", None, None), ("rbf", 0.4, 20)}
    for option, value in (("--gamma", 0.4), ("--components", 20)):
        refused = run("fit", "t.csv", *TARGET, "--model", "m.skops", option, value)
        assert refused.exit_code == 2
        assert refused.stderr.startswith(f"csvor: error: {option} {value}: the linear kernel ")
        assert "--kernel rbf" in refused.stderr
