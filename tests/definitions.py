"""What counting and summing are by definition: tables of joint counts, and sums of their entropy terms."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import ArrayLike

from bitsieve.counts.reference import term
from bitsieve.utils.arrays import Integers


def joint_table(x: ArrayLike, y: ArrayLike, c: ArrayLike, shape: tuple[int, int, int]) -> Integers:
    """Counts of every (code of x, code of y, class), by one ``np.add.at``."""
    table = np.zeros(shape, dtype=np.int64)
    np.add.at(table, (np.asarray(x), np.asarray(y), np.asarray(c)), 1)
    return table


def term_sum(table: ArrayLike, shift: int) -> int:
    """Sum of the terms of all cells of a table."""
    counts, times = np.unique(np.asarray(table), return_counts=True)
    return sum(term(int(c), shift) * int(k) for c, k in zip(counts, times, strict=True))


def expected_term_by_summation(n_samples: int, a: int, b: int, shift: int) -> float:
    """The mean of ``T[n]`` over hypergeometric counts n, by their ratios from the mode upwards and downwards."""
    mode = (a + 1) * (b + 1) // (n_samples + 2)
    total, weighted = 1.0, float(term(mode, shift))
    n, weight = mode, 1.0
    while weight > 2.0**-64:
        weight = weight * float((a - n) * (b - n)) / float(max((n + 1) * (n_samples - a - b + n + 1), 1))
        n += 1
        total, weighted = total + weight, weighted + weight * float(term(n, shift))
    n, weight = mode, 1.0
    while weight > 2.0**-64:
        weight = weight * float(n * (n_samples - a - b + n)) / float(max((a - n + 1) * (b - n + 1), 1))
        n -= 1
        total, weighted = total + weight, weighted + weight * float(term(max(n, 0), shift))
    return weighted / total


def expected_term_by_series(n_samples: int, first: int, second: int, shift: int) -> float:
    """The mean of ``T[n]`` over hypergeometric counts n, by Taylor's series up to the fourth central moment."""
    n, a, b = float(n_samples), float(first), float(second)
    mean = a * b / n
    x, y = a * (n - a) / (n * n), b * (n - b) / (n * n)
    mu_2 = n * n * x * y / (n - 1)
    mu_3 = mu_2 * ((n - 2 * a) * (n - 2 * b)) / (n * (n - 2))
    excess = (n - 1) * (1 + 1 / n - 6 * (x + y)) + 6 * (5 * n - 6) * (x * y)
    mu_4 = mu_2 * (3 * mu_2 + excess * (n * n) / ((n - 1) * (n - 2) * (n - 3)))
    beyond = mu_2 / (2 * mean) - mu_3 / (6 * mean * mean) + mu_4 / (12 * mean * mean * mean)
    log_mean = term(first, shift) / a + term(second, shift) / b - term(n_samples, shift) / n
    return mean * log_mean + beyond * (2.0**shift / log(2))


def expected_term(n_samples: int, a: int, b: int, shift: int) -> int:
    """The expected entropy term of a cell of margins a and b under shuffles, rounded to an integer."""
    if n_samples in (a, b):
        return term(min(a, b), shift)
    if 0 in (a, b):
        return 0
    by_series = float(a) * b >= 64.0 * n_samples
    expected = (expected_term_by_series if by_series else expected_term_by_summation)(n_samples, a, b, shift)
    return int(np.rint(expected))
