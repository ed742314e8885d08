"""`csvor explain`: odds ratios as the library has them, in words, in JSON and on a page."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from typer.testing import CliRunner, Result

from csvor import OrdinalRegression
from csvor._regression.estimates import _warn_of_search
from csvor.cli._notes import in_options
from csvor.cli.commands._app import app

WORDS = np.array(["poor", "fair", "good"])
ORDER = ("--target", "grade", "--classes", "poor,fair,good")


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


def explained(*args: object) -> dict[str, Any]:
    result = run("explain", *args, "--json")
    assert result.exit_code == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def pupils(n: int = 400) -> pd.DataFrame:
    """Hours raise the grade, a school in the south too; income is told in thousands."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {
            "hours": rng.gamma(4, 1, n).round(1),
            "income": rng.normal(40_000, 8_000, n).round(),
            "school": rng.choice(["north", "south", "west"], n),
        }
    )
    latent = table["hours"] + 2.0 * (table["school"] == "south") + rng.logistic(size=n)
    return table.assign(grade=WORDS[np.digitize(latent, [3.0, 5.5])])


def spoilt(table: pd.DataFrame) -> pd.DataFrame:
    """With a label in six changed to another."""
    codes = np.array([WORDS.tolist().index(label) for label in table["grade"]])
    codes[::6] = (codes[::6] + 1 + np.arange(codes[::6].size) % 2) % 3
    return table.assign(grade=WORDS[codes])


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pupils().to_csv("t.csv", index=False)


def by_hand(table: pd.DataFrame, **parameters: Any) -> OrdinalRegression:
    X = table[["hours", "income"]].assign(
        south=(table["school"] == "south") * 1.0, west=(table["school"] == "west") * 1.0
    )
    return OrdinalRegression(classes=WORDS, **parameters).fit(X, table["grade"])


def test_effects_are_those_of_the_library_in_units_of_the_columns() -> None:
    spoilt(pupils()).to_csv("t.csv", index=False)
    document = explained("t.csv", *ORDER)
    model = by_hand(spoilt(pupils()))
    plain = by_hand(spoilt(pupils()), wrong=0)
    effects = document["effects"]
    assert [(e["column"], e["level"], e["base"], e["units"]) for e in effects] == [
        ("hours", None, None, 1.0),
        ("income", None, None, 1000.0),
        ("school", "south", "north", 1.0),
        ("school", "west", "north", 1.0),
    ]
    summary = model.summary().coefficients
    for effect, coefficient, other, (_, row) in zip(
        effects, model.coef_, plain.coef_, summary.iterrows(), strict=True
    ):
        ends = [effect[key] for key in ("coefficient", "error", "p", "low", "high")]
        expected = row[["estimate", "error", "p", "low", "high"]].to_numpy(float)
        np.testing.assert_allclose(ends, expected, rtol=1e-5, atol=1e-9)
        assert effect["odds_ratio"] == pytest.approx(np.exp(coefficient * effect["units"]), 1e-5)
        assert effect["if_none_wrong"]["coefficient"] == pytest.approx(other, rel=1e-4, abs=1e-8)
    wrong = document["wrong_labels"]
    assert wrong["share"] == pytest.approx(model.wrong_share_, abs=1e-5)
    assert 0.08 < wrong["share"] < 0.3
    assert wrong["p"] < 0.001 and wrong["sentence"].endswith(", beyond chance (p < .001)")
    assert document["model"]["log_likelihood"] == pytest.approx(model.log_likelihood_)
    assert document["settings"]["standardised"] is False


def test_what_is_printed() -> None:
    result = run("explain", "t.csv", *ORDER, "--thresholds")
    assert (result.exit_code, result.stderr) == (0, "")
    for text in (
        "hours, income (in their units)",
        "hours and school have an effect on grade beyond chance (p < .05); income may have none",
        "school (beside north)",
        "income (1000 more)",
        "the odds of a higher grade are",
        "poor | fair",
    ):
        assert text in result.stdout, text
    # No label is found to be wrong: nothing stands beside.
    assert ("if none wrong" in result.stdout) == ("are wrong and went" in result.stdout)


def test_all_labels_right() -> None:
    document = explained("t.csv", *ORDER, "--no-wrong", "--base", "school:west", "--per", "hours:2")
    model = by_hand(pupils(), wrong=0)
    assert document["wrong_labels"] == {
        "share": 0.0, "sentence": "all labels are taken to be right",
    }  # fmt: skip
    hours, _, north, south = document["effects"]
    assert hours["odds_ratio"] == pytest.approx(np.exp(2 * model.coef_[0]))
    assert (north["level"], south["level"]) == ("north", "south")
    assert north["coefficient"] == pytest.approx(-model.coef_[3])
    assert all(effect["if_none_wrong"] is None for effect in document["effects"])
    below = [cut["estimate"] for cut in document["thresholds"]]
    np.testing.assert_allclose(below, model.thresholds_ - model.coef_[3], rtol=1e-5)


def test_effects_at_each_threshold_and_on_the_spread() -> None:
    document = explained(
        "t.csv", *ORDER, "--no-wrong", "--nominal", "hours", "--scale", "school", "--drop", "income"
    )
    table = pupils()
    X = table[["hours"]].assign(
        south=(table["school"] == "south") * 1.0, west=(table["school"] == "west") * 1.0
    )
    model = OrdinalRegression(
        wrong=0, nominal=["hours"], scale=["south", "west"], classes=WORDS
    ).fit(X, table["grade"])
    effects = document["effects"]
    assert [(e["kind"], e["above"] or e["level"]) for e in effects] == [
        ("nominal", "poor"), ("nominal", "fair"), ("location", "south"), ("scale", "south"),
        ("location", "west"), ("scale", "west"),
    ]  # fmt: skip
    values = [effect["coefficient"] for effect in effects]
    expected = [
        *-model.nominal_effects_[0], model.coef_[1], model.scale_effects_[0],
        model.coef_[2], model.scale_effects_[1],
    ]  # fmt: skip
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    assert effects[0]["odds_ratio"] == pytest.approx(np.exp(-model.nominal_effects_[0, 0]))
    assert "the odds of more than poor" in effects[0]["sentence"]
    assert "times as wide" in effects[3]["sentence"] and effects[3]["odds_ratio"] is None


def test_other_links_have_coefficients() -> None:
    result = run("explain", "t.csv", *ORDER, "--link", "probit", "--wrong", 0.05)
    assert "coefficient" in result.stdout and "odds" not in result.stdout
    assert "5.0 % of the labels are taken to be wrong" in result.stdout


def test_columns_that_act_differently_at_thresholds() -> None:
    """As the library tests them; the option that is advised is one that ends it."""
    table = pupils(900)
    latent = table["hours"] + np.random.default_rng(0).logistic(size=900)
    above = (latent > 3).astype(int)
    table["grade"] = WORDS[above + above * (latent + 2.0 * (table["school"] == "south") > 5.5)]
    table.to_csv("t.csv", index=False)
    tests = explained("t.csv", *ORDER, "--no-wrong")["proportional_odds"]
    schools = {"hours": ["hours"], "income": ["income"], "school": ["south", "west"]}
    expected = by_hand(table, wrong=0).proportional_odds_test(terms=schools)
    of_columns = {test["column"]: test["statistic"] for test in tests["columns"]}
    of_columns["all"] = tests["all"]["statistic"]
    assert of_columns == pytest.approx(expected["statistic"].to_dict(), rel=1e-4, abs=1e-6)
    advice = {test["column"]: test["advice"] for test in tests["columns"]}
    assert advice["school"] == "--nominal school" and advice["income"] is None
    assert "is not enough for all thresholds of" in tests["sentence"]
    after = explained("t.csv", *ORDER, "--no-wrong", "--nominal", "school")["proportional_odds"]
    assert [test["column"] for test in after["columns"]] == ["hours", "income"]
    assert explained("t.csv", *ORDER, "--penalty", 1)["proportional_odds"] is None


@pytest.mark.parametrize(
    ("empty", "advice"),
    [
        (True, "merge fair with a class beside it, for no row of school south has it"),
        (False, "merge classes, for with --nominal hours columns separate them"),
    ],
)
def test_effects_at_thresholds_are_advised_where_they_can_be_fitted(
    empty: bool, advice: str
) -> None:
    table = pupils()
    if empty:
        table.loc[(table["school"] == "south") & (table["grade"] == "fair"), "grade"] = "good"
    else:
        latent = np.random.default_rng(0).logistic(size=400) + table["hours"]
        good = np.where(latent > 4.0, "fair", "poor")
        table["grade"] = np.where(table["hours"] > 5.0, "good", good)
    table.to_csv("t.csv", index=False)
    result = run("explain", "t.csv", *ORDER, "--no-wrong")
    assert result.exit_code == 0, result.stderr
    assert advice in " ".join(result.stdout.split())
    assert "fit again with merge" not in result.stdout


def test_warnings_of_a_fit_begin_as_notes_do_and_name_options() -> None:
    table = pupils().replace({"grade": {"poor": "fair"}})
    table.loc[table["hours"].nlargest(2).index, "grade"] = "poor"  # where none would be
    table.to_csv("t.csv", index=False)
    result = run("explain", "t.csv", *ORDER, "--wrong", "any")
    assert "note: all labels 'poor' are taken to be wrong ones" in result.stderr
    assert "say how many labels are wrong, such as --no-wrong." in result.stderr


def test_columns_that_fail_together_alone_are_not_called_enough() -> None:
    pupils(26).to_csv("t.csv", index=False)
    tests = explained("t.csv", *ORDER, "--no-wrong")["proportional_odds"]
    assert tests["all"]["p"] < 0.05 < min(test["p_holm"] for test in tests["columns"])
    assert "may not be enough" in tests["sentence"]


@pytest.mark.parametrize(
    ("penalised", "remedy"),
    [(False, "Give a ridge, such as --penalty 1."), (True, "or give a larger --penalty.")],
)
def test_a_search_that_did_not_end_advises_no_ridge_that_is_there(
    penalised: bool, remedy: str
) -> None:
    with pytest.warns(ConvergenceWarning, match="did not end") as caught:
        _warn_of_search(penalised)
    assert in_options(str(caught[0].message)).endswith(remedy)


def test_a_ridge_is_no_finding() -> None:
    result = run("explain", "t.csv", *ORDER, "--penalty", 1, "--report", "p.html")
    assert "note: a ridge pulls odds ratios to 1, and their size depends on --pen" in result.stderr
    assert "with a ridge (--penalty 1) no effect is tested" in result.stdout
    assert "beyond chance" not in result.stdout and "< .001" not in result.stdout
    page = Path("p.html").read_text(encoding="utf-8")
    assert "beyond chance" not in page and "< .001" not in page and "may be chance" not in page


def test_effects_at_thresholds_are_said_in_the_model_and_of_the_others() -> None:
    result = run("explain", "t.csv", *ORDER, "--no-wrong", "--nominal", "school")
    assert "partial proportional odds (logit)" in result.stdout
    assert "of each of the other columns" in result.stdout


def test_few_rows_for_each_parameter_are_noted() -> None:
    pupils(59).to_csv("t.csv", index=False)
    result = run("explain", "t.csv", *ORDER, "--no-wrong")
    assert "note: 59 rows for 6 parameters are few: with fewer than 10 for each" in result.stderr
    pupils(60).to_csv("t.csv", index=False)
    assert "are few" not in run("explain", "t.csv", *ORDER, "--no-wrong").stderr


def test_raters_and_weights() -> None:
    table = pupils().assign(marker=["ann", "bo"] * 200, times=[1, 2, 0, 1] * 100)
    table.to_csv("t.csv", index=False)
    document = explained("t.csv", *ORDER, "--no-wrong", "--rater", "marker", "--counts", "times")
    ann, bo = document["raters"]
    assert ann["rater"] == "ann" and ann["shift"] == pytest.approx(-bo["shift"])
    assert document["model"]["weight"] == 400.0


def test_errors_hold_in_groups_and_for_weights() -> None:
    table = pupils().assign(room=[f"r{i // 8}" for i in range(400)], w=[1.0, 3.0] * 200)
    table.to_csv("t.csv", index=False)
    result = run("explain", "t.csv", *ORDER, "--groups", "room", "--drop", "w")
    assert "note: intervals of the effects hold for rows of --groups" in result.stderr
    assert "the test that none is wrong takes rows to be independent" in result.stdout
    assert "p = " not in result.stdout.split("Wrong")[1].split("Thresholds")[0]
    result = run("explain", "t.csv", *ORDER, "--no-wrong", "--weight", "w", "--drop", "room")
    assert "note: --weight: AIC, BIC, the test that no label is wrong" in result.stderr
    options = ("--no-wrong", "--json")
    cases: list[tuple[tuple[str, ...], dict[str, Any], Any]] = [
        (("--groups", "room", "--drop", "w"), {}, table["room"]),
        (("--weight", "w", "--drop", "room"), {"sample_weight": table["w"] / 2}, range(400)),
    ]
    for asked, weights, groups in cases:
        effects = json.loads(run("explain", "t.csv", *ORDER, *options, *asked).stdout)["effects"]
        X = table[["hours", "income"]].assign(
            south=(table["school"] == "south") * 1.0, west=(table["school"] == "west") * 1.0
        )
        model = OrdinalRegression(classes=WORDS, wrong=0).fit(X, table["grade"], **weights)
        errors = np.sqrt(np.diag(model.sandwich(groups)))[2:]
        np.testing.assert_allclose([effect["error"] for effect in effects], errors, rtol=1e-5)


def test_rows_that_are_alike_are_no_fault_and_ids_that_come_again_are_noted() -> None:
    table = pupils()[["school", "grade"]].assign(pupil=[f"p{i // 2}" for i in range(400)])
    table.to_csv("t.csv", index=False)
    result = run("explain", "t.csv", *ORDER, "--no-wrong", "--id", "pupil")
    assert result.stderr.count("note:") == 1
    assert "200 values are on more than one row; errors take rows to be indep" in result.stderr


def test_rows_with_blanks_are_left_out_if_asked() -> None:
    table = pupils().assign(idle="x", weight=2.0)
    table.loc[3, "hours"], table.loc[6, "school"], table.loc[9, "idle"] = None, None, None
    features = ["hours", "income", "school"]
    table.loc[[398, 399], features] = table.loc[[20, 20], features].to_numpy()
    table.to_csv("t.csv", index=False)
    assert "blank values in columns of numbers" in run("explain", "t.csv", *ORDER).stderr
    options = ("--no-wrong", "--weight", "weight", "--complete")
    result = run("explain", "t.csv", *ORDER, *options, "--json")
    document = json.loads(result.stdout)
    model = by_hand(table.drop(index=[3, 6, 9]), wrong=0)
    values = [effect["coefficient"] for effect in document["effects"]]
    np.testing.assert_allclose(values, model.coef_, rtol=1e-5, atol=1e-9)
    assert document["data"]["used"] == 397 and document["columns"]["constant"] == ["idle"]
    assert "3 rows with a blank in the columns 'hours', 'school', 'idle' are left" in result.stderr
    assert "treated as a category" not in result.stderr
    refused = run("explain", "t.csv", *ORDER)
    assert "let --impute do so, leave their rows out with --complete, or" in refused.stderr
    filled = run("explain", "t.csv", *ORDER, "--impute", "--drop", "idle", "--no-wrong")
    assert "note: --impute filled 1 cell by the median of the column: 'hours' 1 (by 3" in (
        filled.stderr
    )
    refused = run("explain", "t.csv", *ORDER, "--complete", "--impute")
    assert refused.exit_code == 2 and "give one" in refused.stderr


def test_a_column_in_small_units_is_told_in_steps_that_it_has() -> None:
    pupils().assign(hours=lambda t: t["hours"] / 1e5).to_csv("t.csv", index=False)
    result = run("explain", "t.csv", *ORDER, "--no-wrong")
    assert (result.exit_code, result.stderr) == (0, "")  # exp of it overflows, and nobody is told
    assert "hours (1e-05 more)" in result.stdout


def test_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    table = spoilt(pupils()).assign(school=lambda t: t["school"].replace("west", "<west>"))
    table.to_csv("t.csv", index=False)
    result = run("explain", "t.csv", *ORDER, "--report", "p.html", "--open")
    assert result.exit_code == 0, result.stderr
    assert opened == [Path("p.html").resolve().as_uri()]
    assert "--open opens the page" in run("explain", "t.csv", *ORDER, "--open").stderr
    page = Path("p.html").read_text(encoding="utf-8")
    assert "(p\u00a0&lt;\u00a0.05)" in page
    assert "<script" not in page and "<west>" not in page and "&lt;west&gt;" in page
    pictures = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"', page)
    assert len(pictures) == 4 and all("times as high" in text for text in pictures)
    assert ".forest th.name { white-space: normal; overflow-wrap: break-word; }" in page
    places = [float(x) for x in re.findall(r' x[12]="([^"]+)"', page)]
    assert places and all(0.0 <= x <= 1.0 for x in places)
    assert "csvor explain t.csv --target grade --classes poor,fair,good --report p.html" in page


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            {"twice": lambda t: 2 * t["hours"]},
            (),
            r"'twice' is a sum of multiples of 'hours'.*--drop twice.*--penalty 1\.",
        ),
        (
            {"sure": lambda t: t["grade"].map({"poor": 0, "fair": 1, "good": 2}) + t["hours"] / 99},
            ("--drop", "hours"),
            r"'sure' separates classes without an exception.*--penalty 1\.",
        ),
        (
            {
                "a": lambda t: t["income"],
                "b": lambda t: t["hours"] / 99 + 9e3 * t["grade"].factorize()[0] - t["income"],
                "grade": lambda t: np.where(t["grade"] == "poor", "poor", "good"),
            },
            ("--classes", "poor,good", "--drop", "income", "--drop", "hours"),
            r"columns 'a' and 'b' separate classes.*: no .*Leave one out \(--drop a\), merge clas"
            r"ses or levels, or give a ridge, such as --penalty 1\.",
        ),
        (
            {"night": lambda t: (t["hours"] > 5) * 1},
            (
                "--drop",
                "hours",
                "--drop",
                "income",
                "--drop",
                "school",
                "--nominal",
                "night",
                "--scale",
                "night",
            ),
            r"'night' has effects that cannot be.*out of --nominal or --scale, .*--penalty 1\.",
        ),
        ({}, ("--classes", "poor,fair,good,best"), "no rows of class 'best'.*--classes"),
        ({}, ("--nominal", "hour"), "--nominal hour: no column of the regression; did you mean 'h"),
        ({}, ("--base", "school:east"), "--base school:east: this column has no such level"),
        ({}, ("--base", "hours:1"), "--base hours:1: must begin with a column of words"),
        ({}, ("--per", "hours:0"), "--per hours:0: must be COL:UNITS with a number"),
        ({}, ("--per", "hours"), "--per hours: give the units too, such as hours:10"),
        ({}, ("--base", "school"), "--base school: give the level too, such as school:LEVEL"),
        ({}, ("--scale", "grade"), "--scale grade: this is the target"),
        ({}, ("--level", "95"), "--level 95: must be a number between 0 and 1, such as 0.95"),
        ({}, ("--wrong", "any"), "--wrong and --no-wrong both say which labels may be wrong"),
        ({}, ("--wrong", "2"), "--wrong 2: must be auto, any, beside, or a share"),
    ],
)
def test_faults(change: dict[str, Any], options: tuple[str, ...], message: str) -> None:
    pupils(120).assign(**change).to_csv("t.csv", index=False)
    result = run("explain", "t.csv", *ORDER, "--no-wrong", *options)
    used_wrongly = bool(options) and options[0] not in ("--drop", "--classes")
    assert result.exit_code == (2 if used_wrongly else 1)
    assert re.search(message, result.stderr), result.stderr
    assert result.stderr.count("csvor: error:") == 1


def test_fewer_rows_than_columns() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(8, 9)).round(3), columns=list("abcdefghi"))
    table.assign(grade=[*WORDS, *WORDS, "poor", "good"]).to_csv("few.csv", index=False)
    result = run("explain", "few.csv", *ORDER)
    assert result.exit_code == 1
    assert "there are 8 rows and 9 columns" in result.stderr
    assert run("explain", "few.csv", *ORDER, "--penalty", 1, "--no-wrong").exit_code == 0
