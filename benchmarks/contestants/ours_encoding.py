"""bitsieve on tables of any type that are only read, coded and packed: the entropy of columns costs next to nothing."""

from __future__ import annotations

import time

import numpy as np

import bitsieve


def array(codes, classes):
    """A matrix of a type and an order in memory."""
    made = {}

    def run(kind, order):
        if (kind, order) not in made:
            made.clear()
            made[kind, order] = (
                np.minimum(codes, 1).astype(bool, order) if kind == "bool" else codes.astype(kind, order)
            )
            _timed(made[kind, order])  # what is imported for a kind is not in its time
        return _timed(made[kind, order])

    return run


def frame(codes, classes):
    """A frame of categories or text."""
    made = {}

    def run(kind):
        if kind not in made:
            made.clear()
            made[kind] = FRAMES[kind](codes)
            _timed(made[kind])
        return _timed(made[kind])

    return run


def _timed(table):
    start = time.perf_counter()
    bitsieve.entropy(table, binning="none", n_jobs=1)
    return {"seconds": time.perf_counter() - start}


def _named(codes, column):
    return {f"x{j}": column(codes[:, j]) for j in range(codes.shape[1])}


def _pandas(codes):
    import pandas as pd

    return pd.DataFrame(_named(codes, lambda code: pd.Categorical.from_codes(code, list("cab"))))


def _polars(codes):
    import polars as pl

    words = np.array(["c", "a", "b"], object)
    return pl.DataFrame(_named(codes, lambda code: pl.Series(words[code], dtype=pl.Categorical)))


def _text(codes):
    import pyarrow as pa

    words = np.array(["c", "a", "b"], object)
    return pa.table(_named(codes, lambda code: pa.array(words[code])))


FRAMES = {"pandas categories": _pandas, "polars categories": _polars, "Arrow text": _text}
