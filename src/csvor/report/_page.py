"""How does all of it become one page?"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import Any, Protocol

from csvor.report._tables import Table, escape_markdown, to_html, to_markdown


class Drawn(Protocol):
    """What a page asks of a picture."""

    name: str
    caption: str
    wide: bool

    @property
    def svg(self) -> bytes: ...

    @property
    def pdf(self) -> bytes: ...


@dataclass(frozen=True, eq=False)
class Section:
    """A part of the report: sentences, then tables and pictures; `more` is folded away."""

    key: str
    title: str
    sentences: Sequence[str] = ()
    items: Sequence[Any] = ()
    more: Sequence[Any] = ()
    more_title: str = ""

    @property
    def filled(self) -> bool:
        return bool(self.sentences or self.items or self.more)

    @property
    def tables(self) -> list[Table]:
        return [item for item in (*self.items, *self.more) if isinstance(item, Table)]

    @property
    def pictures(self) -> list[Drawn]:
        return [item for item in (*self.items, *self.more) if not isinstance(item, Table)]


def with_unique_names(sections: Sequence[Section]) -> list[Section]:
    """Names that are file names, and no two alike."""
    taken: set[tuple[type, str]] = set()

    def named(item: Any) -> Any:
        stem = re.sub(r"[^\w.-]+", "_", item.name).strip("._") or "unnamed"
        name, n = stem, 1
        while (type(item), name.lower()) in taken:
            n += 1
            name = f"{stem}_{n}"
        taken.add((type(item), name.lower()))
        return replace(item, name=name)

    return [
        replace(s, items=[named(i) for i in s.items], more=[named(i) for i in s.more])
        for s in sections
    ]


def html_page(title: str, lead: str, sections: Sequence[Section], footer: str) -> str:
    """One page that needs no other file; the first section is the summary."""
    css = files("csvor.report").joinpath("page.css").read_text(encoding="utf-8")
    links = "".join(f'<li><a href="#{s.key}">{escape(s.title)}</a></li>' for s in sections)
    body = "\n".join(_section(section, first=i == 0) for i, section in enumerate(sections))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{css}</style>
</head>
<body>
<header><h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p>
<nav aria-label="Contents"><ul>{links}</ul></nav></header>
<main>
{body}
</main>
<footer><p>{escape(footer)}</p></footer>
</body>
</html>
"""


def markdown_page(title: str, lead: str, sections: Sequence[Section], footer: str) -> str:
    """The same as Markdown, with the pictures as files beside it."""
    parts = [f"# {escape_markdown(title)}", escape_markdown(lead)]
    for section in sections:
        parts.append(f"## {escape_markdown(section.title)}")
        if section.sentences:
            parts.append("\n".join(f"- {escape_markdown(text)}" for text in section.sentences))
        parts += [to_markdown(table).rstrip() for table in section.tables]
        parts += [
            f"![{escape_markdown(picture.caption)}](figures/{picture.name}.svg)"
            for picture in section.pictures
        ]
    return "\n\n".join([*parts, escape_markdown(footer)]) + "\n"


def _section(section: Section, *, first: bool) -> str:
    sentences = "".join(f"<li>{escape(text)}</li>" for text in section.sentences)
    listed = f"<ul>{sentences}</ul>" if sentences else ""
    if first:
        listed = f'<div class="summary">{listed}</div>'
    more = ""
    if section.more:
        title = escape(section.more_title)
        more = f"<details><summary>{title}</summary>{_items(section.more)}</details>"
    return (
        f'<section id="{section.key}"><h2>{escape(section.title)}</h2>'
        f"{listed}{_items(section.items)}{more}</section>"
    )


def _items(items: Sequence[Any]) -> str:
    """Tables and pictures in order; narrow pictures that follow each other stand side by side."""

    def narrow(item: Any) -> bool:
        return not isinstance(item, Table) and not item.wide

    parts = []
    for beside, group in groupby(items, key=narrow):
        text = "".join(to_html(i) if isinstance(i, Table) else _picture(i) for i in group)
        parts.append(f'<div class="pair">{text}</div>' if beside else text)
    return "".join(parts)


def _picture(picture: Drawn) -> str:
    # As a document of its own: names inside one picture cannot meet those of another.
    data = b64encode(picture.svg).decode()
    caption = escape(picture.caption)
    return (
        f'<figure class="picture" id="picture-{escape(picture.name)}"><figcaption>{caption}'
        f'</figcaption><img alt="{caption}" src="data:image/svg+xml;base64,{data}"></figure>'
    )
