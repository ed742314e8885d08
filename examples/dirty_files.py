"""Three files as they come, from the file to a list of suspects in two runs at most.

Makes the files (generated, with a seed), runs `csvor audit` on them, and writes what it says into
the page that is named: `python examples/dirty_files.py docs/files.md`.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
ANSWERS = ["very poor", "poor", "fair", "good", "very good"]
STAGES = ["I", "II", "III", "IV"]


def spoil(rank: np.ndarray, k: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Ranks of which some are another one."""
    given = rank.copy()
    rows = rng.choice(len(rank), int(share * len(rank)), replace=False)
    given[rows] = (rank[rows] + rng.integers(1, k, len(rows))) % k
    return given


def decimal_comma(value: float) -> str:
    """A number as it is written in German."""
    return f"{value:.2f}".replace(".", ",")


def survey(path: Path) -> None:
    """3 000 answers in 14 columns, as a tool for surveys exports them."""
    rng = np.random.default_rng(0)
    n = 3000
    agree, hours = rng.uniform(0, 100, n), rng.gamma(4, 2, n)
    income, age = rng.lognormal(7.5, 0.4, n), rng.integers(18, 90, n)
    score = 0.06 * agree - 0.3 * hours + 0.0008 * income + 0.3 * rng.logistic(size=n)
    rank = np.digitize(score, np.quantile(score, [0.15, 0.35, 0.65, 0.85]))
    given = np.array(ANSWERS, dtype=object)[spoil(rank, 5, 0.06, rng)]
    for wrong, right, rows in (
        ("Good", "good", 40),
        ("very  good", "very good", 25),
        ("fair\u200b", "fair", 12),
        ("goood", "good", 3),
    ):
        given[rng.choice(np.flatnonzero(given == right), rows, replace=False)] = wrong
    days = pd.Timestamp("2025-03-01") + pd.to_timedelta(rng.integers(0, 60, n), "D")
    frame = pd.DataFrame(
        {
            "respondent": [f"R{i:05d}" for i in rng.permutation(n) + 10000],
            "started": days.strftime("%Y-%m-%d"),
            "finished": days.strftime("%d.%m.%y"),
            "age": age.astype(object),
            "income": [decimal_comma(value) for value in income],
            "agree": [f"{value:.1f} %".replace(".", ",") for value in agree],
            "hours": [f"{value:.1f}".replace(".", ",") for value in hours],
            "town": [f"town {i}" for i in rng.integers(0, 400, n)],
            "wave": 3,
            "channel": rng.choice(["web", "phone", "mail"], n),
            "consent": rng.choice(["TRUE", "true"], n),
            "born": 2025 - age,
            "finalwt": rng.uniform(0.5, 2.0, n).round(3),
            "answer": given,
        }
    )
    frame.loc[rng.choice(n, 90, replace=False), "age"] = "k. A."
    frame.loc[rng.choice(n, 60, replace=False), "hours"] = "?"
    frame.loc[rng.choice(n, 25, replace=False), "income"] = "N/A"
    frame.iloc[2960:] = frame.iloc[:40]  # entered twice
    frame.to_csv(path, index=False)


def clinic(path: Path) -> None:
    """1 200 visits of 300 patients, as a spreadsheet in German writes them."""
    rng = np.random.default_rng(1)
    patients, visits = 300, 4
    patient = np.repeat(np.arange(patients), visits)
    severity = np.repeat(rng.normal(size=patients), visits) + 0.2 * rng.normal(size=len(patient))
    marker = 10 + 3 * severity + 0.4 * rng.normal(size=len(patient))
    tumour = 25 + 8 * severity + 1.5 * rng.normal(size=len(patient))
    rank = np.digitize(severity, [-0.8, 0.2, 1.0])
    given = spoil(rank, 4, 0.05, rng)
    frame = pd.DataFrame(
        {
            "patient": 5000 + 7 * patient,
            "visit": [f"{1 + i % 28:02d}.{1 + i % 4 * 3:02d}.2024" for i in range(len(patient))],
            "marker": [decimal_comma(value) for value in marker],
            "tumour": [f"{decimal_comma(value)} mm" for value in tumour],
            "weight": [decimal_comma(value) for value in rng.normal(75, 12, len(patient))],
            "sex": rng.choice(["f", "m"], len(patient)),
            "code": np.where(rng.random(len(patient)) < 0.98, given + 1, rank + 1),
            "stage": np.array(STAGES)[given],
        }
    )
    frame.loc[rng.choice(len(frame), 15, replace=False), "marker"] = "-"
    path.write_text("sep=;\n" + frame.to_csv(index=False, sep=";"), encoding="utf-8")


def large(path: Path) -> None:
    """200 000 rows of 20 numbers and 3 categories."""
    rng = np.random.default_rng(2)
    n = 200_000
    X = rng.normal(size=(n, 20))
    score = X @ rng.normal(size=20) + rng.logistic(size=n)
    rank = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    frame = pd.DataFrame(X.round(6), columns=[f"x{j}" for j in range(20)])
    for name, k in (("region", 12), ("branch", 40), ("channel", 5)):
        frame[name] = np.array([f"{name} {i}" for i in range(k)])[rng.integers(0, k, n)]
    frame["grade"] = spoil(rank, 5, 0.05, rng) + 1
    frame.to_csv(path, index=False)


FILES: dict[str, Callable[[Path], None]] = {
    "survey.csv": survey,
    "clinic.csv": clinic,
    "large.csv": large,
}


def transcript(command: str, folder: Path) -> str:
    """A command and what it prints, notes and errors first."""
    words = shlex.split(command)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "csvor.cli", *words[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"COLUMNS": "110", "PYTHONPATH": str(ROOT / "src")},
        check=False,
    )
    print(f"{time.perf_counter() - start:6.1f} s, exit {done.returncode}: {command}", flush=True)
    notes = re.sub(r"^Compiling loops, .*\n", "", done.stderr, flags=re.MULTILINE)
    return f"$ {command}\n{notes}{done.stdout}".rstrip() + "\n"


def rewritten(page: str, folder: Path) -> str:
    """The page with each transcript made anew: a block that begins with a command."""
    made: set[str] = set()

    def anew(block: re.Match[str]) -> str:
        command = block[1]
        for name, make in FILES.items():
            if name in command and name not in made:
                make(folder / name)
                made.add(name)
        return f"```text\n{transcript(command, folder)}```"

    return re.sub(r"```text\n\$ (csvor .*)\n(?:.*\n)*?```", anew, page)


def main() -> None:
    """Rewrite the transcripts of a page."""
    page = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        page.write_text(rewritten(page.read_text("utf-8"), Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
