"""Dominant sets of similar columns: the choice among their members by the information of all that are chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.pairwise.matrices import uncertainty_matrix, uncertainty_rows
from bitsieve.methods.by_samples.parzen import BANDWIDTHS, JointInformation, ParzenPairs, SecondOrderInformation
from bitsieve.methods.by_samples.rows import Rows, Samples, centre, standardize
from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult, constants_last
from bitsieve.optimize.dominant_sets import DYNAMICS, Similarity, SimilarityMatrix, SimilarityRows, dominant_sets
from bitsieve.utils.arrays import Columns, Floats, Matrix, Progress
from bitsieve.utils.choice import TIE, pick
from bitsieve.utils.lazy import threadpool_limits
from bitsieve.utils.memory import check_memory
from bitsieve.utils.parameters import check_above_zero, check_choice, made_by
from bitsieve.utils.progress import phase

Step = Callable[[int, int], object]

SIMILARITIES = ("auto", "parzen", "binned", "distinct", "rho", "error")
INFORMATIONS = ("parzen", "parzen-posterior", "second-order", "binned")
REPEATED = 4  # "auto": samples a distinct value, from which values repeat
CODES = 10  # "auto": distinct values up to which a column holds codes
SHARE = 10  # "auto": columns a code, and a quantity, from which both kinds are there
AT_ONCE = 16  # rows in one product


def check_similarity(name: str, value: Any) -> None:
    """Refuse what is neither the name of a kind nor a square array of numbers."""
    if isinstance(value, str) and value in SIMILARITIES:
        return
    shape: tuple[int, ...] = getattr(value, "shape", ())
    if isinstance(value, str) or len(shape) != 2 or shape[0] != shape[1]:
        shown_value = value if isinstance(value, str) or value is None else f"an object of shape {shape}"
        kinds = ", ".join(map(repr, SIMILARITIES))
        raise ParameterError(name, shown_value, f"give one of {kinds}, or a square array, one row a feature")


def find_similarity(
    samples: Samples, kind: Any, bandwidth: str | float, memory: int | None, n_jobs: int | None
) -> tuple[Similarity, str]:
    """The similarity of the varying columns: a matrix where it fits the memory, else rows on demand; and its kind."""
    phase("similarities")
    if not isinstance(kind, str):
        return _given(kind, samples), "given"
    if kind == "auto":
        kind = _fitting(samples.rows())
        bandwidth = "log"
    if kind in ("binned", "distinct"):
        information = samples.counted(kind)
        matrix = partial(uncertainty_matrix, information)
        rows = partial(uncertainty_rows, information)
        return _whole_or_rows(information.n_features, memory, matrix, rows, 1), kind
    numbers, varies = samples.numbers(f" with similarity={kind!r}")
    values = standardize(numbers[:, varies])
    n = int(varies.sum())
    if kind == "parzen":
        pairs = ParzenPairs(values, bandwidth, n_jobs)
        everything = np.arange(n)

        def windows(first: int, last: int) -> Floats:
            return np.stack([pairs.relevance_row(i, everything) for i in range(first, last)])

        return _whole_or_rows(n, memory, pairs.relevance_matrix, windows, 1), kind
    lines = partial(correlation_rows, values) if kind == "rho" else RegressionErrors(numbers[:, varies], values).rows
    return _whole_or_rows(n, memory, partial(_all_rows, lines, n), lines, AT_ONCE), kind


def _all_rows(rows: Callable[[int, int], Floats], n: int, progress: Step) -> Floats:
    out = np.empty((n, n))
    for first in range(0, n, AT_ONCE):
        last = min(first + AT_ONCE, n)
        out[first:last] = rows(first, last)
        progress(last, n)
    return out


def _fitting(rows: Rows) -> str:
    """The kind that fits the columns: "parzen" where few have values that repeat, or codes are beside quantities."""
    numeric = [len(np.unique(column)) for column in rows.numbers.T]
    counts = np.array([count for count in numeric if count > 1] + [2] * len(rows.categorical))
    quantities = int((counts * REPEATED > rows.n_samples).sum())
    codes = int((counts <= CODES).sum())
    mixed = SHARE * min(quantities, codes) >= len(counts)
    return "parzen" if mixed or 2 * quantities > len(counts) else "distinct"


def _whole_or_rows(
    n: int, memory: int | None, matrix: Callable[[Step], Floats], rows: Callable[[int, int], Floats], at_once: int
) -> Similarity:
    """The matrix where it fits the memory, else the rows as they are asked for."""
    if memory is not None and 8 * n * n > memory:
        return SimilarityRows(rows, n, memory, at_once, phase("similarities"))
    try:
        return SimilarityMatrix(matrix(phase("similarities")))
    except MemoryError:
        raise UserError(
            code="not-enough-memory",
            message=f"the similarities of {n:,} features take {8 * n * n / 1e9:.3g} GB, more than there is",
            advice="limit them by {memory} or so",
            fix={"memory": "4GB"},
        ) from None


def _given(similarity: Any, samples: Samples) -> SimilarityMatrix:
    """The similarities of the varying columns, of those given for all."""
    matrix = np.asarray(similarity)
    n = samples.n_features
    if matrix.shape != (n, n):
        raise UserError(
            code="wrong-shape",
            message=f"the similarities given have the shape {matrix.shape}, and the table has {n:,} features",
        )
    varying = np.flatnonzero(samples.rows().varies)
    if len(varying) < n:
        matrix = matrix[np.ix_(varying, varying)]
    if matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    for i, row in enumerate(matrix):  # row by row: no second matrix
        if not np.isfinite(row).all() or row.min() < 0 or not np.array_equal(row, matrix[:, i]):
            raise UserError(
                code="invalid-similarities",
                message="the similarities given must be finite numbers of 0 or more, and those of i, j and j, i equal",
            )
    if np.diagonal(matrix).any():
        matrix = matrix.copy()
        np.fill_diagonal(matrix, 0.0)
    return SimilarityMatrix(matrix)


def correlation_rows(standardized: Floats, first: int, last: int) -> Floats:
    """Rows of |rho|, 0 on the diagonal, of columns that vary, given as rows of mean 0 and standard deviation 1."""
    with threadpool_limits(1):  # a product's bits depend on the number of threads
        out = np.abs(standardized[first:last] @ standardized.T)
    out = np.minimum(out / standardized.shape[1], 1.0)
    out[np.arange(last - first), np.arange(first, last)] = 0.0
    return np.asarray(out)


class RegressionErrors:
    """1 - e / max e of columns that vary: twice the cost of correlations, as the largest e comes first."""

    def __init__(self, numbers: Floats, standardized: Floats) -> None:
        self._standardized = standardized
        values, exponents = centre(numbers)
        # One unit for all, in which the largest variance is near 1: W does not depend on it.
        variances = np.add.reduce(values * values, axis=0) / len(values)
        self._variances = np.ldexp(variances, np.maximum(2 * (exponents - exponents.max()), -1000))
        n = len(self._variances)
        blocks = range(0, n, AT_ONCE)
        self._largest = max((float(self._errors(a, min(a + AT_ONCE, n)).max()) for a in blocks), default=0.0)

    def rows(self, first: int, last: int) -> Floats:
        """Rows of W; 0 on the diagonal."""
        errors = self._errors(first, last)
        out = 1.0 - errors / self._largest if self._largest > 0 else np.ones_like(errors)
        out[np.arange(last - first), np.arange(first, last)] = 0.0
        return out

    def _errors(self, first: int, last: int) -> Floats:
        rho = correlation_rows(self._standardized, first, last)
        rho[np.arange(last - first), np.arange(first, last)] = 1.0
        return np.asarray((self._variances[first:last, None] + self._variances) / 2 * (1.0 - rho * rho))


class WholeSetInformation:
    """``I(S + f;C) = I(S;C) + I(f;C|S)``, the samples divided by the joint value of S."""

    def __init__(self, information: Information) -> None:
        self._given = information.conditional()
        self._class_entropy = information.class_entropy
        self._reached = 0.0

    def information(self, candidates: Columns) -> Floats:
        return self._reached + self._given.conditional_relevance(candidates)

    def add(self, feature: int) -> None:
        self._given = self._given.refine(feature)
        self._reached = self._class_entropy - self._given.class_entropy


# Of S and one more feature, S being empty at first: all have ``information(candidates)`` and ``add(feature)``.
SetInformation = WholeSetInformation | JointInformation | SecondOrderInformation


def choose_from_sets(
    sets: Sequence[Columns], scores: SetInformation, k: int, *, until_negative: bool = False, progress: Progress = None
) -> MethodResult:
    """Choose k features, or all of the sets if they hold fewer, set by set; scored by what each added to I(S;C)."""
    order: list[int] = []
    gains: list[float] = []
    reached = 0.0
    for members in sets:
        remaining = members
        while len(remaining) and len(order) < k:
            information = scores.information(remaining)
            index = pick(information)
            gain = float(information[index]) - reached
            if until_negative and order and gain < -TIE:
                return MethodResult(np.array(order, np.intp), np.array(gains))
            order.append(int(remaining[index]))
            gains.append(gain)
            reached = float(information[index])
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
        nothing = {"groups_": [np.empty(0, np.intp)] * n_selected, "sets_": [], "cohesiveness_": np.empty(0)}
        return MethodResult(np.arange(n_selected), np.zeros(n_selected), extras={**nothing, "similarity_": "none"})
    scores = _information(samples, information, bandwidth, n_jobs)
    similar, kind = find_similarity(samples, similarity, bandwidth, check_memory(memory), n_jobs)
    found_sets = dominant_sets(similar, DYNAMICS[dynamics], phase("dominant sets"))
    sets = [dominant_set.members for dominant_set in found_sets]
    chosen = choose_from_sets(sets, scores, n_selected, until_negative=k is None, progress=phase("ranking"))
    order = varying[chosen.order]
    gains = chosen.scores
    if k is not None and len(order) < k:
        order = constants_last(order, varies)[:k]
        gains = np.concatenate([gains, np.zeros(k - len(gains))])
    in_table = [varying[members] for members in sets]
    group_of = {int(j): members for members in in_table for j in members}
    groups = [group_of.get(j, np.array([j], np.intp)) for j in order.tolist()]
    attributes = {
        "groups_": [members[members != j] for j, members in zip(order.tolist(), groups, strict=True)],
        "sets_": in_table,
        "cohesiveness_": np.array([dominant_set.cohesiveness for dominant_set in found_sets]),
        "similarity_": kind,
    }
    return MethodResult(order, gains, extras=attributes)


def _information(samples: Samples, kind: str, bandwidth: str | float, n_jobs: int | None) -> SetInformation:
    """I(S + f;C) of the varying columns, by place among them."""
    if kind == "binned":
        return WholeSetInformation(samples.counted("binned"))
    order = np.argsort(samples.classes, kind="stable")
    numbers, varies = samples.numbers(f" with information={kind!r}")
    values = np.ascontiguousarray(standardize(numbers[:, varies])[:, order])
    sizes = np.bincount(samples.classes, minlength=samples.n_classes)
    if kind == "second-order":
        return SecondOrderInformation(values, sizes, bandwidth, n_jobs)
    return JointInformation(values, sizes, bandwidth, n_jobs, posterior=kind == "parzen-posterior")


class Clusters(NamedTuple):
    """Groups of columns as they were found, and the column that represents each."""

    groups: list[Columns]  # columns that do not vary are one group, the last
    selected: Columns  # none for columns that do not vary, unless none varies
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
        similar, kind = find_similarity(samples, similarity, bandwidth, memory, n_jobs)
        for dominant_set in dominant_sets(similar, DYNAMICS[dynamics], phase("dominant sets")):
            groups.append(varying[dominant_set.members])
            weights[groups[-1]] = dominant_set.weights
            cohesiveness.append(dominant_set.cohesiveness)
        matrix = similar.matrix
        if matrix is not None and len(constant):
            matrix = np.zeros((samples.n_features, samples.n_features), matrix.dtype)
            matrix[np.ix_(varying, varying)] = similar.matrix
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
