"""Shrunk tables: the weight of the uniform target, and the entropy of what comes out.

Of a table of counts n_k over M cells, the empty ones included, with p_k = n_k / N:

    weight    ``lambda = (1 - sum p^2) / ((N - 1) sum (1/M - p)^2)``, at most 1
    table     ``p' = lambda / M + (1 - lambda) p``

Only the counts of the non-empty cells and M are needed: all empty cells hold ``lambda / M``. Entropy terms are added
as integers of 2**-56 bit, so that neither the order of the cells nor zeros among them change a bit of the sum.

J. Hausser, K. Strimmer, "Entropy inference and the James-Stein estimator, with application to nonlinear gene
association networks", Journal of Machine Learning Research 10, 2009, pp. 1469-1484.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

UNITS_PER_BIT = 2.0**56  # an entropy is below 64 bits: its sum stays within int64


def uniform_weight(counts: Counts, n_cells: Any, n_samples: int) -> Floats:
    """``lambda`` of tables, one a row of ``counts``; ``n_cells`` counts all cells, whatever zeros a row holds."""
    squares = (counts * counts).sum(axis=1)
    pairs = n_samples * n_samples  # at most 2**62
    spread = (n_samples - 1) * (squares / pairs - 1 / np.asarray(n_cells, np.float64))
    noise = (pairs - squares) / pairs
    # A table that is uniform already has no spread; neither has one sample, nor a table of one cell.
    return np.minimum(noise / np.where(spread > 0, spread, 1.0), 1.0, where=spread > 0, out=np.ones(len(counts)))


def shrunk_entropy(counts: Counts, n_cells: Any, weight: Floats, n_samples: int) -> Floats:
    """Entropy in bits of tables, one a row of ``counts`` (or one for all), shrunk by the weights given.

    The weights may be those of a larger table of which these are the margins: the margin of a shrunk table is the
    margin shrunk by the same weight.
    """
    size = np.asarray(n_cells, np.float64)
    empty = weight / size
    cells = empty[:, None] + ((1 - weight) / n_samples)[:, None] * counts
    occupied = counts > 0
    terms = np.rint(_term(cells, occupied) * UNITS_PER_BIT).astype(np.int64)
    n_empty = size - occupied.sum(axis=1)
    return terms.sum(axis=1) / UNITS_PER_BIT + n_empty * _term(empty, empty > 0)


def _term(shares: Floats, wanted: NDArray[np.bool_]) -> Floats:
    """``-p log2 p`` where wanted, else 0."""
    return -shares * np.log2(np.where(wanted, shares, 1.0))
