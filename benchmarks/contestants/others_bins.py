"""Programs of others that cut one column of numbers for a target of two classes."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.contestants.bins import MAX_BINS, MIN_SHARE, bins_between, worth

TINY = np.arange(40.0), np.arange(40) % 3 % 2  # a first call imports, and is not timed
PACKAGES = {"optbinning": ("optbinning",), "fastbinning": ("fastbinning",), "toad": ("toad",)}


def optbinning(**arrays):
    """Optimal bins of pre-bins: a decision tree's by default, or quantiles."""
    from optbinning import OptimalBinning

    OptimalBinning(dtype="numerical").fit(*TINY)

    def run(column, **prebinning):
        values, is_event = arrays[column], arrays[f"{column}_classes"]
        start = time.process_time()
        binning = OptimalBinning(
            dtype="numerical",
            monotonic_trend="auto_asc_desc",
            max_n_bins=MAX_BINS,
            min_bin_size=MIN_SHARE,
            **prebinning,
        ).fit(values, is_event)
        seconds = time.process_time() - start
        return {"seconds": seconds, **worth(*bins_between(values, is_event, binning.splits))}

    return run


def fastbinning(**arrays):
    """Bins by a program in Rust, with a largest share of a bin."""
    from fastbinning import NumericalBinning

    def run(column, max_share):
        values, is_event = arrays[column], arrays[f"{column}_classes"].astype(np.int32)
        start = time.process_time()
        binning = NumericalBinning(MAX_BINS, MIN_SHARE, max_share)
        binning.fit(values, is_event)
        seconds = time.process_time() - start
        return {"seconds": seconds, **worth([b.pos for b in binning.bins], [b.neg for b in binning.bins])}

    return run


def toad(**arrays):
    """The leaves of a decision tree, which have no trend."""
    import pandas as pd
    from toad.transform import Combiner

    Combiner().fit(pd.DataFrame({"x": TINY[0]}), y=TINY[1], method="dt", n_bins=2)

    def run(column):
        frame = pd.DataFrame({"x": arrays[column]})
        is_event = arrays[f"{column}_classes"]
        start = time.process_time()
        combiner = Combiner()
        combiner.fit(frame, y=is_event, method="dt", n_bins=MAX_BINS, min_samples=MIN_SHARE)
        seconds = time.process_time() - start
        cuts = combiner.export()["x"]
        return {"seconds": seconds, **worth(*bins_between(arrays[column], is_event, cuts))}

    return run
