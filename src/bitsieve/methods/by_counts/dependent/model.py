"""The distribution of columns whose dependence is a tree, and exact knockoffs of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.arrays import Floats
from bitsieve.methods.by_counts.dependent.forest import Forest

SMOOTHING = 0.5  # samples that every cell has in advance (Krichevsky and Trofimov)
Codes = NDArray[Any]


class TreeModel:
    """``P(x) = prod_j P(xj | its parent)``, by counts with half a sample added to every cell."""

    def __init__(self, codes: Codes, arities: NDArray[np.integer], forest: Forest) -> None:
        """Codes are of shape (n_features, n_samples)."""
        self.forest, self.arities = forest, arities.astype(np.int64)
        self.tables: list[Floats] = [np.empty(0)] * forest.n_features  # [xj, its parent's code] = P(xj | parent)
        for column, parent in forest.parents:
            n_codes, n_parent = int(arities[column]), 1 if parent < 0 else int(arities[parent])
            cells = codes[column].astype(np.int64) * n_parent + (0 if parent < 0 else codes[parent])
            counts = np.bincount(cells, minlength=n_codes * n_parent).reshape(n_codes, n_parent) + SMOOTHING
            self.tables[column] = counts / counts.sum(axis=0)

    def log_likelihood(self, codes: Codes) -> float:
        """``log2 P`` of some samples, in bits."""
        total = 0.0
        for column, parent in self.forest.parents:
            above = 0 if parent < 0 else codes[parent]
            total += float(np.log2(self.tables[column])[codes[column], above].sum())
        return total

    def knockoffs(self, codes: Codes, choose: Callable[[Floats], Codes]) -> Codes:
        """One knockoff of every column, drawn in turn from its distribution given all columns and those drawn before.

        ``choose(weights)``: a code for every sample, with probabilities in proportion to weights of shape
        (codes, samples). The leaves come first. With ``m_j(v)`` the share of the columns below j in the probability of
        Xj = v, those that were drawn included, and a its parent,

            X~j ~ P(v | xa) m_j(v),   m_a(v) = prod_j P(xj | v) P(x~j | v) / sum_w P(w | v) m_j(w)

        Cost: O(n d codes^2).
        """
        found = np.empty_like(codes)
        messages: dict[int, Floats] = {}
        for column, parent in reversed(self.forest.parents):
            table, below = self.tables[column], messages.pop(column, None)
            weights = table[:, np.zeros(codes.shape[1], np.intp) if parent < 0 else codes[parent]]
            found[column] = choose(weights if below is None else weights * below)
            if parent < 0:
                continue
            message = table[codes[column]].T * table[found[column]].T
            if below is not None:
                message /= np.stack([(below * share[:, None]).sum(axis=0) for share in table.T])
            message *= messages.get(parent, 1.0)
            messages[parent] = message / message.max(axis=0)
        return found


def draw(random: np.random.Generator, weights: Floats) -> Codes:
    """A code for every sample by weights of shape (codes, samples)."""
    cumulative = np.cumsum(weights, axis=0)
    chosen: Codes = (cumulative[:-1] <= random.random(weights.shape[1]) * cumulative[-1]).sum(axis=0)
    return chosen
