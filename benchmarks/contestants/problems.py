"""Problems as more than one program is given them, and what their answers are worth: QPFS, spanning trees, groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class Quadratic:
    """min (1 - alpha) x'Hx / 2 - alpha f'x over weights that sum to 1; H is `matrix`, made convex."""

    matrix: np.ndarray
    relevance: np.ndarray
    alpha: float

    @classmethod
    def of(cls, redundancy, relevance, shift):
        """With `shift` added to the diagonal, and the alpha that gives both terms the same weight."""
        redundancy[np.diag_indices_from(redundancy)] += shift
        redundant = float(redundancy.mean())
        relevant = float(relevance.mean())
        return cls(redundancy, relevance, redundant / (redundant + relevant))

    def relative_gap(self, weights):
        """The duality gap of any weights, relative to the size of the objective."""
        x = np.maximum(weights, 0)
        x = x / x.sum()
        linear = self.alpha * self.relevance
        gradient = (1 - self.alpha) * (self.matrix @ x) - linear
        return float(gradient @ x - gradient.min()) / abs(float((gradient - linear) @ x) / 2)


def on_grid(values, levels):
    """Distinct points in lexicographic order: as they are, or on a grid of so many whole numbers a dimension."""
    if levels:
        span = np.ptp(values, axis=0)
        values = np.floor((values - values.min(axis=0)) / span * (levels - 1e-9))
    return np.unique(values, axis=0)


def found_groups(columns, groups):
    """How many planted groups the columns have a member of, how many columns repeat one, how many are in none."""
    group_of_column = groups[np.asarray(columns)]
    planted = group_of_column[group_of_column >= 0]
    n_groups = len(np.unique(planted))
    return {
        "features": len(group_of_column),
        "groups": n_groups,
        "repeats": len(planted) - n_groups,
        "noise": len(group_of_column) - len(planted),
    }


def presences(value, column, start, classes, groups):
    """1 where a sparse table holds a value, in CSC, in which columns are taken for nothing."""
    return csr_matrix((np.ones(len(value)), column, start), shape=(len(classes), len(groups))).tocsc()
