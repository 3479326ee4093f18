"""Folds: the default by the number of samples, every sample tested once, and one line for what cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from bitsieve.dataset.groups import read_groups
from bitsieve.dataset.target import read_target
from bitsieve.evaluate.feature_counts import feature_counts
from bitsieve.evaluate.folds import make_folds


def target_of(*sizes):
    return read_target(np.repeat(np.arange(len(sizes)), sizes))


@pytest.mark.parametrize(("sizes", "n_folds"), [((50, 49), 99), ((50, 50), 10), ((99, 10), 10)])
def test_default(sizes, n_folds):
    folds, notes = make_folds(target_of(*sizes))
    assert len(folds) == n_folds
    assert notes == []
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(sum(sizes)))
    for fold in folds:
        assert sorted([*fold.train, *fold.test]) == list(range(sum(sizes)))


def test_default_with_a_small_class():
    folds, notes = make_folds(target_of(120, 4))
    assert len(folds) == 4
    assert [note.code for note in notes] == ["fewer-folds"]


def test_stratified_folds_are_those_of_scikit_learn():
    target = target_of(60, 50)
    folds, _ = make_folds(target, 5, random_state=3)
    wanted = StratifiedKFold(5, shuffle=True, random_state=3).split(np.zeros((110, 1)), target.codes)
    for fold, (train, test) in zip(folds, wanted, strict=True):
        assert fold.train.tolist() == train.tolist()
        assert fold.test.tolist() == test.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_every_fold_has_its_share_of_each_class_of_each_stratum(seed):
    classes, strata = np.tile([0, 1, 2], 40), np.repeat([0, 1], 60)
    folds, notes = make_folds(read_target(classes), 5, random_state=seed, strata=strata)
    assert notes == []
    for fold in folds:
        _, sizes = np.unique([strata[fold.test], classes[fold.test]], axis=1, return_counts=True)
        assert sizes.tolist() == [4] * 6


def test_folds_as_given():
    target = target_of(6, 6)
    splitter = StratifiedKFold(3)
    pairs = list(splitter.split(np.zeros((12, 1)), target.codes))
    for given in (splitter, pairs):
        folds, _ = make_folds(target, given)
        assert [fold.test.tolist() for fold in folds] == [test.tolist() for _, test in pairs]


@pytest.mark.parametrize(
    ("sizes", "folds", "message"),
    [
        ((20, 4), 10, "class '1' has 4 samples, fewer than the 10 folds: give folds=4 or folds='loo'"),
        (
            (20, 1),
            2,
            "class '1' has 1 sample, fewer than the 2 folds: leave out its row, if that holds a total",
        ),
        (
            (120, 1),
            None,
            "class '1' has 1 sample, fewer than the 2 folds: leave out its row, if that holds a total",
        ),
        ((20, 1), "loo", "fold 21 would learn from one class only"),
        ((20, 20), 1, "folds=1 is not allowed: give a whole number from 2 to 40"),
        ((20, 20), "leave", "folds='leave' is not allowed"),
        ((20, 20), 2.5, "folds=2.5 is not allowed"),
        ((20, 20), [], "there are no folds"),
        ((20, 20), [([0, 1, 39], [39])], "fold 1 tests on samples that it also learns from"),
        ((20, 20), [([0, 39], [40])], "the test part of fold 1 is empty or names rows that are not there"),
        ((20, 20), [([0, 1], [2])], "fold 1 would learn from one class only"),
    ],
)
def test_mistakes(sizes, folds, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        make_folds(target_of(*sizes), folds)


@pytest.mark.parametrize(
    ("asked", "n_features", "first", "last", "note"),
    [
        (None, 200, 10, 100, None),
        (None, 100, 10, 100, None),
        (None, 57, 10, 57, "errors are measured for 10 to 57 features, not up to 100"),
        (None, 21, 10, 21, "for 10 to 21 features, not up to 100"),
        (None, 20, 1, 20, None),
        (None, 1, 1, 1, None),
        (7, 9, 7, 7, None),
        (range(5, 30, 5), 12, 5, 10, "for 5 to 10 features, not up to 25"),
        ([3, 1, 3], 9, 1, 3, None),
    ],
)
def test_numbers_of_features(asked, n_features, first, last, note):
    counts, notes = feature_counts(asked, n_features)
    assert (counts[0], counts[-1]) == (first, last)
    assert (np.diff(counts) > 0).all()
    assert len(notes) == (note is not None)
    assert note is None or note in str(notes[0])


@pytest.mark.parametrize("asked", [range(58, 100), 58])
def test_all_numbers_beyond_the_table(asked):
    with pytest.raises(ValueError, match="features begin at 58 but the table has 57 features"):
        feature_counts(asked, 57)


@pytest.mark.parametrize("asked", [[], [0, 1], [1.5], ["a"], [[1]]])
def test_numbers_that_are_none(asked):
    with pytest.raises(ValueError, match="give whole numbers from 1"):
        feature_counts(asked, 57)


def test_groups_are_never_on_both_sides():
    target, groups = target_of(30, 30), read_groups([f"person {j % 12}" for j in range(60)], 60)
    made, _ = make_folds(target, None, 0, groups)
    assert len(made) == 10
    for fold in made:
        assert not {groups[row] for row in fold.train} & {groups[row] for row in fold.test}
    assert len(make_folds(target, "loo", 0, groups)[0]) == 12
    assert len(make_folds(target, 3, 0, groups)[0]) == 3
    for wrong, message in (([0] * 60, "one value only"), ([0, 1], r"shape \(2,\): it must be one value for each")):
        with pytest.raises(ValueError, match=message):
            read_groups(wrong, 60)
    with pytest.raises(ValueError, match="as many as there are groups"):
        make_folds(target, 13, 0, groups)
