"""Differences of samples in a column with missing values, as expectations.

A missing value of a sample of class c stands for a random draw from the values that class c has in this column, or that
the whole column has where class c has none (Kononenko 1994, doi:10.1007/3-540-57868-4_57). The difference of two
samples of which one value or both are missing is the mean over all such draws.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from bitsieve.utils.arrays import Columns, Flags, Floats, Values


class IncompleteColumn(ABC):
    """A column of which some values are missing.

    Parameters
    ----------
    values : ndarray, shape (n_samples,)
    is_missing : ndarray of bool, shape (n_samples,)
    classes : ndarray of int, shape (n_samples,)
    n_classes : int
    caches_expected : bool
        Whether the expected differences, n_classes numbers a sample, are computed once and kept.
    """

    def __init__(
        self,
        values: Values,
        is_missing: Flags,
        classes: NDArray[np.integer],
        n_classes: int,
        *,
        caches_expected: bool,
    ) -> None:
        self.values = values
        self.is_missing = is_missing
        self.classes = classes
        self._present_by_class: list[Values] = []
        for c in range(n_classes):
            present = values[~is_missing & (classes == c)]
            self._present_by_class.append(present if len(present) else values[~is_missing])
        self._expected_between_classes = self._mean_differences_between_classes()
        self._cached_expected = self._expected_differences() if caches_expected else None

    @abstractmethod
    def differences(self, a: Values, b: Values) -> Floats:
        """The differences of present values, element by element."""

    @abstractmethod
    def mean_differences(self, present: Values, values: Values) -> Floats:
        """The mean difference of each of ``values`` from all of the ``present`` values."""

    def between(self, samples: Columns, others: Columns) -> Floats:
        """The (expected) differences of b samples from others.

        ``others``, shape (b, r), lists other samples for each one; shape (1, r) means the same others for all.
        """
        expected = self._cached_expected
        if expected is None:
            expected = self._expected_differences()
        out = np.asarray(self.differences(self.values[samples][:, None], self.values[others]), np.float64)
        others = np.broadcast_to(others, out.shape)

        other_is_missing = self.is_missing[others]
        row, position = np.nonzero(other_is_missing)
        out[row, position] = expected[self.classes[others[row, position]], samples[row]]

        row, position = np.nonzero(self.is_missing[samples][:, None] & ~other_is_missing)
        out[row, position] = expected[self.classes[samples[row]], others[row, position]]
        return out

    def _expected_differences(self) -> Floats:
        """``out[c, i]``: the expected difference of a missing value of class c from the value of sample i.

        The value of sample i may be missing, too.
        """
        out: Floats = self._expected_between_classes[:, self.classes]
        is_present = ~self.is_missing
        for c, present in enumerate(self._present_by_class):
            out[c, is_present] = self.mean_differences(present, self.values[is_present])
        return out

    def _mean_differences_between_classes(self) -> Floats:
        """``out[b, c]``: the mean difference of a present value of class b from one of class c."""
        sizes = np.array([len(present) for present in self._present_by_class])
        offsets = np.cumsum(sizes) - sizes
        all_present = np.concatenate(self._present_by_class)
        means = np.array(
            [
                np.add.reduceat(self.mean_differences(present, all_present), offsets) / sizes
                for present in self._present_by_class
            ]
        )
        return np.asarray((means + means.T) / 2)  # rounding aside it is symmetric already


class IncompleteNumbers(IncompleteColumn):
    """A column of numbers, scaled to 0 .. 1; the difference of two of them is ``|a - b|``."""

    def differences(self, a: Values, b: Values) -> Floats:
        return np.asarray(np.abs(a - b))

    def mean_differences(self, present: Values, values: Values) -> Floats:
        """The mean ``|V - v|`` over the present values V, for each v. Cost: O(log n) a value, after a sort."""
        ordered = np.sort(present)
        sums = np.concatenate([[0.0], np.cumsum(ordered)])
        n_below = np.searchsorted(ordered, values)
        from_below = values * n_below - sums[n_below]
        from_above = sums[-1] - sums[n_below] - values * (len(ordered) - n_below)
        return np.asarray((from_below + from_above) / len(ordered))


class IncompleteCodes(IncompleteColumn):
    """A column of codes; the difference of two of them is 0 if they are equal, else 1."""

    def differences(self, a: Values, b: Values) -> Floats:
        return np.asarray(a != b, np.float64)

    def mean_differences(self, present: Values, values: Values) -> Floats:
        """``1 - P(v)``, P(v) the share of the present codes that are v."""
        counts = np.bincount(present, minlength=int(values.max(initial=0)) + 1)
        return np.asarray(1.0 - counts[values] / len(present))
