"""How rows are asked, whether they lie in one part, in memory, or in partitions of dask."""
