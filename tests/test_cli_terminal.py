"""What a file of somebody else holds cannot steer the terminal that shows it (N78)."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from csvor.cli._render import console
from csvor.cli.commands._app import app

ERASE, TURN, BELL, CLEAR = "\x1b[2A\x1b[2K", "‮", "\x07", "\x9b2J"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f‪-‮⁦-⁩]")


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    rank = np.digitize(x + 0.1 * rng.normal(size=80), [-0.5, 0.5])
    rank[:6] = (rank[:6] + 2) % 3
    names = [f"low{BELL}", f"mid{TURN}", "high"]
    data = pd.DataFrame(
        {
            f"x{ERASE}": x,
            f"word{CLEAR}": rng.choice([f"a{ERASE}", f"b{TURN}"], 80),
            f"grade{TURN}": [names[k] for k in rank],
            f"id{ERASE}": [f"r{k}{ERASE}" for k in range(80)],
        }
    )
    data.to_csv("t.csv", index=False)
    return data


@pytest.mark.parametrize("command", ["audit", "fit", "show", "predict", "explain", "wrong"])
def test_n78_no_sign_of_the_data_steers_the_terminal(hostile: pd.DataFrame, command: str) -> None:
    target, names = f"grade{TURN}", f"low{BELL},mid{TURN},high"
    order = ["--target", target, "--classes", names, "--id", f"id{ERASE}"]
    fit = ["fit", "t.csv", *order, "--model", "m.skops"]
    arguments = {
        "audit": ["audit", "t.csv", *order, "--C", "1", "--kernel", "linear", "--folds", "3"],
        "fit": fit,
        "show": ["show", "m.skops"],
        "predict": ["predict", "t.csv", "--model", "m.skops", "--out", "p.csv"],
        "explain": ["explain", "t.csv", *order],
        "wrong": ["audit", "t.csv", "--target", f"none{ERASE}"],
    }[command]
    if command in ("show", "predict"):
        CliRunner().invoke(app, fit)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == (2 if command == "wrong" else 0), result.output
    assert not STEERING.search(result.stdout + result.stderr)
    if command != "predict":
        assert "<U+" in result.stdout + result.stderr
    else:  # files keep what they hold
        assert set(pd.read_csv("p.csv").iloc[:, -1]) <= set(hostile[target])


def test_colours_of_our_own_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = console()
    with out.capture() as captured:
        out.print(f"all {ERASE} well", style="red")
    text = captured.get()
    assert text.startswith("\x1b[31m") and "<U+001B>[2A" in text
