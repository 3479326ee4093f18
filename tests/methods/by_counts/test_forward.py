"""The one greedy loop: what holds for every criterion."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from bitsieve import ForwardSelector, ThresholdStopping
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.information import make_information
from bitsieve.methods.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.methods.by_counts.forward import FORWARD, forward, forward_select
from bitsieve.methods.by_counts.stopping import STOPPING_RULES
from bitsieve.methods.constraints import Candidates
from bitsieve.methods.method import TABLES

every_criterion = pytest.mark.parametrize("name", CRITERIA)


@pytest.mark.parametrize("seed", range(5))
def test_weights_of_mifs(information_of, make_table, seed):
    """beta = 0 is mim; with two features chosen at most, beta = 1 is mrmr."""
    information = information_of(*make_table(80, 10, n_codes=3, n_classes=3, seed=seed))

    def chosen(k, name, **parameters):
        found = forward_select(information, make_criterion(name, **parameters), k)
        return found.order.tolist(), found.scores.tolist()

    assert chosen(10, "mifs", beta=0) == chosen(10, "mim")
    assert chosen(2, "mifs", beta=1) == chosen(2, "mrmr")


@every_criterion
def test_the_first_feature_is_the_most_relevant(information_of, make_table, name):
    for seed in range(3):
        information = information_of(*make_table(100, 12, seed=seed))
        first = forward_select(information, make_criterion(name), 1)
        assert first.order.tolist() == [int(information.relevance.argmax())]
        assert first.scores.tolist() == [information.relevance.max()]


@every_criterion
def test_more_features_only_add(information_of, make_table, name):
    """The first choices do not depend on how many are asked for."""
    information = information_of(*make_table(100, 12, seed=4))
    whole = forward_select(information, make_criterion(name), 12)
    assert sorted(whole.order.tolist()) == list(range(12))
    for k in (1, 5, 11):
        part = forward_select(information, make_criterion(name), k)
        assert part.order.tolist() == whole.order[:k].tolist()
        assert part.scores.tobytes() == whole.scores[:k].tobytes()


@every_criterion
def test_ties_go_to_the_lowest_column(information_of, make_table, name):
    codes, classes = make_table(60, 1, n_codes=2, seed=5)
    alike = np.column_stack([codes, 1 - codes, codes, codes * 7])  # relabelling is no difference
    found = forward_select(information_of(alike, classes), make_criterion(name), 4)
    assert found.order.tolist() == [0, 1, 2, 3]


@every_criterion
def test_of_duplicates_the_lower_column_comes_first(information_of, make_table, name):
    codes, classes = make_table(60, 8, n_codes=3, seed=6)
    place = np.random.default_rng(0).permutation(16)
    found = forward_select(information_of(np.column_stack([codes, codes])[:, place], classes), make_criterion(name), 16)
    order = found.order.tolist()
    assert sorted(order) == list(range(16))
    for i in range(8):
        low, high = sorted([int(np.flatnonzero(place == i)[0]), int(np.flatnonzero(place == i + 8)[0])])
        assert order.index(low) < order.index(high)


@every_criterion
def test_exclusive_or_among_constants(information_of, name):
    """No column tells anything alone: still k distinct ones, and the constants last."""
    a, b = np.arange(8) & 1, np.arange(8) >> 1 & 1
    nothing = np.zeros(8, int)
    for k in range(1, 5):
        found = forward_select(
            information_of(np.column_stack([nothing, a, nothing, b]), a ^ b), make_criterion(name), k
        )
        assert found.order.tolist() == [1, 3, 0, 2][:k]
        assert np.isfinite(found.scores).all()


@every_criterion
def test_constants_come_last_even_where_they_would_score_higher(information_of, make_table, name):
    """A redundant feature has a negative score by mrmr, a constant 0."""
    codes, classes = make_table(100, 6, n_codes=2, seed=7)
    codes[:, [0, 3]] = 1
    found = forward_select(information_of(codes, classes), make_criterion(name), 6)
    assert found.order[4:].tolist() == [0, 3]
    assert sorted(found.order.tolist()) == list(range(6))


@every_criterion
def test_one_class_or_one_sample(information_of, name):
    """Nothing to tell apart: no error, columns in order."""
    found = forward_select(information_of([[0, 1], [1, 0]], [0, 0]), make_criterion(name), 2)
    assert found.order.tolist() == [0, 1]
    found = forward_select(information_of([[3, 1, 2]], [0]), make_criterion(name), 3)
    assert found.order.tolist() == [0, 1, 2]


@every_criterion
def test_progress(information_of, make_table, name):
    reports = []
    information = information_of(*make_table(50, 6, seed=8))
    forward_select(information, make_criterion(name), 4, lambda *counts: reports.append(counts))
    assert reports == [(1, 4), (2, 4), (3, 4), (4, 4)]


@every_criterion
def test_counts_only_what_the_criterion_needs(information_of, make_table, monkeypatch, name):
    information = information_of(*make_table(50, 9, seed=9))
    information.relevance  # noqa: B018 - counts the marginals
    monkeypatch.setattr(information, "minima", lambda *_, **__: None)
    asked = []
    count = information.sums.pair_sums
    monkeypatch.setattr(information.sums, "pair_sums", lambda *a: asked.append(a) or count(*a))
    found = forward_select(information, make_criterion(name), 5)
    needs = CRITERIA[name].required_tables
    rows = 4 if "pairs" in needs else 0  # the last choice is followed by none
    assert [pivot for _, pivot, *_ in asked] == found.order[:rows].tolist()
    assert all(within == (needs == "class pairs") for _, _, _, within, *_ in asked)


@every_criterion
def test_order_of_columns_does_not_matter(information_of, make_table, name):
    """The same features and scores under another order, where nothing ties."""
    codes, classes = make_table(300, 10, n_codes=4, n_classes=3, seed=10)
    k = 2 if CRITERIA[name].required_tables == "joint" else 10  # beside two features, several others settle the class
    place = np.random.default_rng(1).permutation(10)
    whole = forward_select(information_of(codes, classes), make_criterion(name), k)
    moved = forward_select(information_of(codes[:, place], classes), make_criterion(name), k)
    assert place[moved.order].tolist() == whole.order.tolist()
    assert moved.scores.tobytes() == whole.scores.tobytes()


def test_what_ended_a_selection(make_table):
    codes, classes = make_table(200, 6, seed=12)
    codes[:, 5] = 1
    asked = ForwardSelector(2, binning="none").fit(codes, classes)
    assert (asked.stopped_by_, asked.stopping_candidate_, asked.stopping_reason_) == ("n_features_to_select", -1, "")
    assert np.isnan(asked.stopping_value_)
    whole = ForwardSelector("auto", stopping=ThresholdStopping(0.0), binning="none").fit(codes, classes)
    assert (whole.stopped_by_, whole.stopping_candidate_) == ("no varying column left", -1)
    assert sorted(whole.selected_.tolist()) == [0, 1, 2, 3, 4]
    none = ForwardSelector("auto", stopping=ThresholdStopping(1.5), binning="none").fit(codes, classes)
    assert (none.stopped_by_, none.stopping_candidate_) == ("threshold", int(none.relevance_.argmax()))
    assert 0 < none.stopping_value_ < 1.5
    assert none.selected_.tolist() == []


@pytest.mark.each_value
@pytest.mark.parametrize("name", {kind.required_tables: name for name, kind in CRITERIA.items()}.values())
@pytest.mark.parametrize("stopping", [None, *STOPPING_RULES])
@pytest.mark.parametrize("k", [3, None])
@pytest.mark.parametrize("grouped", [False, True])
def test_tables_of_pairs_are_enough_where_no_more_is_required(make_table, name, stopping, k, grouped):
    """And no more is required than that where they are."""
    codes, classes = make_table(200, 6, seed=1)
    source = NaiveSource(codes, classes)
    source.capabilities = TABLES
    candidates = Candidates(np.array([0, 1, 2, 3, 4, 4])) if grouped else None
    given = {"criterion": name, "stopping": stopping, "n_features_to_select": "auto" if k is None else k}
    required = FORWARD.capabilities_required_with(
        {**given, "constraints": SimpleNamespace(groups=grouped) if grouped else None}
    )

    def run(on):
        return forward(make_information("plug-in", on), k, name, stopping=stopping, constraints=candidates)

    if required == TABLES:
        assert run(source).order.tolist() == run(PackedSource(codes, classes)).order.tolist()
    else:
        assert ("joined" in required) == grouped
        with pytest.raises(ValueError, match=r"need"):
            run(source)
