"""Columns with missing values: their expected differences, a missing value drawn from the known ones of its class.

For categories that is Kononenko's rule: ``1 - P(v | c)`` from a known value v, ``1 - sum_v P(v | c) P(v | c')`` from
another missing one. Numbers follow the same sentence: the mean of ``|V - v|`` over the known values V of class c, and
of ``|V - V'|`` over those of both classes. A class without any known value borrows those of all classes.

I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", ECML 1994. doi:10.1007/3-540-57868-4_57
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Samples = NDArray[np.intp]


class UnknownColumn(ABC):
    """One column with missing values.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Some of them known; what stands where one is missing is not looked at.
    missing : ndarray of bool, shape (n_samples,)
    classes : ndarray of int, shape (n_samples,)
    n_classes : int
    """

    def __init__(
        self, values: NDArray, missing: NDArray[np.bool_], classes: NDArray[np.integer], n_classes: int
    ) -> None:
        self.values = values
        self.missing = missing
        self.classes = classes
        known = [values[~missing & (classes == c)] for c in range(n_classes)]
        self._known = [of_class if len(of_class) else values[~missing] for of_class in known]
        sizes = np.array([len(of_class) for of_class in self._known])
        everything, starts = np.concatenate(self._known), np.cumsum(sizes) - sizes
        both = np.array([np.add.reduceat(self.mean_gap(a, everything), starts) / sizes for a in self._known])
        self._both = (both + both.T) / 2  # symmetric but for rounding
        self._expected: Floats | None = None

    def between(self, samples: Samples, others: Samples) -> Floats:
        """Differences of every sample from the others in its row.

        Parameters
        ----------
        samples : ndarray of int, shape (b,)
        others : ndarray of int, shape (b, r), or (1, r) for the same in every row

        Returns
        -------
        ndarray of shape (b, r)
        """
        expected = self._expected if self._expected is not None else self._expect()
        out = self.gap(self.values[samples][:, None], self.values[others])
        others = np.broadcast_to(others, out.shape)
        there = self.missing[others]
        row, place = np.nonzero(there)
        out[row, place] = expected[self.classes[others[row, place]], samples[row]]
        row, place = np.nonzero(self.missing[samples][:, None] & ~there)
        out[row, place] = expected[self.classes[samples[row]], others[row, place]]
        return out

    def remember(self) -> None:
        """Keep the n_classes x n_samples expected differences instead of computing them anew every time."""
        self._expected = self._expect()

    def _expect(self) -> Floats:
        """[c, i]: the expected difference of a missing value of class c from sample i's value, known or missing."""
        out = self._both[:, self.classes]
        known = ~self.missing
        for c, of_class in enumerate(self._known):
            out[c, known] = self.mean_gap(of_class, self.values[known])
        return out

    @staticmethod
    @abstractmethod
    def gap(a: NDArray, b: NDArray) -> Floats:
        """Differences of known values."""

    @staticmethod
    @abstractmethod
    def mean_gap(known: NDArray, values: NDArray) -> Floats:
        """The mean difference of every value from the known ones."""


class UnknownNumbers(UnknownColumn):
    """A numeric column, scaled to a range of 1."""

    @staticmethod
    def gap(a: Floats, b: Floats) -> Floats:
        """``|a - b|``."""
        return np.abs(a - b)

    @staticmethod
    def mean_gap(known: Floats, values: Floats) -> Floats:
        """Mean ``|V - v|``, from the sums of the sorted known values. Cost: O(log n) a value."""
        ordered = np.sort(known)
        sums = np.concatenate([[0.0], np.cumsum(ordered)])
        below = np.searchsorted(ordered, values)
        from_below = values * below - sums[below]
        from_above = sums[-1] - sums[below] - values * (len(ordered) - below)
        return (from_below + from_above) / len(ordered)


class UnknownCategories(UnknownColumn):
    """A column of codes."""

    @staticmethod
    def gap(a: NDArray, b: NDArray) -> Floats:
        """0 where the codes are equal, else 1."""
        return (a != b).astype(np.float64)

    @staticmethod
    def mean_gap(known: NDArray, values: NDArray) -> Floats:
        """``1 - P(v)``, P the shares of the known codes."""
        counts = np.bincount(known, minlength=int(values.max(initial=0)) + 1)
        return 1.0 - counts[values] / len(known)
