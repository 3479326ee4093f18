"""What each choice of a greedy method adds, beside what the best of all columns adds by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.search import FixedCodes
from bitsieve.counts.terms import entropy_terms
from bitsieve.methods.by_counts.stopping.monitor import RepeatedSearch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table
    from bitsieve.selectors.fitting import Counted

    Floats = NDArray[np.float64]

N_SHUFFLES = 40
AFFORDED = 3 * 10**8  # values to cut and count, some seconds


@dataclass(frozen=True)
class NullBand:
    """The information that columns add, in order of choice, and what shuffles give to the best of those left.

    Attributes
    ----------
    features : list of str
    bits : ndarray of float, shape (k,)
        I(Xi;C|S), S all columns chosen before.
    low, high : ndarray of float, shape (k,)
        The 5th and the 95th percentile of the largest I(Xj;C|S) of all columns left, after shuffles of the class among
        samples of equal S.
    """

    features: list[str]
    bits: Floats
    low: Floats
    high: Floats


def null_band(
    counted: Counted, table: Table, order: NDArray[np.intp], random_state: int, n_jobs: int | None
) -> NullBand:
    """The band around the curve of a greedy choice, as far as some seconds of shuffles reach.

    Parameters
    ----------
    counted : Counted
    table : Table
        That was counted.
    order : ndarray of int
        Columns in order of choice.
    random_state : int
    n_jobs : int or None

    Returns
    -------
    NullBand
    """
    terms = entropy_terms(table.total_weight)
    search = counted.information.source.search or FixedCodes(
        counted.binner.codes(table), table.target.codes, table.target.n_classes, table.weights
    )
    affordable = AFFORDED // (N_SHUFFLES * table.total_weight * table.n_features)
    order = order[: max(1, affordable)]
    bits, low, high = np.zeros((3, len(order)))
    for place, column in enumerate(order.tolist()):
        left = np.setdiff1d(np.arange(table.n_features), order[:place])
        step = RepeatedSearch(search, tuple(order[:place].tolist()), left, terms, n_jobs)
        seeds = np.random.default_rng([random_state, place]).integers(0, 2**64, N_SHUFFLES, dtype=np.uint64)
        bits[place] = step.bits(column)
        low[place], high[place] = np.quantile(step.most_bits_after_shuffles(seeds), [0.05, 0.95])
    return NullBand([table.names[column] for column in order], bits, low, high)
