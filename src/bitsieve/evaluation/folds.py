"""Folds of a cross-validation: stratified, or one sample at a time, or as given."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.errors import ParameterError, Sentence, Setting
from bitsieve.common.parameters import check_integer
from bitsieve.data.encoding import as_array

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from bitsieve.data.target import Target

FEW_SAMPLES = 100  # below, one sample is left out at a time
MANY_FOLDS = 10
LEAVE_ONE_OUT = "loo"


@dataclass(frozen=True)
class Fold:
    """Row numbers of the training and of the test part."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def make_folds(
    target: Target, folds: Any = None, random_state: int = 0, groups: Any = None
) -> tuple[list[Fold], list[str]]:
    """The folds, and notes on how they were chosen.

    Parameters
    ----------
    target : Target
    folds : int, "loo", splitter, iterable of (train, test) or None
        None: leave-one-out below 100 samples, else 10 stratified folds, or as many as the smallest class has members. A
        scikit-learn splitter, or its pairs, is taken as it is.
    random_state : int, default=0
        Of the shuffle before stratified folds are made.
    groups : array-like of shape (n_samples,), optional
        Samples of one group, such as those of one person, are never both learned from and tested on.

    Raises
    ------
    ValueError
        If a class has fewer members than there are folds, or a training part would hold one class only.
    """
    codes = target.codes
    notes: list[str] = []
    if groups is not None:
        made = _by_groups(target, folds, _read_groups(groups, len(codes)), random_state)
        _check(made, codes)
        return made, notes
    if folds is None:
        folds, notes = _by_default(target)
    if isinstance(folds, str):
        made = _by_name(folds, len(codes))
    elif hasattr(folds, "split"):
        made = _as_given(folds.split(np.zeros((len(codes), 1)), codes))
    elif hasattr(folds, "__iter__"):
        made = _as_given(folds)
    else:
        made = _stratified(target, check_integer("folds", folds, 2, len(codes), "or 'loo'"), random_state)
    _check(made, codes)
    return made, notes


def _read_groups(groups: Any, n_samples: int) -> NDArray[np.intp]:
    values = as_array(groups)
    if values.shape != (n_samples,):
        raise ValueError(f"groups has shape {values.shape}: it must be one value for each of the {n_samples:,} samples")
    return np.unique(values.astype(str), return_inverse=True)[1]


def _by_groups(target: Target, folds: Any, groups: NDArray[np.intp], random_state: int) -> list[Fold]:
    """Stratified as far as whole groups allow; by default 10 folds, or as many as there are groups."""
    from sklearn.model_selection import StratifiedGroupKFold

    n_groups = int(groups.max()) + 1
    if n_groups < 2:
        raise ValueError("groups has one value only: at least two are needed to learn from one and test on another")
    if folds is None:
        folds = min(MANY_FOLDS, n_groups)
    elif isinstance(folds, str):
        _by_name(folds, 0)  # refuses another word
        folds = n_groups
    elif hasattr(folds, "split"):
        return _as_given(folds.split(np.zeros((len(groups), 1)), target.codes, groups))
    n_folds = check_integer("folds", folds, 2, n_groups, "as many as there are groups at most")
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)  # whole groups do not allow more
        return _as_given(splitter.split(np.zeros((len(groups), 1)), target.codes, groups))


def _by_default(target: Target) -> tuple[Any, list[str]]:
    if len(target.codes) < FEW_SAMPLES:
        return LEAVE_ONE_OUT, []
    sizes = np.bincount(target.codes)
    smallest = int(sizes.min())
    if smallest >= MANY_FOLDS:
        return MANY_FOLDS, []
    label = target.labels[sizes.argmin()]
    if smallest < 2:
        what = f"class {str(label)!r} has 1 sample, which cannot be both learned from and tested on: "
        advice = "drop the class or merge it with another, or give "
        raise ValueError(Sentence(what, advice, Setting("folds", LEAVE_ONE_OUT)))
    return smallest, [f"class {str(label)!r} has {smallest} samples only: {smallest} folds instead of {MANY_FOLDS}"]


def _by_name(name: str, n_samples: int) -> list[Fold]:
    if name.lower() != LEAVE_ONE_OUT:
        raise ParameterError("folds", name, "give a whole number of folds or 'loo' (leave one out)")
    rows = np.arange(n_samples)
    return [Fold(np.delete(rows, row), rows[row : row + 1]) for row in rows]


def _stratified(target: Target, n_folds: int, random_state: int) -> list[Fold]:
    from sklearn.model_selection import StratifiedKFold

    sizes = np.bincount(target.codes)
    smallest = int(sizes.min())
    if smallest < n_folds:
        label = target.labels[sizes.argmin()]
        what = f"class {str(label)!r} has {smallest} sample{'s' * (smallest != 1)}, fewer than the {n_folds} folds: "
        fewer = ("give ", Setting("folds", smallest), " or ") if smallest > 1 else ("drop the class, or give ",)
        raise ValueError(Sentence(what, *fewer, Setting("folds", LEAVE_ONE_OUT)))
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    return _as_given(splitter.split(np.zeros((len(target.codes), 1)), target.codes))


def _as_given(pairs: Iterable[Any]) -> list[Fold]:
    return [Fold(np.asarray(train, np.intp), np.asarray(test, np.intp)) for train, test in pairs]


def _check(folds: list[Fold], codes: NDArray[np.int32]) -> None:
    if not folds:
        raise ValueError("there are no folds: give at least one pair of training and test rows")
    for number, fold in enumerate(folds, 1):
        for part, rows in (("training", fold.train), ("test", fold.test)):
            if not len(rows) or rows.min() < 0 or rows.max() >= len(codes):
                raise ValueError(
                    f"the {part} part of fold {number} is empty or names rows that are not there: give rows from 0 to "
                    f"{len(codes) - 1}"
                )
        if len(np.intersect1d(fold.train, fold.test)):
            raise ValueError(f"fold {number} tests on samples that it learns from: give it disjoint parts")
        if (codes[fold.train] == codes[fold.train[0]]).all():
            raise ValueError(
                f"fold {number} would learn from one class only: give every class at least two samples, or other folds"
            )
