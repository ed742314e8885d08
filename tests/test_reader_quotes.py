"""A quotation mark too few swallows rows; it is refused, or told where it may be meant."""

from pathlib import Path

import pytest

from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from test_reader_files import cells, table_of

ROWS = ["ab", "cd", "ef", "gh", "ij"]


def file_of(opened: int, closed: str, at: int, end: str = "\n") -> str:
    """Rows of three cells; the middle cell of one opens a quotation that one below closes."""
    rows = [f"{i},{word},{i % 2}" for i, word in enumerate(ROWS)]
    rows[opened] = rows[opened].replace(ROWS[opened], '"' + ROWS[opened])
    rows[at] = rows[at].replace(ROWS[at], closed)
    return "x,word,y\n" + "\n".join(rows) + end


def test_a_quotation_that_ends_in_the_midst_of_a_cell_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as caught:
        table_of(tmp_path, file_of(1, '"gh', 3))
    assert "t.csv, line 3: a quotation mark" in str(caught.value)
    assert "closed in the midst of a cell in line 5" in str(caught.value)
    whole = table_of(tmp_path, file_of(1, '"gh', 3).replace('"', ""))
    assert cells(whole)["word"] == ROWS


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("at", [2, 4])
def test_a_cell_that_holds_rows_is_told(tmp_path: Path, at: int, end: str) -> None:
    notes = Notes()
    table = table_of(tmp_path, file_of(1, ROWS[at] + '"', at, end), notes=notes)
    assert table.n_rows == 5 - (at - 1)
    (note,) = notes.texts()
    assert f"t.csv, lines 3 to {at + 2}: one cell in quotation marks holds what looks" in note


def test_line_breaks_of_a_text_are_none_of_rows(tmp_path: Path) -> None:
    notes = Notes()
    content = 'x,word,y\n1,"well, so\nand so, and on",2\n\n2,"a ""b"" c\n",1\n3,"d"e,1\n'
    table = table_of(tmp_path, content, notes=notes)
    assert table.n_rows == 3 and not notes.texts()


def test_a_quotation_of_the_names_that_never_ends_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r'line 1: a quotation mark \("\) is opened and never'):
        table_of(tmp_path, 'x,"word,y\n1,ab,2\n2,cd,1\n')


def test_cells_as_long_as_a_book(tmp_path: Path) -> None:
    book = "z" * 200_000
    assert cells(table_of(tmp_path, f"x word\n1 {book}\n2 b\n"))["word"] == [book, "b"]
    assert cells(table_of(tmp_path, f'x,word\n1,"{book}\nb"\n2,b\n'))["word"][1] == "b"
