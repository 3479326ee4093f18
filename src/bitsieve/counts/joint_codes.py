"""Tables and partitions of sources that can tell the code of every sample: one joint code a sample is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from bitsieve.counts.contingency import ContingencyTable
from bitsieve.counts.partition import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]


class CodedSamples(Protocol):
    """What is needed of such a source."""

    n_samples: int
    n_classes: int
    n_jobs: int | None
    arities: NDArray[np.int32]

    @property
    def sample_classes(self) -> NDArray[np.integer]:
        """The class of every sample, in an order of the samples that never changes."""

    def codes(self, feature: int) -> NDArray[np.integer]:
        """The code of every sample, in that order."""


class JointCodes(Partition):
    """A partition of the samples, held as the number of its part for every sample.

    Parameters
    ----------
    source : CodedSamples
    part : ndarray of int64, shape (n_samples,), optional
        The part of every sample; by default one part of all.
    keys : ndarray of int64, shape (n_parts, n_conditioning), optional
    """

    def __init__(self, source: CodedSamples, part: Integers | None = None, keys: Integers | None = None) -> None:
        self.source = source
        self.n_samples, self.n_jobs = source.n_samples, source.n_jobs
        self.part = np.zeros(source.n_samples, np.int64) if part is None else part
        self._keys = np.empty((1, 0), np.int64) if keys is None else keys

    @property
    def keys(self) -> Integers:
        """The codes of the conditioning features in every part."""
        return self._keys

    def refine(self, feature: int) -> JointCodes:
        """The partition by the same features and one more."""
        n_codes = int(self.source.arities[feature])
        pairs, part = np.unique(self.part * n_codes + self.source.codes(feature), return_inverse=True)
        keys = np.column_stack([self.keys[pairs // n_codes], pairs % n_codes])
        return JointCodes(self.source, part.astype(np.int64), keys)

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        """The tables of the part with each of ``columns``; None: of the part alone."""
        return sample_tables(self.source, self.part, len(self.keys), columns, by_class)


def sample_tables(
    source: CodedSamples, first: NDArray[np.integer], n_first: int, columns: Columns | None, by_class: bool
) -> list[ContingencyTable]:
    """The tables of a first variable, given for every sample, with columns of a source (None: by itself)."""
    n_classes = source.n_classes if by_class else 1
    label = source.sample_classes if by_class else 0
    cell = first.astype(np.int64)
    if columns is None:
        return [ContingencyTable.of_samples((n_first, 1, n_classes), cell * n_classes + label)]
    tables = []
    for column in columns:
        n_codes = int(source.arities[column])
        within = (cell * n_codes + source.codes(int(column))) * n_classes + label
        tables.append(ContingencyTable.of_samples((n_first, n_codes, n_classes), within))
    return tables
