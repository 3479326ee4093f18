"""Miller-Madow and shrinkage: against direct computation from tables, their bounds, their bias, and equal bits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import partial
from math import fsum, log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sparse_codes import sparse_codes

from bitsieve.counts.kernels import available_kernels
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.source import sums_of
from bitsieve.counts.sparse import SparseSource
from bitsieve.counts.tables import EntropyTerms
from bitsieve.information import (
    ESTIMATORS,
    ESTIMATORS_OF_EFFECT,
    SURVIVAL_ESTIMATORS,
    UndefinedQuantityError,
    check_estimator,
    make_information,
)
from bitsieve.information import shrinkage as shrunk_rows
from bitsieve.information.plug_in import miller_madow_terms
from bitsieve.information.shrinkage import shrunk_entropy, uniform_weight

# A quantity is a sum of at most four entropies below 20 bits, right to some 1e-15; the weight of a shrunk table is a
# sum of squares over as many as 10^5 cells here, each rounded, and moves an entropy by some bits.
DEFINITION = 1e-11
NAMES = ("redundancy", "conditional_redundancy", "conditional_relevance", "joint_relevance", "joint_entropy")


def contingency(*columns):
    table = np.zeros([int(column.max()) + 1 for column in columns], np.int64)
    np.add.at(table, columns, 1)
    return table


def plug_in_entropy(shares):
    present = shares[shares > 0]
    return -fsum(present * np.log2(present))


def miller_madow_entropy(table, keep):
    margin = table.sum(axis=tuple(a for a in range(table.ndim) if a not in keep))
    n = margin.sum()
    return plug_in_entropy(margin / n) + ((margin > 0).sum() - 1) / (2 * n * log(2))


def shrink(table):
    """The shrunk shares of a whole table, by the letter of the definition."""
    n = table.sum()
    shares, target = table / n, 1 / table.size
    spread = (n - 1) * ((target - shares) ** 2).sum()
    weight = 1.0 if spread < 1e-15 else min(1.0, (1 - (shares**2).sum()) / spread)
    return weight * target + (1 - weight) * shares


def shrunk_table_entropy(table, keep):
    shares = shrink(table)
    return plug_in_entropy(shares.sum(axis=tuple(a for a in range(table.ndim) if a not in keep)))


ENTROPIES = {"miller-madow": miller_madow_entropy, "shrinkage": shrunk_table_entropy}


def expected(estimator, x, s, c):
    """The five terms of feature x with pivot s and class c, by the formulas in entropies of one table each."""
    h = partial(ENTROPIES[estimator], contingency(x, s, c))
    pair = partial(ENTROPIES[estimator], contingency(x, s))
    return {
        "redundancy": pair([0]) + pair([1]) - pair([0, 1]),
        "conditional_redundancy": h([0, 2]) + h([1, 2]) - h([0, 1, 2]) - h([2]),
        "conditional_relevance": h([0, 1]) + h([1, 2]) - h([0, 1, 2]) - h([1]),
        "joint_relevance": h([0, 1]) + h([2]) - h([0, 1, 2]),
        "joint_entropy": h([0, 1, 2]),
    }


def mixed_table(n_samples=250, n_classes=3, seed=0):
    """Columns of 1 to many codes, all of which occur, some that follow the class, and the class."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, n_classes, n_samples)
    columns = [random.integers(0, m, n_samples) for m in (2, 3, 1, 5, 70, 9, 3, 200, 2)]
    columns += [np.where(random.random(n_samples) < 0.7, classes, column % 3) for column in columns[:3]]
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns])
    return codes, np.unique(classes, return_inverse=True)[1]


@pytest.mark.each_value
@pytest.mark.parametrize("estimator", list(ENTROPIES))
@pytest.mark.parametrize("shape", [(250, 3), (40, 2), (3, 2), (400, 150)])
def test_terms_by_direct_computation(information_of, estimator, shape):
    codes, classes = mixed_table(*shape)
    information = information_of(codes, classes, estimator=estimator)
    matrix = information.matrix("redundancy")
    conditional = information.matrix("conditional_relevance")
    columns = [x for x in range(codes.shape[1]) if (codes[:, x].max() + 1) ** 2 * shape[1] <= 150_000]
    assert len(columns) >= 7
    for s in columns:
        terms = information.pair(s)
        for x in columns:
            wanted = expected(estimator, codes[:, x], codes[:, s], classes)
            found = {name: getattr(terms, name)[x] for name in NAMES}
            assert found == pytest.approx(wanted, abs=DEFINITION)
            if x != s:
                assert matrix[x, s] == pytest.approx(wanted["redundancy"], abs=DEFINITION)
                assert conditional[x, s] == pytest.approx(wanted["conditional_relevance"], abs=DEFINITION)


@pytest.mark.parametrize("estimator", list(ENTROPIES))
def test_single_columns_by_direct_computation(information_of, estimator):
    codes, classes = mixed_table()
    information = information_of(codes, classes, estimator=estimator)
    entropy = ENTROPIES[estimator]
    for x in range(codes.shape[1]):
        with_class = partial(entropy, contingency(codes[:, x], classes))
        relevance = with_class([0]) + with_class([1]) - with_class([0, 1])
        assert information.entropy[x] == pytest.approx(entropy(contingency(codes[:, x]), [0]), abs=DEFINITION)
        assert information.relevance[x] == pytest.approx(relevance, abs=DEFINITION)
    assert information.class_entropy == pytest.approx(entropy(contingency(classes), [0]), abs=DEFINITION)
    assert np.array_equal(np.diag(information.matrix("redundancy")), information.entropy)
    assert np.array_equal(np.diag(information.matrix("conditional_relevance")), information.relevance)
    assert information.varies.tolist() == (codes.max(axis=0) > 0).tolist()


@pytest.mark.parametrize("classes", [ESTIMATORS, SURVIVAL_ESTIMATORS, *ESTIMATORS_OF_EFFECT.values()])
def test_an_estimator_is_listed_by_its_name(classes):
    assert [kind.estimator for kind in classes.values()] == list(classes)


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_same_bits_for_kernels_threads_and_parts(estimator, monkeypatch):
    codes, classes = mixed_table(seed=5)
    columns = np.array([7, 0, 4, 9])
    results = set()
    for kernel in available_kernels():
        for n_jobs, cells in ((1, 1 << 17), (3, 1 << 17), (2, 500)):
            monkeypatch.setattr(shrunk_rows, "BLOCK_CELLS", cells)
            information = make_information(estimator, PackedSource(codes, classes, kernel=kernel, n_jobs=n_jobs))
            parts = [information.entropy, information.relevance, information.matrix("redundancy")]
            parts.append(information.matrix("mean_relevance"))
            for pivot in (0, 4, 7):
                some = make_information(estimator, information.source).pair(pivot, columns)
                terms = information.pair(pivot)
                alone = information.pair(pivot, columns, by_class=False)
                assert np.array_equal(some.redundancy, alone.redundancy)
                for name in NAMES:
                    assert np.array_equal(getattr(some, name), getattr(terms, name)[columns])
                    parts.append(getattr(terms, name))
            results.add(b"".join(part.tobytes() for part in parts))
    assert len(results) == 1


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_matrices_of_some_columns(information_of, estimator):
    codes, classes = mixed_table(seed=2)
    information = information_of(codes, classes, estimator=estimator)
    columns = np.array([8, 1, 4])
    square = np.ix_(columns, columns)
    conditional = information.matrix("conditional_relevance", columns=columns)
    # The sums of a pair do not know which of the two is the pivot, but four floats are added in another order.
    assert conditional == pytest.approx(information.matrix("conditional_relevance")[square], abs=1e-13)
    assert np.array_equal(
        information.matrix("mean_relevance", columns=columns),
        (conditional + conditional.T) / 2,
    )
    single = information.matrix("redundancy", np.float32, columns)
    assert single.dtype == np.float32
    assert single == pytest.approx(information.matrix("redundancy")[square], rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_shrinkage_stays_within_its_bounds(information_of, n_samples, n_x, n_s, n_classes, seed):
    """0 <= I <= min(H) for every quantity, all of the one shrunk table that the quantity is of."""
    random = np.random.default_rng(seed)
    raw = [(random.random(n_samples) ** 3 * m).astype(int) for m in (n_x, n_s, n_classes)]
    x, s, c = (np.unique(column, return_inverse=True)[1] for column in raw)
    information = information_of(np.column_stack([x, s]), c, estimator="shrinkage")
    terms = information.pair(1, np.array([0]))
    h = partial(shrunk_table_entropy, contingency(x, s, c))
    pair = partial(shrunk_table_entropy, contingency(x, s))
    with_class = partial(shrunk_table_entropy, contingency(x, c))
    bounds = [
        (terms.redundancy[0], pair([0]), pair([1])),
        (information.relevance[0], with_class([0]), with_class([1])),
        (terms.conditional_redundancy[0], h([0, 2]) - h([2]), h([1, 2]) - h([2])),
        (terms.conditional_relevance[0], h([0, 1]) - h([1]), h([1, 2]) - h([1])),
        (terms.joint_relevance[0], h([0, 1]), h([2])),
    ]
    for value, *limits in bounds:
        assert -DEFINITION <= value <= min(limits) + DEFINITION
    assert 0 <= information.entropy[0] <= log2(max(x) + 1) + DEFINITION


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=40).filter(any), st.integers(0, 5))
def test_shrunk_entropy_without_weight_is_plug_in(counts, n_zeros):
    """With lambda = 0, the limit of many samples, the shrunk table is the table itself."""
    table = np.array([counts + [0] * n_zeros])
    n = int(table.sum())
    found = shrunk_entropy(table, table.size, np.zeros(1), n)[0]
    assert found == pytest.approx(plug_in_entropy(table / n), abs=DEFINITION)


def test_weight_vanishes_with_many_samples(source):
    codes, classes = mixed_table(n_samples=300)
    estimates = []
    for times in (1, 30, 1000):
        repeated = source(codes, classes, weights=np.full(len(codes), times))
        shrunk, plain = (make_information(name, repeated) for name in ("shrinkage", "plug-in"))
        estimates.append(np.abs(shrunk.relevance - plain.relevance).max())
    assert estimates[0] > 5 * estimates[1] > 50 * estimates[2]


def test_weights_of_special_tables():
    one_cell, uniform, one_of_four = (np.array([row]) for row in ([7, 0], [5, 5], [9, 0, 0, 0]))
    assert uniform_weight(one_cell, 1, 7).tolist() == [1.0]  # one cell: the uniform table is the table
    assert uniform_weight(uniform, 2, 10).tolist() == [1.0]
    assert uniform_weight(one_of_four, 4, 9).tolist() == [0.0]  # no variance: nothing to gain
    assert uniform_weight(np.array([[1, 0]]), 2, 1).tolist() == [1.0]  # one sample tells nothing
    assert uniform_weight(np.array([[1 << 30, 1 << 30, 0]]), 3, 1 << 31)[0] < 1e-8
    assert shrunk_entropy(one_of_four, 4, np.ones(1), 9).tolist() == [2.0]


def test_zeros_and_order_do_not_change_a_bit():
    random = np.random.default_rng(3)
    counts = random.integers(0, 9, (20, 30))
    padded = np.hstack([counts[:, ::-1], np.zeros((20, 11), np.int64)])
    n = 500
    weight = uniform_weight(counts, 64, n)
    assert np.array_equal(weight, uniform_weight(padded, 64, n))
    assert np.array_equal(shrunk_entropy(counts, 64, weight, n), shrunk_entropy(padded, 64, weight, n))


def test_corrections_lower_the_bias(source):
    """Of independent columns the plug-in information is too large; Miller-Madow centres it on 0."""
    means = {name: [] for name in ESTIMATORS}
    for seed in range(20):
        random = np.random.default_rng(seed)
        counts = source(random.integers(0, 6, (200, 12)), random.integers(0, 4, 200))
        for name, values in means.items():
            information = make_information(name, counts)
            values.append(float(information.relevance.mean()))
    bias = {name: float(np.mean(values)) for name, values in means.items()}
    assert bias["plug-in"] > 0.04  # about (6 - 1) (4 - 1) / (2 * 200 ln 2) = 0.054 bits
    assert abs(bias["miller-madow"]) < 0.1 * bias["plug-in"]
    assert 0 <= bias["shrinkage"] < 0.1 * bias["plug-in"]
    assert abs(bias["corrected"]) < 0.07 * bias["plug-in"]  # three standard errors of 0.0013 bits, of 240 columns


def test_miller_madow_may_be_negative(information_of):
    codes, classes = mixed_table(n_samples=60, seed=1)
    information = information_of(codes, classes, estimator="miller-madow")
    assert information.relevance.min() < -0.005
    assert information.pair(3).redundancy.min() < -0.005


def test_miller_madow_given_several_features(information_of):
    """I(Xi;C|Z) of corrected entropies, Z two features known together; samples alone in their stratum included."""
    codes, classes = mixed_table(n_samples=90, seed=4)
    information = information_of(codes, classes, estimator="miller-madow")
    found = information.conditional().refine(1).refine(3).conditional_relevance()
    for x in (0, 5, 8, 10):
        h = partial(miller_madow_entropy, contingency(codes[:, x], classes, codes[:, 1], codes[:, 3]))
        wanted = h([0, 2, 3]) + h([1, 2, 3]) - h([0, 1, 2, 3]) - h([2, 3])
        assert found[x] == pytest.approx(wanted, abs=DEFINITION)


def test_miller_madow_terms_beyond_the_table(source):
    """Where counts pass the table of terms, the price of a cell is still taken off."""
    codes = np.repeat(np.array([[0], [1], [2]]), [300, 200, 100], axis=0)
    counts = source(codes)
    whole = miller_madow_terms(600)
    short = EntropyTerms(600, whole.shift, whole.table[:50].copy())
    assert sums_of(counts).marginal_sums(short)[0].tolist() == sums_of(counts).marginal_sums(whole)[0].tolist()
    assert short.sum(np.array([300, 200, 100])) == whole.sum(np.array([300, 200, 100]))


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_copies_and_renamed_codes_tie(information_of, estimator):
    random = np.random.default_rng(8)
    column, classes = random.integers(0, 5, 90), random.integers(0, 3, 90)
    renamed = np.array([3, 0, 4, 2, 1])[column]
    information = information_of(np.column_stack([column, renamed, column]), classes, estimator=estimator)
    assert len(set(information.relevance.tolist())) == 1
    assert len(set(information.pair(0).joint_relevance.tolist())) == 1


def test_terms_counted_without_the_class_say_so(information_of):
    codes, classes = mixed_table(n_samples=50)
    terms = information_of(codes, classes, estimator="shrinkage").pair(0, by_class=False)
    with pytest.raises(TypeError, match="by_class=True"):
        terms.joint_relevance  # noqa: B018


def test_unknown_estimator(information_of):
    with pytest.raises(ValueError, match="estimator='miller' is not known: did you mean miller-madow"):
        make_information("miller", PackedSource([[0], [1]]))
    with pytest.raises(ValueError, match="estimator=3 is not known: choose one of plug-in, corrected,"):
        check_estimator(3)
    check_estimator("of another kind", also=["of another kind"])


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_what_conditions_on_sets_is_no_name_alone(estimator):
    """An estimator without it is refused where sets are conditioned on, and the others are named."""
    check_estimator(estimator)
    if ESTIMATORS[estimator].conditions_on_sets:
        check_estimator(estimator, conditions_on_sets=True)
        return
    able = " or ".join(repr(name) for name, kind in ESTIMATORS.items() if kind.conditions_on_sets)
    with pytest.raises(UndefinedQuantityError, match=f"estimator='{estimator}' .* conditions on more: use {able}$"):
        check_estimator(estimator, conditions_on_sets=True)


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_constants_tell_nothing_of_a_constant_class(information_of, estimator):
    information = information_of(np.zeros((9, 2), np.uint8), np.zeros(9, int), estimator=estimator)
    terms = information.pair(0)
    for name in (*NAMES, "symmetric_relevance"):
        assert getattr(terms, name).tolist() == [0, 0]


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_some_columns_are_those_of_all_whatever_was_asked_before(information_of, estimator):
    codes, classes = mixed_table(60, 2)
    columns = np.array([5, 0, 3])
    whole = information_of(codes, classes, estimator=estimator).pair(1)
    asked_before = information_of(codes, classes, estimator=estimator)
    for _ in range(2):
        for some in (columns, None):
            pooled = asked_before.pair(1, some, by_class=False).redundancy
            found = asked_before.pair(1, some)
            chosen = slice(None) if some is None else some
            assert pooled.tobytes() == whole.redundancy[chosen].tobytes()
            for name in NAMES:
                assert getattr(found, name).tobytes() == getattr(whole, name)[chosen].tobytes()


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_both_directions_of_a_pair_are_those_of_the_matrix(information_of, estimator):
    random = np.random.default_rng(5)
    codes, classes = random.integers(0, 4, (60, 6)), random.integers(0, 3, 60)
    information = information_of(codes, classes, estimator=estimator)
    matrix = information.matrix("conditional_relevance")  # [i, j] = I(Xi;C|Xj)
    columns = np.array([0, 2, 5])
    pair = information.pair(3, columns)
    assert (pair.conditional_relevance == matrix[columns, 3]).all()
    assert (pair.pivot_relevance() == matrix[3, columns]).all()
    rows = np.empty((2, 3))
    information.symmetric_conditional_rows(np.array([3, 1]), columns, rows)
    mean = information.matrix("mean_relevance")
    assert (rows == mean[np.ix_([3, 1], columns)]).all()


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_symmetric_relevance_is_a_share_of_the_joint_entropy(information_of, estimator):
    terms = information_of(*mixed_table(80, 4), estimator=estimator).pair(2)
    assert terms.joint_entropy.min() > 0
    # one division, of the same numbers but for their rounding
    np.testing.assert_allclose(terms.symmetric_relevance, terms.joint_relevance / terms.joint_entropy, rtol=1e-12)


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_rows_that_are_not_kept_are_counted_again(information_of, estimator):
    codes, classes = mixed_table(60, 3)
    kept, dropped = (information_of(codes, classes, estimator=estimator) for _ in range(2))
    for limit in ("_row_limit", "_max_cached_rows"):
        if hasattr(dropped, limit):
            setattr(dropped, limit, 0)
    for pivot in (0, 2, 0):
        for by_class in (False, True):
            mine, theirs = (each.pair(pivot, by_class=by_class).redundancy for each in (dropped, kept))
            assert mine.tobytes() == theirs.tobytes()


def test_minima_of_other_quantities_are_not_kept():
    codes, classes = mixed_table(60, 3)
    assert make_information("plug-in", PackedSource(codes, classes)).minima("redundancy", capped=True) is None


def test_columns_of_disjoint_support_share_what_their_sizes_give():
    """Two columns that are never both beside their most frequent code: the support is known of sparse sources."""
    codes = np.zeros((40, 4), np.uint8)
    codes[:5, 0], codes[5:12, 1], codes[3:9, 2], codes[30:, 3] = 1, 1, 2, 1
    classes = np.arange(40) % 2
    known = make_information("plug-in", SparseSource(sparse_codes(codes), classes)).disjoint_pairs()
    assert make_information("plug-in", NaiveSource(codes, classes)).disjoint_pairs() is None
    redundancy = make_information("plug-in", NaiveSource(codes, classes)).pair(0, by_class=False).redundancy
    columns, pair = known.co_occurring(0, 10**6)
    assert 2 in columns.tolist()
    assert pair.redundancy.tobytes() == redundancy[columns].tobytes()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_entropies_within_the_classes_are_the_diagonal(information_of, brute, estimator):
    codes, classes = mixed_table(120, 3)
    information = information_of(codes, classes, estimator=estimator)
    found = information.entropy_by_class
    assert np.diag(information.matrix("conditional_redundancy")).tolist() == found.tolist()
    if estimator in ENTROPIES:
        of = [partial(ENTROPIES[estimator], contingency(column, classes)) for column in codes.T]
        expected = [entropy([0, 1]) - entropy([1]) for entropy in of]
    else:
        expected = [brute.entropy(column, classes) - brute.entropy(classes) for column in codes.T]
    assert found == pytest.approx(expected, abs=DEFINITION)


@pytest.mark.parametrize("k", range(14, 41))
def test_terms_of_shrunk_entropies_are_rounded_to_half_a_unit(k):
    """Of one sample among 2**k the term is exact, that of the others off by 2**-57 bits at most, and a little."""
    n = 2**k
    (found,) = shrunk_entropy(np.array([[n - 1, 1]]), 2, np.zeros(1), n)
    with localcontext() as context:
        context.prec = 50
        share = Decimal(n - 1) / n
        exact = Decimal(k) / n - share * share.ln() / Decimal(2).ln()
        assert abs(Decimal(float(found)) - exact) <= Decimal(2) ** -57 * Decimal("1.05")  # floats below 2**-9


def test_shrunk_rows_are_kept_as_many_as_fit(information_of, monkeypatch):
    information = information_of(*mixed_table(80, 2), estimator="shrinkage")
    information._max_cached_rows = 2
    made, row = [], information._row
    monkeypatch.setattr(information, "_row", lambda pivot, *rest: made.append(pivot) or row(pivot, *rest))
    for pivot in (4, 1, 3):
        first, again = (information.pair(pivot).redundancy.tolist() for _ in range(2))
        assert first == again
    assert made == [4, 1, 3, 3]
    assert (
        information.pair(1, np.array([2, 0])).joint_entropy.tolist()
        == information.pair(1).joint_entropy[[2, 0]].tolist()
    )
    assert made == [4, 1, 3, 3]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_rows_of_the_symmetric_matrix_are_those_of_the_whole(information_of, estimator):
    information = information_of(*mixed_table(90, 2), estimator=estimator)
    pivots, columns, out = np.array([5, 0]), np.array([1, 5, 8, 3]), np.empty((2, 4))
    information.symmetric_conditional_rows(pivots, columns, out)
    assert out.tolist() == information.matrix("mean_relevance")[np.ix_(pivots, columns)].tolist()
