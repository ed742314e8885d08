"""The page of an audit as people use it: headless Chromium sorts, searches, decides and saves."""

import csv
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from csvor import audit_scores
from csvor.cli.commands._app import app
from csvor.report import write_audit_report
from report_page import Page

playwright = pytest.importorskip("playwright.sync_api")

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
if BROWSER is None:
    pytest.skip("no Chromium on this machine", allow_module_level=True)

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
EVIL = "<script>alert(1)</script>"
CLASSES = ["poor", EVIL, "good", "best"]
# One model, so that the audit takes no longer than the browser.
MODEL = ("--kernel", "linear", "--C", 1, "--constraints", "explicit", "--contamination", 0.1)
AUDIT = ("audit", "rows.csv", "--target", "grade", "--classes", ",".join(CLASSES), *MODEL)
NAMES = [
    "row",
    "name",
    "target",
    "given",
    "decision",
    "label",
    "comment",
    "reviewer",
    "row_check",
    "audit",
]
ROWS = "#suspects > tbody > tr:first-child"


def run(*args: object) -> Result:
    result = CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])
    assert (result.exit_code, result.stderr) == (0, "")
    return result


def records(n: int = 300) -> pd.DataFrame:
    """Grades of which 40 are wrong; one class is called as no class should be."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)).round(3)
    codes = np.digitize(X[:, 0] + X[:, 1] / 2 + 0.1 * rng.normal(size=n), [-1, 0, 1])
    codes[:40] = (codes[:40] + rng.integers(1, 4, 40)) % 4
    names = [f"N{i:03d}" for i in rng.permutation(n)]
    grades = np.array(CLASSES)[codes]
    return pd.DataFrame({"name": names, "span": X[:, 0], "load": X[:, 1], "grade": grades})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("browser")
    records().to_csv(place / "rows.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        run(*AUDIT, "--id", "name", "--report", "page.html", "--suspects", "suspects.csv")
    return place


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as p:
        found = p.chromium.launch(executable_path=BROWSER, args=QUIET)
        yield found
        found.close()


class Review:
    """The page, open, and all that it did unasked."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(offline=True, accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._answer)
        self.open(path)

    def _answer(self, dialog: Any) -> None:
        self.said.append(dialog.message)
        dialog.accept()

    def open(self, path: Path) -> None:
        self.page.goto(path.as_uri())
        self.page.wait_for_selector(".tools:not([hidden])")

    def shown(self, name: str = "row") -> list[str]:
        return self.page.eval_on_selector_all(
            f"{ROWS}[data-row]", f"t => t.map(r => r.dataset.{name})"
        )

    def comes_to_show(self, rows: list[str], name: str = "row") -> bool:
        """Whether these rows are shown, now or soon: columns are sorted when a click is over."""
        for _ in range(100):
            if self.shown(name) == rows:
                return True
            self.page.wait_for_timeout(50)
        return False

    def row(self, number: object) -> Any:
        return self.page.locator(f'{ROWS}[data-row="{number}"]')

    def details(self, number: object) -> Any:
        return self.page.locator(f'{ROWS}[data-row="{number}"] + .details')

    def pressed(self, number: object) -> list[str]:
        return self.row(number).locator("[aria-pressed=true]").all_inner_texts()

    def focused(self) -> str:
        return self.page.evaluate("document.activeElement.dataset.row ?? ''")

    def keys(self, *names: str) -> None:
        for name in names:
            self.page.keyboard.press(name)

    def save(self, path: Path) -> list[dict[str, str]]:
        with self.page.expect_download() as download:
            self.page.click("#save")
        assert download.value.suggested_filename == "rows-decisions.csv"
        download.value.save_as(path)
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def review(browser: Any, folder: Path) -> Iterator[Review]:
    found = Review(browser, folder / "page.html", viewport={"width": 1280, "height": 900})
    yield found
    found.context.close()


@pytest.fixture(scope="module")
def suspects(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "suspects.csv", dtype={"row": str})


def test_it_opens_from_disk_shows_text_and_asks_for_nothing(
    review: Review, suspects: pd.DataFrame, folder: Path
) -> None:
    assert [url.split(":")[0] for url in review.asked] == ["file"]
    assert review.said == []
    named = suspects[suspects["flagged"]]
    assert review.shown() == named["row"].tolist()[:25]
    assert 25 < len(named) < 50
    assert f"1 to 25 of {len(named)} rows" in review.page.inner_text("#info")
    assert EVIL in review.page.inner_text("#suspects")
    assert EVIL in review.page.inner_text(".confusion")


def test_rows_are_sorted_by_mouse_and_by_keyboard(review: Review, suspects: pd.DataFrame) -> None:
    named = suspects[suspects["flagged"]]
    numbers = [str(n) for n in sorted(named["row"].astype(int))]
    first, labels = (review.page.locator("#suspects > thead th").nth(i) for i in (0, 2))
    first.click()
    assert review.comes_to_show(numbers[:25])
    first.get_by_role("button").focus()
    review.keys("Enter")
    assert review.comes_to_show(numbers[::-1][:25])
    assert first.get_attribute("aria-sort") == "descending"
    # Labels go by their order, not by the alphabet.
    labels.click()
    ordered = sorted(named["given"], key=CLASSES.index)
    assert len(set(ordered[:25])) > 1
    assert review.comes_to_show(ordered[:25], "given")
    # Decisions as well.
    decided = named["row"].iloc[3]
    review.page.click("#reset")
    review.row(decided).get_by_role("button", name="Keep").click()
    review.page.locator("#suspects > thead th").last.click()
    assert review.shown()[0] == decided


def test_rows_are_searched_and_filtered(review: Review, suspects: pd.DataFrame) -> None:
    table, page = records(), review.page
    for row in suspects["row"][:3]:
        span = f"{table['span'][int(row) - 1]:g}"
        page.fill("#search", f"span {span}")
        assert row in review.shown()
        assert len(review.shown()) < 5
        page.fill("#search", table["name"][int(row) - 1].lower())
        assert review.shown() == [row]
    page.fill("#search", "keep")
    assert page.inner_text(".empty") == "No row is like that."
    page.click("#reset")

    named = suspects[suspects["flagged"]]
    given, suggested = named[["given", "suggested"]].value_counts().index[0]
    alike = named[(named["given"] == given) & (named["suggested"] == suggested)]
    page.locator(".confusion button").filter(has_text=str(len(alike))).and_(
        page.get_by_label(f"given {given}, suggested {suggested}")
    ).click()
    assert review.shown() == alike["row"].tolist()
    assert review.focused() == alike["row"].iloc[0]
    page.click("#reset")
    page.select_option("#least", "0.95")
    assert review.shown() == named["row"][named["probability"] >= 0.95].tolist()[:25]
    page.click("#reset")
    page.select_option("#which", "all")
    assert "of 300 rows" in page.inner_text("#info")


def test_decisions_by_mouse_and_keys_are_saved_and_applied(
    review: Review, suspects: pd.DataFrame, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = records()
    rows = suspects["row"].tolist()
    given, suggested = suspects["given"].tolist(), suspects["suggested"].tolist()
    # By mouse: the first is kept, the second relabelled.
    review.row(rows[0]).get_by_role("button", name="Keep").click()
    review.row(rows[1]).get_by_role("button", name="Relabel as").click()
    # By keys, from the third row on: drop, relabel, keep, the class of a number; each goes on.
    review.row(rows[2]).locator("th").first.click()
    review.row(rows[2]).focus()
    review.keys("d")
    assert review.focused() == rows[3]
    review.keys("r", "k")
    assert review.focused() == rows[5]
    other = next(label for label in CLASSES if label not in (given[5], suggested[5]))
    review.keys(str(1 + CLASSES.index(other)))
    # The next is taken back, and one is decided by the list of labels.
    review.keys("d", "ArrowUp", "u", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp", "k", "ArrowDown")
    review.keys("ArrowDown")
    assert review.focused() == rows[7]
    last = next(label for label in CLASSES if label not in (given[7], suggested[7]))
    review.details(rows[7]).locator("select").select_option(last)
    assert [review.pressed(row) for row in rows[:8]] == [
        ["Keep"], [f"→ {suggested[1]}"], ["Drop"], [f"→ {suggested[3]}"], ["Keep"], [f"→ {other}"],
        [], [f"→ {last}"],
    ]  # fmt: skip
    named = suspects["flagged"].sum()
    assert review.page.inner_text("#progress") == f"7 of {named} flagged rows decided"

    saved = review.save(folder / "rows-decisions.csv")
    expected = {
        rows[0]: ("keep", ""),
        rows[1]: ("relabel", suggested[1]),
        rows[2]: ("drop", ""),
        rows[3]: ("relabel", suggested[3]),
        rows[4]: ("keep", ""),
        rows[5]: ("relabel", other),
        rows[7]: ("relabel", last),
    }
    assert {line["row"]: (line["decision"], line["label"]) for line in saved} == expected
    assert [int(line["row"]) for line in saved] == sorted(int(row) for row in expected)
    assert list(saved[0]) == NAMES
    for line in saved:
        assert line["audit"].startswith("csvor audit rows.csv --target grade --classes 'poor,<")
        assert line["name"] == table["name"][int(line["row"]) - 1]
        assert (line["target"], line["given"]) == ("grade", table["grade"][int(line["row"]) - 1])

    monkeypatch.chdir(folder)
    run("apply", "rows-decisions.csv", "rows.csv", "--out", "clean.csv")
    for row, (decision, label) in expected.items():
        if decision == "relabel":
            table.loc[int(row) - 1, "grade"] = label
    pd.testing.assert_frame_equal(
        pd.read_csv("clean.csv"), table.drop(index=int(rows[2]) - 1).reset_index(drop=True)
    )


def test_decisions_stay_when_the_page_is_opened_again(
    review: Review, suspects: pd.DataFrame, folder: Path
) -> None:
    row = suspects["row"][0]
    review.row(row).get_by_role("button", name="Drop").click()
    review.page.reload()
    review.page.wait_for_selector(".tools:not([hidden])")
    assert review.pressed(row) == ["Drop"]
    review.page.select_option("#state", "drop")
    assert review.shown() == [row]
    review.page.click("#forget")
    assert review.said == ["Forget 1 decision, and all comments?"]
    assert "0 of" in review.page.inner_text("#progress")
    review.page.reload()
    review.page.wait_for_selector(".tools:not([hidden])")
    assert review.pressed(row) == []


def test_the_row_in_focus_is_seen_and_shows_its_features(
    review: Review, suspects: pd.DataFrame
) -> None:
    review.page.focus("#reset")
    for _ in range(12):
        review.keys("Tab")
        if review.focused():
            break
    row, following = suspects["row"][:2]
    assert review.focused() == row
    style = "getComputedStyle(document.activeElement).outlineStyle"
    assert review.page.evaluate(style) == "solid"
    assert review.details(row).is_visible()
    assert not review.details(following).is_visible()
    review.keys("ArrowDown")
    assert review.focused() == following
    assert review.details(following).is_visible()
    # The last row of a page goes on to the next page.
    last = review.shown()[-1]
    review.row(last).focus()
    review.keys("ArrowDown")
    assert review.focused() == suspects["row"][25]
    review.keys("/")
    assert review.page.evaluate("document.activeElement.id") == "search"
    # Letters are text there.
    review.keys("d")
    assert "0 of" in review.page.inner_text("#progress")


def test_on_a_phone_nothing_lies_beside_the_page(
    browser: Any, folder: Path, suspects: pd.DataFrame
) -> None:
    review = Review(
        browser, folder / "page.html", viewport={"width": 390, "height": 844}, is_mobile=True,
        has_touch=True,
    )  # fmt: skip
    assert review.page.evaluate("document.documentElement.scrollWidth") == 390
    row = suspects["row"][0]
    button = review.row(row).get_by_role("button", name="Drop")
    box = button.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["height"] >= 40
    button.tap()
    assert review.pressed(row) == ["Drop"]
    review.page.select_option("#sort", label="row")
    assert review.shown()[0] == str(suspects["row"][suspects["flagged"]].astype(int).min())
    review.context.close()


def test_print_has_all_rows_and_decisions_as_words(review: Review, suspects: pd.DataFrame) -> None:
    named = suspects["row"][suspects["flagged"]].tolist()
    review.row(named[0]).get_by_role("button", name="Drop").click()
    review.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    review.page.emulate_media(media="print")
    assert review.shown() == named
    assert review.row(named[0]).locator(".decided").inner_text() == "drop"
    assert not review.row(named[0]).get_by_role("button").first.is_visible()
    assert not review.page.locator("#search").is_visible()
    assert review.details(named[-1]).locator("table").is_visible()
    review.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert review.shown() == named[:25]


def test_earlier_decisions_go_into_the_next_audit_and_the_next_file(
    browser: Any, folder: Path, suspects: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    kept, moved, gone = suspects["row"][:3]
    new = suspects["suggested"][1]
    lines = [
        "row,target,given,decision,label",
        f"{kept},grade,{suspects['given'][0]},keep,",
        f"{moved},grade,{suspects['given'][1]},relabel,{new}",
        f"{gone},grade,{suspects['given'][2]},drop,",
    ]
    Path("before.csv").write_text("\n".join(lines), encoding="utf-8")
    result = run(
        *AUDIT, "--id", "name", "--reviewed", "before.csv", "--report", "next.html",
        "--suspects", "next.csv",
    )  # fmt: skip
    assert "before.csv: 1 kept, 1 relabelled, 1 dropped" in result.stdout
    assert "of 297 labels" in result.stdout
    after = pd.read_csv("next.csv", dtype={"row": str}).set_index("row")
    assert gone not in after.index
    assert not after.loc[[kept, moved], "flagged"].any()
    assert (after.loc[[kept, moved], "probability"] == 0).all()
    assert after.loc[moved, "given"] == new

    review = Review(browser, folder / "next.html")
    assert "3 before" in review.page.inner_text("#progress")
    review.page.select_option("#which", "all")
    assert "of 297 rows" in review.page.inner_text("#info")
    first = review.shown()[0]
    review.row(first).get_by_role("button", name="Keep").click()
    saved = {line["row"]: line for line in review.save(folder / "both.csv")}
    assert set(saved) == {kept, moved, gone, first}
    assert saved[moved] == {
        "comment": "",
        "reviewer": "",
        "row": moved,
        "name": records()["name"][int(moved) - 1],
        "target": "grade",
        "given": suspects["given"][1],
        "decision": "relabel",
        "label": new,
        "row_check": "",
        "audit": saved[first]["audit"],
    }
    assert saved[first]["audit"].endswith(" --report next.html")
    review.context.close()
    run("apply", "both.csv", "rows.csv", "--out", "all.csv")
    assert len(pd.read_csv("all.csv")) == 299


def test_a_decision_goes_on_to_the_next_row_and_is_counted(
    review: Review, suspects: pd.DataFrame
) -> None:
    first, second, third = suspects["row"][:3]
    review.row(first).get_by_role("button", name="Keep").click()
    assert review.focused() == second
    assert review.details(second).is_visible()
    review.row(second).get_by_role("button", name="Relabel as").click()
    assert review.focused() == third
    n = suspects["flagged"].sum()
    assert review.page.inner_text("#progress") == f"2 of {n} flagged rows decided"
    assert review.page.get_attribute("#bar", "max") == str(n)
    # Undone by the same button; no other row is opened.
    review.row(first).get_by_role("button", name="Keep").click()
    assert review.page.inner_text("#progress") == f"1 of {n} flagged rows decided"
    assert review.details(first).is_visible()


def test_a_name_that_is_typed_last_signs_what_was_decided_here(
    review: Review, suspects: pd.DataFrame, folder: Path
) -> None:
    first, second = suspects[["row", "given"]][:2].itertuples(index=False)
    (folder / "unsigned.csv").write_text(
        f"row;given;decision\n{second.row};{second.given};keep\n", encoding="utf-8"
    )
    review.page.set_input_files("#file", folder / "unsigned.csv")
    playwright.expect(review.page.locator("#status")).to_contain_text("1 decision of")
    review.row(first.row).get_by_role("button", name="Keep").click()
    review.page.fill("#reviewer", " Bo ")
    saved = {line["row"]: line["reviewer"] for line in review.save(folder / "signed.csv")}
    assert saved == {first.row: "Bo", second.row: ""}
    assert review.row(first.row).locator(".decided").text_content() == "keep (Bo)"


def test_a_file_that_does_not_fit_is_refused_in_a_line(
    review: Review, suspects: pd.DataFrame, folder: Path
) -> None:
    status, (first, second, third) = review.page.locator("#status"), suspects["row"][:3]
    lines = [f"{first},no such,keep", f"{second},no such,drop", "300000,best,drop"]
    (folder / "other.csv").write_text("\n".join(["row,given,decision", *lines]), encoding="utf-8")
    (folder / "book.xlsx").write_bytes(b"PK\x03\x04\n\xff,\x00\n")
    for name, said in (
        ("rows.csv", "rows.csv is no file of decisions: it has no columns row, given and decision"),
        ("book.xlsx", "book.xlsx is no file of decisions"),
        ("other.csv", f"Nothing of other.csv taken: 2 of 3 decisions do not fit this table (row "
         f"{first}, given no such in the file). Open it on the page that saved it."),
    ):  # fmt: skip
        review.page.set_input_files("#file", folder / name)
        playwright.expect(status).to_contain_text(said)
    assert review.page.locator("#save").is_disabled()
    assert third in review.shown()


def test_rows_that_are_not_flagged_have_the_likeliest_other_label(
    browser: Any, tmp_path: Path
) -> None:
    """And the answer lists as many as it sends to, at once after a review."""
    rng = np.random.default_rng(3)
    score = rng.normal(size=800)
    y = np.digitize(score + 0.45 * rng.normal(size=800), [-1, 0, 1])
    y[:8] = (y[:8] + 2) % 4
    audit, X = audit_scores(score, y), pd.DataFrame({"score": score})
    review = Review(browser, write_audit_report(audit, X, tmp_path / "page.html"))
    page, n = review.page, audit.named
    sent = re.search(r"check the first (\d+) rows", page.inner_text(".answer"))
    assert sent and int(sent[1]) > n == len(review.shown())
    page.click(f"text=List the first {sent[1]} rows")
    assert f"of {sent[1]} rows" in page.inner_text("#info")
    at = audit.order[n]
    row = review.row(at + 1)
    others = audit.class_probabilities[at].copy()
    others[y[at]] = -1
    assert audit.suggested[at] == y[at]
    other = str(others.argmax())
    assert row.locator(".label").all_inner_texts() == [str(y[at]), other]
    row.locator("th").click()
    review.keys("r")
    assert review.pressed(at + 1) == [f"→ {other}"]
    # Confusions are those of flagged rows.
    page.locator(".confusion button").first.click()
    assert page.input_value("#which") == "named"
    review.context.close()

    decided = [{"row": int(i) + 1, "decision": "keep"} for i in audit.order[: n + 2]]
    path = write_audit_report(audit, X, tmp_path / "next.html", decided=decided)
    review = Review(browser, path)
    assert f"of {max(n + 2, 10)} rows" in review.page.inner_text("#info")
    review.context.close()


def test_a_saved_file_is_opened_with_comments_and_reviewer(
    browser: Any, folder: Path, review: Review, suspects: pd.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    first, second, third = suspects["row"][:3]
    review.page.fill("#reviewer", "Ana, MD")
    review.row(first).get_by_role("button", name="Drop").click()
    review.keys("c")
    review.page.keyboard.type('says "poor"; see notes, k')
    review.keys("Enter")
    assert review.focused() == second
    review.keys("k")
    saved = {line["row"]: line for line in review.save(folder / "ana.csv")}
    assert (saved[second]["comment"], saved[second]["reviewer"]) == (
        'says "poor"; see notes, k', "Ana, MD",
    )  # fmt: skip
    assert saved[first]["comment"] == ""

    # On another machine: one row decided otherwise, one not at all; a spreadsheet saved the file.
    table = pd.read_csv(folder / "ana.csv", dtype=str, keep_default_na=False)
    extra = table.iloc[[0]].assign(row="300000", comment="far", decision="keep")
    wrong = table.iloc[[0]].assign(row=third, given="no such", name=suspects["name"][2])
    pd.concat([table, extra, wrong]).to_csv(
        folder / "sheet.csv", sep=";", index=False, encoding="utf-8-sig"
    )
    other = Review(browser, folder / "page.html")
    other.row(first).get_by_role("button", name="Keep").click()
    other.page.set_input_files("#file", folder / "sheet.csv")
    playwright.expect(other.page.locator("#status")).to_contain_text("taken")
    assert other.said == [f"Decided otherwise here: row {first}. Take the decisions of sheet.csv?"]
    assert other.page.inner_text("#status") == (
        f"3 decisions of sheet.csv taken. Not taken: row {third}, given no such in the file."
    )
    assert other.pressed(first) == ["Drop"]
    again = {line["row"]: line for line in other.save(folder / "again.csv")}
    assert {row: line for row, line in again.items() if row != "300000"} == saved
    assert again["300000"]["comment"] == "far"
    # What was taken is there when the page is opened again.
    other.open(folder / "page.html")
    assert other.pressed(second) == ["Keep"]
    assert "1 other too" in other.page.inner_text("#progress")
    other.context.close()
    monkeypatch.chdir(folder)
    result = run("apply", "ana.csv", "rows.csv", "--out", "of_ana.csv")
    assert result.exit_code == 0, result.output
    result = run(*AUDIT, "--id", "name", "--reviewed", "ana.csv", "--report", "after.html")
    assert result.exit_code == 0, result.output
    page = Page(Path("after.html").read_text(encoding="utf-8"))
    earlier = {line["row"]: line for line in page.json("config")["earlier"]}
    assert earlier[int(second)]["comment"] == 'says "poor"; see notes, k'
    assert earlier[int(second)]["reviewer"] == "Ana, MD"


def test_a_table_of_five_long_labels_fits(browser: Any, tmp_path: Path) -> None:
    labels = ["no visible damage", "superficial damage", "moderate damage", "severe damage",
              "loss of function"]  # fmt: skip
    score = np.linspace(0, 5, 300)
    codes = np.minimum(score.astype(int), 4)
    codes[::13] = (codes[::13] + 2) % 5
    audit = audit_scores(score, np.array(labels)[codes], classes=labels)
    path = write_audit_report(audit, None, tmp_path / "page.html")
    review = Review(browser, path, viewport={"width": 1280, "height": 900})
    box = review.page.locator(".scroll:has(.confusion)")
    assert box.evaluate("e => e.scrollWidth <= e.clientWidth")
    # And no word is broken.
    heights = box.locator("thead tr:last-child th").evaluate_all("t => t.map(e => e.offsetHeight)")
    assert max(heights) < 50
    # On a phone the heads stand upright.
    review.page.set_viewport_size({"width": 390, "height": 844})
    assert box.evaluate("e => e.scrollWidth <= e.clientWidth")
    review.context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_nothing_keeps_readers_out(
    browser: Any, folder: Path, suspects: pd.DataFrame, width: int, scheme: str
) -> None:
    """axe finds no violation, in contrast, names or keyboard."""
    axe = pytest.importorskip("axe_playwright_python.base").AXE_FILE_PATH.read_text("utf-8")
    review = Review(
        browser, folder / "page.html", viewport={"width": width, "height": 900},
        color_scheme=scheme, bypass_csp=True,
    )  # fmt: skip
    review.row(suspects["row"][0]).get_by_role("button", name="Keep").click()
    review.page.evaluate(axe)
    broken = review.page.evaluate("axe.run()")["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in broken] == []
    assert review.page.evaluate("document.documentElement.scrollWidth") == width
    review.context.close()


def test_the_bar_and_the_names_of_columns_leave_the_row_in_sight(
    review: Review, suspects: pd.DataFrame
) -> None:
    review.row(suspects["row"][0]).focus()
    for _ in range(12):
        review.keys("ArrowDown")
        box = review.page.evaluate("document.activeElement.getBoundingClientRect().toJSON()")
        bar = review.page.evaluate("document.querySelector('.save').getBoundingClientRect().top")
        assert 30 < box["top"] < box["bottom"] <= bar
    # What is known of a row is as wide as the table, and all of it can be read.
    details = review.details(review.focused())
    table = review.page.locator("#suspects").bounding_box()
    assert details.bounding_box()["width"] == pytest.approx(table["width"], abs=2)
    fits = "e => e.scrollWidth <= e.clientWidth"
    assert details.locator(".scroll").evaluate(fits)
