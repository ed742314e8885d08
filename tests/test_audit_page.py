"""The page that `csvor audit --report` writes of a file: cells as they were written, and where."""

import datetime as dt
import hashlib
import re
import shlex
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xlsxwriter

from csvor._faults.notes import Notes
from csvor._tables.dates import dates_in_short
from csvor._tables.features import FeatureColumns
from csvor._tables.table import Table, as_column
from csvor.audit._expected_errors import ExpectedErrors
from csvor.cli.input._read import read_table
from csvor.report._templates import static
from csvor.report.audit._answer import _confused, answer_of
from csvor.report.audit._distributions import Confusion
from csvor.report.audit._suspects import _as_written
from csvor.report.audit._why import Evidence
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


def test_the_answer_is_three_sentences_that_can_be_repeated(page: Page) -> None:
    text = page.text()
    answer = re.search(
        r"About ([\d.]+) % of the 160 labels in 'grade' are probably wrong \(95 % interval: "
        r"([\d.]+) to ([\d.]+) %\), which is about (\d+) \((\d+) to (\d+)\) of them\. "
        r"Most often '(\w+)' stands where '(\w+)' is likelier.*? \((\d+)(?: each)? of "
        r"(\d+) flagged rows\)"
        r".*?\. Next, look at the (\d+) flagged rows: about (\d+) of them are wrong\.",
        text,
    )
    assert answer, text[:500]
    assert "(95\u00a0% interval:" in page.html
    share, low, high, n, fewest, most = map(float, answer.groups()[:6])
    assert low < share < high
    for part, count in ((share, n), (low, fewest), (high, most)):
        assert count == pytest.approx(1.6 * part, abs=0.5 + 0.5 * 1.6)  # both are rounded
    rows = [row for row in page.rows() if row.get("class") == "named"]
    pairs = Counter((row["data-given"], row["data-suggested"]) for row in rows)
    given, suggested, count, flagged, again, wrong = answer.groups()[6:]
    assert pairs[given, suggested] == int(count) == max(pairs.values())
    assert len(rows) == int(flagged) == int(again) >= int(wrong) > 0
    # One word for one thing.
    assert not re.search(r"\b(named|suspects?)\b", text.replace("--suspects", ""))


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        (
            ((6, 0), (4, 1)),
            "Most often 'c' stands where 'a' is likelier (6 of 9 flagged rows), then 'd' where 'a' "
            "is likelier (about 4 rows).",
        ),
        (
            ((6, 2), (2, 0)),
            "Most often 'c' stands where 'a' is likelier (6 of 9 flagged rows), then 'c' where 'b' "
            "is and 'd' where 'a' is likelier (about 2 rows each).",
        ),
        (
            ((2, 0), (2, 1)),
            "Most often 'c' stands where 'a' is likelier and 'd' where 'a' is (2 each of 9 flagged "
            "rows).",
        ),
        (((1, 1), (1, 1)), "No confusion stands out among the 9 flagged rows."),
    ],
)
def test_confusions_that_are_as_frequent_are_all_said(
    counts: tuple[tuple[int, ...], ...], sentence: str
) -> None:
    confusion = Confusion(("c", "d"), ("a", "b"), counts, (0, 0))
    assert _confused(SimpleNamespace(named=9), confusion) == sentence  # type: ignore[arg-type]


def test_the_page_says_when_and_how_it_was_made(page: Page, folder: Path) -> None:
    text = page.text()
    made = text.split("How it was made")[-1]
    assert re.search(r"Written 20\d\d(-\d\d){2} \d\d:\d\d UTC, by csvor \S+ and Python 3", made)
    digest = hashlib.sha256((folder / "wounds.csv").read_bytes()).hexdigest()[:16]
    assert f"File wounds.csv: 160 rows, 7 columns, SHA-256 {digest}" in made
    command = re.search(r"Command (csvor audit .*) File", made)
    assert command
    words = shlex.split(command[1])
    assert words[:3] == ["csvor", "audit", "wounds.csv"]
    assert {"--dates", "--report", "none,mild,severe"} <= set(words)
    assert "move it to the folder in which the commands run. This command writes" in text
    # Row 1 is line 2 of the file.
    row = page.rows()[0]["data-row"]
    assert f"{row} line {int(row) + 1} " in text
    assert "Row 1 is line 2 of the file" in text


def test_a_summary_has_no_row_and_runs_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    model = (*ONE_MODEL, "--kernel", "linear")
    assert "give --report FILE.html too" in run(*AUDIT, *model, "--no-rows").output
    table = wounds().assign(code=[f"SECRET-{i}" for i in range(160)])
    table.loc[:1, [*WRITTEN, "ward", "smoker"]] = table.loc[2, [*WRITTEN, "ward", "smoker"]].array
    table.loc[:1, "grade"] = ["none", "severe"]
    table.to_csv("ids.csv", index=False, sep=";")
    words = ("audit", "ids.csv", *AUDIT[2:], "--id", "code", *model)
    result = run(*words, "--report", "s.html", "--no-rows")
    assert result.exit_code == 0, result.output
    assert "a summary to pass on: s.html" in result.output
    html = Path("s.html").read_text(encoding="utf-8")
    page = Page(html)
    assert "SECRET" not in html
    assert not [text for text in table["visited"] if text in html]
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "button", "input"})
    assert "of the 160 labels in 'grade' are probably wrong" in page.text()
    text = page.text()
    assert "without rows and notes; the same command without --no-rows writes the page" in text
    # Nothing is asked of its readers that they cannot do, or need more than the page to know.
    assert "flagged rows reviewed: about" in text and "A row is flagged where" in text
    assert not re.search("look at|[Cc]lick|C 1,|likelihood|reasons", text)
    assert "group of rows is alike" in page.text() and "row 1 " not in page.text()
    sections = {attrs["id"] for tag, attrs in page.tags if tag == "section"}
    assert sections == {"overview", "scores", "conflicts", "read", "made"}
    assert len(html) < 60_000


def test_regions_that_scroll_have_names_and_heads_are_not_empty(page: Page) -> None:
    scrolling = [attrs for _, attrs in page.tags if attrs.get("class") == "scroll"]
    assert len(scrolling) > 100
    for attrs in scrolling:
        assert (attrs["tabindex"], attrs["role"]) == ("0", "region")
        assert attrs["aria-label"]
    assert not re.search(r"<th[^>]*></th>", page.html)
    buttons = [attrs for tag, attrs in page.tags if tag == "button" and "data-given" in attrs]
    labels = [attrs["aria-label"] for attrs in buttons]
    assert labels
    for label in labels:
        assert re.fullmatch(
            r"(1, flagged row|\d+, flagged rows) given \w+, suggested \w+: .*", label
        )


def test_text_is_legible_in_light_and_dark() -> None:
    """Nothing makes text fainter but its colour, and that has a contrast of 4.5 on each ground."""
    sheets = static("page.css"), static("audit.css")
    assert "opacity" not in "".join(sheets)
    assert not re.search(r"(?<![-\w])color: var\(--line\)", "".join(sheets))
    for block in re.findall(r"--paper: [^}]+", sheets[0]):
        colour = dict(re.findall(r"--(\w+): (#\w{6})", block))
        for ground in ("paper", "shade", "mark"):
            for ink in ("ink", "soft", "link"):
                assert contrast(colour[ink], colour[ground]) >= 4.5, (ink, ground)


def contrast(first: str, second: str) -> float:
    """The contrast of two colours by WCAG."""
    light, dark = sorted(map(luminance, (first, second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_lines_are_not_told_where_blank_lines_are(tmp_path: Path) -> None:
    def first_line(name: str) -> int:
        return read_table(str(tmp_path / name), Notes()).first_line

    texts = {
        "a;b\n1;2\n": 2,
        "a;b\n\n1;2\n": 0,
        '# a\n\na;b\n1;"2\n\n3"\n': 4,
        "sep=;\na;b\n1;2": 2,
    }
    texts |= {'a;b\n1;"2\n3"\n  \n4;5\n': 0, 'a;b\n1;2"\n': 2, '"a\n1";b\n1;2\n': 2}
    for text, line in texts.items():
        (tmp_path / "t.csv").write_text(text, encoding="utf-8")
        assert first_line("t.csv") == line, text
    for lines, line in (([0, 1, 2], 2), ([0, 2, 3], 0)):
        with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
            sheet = book.add_worksheet()
            for place in lines:
                sheet.write_row(place, 0, [place, place + 1] if place else ["a", "b"])
        assert first_line("t.xlsx") == line


@pytest.mark.parametrize(
    ("texts", "short"),
    [
        (["2025-06-01 00:00:00.000000", "", "2025-06-02T00:00"], ["2025-06-01", "", "2025-06-02"]),
        (["2025-06-01 00:00:00", "2025-06-02 09:30:00"], ["2025-06-01 00:00", "2025-06-02 09:30"]),
        (["2025-06-01 09:30:05.5", ""], ["2025-06-01 09:30:05", ""]),
        (["2025-06-01 00:00:00", "n/d"], ["2025-06-01 00:00:00", "n/d"]),
        (["2025-06-01", "5 mg", ""], ["2025-06-01", "5 mg", ""]),
    ],
)  # fmt: skip
def test_dates_are_as_short_as_all_of_them_can_be(texts: list[str], short: list[str]) -> None:
    assert dates_in_short(texts) == short


def test_days_of_files_and_of_frames_have_no_clock() -> None:
    days = [dt.datetime(2024, 4, 29), None, dt.datetime(2024, 5, 1)]
    table = Table("t", {"seen": as_column("seen", pa.array(days, pa.timestamp("us")))}, 3)
    cells = FeatureColumns(readings={"seen": {"as": "days"}}).as_written(table, np.arange(3))
    frame = pd.DataFrame({"seen": pd.Series(days, dtype="datetime64[us]"), "size": [1.5, 2, 3]})
    for X, written in ((frame, None), (frame.assign(seen=[1.0, 2.0, 3.0]), cells)):
        read = [X["seen"].to_numpy(), X["size"].to_numpy()]
        evidence = _as_written(Evidence(["seen", "size"], np.arange(2), read), written)
        assert list(evidence.values[0]) == ["2024-04-29", "", "2024-05-01"]
        assert evidence.values[1] is read[1]


def test_one_flagged_row_and_none_have_sentences_of_their_own() -> None:
    confusion = Confusion(("a", "b"), ("a",), ((0,), (1,)), (80, 20))
    about = {"conclusive": True, "share": 0.01, "low": 0.0, "high": 0.04, "weighted": False}
    about |= {"n_judged": 100, "_n_counted": 0}
    audit: Any = SimpleNamespace(**about, named=1, expected_right=0.999)
    assert answer_of(audit, "y", confusion)[1:] == (
        "The one flagged row has 'b' where 'a' is likelier.",
        "Next, look at the one flagged row: with a chance of over 99 % it is wrong.",
    )
    audit = SimpleNamespace(**about | {"share": 0.001}, named=0, expected_right=0.0)
    assert answer_of(audit, "y", Confusion((), (), (), ())) == (
        "Of the 100 labels in 'y' none looks wrong; at most 4 % (4) may be (95 % interval).",
        "No row is flagged: nothing needs to be reviewed.",
    )
    audit = SimpleNamespace(**about | {"weighted": True}, named=0, expected_right=0.0)
    assert answer_of(audit, "y", Confusion((), (), (), ()))[0] == (
        "About 1 % of the weight of the 100 labels in 'y' is probably wrong (95 % interval: "
        "0 to 4 %)."
    )


def test_the_answer_says_where_the_other_wrong_labels_are() -> None:
    """And how many rows hold 80 % of all: 4 of 5 are expected in the first 5 rows."""
    chances = np.array([0.5, 2, 1, 2, 1.5, 1, 0, 1.5, 0.5]) / 2
    order = np.argsort(-chances, kind="stable")
    audit: Any = SimpleNamespace(
        conclusive=True, share=0.5, low=0.1, high=0.7, weighted=False, n_judged=10, _n_counted=0,
        named=3, expected_right=2.7, probability=chances, order=order, ordered_by="probability",
    )  # fmt: skip
    assert answer_of(audit, "y", Confusion((), (), (), ()))[1:] == (
        "Next, look at the 3 flagged rows: about 3 of them are wrong.",
        "The other 2 are among the rows that are not flagged: to find about 80 % of all 5, check "
        "the first 5 rows by chance of error.",
    )
    audit.probability = np.where(chances == 1.0, 1.0, 0.0)
    assert answer_of(audit, "y", Confusion((), (), (), ()))[-1] == (
        "The other 2 are among the rows that are not flagged."
    )


def test_after_a_review_the_answer_says_what_was_done_and_what_is_next() -> None:
    decided = [{"decision": one} for one in ("keep", "relabel", "relabel", "drop")]
    expected = ExpectedErrors(4, 2.4, 1, 4, 1.2, 0, 3)
    audit: Any = SimpleNamespace(
        conclusive=True, share=0.05, low=0.01, high=0.1, weighted=False, n_judged=97, named=1,
        _n_counted=0, probability=np.zeros(100), order=np.arange(97), ordered_by="probability",
        expected_right=0.6, expected_errors=lambda n: expected,
    )  # fmt: skip
    confusion = Confusion(("a", "b"), ("a",), ((0,), (1,)), (80, 20))
    answer = answer_of(audit, "y", confusion, decided)
    assert answer[0] == "Reviewed so far: 4 rows (1 kept, 2 relabelled, 1 dropped)."
    assert "of the 97 labels in 'y' not reviewed yet are probably wrong" in answer[1]
    assert answer[3:] == (
        "Next, look at 4 more rows, by chance of error: about 2 (1 to 4) are wrong. About 1 more "
        "(0 to 3) is among the rows behind these.",
        "To stop here, save the decisions and apply them.",
    )
    summary = answer_of(audit, "y", confusion, decided, with_rows=False)
    assert summary[-1].startswith("Next, have 4 more rows reviewed, by chance of error: about 2")
    audit.named, audit.share = 0, 0.001
    assert answer_of(audit, "y", Confusion((), (), (), ()), decided)[-1] == (
        "No row is flagged: nothing more needs to be reviewed."
    )
