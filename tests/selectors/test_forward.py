"""ForwardSelector: what it tells about a selection."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from tests.cover import quick_and_slow

from bitsieve import EqualFrequencyBinner, ForwardSelector, MDLBinner
from bitsieve.engines.local import make_source
from bitsieve.information import make_information
from bitsieve.methods.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.methods.by_counts.criteria.linear import JMI, MIFS
from bitsieve.methods.by_counts.forward import forward_select
from bitsieve.utils.defaults import ESTIMATOR

# One rounding of a sum of logarithms by the definition.
DEFINITION = 1e-13


@pytest.mark.parametrize(
    "criterion",
    quick_and_slow(CRITERIA, quick={"mrmr", "jmi", "cmim", "cmi"}, reason="golden results hold every criterion"),
)
def test_is_the_loop_on_binned_columns(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    fitted = ForwardSelector(7, criterion=criterion).fit(X, y)
    codes = MDLBinner().fit_transform(X, y)
    information = make_information(ESTIMATOR, make_source(codes, y))
    expected = forward_select(information, make_criterion(criterion), 7)
    assert fitted.selected_.tolist() == expected.order.tolist()
    assert fitted.scores_.tobytes() == expected.scores.tobytes()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_attributes(brute, make_table, criterion):
    codes, classes = make_table(80, 12, n_codes=4, n_classes=3, seed=1)
    fitted = ForwardSelector(5, criterion=criterion, binning="none", estimator="plug-in").fit(codes, classes)
    chosen = fitted.selected_.tolist()
    assert len(set(chosen)) == 5
    assert np.flatnonzero(fitted.support_).tolist() == sorted(chosen)
    assert fitted.ranking_[chosen].tolist() == [1, 2, 3, 4, 5]
    assert (np.delete(fitted.ranking_, chosen) == 6).all()
    assert fitted.n_features_in_ == 12
    for i in range(12):
        assert abs(fitted.relevance_[i] - brute.mutual_information(codes[:, i], classes)) <= DEFINITION
    assert chosen[0] == fitted.relevance_.argmax()
    assert fitted.scores_[0] == fitted.relevance_.max()

    assert fitted.overlap_with_[0] == -1
    assert np.isnan(fitted.overlap_[0])
    for place in range(1, 5):
        shared = [brute.mutual_information(codes[:, chosen[place]], codes[:, s]) for s in chosen[:place]]
        assert fitted.overlap_with_[place] == chosen[int(np.argmax(shared))]
        assert abs(fitted.overlap_[place] - max(shared)) <= DEFINITION


def test_one_feature_overlaps_with_none():
    X, y = load_iris(return_X_y=True)
    fitted = ForwardSelector(1).fit(X, y)
    assert fitted.overlap_with_.tolist() == [-1]
    assert np.isnan(fitted.overlap_).all()


def test_all_features():
    X, y = load_iris(return_X_y=True)
    fitted = ForwardSelector(4).fit(X, y)
    assert sorted(fitted.ranking_.tolist()) == [1, 2, 3, 4]
    assert fitted.transform(X).shape == X.shape


def test_twins_overlap_by_all_they_have():
    codes = np.random.default_rng(0).integers(0, 3, (60, 1))
    selector = ForwardSelector(2, criterion="mim", binning="none", estimator="plug-in")
    fitted = selector.fit(np.hstack([codes, codes]), codes[:, 0] > 0)
    assert fitted.selected_.tolist() == [0, 1]
    assert fitted.overlap_with_.tolist() == [-1, 0]
    counts = np.bincount(codes[:, 0]) / 60
    assert abs(fitted.overlap_[1] + (counts * np.log2(counts)).sum()) <= DEFINITION


@pytest.mark.parametrize(
    "criterion",
    quick_and_slow(CRITERIA, quick={"mrmr", "jmi", "cmim", "cmi"}, reason="the same loop by another criterion"),
)
def test_equal_for_any_number_of_threads(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    one = ForwardSelector(5, criterion=criterion, n_jobs=1).fit(X, y)
    for n_jobs in (None, 2, 7, -1):
        other = ForwardSelector(5, criterion=criterion, n_jobs=n_jobs).fit(X, y)
        assert other.selected_.tolist() == one.selected_.tolist()
        assert other.scores_.tobytes() == one.scores_.tobytes()
        assert other.overlap_.tobytes() == one.overlap_.tobytes()


def test_criterion_by_name_in_any_case_or_as_an_object():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = [ForwardSelector(5, criterion=c).fit(X, y) for c in ("jmi", "JMI", JMI())]
    assert len({f.scores_.tobytes() for f in fitted}) == 1
    weak = ForwardSelector(5, criterion=MIFS(beta=0.0)).fit(X, y)
    assert weak.selected_.tolist() == ForwardSelector(5, criterion="mim").fit(X, y).selected_.tolist()


def test_binner_is_kept_fitted():
    X, y = load_iris(return_X_y=True)
    binning = EqualFrequencyBinner(n_bins=4)
    fitted = ForwardSelector(2, binning=binning).fit(X, y)
    assert fitted.binner_ is not binning
    assert fitted.binner_.n_bins_.max() == 4
    assert len(fitted.binner_.bin_edges_) == 4
    assert fitted.classes_.tolist() == [0, 1, 2]


def test_missing_values_as_a_code_of_their_own():
    """Whether a value is there at all tells the class."""
    random = np.random.default_rng(0)
    X = random.standard_normal((100, 3))
    y = np.isnan(np.where(random.random(100) < 0.5, np.nan, 0)).astype(int)
    X[y == 1, 2] = np.nan
    fitted = ForwardSelector(1, binning=EqualFrequencyBinner(n_bins=2, missing="bin")).fit(X, y)
    assert fitted.selected_.tolist() == [2]
    out = fitted.transform(X)
    assert (np.isnan(out[:, 0]) == (y == 1)).all()


def test_fitting_again_forgets():
    X, y = load_iris(return_X_y=True, as_frame=True)
    selector = ForwardSelector(2).fit(X, y)
    selector.set_params(n_features_to_select=1).fit(X.to_numpy()[:, :3], y)
    assert not hasattr(selector, "feature_names_in_")
    assert selector.n_features_in_ == 3
    assert len(selector.selected_) == 1
