"""Columns that repeat another one, against all pairs compared by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.dataset.copies import _sampled_rows, find_copies
from bitsieve.dataset.read import read_xy


def copies_of(X):
    """The copies in a table: the column, the original, and the kind."""
    table = read_xy(X).rows
    columns = list(range(table.n_features))
    return [(copy.column, copy.original, copy.kind(table)) for copy in find_copies(table, columns)]


def frame_of(**columns):
    return pd.DataFrame(columns)


@pytest.fixture
def celsius():
    return (15 + 8 * np.random.default_rng(0).random(300)).round(1)


def test_every_kind_of_copy(celsius):
    sex = np.random.default_rng(1).choice(["female", "male"], 300)
    state = np.random.default_rng(2).integers(0, 40, 300)
    copies = copies_of(
        frame_of(
            celsius=celsius,
            other=np.random.default_rng(3).random(300),
            fahrenheit=celsius * 9 / 5 + 32,
            sex=sex,
            cold=-celsius,
            again=celsius.copy(),
            logarithm=np.log(celsius),
            is_male=sex == "male",
            state=state,
            name_of_state=[f"{(7 * j) % 40} of 40" for j in state],
        )
    )
    assert copies == [
        (2, 0, "linear"),
        (4, 0, "linear"),
        (5, 0, "same values"),
        (6, 0, "recoded"),
        (7, 3, "recoded"),
        (9, 8, "recoded"),
    ]


def test_missing_values_must_be_in_the_same_rows(celsius):
    with_gap = np.where(np.arange(300) == 7, np.nan, celsius)
    other_gap = np.where(np.arange(300) == 8, np.nan, celsius)
    assert copies_of(np.column_stack([with_gap, other_gap, 2 * with_gap, celsius])) == [(2, 0, "linear")]
    word = np.where(np.isnan(with_gap), None, np.array(["a", "b"], object)[(celsius > 19).astype(int)])
    number = np.where(np.isnan(with_gap), np.nan, celsius > 19)
    assert copies_of(frame_of(word=word, number=number)) == [(1, 0, "recoded")]


def test_constant_columns_are_no_copies():
    X = np.zeros((300, 4))
    X[5, 2:] = np.nan  # a missing value is a value of its own
    assert copies_of(X) == [(3, 2, "same values")]


@pytest.mark.each_value
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("n_samples", [20, 3000])
def test_copies_of_codes_are_those_of_all_pairs(order, dtype, n_samples):
    random = np.random.default_rng(4)
    X = np.asarray(random.integers(0, 3, (n_samples, 60)), dtype, order=order)
    X[:, 30:40] = (random.random((n_samples, 10)) < 2 / n_samples).astype(dtype)  # rare, in no sampled row
    X[:, 50:] = random.permutation(3)[X[:, 20:30].astype(int)]
    X[:, 45] = X[:, 30]
    n_values = [len(np.unique(column)) for column in X.T]
    expected = {
        b
        for a, b in combinations(range(60), 2)
        if n_values[a] == n_values[b] == len(np.unique(3 * X[:, a] + X[:, b])) > 1
    }
    assert expected >= {*range(50, 60)}
    assert {column for column, *_ in copies_of(X)} == expected


def test_the_note_names_the_copies_and_excludes_them(celsius):
    data = frame_of(c=celsius, f=celsius * 1.8 + 32, z=np.random.default_rng(5).random(300))
    hot = celsius > 19
    for result in (bitsieve.select(data, hot), bitsieve.how_many(data, hot), bitsieve.interactions(data, hot)):
        (note,) = [note for note in result.diagnostics if note.code == "copies"]
        assert list(note.columns) == ["f"]
        assert note.fix == {"exclude": ["f"]}
    left = bitsieve.select(data, hot, **note.fix)
    assert "copies" not in [note.code for note in left.diagnostics]


def test_names_that_differ_in_case_or_blanks_only(celsius):
    data = pd.DataFrame(np.random.default_rng(6).random((300, 4)), columns=["Body Weight", "age", "bodyweight ", "Age"])
    selection = bitsieve.select(data, celsius > 19)
    (note,) = [note for note in selection.diagnostics if note.code == "names-alike"]
    assert note.columns == ["Body Weight", "bodyweight ", "age", "Age"]


@pytest.mark.parametrize("what", ["target", "sample_weight", "groups"])
def test_an_index_in_another_order_is_refused(what, celsius):
    X = frame_of(c=celsius, z=np.random.default_rng(7).random(300))
    values = {
        "target": pd.Series(celsius > 19),
        "sample_weight": pd.Series(2, X.index),
        "groups": pd.Series(X.index // 3),
    }
    bitsieve.select(X, **values)
    shuffled = values[what].sample(frac=1, random_state=0)
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.select(X, **{**values, what: shuffled})
    assert error.value.code == "index-in-other-order"
    bitsieve.select(X, **{**values, what: shuffled.loc[X.index]})
    by_position = {**values, what: shuffled.to_numpy()}
    other_labels = {**values, what: shuffled.set_axis(range(1000, 1300))}
    assert bitsieve.select(X, **by_position).features == bitsieve.select(X, **other_labels).features


def test_fit_refuses_an_index_in_another_order(celsius):
    X = frame_of(c=celsius, z=np.random.default_rng(8).random(300))
    y = pd.Series(celsius > 19)
    with pytest.raises(bitsieve.UserError, match="'y'"):
        bitsieve.ForwardSelector().fit(X, y.sort_values())


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_without_a_repeat_are_copied_by_their_negatives(sign):
    x = sign * np.random.default_rng(9).random(300)
    assert [(column, original) for column, original, _ in copies_of(np.column_stack([x, -x, x**2 * sign, x**3]))] == [
        (1, 0),
        (2, 0),
        (3, 0),
    ]


def test_sampled_rows_are_different_ones_in_ascending_order():
    n_rows = len(_sampled_rows(10_000_000, 1))
    for n_samples in (n_rows, n_rows + 1, 2 * n_rows):
        rows = _sampled_rows(n_samples, 1)
        assert len(rows) == n_rows
        assert (np.diff(rows) > 0).all()
        assert rows[-1] < n_samples
