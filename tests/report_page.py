"""A page of an audit as tests read it."""

import json
import re
from html.parser import HTMLParser
from typing import Any

from typer.testing import CliRunner, Result

from csvor.cli.commands._app import app

VOID = {"meta", "img", "link", "br", "hr", "input"}


def run(*args: object) -> Result:
    """A command of csvor, in this process."""
    return CliRunner().invoke(app, list(map(str, args)))


class Page(HTMLParser):
    """What a page holds, by element; tags have to be closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, Any]]] = []
        self.texts: list[tuple[list[str], dict[str, Any], str]] = []
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.html = html
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(self.tags[-1])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.append(([tag for tag, _ in self.open], self.open[-1][1], data))

    def rows(self) -> list[dict[str, Any]]:
        """The attributes of each row that is listed."""
        return [attrs for tag, attrs in self.tags if tag == "tr" and "data-row" in attrs]

    def text(self) -> str:
        """All that is read."""
        out = [t for tags, _, t in self.texts if not {"script", "style"} & set(tags)]
        return " ".join(" ".join(out).split())

    def json(self, name: str) -> Any:
        """What a script of data holds."""
        there = [t for tags, a, t in self.texts if tags[-1] == "script" and a.get("id") == name]
        return json.loads("".join(there))

    def _part(self, row: str) -> str:
        """The source of a listed row, with its features."""
        part = self.html.split(f'<tr data-row="{row}"')[1].split("<tr data-row=")[0]
        return part.split("<table", 1)[1].split("</table>")[0]

    def details(self, row: str) -> dict[str, list[str]]:
        """The values of each feature of a row, then what stands beside them."""
        lines = re.findall(r"<tr>(.*?)</tr>", self._part(row).split("<tbody>")[1], re.DOTALL)
        cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in lines]
        return {name: values for name, *values in cells}

    def neighbours(self, row: str) -> list[int]:
        """The numbers of the rows that stand beside a row."""
        return [int(n) for n in re.findall(r">row (\d+)", self._part(row).split("</thead>")[0])]
