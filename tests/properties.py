"""What property tests share: fixed examples, and the command line as a user calls it."""

from typing import Any

from hypothesis import HealthCheck, Phase, settings
from typer.testing import CliRunner, Result

from csvor.cli.commands._app import app

# The same examples in each run, so that a failure is one of the change and not of the draw.
FIXED = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def examples(n: int) -> settings:
    """So many examples, the same in each run."""
    return settings(FIXED, max_examples=n)


def run(*args: Any) -> Result:
    """A command of `csvor` that has to succeed."""
    result = attempt(*args)
    assert result.exit_code == 0, result.stderr
    return result


def attempt(*args: Any) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])
