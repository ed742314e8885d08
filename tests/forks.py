"""Children that are forked while threads fit, each with one fit of its own.

`children` tells how many gave the answer of a fit alone, another one, or none (case N58).
``python tests/forks.py 200`` forks so many beside two threads.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import numpy as np

from csvor import CSVOR

PATIENCE = 20.0


def status_of(child: int) -> int | None:
    """The exit status of a child; None where it hangs, and is killed."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _rows() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(100, 6))
    return X, np.digitize(X @ [1.0, 2.0, -1.0, 0.0, 0.5, 0.0], [-1.0, 1.0])


@contextmanager
def _fitting(n_threads: int) -> Iterator[None]:
    """So many threads fit again and again inside."""
    X, y = _rows()
    over = Event()

    def go_on() -> None:
        while not over.is_set():
            CSVOR().fit(X, y)

    threads = [Thread(target=go_on, daemon=True) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(PATIENCE)


def children(n_children: int, n_threads: int) -> Counter[int | None]:
    """How many children ended in each way: 0 with the right answer, 1 without, None hangs."""
    X, y = _rows()
    expected, ended = CSVOR().fit(X, y).coef_, Counter[int | None]()
    with _fitting(n_threads):
        for _ in range(n_children):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    status = int(not np.array_equal(CSVOR().fit(X, y).coef_, expected))
                finally:
                    os._exit(status)
            ended[status_of(child)] += 1
    return ended


if __name__ == "__main__":
    start, counted = time.monotonic(), children(int(sys.argv[1]), n_threads=2)
    print(dict(counted), f"{time.monotonic() - start:.0f} s")
    print(f"{counted.total()} children, {counted.total() - counted[0]} faults")
    sys.exit(int(counted[0] < counted.total()))
