"""Counting by a matrix product of one-hot codes in numpy (BLAS): the pivot's codes times all features'.

The columns are laid out code by code, so that the sums over a table's cells run along the features.
"""

import numpy as np

from benchmarks.contestants.greedy_in_numpy import select

PACKAGES = ("numpy",)


def one_hot(codes, n_codes):
    """(samples, features) to (samples, n_codes * features) float32; counts are exact up to 2^24."""
    encoded = codes[:, None, :] == np.arange(n_codes, dtype=codes.dtype)[:, None]
    return encoded.reshape(len(codes), -1).astype(np.float32)


def term_table(n_samples):
    """c log2 c for c = 0 .. n_samples."""
    count = np.arange(n_samples + 1, dtype=np.float64)
    return count * np.log2(np.maximum(count, 1.0))


def prepare(codes, classes):
    n_samples, n_features = codes.shape
    n_codes, n_classes = int(codes.max()) + 1, int(classes.max()) + 1
    term = term_table(n_samples)

    def run(criterion, k):
        encoded = one_hot(np.ascontiguousarray(codes), n_codes)

        def count_row(pivot, with_classes):
            joint, n_joint = codes[:, [pivot]].astype(np.int32), n_codes
            if with_classes:
                joint, n_joint = classes[:, None] * n_codes + joint, n_classes * n_codes
            counts = (one_hot(joint, n_joint).T @ encoded).astype(np.intp).reshape(-1, n_codes, n_features)
            if not with_classes:
                return term.take(counts).sum(axis=(0, 1)), None
            pooled = counts.reshape(n_classes, n_codes, n_codes, n_features).sum(axis=0)
            return term.take(pooled).sum(axis=(0, 1)), term.take(counts).sum(axis=(0, 1))

        return select(codes, classes, criterion, k, count_row)

    return run
