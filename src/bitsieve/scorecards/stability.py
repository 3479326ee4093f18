"""The population stability index: how far the shares of bins have moved between two samples of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import Encoded
from bitsieve.diagnostics import UserError
from bitsieve.discretization.monotone.column_bins import names_of
from bitsieve.discretization.monotone.pre_bins import ends_of_equal_frequency
from bitsieve.scorecards.monotone_binner import MonotoneBinner, check_binner
from bitsieve.scorecards.stability_index import Stability, stability_of_counts
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.frames import default_library, frame_of
from bitsieve.utils.messages import quoted
from bitsieve.utils.parameters import check_integer, check_number
from bitsieve.utils.types import DataFrame, TableLike

WORDS_OF_PSI = ((0.1, "stable"), (0.25, "moved"), (np.inf, "moved far"))


def population_stability(
    expected: TableLike,
    actual: TableLike,
    *,
    binner: MonotoneBinner | None = None,
    n_bins: int = 10,
    smoothing: float = 1.0,
) -> DataFrame:
    """How far the distribution of each column has moved from one sample of rows to another.

    The population stability index, in nats, over the bins of the first sample ::

        PSI = sum_b (a_b - d_b) ln(a_b / d_b)

    with d_b and a_b the shares of the rows of ``expected`` and of ``actual`` in bin b. By chance it is
    ``(B - 1)(1/n_1 + 1/n_2)`` on average, which two small samples of one population easily reach: ``p`` says how often.
    Costs a sort of each column.

    Parameters
    ----------
    expected : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
        The rows that the bins are made of, such as those of the development.
    actual : table of the same columns
        The rows that are compared with them, such as those of this month.
    binner : fitted MonotoneBinner, optional
        Whose bins are used. By default numbers are cut into ``n_bins`` bins of about equal frequency, each category is
        a bin, and so are missing values and categories that ``expected`` does not have.
    n_bins : int, default=10
        Bins of a column of numbers.
    smoothing : float, default=1.0
        The number of rows that are added to a bin that is empty in one sample. The samples share them in the
        proportion in which they share all rows.

    Returns
    -------
    data frame
        A row for each column: column, psi, chance (the mean of psi for two samples of one population), p (the
        probability of so large a psi for such samples), bins (their number), word ("stable" below 0.1, "moved" below
        0.25, else "moved far").

    Raises
    ------
    ValueError
        If the tables do not have the same columns, or a parameter is not allowed.

    Examples
    --------
    >>> import bitsieve
    >>> old = [[1.0], [2.0], [3.0], [4.0]] * 50
    >>> new = [[1.0], [4.0], [4.0], [4.0]] * 50
    >>> frame = bitsieve.population_stability(old, new, n_bins=4)
    >>> frame["word"].tolist()
    ['moved far']
    """
    check_integer("n_bins", n_bins, low=2, high=65_535)
    check_number("smoothing", smoothing, low=0)
    check_binner(binner)
    if binner is None:
        names, columns = _stability_by_frequency(expected, actual, n_bins, smoothing)
    else:
        names, columns = _stability_by_binner(expected, actual, binner, smoothing)
    return stability_frame(names, columns)


def _stability_by_binner(
    expected: TableLike, actual: TableLike, binner: MonotoneBinner, smoothing: float
) -> tuple[list[str], list[Stability]]:
    """The columns and their stability, over the bins of a fitted binner."""
    check_is_fitted(binner)
    expected_bins = binner.bins_of(expected)
    actual_bins = binner.bins_of(actual)
    columns = []
    for j in range(expected_bins.shape[1]):
        columns.append(stability_of(expected_bins[:, j], actual_bins[:, j], smoothing))
    return list(binner.column_names_), columns


def _stability_by_frequency(
    expected: TableLike, actual: TableLike, n_bins: int, smoothing: float
) -> tuple[list[str], list[Stability]]:
    """The columns and their stability, over bins of about equal frequency of the first sample."""
    expected_table = read_columns(expected)
    actual_table = read_columns(actual)
    _check_same_columns(expected_table, actual_table)
    columns = []
    for j in range(expected_table.n_features):
        expected_bins, actual_bins = _bins_of_both(expected_table, actual_table, j, n_bins)
        columns.append(stability_of(expected_bins, actual_bins, smoothing))
    return [str(name) for name in expected_table.names], columns


def stability_frame(names: Sequence[str], columns: Sequence[Stability]) -> DataFrame:
    """The data frame of :func:`population_stability`."""
    return frame_of(
        {
            "column": list(names),
            "psi": [column.psi for column in columns],
            "chance": [column.chance for column in columns],
            "p": [column.p for column in columns],
            "bins": [column.n_bins for column in columns],
            "word": [word_of(column.psi, WORDS_OF_PSI) for column in columns],
        },
        default_library(),
    )


def stability_of(expected_bins: Integers, actual_bins: Integers, smoothing: float = 1.0) -> Stability:
    """The index of a column from the bin of each row, -1 for a value that is in none."""
    n_bins = int(max(expected_bins.max(), actual_bins.max())) + 1
    expected_counts = np.bincount(expected_bins + 1, minlength=n_bins + 1)  # the first count is of values in no bin
    actual_counts = np.bincount(actual_bins + 1, minlength=n_bins + 1)
    return stability_of_counts(expected_counts, actual_counts, smoothing)


def word_of(value: float, words: Sequence[tuple[float, str]]) -> str:
    """The word of the first threshold that is above a value."""
    return next(word for threshold, word in words if value < threshold)


def _bins_of_both(expected: InMemoryDataset, actual: InMemoryDataset, j: int, n_bins: int) -> tuple[Integers, Integers]:
    """The bins of a column in both samples: those of the first one."""
    if expected.is_numeric(j) != actual.is_numeric(j):
        raise UserError(
            code="column-kind-changed",
            message=f"column {expected.names[j]!r} holds numbers in one of the tables, and categories in the other",
            advice="give it one type in both",
        )
    if expected.is_numeric(j):
        cuts = _cuts_of_equal_frequency(expected.numeric(j), n_bins)
        return _intervals(expected.numeric(j), cuts), _intervals(actual.numeric(j), cuts)
    names = names_of(expected.categorical(j))
    return _ranks(expected.categorical(j), names), _ranks(actual.categorical(j), names)


def _cuts_of_equal_frequency(numbers: Floats, n_bins: int) -> Floats:
    distinct, rows = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    if not len(distinct):
        return distinct
    bin_ends = ends_of_equal_frequency(rows, n_bins)
    return distinct[bin_ends[:-1] - 1]


def _intervals(numbers: Floats, cuts: Floats) -> Integers:
    """The interval of each number; missing values have a bin of their own, the last one."""
    bins = np.searchsorted(cuts, numbers, side="left").astype(np.int64)
    bins[np.isnan(numbers)] = len(cuts) + 1
    return bins


def _ranks(values: Encoded, names: Sequence[str]) -> Integers:
    """The index of each category among names; -1 for another one, and the last bin for missing values."""
    rank_of_name = {name: rank for rank, name in enumerate(names)}
    ranks = [rank_of_name.get(name, -1) for name in names_of(values)]
    return np.array([*ranks, len(names)], np.int64)[values.codes]  # the code of a missing value is -1, the last


def _check_same_columns(expected: InMemoryDataset, actual: InMemoryDataset) -> None:
    if list(expected.names) != list(actual.names):
        differing = sorted({*expected.names} ^ {*actual.names})
        raise UserError(
            code="columns-differ",
            message=f"the tables do not have the same columns in the same order: {quoted(differing)}",
            advice="give the second the columns of the first, in their order",
        )
