"""Many arrays of different lengths, one for each column, stored as one flat array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.utils.arrays import Integers


class RaggedArray(Sequence[Any]):
    """A sequence of 1-D arrays that lie one behind the other in the flat array ``values``.

    Array i ends at ``ends[i]``, where array i + 1 begins.
    """

    def __init__(self, values: NDArray[Any], ends: Integers) -> None:
        self.values = values
        self.ends = ends

    @classmethod
    def from_arrays(cls, arrays: Sequence[NDArray[Any]]) -> RaggedArray:
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
            ((indices, arrays),) = parts
            if np.array_equal(indices, np.arange(n_arrays)):
                return arrays
        lengths = np.zeros(n_arrays, np.int64)
        for indices, arrays in parts:
            lengths[indices] += arrays.lengths
        ends = np.cumsum(lengths)
        dtype = np.result_type(*(arrays.values.dtype for _, arrays in parts)) if parts else np.dtype(np.float64)
        values = np.empty(int(lengths.sum()), dtype)
        for indices, arrays in parts:
            shift = np.repeat(ends[indices] - arrays.ends, arrays.lengths)  # how far each value moves
            targets = np.arange(len(arrays.values)) + shift
            values[targets] = arrays.values
        return cls(values, ends)

    @property
    def lengths(self) -> Integers:
        """The length of every array."""
        return np.diff(self.ends, prepend=0)

    def take(self, indices: Integers) -> RaggedArray:
        """The arrays at ``indices``, in that order."""
        if len(indices) == len(self) and (np.diff(indices) == 1).all():
            return self
        lengths = self.lengths[indices]
        ends = np.cumsum(lengths)
        shift = np.repeat(self.ends[indices] - ends, lengths)  # how far each value moves
        sources = np.arange(len(shift)) + shift
        return RaggedArray(self.values[sources], ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[j] for j in range(*index.indices(len(self)))]
        j = range(len(self))[index]  # a negative index counts from the end; one out of range raises IndexError
        start = self.ends[j - 1] if j > 0 else 0
        return self.values[start : self.ends[j]]

    def __repr__(self) -> str:
        first = ", ".join(str(array.tolist()) for array in self[:3])
        more = ", ..." if len(self) > 3 else ""
        return f"<{len(self):,} arrays: {first}{more}>"
