"""Drift where rows belong together in groups: the mean by chance, and p, by shuffles of the periods of whole groups.

A group whose rows are all of one period is shuffled as one: it exchanges its period with other such groups. In a group
of several periods the rows exchange theirs with each other. The shuffles stay within the strata, those for ``I(X;T|Y)``
within class and stratum.

With m and v the mean and the variance of ``G = 2 N ln(2) I`` over the shuffles, G is compared with the gamma
distribution of the same mean and variance, which is the chi-squared of ``2 m^2 / v`` degrees of freedom at
``2 G m / v``. p is never below one in the number of different arrangements of the periods.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.search import Units
from bitsieve.counts.source import CodedSource
from bitsieve.counts.tables import EntropyTerms, make_entropy_terms
from bitsieve.information.drift import Combinations, TableDrift, TestedBits
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.libraries import chdtrc
from bitsieve.utils.progress import phase

N_SHUFFLES = 199
SMALLEST_P = float(np.finfo(np.float64).tiny)


def drift_of_groups(
    source: CodedSource, combinations: Combinations, columns: Columns, groups: Integers, by_rows: TableDrift
) -> TableDrift:
    """The drift of columns whose rows belong to groups.

    ``groups`` has the number of the group of every sample, the samples class by class. ``by_rows`` is the drift as if
    the rows were independent; the counts and the relevance stay as they are there.
    """
    rows = _Rows.of(source, combinations, columns)
    strata = rows.stratum
    classes_and_strata = rows.label * combinations.n_strata + rows.stratum
    units = Units.of(groups, rows.period)
    observed = rows.information(rows.period)
    within_strata = _Shuffles.of(rows, units, strata)
    of_column = within_strata.tested(observed.of_column, [sums.of_column for sums in within_strata.information])
    relations = by_rows.columns.relations
    if relations is None:
        return TableDrift(replace(by_rows.columns, of_column=of_column), None)
    within_classes = _Shuffles.of(rows, units, classes_and_strata)
    relations = replace(
        relations,
        within_classes=within_classes.tested(
            observed.within_classes, [sums.within_classes for sums in within_classes.information]
        ),
        of_relation=within_strata.tested(
            observed.of_relation, [sums.of_relation for sums in within_strata.information]
        ),
    )
    bits_of_classes = [sums.of_classes for sums in within_strata.information]
    of_classes = observed.of_classes - float(np.mean(bits_of_classes))
    return TableDrift(replace(by_rows.columns, of_column=of_column, relations=relations), of_classes)


@dataclass(frozen=True)
class _DriftInBits:
    """Plug-in information, not corrected for chance. Arrays have shape (n_columns,)."""

    of_column: Floats  # I(X;T|S)
    within_classes: Floats  # I(X;T|Y,S)
    of_relation: Floats  # I(Y;T|X,S)
    of_classes: float  # I(Y;T|S)


@dataclass(frozen=True)
class _Rows:
    """The codes of some columns in every sample, and its period, class and stratum."""

    codes: NDArray[np.integer]  # shape (n_samples, n_columns)
    arities: NDArray[np.integer]
    period: Integers
    label: Integers
    stratum: Integers
    shape: tuple[int, int, int]  # how many periods, classes and strata there are
    terms: EntropyTerms
    n_jobs: int | None

    @classmethod
    def of(cls, source: CodedSource, combinations: Combinations, columns: Columns) -> _Rows:
        codes, combination = source.class_by_class()
        return cls(
            codes=np.asfortranarray(codes[:, columns]),
            arities=source.arities[columns],
            period=combinations.period[combination],
            label=combinations.label[combination],
            stratum=combinations.stratum[combination],
            shape=(combinations.n_periods, combinations.n_labels, combinations.n_strata),
            terms=make_entropy_terms(source.n_samples),
            n_jobs=source.n_jobs,
        )

    def information(self, period: Integers) -> _DriftInBits:
        """The information if the samples had these periods, by sums of ``n log2(n)`` over the cells of tables."""
        n_periods, n_labels, n_strata = self.shape
        n_combinations = n_periods * n_labels * n_strata
        combination = (period * n_labels + self.label) * n_strata + self.stratum
        sizes = np.bincount(combination, minlength=n_combinations).reshape(1, *self.shape)
        of_sizes = self._sums(sizes)
        source = PackedSource(
            self.codes, combination, arities=self.arities, n_classes=n_combinations, n_jobs=self.n_jobs
        )
        n_columns = len(self.arities)
        of_column = np.empty(n_columns)
        within_classes = np.empty(n_columns)
        of_relation = np.empty(n_columns)
        for j, table in enumerate(source.tables(None, np.arange(n_columns), True)):
            of_code = self._sums(table.dense().reshape(-1, *self.shape))
            of_column[j] = of_code.by_period - of_code.pooled - of_sizes.by_period + of_sizes.pooled
            within_classes[j] = of_code.by_both - of_code.by_class - of_sizes.by_both + of_sizes.by_class
            of_relation[j] = of_code.by_both - of_code.by_class - of_code.by_period + of_code.pooled
        per_bit = self.terms.per_bit
        of_classes = of_sizes.by_both - of_sizes.by_class - of_sizes.by_period + of_sizes.pooled
        return _DriftInBits(of_column / per_bit, within_classes / per_bit, of_relation / per_bit, of_classes / per_bit)

    def _sums(self, counts: Integers) -> _Sums:
        """The sums of a table of shape (n_codes, n_periods, n_classes, n_strata) and of its margins."""
        by_class = counts.sum(axis=1)
        by_period = counts.sum(axis=2)
        return _Sums(
            by_both=self._sum(counts),
            by_class=self._sum(by_class),
            by_period=self._sum(by_period),
            pooled=self._sum(by_class.sum(axis=1)),
        )

    def _sum(self, counts: Integers) -> int:
        return self.terms.sum(np.ascontiguousarray(counts, np.int64))


@dataclass(frozen=True)
class _Sums:
    """Sums of the entropy terms of counts by code and stratum, and by more variables."""

    by_both: int  # by period and class, too
    by_class: int
    by_period: int
    pooled: int


@dataclass(frozen=True)
class _Shuffles:
    """The information after every shuffle of the periods of units, within parts of the samples."""

    information: list[_DriftInBits]
    smallest_log_p: float  # the logarithm of one in the number of arrangements

    @classmethod
    def of(cls, rows: _Rows, units: Units, parts: Integers) -> _Shuffles:
        phase("shuffling groups")
        information = []
        for seed in range(N_SHUFFLES):
            (period,) = units.shuffled(rows.period, parts, np.array([seed], np.uint64))
            information.append(rows.information(period.astype(np.int64)))
        return cls(information, -units.log_arrangements(rows.period, parts))

    def tested(self, observed: Floats, shuffled: list[Floats]) -> TestedBits:
        """Subtract the mean of the shuffles from the observed bits, and test them."""
        mean = np.mean(shuffled, axis=0)
        variance = np.var(shuffled, axis=0, ddof=1)
        varies = variance > 0
        freedom = 2 * mean[varies] ** 2 / variance[varies]
        statistic = 2 * observed[varies] * mean[varies] / variance[varies]
        log_p = np.zeros(len(observed))
        log_p[varies] = np.log(np.maximum(chdtrc(freedom, statistic), SMALLEST_P))
        return TestedBits(observed - mean, np.maximum(log_p, self.smallest_log_p))
