"""What a target is: classes or a quantity; and where a quantity is cut."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.dataset.quantity import TargetKind, are_codes, edges_of, listed_edges, number_of_classes
from bitsieve.dataset.target import read_target
from bitsieve.options import ReadOptions


def test_as_many_classes_as_the_fifth_root_of_the_samples_but_three():
    for n in [*range(1, 3000, 7), 9_999, 123_456, 10**6, 10**9]:
        assert number_of_classes(n) == max(3, round(n**0.2))
    for m in range(3, 30):  # where the fifth root is m + 1/2: exactly, in whole numbers
        first = -(-((2 * m + 1) ** 5) // 32)
        assert (number_of_classes(first - 1), number_of_classes(first)) == (m, m + 1)


def _codes(values):
    return are_codes(*np.unique(values, return_counts=True))


def test_which_whole_numbers_are_codes():
    random = np.random.default_rng(0)
    assert _codes([7, -2, 7])
    assert _codes([3, 9, 12, 1000])
    assert _codes(np.repeat(np.arange(100), 5))  # labels from 0
    assert _codes(np.repeat(np.arange(1, 41), 10))  # or from 1
    assert _codes(np.repeat(np.arange(12) * 7, 2))  # each twice, and not more than twenty
    assert not _codes(np.arange(58, 73))  # fifteen different heights in fifteen rows
    assert not _codes(np.repeat(np.arange(100), 4))  # too few of each
    assert not _codes(np.repeat(np.arange(2, 42), 10))  # not from 0 or 1
    assert not _codes(random.integers(18, 90, 5000))  # ages
    assert not _codes(np.delete(np.repeat(np.arange(60), 50), slice(1000, 1050)))  # one number in between is not there


@pytest.mark.parametrize(
    ("bins", "kind", "message"),
    [
        (None, "number", "target_kind='number' is not allowed: give 'classes' or 'quantity'"),
        (1, None, "target_bins=1 is not allowed"),
        ("some", None, "target_bins='some' is not allowed"),
        ("none", "quantity", "target_bins='none' and target_kind='quantity' contradict each other: leave one"),
        (5, "classes", "target_bins=5 and target_kind='classes' contradict each other: leave one"),
    ],
)
def test_what_is_said_is_checked(bins, kind, message):
    with pytest.raises(ValueError, match=message):
        TargetKind.from_options(ReadOptions(target_bins=bins, target_kind=kind))


def test_none_is_classes():
    assert TargetKind.from_options(ReadOptions(target_bins="none")) == TargetKind("classes")
    assert TargetKind.from_options(ReadOptions(target_kind="classes")) == TargetKind("classes")
    assert TargetKind.from_options(ReadOptions(target_bins=7, target_kind="quantity")) == TargetKind("quantity", 7)


@pytest.mark.parametrize(
    "change", [np.exp, np.cbrt, lambda y: 3 * y - 1e6, lambda y: np.searchsorted(np.sort(y), y) + 0.5]
)
def test_classes_follow_from_ranks_alone(change):
    for n in (5, 100, 2000):
        y = np.random.default_rng(n).normal(size=n)
        assert np.array_equal(read_target(y).codes, read_target(change(y)).codes)


def test_sizes_differ_by_one_at_most_without_ties():
    for n in range(3, 200):
        sizes = np.bincount(read_target(np.random.default_rng(n).permutation(n) + 0.5).codes)
        assert len(sizes) == 3
        assert np.ptp(sizes) <= 1


@pytest.mark.parametrize("rare", ["low", "high"])
def test_ties_never_leave_one_class(rare):
    y = np.r_[np.full(95, 1.5), np.arange(5) + 2.25] if rare == "high" else np.r_[np.full(95, 9.5), np.arange(5) + 2.25]
    target = read_target(y)
    assert np.bincount(target.codes).tolist() == ([95, 5] if rare == "high" else [5, 95])
    few = read_target(np.r_[np.full(8, 0.5), 1.5, np.full(9, 2.5)])
    assert few.codes.tolist() == [0] * 8 + [1] + [2] * 9


def test_bad_quantities_are_refused_in_one_line():
    with pytest.raises(ValueError, match="target_bins=4 is more than the 3 samples of the target: ask for fewer"):
        read_target([0.5, 1.5, 2.5], target_kind=TargetKind(n_bins=4))
    with pytest.raises(ValueError, match="target_bins=4 is more than the 3 samples of the target: ask for fewer"):
        read_target([10, 20, 30], target_kind=TargetKind(n_bins=4))
    with pytest.raises(ValueError, match="target_kind='quantity' does not go with the target, which holds text"):
        read_target(["a", "b"], target_kind=TargetKind("quantity"))
    for classes in (["a", "b"], [True, False], [["a", "x"], ["b", "y"]]):
        with pytest.raises(ValueError, match="target_bins=2 does not go with the target, which holds text, categories"):
            read_target(classes, target_kind=TargetKind(n_bins=2))
    assert read_target([1, 2], target_kind=TargetKind(n_bins=2)).kind == "classes"
    assert read_target([1.5, 1.5]).labels.tolist() == ["1.5"]  # refused as one class, by its value


def test_a_quantity_knows_its_numbers_and_cuts_them_again():
    y = np.random.default_rng(0).normal(size=3000)
    target = read_target(y, name="price")
    assert (target.is_quantity, target.n_classes, target.n_classes_of_quantity) == (True, 5, 5)
    half = target.take(np.flatnonzero(y > 0))
    assert np.array_equal(half.values, y[y > 0])
    again = half.cut_again()
    assert np.array_equal(again.codes, read_target(y[y > 0]).codes)
    assert again.name == "price"
    assert read_target(["a", "b"]).cut_again().codes.tolist() == [0, 1]


def test_weights_are_repetitions():
    random = np.random.default_rng(3)
    y, weights = random.normal(size=300).round(1), random.integers(1, 40, 300)
    once, repeated = edges_of(y, weights, None, "y"), edges_of(np.repeat(y, weights), None, None, "y")
    assert once[0].tolist() == repeated[0].tolist()
    assert once[1] == repeated[1] == number_of_classes(int(weights.sum()))


def test_many_edges_are_listed_by_the_first_three_and_the_last():
    assert listed_edges(np.arange(1.0, 31.0), "") == "1, 2, 3, ..., 30"
    assert listed_edges(np.array([1.0, 2.5]), "") == "1, 2.5"
