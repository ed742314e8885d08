"""`csvor review`: decisions of several reviewers compared and merged."""

import csv
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score
from typer.testing import CliRunner, Result

from csvor import read_decisions
from csvor.cli.commands._app import app

NAMES = ["row", "patient", "target", "given", "decision", "label", "comment", "reviewer", "audit"]
AUDIT = "csvor audit wounds.csv --target grade --classes none,mild,severe"
# As reviewers save them: rows 1 and 9 are in dispute, 2 and 5 agreed, 7 is decided by one.
ANA = [
    [1, 'Ng, "Bo"', "mild", "relabel", "none", "looks, healed"],
    [2, "007", "mild", "keep", "", ""],
    [5, "Ωμ; ж", "severe", "drop", "", "no photo"],
    [9, "x", "none", "keep", "", ""],
]
BO = [
    [1, 'Ng, "Bo"', "mild", "relabel", "severe", ""],
    [2, "007", "mild", "keep", "", ""],
    [5, "Ωμ; ж", "severe", "drop", "", ""],
    [7, "7", "none", "relabel", "mild", "typo"],
]
CY = [[1, 'Ng, "Bo"', "mild", "relabel", "severe", ""], [9, "x", "none", "drop", "", ""]]


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "90"}).invoke(app, [str(arg) for arg in args])


def save(
    name: str, rows: list[list[Any]], who: str = "", sign: str = ",", encoding: str = "utf-8"
) -> None:
    lines = [[r[0], r[1], "grade", *r[2:], who, AUDIT] for r in rows]
    with open(name, "w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=sign).writerows([NAMES, *lines])


@pytest.fixture(autouse=True)
def _in_a_folder_with_three_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save("a.csv", ANA, "Ana")
    save("b.csv", BO, "Bo", ";", "utf-8-sig")
    save("c.csv", CY, "Cy", "\t")


def merged(name: str) -> dict[int, tuple[str, str]]:
    return {d.row: d.outcome for d in read_decisions(name)}


def test_two_reviewers_are_compared_and_merged() -> None:
    result = run("review", "a.csv", "b.csv", "--out", "m.csv", "--disputes", "d.csv")
    assert (result.exit_code, result.stderr) == (
        0, "note: b.csv: the columns are separated by ';'\n",
    )  # fmt: skip
    assert result.stdout.splitlines() == [
        "Ana         a.csv: 2 kept, 1 relabelled, 1 dropped",
        "Bo          b.csv: 1 kept, 2 relabelled, 1 dropped",
        "Rows        5 rows decided, 3 by several reviewers, 2 by one",
        "Agreement   Ana and Bo: the same decision on 2 of 3 rows (67 %), the same label in 0 of 1",
        "            that both relabel; Cohen's kappa of keep, relabel and drop 1.00",
        "Differ      1 row: 1 in dispute",
        "Written     4 decisions: m.csv",
        "In dispute  1 row to decide: d.csv",
        "",
        "row  patient   given  Ana           Bo              merged      comments",
        '  1  Ng, "Bo"  mild   relabel none  relabel severe  in dispute  Ana: looks, healed',
        "",
        "Next: csvor apply m.csv wounds.csv --out wounds-clean.csv",
        "",
        "1 row in dispute is left out of m.csv: decide it in d.csv, then csvor review m.csv d.csv "
        "--out ALL.csv",
    ]  # fmt: skip
    assert merged("m.csv") == {
        2: ("keep", ""), 5: ("drop", ""), 7: ("relabel", "mild"), 9: ("keep", ""),
    }  # fmt: skip
    two, five, seven, _ = read_decisions("m.csv")
    assert [d.others["patient"] for d in (two, five, seven)] == ["007", "Ωμ; ж", "7"]
    assert [d.reviewer for d in (two, five, seven)] == ["Ana, Bo", "Ana, Bo", "Bo"]
    assert [d.comment for d in (two, five, seven)] == ["", "Ana: no photo", "typo"]
    assert read_decisions("m.csv").audit == AUDIT


def test_rows_in_dispute_are_decided_in_their_file() -> None:
    assert run("review", "a.csv", "b.csv", "--disputes", "d.csv").exit_code == 0
    text = Path("d.csv").read_text("utf-8")
    assert '1,"Ng, ""Bo""",grade,mild,,,Ana: relabel none (looks, healed); Bo: relabel sev' in (
        text.replace('"Ana', "Ana")
    )
    Path("d.csv").write_text(text.replace("mild,,,", "mild,relabel,severe,"), "utf-8")
    result = run("review", "a.csv", "b.csv", "d.csv", "--prefer", "d.csv", "--out", "m.csv")
    assert "1 row: 1 settled by --prefer" in result.stdout
    assert merged("m.csv")[1] == ("relabel", "severe")
    # As the last line of the command says it, where the others are merged.
    result = run("review", "a.csv", "b.csv", "--out", "m.csv")
    assert result.stdout.splitlines()[-1] == (
        "1 row in dispute is left out of m.csv: settle it with --majority, --prefer FILE or "
        "--disputes FILE, which writes it to be decided"
    )
    assert "note: m.csv was there already, and is replaced" in result.stderr
    assert run("review", "m.csv", "d.csv", "--out", "all.csv").stdout.count("in dispute") == 0
    assert merged("all.csv") == {**merged("m.csv"), 1: ("relabel", "severe")}


def test_a_majority_and_a_preferred_file_settle_what_they_can() -> None:
    run("review", "a.csv", "b.csv", "c.csv", "--majority", "--out", "m.csv")
    assert merged("m.csv")[1] == ("relabel", "severe") and 9 not in merged("m.csv")
    first = read_decisions("m.csv").decisions[0]
    assert first.reviewer == "Bo, Cy"
    assert first.comment == (
        "majority: Ana: relabel none (looks, healed); Bo: relabel severe; Cy: relabel severe"
    )
    result = run("review", "a.csv", "b.csv", "c.csv", "--majority", "--top", "1")
    assert result.stdout.splitlines()[-3:] == [
        "1 more row on which reviewers differ: --top 2",
        "",
        "1 row in dispute is open: settle it with --prefer FILE or --disputes FILE, which writes "
        "it to be decided",
    ]
    both = ("--majority", "--prefer", "./a.csv", "--out", "m.csv")
    result = run("review", "a.csv", "b.csv", "c.csv", *both)
    assert "2 rows: 1 settled by the majority, 1 settled by --prefer" in result.stdout
    assert merged("m.csv")[9] == ("keep", "") and merged("m.csv")[1] == ("relabel", "severe")
    run("review", "a.csv", "b.csv", "c.csv", "--prefer", "a.csv", "--out", "m.csv")
    assert merged("m.csv")[1] == ("relabel", "none")


def test_all_of_it_as_json() -> None:
    document = json.loads(run("review", "a.csv", "b.csv", "c.csv", "--json").stdout)
    assert document["rows"] == {
        "decided": 5, "one": 1, "agreed": 2, "majority": 0, "preferred": 0, "disputed": 2,
    }  # fmt: skip
    assert document["files"][1] == {
        "file": "b.csv", "reviewer": "Bo", "kept": 1, "relabelled": 2, "dropped": 1,
    }  # fmt: skip
    assert [one["same_decision"] for one in document["agreement"]] == [2, 0, 1]
    kappas = [one["kappa"] for one in document["agreement"]]
    assert kappas == [1.0, pytest.approx(1 / 3), None]  # both relabel the one row they share
    assert document["differ"][1] == {
        "row": 9, "patient": "x", "given": "none", "how": "disputed", "merged": None,
        "decisions": [
            {"reviewer": "Ana", "decision": "keep", "label": None, "comment": None},
            {"reviewer": "Cy", "decision": "drop", "label": None, "comment": None},
        ],
    }  # fmt: skip
    by_majority = json.loads(
        run("review", "a.csv", "b.csv", "c.csv", "--majority", "--json").stdout
    )
    assert by_majority["differ"][0]["merged"] == {"decision": "relabel", "label": "severe"}
    assert document["out"] is None and len(document["notes"]) == 2


def test_reviewers_without_a_name_are_called_as_their_files() -> None:
    save("first.csv", ANA)
    save("second.csv", BO, "Bo")
    assert run("review", "first.csv", "second.csv").stdout.startswith("first      first.csv: 2")
    Path("x").mkdir()
    save("x/first.csv", BO)
    assert run("review", "first.csv", "x/first.csv").stdout.splitlines()[1].startswith("x/first.cs")
    # One without names, such as a file of disputes, leaves the others theirs.
    text = run("review", "first.csv", "a.csv", "b.csv").stdout
    assert [line.split()[0] for line in text.splitlines()[:3]] == ["first", "Ana", "Bo"]


def test_a_low_kappa_of_reviewers_who_mostly_agree_is_explained() -> None:
    rows = [[i, "p", "mild", "keep", "", ""] for i in range(1, 16)]
    save("a.csv", rows)
    save("b.csv", [*rows[:-1], [15, "p", "mild", "drop", "", ""]])
    text = " ".join(run("review", "a.csv", "b.csv").stdout.split())
    assert "14 of 15 rows (93 %); Cohen's kappa of keep, relabel and drop 0.00, low since" in text


def test_no_word_of_the_table_is_broken_and_a_workbook_stays_one() -> None:
    words = "the wound is worse than it looks on this picture; asked again, she said severe"
    save("a.csv", [[1, "Ward-3", "moderate", "relabel", "critical", words]], "Ana Lopez")
    save("b.csv", [[1, "Ward-3", "moderate", "relabel", "recovering", ""]], "Bo")
    for name in ("a.csv", "b.csv"):
        Path(name).write_text(
            Path(name).read_text("utf-8").replace("wounds.csv", "w.xlsx"), "utf-8"
        )
    result = run("review", "a.csv", "b.csv", "--prefer", "a.csv", "--out", "m.csv")
    assert {"critical", "recovering", "moderate", "picture;"} <= {*result.stdout.split()}
    assert max(map(len, result.stdout.split("Written")[1].splitlines())) <= 90
    assert result.stdout.endswith("\nNext: csvor apply m.csv w.xlsx --out w-clean.xlsx\n")


def test_numbers_and_truth_values_are_compared_as_they_mean() -> None:
    """A spreadsheet writes 1.0 and TRUE for 1 and True."""
    save("a.csv", [[1, "p", "1", "relabel", "2", ""], [2, "q", "True", "keep", "", ""]])
    save("b.csv", [["1.0", "p", "1.0", "Relabel", "2.0", ""], [2, "q", "TRUE", "KEEP", "", ""]])
    assert json.loads(run("review", "a.csv", "b.csv", "--json").stdout)["rows"]["agreed"] == 2


@pytest.mark.parametrize(
    ("rows", "target", "said"),
    [
        ([[2, "007", "none", "keep", "", ""]], "grade", "row 2 has given 'mild' in a.csv, but 'no"),
        ([[2, "008", "mild", "keep", "", ""]], "grade", "row 2 has patient '007' in a.csv, but '0"),
        (BO, "stage", "d.csv is about 'stage' and a.csv is about 'grade': decisions of one colu"),
    ],
)
def test_files_of_other_data_are_refused(rows: list[list[Any]], target: str, said: str) -> None:
    save("d.csv", rows)
    Path("d.csv").write_text(Path("d.csv").read_text("utf-8").replace(",grade,", f",{target},"))
    result = run("review", "a.csv", "d.csv", "--out", "m.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr
    assert not Path("m.csv").exists()


def test_files_by_different_audits_are_noted() -> None:
    text = Path("c.csv").read_text("utf-8").replace("wounds.csv", "other.csv")
    Path("c.csv").write_text(text, "utf-8")
    result = run("review", "a.csv", "c.csv", "--out", "m.csv")
    assert "note: the files come from audits by different commands" in result.stderr
    assert result.stdout.splitlines()[-3] == "Next: csvor apply m.csv DATA --out clean.csv"
    assert result.stdout.splitlines()[-1].startswith("2 rows in dispute are left out of m.csv: ")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("a.csv",), "review compares files of several reviewers; name two or more"),
        (("a.csv", "b.csv", "./a.csv"), "a.csv is named twice"),
        (("a.csv", "none.csv"), "none.csv: there is no such file"),
        (("a.csv", "b.csv", "--prefer", "c.csv"), "--prefer c.csv: this is none of the files that"),
        (("a.csv", "b.csv", "--out", "a.csv"), "--out a.csv: this file is read, as FILES"),
        (("a.csv", "b.csv", "--out", "m.xlsx"), "--out m.xlsx: the name must end in .csv"),
        (("a.csv", "b.csv", "--out", "m.csv", "--disputes", "m.csv"), "--out m.csv: this file is"),
    ],
)
def test_wrong_use_is_refused(args: tuple[str, ...], said: str) -> None:
    result = run("review", *args)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"csvor: error: {said}")


LABELS = ["none", "mild", "severe"]
# Commas, quotes, semicolons, other alphabets, letters in two forms, a formula, a line break.
STRANGE = ['{}, "q"', "Жук; {}", "名前 {}", "ّسم {}", "e\u0301t\u00e9 {}", "=A{}", "l{}\nm", "00{}"]


def reviewed(rng: random.Random, rows: list[list[str]], suspects: list[int]) -> list[list[Any]]:
    """Decisions of one reviewer on most of the suspects."""
    decided: list[list[Any]] = []
    for i in rng.sample(suspects, 400):
        kind = rng.choices(["keep", "relabel", "drop"], [5, 4, 1])[0]
        others = [label for label in LABELS if label != rows[i][1]]
        label = rng.choices(others, [8, 2])[0] if kind == "relabel" else ""
        decided.append([i + 1, rows[i][0], rows[i][1], kind, label, rng.choice(["", 'a "b", c'])])
    return decided


def test_three_reviewers_of_500_suspects_change_no_row_that_was_not_decided() -> None:
    rng = random.Random(0)
    rows = [[STRANGE[i % 8].format(i), rng.choice(LABELS), str(i)] for i in range(1200)]
    with open("wounds.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["patient", "grade", "x"], *rows])
    suspects = rng.sample(range(1200), 500)
    decided = [reviewed(rng, rows, suspects) for _ in range(3)]
    save("a.csv", decided[0], "Åsa")
    save("b.csv", decided[1], "Борис", ";", "utf-8-sig")
    save("c.csv", decided[2], "陳", "\t", "utf-8-sig")
    args = ("a.csv", "b.csv", "c.csv", "--majority", "--out", "m.csv")
    document = json.loads(run("review", *args, "--json").stdout)

    outcomes: dict[int, list[tuple[str, str]]] = {}
    for several in decided:
        for row, _, _, kind, label, _ in several:
            outcomes.setdefault(row, []).append((kind, label))
    expected = {}
    for row, some in outcomes.items():
        best, n = Counter(some).most_common(1)[0]
        if 2 * n > len(some):
            expected[row] = best
    assert merged("m.csv") == expected
    assert document["rows"]["decided"] == len(outcomes)
    assert document["rows"]["disputed"] == len(outcomes) - len(expected) > 20
    first, second = ({row: kind for row, _, _, kind, *_ in some} for some in decided[:2])
    both = sorted(first.keys() & second.keys())
    kappa = cohen_kappa_score([first[row] for row in both], [second[row] for row in both])
    assert document["agreement"][0]["rows"] == len(both)
    assert document["agreement"][0]["kappa"] == pytest.approx(kappa)

    assert run("apply", "m.csv", "wounds.csv", "--out", "clean.csv").exit_code == 0
    with open("clean.csv", encoding="utf-8", newline="") as file:
        _, *after = csv.reader(file)
    wanted = [
        [name, expected.get(i, ("", ""))[1] or label, x]
        for i, (name, label, x) in enumerate(rows, start=1)
        if expected.get(i) != ("drop", "")
    ]
    assert after == wanted
