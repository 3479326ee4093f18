"""The one place where work is spread over threads.

Kernels are leaf functions that release the GIL. Threads live only as long as the call, or as a selection of many: Ctrl-C
works between blocks, a fork after a call is safe, and a block that raises stops the rest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread, local
from typing import TypeVar

from bitsieve.common.parameters import check_threads

Block = TypeVar("Block")


def thread_count(n_jobs: int | None) -> int:
    """Threads meant by ``n_jobs``: None is 1, -1 is every core this process may use, -2 all but one; 0 is an error.

    In a worker process of joblib (loky) or Dask, -1 is the share of the cores that the worker was given.
    """
    check_threads("n_jobs", n_jobs)
    if n_jobs is None:
        return 1
    if n_jobs > 0:
        return n_jobs
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, _share_of_worker() or cores) + 1 + n_jobs)


def _share_of_worker() -> int | None:
    """The threads that a worker process is meant to take by the variable of OpenMP, or None where nothing is set."""
    share = os.environ.get("OMP_NUM_THREADS", "")
    if not share.isdecimal():
        return None
    from multiprocessing import parent_process

    return None if parent_process() is None else int(share)


class _Helper(Thread):
    """A thread that works on one task after the other, until it is given None."""

    def __init__(self, number: int) -> None:
        super().__init__(name=f"bitsieve {number}", daemon=True)
        self.tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.at_work = Lock()

    def run(self) -> None:
        while task := self.tasks.get():
            with self.at_work:
                task()


_kept = local()  # of every thread, those that wait for its next call


@contextmanager
def kept_threads() -> Iterator[list[_Helper]]:
    """Keep threads from call to call: to start one takes 0.07 ms, to wake one 0.01, and a step of a selection 0.2."""
    outer: list[_Helper] | None = getattr(_kept, "helpers", None)
    helpers = _kept.helpers = [] if outer is None else outer
    try:
        yield helpers
    finally:
        if outer is None:
            _kept.helpers = None
            for helper in helpers:
                helper.tasks.put(None)
                if helper.is_alive():
                    helper.join()


def run_blocks(
    work: Callable[[Block], object],
    blocks: Sequence[Block],
    n_jobs: int | None,
    progress: Callable[[int, int], object] | None = None,
    stopped: Event | None = None,
) -> None:
    """Call ``work(block)`` for every block, on ``n_jobs`` threads, reporting ``progress(done, total)``.

    ``stopped`` is set when a block raised or the caller was interrupted: a long block may look at it and end early.
    """
    threads = min(thread_count(n_jobs), len(blocks))
    if threads <= 1:
        for done, block in enumerate(blocks, 1):
            work(block)
            if progress is not None:
                progress(done, len(blocks))
        return
    _run_on_threads(work, blocks, threads, progress, stopped or Event())


def _run_on_threads(
    work: Callable[[Block], object],
    blocks: Sequence[Block],
    threads: int,
    progress: Callable[[int, int], object] | None,
    stopped: Event,
) -> None:
    """Call ``work(block)`` for every block, on so many threads, this one among them; the first error ends all."""
    waiting: SimpleQueue[Block] = SimpleQueue()
    outcomes: SimpleQueue[BaseException | None] = SimpleQueue()
    for block in blocks:
        waiting.put(block)
    work_on = partial(_work_on, work, waiting, outcomes, stopped)
    task = partial(work_on, stopped.is_set)
    # Plain threads and queues of C, not an executor: an interrupt while work is handed to one may leave its locks taken
    # and its threads waiting for ever.
    with kept_threads() as helpers:
        _kept.helpers = None  # calls within this one have threads of their own
        try:
            for n in range(threads - 1):
                if n == len(helpers):
                    helpers.append(_Helper(n + 1))
                    helpers[n].start()
                helpers[n].tasks.put(task)
            for done in range(1, len(blocks) + 1):
                work_on(lambda: not outcomes.empty())
                error = outcomes.get()
                if error is not None:
                    raise error
                if progress is not None:
                    progress(done, len(blocks))
        finally:
            stopped.set()
            _kept.helpers = helpers
            for helper in helpers[: threads - 1]:
                with helper.at_work:  # who wakes later finds that all is stopped
                    pass


def _work_on(
    work: Callable[[Block], object],
    waiting: SimpleQueue[Block],
    outcomes: SimpleQueue[BaseException | None],
    stopped: Event,
    at_end: Callable[[], bool],
) -> None:
    """Work on blocks that wait, and put what came of each: None, or the error that ends it."""
    while not at_end():
        try:
            block = waiting.get_nowait()
        except Empty:
            return
        try:
            work(block)
        except BaseException as error:
            stopped.set()
            outcomes.put(error)
            return
        outcomes.put(None)
