"""Sparse groups against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from papers.data import sparse_groups
from papers.data.sparse_groups import MAX_MEMBERS, MIN_MEMBERS, SPREAD, make_sparse_groups


@pytest.fixture(scope="module")
def made():
    return make_sparse_groups(6000, 3000, n_nonzeros=40, n_groups=12, n_present=3, random_state=0)


def test_every_sample_has_as_many_nonzeros(made):
    assert made.X.shape == (6000, 3000)
    assert (np.diff(made.X.indptr) == 40).all()
    assert made.X.has_canonical_format
    assert (made.X.data != 0).all()


def test_sizes_of_the_groups(made):
    sizes = np.bincount(made.groups[made.groups >= 0], minlength=12)
    assert MIN_MEMBERS <= sizes.min() <= sizes.max() <= MAX_MEMBERS
    assert len(made.weights) == 12


def test_members_occur_together_and_are_correlated(made):
    for g in range(12):
        members = np.flatnonzero(made.groups == g)
        values = made.X[:, members].toarray()
        assert ((values != 0).all(axis=1) == (values != 0).any(axis=1)).all()
        if len(members) > 1:
            correlation = np.abs(np.corrcoef(values, rowvar=False))
            # (1 - p) / (1 - p + spread^2) for a share p = 1/4 of the samples; six deviations over some 1,500 samples.
            expected = 0.75 / (0.75 + SPREAD**2)
            assert np.abs(correlation[~np.eye(len(members), dtype=bool)] - expected).max() < 6 * (1 - expected**2) / 38


def test_the_class_is_the_upper_half_of_the_weighted_sum(made):
    first = np.array([np.flatnonzero(made.groups == g)[0] for g in range(12)])
    present = made.X[:, first].toarray() != 0
    assert (present.sum(axis=1) == 3).all()
    sums = present @ made.weights
    clear = np.abs(sums - np.median(sums)) > 1e-9  # sums of three weights in another order
    assert (np.where(sums > np.median(sums), 1, -1) == made.y)[clear].all()
    assert abs(made.y.mean()) < 0.05


def test_noise_is_spread_over_the_other_columns(made):
    stored = np.bincount(made.X.indices, minlength=3000)[made.groups < 0]
    mean = stored.mean()
    assert np.abs(stored - mean).max() < 7 * np.sqrt(mean)


def test_batches_make_no_difference_in_kind(monkeypatch):
    monkeypatch.setattr(sparse_groups, "BATCH_VALUES", 100)
    made = make_sparse_groups(50, 500, n_nonzeros=30, n_groups=5, n_present=2, random_state=1)
    assert (np.diff(made.X.indptr) == 30).all()
    assert made.X.has_canonical_format
    again = make_sparse_groups(50, 500, n_nonzeros=30, n_groups=5, n_present=2, random_state=1)
    assert (made.X != again.X).nnz == 0


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n_present": 6, "n_groups": 5}, "n_present=6 is not allowed: there are 5 groups in all"),
        ({"n_nonzeros": 4, "n_groups": 50}, "n_nonzeros=4 is not allowed: 3 groups have up to"),
        ({"n_features": 20, "n_groups": 50}, "n_features=20 is not allowed: give at least"),
        ({"n_samples": 0}, "n_samples=0 is not allowed"),
    ],
)
def test_what_cannot_be(sizes, message):
    with pytest.raises(ValueError, match=message):
        make_sparse_groups(**{"n_samples": 10, "n_features": 1000, "n_groups": 5, "random_state": 0, **sizes})
