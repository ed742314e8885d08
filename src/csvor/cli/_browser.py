"""How does a page that was written come up in the browser?"""

import webbrowser
from pathlib import Path
from typing import Any

from rich.console import Console

from csvor.cli._render import print_facts


def open_page(path: str | Path, out: Console) -> None:
    """Open a page in the browser, and print its address; without a browser say so."""
    address = Path(path).resolve().as_uri()
    try:
        opened = webbrowser.open(address)
    except webbrowser.Error:
        opened = False
    without = "" if opened else " (no browser could be opened from here)"
    print_facts(out, [("Page", f"{address}{without}")])


def open_report(options: Any, out: Console) -> None:
    """Open the page of a command's options (`report`) if they ask for it (`open`)."""
    if options.open:
        open_page(options.report, out)
