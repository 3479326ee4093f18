"""Tests of I(Xi;C|S) = 0: the tail of chi-squared, and shuffles among samples of equal S."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bitsieve.information.log_tails import MIN_EXPECTED
from bitsieve.information.protocol import ConditionalInformation
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.libraries import chdtrc

ENOUGH_REACHED = 10  # shuffles that reach the observed value, after which p is known well enough
BATCH = 1 << 14  # shuffles at once
MAX_SHUFFLED_CODES = 2 * 10**9  # about 4 seconds
MANY_EXPECTED = 20  # samples in a cell, for chi-squared to hold far out in its tail, at the levels of many columns
CLOSE_FACTOR = 10  # p of shuffles and the tail of chi-squared differ by no more than this factor where it holds
HOPEFUL_TAIL = 0.25  # where chi-squared does not hold, columns of a smaller tail may have a small p
SHUFFLES_OF_NOISE = 50  # about so many shuffles are made of a column of noise before it is refused


def chi_squared_tails(conditional: ConditionalInformation, columns: Columns) -> Floats:
    """The tail of chi-squared beyond the statistic of the test of ``I(Xi;C|S) = 0``; 1 without degrees of freedom."""
    freedom = np.array([conditional.degrees_of_freedom(int(column)) for column in columns], np.int64)
    tails = chdtrc(np.maximum(freedom, 1), conditional.test_statistics(columns))
    return np.where(freedom > 0, tails, 1.0)


def hopeful_tails(conditional: ConditionalInformation, columns: Columns, limit: float) -> Floats:
    """The tails of chi-squared of the columns whose p may be at most ``limit``; inf for all others.

    No p is smaller than with one degree of freedom. Where some cell expects fewer than 5 samples, p is found by
    shuffles and may be far from the tail: there all columns with a tail of at most ``HOPEFUL_TAIL`` are hopeful, but no
    more of them than can be shuffled in some seconds.
    """
    hopeful = np.full(len(columns), np.inf)
    indices = np.flatnonzero(chdtrc(1, conditional.test_statistics(columns)) <= CLOSE_FACTOR * limit)
    tails = chi_squared_tails(conditional, columns[indices])
    is_near = tails <= max(CLOSE_FACTOR * limit, HOPEFUL_TAIL)
    indices = indices[is_near]
    tails = tails[is_near]

    least_expected = np.array([conditional.least_expected(int(column)) for column in columns[indices]], np.float64)
    chi_squared_holds = least_expected >= MIN_EXPECTED
    is_small = chi_squared_holds & (tails <= CLOSE_FACTOR * limit)
    hopeful[indices[is_small]] = tails[is_small]

    sparse = np.flatnonzero(~chi_squared_holds)
    rising_tails = sparse[np.argsort(tails[sparse], kind="stable")]
    n_affordable = max(1, affordable_shuffles(conditional) // SHUFFLES_OF_NOISE)
    shuffled = rising_tails[:n_affordable]
    hopeful[indices[shuffled]] = tails[shuffled]
    return hopeful


def affordable_shuffles(conditional: ConditionalInformation) -> int:
    """How many shuffles of a column take some seconds."""
    return MAX_SHUFFLED_CODES // (conditional.codes_per_sample * conditional.n_samples)


def reached_by_shuffles(conditional: ConditionalInformation, candidate: int) -> Callable[[NDArray[np.uint64]], Flags]:
    """A function of seeds: whether each shuffle among samples of equal S reaches the candidate's I(Xi;C|S)."""
    observed = conditional.conditional_relevance(np.array([candidate]))[0]
    return lambda seeds: conditional.shuffled_relevance(candidate, seeds) >= observed


def share_of_shuffles(
    reaches: Callable[[NDArray[np.uint64]], Flags], max_shuffles: int, max_reached: int, seeds: np.random.Generator
) -> float:
    """p of shuffles: the share of them that reach the observed value.

    ``reaches`` says so of a shuffle for each seed. Shuffles end after ``max_shuffles``, or at the ``max_reached``-th
    that reaches the value.
    """
    n_shuffles = 0
    n_reached = 0
    while n_shuffles < max_shuffles:
        batch_size = min(max(2 * max_reached, n_shuffles), max_shuffles - n_shuffles, BATCH)
        batch = seeds.integers(0, 2**64, batch_size, dtype=np.uint64)
        reaching = np.flatnonzero(reaches(batch))
        if n_reached + len(reaching) >= max_reached:
            last = int(reaching[max_reached - n_reached - 1])
            return max_reached / (n_shuffles + last + 1)
        n_shuffles += batch_size
        n_reached += len(reaching)
    return (1 + n_reached) / (1 + n_shuffles)
