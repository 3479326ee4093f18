"""The counts themselves: cells of pairs by every kernel, and rows that stand several times."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.counts.kernels import available_kernels
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import sums_of
from bitsieve.counts.tables import make_entropy_terms


@pytest.fixture(scope="module")
def mixed():
    """Columns of few, many and one code, and classes."""
    random = np.random.default_rng(4)
    columns = [random.integers(0, m, 300) for m in (3, 3, 2, 1, 5, 40, 250, 9, 4, 3, 1000)]
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns])
    return codes.astype(np.uint16), random.integers(0, 3, 300)


def sorted_counts(cells):
    return sorted(count for count in cells.tolist() if count)


@pytest.mark.parametrize("kernel", available_kernels())
def test_cell_counts_are_those_of_the_tables(mixed, kernel):
    source = PackedSource(*mixed, kernel=kernel)
    columns = np.array([9, 0, 10, 6, 3, 5, 1])
    for pivot in (0, 3, 5, 6, 10):
        xy, xyc = sums_of(source).cell_counts(pivot, columns, True)
        alone, none = sums_of(source).cell_counts(pivot, columns, False)
        assert none is None
        for row, column in enumerate(columns):
            table = source.tables(pivot, np.array([column]), True)[0].dense()
            assert sorted_counts(xyc[row]) == sorted_counts(table.ravel())
            assert sorted_counts(xy[row]) == sorted_counts(table.sum(axis=2).ravel()) == sorted_counts(alone[row])
    single, with_class = sums_of(source).cell_counts(None, columns, True)
    for row, column in enumerate(columns):
        table = source.tables(3, np.array([column]), True)[0].dense()  # column 3 has one code
        assert sorted_counts(single[row]) == sorted_counts(table.sum(axis=2).ravel())
        assert sorted_counts(with_class[row]) == sorted_counts(table.ravel())


def test_cell_counts_with_more_classes_than_samples_a_cell(mixed):
    codes, _ = mixed
    source = PackedSource(codes, np.arange(300) // 2)
    xy, xyc = sums_of(source).cell_counts(0, np.array([1, 6]), True)
    assert xyc.shape[1] <= 300
    assert xy.sum(axis=1).tolist() == xyc.sum(axis=1).tolist() == [300, 300]


@pytest.mark.parametrize("kernel", available_kernels())
@pytest.mark.parametrize("with_classes", [True, False])
def test_weights_are_repeated_rows(mixed, kernel, with_classes):
    codes, classes = mixed
    weights = np.random.default_rng(1).integers(1, 6, 300)
    weighted = PackedSource(codes, classes if with_classes else None, weights=weights, kernel=kernel)
    repeated = PackedSource(
        np.repeat(codes, weights, axis=0), np.repeat(classes, weights) if with_classes else None, kernel=kernel
    )
    assert (weighted.n_samples, weighted.class_sizes.tolist()) == (repeated.n_samples, repeated.class_sizes.tolist())
    terms = make_entropy_terms(weighted.n_samples)
    both = weighted.fused, repeated.fused
    for mine, theirs in zip(*(sums.marginal_sums(terms) for sums in both), strict=True):
        assert mine.tolist() == theirs.tolist()
    for pivot in (0, 5, 6):
        for mine, theirs in zip(*(sums.pair_sums(terms, pivot, None, True) for sums in both), strict=True):
            assert mine.tolist() == theirs.tolist()
    tables = [source.tables(0, np.array([6]), True)[0].dense() for source in (weighted, repeated)]
    assert np.array_equal(*tables)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"weights of shape \(2,\) do not fit 3 samples: give one weight a sample"),
        ([1, 0, 2], "weights must be whole numbers from 1"),
        ([1.0, 2.0, 3.0], "weights must be whole numbers from 1"),
        (
            [2**30, 2**30, 1],
            r"the weights sum to 2,147,483,649 samples, more than the limit of 2\*\*31: divide them by",
        ),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        PackedSource([[0], [1], [2]], weights=np.array(weights))
