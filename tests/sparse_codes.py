"""Sparse codes of a dense table."""

from __future__ import annotations

import numpy as np

from bitsieve.counts.sparse import SparseCodes


def sparse_codes(codes):
    """The codes of a table of shape (n_rows, n_features), the most frequent one of every column left out."""
    common = np.array([np.bincount(column).argmax() for column in codes.T])
    column, row = np.nonzero(common[:, None] != codes.T)
    start = np.searchsorted(column, np.arange(codes.shape[1] + 1)).astype(np.int64)
    listed = codes[row, column].astype(np.uint16)
    return SparseCodes(len(codes), start, row.astype(np.int32), listed, common.astype(np.uint16))
