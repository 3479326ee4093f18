"""Information in bits: against its definition, its identities, and what must not change it."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from bitsieve.counts.packed import PackedSource
from bitsieve.information import make_information
from bitsieve.information.protocol import PairInformation
from bitsieve.methods.by_counts.pairwise.matrices import conditional_matrix
from bitsieve.methods.by_counts.pairwise.spectral import rank_by_spectrum
from bitsieve.methods.by_counts.stopping.independence import MAX_SHUFFLED_CODES, affordable_shuffles

# The definition adds one term a cell, here at most some hundred terms of at most 1 bit, each right to a few 1e-16;
# the engine rounds its fixed-point terms at 2**-57 bit and divides once.
DEFINITION = 1e-13
# Both sides come from the engine: at most six numbers below 8 bits, each rounded to 2**-53 of itself, and terms that
# are off by half a unit, of which a bit has 2**56 or more.
IDENTITY = 1e-14


def everything(information, order=slice(None)):
    """All quantities as arrays [feature, pivot], in the given order of features."""
    places = np.arange(information.n_features)[order]
    pairs = [information.pair(int(pivot), places) for pivot in places]
    properties = {name for name, value in vars(PairInformation).items() if isinstance(value, property)}
    names = sorted(properties - {"information", "pivot"})
    assert len(names) == 7
    result = {name: np.column_stack([getattr(terms, name) for terms in pairs]) for name in names}
    result["entropy"] = information.entropy[places]
    result["relevance"] = information.relevance[places]
    result["class entropy"] = np.array([information.class_entropy])
    result["matrix"] = information.matrix("redundancy", columns=places)
    result["conditional matrix"] = information.matrix("conditional_relevance", columns=places)
    return result


def same_bits(a, b):
    assert a.keys() == b.keys()
    for name in a:
        assert a[name].tobytes() == b[name].tobytes(), name


tables = st.builds(
    lambda n_samples, n_features, n_codes, n_classes, seed: (n_samples, n_features, n_codes, n_classes, seed),
    st.integers(1, 90),
    st.integers(2, 6),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)


def build(make_table, table):
    n_samples, n_features, n_codes, n_classes, seed = table
    return make_table(n_samples, n_features, n_codes=n_codes, n_classes=n_classes, seed=seed)


@settings(deadline=None, max_examples=60)
@given(table=tables)
def test_every_quantity_by_its_definition(information_of, brute, make_table, table):
    codes, classes = build(make_table, table)
    information = information_of(codes, classes)
    n = codes.shape[1]
    assert abs(information.class_entropy - brute.entropy(classes)) <= DEFINITION
    for i in range(n):
        x = codes[:, i]
        assert abs(information.entropy[i] - brute.entropy(x)) <= DEFINITION
        assert abs(information.relevance[i] - brute.mutual_information(x, classes)) <= DEFINITION
    for s in (0, n - 1):
        terms, pivot = information.pair(s), codes[:, s]
        for i in range(n):
            x = codes[:, i]
            for got, expected in [
                (terms.redundancy, brute.mutual_information(x, pivot)),
                (terms.conditional_redundancy, brute.conditional_information(x, pivot, classes)),
                (terms.conditional_relevance, brute.conditional_information(x, classes, pivot)),
                (terms.joint_relevance, brute.joint_information(x, pivot, classes)),
                (terms.joint_entropy, brute.entropy(x, pivot, classes)),
            ]:
                assert abs(got[i] - expected) <= DEFINITION
            whole = brute.entropy(x, pivot, classes)
            share = brute.joint_information(x, pivot, classes) / whole if whole > 0 else 0.0
            # The roundings of both over a whole that is at least that of one sample apart among 90: 0.08 bit.
            assert abs(terms.symmetric_relevance[i] - share) <= 100 * DEFINITION


@settings(deadline=None, max_examples=60)
@given(table=tables)
def test_identities(information_of, make_table, table):
    codes, classes = build(make_table, table)
    information = information_of(codes, classes)
    rel, entropies = information.relevance, information.entropy
    for s in range(codes.shape[1]):
        terms = information.pair(s)
        red, redc = terms.redundancy, terms.conditional_redundancy
        relg, joint = terms.conditional_relevance, terms.joint_relevance
        assert np.abs(joint - (rel[s] + relg)).max() <= IDENTITY  # chain rule
        assert np.abs(relg - (rel - red + redc)).max() <= IDENTITY  # eq. 15
        assert np.abs((redc - red) - (joint - rel - rel[s])).max() <= IDENTITY  # interaction
        assert (
            np.abs(terms.joint_entropy - (entropies + entropies[s] - red + information.class_entropy - joint)).max()
            <= IDENTITY
        )
        for quantity in (red, redc, relg):
            assert quantity.min() >= -IDENTITY
        assert (red <= np.minimum(entropies, entropies[s]) + IDENTITY).all()
        assert (joint <= information.class_entropy + IDENTITY).all()
        assert (relg <= np.minimum(entropies, information.class_entropy) + IDENTITY).all()
        # A feature given itself: all of its information, and nothing more about the class.
        assert red[s] == entropies[s]
        assert relg[s] == 0
        assert joint[s] == rel[s]
    assert rel.min() >= -IDENTITY
    assert (rel <= np.minimum(entropies, information.class_entropy) + IDENTITY).all()


@settings(deadline=None, max_examples=60)
@given(table=tables, size=st.integers(1, 5))
def test_theorem_1(information_of, make_table, table, size):
    """Eq. 14: sum_s I(Xi;C|Xs) = #S I(Xi;C) - sum_s [I(Xi;Xs) - I(Xi;Xs|C)] for every set S."""
    codes, classes = build(make_table, table)
    information = information_of(codes, classes)
    chosen = [information.pair(s) for s in range(min(size, codes.shape[1]))]
    left = sum(terms.conditional_relevance for terms in chosen)
    right = len(chosen) * information.relevance - sum(t.redundancy - t.conditional_redundancy for t in chosen)
    assert np.abs(left - right).max() <= 5 * IDENTITY  # five times the sums of an identity


@settings(deadline=None, max_examples=60)
@given(table=tables)
def test_symmetry(information_of, make_table, table):
    """What is symmetric by definition is so to the last bit: it is one integer."""
    codes, classes = build(make_table, table)
    information = information_of(codes, classes)
    values = everything(information)
    for name in ("redundancy", "conditional_redundancy", "joint_relevance", "joint_entropy", "matrix"):
        assert (values[name] == values[name].T).all()
    interaction = values["conditional_redundancy"] - values["redundancy"]
    assert (interaction == interaction.T).all()
    mean = information.matrix("mean_relevance")
    whole = values["conditional matrix"]
    assert mean.tobytes() == ((whole + whole.T) * 0.5).tobytes()


@settings(deadline=None, max_examples=60)
@given(table=tables)
def test_matrices_hold_the_rows(information_of, make_table, table):
    codes, classes = build(make_table, table)
    information = information_of(codes, classes)
    values = everything(information)
    assert values["matrix"].tobytes() == values["redundancy"].tobytes()
    assert (np.diag(values["matrix"]) == information.entropy).all()
    off = ~np.eye(codes.shape[1], dtype=bool)
    assert (values["conditional matrix"][off] == values["conditional_relevance"][off]).all()  # [i, j] = I(Xi;C|Xj)
    assert (np.diag(values["conditional matrix"]) == information.relevance).all()


@settings(deadline=None, max_examples=60)
@given(table=tables, seed=st.integers(0, 2**32 - 1))
def test_order_of_rows_columns_and_codes_does_not_matter(information_of, make_table, table, seed):
    codes, classes = build(make_table, table)
    random = np.random.default_rng(seed)
    expected = everything(information_of(codes, classes))

    rows = random.permutation(len(codes))
    same_bits(everything(information_of(codes[rows], classes[rows])), expected)

    columns = random.permutation(codes.shape[1])
    same_bits(everything(information_of(codes[:, columns], classes), np.argsort(columns)), expected)

    relabelled = np.empty(codes.shape, np.uint16)
    for j in range(codes.shape[1]):
        relabelled[:, j] = random.permutation(400)[codes[:, j]]  # also with holes, and beyond the planes
    same_bits(everything(information_of(relabelled, classes)), expected)
    same_bits(everything(information_of(codes, random.permutation(9)[classes])), expected)


@settings(deadline=None, max_examples=60)
@given(table=tables)
def test_repeating_all_samples(information_of, make_table, table):
    """Frequencies stay, so does information; not to the last bit, as the unit of the fixed point changes with N."""
    codes, classes = build(make_table, table)
    once = everything(information_of(codes, classes))
    for times in (2, 3):
        again = everything(information_of(np.tile(codes, (times, 1)), np.tile(classes, times)))
        for name, values in once.items():
            assert np.abs(again[name] - values).max() <= IDENTITY, name


@settings(deadline=None, max_examples=60)
@given(table=tables)
def test_a_duplicated_column_has_the_numbers_of_its_duplicate(information_of, make_table, table):
    codes, classes = build(make_table, table)
    information = information_of(np.column_stack([codes, codes[:, 0]]), classes)
    duplicate = codes.shape[1]
    values = everything(information)
    for name, numbers in values.items():
        if name != "class entropy":
            assert numbers[0].tobytes() == numbers[duplicate].tobytes() or name == "conditional matrix", name
    whole = values["conditional matrix"]
    assert (whole[0, 1:duplicate] == whole[duplicate, 1:duplicate]).all()
    assert (whole[1:duplicate, 0] == whole[1:duplicate, duplicate]).all()
    assert whole[0, duplicate] == whole[duplicate, 0] == 0  # given its duplicate a feature tells nothing more


def test_independence_is_nothing(information_of):
    """All combinations of codes and classes equally often: 0 by integers, up to the rounding of the terms."""
    grid = np.array(np.meshgrid([0, 1], [0, 1, 2], range(5), [0, 1, 2])).reshape(4, -1).T
    information = information_of(grid[:, :3], grid[:, 3])
    values = everything(information)
    off = ~np.eye(3, dtype=bool)
    rounding = 2.0**-54  # cells' terms are off by half a unit each, here 90 cells and a bit of 2**55 units
    assert np.abs(values["redundancy"][off]).max() <= rounding
    assert np.abs(values["conditional_redundancy"][off]).max() <= rounding
    assert np.abs(values["conditional_relevance"]).max() <= rounding
    assert np.abs(values["relevance"]).max() <= rounding


def test_powers_of_two_are_exact(information_of):
    """Where all counts are powers of two, the integers are the true numbers."""
    a, b, c = (np.arange(8) >> k & 1 for k in range(3))
    information = information_of(np.column_stack([a, b, a ^ b, np.zeros(8, int)]), a ^ c)
    assert information.entropy.tolist() == [1, 1, 1, 0]
    assert information.relevance.tolist() == [0, 0, 0, 0]
    assert information.class_entropy == 1
    assert information.pair(2).redundancy.tolist() == [0, 0, 1, 0]
    assert information.varies.tolist() == [True, True, True, False]
    xor = information_of(np.column_stack([a, b]), a ^ b)
    assert xor.relevance.tolist() == [0, 0]
    assert xor.matrix("conditional_relevance").tolist() == [[0, 1], [1, 0]]
    assert xor.pair(0).joint_relevance.tolist() == [0, 1]


def example_1():
    """80 samples with the proportions of the example: S is one of 4 values, C = S > 2, G is C but for 5 in 100."""
    samples = [(s, int(s >= 2) ^ flip) for s in range(4) for flip in [0] * 19 + [1]]
    codes = np.array(samples)
    return codes, (codes[:, 0] >= 2).astype(int)


def test_example_1_of_the_paper(information_of):
    """Vinh et al. 2014, example 1: the printed digits."""
    codes, classes = example_1()
    information = information_of(codes, classes)
    about_s, about_g = information.pair(0), information.pair(1)
    assert [round(bits, 4) for bits in information.relevance.tolist()] == [1.0, 0.7136]
    assert round(float(about_s.redundancy[1]), 4) == 0.7136
    assert round(float(about_s.conditional_relevance[1]), 4) == 0.0  # I(G;C|S)
    assert round(float(about_g.conditional_relevance[0]), 4) == 0.2864  # I(S;C|G)
    weights = rank_by_spectrum(conditional_matrix(information)).weights
    assert [round(weight, 2) for weight in weights.tolist()] == [0.92, 0.38]
    # I(S;C|G) = I(S;C) - I(G;C) here, which makes the angle an eighth of a right one turned twice: 22.5 degrees. The
    # eigenvector is right to a few roundings.
    assert np.abs(weights - [cos(pi / 8), sin(pi / 8)]).max() <= 1e-14


def test_rows_are_kept_and_cheap_ones_do_not_answer_dear_questions(information_of, make_table, monkeypatch):
    codes, classes = make_table(100, 12, seed=1)
    information = information_of(codes, classes)
    calls = []
    count = information.sums.pair_sums
    monkeypatch.setattr(information.sums, "pair_sums", lambda *a: calls.append(a) or count(*a))
    information.relevance  # noqa: B018 - the first look counts the marginals
    assert len(calls) <= 1
    calls.clear()
    cheap = information.pair(3, by_class=False)
    assert cheap.redundancy.tobytes() == information.pair(3, by_class=False).redundancy.tobytes()
    assert len(calls) == 1
    with pytest.raises(TypeError, match="ask for it with by_class=True"):
        cheap.joint_relevance  # noqa: B018
    dear = information.pair(3)
    assert len(calls) == 2
    columns = np.array([7, 2])
    assert information.pair(3, columns).joint_relevance.tobytes() == dear.joint_relevance[columns].tobytes()
    assert information.pair(3, by_class=False).redundancy.tobytes() == dear.redundancy.tobytes()
    assert len(calls) == 2
    assert information.pair(5, columns).redundancy.tobytes() == information.pair(5).redundancy[columns].tobytes()
    assert len(calls) == 4  # a part of a row is not kept


@pytest.mark.parametrize("by_class", [False, True])
def test_pairs_that_were_counted_are_not_counted_again_for_a_matrix(information_of, make_table, monkeypatch, by_class):
    """Asked for in parts and in any order, they are recalled to the bit; one that is missing has all counted."""
    codes, classes = make_table(200, 12, seed=3)
    information, whole = information_of(codes, classes), information_of(codes, classes).matrix("redundancy")
    chosen = np.array([7, 2, 11, 0, 5])
    for place, pivot in enumerate(chosen.tolist()[:-1], 1):
        for some in (chosen[place:][::-2], np.array([1, 3]), chosen[place:]):
            if len(some):
                information.pair(pivot, some, by_class=by_class)
    expected = whole[np.ix_(chosen, chosen)].tobytes()
    for name in ("pair_sums", "matrix"):
        monkeypatch.setattr(information.sums, name, None)  # whatever counts pairs
    assert information.matrix("redundancy", columns=chosen).tobytes() == expected
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        information.matrix("redundancy", columns=np.array([7, 2, 6]))


def test_without_a_class(information_of, make_table):
    codes, _ = make_table(50, 4, seed=2)
    information = information_of(codes)
    assert information.class_entropy == 0
    assert information.relevance.tolist() == [0, 0, 0, 0]
    assert (information.pair(1).redundancy == information.pair(1).conditional_redundancy).all()


def test_matrix_of_conditional_redundancy(information_of, brute, make_table):
    codes, classes = make_table(120, 11, n_codes=4, n_classes=3, seed=2)
    codes[:, 4] = 1
    information = information_of(codes, classes)
    matrix = information.matrix("conditional_redundancy")
    for i in range(11):
        assert matrix[i].tobytes() == information.pair(i).conditional_redundancy.tobytes()
        for j in range(i):
            expected = brute.conditional_information(codes[:, i], codes[:, j], classes)
            assert abs(matrix[i, j] - expected) <= 1e-13  # logarithms of some 40 cells
    within = [brute.entropy(codes[:, i], classes) - brute.entropy(classes) for i in range(11)]
    assert np.abs(np.diag(matrix) - within).max() <= 1e-13
    places = np.array([1, 5, 8])
    assert (information.matrix("conditional_redundancy", columns=places) == matrix[np.ix_(places, places)]).all()
    single = information.matrix("conditional_redundancy", np.float32)
    assert (single == matrix.astype(np.float32)).all()


@pytest.mark.parametrize(
    "asked",
    [[], [(5, True)], [(5, True), (1, True)], [(5, True), (1, False)], [(1, False), (5, False)]],
    ids=["nothing", "one", "both", "one without the class", "none with the class"],
)
def test_information_given_pivots_is_that_of_pairs_whatever_was_asked_before(
    information_of, make_table, monkeypatch, asked
):
    table, pivots, columns = make_table(90, 8, n_classes=3, seed=5), np.array([5, 1]), np.array([7, 0, 5, 3])
    expected = [information_of(*table).pair(pivot, columns).conditional_relevance.tolist() for pivot in (5, 1)]
    information = information_of(*table)
    for pivot, by_class in asked:
        information.pair(pivot, by_class=by_class)
    if asked == [(5, True), (1, True)]:  # the rows are known
        monkeypatch.setattr(information.sums, "matrix_rows", None)
    assert information.conditional_rows(pivots, columns).tolist() == expected


def test_g_is_scipys():
    y = np.repeat([0, 1], 30)
    X = np.column_stack([np.tile(np.arange(3), 20), np.tile([0, 1, 1, 1, 0], 12), y])
    conditional = make_information("plug-in", PackedSource(X.astype(np.uint16), y)).conditional()
    g = conditional.test_statistics(np.arange(3))
    assert g[0] == pytest.approx(0, abs=1e-9)  # of columns that are independent
    for j in range(3):
        table = np.array([np.bincount(X[y == label, j], minlength=X[:, j].max() + 1) for label in (0, 1)])
        expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
        assert g[j] == pytest.approx(expected, abs=1e-9)  # a sum of logarithms, of about 83 at most


def test_a_shuffle_of_a_column_shuffles_a_code_of_each_sample():
    X = np.zeros((50, 1), np.uint16)
    conditional = make_information("plug-in", PackedSource(X, np.arange(50) % 2)).conditional()
    assert affordable_shuffles(conditional) == MAX_SHUFFLED_CODES // 50
