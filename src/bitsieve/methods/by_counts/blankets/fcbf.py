"""FCBF, the fast correlation-based filter: relevant features, without those that a better feature makes redundant.

Features are chosen by falling ``SU(Xi;C)``, the symmetric uncertainty with the class. A chosen feature p removes every
remaining feature i with ``SU(Xp;Xi) >= SU(Xi;C)``: that limit is called the level of i.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.information.evidence import are_informative_alone
from bitsieve.information.protocol import (
    DisjointPairs,
    Information,
    PairInformation,
    class_uncertainty,
    pair_uncertainty,
)
from bitsieve.methods.method import Method, MethodResult
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import TIE, rank
from bitsieve.utils.parameters import check_flag, check_number, optional
from bitsieve.utils.progress import phase

LEVEL = 0.05  # of the test by which features are relevant if no threshold is given


def remaining(information: Information, order: Columns, levels: Floats) -> Remaining:
    """The features of ``order``, from which features are chosen and removed; ``levels`` by column."""
    disjoint = information.disjoint_pairs()
    if disjoint is None:
        return Remaining(information, order, levels)
    return RemainingByEquivalence(information, order, levels, disjoint)


class Remaining:
    """The remaining features in their order: the first is chosen, and removes those whose level it reaches."""

    def __init__(self, information: Information, order: Columns, levels: Floats) -> None:
        self.information = information
        self.left = order
        self.levels = levels

    @property
    def n_left(self) -> int:
        """How many features remain."""
        return len(self.left)

    def choose(self) -> tuple[int, Columns]:
        """Choose the first feature; returns it, and the features that it removes, ascending."""
        feature = int(self.left[0])
        others = self.left[1:]
        is_removed = self._is_removed(feature, others)
        self.left = others[~is_removed]
        return feature, np.sort(others[is_removed])

    def _is_removed(self, feature: int, columns: Columns) -> Flags:
        if not len(columns):
            return np.zeros(0, bool)
        return pair_uncertainty(self.information.pair(feature, columns, by_class=False)) >= self.levels[columns]


class RemainingByEquivalence(Remaining):
    """The same for sparse columns, most pairs of which have disjoint support: no sample where both are not 0.

    With a column of disjoint support, the chosen feature shares as much as with every column that is equivalent to it,
    of the same kind. So it is compared once with each kind, and one by one with the columns that co-occur with it.
    """

    def __init__(self, information: Information, order: Columns, levels: Floats, disjoint: DisjointPairs) -> None:
        super().__init__(information, order, levels)
        self.disjoint = disjoint
        self.next = 0
        self.n = len(order)
        kind = disjoint.support.equivalence
        of_kind = disjoint.support.representatives
        self.alive = np.zeros(information.n_features, bool)
        self.alive[order] = True
        self.co_occurs = np.zeros(information.n_features, bool)  # with the chosen feature; all False between choices
        by_kind = np.lexsort((levels[order], kind[order]))
        self.members = order[by_kind]  # by kind, then by level
        self.member_levels = levels[self.members]
        offsets = np.searchsorted(kind[self.members], np.arange(len(of_kind) + 1))
        # The members of each kind that may remain are those from first to end; lowest is the level of the first.
        self.first = offsets[:-1].copy()
        self.end = offsets[1:]
        self.lowest = np.full(len(self.first), np.inf)
        has_members = self.first < self.end
        self.lowest[has_members] = self.member_levels[self.first[has_members]]

    @property
    def n_left(self) -> int:
        return self.n

    def choose(self) -> tuple[int, Columns]:
        while not self.alive[self.left[self.next]]:
            self.next += 1
        feature = int(self.left[self.next])
        self.alive[feature] = False
        self.n -= 1
        co_occurring = self.disjoint.co_occurring(feature, self.n)
        if co_occurring is None:
            self.left = self.left[self.alive[self.left]]
            self.next = 0
            removed = np.sort(self.left[self._is_removed(feature, self.left)])
        else:
            removed = self._removed_by_kind(feature, *co_occurring)
        self.alive[removed] = False
        self.n -= len(removed)
        return feature, removed

    def _removed_by_kind(self, feature: int, co_occurring: Columns, pair: PairInformation) -> Columns:
        reaches_level = pair_uncertainty(pair) >= self.levels[co_occurring]
        removed = [co_occurring[self.alive[co_occurring] & reaches_level]]
        self.alive[removed[0]] = False
        self.co_occurs[co_occurring] = True
        uncertainty_by_kind = pair_uncertainty(self.disjoint.by_equivalence(feature))
        for kind in np.flatnonzero(self.lowest <= uncertainty_by_kind).tolist():
            removed.append(self._remove_lowest(kind, float(uncertainty_by_kind[kind])))
        self.co_occurs[co_occurring] = False
        return np.sort(np.concatenate(removed))

    def _remove_lowest(self, kind: int, uncertainty: float) -> Columns:
        """Remove the members of a kind whose level is at most ``uncertainty``, without those that co-occur."""
        first = self.first[kind]
        end = self.end[kind]
        last = first + np.searchsorted(self.member_levels[first:end], uncertainty, side="right")
        reached = self.members[first:last]
        removed = reached[self.alive[reached] & ~self.co_occurs[reached]]
        self.alive[removed] = False
        is_left = self.alive[reached]
        first = first + is_left.argmax() if is_left.any() else last
        while first < end and not self.alive[self.members[first]]:
            first += 1
        self.first[kind] = first
        self.lowest[kind] = self.member_levels[first] if first < end else np.inf
        return removed


def _are_relevant(information: Information, with_class: Floats, delta: float | None, slack: float) -> Flags:
    """Whether the SU of each feature with the class reaches ``delta``; if that is None, whether it is significant.

    The test is valid for independent samples. Samples in groups are not independent: for them None means 0.0.
    """
    search = information.source.search
    is_grouped = search is not None and search.units is not None
    if delta is None and not is_grouped:
        return are_informative_alone(information, LEVEL)
    threshold = 0.0 if delta is None else delta
    return with_class >= threshold + slack


def _by_falling_uncertainty(information: Information, with_class: Floats, is_relevant: Flags) -> Columns:
    """The relevant features by falling SU with the class; constant ones last."""
    order = rank(with_class)
    order = order[is_relevant[order]]
    varies = information.varies[order]
    return np.concatenate([order[varies], order[~varies]])


def fcbf(information: Information, k: int | None, *, delta: float | None = None, strict: bool = False) -> MethodResult:
    """Keep the predominant features, the first ``k`` of them or all; see :class:`bitsieve.FCBF`.

    The result is empty if no feature is significant. That none reaches a ``delta`` is an error.
    """
    with_class = class_uncertainty(information)
    slack = TIE if strict else -TIE  # what is equal but for rounding counts as equal
    is_relevant = _are_relevant(information, with_class, delta, slack)
    order_of_candidates = _by_falling_uncertainty(information, with_class, is_relevant)
    candidates = remaining(information, order_of_candidates, with_class + slack)
    if not candidates.n_left and delta is not None:
        raise _threshold_too_high(delta, strict, float(with_class.max()))
    n_candidates = candidates.n_left
    progress = phase("ranking")
    order: list[int] = []
    groups: list[Columns] = []
    while candidates.n_left and (k is None or len(order) < k):
        feature, removed = candidates.choose()
        order.append(feature)
        groups.append(removed)
        progress(n_candidates - candidates.n_left, n_candidates)
    return MethodResult(np.array(order, np.intp), with_class[order], extras={"groups_": groups})


def _threshold_too_high(delta: float, strict: bool, largest: float) -> UserError:
    """The error if no feature reaches ``delta``; ``largest`` is the largest SU with the class."""
    relation = "above" if strict else "of at least"
    return UserError(
        code="no-relation",
        message=f"no column has a symmetric uncertainty with the target {relation} delta={delta:g}",
        advice=f"the largest is {largest:.4g}, give a smaller delta",
    )


METHODS = (
    Method(
        name="fcbf",
        title="Fast correlation-based filter",
        formula="SU(Xi;C) of those no better p removes by SU(Xp;Xi) >= SU(Xi;C), SU(X;Y) = 2 I(X;Y) / [H(X) + H(Y)]",
        paper="Yu, Liu 2004",
        inputs="each feature with the class, then each kept feature with those that remain",
        cost="O(k n d)",
        seconds=lambda n, d, k: 5e-10 * k * n * d,
        unit="ratio",
        selector="bitsieve.selectors.pairwise:FCBF",
        run=fcbf,
        ends_with=(None, "auto"),
        published={"delta": 0.0},
        why_default="with delta=0.0 it takes columns in every table of noise",
        rules={"delta": optional(partial(check_number, low=0, high=1)), "strict": check_flag},
    ),
)
