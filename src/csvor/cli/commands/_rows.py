"""Are the rows of a command read at once, or do they stay in pieces?"""

from collections.abc import Iterator
from contextlib import contextmanager

from csvor._faults.notes import Notes
from csvor._tables.table import Table
from csvor.cli._cluster import cluster
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli.commands._in_memory import RowsInMemory
from csvor.cli.commands._in_parts import RowsInParts, in_parts
from csvor.cli.input._prepare import prepare, prepare_table

Rows = RowsInMemory | RowsInParts


@contextmanager
def rows_of(
    data: DataOptions,
    options: ModelOptions,
    notes: Notes,
    table: Table | None = None,
    *,
    keeps_cells: bool = False,
) -> Iterator[Rows]:
    """The rows that the options name, for as long as the workers live where `--dask` asks some.

    `table` is the file, if it has been read. Cells are kept where a page is to check them later.
    """
    if table is not None:
        yield RowsInMemory(prepare_table(table, data, options, notes, keeps_cells=keeps_cells))
        return
    if data.dask is None:
        yield RowsInMemory(prepare(data, options, notes, keeps_cells=keeps_cells))
        return
    with cluster(data.dask) as client:
        yield in_parts(data, options, notes, client)
