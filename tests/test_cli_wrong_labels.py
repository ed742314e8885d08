"""`csvor audit`: how many labels are wrong, how sure that is, and which models were compared."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner, Result

import csvor
from conftest import few_trees
from csvor import CSVOR, audit_labels
from csvor.audit import _trees
from csvor.cli.commands._app import app

# One candidate, where the model is not the matter.
ONE = ("--kernel", "linear", "--C", 1, "--constraints", "explicit", "--contamination", 0.1)


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, ["audit", "t.csv", *map(str, args)])


def found(*args: object) -> dict[str, Any]:
    result = run("--target", "grade", "--json", *args)
    assert result.exit_code == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def graded(n: int, n_wrong: int, noise: float = 0.4) -> pd.DataFrame:
    """Two columns and a grade from 1 to 4; of the first rows, so many have another grade."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 2))
    grade = np.digitize(X[:, 0] + X[:, 1] + noise * rng.normal(size=n), [-1.2, 0, 1.2])
    grade[:n_wrong] = (grade[:n_wrong] + rng.integers(1, 4, n_wrong)) % 4
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "grade": grade + 1})


@pytest.fixture(autouse=True)
def _in_a_folder_with_grades(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    graded(150, 20).to_csv("t.csv", index=False)


@pytest.fixture(scope="module")
def found_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """What an audit says of the file of this module, for fixtures that the module shares."""

    def found_there(*args: object) -> dict[str, Any]:
        file = tmp_path_factory.mktemp("once") / "t.csv"
        graded(150, 20).to_csv(file, index=False)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(file.parent)
            patch.setattr(_trees, "tree_models", lambda *shape: few_trees())
            return found(*args)

    return found_there


@pytest.fixture(scope="module")
def whole(found_once: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """What an audit without any option says."""
    return found_once()


def test_json_holds_the_answer(whole: dict[str, Any]) -> None:
    document = whole
    answer, suspects = document["wrong_labels"], document["suspects"]
    assert list(answer) == [
        "share", "low", "high", "named", "expected_right", "conclusive", "rank_correlation",
        "named_share",
    ]  # fmt: skip
    assert answer["conclusive"] and answer["rank_correlation"] > 0.5
    assert sum(document["models"].values()) == pytest.approx(1.0)
    assert document["ordered_by"] == "probability"
    assert 0 < answer["low"] <= answer["share"] <= answer["high"] < 0.5
    assert answer["low"] < 20 / 150 < answer["high"]

    flagged = [suspect["probability"] for suspect in suspects if suspect["flagged"]]
    assert answer["named"] == document["flagged"] == len(flagged)
    assert answer["expected_right"] == pytest.approx(sum(flagged), rel=1e-12)
    assert {suspect["row"] <= 20 for suspect in suspects[:10]} == {True}
    probability = [suspect["probability"] for suspect in suspects]
    assert probability == sorted(probability, reverse=True)
    assert [p > 0.5 for p in probability] == [suspect["flagged"] for suspect in suspects]

    frame = pd.read_csv("t.csv")
    truth = audit_labels(frame[["a", "b"]], frame["grade"])
    assert answer == {name: getattr(truth, name) for name in answer}
    assert [suspect["row"] - 1 for suspect in suspects] == truth.order.tolist()
    assert [c["weight"] for c in document["candidates"]] == [c.weight for c in truth.candidates]
    assert document["fit"]["contamination"] == truth.model[-1].contamination == truth.share


def test_where_nothing_can_be_said_json_and_tables_have_no_findings() -> None:
    frame = pd.read_csv("t.csv")
    frame["grade"] = np.random.default_rng(0).integers(1, 5, len(frame))
    frame.to_csv("t.csv", index=False)
    document = found(*ONE, "--models", "own", "--suspects", "all.csv")
    assert not document["wrong_labels"]["conclusive"]
    rows = pd.DataFrame(document["suspects"])
    assert rows["probability"].isna().all() and rows["direction"].isna().all()
    assert (rows["suggested"] == rows["given"]).all() and not rows["flagged"].any()
    written = pd.read_csv("all.csv", dtype=str, keep_default_na=False)
    assert set(written["probability"]) == set(written["direction"]) == {""}
    assert written["suggested"].tolist() == rows["suggested"].astype(str).tolist()


def test_json_holds_the_candidates_best_first(whole: dict[str, Any]) -> None:
    document = whole
    candidates = document["candidates"]
    assert set(candidates[0]) == {
        *("C", "kernel", "gamma", "n_components", "constraints", "contamination"),
        *("share", "log_likelihood", "weight"),
    }
    weights = [candidate["weight"] for candidate in candidates]
    assert sum(weights) == pytest.approx(1, rel=1e-12)
    assert weights == sorted(weights, reverse=True)
    heights = [candidate["log_likelihood"] for candidate in candidates]
    assert heights == sorted(heights, reverse=True)
    open_ = [candidate for candidate in candidates if candidate["contamination"] == 0]
    lines = {(c["C"], c["gamma"], c["n_components"]) for c in open_ if c["kernel"] == "linear"}
    assert lines == {(C, None, None) for C in (0.1, 1, 10)}
    curves = {
        (c["C"], round(c["gamma"], 9), c["n_components"]) for c in open_ if c["kernel"] == "rbf"
    }
    unit = 0.5  # 1 / columns, standardised
    assert curves == {(C, g * unit, 84) for C in (3, 30) for g in (0.1, 0.3, 1)}
    # The second round cuts away what the first one has found.
    shares = {c["share"] for c in open_}
    assert len(candidates) > len(open_) == 9
    assert {c["contamination"] for c in candidates} - {0} <= shares
    assert (document["fit"]["C"], document["settings"]["C"]) == (candidates[0]["C"], None)


@pytest.mark.parametrize(
    ("options", "expected", "n_models"),
    [
        (["--kernel", "linear"], {"kernel": {"linear"}, "C": {0.1, 1, 10}, "gamma": {None}}, 3),
        (
            ["--C", 5, "--constraints", "explicit", "--contamination", 0.05],
            {
                **{"C": {5}, "kernel": {"linear", "rbf"}, "constraints": {"explicit"}},
                "contamination": {0.05},
            },
            4,
        ),
        (
            ["--kernel", "rbf", "--gamma", 0.2, "--components", 20],
            {"kernel": {"rbf"}, "gamma": {0.2}, "n_components": {20}, "C": {3, 30}},
            2,
        ),
        (ONE, {"C": {1}, "constraints": {"explicit"}, "contamination": {0.1}}, 1),
    ],
)
def test_options_narrow_what_is_compared(
    options: list[object], expected: dict[str, set[object]], n_models: int
) -> None:
    options = [*options, "--folds", 2, "--models", "own"]
    document = found(*options)
    candidates = document["candidates"]
    for name, values in expected.items():
        assert {candidate[name] for candidate in candidates} == values, name
    names = ("C", "kernel", "gamma", "constraints")
    assert len({tuple(c[name] for name in names) for c in candidates}) == n_models
    assert len(candidates) == n_models * (1 if "--contamination" in options else 2)
    if n_models > 2:
        return
    told = " ".join(run("--target", "grade", *options).stdout.split())
    if n_models == 1:
        assert " Model C 1, p 1, contamination 0.1; 2 folds, seed 0 Answer " in told
    else:
        assert f"; the most likely of {n_models} compared; 2 folds, seed 0 Answer " in told


@pytest.mark.parametrize("n_wrong", [0, 20])
def test_the_answer_is_a_sentence(n_wrong: int) -> None:
    frame = graded(150, n_wrong, noise=0.1).astype({"grade": object})
    frame.loc[[140, 141], "grade"] = ""
    frame.to_csv("t.csv", index=False)
    args = ("--target", "grade", "--missing-label", "", *ONE[:6])
    answer = json.loads(run(*args, "--json").stdout)["wrong_labels"]
    share, low, high = (f"{148 * answer[name]:.0f}" for name in ("share", "low", "high"))
    told = " ".join(run(*args).stdout.split("\nAnswer")[1].split("\n\n")[0].split())
    if n_wrong:
        assert answer["named"] > 10
        assert told == (
            f"about {share} ({low} to {high}) of 148 labels are wrong; {answer['named']} rows "
            f"are flagged, and about {answer['expected_right']:.0f} of them should turn out to be "
            "wrong"
        )
    else:
        assert (share, answer["named"]) == ("0", 0)
        assert told == f"no label of 148 looks wrong (at most {high} may be)"


@pytest.mark.parametrize(("fdr", "named"), [(0.5, 1), (0.05, 0)])
def test_what_is_wrong_but_hardly_flagged_is_said(fdr: float, named: int) -> None:
    """In labels as noisy as these, a few more are wrong than noise explains, and none is sure."""
    graded(150, 27, noise=0.85).to_csv("t.csv", index=False)
    answer = found(*ONE, "--fdr", fdr)["wrong_labels"]
    assert answer["named"] == named
    share, low, high = (f"{150 * answer[name]:.0f}" for name in ("share", "low", "high"))
    assert low == "0" and 0 < int(share) < int(high)
    sure = f"1 row is flagged, wrong with probability {answer['expected_right']:.2f}"
    told = " ".join(run("--target", "grade", *ONE, "--fdr", fdr).stdout.split())
    assert (
        f"Answer about {share} ({low} to {high}) of 150 labels are wrong; "
        f"{sure if named else 'no row is sure enough to be flagged'} row given"
    ) in told


@pytest.fixture(scope="module")
def without_rate(found_once: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    answer: dict[str, Any] = found_once(*ONE)["wrong_labels"]
    return answer


@pytest.mark.parametrize("fdr", [0.02, 0.4])
def test_as_many_are_flagged_as_the_rate_of_right_ones_allows(
    fdr: float, without_rate: dict[str, Any]
) -> None:
    frame = pd.read_csv("t.csv")
    model = make_pipeline(StandardScaler(), CSVOR(tol=1e-4))
    truth = audit_labels(frame[["a", "b"]], frame["grade"], model, fdr=fdr)
    document = found(*ONE, "--fdr", fdr)
    named = document["wrong_labels"]["named"]
    assert named == truth.named == sum(suspect["flagged"] for suspect in document["suspects"])
    probability = np.array([suspect["probability"] for suspect in document["suspects"]])
    assert np.mean(1 - probability[:named]) <= fdr < np.mean(1 - probability[: named + 1])
    assert [s["flagged"] for s in document["suspects"]] == [True] * named + [False] * (150 - named)
    expected = probability[:named].sum()
    assert document["wrong_labels"]["expected_right"] == pytest.approx(expected)
    without = without_rate
    right = 1 - without["expected_right"] / without["named"]
    assert 0.02 < right < 0.2
    assert named < without["named"] if fdr < right else named > without["named"]
    told = " ".join(run("--target", "grade", *ONE, "--fdr", fdr).stdout.split())
    assert f"; {named} rows are flagged, and about {expected:.0f} of them should turn out" in told


@pytest.mark.slow
def test_the_same_again_with_any_number_of_threads() -> None:
    """With all trees, whose sums could depend on it."""
    given = ["--target", "grade", "--json", "--C", "3", "--kernel", "linear", "--seed", "3"]
    given += ["--folds", "2", "--models", "all"]
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    environment["PYTHONPATH"] = str(Path(csvor.__file__).parents[1])
    there = []
    for n_threads in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "csvor.cli", "audit", "t.csv", *given],
            env={**environment, "OMP_NUM_THREADS": n_threads},
            capture_output=True,
            text=True,
            check=True,
        )
        there.append(done.stdout)
    assert there[0] == there[1]
    document = json.loads(there[0])
    assert document["wrong_labels"]["named"] > 10
    assert document["models"]["boosting"] > 0


def test_the_seed_decides_what_is_said() -> None:
    given = ["--target", "grade", "--json", *ONE, "--models", "own", "--seed"]
    here = run(*given, 3).stdout
    assert run(*given, 3).stdout == here
    assert run(*given, 4).stdout != here
