"""Conditional permutation tests: which columns the class depends on given their neighbours in a tree."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import conditioning, refined
from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import ParameterError
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.dependent.forest import Forest, spanning_forest
from bitsieve.methods.by_counts.dependent.permuted_strata import PermutedStrata
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
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import check_choice, check_integer, check_level
from bitsieve.utils.progress import phase

MAX_PERMUTATIONS = 10**6  # of a column: p are 1e-6 at least
ROUNDING = 1 - 1e-12  # relative: statistics of equal tables may differ by the rounding of sums


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
        strata = PermutedStrata.of_table(table)
        if strata is None:
            return
        is_tested[index] = True
        if source.search is None:
            p[index] = _p_by_permutations(strata, column, max_permutations, random_state)
            return
        entropy_terms = information.conditional().entropy_terms
        search = RepeatedSearch(source.search, neighbours.tolist(), np.array([column]), entropy_terms, n_jobs=1)
        p[index] = _p_by_new_cuts(search, column, max_permutations, random_state)

    run_blocks(test, range(len(columns)), source.n_jobs, phase("testing"))
    return p, columns[~is_tested]


def _p_by_permutations(strata: PermutedStrata, column: int, max_permutations: int, random_state: int) -> float:
    """The share of permutations of the codes within the strata whose table deviates at least as much."""
    seeds = np.random.default_rng([random_state, column, 0])
    random = np.random.default_rng([random_state, column, 1])
    observed = float(strata.deviation(strata.observed[None])[0]) * ROUNDING

    def reaches(batch: NDArray[np.uint64]) -> Flags:
        return strata.deviation(strata.permuted(random, len(batch))) >= observed

    return share_of_shuffles(reaches, max_permutations, ENOUGH_REACHED, seeds)


def _p_by_new_cuts(search: RepeatedSearch, column: int, max_permutations: int, random_state: int) -> float:
    """The same of a column that was cut by the class: the classes are shuffled, and the column is cut again."""
    seeds = np.random.default_rng([random_state, column, 0])
    return share_of_shuffles(search.reached(column), max_permutations, ENOUGH_REACHED, seeds)


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
