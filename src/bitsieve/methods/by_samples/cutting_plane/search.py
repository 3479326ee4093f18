"""The outer loop: the cut that is violated most, the problem over all cuts so far, and again (Zhai et al. 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.methods.by_samples.cutting_plane.columns import Columns, Groups, Pairs, Places, vectors_of
from bitsieve.methods.by_samples.cutting_plane.matching import NONE, match, match_exactly
from bitsieve.methods.by_samples.cutting_plane.reduced import FINE, Reduced, ReducedProblem
from bitsieve.methods.by_samples.rows import Samples
from bitsieve.methods.method import ROWS, Method, MethodResult, defaults_of
from bitsieve.utils.arrays import Flags, Floats
from bitsieve.utils.choice import TIE
from bitsieve.utils.lazy import threadpool_limits
from bitsieve.utils.parameters import check_above_zero, check_choice, check_integer, check_number, optional
from bitsieve.utils.progress import phase

TOLERANCE = 1e-4  # relative violation of the next cut below which the loop has converged
MATCHINGS = ("disjoint", "greedy", "exact")


def gdm(
    samples: Samples,
    k: int,
    *,
    tau: float | None = 0.25,
    C: float = 1.0,
    features_per_cut: int | None = None,
    max_cuts: int = 10,
    matching: str = "disjoint",
    n_jobs: int | None = None,
) -> MethodResult:
    """Choose columns of which no two are correlated for a linear classifier; see :class:`bitsieve.GDM`."""
    per_cut = -(-k // 2)
    if features_per_cut is not None:
        per_cut = check_integer("features_per_cut", features_per_cut, 1, k, "the number of features to select")
    phase("reading")
    columns = vectors_of(samples.values(), n_jobs)
    positive = samples.classes[:, None] == (np.arange(samples.n_classes) if samples.n_classes > 2 else [1])
    min_correlation = None if tau is None else 1 - tau - TIE
    settings = Settings(k, per_cut, max_cuts, C, min_correlation, matching)
    solution = search(columns, np.where(positive, 1.0, -1.0), settings)
    if not len(solution.support):
        raise UserError(
            code="no-relation",
            message="no column is correlated with the classes",
            advice="there is nothing for a linear classifier to go by",
        )
    categories = {j: samples.categories(j) for j in solution.support.tolist()}
    categories_of = {j: values for j, values in categories.items() if values is not None}
    return MethodResult(
        solution.support,
        solution.scores,
        extras={**_extras(columns, solution, min_correlation), "_categories": categories_of},
    )


def _extras(columns: Columns, solution: Solution, min_correlation: float | None) -> dict[str, Any]:
    """The groups, and the classifier in units of the columns."""
    support = solution.support
    phase("finding affiliated features")
    groups = Groups([np.empty(0, np.intp)] * len(support), [np.empty(0)] * len(support))
    if min_correlation is not None:
        groups = affiliate(columns, support, solution.cuts, min_correlation)
    weights = solution.weights.T / columns.length[support]
    coef = np.zeros((len(weights), columns.n_features))
    coef[:, support] = weights
    return {
        "groups_": groups.members,
        "correlations_": groups.correlations,
        "coef_": coef,
        "intercept_": -weights @ columns.mean[support],
        "cuts_": solution.cuts,
        "objective_": np.array(solution.objective),
        "duality_gap_": solution.gap,
        "violation_": solution.violation,
        "converged_": solution.converged,
        "matching_gap_": solution.matching_gap,
    }


def check_tau(name: str, value: Any) -> None:
    """Refuse what is no number inside 0 and 1."""
    if not 0 < check_number(name, value, 0, 1, instead="without 0 and 1, or None") < 1:
        raise ParameterError(name, value, "give a number inside 0 and 1, such as 0.25, or None")


@dataclass(frozen=True)
class Settings:
    """What is searched for; a cut that would bring nothing new has twice as many features, the last one all."""

    n_features: int  # support features wanted in all
    per_cut: int
    max_cuts: int
    C: float
    least: float | None  # correlation in absolute value from which two columns exclude each other; None: none do
    matching: str = "greedy"  # or "disjoint", "exact"


class _Cut(NamedTuple):
    """The next cut."""

    columns: Places
    violation: float  # by how much of the objective it exceeds it
    gap: float


def search(columns: Columns, signs: Floats, settings: Settings) -> Solution:
    """Support features of all tasks together; ``signs``, -1 or 1, has the shape (n_samples, n_tasks)."""
    step = phase("cutting")
    with threadpool_limits(1, "blas"):  # a product's bits depend on the number of threads
        solution = Solution(columns, signs, settings)
        while (cut := solution.next_cut()) is not None:
            solution.add(cut)
            step(len(solution.support), settings.n_features)
    return solution


class Solution:
    """The cuts so far, and the weights of the samples that solve the problem over them."""

    def __init__(self, columns: Columns, signs: Floats, settings: Settings) -> None:
        n_samples, n_tasks = signs.shape
        self.columns = columns
        self.signs = signs
        self.settings = settings
        self.budget = min(settings.per_cut, settings.n_features)
        self.alpha = np.full((n_samples, n_tasks), 1.0 / n_samples)
        self.support = np.empty(0, np.intp)  # support features in order of choice
        self.scores = np.empty(0)  # of each in the cut that chose it first: |c_j| / |alpha|, a cosine
        self.cuts: list[Places] = []  # the support features of every cut in order of choice
        self.objective: list[float] = []  # optimum over the cuts after each
        self.gap = 0.0  # largest relative duality gap of those optima
        self.violation = np.inf  # by how much of the objective the next cut exceeds it
        self.matching_gap = float("nan")  # largest relative gap of the cuts, nan where the matching gives none
        self.solved: Reduced | None = None

    @property
    def weights(self) -> Floats:
        """Shape (n_support, n_tasks)."""
        return np.empty((0, self.signs.shape[1])) if self.solved is None else self.solved.weights

    @property
    def converged(self) -> bool:
        """Whether neither the loop nor a problem over its cuts has something left to gain."""
        return self.violation <= TOLERANCE and self.gap <= FINE

    def next_cut(self) -> Places | None:
        """The next cut; None where there is none to add."""
        n_missing = self.settings.n_features - len(self.support)
        n_cuts_left = self.settings.max_cuts - len(self.cuts)
        self.products = self.columns.products(self.signs * self.alpha)
        if n_cuts_left == 1:
            self.budget = self.settings.n_features
        cut = self._match()
        while n_missing and n_cuts_left and not self._adds(cut) and self.budget < self.settings.n_features:
            self.budget = min(2 * self.budget, self.settings.n_features)
            cut = self._match()
        self.violation = max(0.0, cut.violation)
        if not (n_missing and n_cuts_left) or cut.violation <= TOLERANCE or not len(cut.columns):
            return None
        self.matching_gap = float(np.fmax(self.matching_gap, cut.gap))
        return cut.columns

    def _adds(self, cut: _Cut) -> bool:
        """Whether a cut raises the objective and has columns that no cut has had before."""
        return cut.violation > TOLERANCE and bool(np.setdiff1d(cut.columns, self.support).size)

    def add(self, cut: Places) -> None:
        """Solve the problem with one more cut; of its new columns the last are left out where they are too many."""
        new = cut[~np.isin(cut, self.support)][: self.settings.n_features - len(self.support)]
        self.scores = np.append(self.scores, self._cosines(new))
        self.support = chosen = np.append(self.support, new)
        self.cuts.append(cut[np.isin(cut, chosen)])
        members = np.array([np.isin(chosen, cut_columns) for cut_columns in self.cuts])
        share = 1 / len(self.cuts)
        mixture = np.ones(1) if self.solved is None else np.append((1 - share) * self.solved.mixture, share)
        problem = ReducedProblem(self.columns.part(chosen), self.signs, members, self.settings.C)
        self.solved = problem.solve(mixture, self.products[chosen])
        self.alpha = self.solved.alpha
        self.objective.append(self.solved.value)
        self.gap = max(self.gap, self.solved.gap / self.solved.value)

    def _match(self) -> _Cut:
        min_correlation = self.settings.least
        scores = self._cosines(slice(None))
        gap = float("nan")
        if min_correlation is not None and self.settings.matching == "exact":
            columns, gap = match_exactly(self.columns, scores, self.budget, min_correlation)
        else:
            represented = self.support if self.settings.matching == "disjoint" else NONE
            columns = match(self.columns, scores, self.budget, min_correlation, represented)
        ridge = float(np.square(self.alpha).sum()) / (2 * self.settings.C)
        reached = float(np.square(self.products[columns]).sum()) / 2 + ridge
        before = self.objective[-1] if self.objective else 0.0
        return _Cut(columns, reached / before - 1 if before else np.inf, gap)

    def _cosines(self, columns: Places | slice) -> Floats:
        products = self.products[columns]
        length: Floats = np.abs(products[:, 0]) if products.shape[1] == 1 else np.sqrt(np.square(products).sum(axis=1))
        return length / float(np.sqrt(np.square(self.alpha).sum()))


def affiliate(columns: Columns, support: Places, cuts: Sequence[Places], min_correlation: float) -> Groups:
    """The columns that are correlated with a support feature: in each cut with the first such one, united."""
    pairs = columns.correlated(support, min_correlation)
    taken = np.zeros(len(pairs.column), bool)
    for cut in cuts:
        taken |= _first_in(cut, support, pairs, columns.n_features)
    return pairs.groups(np.flatnonzero(taken), len(support))


def _first_in(cut: Places, support: Places, pairs: Pairs, n_features: int) -> Flags:
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


_GDM = Method(
    name="gdm",
    title="Group discovery machine: support features and their groups",
    formula=(
        "min_alpha max_delta sum_j delta_j c_j^2 / 2 + |alpha|^2 / (2C), c_j = sum_i alpha_i y_i f_ij, "
        "no two of delta with |rho| >= 1 - tau"
    ),
    paper="Zhai, Tan, Tsang, Ong 2012",
    inputs="the values themselves: products with the samples' weights, correlations of the best columns",
    cost="O(n d) a cut, n d the stored values of a sparse table",
    seconds=lambda n, d, k: 8e-9 * k * n * d,
    unit="cosine",
    selector="bitsieve.selectors.models:GDM",
    run=gdm,
    required_capabilities=ROWS,
    bins=False,
    rules={
        "tau": optional(check_tau),
        "C": check_above_zero,
        "features_per_cut": optional(partial(check_integer, low=1)),
        "max_cuts": partial(check_integer, low=1),
        "matching": partial(check_choice, choices=MATCHINGS),
    },
)
METHODS = (
    _GDM,
    replace(
        _GDM,
        name="fgm",
        title="Feature generating machine",
        formula="min_alpha max_delta sum_j delta_j c_j^2 / 2 + |alpha|^2 / (2C), c_j = sum_i alpha_i y_i f_ij",
        paper="Tan, Wang, Tsang 2010",
        inputs="the values themselves: products with the samples' weights",
        parameters=defaults_of(gdm, tau=None),
    ),
)
