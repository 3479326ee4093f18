"""Dominant sets of similar columns, and the choice of columns from one set after another.

The columns are divided into dominant sets by a similarity (see :mod:`bitsieve.optimize.dominant_sets`). From each set
in turn, the column is chosen that makes I(S;C) largest together with all columns S chosen before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.by_samples.parzen.joint import JointInformation
from bitsieve.methods.by_samples.parzen.second_order import SecondOrderInformation
from bitsieve.methods.by_samples.parzen.windows import BANDWIDTHS
from bitsieve.methods.by_samples.rows import Samples, standardize
from bitsieve.methods.by_samples.similarities import check_similarity, find_similarity
from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult, constants_last
from bitsieve.optimize.dominant_sets import DYNAMICS, dominant_sets
from bitsieve.utils.arrays import Columns, Floats, Matrix, Progress
from bitsieve.utils.choice import TIE, pick
from bitsieve.utils.memory import check_memory
from bitsieve.utils.parameters import check_above_zero, check_choice, made_by
from bitsieve.utils.progress import phase

INFORMATIONS = ("parzen", "parzen-posterior", "second-order", "binned")


class WholeSetInformation:
    """``I(S + f;C) = I(S;C) + I(f;C|S)``, the samples divided by the joint value of S."""

    def __init__(self, information: Information) -> None:
        self._conditional = information.conditional()  # on S
        self._class_entropy = information.class_entropy
        self._chosen_information = 0.0  # I(S;C)

    def information(self, candidates: Columns) -> Floats:
        return self._chosen_information + self._conditional.conditional_relevance(candidates)

    def add(self, feature: int) -> None:
        self._conditional = self._conditional.refine(feature)
        self._chosen_information = self._class_entropy - self._conditional.class_entropy


# Each of these classes has ``information(candidates)``, which returns I(S + f;C) for each candidate f, and
# ``add(feature)``, which puts a feature into S.
SetInformation = WholeSetInformation | JointInformation | SecondOrderInformation


def choose_from_sets(
    sets: Sequence[Columns], scores: SetInformation, k: int, *, until_negative: bool = False, progress: Progress = None
) -> MethodResult:
    """Choose k features, set by set; fewer if the sets hold fewer. The score of each is its gain in I(S;C).

    Each choice is the member of the set with the largest I(S + f;C). With ``until_negative`` the choice ends before the
    first feature that lowers I(S;C).
    """
    order: list[int] = []
    gains: list[float] = []
    chosen_information = 0.0  # I(S;C)
    for members in sets:
        remaining = members
        while len(remaining) and len(order) < k:
            information = scores.information(remaining)
            index = pick(information)
            gain = float(information[index]) - chosen_information
            if until_negative and order and gain < -TIE:
                return MethodResult(np.array(order, np.intp), np.array(gains))
            order.append(int(remaining[index]))
            gains.append(gain)
            chosen_information = float(information[index])
            scores.add(order[-1])
            remaining = np.delete(remaining, index)
            if progress is not None:
                progress(len(order), k)
    return MethodResult(np.array(order, np.intp), np.array(gains))


def dominant_set_mii(
    samples: Samples,
    k: int | None,
    *,
    similarity: Any = "auto",
    information: str = "parzen",
    bandwidth: str | float = "scott",
    dynamics: str = "infection",
    memory: int | str | None = None,
    n_jobs: int | None = None,
) -> MethodResult:
    """Choose columns from dominant sets of similar ones; see :class:`bitsieve.DominantSetMII`."""
    varies = samples.rows().varies
    varying = np.flatnonzero(varies)
    n_selected = samples.n_features if k is None else k
    if not len(varying):
        no_sets = {
            "groups_": [np.empty(0, np.intp)] * n_selected,
            "sets_": [],
            "cohesiveness_": np.empty(0),
            "similarity_": "none",
        }
        return MethodResult(np.arange(n_selected), np.zeros(n_selected), extras=no_sets)
    scores = _information(samples, information, bandwidth, n_jobs)
    similarities, kind = find_similarity(samples, similarity, bandwidth, check_memory(memory), n_jobs)
    sets_with_weights = dominant_sets(similarities, DYNAMICS[dynamics], phase("dominant sets"))
    sets = [dominant_set.members for dominant_set in sets_with_weights]  # indices into the columns that vary
    chosen = choose_from_sets(sets, scores, n_selected, until_negative=k is None, progress=phase("ranking"))
    order = varying[chosen.order]
    gains = chosen.scores
    if k is not None and len(order) < k:
        order = constants_last(order, varies)[:k]
        gains = np.concatenate([gains, np.zeros(k - len(gains))])
    sets_of_columns = [varying[members] for members in sets]
    attributes = {
        "groups_": _other_members(order, sets_of_columns),
        "sets_": sets_of_columns,
        "cohesiveness_": np.array([dominant_set.cohesiveness for dominant_set in sets_with_weights]),
        "similarity_": kind,
    }
    return MethodResult(order, gains, extras=attributes)


def _other_members(columns: Columns, sets: Sequence[Columns]) -> list[Columns]:
    """The other columns of the set that each of ``columns`` belongs to; empty for a column in no set."""
    set_of_column: dict[int, Columns] = {}
    for members in sets:
        set_of_column.update(dict.fromkeys(members.tolist(), members))
    others = []
    for column in columns.tolist():
        members = set_of_column.get(column, np.empty(0, np.intp))
        others.append(members[members != column])
    return others


def _information(samples: Samples, kind: str, bandwidth: str | float, n_jobs: int | None) -> SetInformation:
    """I(S + f;C) of the columns that vary, which are numbered among themselves."""
    if kind == "binned":
        return WholeSetInformation(samples.counted("binned"))
    by_class = np.argsort(samples.classes, kind="stable")
    numbers, varies = samples.numbers(f" with information={kind!r}")
    values = np.ascontiguousarray(standardize(numbers[:, varies])[:, by_class])
    sizes = np.bincount(samples.classes, minlength=samples.n_classes)
    if kind == "second-order":
        return SecondOrderInformation(values, sizes, bandwidth, n_jobs)
    return JointInformation(values, sizes, bandwidth, n_jobs, posterior=kind == "parzen-posterior")


class Clusters(NamedTuple):
    """Groups of columns in the order in which they were found, and the column that represents each."""

    groups: list[Columns]  # constant columns are one group, the last
    selected: Columns  # the representatives; constant columns have one only if all columns are constant
    weights: Floats  # of every column in its group
    cohesiveness: Floats
    kind: str  # of similarity
    matrix: Matrix | None  # the similarities of all columns; None where the memory did not hold them


def dominant_set_clusters(
    samples: Samples, similarity: Any, bandwidth: str | float, dynamics: str, memory: int | None, n_jobs: int | None
) -> Clusters:
    """Group columns that are similar to each other; see :class:`bitsieve.DominantSetClusters`."""
    varies = samples.rows().varies
    varying = np.flatnonzero(varies)
    constant = np.flatnonzero(~varies)
    weights = np.zeros(samples.n_features)
    groups: list[Columns] = []
    cohesiveness: list[float] = []
    matrix = None
    kind = "none"
    if len(varying):
        similarities, kind = find_similarity(samples, similarity, bandwidth, memory, n_jobs)
        for dominant_set in dominant_sets(similarities, DYNAMICS[dynamics], phase("dominant sets")):
            groups.append(varying[dominant_set.members])
            weights[groups[-1]] = dominant_set.weights
            cohesiveness.append(dominant_set.cohesiveness)
        matrix = similarities.matrix
        if matrix is not None and len(constant):
            matrix = np.zeros((samples.n_features, samples.n_features), matrix.dtype)
            matrix[np.ix_(varying, varying)] = similarities.matrix
    selected = [int(group[pick(weights[group])]) for group in groups] or [0]
    if len(constant):
        weights[constant] = 1 / len(constant)
        groups.append(constant)
        cohesiveness.append(0.0)
    return Clusters(groups, np.array(selected, np.intp), weights, np.array(cohesiveness), kind, matrix)


METHODS = (
    Method(
        name="dominant-set-mii",
        title="Multidimensional interaction information in dominant sets",
        formula="max I(XS,Xi;C), one dominant set after another of W_ij = 2 I(Xi;Xj) / (H(Xi) + H(Xj))",
        paper="Zhang, Hancock 2011",
        inputs="the values themselves: similarities of all pairs of features; n x n numbers",
        cost="O(n^2 d + k m d^2) for sets of m features, n^2 numbers",
        seconds=lambda n, d, k: n * n * (1.5e-6 + 7e-8 * d + 6e-8 * k) + 8e-9 * k * d * d,
        selector="bitsieve.selectors.dominant_sets:DominantSetMII",
        run=dominant_set_mii,
        published={"dynamics": "replicator"},
        why_default=(
            "infection finds the exact support of a maximum, replicator only weights above 1e-5; in 63 comparisons the "
            "first set differed in 2"
        ),
        required_capabilities=DENSE_ROWS,
        bins=False,
        ends_with=("auto",),
        rules={
            "similarity": check_similarity,
            "information": partial(check_choice, choices=INFORMATIONS),
            "bandwidth": partial(check_above_zero, rules=BANDWIDTHS),
            "dynamics": partial(check_choice, choices=tuple(DYNAMICS)),
            "memory": made_by(check_memory),
        },
    ),
)
