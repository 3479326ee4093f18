"""One array a column, of different lengths, kept as one flat array: a million of them are two arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.utils.arrays import Integers


class Ragged(Sequence[Any]):
    """A sequence of 1-D arrays, each a part of the flat array ``values``, in which ``ends`` says where each ends."""

    def __init__(self, values: NDArray[Any], ends: Integers) -> None:
        self.values, self.ends = values, ends

    @classmethod
    def merged(cls, n_arrays: int, parts: Iterable[tuple[Integers, NDArray[Any], Integers]]) -> Ragged:
        """Of each part the places of some arrays, their values and ends; only one part may hold values of a place."""
        parts = list(parts)
        if len(parts) == 1 and np.array_equal(parts[0][0], np.arange(n_arrays)):
            return cls(*parts[0][1:])
        lengths = np.zeros(n_arrays, np.int64)
        for places, _, ends in parts:
            lengths[places] += np.diff(ends, prepend=0)
        ends_of_all = np.cumsum(lengths)
        kind = np.result_type(*(values.dtype for _, values, _ in parts)) if parts else np.dtype(np.float64)
        merged = np.empty(int(ends_of_all[-1]) if n_arrays else 0, kind)
        for places, values, ends in parts:
            shift = np.repeat(ends_of_all[places] - ends, np.diff(ends, prepend=0))
            merged[np.arange(len(values)) + shift] = values
        return cls(merged, ends_of_all)

    @property
    def lengths(self) -> Integers:
        """The length of every array."""
        return np.diff(self.ends, prepend=0)

    def take(self, places: Integers) -> Ragged:
        """Some of the arrays, in the order of ``places``."""
        if len(places) == len(self) and (np.diff(places) == 1).all():
            return self
        lengths = self.lengths[places]
        ends = np.cumsum(lengths)
        shift = np.repeat(self.ends[places] - ends, lengths)
        return Ragged(self.values[np.arange(len(shift)) + shift], ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[j] for j in range(*place.indices(len(self)))]
        at = range(len(self))[place]  # counts from the end where negative, and refuses what is beyond
        return self.values[self.ends[at - 1] if at else 0 : self.ends[at]]

    def __repr__(self) -> str:
        shown = ", ".join(str(array.tolist()) for array in self[:3])
        return f"<{len(self):,} arrays: {shown}{', ...' if len(self) > 3 else ''}>"
