from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.golden.strata_cases import CRITERIA, NAMES, StrataCase
from tests.golden.strata_cases import ESTIMATORS as GOLDEN_ESTIMATORS

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.sparse import SparseCodes, SparseSource
from bitsieve.counts.strata import SourceInStrata, StrataAndClasses
from bitsieve.counts.tables import ContingencyTable
from bitsieve.diagnostics import UserError
from bitsieve.information import ESTIMATORS, make_information, make_information_within_strata
from bitsieve.information.protocol import UndefinedQuantityError
from bitsieve.information.stratum_tables import StratumWeights
from bitsieve.methods.by_counts.forward import forward

TOLERANCE = 1e-9  # of the golden cases, which another program computed in floats
ROUNDING = 1e-12  # sums of a few dozen floats of about one bit


def packed_with_strata(X, y, strata):
    source = PackedSource(X.astype(np.uint16), y)
    source.strata = strata[np.argsort(y, kind="stable")].astype(np.int64)
    return source


def naive_with_strata(X, y, strata):
    source = NaiveSource(X, y)
    source.strata = strata.astype(np.int64)
    return source


def sparse_with_strata(X, y, strata):
    columns = [(np.flatnonzero(column), column[column > 0]) for column in X.T]
    codes = SparseCodes(
        n_rows=len(X),
        start=np.cumsum([0, *(len(rows) for rows, _ in columns)]),
        row=np.concatenate([rows for rows, _ in columns]).astype(np.int32),
        code=np.concatenate([values for _, values in columns]).astype(np.uint16),
        common=np.zeros(X.shape[1], np.uint16),
    )
    source = SparseSource(codes, y)
    source.strata = strata.astype(np.int64)
    return source


def of_one_count(X, y, strata):
    """As an engine counts that has no code of a sample: by combination of stratum and class."""
    n_classes = int(y.max()) + 1
    numbers, combination = np.unique(strata * n_classes + y, return_inverse=True)
    return SourceInStrata(
        PackedSource(X.astype(np.uint16), combination), StrataAndClasses.of_numbers(numbers, n_classes)
    )


SOURCES = [packed_with_strata, naive_with_strata, sparse_with_strata, of_one_count]


def random_table(seed, n_samples=160, n_features=5, n_strata=3):
    random = np.random.default_rng(seed)
    strata = random.integers(0, n_strata, n_samples)
    X = random.integers(0, 3, (n_samples, n_features))
    X[:, 0] = (X[:, 0] + strata) % 3
    y = (X[:, 1] + random.integers(0, 3, n_samples) > 2).astype(int) + (strata == 1) * random.integers(0, 2, n_samples)
    return X, np.unique(y, return_inverse=True)[1], strata


@pytest.mark.parametrize("estimator", ["plug-in", "corrected"])
@pytest.mark.parametrize("source_of", SOURCES)
def test_the_matrix_of_some_redundancies_is_that_of_their_pairs(source_of, estimator):
    """Bit for bit; columns far from each other are counted in a copy."""
    information = make_information_within_strata(estimator, source_of(*random_table(5, n_features=40)))
    columns = np.array([38, 1, 20, 9])
    found = information.matrix("redundancy", columns=columns)
    for i, pivot in enumerate(columns.tolist()):
        redundancy = information.pair(pivot, columns[i + 1 :]).redundancy
        assert found[i, i + 1 :].tolist() == redundancy.tolist() == found[i + 1 :, i].tolist()
    assert np.diag(found).tolist() == information.entropy[columns].tolist()


def entropy(*variables):
    _, counts = np.unique(np.stack(variables), axis=1, return_counts=True)
    shares = counts / counts.sum()
    return -(shares * np.log2(shares)).sum()


def conditional_information(x, y, *given):
    return entropy(x, *given) + entropy(y, *given) - entropy(x, y, *given) - entropy(*given)


@pytest.mark.parametrize("source_of", SOURCES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("estimator", GOLDEN_ESTIMATORS)
def test_golden_cases(name, estimator, source_of):
    case = StrataCase.load(name)
    expected = case.expected[estimator]
    information = make_information_within_strata(estimator, source_of(case.X, case.y, case.strata))
    np.testing.assert_allclose(information.relevance, expected["relevance"], atol=TOLERANCE)
    assert information.varies.tolist() == expected["varies"]
    for criterion in CRITERIA:
        result = forward(information, case.expected["k"], criterion)
        assert result.selected.tolist() == expected[criterion]["selected"]
        np.testing.assert_allclose(result.scores, expected[criterion]["scores"], atol=TOLERANCE)


@pytest.mark.parametrize("name", NAMES)
def test_golden_common_effects(name):
    case = StrataCase.load(name)
    source = packed_with_strata(case.X, case.y, case.strata)
    plug_in = make_information_within_strata("plug-in", source, "common").relevance
    corrected = make_information_within_strata("corrected", source, "common").relevance
    np.testing.assert_allclose(plug_in, case.expected["common"], atol=TOLERANCE)
    np.testing.assert_allclose(plug_in - corrected, case.expected["common_chance"], atol=TOLERANCE)


@pytest.mark.parametrize("source_of", SOURCES)
def test_every_quantity_is_its_definition(source_of):
    X, y, strata = random_table(seed=1)
    information = make_information_within_strata("plug-in", source_of(X, y, strata))
    z = X[:, 2]
    pair = information.pair(2)
    for i in (0, 1, 3):
        x = X[:, i]
        quantities = [
            (information.relevance[i], conditional_information(x, y, strata)),
            (information.entropy[i], entropy(x, strata) - entropy(strata)),
            (pair.redundancy[i], conditional_information(x, z, strata)),
            (pair.conditional_redundancy[i], conditional_information(x, z, y, strata)),
            (pair.conditional_relevance[i], conditional_information(x, y, z, strata)),
            (pair.joint_relevance[i], conditional_information(x, y, z, strata) + conditional_information(z, y, strata)),
            (pair.joint_entropy[i], entropy(x, z, y, strata) - entropy(strata)),
        ]
        computed, defined = zip(*quantities, strict=True)
        np.testing.assert_allclose(computed, defined, atol=ROUNDING)
    assert information.class_entropy == pytest.approx(entropy(y, strata) - entropy(strata), abs=ROUNDING)
    matrix = information.matrix("redundancy")
    np.testing.assert_array_equal(matrix[2, [0, 1, 3, 4]], pair.redundancy[[0, 1, 3, 4]])


@pytest.mark.parametrize("estimator", ["plug-in", "miller-madow", "corrected"])
@pytest.mark.parametrize("source_of", SOURCES)
def test_conditioning_on_sets_begins_with_the_strata(estimator, source_of):
    X, y, strata = random_table(seed=2)
    information = make_information_within_strata(estimator, source_of(X, y, strata))
    conditional = information.conditional()
    np.testing.assert_allclose(conditional.conditional_relevance(), information.relevance, atol=ROUNDING)
    given_two = conditional.refine(2)
    expected = information.pair(2).conditional_relevance
    np.testing.assert_allclose(given_two.conditional_relevance(), expected, atol=ROUNDING)
    if estimator == "plug-in":
        given_both = given_two.refine(3).conditional_relevance(np.array([1]))
        defined = conditional_information(X[:, 1], y, X[:, 2], X[:, 3], strata)
        np.testing.assert_allclose(given_both, defined, atol=ROUNDING)


def test_degrees_of_freedom_are_those_of_every_stratum():
    X, y, strata = random_table(seed=3)
    conditional = make_information_within_strata("plug-in", packed_with_strata(X, y, strata)).conditional()
    freedom = sum(
        (len(np.unique(X[strata == s, 1])) - 1) * (len(np.unique(y[strata == s])) - 1) for s in np.unique(strata)
    )
    assert conditional.degrees_of_freedom(1) == freedom


def shuffles_within_strata(x, strata):
    """All columns that have the values of x within every stratum in another order."""
    rows_of_strata = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    for orders in product(*(permutations(rows) for rows in rows_of_strata)):
        shuffled = np.empty_like(x)
        for rows, order in zip(rows_of_strata, orders, strict=True):
            shuffled[rows] = x[list(order)]
        yield shuffled


def test_corrected_is_less_the_mean_over_all_shuffles_within_strata():
    strata = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    y = np.array([0, 0, 1, 1, 0, 1, 1, 0, 1])
    z = np.array([0, 1, 1, 0, 1, 1, 0, 0, 0])
    x = np.array([0, 2, 1, 2, 1, 0, 0, 2, 1])
    source = packed_with_strata(np.stack([x, z], axis=1), y, strata)
    corrected = make_information_within_strata("corrected", source)
    shuffled = list(shuffles_within_strata(x, strata))
    assert len(shuffled) == 288
    means = {
        "relevance": np.mean([conditional_information(column, y, strata) for column in shuffled]),
        "redundancy": np.mean([conditional_information(column, z, strata) for column in shuffled]),
        "conditional": np.mean([conditional_information(column, y, z, strata) for column in shuffled]),
    }
    plug_in = make_information_within_strata("plug-in", source)
    pair = corrected.pair(1)
    plug_in_pair = plug_in.pair(1)
    assert plug_in.relevance[0] - corrected.relevance[0] == pytest.approx(means["relevance"], abs=ROUNDING)
    assert plug_in_pair.redundancy[0] - pair.redundancy[0] == pytest.approx(means["redundancy"], abs=ROUNDING)
    chance = plug_in_pair.conditional_relevance[0] - pair.conditional_relevance[0]
    assert chance == pytest.approx(means["conditional"], abs=ROUNDING)


def test_a_column_that_follows_the_batch_loses_what_chance_gives_within_it():
    random = np.random.default_rng(5)
    strata = np.repeat(np.arange(10), 40)
    follows_batch = np.where(random.random(400) < 0.9, strata, random.integers(0, 10, 400))
    y = (random.random(400) < 0.2 + 0.06 * strata).astype(int)
    source = packed_with_strata(follows_batch[:, None], y, strata)
    assert abs(make_information_within_strata("corrected", source).relevance[0]) < 0.02
    assert make_information("corrected", source).relevance[0] > 0.02


@pytest.mark.parametrize("estimator", ["plug-in", "miller-madow", "corrected"])
def test_one_stratum_equals_none(estimator):
    X, y, _ = random_table(seed=6)
    source = packed_with_strata(X, y, np.zeros(len(y), int))
    within = make_information_within_strata(estimator, source)
    pooled = make_information(estimator, source)
    assert within.relevance.tolist() == pooled.relevance.tolist()
    for quantity in ("redundancy", "conditional_redundancy", "conditional_relevance", "joint_relevance"):
        assert getattr(within.pair(1), quantity).tolist() == getattr(pooled.pair(1), quantity).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_a_common_effect_is_part_of_the_information_within_strata(seed):
    X, y, strata = random_table(seed)
    source = packed_with_strata(X, y, strata)
    within = make_information_within_strata("plug-in", source)
    common = make_information_within_strata("plug-in", source, "common")
    assert (common.relevance >= -ROUNDING).all()
    assert (common.relevance <= within.relevance + ROUNDING).all()
    assert (common.pair(2).conditional_relevance >= -ROUNDING).all()
    np.testing.assert_allclose(
        common.pair(2).joint_relevance,
        common.relevance[2] + common.pair(2).conditional_relevance,
        atol=ROUNDING,
    )


@pytest.mark.slow("many shuffles")
def test_a_common_effect_has_mean_zero_by_chance_once_corrected():
    random = np.random.default_rng(7)
    strata = np.repeat(np.arange(100), 3)
    y = np.tile([1, 0, 0], 100)
    X = random.integers(0, 3, (300, 200))
    common = make_information_within_strata("corrected", packed_with_strata(X, y, strata), "common")
    chance = common.quantity_of_columns(common.estimate.chance_bits, None, np.arange(200)).mean()
    # The mean of 200 columns has a standard error of about a tenth of what chance gives one column.
    assert abs(common.relevance.mean()) < 0.25 * chance
    conditional = np.delete(common.pair(0).conditional_relevance, 0)
    assert abs(conditional.mean()) < 0.25 * 3 * chance


def test_columns_share_what_they_share_in_all_rows_where_strata_are_small():
    X, y, _ = random_table(seed=8, n_samples=120)
    matched_sets = np.repeat(np.arange(40), 3)
    source = packed_with_strata(X, y, matched_sets)
    common = make_information_within_strata("plug-in", source, "common")
    assert common.pair(1).redundancy.tolist() == make_information("plug-in", source).pair(1).redundancy.tolist()


def test_a_cautious_common_effect_lies_two_standard_deviations_of_chance_below():
    """Chance times 2 N ln 2 is about chi-square, whose variance is twice its mean."""
    X, y, strata = random_table(seed=6)
    common = make_information_within_strata("corrected", packed_with_strata(X, y, strata), "common")
    scale = 2 * len(y) * np.log(2)
    degrees = scale * common.quantity_of_columns(common.estimate.chance_bits, None, np.arange(X.shape[1]))
    expected = common.relevance - 2 * np.sqrt(2 * degrees) / scale
    np.testing.assert_allclose(common.cautious_relevance, expected, atol=ROUNDING)


def test_what_is_not_defined_is_refused():
    X, y, strata = random_table(seed=9)
    source = packed_with_strata(X, y, strata)
    with pytest.raises(UndefinedQuantityError) as raised:
        make_information_within_strata("shrinkage", source)
    assert raised.value.code == "undefined-quantity"
    with pytest.raises(UndefinedQuantityError):
        make_information_within_strata("miller-madow", source, "common")


def test_too_many_combinations_are_refused():
    n_samples = 70_000
    source = packed_with_strata(np.zeros((n_samples, 1), int), np.zeros(n_samples, int), np.arange(n_samples))
    with pytest.raises(UserError) as raised:
        make_information_within_strata("plug-in", source)
    assert raised.value.code == "too-many-strata"


def test_every_estimator_is_defined_or_refused():
    X, y, strata = random_table(seed=10)
    source = packed_with_strata(X, y, strata)
    defined = [name for name in ESTIMATORS if name != "shrinkage"]
    for name in defined:
        assert make_information_within_strata(name, source).estimator == name


def common_effect_by_definition(X, y, strata, columns):
    """I_common of the joint value of some columns: sum of O log2(O / E) over joint values and classes, over N."""
    n_classes = int(y.max()) + 1
    total = 0.0
    for value in np.unique(X[:, columns], axis=0):
        has_value = (X[:, columns] == value).all(axis=1)
        for label in range(n_classes):
            observed = int((has_value & (y == label)).sum())
            expected = sum(
                (has_value & (strata == s)).sum() * ((y == label) & (strata == s)).sum() / (strata == s).sum()
                for s in np.unique(strata)
            )
            if observed:
                total += observed * np.log2(observed / expected)
    return total / len(y)


@pytest.mark.parametrize("with_strata", SOURCES)
def test_a_common_effect_given_a_set_is_that_of_both_less_that_of_the_set(with_strata):
    X, y, strata = random_table(seed=11, n_samples=60)
    common = make_information_within_strata("plug-in", with_strata(X, y, strata), "common")
    for chosen in ([], [2], [2, 0]):
        conditional = common.conditional()
        for column in chosen:
            conditional = conditional.refine(column)
        assert conditional.n_combinations == len(np.unique(X[:, chosen], axis=0))
        of_set = common_effect_by_definition(X, y, strata, chosen)
        for column in (1, 3):
            expected = common_effect_by_definition(X, y, strata, [*chosen, column]) - of_set
            bits = conditional.conditional_relevance(np.array([column]))[0]
            assert bits == pytest.approx(expected, abs=ROUNDING)
            assert bits >= -ROUNDING


@pytest.mark.parametrize("estimator", ["plug-in", "corrected"])
def test_a_common_effect_given_one_column_is_that_of_the_pair(estimator):
    X, y, strata = random_table(seed=12)
    common = make_information_within_strata(estimator, packed_with_strata(X, y, strata), "common")
    given = common.conditional().refine(2).conditional_relevance()
    np.testing.assert_allclose(given, common.pair(2).conditional_relevance, atol=ROUNDING)
    plug_in = make_information_within_strata("plug-in", packed_with_strata(X, y, strata), "common")
    np.testing.assert_array_equal(
        common.plug_in_conditional().refine(2).conditional_relevance(),
        plug_in.conditional().refine(2).conditional_relevance(),
    )


@pytest.mark.parametrize("estimator", ["plug-in", "corrected"])
def test_shuffles_within_strata_and_set_are_those_of_the_column(estimator):
    """All shuffles of a small column within the parts: their values, and how often each occurs."""
    strata = np.repeat([0, 1], [4, 3])
    z = np.array([0, 0, 0, 1, 0, 0, 1])
    x = np.array([0, 1, 1, 0, 0, 1, 1])
    y = np.array([0, 1, 0, 1, 1, 0, 0])
    X = np.column_stack([z, x])
    conditional = make_information_within_strata(estimator, packed_with_strata(X, y, strata), "common").conditional()
    conditional = conditional.refine(0)
    first_part, second_part = [0, 1, 2], [4, 5]
    values = []
    for first, second in product(permutations(first_part), permutations(second_part)):
        shuffled = x.copy()
        shuffled[first_part] = x[list(first)]
        shuffled[second_part] = x[list(second)]
        table = np.column_stack([z, shuffled])
        source = packed_with_strata(table, y, strata)
        given = make_information_within_strata(estimator, source, "common").conditional().refine(0)
        values.append(given.conditional_relevance(np.array([1]))[0])
    n_shuffles = 3000
    drawn = conditional.shuffled_relevance(1, np.arange(n_shuffles, dtype=np.uint64))
    for value in np.unique(np.round(values, 9)):
        share = np.isclose(values, value, atol=1e-9).mean()
        # Four standard errors of a share of 3,000 shuffles.
        error = 4 * np.sqrt(share * (1 - share) / n_shuffles)
        assert np.isclose(drawn, value, atol=1e-9).mean() == pytest.approx(share, abs=error)
    assert np.isin(np.round(drawn, 9), np.round(values, 9)).all()


def test_shuffles_of_matched_pairs_are_the_exact_test_of_mcnemar():
    """In discordant pairs the case has the code with probability 1/2: p is that of a binomial count."""
    random = np.random.default_rng(13)
    n_pairs = 30
    pair = np.repeat(np.arange(n_pairs), 2)
    y = np.tile([1, 0], n_pairs)
    x = (random.random(2 * n_pairs) < 0.3 + 0.25 * y).astype(int)
    difference = x[y == 1] - x[y == 0]
    n_discordant = int((difference != 0).sum())
    expected = binomtest(int((difference > 0).sum()), n_discordant).pvalue
    conditional = make_information_within_strata(
        "plug-in", packed_with_strata(x[:, None], y, pair), "common"
    ).plug_in_conditional()
    observed = conditional.conditional_relevance(np.array([0]))[0]
    drawn = conditional.shuffled_relevance(0, np.arange(4000, dtype=np.uint64))
    p = (drawn >= observed).mean()
    assert p == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 4000))  # four standard errors


def test_expected_counts_of_listed_cells_are_those_of_all_cells():
    random = np.random.default_rng(3)
    counts = random.integers(0, 3, (4, 2, 5))
    cells = np.flatnonzero(counts)
    sizes = counts.sum(axis=(0, 1))
    weights = StratumWeights(random.integers(0, 2**40, (5, 3)), 40, random.random((5, 3)), sizes)
    of_all = ContingencyTable(counts.shape, counts.reshape(-1))
    of_listed = ContingencyTable(counts.shape, counts.reshape(-1)[cells], cells)
    expected = np.einsum("ijs,sc->ijc", counts, weights.expected).reshape(8, 3) / 2.0**40
    assert weights.expected_counts(of_all).tolist() == expected.tolist()
    assert weights.expected_counts(of_listed).tolist() == expected.tolist()


def test_a_column_that_no_shuffle_changes_has_no_freedom():
    pair = np.repeat(np.arange(10), 2)
    y = np.tile([1, 0], 10)
    X = np.column_stack([pair % 3, np.tile([0, 1], 10), np.arange(20) % 3])
    conditional = make_information_within_strata("plug-in", packed_with_strata(X, y, pair), "common").conditional()
    assert [conditional.degrees_of_freedom(column) for column in range(3)] == [0, 1, 2]
    assert conditional.test_statistics(np.array([0])).tolist() == [0.0]
    # Given the column that tells case from control no part has two classes.
    assert conditional.refine(1).degrees_of_freedom(2) == 0


@pytest.mark.parametrize("source_of", SOURCES)
def test_strata_of_two_samples_count_and_those_of_one_do_not(source_of):
    """In a pair of two codes and two classes the one tells the other: one bit of two samples, nothing of the others."""
    strata = np.array([0, 0, 1, 1, 2, 2, 3])
    y = np.array([0, 1, 1, 0, 0, 1, 0])
    X = np.array([[0, 1, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1, 0]]).T
    information = make_information_within_strata("plug-in", source_of(X, y, strata))
    expected = pytest.approx([4 / 7, 2 / 7], abs=ROUNDING)
    assert information.relevance == expected
    assert information.conditional().conditional_relevance() == expected
