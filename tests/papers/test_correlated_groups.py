"""Groups of correlated features against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from papers.data.correlated_groups import CORRELATION, MAX_MEMBERS, MIN_MEMBERS, make_correlated_groups


@pytest.fixture(scope="module")
def made():
    return make_correlated_groups(20_000, 150, n_groups=12, n_multiple=4, random_state=0)


def test_sizes_of_the_groups(made):
    sizes = np.bincount(made.groups[made.groups >= 0])
    assert len(sizes) == 12
    assert (sizes[4:] == 1).all()
    assert MIN_MEMBERS <= sizes[:4].min() <= sizes[:4].max() <= MAX_MEMBERS


def test_correlations(made):
    correlation = np.abs(np.corrcoef(made.X, rowvar=False))
    same = (made.groups[:, None] == made.groups) & (made.groups >= 0)
    np.fill_diagonal(correlation, 0)
    np.fill_diagonal(same, False)
    # Deviation of a correlation over 20,000 samples: at most 1 / sqrt(20,000) = 0.007; six of them.
    assert np.abs(correlation[same] - CORRELATION).max() < 0.042
    assert correlation[~same].max() < 0.042


def test_the_class_is_the_sign_of_the_weighted_sum():
    X, y, groups, weights = make_correlated_groups(500, 40, n_groups=20, n_multiple=0, random_state=1)
    members = np.array([np.flatnonzero(groups == g)[0] for g in range(20)])
    assert (np.where(X[:, members] @ weights >= 0, 1, -1) == y).all()


def test_what_cannot_be():
    with pytest.raises(ValueError, match="there are 3 groups in all"):
        make_correlated_groups(10, 100, n_groups=3, n_multiple=4)
    with pytest.raises(ValueError, match="the groups have 20 members"):
        make_correlated_groups(10, 19, n_groups=20, n_multiple=0)
