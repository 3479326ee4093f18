"""Predictions from the first columns of a table, for several numbers of columns at once.

A comparison asks a model for its predictions from the first 10, 11, ..., 100 selected features. Some models can add a
column to what they computed before (see ``distances.py`` and ``linear.py``); others are fitted anew (``refit.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

from numpy.typing import NDArray

from bitsieve.utils.arrays import Columns, Floats

Labels: TypeAlias = NDArray[Any]  # class codes, or the values of a quantity
Predictions: TypeAlias = Iterator[NDArray[Any]]  # one array for every number of columns


class PredictFromPrefixes(Protocol):
    """A function that learns and predicts from the first columns of a table."""

    def __call__(self, train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
        """Yield the predictions from the first n columns, for every n in ``n_columns``.

        Parameters
        ----------
        train : shape (n_train, n)
            The samples to learn from, columns in order of choice.
        labels : shape (n_train,)
            Their class codes, at least two different ones, or the values of a quantity.
        test : shape (n_test, n)
            The samples to predict, the same columns.
        n_columns : ascending integers, at most n

        Yields
        ------
        ndarray of shape (n_test,) or (n_test, n_codes)
            The predicted class codes or values; or scores, one column for every class code from 0 to the largest.
        """
