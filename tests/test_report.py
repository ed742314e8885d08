"""Reports of small studies: what their tables, sentences and pages say."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from io import StringIO
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from csvor.report import compare_published, published_results, write_report
from csvor.report.study import _pictures
from csvor.report.study._comparisons import rank_levels
from csvor.report.study._results import check_results

COLUMNS = ["dataset", "level", "split", "method", "status", "mze"]
VOID = {"meta", "img", "link", "br", "hr", "input"}


def cells(errors, *, datasets=("tae",), levels=(0,)):
    """Results in which each method has the given errors, one per split, everywhere."""
    return pd.DataFrame(
        [
            (dataset, level, split, method, "ok", error)
            for dataset in datasets
            for level in levels
            for method, values in errors.items()
            for split, error in enumerate(values)
        ],
        columns=COLUMNS,
    )


def study():
    """Six data sets of which one is new, two levels, three methods of which one is new."""
    rng = np.random.default_rng(0)
    names = ["tae", "newthyroid", "machine", "stock", "bank", "own_set"]
    base = {"CSVOR": 0.2, "POM": 0.3, "NEW": 0.4}
    results = cells({name: [0.0] * 3 for name in base}, datasets=names, levels=(0, 20))
    results["mze"] = results.method.map(base) + 0.001 * results.level
    results["mze"] += rng.uniform(0.0, 0.05, len(results)).round(3)
    results["mae"] = 1.5 * results.mze
    found = (results.method == "CSVOR") & (results.level > 0)
    for name, value in (("precision", 0.5), ("recall", 0.75), ("auc", 0.875)):
        results[name] = np.where(found, value, np.nan)
    results["seconds"] = 2.0
    results["error"] = ""
    return results


EXPERIMENTS = {
    "sensitivity": {"tae": pd.DataFrame([[0.3, 0.2]], index=[1.0], columns=[0.1, 1.0])},
    "convergence": {"tae": [3.0, 2.0, 1.5]},
    "settled_from": {"tae": 1},
    "projections": {
        "Three/classes": {"X": np.eye(2), "y": [1, 2], "directions": {"CSVOR": [1.0, 1.0]}}
    },
    "occlusion": {
        "images": np.zeros((2, 4, 4)),
        "occluded": [True, False],
        "flagged": [True, False],
    },
}


def report(results, folder, **options):
    options.setdefault("pictures", False)
    write_report(results, folder, **options)
    return folder


def text(folder, name="report.md"):
    return (folder / name).read_text(encoding="utf-8")


def section(folder, title):
    """The sentences and tables of one section of the Markdown page, unescaped."""
    page = text(folder).split("\n## ")
    (found,) = (part for part in page if part.startswith(title + "\n"))
    return found.replace("\\", "")


def table(folder, name):
    """The rows of a Markdown table, by their first cell or cells."""
    lines = [line for line in text(folder, f"tables/{name}.md").splitlines() if line[:1] == "|"]
    rows = [[c.strip().replace("\\", "") for c in line.strip("|").split(" |")] for line in lines]
    return pd.DataFrame(rows[2:], columns=rows[0])


class Page(HTMLParser):
    """Refuses tags that are not closed in order; keeps what an outside reader would load."""

    def __init__(self, html):
        super().__init__()
        self.open, self.links, self.alts, self.ids, self.count = [], [], [], [], {}
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.count[tag] = self.count.get(tag, 0) + 1
        self.links += [given[name] for name in ("src", "href") if name in given]
        self.alts += [given.get("alt")] if tag == "img" else []
        self.ids += [given["id"]] if "id" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A report with everything in it."""
    folder = tmp_path_factory.mktemp("report")
    write_report(study(), folder, experiments=EXPERIMENTS)
    return folder


# The page.


def test_the_page_needs_no_other_file_and_begins_with_the_summary(whole):
    html = text(whole, "report.html")
    page = Page(html)
    assert all(link.startswith(("#", "data:image/svg+xml;base64,")) for link in page.links)
    assert not re.search(r"@import|url\(|<script|https?:", html)
    assert page.count["h1"] == 1
    assert html.index("<h2>Summary</h2>") == html.index("<h2>")
    assert "prefers-color-scheme: dark" in html
    assert all(page.alts)
    assert len(set(page.ids)) == len(page.ids)
    targets = {link[1:] for link in page.links if link[0] == "#"}
    assert targets <= set(page.ids)
    assert len(targets) == 8


def test_each_table_and_picture_of_the_page_is_a_file(whole):
    page = Page(text(whole, "report.html"))
    for name in (i.removeprefix("table-") for i in page.ids if i.startswith("table-")):
        for suffix in ("md", "tex", "csv"):
            assert (whole / "tables" / f"{name}.{suffix}").stat().st_size > 0
        numbers = pd.read_csv(whole / "tables" / f"{name}.csv")
        assert len(numbers) > 0 or name == "published_cells"
    names = [i.removeprefix("picture-") for i in page.ids if i.startswith("picture-")]
    assert {"ranks_mze_0", "ranks_mze_20", "losses", "sensitivity", "occlusion"} <= set(names)
    assert "projection_Three_classes" in names
    for name in names:
        ElementTree.parse(whole / "figures" / f"{name}.svg")
        assert (whole / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert f"figures/{name}.svg" in text(whole)
    assert not list(whole.rglob("*.part"))
    assert len(names) == len(list((whole / "figures").glob("*.svg")))


def test_new_methods_and_data_sets_are_in_all_tables(whole):
    for name in ("ranks_mze", "mean_mze", "ranks_mae", "pairs_mze", "further_mze", "labels_mze"):
        assert "NEW" in table(whole, name).columns, name
    assert set(table(whole, "further_mze")["data set"]) == {"own_set"}
    assert set(table(whole, "labels_mze")["data set"]) == {"tae", "newthyroid"}
    assert set(table(whole, "features_mze")["data set"]) == {"machine", "stock", "bank"}
    assert "NEW" in set(table(whole, "times").method)
    assert "own_set" in set(table(whole, "detection_dataset_level_CSVOR")["data set"])
    # It has no published values, and is not said to have.
    assert set(table(whole, "published_agreement").method) == {"CSVOR", "POM"}


def test_the_same_results_give_the_same_bytes_and_stay_as_they_are(tmp_path):
    results = study()[lambda t: (t.dataset == "tae") & (t.level == 20)]
    before = results.copy()
    one = report(results, tmp_path / "a", pictures=True)
    two = report(results, tmp_path / "b", pictures=True)
    files = sorted(path.relative_to(one) for path in one.rglob("*.*"))
    assert len(files) > 30
    for name in files:
        assert (one / name).read_bytes() == (two / name).read_bytes(), name
    pd.testing.assert_frame_equal(results, before)


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    report(cells({"CSVOR": [0.1], "POM": [0.2]}), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("csvor._utils.atomic_files.os.replace", fail)
    with pytest.raises(OSError, match="no space"):
        report(cells({"CSVOR": [0.3], "POM": [0.2]}), tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before


def test_names_are_text_in_every_format(tmp_path):
    evil = "<b>a|b & 50_%$</b>"
    results = cells({"CSVOR": [0.1, 0.2], evil: [0.3, 0.4]}, datasets=["x_1/../y"])
    results.loc[results.method == evil, ["status", "mze"]] = "failed", np.nan
    results["error"] = np.where(results.status == "failed", "<i>*no* {x} \\y", "")
    report(results, tmp_path)
    html = text(tmp_path, "report.html")
    Page(html)
    assert "<b>" not in html
    assert "<i>" not in html
    assert evil in table(tmp_path, "further_mze").columns
    tex = text(tmp_path, "tables/failures.tex")
    assert r"$<$b$>$a$|$b \& 50\_\%\$$<$/b$>$" in tex
    assert r"*no* \{x\} \textbackslash{}y" in tex
    assert {path.parent for path in tmp_path.rglob("*.*")} == {tmp_path, tmp_path / "tables"}


def test_methods_whose_names_make_one_file_name_keep_two_files(tmp_path):
    results = cells({"A b": [0.1], "A/b": [0.2]}).assign(auc=0.7, level=20)
    report(results, tmp_path)
    names = {p.stem for p in (tmp_path / "tables").glob("detection_level_*.csv")}
    assert names == {"detection_level_A_b", "detection_level_A_b_2"}


# Results.


def test_means_deviations_and_marks_by_hand(tmp_path):
    # 0.1, 0.2, 0.3: mean 0.2, deviations -0.1, 0, 0.1: variance 0.02 / 2, std 0.1.
    errors = {"CSVOR": [0.1, 0.2, 0.3], "POM": [0.4, 0.4, 0.4], "KDLOR": [0.3, 0.3, 0.3]}
    report(cells(errors), tmp_path)
    row = table(tmp_path, "labels_mze").iloc[0].to_dict()
    assert row == {
        "data set": "tae",
        "%": "0",
        "CSVOR": "**0.200 ± 0.100**",
        "POM": "0.400 ± 0.000",
        "KDLOR": "<u>0.300 ± 0.000</u>",
    }
    tex = text(tmp_path, "tables/labels_mze.tex")
    for part in (r"\textbf{0.200 $\pm$ 0.100}", r"\underline{0.300 $\pm$ 0.000}", r"\toprule"):
        assert part in tex
    assert r"tae & 0 & \textbf" in tex
    assert '<td class="best"><strong>0.200 ± 0.100</strong></td>' in text(tmp_path, "report.html")
    numbers = pd.read_csv(tmp_path / "tables" / "labels_mze.csv").set_index("method")
    assert numbers.loc["CSVOR", ["mean", "std"]].tolist() == pytest.approx([0.2, 0.1])
    assert numbers["n"].tolist() == [3, 3, 3]


def test_figures_that_print_alike_are_marked_alike(tmp_path):
    # 0.2001 and 0.1999 both print as 0.200: two are best, and none is second.
    report(cells({"CSVOR": [0.2001], "POM": [0.1999], "KDLOR": [0.3]}), tmp_path)
    row = table(tmp_path, "labels_mze").iloc[0]
    assert row[["CSVOR", "POM", "KDLOR"]].tolist() == ["**0.200**", "**0.200**", "0.300"]


def test_one_split_has_no_deviation(tmp_path):
    report(cells({"CSVOR": [0.1], "POM": [0.2]}), tmp_path)
    assert "±" not in "".join(table(tmp_path, "labels_mze").iloc[0])
    assert "mean of one split has no standard deviation" in text(tmp_path, "tables/labels_mze.md")
    numbers = pd.read_csv(tmp_path / "tables" / "labels_mze.csv")
    assert numbers["std"].isna().all()
    assert "Where there is one split, nothing says how far chance goes." in section(
        tmp_path, "Summary"
    )


def test_missing_and_failed_cells_are_said_to_be_so(tmp_path):
    errors = {"CSVOR": [0.1, 0.2, 0.3], "POM": [0.4, 0.4, 0.4], "KDLOR": [0.3, 0.3, 0.3]}
    results = cells(errors, datasets=["tae", "stock"], levels=(0, 20))
    at = results.set_index(["dataset", "level", "method"]).index
    failed = (at == ("tae", 20, "POM")) & (results.split > 0)
    whole_failed = at == ("stock", 0, "POM")
    for rows, message in ((failed, "ValueError: singular"), (whole_failed, "MemoryError")):
        results.loc[rows, ["status", "mze"]] = "failed", np.nan
        results.loc[rows, "error"] = message
    results = results[
        (at != ("tae", 0, "KDLOR")) & ~((at == ("tae", 20, "KDLOR")) & results.split.eq(0))
    ]
    report(results, tmp_path, pictures=True)
    tae, stock = (table(tmp_path, f"{kind}_mze") for kind in ("labels", "features"))
    assert tae[["POM", "KDLOR"]].values.tolist() == [
        ["<u>0.400 ± 0.000</u>", "missing"],
        ["0.400 [1/3]", "<u>0.300 ± 0.000 [2/3]</u>"],
    ]
    assert stock["POM"].tolist() == ["failed [0/3]", "0.400 ± 0.000"]
    gaps = table(tmp_path, "gaps").set_index(["data set", "method"])
    assert gaps.loc[("tae", "POM")].tolist() == ["4", "2", "0", "6"]
    assert gaps.loc[("tae", "KDLOR")].tolist() == ["2", "0", "4", "6"]
    assert gaps.loc[("stock", "POM")].tolist() == ["3", "3", "0", "6"]
    assert len(gaps) == 3
    # N26: learner, data set, split and message of each cell that failed.
    listed = table(tmp_path, "failures")
    assert listed.iloc[0].tolist() == ["tae", "20", "1", "POM", "ValueError: singular"]
    assert len(listed) == 5
    summary = section(tmp_path, "Summary")
    assert "27 of 36 cells have a result, 5 failed, 4 were not run." in summary
    assert "Failed cells count for no mean: 5 of POM." in summary
    # Ranks are of the data sets that all have a result on, and say so.
    ranks = section(tmp_path, "Ranks and tests")
    assert "At 0 % left out, since a method has no result there: tae, stock." in ranks
    assert "no data set has a result of every method" in ranks
    assert table(tmp_path, "ranks_mze")["data sets"].tolist() == ["0", "2"]


def test_a_method_without_any_result_is_named_and_does_not_hide_the_others(tmp_path):
    results = cells({"CSVOR": [0.1], "POM": [0.2], "KDLOR": [0.3]}, datasets=["tae", "stock"])
    results.loc[results.method == "POM", ["status", "mze"]] = "failed", np.nan
    report(results, tmp_path)
    row = table(tmp_path, "ranks_mze").iloc[0]
    assert row[["CSVOR", "POM", "KDLOR", "data sets"]].tolist() == [
        "**1.00**",
        "–",
        "<u>2.00</u>",
        "2",
    ]
    assert "At 0 % without any result, and not ranked: POM." in section(tmp_path, "Ranks and tests")


def test_a_method_on_few_splits_is_ranked_on_those_that_all_share(tmp_path):
    """NEW is worse than CSVOR on each split that both met, but met the easy ones only."""
    sets = ["tae", "stock", "bank", "machine", "housing", "own"]
    easy = [0.1, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    errors = {"CSVOR": easy, "POM": [e + 0.1 for e in easy], "NEW": [0.12, 0.12]}
    folder = report(cells(errors, datasets=sets), tmp_path)
    ranks, shared = (
        pd.read_csv(folder / "tables" / f"{name}.csv").iloc[0]
        for name in ("ranks_mze", "ranks_shared_mze")
    )
    assert (ranks["CSVOR"], ranks["POM"]) == (1.0, 2.0)
    assert "NEW" not in ranks.index
    assert (shared["CSVOR"], shared["NEW"], shared["POM"]) == (1.0, 2.0, 3.0)
    assert "CSVOR has the best average rank" in text(folder)
    assert "NEW met less than half of the splits" in section(folder, "Summary")


@pytest.mark.parametrize("results", [cells({"CSVOR": [0.3]}), cells({"OTHER": [0.3, 0.4]})])
def test_one_method_alone_is_reported(tmp_path, results):
    report(results, tmp_path, pictures=len(results) == 1)
    assert "There are no two methods with results to compare." in section(tmp_path, "Summary")
    assert "0.3" in table(tmp_path, "labels_mze").iloc[0, 2]


def test_mae_is_reported_where_there_is_one(tmp_path, whole):
    assert table(whole, "labels_mae").shape == table(whole, "labels_mze").shape
    numbers = pd.read_csv(whole / "tables" / "labels_mae.csv")
    halves = pd.read_csv(whole / "tables" / "labels_mze.csv")
    np.testing.assert_allclose(numbers["mean"], 1.5 * halves["mean"])
    report(cells({"CSVOR": [0.1], "POM": [0.2]}), tmp_path)
    assert not (tmp_path / "tables" / "labels_mae.md").exists()


def test_n48_a_measure_of_ones_own_has_means_ranks_and_tests(tmp_path):
    results = levels({0: {"CSVOR": 0.1, "POM": 0.2, "KDLOR": 0.3}})
    results["gain"] = 1 - results.mze
    folder = report(results, tmp_path, measures={"gain": "higher"})
    ranks = table(folder, "ranks_gain").iloc[0]
    assert ranks[["CSVOR", "POM", "KDLOR"]].tolist() == ["**1.00**", "<u>2.00</u>", "3.00"]
    assert table(folder, "tests_gain").iloc[0]["test"] == "friedman"
    means = table(folder, "labels_gain")
    assert means["CSVOR"].tolist() == ["**0.900**"]
    assert "highest bold" in text(folder, "tables/labels_gain.md")
    assert "gain: higher is better." in section(folder, "Further measures")
    assert "failed" not in section(folder, "Further measures")


def test_n48_a_method_that_a_measure_failed_for_is_in_no_rank_of_it(tmp_path):
    """POM would be the best by the cells that are left."""
    results = levels({0: {"CSVOR": 0.1, "POM": 0.2, "KDLOR": 0.3}})
    results["cost"] = results.mze
    bad = (results.method == "POM") & (results.dataset != "stock")
    results.loc[results.method == "POM", "cost"] = 0.0
    results["cost_error"] = np.where(bad, "ValueError: no cost", "")
    results.loc[bad, "cost"] = np.nan
    folder = report(results, tmp_path, measures={"cost": "lower"})
    ranks = table(folder, "ranks_cost")
    assert "POM" not in ranks.columns
    assert ranks.iloc[0][["CSVOR", "KDLOR"]].tolist() == ["**1.00**", "<u>2.00</u>"]
    told = section(folder, "Further measures")
    assert told.count("cost failed for POM in 5 cells, and it is in no rank of it: ValueErr") == 1
    assert table(folder, "labels_cost")["POM"].tolist() == ["failed [0/1]"]
    stock = table(folder, "features_cost").set_index("data set")["POM"]["stock"]
    assert stock == "0.000", "and no best mean"
    # By the errors of every study it is ranked.
    assert table(folder, "ranks_mze").iloc[0]["POM"] == "<u>2.00</u>"


@pytest.mark.parametrize(
    ("measures", "complaint"),
    [
        ({"gain": "higher"}, "results lack the column gain"),
        ({"mae": "lower"}, "measures: mae is a column of every study"),
        ({"mze2": "more"}, "measures: mze2 must be better lower or higher, got 'more'"),
    ],
)
def test_wrong_measures_are_refused(tmp_path, measures, complaint):
    results = cells({"CSVOR": [0.1], "POM": [0.2]}).assign(mze2=0.1)
    with pytest.raises(ValueError, match=complaint):
        write_report(results, tmp_path / "out", measures=measures, pictures=False)


def test_a_column_can_say_what_was_corrupted(tmp_path):
    results = cells({"CSVOR": [0.1], "POM": [0.2]}, datasets=["mine", "tae"])
    results["corruption"] = np.where(results.dataset == "mine", "features", "labels")
    report(results, tmp_path)
    assert table(tmp_path, "features_mze")["data set"].tolist() == ["mine"]
    results["corruption"] = "nonsense"
    with pytest.raises(ValueError, match="corruption of mine is nonsense; it must be one of lab"):
        report(results, tmp_path)


# Ranks and sentences.


def levels(errors_by_level, datasets=("tae", "stock", "bank", "machine", "housing", "own")):
    parts = [
        cells({m: [e] for m, e in errors.items()}, datasets=datasets, levels=(level,))
        for level, errors in errors_by_level.items()
    ]
    return pd.concat(parts, ignore_index=True)


def test_where_the_best_rank_is_not_csvors_the_summary_says_so(tmp_path):
    results = levels(
        {
            0: {"CSVOR": 0.2, "POM": 0.1, "KDLOR": 0.3},
            5: {"CSVOR": 0.2, "POM": 0.2, "KDLOR": 0.3},
            20: {"CSVOR": 0.2, "POM": 0.3, "KDLOR": 0.4},
        }
    )
    summary = section(report(results, tmp_path), "Summary")
    assert "CSVOR has the best average rank at 1 of 3 levels: 20 %." in summary
    assert "At 0 % the best average rank is not CSVOR's: POM 1.00, CSVOR 2.00." in summary
    assert "At 5 % CSVOR shares the best average rank, 1.50, with POM." in summary
    assert "from 0 to 20 %: CSVOR from 0.200 to 0.200 and POM from 0.100 to 0.300" in summary
    assert "(POM is the best other at 20 %)" in summary
    assert "That methods differ is shown at 3 of 3 levels, by tests at 5 %." in summary
    # CD for 3 methods on 6 sets is 1.353: POM is 1 away from CSVOR, KDLOR 2.
    assert "At 20 % CSVOR is told apart from KDLOR and not told apart from POM" in summary


def rank_pictures_of(results):
    """The rank diagrams of a report, and its curves by level."""
    checked = check_results(results)
    pictures = _pictures.rank_pictures(rank_levels(checked, "mze"), "mze")
    return pictures, _pictures.level_pictures(checked, "mze", "CSVOR")


def test_n49_captions_of_rank_diagrams_name_test_and_groups():
    errors = {"CSVOR": 0.1, "POM": 0.2, "KDLOR": 0.3}
    results = levels({0: errors, 5: {"CSVOR": 0.1, "POM": 0.1}})
    first, second = (picture.caption for picture in rank_pictures_of(results)[0])
    what = "corrupted: average ranks by mean zero-one error. Not told apart (Nemenyi, 5 %):"
    assert first == f"0 % {what} CSVOR = POM; POM = KDLOR."
    assert second == f"5 % {what} CSVOR = POM. No test shows a difference here."


@pytest.mark.filterwarnings("error::UserWarning")  # of axes that collapse to nothing
def test_n49_twenty_methods_with_names_of_forty_letters_are_drawn():
    names = [f"{j:02d} {'proportional odds and hinge losses too'}"[:40] for j in range(20)]
    errors = {name: 0.3 + 0.01 * j for j, name in enumerate(names)}
    ranks, curves = rank_pictures_of(levels({0: errors, 20: errors}))
    root = ElementTree.fromstring(ranks[0].svg)
    width, height = (float(root.get(side).removesuffix("pt")) / 72 for side in ("width", "height"))
    assert 11 < width < 14
    assert 3 < height < 5
    assert ranks[0].wide
    assert curves[0].svg


def test_csvor_that_never_leads_is_not_praised(tmp_path):
    results = levels({0: {"CSVOR": 0.3, "POM": 0.1}, 20: {"CSVOR": 0.3, "POM": 0.1}})
    summary = section(report(results, tmp_path), "Summary")
    assert "CSVOR has the best average rank, alone, at none of 2 levels." in summary
    assert summary.count("the best average rank is not CSVOR's: POM 1.00, CSVOR 2.00") == 2


def test_another_method_can_be_in_focus_or_none(tmp_path):
    results = levels({0: {"POM": 0.1, "KDLOR": 0.2}})
    summary = section(report(results, tmp_path / "none"), "Summary")
    assert "At 0 % the best average rank is POM's: 1.00." in summary
    summary = section(report(results, tmp_path / "focus", focus="KDLOR"), "Summary")
    assert "KDLOR has the best average rank, alone, at none of 1 level." in summary
    # Two methods: Wilcoxon, 2 of 2^6 patterns.
    tests = table(tmp_path / "focus", "tests_mze").iloc[0]
    assert tests[["data sets", "test", "p", "CD"]].tolist() == ["6", "wilcoxon", "0.031", "–"]
    assert table(tmp_path / "focus", "pairs_mze")["POM"].tolist() == ["**0.031**"]


def test_few_data_sets_and_equal_methods_are_said(tmp_path):
    same = {"CSVOR": 0.2, "POM": 0.2, "KDLOR": 0.2}
    summary = section(report(levels({0: same}), tmp_path / "same"), "Summary")
    assert "At 0 %: no difference measurable: all methods tie on every case." in summary
    few = levels({0: {"CSVOR": 0.1, "POM": 0.2}}, datasets=["tae", "stock", "bank"])
    folder = report(few, tmp_path / "few")
    assert "At 0 %: too few for a test: 3 of at least 5 cases" in section(folder, "Summary")
    assert table(folder, "ranks_mze").iloc[0, 1:3].tolist() == ["**1.00**", "<u>2.00</u>"]
    assert table(folder, "tests_mze").iloc[0]["test"] == "none"


def test_detection_counts_each_data_set_alike(tmp_path, whole):
    found = table(whole, "detection_level_CSVOR")
    assert found.values.tolist() == [["20", "0.50", "0.75", "0.88"]]
    assert not list((whole / "tables").glob("detection*POM*"))
    assert "a precision of 0.50 and a recall of 0.75, its residuals an AUC of 0.88" in section(
        whole, "Summary"
    )
    results = cells({"CSVOR": [0.1] * 4}, datasets=["tae"], levels=(20,)).assign(auc=1.0)
    more = cells({"CSVOR": [0.1]}, datasets=["stock"], levels=(20,)).assign(auc=0.5)
    report(pd.concat([results, more]), tmp_path)
    assert table(tmp_path, "detection_level_CSVOR")["AUC"].tolist() == ["0.75"]


def test_times_are_added_up(whole):
    row = table(whole, "times").set_index("method").loc["CSVOR"]
    assert row.tolist() == ["36", "72", "2", "2"]


# Beside the published results.


def as_results(published):
    return pd.DataFrame(
        {
            "dataset": published.dataset,
            "level": published.level,
            "split": 0,
            "method": published.method,
            "status": "ok",
            "mze": published.mze_mean,
        }
    )


def test_the_published_values_are_those_of_the_paper():
    published = published_results()
    assert list(published.columns) == [
        *("dataset", "level", "method", "mze_mean", "mze_std", "n_splits")
    ]
    assert len(published) == 10 * 6 * 7
    assert not published.duplicated(["dataset", "level", "method"]).any()
    assert sorted(published.level.unique()) == [0, 1, 5, 10, 15, 20]
    assert published.groupby("n_splits").dataset.nunique().to_dict() == {20: 6, 30: 4}
    assert published.mze_mean.between(0, 1).all()
    row = published.query("dataset == 'contact_lenses' and level == 0 and method == 'CSVOR'")
    assert row[["mze_mean", "mze_std"]].to_numpy().tolist() == [[0.222, 0.126]]


def test_published_average_ranks_come_out_as_published(tmp_path):
    # The paper's average ranks of CSVOR, and of the next best at each level.
    report(as_results(published_results()), tmp_path)
    ranks = pd.read_csv(tmp_path / "tables" / "ranks_mze.csv").set_index("level")
    assert ranks.CSVOR.tolist() == pytest.approx([2.35, 1.85, 1.35, 1.30, 1.10, 1.25])
    assert ranks.SVOREX.head(4).tolist() == pytest.approx([3.30, 2.75, 2.55, 3.10])
    assert ranks.PINSVOR.tail(2).tolist() == pytest.approx([2.75, 2.35])
    summary = section(tmp_path, "Summary")
    assert "CSVOR has the best average rank at 6 of 6 levels." in summary
    assert "420 of 420 cells agree with the published mean" in summary
    assert table(tmp_path, "published_cells").empty


def test_the_criterion_by_hand():
    # tae, 0 %, CSVOR: 0.432 with 0.058 over 30 splits. Ours: 0.5, 0.6: mean 0.55 and
    # std 0.1/sqrt(2); error sqrt(0.005/2 + 0.058^2/30) = 0.05111; allowed 2 * 0.05111 + 0.03.
    allowed = 2 * (0.005 / 2 + 0.058**2 / 30) ** 0.5 + 0.03
    row = compare_published(cells({"CSVOR": [0.5, 0.6], "MINE": [0.1, 0.1]})).iloc[0]
    assert row.published == 0.432
    assert row.allowed == pytest.approx(allowed)
    assert row.difference == pytest.approx(0.118)
    assert row.within  # 0.118 < 0.132
    # A single split: the published 0.058 stands in for ours.
    single = 2 * (0.058**2 + 0.058**2 / 30) ** 0.5 + 0.03
    for sign in (-1, 1):
        for factor, within in ((0.999, True), (1.001, False)):
            error = 0.432 + sign * factor * single
            found = compare_published(cells({"CSVOR": [error]}))
            assert found.within.tolist() == [within]
            assert found.allowed.tolist() == pytest.approx([single])


def test_every_cell_that_does_not_agree_is_listed(tmp_path):
    results = as_results(published_results())
    off = {("tae", 5, "POM"): -0.4, ("bank", 20, "CSVOR"): 0.35, ("stock", 0, "POM"): 0.3}
    at = results.set_index(["dataset", "level", "method"]).index
    for cell, shift in off.items():
        results.loc[at == cell, "mze"] += shift
    report(results, tmp_path)
    listed = table(tmp_path, "published_cells")
    keys = {(d, int(level), m) for d, level, m in listed.iloc[:, :3].values.tolist()}
    assert keys == set(off)
    agreement = table(tmp_path, "published_agreement").set_index("method")
    assert agreement.loc["POM"].tolist() == ["60", "58", "97%"]
    assert agreement.loc["SVOREX"].tolist() == ["60", "60", "100%"]
    said = section(tmp_path, "Beside the published results")
    assert "417 of 420 cells agree with the published mean" in said
    assert "CSVOR 59 of 60" in said
    assert "of the 3 that do not, ours is lower in 1 and higher in 2" in said
    compared = pd.read_csv(tmp_path / "tables" / "published_cells.csv")
    assert len(compared) == 420
    assert "arXiv 2404.16616" in text(tmp_path, "tables/published_agreement.md")


def test_without_published_cells_nothing_is_compared(tmp_path):
    report(cells({"A": [0.1], "B": [0.2]}), tmp_path)
    assert "None of these cells has a published value" in section(
        tmp_path, "Beside the published results"
    )
    assert not (tmp_path / "tables" / "published_cells.md").exists()


# Refusals.


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda t: t.drop(columns=["mze", "split"]), "results lack the column split, mze"),
        (lambda t: t.head(0), "results have no rows"),
        (lambda t: pd.concat([t, t.tail(1)]), r"row 2 \(.*method POM\): this cell is there twice"),
        (lambda t: t.assign(status="done"), r"row 0 .*status must be 'ok' or 'failed'"),
        (lambda t: t.assign(mze=[0.1, np.nan]), "row 1 .*status is ok, but mze is missing"),
        (lambda t: t.assign(mze=["0.1", "much"]), "row 1 .*mze is no number"),
        (lambda t: t.assign(level=[0, 2.5]), "row 1 .*level is no whole number"),
        (lambda t: t.assign(method=["A", None]), "row 1 .*method is missing"),
    ],
)
def test_results_that_are_none_are_refused(tmp_path, change, complaint):
    results = change(cells({"CSVOR": [0.1], "POM": [0.2]}))
    with pytest.raises(ValueError, match=complaint):
        write_report(results, tmp_path / "out", pictures=False)
    assert not (tmp_path / "out").exists()


def test_wrong_arguments_are_named(tmp_path):
    with pytest.raises(TypeError, match="results must be a pandas DataFrame, not list"):
        write_report([], tmp_path)
    with pytest.raises(ValueError, match="no experiment 'speed'; those known are sensitivity"):
        write_report(cells({"A": [0.1]}), tmp_path, experiments={"speed": {}})


def test_order_of_rows_extra_columns_and_categories_do_not_matter(tmp_path):
    results = study()
    shuffled = results.sample(frac=1.0, random_state=1).assign(C=1.0, note="x")
    first = results.drop_duplicates("method").method.tolist()
    shuffled["method"] = pd.Categorical(shuffled.method, categories=first)
    shuffled = shuffled.sort_values(["method", "dataset", "split"], kind="stable")
    for name, table_ in (("a", results), ("b", shuffled)):
        report(table_, tmp_path / name)
    one, two = (pd.read_csv(tmp_path / n / "tables" / "mean_mze.csv") for n in "ab")
    pd.testing.assert_frame_equal(one, two)


def test_without_matplotlib_the_tables_can_be_had(tmp_path):
    code = f"""
import sys; sys.modules["matplotlib"] = None
import pandas as pd
from csvor.report import write_report
results = pd.DataFrame([("tae", 0, 0, "A", "ok", 0.1)], columns={COLUMNS})
write_report(results, {str(tmp_path / "tables_only")!r}, pictures=False)
write_report(results, {str(tmp_path / "refused")!r})
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 1
    assert "pip install 'csvor[plots]'" in found.stderr
    assert (tmp_path / "tables_only" / "report.html").exists()
    assert "Pictures were left out on request." in text(tmp_path / "tables_only")
    assert not (tmp_path / "refused").exists()


def test_csv_files_hold_numbers(whole):
    for path in (whole / "tables").glob("*.csv"):
        content = path.read_text(encoding="utf-8")
        assert pd.read_csv(StringIO(content)).shape[1] == content.split("\n")[0].count(",") + 1
        assert "±" not in content
        assert "*" not in content
