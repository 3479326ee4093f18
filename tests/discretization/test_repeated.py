"""Columns that are cut again for shuffled classes: what native code counts is what counting their codes gives."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from tests.cover import quick_and_slow

from bitsieve.counts.reference import term
from bitsieve.counts.search import JoinedSearch, Parts, dependence_of_codes
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.base import n_codes_that_occur
from bitsieve.discretization.mdl import MDLBinning
from bitsieve.discretization.transformers import MDLBinner
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch


def made_table(weighted=False):
    random = np.random.default_rng(4)
    y = random.integers(0, 3, 70)
    X = pd.DataFrame((y[:, None] * random.random(4) + random.normal(0, 0.7, (70, 4))).round(1))
    X[1] = X[1].mask(random.random(70) < 0.2)
    X[4] = random.choice(["red", "green", "blue"], 70)
    X[5] = 1.0
    X.columns = [f"column {j}" for j in range(6)]
    return read_xy(X, y, random.integers(1, 4, 70) if weighted else None)


def counted(codes, classes, part, shift):
    """The definition, cell by cell."""
    freedom = total = 0
    for z in np.unique(part):
        x, c = codes[part == z], classes[part == z]
        freedom += (len(np.unique(x)) - 1) * (len(np.unique(c)) - 1)
        sizes = [np.unique(values, return_counts=True)[1] for values in (x * 1000 + c, x, c, c * 0)]
        total += sum(sign * term(int(n), shift) for sign, some in zip((1, -1, -1, 1), sizes, strict=True) for n in some)
    return freedom, total


@pytest.mark.parametrize(
    ("uncut", "weighted"),
    quick_and_slow(
        product(["leave", "median"], [False, True]),
        quick={("leave", False), ("median", True)},
        reason="the same cuts with weights, or without",
    ),
)
def test_dependence_is_that_of_the_codes_cut_again(uncut, weighted):
    table = made_table(weighted)
    search = MDLBinner(uncut=uncut, missing="bin").fit_table(table).search(table)
    n_samples = len(search.classes)
    terms = make_entropy_terms(n_samples)
    random = np.random.default_rng(5)
    classes = np.array([search.classes, *(random.permutation(search.classes) for _ in range(2))])
    for part in (np.zeros(n_samples, np.int64), random.integers(0, 4, n_samples), np.arange(n_samples)):
        found = search.dependence(classes, np.arange(6), Parts.of(part), terms)
        for vector, labels in enumerate(classes):
            again = dict(search.recoded(labels, np.arange(6)))
            for column in range(6):
                codes = again.get(column, np.zeros(n_samples, np.int64))
                expected = counted(codes, labels, part, terms.shift)
                assert (found.freedom[column, vector], found.sums[column, vector]) == expected
    assert not found.freedom[5].any()  # the constant column


def test_groups_are_their_joint_codes():
    table = made_table()
    search = MDLBinner(missing="bin").fit_table(table).search(table)
    joined = JoinedSearch(search, [np.array([0, 4]), np.array([2]), np.array([5])])
    terms, part = make_entropy_terms(70), Parts.of(np.arange(70) % 2)
    classes = np.random.default_rng(6).permuted(np.tile(search.classes, (5, 1)), axis=1)
    found = joined.dependence(classes, np.arange(3), part, terms)
    assert np.array_equal(found.sums[1], search.dependence(classes, np.array([2]), part, terms).sums[0])
    for vector, labels in enumerate(classes):
        codes = dict(joined.recoded(labels, np.arange(3)))[0]
        one = dependence_of_codes(codes, labels[None], 3, part, terms)
        assert (one.freedom[0, 0], one.sums[0, 0]) == (found.freedom[0, vector], found.sums[0, vector])
    assert not found.freedom[2].any()


def test_shuffles_stay_within_the_parts_and_threads_change_nothing():
    table = made_table()
    search = MDLBinner(uncut="median", missing="bin").fit_table(table).search(table)
    terms, seeds = make_entropy_terms(70), np.arange(40, dtype=np.uint64)
    one, three = (RepeatedSearch(search, (4,), np.arange(6), terms, n_jobs) for n_jobs in (1, 3))
    assert np.array_equal(one.smallest_tails(seeds), three.smallest_tails(seeds))
    assert np.array_equal(one.smallest_tails(seeds)[7:9], one.smallest_tails(seeds[7:9]))
    colour = search.codes(4)
    for row in search.shuffled(one.parts, seeds[:5]):
        for value in range(3):
            assert sorted(row[colour == value]) == sorted(search.classes[colour == value])


@pytest.mark.parametrize("missing", [False, True])
def test_columns_with_codes_are_those_that_a_fit_gives_several(missing):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 12))
    y = random.integers(0, 3, 60)
    X[:, 0] += y
    if missing:
        X[::7, 3] = np.nan
    table = read_xy(X, y)
    classes = np.array([random.permutation(y) for _ in range(30)] + [y], np.int32)
    for uncut in ("leave", "median"):
        rule = MDLBinning(uncut=uncut, missing="bin" if missing else "error")
        has_codes = rule.columns_with_codes(table, classes)
        for labels, has_code in zip(classes, has_codes, strict=True):
            fitted = rule.unfitted().fit_table(read_xy(X, labels))
            n_codes = n_codes_that_occur(fitted, table)
            assert has_code.tolist() == (n_codes > 1).tolist()
    assert has_codes.all()


@pytest.mark.parametrize("n_samples", [2, 3, 20, 62, 255, 256])
@pytest.mark.parametrize("decimals", [1, 9])
def test_many_shuffles_give_what_each_of_them_gives_alone(n_samples, decimals):
    """Of many shuffles of two classes native code tells those apart that cut no column of few rows."""
    random = np.random.default_rng(n_samples)
    classes = np.arange(n_samples, dtype=np.int32) % 3 % 2
    strength = np.array([0.0, 0.0, 1.0, 3.0])
    X = (classes[:, None] * strength + random.normal(size=(n_samples, 4))).round(decimals)
    search = MDLBinner().fit_table(read_xy(X, classes)).search(read_xy(X, classes))
    terms = make_entropy_terms(n_samples)
    part = Parts.of(np.zeros(n_samples, np.int64))
    shuffles = np.array([classes, *(random.permutation(classes) for _ in range(99))])
    together = search.dependence(shuffles, np.arange(4), part, terms)
    for number, shuffle in enumerate(shuffles):
        alone = search.dependence(shuffle[None], np.arange(4), part, terms)
        assert together.freedom[:, number].tolist() == alone.freedom[:, 0].tolist()
        assert together.sums[:, number].tolist() == alone.sums[:, 0].tolist()
    assert n_samples < 20 or 0 < np.count_nonzero(together.freedom) < together.freedom.size


@pytest.mark.parametrize("kind", ["sparse", "with strata"])
def test_cuts_that_are_not_looked_for_may_be_anywhere(kind):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 3)), random.integers(0, 2, 60)
    table = read_xy(csr_array(X), y) if kind == "sparse" else read_xy(X, y, strata=np.arange(60) % 2)
    assert MDLBinning().columns_with_codes(table, y[None].astype(np.int32)).tolist() == [[True] * 3]
    assert MDLBinning().columns_with_codes(read_xy(X, y), y[None].astype(np.int32)).tolist() == [[False] * 3]
