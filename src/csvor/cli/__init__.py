"""The command line: `csvor audit`, `csvor fit`, `csvor predict`, `csvor demo`."""

from csvor.cli._app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line on `sys.argv` and leave with its exit status."""
    app()
