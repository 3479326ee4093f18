"""bitsieve's monotone bins, from a pandas frame."""

from __future__ import annotations

import time

import pandas as pd

import bitsieve


def monotone_bins(values, classes):
    """Fit a MonotoneBinner with its default options."""
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])

    def run(n_jobs):
        start = time.perf_counter()
        binner = bitsieve.MonotoneBinner(n_jobs=n_jobs).fit(frame, classes)
        return {"seconds": time.perf_counter() - start, "information_values": binner.iv_.tolist()}

    return run
