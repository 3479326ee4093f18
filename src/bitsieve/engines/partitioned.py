"""Tables of samples that lie in portions: each portion counts its own, and the integers are added."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.lazy import cached_property
from bitsieve.counts.source import ConditioningSource, Partition, check_joint_values, refined
from bitsieve.counts.tables import MAX_SAMPLES, ContingencyTable
from bitsieve.engines import portions as on_portion
from bitsieve.engines.portions import Portions, added

Integers = NDArray[np.int64]
Columns = NDArray[np.intp]


class PartitionedSource(ConditioningSource):
    """Contingency tables of samples that lie in packed portions, wherever they are.

    A request is one task a portion and a tree of sums; only tables travel. The tables of many columns with one pivot
    are one request.

    Parameters
    ----------
    portions : Portions
        Of :class:`~bitsieve.counts.packed.PackedSource`; a portion without samples is None.
    n_classes : int, optional
        By default the largest class code plus one.

    Raises
    ------
    ValueError
        If there are no samples, or more than 2**31.
    """

    def __init__(self, portions: Portions, n_classes: int | None = None) -> None:
        self.portions = portions.with_samples()
        known = self.portions.total("facts", on_portion.facts, on_portion.merged_facts)
        if known.n_samples > MAX_SAMPLES:
            raise ValueError(
                f"the data has {known.n_samples:,} samples: at most {MAX_SAMPLES:,} are supported, "
                "draw a sample of them"
            )
        self.n_samples, self.n_features, self.arities = known.n_samples, len(known.arities), known.arities
        self.class_sizes = np.zeros(max(n_classes or 0, len(known.class_sizes)), np.int64)
        self.class_sizes[: len(known.class_sizes)] = known.class_sizes
        self.n_classes, self.n_jobs = len(self.class_sizes), None

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """The tables of the pivot (None: no pivot) with each of ``columns``, of shape (codes, codes, classes)."""
        n_first = 1 if pivot is None else int(self.arities[pivot])
        n_codes, n_classes = self.arities[columns].astype(np.int64), self.n_classes if by_class else 1
        work = partial(
            on_portion.count_pairs,
            pivot=pivot,
            columns=np.asarray(columns),
            n_first=n_first,
            n_codes=n_codes,
            n_classes=n_classes,
        )
        block = self.portions.total("count", work, added)
        return block.tables([(n_first, codes, n_classes) for codes in n_codes.tolist()])

    def partition(self) -> PartitionOfPortions:
        """All samples in one part, to be refined by conditioning features."""
        return PartitionOfPortions(self, np.empty((1, 0), np.int64))

    def joined(self, groups: Sequence[Columns]) -> PartitionedSource:
        """The same samples with one feature for each group of columns, its codes their joint values that occur."""
        portions = self.portions
        for group in groups:
            parts = refined(self.partition(), group)
            check_joint_values(group, len(parts.keys))
            portions = portions.beside(parts.of_samples)
        return PartitionedSource(portions.map("join", on_portion.join), self.n_classes)


class PartitionOfPortions(Partition):
    """A partition of samples that lie in portions: each portion keeps the part of its own.

    Parameters
    ----------
    source : PartitionedSource
    keys : ndarray of int64, shape (n_parts, n_conditioning)
        The codes of the conditioning features in every part that occurs in any portion.
    of_samples : Portions, optional
        The part of every sample; by default one part of all.
    """

    source: PartitionedSource

    def __init__(self, source: PartitionedSource, keys: Integers, of_samples: Portions | None = None) -> None:
        self.source, self._keys = source, keys
        if of_samples is not None:
            self.of_samples = of_samples

    @cached_property
    def of_samples(self) -> Portions:
        """The part of every sample."""
        return self.source.portions.map("refine", on_portion.everything)

    @property
    def keys(self) -> Integers:
        """The codes of the conditioning features in every part."""
        return self._keys

    def refine(self, feature: int) -> PartitionOfPortions:
        """The partition by the same features and one more: the portions agree on the pairs that occur in any."""
        n_codes = int(self.source.arities[feature])
        both = self.source.portions.beside(self.of_samples)
        occur = partial(on_portion.pairs_that_occur, n_parts=len(self.keys), column=feature, n_codes=n_codes)
        pairs = both.total("refine", occur, on_portion.united)
        keys = np.column_stack([self.keys[pairs // n_codes], pairs % n_codes])
        renumber = partial(on_portion.refined_part, column=feature, n_codes=n_codes, pairs=pairs)
        return PartitionOfPortions(self.source, keys, both.map("refine", renumber))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        """The tables of the part with each of ``columns``; None: of the part by itself."""
        n_classes = self.source.n_classes if by_class else 1
        n_codes = np.ones(1, np.int64) if columns is None else self.source.arities[columns].astype(np.int64)
        work = partial(
            on_portion.count_parts, n_parts=len(self.keys), columns=columns, n_codes=n_codes, n_classes=n_classes
        )
        block = self.source.portions.beside(self.of_samples).total("count", work, added)
        return block.tables([(len(self.keys), codes, n_classes) for codes in n_codes.tolist()])
