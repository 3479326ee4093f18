"""What does not fit the memory is refused before it is taken, and what is said that it takes is what it takes."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from bitsieve.counts.packed import PackedSource
from bitsieve.information import make_information
from bitsieve.methods.by_samples.rcfs import correlation_clusters
from bitsieve.methods.by_samples.variational.bounds import Posterior
from bitsieve.utils import memory as free_memory


@pytest.fixture
def free(monkeypatch):
    """``free(n_bytes)`` leaves so much memory."""
    monkeypatch.setattr(free_memory, "WITHOUT_LOOKING", 0)

    def leave(n_bytes):
        monkeypatch.setattr(free_memory, "available_bytes", lambda: n_bytes)

    return leave


def test_weights(free, monkeypatch):
    monkeypatch.setattr("bitsieve.counts.packed.WITHOUT_LOOKING", 0)
    free(23e6)
    message = (
        r"the weights sum to 3,000,000 samples, which take 0\.024 GB, more than the 0\.023 GB that are free: divide "
    )
    with pytest.raises(ValueError, match=message):
        PackedSource([[0], [1], [2]], weights=np.full(3, 10**6), kernel="table")
    PackedSource([[0], [1], [2]], weights=np.full(3, 10**4))


def test_tables(free, monkeypatch):
    monkeypatch.setattr("bitsieve.counts.packed.WITHOUT_LOOKING", 0)
    codes = np.zeros((1000, 16), np.uint8)
    codes[0] = 1
    free(1000)
    with pytest.raises(ValueError, match=r"the packed table takes .* GB that are free: keep fewer columns or rows"):
        PackedSource(codes)


@pytest.mark.parametrize(("n_samples", "n_features", "kernel"), list(product((1, 64, 1000), (1, 9), ("table", None))))
def test_the_bytes_that_a_table_is_said_to_take(monkeypatch, n_samples, n_features, kernel):
    """Those of the packed table, and of the order of the samples: where there is nothing to sort by, of none."""
    said = []
    monkeypatch.setattr("bitsieve.counts.packed.check_room", lambda n_bytes, *_: said.append(n_bytes))
    monkeypatch.setattr("bitsieve.counts.packed.WITHOUT_LOOKING", 0)
    codes = np.arange(n_samples * n_features).reshape(n_samples, n_features) % 3
    falling, weights = np.arange(n_samples)[::-1] // 2, np.full(n_samples, 3)
    for classes, times in ((falling[::-1], None), (falling, None), (falling, weights), (falling[::-1], weights)):
        source = PackedSource(codes, classes, weights=times, kernel=kernel)
        as_they_come = times is None and bool((np.diff(classes) >= 0).all())
        order = 0 if as_they_come else 4 * source.n_samples
        rows = 0 if as_they_come else n_samples * (4 if times is None else 12)
        assert said.pop() == max(order + rows, 2 * order, order + source.nbytes)


def test_a_table_of_which_the_room_is_not_looked_at_takes_less(monkeypatch):
    """Whatever its shape, one that takes so much is looked at: codes as planes or whole, samples in many classes."""
    said = []
    monkeypatch.setattr("bitsieve.counts.packed.check_room", lambda n_bytes, *_: said.append(n_bytes))
    sizes, classes, arities, columns, weights = (
        (1, 2, 100, 1000),
        (1, 2, 100, 1000),
        (2, 9, 64, 300),
        (1, 8, 9),
        (0, 1, 7),
    )
    for n, k, arity, c, w in product(sizes, classes, arities, columns, weights):
        given = (np.arange(n)[:, None] + np.arange(c)) % arity, np.arange(n) % k
        for without in (0, None):
            monkeypatch.setattr("bitsieve.counts.packed.WITHOUT_LOOKING", said[-1] if without is None else without)
            PackedSource(*given, weights=np.full(n, w) if w else None)
        assert said[-1] == said[-2]
        assert len(said) == 2
        said.clear()


def test_matrices(free, make_table, source):
    codes, classes = make_table(50, 6)
    information = make_information("plug-in", source(codes, classes))
    free(6 * 6 * 8)
    assert information.matrix("redundancy").shape == (6, 6)
    free(6 * 6 * 8 - 1)
    message = (
        "a matrix of 6 x 6 features takes 2.88e-07 GB, more than the 2.87e-07 GB that are free: give fewer columns"
    )
    with pytest.raises(ValueError, match=message):
        information.matrix("redundancy")


START = """
import sys
import numpy as np
from bitsieve.utils import memory as free_memory
predicted = []
free_memory.check_room = lambda n_bytes, *words: predicted.append(n_bytes)  # before the others import it
"""

# A packed table reserves memory that it does not write, so the pages that it writes are counted. Pages of files are
# left out: the system takes them away and gives them back as other processes run.
PACKED = """
import re
from bitsieve.counts.packed import PackedSource

n_samples, n_features, n_codes = map(int, sys.argv[1:4])
kernel = None if sys.argv[4] == "best" else sys.argv[4]
n_rows = 1000 if sys.argv[5] == "weighted" else n_samples
weights = np.full(n_rows, n_samples // n_rows) if sys.argv[5] == "weighted" else None
rows = np.arange(n_rows)
codes = np.empty((n_rows, n_features), np.uint8 if n_codes <= 256 else np.uint16, order="F")
for j in range(n_features):
    codes[:, j] = rows * (j + 1) // 2 % n_codes
classes = (rows % 2).astype(np.uint8)

def memory(name):
    with open("/proc/self/status") as file:
        return int(re.search(name + r":\\s*(\\d+)", file.read())[1]) * 1024

PackedSource(codes[:1000, :2], classes[:1000], kernel=kernel)  # what is loaded at first use
predicted.clear()
before = memory("RssAnon")
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the highest so far is no part of it
PackedSource(codes, classes, weights=weights, kernel=kernel)
print(max(predicted), memory("VmHWM") - memory("RssFile") - before)
"""

# Methods take arrays of numpy, scipy and LAPACK: the C library adds up what it maps for them, and keeps the highest
# sum.
FITTED = """
import ctypes
from bitsieve import Nystrom, make_selector

class Allocated(ctypes.Structure):  # struct mallinfo of malloc.h
    _fields_ = [(name, ctypes.c_int) for name in "arena ordblks smblks hblks hblkhd".split()]
    _fields_ += [(name, ctypes.c_int) for name in "usmblks fsmblks uordblks fordblks keepcost".split()]

malloc = ctypes.CDLL(None)
malloc.mallinfo.restype = Allocated
method, n_features, parameters = sys.argv[1], int(sys.argv[2]), eval(sys.argv[3])
selector = make_selector(method, 3, binning="none", **parameters)
random = np.random.default_rng(0)
codes = random.integers(0, 3, (n_features, 300), np.uint8).T
classes = random.integers(0, 2, 300, np.uint8)
selector.fit(codes[:, :12], classes)  # what is loaded at first use
predicted.clear()
before = malloc.mallinfo().hblkhd  # bytes in mappings
selector.fit(codes, classes)
malloc.malloc_stats()  # written to stderr
print(max(predicted), before)
"""


def run_in_process(code, *arguments, **environment):
    """What the program prints in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-c", START + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | environment)


# All kernels and methods share the estimates: the small cases are a table with weights and one without.
slow = pytest.mark.slow("fills hundreds of megabytes in a process of its own")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("n_samples", "n_features", "n_codes", "weights", "kernel"),
    [
        (6_000_000, 17, 3, "weighted", "best"),
        (8_000_000, 1, 10, "none", "best"),  # most of it goes into the order of the samples
        pytest.param(6_000_000, 17, 3, "weighted", "table", marks=slow),
        pytest.param(8_000_000, 1, 10, "none", "table", marks=slow),
        *(
            pytest.param(*shape, kernel, marks=slow)
            for kernel in ("best", "table")
            for shape in (
                (12_000_000, 1, 10, "weighted"),
                (12_000_000, 1, 2, "weighted"),
                (300_000, 250, 300, "none"),
                (2_000, 60_000, 9, "none"),
            )
        ),
    ],
)
def test_what_a_table_is_said_to_take_it_takes(n_samples, n_features, n_codes, weights, kernel):
    predicted, peak = map(int, run_in_process(PACKED, n_samples, n_features, n_codes, kernel, weights).stdout.split())
    assert peak > 60e6  # less is lost in what else is taken
    assert 1 / 1.2 < predicted / peak < 1.2


@slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="reads the figures of the GNU C library")
@pytest.mark.parametrize(
    ("method", "n_features", "parameters"),
    [
        ("speccmi", 4000, "{}"),
        ("speccmi", 5000, "{'dtype': 'float32', 'refine': 'swap'}"),
        ("speccmi", 12_000, "{'approximation': Nystrom(0.08)}"),
        ("qpfs", 2800, "{}"),
        ("qpfs", 4100, "{}"),  # shown to be convex by probes, without a copy
        ("qpfs", 12_000, "{'approximation': Nystrom(0.08), 'alpha': 0.5}"),
        ("eqpfs", 2800, "{}"),
        ("sdpcmi", 2000, "{'n_roundings': 2}"),
    ],
)
def test_what_a_method_is_said_to_take_it_takes(method, n_features, parameters):
    """Arrays of 64 KiB and more are mapped, each on its own, and so added up."""
    done = run_in_process(FITTED, method, n_features, parameters, MALLOC_MMAP_THRESHOLD_="65536")
    predicted, before = map(int, done.stdout.split())
    peak = int(re.search(r"max mmap bytes *= *([0-9]+)", done.stderr)[1]) - before
    assert peak > 60e6  # less is lost in what else is taken
    assert 1 / 1.2 < predicted / peak < 1.2


def test_likelihoods_of_many_classes(free):
    free(48 * 8 * 4)
    Posterior(np.ones(4, np.int64))
    free(48 * 8 * 4 - 1)
    with pytest.raises(ValueError, match=r"the likelihoods of 4 samples in 4 classes take .* fewer classes"):
        Posterior(np.ones(4, np.int64))


def test_correlations_of_many_columns(free):
    centred = np.array([[1.0, 2.0, 0.0], [-1.0, 1.0, 1.0], [0.0, -3.0, -1.0]])
    free(9 * 8)  # half a matrix, and scipy's copy of it
    correlation_clusters(centred, 2)
    free(9 * 8 - 1)
    with pytest.raises(ValueError, match=r"a matrix of 3 x 3 features takes .* free: give fewer columns"):
        correlation_clusters(centred, 2)
