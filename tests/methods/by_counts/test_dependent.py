"""Permutations within strata, corrected p, and the two rules that need a tree of the columns."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import false_discovery_control
from tests.cover import quick_and_slow
from tests.doors import DOORS

import bitsieve
from bitsieve import ConditionalStopping, ForwardSelector, KnockoffStopping
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.methods.by_counts.dependent.forest import Forest
from bitsieve.methods.by_counts.dependent.permuted_strata import PermutedStrata
from bitsieve.methods.by_counts.stopping.conditional import conditional_p
from bitsieve.methods.by_counts.stopping.lists import adjusted


def chain(seed, n_samples, n_columns, agree, relevant=()):
    """A chain of columns of three codes, and a class that follows the sum of some."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (n_samples, n_columns))
    for column in range(1, n_columns):
        X[:, column] = np.where(random.random(n_samples) < agree, X[:, column - 1], X[:, column])
    score = X[:, list(relevant)].sum(axis=1) - len(relevant) + random.logistic(size=n_samples)
    return X.astype(np.uint8), (score > 0).astype(int)


def chain_of(n_columns):
    edges = np.column_stack([np.arange(n_columns - 1), np.arange(1, n_columns)])
    return Forest(n_columns, edges, np.zeros(n_columns - 1))


@pytest.mark.parametrize("seed", range(5))
def test_adjusted_p(seed):
    p = np.round(np.random.default_rng(seed).random(30) ** 3, 2)  # with ties
    bh, by, holm = (adjusted(p, how) for how in ("benjamini-hochberg", "benjamini-yekutieli", "holm"))
    np.testing.assert_allclose(bh, false_discovery_control(p), rtol=1e-12)  # the same few operations
    np.testing.assert_allclose(by, false_discovery_control(p, method="by"), rtol=1e-12)
    assert [adjusted(p, "".join([how, ""])).tolist() for how in ("holm", "benjamini-yekutieli")] == [
        holm.tolist(),
        by.tolist(),
    ]
    order = np.argsort(p, kind="stable")
    stepwise = [min(1.0, max((30 - k) * p[order[k]] for k in range(place + 1))) for place in range(30)]
    np.testing.assert_allclose(holm[order], stepwise, rtol=1e-12)


@pytest.mark.slow("a rate over many seeded tables")
def test_p_holds_its_level_under_the_true_tree():
    """Columns 0 and 6 of a chain are relevant; the other 12 are not, given their neighbours."""
    forest, small, n = chain_of(14), 0, 0
    for seed in range(60):
        X, y = chain(seed, 250, 14, 0.7, (0, 6))
        irrelevant = np.setdiff1d(np.arange(14), [0, 6])
        p, untested = conditional_p(PlugInInformation(PackedSource(X, y)), forest, irrelevant, 400, seed)
        assert not len(untested)
        small += int((p <= 0.1).sum())
        n += len(p)
    assert small / n < 0.1 + 4 * (0.1 * 0.9 / n) ** 0.5  # four standard errors, p of one table taken for independent


def test_equal_p_for_any_source_and_number_of_threads():
    X, y = chain(3, 200, 20, 0.5, (2, 9))
    columns = np.arange(20)
    sources = [PackedSource(X, y), PackedSource(X, y, n_jobs=3), NaiveSource(X, y)]
    found = [conditional_p(PlugInInformation(source), chain_of(20), columns, 500, 5)[0].tolist() for source in sources]
    assert found[0] == found[1] == found[2]


def test_columns_that_determine_each_other_leave_nothing_to_permute():
    X, y = chain(0, 200, 5, 0.3, (0,))
    X[:, 1] = 2 - X[:, 0]
    forest = Forest(5, np.array([[0, 1], [2, 3]]), np.zeros(2))
    p, untested = conditional_p(PlugInInformation(PackedSource(X, y)), forest, np.arange(5), 300, 0)
    assert untested.tolist() == [0, 1]
    assert p[:2].tolist() == [1.0, 1.0]
    assert (p[2:] < 1).any()


@pytest.mark.parametrize("rule", [ConditionalStopping(), KnockoffStopping(n_draws=1)], ids=lambda rule: rule.name)
@pytest.mark.parametrize(
    "criterion", quick_and_slow(["mim", "jmi"], quick={"jmi"}, reason="the order of another criterion")
)
def test_the_criterion_says_the_order_alone(rule, criterion):
    relevant = range(0, 60, 4)
    X, y = chain(1, 1500, 60, 0.3, relevant)
    fitted = ForwardSelector("auto", criterion=criterion, stopping=rule, binning="none").fit(X, y)
    forest, rates, _ = rule.rates(PlugInInformation(PackedSource(X, y)), np.arange(60))
    assert sorted(fitted.selected_.tolist()) == np.flatnonzero(rates <= 0.1).tolist()
    assert fitted.stopping_values_.tolist() == rates[fitted.selected_].tolist()
    assert [of.tolist() for of in fitted.stopping_given_] == [
        forest.neighbours[column].tolist() for column in fitted.selected_
    ]
    assert np.isin(fitted.selected_, relevant).mean() > 0.7
    assert len(fitted.selected_) >= 10
    assert fitted.stopped_by_ == rule.name
    assert fitted.stopping_value_ > 0.1


def test_columns_that_are_left_out_are_no_neighbours():
    X, y = chain(2, 600, 10, 0.8, (4,))
    rule = ConditionalStopping()
    names = bitsieve.Constraints(exclude=["x4"])
    fitted = ForwardSelector("auto", criterion="mim", stopping=rule, binning="none", constraints=names).fit(X, y)
    assert set(fitted.selected_) & {3, 5}  # they owe what they know to column 4, which is not there
    assert all(4 not in given for given in fitted.stopping_given_)


def test_columns_of_a_group_have_its_neighbours():
    X, y = chain(2, 600, 10, 0.8, (4,))
    groups = bitsieve.Constraints(groups=[["x4", "x5"]])
    fitted = ForwardSelector("auto", stopping=ConditionalStopping(), binning="none", constraints=groups).fit(X, y)
    assert fitted.selected_[:2].tolist() == [4, 5]
    assert len(fitted.stopping_given_) == len(fitted.stopping_values_) == len(fitted.selected_)
    assert [given.tolist() for given in fitted.stopping_given_[:2]] == [[3, 6], [3, 6]]


@pytest.mark.parametrize(("n_samples", "n_bins"), [(20, 3), (400, 3), (1000, 4), (2000, 5)])
def test_default_bins(n_samples, n_bins):
    assert ConditionalStopping().default_bins(n_samples) == n_bins


def test_every_door_takes_the_default_bins_of_the_rule():
    random = np.random.default_rng(0)
    X = random.normal(size=(700, 10))
    y = (X[:, 0] + X[:, 5] + random.normal(size=700) > 0).astype(int)
    four = bitsieve.EqualFrequencyBinner(n_bins=4)
    expected = ForwardSelector("auto", stopping="conditional", binning=four).fit(X, y)
    fitted = ForwardSelector("auto", stopping="conditional").fit(X, y)
    selection = bitsieve.select(X, y, n_features_to_select="auto", stopping="conditional")
    comparison = bitsieve.compare(
        X, y, methods={"own": ForwardSelector("auto", stopping="conditional")}, features=[1], classifier="ncm", folds=2
    )
    assert fitted.stopping_values_.tolist() == expected.stopping_values_.tolist()
    assert selection.fit.result.stopping.values.tolist() == expected.stopping_values_.tolist()
    assert selection.scores.tolist() == expected.scores_.tolist()
    assert {columns[0] for columns in comparison.selected[0]} <= {0, 5}


@pytest.mark.parametrize("rule", ["conditional", "dcrt", "gaussian-knockoffs"])
def test_default_bins_of_weighted_rows_are_those_of_the_rows_repeated(rule):
    random = np.random.default_rng(1)
    n_rows = 90  # the weights make more of it, of which a rule has more bins
    X = random.normal(size=(n_rows, 12))
    y = (X @ np.repeat([1.0, 0.0], 6) + random.normal(size=n_rows) > 0).astype(int)
    weights = random.integers(0, 30, n_rows)
    weighted = ForwardSelector("auto", stopping=rule).fit(X, y, sample_weight=weights)
    repeated = ForwardSelector("auto", stopping=rule).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert len(weighted.selected_)
    assert weighted.selected_.tolist() == repeated.selected_.tolist()
    assert weighted.scores_.tobytes() == repeated.scores_.tobytes()
    assert weighted.stopping_values_.tobytes() == repeated.stopping_values_.tobytes()


@pytest.mark.parametrize("door", ["pandas", "CSV, in batches", "Dask", "DuckDB, counted there"])
def test_default_bins_of_weighted_rows_through_every_engine(door, tmp_path):
    random = np.random.default_rng(2)
    X = random.normal(size=(60, 6))
    y = (X[:, 0] + X[:, 1] + random.normal(size=60) > 0).astype(int)
    weights = random.integers(0, 40, 60)
    repeated = bitsieve.select(np.repeat(X, weights, axis=0), np.repeat(y, weights), stopping="conditional")
    table = pa.table({**{f"x{j}": X[:, j] for j in range(6)}, "y": y, "weight": weights})
    weighted = bitsieve.select(**DOORS[door](table, tmp_path), sample_weight="weight", stopping="conditional")
    assert weighted.features == repeated.features
    assert weighted.scores.tobytes() == repeated.scores.tobytes()


def test_bins_that_the_user_chose_stay():
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int)
    selection = bitsieve.select(X, y, n_features_to_select="auto", stopping="conditional", binning="mdl")
    assert selection.fit.discretization.binning == "mdl"


def test_columns_cut_by_the_class_are_cut_again():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 30))
    y = (X[:, 0] + random.normal(size=200) > 0).astype(int)
    fitted = ForwardSelector("auto", criterion="mim", stopping=ConditionalStopping(), binning="mdl").fit(X, y)
    assert fitted.selected_.tolist() == [0]


def test_knockoffs_refuse_bins_that_looked_at_the_class():
    X = np.random.default_rng(0).normal(size=(100, 4))
    y = (X[:, 0] > 0).astype(int)
    with pytest.raises(ValueError, match="made without the target: give binning='quantile'"):
        bitsieve.select(X, y, n_features_to_select="auto", stopping="knockoffs")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ConditionalStopping(level=2), "level"),
        (lambda: ConditionalStopping(adjust="bonferroni"), "adjust"),
        (lambda: ConditionalStopping(random_state=-1), "random_state"),
        (lambda: KnockoffStopping(n_draws=0), "n_draws"),
        (lambda: KnockoffStopping(level=0), "level"),
    ],
)
def test_mistakes_in_the_rules(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_permutations_are_bounded_and_levels_beyond_them_refused(monkeypatch):
    """With m permutations p is 1 / (m + 1) at least: the least level of a list, and n times that by Holm."""
    X, y = chain(0, 300, 10, 0.3, relevant=range(0, 10, 2))
    information = PlugInInformation(PackedSource(X, y))
    made = []
    permuted = PermutedStrata.permuted
    monkeypatch.setattr("bitsieve.methods.by_counts.stopping.conditional.MAX_PERMUTATIONS", 999)
    monkeypatch.setattr(
        PermutedStrata, "permuted", lambda self, *given: made.append(given[1]) or permuted(self, *given)
    )
    p, corrected, _ = ConditionalStopping(0.001).test(information, chain_of(10), np.arange(10))
    assert p.min() == 1 / 1000
    assert sum(made) <= 10 * 999
    assert corrected.min() >= 1 / 1000
    with pytest.raises(ValueError, match=r"level=0.0009 cannot be reached by benjamini.* 10 columns give 0.001"):
        ConditionalStopping(0.0009).test(information, chain_of(10), np.arange(10))
    for level in (0.0099, 0.01):
        rule = ConditionalStopping(level, "holm")
        if level < 0.01:
            with pytest.raises(ValueError, match=r"by holm: with 999 permutations .* give 0.01 or more"):
                rule.test(information, chain_of(10), np.arange(10))
        else:
            assert rule.test(information, chain_of(10), np.arange(10))[1].min() == 0.01


def test_a_million_permutations_of_a_column_are_made_at_most():
    """As the documents say."""
    X, y = chain(0, 60, 3, 0.3)
    with pytest.raises(ValueError, match=r"with 1,000,000 permutations of a column and 3 columns give 1e-06 or more"):
        ConditionalStopping(1e-7).test(PlugInInformation(PackedSource(X, y)), chain_of(3), np.arange(3))


@pytest.mark.parametrize(
    ("adjust", "factor"), [("holm", 4), ("benjamini-hochberg", 4), ("benjamini-yekutieli", 25 / 3)]
)
def test_permutations_are_twice_the_tests_over_the_level(monkeypatch, adjust, factor):
    """So that two of them may reach the data of the strongest column, and its corrected p be the level."""
    X, y = chain(0, 60, 4, 0.3)
    asked = []
    share = "bitsieve.methods.by_counts.stopping.conditional.share_of_shuffles"
    monkeypatch.setattr(share, lambda reach, most, last, seeds: asked.append((most, last)) or 0.5)
    for level in (0.05, 0.1):
        ConditionalStopping(level, adjust).test(PlugInInformation(PackedSource(X, y)), chain_of(4), np.arange(4))
        assert set(asked) == {(np.ceil(2 * factor / level), 10)}
        asked.clear()


@pytest.mark.parametrize(("n_draws", "share", "least"), [(1, 1.0, 10), (2, 0.8, 13), (50, 0.8, 13)])
def test_the_filter_of_each_of_several_draws_has_four_fifths_of_the_level(n_draws, share, least):
    rule = KnockoffStopping(0.1, n_draws)
    assert rule.level_of_a_draw == share * 0.1
    assert rule.min_columns == least


def test_a_table_as_expected_has_a_p_of_one():
    """No permutation deviates less than not at all."""
    X = np.repeat([[0], [1]], 8, axis=0).astype(np.uint8)
    y = np.tile([0, 1], 8)
    p, untested = conditional_p(PlugInInformation(PackedSource(X, y)), chain_of(1), np.arange(1), 99, 0)
    assert p.tolist() == [1.0]
    assert not len(untested)
