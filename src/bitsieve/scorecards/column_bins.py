"""The bins of one column: those that were merged, one for each special value, and one for missing values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from bitsieve.dataset.encoding import Encoded
from bitsieve.scorecards.bin_counts import BinCounts, Totals, count_by_bin
from bitsieve.scorecards.chance import (
    Interval,
    Merging,
    expected_value,
    interval_of,
    p_of_fixed_bins,
    p_of_merged_bins,
)
from bitsieve.scorecards.division import (
    BinRules,
    Division,
    Status,
    Trend,
    divide,
    information_values,
    mutual_information_in_nats,
    weights_of_evidence,
)
from bitsieve.scorecards.pre_bins import PreBinRules, cut_at, pre_bins_of
from bitsieve.utils.arrays import Flags, Floats, Integers

OTHER = "other"
MISSING_LABEL = "missing"
NO_BIN = -1


@dataclass(frozen=True, eq=False)
class ColumnBins:
    """The bins of a column, and what each says about the event."""

    labels: tuple[str, ...]
    counts: BinCounts  # in the order of the labels
    totals: Totals
    smoothing: float
    n_merged: int  # the first bins, which are neither special nor of missing values
    trend: Trend | None  # None where the bins were given
    status: Status
    bound_gap: float | None
    merging: Merging | None  # None where the bins were given
    edges: Floats | None  # of a column of numbers
    groups: tuple[tuple[str, ...], ...] | None  # of a column of categories
    rare: tuple[str, ...]  # the categories that are together as "other"
    special_values: tuple[Any, ...]  # those with a bin, in the order of their bins
    has_missing: bool

    @cached_property
    def woe(self) -> Floats:
        """The weight of evidence of each bin, in nats."""
        return weights_of_evidence(self.counts, self.totals, self.smoothing)

    @cached_property
    def iv_terms(self) -> Floats:
        """The information value of each bin, in nats."""
        return information_values(self.counts, self.totals, self.smoothing)

    @property
    def iv(self) -> float:
        """The information value, in nats."""
        return float(self.iv_terms.sum())

    @property
    def iv_corrected(self) -> float:
        """The information value less its mean by chance for so many fixed bins."""
        return self.iv - expected_value(len(self.labels), self.totals)

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the corrected information value."""
        return interval_of(self.iv_corrected, self.counts, self.totals, self.smoothing)

    @property
    def mutual_information(self) -> float:
        """The mutual information of the bins and the event, in bits."""
        return mutual_information_in_nats(self.counts, self.totals) / math.log(2)

    @cached_property
    def p_value(self) -> float:
        """The share of shuffles in which bins made in the same way have at least this information value."""
        if self.merging is None:
            return p_of_fixed_bins(self.counts, self.totals, self.smoothing)
        fixed = self.counts.take(np.arange(self.n_merged, len(self.labels)))
        return p_of_merged_bins(self.iv, self.merging, fixed, self.totals)

    def bins_of_numbers(self, numbers: Floats) -> Integers:
        """The bin of each number; -1 where it has none."""
        assert self.edges is not None  # a column of numbers
        is_missing = np.isnan(numbers)
        bins = np.searchsorted(self.edges, numbers, side="left").astype(np.int64)
        if self.n_merged == 0:
            bins[:] = NO_BIN
        for position, value in enumerate(self.special_values):
            bins[numbers == value] = self.n_merged + position
        bins[is_missing] = self._bin_of_missing
        return bins

    def bins_of_categories(self, values: Encoded) -> Integers:
        """The bin of each category; -1 where it has none. A new one is of the group of rare ones, if there is one."""
        bin_of_category = self._bin_of_category
        bin_of_others = bin_of_category[OTHER] if self.rare else NO_BIN
        bins = [bin_of_category.get(str(category), bin_of_others) for category in values.categories.tolist()]
        return np.array([*bins, self._bin_of_missing], np.int64)[values.codes]

    @property
    def _bin_of_missing(self) -> int:
        return len(self.labels) - 1 if self.has_missing else NO_BIN

    @cached_property
    def _bin_of_category(self) -> dict[str, int]:
        assert self.groups is not None  # a column of categories
        bins = {name: group for group, names in enumerate(self.groups) for name in names}
        for position, value in enumerate(self.special_values):
            bins[str(value)] = self.n_merged + position
        return bins


@dataclass(frozen=True)
class ClassedRows:
    """The rows of a table with their class: whether each has the event."""

    is_event: Flags
    weights: Integers | None
    totals: Totals

    def count(self, bins: Integers, n_bins: int) -> BinCounts:
        """The rows of each bin; rows of bin -1 are in none."""
        return count_by_bin(bins, n_bins, self.is_event, self.weights)


@dataclass(frozen=True)
class ColumnRules:
    """How one column is binned."""

    bins: BinRules
    pre_bins: PreBinRules
    special_values: tuple[Any, ...] = ()
    min_level_share: float = 0.01
    edges: Floats | None = None  # given by the user


def bin_numbers(numbers: Floats, rows: ClassedRows, rules: ColumnRules) -> ColumnBins:
    """The bins of a column of numbers."""
    is_missing = np.isnan(numbers)
    special_values = tuple(value for value in rules.special_values if (numbers == value).any())
    is_free = ~is_missing & ~np.isin(numbers, np.array(special_values, np.float64))
    weights = None if rows.weights is None else rows.weights[is_free]
    fixed_counts = _count_fixed([numbers == value for value in special_values], is_missing, rows)
    labels_of_fixed = _labels_of_fixed(special_values, has_missing=bool(is_missing.any()))
    no_bins = np.empty(0, np.int64)
    merging: Merging | None = None
    if not is_free.any():
        edges = np.empty(0)
        merged = BinCounts(no_bins, no_bins)
        division = None
        labels: list[str] = []
    elif rules.edges is not None:
        distinct, index = np.unique(numbers[is_free], return_inverse=True)
        pre_bins = cut_at(distinct, count_by_bin(index, len(distinct), rows.is_event[is_free], weights), rules.edges)
        edges = pre_bins.cuts
        merged = pre_bins.counts
        division = None
        labels = labels_of_intervals(edges, edges)
    else:
        pre_bins = pre_bins_of(numbers[is_free], rows.is_event[is_free], weights, rules.pre_bins)
        division = divide(pre_bins.counts, rows.totals, rules.bins)
        merging = Merging(pre_bins.counts, pre_bins.n_free, rules.bins, by_rate=False)
        chosen = pre_bins.merged(division.ends)
        edges = chosen.cuts
        merged = chosen.counts
        labels = labels_of_intervals(edges, chosen.next_above)
    return ColumnBins(
        labels=(*labels, *labels_of_fixed),
        counts=joined(merged, fixed_counts),
        totals=rows.totals,
        smoothing=rules.bins.smoothing,
        n_merged=len(merged),
        trend=None if division is None else division.trend,
        status="optimal" if division is None else division.status,
        bound_gap=None if division is None else division.bound_gap,
        merging=merging,
        edges=edges,
        groups=None,
        rare=(),
        special_values=special_values,
        has_missing=bool(is_missing.any()),
    )


def bin_categories(values: Encoded, rows: ClassedRows, rules: ColumnRules) -> ColumnBins:
    """The bins of a column of categories: neighbours by event rate are merged, rare categories are together first."""
    names = [str(category) for category in values.categories.tolist()]
    special_names = [str(value) for value in rules.special_values]
    is_special = np.array([name in special_names for name in names], bool)
    is_missing = values.codes < 0
    special_values = tuple(value for value in rules.special_values if str(value) in names)
    fixed_counts = _count_fixed([values.codes == names.index(str(value)) for value in special_values], is_missing, rows)

    counts = rows.count(values.codes.astype(np.int64), len(names))
    is_rare = (counts.rows < rules.min_level_share * rows.totals.rows) & ~is_special
    frequent = [name for name, rare, special in zip(names, is_rare, is_special, strict=True) if not rare | special]
    levels = sorted({*frequent, OTHER}) if is_rare.any() else frequent
    level_of_name = {name: level for level, name in enumerate(levels)}
    others = level_of_name.get(OTHER, NO_BIN)
    level_of_code = [
        NO_BIN if special else level_of_name.get(name, others) for name, special in zip(names, is_special, strict=True)
    ]
    level_counts = rows.count(np.array([*level_of_code, NO_BIN], np.int64)[values.codes], len(levels))

    order = order_by_rate(level_counts, levels)
    in_order = level_counts.take(order)
    division: Division | None = None
    merging: Merging | None = None
    groups: list[tuple[str, ...]] = []
    merged = in_order
    if len(levels):
        ascending = replace(rules.bins, trend="ascending")
        division = divide(in_order, rows.totals, ascending)
        merging = Merging(in_order, len(levels), ascending, by_rate=True)
        merged = in_order.merged(division.ends)
        groups = [tuple(sorted(levels[level] for level in group)) for group in np.split(order, division.ends[:-1])]
    return ColumnBins(
        labels=(
            *(", ".join(group) for group in groups),
            *_labels_of_fixed(special_values, has_missing=bool(is_missing.any())),
        ),
        counts=joined(merged, fixed_counts),
        totals=rows.totals,
        smoothing=rules.bins.smoothing,
        n_merged=len(groups),
        trend="ascending",
        status="optimal" if division is None else division.status,
        bound_gap=None,
        merging=merging,
        edges=None,
        groups=tuple(groups),
        rare=tuple(name for name, rare in zip(names, is_rare, strict=True) if rare),
        special_values=special_values,
        has_missing=bool(is_missing.any()),
    )


def order_by_rate(counts: BinCounts, names: Sequence[str]) -> Integers:
    """The levels by rising event rate, those of equal rates by their names."""
    rates = [Fraction(int(e), int(t)) for e, t in zip(counts.events, counts.rows, strict=True)]
    return np.array(sorted(range(len(names)), key=lambda level: (rates[level], names[level])), np.int64)


def joined(first: BinCounts, second: BinCounts) -> BinCounts:
    """The bins of both."""
    return BinCounts(np.append(first.events, second.events), np.append(first.nonevents, second.nonevents))


def _count_fixed(rows_of_special: Sequence[Flags], is_missing: Flags, rows: ClassedRows) -> BinCounts:
    """The counts of the bins of special values, and of the bin of missing values if there are any."""
    parts = [*rows_of_special, is_missing] if is_missing.any() else rows_of_special
    bins = np.full(len(is_missing), NO_BIN, np.int64)
    for position, is_of_bin in enumerate(parts):
        bins[is_of_bin] = position
    return rows.count(bins, len(parts))


def _labels_of_fixed(special_values: Sequence[Any], *, has_missing: bool) -> list[str]:
    labels = [f"special {_plain_number(value)}" for value in special_values]
    return [*labels, MISSING_LABEL] if has_missing else labels


def labels_of_intervals(edges: Floats, next_above: Floats) -> list[str]:
    """``(-inf, 20]``, ``(20, 35]``, ``(35, inf)``: each edge with the fewest decimals that part the same rows."""
    shown = [shortest_decimal(low, high) for low, high in zip(edges.tolist(), next_above.tolist(), strict=True)]
    if not shown:
        return ["(-inf, inf)"]
    inner = [f"({low}, {high}]" for low, high in pairwise(shown)]
    return [f"(-inf, {shown[0]}]", *inner, f"({shown[-1]}, inf)"]


def shortest_decimal(low: float, high: float) -> str:
    """The number of the fewest decimals in ``[low, high)``; ``low`` if that is empty."""
    for n_decimals in range(17):
        scale = 10.0**n_decimals
        candidate = math.ceil(low * scale) / scale
        if low <= candidate < high:
            return _plain_number(candidate)
    return _plain_number(low)


def _plain_number(value: Any) -> str:
    if isinstance(value, (int, float, np.number)) and float(value) == int(value):
        return str(int(value))
    return str(value)
