"""Properties of decisions: what `csvor apply` writes is the file as decided, and leads back."""

import csv
import io
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties import examples, run

# Each label of a file needs quotation marks, or none does.
LABELS = (("poor", "fair", "good"), ('po"or', '"fair"', 'good "or so"'))
TEXTS = st.text('ab1 ,;|"\t\n#é', max_size=8)


class Files(NamedTuple):
    """A table of labels and texts, and what is decided of its rows: None, or kind and label."""

    labels: list[str]
    texts: list[tuple[str, str]]
    decided: list[tuple[str, str] | None]

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        pairs = zip(self.labels, self.texts, strict=True)
        return [(text[0], label, text[1]) for label, text in pairs]

    @property
    def expected(self) -> list[tuple[str, str, str]]:
        kept = [(row, d) for row, d in zip(self.rows, self.decided, strict=True) if d != DROP]
        return [(a, d[1] if d and d[0] == "relabel" else label, b) for (a, label, b), d in kept]

    def write_decisions(self, name: str) -> None:
        with open(name, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["row", "target", "given", "decision", "label"])
            for i, decision in enumerate(self.decided):
                if decision is not None:
                    writer.writerow([i + 1, "y", self.labels[i], *decision])


DROP = ("drop", "")


@st.composite
def files(draw: st.DrawFn, drops: bool = True) -> Files:
    """Three rows with a label each, of which nothing is decided, and others."""
    names = draw(st.sampled_from(LABELS))
    labels = [*names, *draw(st.lists(st.sampled_from(names), min_size=1, max_size=6))]
    texts = [(f"r{draw(TEXTS)}", draw(TEXTS)) for _ in labels]
    decided: list[tuple[str, str] | None] = [None] * 3
    for label in labels[3:]:
        others = [("relabel", name) for name in names if name != label]
        kinds = [None, ("keep", ""), *others, *([DROP] if drops else [])]
        decided.append(draw(st.sampled_from(kinds)))
    if not any(decided):
        decided[-1] = ("keep", "")
    return Files(labels, texts, decided)


DIALECTS = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(",;\t|"),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        "lineterminator": st.sampled_from(["\n", "\r\n"]),
    }
)


def content(rows: list[tuple[str, str, str]], dialect: dict[str, str]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, **dialect).writerows([("a", "y", "b"), *rows])
    return out.getvalue().encode()


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@examples(60)
@given(table=files(), dialect=DIALECTS)
def test_a_text_file_is_as_decided_and_else_as_it_was(
    table: Files, dialect: dict[str, str]
) -> None:
    Path("data.csv").write_bytes(content(table.rows, dialect))
    table.write_decisions("d.csv")
    run("apply", "d.csv", "data.csv", "--out", "out.csv", "--delimiter", named(dialect))
    assert Path("out.csv").read_bytes() == content(table.expected, dialect)


@examples(30)
@given(table=files(drops=False), dialect=DIALECTS)
def test_decisions_taken_back_give_the_file_that_was(table: Files, dialect: dict[str, str]) -> None:
    Path("data.csv").write_bytes(content(table.rows, dialect))
    table.write_decisions("d.csv")
    run("apply", "d.csv", "data.csv", "--out", "there.csv", "--delimiter", named(dialect))
    labels = [row[1] for row in table.expected]
    undone = [
        None if old == new else ("relabel", old)
        for old, new in zip(table.labels, labels, strict=True)
    ]
    if any(undone):
        Files(labels, table.texts, undone).write_decisions("d.csv")
        run("apply", "d.csv", "there.csv", "--out", "back.csv", "--delimiter", named(dialect))
        assert Path("back.csv").read_bytes() == Path("data.csv").read_bytes()
    else:
        assert Path("there.csv").read_bytes() == Path("data.csv").read_bytes()


@examples(20)
@given(table=files(), group=st.integers(1, 4))
def test_a_parquet_file_is_as_decided_and_else_as_it_was(table: Files, group: int) -> None:
    names = ("a", "y", "b")
    data = pa.table(dict(zip(names, map(list, zip(*table.rows, strict=True)), strict=True)))
    pq.write_table(data, "data.parquet", row_group_size=group)
    table.write_decisions("d.csv")
    run("apply", "d.csv", "data.parquet", "--out", "out.parquet")
    found = pq.read_table("out.parquet")
    assert found.schema == data.schema
    assert [tuple(row.values()) for row in found.to_pylist()] == table.expected


def named(dialect: dict[str, str]) -> str:
    return {"\t": "tab"}.get(dialect["delimiter"], dialect["delimiter"])
