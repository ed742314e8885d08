"""Compiled loops are never stale, are kept where there is a place, and say when they compile."""

import ast
import errno
import importlib.util
import json
import math
import os
import pkgutil
import shutil
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from unittest.mock import Mock

import numba
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

import csvor
import csvor.cli._progress
from csvor._estimators import base
from csvor._utils import compile as compiling
from csvor._utils import compile_events
from csvor._utils.compile import compiled
from csvor._utils.compile_events import announcing_compilation
from csvor.cli._progress import compiling_told_late, progress

PACKAGE = Path(csvor.__file__).parent
LINE = "Preparing csvor"

CALLEE = """from csvor._utils.compile import compiled

@compiled()
def scaled(x):
    return 2.0 * x
"""
CALLER = """from csvor._somewhere.callee import scaled
from csvor._utils.compile import compiled

@compiled()
def caller(x):
    return scaled(x) + 1.0
"""


def in_new_process(code, folder, **environment):
    """What ``code`` prints as JSON where ``folder`` holds the package."""
    environment = {**os.environ, "PYTHONPATH": str(folder), **environment}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def fresh_loop(name="double"):
    """A loop that has no file, so that nothing keeps it."""
    space = {}
    exec(f"def {name}(x):\n    return 2 * x", space)
    return compiled()(space[name])


def imported(path):
    """A module of its own for a file, whether or not it was imported before."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def not_warned(monkeypatch):
    monkeypatch.setattr(compiling, "_warned", set())


def test_a_change_in_one_file_reaches_compiled_callers_in_others(tmp_path):
    """Case N52: Numba looks at the file of the outer function alone."""
    package = tmp_path / "csvor"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "_somewhere").mkdir()
    callee = package / "_somewhere" / "callee.py"
    callee.write_text(CALLEE)
    (package / "_somewhere" / "caller.py").write_text(CALLER)
    code = (
        "import json; from csvor._somewhere.caller import caller; "
        "print(json.dumps([caller(3.0), sum(caller.stats.cache_hits.values())]))"
    )

    def outcome():
        return in_new_process(code, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "kept"))

    assert outcome() == [7.0, 0]
    assert outcome() == [7.0, 1]
    callee.write_text(CALLEE.replace("2.0", "5.0"))
    assert outcome() == [16.0, 0]


@pytest.fixture
def kept_loop(tmp_path, monkeypatch, not_warned):
    """A file with a loop that was compiled and kept, and the folder it is kept in."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    path = tmp_path / "a_kept_loop.py"
    path.write_text(CALLEE)
    assert imported(path).scaled(3.0) == 6.0
    return path, tmp_path / "kept"


def flipped(content):
    """The bytes with one changed in the middle, where machine code is."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]


@pytest.mark.parametrize(
    ("damage", "suffix"),
    [
        pytest.param(damage, suffix, id=f"{name}-{suffix}")
        for name, damage, suffixes in (
            ("flipped", flipped, ["nbc"]),
            ("cut off", lambda content: content[: len(content) // 2], ["nbi", "nbc"]),
            ("foreign", lambda _: b"another's", ["nbi", "nbc"]),
        )
        for suffix in suffixes
    ],
)
def test_n82_damaged_code_is_compiled_again_with_one_warning(kept_loop, damage, suffix):
    path, folder = kept_loop
    (file,) = folder.rglob(f"*.{suffix}")
    file.write_bytes(damage(file.read_bytes()))
    with pytest.warns(UserWarning, match="is damaged") as caught:
        assert imported(path).scaled(3.0) == 6.0
    assert len(caught) == 1
    again = imported(path).scaled
    assert again(3.0) == 6.0
    assert sum(again.stats.cache_hits.values()) == 1, "what was compiled again is kept"


def test_n82_a_full_disk_costs_a_warning_and_nothing_else(kept_loop, monkeypatch):
    path, folder = kept_loop
    shutil.rmtree(folder)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", Mock(side_effect=full))
    with pytest.warns(UserWarning, match=r"can't be kept in .*No space left") as caught:
        assert imported(path).scaled(3.0) == 6.0
        assert imported(path).scaled(3) == 6
    assert len(caught) == 1


# Too long to be inlined where it is called twice.
TERMS = " + ".join(f"math.sin({k} * x)" for k in range(1, 40))


@pytest.mark.filterwarnings("ignore:Loops are compiled anew")
def test_a_caller_calls_its_own_copy_of_a_loop():
    """Case N71: callers called the first copy that came into the process, compiled or from disk."""
    space = {"math": math}
    exec(f"def callee(x):\n    return {TERMS}", space)
    space["callee"] = compiled()(space["callee"])
    exec("def caller(x):\n    return callee(x) + callee(2.0 * x)", space)
    caller = compiled()(space["caller"])
    x = 0.1
    assert caller(x) == pytest.approx(eval(TERMS) + eval(TERMS.replace("x", "2.0 * x")))
    (version,) = caller.overloads.values()
    copies = [
        function.linkage.name
        for function in version.library._final_module.functions
        if "callee" in function.name and not function.is_declaration
    ]
    assert copies == ["internal"]


def test_no_machine_code_is_kept_of_a_loop_that_loops_call(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    path = tmp_path / "loops_that_call.py"
    path.write_text(f"{CALLEE}\n\n@compiled()\ndef caller(x):\n    return scaled(x) + 1.0\n")
    module = imported(path)
    assert module.caller(3.0) == 7.0
    assert [file.name.split(".")[1][:6] for file in tmp_path.rglob("*.nbc")] == ["caller"]
    assert not module.scaled.overloads
    assert module.scaled(3.0) == 6.0, "Python may call it all the same"
    assert imported(path).caller(3.0) == 7.0


def loops_of_the_package():
    """Every compiled function that a module of csvor names."""
    for found in pkgutil.walk_packages(csvor.__path__, "csvor."):
        try:
            module = importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            if error.name not in ("dask", "distributed"):
                raise
            continue
        yield from (value for value in vars(module).values() if isinstance(value, Dispatcher))


def test_every_loop_is_in_a_file_that_counts():
    """What is not among these files could change without its callers being compiled anew."""
    loops = list(loops_of_the_package())
    assert loops
    counted = set(compiling._compiling_files())
    for loop in loops:
        assert type(loop._cache).__name__ == "_KeptCode", loop
        assert Path(loop.py_func.__code__.co_filename) in counted, loop


def used_by_loops(text):
    """The modules of csvor from which a file's loops use a name."""
    tree = ast.parse(text)
    origin = {
        alias.asname or alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("csvor")
        for alias in node.names
    }
    for part in tree.body:
        constant = isinstance(part, ast.Assign)
        loop = isinstance(part, ast.FunctionDef) and any(
            ast.unparse(call).startswith("compiled(") for call in part.decorator_list
        )
        if constant or loop:
            names = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
            yield from {origin[name] for name in names & origin.keys()}


def test_loops_use_nothing_of_csvor_but_what_counts():
    """A constant is compiled in, so its file has to count, by an @compiled( in it.

    What stands in the same file but is not compiled may use anything.
    """
    counted, used = set(compiling._compiling_files()), set()
    for path in counted - {Path(compiling.__file__)}:
        for module in used_by_loops(path.read_text(encoding="utf-8")):
            assert Path(importlib.import_module(module).__file__) in counted, path
            used.add(module)
    assert {"csvor._loss.margins", "csvor._rows.trim", "csvor._solvers.iterate"} <= used


def test_a_place_that_is_missing_costs_one_warning(not_warned):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = fresh_loop("one"), fresh_loop("other")
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR") as caught:
        assert one(21) == 42
        assert other(21) == 42
    assert [warning.filename for warning in caught] == [__file__]


def test_compiling_is_told_and_loading_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    path = tmp_path / "loops_to_tell_of.py"
    path.write_text(CALLEE + "\n\n@compiled()\ndef other(x):\n    return x - 1.0\n")
    told = []
    with announcing_compilation(told.append):
        module = imported(path)
        assert told == []
        assert (module.scaled(2.0), module.other(2.0)) == (4.0, 1.0)
    assert len(told) == 1
    assert told[0].startswith(LINE)
    assert "once for each kind of work" in told[0]

    with announcing_compilation(told.append):
        assert imported(path).scaled(2.0) == 4.0
    assert len(told) == 1, "machine code was loaded, not compiled"

    imported(path).scaled(2)
    assert len(told) == 1, "nobody is told after the end"
    assert compile_events._listeners == []


@pytest.mark.filterwarnings("ignore:Loops are compiled anew")
@pytest.mark.parametrize("verbose", [0, 1])
def test_an_estimator_tells_where_it_is_verbose(verbose, monkeypatch, capsys):
    def compile_first(*args):
        assert fresh_loop()(21) == 42
        return prepare_fit(*args)

    prepare_fit = base.prepare_fit
    monkeypatch.setattr(base, "prepare_fit", compile_first)
    X, y = np.arange(12.0)[:, None], np.repeat([1, 2, 3], 4)
    model = csvor.SVOREX(verbose=verbose)
    for fit in (lambda: model.fit(X, y), lambda: model.fit_many(X, y, [{"C": 1.0}])):
        fit()
        lines = capsys.readouterr().out.splitlines()
        assert sum(line.startswith(f"[SVOREX] {LINE}") for line in lines) == verbose


@pytest.mark.filterwarnings("ignore:Loops are compiled anew")
@pytest.mark.parametrize("terminal", [True, False])
def test_the_command_line_tells_at_a_terminal(terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with progress("Fitting"):
        fresh_loop()(21)
    told = capsys.readouterr()
    assert (LINE in told.err) == terminal
    assert told.out == ""


@pytest.mark.filterwarnings("ignore:Loops are compiled anew")
@pytest.mark.parametrize(("terminal", "patience"), [(False, 0.0), (False, 60.0), (True, 0.0)])
def test_without_a_terminal_a_line_tells_of_what_takes_a_while(
    terminal, patience, monkeypatch, capsys
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setattr(csvor.cli._progress, "PATIENCE", patience)
    before = threading.active_count()
    with compiling_told_late():
        fresh_loop()(21)
        fresh_loop("twice")(21)
        time.sleep(0.2)
    told = capsys.readouterr()
    assert told.err.count(LINE) == (not terminal and not patience)
    assert told.out == ""
    time.sleep(0.1)
    assert threading.active_count() <= before


def test_a_loop_that_kept_code_refers_to_is_made_anew():
    """Numba gives a loop its locals before its options then."""
    loop = fresh_loop()
    again = type(loop)._rebuild(**loop._reduce_states() | {"uuid": "another process"})
    assert again is not loop and again.py_func is loop.py_func
