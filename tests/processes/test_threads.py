"""Several Python threads at once, and Ctrl-C in the middle of a job."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

import bitsieve.counts.packed as layout
from bitsieve import ForwardSelector, SpecCMI
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import sums_of
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.counts.threads import run_blocks


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_fits_at_the_same_time(monkeypatch, n_jobs):
    monkeypatch.setattr(layout, "MIN_SECONDS_FOR_THREAD", 1e-12)
    X, y = load_breast_cancer(return_X_y=True)
    selectors = [
        make(6, binning=binning, n_jobs=n_jobs)
        for make in (ForwardSelector, SpecCMI)
        for binning in ("mdl", "quantile")
    ]
    expected = [clone(selector).fit(X, y) for selector in selectors]
    start = threading.Barrier(len(selectors), timeout=600)

    def fit(selector):
        start.wait()
        return [clone(selector).fit(X, y) for _ in range(3)]

    with ThreadPoolExecutor(len(selectors)) as pool:
        for one, several in zip(expected, pool.map(fit, selectors), strict=True):
            for other in several:
                assert other.selected_.tolist() == one.selected_.tolist()
                assert other.scores_.tobytes() == one.scores_.tobytes()
                assert other.relevance_.tobytes() == one.relevance_.tobytes()


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has a GIL")
def test_the_extension_leaves_the_gil_off():
    code = "import sys, bitsieve._native; sys.exit(sys._is_gil_enabled())"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_one_source_asked_by_several_threads():
    """Rows of one packed table, each thread with scratch of its own."""
    codes = np.random.default_rng(0).integers(0, 5, (500, 120)).astype(np.uint8)
    source = PackedSource(codes, codes[:, 0] % 3)

    def row(i):
        return [sums.tobytes() for sums in sums_of(source).pair_sums(make_entropy_terms(500), i, None, True)]

    expected = [row(i) for i in range(120)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(row, range(120)))
    assert found == expected


def test_the_lock_is_free_while_kernels_run():
    """Another Python thread goes on while the engine counts."""
    codes = np.random.default_rng(0).integers(0, 10, (20_000, 200)).astype(np.uint8)
    source = PackedSource(codes, kernel="table")
    groups = np.tile(source.all_groups, 60)  # one call of the kernel, some tenths of a second
    xy = np.empty(200, np.int64)
    terms = make_entropy_terms(20_000)
    ticks = [0]
    finished = threading.Event()

    def tick():
        while not finished.wait(0.001):
            ticks[0] += 1

    def ticks_in_a_call():
        before = ticks[0]
        source.packed.row_sums(terms.table, terms.shift, 3, groups, xy, None)
        return ticks[0] - before

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:  # on a busy machine the other thread may miss a call
        assert any(ticks_in_a_call() >= 3 for _ in range(20))
    finally:
        finished.set()
        ticker.join()


needs_signals = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="this system has no pthread_kill")


@needs_signals
@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_interrupt_leaves_no_threads_running(n_jobs):
    before = threading.active_count()
    done = []

    def work(block):
        if block == 20:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.001)
        done.append(block)

    with pytest.raises(KeyboardInterrupt):
        run_blocks(work, range(100_000), n_jobs)
    finished = len(done)
    assert finished < 50_000
    assert threading.active_count() == before
    time.sleep(0.02)
    assert len(done) == finished


LONG_JOB = """
import numpy as np
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.counts.packed import PackedSource

codes = np.random.default_rng(0).integers(0, 3, (5000, 6000)).astype(np.uint8)
information = PlugInInformation(PackedSource(codes, n_jobs=2, kernel="table"))
information.matrix("redundancy", "float32", progress=lambda done, total: print(done, total, flush=True))
"""


@needs_signals
def test_interrupt_of_a_matrix_of_a_minute():
    process = subprocess.Popen(
        [sys.executable, "-c", LONG_JOB], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        done, total = map(int, process.stdout.readline().split())
        assert done < total
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=600)
    finally:
        process.kill()
    assert process.returncode != 0
    assert err.rstrip().endswith("KeyboardInterrupt")
    # the signal may cut the line that is being printed in two, so only a whole last line is looked for
    assert f"{total} {total}" not in out.splitlines()


WITH_DAEMON = """
import threading, time
import numpy as np
from bitsieve.counts.packed import PackedSource
source = PackedSource(np.array([[0, 0], [1, 1]], np.uint8))
threading.Thread(target=lambda source: time.sleep(100), args=(source,), daemon=True).start()
"""


def test_a_daemon_thread_at_the_end_prints_nothing():
    result = subprocess.run([sys.executable, "-c", WITH_DAEMON], capture_output=True, text=True, timeout=60, check=True)
    assert (result.stdout, result.stderr) == ("", "")
