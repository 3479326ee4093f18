"""The sums that tests of independence within strata need, of contingency tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.counts.tables import ContingencyTable, Terms
from bitsieve.utils.arrays import Floats, Integers


class TestSums(NamedTuple):
    """The sums of several tests: one number a test in each array. ``native/count/independence.hpp`` has the formulas.

    They depend neither on the order of the samples, strata and codes, nor on which of the two variables is the first.
    """

    __test__ = False  # for pytest, which takes the name for a test

    information: Integers  # N I(X;Y|Z) in terms
    degrees_of_freedom: Integers
    expected_excess: Floats  # half the mean of G over all shuffles within the strata
    pearson: Floats
    least_expected: Floats
    n_strata: Integers  # how many have samples

    @classmethod
    def joined(cls, parts: Sequence[TestSums]) -> TestSums:
        """The sums of several lists of tests, one list after the other."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


@dataclass(frozen=True)
class OptionalSums:
    """Which sums are computed of those that only one test uses. The others are 0."""

    expected_excess: bool = False
    pearson: bool = False


def sums_of_tables(tables: Sequence[ContingencyTable], terms: Terms, optional: OptionalSums) -> TestSums:
    """The sums of the second and the third variable of each table. A table has the shape (strata, codes, classes)."""
    native = _native.IndependenceSums(terms.table, terms.shift)
    sums = []
    for table in tables:
        cells, counts = table.occupied()
        _, n_codes, n_classes = table.shape
        arrays = native.of_table(cells, counts, n_codes, n_classes, optional.expected_excess, optional.pearson)
        sums.append(TestSums(*arrays))
    return TestSums.joined(sums)
