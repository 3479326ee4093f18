"""Controlled rounding: tables of multiples of a base, with given sums of their rows and columns.

Causey, Cox and Ernst (1985), Applications of transportation theory to statistical problems, Journal of the American
Statistical Association 80.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bitsieve.utils.arrays import Integers

MAX_CELLS_AT_ONCE = 20_000  # of the tables that one linear program rounds


@dataclass(frozen=True, eq=False)
class TableToRound:
    """A table, and the sums that it is to have, which are multiples of the base."""

    counts: Integers  # shape (rows, columns)
    row_sums: Integers
    column_sums: Integers
    random: np.random.Generator


def rounded_sizes(sizes: Integers, total: int, base: int, random: np.random.Generator) -> Integers:
    """The sizes in multiples of ``base`` that sum to ``total``, each rounded down or up.

    ``total`` is the sum of the sizes rounded down or up. A size with the remainder r is rounded up by a chance of about
    r / base. Multiples stay as they are.
    """
    units, remainders = np.divmod(sizes, base)
    n_rounded_up = total // base - units.sum()
    priority = np.where(remainders > 0, remainders / base - random.random(len(sizes)), -np.inf)
    is_rounded_up = np.argsort(-priority, kind="stable")[:n_rounded_up]
    units[is_rounded_up] += 1
    return units * base


def rounded_tables(tables: Iterable[TableToRound], base: int) -> Iterator[Integers]:
    """The tables in multiples of ``base`` with the sums that they are to have.

    A count with the remainder r is rounded up by a chance of about r / base. Only where the sums do not allow it, a
    count moves by ``base`` or more. A linear program finds the tables. Its solution consists of integers, as its
    constraints are those of a transportation problem.
    """
    for batch in _batches(tables):
        yield from _rounded_batch(batch, base)


def _batches(tables: Iterable[TableToRound]) -> Iterator[list[TableToRound]]:
    """The tables in order, in lists of at most ``MAX_CELLS_AT_ONCE`` cells; a larger table is alone."""
    batch: list[TableToRound] = []
    n_cells = 0
    for table in tables:
        if batch and n_cells + table.counts.size > MAX_CELLS_AT_ONCE:
            yield batch
            batch = []
            n_cells = 0
        batch.append(table)
        n_cells += table.counts.size
    if batch:
        yield batch


def _rounded_batch(tables: Sequence[TableToRound], base: int) -> list[Integers]:
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    # A count is ``units`` multiples of the base and a remainder. The program has three variables for every cell of all
    # tables: one unit for the remainder, if it is rounded up (``last_unit``), and units to add and to remove beside it.
    units = np.concatenate([table.counts.reshape(-1) // base for table in tables])
    remainders = np.concatenate([table.counts.reshape(-1) % base for table in tables])
    random_numbers = np.concatenate([table.random.random((3, table.counts.size)) for table in tables], axis=1)
    cost_of_last_unit = random_numbers[0] - remainders / base  # negative, if the count is to be rounded up
    cost_of_further_unit = 1 + random_numbers[1]
    cost_of_removed_unit = 1 + random_numbers[2]

    # Each row and each column of each table is a constraint: the units given to its cells are its missing units.
    row_constraint_of_cell = []
    column_constraint_of_cell = []
    missing_units = []
    n_constraints = 0
    for table in tables:
        n_rows, n_columns = table.counts.shape
        row, column = np.indices(table.counts.shape).reshape(2, -1)
        row_constraint_of_cell.append(n_constraints + row)
        column_constraint_of_cell.append(n_constraints + n_rows + column)
        units_of_table = table.counts // base
        missing_units.append(table.row_sums // base - units_of_table.sum(axis=1))
        missing_units.append(table.column_sums // base - units_of_table.sum(axis=0))
        n_constraints += n_rows + n_columns
    cells = np.arange(len(units))
    constraints = np.concatenate([*row_constraint_of_cell, *column_constraint_of_cell])
    ones = np.ones(2 * len(cells))
    sums_of_cells = csr_array((ones, (constraints, np.concatenate([cells, cells]))), (n_constraints, len(cells)))

    largest_last_unit = (remainders > 0).astype(np.float64)
    largest_further_units = np.full(len(units), np.inf)
    upper_bounds = np.concatenate([largest_last_unit, largest_further_units, units])
    solution = linprog(
        np.concatenate([cost_of_last_unit, cost_of_further_unit, cost_of_removed_unit]),
        A_eq=hstack([sums_of_cells, sums_of_cells, -sums_of_cells], format="csr"),
        b_eq=np.concatenate(missing_units),
        bounds=np.column_stack([np.zeros(len(upper_bounds)), upper_bounds]),
        method="highs-ds",
    )
    last_unit, further_units, removed_units = np.rint(solution.x).astype(np.int64).reshape(3, -1)
    rounded = (units + last_unit + further_units - removed_units) * base

    ends = np.cumsum([table.counts.size for table in tables])
    cells_of_tables = np.split(rounded, ends[:-1])
    return [cells.reshape(table.counts.shape) for cells, table in zip(cells_of_tables, tables, strict=True)]
