"""How are all faults of a file told in one report?"""

from collections.abc import Iterator
from contextlib import contextmanager

from csvor.cli._errors import CommandError, FaultsError, UsageError, about


class Faults:
    """Collects what is wrong with a file, so that one run tells all of it."""

    def __init__(self) -> None:
        self.found: list[CommandError] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep the fault that ends the work inside; a wrong use is none of the file's."""
        try:
            yield
        except UsageError:
            raise
        except FaultsError as several:
            self.found += several.faults
        except CommandError as fault:
            self.found.append(fault)

    def refuse(self, source: str = "") -> None:
        """Raise what was found, if anything was; `source` is the name of the file."""
        if len(self.found) > 1:
            raise FaultsError(self.found, source)
        for fault in self.found:
            if not source:
                raise fault
            with about(source):
                raise fault
