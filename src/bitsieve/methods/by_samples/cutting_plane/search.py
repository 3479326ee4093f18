"""The outer loop: find the cut that is violated most, solve the problem over the cuts found so far, and again.

Y. Zhai, M. Tan, I. Tsang, Y. S. Ong, "Discovering support and affiliated features from very high dimensions", ICML
2012, algorithm 1. doi:10.48550/arXiv.1206.6477
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from bitsieve.common.progress import phase
from bitsieve.methods.by_samples.cutting_plane.matching import NONE, match, match_exactly
from bitsieve.methods.by_samples.cutting_plane.reduced import FINE, Reduced, ReducedProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bitsieve.methods.by_samples.cutting_plane.columns import Columns, Groups, Pairs

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]

TOLERANCE = 1e-4  # relative violation of the next cut below which the loop has converged


@dataclass(frozen=True)
class Settings:
    """What is searched for.

    A cut has ``per_cut`` support features: twice as many where it would not raise the objective or bring a new one, and
    all ``n_features`` in the last cut allowed.
    """

    n_features: int  # support features wanted in all
    per_cut: int
    max_cuts: int
    C: float
    least: float | None  # correlation in absolute value from which two columns exclude each other; None: none do
    matching: str = "greedy"  # or "disjoint", "exact"


class Solution(NamedTuple):
    """The outcome of a search."""

    support: Integers  # support features in order of choice
    scores: Floats  # of each in the cut that chose it first: |c_j| / |alpha|, a cosine
    cuts: list[Integers]  # the support features of every cut in order of choice
    weights: Floats  # shape (n_support, n_tasks)
    objective: list[float]  # optimum over the cuts after each
    gap: float  # largest relative duality gap of those optima
    violation: float  # by how much of the objective the next cut exceeds it
    matching_gap: float  # largest relative gap of the cuts, nan where the matching gives none

    @property
    def converged(self) -> bool:
        """Whether neither the loop nor a problem over its cuts has something left to gain."""
        return self.violation <= TOLERANCE and self.gap <= FINE


class _Cut(NamedTuple):
    """The next cut."""

    columns: Integers
    violation: float  # by how much of the objective it exceeds it
    gap: float


def search(columns: Columns, signs: Floats, settings: Settings) -> Solution:
    """Support features of all tasks together; ``signs``, -1 or 1, has the shape (n_samples, n_tasks).

    Cost: a pass over the table for each cut; T cuts of B features need the correlations of their candidates and some
    dozens of products with n_samples x (at most T B) numbers.
    """
    step = phase("cutting")
    with threadpool_limits(1, "blas"):  # a product's bits depend on the number of threads
        loop = _Loop(columns, signs, settings)
        while (cut := loop.next_cut()) is not None:
            loop.add(cut)
            step(len(loop.support), settings.n_features)
    return loop.solution()


class _Loop:
    """The cuts so far, and the weights of the samples that solve the problem over them."""

    def __init__(self, columns: Columns, signs: Floats, settings: Settings) -> None:
        n_samples, n_tasks = signs.shape
        self.columns = columns
        self.signs = signs
        self.settings = settings
        self.budget = min(settings.per_cut, settings.n_features)
        self.alpha = np.full((n_samples, n_tasks), 1.0 / n_samples)
        self.support: list[int] = []
        self.scores: list[float] = []
        self.cuts: list[Integers] = []
        self.gaps = [0.0]
        self.matching_gaps: list[float] = []
        self.objective: list[float] = []
        self.solved: Reduced | None = None
        self.violation = np.inf

    def next_cut(self) -> Integers | None:
        """The next cut; None where there is none to add."""
        wanted, left = self.settings.n_features - len(self.support), self.settings.max_cuts - len(self.cuts)
        self.products = self.columns.products(self.signs * self.alpha)
        if left == 1:
            self.budget = self.settings.n_features
        cut = self._match()
        while wanted and left and not self._adds(cut) and self.budget < self.settings.n_features:
            self.budget = min(2 * self.budget, self.settings.n_features)
            cut = self._match()
        self.violation = max(0.0, cut.violation)
        if not (wanted and left) or cut.violation <= TOLERANCE or not len(cut.columns):
            return None
        self.matching_gaps.append(cut.gap)
        return cut.columns

    def _adds(self, cut: _Cut) -> bool:
        """Whether a cut raises the objective and has columns that no cut has had before."""
        return cut.violation > TOLERANCE and bool(np.setdiff1d(cut.columns, self.support).size)

    def add(self, cut: Integers) -> None:
        """Solve the problem with one more cut; of its new columns the last are left out where they are too many."""
        known = set(self.support)
        new = [j for j in cut.tolist() if j not in known][: self.settings.n_features - len(self.support)]
        self.support += new
        self.scores += self._cosines(np.array(new, np.intp)).tolist()
        known.update(new)
        self.cuts.append(np.array([j for j in cut.tolist() if j in known], np.intp))
        chosen = np.array(self.support, np.intp)
        members = np.array([np.isin(chosen, one) for one in self.cuts])
        share = 1 / len(self.cuts)
        mixture = np.ones(1) if self.solved is None else np.append((1 - share) * self.solved.mixture, share)
        problem = ReducedProblem(self.columns.part(chosen), self.signs, members, self.settings.C)
        self.solved = problem.solve(mixture, self.products[chosen])
        self.alpha = self.solved.alpha
        self.objective.append(self.solved.value)
        self.gaps.append(self.solved.gap / self.solved.value)

    def solution(self) -> Solution:
        """What is known at the end."""
        weights = np.empty((0, self.signs.shape[1])) if self.solved is None else self.solved.weights
        return Solution(
            np.array(self.support, np.intp),
            np.array(self.scores),
            self.cuts,
            weights,
            self.objective,
            max(self.gaps),
            self.violation,
            max(self.matching_gaps, default=float("nan")),
        )

    def _match(self) -> _Cut:
        least, scores = self.settings.least, self._cosines(slice(None))
        gap = float("nan")
        if least is not None and self.settings.matching == "exact":
            columns, gap = match_exactly(self.columns, scores, self.budget, least)
        else:
            represented = np.array(self.support, np.intp) if self.settings.matching == "disjoint" else NONE
            columns = match(self.columns, scores, self.budget, least, represented)
        ridge = float(np.square(self.alpha).sum()) / (2 * self.settings.C)
        reached = float(np.square(self.products[columns]).sum()) / 2 + ridge
        before = self.objective[-1] if self.objective else 0.0
        return _Cut(columns, reached / before - 1 if before else np.inf, gap)

    def _cosines(self, columns: Integers | slice) -> Floats:
        own = self.products[columns]
        length: Floats = np.abs(own[:, 0]) if own.shape[1] == 1 else np.sqrt(np.square(own).sum(axis=1))
        return length / np.sqrt(np.square(self.alpha).sum())


def affiliate(columns: Columns, support: Integers, cuts: Sequence[Integers], least: float) -> Groups:
    """The columns correlated with a support feature, each in the group of one support feature a cut.

    Within a cut a column goes to the first support feature, in order of choice, with which it is correlated by
    ``least`` or more; over the cuts the groups of a support feature are united.

    Cost: the correlations of all support features with all columns, in one pass over the table.
    """
    pairs = columns.correlated(support, least)
    taken = np.zeros(len(pairs.column), bool)
    for cut in cuts:
        taken |= _first_in(cut, support, pairs, columns.n_features)
    return pairs.groups(np.flatnonzero(taken), len(support))


def _first_in(cut: Integers, support: Integers, pairs: Pairs, n_features: int) -> NDArray[np.bool_]:
    """Which pairs put a column, that is none of the cut, into the group of its first support feature in the cut."""
    turn = np.full(n_features, len(cut), np.intp)
    turn[cut] = np.arange(len(cut))
    turns = turn[support][pairs.chosen]
    open_to = np.flatnonzero((turns < len(cut)) & (turn[pairs.column] == len(cut)))
    order = open_to[np.lexsort((turns[open_to], pairs.column[open_to]))]
    first = np.ones(len(order), bool)
    first[1:] = pairs.column[order][1:] != pairs.column[order][:-1]
    result = np.zeros(len(turns), bool)
    result[order[first]] = True
    return result
