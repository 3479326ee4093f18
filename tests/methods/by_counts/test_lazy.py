"""Lazy evaluation: the same selection and the same bits for fewer counts."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cover import quick_and_slow

from bitsieve.counts import packed
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.packed import PackedMinima, PackedSource
from bitsieve.information import make_information
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.methods.by_counts import greedy_scores as greedy
from bitsieve.methods.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.methods.by_counts.forward import forward_select

PAIRWISE = [(name, c) for name, c in CRITERIA.items() if c.required_tables in ("pairs", "class pairs")]
FALLING = [name for name, c in PAIRWISE if c.never_increases]
BOUNDED = [name for name, c in PAIRWISE if c.takes_off_mean_redundancy]
every_falling_criterion = pytest.mark.parametrize("name", FALLING)
every_lazy_criterion = pytest.mark.parametrize("name", [*FALLING, *BOUNDED])
every_bounded_estimator = pytest.mark.parametrize("estimator", ["plug-in", "corrected"])


@pytest.fixture
def select(information_of, monkeypatch):
    """``select(codes, classes, k, lazily, name, estimator)``: the selection, and how many pairs were counted for it.

    All scores are kept in Python, none as native minima.
    """

    def run(codes, classes, k, lazily, name, estimator="plug-in"):
        information = information_of(codes, classes, estimator=estimator)
        looked_at = []
        count = information.sums.pair_sums

        def watched(terms, pivot, columns, by_class, out=None):
            looked_at.append(information.n_features if columns is None else len(columns))
            return count(terms, pivot, columns, by_class, out)

        monkeypatch.setattr(information.sums, "pair_sums", watched)
        monkeypatch.setattr(information, "minima", lambda *_, **__: None)
        for limit in ("MIN_LAZY_SECONDS", "MIN_LAZY_SECONDS_OF_MEAN"):
            monkeypatch.setattr(greedy, limit, 0.0 if lazily else float("inf"))
        return forward_select(information, make_criterion(name), k), sum(looked_at)

    return run


@pytest.fixture
def check_equal(select, information_of):
    """``check_equal(codes, classes, k, name, estimator)``: eagerly, lazily and by native minima the same is found."""

    def check(codes, classes, k, name, estimator="plug-in"):
        eager, _ = select(codes, classes, k, False, name, estimator)
        lazy, _ = select(codes, classes, k, True, name, estimator)
        of_minima = forward_select(information_of(codes, classes, estimator=estimator), make_criterion(name), k)
        for found in (lazy, of_minima):
            assert found.order.tolist() == eager.order.tolist()
            assert found.scores.tobytes() == eager.scores.tobytes()

    return check


def test_the_criteria_that_never_increase():
    """A minimum over more is no larger, nor is the mean of the two smallest; icap's terms are cut at 0."""
    assert sorted(FALLING) == ["cmim", "cmim2", "cmim_fleuret", "icap", "jmim", "njmim"]
    assert BOUNDED == ["mrmr"]


@every_bounded_estimator
@pytest.mark.parametrize("seed", range(6))
def test_no_redundancy_below_the_least(information_of, estimator, seed):
    """Few samples or many, few codes or one a sample, drawn apart or copies of each other: what bounds are made of."""
    random = np.random.default_rng(seed)
    n_samples = int(random.choice([2, 3, 9, 40, 300, 5000]))
    n_codes = np.minimum(random.choice([1, 2, 3, 10, 64, n_samples], 12), n_samples)
    codes = random.integers(0, n_codes, (n_samples, 12))
    codes[:, 3] = codes[:, 2] // 2
    information = information_of(codes, random.integers(0, 2, n_samples), estimator=estimator)
    for pivot in range(12):
        redundancy = information.pair(pivot, by_class=False).redundancy
        # The terms are rounded, sums of them by less than 1e-12.
        assert (redundancy >= information.min_redundancy - 1e-12).all()


@pytest.mark.each_value
@every_falling_criterion
@pytest.mark.parametrize("seed", range(5))
def test_scores_never_increase(information_of, make_table, name, seed):
    """Not by the last bit, for any candidate, from the empty fold on: what stale folds are trusted for."""
    random = np.random.default_rng(seed)
    codes, classes = make_table(int(random.integers(2, 60)), 12, n_codes=int(random.integers(2, 6)), seed=seed)
    information, criterion = information_of(codes, classes), make_criterion(name)
    folded = criterion.empty_fold(12)
    for n_selected, s in enumerate(random.permutation(12), 1):
        bounds = criterion.score(folded, information.relevance, n_selected)
        folded = criterion.fold(folded, information.pair(int(s)))
        scores = criterion.score(folded, information.relevance, n_selected)
        assert (scores <= bounds).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", BOUNDED)
def test_equal_to_eager_corrected_for_chance(check_equal, make_table, name, seed):
    """Less is taken off where chance alone shares much: a redundancy may be negative, and scores may rise."""
    random = np.random.default_rng(seed)
    n_samples = int(random.integers(4, 90))
    codes, classes = make_table(n_samples, 90, n_codes=int(random.integers(2, 12)), n_classes=2, seed=seed)
    check_equal(codes, classes, 40, name, "corrected")


@pytest.mark.each_value
@every_lazy_criterion
@pytest.mark.parametrize("seed", range(8))
def test_equal_to_eager(check_equal, make_table, name, seed):
    random = np.random.default_rng(seed)
    n_features = int(random.integers(2, 80))
    codes, classes = make_table(
        int(random.integers(2, 120)), n_features, n_codes=int(random.integers(2, 6)), n_classes=3, seed=seed
    )
    check_equal(codes, classes, min(n_features, 25), name)


@pytest.mark.each_value
@every_lazy_criterion
@pytest.mark.parametrize("seed", range(5))
def test_equal_to_eager_among_ties(check_equal, name, seed):
    """Few samples and codes, duplicates and constants: most scores tie."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, (int(random.integers(2, 9)), 27))
    codes = codes[:, random.integers(0, 27, 40)]
    codes[:, random.integers(0, 40, 10)] = 1
    check_equal(codes, random.integers(0, 2, len(codes)), 40, name)


@every_lazy_criterion
def test_equal_to_eager_under_synergy(check_equal, name):
    """Scores of exactly the exclusive or: nothing alone, everything beside the right one."""
    bits = np.arange(16)[:, None] >> np.arange(4) & 1
    codes = np.column_stack([bits, np.zeros((16, 30), int), bits])
    check_equal(codes, bits.sum(axis=1) % 2, len(codes[0]), name)


@every_lazy_criterion
def test_equal_to_eager_where_few_are_followed(check_equal, name):
    """A few strong features and very many weak ones: some are counted in part, some by whole rows."""
    codes, classes = few_among_many(160)
    check_equal(codes, classes, 30, name)


def few_among_many(n_features):
    """Twenty features that tell about the class, among many that tell nothing."""
    random = np.random.default_rng(0)
    classes = random.integers(0, 2, 1000)
    codes = random.integers(0, 3, (1000, n_features))
    for j in range(0, n_features, n_features // 20):
        share = 0.4 + j / (2 * n_features)
        codes[:, j] = np.where(random.random(1000) < share, classes, codes[:, j])
    return codes, classes


@every_lazy_criterion
def test_looks_at_fewer_pairs(select, name):
    """The few relevant features are brought up to date, and those counted with them: eight that lie together.

    With jmim and njmim no candidate is ever far behind.
    """
    codes, classes = few_among_many(400)
    codes = codes[:, np.argsort(np.arange(400) % 20, kind="stable")]
    lazy, few = select(codes, classes, 15, True, name)
    eager, all_ = select(codes, classes, 15, False, name)
    assert lazy.order.tolist() == eager.order.tolist()
    assert all_ == 14 * 400
    assert few <= all_ / (1 if name in ("jmim", "njmim") else 2)


@every_lazy_criterion
def test_never_looks_at_more_pairs_than_eagerly(select, name):
    """Wherever the relevant features lie, and however many are counted with them: no pair is counted twice."""
    codes, classes = few_among_many(200)
    lazy, few = select(codes, classes, 15, True, name)
    eager, all_ = select(codes, classes, 15, False, name)
    assert lazy.order.tolist() == eager.order.tolist()
    assert few <= all_ == 14 * 200


def test_small_rows_are_counted_whole(make_table, monkeypatch):
    """By default laziness is for rows that cost more than the choosing."""
    information = PlugInInformation(PackedSource(*make_table(50, 20, seed=0)))
    monkeypatch.setattr(information, "minima", lambda *_, **__: None)
    assert 0 < information.sums.row_seconds < greedy.MIN_LAZY_SECONDS
    assert isinstance(greedy.scores_by(make_criterion("cmim"), information), greedy.EagerScores)
    monkeypatch.setattr(greedy, "MIN_LAZY_SECONDS", 0.0)
    assert isinstance(greedy.scores_by(make_criterion("cmim"), information), greedy.LazyScores)
    assert isinstance(greedy.scores_by(make_criterion("jmi"), information), greedy.EagerScores)
    assert isinstance(greedy.scores_by(make_criterion("mrmr"), information), greedy.EagerScores)
    monkeypatch.setattr(greedy, "MIN_LAZY_SECONDS_OF_MEAN", 0.0)
    assert isinstance(greedy.scores_by(make_criterion("mrmr"), information), greedy.LazyScores)
    assert isinstance(greedy.scores_by(make_criterion("mim"), information), greedy.EagerScores)


MINIMA = ["cmim", "cmim2", "cmim_fleuret", "jmim"]


@pytest.mark.each_value
@pytest.mark.parametrize("estimator", ["plug-in", "miller-madow", "corrected"])
@pytest.mark.parametrize("name", MINIMA)
def test_minima_are_those_of_eager_scores(name, estimator):
    """Columns, scores and runners-up are the same bit for bit, whether scores are kept natively or all are counted."""
    codes, classes = few_among_many(60)
    source = PackedSource(codes, classes, kernel=f"{choose_kernel().name}:planes")
    information = make_information(estimator, source)
    criterion = make_criterion(name)
    is_native = isinstance(greedy.scores_by(criterion, information), PackedMinima)
    assert is_native == (estimator != "corrected" or name != "cmim_fleuret")
    found = forward_select(information, criterion, 60)
    information.minima = lambda *_, **__: None
    assert isinstance(greedy.scores_by(criterion, information), greedy.EagerScores)
    wanted = forward_select(information, criterion, 60)
    assert found.order.tolist() == wanted.order.tolist()
    assert found.scores.tobytes() == wanted.scores.tobytes()
    assert found.runners_up == wanted.runners_up


@pytest.mark.parametrize("name", quick_and_slow(MINIMA, quick={"cmim"}, reason="the same threads, another criterion"))
def test_minima_on_any_number_of_threads(name, monkeypatch):
    """Threads search groups of their own, with other marks to reach, and find the same."""
    monkeypatch.setattr(packed, "MIN_SECONDS_FOR_THREAD", 1e-12)
    codes, classes = few_among_many(300)
    found = []
    for n_jobs in (1, 2, 5):
        source = PackedSource(codes, classes, n_jobs=n_jobs, kernel=f"{choose_kernel().name}:planes")
        information = PlugInInformation(source)
        assert isinstance(greedy.scores_by(make_criterion(name), information), PackedMinima)
        found.append(forward_select(information, make_criterion(name), 40))
    for other in found[1:]:
        assert other.order.tolist() == found[0].order.tolist()
        assert other.scores.tobytes() == found[0].scores.tobytes()


def test_minima_of_forced_choices(make_table):
    """A candidate that must be taken has its true score, however far behind it was."""
    codes, classes = make_table(200, 30, seed=4)
    source = PackedSource(codes, classes, kernel=f"{choose_kernel().name}:planes")
    information = PlugInInformation(source)
    last = int(information.relevance.argmin())
    found = forward_select(information, make_criterion("cmim"), 5, must_include=[3, 7, last], exclude=[0])
    assert found.order[:3].tolist() == [3, 7, last]
    assert found.scores[2] == min(information.pair(s).conditional_relevance[last] for s in (3, 7))


def test_no_minima_without_planes(make_table):
    """Features of many codes are not bit planes, and then scores are kept in Python."""
    source = PackedSource(*make_table(50, 9, seed=1), kernel="table")
    assert PlugInInformation(source).minima("conditional_relevance", capped=False) is None
