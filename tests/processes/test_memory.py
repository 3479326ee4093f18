"""What a selection in batches takes of memory stays below the limit that it is given, and its pages are small."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

ROWS, COLUMNS, MEMORY = 2_200_000, 8, 128 << 20  # 141 MB of numbers

MEASURED = """
import threading, time
import bitsieve
from bitsieve.results import selection
from bitsieve.engines import stream

def anonymous():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("RssAnon"))

def select(path):
    bitsieve.select(path, "class", method={method!r}, n_features_to_select=3, binning={binning!r}, memory={memory})

select({small!r})  # what is imported on the way is no part of it
before, most, goes_on = anonymous(), 0, True

def watch():
    global most
    while goes_on:
        most = max(most, anonymous())
        time.sleep(0.002)

watcher = threading.Thread(target=watch)
watcher.start()
select({large!r})
goes_on = False
watcher.join()
print(most - before)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A small and a large table, the large one in row groups of half of its rows."""
    folder, random = tmp_path_factory.mktemp("files"), np.random.default_rng(0)
    y = random.integers(0, 2, ROWS)
    columns = {f"x{j}": random.normal(size=ROWS) + y * (j % 3) for j in range(COLUMNS // 2)}
    columns |= {f"c{j}": random.integers(0, 9, ROWS) + y * (j % 3) for j in range(COLUMNS // 2)}
    table = pa.table(columns | {"class": y})
    parquet.write_table(table.slice(0, 2000), folder / "small.parquet")
    parquet.write_table(table, folder / "large.parquet", row_group_size=ROWS // 2)
    return folder


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc does not tell the memory of a process here")
@pytest.mark.parametrize(
    ("method", "binning"),
    [
        ("mrmr", "quantile"),
        pytest.param("jmi", "mdl", marks=pytest.mark.slow("two million rows once more, by other bins")),
    ],
)
def test_memory_stays_below_the_limit(files, method, binning):
    paths = {name: str(files / f"{name}.parquet") for name in ("small", "large")}
    code = MEASURED.format(method=method, binning=binning, memory=MEMORY, **paths)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert 0 < int(done.stdout) < MEMORY


PAGES = """
import sys
from bitsieve.__main__ import main
main()
with open("/proc/self/status") as file:
    print(*(line for line in file if line.startswith("THP_enabled")))
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists() or "THP_enabled" not in Path("/proc/self/status").read_text(),
    reason="/proc does not tell whether a process has huge pages here",
)
@pytest.mark.skipif(
    int(pa.__version__.split(".")[0]) < 26, reason="the allocator of older Arrow may have no such switch"
)
@pytest.mark.parametrize(("chosen", "is_enabled"), [(None, 0), ("1", 1)])
def test_the_command_has_no_huge_pages_unless_the_user_asks_for_them(tmp_path, chosen, is_enabled):
    (tmp_path / "table.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    environment = {name: value for name, value in os.environ.items() if name != "MIMALLOC_ALLOW_THP"}
    if chosen is not None:
        environment["MIMALLOC_ALLOW_THP"] = chosen
    command = [sys.executable, "-c", PAGES, "select", str(tmp_path / "table.csv"), "-t", "y"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout.split()[-2:] == ["THP_enabled:", str(is_enabled)], done.stderr
