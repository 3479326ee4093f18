"""Similarities of columns: shared information, correlation, or the error of regressions between two of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.methods.by_counts.pairwise.matrices import uncertainty_matrix, uncertainty_rows
from bitsieve.methods.by_samples.parzen.pairs import ParzenPairs
from bitsieve.methods.by_samples.rows import Rows, Samples, centre, standardize
from bitsieve.optimize.dominant_sets import Similarity, SimilarityMatrix, SimilarityRows
from bitsieve.utils.arrays import Floats
from bitsieve.utils.libraries import threadpool_limits
from bitsieve.utils.progress import phase

ReportProgress = Callable[[int, int], object]

SIMILARITIES = ("auto", "parzen", "binned", "distinct", "rho", "error")
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
