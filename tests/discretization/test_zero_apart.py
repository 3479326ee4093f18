"""Zero as a code of its own: the codes are those of the rule on the other numbers, dense or sparse."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pytest
from scipy import sparse

from bitsieve.counts.search import Parts, dependence_of_codes
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.base import CutBinning
from bitsieve.discretization.registry import make_binner
from bitsieve.discretization.separate_zero import SeparateZeroBinning
from bitsieve.discretization.transformers import (
    CategoricalBinner,
    EqualFrequencyBinner,
    EqualWidthBinner,
    MDLBinner,
    ZeroApartBinner,
)

RULES = {
    "mdl": MDLBinner(),
    "mdl, median": MDLBinner(uncut="median"),
    "quantile": EqualFrequencyBinner(n_bins=4),
    "uniform": EqualWidthBinner(n_bins=5),
}


@pytest.fixture(scope="module")
def data():
    """Columns of all densities, of few and of many values, negative ones too; the classes; and weights."""
    random = np.random.default_rng(4)
    X = random.normal(size=(180, 24)).round(1) * (random.random((180, 24)) < np.linspace(0, 1.05, 24))
    X[:, 5] = np.abs(X[:, 5]) > 0
    X[:, 6] = 3.5
    y = (X[:, 12] + X[:, 20] + random.normal(size=180) > 0).astype(int) + (random.random(180) < 0.2)
    return X, y, random.integers(1, 4, 180)


def by_definition(rule, X, y, weights):
    """A binner of its own for the numbers of each column that are not zero."""
    codes = np.zeros(X.shape, int)
    for j, column in enumerate(X.T):
        there = column != 0
        if there.any():
            one = make_binner(rule).fit(column[there, None], y[there], None if weights is None else weights[there])
            codes[there, j] = one.transform(column[there, None]).ravel() + (not there.all())
    return codes


@pytest.mark.each_value
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("weighted", [False, True])
def test_codes_are_those_of_the_rule_on_the_other_numbers(data, rule, weighted):
    X, y, weights = data
    weights = weights if weighted else None
    binner = ZeroApartBinner(RULES[rule], n_jobs=2)
    expected = by_definition(RULES[rule], X, y, weights)
    np.testing.assert_array_equal(binner.fit(X, y, weights).transform(X), expected)
    assert binner.n_bins_.tolist() == (expected.max(axis=0) + 1).tolist()
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        found = ZeroApartBinner(RULES[rule]).fit(kind(X), y, weights)
        assert found.bin_edges_.values.tolist() == binner.bin_edges_.values.tolist()
        np.testing.assert_array_equal(found.transform(kind(X)).toarray(), expected)


def test_every_number_a_code(data):
    X = np.rint(data[0])
    np.testing.assert_array_equal(ZeroApartBinner("none").fit_transform(X), CategoricalBinner().fit_transform(X))
    counts = sparse.csr_array(np.abs(X))
    np.testing.assert_array_equal(
        ZeroApartBinner("none").fit_transform(counts).toarray(), CategoricalBinner().fit_transform(np.abs(X))
    )
    with pytest.raises(ValueError, match="the codes of a sparse table begin with zero"):
        ZeroApartBinner("none").fit_transform(sparse.csr_array(X))


def test_missing_values_are_the_last_code():
    X = np.array([[0, 1.0, 0], [2.0, np.nan, 0], [np.nan, 3.0, 0], [4.0, 3.0, np.nan], [0, 4.0, np.nan]])
    expected = [[0, 0, 0], [1, 2, 0], [3, 0, 0], [2, 0, 1], [0, 1, 1]]
    for given in (X, sparse.csr_array(X)):
        binner = ZeroApartBinner(EqualFrequencyBinner(n_bins=2, missing="bin")).fit(given)
        codes = binner.transform(given)
        assert (codes if given is X else codes.toarray()).tolist() == expected
        assert binner.n_bins_.tolist() == [4, 3, 2]
        with pytest.raises(ValueError, match=r"3 columns hold missing values \(NaN\): 'x0', 'x1', 'x2'; set "):
            ZeroApartBinner().fit(given, [0, 1, 0, 1, 0])


def test_what_was_not_there_when_fitting():
    X = np.array([[0.0, 1.0], [2.0, 5.0], [7.0, 8.0]])
    binner = ZeroApartBinner(EqualFrequencyBinner(n_bins=3)).fit(X)
    assert binner.zero_.tolist() == [True, False]
    assert binner.transform([[-1.0, 0.0], [9.0, -4.0]]).tolist() == [[1, 0], [2, 0]]
    codes = ZeroApartBinner("none").fit(X)
    for row, message in (([[3.0, 1.0]], "'x0' holds 3.0"), ([[0.0, 0.0]], "'x1' holds 0.0")):
        with pytest.raises(ValueError, match=f"column {message}, which was not there when fitting"):
            codes.transform(row)


@pytest.mark.parametrize(
    ("X", "binning", "message"),
    [
        ([[0.5], [0.0]], "none", "column 'x0' holds 0.5: binning 'none' takes whole numbers"),
        ([[np.inf], [0.0]], "mdl", r"1 column holds infinite values \(inf\): 'x0'; replace infinity"),
        ([[1.0], [0.0]], "MDL", "binning='MDL' is not known: give one of"),
    ],
)
def test_mistakes(X, binning, message):
    for given in (np.array(X), sparse.csr_array(X)):
        with pytest.raises(ValueError, match=message):
            ZeroApartBinner(binning).fit(given, [0, 1])


def test_categories_have_no_zero():
    with pytest.raises(ValueError, match=r"categories are in 'x1': leave them out, or give another binner$"):
        ZeroApartBinner().fit([[1, "a"], [0, "b"]], [0, 1])


def test_a_binner_of_dense_columns_names_the_one_for_sparse_ones():
    X = sparse.csr_array(np.eye(6))
    for binner in (MDLBinner(), EqualFrequencyBinner(), CategoricalBinner()):
        name = type(binner).__name__
        with pytest.raises(ValueError, match=rf"the table is sparse: use ZeroApartBinner\({name}\(\)\)"):
            binner.fit(X, [0, 1] * 3)
        binner.fit(np.eye(6), [0, 1] * 3)
        with pytest.raises(ValueError, match=rf"the table is sparse: use ZeroApartBinner\({name}\(\)\)"):
            binner.transform(X)


@pytest.mark.each_value
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("uncut", ["leave", "median"])
@pytest.mark.parametrize("missing", ["error", "bin"])
def test_a_search_is_repeated_as_if_the_classes_had_been_others(data, weighted, uncut, missing):
    """What is counted for shuffled classes is what counting the codes of a binner fitted on them gives."""
    X, y, weights = data
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X) if missing == "bin" else X.copy()
    X[:, 7] = np.abs(X[:, 7]) + 1  # no zeros
    times = weights if weighted else np.ones(len(y), int)
    rows = np.repeat(np.arange(len(y)), times)
    binner = ZeroApartBinner(MDLBinner(uncut=uncut, missing=missing))
    table = read_xy(X, y, weights if weighted else None)
    search = binner.fit_table(table).search(table)
    assert search.classes.tolist() == y[rows].tolist()
    codes, columns = binner.codes(table), np.arange(X.shape[1])
    for column in columns:
        assert search.codes(column).tolist() == codes[rows, column].tolist()
        numbers = X[rows, column]
        n_numbers = np.count_nonzero(~np.isnan(numbers) & (numbers != 0))
        n_cuts = len(binner.bin_edges_[column])
        # logarithms of gamma against one of a whole number
        expected = log(comb(max(n_numbers, 1) - 1, n_cuts) * 2**n_cuts)
        assert search.log_codings(column) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    random, terms = np.random.default_rng(2), make_entropy_terms(len(rows))
    labels = np.array([search.classes, *(random.permutation(search.classes) for _ in range(3))])
    part = random.integers(0, 2, len(rows))
    found = search.dependence(labels, columns, Parts.of(part), terms)
    for vector, classes in enumerate(labels):
        other = read_xy(X[rows], classes)
        codes = ZeroApartBinner(MDLBinner(uncut=uncut, missing=missing)).fit_table(other).codes(other)
        again = dict(search.recoded(classes, columns))
        for column in columns:
            expected = dependence_of_codes(codes[:, column], classes[None], 3, Parts.of(part), terms)
            assert found.freedom[column, vector] == expected.freedom[0, 0]
            assert found.sums[column, vector] == expected.sums[0, 0]
            names = set(zip(again.get(column, 0 * part).tolist(), codes[:, column].tolist(), strict=True))
            assert len(names) == len(np.unique(codes[:, column])) == len({name for name, _ in names})


def test_rules_that_do_not_look_at_the_classes_have_no_search(data):
    X, y, _ = data
    table = read_xy(X, y)
    assert ZeroApartBinner(EqualWidthBinner()).fit_table(table).search(table) is None


@pytest.mark.parametrize("seed", range(20))
def test_numbers_that_are_no_category_of_their_column_are_refused(seed):
    """Whatever the categories of the columns before and after it are."""
    random = np.random.default_rng(seed)
    known = [random.choice(np.arange(1, 6), random.integers(1, 4), replace=False) for _ in range(4)]
    X = np.zeros((8, 4))
    for j, values in enumerate(known):
        X[: len(values), j] = values
    binner = ZeroApartBinner("none").fit(sparse.csr_array(X))
    for j in range(4):
        for value in range(1, 6):
            other = X.copy()
            other[7, j] = value
            if value in known[j]:
                codes = binner.transform(sparse.csr_array(other)).toarray()
                assert codes[7, j] == 1 + sorted(known[j]).index(value)
            else:
                with pytest.raises(ValueError, match=f"column 'x{j}' holds {float(value)}, which was not there"):
                    binner.transform(sparse.csr_array(other))


def test_the_first_number_that_is_no_code_is_named():
    X = sparse.csr_array(np.array([[1.0, 2.5, 0], [0, 7.0, 0], [3.0, 4.5, 0.25]]))
    with pytest.raises(ValueError, match=r"column 'x1' holds 2\.5: binning 'none' takes whole"):
        ZeroApartBinner("none").fit(X)


class MiddleBinning(CutBinning):
    """A rule of one's own: a cut halfway between the smallest and the largest number."""

    requires = "ends"
    side = "right"
    missing = "error"

    def __init__(self, n_jobs=None):
        self.n_jobs = n_jobs

    def cut_column(self, values, classes, weights):
        return np.array([(values.min() + values.max()) / 2])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_rule_that_cuts_one_column_at_a_time_cuts_the_numbers_that_are_not_zero(kind):
    X = np.array([[0, 1, 2, 8, 0, 3], [0, 5, 0, 0, 2, 4]], float).T
    binner = SeparateZeroBinning(MiddleBinning()).fit_table(read_xy(kind(X)))
    assert [edges.tolist() for edges in binner.bin_edges_] == [[4.5], [3.5]]
    codes = binner.codes(read_xy(kind(X)))
    codes = codes if kind is np.asarray else np.column_stack([codes.column(j) for j in range(2)])
    assert codes.T.tolist() == [[0, 1, 1, 2, 0, 1], [0, 2, 0, 0, 1, 2]]
