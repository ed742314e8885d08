"""How does a template become a page that needs no other file?"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from csvor import __version__
from csvor._utils.words import are, nouns, plural

# The foot of each page begins with it.
WRITTEN = f"Written by csvor {__version__}"


def rendered(template: str, **values: Any) -> str:
    """The page that a template makes of values; all text is escaped but for `Markup`."""
    return _environment().get_template(template).render(**values)


def static(name: str) -> str:
    """A style sheet or script that stands inside a page as it is."""
    return files("csvor.report").joinpath("static", name).read_text(encoding="utf-8")


def _static_markup(name: str) -> Markup:
    return Markup(static(name))


def _unbroken(text: str) -> str:
    """A sentence whose percentages and p-values stand on one line, by no-break spaces."""
    return re.sub(r"(?<=\d) (?=%)|(?<=\bp) (?=[<=] )|(?<=\bp [<=]) ", "\u00a0", text)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("csvor.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["unbroken"] = _unbroken
    environment.globals |= {
        "static": _static_markup,
        "plural": plural,
        "nouns": nouns,
        "are": are,
        "written": WRITTEN,
    }
    return environment
