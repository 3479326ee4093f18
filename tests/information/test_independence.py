"""Tests of independence within strata: brute force, other programs' figures, and the same answer from every source."""

from itertools import permutations
from math import log

import numpy as np
import pytest
from scipy import stats
from tests.cover import quick_and_slow

from bitsieve.counts.independence_sums import IndependenceSums, OptionalSums
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.tables import ContingencyTable, make_entropy_terms
from bitsieve.information.chi_squared import SMALLEST_LOG_TAIL, log_chi_squared_tail
from bitsieve.information.independence import IndependenceTests, NominalShape, TestOptions, _log_tail, results_of


def random_codes(seed, n_samples=300, n_codes=(3, 4, 2, 3, 5)):
    random = np.random.default_rng(seed)
    return np.column_stack([random.integers(0, n, n_samples) for n in n_codes]).astype(np.uint8)


def results_of_tables(tables, n_strata, options):
    """The tests of tables of shape (strata, codes, classes)."""
    terms = make_entropy_terms(int(tables[0].counts.sum()))
    n_codes, n_classes = np.array([table.shape[1:] for table in tables]).T
    sums = IndependenceSums.of_tables(tables, terms, options.optional_sums)
    return results_of(sums, NominalShape(n_strata, n_codes, n_classes), terms, options)


def g_of(x, y, z):
    """``2 sum n ln(n n_z / (n_xz n_yz))`` of rows, by its definition."""
    total = 0.0
    for stratum in set(z):
        of_stratum = [(a, b) for a, b, c in zip(x, y, z, strict=True) if c == stratum]
        n = len(of_stratum)
        for a, b in set(of_stratum):
            n_x = sum(first == a for first, _ in of_stratum)
            n_y = sum(second == b for _, second in of_stratum)
            n_xy = of_stratum.count((a, b))
            total += 2 * n_xy * log(n_xy * n / (n_x * n_y))
    return total


def test_the_scaled_statistic_divides_by_the_mean_of_all_shuffles_within_strata():
    x = [0, 0, 1, 2, 0, 1, 1]
    y = [0, 1, 1, 0, 0, 1, 2]
    z = [0, 0, 0, 0, 1, 1, 1]
    means = [
        np.mean([g_of([*first, *second], y, z) for first in permutations(x[:4]) for second in permutations(x[4:])])
    ]
    source = PackedSource(np.array([x, y, z], np.uint8).T)
    result = IndependenceTests(source, TestOptions()).test(0, 1, [2])
    freedom = 2 * 1 + 1 * 2
    assert result.degrees_of_freedom == freedom
    assert result.statistic == pytest.approx(g_of(x, y, z) * freedom / means[0], rel=1e-12)  # some 30 roundings


@pytest.mark.parametrize("seed", quick_and_slow(range(4), quick={0}, reason="other margins"))
def test_the_excess_is_that_of_the_hypergeometric_distribution(seed):
    random = np.random.default_rng(seed)
    n = np.append(random.integers(2, 64, 30), random.integers(2, 3000, 30))
    a = random.integers(1, n)
    b = random.integers(1, n)
    # Two variables of two codes each have four cells, and the excess of a table is the sum over these.
    expected = []
    tables = []
    for size, first, second in zip(n.tolist(), a.tolist(), b.tolist(), strict=True):
        margins = [(i, j) for i in (first, size - first) for j in (second, size - second)]
        expected.append(sum(excess_by_definition(size, i, j) for i, j in margins))
        smallest = max(0, first + second - size)
        counts = np.array([smallest, first - smallest, second - smallest, size - first - second + smallest])
        tables.append(ContingencyTable((1, 2, 2), counts))
    sums = IndependenceSums.of_tables(tables, make_entropy_terms(3000), OptionalSums(expected_excess=True))
    # the pmf of scipy is right to some 1e-12 of terms up to 3000 ln 3000; the series errs by less than 1e-4 a cell
    is_summed = np.maximum(a, n - a) * np.maximum(b, n - b) / n < 64
    assert is_summed.sum() >= 30
    np.testing.assert_allclose(sums.expected_excess[is_summed], np.array(expected)[is_summed], atol=1e-9)
    np.testing.assert_allclose(sums.expected_excess, expected, atol=4e-4)


def excess_by_definition(n, a, b):
    """E[c ln c] - m ln m of a cell with margins a and b out of n samples."""
    count = np.arange(max(0, a + b - n), min(a, b) + 1)
    mean = a * b / n
    value = count * np.log(np.maximum(count, 1))
    return float(stats.hypergeom(n, a, b).pmf(count) @ value) - mean * log(mean)


def test_a_column_of_one_code_in_every_stratum_has_no_freedom():
    source = PackedSource(np.array([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], np.uint8))
    result = IndependenceTests(source, TestOptions()).test(0, 1, [2])
    assert (result.degrees_of_freedom, result.statistic, result.log_p) == (0, 0.0, 0.0)
    assert result.least_expected == np.inf


@pytest.mark.parametrize("test", ["scaled", "g", "pearson"])
def test_the_result_depends_neither_on_the_side_nor_on_the_order_of_the_strata(test):
    source = PackedSource(random_codes(0))
    options = TestOptions(test=test)
    one = IndependenceTests(source, options).test(0, 1, [2, 3])
    other = IndependenceTests(source, options).test(1, 0, [3, 2])
    assert one.degrees_of_freedom == other.degrees_of_freedom
    assert one.statistic == pytest.approx(other.statistic, rel=1e-12)  # sums in another order
    if test == "g":
        assert one[:5] == other[:5]


def test_values_that_a_column_could_have_count_for_nominal_freedom_and_power():
    source = PackedSource(random_codes(0), random_codes(1)[:, 2])  # 300 samples, (3, 4, 2, 3, 5) codes and 2 classes
    nominal = TestOptions(test="g", freedom="nominal")
    assert IndependenceTests(source, nominal).test(0, 1, [2]).degrees_of_freedom == 2 * 3 * 2
    tests = IndependenceTests(source, nominal, {0: 5, 2: 4, 5: 3})
    assert tests.test(0, 1, [2]).degrees_of_freedom == 4 * 3 * 4
    assert tests.test(0, 5, [2]).degrees_of_freedom == 4 * 2 * 4
    assert tests.nominal_cells((0, 2, 5)) == 5 * 4 * 3
    statistic = tests.test(0, 1, [2]).statistic
    assert statistic == IndependenceTests(source, nominal).test(0, 1, [2]).statistic
    with_power = TestOptions(test="g", power=5)  # 300 samples are enough for 60 cells
    assert IndependenceTests(source, with_power).test(0, 1, [2]).log_p < 0
    assert IndependenceTests(source, with_power, {0: 7}).test(0, 1, [2]).log_p < 0
    assert IndependenceTests(source, with_power, {0: 8}).test(0, 1, [2]).log_p == 0
    assert not IndependenceTests(source, with_power, {0: 8}).test(0, 1, [2]).is_reliable


def test_values_that_a_source_declares_are_used_unless_others_are_given():
    source = PackedSource(random_codes(0))
    source.declared_values = {0: 6, 1: 7}
    tests = IndependenceTests(source, TestOptions(), {1: 9})
    assert tests.n_levels[:3].tolist() == [6, 9, 2]


def test_p_by_shuffles_replaces_the_tail_alone():
    source = PackedSource(random_codes(0))
    by_shuffles = IndependenceTests(source, TestOptions(p_by="shuffles", n_shuffles=199)).test(0, 1, [2])
    by_tail = IndependenceTests(source, TestOptions()).test(0, 1, [2])
    assert by_shuffles._replace(p=by_tail.p, log_p=by_tail.log_p) == by_tail
    assert by_shuffles.log_p == log(by_shuffles.p)
    assert abs(by_shuffles.p - by_tail.p) < 0.15  # four standard deviations of a share of 199
    shares = set()
    for seed in range(5):
        tests = IndependenceTests(source, TestOptions(p_by="shuffles", n_shuffles=199, random_state=seed))
        shares.add(tests.test(0, 1, [2]).p)
    assert len(shares) > 1


def test_a_test_without_power_is_not_executed():
    source = PackedSource(random_codes(0))
    for options in (TestOptions(power=13), TestOptions(power=13, p_by="shuffles", n_shuffles=9)):
        tests = IndependenceTests(source, options)
        result = tests.test(0, 1, [2])  # 24 cells and 300 samples
        assert (result.is_executed, result.log_p, result.statistic) == (False, 0.0, 0.0)
        assert tests.test(0, 1, []).is_executed
        assert (tests.n_tests, tests.n_not_executed) == (2, 1)


def test_relabelled_copies_have_the_same_g():
    codes = random_codes(1)
    relabelled = np.column_stack([codes, (codes[:, 1] + 1) % 4]).astype(np.uint8)
    tests = IndependenceTests(PackedSource(relabelled), TestOptions(test="g"))
    assert tests.test(0, 1, [2]).statistic == tests.test(0, 5, [2]).statistic


def test_the_class_is_a_variable_like_any_column():
    codes = random_codes(2)
    columns = IndependenceTests(PackedSource(codes), TestOptions())
    with_class = IndependenceTests(PackedSource(codes[:, :4], codes[:, 4]), TestOptions())
    for x, y, strata in [(0, 4, [1]), (4, 2, [0, 1]), (0, 1, [4]), (0, 1, [2, 4]), (0, 1, [2])]:
        one = columns.test(x, y, strata)
        other = with_class.test(x, y, strata)
        assert one.degrees_of_freedom == other.degrees_of_freedom
        assert one.statistic == pytest.approx(other.statistic, rel=1e-12)  # sums in another order


def test_every_source_gives_the_same_tests():
    codes = random_codes(3)
    classes = codes[:, 4]
    weights = np.random.default_rng(0).integers(1, 4, len(codes))
    sources = [
        PackedSource(codes[:, :4], classes, weights=weights),
        NaiveSource(codes[:, :4], classes, weights=weights),
        PackedSource(np.repeat(codes[:, :4], weights, axis=0), np.repeat(classes, weights)),
    ]
    results = [
        [IndependenceTests(source, TestOptions()).test(*arguments) for source in sources]
        for arguments in [(4, 0, [1, 2]), (0, 3, [4]), (0, 3, [1])]
    ]
    for packed, naive, repeated in results:
        assert packed == naive == repeated


def test_tests_of_several_columns_are_those_of_each():
    codes = random_codes(4)
    source = PackedSource(codes[:, :4], codes[:, 4])
    together = IndependenceTests(source, TestOptions())
    one_by_one = IndependenceTests(source, TestOptions())
    for target, others, strata in [(4, [0, 1, 2], [3]), (0, [1, 4, 3], [2]), (0, [3, 1], [2, 4])]:
        several = together.test_each(target, others, strata)
        for other, result in zip(others, several, strict=True):
            alone = one_by_one.test(target, other, strata)
            assert alone.log_p == pytest.approx(result.log_p, rel=1e-12)  # sums in another order
            assert alone[:2][1] == result[:2][1]
    assert together.n_tests == one_by_one.n_tests == 8


def test_a_relation_whose_p_is_too_small_for_a_float_has_its_logarithm():
    codes = np.repeat(np.arange(2, dtype=np.uint8), 5000)[:, None].repeat(2, axis=1)
    result = IndependenceTests(PackedSource(codes), TestOptions(test="g")).test(0, 1, [])
    g = 2 * 10_000 * log(2)
    assert result.statistic == pytest.approx(g, rel=1e-14)
    assert result.log_p == pytest.approx(log(2) + stats.norm.logsf(g**0.5), rel=1e-12)


class Penalties:
    """The search for the codes of columns, of which a test needs the number of possible codings alone."""

    exchangeable_units = None

    def log_codings(self, column):
        return float(column)


def test_p_is_multiplied_by_the_number_of_codings_of_the_columns_and_strata():
    codes = np.repeat(np.arange(2, dtype=np.uint8), 500)[:, None].repeat(4, axis=1)
    codes[:, 3] = np.arange(1000) % 3
    options = TestOptions(test="g")
    plain = IndependenceTests(PackedSource(codes), options)
    source = PackedSource(codes)
    source.search = Penalties()
    penalized = IndependenceTests(source, options)
    for x, y, strata, penalty in ((0, 1, [], 1), (1, 2, [], 3), (1, 2, [3], 6)):
        assert penalized.test(x, y, strata).log_p == min(0.0, plain.test(x, y, strata).log_p + penalty)
    assert penalized.test(2, 3, []).log_p == 0.0  # no p is above 1


@pytest.mark.parametrize(("power", "is_possible"), [(0, True), (5, True), (6, False)])
def test_p_is_one_where_there_are_too_few_samples_for_the_cells(power, is_possible):
    table = ContingencyTable((1, 2, 2), np.array([6, 4, 4, 6]))
    (result,) = results_of_tables([table], 1, TestOptions(test="g", power=power))
    assert (result.log_p < 0) == is_possible
    assert result.is_reliable


@pytest.mark.parametrize(
    ("name", "value"), [("test", "t"), ("freedom", "other"), ("power", -1), ("power", 0.5), ("test", None)]
)
def test_options_that_are_not_allowed(name, value):
    with pytest.raises(ValueError, match=name):
        TestOptions(**{name: value})


@pytest.mark.parametrize(
    ("n_samples", "n_codes", "n_strata", "is_skewed"), [(500, 4, 16, False), (500, 8, 8, True), (200, 3, 4, False)]
)
def test_the_level_of_the_scaled_test_holds_in_sparse_tables(n_samples, n_codes, n_strata, is_skewed):
    random = np.random.default_rng(0)
    shares = 1 / np.arange(1, n_codes + 1) ** (2 if is_skewed else 0)
    tables = []
    for _ in range(400):
        x, y = random.choice(n_codes, (2, n_samples), p=shares / shares.sum())
        cells = (random.integers(0, n_strata, n_samples) * n_codes + x) * n_codes + y
        tables.append(ContingencyTable.of_samples((n_strata, n_codes, n_codes), cells))
    results = results_of_tables(tables, n_strata, TestOptions())
    rejected = np.mean([result.log_p <= log(0.05) for result in results])
    assert rejected <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5  # three standard deviations of a share of 400


def test_tails_too_small_for_a_float_are_those_of_the_sum():
    freedom = np.array([1, 2, 3, 10, 199, 1999, 2000, 2001, 9001], np.float64)
    for factor in (1, 1.01, 2, 100):
        statistic = factor * (3 * freedom + 1500)
        expected = log_chi_squared_tail(freedom.astype(np.int64), statistic)
        assert (expected < SMALLEST_LOG_TAIL).all()
        # differences of thousands of rounded terms, some 1e-13 of the result
        np.testing.assert_allclose(_log_tail(freedom, statistic), expected, rtol=1e-12)
