"""bitsieve on columns of numbers and a target of two classes: stopping rules and tests that shuffle the classes."""

from __future__ import annotations

import time
import warnings

import numpy as np

import bitsieve

TINY = np.arange(40.0)[:, np.newaxis], np.arange(40) % 3 % 2


def select(values, classes):
    """What `select` takes by a stopping rule; the processor seconds of all threads."""
    bitsieve.select(*TINY)  # what is imported is not in the time of a run

    def run(rule, n_jobs):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a selection notes is not measured
            selection = bitsieve.select(values, classes, stopping=rule, n_jobs=n_jobs)
        return {"seconds": time.process_time() - start, "selected": selection.indices.tolist()}

    return run


def p_of_bins(values, classes):
    """The p of the bins of all columns, which are made first; the processor seconds of all threads."""

    def run(trend, n_jobs):
        binner = bitsieve.MonotoneBinner(trend=trend, n_jobs=n_jobs).fit(values, classes)
        start = time.process_time()
        p_values = binner.p_values_
        return {"seconds": time.process_time() - start, "p_values": p_values.tolist()}

    return run
