"""The best division of ordered bins into fewer, by information value or another objective, with a trend of rates."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bitsieve import _native
from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals
from bitsieve.discretization.monotone.hull import hull_vertices
from bitsieve.utils.arrays import Integers

Trend = Literal["auto", "ascending", "descending", "peak", "valley", "none"]
Objective = Literal["iv", "mi", "gini", "chi2"]
Status = Literal["optimal", "infeasible"]
TRENDS: tuple[Trend, ...] = ("auto", "ascending", "descending", "peak", "valley", "none")
OBJECTIVES: tuple[Objective, ...] = ("iv", "mi", "gini", "chi2")
BOUND_MARGIN = 1e-9  # far above the rounding of a sum of values, and far below a difference that matters
TIE = 1e-12  # values of divisions that differ by less are equal
RATE_UNIT = 1 << 30  # differences of rates are multiples of 2^-30
SHARE_ROUNDING = 1e-9  # .07 of 100 rows are 7, though the product of the floats is above


@dataclass(frozen=True)
class BinRules:
    """What the bins of a column must keep."""

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
    """Bins made of neighbouring bins."""

    bin_ends: Integers  # how many of the neighbouring bins lie before the end of each bin
    trend: Trend
    status: Status
    value: float  # of the objective, without the cost of bins
    #: How far the value may lie below that of the best division without bounds, as a share of the latter.
    bound_gap: float | None


def divide(counts: BinCounts, totals: Totals, rules: BinRules) -> Division:
    """The best division by the rules; one bin of status "infeasible" where none keeps them.

    For the trend "auto" the direction with the larger upper bound is searched first, and the other one only if its
    bound leaves room for a better division.
    """
    if rules.trend != "auto":
        return _divide_by_trend(counts, totals, rules)
    bound_of_ascending = _upper_bound(counts, totals, rules)
    bound_of_descending = _upper_bound(counts.swapped, totals.swapped, rules)
    first: Trend = "ascending"
    second: Trend = "descending"
    bound_of_second = bound_of_descending
    if bound_of_descending > bound_of_ascending:
        first, second = second, first
        bound_of_second = bound_of_ascending
    best = _divide_by_trend(counts, totals, replace(rules, trend=first))
    cost = rules.bin_cost * totals.unit_of_bias
    net_value = best.value - cost * len(best.bin_ends)
    net_bound = bound_of_second - cost * rules.min_n_bins
    if best.status == "optimal" and net_bound < net_value - BOUND_MARGIN:
        return best
    other = _divide_by_trend(counts, totals, replace(rules, trend=second))
    ascending, descending = (best, other) if first == "ascending" else (other, best)
    return descending if _is_better(descending, ascending, rules, totals) else ascending


def _upper_bound(counts: BinCounts, totals: Totals, rules: BinRules) -> float:
    """A value that no ascending division exceeds: that of the convex hull.

    Where each bin has an event and another row, the first bin reaches to the first event at least, and the last one
    begins with the last row without it at most: so the bins of the hull have no empty cell, and need no smoothing.
    """
    if rules.min_events < 1 or rules.min_nonevents < 1:
        return math.inf
    first_end = int(np.argmax(counts.events > 0)) + 1
    last_start = int(np.flatnonzero(counts.nonevents > 0)[-1]) if counts.nonevents.any() else 0
    if first_end > last_start:  # no two bins keep the bounds
        return objective_value(counts.merged(np.array([len(counts)])), totals, rules)
    bin_ends = np.append(np.arange(first_end, last_start + 1), len(counts))
    joined = counts.merged(bin_ends)
    return objective_value(joined.merged(hull_vertices(joined)), totals, rules)


def _is_better(division: Division, other: Division, rules: BinRules, totals: Totals) -> bool:
    if division.status != other.status:
        return division.status == "optimal"
    cost = rules.bin_cost * totals.unit_of_bias
    gain = (division.value - cost * len(division.bin_ends)) - (other.value - cost * len(other.bin_ends))
    if abs(gain) > TIE:
        return gain > 0
    return len(division.bin_ends) < len(other.bin_ends)


def _divide_by_trend(counts: BinCounts, totals: Totals, rules: BinRules) -> Division:
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
        min_rate_difference=round(rules.min_rate_diff * RATE_UNIT),
    )
    if not len(bin_ends):
        one_bin = np.array([len(counts)], np.int64)
        value = objective_value(counts.merged(one_bin), totals, rules)
        return Division(one_bin, rules.trend, "infeasible", value, None)
    value = objective_value(counts.merged(bin_ends), totals, rules)
    return Division(bin_ends, rules.trend, "optimal", value, _gap_below_hull(counts, totals, rules, value))


def smallest_count(share: float, n_rows: int) -> int:
    """The smallest number of rows that is at least this share of all."""
    return max(0, math.ceil(share * n_rows - SHARE_ROUNDING))


def largest_count(share: float, n_rows: int) -> int:
    """The largest number of rows that is at most this share of all."""
    return math.floor(share * n_rows + SHARE_ROUNDING)


def _gap_below_hull(counts: BinCounts, totals: Totals, rules: BinRules, value: float) -> float | None:
    """How far the value lies below that of the hull, which bounds every monotone division; None for other trends."""
    if rules.trend not in ("ascending", "descending"):
        return None
    in_order = counts if rules.trend == "ascending" else counts.swapped
    bound = objective_value(counts.merged(hull_vertices(in_order)), totals, rules)
    return max(0.0, 1 - value / bound) if bound > TIE else 0.0


def objective_value(counts: BinCounts, totals: Totals, rules: BinRules) -> float:
    """The sum of the objective over bins; of chi-square its share of the rows, as the native search has it."""
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
    """The part of these bins in the mutual information of bins and event, in nats: all of it for all bins."""
    rows = counts.rows
    parts = 0.0
    for in_class, total in ((counts.events, totals.events), (counts.nonevents, totals.nonevents)):
        occurs = in_class > 0
        ratio = in_class[occurs] / rows[occurs] * (totals.rows / total)
        parts += float((in_class[occurs] * np.log(ratio)).sum())
    return parts / totals.rows
