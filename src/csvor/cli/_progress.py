"""Progress on standard error: for people at a terminal, and only when it takes a while."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show `what`, and how far it is if there is a `total`, once a second has passed.

    Yields ``update(done, total)``, which does nothing where standard error is no terminal.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns: list[ProgressColumn] = [SpinnerColumn(_spinner()), TextColumn("{task.description}")]
    if total is None:
        columns += [TimeElapsedColumn()]
    else:
        columns += [BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn()]
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total)
    with _started_late(bar):
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def text_progress(what: str) -> Iterator[Callable[[int, int, Callable[[float], str]], None]]:
    """As `progress`, for work that knows itself how long it will take.

    Yields ``update(done, total, text_after)``; ``text_after(seconds)``, of the seconds
    since this update, stands behind the bar and moves on with the clock.
    """
    if not sys.stderr.isatty():
        yield lambda done, total, text_after: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    class TextAfter(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(task.fields["text_after"](time.monotonic() - task.fields["since"]))

    columns = (SpinnerColumn(_spinner()), TextColumn(what), BarColumn(bar_width=20), TextAfter())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None, text_after=lambda seconds: "", since=time.monotonic())
    with _started_late(bar):
        yield lambda done, total, text_after: bar.update(
            task, completed=done, total=total, text_after=text_after, since=time.monotonic()
        )


def _spinner() -> str:
    """The name that rich gives to a spinner which the terminal can show."""
    return "dots" if (sys.stderr.encoding or "").lower().startswith("utf") else "line"


@contextmanager
def _started_late(bar: Any) -> Iterator[None]:
    """Start a bar once a second has passed, and take it away at the end.

    A line above it says what is compiled inside.
    """
    from csvor._utils.compile import announcing_compilation

    lock, over = threading.Lock(), threading.Event()

    def begin() -> None:
        with lock:
            if not over.is_set():
                bar.start()

    timer = threading.Timer(PATIENCE, begin)
    timer.daemon = True
    timer.start()
    try:
        with announcing_compilation(lambda line: bar.console.print(line, highlight=False)):
            yield
    finally:
        over.set()
        timer.cancel()
        with lock:
            bar.stop()
