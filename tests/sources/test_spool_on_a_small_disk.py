"""On a disk that is really full there is one clear line, and nothing is left: at whatever byte it fills up."""

from __future__ import annotations

import subprocess

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import bitsieve
from bitsieve.files.errors import DataError


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


def run(data, **how):
    return bitsieve.select(data, "class", binning="none", n_features_to_select=2, **how)


def outcome(data, spool):
    """What is selected, or the error."""
    try:
        return run(data, spool=spool).to_dict()["features"]
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
        were_full.append(found != expected)
        if found != expected:
            assert "No space left on device" in found
            assert "\n" not in found
            assert list(spool.iterdir()) == []
    assert were_full == sorted(were_full, reverse=True)
    assert set(were_full) == {True, False}
