"""An attribute that is computed when it is first asked for."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801
        """As in Python 3.12: without a lock, which a fork in another thread leaves locked (N58)."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """Compute the attribute and keep it where the next look finds it."""
            if instance is None:
                return self
            value = vars(instance)[self.attrname] = self.func(instance)
            return value


__all__ = ["cached_property"]
