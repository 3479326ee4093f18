"""Entropy terms of the engine are those of the reference; tables of parts of the samples add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import term_sum

from bitsieve.counts import reference, tables
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.tables import (
    DENSE_CELLS,
    MAX_SAMPLES,
    TABLE_LIMIT,
    ContingencyTable,
    PairSums,
    make_entropy_terms,
    write_sums_of_tables,
)

SMALL, LARGE = (3, 4, 2), (65_536, 65_536, 3)


@pytest.mark.parametrize("n_samples", [1, 2, 3, 5, 31, 64, 1000])
def test_whole_table(n_samples):
    terms = make_entropy_terms(n_samples)
    assert terms.n_samples == n_samples
    assert terms.shift == reference.term_shift(n_samples)
    assert terms.table.dtype == np.int64
    assert terms.table.tolist() == [reference.term(c, terms.shift) for c in range(n_samples + 1)]


@settings(deadline=None, max_examples=30)
@given(st.integers(1, MAX_SAMPLES), st.data())
def test_any_count(n_samples, data):
    """Counts beyond the table are computed afresh, those within are looked up: both are the reference's."""
    terms = make_entropy_terms(n_samples, limit=8)
    assert terms.shift == reference.term_shift(n_samples)
    assert len(terms.table) == min(n_samples + 1, 8)
    counts = data.draw(st.lists(st.integers(0, n_samples), min_size=1, max_size=5))
    for count in counts:
        assert terms.sum(np.array([count], np.int64)) == reference.term(count, terms.shift)


@pytest.mark.parametrize("n_samples", [2**k + d for k in (1, 2, 7, 16, 17, 30) for d in (-1, 0, 1)] + [2**31])
def test_shift_is_the_largest_that_fits(n_samples):
    shift = make_entropy_terms(n_samples, limit=4).shift
    assert shift == reference.term_shift(n_samples)
    assert reference.term(n_samples, shift) < 2**62
    assert 2 * reference.term(max(n_samples, 2), shift) >= 2**62 - 1


def test_powers_of_two_are_exact():
    terms = make_entropy_terms(2**31, limit=2**12)
    for k in range(12):
        assert int(terms.table[2**k]) == k << (k + terms.shift)
    for k in range(32):
        assert terms.sum(np.array([2**k], np.int64)) == k << (k + terms.shift)


def test_table_stops_at_its_limit():
    """Around the limit, where the table gives way to fresh terms."""
    n_samples = TABLE_LIMIT + 1000
    terms = make_entropy_terms(n_samples)
    assert len(terms.table) == TABLE_LIMIT
    for count in range(TABLE_LIMIT - 3, TABLE_LIMIT + 4):
        assert terms.sum(np.array([count], np.int64)) == reference.term(count, terms.shift)
    random = np.random.default_rng(0)
    for count in random.integers(0, TABLE_LIMIT, 300):
        assert int(terms.table[count]) == reference.term(int(count), terms.shift)


def test_terms_grow():
    """c log2 c is convex, so rounded differences never fall by more than the rounding of three terms."""
    table = make_entropy_terms(5000).table
    assert (np.diff(table) >= 0).all()
    assert (np.diff(table, 2) >= -2).all()


def test_sum_takes_any_shape_and_the_table_cannot_be_written():
    terms = make_entropy_terms(20)
    counts = np.array([[[1, 2], [3, 4]], [[5, 0], [1, 4]]], np.int64)
    assert terms.sum(counts) == term_sum(counts, terms.shift)
    assert terms.sum(np.empty(0, np.int64)) == 0
    with pytest.raises(ValueError, match="read-only"):
        terms.table[0] = 1


def test_per_bit_is_one_bit_exactly():
    for n_samples in (1, 3, 1000, 2**31 - 1):
        terms = make_entropy_terms(n_samples, limit=4)
        assert int(terms.per_bit) == n_samples << terms.shift


def cells_of(random, shape, n):
    """Cells of samples that often meet: a few codes spread over the whole range."""
    first, second, label = (random.integers(0, 3, n) * ((size - 1) // 2) for size in shape)
    return ((first * shape[1] + second) * shape[2] + np.minimum(label, shape[2] - 1)).astype(np.int64)


@pytest.mark.parametrize("shape", [SMALL, LARGE])
@pytest.mark.parametrize("seed", range(3))
def test_parts_add_up(shape, seed):
    cells = cells_of(np.random.default_rng(seed), shape, 200)
    whole = ContingencyTable.of_samples(shape, cells)
    summed = ContingencyTable.of_samples(shape, cells[:70]) + ContingencyTable.of_samples(shape, cells[70:])
    assert (summed.cells is None) == (shape is SMALL)
    for mine, theirs in zip(summed.occupied(), whole.occupied(), strict=True):
        assert mine.dtype == np.int64
        assert mine.tolist() == theirs.tolist()
    assert whole.occupied()[0].tolist() == sorted(set(cells.tolist()))
    assert whole.counts.sum() == 200


@pytest.mark.parametrize("shape", [SMALL, LARGE])
def test_transposed_exchanges_the_two_variables(shape):
    cells = cells_of(np.random.default_rng(6), shape, 300)
    first, second, label = np.unravel_index(cells, shape)
    exchanged = (shape[1], shape[0], shape[2])
    expected = ContingencyTable.of_samples(exchanged, np.ravel_multi_index((second, first, label), exchanged))
    transposed = ContingencyTable.of_samples(shape, cells).transposed()
    assert transposed.shape == exchanged
    assert (transposed.cells is None) == (expected.cells is None)
    for mine, theirs in zip(transposed.occupied(), expected.occupied(), strict=True):
        assert mine.tolist() == theirs.tolist()


@pytest.mark.parametrize("shape", [SMALL, LARGE])
def test_pooled_over_the_classes(shape):
    cells = cells_of(np.random.default_rng(5), shape, 300)
    pooled = ContingencyTable.of_samples(shape, cells).pooled()
    expected = ContingencyTable.of_samples((*shape[:2], 1), cells // shape[2])
    assert pooled.shape == (*shape[:2], 1)
    assert pooled.pooled() is pooled
    for mine, theirs in zip(pooled.occupied(), expected.occupied(), strict=True):
        assert mine.tolist() == theirs.tolist()


def test_dense_holds_every_cell():
    shape = (300, 300, 1)
    assert np.prod(shape) > DENSE_CELLS
    table = ContingencyTable.of_samples(shape, np.array([7, 7, 89_999]))
    assert table.cells.tolist() == [7, 89_999]
    assert table.dense().shape == shape
    assert (table.dense()[0, 7, 0], table.dense()[299, 299, 0], table.dense().sum()) == (2, 1, 3)


def test_tables_of_unlike_shapes_do_not_add_up():
    one, other = (ContingencyTable.of_samples((2, n, 1), np.array([0])) for n in (2, 3))
    with pytest.raises(ValueError, match=r"shape \(2, 2, 1\) and \(2, 3, 1\) do not add up"):
        _ = one + other


def test_more_cells_than_can_be_numbered():
    with pytest.raises(ValueError, match="2,147,483,648 x 65,536 codes x 100,000 classes is too large"):
        ContingencyTable.of_samples((1 << 31, 1 << 16, 10**5), np.array([0]))


def test_more_cells_than_62_bits_number_are_refused():
    cells = np.array([0, 5], np.int64)
    assert len(ContingencyTable.of_samples((1 << 31, 1 << 31, 1), cells).counts) == 2
    with pytest.raises(ValueError, match=r"^a table of 2,147,483,648 x 2,147,483,648 codes x 2 classes is too large"):
        ContingencyTable.of_samples((1 << 31, 1 << 31, 2), cells)


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("limit", [1, 30, 100, 10**6])
def test_tables_are_held_as_many_as_fit_and_no_more(monkeypatch, make_table, by_class, limit):
    """In the order of the columns: at least one, and one more would be beyond the limit of cells."""
    codes, classes = make_table(50, 12, n_codes=4, n_classes=3, seed=3)
    codes[:, 4:8] %= 2
    source, terms, asked = NaiveSource(codes, classes), make_entropy_terms(50), []
    out = PairSums.empty(12, by_class=by_class)

    def count(columns):
        asked.append(columns.tolist())
        return source.tables(0, columns, by_class)

    monkeypatch.setattr(tables, "BLOCK_CELLS", limit)
    write_sums_of_tables(terms, source, int(source.arities[0]), np.arange(12), count, out)
    assert [column for block in asked for column in block] == list(range(12))
    cells = source.arities.astype(int) * int(source.arities[0]) * (3 if by_class else 1)
    for block in asked:
        assert cells[block].sum() <= limit or len(block) == 1
        assert block[-1] == 11 or cells[[*block, block[-1] + 1]].sum() > limit
    for column in range(12):
        (table,) = source.tables(0, np.array([column]), True)
        assert out[0][column] == terms.sum(table.pooled().counts)
        assert not by_class or out[1][column] == terms.sum(table.counts)
