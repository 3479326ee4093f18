"""Drift where rows belong together in groups. Shuffles of the periods of whole groups give the mean by chance, and p.

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
from bitsieve.counts.search import ExchangeableUnits
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
    units = ExchangeableUnits.of(groups, rows.period)
    observed = rows.drift(rows.period)
    shuffles = _Shuffles.run(rows, units, rows.stratum)
    shift = shuffles.test(observed.shift, [drift.shift for drift in shuffles.drifts])
    relations = by_rows.columns.relations
    if relations is None:
        return TableDrift(replace(by_rows.columns, shift=shift), None)

    class_and_stratum = rows.label * combinations.n_strata + rows.stratum
    shuffles_within_classes = _Shuffles.run(rows, units, class_and_stratum)
    shift_within_classes = shuffles_within_classes.test(
        observed.shift_within_classes, [drift.shift_within_classes for drift in shuffles_within_classes.drifts]
    )
    relation = shuffles.test(observed.relation, [drift.relation for drift in shuffles.drifts])
    relations = replace(relations, shift_within_classes=shift_within_classes, relation=relation)
    mean_shift_of_classes = float(np.mean([drift.shift_of_classes for drift in shuffles.drifts]))
    return TableDrift(
        columns=replace(by_rows.columns, shift=shift, relations=relations),
        shift_of_classes=observed.shift_of_classes - mean_shift_of_classes,
    )


@dataclass(frozen=True)
class _PlugInDrift:
    """Drift in bits, not corrected for chance. Arrays have shape (n_columns,)."""

    shift: Floats  # I(X;T|S)
    shift_within_classes: Floats  # I(X;T|Y,S)
    relation: Floats  # I(Y;T|X,S)
    shift_of_classes: float  # I(Y;T|S)


@dataclass(frozen=True)
class _Rows:
    """The codes of some columns in every sample, and its period, class and stratum, each numbered from 0."""

    codes: NDArray[np.integer]  # shape (n_samples, n_columns)
    arities: NDArray[np.integer]
    period: Integers
    label: Integers  # the class of the target
    stratum: Integers
    shape: tuple[int, int, int]  # how many periods, classes and strata there are
    entropy_terms: EntropyTerms
    n_jobs: int | None

    @classmethod
    def of(cls, source: CodedSource, combinations: Combinations, columns: Columns) -> _Rows:
        codes, combination = source.samples_in_class_order()
        return cls(
            codes=np.asfortranarray(codes[:, columns]),
            arities=source.arities[columns],
            period=combinations.period[combination],
            label=combinations.label[combination],
            stratum=combinations.stratum[combination],
            shape=(combinations.n_periods, combinations.n_labels, combinations.n_strata),
            entropy_terms=make_entropy_terms(source.n_samples),
            n_jobs=source.n_jobs,
        )

    def drift(self, period: Integers) -> _PlugInDrift:
        """The drift if the samples had these periods.

        With ``S_xts`` the sum of ``n log2 n`` over the cells of code x, period t and stratum s, and so on,

            N I(X;T|S)   = S_xts  - S_xs  - S_ts  + S_s
            N I(X;T|Y,S) = S_xtys - S_xys - S_tys + S_ys
            N I(Y;T|X,S) = S_xtys - S_xys - S_xts + S_xs
            N I(Y;T|S)   = S_tys  - S_ys  - S_ts  + S_s
        """
        n_periods, n_labels, n_strata = self.shape
        n_combinations = n_periods * n_labels * n_strata
        combination = (period * n_labels + self.label) * n_strata + self.stratum
        n_columns = len(self.arities)
        source = PackedSource(
            self.codes, combination, arities=self.arities, n_classes=n_combinations, n_jobs=self.n_jobs
        )
        sums_of_columns = [self._sums(table.dense()) for table in source.tables(None, np.arange(n_columns), True)]
        s_xtys, s_xys, s_xts, s_xs = np.array(sums_of_columns, np.int64).T
        s_tys, s_ys, s_ts, s_s = self._sums(np.bincount(combination, minlength=n_combinations))
        per_bit = self.entropy_terms.per_bit
        return _PlugInDrift(
            shift=(s_xts - s_xs - s_ts + s_s) / per_bit,
            shift_within_classes=(s_xtys - s_xys - s_tys + s_ys) / per_bit,
            relation=(s_xtys - s_xys - s_xts + s_xs) / per_bit,
            shift_of_classes=(s_tys - s_ys - s_ts + s_s) / per_bit,
        )

    def _sums(self, counts: Integers) -> tuple[int, int, int, int]:
        """``S_xtys``, ``S_xys``, ``S_xts`` and ``S_xs`` of a table of codes by period, class and stratum."""
        xtys = counts.reshape(-1, *self.shape)
        xys = xtys.sum(axis=1)
        xts = xtys.sum(axis=2)
        xs = xys.sum(axis=1)
        return self._sum(xtys), self._sum(xys), self._sum(xts), self._sum(xs)

    def _sum(self, counts: Integers) -> int:
        return self.entropy_terms.sum(np.ascontiguousarray(counts, np.int64))


@dataclass(frozen=True)
class _Shuffles:
    """The drift after every shuffle of the periods of units, within parts of the samples."""

    drifts: list[_PlugInDrift]
    smallest_log_p: float  # the logarithm of one in the number of arrangements

    @classmethod
    def run(cls, rows: _Rows, units: ExchangeableUnits, parts: Integers) -> _Shuffles:
        """Shuffle the periods ``N_SHUFFLES`` times; ``parts`` has the number of the part of every sample."""
        phase("shuffling groups")
        drifts = []
        for seed in range(N_SHUFFLES):
            (period,) = units.shuffled(rows.period, parts, np.array([seed], np.uint64))
            drifts.append(rows.drift(period.astype(np.int64)))
        return cls(drifts, -units.log_arrangements(rows.period, parts))

    def test(self, observed: Floats, shuffled: list[Floats]) -> TestedBits:
        """Subtract the mean of the shuffles from the observed bits, and test them."""
        mean = np.mean(shuffled, axis=0)
        variance = np.var(shuffled, axis=0, ddof=1)
        varies = variance > 0
        freedom = 2 * mean[varies] ** 2 / variance[varies]
        statistic = 2 * observed[varies] * mean[varies] / variance[varies]
        log_p = np.zeros(len(observed))
        log_p[varies] = np.log(np.maximum(chdtrc(freedom, statistic), SMALLEST_P))
        return TestedBits(observed - mean, np.maximum(log_p, self.smallest_log_p))
