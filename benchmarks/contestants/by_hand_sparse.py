"""What one writes by hand with scipy for sparse tables."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.contestants.problems import found_groups


def jmi(value, column, start, classes, groups):
    """JMI of presences: the counts of a step are a product of the newest column with the table, in each class."""
    n_samples = len(classes)
    n_features = len(groups)
    X = csr_matrix((np.ones(len(value), np.float32), column, start), shape=(n_samples, n_features))
    _, labels = np.unique(classes, return_inverse=True)
    one_hot_classes = (labels[:, None] == np.arange(labels.max() + 1)).astype(np.float32)

    def entropy_terms(counts):
        return np.where(counts > 0, counts * np.log2(np.maximum(counts, 1)), 0.0)

    def joint(both, column, pivot):
        cells = both, column - both, pivot - both, one_hot_classes.sum(axis=0) - column - pivot + both
        return sum(entropy_terms(cell).sum(axis=1) - entropy_terms(cell.sum(axis=1)) for cell in cells)

    def run(k):
        column_counts = (X.T @ one_hot_classes).astype(np.float64)
        scores = joint(np.zeros_like(column_counts), column_counts, np.zeros(column_counts.shape[1]))
        total = np.zeros(n_features)
        chosen = [int(np.argmax(scores))]
        by_column = X.tocsc()
        while len(chosen) < k:
            rows = by_column.indices[by_column.indptr[chosen[-1]] : by_column.indptr[chosen[-1] + 1]]
            both = (X[rows].T @ one_hot_classes[rows]).astype(np.float64)
            total += joint(both, column_counts, column_counts[chosen[-1]])
            left = total.copy()
            left[chosen] = -np.inf
            chosen.append(int(np.argmax(left)))
        return found_groups(np.array(chosen), groups)

    return run
