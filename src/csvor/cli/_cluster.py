"""On which workers does a command run, and what becomes of them when it ends?"""

import asyncio
import logging
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import Any

import joblib

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault

LOCAL = "local"
# Workers keep what memory they let go of, for they ask for it anew with the next part, and do not
# sample their stacks.
_OF_WORKERS = {
    "distributed.worker.profile.enabled": False,
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**28,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 2**28,
}
# Seconds that a scheduler has to answer.
PATIENCE = 5
# And that workers have to end what they do where the command is over before them.
_AT_ONCE = 0.5


@contextmanager
def cluster(where: str) -> Iterator[Any]:
    """A client of the scheduler at an address, or of processes that live as long as the command.

    What is asked of dask inside runs there.
    """
    try:
        import dask.array
        import dask.dataframe
        import distributed
    except ImportError:
        raise CommandError(fault("no-dask", where=where)) from None
    with _dask_loggers_silenced(), _losses_explained(where):
        if where == LOCAL:
            with ExitStack() as at_end:
                at_end.enter_context(dask.config.set(_OF_WORKERS))
                with _interrupts_delayed():
                    workers = at_end.enter_context(_workers_here(distributed))
                    client = at_end.enter_context(distributed.Client(workers))
                try:
                    yield client
                except BaseException:
                    workers.sync(_end_at_once, workers)
                    raise
            return
        try:
            client = distributed.Client(where, timeout=PATIENCE)
        except (OSError, ValueError, TypeError) as error:
            raise CommandError(fault("no-scheduler", where=where, why=str(error))) from None
        with client:
            yield client


def memory_of(client: Any) -> int:
    """Bytes that all workers may use together; 0 where they have no limit that is known."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return sum(worker["memory_limit"] or 0 for worker in workers)


def _workers_here(distributed: Any) -> Any:
    """As many processes as cores, which nothing outside this machine can reach."""
    return distributed.LocalCluster(
        n_workers=joblib.cpu_count(),
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        silence_logs=logging.CRITICAL,
    )


async def _end_at_once(workers: Any) -> None:
    """End workers at work, for which nobody waits any more: each would first be given seconds."""
    ends = (one.close(timeout=_AT_ONCE) for one in workers.workers.values())
    await asyncio.gather(*ends, return_exceptions=True)


@contextmanager
def _losses_explained(where: str) -> Iterator[None]:
    """Say what is to be done about workers, or a scheduler, that are gone for good."""
    from distributed.client import FutureCancelledError, FuturesCancelledError
    from distributed.scheduler import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise CommandError(fault("workers-ended", where=where, why=str(error))) from error
    except (FutureCancelledError, FuturesCancelledError) as error:
        raise CommandError(fault("scheduler-lost", where=where, why=str(error))) from error


@contextmanager
def _interrupts_delayed() -> Iterator[None]:
    """Put Ctrl-C off until workers have started; they never see it, and end with the command."""
    asked: list[int] = []
    resource_tracker.ensure_running()  # its start would let Ctrl-C through again
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))
    can_block = hasattr(signal, "pthread_sigmask")  # not on Windows
    if can_block:  # threads and processes that start inside take this over
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if can_block:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


@contextmanager
def _dask_loggers_silenced() -> Iterator[None]:
    """Keep dask from logging failures and interrupts as well, over many lines."""
    # Those below `distributed` have levels of their own.
    names = ("asyncio", "distributed", "distributed.client", "distributed.gc")
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
