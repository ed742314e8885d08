"""The page that `csvor audit --report` writes of a file: cells as they were written, and where."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from report_page import Page, run

ONE_MODEL = ("--C", 1, "--constraints", "explicit", "--contamination", 0.1, "--models", "own")
AUDIT = ("audit", "wounds.csv", "--target", "grade", "--classes", "none,mild,severe", "--dates")
WRITTEN = {"visited": "0%d.03.2024", "weight": "%d kg", "healed": "%d%%", "size": "%d,50"}


def wounds() -> pd.DataFrame:
    """160 rows with dates, units and percentages; 16 grades are wrong, some words are blank."""
    rng = np.random.default_rng(0)
    n = 160
    numbers = {name: rng.integers(1, 10, n) for name in WRITTEN}
    score = sum((values - 5.0) / 3 for values in numbers.values()) + 0.1 * rng.normal(size=n)
    codes = np.digitize(score, [-0.7, 0.7])
    codes[:16] = (codes[:16] + rng.integers(1, 3, 16)) % 3
    cells: dict[str, Any] = {
        name: [form % number for number in numbers[name]] for name, form in WRITTEN.items()
    }
    cells["ward"] = np.where(np.arange(n) % 9, "north", "")
    cells["smoker"] = rng.choice(["yes", "no"], n)
    cells["grade"] = np.array(["none", "mild", "severe"])[codes]
    return pd.DataFrame(cells)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("page")
    wounds().to_csv(place / "wounds.csv", index=False, sep=";")
    return place


@pytest.fixture(params=["linear", "rbf"])
def page(request: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.chdir(folder)
    report = Path(f"{request.param}.html")
    if not report.exists():
        model = ("--kernel", request.param, *(("--gamma", 0.2) * (request.param == "rbf")))
        result = run(*AUDIT, *ONE_MODEL, *model, "--report", report)
        assert result.exit_code == 0, result.output
    return Page(report.read_text(encoding="utf-8"))


def test_cells_are_those_of_the_file(page: Page) -> None:
    table = wounds()
    for row in page.rows()[:30]:
        cells = table.iloc[int(row["data-row"]) - 1]
        shown = page.details(row["data-row"])
        for name in (*WRITTEN, "smoker"):
            assert shown[name][0] == cells[name]
        assert shown["ward"][0] == (cells["ward"] or "–")
        # So are those of the rows like it.
        for i, other in enumerate(page.neighbours(row["data-row"]), start=1):
            assert shown["visited"][i] == table["visited"][other - 1]
            assert shown["weight"][i] == table["weight"][other - 1]
