"""The best division of ordered bins into fewer, by information value or another objective, with a trend of rates."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bitsieve import _native
from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals
from bitsieve.discretization.monotone.hull import hull_vertices
from bitsieve.utils.arrays import Floats, Integers

Trend = Literal["auto", "ascending", "descending", "peak", "valley", "none"]
Objective = Literal["iv", "mi", "gini", "chi2"]
Status = Literal["optimal", "infeasible"]
TRENDS: tuple[Trend, ...] = ("auto", "ascending", "descending", "peak", "valley", "none")
OBJECTIVES: tuple[Objective, ...] = ("iv", "mi", "gini", "chi2")
BOUND_MARGIN = 1e-9  # above the rounding of a sum of values, and below any difference that matters
TIE = 1e-12  # values of divisions that differ by less are taken as equal
RATE_UNIT = 1 << 30  # differences of rates are multiples of 2^-30, rounded down: 0.3 and 0.5 differ by 0.2
SHARE_ROUNDING = 1e-9  # 0.07 of 100 rows are 7, though 0.07 * 100 is a little more than 7 in floats


@dataclass(frozen=True)
class BinRules:
    """The rules for the bins of a column."""

    trend: Trend = "auto"
    objective: Objective = "iv"
    max_n_bins: int | None = 10
    min_n_bins: int = 1
    min_bin_share: float = 0.05
    max_bin_share: float | None = None
    min_events: int = 1
    min_nonevents: int = 1
    min_rate_diff: float = 0.0
    bin_cost: float = 0.0
    smoothing: float = 1.0


@dataclass(frozen=True)
class Division:
    """A division of ordered bins into fewer, each made of neighbours."""

    bin_ends: Integers  # bin b of the division ends before the ordered bin ``bin_ends[b]``
    trend: Trend
    status: Status
    value: float  # the objective, before the cost of bins is subtracted
    #: How far the value lies, at most, below that of the best division without bounds on the bins but for a row of each
    #: class where the rules ask for it, as a share of the latter. None where no bound is known: for trends that are not
    #: monotone, and for smoothed bins.
    bound_gap: float | None


def divide(counts: BinCounts, totals: Totals, rules: BinRules) -> Division:
    """The best division by the rules; one bin of status "infeasible" where no division keeps them.

    For the trend "auto" the direction with the larger upper bound is searched first. The other direction is searched
    only if its bound leaves room for a better division.
    """
    if rules.trend != "auto":
        return _divide_by_trend(counts, totals, rules, _upper_bound(counts, totals, rules))
    ascending_rules = replace(rules, trend="ascending")
    descending_rules = replace(rules, trend="descending")
    ascending_bound = _upper_bound(counts, totals, ascending_rules)
    descending_bound = _upper_bound(counts, totals, descending_rules)
    bound = max(ascending_bound, descending_bound)
    if ascending_bound >= descending_bound:
        ascending = _divide_by_trend(counts, totals, ascending_rules, bound)
        if _excludes_better(ascending, descending_bound, rules, totals):
            return ascending
        descending = _divide_by_trend(counts, totals, descending_rules, bound)
    else:
        descending = _divide_by_trend(counts, totals, descending_rules, bound)
        if _excludes_better(descending, ascending_bound, rules, totals):
            return descending
        ascending = _divide_by_trend(counts, totals, ascending_rules, bound)
    return descending if _is_better(descending, ascending, rules, totals) else ascending


def _excludes_better(division: Division, bound: float, rules: BinRules, totals: Totals) -> bool:
    """Whether no division of the other direction, whose values are at most ``bound``, is better than this one."""
    net_bound = bound - rules.bin_cost * totals.unit_of_bias * rules.min_n_bins
    return division.status == "optimal" and net_bound < _net_value(division, rules, totals) - BOUND_MARGIN


def _net_value(division: Division, rules: BinRules, totals: Totals) -> float:
    """The value less the cost of the bins."""
    return division.value - rules.bin_cost * totals.unit_of_bias * len(division.bin_ends)


def _upper_bound(counts: BinCounts, totals: Totals, rules: BinRules) -> float:
    """An upper bound of the value of divisions with the trend of the rules; infinite if it is not monotone."""
    if rules.trend == "ascending":
        return _ascending_bound(counts, totals, rules)
    if rules.trend == "descending":
        exchanged = replace(rules, min_events=rules.min_nonevents, min_nonevents=rules.min_events)
        return _ascending_bound(counts.swapped, totals.swapped, exchanged)
    return math.inf


def _ascending_bound(counts: BinCounts, totals: Totals, rules: BinRules) -> float:
    """An upper bound of the value of ascending divisions: that of the hull.

    Where each bin needs a row with the event, the first bin of a division reaches the first of them. Where each bin
    needs a row without it, the last bin starts at the last of them or before. The ordered bins are merged so far before
    the hull is taken. If bins of the hull have an empty cell all the same, smoothing lowers the value of the hull, and
    the bound is infinite.
    """
    first_end = 1
    if rules.min_events > 0 and counts.events.any():
        first_end = int(np.flatnonzero(counts.events)[0]) + 1
    last_start = len(counts) - 1
    if rules.min_nonevents > 0 and counts.nonevents.any():
        last_start = int(np.flatnonzero(counts.nonevents)[-1])
    joined = counts.merged(np.append(np.arange(first_end, last_start + 1), len(counts)))
    hull = joined.merged(hull_vertices(joined))
    has_empty_cell = not (hull.events.all() and hull.nonevents.all())
    if has_empty_cell and rules.objective == "iv" and len(hull) > 1:
        return math.inf
    return objective_value(hull, totals, rules)


def _is_better(division: Division, other: Division, rules: BinRules, totals: Totals) -> bool:
    if division.status != other.status:
        return division.status == "optimal"
    gain = _net_value(division, rules, totals) - _net_value(other, rules, totals)
    if abs(gain) > TIE:
        return gain > 0
    return len(division.bin_ends) < len(other.bin_ends)


def _divide_by_trend(counts: BinCounts, totals: Totals, rules: BinRules, bound: float) -> Division:
    """The best division with one trend; no division without bounds on bins has a value above ``bound``."""
    bin_ends: Integers = _native.best_division(
        np.ascontiguousarray(counts.events),
        np.ascontiguousarray(counts.nonevents),
        totals.events,
        totals.nonevents,
        trend=rules.trend,
        objective=rules.objective,
        smoothing=rules.smoothing,
        cost_per_bin=rules.bin_cost * totals.unit_of_bias,
        min_n_bins=rules.min_n_bins,
        max_n_bins=0 if rules.max_n_bins is None else rules.max_n_bins,
        min_rows=smallest_count(rules.min_bin_share, totals.rows),
        max_rows=totals.rows if rules.max_bin_share is None else largest_count(rules.max_bin_share, totals.rows),
        min_events=rules.min_events,
        min_nonevents=rules.min_nonevents,
        min_rate_difference=math.floor(rules.min_rate_diff * RATE_UNIT),
    )
    if not len(bin_ends):
        one_bin = np.array([len(counts)], np.int64)
        value = objective_value(counts.merged(one_bin), totals, rules)
        return Division(one_bin, rules.trend, "infeasible", value, None)
    value = objective_value(counts.merged(bin_ends), totals, rules)
    return Division(bin_ends, rules.trend, "optimal", value, _gap_below(bound, value))


def information_value_bounds(counts: BinCounts, totals: Totals, rules: BinRules) -> Floats:
    """A bound of the information value of all divisions by the rules, for each row of counts of the same bins.

    Counts have the shape (n_rows, n_bins). Where nothing is asked of the rates of neighbours, the bound is the largest
    value. It is minus infinity where no division keeps the rules.
    """
    bounds: Floats = _native.division_bounds(
        np.ascontiguousarray(counts.events),
        np.ascontiguousarray(counts.nonevents),
        totals.events,
        totals.nonevents,
        trend=rules.trend,
        objective="iv",
        smoothing=rules.smoothing,
        cost_per_bin=0.0,
        min_n_bins=rules.min_n_bins,
        max_n_bins=0 if rules.max_n_bins is None else rules.max_n_bins,
        min_rows=smallest_count(rules.min_bin_share, totals.rows),
        max_rows=totals.rows if rules.max_bin_share is None else largest_count(rules.max_bin_share, totals.rows),
        min_events=rules.min_events,
        min_nonevents=rules.min_nonevents,
        min_rate_difference=math.floor(rules.min_rate_diff * RATE_UNIT),
    )
    return bounds


def has_largest_information_value(rules: BinRules) -> bool:
    """Whether the best division by the rules has the largest information value of all with any rates of neighbours."""
    rates_are_free = rules.trend == "none" and math.floor(rules.min_rate_diff * RATE_UNIT) == 0
    return rates_are_free and rules.objective == "iv" and rules.bin_cost == 0


def smallest_count(share: float, n_rows: int) -> int:
    """The smallest number of rows that makes at least this share of all rows."""
    return max(0, math.ceil(share * n_rows - SHARE_ROUNDING))


def largest_count(share: float, n_rows: int) -> int:
    """The largest number of rows that makes at most this share of all rows."""
    return math.floor(share * n_rows + SHARE_ROUNDING)


def _gap_below(bound: float, value: float) -> float | None:
    """How far the value lies below its upper bound, as a share of the latter; None below an infinite one."""
    if math.isinf(bound):
        return None
    if bound <= TIE:
        return 0.0
    return max(0.0, 1 - value / bound)


def objective_value(counts: BinCounts, totals: Totals, rules: BinRules) -> float:
    """The sum of the objective over bins, in the units of the native search: chi-square is divided by the rows."""
    if rules.objective == "iv":
        return float(information_values(counts, totals, rules.smoothing).sum())
    if rules.objective == "mi":
        return mutual_information_in_nats(counts, totals)
    event_rate = totals.event_rate
    excess = counts.events - counts.rows * event_rate
    squared_share = float((excess**2 / counts.rows).sum()) / totals.rows
    if rules.objective == "gini":
        return 2 * squared_share
    return squared_share / (event_rate * (1 - event_rate))


def weights_of_evidence(
    counts: BinCounts, totals: Totals, smoothing: float = 1.0, *, smooth_all: bool = False
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """``ln((e/E) / (n/N))`` of each bin, in nats.

    A bin with an empty cell (every bin with ``smooth_all``) gets ``smoothing`` more rows of the event rate of the
    table. Without smoothing the weight of a bin with an empty cell is 0.
    """
    needs_smoothing = (counts.events == 0) | (counts.nonevents == 0) | smooth_all
    events = counts.events + np.where(needs_smoothing, smoothing * totals.event_rate, 0)
    nonevents = counts.nonevents + np.where(needs_smoothing, smoothing * (1 - totals.event_rate), 0)
    is_defined = (events > 0) & (nonevents > 0)
    ratio = np.ones(len(counts))
    np.divide(events * totals.nonevents, nonevents * totals.events, out=ratio, where=is_defined)
    return np.log(ratio)


def information_values(
    counts: BinCounts, totals: Totals, smoothing: float = 1.0, *, smooth_all: bool = False
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """``(e/E - n/N) WOE`` of each bin, in nats."""
    difference = counts.events / totals.events - counts.nonevents / totals.nonevents
    return difference * weights_of_evidence(counts, totals, smoothing, smooth_all=smooth_all)


def mutual_information_in_nats(counts: BinCounts, totals: Totals) -> float:
    """What these bins add to the mutual information of bins and event, in nats."""
    sum_of_events = _sum_of_class(counts.events, counts.rows, totals.rows / totals.events)
    sum_of_nonevents = _sum_of_class(counts.nonevents, counts.rows, totals.rows / totals.nonevents)
    return (sum_of_events + sum_of_nonevents) / totals.rows


def _sum_of_class(counts: Integers, rows: Integers, inverse_share: float) -> float:
    """``sum over bins of n ln(n / t * inverse_share)``: n rows of a class among t rows, 0 where n is 0."""
    occurs = counts > 0
    ratio = counts[occurs] / rows[occurs] * inverse_share
    return float((counts[occurs] * np.log(ratio)).sum())
