"""Codes as they are: ranks among the sorted distinct values."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bitsieve.dataset.read import read_xy
from bitsieve.discretization.coding import rule_facts, rule_from_facts
from bitsieve.discretization.transformers import CategoricalBinner


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float32, float])
@pytest.mark.parametrize("order", ["C", "F"])
def test_ranks_of_whole_numbers(dtype, order):
    rng = np.random.default_rng(0)
    contiguous = rng.integers(0, 5, 100)
    gaps = rng.choice([3, 7, 100], 100)
    X = np.array([contiguous, gaps], order="F" if order == "C" else "C").T.astype(dtype, order=order)
    binner = CategoricalBinner().fit(X)
    codes = binner.transform(X)
    for j in range(2):
        categories, expected = np.unique(X[:, j], return_inverse=True)
        assert binner.categories_[j].tolist() == categories.tolist()
        assert codes[:, j].tolist() == expected.tolist()
    assert codes.dtype == np.uint8
    assert codes.flags.f_contiguous


def test_negative_far_and_huge_integers():
    X = np.array([[-5, 2**62, -(2**63)], [3, 2**62 + 1, 2**63 - 1], [-5, 2**62, 0]])
    assert CategoricalBinner().fit_transform(X).tolist() == [[0, 0, 0], [1, 1, 2], [0, 0, 1]]
    top = np.array([[2**64 - 1], [2**64 - 2]], dtype=np.uint64)
    assert CategoricalBinner().fit_transform(top).tolist() == [[1], [0]]


def test_text_and_booleans():
    X = np.array([["b", True, 2], ["a", False, 2], ["b", True, 1]], dtype=object)
    binner = CategoricalBinner().fit(X)
    assert [categories.tolist() for categories in binner.categories_] == [["a", "b"], [False, True], [1, 2]]
    assert [len(edges) for edges in binner.bin_edges_] == [0, 0, 0]
    assert binner.transform(X).tolist() == [[1, 1, 1], [0, 0, 1], [1, 1, 0]]


def test_fractions_are_refused_with_the_column():
    with pytest.raises(ValueError, match=r"column 'x1' holds 0\.5: binning 'none' takes whole numbers"):
        CategoricalBinner().fit([[1.0, 2.0], [2.0, 0.5]])
    with pytest.raises(ValueError, match=r"column 'x0' holds 1e\+300"):
        CategoricalBinner().fit([[1e300], [2.0]])
    with pytest.raises(ValueError, match=r"column 'x1' holds 0\.5"):  # the first of several
        CategoricalBinner().fit([[1.0, 0.5, 0.25], [2.0, 1.0, 1.0]])


@pytest.mark.parametrize(("seen", "unseen"), [(0, 9), (5, 6), (-3, 10**12)])
def test_values_unknown_when_fitting_are_named(seen, unseen):
    binner = CategoricalBinner().fit([[seen], [seen + 20]])
    with pytest.raises(ValueError, match=f"column 'x0' holds {unseen}, which was not there when fitting"):
        binner.transform([[seen], [unseen]])


def test_unknown_text_is_named():
    binner = CategoricalBinner().fit([["a"], ["c"]])
    with pytest.raises(ValueError, match="column 'x0' holds 'b'"):
        binner.transform([["a"], ["b"]])
    with pytest.raises(ValueError, match="was categorical when fitting"):
        binner.transform([[1], [2]])


def test_missing_values_have_the_last_code():
    X = np.array([[2.0, np.nan], [np.nan, np.nan], [0.0, np.nan]])
    binner = CategoricalBinner(missing="bin").fit(X)
    assert binner.n_bins_.tolist() == [3, 1]
    assert binner.transform(X).tolist() == [[1, 0], [2, 0], [0, 0]]
    words = np.array([["b"], [None], ["a"]], dtype=object)
    assert CategoricalBinner(missing="bin").fit_transform(words).ravel().tolist() == [1, 2, 0]


def test_at_most_65536_codes():
    X = np.arange(65_536)[:, None]
    codes = CategoricalBinner().fit_transform(X)
    assert codes.dtype == np.uint16
    assert (codes == X).all()
    with pytest.raises(ValueError, match="column 'x0' has 65,537 codes: at most 65,536 are supported"):
        CategoricalBinner().fit(np.arange(65_537)[:, None])
    with pytest.raises(ValueError, match="65,537 codes"):
        CategoricalBinner(missing="bin").fit(X)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.float64])
def test_numbers_that_spread_wide(kind, order):
    """Numbers too far apart for a table are sorted and searched for, beside columns of a small span."""
    random = np.random.default_rng(0)
    scale = np.array([1, 10**5, 10**12, 2**40, 3] * 16)
    low = -5 if kind is not np.uint64 else 0
    X = np.asarray(random.integers(low, 20, (300, 80)) * scale, kind, order=order)
    expected = np.column_stack([np.unique(X[:, j], return_inverse=True)[1] for j in range(80)])
    binner = CategoricalBinner().fit(X)
    assert [len(known) for known in binner.categories_] == [len(np.unique(X[:, j])) for j in range(80)]
    assert (binner.transform(X) == expected).all()
    X[7, 3] += 1
    with pytest.raises(ValueError, match=r"'x3' holds .*, which was not there when fitting"):
        binner.transform(X)


def test_wide_spread_with_missing_values_and_extremes():
    X = np.array([[np.nan, 2.0**62], [-(2.0**63), 0.0], [1e15, -(2.0**62)], [np.nan, 2.0**62]])
    assert CategoricalBinner(missing="bin").fit_transform(X).tolist() == [[2, 2], [0, 1], [1, 0], [2, 2]]
    Y = np.array([[2**64 - 1], [0], [2**63]], np.uint64)
    binner = CategoricalBinner().fit(Y)
    assert binner.transform(Y).ravel().tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match="holds -1, which was not there"):
        binner.transform(np.array([[-1]]))  # the same bits as the largest
    signed = CategoricalBinner().fit(np.array([[-1], [10**9]]))
    with pytest.raises(ValueError, match="holds 18446744073709551615, which was not there"):
        signed.transform(np.array([[2**64 - 1]], np.uint64))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["uint8", "int16", "int64", "float32", "float64"])
def test_numbers_that_are_codes_are_their_own(kind, order):
    X = np.array(np.random.default_rng(2).integers(0, 4, (300, 70)), kind, order=order)
    binner = CategoricalBinner().fit(X)
    codes = binner.transform(X)
    assert codes.dtype == np.uint8
    assert (codes == X).all()
    rows = X[:1] * 0 + 1  # of one category alone
    assert (binner.transform(rows) == 1).all()
    with pytest.raises(ValueError, match="holds 4, which was not there"):
        binner.transform(X + 1)


def test_as_many_categories_as_the_largest_says_but_one_is_negative():
    binner = CategoricalBinner().fit(np.array([[-5, 0], [1, 1]]))
    assert binner.transform(np.array([[1, 1], [1, 0]])).tolist() == [[1, 1], [1, 0]]
    with pytest.raises(ValueError, match="holds 0, which was not there"):
        binner.transform(np.array([[0, 0]]))


def test_negative_numbers_beside_numbers_that_no_signed_type_holds():
    small, large = np.array([-3, 5, 7, 5]), np.array([2**64 - 1, 5, 7, 0], np.uint64)
    binner = CategoricalBinner().fit(pd.DataFrame({"small": small, "large": large}))
    codes = binner.transform(pd.DataFrame({"small": np.array([5, 7, 7, 5], np.uint64), "large": large}))
    assert codes.tolist() == [[1, 3], [2, 1], [2, 2], [1, 0]]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_runs_of_whole_numbers_at_the_ends_of_every_type(kind, order):
    """Where the categories are k, k + 1, ..., numbers that differ from them by a power of two are none of them."""
    ends = np.iinfo(kind)
    for low in (ends.min, 0, 5, ends.max - 4):
        known = np.arange(5, dtype=np.uint64) + np.uint64(low % 2**64)
        X = np.asarray(known.astype(kind)[np.random.default_rng(0).integers(0, 5, (90, 70))], order=order)
        X[:5] = known.astype(kind)[:, None]
        binner = CategoricalBinner().fit(X)
        assert (binner.transform(X) == X.astype(object) - low).all()
        for other in (low - 1, low + 5, low + 2**8, low - 2**8, low + 2**32):
            if not ends.min <= other <= ends.max:
                continue
            far = X.copy()
            far[-1, 3] = other
            with pytest.raises(ValueError, match=r"'x3' holds .*, which was not there when fitting"):
                binner.transform(far)
    wider = np.full((3, 70), 250 if ends.min == 0 else -6)  # as a byte without a sign it would be another number
    with pytest.raises(ValueError, match="which was not there when fitting"):
        CategoricalBinner().fit(np.array([[250 if ends.min < 0 else -6] * 70] * 3)).transform(wider.astype(kind))


def test_large_and_negative_codes_side_by_side():
    """Of columns of which no type holds the numbers of both exactly; their neighbours are no categories."""
    low, high = np.array([-1, 5, -(2**63), 2**53 + 1]), np.array([2**63 + 1, 2**64 - 1, 0, 2**53 + 1], np.uint64)
    table = {"low": pa.array(low), "high": pa.array(high)}
    fitted = CategoricalBinner().fit(pa.table(table))
    stored = rule_from_facts(json.loads(json.dumps(rule_facts(fitted))), [*table])
    codes = (fitted.transform, lambda given: stored.codes(read_xy(given)))
    assert all(of(pa.table(table)).tolist() == [[1, 2], [2, 3], [0, 0], [3, 1]] for of in codes)
    for name, value in (("high", 2**63), ("high", 2**63 + 2), ("high", 2**64 - 2), ("low", 2**53), ("low", 1 - 2**63)):
        values = [*table[name].to_pylist()[:3], value]
        other = pa.table({**table, name: pa.array(values, table[name].type)})
        for of in codes:
            with pytest.raises(ValueError, match=f"column '{name}' holds {value}, which was not there"):
                of(other)


def test_large_codes_in_a_matrix_are_those_of_columns_of_two_types():
    low, high = np.array([5, 2**53 + 1, 7]), np.array([2**53 + 1, 2**63 + 1, 0], np.uint64)
    facts = rule_facts(CategoricalBinner().fit(pa.table({"low": low, "high": high})))
    stored = rule_from_facts(json.loads(json.dumps(facts)), ["low", "high"])
    matrix = np.array([[2**53 + 1, 2**53 + 1], [7, 2**63 + 1]], np.uint64)
    assert stored.codes(read_xy(matrix)).tolist() == [[2, 1], [1, 2]]


def test_whole_numbers_as_floats_are_their_integers():
    """Up to the largest that 64 bits hold; beyond, no integer is meant."""
    known = np.array([[0], [2**62], [2**62 + 2**11], [-(2**62)]])
    binner = CategoricalBinner().fit(known)
    assert binner.transform(known.astype(float)).ravel().tolist() == [1, 2, 3, 0]
    for value, message in (
        (2.0**62 + 2**10, "was not there when fitting"),
        (2.0**63, "whole numbers"),
        (0.5, "whole numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            binner.transform(np.array([[value]]))
