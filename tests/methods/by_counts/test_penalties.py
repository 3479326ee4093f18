"""Penalties of columns: bits that are taken off the score at every choice."""

import numpy as np
import pytest
from tests.cover import methods_of_each_kind

from bitsieve import Constraints, ForwardSelector
from bitsieve.diagnostics import UserError
from bitsieve.methods.by_counts.criteria import CRITERIA

N_FEATURES = 8
TAKE_PENALTIES = [name for name, kind in CRITERIA.items() if kind.unit == "bits" and kind.required_tables != "joint"]
REFUSE_PENALTIES = [name for name in CRITERIA if name not in TAKE_PENALTIES]


@pytest.fixture(scope="module")
def codes():
    random = np.random.default_rng(3)
    X = random.integers(0, 3, (400, N_FEATURES))
    y = (X[:, 0] + X[:, 1] + random.integers(0, 2, 400)) % 3
    X[:, 2] = (X[:, 0] + (random.random(400) < 0.2)) % 3
    return X, y


def fitted(codes, criterion, n_features=N_FEATURES, penalties=None, **parameters):
    constraints = None if penalties is None else Constraints(penalties=penalties, **parameters)
    selector = ForwardSelector(n_features, criterion=criterion, constraints=constraints, binning="none")
    return selector.fit(*codes)


@pytest.mark.parametrize("criterion", TAKE_PENALTIES)
def test_penalties_of_zero_change_nothing(codes, criterion):
    expected = fitted(codes, criterion)
    result = fitted(codes, criterion, penalties=dict.fromkeys(range(N_FEATURES), 0.0))
    assert (result.selected_ == expected.selected_).all()
    assert result.scores_ == pytest.approx(expected.scores_, abs=1e-12)  # folded in another order


@pytest.mark.parametrize("criterion", methods_of_each_kind(TAKE_PENALTIES))
def test_each_choice_has_the_largest_score_less_its_penalty(codes, criterion):
    """Of every candidate the score is that of a selection that begins with the same columns and then takes it."""
    penalties = dict(enumerate(np.random.default_rng(4).uniform(0, 0.2, N_FEATURES).tolist()))
    result = fitted(codes, criterion, 3, penalties)
    chosen = result.selected_.tolist()
    for n_chosen in (0, 1, 2):
        before = chosen[:n_chosen]
        share = n_chosen if criterion == "jmi" and n_chosen else 1
        scores = {}
        for candidate in set(range(N_FEATURES)) - {*before}:
            forced = Constraints(must_include=[*before, candidate])
            selector = ForwardSelector(n_chosen + 1, criterion=criterion, constraints=forced, binning="none")
            scores[candidate] = selector.fit(*codes).scores_[-1] - share * penalties[candidate]
        assert result.scores_[n_chosen] == pytest.approx(scores[chosen[n_chosen]], abs=1e-12)
        if n_chosen:  # the first choice goes by the cautious relevance
            assert scores[chosen[n_chosen]] >= max(scores.values()) - 1e-10


def test_jmi_and_emrmr_still_choose_alike(codes):
    penalties = {0: 0.3, 1: 0.05, 4: 0.01}
    assert (fitted(codes, "jmi", 6, penalties).selected_ == fitted(codes, "emrmr", 6, penalties).selected_).all()


def test_a_group_has_the_sum_of_its_penalties(codes):
    group = fitted(codes, "mim", 1, {0: 0.1, 1: 0.2}, groups=[[0, 1]], must_include=[0])
    free = fitted(codes, "mim", 1, {}, groups=[[0, 1]], must_include=[0])
    assert group.scores_[0] == pytest.approx(free.scores_[0] - 0.3, abs=1e-12)


@pytest.mark.parametrize("criterion", REFUSE_PENALTIES)
def test_other_scores_take_none(codes, criterion):
    with pytest.raises(UserError) as raised:
        fitted(codes, criterion, 2, {0: 0.1})
    assert raised.value.code == "undefined-quantity"


@pytest.mark.parametrize("penalties", [{0: -1}, {0: float("inf")}, {0: "much"}, [0.1]])
def test_what_is_no_penalty(codes, penalties):
    with pytest.raises(UserError) as raised:
        fitted(codes, "jmi", 2, penalties)
    assert raised.value.code == "parameter-not-allowed"
    assert "penalties" in str(raised.value)
