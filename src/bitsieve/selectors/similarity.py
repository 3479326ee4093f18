"""Similarities of the columns of a table, in which dominant sets are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bitsieve.common.errors import ParameterError, Sentence, Setting
from bitsieve.common.progress import phase
from bitsieve.data.binning import EqualWidthBinner
from bitsieve.engines import make_source
from bitsieve.information import make_information
from bitsieve.methods.by_counts.pairwise.matrices import uncertainty_matrix, uncertainty_rows
from bitsieve.methods.by_samples.linear import AT_ONCE, Correlations, RegressionErrors
from bitsieve.methods.by_samples.parzen.pairs import ParzenPairs
from bitsieve.methods.by_samples.rows import standardize
from bitsieve.optimize.similarity import SimilarityMatrix, SimilarityRows
from bitsieve.selectors.sampled import numbers_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.data.table import Table
    from bitsieve.information.protocol import Information
    from bitsieve.optimize.similarity import Similarity

    Floats = NDArray[np.float64]

SIMILARITIES = ("auto", "parzen", "binned", "distinct", "rho", "error")
FEW_VALUES = 10  # of a column that "binned" leaves as it is, and the bins of the others
REPEATED = 4  # "auto": samples a distinct value, from which values count as symbols


class FoundSimilarity(NamedTuple):
    """A similarity of the columns that vary, by place among them, and the name of its kind."""

    similarity: Similarity
    kind: str


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
    table: Table, kind: Any, bandwidth: str | float, memory: int | None, n_jobs: int | None, who: str
) -> FoundSimilarity:
    """The similarity of the varying columns of a table: a matrix where it fits the memory, else rows on demand.

    Parameters
    ----------
    table : Table
        Without weights.
    kind : str or ndarray
        One of ``SIMILARITIES``, or the similarities of all columns.
    bandwidth : {"scott", "log"} or float
    memory : int or None
        Bytes for similarities; None: as much as the matrix takes.
    n_jobs : int or None
    who : str
        The class that refuses what cannot be done.
    """
    phase("similarities")
    if not isinstance(kind, str):
        return FoundSimilarity(_given(kind, table), "given")
    if kind == "auto":
        kind = _fitting(table)
    if kind in ("binned", "distinct"):
        return FoundSimilarity(_of_counts(code_table(table, kind, n_jobs), memory), kind)
    numbers, varies = numbers_of(table, f"{who} with {Setting('similarity', kind).in_python()}")
    values, n = standardize(numbers[:, varies]), int(varies.sum())
    if kind == "parzen":
        pairs, everything = ParzenPairs(values, bandwidth, n_jobs), np.arange(n)

        def row(first: int, last: int) -> Floats:
            return np.stack([pairs.relevance_row(i, everything) for i in range(first, last)])

        return FoundSimilarity(_whole_or_rows(n, memory, pairs.relevance_matrix, row, 1), kind)
    lines = Correlations(values) if kind == "rho" else RegressionErrors(numbers[:, varies], values)

    def matrix(progress: Callable[[int, int], object]) -> Floats:
        out = np.empty((n, n))
        for first in range(0, n, AT_ONCE):
            out[first : first + AT_ONCE] = lines.rows(first, min(first + AT_ONCE, n))
            progress(min(first + AT_ONCE, n), n)
        return out

    return FoundSimilarity(_whole_or_rows(n, memory, matrix, lines.rows, AT_ONCE), kind)


def code_table(table: Table, kind: str, n_jobs: int | None) -> Information:
    """The plug-in information of the varying columns as codes: each distinct value, or bins of one width.

    "binned" leaves columns of at most ten distinct values as they are, and cuts the others into ten bins.
    """
    rows = rows_of(table, takes_missing=False)
    varying = np.flatnonzero(rows.varies)
    codes = np.empty((rows.n_samples, rows.n_features), np.uint16)
    wide = (
        EqualWidthBinner(n_bins=FEW_VALUES, n_jobs=n_jobs).fit_table(table).codes(table) if kind == "binned" else None
    )
    codes[:, rows.categorical] = rows.codes
    for place, j in enumerate(rows.numeric.tolist()):
        distinct, own = np.unique(rows.numbers[:, place], return_inverse=True)
        if wide is not None and len(distinct) > FEW_VALUES:
            own = wide[:, j]
        elif len(distinct) > 1 << 16:
            raise ValueError(
                Sentence(
                    f"column {table.names[j]!r} has {len(distinct):,} distinct values, more than {1 << 16:,}: give ",
                    Setting("similarity", "binned"),
                )
            )
        codes[:, j] = own
    target = table.y
    classes, n_classes = (None, None) if target is None else (target.codes, target.n_classes)
    source = make_source(codes[:, varying], classes, n_classes=n_classes, n_jobs=n_jobs)
    return make_information("plug-in", source)


def _fitting(table: Table) -> str:
    """The kind that fits the columns: "distinct" where values of at least half of those that vary repeat."""
    rows = rows_of(table, takes_missing=False)
    numeric = [len(np.unique(column)) for column in rows.numbers.T]
    counts = np.array([count for count in numeric if count > 1] + [2] * len(rows.categorical))
    repeat = counts * REPEATED <= rows.n_samples
    return "distinct" if 2 * int(repeat.sum()) >= len(counts) else "parzen"


def _of_counts(information: Information, memory: int | None) -> Similarity:
    def rows(first: int, last: int) -> Floats:
        return uncertainty_rows(information, first, last)

    return _whole_or_rows(
        information.n_features, memory, lambda progress: uncertainty_matrix(information, progress), rows, 1
    )


def _whole_or_rows(
    n: int,
    memory: int | None,
    matrix: Callable[[Callable[[int, int], object]], Floats],
    rows: Callable[[int, int], Floats],
    at_once: int,
) -> Similarity:
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


def _given(similarity: Any, table: Table) -> SimilarityMatrix:
    """The similarities of the varying columns, of those given for all."""
    matrix = np.asarray(similarity)
    n = table.n_features
    if matrix.shape != (n, n):
        raise ValueError(f"the similarities given have the shape {matrix.shape}, and the table has {n:,} features")
    varying = np.flatnonzero(rows_of(table, takes_missing=False).varies)
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
