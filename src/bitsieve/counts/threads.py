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
from typing import Any, TypeVar

from bitsieve.utils.parameters import check_threads

Block = TypeVar("Block")
Tasks = SimpleQueue[Callable[[], None] | None]  # None: there will be no more


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


_kept = local()  # of every thread, those that wait for its calls


@contextmanager
def kept_threads() -> Iterator[tuple[Tasks, list[Thread]]]:
    """Keep threads from call to call: to start one takes 0.07 ms, to wake one 0.01, and a step of a selection 0.2."""
    outer: tuple[Tasks, list[Thread]] | None = getattr(_kept, "threads", None)
    tasks, threads = _kept.threads = outer or (SimpleQueue(), [])
    try:
        yield tasks, threads
    finally:
        if outer is None:
            _kept.threads = None
            for _ in threads:
                tasks.put(None)
            for thread in threads:
                if thread.is_alive():
                    thread.join()


def _wait_for(tasks: Tasks) -> None:
    """Do tasks until there will be no more.

    A thread that waits holds no task: the tables of a task would live as long as a thread that nobody ends, after an
    interrupt to the end of the process.
    """
    while True:
        task = tasks.get()
        if task is None:
            return
        task()
        del task


def run_blocks(
    work: Callable[[Block], object],
    blocks: Sequence[Block],
    n_jobs: int | None,
    progress: Callable[[int, int], object] | None = None,
    stopped: Event | None = None,
) -> None:
    """Call ``work(block)`` for every block, on ``n_jobs`` threads, this one among them; ``progress(done, total)``.

    ``stopped`` is set when a block raised or the caller was interrupted: a long block may look at it and end early.
    """
    locks = [Lock() for _ in range(1, min(thread_count(n_jobs), len(blocks)))]
    report = progress or (lambda done, total: None)
    if not locks:
        for done, block in enumerate(blocks, 1):
            work(block)
            report(done, len(blocks))
        return
    stopped = stopped or Event()
    waiting = SimpleQueue[Block]()
    outcomes = SimpleQueue[BaseException | None]()
    for block in blocks:
        waiting.put(block)
    work_on = partial(_work_on, work, waiting, outcomes, stopped)
    # Plain threads and queues of C, not an executor: an interrupt while work is handed to one may leave its locks taken
    # and its threads waiting for ever.
    with kept_threads() as (tasks, helpers):
        _kept.threads = None  # calls within this one have threads of their own
        try:
            for lock in locks:
                tasks.put(partial(work_on, lock, stopped.is_set))
            while len(helpers) < len(locks):
                helpers.append(Thread(None, _wait_for, f"bitsieve {len(helpers) + 1}", (tasks,), daemon=True))
                helpers[-1].start()
            for done in range(1, len(blocks) + 1):
                work_on(Lock(), lambda: not outcomes.empty())
                if (error := outcomes.get()) is not None:
                    raise error
                report(done, len(blocks))
        finally:
            stopped.set()
            _kept.threads = tasks, helpers
            for lock in locks:
                with lock:  # who wakes later finds that all is stopped
                    pass


def spread(
    work: Callable[[Any], object], items: Any, enough: int, n_jobs: int | None, max_items: int = 1 << 62
) -> None:
    """Call ``work`` on batches of at most ``max_items`` items; ``enough``: the threads that have enough to do."""
    threads = max(1, min(thread_count(n_jobs), enough, len(items)))
    # Several a thread, so that a busy core does not hold up the rest.
    n_blocks = max(min(4 * threads, enough) if threads > 1 else 1, -(-len(items) // max_items))
    edges = [len(items) * b // n_blocks for b in range(n_blocks + 1)]
    run_blocks(work, [items[first:last] for first, last in pairwise(edges) if last > first], threads)


def _work_on(
    work: Callable[[Block], object],
    waiting: SimpleQueue[Block],
    outcomes: SimpleQueue[BaseException | None],
    stopped: Event,
    at_work: Lock,
    at_end: Callable[[], bool],
) -> None:
    """Work on blocks that wait, and put what came of each: None, or the error that ends it."""
    with at_work:
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
