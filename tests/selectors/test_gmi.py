"""GMI: what is left out, what relevance keeps, and one line for every mistake."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from bitsieve import GMI, bayes_error_bounds, geometric_mutual_information


def pairs_and_noise(n_samples=400, seed=0):
    """Two features that tell the class and are near copies of each other, one more that tells it, two of noise."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n_samples)
    X = random.normal(size=(n_samples, 5))
    X[:, 0] += 2.5 * y
    X[:, 1] = X[:, 0] + 0.05 * random.normal(size=n_samples)
    X[:, 2] += 1.5 * y
    return X, y


def test_the_copies_go_first_and_noise_is_kept_first():
    X, y = pairs_and_noise()
    selector = GMI(3, n_repeats=5).fit(X, y)
    assert set(selector.ranking_[[0, 1]]) == {4, 5}
    assert set(selector.selected_) == {2, 3, 4}
    assert (np.diff(selector.scores_) >= 0).all()
    totals = selector.dependency_.sum(axis=1)
    assert selector.scores_ == pytest.approx(totals[selector.selected_], abs=1e-12)


def test_backward_removal_keeps_one_of_two_copies():
    X, y = pairs_and_noise()
    ranking = GMI(3, removal="backward", n_repeats=5).fit(X, y).ranking_
    assert ranking[[0, 1]].max() == 5
    assert ranking[[0, 1]].min() < 4


def test_relevance_keeps_what_tells_the_class():
    X, y = pairs_and_noise()
    selector = GMI(2, removal="backward", relevance=3).fit(X, y)
    assert set(np.flatnonzero(selector.ranking_ <= 3)) == {0, 1, 2}
    assert 2 in selector.selected_
    assert np.isnan(selector.dependency_[3:]).all()
    assert np.isnan(selector.dependency_[:, 3:]).all()
    assert np.isfinite(selector.dependency_[:3, :3]).all()
    alone = [bayes_error_bounds(X[:, [j]], y).upper for j in range(5)]
    assert set(np.argsort(alone, kind="stable")[:3]) == {0, 1, 2}
    assert selector.ranking_[3 + np.argmax(alone[3:])] == 5
    by_share = GMI(2, removal="backward", relevance=0.6).fit(X, y)
    assert np.array_equal(by_share.ranking_, selector.ranking_)


def test_the_matrix_is_the_estimate_for_every_pair():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :4]
    selector = GMI(2, n_repeats=3, random_state=7, priors="pooled").fit(X, y)
    for s in range(4):
        for t in range(s + 1, 4):
            alone = geometric_mutual_information(X[:, s], X[:, t], y, n_repeats=3, random_state=7, priors="pooled")
            assert selector.dependency_[s, t] == pytest.approx(alone, abs=1e-12)  # sums in two orders


def test_the_seed_decides_and_the_threads_do_not():
    X, y = load_wine(return_X_y=True)
    one, other, third = (GMI(3, random_state=s, n_jobs=j).fit(X, y) for s, j in ((1, None), (1, 2), (2, 1)))
    assert np.array_equal(one.dependency_, other.dependency_)
    assert np.array_equal(one.ranking_, other.ranking_)
    assert not np.array_equal(one.dependency_, third.dependency_)


def test_constant_columns_come_last_and_depend_on_nothing():
    X, y = pairs_and_noise()
    X[:, 3] = 7.0
    selector = GMI(5).fit(X, y)
    assert selector.selected_[-1] == 3
    assert selector.scores_[-1] == 0
    assert (selector.dependency_[3] == 0).all()


def test_one_feature_and_features_that_are_all_constant():
    X, y = pairs_and_noise()
    single = GMI(1).fit(X[:, :1], y)
    assert single.selected_.tolist() == [0]
    assert single.scores_.tolist() == [0.0]
    assert single.dependency_.tolist() == [[0.0]]
    constant = GMI(2).fit(np.ones((20, 3)), np.arange(20) % 2)
    assert constant.ranking_.tolist() == [1, 2, 3]


def test_classes_of_one_sample_and_columns_of_two_categories_are_taken():
    X, y = pairs_and_noise(60)
    y[:3] = [5, 6, 7]
    frame = pd.DataFrame(X).assign(flag=X[:, 0] > 0, word=np.where(X[:, 2] > 0, "high", "low"))
    frame.columns = frame.columns.astype(str)
    selector = GMI(3).fit(frame, y)
    numbers = np.column_stack([X, X[:, 0] > 0, X[:, 2] <= 0])
    assert np.array_equal(selector.dependency_, GMI(3).fit(numbers, y).dependency_)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"removal": "forward"}, "removal='forward' is not allowed: give 'sorted' or 'backward'"),
        ({"priors": "flat"}, "priors='flat' is not allowed"),
        ({"n_repeats": 0}, "n_repeats=0 is not allowed: give a whole number of 1 or more"),
        ({"relevance": 0}, "relevance=0 is not allowed: give a whole number"),
        ({"relevance": 1.5}, "relevance=1.5 is not allowed"),
        ({"relevance": 9}, "relevance=9 is not allowed: give a whole number from 1 to 5"),
        ({"relevance": 1}, "relevance=1 is not allowed: keep as many features as are selected, 2, or more"),
        ({"random_state": "x"}, "random_state=.x. is not allowed: give a whole number"),
        ({"n_jobs": 0}, "n_jobs=0 is not a number of threads"),
    ],
)
def test_wrong_parameters_are_refused_in_one_line(parameters, words):
    with pytest.raises(ValueError, match=words) as refused:
        GMI(2, **parameters).fit(*pairs_and_noise(20))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda X, y: (np.where(X > 1, np.nan, X), y), "missing values"),
        (lambda X, y: (X * 1e200, y), "rescale"),
        (lambda X, y: (X[:3], np.array([0, 1, 0])), "at least 4"),
        (lambda X, y: (pd.DataFrame({"a": ["x", "y", "z"] * 20}), np.arange(60) % 2), "more than two categories: 'a'"),
    ],
)
def test_wrong_data_is_refused_in_one_line(spoil, words):
    with pytest.raises(ValueError, match=words) as refused:
        GMI(1).fit(*spoil(*pairs_and_noise(60)))
    assert "\n" not in str(refused.value)
