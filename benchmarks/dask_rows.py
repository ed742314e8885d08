"""Rows on disk and on workers: what a fit costs beside one in memory.

    python benchmarks/dask_rows.py FOLDER [--rows 20000000] [--limit-mb 1000]

Writes `results/dask_rows.md`. Each fit runs in a process of its own, the one on disk in a
control group of that many MB, which counts pages of files too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS, PART = 20, 400_000
# On workers, so many fits are timed after two that are not.
FITS = 3


def write_rows(folder: Path, n: int) -> None:
    """Quintiles of a noisy score, a tenth of the labels drawn anew."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / f"X{n}.npy").exists():
        return
    X = np.lib.format.open_memmap(folder / f"X{n}.npy", "w+", np.float32, (n, COLUMNS))
    y = np.empty(n, dtype=np.int8)
    cuts = np.sqrt(COLUMNS + 4.0) * np.array([-0.8416, -0.2533, 0.2533, 0.8416])
    for start in range(0, n, PART):
        rng = np.random.default_rng(start)
        stop = min(start + PART, n)
        X[start:stop] = rng.standard_normal((stop - start, COLUMNS), dtype=np.float32)
        score = X[start:stop].sum(axis=1) + 2.0 * rng.standard_normal(stop - start)
        y[start:stop] = np.digitize(score, cuts)
        wrong = rng.random(stop - start) < 0.1
        y[start:stop][wrong] = rng.integers(0, 5, int(wrong.sum()))
    X.flush()
    np.save(folder / f"y{n}.npy", y)


def limited(limit: int) -> Path | None:
    """A control group with so many MB, pages of files among them; None where there can be none."""
    for base, name in (("", "memory.max"), ("memory", "memory.limit_in_bytes")):
        above = Path("/sys/fs/cgroup") / base
        if not (above / "cgroup.procs").exists():
            continue
        group = above / "csvor-benchmark"
        try:
            group.mkdir(exist_ok=True)
            (group / name).write_text(str(limit * 2**20))
        except OSError:
            continue
        return group
    return None


def watch(stop: threading.Event, found: list[int]) -> None:
    """The most that this process held itself (mapped files apart), in MB, every 20 ms."""
    while not stop.wait(0.02):
        text = Path("/proc/self/status").read_text()
        held = dict(line.split(":", 1) for line in text.splitlines())
        found[0] = max(found[0], int(held["RssAnon"].split()[0]) // 1024)


def part_of_file(path: Path, start: int, stop: int) -> np.ndarray:
    return np.load(path, mmap_mode="r")[start:stop]


def rows_of_file(path: Path) -> object:
    """Rows that are read where they are needed; `da.from_array` would copy the whole file."""
    import dask.array as da
    from dask import delayed

    whole = np.load(path, mmap_mode="r")
    read, parts = delayed(part_of_file), []
    for start in range(0, whole.shape[0], PART):
        stop = min(start + PART, whole.shape[0])
        shape = (stop - start, *whole.shape[1:])
        parts.append(da.from_delayed(read(path, start, stop), shape, whole.dtype))
    return da.concatenate(parts)


def one_fit(folder: Path, n: int, where: str, limit: int) -> dict[str, object]:
    """A fit in this process, after a small one for which loops are loaded."""
    from csvor import CSVOR

    group, is_here = None, where == "memory"
    names = folder / f"X{n}.npy", folder / f"y{n}.npy"
    if is_here:
        X, y = map(np.load, names)
        CSVOR().fit(X[:20_000], y[:20_000])
    else:
        import dask

        group = limited(limit)
        if group is not None:
            (group / "cgroup.procs").write_text("0")
        dask.config.set(scheduler="threads")
        X, y = map(rows_of_file, names)
        with dask.config.set({"csvor.memory-limit": "100kB"}):
            CSVOR().fit(X[:20_000], y[:20_000])
    with names[0].open("rb") as file:  # what others have read of it is forgotten
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    reading = time.perf_counter()
    if not is_here:
        np.load(names[0], mmap_mode="r").sum()
    reading = time.perf_counter() - reading
    stop, most = threading.Event(), [0]
    watcher = threading.Thread(target=watch, args=(stop, most))
    watcher.start()
    begin, cpu = time.perf_counter(), time.process_time()
    model = CSVOR().fit(X, y)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    stop.set()
    watcher.join()
    return {
        "seconds": seconds, "cpu": cpu, "peak": most[0], "objective": model.objective_,
        "rounds": model.n_iter_, "coef": model.coef_.tolist(),
        "traffic": getattr(model, "traffic_", None), "limited": group is not None,
        "reading": reading,
    }  # fmt: skip


def run(*arguments: object) -> Any:
    command = [sys.executable, __file__, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def on_workers(folder: Path, n: int, counts: tuple[int, ...]) -> list[dict[str, object]]:
    """Fits of rows that are held, by threads of this process and by worker processes."""
    import dask
    from distributed import Client, LocalCluster

    from csvor import CSVOR

    names = folder / f"X{n}.npy", folder / f"y{n}.npy"
    in_memory = CSVOR().fit(*map(np.load, names))
    found = []

    def fit(name: str, cpu_of_workers: object) -> None:
        X, y = dask.persist(*map(rows_of_file, names))
        for _ in range(2):  # loops are loaded, and memory is there
            CSVOR().fit(X, y)
        of_workers, here, begin = cpu_of_workers(), time.process_time(), time.perf_counter()
        for _ in range(FITS):
            model = CSVOR().fit(X, y)
        seconds, here = time.perf_counter() - begin, time.process_time() - here
        found.append(
            {
                "name": name, "seconds": seconds / FITS, "here": here / FITS,
                "workers": (cpu_of_workers() - of_workers) / FITS,
                "coef": float(np.abs(model.coef_ - in_memory.coef_).max()),
                "objective": model.objective_ / in_memory.objective_ - 1.0,
                "traffic": model.traffic_,
            }
        )  # fmt: skip

    with dask.config.set(scheduler="threads"):
        fit("threads", lambda: 0.0)
    # Else workers give back all that they let go of, and ask the system for it anew.
    keep = dict.fromkeys(("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"), 2**28)
    dask.config.set({"distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, **keep}})
    # Nor are their stacks sampled, which is work of their own.
    dask.config.set({"distributed.worker.profile.enabled": False})
    for count in counts:
        cluster = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
        with cluster, Client(cluster) as client:
            fit(
                f"{count} worker{'s' if count > 1 else ''}",
                lambda client=client: sum(client.run(time.process_time).values()),
            )
    return found


def page(n: int, of_file: dict[str, dict[str, Any]], m: int, of_workers: list[Any]) -> str:
    disk, memory = of_file["disk"], of_file["memory"]
    apart = max(abs(a - b) for a, b in zip(disk["coef"], memory["coef"], strict=True))
    lines = [
        "# Rows on disk and on workers",
        "",
        "`python benchmarks/dask_rows.py FOLDER`, on two cores that other work may share: CPU "
        "seconds are what to compare.",
        "",
        f"## {n:,} x {COLUMNS} float32 on disk",
        "",
        f"`CSVOR()`, parts of {PART:,} rows by dask's threads"
        + (", in a control group of 1000 MB (pages of files count)." if disk["limited"] else "."),
        "",
        "| rows | seconds | CPU seconds | MB held, files apart | objective | passes | MB sent "
        "| MB back |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, told in of_file.items():
        lines.append(
            f"| {name} | {told['seconds']:.1f} | {told['cpu']:.1f} | {told['peak']} | "
            f"{told['objective']:.8g} | {_moved(told['traffic'])} |"
        )
    lines += [
        "",
        f"Reading the file once, by one thread, takes {disk['reading']:.1f} s under this limit.",
        f"Objectives differ by {abs(disk['objective'] / memory['objective'] - 1.0):.1e} of it, "
        f"coefficients by {apart:.1e} at most.",
        "",
        f"## {m:,} x {COLUMNS} float32 held by threads and by workers",
        "",
        f"The mean of {FITS} fits after two, against NumPy on the same rows. Workers keep what "
        "memory they let go of, and do not sample their stacks (see the page).",
        "",
        "| who | seconds | CPU seconds here | of workers | coefficients apart | objectives apart "
        "| passes | MB sent | MB back |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for told in of_workers:
        cpu = f"{told['here']:.1f} | {told['workers']:.1f}"
        apart_by = f"{told['coef']:.1e} | {told['objective']:.1e}"
        moved = _moved(told["traffic"])
        lines.append(f"| {told['name']} | {told['seconds']:.1f} | {cpu} | {apart_by} | {moved} |")
    return "\n".join(lines) + "\n"


def _moved(traffic: dict[str, int] | None) -> str:
    if traffic is None:
        return "| |"
    sent, back = traffic["bytes_out"] / 1e6, traffic["bytes_back"] / 1e6
    return f"{traffic['passes']} | {sent:.1f} | {back:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rows-of-workers", type=int, default=4_000_000)
    parser.add_argument("--limit-mb", type=int, default=1000)
    parser.add_argument("--one", choices=["memory", "disk", "workers"])
    options = parser.parse_args()
    n = options.rows
    if options.one == "workers":
        print(json.dumps(on_workers(options.folder, n, (1, 2, 4))))
    elif options.one:
        print(json.dumps(one_fit(options.folder, n, options.one, options.limit_mb)))
    if options.one:
        return
    m = options.rows_of_workers
    write_rows(options.folder, n)
    write_rows(options.folder, m)
    limit = "--limit-mb", options.limit_mb
    of_file = {
        where: run(options.folder, "--rows", n, *limit, "--one", where)
        for where in ("memory", "disk")
    }
    of_workers = run(options.folder, "--rows", m, "--one", "workers")
    text = page(n, of_file, m, of_workers)
    (Path(__file__).parent / "results" / "dask_rows.md").write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
