"""Information of an effect that all strata have in common, such as that of an exposure in matched sets.

With O_xc the samples of code x and class c, and E_xc their mean after shuffles of the class within the strata s,

    E_xc = sum over s of n_xs n_cs / n_s        I_common = (1/N) sum over x, c of O_xc log2(O_xc / E_xc)

This is the divergence of the pooled table from its mean, the information form of the test of Cochran, Mantel and
Haenszel. It is at most I(X;C|S), and equal to it with one stratum. The difference is heterogeneity: what differs from
stratum to stratum. E is a sum over samples, so that the joint value of two columns has one as well, and

    I_common(X|Z) = I_common of (X,Z) - I_common of Z >= 0

for one column Z or a set of them. Shuffles of X among samples of equal S and Z leave every E as it is, so that they
test whether X has an effect given Z.

With V_xc the variance of O_xc under the shuffles, k a Poisson count and ``g(m) = E[k log2 k] - m log2 m``, the mean of
I_common by chance is

    (1/N) sum over x, c of (V_xc / E_xc) g(E_xc)

It is right to about 3 percent. N. Mantel, W. Haenszel, "Statistical aspects of the analysis of data from retrospective
studies of disease", Journal of the National Cancer Institute 22, 1959, pp. 719-748.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.source import CountSource, Partition
from bitsieve.counts.strata import CountsWithinStrata, partition_by_strata
from bitsieve.counts.tables import ContingencyTable, column_blocks, joined, make_entropy_terms
from bitsieve.information.corrected import CAUTION, CorrectedInformation
from bitsieve.information.plug_in import PlugInInformation, SumInformation
from bitsieve.information.protocol import COMMON, ConditionalInformation, Information, PairInformation
from bitsieve.information.within_strata import CorrectedWithinStrata, PlugInWithinStrata
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import cached_property

MIN_ROWS_PER_STRATUM = 20  # on average: with fewer, the information within a stratum is mostly chance
CODES_PER_SAMPLE = 40  # how long a shuffle takes: see `ConditionalInformation.codes_per_sample`
MAX_PAIRS_AT_ONCE = 1 << 16  # pairs of codes whose counts, and expected counts, are in memory together
SERIES_FROM = 128.0  # from this mean on `poisson_excess` is a series, whose error is below 1e-10
MAX_COUNT = 512  # counts from here on are negligibly rare with a mean below that
NEGLIGIBLE = 1e-18  # probabilities below this share of the largest add nothing to a sum


def poisson_excess(means: Floats) -> Floats:
    """``g(m) = E[k log2 k] - m log2 m``, k a Poisson count of mean m; 0 for a mean of 0.

    For large means it is the series below, else the sum itself. Neither takes a power or a logarithm of numpy, whose
    last bits differ from processor to processor.

        (1/2 + 1/(12 m) + 1/(12 m^2) + 19/(120 m^3) + 9/(20 m^4)) / ln 2
    """
    excess = np.zeros(len(means))
    is_large = means >= SERIES_FROM
    inverse = 1 / means[is_large]
    series = 1 / 2 + inverse * (1 / 12 + inverse * (1 / 12 + inverse * (19 / 120 + inverse * (9 / 20))))
    excess[is_large] = series / log(2)
    is_small = (means > 0) & ~is_large
    excess[is_small] = _excess_by_sum(means[is_small])
    return excess


def _excess_by_sum(mean: Floats) -> Floats:
    """The sum over all k that are not negligibly rare, from the mode upwards and downwards.

    P(k + 1) / P(k) = m / (k + 1)
    """
    log2_of = _native.log2_of_counts(MAX_COUNT)
    log2_of[0] = 0.0  # k log2 k is 0 at k = 0
    mode = np.floor(mean).astype(np.int64)
    total = np.ones(len(mean))
    mean_term = mode * log2_of[mode]

    probability = np.ones(len(mean))
    k = mode
    while probability.max(initial=0.0) > NEGLIGIBLE:  # from the mode upwards
        k = k + 1
        probability = probability * (mean / k)
        total += probability
        mean_term += probability * (k * log2_of[k])

    probability = np.ones(len(mean))
    k = mode
    while probability.max(initial=0.0) > NEGLIGIBLE:  # from the mode downwards
        probability = probability * (k / mean)
        k = np.maximum(k - 1, 0)
        total += probability
        mean_term += probability * (k * log2_of[k])

    excess: Floats = mean_term / total - mean * _native.log2_of_each(mean)
    return excess


@dataclass(frozen=True)
class StratumWeights:
    """The weights of each stratum in the expected counts of each class, and in their variances."""

    expected: Integers  # shape (n_strata, n_classes): n_cs / n_s, in units of ``2**-shift``
    shift: int
    variance: Floats  # shape (n_strata, n_classes): n_cs (n_s - n_cs) / (n_s^2 (n_s - 1))
    stratum_sizes: Integers

    @classmethod
    def of_counts(cls, counts: CountsWithinStrata) -> StratumWeights:
        sizes = counts.stratum_sizes
        n_cs = counts.combinations.class_counts(counts.combination_source.class_sizes)
        shift = 62 - int(sizes.sum()).bit_length()  # so that the expected count of all samples is within int64
        share = n_cs / sizes[:, None]
        expected = np.rint(np.ldexp(share, shift)).astype(np.int64)
        variance = share * (1 - share) / np.maximum(sizes - 1, 1)[:, None]
        return cls(expected, shift, variance, sizes)

    def expected_counts(self, table: ContingencyTable) -> Floats:
        """E of every cell and class, shape (cells, classes), from a table of cells by stratum."""
        n_first, n_second, n_strata = table.shape
        if table.cells is None:
            sums = table.counts.reshape(-1, n_strata) @ self.expected
        else:
            cell, stratum = np.divmod(table.cells, n_strata)
            sums = np.zeros((n_first * n_second, self.expected.shape[1]), np.int64)
            np.add.at(sums, cell, table.counts[:, None] * self.expected[stratum])
        return np.ldexp(sums.astype(np.float64), -self.shift)

    def variances(self, table: ContingencyTable) -> Floats:
        """V of every cell and class, shape (cells, classes)."""
        n_first, n_second, n_strata = table.shape
        cells, counts = table.occupied()
        cell, stratum = np.divmod(cells, n_strata)
        n_xs_times_others = (counts * (self.stratum_sizes[stratum] - counts)).astype(np.float64)
        n_cells = n_first * n_second
        by_class = [np.bincount(cell, n_xs_times_others * variance[stratum], n_cells) for variance in self.variance.T]
        return np.stack(by_class, axis=1)


class ColumnTables(NamedTuple):
    """The tables of the values of columns, by class and by stratum, one column after the other.

    A value may be a joint value of several columns.
    """

    class_table: ContingencyTable  # shape (1, values of all columns, classes)
    stratum_table: ContingencyTable  # shape (1, values of all columns, strata)
    starts: Integers  # where the values of each column start, and where the last end: shape (n_columns + 1,)

    @classmethod
    def of_tables(
        cls, class_tables: Sequence[ContingencyTable], stratum_tables: Sequence[ContingencyTable]
    ) -> ColumnTables:
        """The tables of each column, joined."""
        return cls(joined(class_tables), joined(stratum_tables), value_starts(class_tables))

    def observed(self) -> Integers:
        """O of every value and class, shape (values, classes)."""
        observed: Integers = self.class_table.dense()[0]
        return observed


#: A quantity of each column, from its tables.
TableQuantity: TypeAlias = Callable[[ColumnTables], Floats]


class CommonEffectPair(PairInformation):
    """The common effect of features given one pivot, and what they share with it."""

    information: CommonEffectInformation

    def __init__(
        self,
        information: CommonEffectInformation,
        pivot: int,
        columns: Columns | None,
        redundancy_pair: PairInformation,
    ) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self.redundancy_pair = redundancy_pair  # gives what the columns share with the pivot

    @property
    def redundancy(self) -> Floats:
        return self.redundancy_pair.redundancy

    @property
    def divisor(self) -> Floats:
        return self.redundancy_pair.divisor

    @cached_property
    def joint_relevance(self) -> Floats:
        features = self.of_features(np.arange(self.information.n_features))
        return self.information.bits_of_columns(self.pivot, features)

    @property
    def conditional_relevance(self) -> Floats:
        joint: Floats = self.joint_relevance - self.information.relevance[self.pivot]
        return joint

    @property
    def conditional_redundancy(self) -> Floats:
        return self.redundancy - self.of_features(self.information.relevance) + self.conditional_relevance

    @property
    def joint_entropy(self) -> Floats:
        return self.redundancy_pair.joint_entropy


class CommonEffectInformation(Information):
    """The information of the effect that the strata have in common; a subclass names the estimator.

    What two columns share is I(Xi;Xs|S), or I(Xi;Xs) where strata have fewer than 20 samples on average.
    """

    conditions_on_sets: ClassVar[bool] = True
    effect: ClassVar[str] = COMMON
    pooled_type: ClassVar[type[SumInformation]]
    within_type: ClassVar[type[PlugInWithinStrata | CorrectedWithinStrata]]

    def __init__(self, source: CountSource) -> None:
        self.source = source
        self.within_strata = self.within_type(source)
        self.counts = self.within_strata.counts
        self.sums = self.within_strata.sums
        self.entropy_terms = make_entropy_terms(source.n_samples)
        self.weights = StratumWeights.of_counts(self.counts)
        self.redundancy_information: SumInformation = self.within_strata  # gives what columns share with each other
        if source.n_samples < MIN_ROWS_PER_STRATUM * len(self.counts.stratum_sizes):
            self.redundancy_information = self.pooled_type(source)

    def conditional(self) -> CommonEffectConditional:
        return CommonEffectConditional(self, partition_by_strata(self.source))

    def plug_in_conditional(self) -> CommonEffectConditional:
        return PlugInCommonEffect(self.source).conditional()

    @property
    def entropy(self) -> Floats:
        return self.redundancy_information.entropy

    @property
    def entropy_by_class(self) -> Floats:
        return self.redundancy_information.entropy_by_class

    @property
    def class_entropy(self) -> float:
        """H(C|S)."""
        return self.within_strata.class_entropy

    @property
    def varies(self) -> Flags:
        return self.within_strata.varies

    @property
    def min_redundancy(self) -> Floats | None:
        return self.redundancy_information.min_redundancy

    @cached_property
    def relevance(self) -> Floats:
        return self.bits_of_columns(None, np.arange(self.n_features))

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> CommonEffectPair:
        redundancy_pair = self.redundancy_information.pair(pivot, columns, by_class=by_class)
        return CommonEffectPair(self, pivot, columns, redundancy_pair)

    def bits_of_columns(self, pivot: int | None, columns: Columns) -> Floats:
        """The common effect of the joint value of the pivot with each of ``columns``; of each alone without a pivot."""
        return self.quantity_of_columns(self.bits, pivot, columns)

    @abstractmethod
    def bits(self, tables: ColumnTables) -> Floats:
        """The common effect of each column, or joint value, from its tables."""

    def plug_in_bits(self, tables: ColumnTables) -> Floats:
        """I_common of each column, or joint value, from its tables."""
        expected = self.weights.expected_counts(tables.stratum_table)
        return self.divergences(tables.observed(), expected, tables.starts) / self.entropy_terms.per_bit

    def divergences(self, observed: Integers, expected: Floats, starts: Integers) -> Integers:
        """``sum O log2(O / E)`` of each column in units of ``2**-shift``: sums of integers, the same in any order."""
        occurs = observed > 0
        counts = observed[occurs]
        terms = counts * _native.log2_of_each(counts / expected[occurs])
        rounded_terms = np.zeros(observed.shape, np.int64)
        rounded_terms[occurs] = np.rint(np.ldexp(terms, self.entropy_terms.shift))
        return np.add.reduceat(rounded_terms.sum(axis=1), starts[:-1])

    def chance_bits(self, tables: ColumnTables) -> Floats:
        """The mean of I_common over shuffles of the class within the strata: ``(1/N) sum (V / E) g(E)``."""
        expected = self.weights.expected_counts(tables.stratum_table)
        occurs = expected > 0
        variances = self.weights.variances(tables.stratum_table)[occurs]
        terms = variances / expected[occurs] * poisson_excess(expected[occurs])
        first_term_of_value = np.concatenate([[0], np.cumsum(occurs.sum(axis=1))])
        first_term_of_column = first_term_of_value[tables.starts].tolist()
        sums = [terms[first:end].sum() for first, end in pairwise(first_term_of_column)]
        return np.array(sums) / self.source.n_samples

    def quantity_of_columns(self, quantity: TableQuantity, pivot: int | None, columns: Columns) -> Floats:
        """A quantity of the joint value of the pivot with each of ``columns``."""
        values = [quantity(tables) for tables in self._tables(pivot, columns)]
        return np.concatenate([np.zeros(0), *values])

    def _tables(self, pivot: int | None, columns: Columns) -> Iterator[ColumnTables]:
        """The tables of the joint value of the pivot with each of ``columns``, batch by batch."""
        source = self.counts.combination_source
        n_first = 1 if pivot is None else int(source.arities[pivot])
        for block in column_blocks(n_first, source.arities[columns], source.n_classes, source.n_samples):
            for batch in batches_of_tables(source.tables(pivot, columns[block], True)):
                table = joined(batch)  # by combination of class and stratum
                yield ColumnTables(
                    class_table=self.counts.table_by_class(table),
                    stratum_table=self.counts.table_by_stratum(table),
                    starts=value_starts(batch),
                )


class _Cells(NamedTuple):
    """The occupied cells of a table of parts, codes of a feature and classes. Arrays have shape (n_cells,)."""

    joint_value: Integers  # of Z and the feature, numbered from 0
    part: Integers
    label: Integers
    counts: Integers
    n_classes: int

    def can_change(self) -> Flags:
        """Whether shuffles may change each cell. They change nothing in a part of one code, or of one class."""
        has_codes = _has_several(self.part, self.joint_value)
        has_classes = _has_several(self.part, self.label)
        return has_codes[self.part] & has_classes[self.part]


class CommonEffectConditional(ConditionalInformation):
    """The common effect of features given a set Z of columns: that of X and Z less that of Z.

    The parts of the partition are the strata, divided by the joint values of Z.
    """

    codes_per_sample: ClassVar[int] = CODES_PER_SAMPLE

    def __init__(self, information: CommonEffectInformation, partition: Partition) -> None:
        super().__init__(information.entropy_terms, partition)
        self.information = information
        self._latest_cells: dict[int, _Cells] = {}  # the cells of the feature that was counted last, by feature

    def refine(self, feature: int) -> CommonEffectConditional:
        return CommonEffectConditional(self.information, self.partition.refine(feature))

    @cached_property
    def _stratum_of_part(self) -> Integers:
        _, stratum = np.unique(self.partition.keys[:, 0], return_inverse=True)
        return stratum.reshape(-1).astype(np.int64)

    @cached_property
    def _value_of_part(self) -> Integers:
        """The number of the joint value of Z in every part."""
        _, value = np.unique(self.partition.keys[:, 1:], axis=0, return_inverse=True)
        return value.reshape(-1).astype(np.int64)

    @property
    def n_combinations(self) -> int:
        """How many combinations of values of Z there are; samples of all strata are compared in each."""
        return int(self._value_of_part.max()) + 1

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        chosen = np.arange(self.partition.source.n_features) if columns is None else columns
        return self._quantity_given_set(self.information.bits, chosen)

    def _quantity_given_set(self, quantity: TableQuantity, columns: Columns) -> Floats:
        """A quantity of Z with each of ``columns``, less that of Z alone."""
        source = self.partition.source
        (table_of_set,) = self.partition.tables(None, True)
        quantity_of_set = quantity(self._column_tables([self._cells(table_of_set)]))
        quantities = [np.zeros(0)]
        for block in column_blocks(self.partition.n_parts, source.arities[columns], source.n_classes, self.n_samples):
            tables = self.partition.tables(columns[block], True)
            for batch in batches_of_tables(tables):
                quantities.append(quantity(self._column_tables([self._cells(table) for table in batch])))
        return np.concatenate(quantities) - quantity_of_set

    def _cells_of_feature(self, feature: int) -> _Cells:
        """The cells of a feature; cached until another feature is asked for."""
        if feature not in self._latest_cells:
            (table,) = self.partition.tables(np.array([feature]), True)
            self._latest_cells = {feature: self._cells(table)}
        return self._latest_cells[feature]

    def _cells(self, table: ContingencyTable) -> _Cells:
        """The occupied cells of a table of parts, codes and classes."""
        _, n_codes, n_classes = table.shape
        cells, counts = table.occupied()
        part, code, label = np.unravel_index(cells, table.shape)
        _, joint_value = np.unique(self._value_of_part[part] * n_codes + code, return_inverse=True)
        return _Cells(joint_value.reshape(-1).astype(np.int64), part, label, counts, n_classes)

    def _column_tables(self, cells_of_columns: Sequence[_Cells]) -> ColumnTables:
        """The tables of the joint values of Z and each column."""
        n_strata = len(self.information.weights.stratum_sizes)
        class_tables = []
        stratum_tables = []
        for cells in cells_of_columns:
            n_values = int(cells.joint_value.max()) + 1
            value_and_class = cells.joint_value * cells.n_classes + cells.label
            value_and_stratum = cells.joint_value * n_strata + self._stratum_of_part[cells.part]
            class_tables.append(
                ContingencyTable.of_cells((1, n_values, cells.n_classes), value_and_class, cells.counts)
            )
            stratum_tables.append(ContingencyTable.of_cells((1, n_values, n_strata), value_and_stratum, cells.counts))
        return ColumnTables.of_tables(class_tables, stratum_tables)

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> Floats:
        cells = self._cells_of_feature(feature)
        tables = self._column_tables([cells])
        expected = self.information.weights.expected_counts(tables.stratum_table)
        observed = tables.observed()
        divergences = np.empty(len(seeds), np.int64)
        for i, shuffled in enumerate(_shuffled_counts(cells, observed, seeds)):
            divergences[i] = self.information.divergences(shuffled, expected, tables.starts)[0]

        # Shuffles leave every E as it is, and with it the mean by chance: the divergence alone changes.
        relevance = self.conditional_relevance(np.array([feature]))
        (divergence,) = self.information.divergences(observed, expected, tables.starts)
        change: Floats = (divergences - divergence) / self.entropy_terms.per_bit
        return relevance + change

    def test_statistics(self, columns: Columns) -> Floats:
        """G over its mean by chance, times the degrees of freedom. Columns are ordered by it before any shuffle.

        It does not follow chi-squared closely enough for a p-value.
        """
        bits = np.maximum(0.0, self._quantity_given_set(self.information.plug_in_bits, columns))
        by_chance = self._quantity_given_set(self.information.chance_bits, columns)
        freedom = np.array([self.degrees_of_freedom(column) for column in columns.tolist()], np.float64)
        return np.divide(bits * freedom, by_chance, out=np.zeros(len(columns)), where=by_chance > 0)

    def degrees_of_freedom(self, feature: int) -> int:
        """The sum over all values of Z of ``(codes - 1) (classes - 1)``, of the samples that shuffles may change."""
        cells = self._cells_of_feature(feature)
        can_change = cells.can_change()
        value_of_set = self._value_of_part[cells.part[can_change]]
        n_codes = _n_distinct(value_of_set, cells.joint_value[can_change])
        n_labels = _n_distinct(value_of_set, cells.label[can_change])
        freedom = (n_codes - 1) * (n_labels - 1)
        return int(freedom[n_codes > 0].sum())

    def least_expected(self, feature: int) -> float:
        """0: chi-squared does not hold, and p is found by shuffles."""
        return 0.0


def _shuffled_counts(cells: _Cells, observed: Integers, seeds: NDArray[np.uint64]) -> Iterator[Integers]:
    """O of every joint value and class, shape as ``observed``, after each shuffle of the values within the parts."""
    can_change = cells.can_change()
    cell_of_sample = np.repeat(np.flatnonzero(can_change), cells.counts[can_change])  # in the order of the parts
    value = cells.joint_value[cell_of_sample]
    label = cells.label[cell_of_sample]
    part = cells.part[cell_of_sample]

    def counts_of_samples(values: Integers) -> Integers:
        """How many of the samples have each joint value and class, if ``values`` are their joint values."""
        counts = np.bincount(values * cells.n_classes + label, minlength=observed.size)
        return counts.reshape(observed.shape)

    unchanged = observed - counts_of_samples(value)
    for seed in seeds.tolist():
        random_keys = np.random.default_rng(seed).random(len(part))  # below 1, so that every sample stays in its part
        order = np.argsort(part + random_keys, kind="stable")
        yield unchanged + counts_of_samples(value[order])


def value_starts(tables: Sequence[ContingencyTable]) -> Integers:
    """Where the values of each table start, one table after the other, and where the last end."""
    return np.cumsum([0, *(table.n_pairs for table in tables)])


def batches_of_tables(tables: Sequence[ContingencyTable]) -> Iterator[Sequence[ContingencyTable]]:
    """Divide tables into batches of at most 65,536 pairs of codes together, or of one table."""
    starts = value_starts(tables)
    first = 0
    while first < len(tables):
        end_of_fitting = int(np.searchsorted(starts, starts[first] + MAX_PAIRS_AT_ONCE, side="right")) - 1
        end = max(first + 1, end_of_fitting)
        yield tables[first:end]
        first = end


def _n_distinct(group: Integers, values: Integers) -> Integers:
    """How many different values each group has."""
    n_values = int(values.max(initial=0)) + 1
    distinct = np.unique(group * n_values + values)
    return np.bincount(distinct // n_values)


def _has_several(part: Integers, values: Integers) -> Flags:
    """Whether each part has several values."""
    return np.asarray(_n_distinct(part, values) > 1)


class PlugInCommonEffect(CommonEffectInformation):
    """The common effect as counted."""

    estimator: ClassVar[str] = "plug-in"
    pooled_type = PlugInInformation
    within_type = PlugInWithinStrata

    def bits(self, tables: ColumnTables) -> Floats:
        return self.plug_in_bits(tables)


class CorrectedCommonEffect(CommonEffectInformation):
    """The common effect less its mean under shuffles of the class within the strata."""

    estimator: ClassVar[str] = "corrected"
    pooled_type = CorrectedInformation
    within_type = CorrectedWithinStrata

    def chance_redundancy(self, feature: int, columns: Columns | None) -> Floats:
        """The mean of what Xi and Xs share over all shuffles of Xi, with Xs the feature."""
        assert isinstance(self.redundancy_information, CorrectedInformation)
        return self.redundancy_information.chance_redundancy(feature, columns)

    def bits(self, tables: ColumnTables) -> Floats:
        return self.plug_in_bits(tables) - self.chance_bits(tables)

    @cached_property
    def cautious_relevance(self) -> Floats:
        """The common effect less twice its standard deviation under shuffles, as for corrected information."""
        by_chance = self.quantity_of_columns(self.chance_bits, None, np.arange(self.n_features))
        return self.relevance - CAUTION * np.sqrt(by_chance / (self.source.n_samples * log(2)))
