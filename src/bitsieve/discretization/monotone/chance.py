"""Information value by chance: its mean, confidence intervals, and p values of bins that were made with the target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, digamma, ndtri, zeta

from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals
from bitsieve.discretization.monotone.division import (
    BOUND_MARGIN,
    TIE,
    BinRules,
    divide,
    has_largest_information_value,
    information_value_bounds,
    information_values,
    weights_of_evidence,
)
from bitsieve.discretization.monotone.hull import hull_information_value
from bitsieve.utils.arrays import Floats

N_SHUFFLES = 999
MAX_SHUFFLES_AT_ONCE = 100
ENOUGH_ABOVE = 20  # the test ends when so many shuffles have at least the value (Besag, Clifford 1991)
LEVEL = 0.05
MAX_LEVELS = 256  # more levels have next to no probability: their mean number is at most 22 for 2^31 values
MONOTONE_TRENDS = ("auto", "ascending", "descending")  # trends whose p values have a formula


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def expected_value(n_bins: int, totals: Totals) -> float:
    """``(B - 1)(1/E + 1/N)``: the mean information value of ``B`` fixed bins that are independent of the event."""
    return (n_bins - 1) * totals.unit_of_bias


def interval_of(corrected: float, counts: BinCounts, totals: Totals, smoothing: float) -> Interval:
    """The 95 % interval of the information value by the delta method."""
    p = counts.events / totals.events
    q = counts.nonevents / totals.nonevents
    woe = weights_of_evidence(counts, totals, smoothing)
    variance_of_events = _variance(p, woe - np.divide(q, p, out=np.zeros_like(p), where=p > 0))
    variance_of_nonevents = _variance(q, woe + np.divide(p, q, out=np.zeros_like(q), where=q > 0))
    error = np.sqrt(variance_of_events / totals.events + variance_of_nonevents / totals.nonevents)
    margin = float(ndtri(0.975) * error)
    return Interval(corrected - margin, corrected + margin)


def _variance(shares: Floats, values: Floats) -> float:
    mean = (shares * values).sum()
    return float((shares * (values - mean) ** 2).sum())


def p_of_fixed_bins(counts: BinCounts, totals: Totals, smoothing: float) -> float:
    """The share of shuffles with at least this information value, for bins that were made without the event."""
    if len(counts) < 2:
        return 1.0
    statistic = information_values(counts, totals, smoothing).sum() / totals.unit_of_bias
    return float(chdtrc(len(counts) - 1, max(statistic, 0.0)))


def p_of_monotone_bins(value: float, totals: Totals, n_free: int, n_fixed: int, *, either_direction: bool) -> float:
    """The share of shuffles in which the best monotone division has at least this information value.

    The best ascending division is isotonic regression, whose distribution is chi-bar-square: ``B = n_free`` bins are
    merged into ``l`` bins with the probability ``|Stirling1(B, l)| / B!``, which have ``l - 1`` degrees of freedom.
    Each of the ``n_fixed`` bins of special and missing values, which are not merged, adds one degree. Bounds on bins
    lower the value, so that p is too large with them.
    """
    statistic = value / totals.unit_of_bias
    probabilities = probabilities_of_n_bins(n_free)
    freedom = np.arange(len(probabilities)) + n_fixed  # for l = 1, 2, ...
    tail_without_freedom = float(statistic <= 0)
    tails = np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), max(statistic, 0.0)), tail_without_freedom)
    p = float((probabilities * tails).sum())
    if either_direction:
        p *= 2
    return min(1.0, p)


@lru_cache(maxsize=256)
def probabilities_of_n_bins(n_free: int) -> Floats:
    """The probabilities that the isotonic regression of ``n_free`` equal bins has 1, 2, ... levels by chance.

    Bin b begins a level with the probability 1/b, independently of the others. The sums have next to no cancellation,
    so that small probabilities have as many exact digits as large ones.
    """
    if n_free <= MAX_LEVELS:
        return _probabilities_of_few_bins()[n_free - 1, :n_free]
    levels_of_first_bins = _probabilities_of_few_bins()[-1]
    levels_of_later_bins = _probabilities_of_more_levels(MAX_LEVELS, n_free)
    return np.array([_coefficient_of_product(levels_of_first_bins, levels_of_later_bins, n) for n in range(MAX_LEVELS)])


def _coefficient_of_product(left: Floats, right: Floats, degree: int) -> float:
    """The coefficient of this degree in the product of two polynomials; a sum of numpy's, the same on every processor.

    ``np.convolve`` and ``@`` leave the order of the sum to BLAS.
    """
    return float((left[: degree + 1] * right[degree::-1]).sum())


@lru_cache(maxsize=1)
def _probabilities_of_few_bins() -> Floats:
    """``probabilities[n - 1, l - 1]``: that n bins have l levels."""
    probabilities = np.zeros((MAX_LEVELS, MAX_LEVELS))
    probabilities[0, 0] = 1
    for n in range(2, MAX_LEVELS + 1):
        without_last_bin = probabilities[n - 2]
        probabilities[n - 1] = without_last_bin * (1 - 1 / n)  # the last bin begins no level
        probabilities[n - 1, 1:] += without_last_bin[:-1] / n  # it begins one
    return probabilities


def _probabilities_of_more_levels(n_first: int, n_free: int) -> Floats:
    """The probabilities that 0, 1, ... levels begin in the bins after the first ``n_first``.

    That of l levels is ``n_first / n_free`` times the elementary symmetric polynomial of degree l of the odds
    ``1/n_first, ..., 1/(n_free - 1)``. Newton's identities compute it from power sums of the odds.
    """
    degrees = np.arange(1, MAX_LEVELS)
    power_sums = np.empty(len(degrees))
    power_sums[0] = digamma(n_free) - digamma(n_first)
    power_sums[1:] = zeta(degrees[1:], n_first) - zeta(degrees[1:], n_free)
    signed_sums = np.where(degrees % 2 == 1, power_sums, -power_sums)
    polynomials = np.zeros(MAX_LEVELS)
    polynomials[0] = 1
    for degree in degrees.tolist():
        polynomials[degree] = _coefficient_of_product(signed_sums, polynomials, degree - 1) / degree
    # For more levels than bins the polynomial is 0, which rounding may turn negative.
    return n_first / n_free * np.maximum(polynomials, 0)


@dataclass(frozen=True)
class Merging:
    """The bins of a column before they were merged, and the rules of merging."""

    counts: BinCounts
    n_free: int  # as in ``PreBins``
    rules: BinRules
    ordered_by_rate: bool  # whether the bins were sorted by their event rates


def p_of_merged_bins(value: float, merging: Merging, fixed: BinCounts, totals: Totals) -> float:
    """The share of shuffles in which bins that are merged in the same way have at least this information value.

    The formula of :func:`p_of_monotone_bins` gives it for monotone trends of bins in the order of their numbers.
    Shuffles give it for other trends and for bins that were sorted by rate. They also give it where the formula, which
    assumes equal bins, is within a factor of 2 of 5 %.
    """
    if merging.rules.trend in MONOTONE_TRENDS and not merging.ordered_by_rate:
        either_direction = merging.rules.trend == "auto"
        p = p_of_monotone_bins(value, totals, merging.n_free, len(fixed), either_direction=either_direction)
        if not LEVEL / 2 <= p <= 2 * LEVEL:
            return p
    return _p_by_shuffles(value, merging, fixed, totals)


def _p_by_shuffles(value: float, merging: Merging, fixed: BinCounts, totals: Totals) -> float:
    """The share of shuffles of the event among rows, by draws of the events of each bin without replacement."""
    random = np.random.default_rng(0)
    rows = np.concatenate([merging.counts.rows, fixed.rows])
    n_shuffles = 0
    n_above = 0
    while n_shuffles < N_SHUFFLES:
        n_at_once = min(max(ENOUGH_ABOVE, n_shuffles), MAX_SHUFFLES_AT_ONCE, N_SHUFFLES - n_shuffles)
        events = random.multivariate_hypergeometric(rows, totals.events, size=n_at_once, method="marginals")
        for is_above in _are_above(value, BinCounts(events, rows - events), merging, totals):
            n_shuffles += 1
            n_above += is_above
            if n_above == ENOUGH_ABOVE:
                return n_above / n_shuffles
    return (1 + n_above) / (1 + N_SHUFFLES)


def _are_above(value: float, shuffles: BinCounts, merging: Merging, totals: Totals) -> Iterator[bool]:
    """Whether the best division of each shuffle and its fixed bins have at least this information value.

    Counts have the shape (n_shuffles, n_bins). Bounds decide for most shuffles, without a search for the division.
    """
    n_free = len(merging.counts)
    free = BinCounts(shuffles.events[:, :n_free], shuffles.nonevents[:, :n_free])
    fixed = BinCounts(shuffles.events[:, n_free:], shuffles.nonevents[:, n_free:])
    bounds = np.full(len(shuffles), np.inf)
    if merging.rules.trend not in MONOTONE_TRENDS:
        bounds = information_value_bounds(free, totals, merging.rules)
    for shuffle, bound in enumerate(bounds.tolist()):
        free_of_shuffle = BinCounts(free.events[shuffle], free.nonevents[shuffle])
        fixed_of_shuffle = BinCounts(fixed.events[shuffle], fixed.nonevents[shuffle])
        fixed_value = float(information_values(fixed_of_shuffle, totals, merging.rules.smoothing).sum())
        is_known = math.isfinite(bound)
        if is_known and bound + fixed_value < value - BOUND_MARGIN:
            yield False
        elif is_known and has_largest_information_value(merging.rules) and bound + fixed_value > value + BOUND_MARGIN:
            yield True
        else:
            yield bool(_best_value(free_of_shuffle, merging, totals) + fixed_value >= value - TIE)


def _best_value(counts: BinCounts, merging: Merging, totals: Totals) -> float:
    """The information value of the best division, or at least that: monotone trends leave out bounds on bins."""
    if merging.ordered_by_rate:
        counts = counts.take(np.argsort(counts.events / counts.rows, kind="stable"))
    rules = merging.rules
    if rules.trend in MONOTONE_TRENDS:
        values = []
        if rules.trend != "descending":
            values.append(hull_information_value(counts, totals, rules.smoothing))
        if rules.trend != "ascending":
            values.append(hull_information_value(counts.swapped, totals.swapped, rules.smoothing))
        return max(values)
    merged = counts.merged(divide(counts, totals, rules).bin_ends)
    return float(information_values(merged, totals, rules.smoothing).sum())
