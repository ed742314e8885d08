"""Which version of csvor is this, and which one wrote a pickle?"""

from __future__ import annotations

from typing import Any

from csvor._utils.warn import AdvisedWarning, Remedy, warn

VERSION = "0.2.0"
_KEY = "_csvor_version"


class OtherVersionWarning(AdvisedWarning):
    """A pickle or a model file was written by another version of csvor."""

    def __init__(self, written_by: str | None) -> None:
        writer = "an unknown version of csvor" if written_by is None else f"csvor {written_by}"
        again = "" if written_by is None else f", or read it with {writer}"
        super().__init__(
            f"This was written by {writer} and is read by csvor {VERSION}, which may predict "
            "otherwise",
            Remedy(f"fit it anew{again}"),
        )
        self.written_by, self.read_by = written_by, VERSION


class Versioned:
    """An estimator whose pickles hold the version of csvor, as scikit-learn's do theirs."""

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), _KEY: VERSION}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        written_by = state.get(_KEY)
        if written_by != VERSION:
            warn(OtherVersionWarning(written_by))
        named = {name: value for name, value in state.items() if name != _KEY}
        super().__setstate__(named)  # type: ignore[misc]
