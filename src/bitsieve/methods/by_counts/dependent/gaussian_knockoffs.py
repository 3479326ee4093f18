"""Knockoffs of columns that are jointly normal, and their statistics by a lasso."""

from __future__ import annotations

import numpy as np

from bitsieve.counts.threads import run_blocks, threads_of_block
from bitsieve.methods.by_counts.dependent.linear_models import lasso_by_cross_validation, shrunk_covariance
from bitsieve.methods.by_counts.dependent.rows import classes_against_others
from bitsieve.optimize.reconstructability import least_reconstructable
from bitsieve.utils.arrays import Floats, Integers


class GaussianKnockoffs:
    """Draws knockoffs of columns with mean 0, whose covariance is that of Ledoit and Wolf.

    With the covariance C and S = diag(s), the knockoffs of the rows Z are normal with ::

        mean Z (I - C^-1 S)    and covariance 2 S - S C^-1 S

    s makes the knockoffs least reconstructable (Spector and Janson 2022).
    """

    def __init__(self, scores: Floats) -> None:
        covariance = shrunk_covariance(scores)
        s = least_reconstructable(covariance)
        inverse = np.linalg.inv(covariance)
        self._mean = scores - scores @ inverse * s
        # 2 S - S C^-1 S = R (2 I - R C^-1 R) R with R = S^1/2, of which the factor in brackets is of unit scale
        root = np.sqrt(s)
        unit_scale = 2 * np.eye(len(s)) - root[:, None] * inverse * root
        self._factor = root[:, None] * np.linalg.cholesky((unit_scale + unit_scale.T) / 2)

    def draw(self, random: np.random.Generator) -> Floats:
        """Knockoffs of all rows."""
        noise = random.normal(size=self._mean.shape)
        knockoffs: Floats = self._mean + noise @ self._factor.T
        return knockoffs


def lasso_wins(scores: Floats, classes: Integers, n_draws: int, random_state: int, n_jobs: int | None) -> Floats:
    """W, shape (n_draws, n_columns): the lasso's weight of each column less that of its knockoff, both without sign.

    Each class, a 0/1 variable, has a lasso of columns and knockoffs together; the weights of all classes are added. The
    rows are class by class.
    """
    knockoffs = GaussianKnockoffs(scores)
    labels = classes_against_others(classes)
    wins = np.zeros((n_draws, scores.shape[1]))
    threads_of_draw = threads_of_block(n_draws, n_jobs)

    def work(number: int) -> None:
        # A child of the seed: data that were drawn by the seed itself must not have the same noise as the knockoffs.
        random = np.random.default_rng(np.random.SeedSequence(random_state, spawn_key=(number,)))
        both = np.hstack([scores, knockoffs.draw(random)])
        for label in labels:
            is_class = (classes == label).astype(np.float64)
            weights = np.abs(lasso_by_cross_validation(both, is_class - is_class.mean(), threads_of_draw).weights)
            column_weights, knockoff_weights = weights.reshape(2, -1)
            wins[number] += column_weights - knockoff_weights

    run_blocks(work, range(n_draws), n_jobs)
    return wins
