"""The text of a column: its distinct values, and how many rows hold each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from bitsieve.dataset.arrow import mask_of
from bitsieve.utils.arrays import Flags, Integers


@dataclass(frozen=True, eq=False)
class CountedText:
    """The distinct values of a column of text, and how many rows hold each."""

    values: pa.Array  # of strings; null is a missing value
    counts: Integers  # shape (n_values,): the number of rows that hold each value
    has_missing: bool = False  # whether other rows have no value

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())

    def n_rows_of(self, mask: Flags) -> int:
        """The number of rows that hold one of the values of a mask."""
        return int(self.counts[mask].sum())

    def where(self, mask: Flags) -> CountedText:
        """The values of a mask."""
        return CountedText(self.values.filter(mask_of(mask)), self.counts[mask], self.has_missing)

    def most_frequent(self, mask: Flags, n: int) -> list[tuple[str, int]]:
        """The n most frequent values of a mask with their rows, of equally frequent ones the alphabetically first."""
        values = self.values.to_pylist()
        indices = np.flatnonzero(mask & (self.counts > 0)).tolist()
        ordered = sorted(indices, key=lambda i: (-int(self.counts[i]), values[i]))
        return [(values[i], int(self.counts[i])) for i in ordered[:n]]
