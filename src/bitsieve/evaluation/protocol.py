"""One fold of a comparison: rank on the samples learned from, then classify with every number of features."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import config_context

from bitsieve.evaluation.encoding import encode_features
from bitsieve.evaluation.redundancy import redundancy_rates
from bitsieve.evaluation.scoring import wrong
from bitsieve.evaluation.separability import separability
from bitsieve.selectors.counted import CountSelector
from bitsieve.selectors.fitting import count_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.evaluation.folds import Fold
    from bitsieve.evaluation.plan import Plan
    from bitsieve.selectors.fitting import Counted


@dataclass(frozen=True)
class Ranking:
    """The features of one method in order of choice, and the seconds that took.

    The seconds of every method include binning and packing, which are done once for all of them. A pair of features
    that one method counted costs the methods after it nothing.
    """

    selected: NDArray[np.intp]
    seconds: float


@dataclass(frozen=True)
class Scored:
    """One method in one fold.

    Attributes
    ----------
    selected : ndarray of int
        In order of choice.
    errors : ndarray, shape (n_counts,)
        Test samples that got the wrong class, or the loss of another score.
    redundancy, separability : ndarray of float, shape (n_counts,)
        Of the numeric features in the training samples.
    seconds_selecting, seconds_classifying : float
    """

    selected: NDArray[np.intp]
    errors: NDArray[Any]
    redundancy: NDArray[np.float64]
    separability: NDArray[np.float64]
    seconds_selecting: float
    seconds_classifying: float


class Stopped(Exception):
    """The work was given up, as the caller was interrupted."""


def rank(
    plan: Plan, rows: NDArray[np.intp], n_jobs: int | None = None, stopped: Callable[[], bool] = lambda: False
) -> dict[str, Ranking]:
    """The ranking of every method from the samples ``rows`` alone; what is counted is counted once for all of them."""
    table = plan.table.take(rows)
    counted: dict[str, tuple[Counted, float]] = {}
    ranked = {}
    for label, selector in plan.selectors.items():
        if stopped():
            raise Stopped
        selector = _with_threads(selector, n_jobs)
        if isinstance(selector, CountSelector):
            key = repr(selector.binning)
            start = time.perf_counter()
            if key not in counted:
                made = count_table(table, selector.binning, n_jobs)
                counted[key] = made, time.perf_counter() - start
                start = time.perf_counter()
            counts, seconds = counted[key]
            selector.fit_counted(counts)
        else:
            start, seconds = time.perf_counter(), 0.0
            selector.fit_table(table)
        seconds += time.perf_counter() - start
        selected = np.asarray(selector.selected_, np.intp)
        if not len(selected):
            raise ValueError(f"method {label!r} selects no feature of this table: leave it out, or loosen its settings")
        ranked[label] = Ranking(selected, seconds)
    return ranked


def score(
    plan: Plan,
    fold: Fold,
    rankings: dict[str, Ranking],
    stopped: Callable[[], bool] = lambda: False,
    step: Callable[[], object] = lambda: None,
) -> dict[str, Scored]:
    """The errors of every method's first k features, for every k, on the test samples of a fold."""
    learned_from = np.arange(plan.table.n_samples) if plan.protocol == "paper" else fold.train
    labels, truth = plan.target.codes[fold.train], plan.target.codes[fold.test]
    scored = {}
    for label, ranking in rankings.items():
        # A method that stops before the largest count has no more features to give: its curve goes on level.
        counts = np.minimum(plan.counts, len(ranking.selected))
        made = encode_features(plan.table, ranking.selected, learned_from, centred=plan.centred)
        train, test = np.asfortranarray(made.values[fold.train]), np.asfortranarray(made.values[fold.test])
        stops, repeats = np.unique(made.ends[counts - 1], return_inverse=True)
        start = time.perf_counter()
        errors = np.empty(len(stops), np.intp if plan.loss is wrong else np.float64)
        with config_context(assume_finite=True):
            for place, predicted in enumerate(plan.grow(train, labels, test, stops)):
                errors[place] = plan.loss(predicted, truth)
                step()
                if stopped():
                    raise Stopped
        seconds = time.perf_counter() - start
        # Of the numeric features: categories have no correlation, and their columns determine each other.
        numbers = train[:, made.ends[made.numeric] - 1]
        among = np.concatenate([[0], np.cumsum(made.numeric)])[counts]
        scored[label] = Scored(
            ranking.selected,
            errors[repeats],
            redundancy_rates(numbers, among),
            separability(numbers, labels, among),
            ranking.seconds,
            seconds,
        )
    return scored


def _with_threads(selector: Any, n_jobs: int | None) -> Any:
    from sklearn.base import clone

    selector = clone(selector)
    return selector.set_params(n_jobs=n_jobs) if "n_jobs" in selector.get_params() else selector
