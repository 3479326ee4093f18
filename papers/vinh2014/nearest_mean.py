"""The nearest class mean on training and test tables of any size: errors of several rankings, in blocks.

What is held: the class means (n_classes x n_features floats) and, for each thread, ``BLOCK_BYTES`` of scores of a block
of test samples. Both tables are read where they are, in their own type; a memory map will do.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from bitsieve.counts.threads import run_blocks
from bitsieve.evaluate.feature_counts import feature_counts
from bitsieve.utils.progress import phase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

BLOCK_BYTES = 2 << 20  # scores of a block: about what a second-level cache holds


def nearest_mean_curves(
    train: NDArray[Any],
    train_classes: ArrayLike,
    test: NDArray[Any],
    test_classes: ArrayLike,
    rankings: Mapping[str, ArrayLike],
    features: int | Iterable[int] | None = None,
    *,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.intp], dict[str, NDArray[np.intp]]]:
    """Errors on a test table of the nearest class mean in the first k features of rankings, for every k.

    ``argmax_c x.m_c - |m_c|^2 / 2``, the nearest mean by that; features are divided by their largest absolute value in
    the training table. The scores of one number of features are added to for the next.

    Parameters
    ----------
    train, test : ndarray of numbers, shapes (n_train, n_features) and (n_test, n_features)
    train_classes, test_classes : array-like of int
        Codes from 0; a test class that does not occur in training is always wrong.
    rankings : mapping of str to array-like of int
        Label to columns in order of choice.
    features : int or iterable of int, optional
        Numbers of features; by default 10 to 100. Those beyond the shortest ranking are left out.
    n_jobs : int, optional
        Threads over blocks of test samples; the result is the same for any number.

    Returns
    -------
    counts : ndarray of int, shape (n_counts,)
    errors : dict of str to ndarray of int, shape (n_counts,)
        Test samples that got the wrong class.

    Raises
    ------
    ValueError
        If the tables do not have the same columns, a ranking names a column that is not there, or all numbers of
        features are beyond the shortest ranking.

    Notes
    -----
    Cost: k n_classes multiplications for each test sample and ranking.
    """
    orders = {label: np.asarray(order, np.intp) for label, order in rankings.items()}
    y_train, y_test = np.asarray(train_classes), np.asarray(test_classes)
    _check(train, y_train, test, y_test, orders)
    counts, _ = feature_counts(features, min(len(order) for order in orders.values()))
    used = np.unique(np.concatenate([order[: counts[-1]] for order in orders.values()]))
    phase("averaging classes")
    scale, means = class_means(train, y_train, used)
    by_count = {label: _MeansByCount(means, np.searchsorted(used, order), counts) for label, order in orders.items()}
    errors = {label: np.zeros(len(counts), np.intp) for label in orders}
    adding = Lock()
    n_rows = max(1, BLOCK_BYTES // (8 * len(means)))

    def work(start: int) -> None:
        values = np.ones((min(n_rows, len(y_test) - start), len(used) + 1))
        values[:, :-1] = test[start : start + n_rows][:, used]
        values[:, :-1] /= scale
        for label, ranking in by_count.items():
            wrong = ranking.wrong(values, y_test[start : start + n_rows])
            with adding:
                errors[label] += wrong

    with threadpool_limits(1):
        run_blocks(work, range(0, len(y_test), n_rows), n_jobs, phase("classifying"))
    return counts, errors


def class_means(X: NDArray[Any], classes: NDArray[Any], columns: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """The largest absolute value of each column (1 where it is 0), and the mean of each class by it.

    Returns
    -------
    scale : ndarray of float, shape (n_columns,)
    means : ndarray of float, shape (n_classes, n_columns)
        nan for a class without samples.
    """
    sizes = np.bincount(classes)
    scale = np.ones(len(columns))
    means = np.empty((len(sizes), len(columns)))
    for place, j in enumerate(columns):
        values = np.asarray(X[:, j], np.float64)
        scale[place] = np.abs(values).max() or 1.0
        with np.errstate(invalid="ignore"):
            means[:, place] = np.bincount(classes, values) / sizes
    return scale, means / scale


class _MeansByCount:
    """The means in the order of one ranking, with a row of ``-|m|^2 / 2`` after the columns of each number.

    So one product of the values, with a column of ones at the same places, is all that a number adds to the scores.
    """

    def __init__(self, means: Floats, order: NDArray[np.intp], counts: NDArray[np.intp]) -> None:
        ones = means.shape[1]  # the place of the column of ones among the values
        starts = [0, *counts[:-1]]
        self.columns = np.concatenate([[*order[a:b], ones] for a, b in zip(starts, counts, strict=True)])
        self.ends = counts + np.arange(1, len(counts) + 1)
        self.means = np.empty((len(self.columns), len(means)))
        for start, end in zip([0, *self.ends[:-1]], self.ends, strict=True):
            part = means[:, self.columns[start : end - 1]].T
            self.means[start : end - 1] = np.nan_to_num(part)
            self.means[end - 1] = np.where(np.isnan(part[0]), -np.inf, -np.square(part).sum(axis=0) / 2)

    def wrong(self, values: Floats, truth: NDArray[Any]) -> NDArray[np.intp]:
        """Wrong predictions for each number of columns."""
        values = values[:, self.columns]
        scores = np.zeros((len(values), self.means.shape[1]))
        added = np.empty_like(scores)
        wrong = np.empty(len(self.ends), np.intp)
        start = 0
        for place, end in enumerate(self.ends):
            np.matmul(values[:, start:end], self.means[start:end], out=added)
            np.add(scores, added, out=scores)
            start = end
            wrong[place] = (scores.argmax(axis=1) != truth).sum()
        return wrong


def _check(
    train: NDArray[Any],
    y_train: NDArray[Any],
    test: NDArray[Any],
    y_test: NDArray[Any],
    orders: Mapping[str, NDArray[np.intp]],
) -> None:
    for what, table, classes in (("training", train, y_train), ("test", test, y_test)):
        if len(table) != len(classes):
            raise ValueError(f"the {what} table has {len(table):,} rows but {len(classes):,} classes: give one a row")
        if not len(classes) or classes.dtype.kind not in "iu" or classes.min() < 0:
            raise ValueError(f"the {what} classes are no codes: give whole numbers from 0, one a row")
    if train.shape[1] != test.shape[1]:
        raise ValueError(
            f"the training table has {train.shape[1]:,} columns and the test table {test.shape[1]:,}: they must agree"
        )
    if not orders:
        raise ValueError("there are no rankings: give at least one")
    for label, order in orders.items():
        if not len(order) or order.min() < 0 or order.max() >= train.shape[1] or len(set(order.tolist())) < len(order):
            raise ValueError(
                f"ranking {label!r} names a column twice or one that is not there: give columns from 0 to "
                f"{train.shape[1] - 1:,}, each once"
            )
