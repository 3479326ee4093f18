"""On a disk that is really full there is one clear line, and nothing is left: at whatever byte it fills up."""

from __future__ import annotations

import subprocess

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.datasets import dump_svmlight_file

import bitsieve
from bitsieve.io import libsvm
from bitsieve.io.errors import DataError


@pytest.fixture
def disk(tmp_path):
    """Makes a file system of so many kilobytes, in memory."""
    mounted = []

    def of_size(kilobytes):
        folder = tmp_path / f"{kilobytes} kB"
        folder.mkdir()
        options = ["-t", "tmpfs", "-o", f"size={kilobytes}k", "bitsieve", str(folder)]
        try:
            subprocess.run(["mount", *options], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("this process may not mount a file system")
        mounted.append(folder)
        return folder

    yield of_size
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 3000)
    return pa.table({f"x{j}": y + random.integers(0, 3, 3000) for j in range(9)} | {"class": y})


def run(data, target="class", **how):
    return bitsieve.select(data, target, binning="none", n_features_to_select=2, **how)


def outcome(data, spool, target="class"):
    """What is selected, or the error."""
    try:
        return run(data, target, spool=spool).to_dict()["features"]
    except DataError as error:
        return str(error)


@pytest.mark.parametrize("streamed", [False, True])
def test_whatever_fits_no_more(tmp_path, table, disk, streamed):
    parquet.write_table(table, tmp_path / "data.parquet")
    expected = run(table).to_dict()["features"]
    were_full = []
    for kilobytes in (4, 8, 12, 16, 20, 24, 32, 48, 256, 512):
        spool = disk(kilobytes)
        found = outcome(table.to_reader(max_chunksize=500) if streamed else tmp_path / "data.parquet", spool)
        were_full.append(is_full(spool, found, expected))
    assert were_full == sorted(were_full, reverse=True)
    assert set(were_full) == {True, False}


def is_full(spool, found, expected):
    """Whether the disk had no place, as one line says, and nothing is left there then."""
    if found == expected:
        return False
    assert "No space left on device" in found
    assert "\n" not in found
    assert list(spool.iterdir()) == []
    return True


def test_a_libsvm_file_that_fits_no_more(tmp_path, table, disk, monkeypatch):
    monkeypatch.setattr(libsvm, "_MAX_RANGE_BYTES", 10_000)
    X = np.column_stack([table[name].to_numpy() for name in table.column_names[:-1]])
    path = tmp_path / "data.libsvm"
    dump_svmlight_file(X.astype(float), table["class"].to_numpy(), str(path), zero_based=False)
    expected = run(path, "y").to_dict()["features"]
    were_full = []
    for kilobytes in (4, 12, 50, 150, 300, 450, 600, 680, 760, 2000):
        spool = disk(kilobytes)
        were_full.append(is_full(spool, outcome(path, spool, "y"), expected))
    assert were_full == sorted(were_full, reverse=True)
    assert set(were_full) == {True, False}
