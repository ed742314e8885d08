"""What the whole suite shares: the folder of benchmark data, and seeds."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
)

import transcripts
from csvor._faults.errors import CommandError, UsageError
from csvor._faults.fault import lacking
from csvor._faults.notes import Notes
from csvor.audit import _trees

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder that CSVOR_DATA names (a relative one starts at the project root)."""
    folder = (ROOT / os.environ.get("CSVOR_DATA", "../shared/data")).resolve()
    if not folder.is_dir():
        pytest.skip(f"the benchmark data are not in {folder}; CSVOR_DATA can name their folder")
    return folder


def _seeds() -> list[int]:
    """CSVOR_SEEDS as numbers: "0" unless it is set, "7" for one other, "0-19" for a range."""
    first, _, last = os.environ.get("CSVOR_SEEDS", "0").partition("-")
    return list(range(int(first), int(last or first) + 1))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `seed` must hold for any seed: it is run once for each asked for."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", _seeds())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that take many seconds each, and prove a second time, run where CSVOR_SLOW is set."""
    if not os.environ.get("CSVOR_SLOW"):
        skip = pytest.mark.skip(reason="slow: set CSVOR_SLOW=1 to run it")
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(skip)


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """A generator for the test's own data."""
    return np.random.default_rng(seed)


@pytest.fixture(autouse=True)
def _global_random_state_is_left_alone() -> Iterator[None]:
    """No call may read or move NumPy's global generator (case N29)."""
    before = np.random.get_state()
    yield
    after = np.random.get_state()
    assert before[2:] == after[2:], "the global random state was moved"
    assert np.array_equal(before[1], after[1]), "the global random state was moved"


@pytest.fixture(scope="session", autouse=True)
def _transcripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Calls of the command line are recorded in the file that CSVOR_TRANSCRIPTS names, if any."""
    file = os.environ.get(transcripts.SWITCH)
    temporary = tmp_path_factory.getbasetemp
    with transcripts.recording(Path(file), temporary()) if file else contextlib.nullcontext():
        yield


@pytest.fixture(autouse=True)
def _messages_name_no_option_that_the_command_lacks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What all commands of all tests say of the data can be typed as it stands."""
    told: list[str] = []
    plain_note, plain_error = Notes.add, CommandError.__init__

    def add(notes: Notes, note: Any) -> None:
        told.extend(lacking(str(note)))
        plain_note(notes, note)

    def make(error: CommandError, *args: Any) -> None:
        plain_error(error, *args)
        if not isinstance(error, UsageError) and args:
            told.extend(lacking(str(args[0])))

    monkeypatch.setattr(Notes, "add", add)
    monkeypatch.setattr(CommandError, "__init__", make)
    yield
    assert not told


@pytest.fixture(autouse=True)
def _few_trees(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees of audits take longest: where a file of tests does not ask for all, they are few."""
    if not hasattr(request.module, "ALL_TREES"):
        monkeypatch.setattr(_trees, "tree_models", lambda n_rows, n_columns: few_trees())


def few_trees() -> tuple[Any, Any, Any]:
    """Models like those of `tree_models` of an audit, in a tenth of the time."""
    boosting = HistGradientBoostingClassifier(
        max_leaf_nodes=6, max_iter=5, early_stopping=False, random_state=0
    )
    few = {"n_estimators": 8, "random_state": 0}
    spread = ExtraTreesRegressor(min_samples_leaf=15, **few)
    return boosting, ExtraTreesClassifier(min_samples_leaf=3, **few), spread
