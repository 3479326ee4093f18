"""A table from features, target and weights that are given apart, as ``fit`` gets them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_consistent_length

from bitsieve.files.spooled_columns import SpooledColumns
from bitsieve.table.columns import read_columns
from bitsieve.table.kinds import with_rows
from bitsieve.table.sparse import read_sparse
from bitsieve.table.spooled import SpooledTable
from bitsieve.table.target import read_target
from bitsieve.table.weights import read_weights

if TYPE_CHECKING:
    from bitsieve.table.table import Table


def read_xy(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    estimator: Any = None,
    reset: bool = True,
    target_name: str = "y",
    target_bins: int | str | None = None,
) -> Table:
    """Read features, target and frequency weights into one table.

    Parameters
    ----------
    X : array-like, pandas or polars DataFrame, pyarrow Table, scipy.sparse, of shape (n_samples, n_features)
        Booleans, text and categories are categorical; integers, floats, decimals, dates, times and durations are
        numeric. Sparse columns are numeric, and never made dense.
    y : array-like, Series or DataFrame, of shape (n_samples,) or (n_samples, n_targets), optional
        Classes of any kind; floats with a fractional part are binned. Several columns are one target.
    sample_weight : array-like of shape (n_samples,), optional
        Whole numbers: how many times each sample counts. Samples of weight 0 are left out.
    estimator : estimator, optional
        Whose ``n_features_in_`` and ``feature_names_in_`` are set, and whose name scikit-learn puts into messages.
    reset : bool, default=True
        False where the columns must be those that the estimator has.
    target_name : str, default="y"
        What messages call the target.
    target_bins : int or "none", optional
        Equal-frequency classes of a target that is a quantity, 5 by default: numbers with a fractional part, or more
        than 100 different whole numbers. A number that is given is obeyed by whole numbers, too, of which more
        different ones occur; "none" takes each number as a class.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If the features, the target or the weights cannot be read, or are not as many.

    Examples
    --------
    >>> from bitsieve.table.read_xy import read_xy
    >>> table = read_xy([[1.5, "a"], [2.5, "b"], [0.5, "b"]], ["no", "yes", "no"], [2, 0, 3])
    >>> table.numeric(0).tolist(), table.target.labels.tolist(), table.weights.tolist()
    ([1.5, 0.5], ['no'], [2, 3])
    """
    X = with_rows(X)
    if isinstance(X, SpooledColumns):
        table: Table = SpooledTable.of(X)
    else:
        table = (read_sparse if issparse(X) else read_columns)(X, estimator=estimator, reset=reset)
    if y is not None:
        check_consistent_length(X, y)
    weights = read_weights(sample_weight, table.n_samples)
    target = None if y is None else read_target(y, name=target_name, n_bins=target_bins, weights=weights)
    if weights is not None and not weights.all():
        table, weights = table.take(np.flatnonzero(weights)), weights[weights > 0]
    return replace(table, y=target, weights=None if weights is None or (weights == 1).all() else weights)
