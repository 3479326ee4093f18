"""Conditional permutation tests: which columns the class depends on given their neighbours in a tree."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from bitsieve.counts.source import conditioning, refined
from bitsieve.counts.tables import ContingencyTable
from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import ParameterError
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.dependent.forest import Forest, spanning_forest
from bitsieve.methods.by_counts.stopping.independence import ENOUGH_REACHED, share_of_shuffles
from bitsieve.methods.by_counts.stopping.lists import (
    ADJUSTMENTS,
    BENJAMINI_HOCHBERG,
    HOLM,
    adjusted,
    number_of_tests,
)
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.by_counts.stopping.tree import TreeStopping
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import check_choice, check_integer, check_level
from bitsieve.utils.progress import phase

CELLS_AT_ONCE = 1 << 20  # of strata and codes, drawn together
MAX_PERMUTATIONS = 10**6  # of a column: p are 1e-6 at least
ROUNDING = 1 - 1e-12  # relative: statistics of equal tables may differ by the rounding of sums


@dataclass(frozen=True)
class Strata:
    """The samples by stratum, code and class, of strata in which both vary: Z strata, K codes, C classes."""

    codes: Integers  # shape (Z, K): the samples of each code in each stratum
    classes: Integers  # shape (Z, C)
    observed: Integers  # shape (K, C): the samples by code and class, the strata added up
    expected: Floats  # shape (K, C): the mean of ``observed`` under permutations within the strata
    variance: Floats  # shape (K, C): its variance

    @classmethod
    def of(cls, table: ContingencyTable) -> Strata | None:
        """The strata of a table in which codes and classes both vary; None if there is none."""
        cells, counts = table.occupied()
        stratum, code, label = np.unravel_index(cells, table.shape)
        varies = _varies_within(stratum, code, table.shape[0]) & _varies_within(stratum, label, table.shape[0])
        is_kept = varies[stratum]
        if not is_kept.any():
            return None
        counts = counts[is_kept]
        stratum = _renumbered(stratum[is_kept])
        code = _renumbered(code[is_kept])
        label = _renumbered(label[is_kept])
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


def conditional_p(
    information: Information, forest: Forest, columns: Columns, max_permutations: int, random_state: int
) -> tuple[Floats, Columns]:
    """p of "the class does not depend on Xj given its neighbours" of columns, and those not tested, whose p is 1."""
    source = conditioning(information.source)
    p = np.ones(len(columns))
    is_tested = np.zeros(len(columns), bool)

    def test(index: int) -> None:
        column = int(columns[index])
        neighbours = forest.neighbours[column]
        (table,) = refined(source.partition(), neighbours).tables(np.array([column]), True)
        strata = Strata.of(table)
        if strata is None:
            return
        is_tested[index] = True
        seeds = np.random.default_rng([random_state, column, 0])
        if source.search is not None:  # cut by the class: the classes are shuffled within strata, and it is cut again
            entropy_terms = information.conditional().entropy_terms
            search = RepeatedSearch(source.search, neighbours.tolist(), np.array([column]), entropy_terms, 1)
            p[index] = share_of_shuffles(search.reached(column), max_permutations, ENOUGH_REACHED, seeds)
            return
        random = np.random.default_rng([random_state, column, 1])
        observed = float(strata.deviation(strata.observed[None])[0]) * ROUNDING
        p[index] = share_of_shuffles(
            lambda batch: strata.deviation(strata.permuted(random, len(batch))) >= observed,
            max_permutations,
            ENOUGH_REACHED,
            seeds,
        )

    run_blocks(test, range(len(columns)), source.n_jobs, phase("testing"))
    return p, columns[~is_tested]


@cites("Berrett, Wang, Barber, Samworth 2020")
@dataclass(frozen=True)
class ConditionalStopping(TreeStopping):
    r"""Take the columns on which the class depends given all others, by permutations within the strata of a tree.

    Under the tree of :func:`bitsieve.chow_liu_tree` a column depends on all others through its neighbours alone. Each
    is permuted among samples whose neighbours agree (strata z); its table with the class, the strata added up, is
    compared by ``sum_xc (n_xc - sum_z n_xz n_zc / n_z)^2 / V_xc``, V the variance under permutation.
    ``stopping_values_`` are the p, corrected for all columns.

    With ``binning="auto"`` numbers are cut into ``max(3, 0.4 N^(1/3))`` bins of equal frequency, rounded, for N rows:
    bins by the class do not keep the rate.

    Parameters
    ----------
    level : float, default=0.1
        Of the false discovery rate or, with "holm", of the chance that any column is false.
    adjust : {"benjamini-hochberg", "benjamini-yekutieli", "holm"}, default="benjamini-hochberg"
    random_state : int, default=0
        Same seed, same permutations, for any number of threads.

    Notes
    -----
    p is exact under a true tree that is given or was learned on other rows (:func:`bitsieve.conditional_test`); here it
    is learned on the same rows. Cost: all pairs of columns, then O(n / level) permutations of a relevant column, some
    40 of another: they end when 10 reach the data (Besag and Clifford 1991), or after a million: so with n columns a
    list at a level below n / 10^6 has at least n / (10^6 level) columns, or none.

    Examples
    --------
    >>> from bitsieve import ConditionalStopping, ForwardSelector
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", stopping=ConditionalStopping(0.05), binning="quantile").fit(X, y)
    >>> bool((fitted.stopping_values_ <= 0.05).all())
    True
    """

    name: ClassVar[str] = "conditional"
    value_name: ClassVar[str] = "corrected p"
    adjust: str = BENJAMINI_HOCHBERG
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_choice("adjust", self.adjust, ADJUSTMENTS)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    def default_bins(self, n_samples: int) -> int:
        """Few bins, so that many rows agree in the neighbours of a column, made without a look at the class."""
        n_bins: float = 0.4 * n_samples ** (1 / 3)
        return max(3, round(n_bins))

    @property
    def assumes_positive_dependence(self) -> bool:
        return self.adjust == BENJAMINI_HOCHBERG

    def test(self, information: Information, forest: Forest, columns: Columns) -> tuple[Floats, Floats, Columns]:
        """p of ``columns``, p corrected for all of them, and the columns that cannot be tested."""
        max_permutations = self._max_permutations(len(columns))
        p, untested = conditional_p(information, forest, columns, max_permutations, self.random_state)
        return p, adjusted(p, self.adjust), untested

    def _max_permutations(self, n_columns: int) -> int:
        """The largest number of permutations of a column. Refuses a level that none of the columns can reach by it."""
        n_tests = number_of_tests(n_columns, self.adjust)
        max_permutations = min(ceil(2 * n_tests / self.level), MAX_PERMUTATIONS)
        smallest_p = n_tests / (max_permutations + 1)  # corrected, of a column that is taken alone
        if self.adjust != HOLM:
            smallest_p = smallest_p / max(1, n_columns)  # where all columns are taken
        if smallest_p > self.level:
            raise ParameterError(
                "level",
                self.level,
                f"with {MAX_PERMUTATIONS:,} permutations of a column and {n_columns:,} columns give "
                f"{smallest_p:.1g} or more",
                f"cannot be reached by {self.adjust}",
                code="level-out-of-reach",
            )
        return max_permutations

    def rates(self, information: Information, columns: Columns) -> tuple[Forest, Floats, Columns]:
        """The corrected p."""
        forest = spanning_forest(information, columns)
        _, corrected_p, untested = self.test(information, forest, columns)
        return forest, corrected_p, untested
