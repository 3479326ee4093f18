"""What is known of columns that share no row changes nothing in what FCBF finds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cover import quick_and_slow
from tests.sparse_codes import sparse_codes

from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.sparse import SparseSource
from bitsieve.information import ESTIMATORS, make_information
from bitsieve.methods.by_counts.blankets.fcbf import fcbf


def sparse_table(seed, n_rows=40, n_columns=250):
    """Columns with a few codes other than the common one, in rows that often are of one class; some are alike."""
    random = np.random.default_rng(seed)
    classes = np.sort(random.integers(0, 3, n_rows))
    codes = np.zeros((n_rows, n_columns), np.uint8)
    for j in range(n_columns):
        length = min(random.geometric(0.3), n_rows)
        around = random.integers(n_rows) + random.normal(scale=6, size=length)
        codes[around.astype(int) % n_rows, j] = random.integers(1, 2 + j % 3, length)
    codes[:, -20:] = codes[:, :20]
    codes[:, -1] = 0
    return codes, classes, random.integers(1, 3, n_rows) if seed % 2 else None


def assert_same_as_one_by_one(estimator, codes, classes, weights, **options):
    found, expected = (
        fcbf(make_information(estimator, source), **{"k": None, "delta": 0.0, **options})
        for source in (
            SparseSource(sparse_codes(codes), classes, weights=weights),
            NaiveSource(codes, classes, weights=weights),
        )
    )
    assert found.order.tolist() == expected.order.tolist()
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert [group.tolist() for group in found.extras["groups_"]] == [
        group.tolist() for group in expected.extras["groups_"]
    ]


@pytest.mark.parametrize("seed", quick_and_slow(range(4), quick={0}, reason="more seeds"))
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_same_features_and_groups_as_one_by_one(seed, estimator):
    table = sparse_table(seed)
    for options in ({}, {"delta": 0.05}, {"strict": True}, {"k": 5}):
        assert_same_as_one_by_one(estimator, *table, **options)


@pytest.mark.parametrize("seed", range(5))
def test_classes_of_which_no_member_remains(seed):
    """In small tables all columns of the last class are soon chosen or removed."""
    assert_same_as_one_by_one("plug-in", *sparse_table(seed, n_rows=12, n_columns=40))


@pytest.mark.slow("many tables")
def test_sums_of_columns_that_co_occur_and_of_those_of_disjoint_support():
    codes, classes, _ = sparse_table(0)
    source = SparseSource(sparse_codes(codes), classes)
    disjoint = make_information("plug-in", source).disjoint_pairs()
    assert 1 < len(disjoint.support.representatives) < codes.shape[1]
    found = {pivot: disjoint.co_occurring(pivot, 250) for pivot in range(codes.shape[1])}
    assert {pair is None for pair in found.values()} == {True, False}
    naive = make_information("plug-in", NaiveSource(codes, classes))
    for pivot in [pivot for pivot, pair in found.items() if pair is not None]:
        met, pair = found[pivot]
        both = (codes != source.listed.common) & (codes[:, [pivot]] != source.listed.common[pivot])
        assert met.tolist() == np.flatnonzero(both.any(axis=0)).tolist()
        whole = naive.pair(pivot, by_class=False).redundancy
        assert pair.redundancy.tobytes() == whole[met].tobytes()
        others = np.setdiff1d(np.arange(codes.shape[1]), met)
        assert (
            disjoint.by_equivalence(pivot).redundancy[disjoint.support.equivalence[others]].tobytes()
            == whole[others].tobytes()
        )
