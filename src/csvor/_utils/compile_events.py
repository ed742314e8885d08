"""Who is told that loops are compiled? Without Numba, which takes a second to import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Who wants to know of compilations at the moment.
_listeners: list[Callable[[str], None]] = []


@contextmanager
def announcing_compilation(tell: Callable[[str], None]) -> Iterator[None]:
    """Tell in one line, at the first compilation inside, that it takes its time.

    Machine code that is found on disk is no compilation.
    """
    announced = False

    def tell_once(line: str) -> None:
        nonlocal announced
        if not announced:
            announced = True
            tell(line)

    _listeners.append(tell_once)
    try:
        yield
    finally:
        _listeners.remove(tell_once)


def announce(line: str) -> None:
    """Tell all of them."""
    for listener in tuple(_listeners):
        listener(line)
