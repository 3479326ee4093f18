"""FCBF, the fast correlation-based filter: relevant features, without those that a better feature makes redundant.

Features are chosen by falling ``SU(Xi;C)``, the symmetric uncertainty with the class. A chosen feature p removes every
remaining feature i with ``SU(Xp;Xi) >= SU(Xi;C)``: that limit is called the level of i.
"""

from __future__ import annotations

from functools import partial
from math import log

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.information.evidence import (
    are_informative_alone,
    columns_that_may_pass,
    log_codings,
    n_columns_tried,
)
from bitsieve.information.protocol import (
    DisjointPairs,
    Information,
    PairInformation,
    class_uncertainty,
    pair_uncertainty,
)
from bitsieve.information.within_strata import PlugInWithinStrata
from bitsieve.methods.by_counts.stopping.significance import are_informative_within_strata
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
    """The remaining features of sparse columns, most pairs of which have disjoint support.

    In no sample are both columns of such a pair different from 0. Columns of one equivalence class that have disjoint
    support with the chosen feature all share the same information with it. So the chosen feature is compared once with
    each equivalence class, and one by one with the columns that co-occur with it.
    """

    def __init__(self, information: Information, order: Columns, levels: Floats, disjoint: DisjointPairs) -> None:
        super().__init__(information, order, levels)
        self.disjoint = disjoint
        self.next = 0  # the index in ``left`` before which no feature remains
        self.n_remaining = len(order)
        self.remains = np.zeros(information.n_features, bool)
        self.remains[order] = True
        self.co_occurs = np.zeros(information.n_features, bool)  # with the chosen feature; all False between choices

        equivalence_class = disjoint.support.equivalence  # by column
        n_classes = len(disjoint.support.representatives)
        by_class = np.lexsort((levels[order], equivalence_class[order]))
        self.members = order[by_class]  # by equivalence class, then by level
        self.member_levels = levels[self.members]
        offsets = np.searchsorted(equivalence_class[self.members], np.arange(n_classes + 1))
        # By equivalence class: the members that may remain are those from ``start`` to ``stop``.
        self.start = offsets[:-1].copy()
        self.stop = offsets[1:]
        self.lowest_level = np.full(n_classes, np.inf)
        has_members = self.start < self.stop
        self.lowest_level[has_members] = self.member_levels[self.start[has_members]]

    @property
    def n_left(self) -> int:
        return self.n_remaining

    def choose(self) -> tuple[int, Columns]:
        while not self.remains[self.left[self.next]]:
            self.next += 1
        feature = int(self.left[self.next])
        self.remains[feature] = False
        self.n_remaining -= 1
        co_occurring = self.disjoint.co_occurring(feature, self.n_remaining)
        if co_occurring is None:
            self.left = self.left[self.remains[self.left]]
            self.next = 0
            removed = np.sort(self.left[self._is_removed(feature, self.left)])
        else:
            columns, pair = co_occurring
            removed = self._removed_by_class(feature, columns, pair)
        self.remains[removed] = False
        self.n_remaining -= len(removed)
        return feature, removed

    def _removed_by_class(self, feature: int, co_occurring: Columns, pair: PairInformation) -> Columns:
        """The features that the chosen one removes: co-occurring ones one by one, the others by equivalence class."""
        reaches_level = pair_uncertainty(pair) >= self.levels[co_occurring]
        removed = [co_occurring[self.remains[co_occurring] & reaches_level]]
        self.remains[removed[0]] = False
        self.co_occurs[co_occurring] = True
        uncertainty_by_class = pair_uncertainty(self.disjoint.by_equivalence(feature))
        for equivalence_class in np.flatnonzero(self.lowest_level <= uncertainty_by_class).tolist():
            removed.append(self._remove_lowest(equivalence_class, float(uncertainty_by_class[equivalence_class])))
        self.co_occurs[co_occurring] = False
        return np.sort(np.concatenate(removed))

    def _remove_lowest(self, equivalence_class: int, uncertainty: float) -> Columns:
        """Remove the members of a class whose level is at most ``uncertainty``, but for those that co-occur."""
        start = self.start[equivalence_class]
        stop = self.stop[equivalence_class]
        n_reached = np.searchsorted(self.member_levels[start:stop], uncertainty, side="right")
        reached = self.members[start : start + n_reached]
        removed = reached[self.remains[reached] & ~self.co_occurs[reached]]
        self.remains[removed] = False
        positions_left = np.flatnonzero(self.remains[reached])
        start = start + positions_left[0] if len(positions_left) else start + n_reached
        while start < stop and not self.remains[self.members[start]]:
            start += 1
        self.start[equivalence_class] = start
        self.lowest_level[equivalence_class] = self.member_levels[start] if start < stop else np.inf
        return removed


def _are_relevant(information: Information, with_class: Floats, delta: float | None, slack: float) -> Flags:
    """Whether the SU of each feature with the class reaches ``delta``; if that is None, whether it is significant.

    The test is valid for independent samples. Samples in groups are not independent: for them None means 0.0.
    """
    search = information.source.search
    is_grouped = search is not None and search.exchangeable_units is not None
    if delta is None and not is_grouped:
        if isinstance(information, PlugInWithinStrata):
            return _are_significant_within_strata(information)
        return are_informative_alone(information, LEVEL)
    threshold = 0.0 if delta is None else delta
    return with_class >= threshold + slack


def _are_significant_within_strata(information: PlugInWithinStrata) -> Flags:
    """Whether the information of each feature within the strata is significant."""
    n_tried = n_columns_tried(information)
    columns = columns_that_may_pass(information, log(LEVEL / n_tried))
    penalty = log_codings(information.source, columns)
    is_significant = np.zeros(information.n_features, bool)
    is_significant[columns] = are_informative_within_strata(information, columns, penalty, n_tried, LEVEL)
    return is_significant


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
        takes_strata=True,
        ends_with=(None, "auto"),
        published={"delta": 0.0},
        why_default="with delta=0.0 it takes columns in every table of noise",
        rules={"delta": optional(partial(check_number, low=0, high=1)), "strict": check_flag},
    ),
)
