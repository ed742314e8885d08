"""Decisions about labels: read, checked, written and compared, for Python and the command line."""

from csvor._decisions.decision import Decision, Decisions
from csvor._decisions.read import read_decisions

__all__ = ["Decision", "Decisions", "read_decisions"]

# The name that users import is not where the code lies.
Decisions.__module__ = read_decisions.__module__ = "csvor"
