"""A search through all pairs or triples of columns: the strongest of them, and the strongest that each column is in.

Nothing is kept of the others. Columns of at most 16 codes that are bit planes are searched by native code, in blocks;
those of any other source by the tables of its partitions. Ties go to the lower columns, so the result depends neither
on blocks nor on threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from queue import Empty, SimpleQueue

import numpy as np

from bitsieve import _native
from bitsieve.counts.source import CountSource, conditioning, sums_of
from bitsieve.counts.tables import EntropyTerms, make_entropy_terms
from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers, Progress
from bitsieve.utils.lazy import cached_property

STATISTICS = ("synergy", "interaction", "gain", "joint")
ORDERS = (2, 3)
MAX_NATIVE_CODES = 16  # native code searches columns of at most so many codes
MAX_JOINT_LOOKUP_BITS = 10  # counts of two classes below 2**10 are looked up together, in a table of 8 MiB
MAX_FIRST_BYTES = 512 << 10  # the planes of the first columns of a block take half of a common second-level cache
BLOCK_STEPS = 4e9  # a block has about so many steps (tuples times samples), a twentieth of a second
MAX_TABLE_STEPS = 1e10  # more steps (triples times samples) by tables would take more than about ten minutes
LANES = 8  # features of a SIMD group
NO_VALUE = np.iinfo(np.int64).min  # of a column that is in no tuple


@dataclass(frozen=True, eq=False)
class Tuples:
    """The strongest tuples, and the strongest tuple of every column; values are sums of entropy terms."""

    values: Integers  # (n_top,), strongest first
    columns: Columns  # (n_top, order)
    best: Integers  # (n_features,): the value of the strongest tuple of each column
    best_columns: Columns  # (n_features, order): the columns of that tuple

    @classmethod
    def of(cls, columns: Columns, values: Sequence[Integers], n_features: int, n_top: int) -> Tuples:
        """The strongest of tuples that are in lexicographic order.

        ``columns`` has the shape (n_tuples, order). ``values[m]``, of shape (n_tuples,), are the values of the tuples
        for their m-th column.
        """
        n_tuples, order = columns.shape
        tuple_index = np.tile(np.arange(n_tuples), order)
        column = columns.T.reshape(-1)
        value = np.concatenate(values)

        # Assign to each column its tuples by rising value, of equal values the first last: the last assignment stays.
        weakest_first = np.lexsort((-tuple_index, value))
        best = np.full(n_features, NO_VALUE)
        best_columns = np.full((n_features, order), -1, np.intp)
        best[column[weakest_first]] = value[weakest_first]
        best_columns[column[weakest_first]] = columns[tuple_index[weakest_first]]

        largest_value = np.maximum.reduce(list(values))
        top = np.argsort(~largest_value, kind="stable")[:n_top]  # ~v = -v - 1 falls as v rises, and never overflows
        return cls(largest_value[top], columns[top], best, best_columns)

    def merged(self, other: Tuples, n_top: int) -> Tuples:
        """The strongest tuples of both. Ties go to the lower columns."""
        values = np.concatenate([self.values, other.values])
        columns = np.concatenate([self.columns, other.columns])
        order = np.lexsort((*columns.T[::-1], ~values))[:n_top]
        is_better = other.best > self.best
        for j in np.flatnonzero((other.best == self.best) & (self.best > NO_VALUE)).tolist():
            is_better[j] = tuple(other.best_columns[j]) < tuple(self.best_columns[j])
        best = np.where(is_better, other.best, self.best)
        best_columns = np.where(is_better[:, None], other.best_columns, self.best_columns)
        return Tuples(values[order], columns[order], best, best_columns)


def n_tuples(source: CountSource, order: int) -> int:
    """The number of tuples of columns that are not constant."""
    return comb(int((source.arities > 1).sum()), order)


def search_tuples(source: CountSource, order: int, statistic: str, n_top: int, progress: Progress = None) -> Tuples:
    """The ``n_top`` strongest pairs (``order`` 2) or triples (3) of columns, and the strongest one of each column.

    Constant columns are in no tuple. ``statistic`` is one of the values of a triple (of a pair likewise)

    - "joint":       I(Xi,Xj,Xk;C)
    - "interaction": I(Xi,Xj,Xk;C) - I(Xi,Xj;C) - I(Xi,Xk;C) - I(Xj,Xk;C) + I(Xi;C) + I(Xj;C) + I(Xk;C)
    - "gain":        I(Xi;C|Xj,Xk) for column i, and likewise for j and k; that of the triple is the largest
    - "synergy":     I(Xi,Xj,Xk;C) - max(I(Xi;C) + I(Xj;C) + I(Xk;C), I(Xi,Xj;C) + I(Xk;C), ...), over all divisions

    Raises ValueError where tables would take too many steps.
    """
    sums = sums_of(source)
    entropy_terms = make_entropy_terms(source.n_samples)
    if sums.planes is not None and int(source.arities.max()) <= MAX_NATIVE_CODES:
        return _search_planes(source, sums.planes, entropy_terms, order, statistic, n_top, progress)
    if order == 2:
        return _search_pair_tables(source, entropy_terms, statistic, n_top, progress)
    return _search_triple_tables(source, entropy_terms, statistic, n_top, progress)


def _search_planes(
    source: CountSource,
    packed: _native.PackedTable,
    entropy_terms: EntropyTerms,
    order: int,
    statistic: str,
    n_top: int,
    progress: Progress,
) -> Tuples:
    """Search by native code, a search object for every thread."""
    n_bits = min(MAX_JOINT_LOOKUP_BITS, int(source.class_sizes.max()).bit_length())
    two_class_terms = np.empty(0, np.int64)
    if order == 3 and source.n_classes == 2:
        two_class_terms = _two_class_terms(source.n_samples, n_bits)
    searches: list[_native.TupleSearch] = []
    idle: SimpleQueue[_native.TupleSearch] = SimpleQueue()

    def search_block(block: Sequence[int]) -> None:
        try:
            search = idle.get_nowait()
        except Empty:
            search = _native.TupleSearch(
                packed, entropy_terms.table, entropy_terms.shift, two_class_terms, n_bits, statistic, n_top
            )
            searches.append(search)
        if order == 2:
            search.pairs(*block)
        else:
            search.triples(*block)
        idle.put(search)

    n_words = int((-(-source.class_sizes // 64)).sum())
    blocks = list(_blocks(packed.n_simd_groups, n_words, int(source.arities.max()) - 1, order))
    run_blocks(search_block, blocks, source.n_jobs, progress)
    strongest = _no_tuples(source, order)
    for search in searches:
        values, columns = search.top()
        best, best_columns = search.best()
        tuples_of_thread = Tuples(
            values=values,
            columns=columns.reshape(-1, 3)[:, :order],
            best=best,
            best_columns=best_columns.reshape(-1, 3)[:, :order],
        )
        strongest = strongest.merged(tuples_of_thread, n_top)
    return strongest


def _no_tuples(source: CountSource, order: int) -> Tuples:
    return Tuples.of(np.empty((0, order), np.intp), [np.empty(0, np.int64)] * order, source.n_features, 0)


@lru_cache(maxsize=1)
def _two_class_terms(n_samples: int, n_bits: int) -> Integers:
    entropy_terms = make_entropy_terms(n_samples)
    return _native.two_class_terms(entropy_terms.table, entropy_terms.shift, n_bits)


def _blocks(n_groups: int, n_words: int, n_planes: int, order: int) -> Iterator[tuple[int, int, int, int]]:
    """Blocks [i0, i1, j0, j1) of SIMD groups, of about as many steps each.

    A block has all tuples whose first column is in the groups ``i0 .. i1 - 1`` and whose second is in ``j0 .. j1 - 1``;
    the third column of a triple is in ``j0`` or any later group.
    """
    n_samples = 64 * n_words
    height = 8
    if order == 3:
        bytes_per_group = LANES * 8 * n_words * LANES * n_planes**2  # of the planes of pairs of columns
        height = int(np.clip(MAX_FIRST_BYTES // max(1, bytes_per_group), 1, 4))
    for first in range(0, n_groups, height):
        start = first
        n_steps = 0.0
        for second in range(first, n_groups):
            n_tuples = float(height * LANES * LANES)
            if order == 3:
                n_tuples *= LANES * (n_groups - second)
            n_steps += n_tuples * n_samples
            if n_steps >= BLOCK_STEPS or second == n_groups - 1:
                yield first, min(first + height, n_groups), start, second + 1
                start = second + 1
                n_steps = 0.0


def tuple_values(
    statistic: str, joint: Integers, pairs: Sequence[Integers], singles: Sequence[Integers]
) -> list[Integers]:
    """The values of tuples for each of their columns, from information about the class; see :func:`search_tuples`.

    ``joint`` is the information of all columns of a tuple, ``pairs[m]`` that of all but the m-th (in a pair that is the
    other column), ``singles[m]`` that of the m-th alone.
    """
    if statistic == "joint":
        return [joint] * len(singles)
    if statistic == "gain":
        return [joint - pair for pair in pairs]
    if len(singles) == 2:
        return [joint - singles[0] - singles[1]] * 2
    if statistic == "interaction":
        return [joint - pairs[0] - pairs[1] - pairs[2] + singles[0] + singles[1] + singles[2]] * 3
    # The synergy is the smallest excess over a division of the triple: into a pair and a column, or into three columns.
    over_pair_and_single = [joint - pair - single for pair, single in zip(pairs, singles, strict=True)]
    over_singles = joint - singles[0] - singles[1] - singles[2]
    return [np.minimum.reduce([*over_pair_and_single, over_singles])] * 3


@dataclass(frozen=True)
class _SinglesAndPairs:
    """The information about the class of single columns and of pairs, by tables, in the units of entropy terms."""

    source: CountSource
    entropy_terms: EntropyTerms

    @cached_property
    def class_terms(self) -> int:
        """``N H(C)``."""
        sum_of_all = self.entropy_terms.sum(np.array([self.source.n_samples]))
        return sum_of_all - self.entropy_terms.sum(self.source.class_sizes)

    @cached_property
    def singles(self) -> Integers:
        """``N I(Xi;C)`` of every column."""
        sum_x, sum_xc = sums_of(self.source).marginal_sums(self.entropy_terms)
        return sum_xc - sum_x + self.class_terms

    def pairs(self, i: int, columns: Columns) -> Integers:
        """``N I(Xi,Xj;C)`` of a column with each of ``columns``."""
        sums = sums_of(self.source).pair_sums(self.entropy_terms, i, columns, True)
        assert sums.by_class is not None
        return sums.by_class - sums.pooled + self.class_terms


def _search_pair_tables(
    source: CountSource, entropy_terms: EntropyTerms, statistic: str, n_top: int, progress: Progress
) -> Tuples:
    information = _SinglesAndPairs(source, entropy_terms)
    singles = information.singles
    nonconstant = np.flatnonzero(source.arities > 1)
    strongest = _no_tuples(source, 2)
    n_pairs = comb(len(nonconstant), 2)
    n_done = 0
    for index, i in enumerate(nonconstant[:-1].tolist()):
        others = nonconstant[index + 1 :]
        joint = information.pairs(i, others)
        single_i = np.full(len(others), singles[i])
        values = tuple_values(statistic, joint, (singles[others], single_i), (single_i, singles[others]))
        tuples = Tuples.of(_with_each((i,), others), values, source.n_features, n_top)
        strongest = strongest.merged(tuples, n_top)
        n_done += len(others)
        if progress is not None:
            progress(n_done, n_pairs)
    return strongest


def _search_triple_tables(
    source: CountSource, entropy_terms: EntropyTerms, statistic: str, n_top: int, progress: Progress
) -> Tuples:
    n_steps = n_tuples(source, 3) * float(source.n_samples)
    if n_steps > MAX_TABLE_STEPS:
        raise UserError(
            code="table-too-large",
            message=(
                f"all triples of {source.n_features:,} columns of up to {int(source.arities.max()):,} codes take "
                f"{n_steps:.1e} steps, at most {MAX_TABLE_STEPS:.0e} are made"
            ),
            advice="use bins of few codes such as 3, or keep fewer columns",
        )
    information = _SinglesAndPairs(source, entropy_terms)
    singles = information.singles
    nonconstant = np.flatnonzero(source.arities > 1)
    pairs: Integers = np.zeros((source.n_features, source.n_features), np.int64)  # [i, j] for i < j
    for index, i in enumerate(nonconstant[:-1].tolist()):
        others = nonconstant[index + 1 :]
        pairs[i, others] = information.pairs(i, others)

    strongest = _no_tuples(source, 3)
    all_samples = conditioning(source).partition()
    for first_index, i in enumerate(nonconstant[:-2].tolist()):
        samples_by_i = all_samples.refine(i)
        columns = []
        values = []
        for second_index, j in enumerate(nonconstant[first_index + 1 : -1].tolist(), first_index + 1):
            others = nonconstant[second_index + 1 :]
            sum_xyz, sum_xyzc = samples_by_i.refine(j).sums(entropy_terms, others)
            joint = sum_xyzc - sum_xyz + information.class_terms
            pairs_without = pairs[j, others], pairs[i, others], np.full(len(others), pairs[i, j])
            single = np.full(len(others), singles[i]), np.full(len(others), singles[j]), singles[others]
            columns.append(_with_each((i, j), others))
            values.append(tuple_values(statistic, joint, pairs_without, single))
        values_by_position = [np.concatenate(blocks) for blocks in zip(*values, strict=True)]
        tuples = Tuples.of(np.concatenate(columns), values_by_position, source.n_features, n_top)
        strongest = strongest.merged(tuples, n_top)
        if progress is not None:
            progress(first_index + 1, len(nonconstant) - 2)
    return strongest


def _with_each(first: tuple[int, ...], others: Columns) -> Columns:
    """The tuples of the columns ``first`` and each of ``others``."""
    repeated = np.tile(np.array(first, np.intp), (len(others), 1))
    return np.column_stack([repeated, others])
