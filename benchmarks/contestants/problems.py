"""The quadratic programme of QPFS as its solvers are given it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
        redundant, relevant = float(redundancy.mean()), float(relevance.mean())
        return cls(redundancy, relevance, redundant / (redundant + relevant))

    def relative_gap(self, weights):
        """The duality gap of any weights, relative to the size of the objective."""
        x = np.maximum(weights, 0)
        x = x / x.sum()
        linear = self.alpha * self.relevance
        gradient = (1 - self.alpha) * (self.matrix @ x) - linear
        return float(gradient @ x - gradient.min()) / abs(float((gradient - linear) @ x) / 2)
