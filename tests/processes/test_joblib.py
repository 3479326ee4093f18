"""Fits in the workers of joblib, as scikit-learn's searches and cross-validation make them: the same bits."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor

import bitsieve.counts.packed as layout
from bitsieve import ForwardSelector, SpecCMI
from bitsieve.counts.threads import run_blocks, thread_count

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
THREADS = [None, 1, 2, 3, 5, 16]
slow = pytest.mark.slow("its workers are processes, which import everything anew")


@pytest.fixture(scope="module", autouse=True)
def no_workers_stay():
    yield
    get_reusable_executor().shutdown(wait=True)


@pytest.mark.parametrize("backend", ["sequential", "threading", pytest.param("loky", marks=slow)])
def test_fits_inside_workers(backend, monkeypatch):
    monkeypatch.setattr(layout, "MIN_SECONDS_FOR_THREAD", 1e-12)  # threads even for microseconds of work
    monkeypatch.setattr(layout, "BLOCK_BYTES", 1 << 12)
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 300)
    X = np.where(random.random((300, 150)) < 0.3, y[:, None], random.integers(0, 6, (300, 150)))
    selectors = [make(8, binning="none", n_jobs=n) for n in THREADS for make in (ForwardSelector, SpecCMI)]
    with parallel_config(backend, n_jobs=2):
        fitted = Parallel()(delayed(selector.fit)(X, y) for selector in selectors)
    found = {(type(f), f.selected_.tobytes(), f.scores_.tobytes(), f.relevance_.tobytes()) for f in fitted}
    assert len(found) == 2


def threads_taken(n_jobs):
    """How many threads work at a time."""
    taken = set()

    def work(_):
        taken.add(threading.get_ident())
        time.sleep(0.01)

    run_blocks(work, range(4 * CORES), n_jobs)
    return len(taken)


@slow
def test_workers_share_the_cores():
    share = max(1, CORES // 2)
    for more, wanted in (({}, share), ({"inner_max_num_threads": 1}, 1)):
        with parallel_config("loky", n_jobs=2, **more):
            taken = Parallel()(delayed(threads_taken)(-1) for _ in range(2))
            asked = Parallel()(delayed(thread_count)(n) for n in (5, None))
        assert max(taken) <= wanted
        assert asked == [5, 1]  # what is asked for is obeyed


def test_what_openmp_is_told_is_for_workers_only(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_count(-1) == CORES
