"""The variances by which Gaussian knockoffs are least reconstructable from the columns.

A. Spector, L. Janson, "Powerful knockoffs via minimizing reconstructability", Annals of Statistics 50(1), 2022.
"""

from __future__ import annotations

import numpy as np

from bitsieve.utils.arrays import Floats
from bitsieve.utils.progress import phase

MAX_SWEEPS = 100
TOLERANCE = 1e-6  # relative decrease of the loss in a sweep; one more sweep moves no variance by more than about 0.1 %


def least_reconstructable(covariance: Floats) -> Floats:
    r"""The diagonal s > 0 that minimises the trace of the inverse covariance of columns and knockoffs together.

    With S = diag(s), columns and knockoffs have the covariances C and C - S between them, and ::

        loss(s) = trace(S^-1) + trace(D^-1),   D = 2 C - S positive definite

    which is convex. One variance is changed at a time, to the minimum along it: with M = D^-1, a = sum_i M_ij^2 and
    b = M_jj, a step t changes the loss to ``1 / (s_j + t) + a t / (1 - b t)`` but for a constant, which is least at ::

        t = (1 - sqrt(a) s_j) / (sqrt(a) + b)

    ``covariance`` is positive definite. Cost: O(n^3) a sweep over n columns.
    """
    n_columns = len(covariance)
    s = np.full(n_columns, np.linalg.eigvalsh(covariance)[0])  # any number below twice the least eigenvalue
    previous_loss = np.inf
    for sweep in range(1, MAX_SWEEPS + 1):
        inverse = np.linalg.inv(2 * covariance - np.diag(s))  # anew in each sweep, so that roundings do not add up
        loss = (1 / s).sum() + np.trace(inverse)
        if previous_loss - loss <= TOLERANCE * loss:
            break
        previous_loss = loss
        report = phase(f"making knockoffs, sweep {sweep}")
        for j in range(n_columns):
            report(j, n_columns)
            column = inverse[:, j].copy()
            root = np.sqrt(column @ column)
            step = (1 - root * s[j]) / (root + column[j])
            s[j] += step
            inverse += np.outer(column, column) * (step / (1 - step * column[j]))
    return s
