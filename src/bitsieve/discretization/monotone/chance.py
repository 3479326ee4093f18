"""What information value chance gives: its mean, an interval, and p values of bins that looked at the target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, digamma, ndtri, zeta

from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals
from bitsieve.discretization.monotone.division import TIE, BinRules, divide, information_values, weights_of_evidence
from bitsieve.discretization.monotone.hull import hull_information_value
from bitsieve.utils.arrays import Floats

N_SHUFFLES = 999
ENOUGH_ABOVE = 20  # the test ends when so many shuffles have at least the value (Besag, Clifford 1991)
LEVEL = 0.05
MAX_LEVELS = 256  # larger numbers of levels have no weight: their mean is at most 22 for 2^31 values
BY_FORMULA = ("auto", "ascending", "descending")


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
    """The share of shuffles with at least this information value, for bins that did not look at the event."""
    statistic = information_values(counts, totals, smoothing).sum() / totals.unit_of_bias
    freedom = len(counts) - 1
    return float(chdtrc(freedom, max(statistic, 0.0))) if freedom > 0 else 1.0


def p_of_monotone_bins(value: float, totals: Totals, n_free: int, n_fixed: int, *, either_direction: bool) -> float:
    """The share of shuffles in which the best monotone division has at least this information value.

    The best ascending division is isotonic regression, whose law is chi-bar-square: with ``B`` bins to merge it has
    ``l`` of them with the probability ``|Stirling1(B, l)| / B!``, and then ``l - 1`` degrees of freedom. Each of the
    ``n_fixed`` bins that are not merged, of special and missing values, adds one. Bounds on bins lower the value, so
    that p is then too large.
    """
    statistic = value / totals.unit_of_bias
    weights = probabilities_of_n_bins(n_free)
    freedom = np.arange(len(weights)) + n_fixed  # of 1, 2, ... bins
    tails = np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), max(statistic, 0.0)), float(statistic <= 0))
    p = float((weights * tails).sum())
    return min(1.0, 2 * p if either_direction else p)


@lru_cache(maxsize=256)
def probabilities_of_n_bins(n_free: int) -> Floats:
    """The probabilities that the isotonic regression of ``n_free`` equal bins of chance has 1, 2, ... levels.

    Bin b begins a level with the probability 1/b, whatever the others do. Next to nothing cancels in the sums, so that
    small probabilities have as many exact digits as large ones.
    """
    if n_free <= MAX_LEVELS:
        return _probabilities_of_few_bins()[n_free - 1, :n_free]
    in_first_bins = _probabilities_of_few_bins()[-1]
    return np.convolve(in_first_bins, _probabilities_of_more_levels(MAX_LEVELS, n_free))[:MAX_LEVELS]


@lru_cache(maxsize=1)
def _probabilities_of_few_bins() -> Floats:
    """Row n - 1 has the probabilities of 1, 2, ... levels of n bins."""
    probabilities = np.zeros((MAX_LEVELS, MAX_LEVELS))
    probabilities[0, 0] = 1
    for n in range(2, MAX_LEVELS + 1):
        of_fewer = probabilities[n - 2]
        probabilities[n - 1] = of_fewer * (1 - 1 / n)
        probabilities[n - 1, 1:] += of_fewer[:-1] / n
    return probabilities


def _probabilities_of_more_levels(n_first: int, n_free: int) -> Floats:
    """The probabilities that 0, 1, ... levels begin after the first bins.

    That of l levels is ``n_first / n_free`` times the elementary symmetric polynomial of degree l of the odds
    ``1/n_first, ..., 1/(n_free - 1)``. Newton's identities have it by their power sums, of which the first dominates.
    """
    degrees = np.arange(1, MAX_LEVELS)
    power_sums = np.empty(len(degrees))
    power_sums[0] = digamma(n_free) - digamma(n_first)
    power_sums[1:] = zeta(degrees[1:], n_first) - zeta(degrees[1:], n_free)
    signed_sums = np.where(degrees % 2 == 1, power_sums, -power_sums)
    polynomials = np.zeros(MAX_LEVELS)
    polynomials[0] = 1
    for degree in degrees.tolist():
        polynomials[degree] = (polynomials[degree - 1 :: -1] @ signed_sums[:degree]) / degree
    return n_first / n_free * np.maximum(polynomials, 0)  # more levels than bins have a sum that is 0 but for rounding


@dataclass(frozen=True)
class Merging:
    """The bins that were merged, and how."""

    counts: BinCounts  # of the bins before they were merged
    n_free: int  # see PreBins.n_free
    rules: BinRules
    ordered_by_rate: bool  # whether the bins were put in the order of their event rates


def p_of_merged_bins(value: float, merging: Merging, fixed: BinCounts, totals: Totals) -> float:
    """The share of shuffles in which bins that are merged in the same way have at least this information value.

    By the formula of :func:`p_of_monotone_bins` where the order of the bins looked at numbers alone; by shuffles for
    other trends, for categories, and where the formula is within a factor of 2 of 5 %, as it assumes equal bins.
    """
    if merging.rules.trend in BY_FORMULA and not merging.ordered_by_rate:
        in_either = merging.rules.trend == "auto"
        p = p_of_monotone_bins(value, totals, merging.n_free, len(fixed), either_direction=in_either)
        if not LEVEL / 2 <= p <= 2 * LEVEL:
            return p
    return _p_by_shuffles(value, merging, fixed, totals)


def _p_by_shuffles(value: float, merging: Merging, fixed: BinCounts, totals: Totals) -> float:
    """The share of shuffles of the event among rows.

    The rows of each bin stay, and the events are drawn without replacement, so that no row is touched.
    """
    random = np.random.default_rng(0)
    rows = np.concatenate([merging.counts.rows, fixed.rows])
    n_free = len(merging.counts)
    n_above = 0
    for n_shuffles in range(1, N_SHUFFLES + 1):
        events = random.multivariate_hypergeometric(rows, totals.events, method="marginals")
        free = BinCounts(events[:n_free], rows[:n_free] - events[:n_free])
        shuffled_fixed = BinCounts(events[n_free:], rows[n_free:] - events[n_free:])
        shuffled_value = _best_value(free, merging, totals)
        shuffled_value += information_values(shuffled_fixed, totals, merging.rules.smoothing).sum()
        n_above += shuffled_value >= value - TIE
        if n_above == ENOUGH_ABOVE:
            return float(n_above / n_shuffles)
    return (1 + n_above) / (1 + N_SHUFFLES)


def _best_value(counts: BinCounts, merging: Merging, totals: Totals) -> float:
    """The information value of the best division; for a monotone trend without bounds on bins, which is not below."""
    if merging.ordered_by_rate:
        counts = counts.take(np.argsort(counts.events / counts.rows, kind="stable"))
    rules = merging.rules
    if rules.trend in BY_FORMULA:
        values = []
        if rules.trend != "descending":
            values.append(hull_information_value(counts, totals, rules.smoothing))
        if rules.trend != "ascending":
            values.append(hull_information_value(counts.swapped, totals.swapped, rules.smoothing))
        return max(values)
    merged = counts.merged(divide(counts, totals, rules).bin_ends)
    return float(information_values(merged, totals, rules.smoothing).sum())
