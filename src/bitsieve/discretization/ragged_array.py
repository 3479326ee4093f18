"""One array a column, of different lengths, stored as one flat array: a million of them are two arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.utils.arrays import Integers


class RaggedArray(Sequence[Any]):
    """A sequence of 1-D arrays, one behind the other in the flat array ``values``; ``ends[i]``: where array i ends."""

    def __init__(self, values: NDArray[Any], ends: Integers) -> None:
        self.values = values
        self.ends = ends

    @classmethod
    def from_arrays(cls, arrays: Sequence[NDArray[Any]]) -> RaggedArray:
        """The arrays one behind the other, as float64 at least."""
        return cls(np.concatenate([np.empty(0), *arrays]), np.cumsum([len(array) for array in arrays], dtype=np.int64))

    @classmethod
    def empty(cls, n_arrays: int) -> RaggedArray:
        """So many arrays without values."""
        return cls(np.empty(0), np.zeros(n_arrays, np.int64))

    @classmethod
    def merged(cls, n_arrays: int, parts: Iterable[tuple[Integers, RaggedArray]]) -> RaggedArray:
        """Merge parts, each some indices below ``n_arrays`` and the arrays there; an index has values in one part."""
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
            shift = np.repeat(ends[indices] - arrays.ends, arrays.lengths)
            values[np.arange(len(arrays.values)) + shift] = arrays.values
        return cls(values, ends)

    @property
    def lengths(self) -> Integers:
        """The length of every array."""
        return np.diff(self.ends, prepend=0)

    def take(self, indices: Integers) -> RaggedArray:
        """Some of the arrays, in the order of ``indices``."""
        if len(indices) == len(self) and (np.diff(indices) == 1).all():
            return self
        lengths = self.lengths[indices]
        ends = np.cumsum(lengths)
        shift = np.repeat(self.ends[indices] - ends, lengths)
        return RaggedArray(self.values[np.arange(len(shift)) + shift], ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[j] for j in range(*index.indices(len(self)))]
        j = range(len(self))[index]  # counts from the end where negative, and refuses what is beyond
        start = self.ends[j - 1] if j > 0 else 0
        return self.values[start : self.ends[j]]

    def __repr__(self) -> str:
        first = ", ".join(str(array.tolist()) for array in self[:3])
        more = ", ..." if len(self) > 3 else ""
        return f"<{len(self):,} arrays: {first}{more}>"
