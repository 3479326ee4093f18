"""The bins of one column: those that were merged, one for each special value, and one for missing values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from bitsieve.dataset.encoding import Encoded
from bitsieve.dataset.quantity import text_of_edge
from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals, count_by_bin
from bitsieve.discretization.monotone.chance import (
    Interval,
    Merging,
    expected_value,
    interval_of,
    p_of_fixed_bins,
    p_of_merged_bins,
)
from bitsieve.discretization.monotone.division import (
    BinRules,
    Division,
    Status,
    Trend,
    divide,
    information_values,
    mutual_information_in_nats,
    smallest_count,
    weights_of_evidence,
)
from bitsieve.discretization.monotone.pre_bins import PreBinRules, cut_at, pre_bins_of, pre_bins_of_levels
from bitsieve.discretization.monotone.sorted_numbers import SortedNumbers, sort_numbers
from bitsieve.utils.arrays import Flags, Floats, Integers

OTHER = "other"
MISSING_LABEL = "missing"
NO_BIN = -1
LARGEST_PLAIN = 1e16  # larger numbers are written with an exponent
NO_COUNTS = BinCounts(np.empty(0, np.int64), np.empty(0, np.int64))
SpecialValue = float | str


@dataclass(frozen=True, eq=False)
class MergedBins:
    """The bins of the values of a column that are neither special nor missing."""

    counts: BinCounts
    labels: tuple[str, ...]
    edges: Floats | None = None  # only a column of numbers has edges
    shown_edges: Floats | None = None  # the edges in the labels, which part the rows of the table as ``edges`` do
    groups: tuple[tuple[str, ...], ...] | None = None  # only a column of categories has groups
    rare: tuple[str, ...] = ()  # the categories that are together as "other"
    division: Division | None = None  # None if nothing was merged: bins between given edges, or no value is left
    has_every_cut: bool = True  # whether each value was a bin before bins were merged; else only pre-bins were
    merging: Merging | None = None  # None where division is None, and in a scorecard that was loaded


@dataclass(frozen=True, eq=False)
class FixedBins:
    """The bins that are never merged: one for each special value, and one for missing values if there are any."""

    counts: BinCounts
    special_values: tuple[SpecialValue, ...]  # those that occur, in the order of their bins
    has_missing: bool
    #: Those that were declared, and that no row has. In new rows they are in no bin, and not among other numbers.
    absent_special_values: tuple[SpecialValue, ...] = ()
    time_unit: str = ""  # as in ``ColumnRules``

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each bin."""
        labels = [f"special {_text_of_value(value, self.time_unit)}" for value in self.special_values]
        if self.has_missing:
            labels.append(MISSING_LABEL)
        return tuple(labels)


@dataclass(frozen=True, eq=False)
class ColumnBins:
    """The bins of a column, and what each says about the event: first the merged bins, then the fixed ones."""

    merged: MergedBins
    fixed: FixedBins
    totals: Totals
    smoothing: float

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The name of each bin."""
        return self.merged.labels + self.fixed.labels

    @property
    def with_shown_edges(self) -> ColumnBins:
        """The bins with the edges that their labels show.

        They have the same rows of the table. A new number between an edge and the one shown may change its bin.
        """
        if self.merged.shown_edges is None:
            return self
        return replace(self, merged=replace(self.merged, edges=self.merged.shown_edges))

    @cached_property
    def counts(self) -> BinCounts:
        """The rows of each bin with the event and without it."""
        merged = self.merged.counts
        fixed = self.fixed.counts
        return BinCounts(np.append(merged.events, fixed.events), np.append(merged.nonevents, fixed.nonevents))

    @property
    def trend(self) -> Trend | None:
        """The trend of the event rate over the merged bins; None if nothing was merged."""
        return None if self.merged.division is None else self.merged.division.trend

    @property
    def status(self) -> Status:
        """Whether the bounds on the bins could be kept."""
        return "optimal" if self.merged.division is None else self.merged.division.status

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
    def iv_without_class_bounds(self) -> float:
        """The information value of the best bins without ``min_events`` and ``min_nonevents``, in nats.

        It is large for a column that separates the classes, of which those bounds leave one bin.
        """
        merging = self.merged.merging
        if merging is None:
            return self.iv
        rules = replace(merging.rules, min_events=0, min_nonevents=0)
        division = divide(merging.counts, self.totals, rules)
        return float(information_values(merging.counts.merged(division.bin_ends), self.totals, self.smoothing).sum())

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
        if self.merged.merging is None:
            return p_of_fixed_bins(self.counts, self.totals, self.smoothing)
        return p_of_merged_bins(self.iv, self.merged.merging, self.fixed.counts, self.totals)

    def bins_of_numbers(self, numbers: Floats) -> Integers:
        """The bin of each number; -1 where it has none."""
        assert self.merged.edges is not None  # a column of numbers
        n_merged = len(self.merged.counts)
        if n_merged == 0:
            bins = np.full(len(numbers), NO_BIN, np.int64)
        else:
            bins = np.searchsorted(self.merged.edges, numbers, side="left").astype(np.int64)
        for position, value in enumerate(self.fixed.special_values):
            bins[numbers == value] = n_merged + position
        for value in self.fixed.absent_special_values:
            bins[numbers == value] = NO_BIN
        bins[np.isnan(numbers)] = self._bin_of_missing
        return bins

    def bins_of_categories(self, values: Encoded) -> Integers:
        """The bin of each category; -1 where it has none.

        A category that was not there when fitting joins the rare ones, if there were any.
        """
        bin_of_code = [self.bin_of_category.get(name, self.bin_of_new_category) for name in names_of(values)]
        bin_of_code.append(self._bin_of_missing)  # the code of missing values is -1, the index of the last
        return np.array(bin_of_code, np.int64)[values.codes]

    @property
    def bin_of_new_category(self) -> int:
        """The bin of a category that was not there when fitting: that of rare ones; -1 if there were none."""
        if not self.merged.rare:
            return NO_BIN
        assert self.merged.groups is not None  # a column of categories
        return next(group for group, names in enumerate(self.merged.groups) if OTHER in names)

    @property
    def _bin_of_missing(self) -> int:
        return len(self.labels) - 1 if self.fixed.has_missing else NO_BIN

    @cached_property
    def bin_of_category(self) -> dict[str, int]:
        """The bin of each category that is known; -1 for a special value that no row of the table had."""
        assert self.merged.groups is not None  # a column of categories
        bins: dict[str, int] = {}
        for group, names in enumerate(self.merged.groups):
            bins.update(dict.fromkeys(names, group))
        for position, value in enumerate(self.fixed.special_values):
            name, plain_name = names_of_special(value)
            bins[name] = len(self.merged.counts) + position  # also where the rare categories have its name, "other"
            bins.setdefault(plain_name, bins[name])
        for value in self.fixed.absent_special_values:
            for name in names_of_special(value):
                bins.setdefault(name, NO_BIN)
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
    special_values: tuple[SpecialValue, ...] = ()
    min_level_share: float = 0.01
    edges: Floats | None = None  # the cuts that the user gave: no others are made
    merges_edges: bool = False  # whether bins between these cuts are merged
    time_unit: str = ""  # "M" if the numbers are dates, "m" if they are durations, else empty


def bin_numbers(numbers: Floats, rows: ClassedRows, rules: ColumnRules, n_threads: int) -> ColumnBins:
    """The bins of a column of numbers."""
    declared = tuple(value for value in rules.special_values if not isinstance(value, str))
    special_values = tuple(value for value in declared if (numbers == value).any())
    absent = tuple(value for value in declared if value not in special_values)
    is_missing = np.isnan(numbers)
    rows_of_special = [numbers == value for value in special_values]
    fixed = _count_fixed(special_values, rows_of_special, is_missing, rows)
    fixed = replace(fixed, absent_special_values=absent, time_unit=rules.time_unit)
    is_free = ~is_missing
    for is_special in rows_of_special:
        is_free &= ~is_special
    if not is_free.any():
        return ColumnBins(MergedBins(NO_COUNTS, labels=(), edges=np.empty(0)), fixed, rows.totals, rules.bins.smoothing)
    free_numbers = sort_numbers(numbers, rows.is_event, rows.weights, is_free, n_threads)
    if rules.edges is None:
        merged = _merge_numbers(free_numbers, rows.totals, rules, n_threads)
    elif rules.merges_edges:
        merged = _merge_between_edges(free_numbers, rules.edges, rows.totals, rules)
    else:
        merged = _count_between_edges(free_numbers, rules.edges, rules.time_unit)
    return ColumnBins(merged, fixed, rows.totals, rules.bins.smoothing)


def _count_between_edges(numbers: SortedNumbers, edges: Floats, time_unit: str) -> MergedBins:
    """The bins between edges that the user gave."""
    bins = cut_at(numbers, edges)
    labels = labels_of_intervals(_texts_of_edges(bins.cuts, time_unit))
    return MergedBins(bins.counts, labels, edges=bins.cuts, shown_edges=bins.cuts)


def _merge_between_edges(numbers: SortedNumbers, edges: Floats, totals: Totals, rules: ColumnRules) -> MergedBins:
    """The best division of the bins between edges that the user gave."""
    pre_bins = cut_at(numbers, edges)
    division = divide(pre_bins.counts, totals, rules.bins)
    bins = pre_bins.merged(division.bin_ends)
    return MergedBins(
        bins.counts,
        labels_of_intervals(_texts_of_edges(bins.cuts, rules.time_unit)),
        edges=bins.cuts,
        shown_edges=bins.cuts,
        division=division,
        has_every_cut=pre_bins.has_every_cut,
        merging=Merging(pre_bins.counts, pre_bins.n_free, rules.bins, ordered_by_rate=False),
    )


def _texts_of_edges(edges: Floats, time_unit: str) -> list[str]:
    """The edges as their labels show them."""
    return [_text_of_value(edge, time_unit) for edge in edges.tolist()]


def _text_of_value(value: SpecialValue, time_unit: str) -> str:
    """A number or a time as labels show it; text as it is."""
    if time_unit and not isinstance(value, str):
        return text_of_edge(value, time_unit)
    return _plain_number(value)


def _merge_numbers(numbers: SortedNumbers, totals: Totals, rules: ColumnRules, n_threads: int) -> MergedBins:
    """The best division of numbers that are neither missing nor special."""
    pre_bins = pre_bins_of(numbers, rules.pre_bins, n_threads)
    division = divide(pre_bins.counts, totals, rules.bins)
    bins = pre_bins.merged(division.bin_ends)
    shown_edges = bins.cuts
    if not rules.time_unit:
        gaps = zip(bins.cuts.tolist(), bins.next_above.tolist(), strict=True)
        shown_edges = np.array([shortest_decimal(low, high) for low, high in gaps], np.float64)
    return MergedBins(
        bins.counts,
        labels_of_intervals(_texts_of_edges(shown_edges, rules.time_unit)),
        edges=bins.cuts,
        shown_edges=shown_edges,
        division=division,
        has_every_cut=pre_bins.has_every_cut,
        merging=Merging(pre_bins.counts, pre_bins.n_free, rules.bins, ordered_by_rate=False),
    )


def bin_categories(values: Encoded, rows: ClassedRows, rules: ColumnRules) -> ColumnBins:
    """The bins of a column of categories."""
    names = names_of(values)
    value_of_code: dict[int, SpecialValue] = {}
    absent = []
    for value in rules.special_values:
        codes = [names.index(name) for name in names_of_special(value) if name in names]
        if codes:
            value_of_code[codes[0]] = value
        else:
            absent.append(value)
    special_codes = list(value_of_code)
    rows_of_special = [values.codes == code for code in special_codes]
    fixed = _count_fixed(tuple(value_of_code.values()), rows_of_special, values.codes < 0, rows)
    fixed = replace(fixed, absent_special_values=tuple(absent))
    if values.declared_ranks is None:
        merged = _merge_categories(values, special_codes, rows, rules)
    else:
        merged = _merge_ordered_categories(values, values.declared_ranks, special_codes, rows, rules)
    return ColumnBins(merged, fixed, rows.totals, rules.bins.smoothing)


def _merge_categories(
    values: Encoded, special_codes: Sequence[int], rows: ClassedRows, rules: ColumnRules
) -> MergedBins:
    """The best division of categories in the order of their event rates; rare ones are together first."""
    levels = _levels_of(values, special_codes, rows, rules.min_level_share)
    if not levels.names:
        return MergedBins(NO_COUNTS, labels=(), groups=())
    level_of_code = np.array([*levels.level_of_code, NO_BIN], np.int64)  # the code of missing values is -1
    counts = rows.count(level_of_code[values.codes], len(levels.names))
    order = order_by_rate(counts, levels.names)
    ordered_counts = counts.take(order)
    ascending = replace(rules.bins, trend="ascending")
    division = divide(ordered_counts, rows.totals, ascending)
    groups = []
    for levels_of_group in np.split(order, division.bin_ends[:-1]):
        names = [levels.names[level] for level in levels_of_group]
        groups.append(tuple(sorted(names)))
    return MergedBins(
        ordered_counts.merged(division.bin_ends),
        labels=_labels_of_groups(groups),
        groups=tuple(groups),
        rare=levels.rare,
        division=division,
        merging=Merging(ordered_counts, len(ordered_counts), ascending, ordered_by_rate=True),
    )


def _merge_ordered_categories(
    values: Encoded, declared_ranks: Integers, special_codes: Sequence[int], rows: ClassedRows, rules: ColumnRules
) -> MergedBins:
    """The best division of categories in the order that their type declares."""
    names = names_of(values)
    is_merged = np.ones(len(names), bool)
    is_merged[list(special_codes)] = False
    merged_codes = np.flatnonzero(is_merged)
    if not len(merged_codes):
        return MergedBins(NO_COUNTS, labels=(), groups=())
    codes_in_order = merged_codes[np.argsort(declared_ranks[merged_codes])]
    counts = rows.count(values.codes.astype(np.int64), len(names)).take(codes_in_order)
    pre_bins = pre_bins_of_levels(counts, rules.pre_bins)
    division = divide(pre_bins.counts, rows.totals, rules.bins)
    bins = pre_bins.merged(division.bin_ends)
    groups = []
    for codes_of_group in np.split(codes_in_order, bins.next_above.astype(np.int64)):
        groups.append(tuple(names[code] for code in codes_of_group))
    return MergedBins(
        bins.counts,
        labels=_labels_of_groups(groups),
        groups=tuple(groups),
        division=division,
        has_every_cut=pre_bins.has_every_cut,
        merging=Merging(pre_bins.counts, pre_bins.n_free, rules.bins, ordered_by_rate=False),
    )


def _labels_of_groups(groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The name of each bin of categories: those that it holds, in quotes where blanks are around them."""
    return tuple(", ".join(map(_shown, group)) for group in groups)


def _shown(category: str) -> str:
    return category if category == category.strip() else repr(category)


@dataclass(frozen=True)
class Levels:
    """What is merged of a column of categories: the frequent categories, and "other" for all rare ones."""

    names: list[str]
    level_of_code: list[int]  # the level of each category, -1 for special values
    rare: tuple[str, ...]  # the categories of the level "other"


def _levels_of(values: Encoded, special_codes: Sequence[int], rows: ClassedRows, min_level_share: float) -> Levels:
    names = names_of(values)
    n_rows = rows.count(values.codes.astype(np.int64), len(names)).rows
    is_special = np.zeros(len(names), bool)
    is_special[list(special_codes)] = True
    is_rare = (n_rows < smallest_count(min_level_share, rows.totals.rows)) & ~is_special
    is_frequent = ~is_rare & ~is_special
    rare = [names[code] for code in np.flatnonzero(is_rare)]
    level_names = [names[code] for code in np.flatnonzero(is_frequent)]
    if rare and OTHER not in level_names:
        level_names.append(OTHER)
    level_of_name = {name: level for level, name in enumerate(level_names)}
    for name in rare:
        level_of_name[name] = level_of_name[OTHER]
    level_of_code = [level_of_name.get(name, NO_BIN) for name in names]
    for code in special_codes:
        level_of_code[code] = NO_BIN  # also where the rare categories have its name
    return Levels(level_names, level_of_code, tuple(rare))


def names_of(values: Encoded) -> list[str]:
    """The categories as text. Numbers have the same names whether they are integers or not: 1.0 is "1"."""
    categories = values.categories.tolist()
    if values.categories.dtype.kind == "f":
        return [_plain_number(category) for category in categories]
    return [str(category) for category in categories]


def order_by_rate(counts: BinCounts, names: Sequence[str]) -> Integers:
    """The levels by rising event rate, those of equal rates by their names."""
    n_rows = counts.rows
    rated_levels = []
    for level, name in enumerate(names):
        rate = Fraction(int(counts.events[level]), int(n_rows[level]))
        rated_levels.append((rate, name, level))
    return np.array([level for _, _, level in sorted(rated_levels)], np.int64)


def _count_fixed(
    special_values: tuple[SpecialValue, ...], rows_of_special: Sequence[Flags], is_missing: Flags, rows: ClassedRows
) -> FixedBins:
    """Count special values, of which each has some rows, and missing values."""
    has_missing = bool(is_missing.any())
    if not special_values and not has_missing:
        return FixedBins(NO_COUNTS, (), has_missing=False)
    bins = np.full(len(is_missing), NO_BIN, np.int64)
    for position, is_special in enumerate(rows_of_special):
        bins[is_special] = position
    bins[is_missing] = len(special_values)
    return FixedBins(rows.count(bins, len(special_values) + has_missing), special_values, has_missing)


def labels_of_intervals(edges: Sequence[str]) -> tuple[str, ...]:
    """``(-inf, 20]``, ``(20, 35]``, ``(35, inf)`` for the edges 20 and 35."""
    if not edges:
        return ("(-inf, inf)",)
    inner = [f"({low}, {high}]" for low, high in pairwise(edges)]
    return (f"(-inf, {edges[0]}]", *inner, f"({edges[-1]}, inf)")


def shortest_decimal(low: float, high: float) -> float:
    """The number with the fewest decimals in ``[low, high)``: as an edge it parts the same rows as ``low``."""
    for n_decimals in range(17):
        scale = 10.0**n_decimals
        candidate = math.ceil(low * scale) / scale
        if low <= candidate < high:
            return candidate
    return low


def names_of_special(value: SpecialValue) -> tuple[str, ...]:
    """The names that a special value may have as a category: -999.0 is "-999.0", or else "-999"."""
    return (str(value), _plain_number(value))


def _plain_number(value: SpecialValue) -> str:
    """A number, without ".0" if it is whole and short; text as it is."""
    is_whole = not isinstance(value, str) and float(value).is_integer() and abs(value) < LARGEST_PLAIN
    return str(int(value)) if is_whole else str(value)
