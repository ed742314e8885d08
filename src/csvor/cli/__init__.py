"""The command line: `csvor audit`, `csvor fit`, `csvor predict`, `csvor show` and others."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line on `sys.argv` and leave with its exit status."""
    try:
        # Inside, so that Ctrl-C while this is imported is no traceback either.
        from csvor.cli._progress import compiling_told_late
        from csvor.cli.commands._app import app

        with compiling_told_late():
            app()
    except KeyboardInterrupt:
        print("csvor: interrupted", file=sys.stderr)
        sys.exit(130)
