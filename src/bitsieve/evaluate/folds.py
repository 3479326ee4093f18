"""The folds of a comparison: made from a number, "loo" or a splitter, or given as pairs of row numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import LeaveOneOut, StratifiedGroupKFold, StratifiedKFold

from bitsieve.dataset.survival import SurvivalTarget
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.evaluate.notes import fewer_folds, folds_by_class
from bitsieve.utils.arrays import Columns, Floats, Values
from bitsieve.utils.parameters import check_integer

FEW_SAMPLES = 100  # below, one sample is left out at a time by default
DEFAULT_FOLDS = 10
LEAVE_ONE_OUT = "loo"

#: The row numbers of a training and of a test part.
RowPair: TypeAlias = tuple[ArrayLike, ArrayLike]


@runtime_checkable
class Splitter(Protocol):
    """A splitter, such as those of ``sklearn.model_selection``."""

    def split(self, X: Values, y: Values, groups: Values | None = None) -> Iterable[RowPair]:
        """Yield the row numbers of the training and of the test part of every fold."""


#: A number of folds, "loo", a splitter of scikit-learn, or the rows of every fold; None for the default.
FoldsLike: TypeAlias = int | str | Splitter | Iterable[RowPair] | None


@dataclass(frozen=True)
class Fold:
    """Row numbers of the training and of the test part."""

    train: Columns
    test: Columns


def make_folds(
    target: Target,
    folds: FoldsLike = None,
    random_state: int = 0,
    groups: Columns | None = None,
    stratified: bool = False,
    strata: Columns | None = None,
) -> tuple[list[Fold], list[Diagnostic]]:
    """Make the folds that the parameter ``folds`` of :func:`bitsieve.compare` asks for.

    ``stratified`` folds are the default of small tables, too, for measures that need several classes in a test part.
    With ``strata`` every fold has samples of each class of each stratum, where there are enough of these; strata of
    fewer samples than folds stay whole.

    Returns the folds, and a note if there are fewer than usual. Raises UserError if a class is too small, or a fold
    has an empty, unknown or shared row, or learns from one class only.
    """
    notes: list[Diagnostic] = []
    if groups is None and strata is not None:
        groups = _groups_of_small_strata(strata, folds)
    if folds is None:
        folds, notes = _default_folds(target, groups, stratified)
    if isinstance(folds, str) and folds.lower() != LEAVE_ONE_OUT:
        raise ParameterError("folds", folds, "give a whole number of folds or 'loo' (leave one out)")

    if isinstance(folds, Splitter) and not isinstance(folds, str):  # text has a method split, too
        pairs = _split(folds, target.codes, groups)
    elif groups is not None:
        pairs = _group_folds(target, folds, random_state, groups)
    elif isinstance(folds, str):
        pairs = _split(LeaveOneOut(), target.codes, None)
    elif isinstance(folds, Iterable):
        pairs = list(folds)
    else:
        n_folds = check_integer("folds", folds, 2, len(target.codes), "or 'loo'")
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
        classes = _classes_to_stratify(target, n_folds)
        if strata is not None:
            classes, notes_on_strata = _classes_within_strata(classes, strata, n_folds)
            notes = [*notes, *notes_on_strata]
        pairs = _split(splitter, classes, None)

    made_folds = [Fold(np.asarray(train, np.intp), np.asarray(test, np.intp)) for train, test in pairs]
    _check(made_folds, target)
    return made_folds, notes


def _groups_of_small_strata(strata: Columns, folds: FoldsLike) -> Columns | None:
    """Groups in which the samples of a stratum of fewer samples than folds stay together; None without such strata.

    Every sample of a larger stratum is a group of its own.
    """
    n_folds = folds if isinstance(folds, int) else DEFAULT_FOLDS
    is_small = np.bincount(strata) < n_folds
    if not is_small.any():
        return None
    own_group = len(is_small) + np.arange(len(strata))
    return np.where(is_small[strata], strata, own_group)


def _classes_within_strata(
    classes: NDArray[np.integer], strata: Columns, n_folds: int
) -> tuple[NDArray[np.integer], list[Diagnostic]]:
    """The combinations of class and stratum, one of each sample.

    Where a combination has fewer samples than folds, these are the classes alone, with a note.
    """
    n_classes = int(classes.max()) + 1
    _, combinations, sizes = np.unique(strata * n_classes + classes, return_inverse=True, return_counts=True)
    if sizes.min() < n_folds:
        return classes, [folds_by_class(n_folds)]
    return combinations.reshape(-1), []


def _default_folds(target: Target, groups: Columns | None, stratified: bool) -> tuple[int | str, list[Diagnostic]]:
    """Leave one out below 100 samples, else ten folds, or as many as the smallest class or the groups allow.

    ``stratified`` folds are made below 100 samples, too, if every class has two.
    """
    if groups is not None:
        return min(DEFAULT_FOLDS, len(np.unique(groups))), []
    if isinstance(target, SurvivalTarget):
        n_events = int(target.event.sum())
        n_folds = min(DEFAULT_FOLDS, max(2, n_events))
        notes = [] if n_folds == DEFAULT_FOLDS else [fewer_folds("event", n_events, n_folds, DEFAULT_FOLDS)]
        return n_folds, notes
    class_sizes = np.bincount(target.codes)
    smallest = int(class_sizes.min())
    if len(target.codes) < FEW_SAMPLES and not (stratified and smallest >= 2):
        return LEAVE_ONE_OUT, []
    if smallest >= DEFAULT_FOLDS or target.is_quantity:
        return DEFAULT_FOLDS, []
    label = target.labels[class_sizes.argmin()]
    n_folds = max(2, smallest)
    return n_folds, [fewer_folds(str(label), smallest, n_folds, DEFAULT_FOLDS)]


def _group_folds(target: Target, folds: FoldsLike, random_state: int, groups: Columns) -> list[RowPair]:
    """Folds of whole groups, stratified as far as these allow; "loo" leaves one group out at a time."""
    n_groups = len(np.unique(groups))
    n_folds = n_groups if isinstance(folds, str) else folds
    n_folds = check_integer("folds", n_folds, 2, n_groups, "as many as there are groups at most")
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state)
    return _split(splitter, target.codes, groups)


def _split(splitter: Splitter, classes: NDArray[np.integer], groups: Columns | None) -> list[RowPair]:
    """The pairs of training and test rows of a splitter of scikit-learn, which may stratify by the classes."""
    placeholder = np.zeros((len(classes), 1))  # splitters look at the number of its rows only
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        if groups is None:
            return list(splitter.split(placeholder, classes))
        return list(splitter.split(placeholder, classes, groups))


def _classes_to_stratify(target: Target, n_folds: int) -> NDArray[np.integer]:
    """The class of every sample by which folds are stratified: for a quantity or a time, samples of similar values."""
    if isinstance(target, SurvivalTarget):
        return _classes_of_times(target, n_folds)
    if target.values is not None:
        return _classes_of_neighbours(target.values, n_folds)
    class_sizes = np.bincount(target.codes)
    smallest = int(class_sizes.min())
    if smallest < n_folds:
        label = target.labels[class_sizes.argmin()]
        samples = "sample" if smallest == 1 else "samples"
        remedy = "leave out its row, if that holds a total or a typing error,"
        if smallest > 1:
            remedy = f"give {{folds={smallest}}}"
        raise UserError(
            code="small-class",
            message=f"class {str(label)!r} has {smallest} {samples}, fewer than the {n_folds} folds",
            advice=f"{remedy} or {{folds}}",
            fix={"folds": LEAVE_ONE_OUT},
        )
    return target.codes


def _classes_of_neighbours(values: Floats, n_folds: int) -> Columns:
    """Classes of ``n_folds`` samples of neighbouring ranks; the last one also has those that are left over."""
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    last = max(0, len(ranks) // n_folds - 1)
    return np.minimum(ranks // n_folds, last)


def _classes_of_times(target: SurvivalTarget, n_folds: int) -> Columns:
    """Classes of neighbouring times, of samples with an event and of censored ones."""
    has_event = target.event
    n_events = int(has_event.sum())
    if n_events < n_folds:
        samples_have = "sample has" if n_events == 1 else "samples have"
        raise UserError(
            code="small-class",
            message=f"{n_events} {samples_have} an event, fewer than the {n_folds} folds",
            advice="give fewer {folds}, or more samples",
            fix={"folds": max(2, n_events)},
        )
    classes = np.empty(len(has_event), np.intp)
    classes[has_event] = _classes_of_neighbours(target.time[has_event], n_folds)
    n_classes_of_events = int(classes[has_event].max()) + 1
    if not has_event.all():
        classes[~has_event] = n_classes_of_events + _classes_of_neighbours(target.time[~has_event], n_folds)
    return classes


def _check(folds: list[Fold], target: Target) -> None:
    n_samples = len(target.truth)
    if not folds:
        raise UserError(
            code="no-folds",
            message="there are no folds",
            advice="give at least one pair of training and test rows",
        )
    for number, fold in enumerate(folds, 1):
        _check_rows(fold.train, f"the training part of fold {number}", n_samples)
        _check_rows(fold.test, f"the test part of fold {number}", n_samples)
        if len(np.intersect1d(fold.train, fold.test)):
            raise UserError(
                code="invalid-fold",
                message=f"fold {number} tests on samples that it also learns from",
                advice="give it disjoint parts",
            )
        if isinstance(target, SurvivalTarget):
            _check_has_event(target, fold, number)
        else:
            _check_varies(target, fold, number)


def _check_has_event(target: SurvivalTarget, fold: Fold, number: int) -> None:
    if not target.event[fold.train].any():
        raise UserError(
            code="no-events",
            message=f"fold {number} would learn from samples without an event",
            advice="give other folds or more samples",
        )


def _check_varies(target: Target, fold: Fold, number: int) -> None:
    truth = target.truth[fold.train]
    if (truth == truth[0]).all():
        value = "value of the target" if target.is_quantity else "class"
        raise UserError(
            code="one-class",
            message=f"fold {number} would learn from one {value} only",
            advice="give other folds or more samples",
        )


def _check_rows(rows: Columns, part: str, n_samples: int) -> None:
    if not len(rows) or rows.min() < 0 or rows.max() >= n_samples:
        raise UserError(
            code="invalid-fold",
            message=f"{part} is empty or names rows that are not there",
            advice=f"give rows from 0 to {n_samples - 1}",
        )
