"""The variances by which Gaussian knockoffs are least reconstructable from the columns.

A. Spector, L. Janson, "Powerful knockoffs via minimizing reconstructability", Annals of Statistics 50(1), 2022.
"""

from __future__ import annotations

import numpy as np

from bitsieve.utils.arrays import Floats
from bitsieve.utils.progress import phase

MAX_SWEEPS = 100
TOLERANCE = 1e-6  # relative decrease of the loss in a sweep; one more sweep moves no variance by more than about 0.1 %
STEPS_AT_ONCE = 64  # whose changes of D^-1 are one matrix product


def least_reconstructable(covariance: Floats) -> Floats:
    r"""The diagonal s > 0 that minimises the trace of the inverse covariance of columns and knockoffs together.

    With S = diag(s), columns and knockoffs have the covariances C and C - S between them, and ::

        loss(s) = trace(S^-1) + trace(D^-1),   D = 2 C - S positive definite

    which is convex. One variance is changed at a time, to the minimum along it: with M = D^-1, a = sum_i M_ij^2 and
    b = M_jj, a step t changes the loss to ``1 / (s_j + t) + a t / (1 - b t)`` but for a constant, which is least at ::

        t = (1 - sqrt(a) s_j) / (sqrt(a) + b)

    and M by ``m m' t / (1 - b t)``, for m the column j of M.

    ``covariance`` is positive definite. Cost: O(n^3) a sweep over n columns, nearly all of it matrix products.
    """
    n_columns = len(covariance)
    least_eigenvalue = float(np.linalg.eigvalsh(covariance)[0])
    s = np.full(n_columns, least_eigenvalue)  # any number below twice the least eigenvalue
    previous_loss = np.inf
    for sweep in range(1, MAX_SWEEPS + 1):
        # Anew in each sweep, so that roundings do not add up
        inverse = np.asarray(np.linalg.inv(2 * covariance - np.diag(s)), np.float64)
        loss = (1 / s).sum() + np.trace(inverse)
        if previous_loss - loss <= TOLERANCE * loss:
            break
        previous_loss = loss
        report = phase(f"making knockoffs, sweep {sweep}")
        for first in range(0, n_columns, STEPS_AT_ONCE):
            end = min(first + STEPS_AT_ONCE, n_columns)
            _step_to_minima(s, inverse, first, end)
            report(end, n_columns)
    return s


def _step_to_minima(s: Floats, inverse: Floats, first: int, end: int) -> None:
    """Step along the variances from ``first`` on; only the columns of the inverse from ``end`` on follow all steps."""
    columns = np.empty((end - first, len(s)))  # m of each step
    weights = np.empty(end - first)  # t / (1 - b t)
    for step, j in enumerate(range(first, end)):
        earlier = columns[:step]
        column = inverse[:, j] + (weights[:step] * earlier[:, j]) @ earlier
        root = np.sqrt(column @ column)
        change = (1 - root * s[j]) / (root + column[j])
        s[j] += change
        columns[step] = column
        weights[step] = change / (1 - change * column[j])
    inverse[:, end:] += (columns.T * weights) @ columns[:, end:]
