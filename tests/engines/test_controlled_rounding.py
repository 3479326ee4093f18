"""Controlled rounding gives multiples with given sums, without bias, and who lists all tables finds no small count."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from bitsieve.engines import controlled_rounding
from bitsieve.engines.controlled_rounding import TableToRound, rounded_sizes, rounded_tables


def rounded_sums(counts, base, random):
    """The sums of rows and columns, rounded to multiples that have one total."""
    n = int(counts.sum())
    total = (n // base + (random.random() < n % base / base)) * base
    row_sums = rounded_sizes(counts.sum(axis=1), total, base, random)
    column_sums = rounded_sizes(counts.sum(axis=0), total, base, random)
    return row_sums, column_sums


def table_to_round(counts, base, seed):
    random = np.random.default_rng(seed)
    row_sums, column_sums = rounded_sums(counts, base, random)
    return TableToRound(counts, row_sums, column_sums, random)


def random_tables(n_tables, base):
    """Tables of many shapes, some of them sparse and some with no row or column beside the first."""
    random = np.random.default_rng(1)
    tables = []
    for seed in range(n_tables):
        shape = random.integers(1, 7, 2)
        mean = random.choice([0.3, 1.5, 20])
        tables.append(table_to_round(random.poisson(mean, shape), base, seed))
    return tables


@pytest.mark.parametrize("base", [2, 3, 5, 10])
def test_tables_are_multiples_with_the_given_sums(base):
    tables = random_tables(200, base)
    for table, rounded in zip(tables, rounded_tables(tables, base), strict=True):
        assert (rounded >= 0).all()
        assert (rounded % base == 0).all()
        assert rounded.sum(axis=1).tolist() == table.row_sums.tolist()
        assert rounded.sum(axis=0).tolist() == table.column_sums.tolist()


def test_batches_do_not_matter(monkeypatch):
    at_once = list(rounded_tables(random_tables(60, 5), 5))
    monkeypatch.setattr(controlled_rounding, "MAX_CELLS_AT_ONCE", 10)
    in_batches = list(rounded_tables(random_tables(60, 5), 5))
    assert [table.tolist() for table in in_batches] == [table.tolist() for table in at_once]


def test_multiples_stay_as_they_are():
    random = np.random.default_rng(4)
    counts = random.integers(0, 9, (5, 7)) * 5
    table = TableToRound(counts, counts.sum(axis=1), counts.sum(axis=0), random)
    (rounded,) = rounded_tables([table], 5)
    assert rounded.tolist() == counts.tolist()
    assert rounded_sizes(counts[0], int(counts[0].sum()), 5, random).tolist() == counts[0].tolist()


def test_sizes_move_by_less_than_the_base_and_are_unbiased():
    sizes = np.array([0, 1, 2, 4, 5, 13, 99])
    n = int(sizes.sum())
    rounded = []
    for seed in range(4000):
        random = np.random.default_rng(seed)
        total = (n // 5 + (random.random() < n % 5 / 5)) * 5
        rounded.append(rounded_sizes(sizes, total, 5, random))
        assert rounded[-1].sum() == total
    assert (np.abs(np.array(rounded) - sizes) < 5).all()
    # The standard deviation of a mean is at most 2.5 / sqrt(4000) = 0.04. The sum binds the sizes to each other, which
    # moves the mean of each a little.
    assert np.abs(np.mean(rounded, axis=0) - sizes).max() < 0.3


def test_tables_are_nearly_unbiased():
    counts = np.array([[1, 0, 7], [12, 3, 4]])
    rounded = list(rounded_tables([table_to_round(counts, 5, seed) for seed in range(1000)], 5))
    # The standard deviation of a mean is at most 2.5 / sqrt(1000) = 0.08; the sums bind the cells to each other.
    assert np.abs(np.mean(rounded, axis=0) - counts).max() < 0.6


def test_who_lists_all_tables_cannot_tell_a_small_count():
    """The attack by enumeration: which tables may have led to what was published?

    The attacker knows the rule, and all random numbers that there are but which of them were drawn. Each count below
    the base has several values in the tables that remain.
    """
    base = 3
    tables = []
    for cells in product(range(7), repeat=4):
        if sum(cells) <= 6:
            counts = np.array(cells).reshape(2, 2)
            tables.extend(table_to_round(counts, base, seed) for seed in range(20))
    candidates = defaultdict(list)
    for table, rounded in zip(tables, rounded_tables(tables, base), strict=True):
        published = (*table.row_sums.tolist(), *table.column_sums.tolist(), *rounded.reshape(-1).tolist())
        candidates[published].append(table.counts.reshape(-1))
    for counts_of_candidates in candidates.values():
        values = np.array(counts_of_candidates)
        is_inside = values.sum(axis=1) <= 4  # tables of more rows than were listed may lead to the same
        if is_inside.any():
            n_values = [len(np.unique(column)) for column in values.T]
            is_small = ((values[is_inside] > 0) & (values[is_inside] < base)).any(axis=0)
            assert min(np.array(n_values)[is_small], default=2) > 1


@pytest.mark.parametrize("seed", range(20))
def test_the_rounding_is_the_cheapest_of_all(seed):
    """A last unit costs a random number less the remainder as a share of the base: likely for a large remainder."""
    counts = np.random.default_rng(seed).integers(0, 30, (3, 3))
    table = table_to_round(counts, 10, seed)
    units, remainders = np.divmod(counts, 10)
    (rounded,) = rounded_tables([replace(table, random=np.random.default_rng(seed))], 10)
    cost = np.random.default_rng(seed).random((3, counts.size))[0].reshape(counts.shape) - remainders / 10
    costs = {}
    for rounded_up in product((0, 1), repeat=counts.size):
        last_units = np.reshape(rounded_up, counts.shape)
        candidate = (units + last_units) * 10
        has_sums = (candidate.sum(axis=1) == table.row_sums).all() and (
            candidate.sum(axis=0) == table.column_sums
        ).all()
        if has_sums and (last_units <= remainders).all():
            costs[candidate.tobytes()] = (cost * last_units).sum()
    if costs:  # else a count moves by more than its last unit
        assert rounded.tobytes() == min(costs, key=costs.get)
