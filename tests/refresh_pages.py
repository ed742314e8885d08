"""Write the outputs that stand in README.md and docs/ anew, where figures have changed on purpose.

``python tests/refresh_pages.py [PAGE ...]`` runs the Python blocks of each page, and puts what they
print into the text blocks after them. Read the difference: prose around them may name figures too.
"""

import contextlib
import io
import os
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from test_readme import PAGES, blocks


def refreshed(page: str, name: str) -> str:
    """The page with the outputs that its blocks print now."""
    namespace = {"__name__": "__main__"}
    for block, after in pairwise([*blocks(page), None]):
        if block.language != "python":
            continue
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block.text, name, "exec"), namespace)
        if after is not None and after.language == "text":
            page = page.replace(f"```text\n{after.text}```", f"```text\n{printed.getvalue()}```")
    return page


def main(paths: list[Path]) -> None:
    for path in paths:
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            after = refreshed(text, str(path))
        if after != text:
            path.write_text(after, encoding="utf-8")
            print(f"written: {os.path.relpath(path)}")


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]] or PAGES)
