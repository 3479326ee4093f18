"""Tables of parts of the samples add up, dense or not, and keep their cells apart."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.counts.contingency import DENSE_CELLS, ContingencyTable

SMALL, LARGE = (3, 4, 2), (65_536, 65_536, 3)


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
