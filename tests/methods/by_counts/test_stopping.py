"""Rules that end a selection: their values against other programs, their errors against chance."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2_contingency, kstest

from bitsieve import ForwardSelector
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.search import ExchangeableUnits, FixedCodes
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.information import make_information
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.by_counts.criteria.joint import CMI
from bitsieve.methods.by_counts.criteria.linear import JMI, MIM
from bitsieve.methods.by_counts.forward import forward_select
from bitsieve.methods.by_counts.stopping import (
    STOPPING_RULES,
    independence,
    make_stopping,
    permutation,
    significance,
)
from bitsieve.methods.by_counts.stopping.dcrt import DistilledStopping
from bitsieve.methods.by_counts.stopping.independence import chi_squared_tails, hopeful_tails, share_of_shuffles
from bitsieve.methods.by_counts.stopping.permutation import PermutationStopping
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.by_counts.stopping.significance import SignificanceStopping
from bitsieve.methods.by_counts.stopping.single import SingleMonitor, SingleStopping
from bitsieve.methods.by_counts.stopping.threshold import ThresholdStopping


def noise(n_samples, n_features, seed, n_codes=3, n_classes=2):
    random = np.random.default_rng(seed)
    return random.integers(0, n_codes, (n_samples, n_features)).astype(np.uint8), random.integers(
        0, n_classes, n_samples
    )


def signal(n_samples, n_features, n_informative, seed):
    """The class is the majority of the first columns; the others are noise."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, (n_samples, n_features)).astype(np.uint8)
    return codes, (codes[:, :n_informative].sum(axis=1) * 2 > n_informative).astype(int)


@pytest.mark.parametrize("seed", range(5))
def test_significance_is_the_g_test(information_of, seed):
    """Without conditions: scipy's test of the log-likelihood ratio on the same table."""
    codes, classes = noise(600, 4, seed, n_codes=4, n_classes=3)  # 50 samples a cell
    given = information_of(codes, classes).conditional()
    for i in range(4):
        table = np.array([[((codes[:, i] == x) & (classes == c)).sum() for c in range(3)] for x in range(4)])
        expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").pvalue
        # both evaluate the same tail of chi-squared, from statistics that agree to 1e-12
        assert SignificanceStopping().value(given, i, 1) == pytest.approx(expected, rel=1e-9)
        assert SignificanceStopping().value(given, i, 7) == pytest.approx(min(1, 7 * expected), rel=1e-9)


def test_significance_after_a_search_pays_for_every_column_tried_and_every_coding(information_of):
    """p of the test times the columns tried and the codings of the column, as long as that is within the level."""
    codes, classes = signal(600, 3, 1, 0)
    classes = np.where(np.random.default_rng(1).random(600) < 0.3, 1 - classes, classes)
    given = information_of(codes, classes).conditional()
    search = SimpleNamespace(exchangeable_units=None, log_codings=lambda column: 1.5 + column)
    repeated = SimpleNamespace(search=search, candidates=range(7))
    tail = chi_squared_tails(given, np.arange(1))[0]
    value = SignificanceStopping().value(given, 0, 3, repeated)
    assert 0 < tail < 1e-6
    assert value == pytest.approx(7 * tail * np.exp(1.5), rel=1e-12, abs=0)  # two products of three numbers


def searched(codes, classes, groups=None):
    """Information, nothing known, of codes that are shuffled as if they had been made with a look at the classes."""
    source = NaiveSource(codes, classes)
    source.search = FixedCodes(codes, classes, 2)
    if groups is not None:
        source.search.exchangeable_units = ExchangeableUnits.of(groups, classes)
    information = make_information("plug-in", source)
    return information, RepeatedSearch(source.search, (), np.arange(codes.shape[1]), make_entropy_terms(len(codes)), 1)


@pytest.mark.parametrize("size", [1, 3])
def test_p_of_noise_after_a_search_is_no_smaller_than_uniform(size):
    """Of samples alone, and of groups of three of one class and one code: there shuffles of samples would mislead."""
    values, rule = [], PermutationStopping(level=0.99, n_permutations=39)
    groups = np.arange(20 * size) // size
    for seed in range(80):
        codes, _ = noise(20, 1, seed, n_codes=6)
        classes = np.random.default_rng(seed).permutation(20) % 2
        information, search = searched(codes[groups], classes[groups], None if size == 1 else groups)
        values.append(rule.value(information.conditional(), 0, 1, search))
    assert kstest(values, "uniform", alternative="greater").pvalue > 1e-3
    assert np.mean(values) < 0.7  # ties make p larger than uniform, by less than 0.2 here


@pytest.mark.parametrize("rule", [SignificanceStopping(), PermutationStopping()], ids=lambda rule: rule.name)
def test_what_shuffles_of_classes_are_multiplied_by(rule):
    """The best of all columns is compared at once; where samples belong together, each column that was tried counts."""
    codes = np.column_stack([np.arange(300) % 2, *noise(300, 2, 0)[0].T]).astype(np.uint8)
    classes, groups = codes[:, 0].astype(int), np.arange(300) // 2 * 2 + np.arange(300) % 2
    alone, together = (searched(codes, classes, given) for given in (None, groups))
    alone[1].search.log_codings = lambda column: 1e4  # more than any tail is worth
    values = [rule.evaluate(information.conditional(), 0, 50, search) for information, search in (alone, together)]
    assert [value.value for value in values] == [1 / 201, pytest.approx(3 / 601, rel=1e-12)]  # one rounding
    if rule.name == "significance":
        assert [value.basis for value in values] == [
            "by shuffles, as the bins were made with the target",
            "by shuffles of the groups",
        ]


@pytest.mark.each_value
@pytest.mark.parametrize("name", ["significance", "permutation", "fdr", "conditional"])
@pytest.mark.parametrize("size", [1, 4])
def test_after_a_search_signal_is_taken_and_noise_left(name, size):
    """Also where samples belong together, four of one code each: noise seems to be much, and is not taken."""
    codes, classes = signal(300, 6, 3, seed=2)
    groups = np.arange(300 * size) // size
    information, _ = searched(codes[groups], classes[groups], None if size == 1 else groups)
    found = forward_select(information, JMI(), 6, stopping=make_stopping(name))
    assert sorted(found.order.tolist()) == [0, 1, 2]
    assert found.outcome.refused in range(3, 6)
    plain = NaiveSource(codes[groups], classes[groups])
    as_if_single = chi_squared_tails(make_information("plug-in", plain).conditional(), np.arange(3, 6)).min()
    assert (as_if_single < 0.01) == (size == 4)


def test_significance_adds_statistics_and_freedom_over_parts(information_of):
    codes, classes = noise(600, 3, 1)
    given = information_of(codes, classes).conditional().refine(0)
    statistic = freedom = 0.0
    for z in range(3):
        inside = codes[:, 0] == z
        table = np.array(
            [[((codes[inside, 1] == x) & (classes[inside] == c)).sum() for c in range(2)] for x in range(3)]
        )
        test = chi2_contingency(table, correction=False, lambda_="log-likelihood")
        statistic, freedom = statistic + test.statistic, freedom + test.dof
    from scipy.stats import chi2

    assert SignificanceStopping().value(given, 1, 1) == pytest.approx(chi2.sf(statistic, freedom), rel=1e-9)


def test_close_calls_of_few_samples_a_cell_are_shuffled(information_of):
    """With about 8 samples a cell chi-squared says half of p, far out in its tail; far from the level it decides."""
    codes, classes = noise(200, 40, 0, n_classes=8)
    given = information_of(codes, classes).conditional()
    rule = SignificanceStopping()
    for column, tail in enumerate(chi_squared_tails(given, np.arange(40))):
        for n_candidates in (1, 100):
            value, how = rule.evaluate(given, column, n_candidates)
            close = given.least_expected(column) < 5 or 0.005 < min(1, n_candidates * tail) <= 0.5
            wanted = PermutationStopping().value(given, column, n_candidates) if close else min(1, n_candidates * tail)
            assert value == pytest.approx(wanted, rel=1e-12)  # the same numbers
            assert bool(how) == close


@pytest.mark.slow("a rate over many seeded tables")
@pytest.mark.parametrize("rule", [SignificanceStopping(), PermutationStopping()], ids=lambda rule: rule.name)
def test_noise_is_seldom_taken(rule):
    """Of 200 tables of pure noise at most 5 % have a first choice that passes; 22 of 200 is beyond chance (1e-4).

    What every source finds is the same (test_every_source).
    """
    passed = 0
    for seed in range(200):
        information = make_information("plug-in", PackedSource(*noise(150, 10, seed)))
        passed += len(forward_select(information, MIM(), 10, stopping=rule).order) > 0
    assert passed <= 22


@pytest.mark.slow("a rate over many seeded tables")
def test_noise_given_what_is_chosen_is_seldom_taken():
    """The same after a first choice that is certain, within its strata."""
    passed = 0
    for seed in range(100):
        codes, classes = noise(200, 8, seed)
        flip = np.random.default_rng(seed).random(200) < 0.1
        codes[:, 3] = classes ^ flip
        information = make_information("plug-in", PackedSource(codes, classes))
        found = forward_select(information, JMI(), 8, stopping=PermutationStopping(n_permutations=100))
        assert found.order[0] == 3
        passed += len(found.order) > 1
    assert passed <= 14  # 5 of 100 are expected at most; more than 14 has probability 1e-4


# five columns are too few for knockoffs; one column in ten of dcrt may be noise, and test_dcrt.py counts them
@pytest.mark.parametrize("name", STOPPING_RULES)
def test_a_rule_is_listed_by_its_name(name):
    assert STOPPING_RULES[name].name == name


@pytest.mark.parametrize("name", sorted(STOPPING_RULES.keys() - {"knockoffs", "gaussian-knockoffs", "dcrt"}))
def test_signal_is_taken_and_noise_left(information_of, name):
    codes, classes = signal(2000, 40, 5, seed=3)
    found = forward_select(information_of(codes, classes), CMI(), 40, stopping=make_stopping(name))
    assert sorted(found.order.tolist()) == [0, 1, 2, 3, 4]
    assert found.outcome.refused not in range(5)
    assert STOPPING_RULES[name]().stops(found.outcome.value)
    assert not any(STOPPING_RULES[name]().stops(value) for value in found.outcome.values)


def test_permutation_agrees_with_the_g_test_on_many_samples(information_of):
    """Where chi-squared holds, shuffles say the same: on noise the mean of both p is near a half."""
    rule, values = PermutationStopping(level=0.99, n_permutations=400), []  # a level at which shuffles seldom end early
    for seed in range(40):
        codes, classes = noise(3000, 2, seed)
        given = information_of(codes, classes).conditional().refine(0)
        values.append((rule.value(given, 1, 1), SignificanceStopping().value(given, 1, 1)))
    shuffled, tested = np.array(values).T
    # 400 shuffles tell a p to a standard deviation of 0.025 at most
    assert np.abs(shuffled - tested).max() < 0.08


def test_permutation_p_is_uniform_on_noise(information_of):
    """Tables of 30 cells seldom tie; at a level of 0.99 shuffles do not end early."""
    values = []
    for seed in range(150):
        codes, classes = noise(400, 1, seed, n_codes=10, n_classes=3)
        rule = PermutationStopping(level=0.99, n_permutations=99, random_state=seed)
        values.append(rule.value(information_of(codes, classes).conditional(), 0, 1))
    assert kstest(values, "uniform").pvalue > 1e-3


def test_permutation_makes_more_shuffles_for_more_candidates(information_of):
    codes, classes = signal(4000, 3, 1, seed=1)
    assert PermutationStopping().value(information_of(codes, classes).conditional(), 0, 1) == pytest.approx(1 / 201)
    of_many = PermutationStopping().value(information_of(codes, classes).conditional(), 0, 50)
    assert of_many == pytest.approx(50 / (1 + 50 * 200))  # never below the plain share, for each of those tried


@pytest.mark.slow("30,000 rows; counts are compared by number of threads in counts/test_packed")
def test_same_values_for_any_number_of_threads(information_of):
    codes, classes = signal(30_000, 12, 3, seed=5)
    one, *others = (
        forward_select(information_of(codes, classes, n_jobs=n), JMI(), 6, stopping=PermutationStopping())
        for n in (1, 2, 3)
    )
    for other in others:
        assert other.order.tolist() == one.order.tolist()
        assert other.outcome.values.tobytes() == one.outcome.values.tobytes()


def test_seed_matters(information_of):
    codes, classes = noise(200, 2, 0)
    given = information_of(codes, classes).conditional()
    values = {PermutationStopping(random_state=seed).value(given, 0, 1) for seed in range(4)}
    assert len(values) > 1
    assert PermutationStopping(random_state=2).value(given, 0, 1) in values


def test_threshold_is_the_bits_given_all_chosen(information_of, brute):
    codes, classes = signal(500, 6, 3, seed=2)
    found = forward_select(information_of(codes, classes), make_criterion("mrmr"), 6, stopping=ThresholdStopping(0.05))
    for step, value in enumerate(found.outcome.values):
        before = codes[:, found.order[:step]]
        z = np.unique(before, axis=0, return_inverse=True)[1].reshape(-1) if step else np.zeros(500, int)
        expected = brute.conditional_information(codes[:, found.order[step]], classes, z)
        assert value == pytest.approx(expected, abs=1e-12)  # a sum of some dozen terms below one bit
        assert value >= 0.05
    assert found.outcome.value < 0.05


def test_the_threshold_holds_for_the_first_column_by_the_estimator_too(noise_of_many_codes):
    codes, classes = noise_of_many_codes
    plug_in = ForwardSelector("auto", stopping="threshold", estimator="plug-in", binning="none").fit(codes, classes)
    assert plug_in.scores_[0] >= 0.01
    corrected = ForwardSelector("auto", stopping="threshold", binning="none").fit(codes, classes)
    assert corrected.relevance_.max() < 0.01
    assert len(corrected.selected_) == 0
    assert corrected.stopped_by_ == "threshold"
    assert "plug-in" in corrected.stopping_reason_
    none = ForwardSelector("auto", stopping=ThresholdStopping(0.0), binning="none").fit(codes, classes)
    assert len(none.selected_) == 0  # noise has less than 0 bits


@pytest.fixture
def noise_of_many_codes():
    random = np.random.default_rng(0)
    codes, classes = random.integers(0, 8, (200, 4)), random.integers(0, 2, 200)
    return codes[:, [0, 2, 3]], classes


def test_constants_are_never_taken_by_a_rule(information_of):
    codes = np.array([[0, 0], [0, 1], [0, 0], [0, 1]] * 5, np.uint8)
    found = forward_select(information_of(codes, codes[:, 1]), MIM(), 2, stopping=ThresholdStopping(0))
    assert found.order.tolist() == [1]
    assert found.outcome.only_constants_left
    assert found.outcome.refused is None


def test_what_must_be_included_is_not_judged(information_of):
    codes, classes = signal(400, 10, 3, seed=1)
    found = forward_select(
        information_of(codes, classes), JMI(), 10, stopping=SignificanceStopping(), must_include=[9, 8], exclude=[0]
    )
    assert found.order[:2].tolist() == [9, 8]
    assert np.isnan(found.outcome.values[:2]).all()
    assert 0 not in found.order
    assert {1, 2} <= set(found.order.tolist())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SignificanceStopping(level=0), "level=0 is not allowed"),
        (lambda: SignificanceStopping(level="5%"), "level='5%' is not allowed"),
        (lambda: PermutationStopping(level=1.5), "level=1.5 is not allowed"),
        (lambda: PermutationStopping(n_permutations=3), "n_permutations=3 is not allowed"),
        (lambda: PermutationStopping(random_state=-1), "random_state=-1 is not allowed"),
        (lambda: ThresholdStopping(bits=-1), "bits=-1 is not allowed"),
        (lambda: ThresholdStopping(bits=float("nan")), "bits=nan is not allowed"),
        (lambda: make_stopping("signifcance"), "did you mean significance"),
        (lambda: make_stopping(3), "neither a name nor a rule"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises(ValueError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_score_of_just_the_threshold_is_taken(information_of):
    """A copy of a class of two values that are as frequent tells 1 bit exactly."""
    classes = np.arange(40) % 2
    information = information_of(np.column_stack([classes, classes]), classes)
    taken = [
        len(forward_select(information, MIM(), 2, stopping=ThresholdStopping(bits)).order) for bits in (1, 1 + 1e-15)
    ]
    assert taken == [1, 0]


@pytest.mark.parametrize("rule", [SignificanceStopping(level=0.01), PermutationStopping(level=0.01)])
def test_reasons_give_p_and_the_level(rule):
    assert rule.reason(0.314159) == "p = 0.31 > 0.01"


@pytest.mark.parametrize("chance", [0.0, 0.02, 0.3, 0.9])
@pytest.mark.parametrize("last", [1, 10, 37])
def test_shuffles_end_with_the_last_that_is_waited_for(chance, last):
    """One after the other: h of b when the h-th reaches what was observed, or else one more of each."""
    for most in (1, 20, 150, 2000):
        hits, made = np.random.default_rng(most).random(most) < chance, []

        def reach(seeds, hits=hits, made=made):
            made.extend(seeds.tolist())
            return hits[len(made) - len(seeds) : len(made)]

        found = share_of_shuffles(reach, most, last, np.random.default_rng(5))
        places = np.flatnonzero(hits)
        ended = len(places) >= last
        assert found == (last / (places[last - 1] + 1) if ended else (1 + len(places)) / (1 + most))
        assert len(set(made)) == len(made) <= most
        assert ended or len(made) == most


def test_no_column_is_said_to_add_less_than_nothing():
    """Where its information is 0 but for rounding."""
    for bits in (0.0, -1e-17, -1e-3):
        assert ThresholdStopping(0.02).reason(bits) == "it adds 0.0000 bits < 0.02"
    assert ThresholdStopping(0.02).reason(0.0123456) == "it adds 0.0123 bits < 0.02"


@pytest.mark.parametrize(
    ("name", "parameter", "low", "high"),
    [("permutation", "n_permutations", 20, 10**6), ("knockoffs", "n_draws", 1, 10**4)],
)
def test_numbers_of_draws_are_allowed_from_one_bound_to_the_other(name, parameter, low, high):
    for number in (low, high):
        assert getattr(make_stopping(name, **{parameter: number}), parameter) == number
    for number in (low - 1, high + 1, low + 0.5):
        with pytest.raises(ValueError, match=f"{parameter}={number} is not allowed"):
            make_stopping(name, **{parameter: number})


class Given:
    """What a rule asks of a candidate, as it is said here."""

    codes_per_sample = 1

    def __init__(self, expected, n_samples=1000, freedom=1):
        self.expected, self.n_samples, self.freedom = expected, n_samples, freedom

    def degrees_of_freedom(self, _):
        return self.freedom

    def least_expected(self, _):
        return self.expected


@pytest.mark.each_value
@pytest.mark.parametrize("expected", [0.0, 4.99, 5.0, 19.99, 20.0])
@pytest.mark.parametrize("p", [1e-9, 0.0049, 0.0051, 0.049, 0.051, 0.49, 0.51, 0.9])
def test_significance_is_by_shuffles_where_the_tail_may_be_wrong(monkeypatch, expected, p):
    """Below 5 samples in a cell; below 20 where p is within ten times the level and a tenth of it."""
    monkeypatch.setattr(significance, "chi_squared_tails", lambda given, columns: np.array([p / 4]))
    monkeypatch.setattr(PermutationStopping, "value", lambda self, *_: self.level / 8)
    shuffled = expected < 5 or (expected < 20 and 0.005 < p <= 0.5)
    evaluation = SignificanceStopping(0.05).evaluate(Given(expected), 0, 4)
    assert evaluation.value == (0.05 / 8 if shuffled else p)
    assert evaluation.basis == (
        f"by shuffles, as a cell expects fewer than {5 if expected < 5 else 20} samples" if shuffled else ""
    )
    assert SignificanceStopping().value(Given(expected, freedom=0), 0, 4) == 1.0


@pytest.mark.parametrize("n_samples", [100, 10**7, 10**9])
@pytest.mark.parametrize(("level", "n_permutations"), [(0.05, 200), (0.01, 2000), (0.5, 20)])
@pytest.mark.parametrize("n_candidates", [1, 7, 10**4])
def test_permutations_for_every_candidate_are_made_as_far_as_they_are_affordable(
    monkeypatch, n_samples, level, n_permutations, n_candidates
):
    """2 10^9 codes, but enough that two may reach the data at the level; they end when ten do, or level times them."""
    asked = []
    monkeypatch.setattr(
        permutation, "share_of_shuffles", lambda reach, most, last, _: asked.append((most, last)) or 0.3
    )
    monkeypatch.setattr(permutation, "reached_by_shuffles", lambda *_: None)
    p = PermutationStopping(level, n_permutations).value(Given(9.0, n_samples), 0, n_candidates)
    assert p == min(1.0, 0.3 * n_candidates)
    affordable = max(int(np.ceil(2 * n_candidates / level)), 2 * 10**9 // n_samples)
    wanted = n_permutations * n_candidates
    assert asked == [(max(n_permutations, min(wanted, affordable)), max(10, int(np.ceil(level * n_permutations))))]


@pytest.mark.parametrize("name", [name for name, rule in STOPPING_RULES.items() if hasattr(rule, "random_state")])
def test_seeds_are_whole_numbers_of_32_bits(name):
    assert make_stopping(name).random_state == 0
    for seed in (0, 1, 2**32 - 1):
        assert make_stopping(name, random_state=seed).random_state == seed
    for seed in (-1, 2**32):
        with pytest.raises(ValueError, match=f"random_state={seed} is not allowed"):
            make_stopping(name, random_state=seed)


@pytest.mark.parametrize("afforded", [0, 1, 3])
def test_of_columns_of_few_samples_a_cell_as_many_are_hopeful_as_can_be_shuffled(monkeypatch, afforded):
    """The likeliest of them, at least one; where cells are full the tail decides alone."""
    n_samples = 100
    bits = np.array([0.02, 0.05, 0.03, 0.06, 0.04, 0.0, 0.06, 0.001])  # one degree of freedom: p = 0.096 at 0.02
    full = np.array([False] * 6 + [True] * 2)
    given = SimpleNamespace(
        n_samples=n_samples,
        codes_per_sample=1,
        degrees_of_freedom=lambda column: 1,
        least_expected=lambda column: 5.0 if full[column] else 4.0,
        test_statistics=lambda columns: 2 * n_samples * np.log(2) * bits[columns],
    )
    monkeypatch.setattr(independence, "MAX_SHUFFLED_CODES", afforded * independence.SHUFFLES_OF_NOISE * n_samples)
    found = hopeful_tails(given, np.arange(8), 0.05)
    expected = chi_squared_tails(given, np.arange(8))
    taken = [*[3, 1, 4][: max(1, afforded)], 6]
    assert np.flatnonzero(np.isfinite(found)).tolist() == sorted(taken)
    assert found[taken].tolist() == expected[taken].tolist()


@pytest.mark.parametrize("name", STOPPING_RULES)
def test_defaults_are_those_that_are_written_down(name):
    rule = STOPPING_RULES[name]
    for field in fields(rule):
        (written,) = re.findall(rf"^ *{field.name} : .*default=(.+)$", rule.__doc__, re.MULTILINE)
        assert getattr(rule(), field.name) == field.default == ast.literal_eval(written)


def test_a_rule_of_a_users_own_is_asked_of_every_column(information_of):
    """It has no screen: after a refusal all others are candidates, and only what it accepts is taken."""

    class Even(SingleStopping):
        name = "even"
        unit = "bits"
        asked = ()

        def value(self, conditional, candidate, n_candidates, search=None):
            self.asked = (*self.asked, candidate)
            return float(candidate % 2)

        def stops(self, value):
            return value > 0

        def reason(self, value, basis=""):
            return "it is odd"

    rule = Even()
    found = forward_select(information_of(*noise(60, 6, 1)), MIM(), 6, stopping=make_stopping(rule))
    assert sorted(found.order.tolist()) == [0, 2, 4]
    assert set(rule.asked) == set(range(6))


def test_draws_of_knockoffs_are_one_to_ten_thousand():
    for number in (1, 10**4):
        assert make_stopping("knockoffs", n_draws=number).n_draws == number
    for number in (0, 10**4 + 1):
        with pytest.raises(ValueError, match=f"n_draws={number} is not allowed"):
            make_stopping("knockoffs", n_draws=number)


@pytest.mark.parametrize(
    ("search", "units", "by_rank"), [(False, False, False), (True, False, True), (True, True, False)]
)
def test_columns_behind_a_refused_one_are_left_where_the_best_of_all_is_compared(
    information_of, search, units, by_rank
):
    """Else each is accepted by its own value; a rule of a user's own that does not say which leaves all."""
    information = information_of(*noise(60, 4, 1))
    information.source.search = SimpleNamespace(exchangeable_units=object() if units else None) if search else None
    candidates, asked = np.array([True, True, False, True]), []

    class Ranked(ThresholdStopping):
        def screen(self, conditional, columns, n_candidates, compares_best):
            asked.append((columns.tolist(), n_candidates, compares_best))
            return np.array([0.1, np.inf, 0.3, 0.2])

    class Unranked(ThresholdStopping):
        def screen(self, conditional, columns, n_candidates, compares_best):
            return None

    monitor = SingleMonitor(information, Ranked())
    monitor.latest_refused = 2
    for _ in range(2):  # asked once
        assert monitor.others(candidates).tolist() == [True, False, False, not by_rank]
    assert asked == [([0, 1, 3, 2], 4, by_rank)]
    monitor = SingleMonitor(information, Unranked())
    assert monitor.others(candidates).tolist() == candidates.tolist()


def test_the_reason_of_a_list_shows_that_the_rate_exceeds_the_level():
    rule = DistilledStopping(level=0.1)
    assert rule.reason(0.25) == "adjusted p 0.25 > 0.1"
    assert rule.reason(0.1004) == "adjusted p 0.1004 > 0.1"
