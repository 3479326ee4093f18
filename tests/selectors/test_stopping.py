"""How many features: numbers, shares, and rules that end a selection."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import RFE
from sklearn.linear_model import Perceptron

from bitsieve import (
    Constraints,
    ForwardSelector,
    PermutationStopping,
    SignificanceStopping,
    SpecCMI,
    ThresholdStopping,
    make_selector,
)

X, y = load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.mark.slow("shuffles at several shares")
@pytest.mark.parametrize("share", [0.04, 0.1, 0.34, 0.99])
@pytest.mark.parametrize("make", [ForwardSelector, SpecCMI])
def test_a_share_means_what_it_means_in_scikit_learn(make, share):
    expected = RFE(Perceptron(), n_features_to_select=share).fit(X, y).n_features_
    assert len(make(share).fit(X, y).selected_) == expected


def test_a_share_is_one_feature_at_least():
    assert len(ForwardSelector(0.001).fit(X, y).selected_) == 1


def test_auto_is_significance():
    auto = ForwardSelector("auto").fit(X, y)
    named = ForwardSelector("auto", stopping=SignificanceStopping(level=0.05)).fit(X, y)
    assert auto.selected_.tolist() == named.selected_.tolist()
    assert auto.stopped_by_ == "significance"
    assert auto.stopping_value_ > 0.05
    assert (auto.stopping_values_ <= 0.05).all()
    assert 1 <= len(auto.selected_) < 30
    assert auto.stopping_candidate_ not in auto.selected_


@pytest.mark.slow("a search of its own in Python")
@pytest.mark.parametrize("rule", ["significance", "permutation", "threshold"])
def test_the_choices_are_those_of_the_criterion_among_what_the_rule_accepts(rule):
    """Until the first refusal the list is that without a rule; then the search goes on with the others."""
    whole = ForwardSelector(30).fit(X, y)
    cut = ForwardSelector("auto", stopping=rule).fit(X, y)
    same = int((cut.selected_ == whole.selected_[: len(cut.selected_)]).cumprod().sum())
    assert same >= 2
    assert cut.scores_[:same].tobytes() == whole.scores_[:same].tobytes()
    assert cut.stopping_candidate_ not in cut.selected_
    if same < len(cut.selected_):
        refused = ForwardSelector("auto", stopping=rule, constraints=Constraints(cut.selected_[:same].tolist()))
        assert whole.selected_[same] not in refused.fit(X, y).selected_[: same + 1]


def test_the_threshold_is_asked_of_every_candidate():
    fitted = ForwardSelector("auto", criterion="mim", stopping=ThresholdStopping(0.03)).fit(X, y)
    again = ForwardSelector("auto", criterion="cmi", stopping=ThresholdStopping(0.03))
    again.set_params(constraints=Constraints(fitted.selected_.tolist())).fit(X, y)
    assert len(again.selected_) == len(fitted.selected_)  # nothing that is left adds so much
    assert again.stopping_value_ < 0.03


def test_a_number_is_the_most_that_a_rule_may_take():
    fitted = ForwardSelector(1, stopping="permutation").fit(X, y)
    assert fitted.stopped_by_ == "n_features_to_select"
    assert np.isnan(fitted.stopping_value_)
    assert fitted.stopping_candidate_ == -1
    assert fitted.stopping_values_[0] <= 0.05


def test_without_a_rule():
    fitted = ForwardSelector(4).fit(X, y)
    assert fitted.stopped_by_ == "n_features_to_select"
    assert np.isnan(fitted.stopping_values_).all()


def test_noise_gives_nothing():
    random = np.random.default_rng(0)
    codes, classes = random.integers(0, 3, (100, 5)), random.integers(0, 2, 100)
    fitted = ForwardSelector("auto", stopping=PermutationStopping(), binning="none").fit(codes, classes)
    assert fitted.selected_.tolist() == []
    assert not fitted.support_.any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert fitted.transform(codes).shape == (100, 0)


@pytest.mark.slow("shuffles at several levels")
def test_a_stricter_level_takes_no_more():
    sizes = [
        len(ForwardSelector("auto", stopping=SignificanceStopping(level=level)).fit(X.iloc[:, 10:], y).selected_)
        for level in (0.5, 0.05, 1e-3, 1e-30)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


@pytest.mark.slow("several thresholds")
def test_higher_thresholds_take_no_more():
    sizes = [
        len(ForwardSelector("auto", stopping=ThresholdStopping(bits)).fit(X, y).selected_)
        for bits in (0, 0.01, 0.1, 0.5, 2)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 0


def test_by_name():
    selector = make_selector("cmim", "auto", stopping="threshold")
    assert selector.fit(X, y).stopped_by_ == "threshold"


@pytest.mark.parametrize("k", ["all", 0.0, 1.0, 1.5, -0.1])
def test_no_number_of_features(k):
    with pytest.raises(ValueError, match=r"n_features_to_select=.* is not allowed: give a whole number from 1 to 30"):
        ForwardSelector(k).fit(X, y)


def test_auto_is_for_greedy_methods():
    with pytest.raises(ValueError, match="n_features_to_select='auto' is not allowed"):
        SpecCMI("auto").fit(X, y)
