"""Saved counts in multiples of a base, by random rounding, so that no count shows how few rows a cell has."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.engines.controlled_rounding import TableToRound, rounded_sizes, rounded_tables
from bitsieve.engines.pair_cells import each_table
from bitsieve.engines.saved_counts import SavedCounts
from bitsieve.utils.arrays import Integers

MIN_BASE = 3  # a cell that is known to have rows, and is published as 0, has 1 or 2


def check_base(base: int) -> None:
    """Refuse a base of rounding that does not hide a single row."""
    if base < MIN_BASE:
        raise UserError(
            code="parameter-not-allowed",
            message=f"--min-cell {base} does not hide a single row",
            advice=f"give {MIN_BASE} or more",
        )


def rounded_counts(counts: SavedCounts, base: int, secret: bytes = b"") -> SavedCounts:
    """The counts in multiples of ``base``: class sizes first, then the codes of each column, then the pairs of columns.

    The tables of all pairs have the same rounded sums of a column, and equal tables are rounded alike, so that no count
    is found by an average over many tables. The random numbers follow from the exact counts and the secret: the
    same counts are rounded alike again.
    """
    key = hmac.digest(secret, counts.digest.encode(), "sha256")
    class_sizes = _rounded_class_sizes(counts.class_sizes, base, key)
    sizes_of_columns = [_rounded_code_sizes(sizes, class_sizes, base, key) for sizes in _sizes_of_codes(counts)]

    def table_to_round(exact: Integers, row_sums: Integers, column_sums: Integers) -> TableToRound:
        return TableToRound(exact, row_sums, column_sums, _random(key, [exact, row_sums, column_sums]))

    cells = _cells_of_rounded_tables(counts, sizes_of_columns, table_to_round, base)
    return replace(counts, class_sizes=class_sizes, cells=cells, rounding_bases=(base,))


def drawn_counts(counts: SavedCounts, random: np.random.Generator) -> SavedCounts:
    """Counts that may have been rounded to these, drawn at random.

    A count that was rounded to R by the base b was R + e, with the chance (1 - |e| / b) / b. The classes and the codes
    have the sizes that were published. The table of a code and class, and then of each pair of columns, is that of the
    drawn counts, with the fewest changes by which its sums agree with the others.
    """

    def table_to_round(published: Integers, row_sums: Integers, column_sums: Integers) -> TableToRound:
        drawn = published.copy()
        for base in counts.rounding_bases:
            drawn += random.integers(0, base, drawn.shape) - random.integers(0, base, drawn.shape)
        return TableToRound(np.abs(drawn), row_sums, column_sums, random)

    published_sizes = _sizes_of_codes(counts)
    sizes_to_round = [table_to_round(sizes, sizes.sum(axis=1), counts.class_sizes) for sizes in published_sizes]
    sizes_of_columns = list(rounded_tables(sizes_to_round, 1))
    cells = _cells_of_rounded_tables(counts, sizes_of_columns, table_to_round, 1)
    return replace(counts, cells=cells, rounding_bases=())


def _sizes_of_codes(counts: SavedCounts) -> list[Integers]:
    """The rows of each code and class, for each column: its table with itself has them on the diagonal."""
    tables = each_table(counts.cells, counts.arities, len(counts.class_sizes))
    return [table.sum(axis=1) for i, j, table in tables if i == j]


def _cells_of_rounded_tables(
    counts: SavedCounts,
    sizes_of_columns: Sequence[Integers],
    table_to_round: Callable[[Integers, Integers, Integers], TableToRound],
    base: int,
) -> Integers:
    """The tables of all pairs in multiples of ``base``, with the sizes of the codes as their sums."""
    cells = np.zeros_like(counts.cells)
    n_classes = len(counts.class_sizes)
    for i, j, table in each_table(cells, counts.arities, n_classes):
        if i == j:
            diagonal = np.arange(len(table))
            table[diagonal, diagonal] = sizes_of_columns[i]
    tables_to_round = (
        table_to_round(table, sizes_of_columns[i][:, c], sizes_of_columns[j][:, c])
        for i, j, c, table in _tables_of_pairs(counts, counts.cells)
    )
    tables_to_fill = _tables_of_pairs(counts, cells)
    for rounded, (_, _, _, table) in zip(rounded_tables(tables_to_round, base), tables_to_fill, strict=True):
        table[:] = rounded
    return cells


def _tables_of_pairs(counts: SavedCounts, cells: Integers) -> Iterator[tuple[int, int, int, Integers]]:
    """Every two columns, a class and their table within it, which is a view of ``cells``."""
    n_classes = len(counts.class_sizes)
    for i, j, table in each_table(cells, counts.arities, n_classes):
        if i != j:
            for c in range(n_classes):
                yield i, j, c, table[:, :, c]


def _rounded_class_sizes(class_sizes: Integers, base: int, key: bytes) -> Integers:
    random = _random(key, [class_sizes])
    is_rounded_up = random.random(len(class_sizes)) < class_sizes % base / base
    rounded = (class_sizes // base + is_rounded_up) * base
    if not rounded.any():
        raise UserError(
            code="too-few-rows",
            message=f"no class has enough rows for counts in multiples of {base}",
            advice="leave this site out",
        )
    return rounded


def _rounded_code_sizes(sizes: Integers, class_sizes: Integers, base: int, key: bytes) -> Integers:
    """The rows of each code and class in multiples of ``base``; those of a class sum to its rounded size."""
    rounded = np.empty_like(sizes)
    for c, class_size in enumerate(class_sizes):
        random = _random(key, [sizes[:, c], class_sizes[c : c + 1]])
        rounded[:, c] = rounded_sizes(sizes[:, c], int(class_size), base, random)
    return rounded


def _random(key: bytes, arrays: Sequence[Integers]) -> np.random.Generator:
    """Random numbers that are the same for equal arrays."""
    content = b"".join(np.ascontiguousarray(array, "<i8").tobytes() for array in arrays)
    return np.random.default_rng(int.from_bytes(hmac.digest(key, content, "sha256"), "little"))
