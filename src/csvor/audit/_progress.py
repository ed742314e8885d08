"""How is `progress=True` drawn?"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from csvor._utils.compile_events import announcing_compilation

_Work = TypeVar("_Work", bound=Callable[..., Any])


def drawing_progress(work: _Work) -> _Work:
    """With a bar for ``progress=True``, in a terminal or a notebook, and none for False."""

    @wraps(work)
    def with_bar(*args: Any, progress: Any = None, **options: Any) -> Any:
        if progress is not True:
            return work(*args, progress=progress or None, **options)
        from rich.progress import Progress

        with Progress() as bar, announcing_compilation(bar.console.print):
            task = bar.add_task(work.__name__, total=None)

            def update(done: int, total: int) -> None:
                bar.update(task, completed=done, total=total)

            return work(*args, progress=update, **options)

    return with_bar  # type: ignore[return-value]
