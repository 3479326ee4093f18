"""The cutting-plane method of Zhai et al. 2012 for support features.

A cut is a set of columns of which no two are correlated. The method alternates between two steps: find the cut that
violates the current solution most, and solve the problem over all cuts found so far, which gives new weights of the
samples. The columns of all cuts are the selected ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.methods.by_samples.cutting_plane.columns import ColumnVectors, Groups, Indices, Pairs, column_vectors
from bitsieve.methods.by_samples.cutting_plane.matching import NO_COLUMNS, match, match_exactly
from bitsieve.methods.by_samples.cutting_plane.reduced import FINE, ReducedOptimum, ReducedProblem
from bitsieve.methods.by_samples.rows import Samples
from bitsieve.methods.method import ROWS, Method, MethodResult, defaults_of
from bitsieve.utils.arrays import Flags, Floats, Values
from bitsieve.utils.choice import TIE
from bitsieve.utils.libraries import threadpool_limits
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
    columns = column_vectors(samples.values(), n_jobs)
    positive_classes = np.arange(samples.n_classes) if samples.n_classes > 2 else np.array([1])  # one of each task
    is_positive = samples.classes[:, None] == positive_classes
    min_correlation = None if tau is None else 1 - tau - TIE
    settings = Settings(
        n_features=k,
        per_cut=per_cut,
        max_cuts=max_cuts,
        C=C,
        min_correlation=min_correlation,
        matching=matching,
    )
    solution = search(columns, np.where(is_positive, 1.0, -1.0), settings)
    if not len(solution.support):
        raise UserError(
            code="no-relation",
            message="no column is correlated with the classes, so a linear classifier cannot rank them",
        )
    attributes = _fitted_attributes(columns, solution, min_correlation)
    attributes["_categories"] = _categories_of_columns(samples, solution.support)
    return MethodResult(solution.support, solution.scores, extras=attributes)


def _categories_of_columns(samples: Samples, columns: Indices) -> dict[int, Values]:
    """The categories of each of the columns that has any."""
    categories = {}
    for column in columns.tolist():
        categorical = samples.categorical(column)
        if categorical is not None:
            categories[column] = categorical.categories
    return categories


def _fitted_attributes(columns: ColumnVectors, solution: Solution, min_correlation: float | None) -> dict[str, Any]:
    """The fitted attributes: the groups, the classifier in the units of the columns, and how the method ended."""
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
    """Raise ParameterError unless it is a number inside 0 and 1."""
    if not 0 < check_number(name, value, 0, 1, instead="without 0 and 1, or None") < 1:
        raise ParameterError(name, value, "give a number inside 0 and 1, such as 0.25, or None")


@dataclass(frozen=True)
class Settings:
    """The settings of a search."""

    n_features: int  # support features to find in all cuts together
    per_cut: int  # features of a cut; doubled while a cut would bring no new ones, and all for the last cut
    max_cuts: int
    C: float
    min_correlation: float | None  # two columns of at least this |correlation| exclude each other; None: none do
    matching: str = "greedy"  # or "disjoint", "exact"


class _Cut(NamedTuple):
    """A set of columns that may be the next cut."""

    columns: Indices
    violation: float  # by what share of the objective its value is above it
    gap: float  # relative, to the best set of columns; nan where the matching does not say


def search(columns: ColumnVectors, signs: Floats, settings: Settings) -> Solution:
    """Support features of all tasks together; ``signs``, -1 or 1, has the shape (n_samples, n_tasks)."""
    progress = phase("cutting")
    with threadpool_limits(1, "blas"):  # a product's bits depend on the number of threads
        solution = Solution(columns, signs, settings)
        cut = solution.next_cut()
        while cut is not None:
            solution.add(cut)
            progress(len(solution.support), settings.n_features)
            cut = solution.next_cut()
    return solution


class Solution:
    """The cuts so far, and the weights of the samples that solve the problem over them."""

    def __init__(self, columns: ColumnVectors, signs: Floats, settings: Settings) -> None:
        n_samples, n_tasks = signs.shape
        self.columns = columns
        self.signs = signs
        self.settings = settings
        self.budget = min(settings.per_cut, settings.n_features)
        self.alpha = np.full((n_samples, n_tasks), 1.0 / n_samples)
        self.support = np.empty(0, np.intp)  # support features in order of choice
        self.scores = np.empty(0)  # |c_j| / |alpha|, a cosine, of each support feature when it was chosen
        self.cuts: list[Indices] = []  # the support features of every cut in order of choice
        self.objective: list[float] = []  # the optimum over all cuts so far, after each cut
        self.gap = 0.0  # the largest relative duality gap of those optima
        self.violation = np.inf  # of the next cut
        self.matching_gap = float("nan")  # the largest relative gap of the cuts; nan where the matching gives none
        self.solved: ReducedOptimum | None = None

    @property
    def weights(self) -> Floats:
        """The weights of the support features in each task, shape (n_support, n_tasks)."""
        if self.solved is None:
            return np.empty((0, self.signs.shape[1]))
        return self.solved.weights

    @property
    def converged(self) -> bool:
        """Whether no further cut is violated, and every problem over the cuts was solved to its tolerance."""
        return self.violation <= TOLERANCE and self.gap <= FINE

    def next_cut(self) -> Indices | None:
        """The columns of the next cut; None where there is none to add."""
        n_missing = self.settings.n_features - len(self.support)
        n_cuts_left = self.settings.max_cuts - len(self.cuts)
        can_add = n_missing > 0 and n_cuts_left > 0
        self.products = self.columns.products(self.signs * self.alpha)
        if n_cuts_left == 1:
            self.budget = self.settings.n_features
        cut = self._match()
        while can_add and not self._brings_new_columns(cut) and self.budget < self.settings.n_features:
            self.budget = min(2 * self.budget, self.settings.n_features)
            cut = self._match()
        self.violation = max(0.0, cut.violation)
        if not can_add or cut.violation <= TOLERANCE or not len(cut.columns):
            return None
        self.matching_gap = float(np.fmax(self.matching_gap, cut.gap))
        return cut.columns

    def _brings_new_columns(self, cut: _Cut) -> bool:
        """Whether a cut raises the objective, and has columns that are no support features yet."""
        return cut.violation > TOLERANCE and bool(np.setdiff1d(cut.columns, self.support).size)

    def add(self, cut: Indices) -> None:
        """Solve the problem with one more cut; if it has too many new columns, the last are left out."""
        n_missing = self.settings.n_features - len(self.support)
        new = cut[~np.isin(cut, self.support)][:n_missing]
        self.scores = np.append(self.scores, self._cosines(new))
        self.support = np.append(self.support, new)
        self.cuts.append(cut[np.isin(cut, self.support)])
        members = np.array([np.isin(self.support, columns_of_cut) for columns_of_cut in self.cuts])
        share = 1 / len(self.cuts)  # the weight of the new cut at first
        mixture = np.ones(1)
        if self.solved is not None:
            mixture = np.append((1 - share) * self.solved.mixture, share)
        problem = ReducedProblem(self.columns.subset(self.support), self.signs, members, self.settings.C)
        self.solved = problem.solve(mixture, self.products[self.support])
        self.alpha = self.solved.alpha
        self.objective.append(self.solved.value)
        self.gap = max(self.gap, self.solved.gap / self.solved.value)

    def _match(self) -> _Cut:
        """The best set of at most ``budget`` columns for the current weights of the samples."""
        min_correlation = self.settings.min_correlation
        scores = self._cosines(slice(None))
        gap = float("nan")
        if min_correlation is not None and self.settings.matching == "exact":
            columns, gap = match_exactly(self.columns, scores, self.budget, min_correlation)
        else:
            represented = self.support if self.settings.matching == "disjoint" else NO_COLUMNS
            columns = match(self.columns, scores, self.budget, min_correlation, represented)
        ridge = float(np.square(self.alpha).sum()) / (2 * self.settings.C)
        value = float(np.square(self.products[columns]).sum()) / 2 + ridge
        objective = self.objective[-1] if self.objective else 0.0
        violation = value / objective - 1 if objective else np.inf
        return _Cut(columns, violation, gap)

    def _cosines(self, columns: Indices | slice) -> Floats:
        """``|c_j| / |alpha|``, the length over all tasks."""
        products = self.products[columns]
        alpha_length = float(np.sqrt(np.square(self.alpha).sum()))
        if products.shape[1] == 1:
            return np.asarray(np.abs(products[:, 0]) / alpha_length)
        return np.asarray(np.sqrt(np.square(products).sum(axis=1)) / alpha_length)


def affiliate(columns: ColumnVectors, support: Indices, cuts: Sequence[Indices], min_correlation: float) -> Groups:
    """The group of every support feature: the columns that it represents in some cut.

    In each cut, a column outside the cut is represented by the first support feature that it is correlated with.
    """
    pairs = columns.correlated(support, min_correlation)
    is_in_group = np.zeros(len(pairs.column), bool)
    for cut in cuts:
        is_in_group |= _represented_in(cut, support, pairs, columns.n_features)
    return pairs.groups(np.flatnonzero(is_in_group), len(support))


def _represented_in(cut: Indices, support: Indices, pairs: Pairs, n_features: int) -> Flags:
    """Of each pair of correlated columns, whether the support feature represents the other column in this cut."""
    outside = len(cut)
    position_in_cut = np.full(n_features, outside, np.intp)
    position_in_cut[cut] = np.arange(len(cut))
    position_of_support = position_in_cut[support][pairs.chosen]
    is_candidate = (position_of_support < outside) & (position_in_cut[pairs.column] == outside)
    candidates = np.flatnonzero(is_candidate)
    # Sort by column, then by the position of the support feature: the first pair of each column counts.
    order = candidates[np.lexsort((position_of_support[candidates], pairs.column[candidates]))]
    is_first = np.ones(len(order), bool)
    is_first[1:] = pairs.column[order][1:] != pairs.column[order][:-1]
    is_represented = np.zeros(len(pairs.column), bool)
    is_represented[order[is_first]] = True
    return is_represented


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
    published={"matching": "greedy"},
    why_default=(
        "support features of different cuts are not correlated either, so that no column is in two groups; the "
        "accuracies with 50 columns were the same, 95.9 % on breast cancer and 79.4 % on synthetic groups"
    ),
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
        published={},
        why_default="",
    ),
)
