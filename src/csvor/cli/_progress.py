"""Progress on standard error: for people at a terminal, and only when it takes a while."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from csvor._utils.compile_events import announcing_compilation

PATIENCE = 1.0


@contextmanager
def compiling_told_late() -> Iterator[None]:
    """Where there is no terminal, a line says what is compiled, once a second has passed."""
    timers: list[threading.Timer] = []

    def tell_late(line: str) -> None:
        timers.append(threading.Timer(PATIENCE, print, [line], {"file": sys.stderr}))
        timers[-1].daemon = True
        timers[-1].start()

    try:
        with nullcontext() if sys.stderr.isatty() else announcing_compilation(tell_late):
            yield
    finally:
        for timer in timers:
            timer.cancel()


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show `what`, and how far it is if there is a `total`, once a second has passed.

    Yields ``update(done, total)``, which does nothing where standard error is no terminal.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    timing: list[Any] = [TimeElapsedColumn()]
    if total is not None:
        timing = [BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn()]
    with _shown_late(TextColumn("{task.description}"), *timing) as bar:
        task = bar.add_task(what, total=total)
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
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class TextAfter(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(task.fields["text_after"](time.monotonic() - task.fields["since"]))

    with _shown_late(TextColumn(what), BarColumn(bar_width=20), TextAfter()) as bar:
        task = bar.add_task("", total=None, text_after=lambda seconds: "", since=time.monotonic())
        yield lambda done, total, text_after: bar.update(
            task, completed=done, total=total, text_after=text_after, since=time.monotonic()
        )


@contextmanager
def _shown_late(*columns: Any) -> Iterator[Any]:
    """A bar behind a spinner that starts once a second has passed, and goes at the end.

    A line above it says what is compiled inside.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn

    can_show_dots = (sys.stderr.encoding or "").lower().startswith("utf")
    spinner = SpinnerColumn("dots" if can_show_dots else "line")
    bar = Progress(spinner, *columns, console=Console(stderr=True), transient=True)
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
            yield bar
    finally:
        over.set()
        timer.cancel()
        with lock:
            bar.stop()
