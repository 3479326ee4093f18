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
from bitsieve.counts.tables import Terms
from bitsieve.counts.threads import run_blocks
from bitsieve.information.evidence import log_chi_squared_tail
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.lazy import cached_property

LABELS_AT_ONCE = 1 << 24  # classes of shuffled samples that are held
COLUMNS_A_BLOCK = 32  # that a thread cuts at once
MAX_EXPONENT = 700.0  # of e, that a float holds


@dataclass(frozen=True)
class RepeatedSearch:
    """A step of a selection whose codes were made with a look at the classes.

    The figure of a candidate is the tail of chi-squared beyond ``2 N ln(2) I(X;C|S)``, which makes candidates of few
    and of many codes comparable; smaller is better, and 1 is that of a column without codes. It is not taken for a
    probability: only its rank among its values after shuffles is.

    ``chosen``: S, the columns chosen so far. ``tried``: all columns that might have been chosen now, those in which no
    cut was accepted among them. ``terms``: of the plug-in information. ``n_jobs``: threads for shuffles.
    """

    search: CodingPenalty
    chosen: Sequence[int]
    tried: Columns
    terms: Terms
    n_jobs: int | None

    @property
    def _to_repeat(self) -> ClassSearch:
        return self.search.to_repeat()

    @cached_property
    def parts(self) -> Parts:
        """The samples by the joint value of S."""
        search = self._to_repeat
        columns = [search.codes(column) for column in self.chosen]
        return Parts.of(joint_codes(columns, len(search.classes)))

    def figure(self, candidate: int) -> float:
        """The figure of a candidate, with the classes as they are."""
        return float(self._figures(self._observed(candidate))[0, 0])

    def bits(self, candidate: int) -> float:
        """I(X;C|S) of a candidate, with the classes as they are."""
        return float(self._bits(self._observed(candidate))[0, 0])

    def _observed(self, candidate: int) -> Dependence:
        search = self._to_repeat
        codes = search.codes(candidate)
        return dependence_of_codes(codes, search.classes[None], search.n_classes, self.parts, self.terms)

    def best_after_shuffles(self, seeds: NDArray[np.uint64]) -> Floats:
        """The smallest figure of all candidates after each of several shuffles of the classes within the parts."""
        return self._least(seeds, self._figures)

    def most_bits_after_shuffles(self, seeds: NDArray[np.uint64]) -> Floats:
        """The largest I(X;C|S) of all candidates after each of several shuffles of the classes within the parts."""
        return -self._least(seeds, lambda found: -self._bits(found))

    def reached(self, candidate: int) -> Callable[[NDArray[np.uint64]], Flags]:
        """Whether the best of all candidates reaches the figure of this one after each of several shuffles.

        Where samples belong together: whether the candidate alone reaches its I(X;C|S).
        """
        if self.search.units is None:
            figure = self.figure(candidate)
            return lambda seeds: self.best_after_shuffles(seeds) <= figure
        alone, bits = replace(self, tried=np.array([candidate])), self.bits(candidate)
        return lambda seeds: alone.most_bits_after_shuffles(seeds) >= bits

    def _least(self, seeds: NDArray[np.uint64], of_columns: Callable[[Dependence], Floats]) -> Floats:
        """The least value of all candidates after every shuffle, from those of blocks of columns."""
        at_once = max(1, LABELS_AT_ONCE // len(self._to_repeat.classes))
        blocks = range(0, len(self.tried), COLUMNS_A_BLOCK)
        found = np.empty((len(blocks), len(seeds)))
        for first in range(0, len(seeds), at_once):
            some = slice(first, first + at_once)
            classes = self._to_repeat.shuffled(self.parts, seeds[some])

            def cut(start: int, some: slice = some, classes: Labels = classes) -> None:
                columns = self.tried[start : start + COLUMNS_A_BLOCK]
                made = self._to_repeat.dependence(classes, columns, self.parts, self.terms)
                found[start // COLUMNS_A_BLOCK, some] = of_columns(made).min(axis=0)

            run_blocks(cut, blocks, self.n_jobs)
        return np.asarray(found.min(axis=0))

    def _figures(self, found: Dependence) -> Floats:
        """The tail of chi-squared beyond the statistic of a sum of terms; 1 without freedom."""
        figures = np.ones(found.freedom.shape)
        some = found.freedom > 0
        bits = self._bits(found)[some]
        statistic = np.maximum(0.0, 2 * self.terms.n_samples * log(2) * bits)
        figures[some] = np.exp(log_chi_squared_tail(found.freedom[some], statistic))
        return figures

    def _bits(self, found: Dependence) -> Floats:
        return found.sums / self.terms.per_bit
