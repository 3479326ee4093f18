"""Searches for whole blankets: equal to those of independent programs, whatever the order of the columns."""

import numpy as np
import pytest
from benchmarks.markov_blankets import Network
from tests.methods.by_counts.markov_blankets.golden import (
    CASES,
    OPTIONS,
    counted_tests,
    recorded,
    search_of,
    targets,
    with_lower_copies,
)

from bitsieve.counts.packed import PackedSource
from bitsieve.information.independence import IndependenceTests, TestOptions
from bitsieve.methods.by_counts.markov_blankets.blanket import ALGORITHMS
from bitsieve.methods.by_counts.markov_blankets.fast_iamb import fast_iamb
from bitsieve.methods.by_counts.markov_blankets.fbed import fbed
from bitsieve.methods.by_counts.markov_blankets.gs import grow_and_shrink, gs
from bitsieve.methods.by_counts.markov_blankets.hiton_pc import hiton_pc
from bitsieve.methods.by_counts.markov_blankets.iamb import iamb, inter_iamb
from bitsieve.methods.by_counts.markov_blankets.iamb_fdr import iamb_fdr
from bitsieve.methods.by_counts.markov_blankets.mmpc import mmpc, weaker
from bitsieve.methods.by_counts.markov_blankets.search import Search, log_corrections
from bitsieve.methods.by_counts.markov_blankets.ses import ses
from bitsieve.methods.by_counts.markov_blankets.spouses import NeighbourGraph, with_spouses
from bitsieve.methods.registry import MODULES

SEARCHES = {
    "gs": lambda search: grow_and_shrink(search, search.candidates),
    "gs.association": gs,
    "iamb": iamb,
    "inter.iamb": inter_iamb,
    "fast.iamb": fast_iamb,
    "iamb.fdr": iamb_fdr,
    "fbed0": lambda search: fbed(search, n_extra_runs=0),
    "fbed1": fbed,
    "mmpc": lambda search: mmpc(search).members,
    "si.hiton.pc": lambda search: hiton_pc(search).members,
}
ORDER_FREE = [name for name in SEARCHES if name != "gs"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("test", OPTIONS)
def test_statistics_are_those_of_bnlearn(case, test):
    tests = counted_tests(case, test)
    for expected in recorded(case)["tests"]:
        result = tests.test(expected["x"], expected["y"], expected["z"])
        figures = expected[test]
        # where many samples are expected, the mean of G in the record is an approximation
        tolerance = 2e-3 if test == "scaled" else 1e-10
        assert result.degrees_of_freedom == figures["df"]
        assert result.statistic == pytest.approx(figures["statistic"], rel=tolerance, abs=tolerance)
        if test != "scaled":
            assert result.log_p == pytest.approx(figures["log_p"], rel=1e-9, abs=1e-9)  # that of R is right to 1e-10


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("test", OPTIONS)
def test_blankets_are_those_of_an_independent_program(case, test):
    expected = recorded(case)["expected"]["exact"][test]
    for name in set(expected) & set(SEARCHES):
        for target in targets(case):
            blanket = with_lower_copies(case, target, SEARCHES[name](search_of(case, test, target)))
            assert blanket == with_lower_copies(case, target, expected[name][target]), (name, target)
    if "mmpc.max3" in expected:
        assert [mmpc(search_of(case, test, target, 3)).members for target in targets(case)] == expected["mmpc.max3"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("test", ["mi", "mi-adf"])
def test_blankets_are_those_of_bnlearn_where_no_p_is_too_small_for_a_float(case, test):
    record = recorded(case)["expected"]
    differences = record["other"].get("exact differs from bnlearn at", {})
    for name in set(record["bnlearn"][test]) & set(SEARCHES):
        other = differences.get(f"{test}|{name}", [])
        for target in targets(case):
            if target not in other:
                blanket = SEARCHES[name](search_of(case, test, target))
                assert set(blanket) == set(record["bnlearn"][test][name][target]), (name, target)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("test", OPTIONS)
def test_roles_and_separating_sets_are_those_of_an_independent_program(case, test):
    expected = recorded(case)["expected"]["exact"][test]
    # those of the record have subsets of at most three columns
    for name, find in {"mmmb": mmpc, "hiton.mb": hiton_pc, "mmmb.max3": mmpc}.items():
        if name not in expected:
            continue
        for target in targets(case):
            search = search_of(case, test, target, 3)
            blanket = with_spouses(NeighbourGraph(search, find, "and"))
            roles = {str(column): ["neighbour", []] for column in blanket.neighbours}
            roles |= {str(column): ["spouse", via] for column, via in blanket.spouses.items()}
            assert roles == expected[name][target]
            # those of the record are from the target's side alone
            for column, separating_set in expected[f"{name}.separating_sets"][target].items():
                assert sorted(blanket.separating_sets[int(column)]) == sorted(separating_set)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("test", OPTIONS)
def test_signatures_are_those_of_an_independent_program(case, test):
    expected = recorded(case)["expected"]["exact"][test].get("ses")
    for target in targets(case) if expected else ():
        signatures = ses(search_of(case, test, target, 3))
        queues = {str(member): queue for member, queue in signatures.queues.items()}
        assert {"selected": signatures.members, "queues": queues} == expected[target]


def blankets_of_permuted(codes, name, order):
    """The blankets of all columns, found in the table with its columns in another order."""
    tests = IndependenceTests(PackedSource(codes[:, order]), TestOptions())
    blankets = {}
    for position, target in enumerate(order.tolist()):
        candidates = [column for column in range(len(order)) if column != position]
        members = SEARCHES[name](Search(tests, position, candidates, 0.05))
        blankets[target] = sorted(order[members].tolist())
    return blankets


@pytest.mark.each_value
@pytest.mark.parametrize("name", ORDER_FREE)
@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_the_columns_changes_no_blanket(name, seed):
    source = counted_tests("asia_500", "scaled").counts.source
    codes = np.column_stack([source.codes(column) for column in range(8)])
    order = np.random.default_rng(seed).permutation(8)
    expected = {target: sorted(SEARCHES[name](search_of("asia_500", "scaled", target))) for target in range(8)}
    assert blankets_of_permuted(codes, name, order) == expected


@pytest.mark.nightly
@pytest.mark.parametrize("name", ORDER_FREE)
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_columns_changes_no_blanket_of_a_random_network(name, seed):
    codes = Network.random(seed, 20).sample(2000, seed)
    expected = blankets_of_permuted(codes, name, np.arange(20))
    random = np.random.default_rng(seed)
    for _ in range(3):
        assert blankets_of_permuted(codes, name, random.permutation(20)) == expected


@pytest.mark.parametrize("name", [*ORDER_FREE, "gs"])
def test_a_test_is_conditional_on_no_more_columns_than_allowed(name):
    for target in targets("traps_2000"):
        search = search_of("traps_2000", "mi", target, max_conditioning=1)
        SEARCHES[name](search)
        assert all(len(move.condition) <= 1 for move in search.moves if move.enters)


@pytest.mark.parametrize(("log_p", "difference"), [(-0.5, 1e-9), (-1e-3, 1e-9), (-50, 50e-9)])
def test_the_weaker_of_two_tests_is_the_first_where_they_differ_by_rounding(log_p, difference):
    """Less than 1e-9, or of large logarithms less than that share of them."""
    tests = counted_tests("traps_2000", "mi")
    first = tests.test(0, 1, [])._replace(log_p=log_p)
    slightly_weaker = first._replace(log_p=log_p + 0.9 * difference)
    weaker_one = first._replace(log_p=log_p + 1.1 * difference)
    assert weaker(first, slightly_weaker) is first
    assert weaker(first, weaker_one) is weaker_one


def test_fast_iamb_removes_no_member_in_a_round_that_adds_none():
    tests = IndependenceTests(PackedSource(Network.random(25, 8).sample(400, 25)), OPTIONS["mi-adf"])
    search = Search(tests, 3, [0, 1, 2, 4, 5, 6, 7], 0.05)
    blanket = fast_iamb(search)
    assert blanket == [0, 1, 7]
    assert search.without_independent(blanket, fixed=[]) == [0, 1]


OF_WHOLE_BLANKETS = ["gs", "gs.association", "iamb", "inter.iamb", "fast.iamb", "iamb.fdr", "fbed0", "fbed1"]


def source_of_exclusive_or():
    """Columns 0 and 1, of which the class is the exclusive or but for noise, and two columns of noise."""
    random = np.random.default_rng(1)
    codes = random.integers(0, 2, (1000, 4)).astype(np.uint8)
    flips = random.random(1000) < 0.1
    return PackedSource(codes, codes[:, 0] ^ codes[:, 1] ^ flips)


@pytest.mark.parametrize("name", OF_WHOLE_BLANKETS)
def test_a_search_that_begins_with_one_cause_finds_the_other(name):
    tests = IndependenceTests(source_of_exclusive_or(), TestOptions())
    assert SEARCHES[name](Search(tests, 4, range(4), 0.001)) == []
    assert sorted(SEARCHES[name](Search(tests, 4, range(4), 0.001, start=[1]))) == [0, 1]
    assert sorted(SEARCHES[name](Search(tests, 4, range(4), 0.001, start=[0, 1]))) == [0, 1]


@pytest.mark.parametrize("name", OF_WHOLE_BLANKETS)
@pytest.mark.parametrize("start", [[2], [2, 3]])
def test_columns_that_the_search_began_with_leave_if_they_do_not_matter(name, start):
    tests = IndependenceTests(source_of_exclusive_or(), TestOptions())
    search = Search(tests, 4, range(4), 0.001, start=start)
    assert SEARCHES[name](search) == []
    assert [move.variable for move in search.moves if not move.enters]


BY_SHUFFLES = TestOptions(p_by="shuffles", n_shuffles=399)


@pytest.mark.parametrize("name", OF_WHOLE_BLANKETS)
def test_a_search_by_shuffles_finds_what_depends_on_the_target(name):
    codes = source_of_exclusive_or().codes
    random = np.random.default_rng(2)
    noisy_copy = np.where(random.random(1000) < 0.2, 1 - codes(0), codes(0))
    columns = np.column_stack([codes(column) for column in range(4)]).astype(np.uint8)
    blankets = []
    for n_jobs in (1, 2):
        tests = IndependenceTests(PackedSource(columns, noisy_copy, n_jobs=n_jobs), BY_SHUFFLES)
        search = Search(tests, 4, range(4), 0.05)
        blankets.append((SEARCHES[name](search), search.moves))
    assert blankets[0][0] == [0]
    assert blankets[0] == blankets[1]


def test_a_member_that_leaves_for_want_of_samples_is_recorded_as_such():
    tests = IndependenceTests(PackedSource(Network.random(25, 8).sample(400, 25)), OPTIONS["mi-adf"])
    search = Search(tests, 3, [0, 1, 2, 4, 5, 6, 7], 0.05, start=[0, 1, 2, 4, 5, 6, 7])
    gs(search)
    assert all(move.log_p == 0 for move in search.moves if not move.is_executed)
    assert not any(move.enters for move in search.moves if not move.is_executed)
    assert {move.is_executed for move in search.moves} == {True, False}
    assert tests.n_not_executed > 0


@pytest.mark.parametrize("name", SEARCHES)
def test_a_corrected_search_lets_no_column_enter_that_the_correction_refuses(name):
    """With one candidate among seven of noise, only p below 0.05 / (7 (1 + 1/2 + ... + 1/7)) enters."""
    random = np.random.default_rng(3)
    noise = random.integers(0, 2, (400, 8)).astype(np.uint8)
    for strength, is_member in ((70, False), (120, True)):
        codes = noise.copy()
        codes[:, 0] = codes[:, 7]
        codes[: 400 - strength, 0] = random.integers(0, 2, 400 - strength)
        tests = IndependenceTests(PackedSource(codes), TestOptions())
        search = Search(tests, 7, range(7), 0.05, correction="fdr")
        log_p = search.test(0, []).log_p
        limit = np.log(0.05) - log_corrections(7)[0]
        assert (log_p <= limit) == is_member
        assert SEARCHES[name](search) == ([0] if is_member else [])


@pytest.mark.parametrize("name", SEARCHES)
def test_a_target_without_candidates_has_no_blanket(name):
    tests = IndependenceTests(PackedSource(np.zeros((5, 1), np.uint8), np.arange(5) % 2), TestOptions())
    assert SEARCHES[name](Search(tests, 1, [], 0.05)) == []


def test_every_search_is_a_method_in_this_order():
    module = "bitsieve.methods.by_counts.markov_blankets.methods"
    assert [name for name, where in MODULES.items() if where == module] == list(ALGORITHMS)
