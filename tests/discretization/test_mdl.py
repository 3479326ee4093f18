"""MDL against its definition in 50-digit decimals, and against cuts worked by hand."""

from decimal import Decimal, getcontext
from itertools import pairwise
from math import comb, log

import numpy as np
import pytest

from bitsieve import _native
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.mdl import log_codings
from bitsieve.discretization.transformers import MDLBinner

getcontext().prec = 50
_LN2 = Decimal(2).ln()


def log2(x):
    return Decimal(x).ln() / _LN2


def entropy(classes):
    n = len(classes)
    counts = [classes.count(c) for c in set(classes)]
    return sum((Decimal(c) / n * log2(Decimal(n) / c) for c in counts), Decimal(0))


def reference(values, classes):
    """The accepted cuts by the definition, every candidate from scratch."""
    pairs = sorted(zip(values, classes, strict=True))
    distinct = sorted(set(values))
    n = len(pairs)
    candidates = []
    for low, high in pairwise(distinct):
        if len({c for v, c in pairs if v in (low, high)}) == 1:
            continue
        left = [c for v, c in pairs if v <= low]
        right = [c for v, c in pairs if v >= high]
        mean = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        candidates.append((mean, low, high, left, right))
    if not candidates:
        return []
    least = min(c[0] for c in candidates)
    mean, low, high, left, right = next(c for c in candidates if c[0] <= least + Decimal("1e-12"))
    everything = left + right
    k, k1, k2 = (len(set(part)) for part in (everything, left, right))
    delta = log2(3**k - 2) - (k * entropy(everything) - k1 * entropy(left) - k2 * entropy(right))
    # 1e-40: an exact tie in 50 digits, which is no gain
    if not entropy(everything) - mean - (log2(n - 1) + delta) / n > Decimal("1e-40"):
        return []
    below = [(v, c) for v, c in pairs if v <= low]
    above = [(v, c) for v, c in pairs if v >= high]
    return [*reference(*zip(*below, strict=True)), (low + high) / 2, *reference(*zip(*above, strict=True))]


def native_cuts(columns, classes, n_classes, terms, weights=None):
    found, ends = _native.mdl_cuts(columns, np.atleast_2d(classes), n_classes, terms.table, terms.shift, weights)
    return [some.tolist() for some in np.split(found, ends[:-1])]


def cuts(values, classes, n_classes=None):
    """Of whole numbers, which are counted, and of the same numbers with a fraction, which are sorted."""
    values, classes = np.asarray(values, float), np.asarray(classes, np.int32)
    if not len(values):
        values, classes = np.array([np.nan]), np.zeros(1, np.int32)
    terms = make_entropy_terms(len(values))
    n_classes = n_classes or int(classes.max()) + 1
    columns = np.stack([values, values / 1024], axis=1)
    found, of_fractions = native_cuts(columns, classes, n_classes, terms)
    assert found == [1024 * cut for cut in of_fractions]
    return found


@pytest.mark.parametrize("seed", range(60))
def test_definition_on_small_problems(seed):
    rng = np.random.default_rng(seed)
    n, k, span = int(rng.integers(2, 45)), int(rng.integers(2, 6)), int(rng.integers(2, 40))
    classes = rng.integers(0, k, n)
    values = rng.integers(0, span, n) + rng.integers(0, 3) * classes * span // 4  # many equal values
    assert cuts(values, classes, k) == reference(values.tolist(), classes.tolist())


@pytest.mark.parametrize("seed", range(20))
def test_definition_where_many_cuts_tie(seed):
    rng = np.random.default_rng(seed)
    block = rng.integers(0, 2, 6).tolist()
    classes = block + block[::-1] + block + block[::-1]  # mirrored: every cut has a twin of equal entropy
    values = list(range(len(classes)))
    assert cuts(values, classes) == reference(values, classes)


@pytest.mark.parametrize(
    ("values", "classes", "expected"),
    [
        # two pure halves: Ent(S) = 1, E = 0; the price is (log2 5 + log2 7 - 2)/6 = 0.52
        ([1, 2, 3, 10, 11, 12], [0, 0, 0, 1, 1, 1], [6.5]),
        # two samples: gain 1, price (log2 1 + log2 7 - 2)/2 = 0.40
        ([0, 1], [0, 1], [0.5]),
        # a b a: the cuts tie at E = 2/3; the gain 0.918 - 0.667 is below (log2 2 + log2 7 - [2 0.918 - 2])/3 = 1.32
        ([0, 1, 2], [0, 1, 0], []),
        # three pure groups of four, E equal for both cuts: the smaller is taken first, then the other
        (range(12), [0] * 4 + [1] * 4 + [2] * 4, [3.5, 7.5]),
        # one class, one value, one sample, none
        ([1, 2, 3], [0, 0, 0], []),
        ([5, 5, 5, 5], [0, 1, 0, 1], []),
        ([5], [0], []),
        ([], [], []),
    ],
)
def test_worked_by_hand(values, classes, expected):
    assert cuts(list(values), classes) == expected


def test_two_equal_cuts_are_both_found():
    # 40 a, 40 b, 40 a: both cuts have the same entropy by symmetry; the smaller is taken, the other found in the rest
    classes = [0] * 40 + [1] * 40 + [0] * 40
    assert cuts(range(120), classes) == [39.5, 79.5] == reference(list(range(120)), classes)


def test_more_than_forty_classes():
    rng = np.random.default_rng(3)
    classes = np.repeat(np.arange(45), 3)
    values = classes // 9 + 0.01 * rng.integers(0, 9, len(classes))
    assert cuts(values, classes) == reference(values.tolist(), classes.tolist())


def test_adjacent_floats_and_the_largest_ones():
    one, above = 1.0, np.nextafter(1.0, 2.0)
    (cut,) = cuts([one, one, above, above], [0, 0, 1, 1])
    assert one <= cut < above
    largest = np.finfo(float).max
    (cut,) = cuts([largest / 2] * 3 + [largest] * 3, [0] * 3 + [1] * 3)
    assert largest / 2 < cut < largest


def test_terms_beyond_the_table_give_the_same_cuts():
    rng = np.random.default_rng(0)
    values = np.sort(rng.normal(size=2000))
    classes = (rng.random(2000) < 1 / (1 + np.exp(-3 * values))).astype(np.int32)
    whole, short = make_entropy_terms(2000), make_entropy_terms(2000, limit=50)
    found = [native_cuts(values[:, None], classes, 2, terms)[0] for terms in (whole, short)]
    assert found[0] == found[1] != []


def test_deep_recursion_has_no_stack_to_overflow():
    n = 20_000
    classes = np.arange(n) // 4  # every group of four its own class: thousands of nested cuts
    found = cuts(np.arange(n), classes)
    assert found == (np.arange(4, n, 4) - 0.5).tolist()


def _bell(rng, n):
    return rng.normal(size=n)


LONG = {  # of which few values, or most, are told apart by buckets of one width
    "bell": _bell,
    "few values": lambda rng, n: _bell(rng, n).round(1) / 3,
    "zeros": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, _bell(rng, n)) * rng.choice([-1, 1], n),
    "skewed": lambda rng, n: np.exp(6 * _bell(rng, n)),
    "powers": lambda rng, n: np.exp2(np.round(100 * _bell(rng, n))),
    "outliers": lambda rng, n: np.append(_bell(rng, n - 2), [-1.7e308, 1.7e308]),
    "tiny": lambda rng, n: rng.integers(0, 50, n) * 5e-324,
    "neighbours": lambda rng, n: np.nextafter(1.0, 2.0) + rng.integers(0, 999, n) * np.finfo(float).eps,
    "sorted": lambda rng, n: np.sort(_bell(rng, n)),
    "mostly the least": lambda rng, n: np.maximum(_bell(rng, n), 1) ** 9,
    "mostly zeros of both signs": lambda rng, n: np.where(
        rng.random(n) < 0.1, rng.random(n), rng.choice([-0.0, 0.0], n)
    ),
    "two values": lambda rng, n: rng.random(n) < 0.1,
    "one value": lambda rng, n: np.full(n, 0.5),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", LONG)
def test_long_columns_have_the_cuts_of_their_sorted_values(kind, weighted):
    # those of sparse columns are found by sorting all that is stored
    rng = np.random.default_rng(len(kind))
    n, k = 5000, 3
    values = np.asarray(LONG[kind](rng, n), float)
    rank = values.argsort(kind="stable").argsort() * 8 // n
    columns = []
    for classes in (rng.integers(0, k, n), np.where(rng.random(n) < 0.3, rng.integers(0, k, n), rank % k), rank % k):
        weights = rng.integers(1, 4, n) if weighted else None
        terms = make_entropy_terms(n if weights is None else int(weights.sum()))
        classes = classes.astype(np.int32)
        (found,) = native_cuts(values[:, None], classes, k, terms, weights)
        start, row = np.array([0, n]), np.arange(n, dtype=np.int32)
        expected, _ = _native.stored_mdl_cuts(start, row, values, 0, 1, classes, k, terms.table, terms.shift, weights)
        assert found == expected.tolist()
        columns.append(found)
    assert kind == "one value" or any(columns)


def test_long_columns_of_many_classes_and_missing_values():
    rng = np.random.default_rng(5)
    values, n = rng.normal(size=6000), 6000
    classes = (np.clip(values, -2, 2) * 5 + 10 + rng.random(n)).astype(np.int32)
    values[::7] = np.nan
    there = ~np.isnan(values)
    terms = make_entropy_terms(int(there.sum()))
    one_class, two_values = np.zeros(n, np.int32), np.where(rng.random(n) < 0.999, np.nan, 0.25)
    columns = (values, np.maximum(values, 0.5), two_values, values * 0 + 1.5)
    for labels, column in ((one_class, values), *((classes, column) for column in columns)):
        there = ~np.isnan(column)
        start, row = np.array([0, there.sum()]), np.flatnonzero(there).astype(np.int32)
        given = (labels, 24, terms.table, terms.shift, None)
        expected, _ = _native.stored_mdl_cuts(start, row, column[there], 0, 1, *given)
        assert native_cuts(column[:, None], labels, 24, terms)[0] == expected.tolist()


def test_long_columns_of_several_types_are_cut_alike():
    rng = np.random.default_rng(6)
    values = rng.integers(-(2**23), 2**23, 4000)
    classes = (np.abs(values) < 2**21).astype(np.int32)
    terms = make_entropy_terms(4000)
    found = [native_cuts(values.astype(kind)[:, None], classes, 2, terms)[0] for kind in ("i4", "i8", "f4", "f8")]
    assert found[0] == found[1] == found[2] == found[3] != []


def test_order_of_samples_and_labels_of_classes_do_not_matter():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 5)).round(1)
    y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    shuffle = rng.permutation(200)
    edges = MDLBinner().fit(X, y).bin_edges_
    again = MDLBinner().fit(X[shuffle], np.array(["z", "a", "m"])[y[shuffle]]).bin_edges_
    for one, other in zip(edges, again, strict=True):
        assert one.tolist() == other.tolist()


def test_uncut_columns_are_left_whole_or_cut_at_the_median():
    y = [0, 1, 0, 1, 0, 1]
    X = np.array([[4, 3, 6, 1, 2, 5], [7, 7, 7, 7, 7, 7], [1, 2, 2, 2, 2, 2], [1, 1, 1, 9, 1, 1]], float).T
    whole = MDLBinner().fit(X, y)
    assert whole.uncut_.tolist() == [0, 1, 2, 3]
    assert whole.n_bins_.tolist() == [1, 1, 1, 1]
    assert not whole.transform(X).any()
    halves = MDLBinner(uncut="median").fit(X, y)
    assert halves.uncut_.tolist() == [0, 1, 2, 3]
    # the lower median of 1..6 is 3; a median that is the maximum leaves nothing above it
    assert [edges.tolist() for edges in halves.bin_edges_] == [[3.0], [], [], [1.0]]
    assert halves.n_bins_.tolist() == [2, 1, 1, 2]
    assert halves.transform(X)[:, 0].tolist() == [1, 0, 1, 0, 0, 1]


def test_a_value_on_a_cut_goes_left():
    binner = MDLBinner().fit([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], [0, 0, 0, 1, 1, 1])
    assert binner.transform([[6.5], [np.nextafter(6.5, 7)], [-1e9], [1e9]]).ravel().tolist() == [0, 1, 0, 1]


def test_missing_values_take_no_part_in_cutting():
    X = np.array([[1.0, np.nan, 2, 3, 10, np.nan, 11, 12]]).T
    y = [0, 1, 0, 0, 1, 0, 1, 1]
    binner = MDLBinner(missing="bin").fit(X, y)
    assert binner.bin_edges_[0].tolist() == [6.5]
    assert binner.n_bins_.tolist() == [3]
    assert binner.transform(X).ravel().tolist() == [0, 2, 0, 0, 1, 2, 1, 1]


@pytest.mark.parametrize("n_jobs", [2, 7, -1])
def test_threads_change_nothing(n_jobs):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40))
    y = (X[:, :3].sum(axis=1) > 0).astype(int)
    one, many = MDLBinner().fit(X, y), MDLBinner(n_jobs=n_jobs).fit(X, y)
    for a, b in zip(one.bin_edges_, many.bin_edges_, strict=True):
        assert a.tolist() == b.tolist()
    assert (one.transform(X) == many.transform(X)).all()


def test_one_sample_and_one_class():
    assert MDLBinner().fit([[1.0, 2.0]], [0]).transform([[5.0, 5.0]]).tolist() == [[0, 0]]
    assert MDLBinner().fit([[1.0], [2.0]], [3, 3]).uncut_.tolist() == [0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"uncut": "mean"}, "uncut='mean' is not allowed: give 'leave' or 'median'"),
        ({"missing": None}, "missing=None is not allowed: give 'error' or 'bin'"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        MDLBinner(**parameters).fit([[1.0], [2.0]], [0, 1])


def test_a_target_is_required_and_must_have_the_length_of_the_table():
    with pytest.raises(ValueError, match="requires y to be passed"):
        MDLBinner().fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="X has 2 rows but y has 3 values"):
        MDLBinner().fit([[1.0], [2.0]], [0, 1, 1])


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int32, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_many_class_vectors_are_those_one_by_one(kind, order):
    rng = np.random.default_rng(1)
    columns = np.asarray(rng.normal(60, 20, (300, 11)).clip(0, 120), kind, order=order)
    weights = rng.integers(1, 4, 300)
    classes = np.array([rng.permutation((columns[:, 0] > 60) + 1 * (columns[:, 1] > 70)) for _ in range(4)], np.int32)
    classes[2] = (columns[:, 0] > 60) + 1 * (columns[:, 1] > 70)
    terms = make_entropy_terms(int(weights.sum()))
    at_once = native_cuts(columns, classes, 3, terms, weights)
    alone = [native_cuts(columns, one, 3, terms, weights) for one in classes]
    assert at_once == [alone[b][j] for j in range(11) for b in range(4)]
    assert any(at_once)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": np.zeros((1, 2), np.int32)}, "one class a row"),
        ({"classes": np.full((1, 3), 2, np.int32)}, "classes is 2"),
        ({"weights": np.array([1, 0, 1])}, "weights is 0"),
        ({"weights": np.ones(2, np.int64)}, "weights holds 2 values"),
        ({"columns": np.zeros((3, 1), np.float16)}, "floats of 32 or 64"),
        ({"columns": [np.zeros(3), np.zeros(3, np.int8)]}, "of one type"),
        ({"columns": [np.zeros(3), np.zeros(2)]}, "differ in length"),
    ],
)
def test_native_refuses_what_does_not_fit(change, message):
    terms = make_entropy_terms(3)
    given = {"columns": np.zeros((3, 1)), "classes": np.zeros((1, 3), np.int32), "n_classes": 2} | change
    with pytest.raises(ValueError, match=message):
        _native.mdl_cuts(**given, table=terms.table, shift=terms.shift)


def test_missing_everywhere_is_one_code():
    X = np.array([[np.nan, 1.0], [np.nan, 2.0]])
    binner = MDLBinner(uncut="median", missing="bin").fit(X, [0, 1])
    assert binner.n_bins_.tolist() == [1, 3]
    assert binner.transform(X).tolist() == [[0, 0], [0, 1]]


def test_columns_can_be_read_once_for_fitting_and_coding():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1], 6)
    table = read_xy(X, y)
    binner = MDLBinner().fit_table(table)
    assert (binner.codes(table) == MDLBinner().fit_transform(X, y)).all()
    with pytest.raises(ValueError, match="binning 'mdl' needs a target: give a target"):
        MDLBinner().fit_table(read_xy(X))


@pytest.mark.parametrize("n_cuts", [0, 1, 2, 5, 9])
def test_the_price_of_a_search_counts_the_places_of_its_cuts(n_cuts):
    """The logarithm of the ways to lay so many cuts between ten samples, and one bit a cut."""
    # differences of logarithms of factorials below 20, each right to its last bit
    for missing, more in (("error", 0), ("bin", 1)):
        expected = log(comb(9, n_cuts)) + (n_cuts + more) * log(2)
        assert log_codings(10, n_cuts, missing) == pytest.approx(expected, abs=1e-13)
