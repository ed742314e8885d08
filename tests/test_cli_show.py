"""What fit and show tell of a model, and model files of other versions (cases N44 and N50)."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
import sklearn.base
from rich.console import Console
from typer.testing import CliRunner, Result

import csvor
from csvor._utils import version
from csvor.cli import _record
from csvor.cli._score import MOST_LINES, print_coefficients, score_facts
from csvor.cli.commands._app import app
from write_model_file import FOLDER, ROWS, rows, write


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


def loaded(*args: object) -> dict[str, Any]:
    result = run(*args, "--json")
    assert result.exit_code == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def graded(n: int = 90) -> pd.DataFrame:
    """Two numbers, of which b counts twice as much and against a, and two columns of words."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.normal(30, 4, n), "b": rng.normal(0, 0.1, n)}).round(3)
    frame["town"] = rng.choice(["n", "s", "w"], n)
    frame["wet"] = rng.choice(["yes", "no"], n)
    score = (frame["a"] - 30) / 4 - 20 * frame["b"] + 1.5 * (frame["town"] == "s")
    words = np.array(["poor", "fair", "good"])
    frame["rank"] = words[np.digitize(score, [-0.5, 1.5])]
    return frame


FIT = ("fit", "t.csv", "--target", "rank", "--classes", "poor,fair,good", "--model", "m.skops")


@pytest.mark.parametrize("options", [(), ("--impute", "--clip", "2"), ("--C", "0.01")])
def test_n44_the_score_can_be_added_up_from_what_fit_says(options: tuple[str, ...]) -> None:
    frame = graded()
    if options:
        frame.loc[2, "a"] = np.nan if "--impute" in options else 90.0
    frame.to_csv("t.csv", index=False)
    found = loaded(*FIT, *options)
    limits = {one["column"]: one for one in found["encodings"]}
    score = np.zeros(len(frame))
    for part in found["coefficients"]:
        column = frame[part["column"]]
        if "level" in part:
            score += part["coefficient"] * (column == part["level"])
            assert part["level"] in limits[part["column"]]["levels"]
        else:
            limit = limits[part["column"]]
            column = column.fillna(limit.get("median", np.nan))
            column = column.clip(limit.get("lower"), limit.get("upper"))
            score += part["coefficient"] * (column - part["mean"]) / part["scale"]
    answers = run("predict", "t.csv", "--model", "m.skops", "--score").stdout
    rows = list(csv.DictReader(io.StringIO(answers)))
    np.testing.assert_allclose([float(row["score"]) for row in rows], score, rtol=1e-9, atol=1e-9)
    cuts = found["thresholds"]
    assert [(cut["below"], cut["above"]) for cut in cuts] == [("poor", "fair"), ("fair", "good")]
    codes = sum((score >= cut["threshold"]).astype(int) for cut in cuts)
    words = np.array(["poor", "fair", "good"])[codes]
    assert [row["prediction"] for row in rows] == words.tolist()


def test_coefficients_stand_by_size_and_levels_by_their_column() -> None:
    graded().to_csv("t.csv", index=False)
    parts = loaded(*FIT)["coefficients"]
    assert [part["column"] for part in parts] == ["b", "a", *["town"] * 3, *["wet"] * 2]
    sizes = [abs(part["coefficient"]) for part in parts]
    assert sizes[0] > sizes[1] > sizes[2] > sizes[5]
    assert sizes[2] >= sizes[3] >= sizes[4]
    assert parts[0]["coefficient"] < 0 < parts[1]["coefficient"]
    assert parts[2]["level"] == "s" and parts[2]["coefficient"] > 0
    printed = run(*FIT).stdout
    table = [line.split() for line in printed.split("\n\n")[1].splitlines()]
    told = [part["level"] if "level" in part else part["column"] for part in parts]
    assert [line[0] for line in table] == [
        "column",
        *told[:2],
        "town",
        *told[2:5],
        "wet",
        *told[5:],
    ]
    shown = [float(line[1]) for line in table[1:] if len(line) == 2]
    np.testing.assert_allclose(shown, [part["coefficient"] for part in parts], atol=0.005)
    assert "+ is towards 'good'" in printed
    assert run("show", "m.skops").stdout.split("\n\n")[1] == printed.split("\n\n")[1]


def test_thresholds_are_told_with_the_labels_between_them() -> None:
    graded().to_csv("t.csv", index=False)
    first, second = (cut["threshold"] for cut in loaded(*FIT)["thresholds"])
    assert f"poor < {first:.2f} <= fair < {second:.2f} <= good\n" in run(*FIT).stdout


def test_a_class_without_rows_has_thresholds_as_well() -> None:
    graded().to_csv("t.csv", index=False)
    cuts = loaded(*FIT[:5], "worst,poor,fair,good", *FIT[6:])["thresholds"]
    assert [cut["below"] for cut in cuts] == ["worst", "poor", "fair"]
    assert np.isfinite([cut["threshold"] for cut in cuts]).all()
    assert run("show", "m.skops").exit_code == 0


def test_a_curve_has_no_coefficients_and_says_why() -> None:
    graded().to_csv("t.csv", index=False)
    found = loaded(*FIT, "--kernel", "rbf", "--components", 20)
    assert found["coefficients"] is None
    assert len(found["thresholds"]) == 2
    printed = " ".join(run("show", "m.skops").stdout.split())
    assert (
        "the rbf kernel bends it, so no column has a coefficient (--kernel linear has)" in printed
    )
    assert "rbf kernel (gamma scale) on 20 rows" in printed


def drawn(values: dict[str, float], **screen: Any) -> str:
    out = Console(file=io.StringIO(), width=80, highlight=False, markup=False, **screen)
    entries = [{"column": name, "coefficient": value} for name, value in values.items()]
    print_coefficients(out, entries)
    printed: str = out.file.getvalue()  # type: ignore[attr-defined]
    return printed


def test_bars_at_a_terminal_alone() -> None:
    values = {"a": 4.0, "b": -2.0, "c": 0.0}
    at_terminal = drawn(values, force_terminal=True, color_system=None)
    assert at_terminal.splitlines()[2:5] == [
        "a             +4.00  " + "█" * 20,
        "b             -2.00  " + "█" * 10,
        "c             +0.00",
    ]
    assert "█" not in drawn(values)
    coloured = drawn(values, force_terminal=True, color_system="standard")
    assert "\x1b[34m████" in coloured and "\x1b[31m████" in coloured
    assert "0.0000" not in drawn({"a": 0.0}) and "+0.00" in drawn({"a": 0.0})
    assert "+1234" in drawn({"a": 1234.4}) and "+0.00123" in drawn({"a": 0.001234})


def test_many_thresholds_are_cut_short() -> None:
    cuts = [{"below": k, "above": k + 1, "threshold": float(k)} for k in range(30)]
    (_, order), _ = score_facts({"thresholds": cuts, "coefficients": []})
    assert order.startswith("0 < 0.0 <= 1 < 1.0 <= 2 ")
    assert order.endswith("< 16.0 <= 17 ... < 28.0 <= 29 < 29.0 <= 30")


def test_many_coefficients_are_cut_short() -> None:
    many = drawn({f"x{i}": 1.0 / (i + 1) for i in range(MOST_LINES + 5)})
    assert many.count("\nx") == MOST_LINES
    assert many.endswith("and 5 smaller ones, which --json has\n\n")


def test_show_tells_what_is_in_the_file() -> None:
    write(Path())
    path = Path(f"model_{csvor.__version__}.skops")
    found = loaded("show", path)
    assert (found["command"], found["model"]) == ("show", str(path))
    assert found["written"].startswith("20") and found["written"].endswith("+00:00")
    assert found["versions"] == _record.versions()
    assert found["versions"]["csvor"] == csvor.__version__
    assert found["versions"]["scikit-learn"] == sklearn.__version__
    assert found["versions"]["numpy"] == np.__version__
    assert found["method"] == "CSVOR"
    assert [one["label"] for one in found["classes"]] == ["poor", "fair", "good"]
    assert found["data"] == {
        **{"file": "model_rows.csv", "rows": 40, "used": 39},
        "left_out": {"99": 1},
    }
    assert found["missing_labels"] == ["99"]
    assert found["columns"]["numeric"] == ["load", "age"]
    assert found["columns"]["constant"] == ["one"]
    assert found["preparation"]["categorical"] == {"road": ["", "city", "hill", "sea"]}
    assert (found["parameters"]["C"], found["fit"]["C"]) == (3.0, 3.0)
    assert found["parameters"]["classes"] == ["poor", "fair", "good"]
    assert 0 <= found["fit"]["contamination"] <= 0.5
    used = rows().query("grade != '99'")
    load, age, road = found["encodings"]
    assert load["median"] == used["load"].median() and age["median"] == used["age"].median()
    assert road == {"column": "road", "levels": ["", "city", "hill", "sea"]}
    assert "conflicts" not in found
    assert any("'one' has one value only" in note for note in found["notes"])

    printed = " ".join(run("show", path).stdout.split())
    year, clock = found["written"][:16].split("T")
    assert printed.startswith(
        f"Model file {path} Written {year} {clock} UTC by csvor {csvor.__version__}"
    )
    for told in (
        "model_rows.csv: 40 rows, 39 used; left out: 1 with label '99'",
        "grade: poor (15) < fair (19) < good (5)",
        "load, age (blanks filled, limited to 5 median deviations, standardised)",
        "C 3, p 1, contamination",
        "class weights poor:2",
        " (blank) ",
    ):
        assert told in printed, told


def test_show_runs_nothing_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write(Path())

    def refused(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("the pipeline was restored")

    monkeypatch.setattr("skops.io.loads", refused)
    path = f"model_{csvor.__version__}.skops"
    assert run("show", path).exit_code == 0
    assert run("show", path, "--json").exit_code == 0
    assert run("predict", ROWS.name, "--model", path).exit_code == 1


@pytest.mark.parametrize(
    ("name", "content", "status", "message"),
    [
        ("none.skops", None, 2, "none.skops: there is no such file; did you mean 'one.skops'?"),
        (".", None, 2, ".: this is a folder; name the file"),
        (
            "m.skops",
            b"a,b\n1,2\n",
            1,
            "m.skops: not a model that csvor fit wrote (File is not a zip",
        ),
    ],
)
def test_show_says_what_is_no_model(
    name: str, content: bytes | None, status: int, message: str
) -> None:
    Path("one.skops").touch()
    if content is not None:
        Path(name).write_bytes(content)
    for more in ([], ["--json"]):
        result = run("show", name, *more)
        assert (result.exit_code, result.stdout) == (status, "")
        (line,) = result.stderr.splitlines()
        assert line.startswith(f"csvor: error: {message}")


def of_versions(monkeypatch: pytest.MonkeyPatch, ours: str | None, theirs: str | None) -> str:
    """A model file that these versions wrote, as far as csvor and scikit-learn can tell."""
    with monkeypatch.context() as patch:
        if ours:
            patch.setattr(version, "VERSION", ours)
            patch.setattr(_record, "VERSION", ours)
        if theirs:
            known = _record.metadata.version
            patch.setattr(sklearn.base, "__version__", theirs)
            patch.setattr(
                _record.metadata,
                "version",
                lambda name: theirs if name == "scikit-learn" else known(name),
            )
        write(Path())
    return f"model_{csvor.__version__}.skops"


@pytest.mark.parametrize(
    ("ours", "theirs"), [(None, None), ("0.0.9", None), (None, "1.6.2"), ("0.0.9", "1.6.2")]
)
def test_n50_one_note_names_both_versions(
    monkeypatch: pytest.MonkeyPatch, ours: str | None, theirs: str | None
) -> None:
    path = of_versions(monkeypatch, ours, theirs)
    then = [f"csvor {ours}"] * bool(ours) + [f"scikit-learn {theirs}"] * bool(theirs)
    today = [f"csvor {csvor.__version__}"] * bool(ours)
    today += [f"scikit-learn {sklearn.__version__}"] * bool(theirs)
    note = (
        f"{path} was written with {' and '.join(then)} and is read with {' and '.join(today)}, so "
        f"its predictions may differ; fit it anew, or install {' and '.join(then)}"
    )
    notes = [note] * bool(then)
    predict = run("predict", ROWS.name, "--model", path)
    assert predict.exit_code == 0
    label = f"the label column 'grade' of {ROWS.name} is not looked at"
    assert predict.stderr.splitlines() == [f"note: {one}" for one in [*notes, label]]
    assert run("show", path).stderr.splitlines() == [f"note: {one}" for one in notes]
    assert [n for n in loaded("show", path)["notes"] if "was written" in n] == notes


def test_a_model_that_cannot_be_restored_names_its_versions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = of_versions(monkeypatch, "0.0.9", "1.6.2")

    def gone(*args: Any, **kwargs: Any) -> None:
        raise AttributeError("no such part")

    monkeypatch.setattr("skops.io.loads", gone)
    result = run("predict", ROWS.name, "--model", path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"csvor: error: {path}: the model cannot be restored (no such part); it was written with "
        "csvor 0.0.9 and scikit-learn 1.6.2: read it with these, or fit it anew\n"
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("model_*.skops")), ids=lambda path: path.stem)
def test_model_files_of_all_versions_are_read(path: Path) -> None:
    shown = loaded("show", path)
    assert shown["versions"]["csvor"] == path.stem.removeprefix("model_")
    assert [one["label"] for one in shown["classes"]] == ["poor", "fair", "good"]
    here = _record.versions()
    apart = [n for n in _record.DECISIVE if shown["versions"][n] != here[n]]
    assert sum("was written with" in note for note in shown["notes"]) == bool(apart)
    minor, ours = (v["scikit-learn"].rsplit(".", 1)[0] for v in (shown["versions"], here))
    if minor != ours:
        pytest.skip(f"scikit-learn {minor} wrote the file, and {ours} promises nothing of it")
    found = pd.read_csv(
        io.StringIO(run("predict", ROWS, "--model", path, "--proba", "--score").stdout)
    )
    pd.testing.assert_frame_equal(found, pd.read_csv(path.with_suffix(".csv")), rtol=1e-9)


def test_there_is_a_model_file_to_read() -> None:
    assert list(FOLDER.glob("model_*.skops"))


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda record: record.pop("versions"), "'versions'"),
        (lambda record: record.update(written=None), "written is no str"),
        (lambda record: record["document"].pop("thresholds"), "'thresholds'"),
        (lambda record: record["document"].update(classes=5), "document.classes is no list"),
        (lambda record: record["document"]["coefficients"][0].pop("coefficient"), "'coefficient'"),
        (
            lambda record: record["document"]["thresholds"][0].update(threshold="a"),
            "threshold of thresholds is no int | float",
        ),
        (lambda record: record["features"].update(numeric="x"), "features.numeric is no list"),
        (lambda record: record.update(more=1), "unexpected keyword argument 'more'"),
    ],
)
def test_a_record_that_was_edited_is_no_model(edit: Callable[[Any], object], why: str) -> None:
    write(Path())
    path = f"model_{csvor.__version__}.skops"
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    record = json.loads(parts[_record.NAME])
    edit(record)
    with zipfile.ZipFile("edited.skops", "w") as archive:
        for name, content in (parts | {_record.NAME: json.dumps(record).encode()}).items():
            archive.writestr(name, content)
    for args in (["show", "edited.skops"], ["predict", ROWS.name, "--model", "edited.skops"]):
        result = run(*args)
        assert (result.exit_code, result.stdout) == (1, "")
        (line,) = result.stderr.splitlines()
        assert line.startswith("csvor: error: edited.skops: not a model that csvor fit wrote (")
        assert why in line
