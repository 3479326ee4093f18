"""The bits of an effect that all strata have in common, from the tables of columns by class and by stratum.

With O_xc the samples of code x and class c, and E_xc their mean after shuffles of the class within the strata s,

    E_xc = sum over s of n_xs n_cs / n_s        I_common = (1/N) sum over x, c of O_xc log2(O_xc / E_xc)

With V_xc the variance of O_xc under the shuffles, k a Poisson count and ``g(m) = E[k log2 k] - m log2 m``, the mean of
I_common by chance is

    (1/N) sum over x, c of (V_xc / E_xc) g(E_xc)

It is right to about 3 percent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise

import numpy as np

from bitsieve import _native
from bitsieve.counts.strata import CountsWithinStrata
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.information.poisson_excess import poisson_excess
from bitsieve.information.stratum_tables import ColumnTables, StratumWeights
from bitsieve.utils.arrays import Floats, Integers


class CommonEffectBits(ABC):
    """An estimate of the common effect; a subclass is an estimator."""

    def __init__(self, counts: CountsWithinStrata, n_samples: int) -> None:
        self.n_samples = n_samples
        self.entropy_terms = make_entropy_terms(n_samples)
        self.weights = StratumWeights.of_counts(counts)

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
        return np.array(sums) / self.n_samples


class PlugInBits(CommonEffectBits):
    """The common effect as counted."""

    def bits(self, tables: ColumnTables) -> Floats:
        return self.plug_in_bits(tables)


class CorrectedBits(CommonEffectBits):
    """The common effect less its mean under shuffles of the class within the strata."""

    def bits(self, tables: ColumnTables) -> Floats:
        return self.plug_in_bits(tables) - self.chance_bits(tables)
