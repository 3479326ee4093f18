"""A step of a search that is repeated with shuffled classes, the cuts of the columns included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.search import (
    ClassSearch,
    CodingPenalty,
    Dependence,
    Labels,
    Parts,
    dependence_of_codes,
    joint_codes,
)
from bitsieve.counts.tables import EntropyTerms
from bitsieve.counts.threads import run_blocks
from bitsieve.information.evidence import log_chi_squared_tail
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.lazy import cached_property

LABELS_AT_ONCE = 1 << 24  # classes of shuffled samples that are held
COLUMNS_A_BLOCK = 32  # that a thread cuts at once
MAX_EXPONENT = 700.0  # e to this power is still a float


@dataclass(frozen=True)
class RepeatedSearch:
    """A step of a selection whose codes were made with a look at the classes.

    The figure of a candidate is the tail of chi-squared beyond ``2 N ln(2) I(X;C|S)``, which makes candidates of few
    and of many codes comparable; smaller is better, and 1 is that of a column without codes. It is not taken for a
    probability: only its rank among its values after shuffles is.

    ``chosen``: S, the columns chosen so far. ``tried``: all columns that might have been chosen now, those in which no
    cut was accepted among them. ``entropy_terms``: those of the plug-in information. ``n_jobs``: threads for shuffles.
    """

    search: CodingPenalty
    chosen: Sequence[int]
    tried: Columns
    entropy_terms: EntropyTerms
    n_jobs: int | None

    @property
    def _class_search(self) -> ClassSearch:
        return self.search.to_repeat()

    @cached_property
    def parts(self) -> Parts:
        """The samples by the joint value of S, within the strata if there are any."""
        search = self._class_search
        columns = [search.codes(column) for column in self.chosen]
        if search.strata is not None:
            columns.insert(0, search.strata)
        return Parts.of(joint_codes(columns, len(search.classes)))

    def figure(self, candidate: int) -> float:
        """The figure of a candidate, with the classes as they are."""
        return float(self._figures(self._observed(candidate))[0, 0])

    def bits(self, candidate: int) -> float:
        """I(X;C|S) of a candidate, with the classes as they are."""
        return float(self._bits(self._observed(candidate))[0, 0])

    def _observed(self, candidate: int) -> Dependence:
        search = self._class_search
        codes = search.codes(candidate)
        return dependence_of_codes(codes, search.classes[None], search.n_classes, self.parts, self.entropy_terms)

    def best_after_shuffles(self, seeds: NDArray[np.uint64]) -> Floats:
        """The smallest figure of all candidates after each of several shuffles of the classes within the parts."""
        return self._smallest_after_shuffles(seeds, self._figures)

    def most_bits_after_shuffles(self, seeds: NDArray[np.uint64]) -> Floats:
        """The largest I(X;C|S) of all candidates after each of several shuffles of the classes within the parts."""
        return -self._smallest_after_shuffles(seeds, lambda dependence: -self._bits(dependence))

    def reached(self, candidate: int) -> Callable[[NDArray[np.uint64]], Flags]:
        """Whether the best of all candidates reaches the figure of this one after each of several shuffles.

        Where samples belong together: whether the candidate alone reaches its I(X;C|S).
        """
        if self.search.units is None:
            figure = self.figure(candidate)
            return lambda seeds: self.best_after_shuffles(seeds) <= figure
        search_of_one = replace(self, tried=np.array([candidate]))
        bits = self.bits(candidate)
        return lambda seeds: search_of_one.most_bits_after_shuffles(seeds) >= bits

    def _smallest_after_shuffles(self, seeds: NDArray[np.uint64], statistic: Callable[[Dependence], Floats]) -> Floats:
        """The least value of all candidates after every shuffle, from those of blocks of columns."""
        batch_size = max(1, LABELS_AT_ONCE // len(self._class_search.classes))
        blocks = range(0, len(self.tried), COLUMNS_A_BLOCK)
        minima = np.empty((len(blocks), len(seeds)))
        for first in range(0, len(seeds), batch_size):
            batch = slice(first, first + batch_size)
            classes = self._class_search.shuffled(self.parts, seeds[batch])

            def cut(start: int, batch: slice = batch, classes: Labels = classes) -> None:
                columns = self.tried[start : start + COLUMNS_A_BLOCK]
                dependence = self._class_search.dependence(classes, columns, self.parts, self.entropy_terms)
                minima[start // COLUMNS_A_BLOCK, batch] = statistic(dependence).min(axis=0)

            run_blocks(cut, blocks, self.n_jobs)
        return np.asarray(minima.min(axis=0))

    def _figures(self, dependence: Dependence) -> Floats:
        """The tail of chi-squared beyond the statistic of a sum of terms; 1 without freedom."""
        figures = np.ones(dependence.freedom.shape)
        has_freedom = dependence.freedom > 0
        bits = self._bits(dependence)[has_freedom]
        statistic = np.maximum(0.0, 2 * self.entropy_terms.n_samples * log(2) * bits)
        figures[has_freedom] = np.exp(log_chi_squared_tail(dependence.freedom[has_freedom], statistic))
        return figures

    def _bits(self, dependence: Dependence) -> Floats:
        return dependence.sums / self.entropy_terms.per_bit
