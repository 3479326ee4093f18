"""The fit that columns and knockoffs compete in, the filter, and its e-values."""

import numpy as np
import pytest

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.methods.by_counts.dependent import knockoffs
from bitsieve.methods.by_counts.dependent.forest import Forest
from bitsieve.methods.by_counts.dependent.knockoffs import LEARNING_RATE, e_values, fit_gains, knockoff_wins, threshold
from bitsieve.methods.by_counts.stopping.lists import adjusted


def table(seed, n_samples=300, arities=(2, 3, 4, 3, 2, 5), n_classes=2):
    random = np.random.default_rng(seed)
    X = np.column_stack([random.integers(0, arity, n_samples) for arity in arities]).astype(np.uint8)
    y = (X[:, 1] + 2 * X[:, 4].astype(int) + random.integers(0, 2, n_samples)) * n_classes // 6
    return X, y


def naive_gains(X, y, n_steps):
    """The same fit on the rows."""
    n, classes = len(y), np.unique(y)
    residual = (y[:, None] == classes) - np.bincount(y) / n
    gains = np.zeros(X.shape[1])
    for _ in range(n_steps):
        error = (residual**2).sum()
        best, found = -1, 0.0
        for column in range(X.shape[1]):
            codes = np.unique(X[:, column])
            sums = np.array([residual[X[:, column] == code].sum(axis=0) for code in codes])
            sizes = np.bincount(X[:, column])[codes]
            gain = (sums**2 / (sizes[:, None] + 1)).sum() - (len(codes) - 1) * error / n
            if gain > found + 1e-9:
                best, found = column, gain
        if best < 0:
            break
        for code in np.unique(X[:, best]):
            rows = X[:, best] == code
            residual[rows] -= LEARNING_RATE * residual[rows].sum(axis=0) / (rows.sum() + 1)
        gains[best] += error - (residual**2).sum()
    return gains


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_fit_is_that_on_the_rows(n_classes):
    X, y = table(0, n_classes=n_classes)
    found = fit_gains(PackedSource(X, y))
    np.testing.assert_allclose(found, naive_gains(X, y, 1000), rtol=1e-7, atol=1e-9)  # hundreds of steps of floats
    assert found[[1, 4]].min() > found[[0, 2, 3, 5]].max()


def test_tables_are_kept_as_long_as_they_fit(monkeypatch):
    """The more room, the fewer are counted again; none where all fit, and no gain depends on it."""
    X, y = table(0)
    expected, numbers = fit_gains(PackedSource(X, y)), []
    count, asked = knockoffs.dense_cells, []

    def counted(packed, pivot, *rest):
        asked.append(pivot)
        return count(packed, pivot, *rest)

    monkeypatch.setattr(knockoffs, "dense_cells", counted)
    of_three_codes = 8 * 19 * 3  # bytes of a table with all 19 codes
    for room in (0, 2, 100):
        asked.clear()
        monkeypatch.setattr(knockoffs, "MAX_CACHED_BYTES", room * of_three_codes)
        assert fit_gains(PackedSource(X, y)).tobytes() == expected.tobytes()
        numbers.append(len(asked))
    assert numbers[0] > numbers[1] > numbers[2] == len(set(asked))


def test_columns_in_another_order_have_the_same_gains():
    X, y = table(1)
    order = np.random.default_rng(0).permutation(X.shape[1])
    # the steps are the same, their sums are added in another order
    np.testing.assert_allclose(fit_gains(PackedSource(X[:, order], y)), fit_gains(PackedSource(X, y))[order], rtol=1e-9)


def forest_of(X):
    return Forest(X.shape[1], np.array([[0, 1], [1, 2]]), np.zeros(2))


def test_wins_are_the_same_for_any_number_of_threads_and_order_of_rows_in_the_source():
    X, y = table(2)
    columns = np.arange(X.shape[1])
    wins = knockoff_wins(PackedSource(X, y), forest_of(X), columns, 4, 7)
    again = knockoff_wins(PackedSource(X, y, n_jobs=3), forest_of(X), columns, 4, 7)
    naive = knockoff_wins(NaiveSource(X, y), forest_of(X), columns, 4, 7)  # samples in another order
    assert wins.tolist() == again.tolist() == naive.tolist()
    assert len({tuple(row) for row in wins.tolist()}) == 4  # every draw has knockoffs of its own


def test_wins_are_differences_of_gains(monkeypatch):
    """A fit that gains 5, 4, ... by the first columns and 2 by the others, which of both are the knockoffs or not."""
    X, y = table(3)
    columns = np.arange(X.shape[1])
    gains = np.r_[10.0 + columns, np.full(len(columns), 2.0)]
    monkeypatch.setattr(knockoffs, "fit_gains", lambda both: gains)
    wins = knockoff_wins(PackedSource(X, y), forest_of(X), columns, 20, 0)
    assert np.abs(wins).tolist() == [(8.0 + columns).tolist()] * 20
    assert {-1, 1} == set(np.sign(wins).ravel().tolist())
    some = columns[[4, 1]]
    gains = np.array([3.0, 4.0, 1.0, 9.0])
    assert set(np.abs(knockoff_wins(PackedSource(X, y), forest_of(X), some, 9, 0)).ravel().tolist()) == {2.0, 5.0}


def test_signs_of_irrelevant_columns_are_fair():
    wins = []
    for seed in range(60):
        X, _ = table(seed, 100)
        y = np.random.default_rng([seed, 1]).integers(0, 2, 100)
        wins.append(knockoff_wins(PackedSource(X, y), forest_of(X), np.arange(X.shape[1]), 1, seed)[0])
    signs = np.sign(np.array(wins))
    signs = signs[signs != 0]
    assert len(signs) > 60
    assert abs(signs.mean()) < 4 / len(signs) ** 0.5  # four standard errors of a fair coin


def naive_threshold(wins, level):
    able = [t for t in np.abs(wins[wins != 0]) if (1 + (wins <= -t).sum()) / max(1, (wins >= t).sum()) <= level]
    return min(able, default=np.inf)


@pytest.mark.parametrize("seed", range(30))
def test_one_draw_has_the_list_of_the_filter(seed):
    random = np.random.default_rng(seed)
    wins = np.round(random.normal(0.8, 1, 60), 1)
    least = threshold(wins, 0.2)
    assert least == naive_threshold(wins, 0.2)
    taken = adjusted(1 / np.maximum(e_values(wins[None], 0.2), 1), "benjamini-hochberg") <= 0.2
    assert taken.tolist() == (wins >= least).tolist()


def test_e_values_are_means_over_draws():
    wins = np.random.default_rng(0).normal(1.0, 1, (5, 40))
    alone = [e_values(row[None], 0.3) for row in wins]
    np.testing.assert_allclose(e_values(wins, 0.3), np.mean(alone, axis=0), rtol=1e-12)  # sums of five floats
