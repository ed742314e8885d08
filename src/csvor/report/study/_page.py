"""How does all of it become one page?"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from csvor.report._templates import WRITTEN, rendered
from csvor.report.study._tables import ReportTable, escape_markdown, to_markdown

if TYPE_CHECKING:  # it needs matplotlib
    from csvor.report.study._pictures import Picture


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
    def tables(self) -> list[ReportTable]:
        return [item for item in (*self.items, *self.more) if isinstance(item, ReportTable)]

    @property
    def pictures(self) -> list[Picture]:
        return [item for item in (*self.items, *self.more) if not isinstance(item, ReportTable)]


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


def html_page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """One page that needs no other file; the first section is the summary."""
    return rendered(
        "study.html",
        title=title,
        lead=lead,
        sections=sections,
        titles=[(section.key, section.title) for section in sections],
        grouped=_grouped,
        is_table=_is_table,
        base64=lambda data: b64encode(data).decode(),
    )


def markdown_page(title: str, lead: str, sections: Sequence[Section]) -> str:
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
    return "\n\n".join([*parts, escape_markdown(f"{WRITTEN}.")]) + "\n"


def _is_table(item: Any) -> bool:
    return isinstance(item, ReportTable)


def _grouped(items: Sequence[Any]) -> list[tuple[bool, list[Any]]]:
    """Items in order, in runs; True for narrow pictures, which stand side by side."""

    def narrow(item: Any) -> bool:
        return not _is_table(item) and not item.wide

    return [(beside, list(group)) for beside, group in groupby(items, key=narrow)]
