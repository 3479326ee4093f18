"""The best of all candidates when the classes are shuffled and everything that looked at them is repeated."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, prod
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.attributes import cached_property
from bitsieve.counts.blocks import run_blocks
from bitsieve.counts.contingency import DENSE_CELLS, ContingencyTable
from bitsieve.counts.search import joint_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bitsieve.counts.search import ClassSearch
    from bitsieve.counts.terms import Terms

    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class RepeatedSearch:
    """A step of a selection whose codes were made with a look at the classes.

    The figure of a candidate is the tail of chi-squared beyond ``2 N ln(2) I(X;C|S)``, which makes candidates of few
    and of many codes comparable; smaller is better, and 1 is that of a column without codes. It is not taken for a
    probability: only its rank among its values after shuffles is.

    Attributes
    ----------
    search : ClassSearch
    chosen : sequence of int
        S, the columns chosen so far.
    tried : ndarray of int
        All columns that might have been chosen now, those in which no cut was accepted among them.
    terms : Terms
        Of the plug-in information.
    n_jobs : int or None
        Threads for shuffles.
    """

    search: ClassSearch
    chosen: Sequence[int]
    tried: NDArray[np.intp]
    terms: Terms
    n_jobs: int | None

    @cached_property
    def parts(self) -> Integers:
        """The joint value of S of every sample."""
        return joint_codes([self.search.codes(column) for column in self.chosen], len(self.search.classes))

    def figure(self, candidate: int) -> float:
        """The figure of a candidate, with the classes as they are."""
        return self._tail(self.search.codes(candidate), self.search.classes)

    def log_codings(self, candidate: int) -> float:
        """The price of the search within a candidate, as a logarithm."""
        return self.search.log_codings(candidate)

    def best_after_shuffles(self, seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The smallest figure of all candidates after each of several shuffles of the classes within the parts."""
        best = np.ones(len(seeds))
        in_parts = np.argsort(self.parts, kind="stable")

        def shuffle(place: int) -> None:
            drawn = np.random.default_rng(int(seeds[place])).random(len(in_parts))
            classes = np.empty_like(self.search.classes)
            classes[in_parts] = self.search.classes[np.lexsort((drawn, self.parts))]
            for _, codes in self.search.recoded(classes, self.tried):
                best[place] = min(best[place], self._tail(codes, classes))

        run_blocks(shuffle, range(len(seeds)), self.n_jobs)
        return best

    def _tail(self, codes: Integers, classes: Integers) -> float:
        n_parts, n_codes, n_classes = int(self.parts.max()) + 1, int(codes.max()) + 1, self.search.n_classes
        shape = n_parts, n_codes, n_classes
        cell = (self.parts * n_codes + codes) * n_classes + classes
        if prod(shape) <= DENSE_CELLS:
            cube = np.bincount(cell, minlength=prod(shape)).reshape(shape)
            by_code, by_class = cube.sum(axis=2), cube.sum(axis=1)
            sums = [self.terms.sum(part) for part in (cube, by_code, by_class, by_class.sum(axis=1))]
            freedom = int((((by_code > 0).sum(axis=1) - 1) * ((by_class > 0).sum(axis=1) - 1)).sum())
            return self._beyond(freedom, sums[0] - sums[1] - sums[2] + sums[3])
        return self._sparse_tail(shape, cell)

    def _sparse_tail(self, shape: tuple[int, int, int], cell: Integers) -> float:
        """The same where most cells are empty."""
        _, n_codes, n_classes = shape
        table = ContingencyTable.of_samples(shape, cell)
        cells, counts = table.occupied()
        part, code, label = cells // (n_codes * n_classes), cells // n_classes, cells % n_classes
        by_code = np.unique(code, return_inverse=True)
        by_class = np.unique(part * n_classes + label, return_inverse=True)
        by_part = np.unique(part, return_inverse=True)
        codes_of = np.bincount(np.searchsorted(by_part[0], by_code[0] // n_codes))
        classes_of = np.bincount(np.searchsorted(by_part[0], by_class[0] // n_classes))
        freedom = int(((codes_of - 1) * (classes_of - 1)).sum())
        xz, zc, z = (self._sum(inverse, counts) for _, inverse in (by_code, by_class, by_part))
        return self._beyond(freedom, self.terms.sum(counts) - xz - zc + z)

    def _beyond(self, freedom: int, sums: int) -> float:
        """The tail of chi-squared beyond the statistic that a sum of terms stands for."""
        if not freedom:
            return 1.0
        bits = sums / self.terms.per_bit
        from scipy.special import chdtrc  # here, as its import takes longer than a short job

        return float(chdtrc(freedom, max(0.0, 2 * self.terms.n_samples * log(2) * bits)))

    def _sum(self, places: NDArray[np.intp], counts: Integers) -> int:
        total = np.zeros(int(places.max()) + 1, np.int64)
        np.add.at(total, places.reshape(-1), counts)
        return self.terms.sum(total)
