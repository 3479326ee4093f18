"""Tables and partitions of sources that know the code of every sample: one joint code a sample is enough."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.contingency import ContingencyTable
from bitsieve.counts.joined import JoinedSource
from bitsieve.counts.partition import Partition
from bitsieve.counts.source import CountSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]


class CodedSource(CountSource):
    """A source that knows the class and the codes of every sample, in an order of the samples that never changes.

    Attributes
    ----------
    sample_classes : ndarray of int, shape (n_samples,)
    """

    sample_classes: NDArray[np.int64]

    @abstractmethod
    def codes(self, feature: int) -> NDArray[np.integer]:
        """The code of every sample."""

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """The tables of the pivot (None: no pivot) with each of ``columns``, of shape (codes, codes, classes)."""
        if pivot is None:
            return _tables(self, np.zeros(self.n_samples, np.int64), 1, columns, by_class)
        return _tables(self, self.codes(pivot), int(self.arities[pivot]), columns, by_class)

    def partition(self) -> Partition:
        """All samples in one part, to be refined by conditioning features."""
        return JointCodes(self)

    def joined(self, groups: Sequence[Columns]) -> CountSource:
        """The same samples with one feature for each group of columns, its codes their joint values that occur."""
        return JoinedSource(self, groups)


class JointCodes(Partition):
    """A partition of the samples, held as the number of its part for every sample.

    Parameters
    ----------
    source : CodedSource
    part : ndarray of int64, shape (n_samples,), optional
        The part of every sample; by default one part of all.
    keys : ndarray of int64, shape (n_parts, n_conditioning), optional
    """

    source: CodedSource

    def __init__(self, source: CodedSource, part: Integers | None = None, keys: Integers | None = None) -> None:
        self.source = source
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
        """The tables of the part with each of ``columns``; None: of the part by itself."""
        return _tables(self.source, self.part, len(self.keys), columns, by_class)


def _tables(
    source: CodedSource, first: NDArray[np.integer], n_first: int, columns: Columns | None, by_class: bool
) -> list[ContingencyTable]:
    """The tables of a first variable, given for every sample, with columns of a source (None: by itself)."""
    n_classes = source.n_classes if by_class else 1

    def table(n_codes: int, code: NDArray[np.integer] | int) -> ContingencyTable:
        cell = first.astype(np.int64) * n_codes + code
        if by_class:
            cell = cell * n_classes + source.sample_classes
        return ContingencyTable.of_samples((n_first, n_codes, n_classes), cell)

    if columns is None:
        return [table(1, 0)]
    return [table(int(source.arities[column]), source.codes(int(column))) for column in columns]
