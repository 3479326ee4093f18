"""Pre-bins: distinct numbers, order statistics and vertices of the hulls, with their counts."""

import numpy as np
import pytest

from bitsieve.discretization.monotone.pre_bins import PreBinRules, cut_at, pre_bins_of
from bitsieve.discretization.monotone.sorted_numbers import sort_numbers


def column(seed, n=400, n_values=60):
    random = np.random.default_rng(seed)
    numbers = random.integers(0, n_values, n) / 8
    is_event = random.random(n) < 0.2 + 0.6 * numbers / numbers.max()
    return numbers, is_event


def sorted_column(numbers, is_event, weights=None, n_threads=1):
    return sort_numbers(numbers, is_event, weights, np.ones(len(numbers), bool), n_threads)


def pre_bins(numbers, is_event, rules, weights=None, n_threads=1):
    return pre_bins_of(sorted_column(numbers, is_event, weights, n_threads), rules, n_threads)


def counts_between(numbers, is_event, cuts):
    bins = np.searchsorted(cuts, numbers, side="left")
    n_bins = len(cuts) + 1
    return np.bincount(bins[is_event], minlength=n_bins), np.bincount(bins[~is_event], minlength=n_bins)


def same(bins, others):
    return (
        bins.n_free == others.n_free
        and bins.cuts.tolist() == others.cuts.tolist()
        and bins.next_above.tolist() == others.next_above.tolist()
        and bins.counts.events.tolist() == others.counts.events.tolist()
        and bins.counts.nonevents.tolist() == others.counts.nonevents.tolist()
    )


@pytest.mark.parametrize("rules", [PreBinRules(), PreBinRules(10, 7), PreBinRules(10, 7, refine=False, digits=1)])
@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_the_rows_between_the_cuts(rules, seed):
    numbers, is_event = column(seed)
    bins = pre_bins(numbers, is_event, rules)
    events, nonevents = counts_between(numbers, is_event, bins.cuts)
    assert bins.counts.events.tolist() == events.tolist()
    assert bins.counts.nonevents.tolist() == nonevents.tolist()
    assert bins.next_above.tolist() == [numbers[numbers > cut].min() for cut in bins.cuts]


def test_every_distinct_number_is_a_cut_up_to_max_exact():
    numbers, is_event = column(0)
    distinct = np.unique(numbers)
    bins = pre_bins(numbers, is_event, PreBinRules(max_exact=len(distinct)))
    assert bins.cuts.tolist() == distinct[:-1].tolist()
    assert bins.n_free == len(distinct)
    fewer = pre_bins(numbers, is_event, PreBinRules(len(distinct) - 1, 4, refine=False))
    assert fewer.cuts.tolist() == np.sort(numbers)[[99, 199, 299]].tolist()
    assert fewer.n_free == 4


@pytest.mark.parametrize("rules", [PreBinRules(), PreBinRules(10, 7), PreBinRules(10, 7, refine=False, digits=1)])
def test_weights_are_repeated_rows_and_the_order_of_rows_does_not_matter(rules):
    numbers, is_event = column(3)
    weights = np.random.default_rng(0).integers(1, 5, len(numbers))
    weighted = pre_bins(numbers, is_event, rules, weights)
    repeated = pre_bins(np.repeat(numbers, weights), np.repeat(is_event, weights), rules)
    assert same(weighted, repeated)
    order = np.random.default_rng(1).permutation(len(numbers))
    assert same(weighted, pre_bins(numbers[order], is_event[order], rules, weights[order]))


def test_a_column_of_one_class_and_negative_zeros_are_binned():
    numbers = np.array([-0.0, 0.0, 1.0])
    bins = pre_bins(numbers, np.zeros(3, bool), PreBinRules())
    assert bins.cuts.tolist() == [0.0]
    assert not np.signbit(bins.cuts[0])
    assert bins.counts.nonevents.tolist() == [2, 1]


def tall_column(kind):
    random = np.random.default_rng(7)
    n = 3 << 14
    numbers = random.normal(size=n)
    if kind == "all positive":
        numbers = np.exp(numbers)
    if kind == "mostly zero":
        numbers[random.random(n) < 0.7] = 0.0
    if kind == "few numbers":
        numbers = np.round(numbers)
    return numbers, random.random(n) < 1 / (1 + np.exp(-numbers))


@pytest.mark.parametrize("n_threads", [2, 3])
@pytest.mark.parametrize("kind", ["both signs", "all positive", "mostly zero", "few numbers"])
def test_pieces_of_threads_have_the_bins_of_the_whole_column(kind, n_threads):
    numbers, is_event = tall_column(kind)
    weights = np.random.default_rng(0).integers(1, 4, len(numbers))
    pieces = sorted_column(numbers, is_event, n_threads=n_threads).pieces
    assert len(pieces) > 1
    for rules in (PreBinRules(), PreBinRules(10, 7, refine=False), PreBinRules(10, 7, digits=1)):
        whole = pre_bins(numbers, is_event, rules)
        assert same(whole, pre_bins(numbers, is_event, rules, n_threads=n_threads))
        weighted = pre_bins(numbers, is_event, rules, weights)
        assert same(weighted, pre_bins(numbers, is_event, rules, weights, n_threads))


def test_a_cut_at_the_end_of_a_piece_has_the_first_number_of_the_next_piece_above_it():
    numbers = np.array([-3.0, -1.0, 2.0, 5.0])
    bins = pre_bins(numbers, np.array([True, False, True, False]), PreBinRules())
    assert bins.cuts.tolist() == [-3.0, -1.0, 2.0]
    assert bins.next_above.tolist() == [-1.0, 2.0, 5.0]


def test_cuts_without_a_number_on_either_side_are_left_out():
    numbers = sorted_column(np.array([1.0, 2.0, 4.0]), np.array([True, False, True]))
    bins = cut_at(numbers, np.array([5.0, 0.0, 3.0, 2.5, 3.0]))
    assert bins.cuts.tolist() == [2.5]
    assert bins.next_above.tolist() == [4.0]
    assert bins.counts.rows.tolist() == [2, 1]


def test_cuts_that_are_round_already_stay_where_they_are():
    hundredths = np.arange(2000) / 100
    is_event = np.arange(2000) % 3 == 0
    bins = pre_bins(hundredths, is_event, PreBinRules(max_exact=2000, digits=2))
    assert bins.cuts.tolist() == hundredths[:-1].tolist()
