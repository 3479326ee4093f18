"""Similarities of pairs of columns, in which dominant sets are found.

parzen, distinct, binned:  W = 2 I(Xi;Xj) / (H(Xi) + H(Xj))    by Parzen windows, distinct values or bins
rho:                       W = |rho|, the size of the correlation
error:                     W = 1 - e / max e,   e = (var_i + var_j) / 2 * (1 - rho^2)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bitsieve.common.arrays import Floats
from bitsieve.common.lazy import threadpool_limits
from bitsieve.common.messages import ParameterError, Sentence, Setting
from bitsieve.common.progress import phase
from bitsieve.methods.by_counts.pairwise.matrices import uncertainty_matrix, uncertainty_rows
from bitsieve.methods.by_samples.parzen.pairs import ParzenPairs
from bitsieve.methods.by_samples.rows import Rows, Samples, centre, standardize
from bitsieve.optimize.dominant_sets import Similarity, SimilarityMatrix, SimilarityRows

Progress = Callable[[int, int], object]

SIMILARITIES = ("auto", "parzen", "binned", "distinct", "rho", "error")
REPEATED = 4  # "auto": samples a distinct value, from which values count as symbols
AT_ONCE = 16  # rows in one product


def check_similarity(name: str, value: Any) -> None:
    """Refuse what is neither the name of a kind nor a square array of numbers."""
    if isinstance(value, str) and value in SIMILARITIES:
        return
    shape: tuple[int, ...] = getattr(value, "shape", ())
    if isinstance(value, str) or len(shape) != 2 or shape[0] != shape[1]:
        given = value if isinstance(value, str) or value is None else f"an object of shape {shape}"
        kinds = ", ".join(map(repr, SIMILARITIES))
        raise ParameterError(name, given, f"give one of {kinds}, or a square array, one row a feature")


def find_similarity(
    samples: Samples, kind: Any, bandwidth: str | float, memory: int | None, n_jobs: int | None
) -> tuple[Similarity, str]:
    """The similarity of the varying columns: a matrix where it fits the memory, else rows on demand; and its kind."""
    phase("similarities")
    if not isinstance(kind, str):
        return _given(kind, samples), "given"
    if kind == "auto":
        kind = _fitting(samples.rows())
    if kind in ("binned", "distinct"):
        information = samples.counted(kind)
        matrix, rows = partial(uncertainty_matrix, information), partial(uncertainty_rows, information)
        return _whole_or_rows(information.n_features, memory, matrix, rows, 1), kind
    numbers, varies = samples.numbers(f" with {Setting('similarity', kind).in_python()}")
    values, n = standardize(numbers[:, varies]), int(varies.sum())
    if kind == "parzen":
        pairs, everything = ParzenPairs(values, bandwidth, n_jobs), np.arange(n)

        def windows(first: int, last: int) -> Floats:
            return np.stack([pairs.relevance_row(i, everything) for i in range(first, last)])

        return _whole_or_rows(n, memory, pairs.relevance_matrix, windows, 1), kind
    lines = Correlations(values) if kind == "rho" else RegressionErrors(numbers[:, varies], values)
    return _whole_or_rows(n, memory, partial(_all_rows, lines.rows, n), lines.rows, AT_ONCE), kind


def _all_rows(rows: Callable[[int, int], Floats], n: int, progress: Progress) -> Floats:
    out = np.empty((n, n))
    for first in range(0, n, AT_ONCE):
        last = min(first + AT_ONCE, n)
        out[first:last] = rows(first, last)
        progress(last, n)
    return out


def _fitting(rows: Rows) -> str:
    """The kind that fits the columns: "distinct" where values of at least half of those that vary repeat."""
    numeric = [len(np.unique(column)) for column in rows.numbers.T]
    counts = np.array([count for count in numeric if count > 1] + [2] * len(rows.categorical))
    repeat = counts * REPEATED <= rows.n_samples
    return "distinct" if 2 * int(repeat.sum()) >= len(counts) else "parzen"


def _whole_or_rows(
    n: int, memory: int | None, matrix: Callable[[Progress], Floats], rows: Callable[[int, int], Floats], at_once: int
) -> Similarity:
    """The matrix where it fits the memory, else the rows as they are asked for."""
    if memory is not None and 8 * n * n > memory:
        return SimilarityRows(rows, n, memory, at_once, phase("similarities"))
    try:
        return SimilarityMatrix(matrix(phase("similarities")))
    except MemoryError:
        raise ValueError(
            Sentence(
                f"the similarities of {n:,} features take {8 * n * n / 1e9:.3g} GB, more than there is: limit them by ",
                Setting("memory", "4GB"),
                " or so",
            )
        ) from None


def _given(similarity: Any, samples: Samples) -> SimilarityMatrix:
    """The similarities of the varying columns, of those given for all."""
    matrix = np.asarray(similarity)
    n = samples.n_features
    if matrix.shape != (n, n):
        raise ValueError(f"the similarities given have the shape {matrix.shape}, and the table has {n:,} features")
    varying = np.flatnonzero(samples.rows().varies)
    if len(varying) < n:
        matrix = matrix[np.ix_(varying, varying)]
    if matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    for i, row in enumerate(matrix):  # row by row: no second matrix
        if not np.isfinite(row).all() or row.min() < 0 or not np.array_equal(row, matrix[:, i]):
            raise ValueError(
                "the similarities given must be finite numbers of 0 or more, and those of i, j and j, i equal"
            )
    if np.diagonal(matrix).any():
        matrix = matrix.copy()
        np.fill_diagonal(matrix, 0.0)
    return SimilarityMatrix(matrix)


class Correlations:
    """|rho| of columns that vary, given as rows of mean 0 and standard deviation 1."""

    def __init__(self, standardized: Floats) -> None:
        self._values = standardized

    def rows(self, first: int, last: int) -> Floats:
        """Rows of W; 0 on the diagonal."""
        with threadpool_limits(1):  # a product's bits depend on the number of threads
            out = np.abs(self._values[first:last] @ self._values.T)
        out = np.minimum(out / self._values.shape[1], 1.0)
        out[np.arange(last - first), np.arange(first, last)] = 0.0
        return np.asarray(out)


class RegressionErrors:
    """1 - e / max e of columns that vary: twice the cost of :class:`Correlations`, as the largest e comes first."""

    def __init__(self, numbers: Floats, standardized: Floats) -> None:
        self._correlations = Correlations(standardized)
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
        rho = self._correlations.rows(first, last)
        rho[np.arange(last - first), np.arange(first, last)] = 1.0
        return np.asarray((self._variances[first:last, None] + self._variances) / 2 * (1.0 - rho * rho))
