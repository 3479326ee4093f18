"""Information of an effect that all strata have in common, such as that of an exposure in matched sets.

With O_xc the samples of code x and class c, and E_xc their mean after shuffles of the class within the strata s,

    E_xc = sum over s of n_xs n_cs / n_s        I_common = (1/N) sum over x, c of O_xc log2(O_xc / E_xc)

This is the divergence of the pooled table from its mean, the information form of the test of Cochran, Mantel and
Haenszel. It is at most I(X;C|S), and equal to it with one stratum. The difference is heterogeneity: what differs from
stratum to stratum. E is a sum over samples, so that the joint value of two columns has one as well, and

    I_common(X|Z) = I_common of (X,Z) - I_common of Z >= 0

With V_xc the variance of O_xc under the shuffles, k a Poisson count and ``g(m) = E[k log2 k] - m log2 m``, the mean of
I_common by chance is

    (1/N) sum over x, c of (V_xc / E_xc) g(E_xc)

It is right to about 3 percent. N. Mantel, W. Haenszel, "Statistical aspects of the analysis of data from retrospective
studies of disease", Journal of the National Cancer Institute 22, 1959, pp. 719-748.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import ClassVar, NamedTuple, NoReturn

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.counts.strata import CountsByStratum
from bitsieve.counts.tables import ContingencyTable, column_blocks, make_entropy_terms
from bitsieve.information.corrected import CAUTION, CorrectedInformation
from bitsieve.information.plug_in import PlugInInformation, SumInformation
from bitsieve.information.protocol import Information, PairInformation, UndefinedQuantityError
from bitsieve.information.within_strata import CorrectedWithinStrata, PlugInWithinStrata
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import cached_property

MIN_ROWS_PER_STRATUM = 20  # on average: with fewer, the information within a stratum is mostly chance
SERIES_FROM = 128.0  # mean from which on `poisson_excess` is a series, whose error is below 1e-10


def poisson_excess(means: Floats) -> Floats:
    """``g(m) = E[k log2 k] - m log2 m``, k a Poisson count of mean m; 0 for a mean of 0.

    The sum itself, over all counts that are not negligibly rare; for large means the series

        (1/2 + 1/(12 m) + 1/(12 m^2) + 19/(120 m^3) + 9/(20 m^4)) / ln 2
    """
    excess = np.zeros(len(means))
    is_large = means >= SERIES_FROM
    m = means[is_large]
    excess[is_large] = (1 / 2 + 1 / (12 * m) + 1 / (12 * m**2) + 19 / (120 * m**3) + 9 / (20 * m**4)) / log(2)
    is_small = (means > 0) & ~is_large
    m = means[is_small]
    largest_mean = m.max(initial=0.0)
    max_count = int(largest_mean + 12 * np.sqrt(largest_mean) + 30)
    probability = np.exp(-m)  # P(k = 0)
    mean_term = np.zeros(len(m))
    for count in range(1, max_count + 1):
        probability = probability * m / count
        mean_term += probability * (count * np.log2(count))
    excess[is_small] = mean_term - m * np.log2(m)
    return excess


@dataclass(frozen=True)
class StratumWeights:
    """What the samples of every stratum add to the expected counts of each class and to their variances."""

    expected: Integers  # shape (n_strata, n_classes): n_cs / n_s, in units of ``2**-shift``
    shift: int
    variance: Floats  # shape (n_strata, n_classes): n_cs (n_s - n_cs) / (n_s^2 (n_s - 1))
    stratum_sizes: Integers

    @classmethod
    def of_counts(cls, counts: CountsByStratum) -> StratumWeights:
        sizes = counts.stratum_sizes
        n_cs = counts.combinations.class_counts(counts.by_combination.class_sizes)
        shift = 62 - int(sizes.sum()).bit_length()  # so that the expected count of all samples is within int64
        share = n_cs / sizes[:, None]
        variance = share * (1 - share) / np.maximum(sizes - 1, 1)[:, None]
        return cls(np.rint(np.ldexp(share, shift)).astype(np.int64), shift, variance, sizes)

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
        spread = (counts * (self.stratum_sizes[stratum] - counts)).astype(np.float64)
        n_cells = n_first * n_second
        by_class = [np.bincount(cell, spread * weights[stratum], n_cells) for weights in self.variance.T]
        return np.stack(by_class, axis=1)


class TableOfColumn(NamedTuple):
    """How often the values of a column occur in every class, and in every stratum."""

    by_class: ContingencyTable
    by_stratum: ContingencyTable


class CommonEffectPair(PairInformation):
    """The common effect of features given one pivot, and what they share with it."""

    information: CommonEffectInformation

    def __init__(
        self,
        information: CommonEffectInformation,
        pivot: int,
        columns: Columns | None,
        shared: PairInformation,
    ) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self.shared = shared  # what the columns share, whatever the class

    @property
    def redundancy(self) -> Floats:
        return self.shared.redundancy

    @property
    def divisor(self) -> Floats:
        return self.shared.divisor

    @cached_property
    def joint_relevance(self) -> Floats:
        features = self.of(np.arange(self.information.n_features))
        return self.information.bits_of_tables(self.pivot, features)

    @property
    def conditional_relevance(self) -> Floats:
        joint: Floats = self.joint_relevance - self.information.relevance[self.pivot]
        return joint

    @property
    def conditional_redundancy(self) -> Floats:
        return self.redundancy - self.of(self.information.relevance) + self.conditional_relevance

    @property
    def joint_entropy(self) -> Floats:
        return self.shared.joint_entropy


class CommonEffectInformation(Information):
    """The information of the effect that the strata have in common; a subclass names the estimator.

    What two columns share is I(Xi;Xs|S), or I(Xi;Xs) where strata have fewer than 20 samples on average.
    """

    conditions_on_sets: ClassVar[bool] = False
    pooled_kind: ClassVar[type[SumInformation]]
    within_kind: ClassVar[type[PlugInWithinStrata | CorrectedWithinStrata]]

    def __init__(self, source: CountSource) -> None:
        self.source = source
        self.within = self.within_kind(source)
        self.counts = self.within.counts
        self.sums = self.within.sums
        self.entropy_terms = make_entropy_terms(source.n_samples)
        self.weights = StratumWeights.of_counts(self.counts)
        self.shared: SumInformation = self.within  # what the columns share, whatever the class
        if source.n_samples < MIN_ROWS_PER_STRATUM * len(self.counts.stratum_sizes):
            self.shared = self.pooled_kind(source)

    def conditional(self) -> NoReturn:
        raise UndefinedQuantityError(
            code="undefined-quantity",
            message="a common effect is defined for one column and for pairs, but this needs more columns at once",
            advice="use effect='any', or a criterion of pairs such as jmi",
        )

    @property
    def entropy(self) -> Floats:
        return self.shared.entropy

    @property
    def entropy_by_class(self) -> Floats:
        return self.shared.entropy_by_class

    @property
    def class_entropy(self) -> float:
        """H(C|S)."""
        return self.within.class_entropy

    @property
    def varies(self) -> Flags:
        return self.within.varies

    @property
    def least_redundancy(self) -> Floats | None:
        return self.shared.least_redundancy

    @cached_property
    def relevance(self) -> Floats:
        return self.bits_of_tables(None, np.arange(self.n_features))

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> CommonEffectPair:
        return CommonEffectPair(self, pivot, columns, self.shared.pair(pivot, columns, by_class=by_class))

    @abstractmethod
    def bits_of_tables(self, pivot: int | None, columns: Columns) -> Floats:
        """The common effect of the joint value of the pivot (None: no pivot) with each of ``columns``."""

    def plug_in_bits(self, pivot: int | None, columns: Columns) -> Floats:
        """I_common of the joint value of the pivot with each of ``columns``."""
        information = np.empty(len(columns))
        for index, table in enumerate(self._tables(pivot, columns)):
            observed = table.by_class.dense().reshape(-1, self.source.n_classes)
            expected = self.weights.expected_counts(table.by_stratum)
            occurs = observed > 0
            terms = observed[occurs] * np.log2(observed[occurs] / expected[occurs])
            units = np.rint(np.ldexp(terms, self.entropy_terms.shift)).astype(np.int64)  # integers: free of their order
            information[index] = int(units.sum()) / self.entropy_terms.per_bit
        return information

    def chance_bits(self, pivot: int | None, columns: Columns) -> Floats:
        """The mean of I_common over shuffles of the class within the strata: ``(1/N) sum (V / E) g(E)``."""
        if not len(columns):
            return np.zeros(0)
        expected_of_columns = []
        variance_of_columns = []
        for table in self._tables(pivot, columns):
            expected = self.weights.expected_counts(table.by_stratum).reshape(-1)
            occurs = expected > 0
            expected_of_columns.append(expected[occurs])
            variance_of_columns.append(self.weights.variances(table.by_stratum).reshape(-1)[occurs])
        expected = np.concatenate(expected_of_columns)
        terms = np.concatenate(variance_of_columns) / expected * poisson_excess(expected)
        ends = np.cumsum([len(counts) for counts in expected_of_columns])
        sums = [terms_of_column.sum() for terms_of_column in np.split(terms, ends[:-1])]
        return np.array(sums) / self.source.n_samples

    def _tables(self, pivot: int | None, columns: Columns) -> Iterator[TableOfColumn]:
        """The counts of the joint value of the pivot with each of ``columns``; several columns are counted at once."""
        source = self.counts.by_combination
        n_first = 1 if pivot is None else int(source.arities[pivot])
        for block in column_blocks(n_first, source.arities[columns], source.n_classes, source.n_samples):
            for table in source.tables(pivot, columns[block], True):
                by_class = self.counts.within_classes(table)
                by_stratum = self.counts.within_strata(table)
                yield TableOfColumn(by_class, by_stratum)


class PlugInCommonEffect(CommonEffectInformation):
    """The common effect as counted."""

    estimator: ClassVar[str] = "plug-in"
    pooled_kind = PlugInInformation
    within_kind = PlugInWithinStrata

    def bits_of_tables(self, pivot: int | None, columns: Columns) -> Floats:
        return self.plug_in_bits(pivot, columns)


class CorrectedCommonEffect(CommonEffectInformation):
    """The common effect less its mean under shuffles of the class within the strata."""

    estimator: ClassVar[str] = "corrected"
    pooled_kind = CorrectedInformation
    within_kind = CorrectedWithinStrata

    def bits_of_tables(self, pivot: int | None, columns: Columns) -> Floats:
        return self.plug_in_bits(pivot, columns) - self.chance_bits(pivot, columns)

    @cached_property
    def cautious_relevance(self) -> Floats:
        """The common effect less twice its standard deviation under shuffles, as for corrected information."""
        by_chance = self.chance_bits(None, np.arange(self.n_features))
        return self.relevance - CAUTION * np.sqrt(by_chance / (self.source.n_samples * log(2)))


COMMON_EFFECT: dict[str, type[Information]] = {
    kind.estimator: kind for kind in (PlugInCommonEffect, CorrectedCommonEffect)
}
