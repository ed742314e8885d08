"""What moves when a tuning constant of the core is halved or doubled.

    python benchmarks/sensitivity.py [FILE ...] [--only NAME] [--repeats 3]

    python benchmarks/sensitivity.py _solvers/refine.py _rows/evaluation.py

Constants are the numbers that modules of the core name in capitals, tuples of them number by
number; codes (0, 1, 2 ...) are none. For each value the package is copied with that one number
changed, and a process of its own fits all problems there, so that compiled loops, defaults of
arguments and names imported elsewhere have it too. Where loops are compiled from the file, that
takes half a minute longer for each value.

Said is what moves by more than 5 %: iterations, passes over partitions, CPU time (beyond what the
unchanged package differs from itself in, measured first and last), and by more than 1e-4 the
objective. Without files the whole core is tried, for about an hour, and the table kept.
"""

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dirty import markdown, write_result

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "csvor"
ROOMS = ("_solvers", "_objective", "_rows", "_loss")
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
# Places in a state, and sizes that others are made of.
CODES = {"LEVEL", "HINGE", "LOGISTIC", "EXPONENTIAL", "ROUNDED"}
MOVES = {"iterations": 0.05, "passes": 0.05, "time": 0.05, "objective": 1e-4}
# A problem is fitted anew until its fits have taken so long, so that short ones are timed as well.
LEAST_SECONDS = 0.1
# Estimator, parameters, rows, columns, and how the rows lie. Each policy has its own.
PROBLEMS = {
    "150 x 13": ("CSVOR", {}, 150, 13, "dense"),
    "150 x 13, capped": ("CSVOR", {"epsilon": 2.0}, 150, 13, "dense"),
    "400 x 8, logistic": ("CSVOR", {"loss": "logistic"}, 400, 8, "dense"),
    "300 x 8, RBF": ("CSVOR", {"kernel": "rbf"}, 300, 8, "dense"),
    "600 x 9, SVOREX": ("SVOREX", {}, 600, 9, "dense"),
    "400 x 80": ("CSVOR", {"epsilon": 4.0}, 400, 80, "dense"),
    "1,000 x 150, sparse": ("SVORIM", {"C": 0.1}, 1_000, 150, "sparse"),
    "20,000 x 10": ("CSVOR", {}, 20_000, 10, "dense"),
    "20,000 x 10, p = 1.5": ("CSVOR", {"p": 1.5, "epsilon": 4.0}, 20_000, 10, "dense"),
    "20,000 x 10, capped": ("CSVOR", {"epsilon": 4.0}, 20_000, 10, "dense"),
    "20,000 x 10, SVORIM": ("SVORIM", {}, 20_000, 10, "dense"),
    "20,000 x 10, partitions": ("CSVOR", {}, 20_000, 10, "partitions"),
    "200 x 9, PINSVOR": ("PINSVOR", {}, 200, 9, "dense"),
    "30,000 x 4, PINSVOR": ("PINSVOR", {}, 30_000, 4, "dense"),
}


class Constant(NamedTuple):
    """A number in a file: its name, its value, and where its text stands."""

    file: str
    name: str
    value: float
    line: int
    start: int
    end: int

    def changed(self, text: str, value: float) -> str:
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1].encode()
        lines[self.line - 1] = (
            line[: self.start] + repr(value).encode() + line[self.end :]
        ).decode()
        return "".join(lines)


def constants(file: str) -> Iterator[Constant]:
    """Those of a file below the package."""
    for node in ast.parse((PACKAGE / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, value = node.target, node.value
        else:
            continue
        for name, number, place in numbers(target, value):
            yield Constant(file, name, number, place.lineno, place.col_offset, place.end_col_offset)


def numbers(target: ast.expr, value: ast.expr) -> list[tuple[str, float, Any]]:
    """Names of constants, their values, and the expressions that these are."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=True)
        found = [entry for one, part in pairs for entry in numbers(one, part)]
        values = [number for _, number, _ in found]
        are_codes = values in (list(range(len(values))), list(range(1, len(values) + 1)))
        return [] if are_codes else found
    if not isinstance(target, ast.Name) or not re.fullmatch("_?[A-Z][A-Z0-9_]*", target.id):
        return []
    return [] if target.id in CODES else leaves(target.id, value)


def leaves(name: str, value: ast.expr) -> list[tuple[str, float, Any]]:
    if isinstance(value, ast.Tuple):
        parts = [leaves(f"{name}[{i}]", part) for i, part in enumerate(value.elts)]
        return [leaf for part in parts for leaf in part]
    plain = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    if not all(isinstance(node, plain) for node in ast.walk(value)):
        return []
    number = eval(compile(ast.Expression(value), "", "eval"))  # of numbers and signs alone
    return [(name, number, value)] if type(number) in (int, float) and number else []


def is_compiled(constant: Constant) -> bool:
    """Whether a loop that is compiled may hold the number."""
    name = re.compile(rf"\b{constant.name.partition('[')[0]}\b")
    module = "csvor." + constant.file.removesuffix(".py").replace("/", ".")
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.glob("_*/*.py")}
    own = texts.pop(PACKAGE / constant.file)
    others = (t for t in texts.values() if module in t and name.search(t) and "@compiled(" in t)
    return "@compiled(" in own or any(others)


def outcomes(constant: Constant | None, value: float, repeats: int) -> dict[str, Any]:
    """What a copy of the package with another number says of all problems."""
    with tempfile.TemporaryDirectory() as folder:
        without = shutil.ignore_patterns("*.nbi", "*.nbc")
        stale = constant is not None and is_compiled(constant)
        copy = Path(folder, "csvor")
        shutil.copytree(PACKAGE, copy, ignore=without if stale else None)
        if constant is not None:
            file = copy / constant.file
            file.write_text(constant.changed(file.read_text("utf-8"), value), "utf-8")
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": folder}
        command = [sys.executable, __file__, "--measure", "--repeats", str(repeats)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"fails": (done.stderr.splitlines() or ["?"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def measure(repeats: int) -> dict[str, Any]:
    """Iterations, passes, objective and the least CPU time of each problem."""
    import csvor

    warnings.simplefilter("ignore")  # of fits that end early
    found = {}
    for name, (method, parameters, n, d, kind) in PROBLEMS.items():
        model, times = getattr(csvor, method)(**parameters), []
        fit = laid(kind, n, d)
        try:
            fit(model)  # compiled code is read, pages are there
            while len(times) < repeats or sum(times) < LEAST_SECONDS:
                start = time.process_time()
                fit(model)
                times.append(time.process_time() - start)
        except Exception as error:
            found[name] = {"fails": f"{type(error).__name__}: {error}"}
            continue
        traffic = getattr(model, "traffic_", None) or {}
        found[name] = {
            "iterations": int(model.n_iter_),
            "passes": traffic.get("passes", 0),
            "time": min(times),
            "objective": float(model.objective_),
        }
    return found


def laid(kind: str, n: int, d: int) -> Any:
    """How a model is fitted to the rows of a problem, as they lie."""
    from speed import problem

    X, y, _ = problem(n, d)
    if kind == "dense":
        return lambda model: model.fit(X, y)
    if kind == "sparse":
        from scipy import sparse

        few = sparse.csr_array(X * (abs(X) > 1.0))
        return lambda model: model.fit(few, y)
    import dask
    import dask.array as da

    parts = da.from_array(X, chunks=(n // 4, -1)), da.from_array(y, chunks=n // 4)

    def fit(model: Any) -> None:
        with dask.config.set({"csvor.memory-limit": X.nbytes // 8, "scheduler": "synchronous"}):
            model.fit(*parts)

    return fit


def moved(found: dict[str, Any], base: dict[str, Any], again: dict[str, Any]) -> str:
    """What is other than in the unchanged package, in words."""
    if "fails" in found:
        return f"fails: {found['fails']}"
    said = []
    for name, expected in base.items():
        now = found[name]
        if "fails" in now or "fails" in expected:
            said += [f"{name}: fails: {now['fails']}"] if now.keys() != expected.keys() else []
            continue
        changes = {what: change(now[what], expected[what]) for what in MOVES}
        noise = {"time": abs(change(again[name]["time"], expected["time"]))}
        large = [
            f"{what} {changes[what]:+.2g}"
            if what == "objective"
            else f"{what} {changes[what]:+.0%}"
            for what, share in MOVES.items()
            if abs(changes[what]) > share + 2.0 * noise.get(what, 0.0)
        ]
        said += [f"{name}: {', '.join(large)}"] if large else []
    return "; ".join(said) or "nothing"


def change(now: float, before: float) -> float:
    return now / before - 1.0 if before else float(now != before)


def scaled(value: float, factor: float) -> float | None:
    """Half or twice a constant; whole numbers stay whole, None where that is the same."""
    other = max(round(value * factor), 1) if isinstance(value, int) else value * factor
    return None if other == value else other


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="such as _solvers/refine.py (default: the core)")
    parser.add_argument("--only", default="", help="constants that have this in their name")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--list", action="store_true", help="name the constants and end")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.repeats)))
        return
    core = [
        p.relative_to(PACKAGE).as_posix() for r in ROOMS for p in sorted((PACKAGE / r).glob("*.py"))
    ]
    tried = [c for file in options.files or core for c in constants(file) if options.only in c.name]
    if options.list:
        print("\n".join(f"{c.file} {c.name} = {c.value}" for c in tried))
        return
    text = table(tried, options.repeats)
    if options.files or options.only:
        print(text)
    else:
        write_result("sensitivity", f"# Tuning constants of the core\n\n{text}")


def table(tried: list[Constant], repeats: int) -> str:
    """A row for each constant: its value, and what moves with half and twice of it."""
    base, results = outcomes(None, 0.0, repeats), {}
    for constant in tried:
        for factor in (0.5, 2.0):
            value = scaled(constant.value, factor)
            if value is not None:
                results[constant, factor] = outcomes(constant, value, repeats)
            print(f"{constant.file} {constant.name} x {factor}", file=sys.stderr, flush=True)
    again = outcomes(None, 0.0, repeats)

    def said(constant: Constant, factor: float) -> str:
        found = results.get((constant, factor))
        return "the same value" if found is None else moved(found, base, again)

    rows = [[f"`{c.file}` `{c.name}`", str(c.value), said(c, 0.5), said(c, 2.0)] for c in tried]
    return markdown(["constant", "value", "halved, moves", "doubled, moves"], rows)


if __name__ == "__main__":
    main()
