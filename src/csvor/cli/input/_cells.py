"""How do the cells of a column become numbers or texts while a file streams by?"""

import pyarrow as pa

from csvor._tables.table import TableColumn, as_column, has_clear_points, has_points, parsed_numbers


class Cells:
    """The cells of one column, taken up part by part.

    They become numbers if all are plain ones or blank; their texts are then not kept. A column that
    turns out to need them `must_be_read_as_text`, from the start of the file.
    """

    def __init__(self, name: str, as_text: bool) -> None:
        self.name = name
        self.as_text = as_text
        self.must_be_read_as_text = False
        self._parts: list[pa.Array] = []
        self._has_points = self._clear_points = False

    def add(self, cells: pa.Array) -> None:
        """Take up the next cells."""
        if self.must_be_read_as_text:
            return
        if self.as_text:
            self._parts.append(cells.dictionary_encode())
            return
        numbers = parsed_numbers(cells)
        if numbers is not None:
            self._parts.append(numbers)
            self._look_for_points(cells)
        elif any(len(part) for part in self._parts):
            self.must_be_read_as_text = True
            self._parts.clear()
        else:
            self.as_text = True
            self.add(cells)

    def _look_for_points(self, cells: pa.Array) -> None:
        if self._clear_points:
            return
        self._has_points = self._has_points or has_points(cells)
        self._clear_points = self._has_points and has_clear_points(cells)

    def end(self) -> None:
        """Say whether points that may mark thousands make the texts necessary."""
        if not self.as_text and self._has_points and not self._clear_points:
            self.must_be_read_as_text = True

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def n_blank_at_end(self, most: int) -> int:
        """How many cells at the end are blank, `most` of them counted."""
        n = 0
        for part in reversed(self._parts):
            texts = part.dictionary_decode() if self.as_text else part
            for cell in reversed(texts):
                text = cell.as_py()
                if n == most or not (text is None or (isinstance(text, str) and not text.strip())):
                    return n
                n += 1
        return n

    def column(self, n_rows: int) -> TableColumn:
        """The first `n_rows` cells as a column; what it holds is given away."""
        parts, self._parts = self._parts, []
        kind = pa.string()
        if self.as_text:
            kind = pa.dictionary(pa.int32(), pa.string())
        elif parts and sum(part.null_count for part in parts) < sum(map(len, parts)):
            kind = pa.float64()
        else:
            parts = [pa.array([""] * len(part), kind) for part in parts]
        array = pa.chunked_array(parts, kind)
        if self.as_text:
            array = array.unify_dictionaries()
        return as_column(self.name, array.slice(0, n_rows), points=self._clear_points)
