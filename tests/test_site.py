"""The sources of the site: what is public is listed, and every page has a place."""

import inspect
import re
from pathlib import Path

import pytest

from test_docstrings import MODULES, OBJECTS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def toctree_entries(page: Path) -> list[str]:
    """The pages that one page names in its contents."""
    found = re.findall(r"^:::\{toctree\}\n(.*?)^:::$", page.read_text("utf-8"), re.M | re.S)
    lines = [line for text in found for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(":")]


def listed_objects() -> set[str]:
    """The objects that docs/api.rst lists, by the module it names them under."""
    module, found = "", set()
    for line in (DOCS / "api.rst").read_text("utf-8").splitlines():
        if line.startswith(".. currentmodule::"):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            found.add(f"{module}.{line.strip()}")
    return found


def test_api_lists_what_is_public() -> None:
    public = set(OBJECTS) | {
        "csvor.methods.make_method",
        "csvor.methods.Method",
        "csvor.stats.nemenyi_cd",
    }
    assert listed_objects() == public
    assert len(public) > 60
    for name in public:
        module, _, attribute = name.rpartition(".")
        assert module in {m.__name__ for m in MODULES} | {"csvor.methods"}
        assert inspect.getdoc(getattr(__import__(module, fromlist=[attribute]), attribute))


def test_every_page_has_one_place() -> None:
    pages = {path.stem for path in [*DOCS.glob("*.md"), *DOCS.glob("*.rst")]}
    named = [name for path in DOCS.glob("*.md") for name in toctree_entries(path)]
    assert len(named) == len(set(named))
    beside = {"paper/results", "auto_examples/index", "generated/options/*"}
    assert set(named) - beside == pages - {"index", "sg_execution_times"}


@pytest.mark.parametrize("example", sorted((ROOT / "examples").rglob("*.py")), ids=lambda p: p.stem)
def test_examples_are_of_the_gallery(example: Path) -> None:
    """A title that asks, and a name that is run, so that none is left out in silence."""
    if example.name == "dirty_files.py":  # makes a page of its own
        return
    assert example.name.startswith("plot_")
    title, line = example.read_text("utf-8").splitlines()[1:3]
    assert title.endswith("?")
    assert line == "=" * len(title)


def test_no_place_of_a_machine_is_named() -> None:
    sources = [*DOCS.glob("*.*"), *DOCS.glob("_extensions/*"), *(ROOT / "examples").rglob("*.*")]
    for path in sources:
        if path.is_file() and path.suffix != ".pyc":  # Python's own, where an example was imported
            assert not re.search(r"(?<![\w.])/(home|work|Users|tmp)/", path.read_text("utf-8")), (
                path
            )
