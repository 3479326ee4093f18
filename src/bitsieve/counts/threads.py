"""The one place where work is spread over threads.

Kernels are leaf functions that release the GIL. Threads live only as long as a call, or a selection of many: Ctrl-C
works between blocks, a fork after a call is safe, and a block that raises stops the rest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread, local
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from bitsieve.utils.parameters import check_threads

Block = TypeVar("Block")
Items = TypeVar("Items", NDArray[Any], Sequence[Any])

BLOCKS_PER_THREAD = 4  # several, so that a busy core does not hold up the rest
NO_LIMIT = 1 << 62  # of the items of a batch


def thread_count(n_jobs: int | None) -> int:
    """The number of threads for ``n_jobs``: None is 1, -1 all cores of this process, -2 all but one; 0 is refused.

    In a worker process of joblib (loky) or Dask, -1 is the share of the cores that the worker was given.
    """
    check_threads("n_jobs", n_jobs)
    if n_jobs is None:
        return 1
    if n_jobs > 0:
        return n_jobs
    return max(1, _usable_cores() + 1 + n_jobs)


def threads_of_block(n_blocks: int, n_jobs: int | None) -> int:
    """The threads that the work on each of ``n_blocks`` blocks may use, where all blocks share those of ``n_jobs``."""
    return max(1, thread_count(n_jobs) // max(1, n_blocks))


def _usable_cores() -> int:
    """The cores that this process may use."""
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # not on every system
        cores = len(os.sched_getaffinity(0))
    share = _share_of_worker()
    return cores if share is None else min(cores, share)


def _share_of_worker() -> int | None:
    """The cores that OMP_NUM_THREADS gives to a worker process; None in any other process, and where it is not set."""
    share = os.environ.get("OMP_NUM_THREADS", "")
    if not share.isdecimal() or int(share) == 0:
        return None
    from multiprocessing import parent_process

    return None if parent_process() is None else int(share)


class Helpers:
    """Threads that work on the tasks of the thread that started them, until they are stopped."""

    def __init__(self) -> None:
        self.tasks = SimpleQueue[Callable[[], None] | None]()  # None stops the thread that takes it
        self.threads: list[Thread] = []

    def start(self, n_threads: int) -> None:
        """Start threads until there are ``n_threads``."""
        while len(self.threads) < n_threads:
            name = f"bitsieve {len(self.threads) + 1}"
            thread = Thread(target=self._work, name=name, daemon=True)
            self.threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Stop all threads, and wait until they have ended."""
        for _ in self.threads:
            self.tasks.put(None)
        for thread in self.threads:
            if thread.is_alive():
                thread.join()

    def _work(self) -> None:
        """Do tasks until there will be no more.

        A thread that waits holds no task: the tables of a task would live as long as a thread that nobody ends, after
        an interrupt to the end of the process.
        """
        while True:
            task = self.tasks.get()
            if task is None:
                return
            task()
            del task


class _ThisThread(local):
    helpers: Helpers | None = None  # the helpers that calls of this thread share


_this_thread = _ThisThread()


@contextmanager
def shared_helpers() -> Iterator[Helpers]:
    """Let all calls of :func:`run_blocks` inside the block share their helper threads.

    To start a thread takes 0.07 ms and to wake one 0.01, while a step of a selection may take 0.2.
    """
    outer = _this_thread.helpers
    if outer is not None:
        yield outer
        return
    helpers = Helpers()
    _this_thread.helpers = helpers
    try:
        yield helpers
    finally:
        _this_thread.helpers = None
        helpers.stop()


class _Job(Generic[Block]):
    """The blocks of one call of :func:`run_blocks`, and the error of each block that was worked on, if any."""

    def __init__(self, work: Callable[[Block], object], blocks: Sequence[Block], stopped: Event) -> None:
        self.work = work
        self.stopped = stopped
        self.waiting = SimpleQueue[Block]()
        self.errors = SimpleQueue[BaseException | None]()  # None: the block did not raise
        for block in blocks:
            self.waiting.put(block)

    def run_next(self) -> bool:
        """Work on the next block. Return False if none is left, or if it raised, which stops the job."""
        try:
            block = self.waiting.get_nowait()
        except Empty:
            return False
        try:
            self.work(block)
        except BaseException as error:
            self.stopped.set()
            self.errors.put(error)
            return False
        self.errors.put(None)
        return True

    def help(self, is_helping: Lock) -> None:
        """Work on blocks until the job is done or stopped; ``is_helping`` is held meanwhile."""
        with is_helping:
            while not self.stopped.is_set() and self.run_next():
                pass


def run_blocks(
    work: Callable[[Block], object],
    blocks: Sequence[Block],
    n_jobs: int | None,
    progress: Callable[[int, int], object] | None = None,
    stopped: Event | None = None,
) -> None:
    """Call ``work(block)`` for every block, on ``n_jobs`` threads, of which this is one.

    ``progress(n_done, n_blocks)`` is called by this thread. ``stopped`` is set when a block raised or the caller was
    interrupted: a long block may look at it and end early. Raises the error of the first block that raised.
    """
    n_blocks = len(blocks)
    n_helpers = min(thread_count(n_jobs), n_blocks) - 1
    if n_helpers < 1:
        for n_done, block in enumerate(blocks, 1):
            work(block)
            if progress is not None:
                progress(n_done, n_blocks)
        return
    job = _Job(work, blocks, stopped or Event())
    locks = [Lock() for _ in range(n_helpers)]
    # Plain threads and queues of C, not an executor: an interrupt while work is handed to one may leave its locks taken
    # and its threads waiting for ever.
    with shared_helpers() as helpers:
        _this_thread.helpers = None  # a call inside a block starts helpers of its own
        try:
            for lock in locks:
                helpers.tasks.put(partial(job.help, lock))
            helpers.start(n_helpers)
            for n_done in range(1, n_blocks + 1):
                if job.errors.empty():
                    job.run_next()
                error = job.errors.get()
                if error is not None:
                    raise error
                if progress is not None:
                    progress(n_done, n_blocks)
        finally:
            job.stopped.set()  # a helper that takes its task later does nothing
            _this_thread.helpers = helpers
            for lock in locks:  # wait for the helpers that are at work
                with lock:
                    pass


def spread(
    work: Callable[[Items], object], items: Items, max_threads: int, n_jobs: int | None, max_items: int = NO_LIMIT
) -> None:
    """Call ``work`` on batches of at most ``max_items`` items, on at most ``max_threads`` of ``n_jobs`` threads."""
    n_items = len(items)
    n_threads = max(1, min(thread_count(n_jobs), max_threads, n_items))
    n_batches = -(-n_items // max_items)
    if n_threads > 1:
        n_batches = max(n_batches, min(BLOCKS_PER_THREAD * n_threads, max_threads))
    n_batches = max(n_batches, 1)
    edges = [n_items * batch // n_batches for batch in range(n_batches + 1)]
    batches = [items[first:end] for first, end in pairwise(edges) if end > first]
    run_blocks(work, batches, n_threads)
