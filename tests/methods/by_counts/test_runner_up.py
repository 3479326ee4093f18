"""The runner-up of every greedy step, and the gap, against scores that are all computed from the definition."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.counts.packed import PackedSource
from bitsieve.information import make_information
from bitsieve.methods.by_counts import greedy_scores
from bitsieve.methods.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.methods.by_counts.forward import forward, forward_select
from bitsieve.methods.constraints import Candidates
from bitsieve.utils.choice import TIE

every_criterion = pytest.mark.parametrize("name", CRITERIA)


def second_by_exclusion(information, name, order, step):
    """The choice of a search that is given the earlier choices and must not take the winner."""
    earlier = order[:step].tolist()
    search = forward_select(
        information, make_criterion(name), step + 1, must_include=earlier, exclude=[int(order[step])]
    )
    return int(search.order[step]), float(search.scores[step])


@pytest.mark.each_value
@every_criterion
@pytest.mark.parametrize("n_codes", [2, 3])
@pytest.mark.parametrize("estimator", ["plug-in", "corrected"])
def test_runner_up_is_chosen_without_the_winner(make_table, name, n_codes, estimator):
    codes, classes = make_table(120, 9, n_codes=n_codes, n_classes=3, seed=4)
    information = make_information(estimator, PackedSource(codes, classes))
    if make_criterion(name).required_tables == "joint" and estimator == "corrected":
        information = make_information("plug-in", PackedSource(codes, classes))
    choice = forward_select(information, make_criterion(name), 4)
    for step, second in enumerate(choice.runners_up):
        assert second is not None
        candidate, score = second_by_exclusion(information, name, choice.order, step)
        assert second.is_exact
        assert second.candidate == candidate
        assert second.gap >= -TIE
        if estimator == "plug-in":  # others decide by a cautious relevance
            assert second.gap == pytest.approx(choice.scores[step] - score, abs=1e-9)  # rounding of sums


@pytest.mark.parametrize("name", ["cmim", "jmi", "mrmr", "mifs"])
def test_lazy_runner_up_is_exact_or_a_bound(monkeypatch, make_table, name):
    codes, classes = make_table(150, 40, n_codes=3, n_classes=2, seed=1)
    information = make_information("plug-in", PackedSource(codes, classes))
    eager = forward_select(information, make_criterion(name), 8)
    monkeypatch.setattr(greedy_scores, "MIN_LAZY_SECONDS", 0)
    monkeypatch.setattr(greedy_scores, "MIN_LAZY_SECONDS_OF_MEAN", 0)
    lazy = forward_select(information, make_criterion(name), 8)
    assert lazy.order.tolist() == eager.order.tolist()
    for exact, second in zip(eager.runners_up, lazy.runners_up, strict=True):
        if second.is_exact:
            assert second.candidate == exact.candidate
            assert second.gap == pytest.approx(exact.gap, abs=1e-12)  # one sum in two orders
        else:
            assert second.gap <= exact.gap + 1e-12


def test_forced_and_last_choices_have_no_runner_up(make_table):
    codes, classes = make_table(60, 3, seed=0)
    information = make_information("plug-in", PackedSource(codes, classes))
    choice = forward_select(information, make_criterion("jmi"), 3, must_include=[2])
    assert choice.order[0] == 2
    assert [second is None for second in choice.runners_up] == [True, False, True]


def test_steps_of_groups_name_their_columns(make_table):
    codes, classes = make_table(80, 6, seed=2)
    information = make_information("plug-in", PackedSource(codes, classes))
    candidates = Candidates(np.array([0, 1, 1, 2, 3, 4]))
    result = forward(information, 5, "jmi", constraints=candidates)
    columns = [step.winner.tolist() for step in result.steps]
    assert [1, 2] in columns
    assert np.concatenate([step.winner for step in result.steps]).tolist() == result.order.tolist()
    assert [len(step.runner_up) > 0 for step in result.steps] == [True] * 4 + [False]
    assert np.isnan(result.steps[-1].gap)
