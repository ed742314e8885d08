"""What README.md and docs/ show: Python blocks run and print what they say, commands exist."""

import contextlib
import io
import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

import csvor
from csvor.cli.commands._app import app

# Figures here are those of whole audits.
ALL_TREES = True

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Contents, statements, commands, other files; and a change to the source.
WITHOUT_PYTHON = {
    "index.md", "guides.md", "studies.md", "background.md", "news.md", "algorithm.md", "compare.md",
    "limits.md", "release_0.2.md", "cli.md", "files.md", "changes.md", "measured.md", "new_loss.md",
    "real_errors.md", "architecture.md", "map.md", "install.md", "help.md", "options.md", "faq.md",
    "refusals.md", "glossary.md", "releasing.md",
}  # fmt: skip


class Block(NamedTuple):
    language: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a Markdown page, in order, each with the line it starts on."""
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    return [Block(m[1], m[2], page[: m.start(2)].count("\n") + 1) for m in found]


def run_python(page: str, name: str) -> int:
    """Run a page's Python blocks in one namespace; a text block after one is its output."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    found = blocks(page)
    for block, after in zip_longest(found, found[1:]):
        if block.language != "python":
            continue
        code = compile("\n" * (block.line - 1) + block.text, name, "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, namespace)
        if after is not None and after.language == "text":
            assert printed.getvalue() == after.text, f"{name}, line {after.line}"
    return sum(block.language == "python" for block in found)


def commands(page: str) -> Iterator[list[str]]:
    """The single commands of a page's shell blocks: pipes, redirections and lists taken apart."""
    for block in blocks(page):
        if block.language != "sh":
            continue
        for line in block.text.replace("\\\n", " ").splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
            lexer.whitespace_split = True
            words: list[str] = []
            for token in lexer:
                if token[:1] in {"|", "&", ";"}:
                    yield words
                    words = []
                else:
                    words.append(token)
            if words:
                yield words


def check_csvor(words: list[str]) -> None:
    """Raise typer's own usage error when a `csvor ...` command names what does not exist."""
    words = list(takewhile(lambda word: word[:1] not in {"<", ">"}, words))
    command: Any = typer.main.get_command(app)
    context = typer.Context(command, info_name="csvor")
    rest = words[1:]
    while True:
        values, rest, _ = command.make_parser(context).parse_args(rest)
        if "help" in values:
            return
        missing = [p.name for p in command.params if p.required and values.get(p.name) is None]
        assert not missing, f"{shlex.join(words)}: {missing} not given"
        if not hasattr(command, "commands"):
            break
        if not rest and command.invoke_without_command:
            return
        assert rest and rest[0] in command.commands, f"{shlex.join(words)}: no such command"
        command = command.commands[rest[0]]
        context = typer.Context(command, parent=context, info_name=rest[0])
        rest = rest[1:]
    assert not rest, f"{shlex.join(words)}: {rest} left over"


def check_command(words: list[str]) -> None:
    if words[0] == "csvor":
        check_csvor(words)
    elif words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))
        goals = {word for word in words[1:] if "=" not in word}
        assert goals <= targets, f"make has no {goals - targets}"
    else:
        assert words[0] in {"cat", "cd", "gunzip", "pip", "python"}, f"unknown: {words[0]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name == "scale.md":
        pytest.importorskip("dask")
    monkeypatch.chdir(tmp_path)
    n_run = run_python(page.read_text(encoding="utf-8"), str(page))
    assert n_run > 0 or page.name in WITHOUT_PYTHON


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page: Path) -> None:
    for words in commands(page.read_text(encoding="utf-8")):
        check_command(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Links between the pages name files that exist."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if target != "auto_examples/index.rst":  # made when the site is built
            assert (page.parent / target).exists(), target


def test_readme_names_the_main_commands() -> None:
    shown = list(commands((ROOT / "README.md").read_text(encoding="utf-8")))
    assert ["make", "demo"] in shown
    assert ["make", "test"] in shown
    assert any(words[:2] == ["csvor", "audit"] for words in shown)


def test_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert csvor.__version__ == project["version"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([\d.]+)", changes, flags=re.MULTILINE)[0] == csvor.__version__


def test_wrong_output_and_errors_are_seen() -> None:
    with pytest.raises(AssertionError, match="line 5"):
        run_python("```python\nprint(1)\n```\n```text\n2\n```\n", "page")
    with pytest.raises(ZeroDivisionError):
        run_python("```python\nx = 0\n```\n\n```python\n1 / x\n```\n", "page")


@pytest.mark.parametrize(
    "line",
    [
        "csvor nothing",
        "csvor audit a.csv --target y --nothing 1",
        "csvor audit --target y",
        "csvor audit a.csv",
        "csvor audit a.csv b.csv --target y",
        "make it",
    ],
)
def test_wrong_commands_are_seen(line: str) -> None:
    (words,) = commands(f"```sh\n{line}  # a comment\n```\n")
    with pytest.raises(Exception, match=r"(?i)no such|left over|not given|make has no|missing"):
        check_command(words)


def test_commands_are_taken_apart() -> None:
    page = "```sh\ncat a.csv | csvor audit - \\\n  --target 'my grade' > b.csv  # all\n```\n"
    assert list(commands(page)) == [
        ["cat", "a.csv"],
        ["csvor", "audit", "-", "--target", "my grade", ">", "b.csv"],
    ]
