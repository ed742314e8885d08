"""The command line as a whole: help, one-line errors, interruption, whole files or none."""

import os
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner, Result

import csvor
import csvor.cli
from csvor._faults.errors import nearest
from csvor._faults.notes import Notes
from csvor._utils.atomic_files import folder_written_whole, written_whole
from csvor._utils.words import rows_text
from csvor.cli._errors import failures_in_one_line
from csvor.cli._files import write_table
from csvor.cli._notes import warnings_as_notes
from csvor.cli.commands._app import CompletingGroup, app

PROGRAM = [sys.executable, "-m", "csvor.cli"]


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


def start(*args: object, **streams: int) -> "subprocess.Popen[bytes]":
    package = str(Path(csvor.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])}
    return subprocess.Popen([*PROGRAM, *map(str, args)], env=env, **streams)  # type: ignore[call-overload]


def said(told: bytes) -> bytes:
    """Without the line of a process that is the first to compile loops."""
    return re.sub(rb"Preparing csvor .*\n", b"", told)


def graded(n: int) -> pd.DataFrame:
    X = np.random.default_rng(0).normal(size=(n, 4))
    y = np.digitize(X.sum(axis=1) + np.random.default_rng(1).normal(size=n), [-2, 0, 2])
    return pd.DataFrame(X, columns=[*"abcd"]).round(4).assign(y=y)


@pytest.mark.parametrize("args", [(), ("--help",)])
def test_help_names_the_commands(args: tuple[str, ...]) -> None:
    result = run(*args)
    assert result.exit_code == 0
    for command in ("audit", "fit", "predict", "demo", "data", "--version"):
        assert command in result.stdout


@pytest.mark.parametrize("command", ["audit", "explain", "fit", "predict", "review", "demo"])
def test_every_option_has_a_help_text(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    group = typer.main.get_command(app)
    for param in group.commands[command].params:  # type: ignore[attr-defined]
        assert param.help, param.name
        assert len(param.help) < 90, param.name


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"csvor {csvor.__version__}\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["audti"], "No such command 'audti'"),
        (["audit"], "Missing argument 'DATA' (see 'csvor audit --help')"),
        (["audit", "t.csv"], "Missing option '--target'"),
        (["audit", "t.csv", "--target"], "Option '--target' requires an argument"),
        (["audit", "t.csv", "--target", "y", "--tarrget", "y"], "No such option: --tarrget"),
        (["audit", "t.csv", "--target", "y", "--tune"], "No such option: --tune"),
        (["fit", "t.csv", "--target", "y", "--out", "m"], "(Possible options: --model)"),
        (["predict", "t.csv", "--output", "m"], "(Possible options: --out)"),
        (["audit", "t.csv", "--target", "y", "--C"], "Option '--C' requires an argument"),
        (["audit", "none.csv", "--target", "y"], "none.csv: there is no such file"),
    ],
)
def test_wrong_use_is_one_line_and_two(args: list[str], message: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("csvor: error: ")
    assert message in line


def test_the_file_is_named_also_where_a_column_is_called_like_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("t.csv,y\n2020-01-01,1\n2020-01-02,2\n2020-01-03,1\n")
    error = run("audit", "t.csv", "--target", "y").stderr
    assert error.startswith("csvor: error: t.csv, column 't.csv' holds dates")


POSITIVE = "a finite number greater than 0, such as "


@pytest.mark.parametrize(
    ("option", "value", "wanted"),
    [
        ("--C", "abc", POSITIVE + "1"),
        ("--C", "inf", POSITIVE + "1"),
        ("--clip", "abc", POSITIVE + "5"),
        ("--clip", "-1", POSITIVE + "5"),
        ("--p", "nan", "a number greater than 0 and at most 2, such as 1"),
        ("--contamination", "-0.1", "a number from 0 to 0.5, such as 0.1"),
        ("--folds", "1", "a whole number from 2, such as 5"),
        ("--folds", "2.5", "a whole number from 2, such as 5"),
        ("--components", "0", "a whole number from 1, such as 500"),
        ("--max-iter", "many", "a whole number from 1, such as 500"),
        ("--seed", "-1", "a whole number from 0 to 4294967295, such as 1"),
        ("--seed", "4294967296", "a whole number from 0 to 4294967295, such as 1"),
        ("--top", "-1", "a whole number from 0, such as 20"),
        ("--kernel", "foo", "one of linear, rbf, poly, sigmoid, cosine"),
        ("--loss", "foo", "one of hinge, logistic, exponential"),
        ("--constraints", "foo", "one of explicit, implicit"),
        ("--gamma", "foo", "scale, auto or a number greater than 0"),
        ("--fdr", "abc", "a number between 0 and 1, such as 0.1"),
        ("--fdr", "0", "a number between 0 and 1, such as 0.1"),
        ("--fdr", "1", "a number between 0 and 1, such as 0.1"),
        ("--fdr", "nan", "a number between 0 and 1, such as 0.1"),
        ("--data", "foo", "one of esl, lev, swd, balance_scale"),
        ("--noise", "abc", "a number between 0 and 1, such as 0.1"),
    ],
)
def test_an_option_says_what_it_takes(option: str, value: str, wanted: str) -> None:
    demo = option in {"--data", "--noise"}
    result = run(*(["demo"] if demo else ["audit", "t.csv", "--target", "y"]), option, value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"csvor: error: {option} {value}: must be {wanted}\n"


def test_a_traceback_only_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,2\n3\n", encoding="utf-8")
    plain = run("audit", tmp_path / "t.csv", "--target", "y")
    assert plain.exit_code == 1
    assert len(plain.stderr.splitlines()) == 1
    debug = run("audit", tmp_path / "t.csv", "--target", "y", "--debug")
    assert debug.exit_code == 1
    assert debug.stderr.startswith("Traceback (most recent call last):")
    assert debug.stderr.endswith(plain.stderr)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("two\n  lines"), "two lines"),
        (KeyError("x"), "unexpected KeyError: 'x' (--debug shows where)"),
        (MemoryError(), "not enough memory for this data"),
        (PermissionError(13, "Permission denied", "t.csv"), "t.csv: Permission denied"),
    ],
)
def test_any_failure_is_one_line(
    error: Exception, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as caught, failures_in_one_line():
        raise error
    assert caught.value.exit_code == 1
    assert capsys.readouterr().err == f"csvor: error: {line}\n"


def test_help_does_not_wait_for_what_only_the_work_needs() -> None:
    code = (
        "import sys, csvor; before = set(sys.modules); import csvor.cli.commands._app;"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "csvor.cli.commands._app" in loaded
    assert not {"csvor.cli.input._prepare", "skops", "pyarrow", "pandas", "sklearn"} & set(loaded)


def test_wrong_use_does_not_wait_for_what_only_the_work_needs(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,2\n", encoding="utf-8")
    code = """
import sys
from csvor.cli.commands._app import CompletingGroup, app
for args in sys.argv[1:]:
    try:
        app(args.split())
    except SystemExit as end:
        assert end.code == 2, args
print(*{name.partition(".")[0] for name in sys.modules})
"""
    calls = (
        "audti",
        "audit",
        "audit none.csv --target y",
        "audit t.csv --target y --C abc",
        "audit t.csv --target y --kernel linear --gamma 1",
        "audit t.csv --target y --reviewed none.csv",
        "fit none.csv --target y --model m.skops",
        "fit t.csv --target y --model m.pkl",
        "fit t.csv --target y --model m.skops --class-weight a",
        "predict none.csv --model m.skops",
        "predict t.csv --model none.skops",
        "show none.skops",
        "apply none.csv t.csv",
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code, *calls],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(csvor.__file__).parents[1])},
    )
    assert len(loaded.stderr.splitlines()) == len(calls)
    assert not {"numba", "sklearn", "scipy", "pandas", "pyarrow", "skops"} & set(
        loaded.stdout.split()
    )


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_control_c_ends_it_in_one_line(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    job = start(
        *("audit", "-", "--target", "y", "--suspects", out),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert job.stdin is not None
    # More than a pipe holds: once it is written, the child has begun to read.
    job.stdin.write(graded(20_000).to_csv(index=False).encode())
    job.stdin.close()
    job.stdin = None
    time.sleep(1.5)
    assert job.poll() is None
    job.send_signal(signal.SIGINT)
    printed, told = job.communicate(timeout=30)
    assert job.returncode == 130
    assert (printed, said(told)) == (b"", b"csvor: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_control_c_while_python_ends_is_not_told() -> None:
    code = (
        "import atexit, os, signal, sys; from csvor.cli import main; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); "
        "atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT)); "
        "sys.argv = ['csvor', '--version']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="pipes end otherwise there")
@pytest.mark.parametrize("name", ["predict", "audit"])
def test_a_reader_that_leaves_is_no_error(tmp_path: Path, name: str) -> None:
    """It ends as the signal of a broken pipe ends other programs: 128 + 13, and not a word."""
    data, model = tmp_path / "t.csv", tmp_path / "m.skops"
    graded(80).to_csv(data, index=False)
    if name == "predict":
        assert run("fit", data, "--target", "y", "--model", model).exit_code == 0
        graded(20_000).drop(columns="y").to_csv(data, index=False)
        options = ["--model", str(model)]
    else:
        options = ["--target", "y", "--kernel", "linear", "--C", "1", "--contamination", "0.1"]
        options += ["--models", "own"]
    job = start(name, data, *options, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert job.stdout is not None and job.stderr is not None
    if name == "predict":
        assert job.stdout.readline() == b"row,prediction\n"
    job.stdout.close()
    told = job.stderr.read()
    job.stderr.close()
    assert job.wait(timeout=60) == 141
    assert said(told) == b""


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("before", [None, "old"])
def test_a_file_is_whole_or_as_it_was(
    tmp_path: Path, error: type[BaseException], before: str | None
) -> None:
    path = tmp_path / "a.csv"
    if before is not None:
        path.write_text(before, encoding="utf-8")
    with pytest.raises(error), written_whole(path) as part:
        part.write_text("half", encoding="utf-8")
        assert part.parent == path.parent
        raise error
    assert [p.read_text(encoding="utf-8") for p in tmp_path.iterdir()] == [before] * bool(before)


def test_a_folder_takes_over_nothing_that_a_killed_process_began(tmp_path: Path) -> None:
    with folder_written_whole(tmp_path / "new") as folder:
        write_table(str(folder / "part-0.csv"), {"a": [1]})
        begun = written_whole(folder / "part-1.csv").__enter__()
        begun.touch()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["part-0.csv"]


def test_files_are_written_in_place(tmp_path: Path) -> None:
    """Through a link, with the rights of any new file, and with what CSV has to quote."""
    (tmp_path / "real.csv").touch()
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    (tmp_path / "plain").touch()
    columns = {"a": ["x, y", 'say "x"'], "b": [1.0, 2.5], "c": [True, False]}
    write_table(str(tmp_path / "link.csv"), columns)
    text = (tmp_path / "real.csv").read_text(encoding="utf-8")
    assert text == 'a,b,c\n"x, y",1,true\n"say ""x""",2.5,false\n'
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").stat().st_mode == (tmp_path / "plain").stat().st_mode
    write_table(str(tmp_path / "t.tsv"), columns)
    first = (tmp_path / "t.tsv").read_text(encoding="utf-8").splitlines()[0]
    assert first == "a\tb\tc"


@pytest.mark.parametrize("step", [1, -1])
def test_warnings_that_differ_in_numbers_alone_are_one(step: int) -> None:
    """In whatever order fits side by side have given them."""
    notes = Notes()
    with warnings_as_notes(notes):
        for n in range(200)[::step]:
            warnings.warn(f"stopped after {n} iterations (tol 1e-0{n % 9})", stacklevel=1)
        for name in ("x1", "x2")[::step]:
            warnings.warn(f"column '{name}' ranges from 0 to 5", stacklevel=1)
    notes.add("another\n thing")
    assert notes.texts() == [
        "column 'x1' ranges from 0 to 5",
        "column 'x2' ranges from 0 to 5",
        "stopped after 0 iterations (tol 1e-00) (200 such notes)",
        "another thing",
    ]


def test_notes_of_columns_whose_names_differ_in_a_number() -> None:
    notes = Notes()
    for name in ("x1", "x2", "x2"):
        notes.add(f"column '{name}': 3 rows")
    assert notes.texts() == ["column 'x1': 3 rows", "column 'x2': 3 rows (2 such notes)"]


def test_notes_on_parts_of_the_rows_are_counted_and_those_on_columns_are_not() -> None:
    notes = Notes()
    for _ in range(3):
        notes.add_of_part("column 'kind': 100 rows are new (row 5: 'rope')")
        notes.add_of_part("column 'grade' is not used")
    notes.add_of_part("column 'kind': 7 rows are new (row 900: 'rope')")
    assert notes.texts() == [
        "column 'kind': 100 rows are new (row 5: 'rope') (4 such notes)",
        "column 'grade' is not used",
    ]


def test_words_of_messages() -> None:
    assert nearest("Ag", ["age", "dose"]) == "did you mean 'age'?"
    assert nearest("zz", ["age", "dose"]) == "the columns are 'age', 'dose'"
    assert re.fullmatch(
        r"the columns are .* and 20 more", nearest("zz", [f"c{i}" for i in range(30)])
    )
    assert rows_text([4]) == "row 5"
    assert rows_text(np.arange(7)) == "rows 1, 2, 3, 4, 5 and 2 more"
    assert rows_text([1, 2], count=9) == "rows 2, 3 and 7 more"


@pytest.mark.parametrize("wrapped", [False, True])
def test_control_c_while_options_are_read_is_told(
    wrapped: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python 3.11 wraps one that comes while a class is made, as pydantic's are at the import."""

    def interrupt(*words: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            if wrapped:
                raise RuntimeError("Error calling __set_name__") from error
            raise

    monkeypatch.setattr(CompletingGroup, "parse_args", interrupt)
    monkeypatch.setattr(sys, "argv", ["csvor", "show", "m.skops"])
    with pytest.raises(SystemExit) as ended:
        csvor.cli.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "csvor: interrupted\n"
