"""bitsieve on columns of numbers and a target of two classes: the bins of the largest information value."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

import bitsieve
from benchmarks.contestants.bins import worth

TINY = np.arange(40.0)[:, np.newaxis], np.arange(40) % 3 % 2


def monotone(**arrays):
    """The bins of `MonotoneBinner` by its defaults, but for the trend."""
    bitsieve.MonotoneBinner().fit(*TINY)  # what is imported is not in the time of a run

    def run(column, trend="auto"):
        values = arrays[column][:, np.newaxis]
        is_event = arrays[f"{column}_classes"]
        start = time.process_time()
        binner = bitsieve.MonotoneBinner(trend=trend).fit(values, is_event)
        seconds = time.process_time() - start
        counts = binner.column_bins_[0].counts
        return {"seconds": seconds, **worth(counts.events, counts.nonevents)}

    return run


def frame(values, classes):
    """The bins of all columns of a pandas frame by `MonotoneBinner` with its defaults."""
    bitsieve.MonotoneBinner().fit(*TINY)
    columns = pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])

    def run(n_jobs):
        start = time.perf_counter()
        binner = bitsieve.MonotoneBinner(n_jobs=n_jobs).fit(columns, classes)
        return {"seconds": time.perf_counter() - start, "information_values": binner.iv_.tolist()}

    return run
