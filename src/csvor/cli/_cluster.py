"""On which workers does a command run, and what becomes of them when it ends?"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib

from csvor.cli._errors import CommandError

LOCAL = "local"
# Seconds that a scheduler has to answer.
PATIENCE = 5


@contextmanager
def cluster(where: str) -> Iterator[Any]:
    """A client of the scheduler at an address, or of processes that live as long as the command.

    What is asked of dask inside runs there.
    """
    try:
        import dask.array
        import dask.dataframe  # noqa: F401
        import distributed
    except ImportError:
        raise CommandError(f"--dask {where}: dask is missing; pip install 'csvor[dask]'") from None
    if where == LOCAL:
        with (
            distributed.LocalCluster(
                n_workers=joblib.cpu_count(),
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=50,
            ) as workers,
            distributed.Client(workers) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(where, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise CommandError(
            f"--dask {where}: no scheduler can be reached there ({error}); give its address, such "
            "as tcp://10.0.0.1:8786, or local"
        ) from None
    with client:
        yield client
