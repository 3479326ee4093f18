"""DpSelector: every step lowers the bounds as far as a column can, and its score is a bound of the public function."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import StandardScaler

from bitsieve import DpSelector, bayes_error_bounds


def standardised(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def test_the_weighted_sum_is_the_pairwise_bound_on_the_bayes_error():
    X, y = standardised(load_wine)
    selector = DpSelector(3, weighted=True).fit(X, y)
    for size in (1, 2, 3):
        bound = bayes_error_bounds(X[:, selector.selected_[:size]], y, tree="pairwise").upper
        assert selector.scores_[size - 1] == pytest.approx(bound, rel=1e-12)  # sums in two orders


def test_the_first_column_is_the_best_alone():
    X, y = standardised(load_breast_cancer)
    alone = [bayes_error_bounds(X[:, [j]], y).upper for j in range(X.shape[1])]
    selector = DpSelector(1).fit(X, y)
    assert selector.selected_[0] == np.flatnonzero(np.array(alone) <= min(alone) + 1e-10)[0]


def test_the_threads_and_the_order_of_the_samples_do_not_matter():
    X, y = standardised(load_wine)
    one = DpSelector(4).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    for other in (DpSelector(4, n_jobs=3).fit(X, y), DpSelector(4).fit(X[order], y[order])):
        assert np.array_equal(one.selected_, other.selected_)
        assert one.scores_ == pytest.approx(other.scores_, rel=1e-12)


def test_what_is_far_apart_needs_one_column():
    random = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 30)
    X = random.normal(size=(90, 6))
    X[:, 4] = 100 * y + random.normal(size=90)
    selector = DpSelector(2).fit(X, y)
    assert selector.selected_[0] == 4
    assert selector.scores_[0] == pytest.approx(3 * 1 / 60)  # one edge between every two classes


def test_constant_columns_come_last_and_change_no_bound():
    X, y = standardised(load_wine)
    X = X[:, :3].copy()
    X[:, 1] = 2.0
    selector = DpSelector(3).fit(X, y)
    assert selector.selected_[-1] == 1
    assert selector.scores_[-1] == selector.scores_[-2]
    constant = DpSelector(2).fit(np.ones((40, 3)), np.arange(40) % 2)
    assert constant.selected_.tolist() == [0, 1]
    assert constant.scores_.tolist() == [0.5, 0.5]


def test_a_class_of_one_sample_takes_part():
    X, y = standardised(load_wine)
    y = y.copy()
    y[0] = 9
    assert len(DpSelector(2).fit(X, y).selected_) == 2


@pytest.mark.parametrize(
    ("parameters", "words"), [({"weighted": "yes"}, "weighted='yes' is not allowed"), ({"n_jobs": 0}, "n_jobs=0")]
)
def test_wrong_parameters_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        DpSelector(1, **parameters).fit(*load_wine(return_X_y=True))


def test_missing_values_are_refused_by_the_names_of_their_columns():
    X, y = load_wine(return_X_y=True, as_frame=True)
    with pytest.raises(ValueError, match=r"missing values.*'ash'"):
        DpSelector(1).fit(X.assign(ash=X.ash.where(X.ash > 2)), y)
