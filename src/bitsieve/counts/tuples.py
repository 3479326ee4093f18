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
from bitsieve.counts.tables import Terms, entropy_terms
from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers, Progress

STATISTICS = ("synergy", "interaction", "gain", "joint")
ORDERS = (2, 3)
CODES = 16  # of a column that native code searches with, at most
BOTH_BITS = 10  # counts of two classes below 2**10 are looked up together: 8 MiB
FIRST_BYTES = 512 << 10  # of the planes of the first columns of a block: half of a common second-level cache
BLOCK_STEPS = 4e9  # triples of a block times samples: a twentieth of a second
TABLE_STEPS = 1e10  # triples times samples that are counted by tables, about ten minutes
NONE = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class Tuples:
    """What was found; values are in units of ``terms.per_bit``.

    ``values`` (n_top,), ``columns`` (n_top, order): the strongest tuples, strongest first. ``best`` (n_features,) and
    ``best_columns`` (n_features, order): what the strongest tuple of every column counts for that one, and that tuple.
    """

    values: Integers
    columns: Columns
    best: Integers
    best_columns: Columns

    @classmethod
    def of(cls, columns: Columns, own: Sequence[Integers], n_features: int, n_top: int) -> Tuples:
        """Those among tuples in the order of their columns, given what each counts for each of its columns."""
        n_tuples, order = columns.shape
        place, values = np.tile(np.arange(n_tuples), order), np.concatenate(own)
        rising = np.lexsort((-place, values))  # of what is written to one place below, the last stays
        column, of_tuple = columns.T.reshape(-1)[rising], columns[place[rising]]
        best, best_columns = np.full(n_features, NONE), np.full((n_features, order), -1, np.intp)
        best[column], best_columns[column] = values[rising], of_tuple
        strongest = np.maximum.reduce(list(own))
        top = np.argsort(~strongest, kind="stable")[:n_top]  # ~v falls as v rises, and never overflows
        return cls(strongest[top], columns[top], best, best_columns)

    def joined(self, other: Tuples, n_top: int) -> Tuples:
        """The strongest of both."""
        values, columns = np.r_[self.values, other.values], np.r_[self.columns, other.columns]
        order = np.lexsort((*columns.T[::-1], ~values))[:n_top]
        better = other.best > self.best
        equal = np.flatnonzero((other.best == self.best) & (self.best > NONE))
        lower = [tuple(other.best_columns[j]) < tuple(self.best_columns[j]) for j in equal.tolist()]
        better[equal] = lower
        best = np.where(better, other.best, self.best)
        best_columns = np.where(better[:, None], other.best_columns, self.best_columns)
        return Tuples(values[order], columns[order], best, best_columns)


def n_tuples(source: CountSource, order: int) -> int:
    """How many tuples of columns that vary there are."""
    return comb(int((source.arities > 1).sum()), order)


def search_tuples(source: CountSource, order: int, statistic: str, n_top: int, progress: Progress = None) -> Tuples:
    """The ``n_top`` strongest of all pairs (``order`` 2) or triples (3) of varying columns, and of every column.

    With ``I`` the information about the class, in bits, and i, j, k the columns: "joint" is I(Xi,Xj,Xk;C);
    "interaction" is I of the three less that of each pair plus that of each column; "gain" is the largest of
    I(Xi;C|Xj,Xk), for every column its own; "synergy" is I of the three less the most that a division of them into
    parts adds up to. Raises ValueError where tables would take too many steps.
    """
    sums, terms = sums_of(source), entropy_terms(source.n_samples)
    if sums.planes is not None and int(source.arities.max()) <= CODES:
        return _search_planes(source, sums.planes, terms, (order, statistic, n_top), progress)
    return _search_tables(source, terms, (order, statistic, n_top), progress)


def _search_planes(
    source: CountSource, packed: _native.PackedTable, terms: Terms, asked: tuple[int, str, int], progress: Progress
) -> Tuples:
    order, statistic, n_top = asked
    idle: SimpleQueue[_native.TupleSearch] = SimpleQueue()
    made: list[_native.TupleSearch] = []
    bits = min(BOTH_BITS, int(source.class_sizes.max()).bit_length())
    both = _both_terms(source.n_samples, bits) if order == 3 and source.n_classes == 2 else np.empty(0, np.int64)

    def work(block: Sequence[int]) -> None:
        try:
            search = idle.get_nowait()
        except Empty:
            search = _native.TupleSearch(packed, terms.table, terms.shift, both, bits, statistic, n_top)
            made.append(search)
        (search.pairs if order == 2 else search.triples)(*block)
        idle.put(search)

    words = int((-(-source.class_sizes // 64)).sum())
    blocks = list(_blocks(packed.n_simd_groups, words, int(source.arities.max()) - 1, order))
    run_blocks(work, blocks, source.n_jobs, progress)
    found = _nothing(source, order)
    for search in made:
        (values, columns), (best, best_columns) = search.top(), search.best()
        each = Tuples(values, columns.reshape(-1, 3)[:, :order], best, best_columns.reshape(-1, 3)[:, :order])
        found = found.joined(each, n_top)
    return found


def _nothing(source: CountSource, order: int) -> Tuples:
    return Tuples.of(np.empty((0, order), np.intp), [np.empty(0, np.int64)] * order, source.n_features, 0)


@lru_cache(maxsize=1)
def _both_terms(n_samples: int, bits: int) -> Integers:
    terms = entropy_terms(n_samples)
    return _native.two_class_terms(terms.table, terms.shift, bits)


def _blocks(n_groups: int, words: int, planes: int, order: int) -> Iterator[tuple[int, int, int, int]]:
    """Blocks [i0, i1, j0, j1) of SIMD groups, of about as many steps each."""
    height = int(np.clip(FIRST_BYTES // max(1, 512 * words * planes**2), 1, 4)) if order == 3 else 8
    for first in range(0, n_groups, height):
        start, steps = first, 0.0
        for second in range(first, n_groups):
            steps += height * 64.0 * words * (512.0 * (n_groups - second) if order == 3 else 64.0)
            if steps >= BLOCK_STEPS or second == n_groups - 1:
                yield first, min(first + height, n_groups), start, second + 1
                start, steps = second + 1, 0.0


def values_of(statistic: str, whole: Integers, pairs: Sequence[Integers], alone: Sequence[Integers]) -> list[Integers]:
    """What tuples count for each of their columns: ``pairs[m]`` is the information without the m-th column.

    Of a pair, that is the information of its other column; ``alone`` is that of each.
    """
    if statistic == "joint":
        return [whole] * len(alone)
    if statistic == "gain":
        return [whole - without for without in pairs]
    if len(alone) == 2:
        return [whole - alone[0] - alone[1]] * 2
    if statistic == "interaction":
        return [whole - pairs[0] - pairs[1] - pairs[2] + alone[0] + alone[1] + alone[2]] * 3
    parts = [whole - pair - one for pair, one in zip(pairs, alone, strict=True)]
    least = np.minimum.reduce([*parts, whole - alone[0] - alone[1] - alone[2]])
    return [least] * 3


def _search_tables(source: CountSource, terms: Terms, asked: tuple[int, str, int], progress: Progress) -> Tuples:
    order, statistic, n_top = asked
    n, every = source.n_features, np.flatnonzero(source.arities > 1)
    steps = n_tuples(source, order) * float(source.n_samples)
    if order == 3 and steps > TABLE_STEPS:
        raise UserError(
            code="table-too-large",
            message=(
                f"all triples of {n:,} columns of up to {int(source.arities.max()):,} codes take {steps:.1e} "
                f"steps, at most {TABLE_STEPS:.0e} are made"
            ),
            advice="use bins of few codes such as 3, or keep fewer columns",
        )
    sums, found = sums_of(source), _nothing(source, order)
    class_terms = terms.sum(np.array([source.n_samples])) - terms.sum(source.class_sizes)
    pooled, within = sums.marginal_sums(terms)
    alone = within - pooled + class_terms
    pairs: Integers = np.zeros((n, n) if order == 3 else (1, 1), np.int64)
    for place, i in enumerate(every[:-1].tolist(), 1):
        last = every[place:]
        xy, xyc = sums.pair_sums(terms, i, last, True)
        assert xyc is not None
        of_pair, one = xyc - xy + class_terms, np.full(len(last), alone[i])
        if order == 3:
            pairs[i, last] = of_pair
        else:
            own = values_of(statistic, of_pair, (alone[last], one), (one, alone[last]))
            found = found.joined(Tuples.of(_beside((i,), last), own, n, n_top), n_top)
    if order == 2:
        return found
    before = conditioning(source).partition()
    for first, i in enumerate(every[:-2].tolist(), 1):
        given, blocks = before.refine(i), []
        for second, j in enumerate(every[first:-1].tolist(), first + 1):
            last = every[second:]
            xz, xzc = given.refine(j).sums(terms, last)
            of_each = *(np.full(len(last), of) for of in (alone[i], alone[j])), alone[last]
            parts = pairs[j, last], pairs[i, last], np.full(len(last), pairs[i, j])
            blocks.append((_beside((i, j), last), *values_of(statistic, xzc - xz + class_terms, parts, of_each)))
        columns, *own = (np.concatenate(of) for of in zip(*blocks, strict=True))
        found = found.joined(Tuples.of(columns, own, n, n_top), n_top)
        if progress is not None:
            progress(first, len(every) - 2)
    return found


def _beside(first: tuple[int, ...], last: Columns) -> Columns:
    """The tuples of the columns ``first`` and each of ``last``."""
    return np.column_stack([np.tile(np.array(first, np.intp), (len(last), 1)), last])
