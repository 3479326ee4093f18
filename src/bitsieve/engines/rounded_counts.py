"""Saved counts in multiples of a base, by random rounding, so that no count shows how few rows a cell has."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.engines.controlled_rounding import TableToRound, rounded_sizes, rounded_tables
from bitsieve.engines.saved_counts import SavedCounts, each_table
from bitsieve.utils.arrays import Integers
from bitsieve.utils.progress import phase

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
    n_columns = len(counts.names)
    n_classes = len(class_sizes)
    cells = np.zeros_like(counts.cells)
    report = phase("rounding counts")

    # The table of a column with itself has the sizes of its codes on the diagonal.
    sizes_of_columns = []
    for i, j, table in each_table(counts.cells, counts.arities, n_classes):
        if i == j:
            sizes_of_columns.append(_rounded_code_sizes(table.sum(axis=1), class_sizes, base, key))

    exact_tables = each_table(counts.cells, counts.arities, n_classes)
    tables_to_fill = each_table(cells, counts.arities, n_classes)
    to_round: list[TableToRound] = []
    slices_to_fill: list[Integers] = []
    for (i, j, exact), (_, _, table) in zip(exact_tables, tables_to_fill, strict=True):
        if i == j:
            diagonal = np.arange(len(table))
            table[diagonal, diagonal] = sizes_of_columns[i]
        else:
            for c in range(n_classes):
                to_round.append(
                    _table_of_pair(exact[:, :, c], sizes_of_columns[i][:, c], sizes_of_columns[j][:, c], key)
                )
                slices_to_fill.append(table[:, :, c])
        if j == n_columns - 1:
            for rounded, slice_to_fill in zip(rounded_tables(to_round, base), slices_to_fill, strict=True):
                slice_to_fill[:] = rounded
            to_round = []
            slices_to_fill = []
            report(i + 1, n_columns)
    return replace(counts, class_sizes=class_sizes, cells=cells, rounding_bases=(base,))


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


def _table_of_pair(exact: Integers, row_sums: Integers, column_sums: Integers, key: bytes) -> TableToRound:
    return TableToRound(exact, row_sums, column_sums, _random(key, [exact, row_sums, column_sums]))


def _random(key: bytes, arrays: Sequence[Integers]) -> np.random.Generator:
    """Random numbers that are the same for equal arrays."""
    content = b"".join(np.ascontiguousarray(array, "<i8").tobytes() for array in arrays)
    return np.random.default_rng(int.from_bytes(hmac.digest(key, content, "sha256"), "little"))
