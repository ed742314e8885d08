"""The command line: `csvor audit`, `csvor fit`, `csvor predict`, `csvor show` and others."""

import atexit
import os
import signal
import sys

from csvor._utils.interrupts import is_interrupt

__all__ = ["main"]


def main() -> None:
    """Run the command line on `sys.argv` and leave with its exit status."""
    _open_closed_streams()
    try:
        # Inside, so that Ctrl-C while this is imported is no traceback either.
        from csvor.cli._progress import compiling_told_late
        from csvor.cli.commands._app import app

        with compiling_told_late():
            app()
    except (Exception, KeyboardInterrupt) as error:
        if not is_interrupt(error):
            raise
        print("csvor: interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        # The work is over: while Python ends, Ctrl-C would only be a traceback.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def _open_closed_streams() -> None:
    """Let what was closed (`>&-`) lead nowhere: else the next file that is opened would be it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
