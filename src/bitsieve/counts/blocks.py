"""The one place where work is spread over threads.

Kernels are leaf functions that release the GIL. A pool lives only as long as the call: Ctrl-C works between blocks,
a fork after a call is safe, and a block that raises stops the rest.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Block = TypeVar("Block")


def thread_count(n_jobs: int | None) -> int:
    """Threads meant by ``n_jobs``: None is 1, -1 is every core this process may use, -2 all but one, and so on.

    Raises
    ------
    ValueError
        If ``n_jobs`` is 0.
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs=0 is not a number of threads; give 1 or more, or -1 for every core")
    if n_jobs > 0:
        return n_jobs
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + n_jobs)


def run_blocks(
    work: Callable[[Block], object],
    blocks: Sequence[Block],
    n_jobs: int | None,
    progress: Callable[[int, int], object] | None = None,
) -> None:
    """Call ``work(block)`` for every block, on ``n_jobs`` threads, reporting ``progress(done, total)``."""
    threads = min(thread_count(n_jobs), len(blocks))
    if threads <= 1:
        for done, block in enumerate(blocks, 1):
            work(block)
            if progress is not None:
                progress(done, len(blocks))
        return
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, block) for block in blocks]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                if progress is not None:
                    progress(done, len(blocks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
