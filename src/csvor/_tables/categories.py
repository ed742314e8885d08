"""Which words does a column hold, and which that a model knows does a text mean (N42)?"""

from collections.abc import Collection, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from csvor._faults.errors import ColumnError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._faults.spelling import canonical_bools, folded
from csvor._tables.table import TableColumn

Rows = NDArray[np.int64]
_MEANINGS = ({"true", "yes", "1", "1.0", "t", "y"}, {"false", "no", "0", "0.0", "f", "n"})


def words_of(column: TableColumn, missing: Collection[str] = ()) -> tuple[Rows, list[str]]:
    """Codes and distinct words; True and False in one spelling, "" for what is `missing`."""
    codes, texts = column.coded
    words = canonical_bools("" if text in missing else text for text in texts)
    distinct = {word: code for code, word in enumerate(dict.fromkeys(words))}
    code_of_text = np.array([distinct[word] for word in words], dtype=np.int64)
    return code_of_text[codes], list(distinct)


def known_words(
    column: TableColumn,
    known: Sequence[str],
    missing: Collection[str],
    notes: Notes,
    some_rows: bool = False,
) -> NDArray[Any]:
    """The words of a column as a model knows them, those that it does not know as they are.

    Another spelling is taken for the one known word that it can mean. A column without any known
    word is refused, unless it is that of `some_rows` alone.
    """
    codes, texts = words_of(column, missing)
    meant = [_meant(text, known) for text in texts]
    there = np.bincount(codes, minlength=len(texts)) > 0
    if not some_rows and not any(word in known for word, t in zip(meant, there, strict=True) if t):
        refuse_strange(column.name, texts, known)
    pairs = [f"'{t}' as '{w}'" for t, w in zip(texts, meant, strict=True) if t != w]
    if pairs:
        notes.add(fault("spellings", column.name, pairs=", ".join(pairs[:5])))
    new = [i for i, word in enumerate(meant) if word not in known]
    count = int(np.isin(codes, new).sum())
    if count:
        notes.add(fault("new-words", column.name, n=count, words=[texts[i] for i in new]))
    return np.array(meant, dtype=object)[codes]


def refuse_strange(name: str, words: Sequence[str], known: Sequence[str]) -> NoReturn:
    """Refuse a column whose words are these, none of which a model knows."""
    filled = [word for word in words if word] or [""]
    raise ColumnError(fault("unknown-words", name, words=filled, known=list(known)))


def _meant(text: str, known: Sequence[str]) -> str:
    if text in known or not text:
        return text
    same = [word for word in known if folded(word) == folded(text)]
    if not same and set(known) <= {"True", "False", ""}:
        is_true, is_false = (folded(text) in meaning for meaning in _MEANINGS)
        same = ["True"] * is_true or ["False"] * is_false
    return same[0] if len(same) == 1 else text
