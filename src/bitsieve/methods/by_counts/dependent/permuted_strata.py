"""The table of a column and the class after permutations of the column within strata, the strata added up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.counts.tables import ContingencyTable
from bitsieve.utils.arrays import Flags, Floats, Integers

CELLS_AT_ONCE = 1 << 20  # of strata and codes, drawn together


@dataclass(frozen=True)
class PermutedStrata:
    """The samples by stratum, code and class, of strata in which both vary: Z strata, K codes, C classes."""

    codes: Integers  # shape (Z, K): the samples of each code in each stratum
    classes: Integers  # shape (Z, C)
    observed: Integers  # shape (K, C): the samples by code and class, the strata added up
    expected: Floats  # shape (K, C): the mean of ``observed`` under permutations within the strata
    variance: Floats  # shape (K, C): its variance

    @classmethod
    def of_table(cls, table: ContingencyTable) -> PermutedStrata | None:
        """The strata of a table in which codes and classes both vary; None if there is none."""
        cells, counts = table.occupied()
        stratum, code, label = np.unravel_index(cells, table.shape)
        n_strata = table.shape[0]
        both_vary = _varies_within(stratum, code, n_strata) & _varies_within(stratum, label, n_strata)
        can_change = both_vary[stratum]
        if not can_change.any():
            return None
        counts = counts[can_change]
        stratum = _renumbered(stratum[can_change])
        code = _renumbered(code[can_change])
        label = _renumbered(label[can_change])
        codes = _added_up(stratum, code, counts)
        classes = _added_up(stratum, label, counts)
        # the hypergeometric distribution of each stratum z of n_z samples, of which n_xz have the code, n_zc the class
        n_z = codes.sum(axis=1, keepdims=True).astype(np.float64)
        expected = np.einsum("zk,zc->kc", codes / n_z, classes)
        spread = codes * (n_z - codes) / (n_z**2 * (n_z - 1))
        variance = np.einsum("zk,zc->kc", spread, classes * (n_z - classes))
        return cls(codes, classes, _added_up(code, label, counts), expected, np.maximum(variance, 1e-9))

    def deviation(self, tables: Integers) -> Floats:
        """``sum (n_xc - expected)^2 / variance`` of tables (b, K, C), in the manner of Cochran, Mantel and Haenszel."""
        deviations: Floats = ((tables - self.expected) ** 2 / self.variance).sum(axis=(1, 2))
        return deviations

    def permuted(self, random: np.random.Generator, size: int) -> Integers:
        """The tables (size, K, C), strata added up, after permutations of the codes within the strata."""
        n_strata, n_codes = self.codes.shape
        n_classes = self.classes.shape[1]
        permuted = np.zeros((size, n_codes, n_classes), np.int64)
        batch_size = max(1, CELLS_AT_ONCE // (n_strata * n_codes))
        for first in range(0, size, batch_size):
            self._draw(random, permuted[first : first + batch_size])
        return permuted

    def _draw(self, random: np.random.Generator, tables: Integers) -> None:
        """Draw tables (b, K, C), cell by cell: how many samples of the class get the code, of those that are left."""
        _, n_codes, n_classes = tables.shape
        codes_left = np.repeat(self.codes[None], len(tables), axis=0)
        for label in range(n_classes - 1):
            samples_left = np.repeat(self.classes[None, :, label], len(tables), axis=0)
            other_codes = codes_left.sum(axis=2)
            for code in range(n_codes - 1):
                other_codes -= codes_left[:, :, code]
                drawn = random.hypergeometric(codes_left[:, :, code], other_codes, samples_left)
                tables[:, code, label] = drawn.sum(axis=1)
                codes_left[:, :, code] -= drawn
                samples_left -= drawn
            tables[:, -1, label] = samples_left.sum(axis=1)
            codes_left[:, :, -1] -= samples_left
        tables[:, :, -1] = codes_left.sum(axis=1)


def _varies_within(stratum: Integers, values: Integers, n_strata: int) -> Flags:
    """For each stratum, whether it has at least two different values."""
    pairs = np.unique(np.column_stack([stratum, values]), axis=0)
    return np.bincount(pairs[:, 0], minlength=n_strata) > 1


def _renumbered(values: Integers) -> Integers:
    """The index of each value among the distinct values."""
    return np.unique(values, return_inverse=True)[1]


def _added_up(rows: Integers, columns: Integers, counts: Integers) -> Integers:
    """The table of counts by row and column."""
    table = np.zeros((rows.max() + 1, columns.max() + 1), np.int64)
    np.add.at(table, (rows, columns), counts)
    return table
