"""A Parquet file that is counted in batches."""

from __future__ import annotations

import resource
import time

from benchmarks.contestants.files import parquet_file


def select(codes, classes):
    """A first selection from the file: found bins, packed planes and the method itself."""
    folder, path = parquet_file(codes, classes)

    def run(k, method, memory):
        import bitsieve

        assert folder.name  # held as long as the function is
        start, before = time.perf_counter(), time.process_time()
        bitsieve.select(path, "class", method=method, n_features_to_select=k, binning="none", memory=memory, n_jobs=2)
        return {
            "seconds": time.perf_counter() - start,
            "processor_seconds": time.process_time() - before,
            "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }

    return run
