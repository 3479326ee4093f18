"""Child processes after threaded calls: they work, and give the same bits."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

# In a file of its own: a spawned child imports the main module, and the test runner's threads stay out of a fork.
SCRIPT = """
import hashlib
import multiprocessing
import sys
import threading
import warnings

import numpy as np

import bitsieve.counts.packed as layout
from bitsieve import GMI, DpSelector, ForwardSelector, SpecCMI


def work(n_jobs):
    layout.MIN_SECONDS_FOR_THREAD = 1e-12  # threads even for microseconds of work
    layout.BLOCK_BYTES = 1 << 12
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 300)
    X = np.where(random.random((300, 80)) < 0.3, y[:, None], random.integers(0, 6, (300, 80)))
    digest = hashlib.sha256()
    for selector in (
        ForwardSelector(20, criterion="jmi", binning="quantile", n_jobs=n_jobs),
        SpecCMI(20, binning="none", n_jobs=n_jobs),
    ):
        fitted = selector.fit(X, y)
        for values in (fitted.selected_, fitted.scores_, fitted.relevance_, fitted.overlap_):
            digest.update(values.tobytes())
    for selector in (GMI(4, n_jobs=n_jobs), DpSelector(2, n_jobs=n_jobs)):
        digest.update(selector.fit(X[:100, :6], y[:100]).scores_.tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    # From Python 3.12 on forking warns where threads run: the pools of the libraries around (numpy's products,
    # pyarrow) sleep in the parent and are not used by the child.
    warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
    expected = work(4)
    assert threading.active_count() == 1  # no pool outlives its call
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        digests = pool.map(work, [None, 1, 2, 7])
    assert digests == [expected] * 4, digests
    assert work(4) == expected
    print("same bits")
"""


@pytest.mark.parametrize(
    "start_method",
    [
        "fork",
        pytest.param("forkserver", marks=pytest.mark.slow("its children import everything anew")),
        pytest.param("spawn", marks=pytest.mark.slow("its children import everything anew")),
    ],
)
def test_children_after_a_threaded_call(tmp_path, start_method):
    if start_method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {start_method}")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-W", "error", script, start_method]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "same bits\n"


FORK_WHILE_COUNTING = """
import os
import threading
import warnings

import numpy as np

from bitsieve.information.plug_in import PlugInInformation
from bitsieve.counts.packed import PackedSource

warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
codes = np.random.default_rng(0).integers(0, 3, (400, 500)).astype(np.uint8)
expected = PlugInInformation(PackedSource(codes)).matrix("redundancy").tobytes()
stop = threading.Event()


def count():
    while not stop.is_set():
        PlugInInformation(PackedSource(codes, n_jobs=2)).matrix("redundancy")


busy = threading.Thread(target=count)
busy.start()
for _ in range(10):
    child = os.fork()
    if child == 0:
        found = PlugInInformation(PackedSource(codes, n_jobs=2)).matrix("redundancy").tobytes()
        os._exit(0 if found == expected else 3)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
busy.join()
print("same bits")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork_while_another_thread_counts():
    """The engine keeps no lock and no thread of its own that a fork could leave behind."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORK_WHILE_COUNTING],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "same bits\n"
