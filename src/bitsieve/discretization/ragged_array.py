"""Many arrays of different lengths, one for each column, stored as one flat array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from bitsieve.utils.arrays import Integers, Values
from bitsieve.utils.ranges import joined_ranges


class RaggedArray(Sequence[NDArray[Any]]):
    """A sequence of 1-D arrays that lie one behind the other in a flat array.

    Array i is ``values[indptr[i]:indptr[i + 1]]``, as in the sparse matrices of scipy.
    """

    def __init__(self, values: Values, ends: Integers) -> None:
        """Divide ``values``: array i ends before index ``ends[i]``, where array i + 1 begins."""
        self.values = values
        self.indptr = np.concatenate([np.zeros(1, np.int64), ends])

    @classmethod
    def from_arrays(cls, arrays: Sequence[Values]) -> RaggedArray:
        """Join arrays, as float64 or a wider type."""
        values = np.concatenate([np.empty(0), *arrays])
        ends = np.cumsum([len(array) for array in arrays], dtype=np.int64)
        return cls(values, ends)

    @classmethod
    def empty(cls, n_arrays: int) -> RaggedArray:
        """``n_arrays`` arrays of length 0."""
        return cls(np.empty(0), np.zeros(n_arrays, np.int64))

    @classmethod
    def merged(cls, n_arrays: int, parts: Iterable[tuple[Integers, RaggedArray]]) -> RaggedArray:
        """Build ``n_arrays`` arrays from parts. A part is the indices of some arrays, and these arrays.

        Several parts may have the same index, if all but one of them have an empty array there.
        """
        parts = list(parts)
        if len(parts) == 1:
            indices, arrays = parts[0]
            if np.array_equal(indices, np.arange(n_arrays)):
                return arrays
        lengths = np.zeros(n_arrays, np.int64)
        for indices, arrays in parts:
            lengths[indices] += arrays.lengths
        dtype = np.dtype(np.float64)
        if parts:
            dtype = np.result_type(*(arrays.values.dtype for _, arrays in parts))
        merged = cls(np.empty(int(lengths.sum()), dtype), np.cumsum(lengths))
        for indices, arrays in parts:
            merged.values[joined_ranges(merged.starts[indices], arrays.lengths)] = arrays.values
        return merged

    @property
    def starts(self) -> Integers:
        """Where each array begins in ``values``."""
        return self.indptr[:-1]

    @property
    def ends(self) -> Integers:
        """Where each array ends in ``values``."""
        return self.indptr[1:]

    @property
    def lengths(self) -> Integers:
        """The length of each array."""
        return np.diff(self.indptr)

    def take(self, indices: Integers) -> RaggedArray:
        """The arrays at ``indices``, in that order."""
        if len(indices) == len(self) and (np.diff(indices) == 1).all():  # all arrays in their order
            return self
        lengths = self.lengths[indices]
        return RaggedArray(self.values[joined_ranges(self.starts[indices], lengths)], np.cumsum(lengths))

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @overload
    def __getitem__(self, index: int) -> Values: ...
    @overload
    def __getitem__(self, index: slice) -> list[Values]: ...
    def __getitem__(self, index: int | slice) -> Values | list[Values]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]  # a negative index counts from the end; one out of range raises IndexError
        return self.values[self.indptr[i] : self.indptr[i + 1]]

    def __repr__(self) -> str:
        first_arrays = ", ".join(str(array.tolist()) for array in self[:3])
        more = ", ..." if len(self) > 3 else ""
        return f"<{len(self):,} arrays: {first_arrays}{more}>"
