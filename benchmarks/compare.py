"""Times of two commits, side by side on this machine; fails where the second is slower.

    python benchmarks/compare.py [BASE [HEAD]] [--rounds 7] [--only SVOREX]

BASE is a commit, branch or tag, by default the last release: the nearest tag before HEAD. Both are
checked out into a temporary folder and take turns, each round in a process of its own, so that a
slow moment of the machine hits both. A task is slower where the least time of its rounds grows by
more than a tenth **and** by more than a millisecond; the exit status is then 1.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from dirty import markdown

ROOT = Path(__file__).resolve().parents[1]
# Slower by less than this share, or by less than this many seconds, is noise.
SHARE, SECONDS = 0.1, 1e-3
TASKS = {
    "150 x 13, p = 1": ("CSVOR", {}, 150, 13),
    "150 x 13, epsilon = 2": ("CSVOR", {"epsilon": 2.0}, 150, 13),
    "150 x 13, p = 0.7": ("CSVOR", {"p": 0.7}, 150, 13),
    "600 x 9, p = 1": ("CSVOR", {}, 600, 9),
    "600 x 9, p = 2": ("CSVOR", {"p": 2.0}, 600, 9),
    "5,000 x 10, p = 1": ("CSVOR", {}, 5_000, 10),
    "200,000 x 10, p = 1": ("CSVOR", {}, 200_000, 10),
    "200,000 x 10, p = 1.5": ("CSVOR", {"p": 1.5}, 200_000, 10),
    "200,000 x 10, epsilon = 2": ("CSVOR", {"epsilon": 2.0}, 200_000, 10),
    "1,000,000 x 10, p = 1": ("CSVOR", {}, 1_000_000, 10),
    "60,000 x 50, p = 1": ("CSVOR", {}, 60_000, 50),
    "400 x 8, RBF": ("CSVOR", {"kernel": "rbf"}, 400, 8),
    "400 x 8, logistic": ("CSVOR", {"loss": "logistic"}, 400, 8),
    "400 x 8, exponential": ("CSVOR", {"loss": "exponential"}, 400, 8),
    "50,000 x 8, logistic": ("CSVOR", {"loss": "logistic"}, 50_000, 8),
    "600 x 9, SVOREX": ("SVOREX", {}, 600, 9),
    "200 x 9, PINSVOR": ("PINSVOR", {}, 200, 9),
}


def measure(tasks):
    """The least time of each of the tasks, in the package that this process imports."""
    from speed import problem

    import csvor

    found = {}
    for name in tasks:
        method, parameters, n, d = TASKS[name]
        X, y, _ = problem(n, d)
        make = getattr(csvor, method)
        make(**parameters).fit(X, y)  # compiled code is read, pages are there
        times = []
        until = time.perf_counter() + 0.5
        while len(times) < 3 or time.perf_counter() < until:
            start = time.perf_counter()
            make(**parameters).fit(X, y)
            times.append(time.perf_counter() - start)
        found[name] = min(times)
    return found


def last_release(head):
    """The nearest tag before a commit, None where there is none."""
    command = ["git", "-C", str(ROOT), "describe", "--tags", "--abbrev=0", f"{head}^"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def check_out(commit, folder):
    subprocess.run(
        ["git", "-C", str(ROOT), "worktree", "add", "--detach", str(folder), commit],
        check=True,
        capture_output=True,
    )


def compare(base, head, rounds, tasks):
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place, "base"), Path(place, "head")]
        try:
            for commit, folder in zip((base, head), folders, strict=True):
                check_out(commit, folder)
            runs = [[], []]
            for i in range(rounds):
                for side in (0, 1) if i % 2 else (1, 0):
                    print(f"round {i + 1} of {rounds}: {(base, head)[side]}", file=sys.stderr)
                    runs[side].append(in_checkout(folders[side], tasks))
        finally:
            for folder in folders:
                subprocess.run(
                    ["git", "-C", str(ROOT), "worktree", "remove", "--force", str(folder)],
                    check=False,
                    capture_output=True,
                )
    return [{name: min(run[name] for run in side) for name in tasks} for side in runs]


def in_checkout(folder, tasks):
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    command = [sys.executable, __file__, "--measure", json.dumps(tasks)]
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{folder.name} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", nargs="?", help="default: the last release")
    parser.add_argument("head", nargs="?", default="HEAD")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="tasks that have this in their name")
    parser.add_argument("--measure", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    tasks = [name for name in TASKS if options.only in name]
    if not tasks:
        parser.error(f"--only {options.only}: no task has this in its name")
    base = options.base or last_release(options.head)
    if base is None:
        parser.error("no release has a tag yet: name the commit to compare with")
    old, new = compare(base, options.head, options.rounds, tasks)
    ratios = {name: new[name] / old[name] for name in tasks}
    slower = [name for name in tasks
              if ratios[name] > 1 + SHARE and new[name] - old[name] > SECONDS]  # fmt: skip
    rows = [[name, f"{1e3 * old[name]:.2f} ms", f"{1e3 * new[name]:.2f} ms", f"{ratio:.2f}",
             "slower" if name in slower else ""] for name, ratio in ratios.items()]  # fmt: skip
    print(markdown(["task", base, options.head, "ratio", ""], rows))
    print(f"geometric mean of the ratios: {np.exp(np.mean(np.log(list(ratios.values())))):.3f}")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
