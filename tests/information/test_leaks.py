"""Columns that nearly determine the class are named, corrected for chance, and honest tables name none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn import datasets
from sklearn.metrics.cluster import expected_mutual_information
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.counts.packed import PackedSource
from bitsieve.information import make_information
from bitsieve.information.leaks import leaks
from bitsieve.information.margins import expected_information
from bitsieve.options import ReadOptions
from bitsieve.pipeline.discretize import count_table
from bitsieve.pipeline.leaks import leaks_of


def found(X, y):
    """The leaks of a table, by column."""
    from bitsieve.dataset.read import read_data

    table = read_data(X, ReadOptions(target=y))
    return {leak.column: leak.share for leak in leaks_of(count_table(table, "mdl"))}


@pytest.mark.parametrize(("n", "codes", "classes"), [(30, 3, 2), (200, 50, 2), (500, 490, 3), (1000, 100, 100)])
def test_expectation_is_that_of_scikit_learn(n, codes, classes):
    random = np.random.default_rng(0)
    table = np.zeros((codes, classes), np.int64)
    np.add.at(table, (random.integers(0, codes, n), random.integers(0, classes, n)), 1)
    table = table[table.sum(axis=1) > 0]
    expected = expected_mutual_information(csr_matrix(table), n) / np.log(2)
    # Both sum thousands of terms of lgamma, whose rounding is about 1e-16 of values up to 1e4.
    assert expected_information(table.sum(axis=1), table.sum(axis=0)) == pytest.approx(expected, abs=1e-11)


def test_expectation_of_large_counts_is_the_known_limit():
    """(r - 1) (c - 1) / (2 N ln 2) bits, off by terms of 1 / N^2."""
    n = 10**6
    assert expected_information(np.array([n // 3, n - n // 3]), np.array([n // 2, n // 2])) == pytest.approx(
        1 / (2 * n * np.log(2)), rel=1e-5
    )


def people(n=400, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    frame = pd.DataFrame({f"number_{j}": random.normal(size=n) + 0.5 * y for j in range(4)})
    frame["key"] = [f"k{j}" for j in random.integers(0, n, n)]
    return frame, y, random


def test_a_key_with_as_many_values_as_rows_is_no_leak():
    frame, y, _ = people()
    information = bitsieve.mutual_information(frame[["key"]], y)[0]
    assert information > 0.6  # of 1 bit, all of it chance
    assert found(frame, y) == {}


def test_a_column_that_repeats_the_class_is_found_and_its_copies_too():
    frame, y, random = people()
    errs = random.random(len(y)) < 0.005
    frame["state"] = [f"s{value}" for value in y ^ errs]
    frame["reason"] = [f"r{value}{part}" for value, part in zip(y, random.integers(0, 30, len(y)), strict=True)]
    assert list(found(frame, y)) == [6, 5]
    assert found(frame, y)[6] == 1  # every value of it has one class: the correction takes nothing off
    assert 0.9 < found(frame, y)[5] < 1
    assert found(frame[:18], y[:18]) == {}  # by chance, perhaps


def test_a_column_of_numbers_that_is_not_far_ahead_is_no_leak():
    frame, y, random = people()
    frame["size"] = random.normal(size=len(y)) + 8 * y
    assert list(found(frame, y)) == [5]
    frame["also"] = y ^ (random.random(len(y)) < 0.05)
    assert 0.5 < bitsieve.mutual_information(frame[["also"]], y)[0] < 0.9
    assert found(frame, y) == {}


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_easy_honest_data_name_none(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    assert found(X, y) == {}
    for label in np.unique(y):
        assert found(X, (y == label).astype(int)) == {}


@pytest.mark.slow("a rate over many seeded tables")
@pytest.mark.parametrize(
    ("first", "last"), quick_and_slow([(0, 15), (15, 60)], quick={(0, 15)}, reason="more tables of the same kind")
)
def test_honest_tables_of_mixed_columns_name_none(first, last):
    for seed in range(first, last):
        random = np.random.default_rng(seed)
        n, k = int(random.choice([25, 80, 300])), int(random.choice([2, 3, 6]))
        score, frame = random.gumbel(size=(n, k)), {}
        for j in range(int(random.integers(3, 12))):
            codes = random.integers(0, random.integers(2, n), n)
            numbers = random.normal(size=n)
            frame[f"text_{j}"], frame[f"number_{j}"] = [f"v{code}" for code in codes], numbers
            score += numbers[:, None] * random.normal(size=k) * random.choice([0, 1, 4])
        assert found(pd.DataFrame(frame), score.argmax(axis=1)) == {}, seed


def test_a_table_of_copies_of_the_class_alone_names_none():
    """Half of the columns at most are leaks; of one column, or of two, all would be."""
    classes = np.arange(40) % 2
    for n_columns in (1, 2):
        information = make_information("plug-in", PackedSource(np.tile(classes[:, None], n_columns), classes))
        assert leaks(information, lambda column: False) == []


def test_a_column_of_a_value_a_row_is_no_leak():
    """However the class is permuted, it determines the class: all of it is chance."""
    classes = np.arange(40) % 2
    information = make_information("plug-in", PackedSource(np.column_stack([np.arange(40), classes * 0]), classes))
    assert information.relevance[0] == information.class_entropy
    assert expected_information(np.ones(40, np.int64), np.array([20, 20])) == information.class_entropy
    assert leaks(information, lambda column: False) == []


@pytest.mark.parametrize("words", [("no", "yes"), ("0", "1"), ("NEIN", "JA")])
def test_a_recoding_of_the_target_is_a_leak_beside_an_honest_strong_column(words):
    frame, y, random = people()
    frame["also"] = y ^ (random.random(len(y)) < 0.05)
    frame["copy"] = np.array(words)[y]
    assert found(frame, np.where(y == 1, "yes", "no")) == {6: 1.0}
    (leak,) = [note for note in bitsieve.select(frame, y).diagnostics if note.code == "leak"]
    assert leak.columns == ("copy",)
    assert leak.message == "'copy' alone decides 'target' in 100 % of the rows"


def test_a_column_made_after_the_event_has_its_share_of_rows():
    frame, y, _ = people()
    flipped = y.copy()
    flipped[:2] = 1 - flipped[:2]
    frame["refund"] = [f"r{value}" for value in flipped]
    (leak,) = [note for note in bitsieve.select(frame, y).diagnostics if note.code == "leak"]
    assert leak.message == "'refund' alone decides 'target' in 99.5 % of the rows"


def columns_made_after_the_event(y, random):
    """Recodings of the class, and reasons, dates and amounts that are there after the event only."""
    n = len(y)
    event = y == 1
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 300, n), "D")
    return {
        "copy": y,
        "text": np.where(event, "churned", "stayed"),
        "scaled": 1.5 * y + 0.25,
        "reason": np.where(event, [f"r{j}" for j in random.integers(0, 8, n)], "none"),
        "nearly": np.where(event ^ (random.random(n) < 0.005), "closed", "open"),
        "closed_on": pd.Series(days).where(event),
        "fee": np.where(event, random.normal(size=n), np.nan),
        "refund": np.where(event, 0.01 + random.exponential(size=n), 0.0),
    }


@pytest.mark.parametrize("kind", ["copy", "text", "scaled", "reason", "nearly", "closed_on", "fee", "refund"])
def test_a_column_made_after_the_event_is_a_leak_beside_a_strong_one(kind):
    frame, y, random = people()
    frame["strong"] = y ^ (random.random(len(y)) < 0.05)
    frame[kind] = columns_made_after_the_event(y, random)[kind]
    leaks_of_table = [note for note in bitsieve.select(frame, y).diagnostics if note.code == "leak"]
    assert [note.columns for note in leaks_of_table] == [(kind,)]


@pytest.mark.parametrize("recode", [lambda q: q, lambda q: (1.08 * q).round(2), np.log, lambda q: -q])
def test_a_quantity_in_another_unit_is_a_leak(recode):
    frame, y, random = people()
    price = np.exp(frame["number_0"] + random.normal(size=len(y)) / 2)
    frame["other_unit"] = recode(price)
    (leak,) = [note for note in bitsieve.select(frame, price).diagnostics if note.code == "leak"]
    assert leak.columns == ("other_unit",)
    frame["other_unit"] += random.normal(size=len(y)) / 50
    assert not [note for note in bitsieve.select(frame, price).diagnostics if note.code == "leak"]
