"""Dominant sets of similar columns, and the choice of columns from one set after another.

The columns are divided into dominant sets by a similarity (see :mod:`bitsieve.optimize.dominant_sets`). From each set
in turn, the column is chosen that makes I(S;C) largest together with all columns S chosen before.
"""

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
from bitsieve.utils.libraries import threadpool_limits
from bitsieve.utils.memory import check_memory
from bitsieve.utils.parameters import check_above_zero, check_choice, made_by
from bitsieve.utils.progress import phase

ReportProgress = Callable[[int, int], object]

SIMILARITIES = ("auto", "parzen", "binned", "distinct", "rho", "error")
INFORMATIONS = ("parzen", "parzen-posterior", "second-order", "binned")
# similarity="auto" looks at the numbers of distinct values.
REPEATS = 4  # a column is a quantity if it has more than one distinct value in this many samples
MAX_CODES = 10  # a column holds codes if it has at most this many distinct values
MIXED_SHARE = 10  # a table is mixed if at least one column in this many is a quantity, and one holds codes
ROWS_AT_ONCE = 16  # rows of similarities in one product of matrices


def check_similarity(name: str, value: Any) -> None:
    """Raise ParameterError unless it is the name of a similarity or a square array."""
    if isinstance(value, str) and value in SIMILARITIES:
        return
    shape: tuple[int, ...] = getattr(value, "shape", ())
    is_square = len(shape) == 2 and shape[0] == shape[1]
    if isinstance(value, str) or not is_square:
        shown_value = value if isinstance(value, str) or value is None else f"an object of shape {shape}"
        kinds = ", ".join(map(repr, SIMILARITIES))
        raise ParameterError(name, shown_value, f"give one of {kinds}, or a square array, one row a feature")


def find_similarity(
    samples: Samples, kind: Any, bandwidth: str | float, memory: int | None, n_jobs: int | None
) -> tuple[Similarity, str]:
    """Find the similarity of the varying columns, and the name of its kind, which "auto" leaves open."""
    phase("similarities")
    if not isinstance(kind, str):
        return _given_similarity(kind, samples), "given"
    if kind == "auto":
        kind = _fitting_kind(samples.rows())
        bandwidth = "log"
    return _matrix_or_rows(_similarity_functions(samples, kind, bandwidth, n_jobs), memory), kind


class SimilarityFunctions(NamedTuple):
    """Two functions that compute the similarities of n columns: all of them, or some rows."""

    n: int
    matrix: Callable[[ReportProgress], Floats]  # called with a function that takes the progress
    rows: Callable[[int, int], Floats]  # called with the first row and the end of the rows
    rows_at_once: int  # to compute so many rows takes hardly longer than to compute one


def _similarity_functions(
    samples: Samples, kind: str, bandwidth: str | float, n_jobs: int | None
) -> SimilarityFunctions:
    if kind in ("binned", "distinct"):
        information = samples.counted(kind)
        return SimilarityFunctions(
            n=information.n_features,
            matrix=partial(uncertainty_matrix, information),
            rows=partial(uncertainty_rows, information),
            rows_at_once=1,
        )
    numbers, varies = samples.numbers(f" with similarity={kind!r}")
    values = standardize(numbers[:, varies])
    if kind == "parzen":
        return _parzen_functions(ParzenPairs(values, bandwidth, n_jobs))
    if kind == "rho":
        return _functions_by_rows(partial(correlation_rows, values), len(values))
    return _functions_by_rows(RegressionErrors(numbers[:, varies], values).rows, len(values))


def _parzen_functions(pairs: ParzenPairs) -> SimilarityFunctions:
    all_columns = np.arange(pairs.n_features)

    def rows(first: int, last: int) -> Floats:
        return np.stack([pairs.relevance_row(i, all_columns) for i in range(first, last)])

    return SimilarityFunctions(n=pairs.n_features, matrix=pairs.relevance_matrix, rows=rows, rows_at_once=1)


def _functions_by_rows(rows: Callable[[int, int], Floats], n: int) -> SimilarityFunctions:
    """The functions of similarities that are computed by rows only: a matrix is put together from these."""

    def matrix(progress: ReportProgress) -> Floats:
        out = np.empty((n, n))
        for first in range(0, n, ROWS_AT_ONCE):
            last = min(first + ROWS_AT_ONCE, n)
            out[first:last] = rows(first, last)
            progress(last, n)
        return out

    return SimilarityFunctions(n=n, matrix=matrix, rows=rows, rows_at_once=ROWS_AT_ONCE)


def _fitting_kind(rows: Rows) -> str:
    """The kind of similarity: "parzen" if most columns are quantities, or the table is mixed; else "distinct"."""
    n_distinct_of_numbers = [len(np.unique(column)) for column in rows.numbers.T]
    n_distinct_of_categories = [2] * len(rows.categorical)  # whatever the number of categories
    n_distinct = np.array([n for n in n_distinct_of_numbers if n > 1] + n_distinct_of_categories)
    n_quantities = int((n_distinct * REPEATS > rows.n_samples).sum())
    n_codes = int((n_distinct <= MAX_CODES).sum())
    is_mixed = MIXED_SHARE * min(n_quantities, n_codes) >= len(n_distinct)
    if is_mixed or 2 * n_quantities > len(n_distinct):
        return "parzen"
    return "distinct"


def _matrix_or_rows(functions: SimilarityFunctions, memory: int | None) -> Similarity:
    """All similarities in memory if they fit, else rows on demand."""
    n = functions.n
    if memory is not None and 8 * n * n > memory:
        return SimilarityRows(functions.rows, n, memory, functions.rows_at_once, phase("similarities"))
    try:
        return SimilarityMatrix(functions.matrix(phase("similarities")))
    except MemoryError:
        raise UserError(
            code="not-enough-memory",
            message=f"the similarities of {n:,} features take {8 * n * n / 1e9:.3g} GB, more than there is",
            advice="limit them by {memory} or so",
            fix={"memory": "4GB"},
        ) from None


def _given_similarity(similarity: Any, samples: Samples) -> SimilarityMatrix:
    """The similarities of the columns that vary, from an array for all columns."""
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
    for i, row in enumerate(matrix):  # row by row, as a comparison of all would take a second matrix
        is_valid = np.isfinite(row).all() and row.min() >= 0 and np.array_equal(row, matrix[:, i])
        if not is_valid:
            raise UserError(
                code="invalid-similarities",
                message="the similarities given must be finite numbers of 0 or more, and those of i, j and j, i equal",
            )
    if np.diagonal(matrix).any():
        matrix = matrix.copy()
        np.fill_diagonal(matrix, 0.0)
    return SimilarityMatrix(matrix)


def correlation_rows(standardized: Floats, first: int, last: int) -> Floats:
    """Rows first to last of the matrix of |rho|, 0 on the diagonal; ``standardized`` holds a column in each row."""
    with threadpool_limits(1):  # a product's bits depend on the number of threads
        out = np.abs(standardized[first:last] @ standardized.T)
    out = np.minimum(out / standardized.shape[1], 1.0)
    out[np.arange(last - first), np.arange(first, last)] = 0.0
    return np.asarray(out)


class RegressionErrors:
    """The similarity ``1 - e / max e``, with e the error of a linear regression between two columns.

    ``e_ij = (var_i + var_j) / 2 (1 - rho_ij^2)``. All e are computed once for their maximum, and again for the rows.
    """

    def __init__(self, numbers: Floats, standardized: Floats) -> None:
        self._standardized = standardized
        values, exponents = centre(numbers)
        # In a unit in which the largest variance is near 1: the similarities do not depend on it.
        variances = np.add.reduce(values * values, axis=0) / len(values)
        self._variances = np.ldexp(variances, np.maximum(2 * (exponents - exponents.max()), -1000))
        n = len(self._variances)
        self._largest = 0.0
        for first in range(0, n, ROWS_AT_ONCE):
            errors = self._errors(first, min(first + ROWS_AT_ONCE, n))
            self._largest = max(self._largest, float(errors.max()))

    def rows(self, first: int, last: int) -> Floats:
        """Rows first to last of the similarities, 0 on the diagonal."""
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
        nothing = {"groups_": [np.empty(0, np.intp)] * n_selected, "sets_": [], "cohesiveness_": np.empty(0)}
        return MethodResult(np.arange(n_selected), np.zeros(n_selected), extras={**nothing, "similarity_": "none"})
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
