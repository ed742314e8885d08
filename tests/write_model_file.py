"""Write a model file of this version of csvor, which later versions have to read.

``python tests/write_model_file.py`` writes `data/model_VERSION.skops` and what it predicts,
`data/model_VERSION.csv`, for the rows of `data/model_rows.csv`. Run it once for each release, and
leave what earlier ones wrote: `test_cli_show.py` reads them all.
"""

import sys
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
from typer.testing import CliRunner

import csvor
from csvor.cli.commands._app import app

FOLDER = Path(__file__).with_name("data")
ROWS = FOLDER / "model_rows.csv"
OPTIONS = (
    *("--target", "grade", "--classes", "poor,fair,good", "--missing-label", "99"),
    *("--id", "name", "--impute", "--clip", "5", "--C", "3", "--class-weight", "poor:2"),
)


def rows() -> pd.DataFrame:
    """Forty rows with a blank number, a blank word, and a label that stands for none."""
    rng = np.random.default_rng(20)
    load, age = rng.normal(50, 10, 40).round(1), rng.integers(1, 90, 40)
    road = rng.choice(["city", "hill", "sea"], 40)
    score = (load - 50) / 10 - age / 45 + (road == "sea")
    grade = np.array(["poor", "fair", "good"])[np.digitize(score, [-1.3, 0.2])]
    grade[6] = "99"
    names = [f"b{i}" for i in range(40)]
    frame = pd.DataFrame(
        {"name": names, "load": load, "age": age, "road": road, "one": 1, "grade": grade}
    )
    frame.loc[3, "load"], frame.loc[5, "road"] = np.nan, ""
    return frame


def write(folder: Path) -> None:
    """The rows, the model and its predictions."""
    model = f"model_{csvor.__version__}.skops"
    answers = ("--proba", "--score", "--out", f"model_{csvor.__version__}.csv")
    with chdir(folder):  # a model file names the file that it was fitted to
        rows().to_csv(ROWS.name, index=False)
        for args in (
            ("fit", ROWS.name, *OPTIONS, "--model", model),
            ("predict", ROWS.name, "--model", model, *answers),
        ):
            result = CliRunner().invoke(app, args)
            if result.exit_code:
                sys.exit(result.stderr)


if __name__ == "__main__":
    write(FOLDER)
