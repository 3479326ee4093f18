"""The peak of a process that reads a file in little memory, and what its bins are found on."""

from __future__ import annotations

import json
import subprocess
import sys
from math import log, sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.diagnosed import raises_code

import bitsieve

MEGABYTE = 1_000_000
N_COLUMNS = 50
# A file of few rows comes first: the peak before is that of Python and its libraries.
SELECT = """
import json, re, sys, warnings
from pathlib import Path
import bitsieve
def peak():
    return 1024 * int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
def select(path):
    return bitsieve.select(path, "class", n_features_to_select=3, n_jobs=1, **json.loads(sys.argv[3]))
warnings.simplefilter("ignore")
select(sys.argv[1])
before = peak()
selection = select(sys.argv[2])
print(json.dumps([peak() - before, selection.features, [note.code for note in selection.diagnostics]]))
"""


def write_rows(path, n_rows):
    """Write columns of different numbers in every row, the later of which depend more on the class."""
    random = np.random.default_rng(0)
    classes = random.integers(0, 2, n_rows)
    columns = {f"c{j:02}": random.normal(size=n_rows) + classes * j / N_COLUMNS for j in range(N_COLUMNS)}
    parquet.write_table(pa.table({**columns, "class": classes}), path, row_group_size=20_000, compression="none")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The paths of a file of few rows and of one of many."""
    folder = tmp_path_factory.mktemp("files")
    paths = folder / "few.parquet", folder / "many.parquet"
    for path, n_rows in zip(paths, (1_000, 300_000), strict=True):
        write_rows(path, n_rows)
    return paths


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from /proc")
@pytest.mark.parametrize(
    ("memory", "n_bins"),
    [
        pytest.param(200, 10, id="planes in memory", marks=pytest.mark.slow("the same with planes in memory")),
        pytest.param(120, 30, id="planes on disk"),
    ],
)
def test_the_peak_stays_within_the_memory(files, memory, n_bins):
    options = {"memory": f"{memory}MB", "binning": "quantile", "n_bins": n_bins}
    command = [sys.executable, "-c", SELECT, *map(str, files), json.dumps(options)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    n_bytes, features, codes = json.loads(answer)
    assert n_bytes <= memory * MEGABYTE
    assert features[0] == f"c{N_COLUMNS - 1}"
    assert "binned-on-sample" in codes


def test_little_memory_takes_a_smaller_sample_and_a_note_says_so(files):
    how = {"binning": "quantile", "method": "mim", "n_features_to_select": 1}
    selection = bitsieve.select(files[1], "class", memory="200MB", **how)
    (note,) = [note for note in selection.diagnostics if note.code == "binned-on-sample"]
    n_rows = 200 * MEGABYTE // 2 // (72 * N_COLUMNS)
    assert f"{n_rows:,} rows" in note.message
    assert f"{sqrt(log(200) / (2 * n_rows)):.2%}" in note.message
    assert "memory" in note.advice


@pytest.mark.slow("a file is read many times in very small parts")
def test_the_least_memory_follows_from_columns_and_bins(files):
    for n_bins, mebibytes in ((10, 5), (60, 28)):
        how = {"binning": "quantile", "n_bins": n_bins, "method": "mim", "n_features_to_select": 1}
        with raises_code("not-enough-memory") as caught:
            bitsieve.select(files[1], "class", memory="1MB", **how)
        assert caught.value.fix == {"memory": f"{mebibytes}MiB"}
        bitsieve.select(files[1], "class", memory=f"{mebibytes}MiB", **how)
