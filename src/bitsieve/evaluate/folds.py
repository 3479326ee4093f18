"""Folds of a cross-validation: stratified, or one sample at a time, or as given."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.messages import ParameterError, Sentence, Setting
from bitsieve.common.parameters import check_integer
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
    target: Target, folds: Any = None, random_state: int = 0, groups: NDArray[np.intp] | None = None
) -> tuple[list[Fold], list[str]]:
    """The folds, and notes on how they were chosen, for :func:`bitsieve.compare`; refused if a class is too small."""
    notes: list[str] = []
    if groups is not None:
        made = _by_groups(target, folds, groups, random_state)
    else:
        if folds is None:
            folds, notes = _by_default(target)
        if isinstance(folds, str):
            _check_name(folds)
            rows = np.arange(len(target.codes))
            made = [Fold(np.delete(rows, row), rows[row : row + 1]) for row in rows]
        elif hasattr(folds, "split"):
            made = _as_given(folds.split(_columns(target), target.codes))
        elif hasattr(folds, "__iter__"):
            made = _as_given(folds)
        else:
            n_folds = check_integer("folds", folds, 2, len(target.codes), "or 'loo'")
            made = _stratified(_strata(target, n_folds), n_folds, random_state)
    _check(made, target)
    return made, notes


def _by_groups(target: Target, folds: Any, groups: NDArray[np.intp], random_state: int) -> list[Fold]:
    """Stratified as far as whole groups allow; by default 10 folds, or as many as there are groups."""
    from sklearn.model_selection import StratifiedGroupKFold

    n_groups = len(np.unique(groups))
    if folds is None:
        folds = min(MANY_FOLDS, n_groups)
    elif isinstance(folds, str):
        _check_name(folds)
        folds = n_groups
    elif hasattr(folds, "split"):
        return _as_given(folds.split(_columns(target), target.codes, groups))
    n_folds = check_integer("folds", folds, 2, n_groups, "as many as there are groups at most")
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)  # whole groups do not allow more
        return _as_given(splitter.split(_columns(target), target.codes, groups))


def _by_default(target: Target) -> tuple[Any, list[str]]:
    if len(target.codes) < FEW_SAMPLES:
        return LEAVE_ONE_OUT, []
    sizes = np.bincount(target.codes)
    smallest = int(sizes.min())
    if smallest >= MANY_FOLDS or target.is_quantity:
        return MANY_FOLDS, []
    label = target.labels[sizes.argmin()]
    if smallest < 2:
        what = f"class {str(label)!r} has 1 sample, which cannot be both learned from and tested on: "
        advice = "drop the class or merge it with another, or give "
        raise ValueError(Sentence(what, advice, Setting("folds", LEAVE_ONE_OUT)))
    return smallest, [f"class {str(label)!r} has {smallest} samples only: {smallest} folds instead of {MANY_FOLDS}"]


def _check_name(name: str) -> None:
    if name.lower() != LEAVE_ONE_OUT:
        raise ParameterError("folds", name, "give a whole number of folds or 'loo' (leave one out)")


def _stratified(strata: NDArray[np.integer], n_folds: int, random_state: int) -> list[Fold]:
    from sklearn.model_selection import StratifiedKFold

    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    return _as_given(splitter.split(np.zeros((len(strata), 1)), strata))


def _strata(target: Target, n_folds: int) -> NDArray[np.integer]:
    """The classes; of a quantity ``n_folds`` samples of neighbouring ranks each, those left over in the last."""
    if target.values is not None:
        ranks = np.argsort(np.argsort(target.values, kind="stable"), kind="stable")
        return np.minimum(ranks // n_folds, len(ranks) // n_folds - 1)
    sizes = np.bincount(target.codes)
    smallest = int(sizes.min())
    if smallest < n_folds:
        label = target.labels[sizes.argmin()]
        what = f"class {str(label)!r} has {smallest} sample{'s' * (smallest != 1)}, fewer than the {n_folds} folds: "
        fewer = ("give ", Setting("folds", smallest), " or ") if smallest > 1 else ("drop the class, or give ",)
        raise ValueError(Sentence(what, *fewer, Setting("folds", LEAVE_ONE_OUT)))
    return target.codes


def _columns(target: Target) -> NDArray[np.float64]:
    """An empty table, as splitters of scikit-learn ask for one."""
    return np.zeros((len(target.codes), 1))


def _as_given(pairs: Iterable[Any]) -> list[Fold]:
    return [Fold(np.asarray(train, np.intp), np.asarray(test, np.intp)) for train, test in pairs]


def _check(folds: list[Fold], target: Target) -> None:
    truth = target.truth
    if not folds:
        raise ValueError("there are no folds: give at least one pair of training and test rows")
    for number, fold in enumerate(folds, 1):
        for part, rows in (("training", fold.train), ("test", fold.test)):
            if not len(rows) or rows.min() < 0 or rows.max() >= len(truth):
                raise ValueError(
                    f"the {part} part of fold {number} is empty or names rows that are not there: give rows from 0 to "
                    f"{len(truth) - 1}"
                )
        if len(np.intersect1d(fold.train, fold.test)):
            raise ValueError(f"fold {number} tests on samples that it learns from: give it disjoint parts")
        if (truth[fold.train] == truth[fold.train[0]]).all():
            if target.is_quantity:
                raise ValueError(f"fold {number} would learn from one value only of the target: give other folds")
            raise ValueError(
                f"fold {number} would learn from one class only: give every class at least two samples, or other folds"
            )
