"""What is shipped: one version, one list of requirements, and all files that the package reads."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

import alone
import csvor

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def requirement(text: str) -> tuple[str, frozenset[str]]:
    """Name and bounds of a requirement, in pip's spelling or conda's."""
    name, bounds = re.fullmatch(r"([\w.-]+)\s*(.*)", text.strip()).groups()
    return name.lower(), frozenset(bounds.replace(" ", "").split(",")) - {""}


def test_requirements_are_read_alike() -> None:
    assert requirement("rich>=2.9,<3") == requirement("rich >=2.9,<3")
    assert requirement("numpy>=2.0") != requirement("numpy >=2.1")


def test_conda_recipe_is_that_of_the_project() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe/recipe.yaml").read_text("utf-8"))
    assert recipe["context"]["version"] == PROJECT["version"]
    needed = [requirement(text) for text in recipe["requirements"]["run"]]
    assert len(needed) == len(set(needed))
    python = requirement(f"python{PROJECT['requires-python']}")
    assert set(needed) == {python, *map(requirement, PROJECT["dependencies"])}
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    assert {requirement(text) for text in recipe["requirements"]["host"]} == {
        python,
        requirement("pip"),
        *map(requirement, built),
    }
    commands = {f"{name} = {target}" for name, target in PROJECT["scripts"].items()}
    assert set(recipe["build"]["python"]["entry_points"]) == commands
    assert recipe["about"]["license"] == PROJECT["license"]
    folder = (ROOT / "packaging/conda/recipe" / recipe["source"]["path"]).resolve()
    assert folder == ROOT
    assert (folder / recipe["about"]["license_file"]).is_file()


def test_citation_is_of_this_version_and_names_the_paper() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == PROJECT["version"] == csvor.__version__
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]
    (paper,) = citation["references"]
    readme = " ".join((ROOT / "README.md").read_text("utf-8").replace("\n> ", " ").split())
    assert f"*{paper['title']}*" in readme
    assert f"{paper['authors'][0]['family-names']} et al." in readme
    assert paper["url"] in readme


def test_the_newest_changes_are_of_this_version() -> None:
    first, *earlier = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    version, _, when = first.partition(" ")
    assert version == PROJECT["version"]
    assert re.fullmatch(r"\((unreleased|\d{4}-\d\d-\d\d)\)", when)
    assert "unreleased" not in "".join(earlier)
    if when == "(unreleased)":  # notes are written for the release
        return
    short = version.rpartition(".")[0]
    assert f"release_{short}" in (ROOT / "docs/news.md").read_text("utf-8").split()
    notes = (ROOT / f"docs/release_{short}.md").read_text("utf-8")
    assert notes.startswith(f"# csvor {short}\n")


def test_the_command_is_an_entry_point() -> None:
    """So that a plain install, and a runner of commands such as pipx, find it."""
    (command,) = [e for e in entry_points(group="console_scripts") if e.name == "csvor"]
    assert PROJECT["scripts"] == {"csvor": command.value}
    assert callable(command.load())


def built(what: str, source: Path, folder: Path) -> Path:
    """The sdist or the wheel of a source."""
    code = f"from hatchling.build import build_{what}; print(build_{what}({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=source, capture_output=True, text=True, check=True
    )
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel that an installer makes of it."""
    folder = tmp_path_factory.mktemp("dist")
    sdist = built("sdist", ROOT, folder)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return sdist, built("wheel", folder / sdist.name.removesuffix(".tar.gz"), folder)


def test_wheel_holds_all_that_the_package_reads(files: tuple[Path, Path]) -> None:
    names = set(ZipFile(files[1]).namelist())
    package = {name for name in names if name.startswith("csvor/")}
    source = {
        f"csvor/{path.relative_to(ROOT / 'src/csvor').as_posix()}"
        for path in (ROOT / "src/csvor").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert package == source
    assert {"csvor/py.typed", "csvor/report/published.csv"} <= package
    assert {path.split("/")[2] for path in package if "/templates/" in path or "/static/" in path}
    info = {name.partition("/")[2] for name in names - package}
    assert info == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def test_sdist_holds_what_git_does(files: tuple[Path, Path]) -> None:
    """Of the folders that it names: nothing that was left there, and nothing is missing."""
    if not shutil.which("git"):
        pytest.skip("there is no git")
    kept = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if kept.returncode:
        pytest.skip("this tree is no checkout of git")
    with tarfile.open(files[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names - set(kept.stdout.splitlines()) == {"PKG-INFO"}
    assert set(kept.stdout.splitlines()) - names == {".ci/run"}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_the_wheel_works_beside_what_it_names_alone(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    alone.try_it(alone.linked(tmp_path / "new", files[1]))
