"""Lists with a rate of false columns where columns depend on each other: conditional permutations and knockoffs."""

from __future__ import annotations

from abc import abstractmethod
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
from bitsieve.methods.by_counts.dependent.knockoffs import e_values, knockoff_wins
from bitsieve.methods.by_counts.stopping.false_discovery import (
    ADJUSTMENTS,
    HOLM,
    FoundList,
    ListStopping,
    adjusted,
    number_of_tests,
)
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.by_counts.stopping.rules import LAST, share_of_shuffles
from bitsieve.methods.method import INDEPENDENT, ROWS
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import check_choice, check_integer, check_level

MULTIPLE = *ADJUSTMENTS, HOLM
CELLS_AT_ONCE = 1 << 20  # of strata and codes, drawn together
MOST_PERMUTATIONS = 10**6  # of a column: p are 1e-6 at least
SHARE_OF_LEVEL = 0.8  # that the filter of each of several draws has; any share keeps the rate
SAME = 1 - 1e-12  # relative: the rounding of a statistic of equal tables


@dataclass(frozen=True)
class Strata:
    """The samples by stratum, code and class, of strata in which both vary: ``codes`` (Z, K), ``classes`` (Z, C)."""

    codes: Integers
    classes: Integers
    observed: Integers  # (K, C), the strata added up
    expected: Floats
    variance: Floats

    @classmethod
    def of(cls, table: ContingencyTable) -> Strata | None:
        """None where in no stratum both vary."""
        cells, counts = table.occupied()
        stratum, code, label = np.unravel_index(cells, table.shape)
        pairs = [np.unique(np.column_stack([stratum, other]), axis=0)[:, 0] for other in (code, label)]
        varies = np.logical_and(*(np.bincount(pair, minlength=table.shape[0]) > 1 for pair in pairs))
        kept = varies[stratum]
        if not kept.any():
            return None
        stratum, code, label = (np.unique(values[kept], return_inverse=True)[1] for values in (stratum, code, label))
        margins = []
        for rows, columns in ((stratum, code), (stratum, label), (code, label)):
            margins.append(np.zeros((rows.max() + 1, columns.max() + 1), np.int64))
            np.add.at(margins[-1], (rows, columns), counts[kept])
        codes, classes, observed = margins
        size = codes.sum(axis=1, keepdims=True).astype(np.float64)
        expected = np.einsum("zk,zc->kc", codes / size, classes)
        spread = codes * (size - codes) / (size**2 * (size - 1))
        variance = np.einsum("zk,zc->kc", spread, classes * (size - classes))
        return cls(codes, classes, observed, expected, np.maximum(variance, 1e-9))

    def deviation(self, tables: Integers) -> Floats:
        """``sum (n_xc - expected)^2 / variance`` of tables (b, K, C), in the manner of Cochran, Mantel and Haenszel."""
        found: Floats = ((tables - self.expected) ** 2 / self.variance).sum(axis=(1, 2))
        return found

    def permuted(self, random: np.random.Generator, size: int) -> Integers:
        """The tables (b, K, C), strata added up, after permutations of the codes within the strata."""
        (n_strata, n_codes), n_classes = self.codes.shape, self.classes.shape[1]
        out = np.zeros((size, n_codes, n_classes), np.int64)
        step = max(1, CELLS_AT_ONCE // (n_strata * n_codes))
        for first in range(0, size, step):
            some = out[first : first + step]
            left = np.repeat(self.codes[None], len(some), axis=0)
            for label in range(n_classes - 1):
                wanted = np.repeat(self.classes[None, :, label], len(some), axis=0)
                others = left.sum(axis=2)
                for code in range(n_codes - 1):
                    others -= left[:, :, code]
                    taken = random.hypergeometric(left[:, :, code], others, wanted)
                    some[:, code, label] = taken.sum(axis=1)
                    left[:, :, code] -= taken
                    wanted -= taken
                some[:, -1, label] = wanted.sum(axis=1)
                left[:, :, -1] -= wanted
            some[:, :, -1] = left.sum(axis=1)
        return out


def conditional_p(
    information: Information, forest: Forest, columns: Columns, most: int, random_state: int
) -> tuple[Floats, Columns]:
    """p of "the class does not depend on Xj given its neighbours" of columns, and those not tested, whose p is 1."""
    source = conditioning(information.source)
    p, tested = np.ones(len(columns)), np.zeros(len(columns), bool)

    def test(place: int) -> None:
        column = int(columns[place])
        given = forest.neighbours[column]
        seeds, random = (np.random.default_rng([random_state, column, part]) for part in (0, 1))
        (table,) = refined(source.partition(), given).tables(np.array([column]), True)
        strata = Strata.of(table)
        if strata is None:
            return
        tested[place] = True
        if source.search is not None:  # cut by the class: the classes are shuffled within strata, and it is cut again
            tried = np.array([column])
            step = RepeatedSearch(source.search, given.tolist(), tried, information.conditional().terms, 1)
            p[place] = share_of_shuffles(step.reached(column), most, LAST, seeds)
            return
        least = float(strata.deviation(strata.observed[None])[0]) * SAME
        p[place] = share_of_shuffles(
            lambda some: strata.deviation(strata.permuted(random, len(some))) >= least, most, LAST, seeds
        )

    run_blocks(test, range(len(columns)), source.n_jobs)
    return p, columns[~tested]


class TreeStopping(ListStopping):
    """A rule that finds its list by a tree of the columns."""

    concludes: ClassVar[str] = "relevant given all other columns, as far as the tree of the columns describes them"
    requires: ClassVar[frozenset[str]] = INDEPENDENT

    @abstractmethod
    def rates(self, information: Information, columns: Columns) -> tuple[Forest, Floats, Columns]:
        """The tree of ``columns``, the least level at which each is in the list, and those that cannot be tested."""

    def find(self, information: Information, tried: Flags, chosen: list[int]) -> FoundList:
        """The list among the columns tried and chosen, and the neighbours of each in the tree."""
        among = np.flatnonzero(tried & information.varies)
        columns = np.union1d(among, np.array(chosen, np.intp))
        rates = np.full(information.n_features, np.inf)
        forest, rates[columns], untested = self.rates(information, columns)
        order = among[np.argsort(rates[among], kind="stable")]
        return FoundList(order, rates[order], int((rates[order] <= self.level).sum()), forest.neighbours, untested)


@cites("Berrett, Wang, Barber, Samworth 2020")
@dataclass(frozen=True)
class ConditionalStopping(TreeStopping):
    r"""Take the columns on which the class depends given all others, by permutations within the strata of a tree.

    Under the tree of :func:`bitsieve.chow_liu_tree` a column depends on all others through its neighbours alone. Each
    is permuted among samples whose neighbours agree (strata z); its table with the class, the strata added up, is
    compared by ``sum_xc (n_xc - sum_z n_xz n_zc / n_z)^2 / V_xc``, V the variance under permutation.
    ``stopping_values_`` are the p, corrected for all columns.

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
    figure: ClassVar[str] = "corrected p"
    adjust: str = MULTIPLE[0]
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_choice("adjust", self.adjust, MULTIPLE)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    def test(self, information: Information, forest: Forest, columns: Columns) -> tuple[Floats, Floats, Columns]:
        """p of ``columns``, p corrected for all of them, and the columns that cannot be tested."""
        n = len(columns)
        factor = number_of_tests(n, self.adjust)
        most = min(ceil(2 * factor / self.level), MOST_PERMUTATIONS)
        lowest = factor / (most + 1) / (1 if self.adjust == HOLM else max(1, n))
        if lowest > self.level:
            advice = f"with {MOST_PERMUTATIONS:,} permutations of a column and {n:,} columns give {lowest:.1g} or more"
            raise ParameterError("level", self.level, advice, f"cannot be reached by {self.adjust}")
        p, untested = conditional_p(information, forest, columns, most, self.random_state)
        return p, adjusted(p, self.adjust), untested

    def rates(self, information: Information, columns: Columns) -> tuple[Forest, Floats, Columns]:
        """The corrected p."""
        forest = spanning_forest(information, columns)
        return forest, *self.test(information, forest, columns)[1:]


@cites("Sesia, Sabatti, Candès 2019", "Bates, Candès, Janson, Wang 2021", "Ren, Barber 2024")
@dataclass(frozen=True)
class KnockoffStopping(TreeStopping):
    r"""Take the columns that beat knockoffs of themselves: those on which the class depends given all others.

    Knockoffs are drawn from the tree of :func:`bitsieve.chow_liu_tree`, the class is fitted by columns and knockoffs
    together, and ``W_j`` is the gain of a column less that of its knockoff. The k columns of the largest mean over
    draws of ``e_j = n [W_j >= T] / (1 + #{W <= -T})`` are taken, for the largest k of which all reach
    ``n / (k level)``; T is the least with ``(1 + #{W <= -T}) / #{W >= T}`` at most 0.8 level (one draw: level).

    Parameters
    ----------
    level : float, default=0.1
        Of the false discovery rate. A draw takes 1.25 / level columns or more, or none (a single one: 1 / level).
    n_draws : int, default=10
        More draws, less of the list depends on the seed; one is the knockoff+ filter.
    random_state : int, default=0
        Same seed, same knockoffs, for any number of threads.

    Notes
    -----
    Exact where the columns are known to be a tree with known tables; here it is learned on the same rows, with half a
    sample added to every cell. Needs the rows in memory, and bins made without a look at the class. Cost: all pairs of
    columns, then O(n d codes^2) a draw.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, KnockoffStopping
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> rule = KnockoffStopping(n_draws=1)
    >>> fitted = ForwardSelector("auto", criterion="mim", stopping=rule, binning="quantile").fit(X, y)
    >>> len(fitted.selected_), bool((fitted.stopping_values_ <= 0.1).all())
    (55, True)
    """

    name: ClassVar[str] = "knockoffs"
    requires: ClassVar[frozenset[str]] = ROWS | INDEPENDENT
    n_draws: int = 10
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_integer("n_draws", self.n_draws, 1, 10**4)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    @property
    def level_of_a_draw(self) -> float:
        """Of the filter that gives the e-values of one draw."""
        return SHARE_OF_LEVEL * self.level if self.n_draws > 1 else self.level

    @property
    def least_columns(self) -> int:
        """No draw that takes any takes fewer."""
        return ceil(1 / self.level_of_a_draw)

    def rates(self, information: Information, columns: Columns) -> tuple[Forest, Floats, Columns]:
        """``n / (k e)`` of the k-th largest e-value e, at most 1."""
        forest = spanning_forest(information, columns)
        wins = knockoff_wins(information.source, forest, columns, self.n_draws, self.random_state)
        return forest, adjusted(1 / np.maximum(e_values(wins, self.level_of_a_draw), 1), ADJUSTMENTS[0]), columns[:0]

    def reason(self, value: float) -> str:
        """The rate and the level, and how many columns a draw takes at least."""
        return f"{super().reason(value)} (a draw takes {self.least_columns:,} columns or more, or none)"
