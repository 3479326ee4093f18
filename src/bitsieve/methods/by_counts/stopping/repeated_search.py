"""One step of a selection, repeated with shuffled classes. The columns are cut anew for each shuffle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
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
from bitsieve.counts.threads import run_blocks, threads_of_block
from bitsieve.information.chi_squared import log_chi_squared_tail
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.lazy import cached_property

MAX_SHUFFLED_LABELS = 1 << 24  # shuffled classes of samples that are in memory at once
BLOCK_COLUMNS = 32  # columns that a thread cuts at once, at least
BLOCK_VALUES = 1 << 13  # values that a thread cuts at once, at least
LABELS_OF_DIVISION = 1 << 15  # shuffled classes for which a thread is worth waking
MAX_EXPONENT = 700.0  # e to this power is still a float


@dataclass(frozen=True, eq=False)
class RepeatedSearch:
    """A step of a selection whose codes were made with a look at the classes.

    With S the columns chosen so far, a candidate X has the tail ``P(chi-squared > 2 N ln(2) I(X;C|S))``, with the
    degrees of freedom of the tables of X and C. Tails make candidates of few and of many codes comparable: the smaller,
    the better. The tail of a column without codes is 1. As the codes fit these classes, a tail is no p value; its rank
    among the tails after shuffles gives one.
    """

    search: CodingPenalty
    chosen: Sequence[int]  # S
    candidates: Columns  # all columns that might have been chosen in this step, also those in which no cut was accepted
    entropy_terms: EntropyTerms  # of plug-in information
    n_jobs: int | None  # threads for shuffles

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

    def tail(self, candidate: int) -> float:
        """The tail of a candidate, with the classes as they are."""
        return float(self._tails(self._dependence(candidate))[0, 0])

    def bits(self, candidate: int) -> float:
        """I(X;C|S) of a candidate, with the classes as they are."""
        return float(self._bits(self._dependence(candidate))[0, 0])

    def _dependence(self, candidate: int) -> Dependence:
        search = self._class_search
        codes = search.codes(candidate)
        return dependence_of_codes(codes, search.classes[None], search.n_classes, self.parts, self.entropy_terms)

    def smallest_tails(self, seeds: NDArray[np.uint64]) -> Floats:
        """The smallest tail of all candidates after each shuffle of the classes within the parts, shape (n_seeds,)."""
        return self._best_after_shuffles(seeds, self._tails, np.minimum)

    def largest_bits(self, seeds: NDArray[np.uint64]) -> Floats:
        """The largest I(X;C|S) of all candidates after each shuffle of the classes within the parts."""
        return self._best_after_shuffles(seeds, self._bits, np.maximum)

    def reached(self, candidate: int) -> Callable[[NDArray[np.uint64]], Flags]:
        """Return a function of seeds: whether chance is as good as this candidate after each shuffle.

        It is if the smallest tail of all candidates is at most the tail of this one. Where samples belong together, no
        other candidate is compared: it is if I(X;C|S) of this one after the shuffle is at least what it was before.
        """
        if self.search.exchangeable_units is None:
            tail = self.tail(candidate)
            return lambda seeds: self.smallest_tails(seeds) <= tail
        search_of_candidate = replace(self, candidates=np.array([candidate]))
        bits = self.bits(candidate)
        return lambda seeds: search_of_candidate.largest_bits(seeds) >= bits

    def _best_after_shuffles(
        self, seeds: NDArray[np.uint64], statistic: Callable[[Dependence], Floats], best_of: np.ufunc
    ) -> Floats:
        """The best statistic of all candidates after each shuffle; ``best_of`` is ``np.minimum`` or ``np.maximum``."""
        batch_size = max(1, MAX_SHUFFLED_LABELS // len(self._class_search.classes))
        block_columns = max(BLOCK_COLUMNS, BLOCK_VALUES // len(self._class_search.classes))
        first_columns = range(0, len(self.candidates), block_columns)
        best_of_blocks = np.empty((len(first_columns), len(seeds)))
        max_divisions = threads_of_block(len(first_columns), self.n_jobs)  # of the shuffles, if columns are few
        for first in range(0, len(seeds), batch_size):
            classes = self._class_search.shuffled(self.parts, seeds[first : first + batch_size], self.n_jobs)
            best_of_batch = best_of_blocks[:, first : first + batch_size]
            n_divisions = max(1, min(max_divisions, classes.size // LABELS_OF_DIVISION))
            division_size = -(-len(classes) // n_divisions)
            first_shuffles = range(0, len(classes), division_size)

            def cut(
                block: tuple[int, int],
                classes: Labels = classes,
                best_of_batch: Floats = best_of_batch,
                division_size: int = division_size,
            ) -> None:
                first_column, first_shuffle = block
                columns = self.candidates[first_column : first_column + block_columns]
                shuffles = slice(first_shuffle, first_shuffle + division_size)
                dependence = self._class_search.dependence(classes[shuffles], columns, self.parts, self.entropy_terms)
                best = best_of.reduce(statistic(dependence), axis=0)
                best_of_batch[first_column // block_columns, shuffles] = best

            run_blocks(cut, list(product(first_columns, first_shuffles)), self.n_jobs)
        return np.asarray(best_of.reduce(best_of_blocks, axis=0))

    def _tails(self, dependence: Dependence) -> Floats:
        """``P(chi-squared > 2 N ln(2) I(X;C|S))``; 1 without degrees of freedom."""
        tails = np.ones(dependence.freedom.shape)
        has_freedom = dependence.freedom > 0
        bits = self._bits(dependence)[has_freedom]
        statistic = np.maximum(0.0, 2 * self.entropy_terms.n_samples * log(2) * bits)
        tails[has_freedom] = np.exp(log_chi_squared_tail(dependence.freedom[has_freedom], statistic))
        return tails

    def _bits(self, dependence: Dependence) -> Floats:
        return dependence.sums / self.entropy_terms.per_bit
