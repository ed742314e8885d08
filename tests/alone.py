"""A wheel in an environment of its own, beside what it names alone, and a first use of it.

``python tests/alone.py dist/csvor-*.whl`` installs it by pip, as a user does. `linked` makes such
an environment at once, of what is installed here.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

import csvor

# Files, a page, a model and its predictions: each needs other packages, and files of the wheel.
FIRST_USE = """
import sys
from pathlib import Path
import csvor
from csvor.cli import main

assert "site-packages" in csvor.__file__, csvor.__file__
rows = [(i % 7, i * 5 % 11, 1 + (i % 7 > 2) + (i % 7 > 4)) for i in range(60)]
Path("t.csv").write_text("a,b,grade\\n" + "".join(f"{a},{b},{y}\\n" for a, b, y in rows))
quick = "--C 1 --p 1 --contamination 0.1 --folds 2 --models own"
for words in (
    "fit t.csv --target grade --model m.skops",
    "predict t.csv --model m.skops --out p.csv",
    f"audit t.csv --target grade {quick} --report page.html",
):
    sys.argv = ["csvor", *words.split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, words
assert len(Path("p.csv").read_text().splitlines()) == 61
assert Path("page.html").stat().st_size > 50_000
"""


def linked(folder: Path, wheel: Path) -> Path:
    """An environment with the wheel, and links to what it needs; without extras."""
    venv.create(folder, symlinks=os.name != "nt")
    (site,) = folder.glob("lib/python*/site-packages")
    for name in _needed("csvor"):
        package = distribution(name)
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(package.locate_file(top))
    _pip(folder, "--no-index", "--no-compile", wheel)
    _take_machine_code(site / "csvor")
    return folder


def _take_machine_code(package: Path) -> None:
    """Take what was compiled of the same source; Numba knows it by the time of the file."""
    here = Path(csvor.__file__).parent
    for path in package.rglob("*.py"):
        times = (here / path.relative_to(package)).stat()
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    for kept in here.rglob("__pycache__/*.nb[ic]"):
        copy = package / kept.relative_to(here)
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(kept, copy)


def _needed(name: str) -> set[str]:
    """What an installed package needs, and what that needs in turn."""
    needed, to_see = set[str](), [name]
    while to_see:
        for text in distribution(to_see.pop()).requires or ():
            one = Requirement(text)
            if one.name not in needed and (not one.marker or one.marker.evaluate({"extra": ""})):
                needed.add(one.name)
                to_see.append(one.name)
    return needed


def _pip(folder: Path, *options: object) -> None:
    pip = [sys.executable, "-m", "pip", "--python", str(_python(folder)), "install", "-q"]
    words = [*pip, "--disable-pip-version-check", *map(str, options)]
    subprocess.run(words, check=True)


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def try_it(folder: Path) -> None:
    """Use what is installed there once, far from this source."""
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as place:
        for words in (["-c", FIRST_USE], ["-m", "csvor.cli", "--version"]):
            subprocess.run([_python(folder), "-I", *words], cwd=place, env=outside, check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as new:
        venv.create(new)
        _pip(Path(new), sys.argv[1])
        try_it(Path(new))
