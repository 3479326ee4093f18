"""The errors of a model on the first features that a method selected, for every number of features in a fold."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn import config_context

from bitsieve.evaluate.folds import Fold
from bitsieve.evaluate.plan import Plan
from bitsieve.metrics.fold_scores import Scored
from bitsieve.metrics.losses import wrong_classes
from bitsieve.metrics.subsets import redundancy_rates, separability
from bitsieve.utils.arrays import Columns, Floats, Values

Check = Callable[[], object]  # called between two steps of the work; it raises Stopped if the work is to end


class Stopped(Exception):
    """The work was given up because the caller was interrupted."""


def never_stopped() -> None:
    """The check of work that is not interrupted."""


class Ranking(NamedTuple):
    """The features that a method selected."""

    selected: Columns  # in order of choice
    seconds: float  # of the selection, binning and counting included


def score(plan: Plan, fold: Fold, rankings: dict[str, Ranking], check: Check = never_stopped) -> dict[str, Scored]:
    """Measure the first k features of every method in a fold, for every k."""
    scored = {}
    for label, ranking in rankings.items():
        # A method that stops before the largest number has no more features to give: its curve goes on level.
        counts = np.minimum(plan.counts, len(ranking.selected))
        encoded = plan.encode(ranking.selected, fold)
        train = encoded.rows(fold.train)
        test = encoded.rows(fold.test)
        start = time.perf_counter()
        errors = errors_of_prefixes(plan, fold, train, test, encoded.n_columns[counts - 1], check)
        seconds_classifying = time.perf_counter() - start

        # Redundancy and separability are those of the numeric features: categories have no correlation, and the
        # columns of one feature determine each other.
        numbers = train[:, encoded.n_columns[encoded.is_numeric] - 1]
        n_numeric_among_first = np.concatenate([[0], np.cumsum(encoded.is_numeric)])
        n_numeric = n_numeric_among_first[counts]
        if plan.measure.predicts != "classes":
            separabilities = np.full(len(n_numeric), np.nan)
        else:
            separabilities = separability(numbers, plan.target.codes[fold.train], n_numeric)
        scored[label] = Scored(
            selected=ranking.selected,
            errors=errors,
            redundancy=redundancy_rates(numbers, n_numeric),
            separability=separabilities,
            seconds_selecting=ranking.seconds,
            seconds_classifying=seconds_classifying,
        )
    return scored


def errors_of_prefixes(
    plan: Plan, fold: Fold, train: Floats, test: Floats, n_columns: Columns, check: Check = never_stopped
) -> Values:
    """The errors of the model on the first n columns, for every n in ``n_columns``."""
    labels = plan.target.truth[fold.train]
    truth = plan.target.truth[fold.test]
    distinct_numbers, index_of_number = np.unique(n_columns, return_inverse=True)
    errors = np.empty(len(distinct_numbers), np.intp if plan.loss is wrong_classes else np.float64)
    with config_context(assume_finite=True):
        for i, predicted in enumerate(plan.predict(train, labels, test, distinct_numbers)):
            errors[i] = plan.loss(predicted, truth)
            check()
    return errors[index_of_number]
