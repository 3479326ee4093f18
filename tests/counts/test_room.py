"""What does not fit the memory is refused before it is taken, and what is said that it takes is what it takes."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from bitsieve.common import free_memory
from bitsieve.counts.packed import PackedSource
from bitsieve.information import make_information


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
        r"the weights sum to 3,000,000 samples, which take 0\.024 GB, more than the 0\.023 GB that are free: scale"
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


def test_matrices(free, make_table, source):
    codes, classes = make_table(50, 6)
    information = make_information("plug-in", source(codes, classes))
    free(6 * 6 * 8)
    assert information.mutual_information_matrix().shape == (6, 6)
    free(6 * 6 * 8 - 1)
    message = (
        "a matrix of 6 x 6 features takes 2.88e-07 GB, more than the 2.87e-07 GB that are free: give fewer columns"
    )
    with pytest.raises(ValueError, match=message):
        information.mutual_information_matrix()


PEAK = r"""
import re, sys
import numpy as np
import bitsieve.counts.packed as packed
def memory(which):
    with open("/proc/self/status") as file:
        return int(re.search(which + r":\s*(\d+)", file.read())[1]) * 1024
predicted = []
packed.check_room = lambda n_bytes, *words: predicted.append(n_bytes)
n_samples, n_features, n_codes, kernel = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
codes = np.arange(1000 * n_features).reshape(1000, n_features) % n_codes
weights = np.full(1000, n_samples // 1000)
codes, classes = codes.astype(np.uint16), np.arange(1000) % 2
packed.PackedSource(codes, classes, kernel=None if kernel == "best" else kernel)  # what is loaded at first use
predicted.clear()
before = memory("VmRSS")
packed.PackedSource(codes, classes, weights=weights, kernel=None if kernel == "best" else kernel)
print(predicted[0], memory("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kernel", ["best", "table"])
@pytest.mark.parametrize(("n_features", "n_codes"), [(1, 10), (1, 2), (17, 3)])
def test_the_memory_that_is_said_is_the_memory_that_is_taken(n_features, n_codes, kernel):
    asked = (6_000_000, n_features, n_codes, kernel)
    told = subprocess.run([sys.executable, "-c", PEAK, *map(str, asked)], capture_output=True, text=True, check=True)
    predicted, peak = map(float, told.stdout.split())
    assert peak / 1.2 < predicted < peak * 1.2
