"""A Parquet file that is counted in batches."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pyarrow as pa


def select(table):
    """A first selection from the file: found bins, packed planes and the method itself."""

    def run(k, method, memory, n_jobs=2, binning="none"):
        import polars  # noqa: F401 - which reads the file, as in the plain read beside it

        import bitsieve

        small_table = pa.table({"x0": [0, 1, 0, 1], "x1": [0, 0, 1, 1], "class": [0, 1, 1, 1]})
        bitsieve.select(small_table.to_reader(), "class", method=method, binning="none")  # what is imported on the way
        peak = [0]
        end = threading.Event()
        watcher = threading.Thread(target=_watch, args=(peak, end), daemon=True)
        watcher.start()
        start = time.perf_counter()
        before = time.process_time()
        parameters = {"binning": binning, "memory": memory, "n_jobs": n_jobs}
        parameters |= {"estimator": "plug-in"} if method == "mrmr" else {}
        bitsieve.select(table, "class", method=method, n_features_to_select=k, **parameters)
        report = {
            "seconds": time.perf_counter() - start,
            "processor_seconds": time.process_time() - before,
            "peak_anonymous_bytes": peak[0],
        }
        end.set()
        watcher.join()
        return report

    return run


def _watch(peak, end):
    """The memory of this process that is not mapped from files, whose pages the system may take back at any time."""
    status = Path("/proc/self/status")
    while status.exists() and not end.wait(0.05):
        lines = status.read_text().splitlines()
        peak[0] = max(peak[0], *(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon")))
