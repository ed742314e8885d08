"""Imports inside the package point one way, and docs/map.md is the tree."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "csvor"

# A module may import from the lines above its own, never from its own line or below.
# A sub-package is one layer and may use its own parts; "csvor" is the __init__.
LAYERS = (
    {"_utils"},
    {"_faults"},
    # Know nothing of each other: a loss never sees X, a solver nothing that is ordinal.
    {"_decisions", "_labels", "_loss", "_solvers"},
    {"_parts"},
    {"_rows"},
    # Joins rows and solver.
    {"_objective"},
    {"_data", "_mixture"},
    {"_tables"},
    {"preprocessing"},
    {"_estimators"},
    {"metrics", "audit", "_regression"},
    {"csvor"},
    {"methods", "formula"},
    # Know nothing of each other.
    {"corruption", "datasets", "stats"},
    # One of them spoils labels; the report brings numbers and pictures together.
    {"plots"},
    {"study"},
    {"report"},
    {"cli"},
)
# What the order alone would allow: rows are asked, and ask nobody.
STRANGERS = {"_rows": {"_labels", "_solvers"}}

# Files that import each other today, each with the reason. The list may only shrink: whoever ends
# a circle takes it out, and a new one is mended, not added.
CIRCLES: set[frozenset[str]] = set()


def layer_of(path: Path, package: Path) -> str:
    top = path.relative_to(package).parts[0].removesuffix(".py")
    return "csvor" if top == "__init__" else top


def imported(node: ast.AST, names: set[str]) -> Iterator[str]:
    """The layers, out of `names`, that one import statement reaches."""
    if isinstance(node, ast.Import):
        targets = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.level:
        raise ValueError("relative import")
    elif isinstance(node, ast.ImportFrom):
        targets = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        return
    for target in targets:
        root, _, rest = target.partition(".")
        if root == "csvor":
            top = rest.partition(".")[0]
            yield top if top in names else "csvor"


def violations(package: Path) -> list[str]:
    """Every import in `package` that points the wrong way, as one line each."""
    rank = {name: i for i, layer in enumerate(LAYERS) for name in layer}
    files = sorted(package.rglob("*.py"))
    in_tree = {layer_of(path, package) for path in files}
    names = in_tree | rank.keys()
    found = [f"{name}: has no place in LAYERS" for name in sorted(in_tree - rank.keys())]
    for path in files:
        own = layer_of(path, package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path.relative_to(package)}:{getattr(node, 'lineno', 0)}"
            try:
                reached = set(imported(node, names)) - {own}
            except ValueError as error:
                found.append(f"{where}: {error}")
                continue
            for other in sorted(reached & rank.keys()):
                upwards = rank[other] >= rank.get(own, len(LAYERS))
                if upwards or other in STRANGERS.get(own, ()):
                    found.append(f"{where}: {own} imports {other}")
    return found


def file_imports(package: Path) -> dict[str, set[str]]:
    """Of each file, the files of `package` that it imports.

    Every import statement counts: at the head of a file, inside functions, in `try`, and under
    TYPE_CHECKING. What Python loads besides, the `__init__` of a folder around a module, does not.
    """
    of_module = {}
    for path in sorted(package.rglob("*.py")):
        file = path.relative_to(package)
        parts = file.parent.parts if file.name == "__init__.py" else file.with_suffix("").parts
        of_module[".".join(("csvor", *parts))] = file.as_posix()
    imports: dict[str, set[str]] = {file: set() for file in of_module.values()}
    for file, reached in imports.items():
        for node in ast.walk(ast.parse((package / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                reached |= {alias.name for alias in node.names} & of_module.keys()
            elif isinstance(node, ast.ImportFrom):
                # `from csvor.a import b` is the module csvor.a.b, or else a name in csvor.a.
                for alias in node.names:
                    named = (f"{node.module}.{alias.name}", str(node.module))
                    reached |= set([name for name in named if name in of_module][:1])
    return {file: {of_module[name] for name in reached} for file, reached in imports.items()}


def circles(package: Path) -> set[frozenset[str]]:
    """The largest sets of files in which each reaches each other by imports."""
    imports = file_imports(package)
    files = list(imports)
    edges = [(files.index(a), files.index(b)) for a in files for b in imports[a]]
    graph = coo_array((np.ones(len(edges)), np.array(edges, dtype=int).reshape(-1, 2).T),
                      shape=(len(files), len(files)))  # fmt: skip
    n, member_of = connected_components(graph, connection="strong")
    sets = (frozenset(np.array(files)[member_of == i].tolist()) for i in range(n))
    return {files for files in sets if len(files) > 1 or files <= imports[min(files)]}


def private_of_sklearn(text: str) -> list[str]:
    """The names of scikit-learn with a leading underscore that a module uses."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            found.append(ast.unparse(node))
    private = re.compile(r"sklearn\..*\b_(?!_)")
    return [name for name in found if private.match(name)]


def modules(package: Path) -> set[str]:
    """The modules of the tree as the map names them: `audit.py`, `_solvers/step.py`."""
    return {p.relative_to(package).as_posix() for p in package.rglob("*.py")} - {
        p.relative_to(package).as_posix() for p in package.glob("*/**/__init__.py")
    }


def mapped(text: str) -> set[str]:
    """The modules in the first column of the table of docs/map.md."""
    return set(re.findall(r"^\| `([\w/]+\.py)` \|", text, flags=re.MULTILINE))


def test_imports_point_one_way() -> None:
    assert violations(PACKAGE) == []


def test_no_files_import_each_other_in_a_circle() -> None:
    there = circles(PACKAGE)
    assert sorted(map(sorted, there - CIRCLES)) == [], "new circles: end them"
    assert sorted(map(sorted, CIRCLES - there)) == [], "circles that are gone: take them out"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.py": "from csvor.b import x", "b.py": ""}, []),
        ({"a.py": "from csvor.b import x", "b.py": "import csvor.a"}, [["a.py", "b.py"]]),
        (
            {"r/a.py": "from csvor.r import b", "r/b.py": "def f():\n    from csvor.r.a import x"},
            [["r/a.py", "r/b.py"]],
        ),
        (
            {
                "a.py": "import csvor.b",
                "b.py": "if TYPE_CHECKING:\n    from csvor.c import T",
                "c.py": "try:\n    from csvor import a\nexcept ImportError:\n    pass",
                "d.py": "import csvor.a",
            },
            [["a.py", "b.py", "c.py"]],
        ),
        (
            {"r/__init__.py": "from csvor.r.a import x", "r/a.py": "from csvor.r import y"},
            [["r/__init__.py", "r/a.py"]],
        ),
        ({"r/__init__.py": "from csvor.r.a import x", "r/a.py": "from csvor.r import b",
          "r/b.py": ""}, []),
        ({"a.py": "import csvor.a"}, [["a.py"]]),
    ],
)  # fmt: skip
def test_checker_sees_circles(
    tmp_path: Path, files: dict[str, str], expected: list[list[str]]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert sorted(map(sorted, circles(tmp_path))) == expected


def test_nothing_in_the_command_line_knows_of_its_commands() -> None:
    """Reading files and printing serve all commands; `main` alone begins with them."""
    room = PACKAGE / "cli"
    outside = set(room.rglob("*.py")) - set((room / "commands").iterdir()) - {room / "__init__.py"}
    assert len(outside) > 10
    assert [path.name for path in outside if "csvor.cli.commands" in path.read_text("utf-8")] == []


@pytest.mark.parametrize(
    ("path", "line", "complaint"),
    [
        ("_labels.py", "from csvor._loss import x", "_labels.py:1: _labels imports _loss"),
        ("_loss.py", "import csvor._estimators", "_loss.py:1: _loss imports _estimators"),
        ("_rows/csr.py", "from csvor._loss import x", None),
        ("_rows/csr.py", "from csvor._solvers import x", "_rows/csr.py:1: _rows imports _solvers"),
        (
            "_solvers/step.py",
            "from csvor._rows import x",
            "_solvers/step.py:1: _solvers imports _rows",
        ),
        (
            "_solvers/step.py",
            "from csvor._loss import x",
            "_solvers/step.py:1: _solvers imports _loss",
        ),
        ("_estimators.py", "from csvor import cli", "_estimators.py:1: _estimators imports cli"),
        (
            "_estimators.py",
            "from csvor import CSVOR",
            "_estimators.py:1: _estimators imports csvor",
        ),
        (
            "_estimators.py",
            "def f():\n    import csvor.cli.x",
            "_estimators.py:2: _estimators imports cli",
        ),
        ("_solvers/step.py", "from . import x", "_solvers/step.py:1: relative import"),
        ("_extra.py", "", "_extra: has no place in LAYERS"),
        ("_estimators.py", "from csvor._solvers.step import x", None),
        ("_solvers/step.py", "from csvor._solvers.solution import x", None),
        ("cli/main.py", "from csvor import CSVOR, metrics", None),
    ],
)
def test_checker_sees(tmp_path: Path, path: str, line: str, complaint: str | None) -> None:
    for name in (
        "_loss.py",
        "_rows/__init__.py",
        "_solvers/__init__.py",
        "_estimators.py",
        "cli/__init__.py",
        "__init__.py",
        "metrics.py",
        path,
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / path).write_text(line)
    assert violations(tmp_path) == ([] if complaint is None else [complaint])


def test_private_names_of_scikit_learn_are_in_one_place() -> None:
    files = {path for path in PACKAGE.rglob("*.py") if private_of_sklearn(path.read_text("utf-8"))}
    assert files == {PACKAGE / "_utils" / "sklearn_private.py"}


@pytest.mark.parametrize(
    ("line", "private"),
    [
        ("from sklearn.base import _fit_context", True),
        ("def f():\n    from sklearn.base import clone, _fit_context as fit_context", True),
        ("from sklearn.utils._param_validation import Interval", True),
        ("import sklearn.utils._param_validation as checks", True),
        ("import sklearn\nsklearn.utils._param_validation.Interval", True),
        ("import sklearn\nsklearn.__version__", False),
        ("from sklearn.model_selection import train_test_split", False),
        ("from csvor._utils.sklearn_private import fit_context", False),
    ],
)
def test_checker_sees_private_names(line: str, private: bool) -> None:
    assert bool(private_of_sklearn(line)) == private


# They say that something was done, not what it is.
RIDDLES = {"found", "told", "given", "own"}


def names(text: str) -> tuple[set[str], list[str]]:
    """The names that are set in functions, and the classes."""
    nodes = list(ast.walk(ast.parse(text)))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    inside = [node for function in functions for node in ast.walk(function)]
    set_ = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    set_ |= {node.arg for node in inside if isinstance(node, ast.arg)}
    classes = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    return set_, classes


def test_names_can_be_searched() -> None:
    """No riddle for a name, and one class for each name."""
    classes: list[str] = []
    for path in PACKAGE.rglob("*.py"):
        set_, its_classes = names(path.read_text("utf-8"))
        assert not set_ & RIDDLES, path
        classes += its_classes
    assert sorted(classes) == sorted(set(classes))


def test_checker_sees_names() -> None:
    assert names("def f(told):\n    found, (a, b) = 1, (2, 3)\n\n\nclass C: ...\n") == (
        {"told", "found", "a", "b"},
        ["C"],
    )


def test_map_is_the_tree(tmp_path: Path) -> None:
    assert mapped((ROOT / "docs/map.md").read_text(encoding="utf-8")) == modules(PACKAGE)

    (tmp_path / "sub").mkdir()
    for name in ("__init__.py", "_labels.py", "sub/__init__.py", "sub/part.py"):
        (tmp_path / name).touch()
    assert modules(tmp_path) == {"__init__.py", "_labels.py", "sub/part.py"}
