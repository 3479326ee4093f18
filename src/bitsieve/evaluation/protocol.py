"""One fold of a comparison: rank on the samples learned from, then classify with every number of features."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import config_context

from bitsieve.evaluation.encoding import encode_features
from bitsieve.evaluation.redundancy import redundancy_rates
from bitsieve.evaluation.separability import separability
from bitsieve.selectors.counted import CountSelector, count_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.evaluation.folds import Fold
    from bitsieve.evaluation.plan import Plan
    from bitsieve.selectors.counted import Counted


@dataclass(frozen=True)
class Ranking:
    """The features of one method in order of choice, and the seconds that choosing took (counting is shared)."""

    selected: NDArray[np.intp]
    seconds: float


@dataclass(frozen=True)
class Scored:
    """One method in one fold.

    Attributes
    ----------
    selected : ndarray of int
        In order of choice.
    errors : ndarray of int, shape (n_counts,)
        Test samples that got the wrong class.
    redundancy, separability : ndarray of float, shape (n_counts,)
        Of the training samples.
    seconds_selecting, seconds_classifying : float
    """

    selected: NDArray[np.intp]
    errors: NDArray[np.intp]
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
    columns, target = plan.columns.take(rows), plan.target.take(rows)
    counted: dict[str, Counted] = {}
    ranked = {}
    for label, selector in plan.selectors.items():
        if stopped():
            raise Stopped
        selector = _with_threads(selector, n_jobs)
        if isinstance(selector, CountSelector):
            key = repr(selector.binning)
            if key not in counted:
                counted[key] = count_columns(columns, target, selector.binning, n_jobs)
            start = time.perf_counter()
            selector.fit_counted(counted[key])
        else:
            X = take_rows(plan.features.X, rows)
            start = time.perf_counter()
            selector.fit(X, target.codes)
        seconds = time.perf_counter() - start
        ranked[label] = Ranking(np.asarray(selector.selected_, np.intp), seconds)
    return ranked


def score(
    plan: Plan, fold: Fold, rankings: dict[str, Ranking], stopped: Callable[[], bool] = lambda: False
) -> dict[str, Scored]:
    """The errors of every method's first k features, for every k, on the test samples of a fold."""
    learned_from = np.arange(len(plan.target.codes)) if plan.protocol == "paper" else fold.train
    labels, truth = plan.target.codes[fold.train], plan.target.codes[fold.test]
    scored = {}
    for label, ranking in rankings.items():
        # A method that stops before the largest count has no more features to give: its curve goes on level.
        counts = np.minimum(plan.counts, len(ranking.selected))
        made = encode_features(plan.columns, ranking.selected, learned_from)
        train, test = np.asfortranarray(made.values[fold.train]), np.asfortranarray(made.values[fold.test])
        stops, repeats = np.unique(made.ends[counts - 1], return_inverse=True)
        start = time.perf_counter()
        errors = np.empty(len(stops), np.intp)
        with config_context(assume_finite=True, skip_parameter_validation=True):
            for place, predicted in enumerate(plan.grow(train, labels, test, stops)):
                errors[place] = (predicted != truth).sum()
                if stopped():
                    raise Stopped
        seconds = time.perf_counter() - start
        scored[label] = Scored(
            ranking.selected,
            errors[repeats],
            _redundancy(train, made.ends, made.numeric, counts),
            separability(train, labels, made.ends[counts - 1]),
            ranking.seconds,
            seconds,
        )
    return scored


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of an array or a table."""
    if isinstance(X, np.ndarray):
        return X[rows]
    import narwhals as nw

    return nw.from_native(X, eager_only=True)[rows].to_native()


def _redundancy(
    train: NDArray[np.float64], ends: NDArray[np.intp], numeric: NDArray[np.bool_], counts: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Of the numeric features among the first k; categories have no correlation."""
    among = np.concatenate([[0], np.cumsum(numeric)])
    return redundancy_rates(train[:, ends[numeric] - 1], among[counts])


def _with_threads(selector: Any, n_jobs: int | None) -> Any:
    from sklearn.base import clone

    selector = clone(selector)
    return selector.set_params(n_jobs=n_jobs) if "n_jobs" in selector.get_params() else selector
