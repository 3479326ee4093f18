"""``bitsieve.information_value``: how well each column tells one of two classes, as credit and insurance measure it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from bitsieve.api.information import require_target
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.monotone.column_bins import ColumnBins
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.engines.registry import data_in_parts, refuse_sampling_weights
from bitsieve.options import FREQUENCY, ReadOptions
from bitsieve.scorecards.bins_of_parts import bins_of_parts
from bitsieve.scorecards.monotone_binner import MonotoneBinner, check_binner
from bitsieve.scorecards.notes import notes_on_separated
from bitsieve.scorecards.stability import word_of
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.docstrings import cites
from bitsieve.utils.frames import default_library, frame_of
from bitsieve.utils.parameters import check_parameters
from bitsieve.utils.types import ColumnLike, TableLike

WORDS_OF_IV = ((0.02, "useless"), (0.1, "weak"), (0.3, "medium"), (0.5, "strong"), (np.inf, "too good"))


@cites("Navas-Palencia 2020", "Robertson, Wright, Dykstra 1988")
def information_value(
    X: TableLike,
    y: ColumnLike,
    *,
    sample_weight: ColumnLike = None,
    weight_kind: str = FREQUENCY,
    binner: MonotoneBinner | None = None,
) -> Any:
    """The information value of every column about a target of two classes.

    Jeffreys' divergence of the bins of a column between the rows with the event and those without it, in nats ::

        IV = sum_b (e_b/E - n_b/N) ln((e_b/E) / (n_b/N))

    Bins that were chosen by the target are never independent of it: of 40 pre-bins of noise and 300 events, 29 % have a
    value above .02. So the value is given less its mean by chance for fixed bins, and beside it ``p``, which knows how
    the bins were made. Costs O(N log N) a column.

    Parameters
    ----------
    X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features), or path or stream
        Rows of a path, a stream or a frame of Dask or Spark are read part by part, and the values of each column are
        counted: at most 131,072 different numbers.
    y : array-like of shape (n_samples,), or str
        A target of two classes; of rows that are read part by part the name of a column.
    sample_weight : array-like of shape (n_samples,), optional
        Frequency weights, whole numbers: how many times each sample counts.
    weight_kind : {"frequency", "sampling"}, default="frequency"
        What ``sample_weight`` is: frequencies, or the weights of a survey, as in :func:`bitsieve.select`.
    binner : MonotoneBinner, optional
        How columns are cut into bins, and which class is the event; None is ``MonotoneBinner()``.

    Returns
    -------
    data frame
        A row a column, in the order of the table: column, iv, iv_corrected, low and high (the 95 % interval of
        iv_corrected), p (the share of shuffled targets with as much), mi_bits (the mutual information in bits), bins,
        trend, missing_share, word (the usual thresholds .02, .1, .3 and .5).

    Raises
    ------
    ValueError
        If the target does not have two classes, a column holds infinite values, or a weight is no whole number; of
        rows that are read part by part also if a column has too many different numbers, or ordered categories.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> frame = bitsieve.information_value(X[["mean radius", "mean smoothness"]], y)
    >>> frame["column"].tolist(), frame["iv"].round(2).tolist(), frame["word"].tolist()
    (['mean radius', 'mean smoothness'], [5.19, 0.91], ['too good', 'too good'])
    """
    check_binner(binner)
    fitted = MonotoneBinner() if binner is None else clone(binner)
    check_parameters(fitted)
    read = ReadOptions(target=require_target(y), sample_weight=sample_weight, weight_kind=weight_kind)
    names, columns = _bins_of_columns(X, read, fitted)
    Diagnostics(notes_on_separated(names, columns)).warn()
    intervals = [column.interval for column in columns]
    return frame_of(
        {
            "column": names,
            "iv": [column.iv for column in columns],
            "iv_corrected": [column.iv_corrected for column in columns],
            "low": [interval.low for interval in intervals],
            "high": [interval.high for interval in intervals],
            "p": [column.p_value for column in columns],
            "mi_bits": [column.mutual_information for column in columns],
            "bins": [len(column.labels) for column in columns],
            "trend": [column.trend for column in columns],
            "missing_share": [_missing_share(column) for column in columns],
            "word": [word_of(column.iv, WORDS_OF_IV) for column in columns],
        },
        default_library(),
    )


def _bins_of_columns(X: TableLike, read: ReadOptions, binner: MonotoneBinner) -> tuple[list[str], list[ColumnBins]]:
    """The names of the columns and their bins: of a table in memory, or from counts of rows that are read in parts."""
    parts = data_in_parts(X)
    if parts is not None:
        refuse_sampling_weights(read)
        table = parts.read_in_parts(read)
        if isinstance(table, PartitionedDataset):
            return [str(name) for name in table.names], bins_of_parts(table, binner)
        rows = table.required_rows()
    else:
        rows = read_xy(X, read.target, read.sample_weight, weight_kind=read.weight_kind)
    fitted = binner.fit_table(rows)
    return fitted.column_names_, fitted.column_bins_


def _missing_share(column: ColumnBins) -> float:
    if not column.fixed.has_missing:
        return 0.0
    return float(column.fixed.counts.rows[-1] / column.totals.rows)
