"""The sums that tests of independence within strata need, of contingency tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.counts.tables import ContingencyTable, EntropyTerms
from bitsieve.utils.arrays import Floats, Integers


@dataclass(frozen=True)
class OptionalSums:
    """Which of the sums that only one test needs are computed. The others are 0."""

    expected_excess: bool = False
    pearson: bool = False


class IndependenceSums(NamedTuple):
    """The sums of several tests: one number a test in each array. ``native/count/independence.hpp`` has the formulas.

    They depend neither on the order of the samples, strata and codes, nor on which of the two variables is the first.
    """

    information: Integers  # N I(X;Y|Z) in units of the entropy terms
    degrees_of_freedom: Integers
    expected_excess: Floats  # half the mean of G over all shuffles within the strata
    pearson: Floats  # the statistic X^2 of Pearson
    least_expected: Floats  # the smallest expected count of a cell
    n_strata: Integers  # strata that have samples

    @classmethod
    def of_arrays(cls, arrays: tuple[Integers, Integers, Floats, Floats, Floats, Integers]) -> IndependenceSums:
        """The sums as native code returns them."""
        information, degrees_of_freedom, expected_excess, pearson, least_expected, n_strata = arrays
        return cls(information, degrees_of_freedom, expected_excess, pearson, least_expected, n_strata)

    @classmethod
    def joined(cls, parts: Sequence[IndependenceSums]) -> IndependenceSums:
        """The sums of several lists of tests, one list after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.information for part in parts]),
            np.concatenate([part.degrees_of_freedom for part in parts]),
            np.concatenate([part.expected_excess for part in parts]),
            np.concatenate([part.pearson for part in parts]),
            np.concatenate([part.least_expected for part in parts]),
            np.concatenate([part.n_strata for part in parts]),
        )

    @classmethod
    def of_tables(
        cls, tables: Sequence[ContingencyTable], entropy_terms: EntropyTerms, optional: OptionalSums
    ) -> IndependenceSums:
        """The sums of the second and the third variable of tables of shape (strata, codes, classes)."""
        counter = _native.IndependenceCounter(entropy_terms.table, entropy_terms.shift)
        sums = []
        for table in tables:
            cells, counts = table.occupied()
            _, n_codes, n_classes = table.shape
            arrays = counter.of_table(cells, counts, n_codes, n_classes, optional.expected_excess, optional.pearson)
            sums.append(cls.of_arrays(arrays))
        return cls.joined(sums)
