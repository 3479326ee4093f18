"""A comparison is run: methods rank once a fold, a classifier is asked for every number, and folds are kept."""

from __future__ import annotations

import pickle
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from dataclasses import fields, replace
from itertools import count
from os import PathLike
from pathlib import Path
from threading import Event, Lock
from typing import Any

import joblib
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from threadpoolctl import threadpool_limits

from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.data_kinds import library_of
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.diagnostics import UserError
from bitsieve.evaluate.plan import Fold, Foreign, Plan
from bitsieve.io.errors import DataError
from bitsieve.io.output import writing
from bitsieve.methods.by_samples.spanning_tree.bayes_error import global_bounds
from bitsieve.metrics.fold_scores import Scored
from bitsieve.metrics.losses import wrong
from bitsieve.metrics.subsets import redundancy_rates, separability
from bitsieve.options import ExecutionOptions
from bitsieve.pipeline.discretize import Counted, binning_parameter, discretize
from bitsieve.results.comparison import BEST, Comparison
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.messages import one_line
from bitsieve.utils.progress import phase

Ranking = tuple[Columns, float]  # features in order of choice, and the seconds that took, binning included

ALL_COLUMNS = "all columns"
_MOST_CELLS = 10**8  # of a table of which all columns are used


class Stopped(Exception):
    """The work was given up, as the caller was interrupted."""


def rank(
    plan: Plan, rows: Columns, n_jobs: int | None = None, check: Callable[[], object] = lambda: None
) -> dict[str, Ranking]:
    """The ranking of every method from the samples ``rows`` alone; ``check`` is called between them and may raise."""
    counted_by_options: dict[str, tuple[Counted, float]] = {}
    ranked = {}
    for label, selector in plan.selectors.items():
        check()
        selector = clone(selector)
        if "n_jobs" in selector.get_params():
            selector.set_params(n_jobs=n_jobs)
        start = time.perf_counter()
        seconds_counting = 0.0  # when the counts of an earlier method are used again
        if hasattr(selector, "fit_counted"):
            table, options = plan.settled_for(selector.discretization)
            key = repr(options)
            if key in counted_by_options:
                counted, seconds_counting = counted_by_options[key]
            else:
                counted = discretize(_rows_of(table, rows), options, ExecutionOptions(n_jobs=n_jobs))
                counted_by_options[key] = counted, time.perf_counter() - start
            selector.fit_counted(counted)
        else:
            selector.fit_table(_rows_of(plan.table, rows))
        seconds = seconds_counting + time.perf_counter() - start
        selected = np.asarray(selector.selected_, np.intp)
        if not len(selected):
            raise UserError(
                code="nothing-selected",
                message=f"method {label!r} selects no feature of this table",
                advice="leave it out, or loosen its settings",
            )
        ranked[label] = selected, seconds
    return ranked


def _rows_of(table: InMemoryDataset, rows: Columns) -> InMemoryDataset:
    """Some rows of a table, with a quantity cut into classes by these rows alone."""
    part = table.take(rows)
    return replace(part, y=part.target.cut_again(part.weights))


def score(
    plan: Plan, fold: Fold, rankings: dict[str, Ranking], check: Callable[[], object] = lambda: None
) -> dict[str, Scored]:
    """The errors of the first k features of every method, for every k, in a fold; ``check`` is called and may raise."""
    scored = {}
    classes = None if plan.target.is_quantity else plan.target.codes[fold.train]
    for label, (selected, seconds_selecting) in rankings.items():
        # A method that stops before the largest count has no more features to give: its curve goes on level.
        counts = np.minimum(plan.counts, len(selected))
        encoded = plan.encode(selected, fold)
        train = encoded.rows(fold.train)
        test = encoded.rows(fold.test)
        start = time.perf_counter()
        errors = _errors(plan, fold, train, test, encoded.ends[counts - 1], check)
        seconds_classifying = time.perf_counter() - start
        # Of the numeric features: categories have no correlation, and their columns determine each other.
        numbers = train[:, encoded.ends[encoded.numeric] - 1]
        n_numeric = np.concatenate([[0], np.cumsum(encoded.numeric)])[counts]  # among the first k features
        if classes is None:
            separabilities = np.full(len(n_numeric), np.nan)
        else:
            separabilities = separability(numbers, classes, n_numeric)
        scored[label] = Scored(
            selected=selected,
            errors=errors,
            redundancy=redundancy_rates(numbers, n_numeric),
            separability=separabilities,
            seconds_selecting=seconds_selecting,
            seconds_classifying=seconds_classifying,
        )
    return scored


def _errors(
    plan: Plan, fold: Fold, train: Floats, test: Floats, ends: Columns, check: Callable[[], object] = lambda: None
) -> NDArray[Any]:
    """The errors of the classifier on the first columns of a fold, for every number of them in ``ends``."""
    labels = plan.target.truth[fold.train]
    truth = plan.target.truth[fold.test]
    distinct_ends, index_of_end = np.unique(ends, return_inverse=True)
    errors = np.empty(len(distinct_ends), np.intp if plan.loss is wrong else np.float64)
    with config_context(assume_finite=True):
        for i, predicted in enumerate(plan.grow(train, labels, test, distinct_ends)):
            errors[i] = plan.loss(predicted, truth)
            check()
    return errors[index_of_end]


def run_plan(plan: Plan, n_jobs: int | None = None, checkpoint: Checkpoint | None = None) -> Comparison:
    """Rank and classify in every fold, a fold a thread; under the protocol of the papers with one ranking."""
    finished: dict[int, dict[str, Scored]] = {} if checkpoint is None else dict(checkpoint.finished)
    unfinished = [number for number in range(len(plan.folds)) if number not in finished]
    stopped = Event()
    lock = Lock()
    with threadpool_limits(1), warnings.catch_warnings():
        # The filters are set here and not in the threads of the folds, because all threads of a process share them.
        # A mixture's 100 iterations are its definition here, and constant columns come last in a ranking.
        warnings.filterwarnings("ignore", ".*nitialization did not converge", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Features .* are constant", UserWarning)
        report_progress = phase(f"comparing by {plan.classifier.partition('(')[0]}")
        rankings_of_all_rows: dict[str, Ranking] | None = None
        if plan.ranks_once and unfinished:
            rankings_of_all_rows = rank(plan, np.arange(plan.table.n_samples), n_jobs)

        fits_in_fold = len(plan.selectors) * len(plan.counts)
        fits_done = count(len(finished) * fits_in_fold + 1)

        def check() -> None:
            if stopped.is_set():
                raise Stopped

        def classified() -> None:
            n_fits = fits_in_fold * len(plan.folds)
            with lock:
                report_progress(min(next(fits_done), n_fits), n_fits)
            check()

        def work(number: int) -> None:
            fold = plan.folds[number]
            # In a context of its own: the phases of a fold would hide those of the comparison.
            rankings = rankings_of_all_rows or Context().run(rank, plan, fold.train, check=check)
            scored = score(plan, fold, rankings, classified)
            with lock:
                finished[number] = scored
                if checkpoint is not None:
                    checkpoint.add(number, scored)

        run_blocks(work, unfinished, n_jobs, lambda _, __: None, stopped)
        baselines = baseline_errors(plan, n_jobs) if plan.options.baselines else {}
    comparison = comparison_of(plan, [finished[number] for number in range(len(plan.folds))], baselines)
    return with_bounds(plan, comparison, n_jobs) if plan.options.bounds else comparison


def comparison_of(plan: Plan, folds: list[dict[str, Scored]], baselines: dict[str, Floats]) -> Comparison:
    """The comparison of a plan from the results of all folds, each by the labels of the methods."""
    labels = list(plan.selectors)
    data = plan.table.original
    binning = binning_parameter(plan.discretization)

    def measured(name: str) -> NDArray[Any]:
        return np.array([[getattr(fold[label], name) for fold in folds] for label in labels])

    return Comparison(
        methods=labels,
        counts=plan.counts,
        n_test=np.array([len(fold.test) for fold in plan.folds], np.intp),
        errors=measured("errors"),
        redundancy=measured("redundancy"),
        separability=measured("separability"),
        seconds_selecting=measured("seconds_selecting"),
        seconds_classifying=measured("seconds_classifying"),
        selected=[[fold[label].selected for fold in folds] for label in labels],
        names=list(plan.table.names),
        parameters={
            "target": plan.target.name,
            "n_samples": plan.table.n_samples,
            "n_features": plan.table.n_features,
            "n_classes": None if plan.target.is_quantity else plan.target.n_classes,
            "classifier": plan.classifier,
            "scoring": plan.measure.name,
            "protocol": plan.options.protocol,
            "binning": binning if isinstance(binning, str) else one_line(repr(binning)),
            "n_folds": len(plan.folds),
            "random_state": plan.options.random_state,
        },
        diagnostics=list(plan.diagnostics),
        majority=plan.baseline_errors(),
        baselines=baselines,
        library=library_of(None if data is None else data.take(np.arange(1))),
    )


def baseline_errors(plan: Plan, n_jobs: int | None = None) -> dict[str, Floats]:
    """The errors, of shape (n_folds, n_counts), of the majority class or mean, the best F-tests and all columns."""
    columns = np.setdiff1d(np.arange(plan.table.n_features), plan.table.left_out)
    has_few_cells = plan.table.n_samples * len(columns) <= _MOST_CELLS
    shape = (len(plan.folds), len(plan.counts))
    errors = {plan.measure.baseline: np.zeros(shape) + plan.baseline_errors()[:, None], BEST: np.zeros(shape)}
    if has_few_cells:
        errors[ALL_COLUMNS] = np.zeros(shape)
    test = f_regression if plan.target.is_quantity else f_classif

    def errors_of(selected: Columns, counts: Columns, fold: Fold) -> NDArray[Any]:
        encoded = plan.encode(selected, fold)
        return _errors(plan, fold, encoded.rows(fold.train), encoded.rows(fold.test), encoded.ends[counts - 1])

    def work(number: int) -> None:
        fold = plan.folds[number]
        best = Foreign(SelectKBest(test, k="all")).fit_table(plan.table.take(plan.learned_from(fold))).selected_
        errors[BEST][number] = errors_of(best, np.minimum(plan.counts, len(best)), fold)
        if has_few_cells:
            errors[ALL_COLUMNS][number] = errors_of(columns, np.array([len(columns)]), fold)

    run_blocks(work, range(len(plan.folds)), n_jobs, phase("baselines"))
    return errors


def with_bounds(plan: Plan, comparison: Comparison, n_jobs: int | None = None) -> Comparison:
    """Add bounds on the Bayes error of the features chosen by each method, from the training samples of each fold."""
    n_chosen = [comparison.chosen(method).n_features for method in comparison.methods]
    bounds = np.empty((len(n_chosen), len(plan.folds), 2))

    def work(method_and_fold: tuple[int, int]) -> None:
        method, number = method_and_fold
        fold = plan.folds[number]
        chosen = comparison.selected[method][number][: n_chosen[method]]
        points = plan.encode(chosen, fold).values[fold.train]
        bounds[method, number] = global_bounds(points, plan.target.codes[fold.train], plan.target.n_classes)

    run_blocks(work, list(np.ndindex(bounds.shape[:2])), n_jobs, phase("bounding the Bayes error"))
    return replace(comparison, bayes_error_bounds=np.average(bounds, axis=1, weights=comparison.n_test))


_MEASURED = tuple(field.name for field in fields(Scored))
_FOLD = "fold-*.npz"
_UNFINISHED = ".bitsieve-*.tmp"  # of a process that was killed while it wrote


class Checkpoint:
    """A folder of finished folds, made where it is not there; DataError where it holds anything else."""

    def __init__(self, path: str | PathLike[str], plan: Plan) -> None:
        self.path = Path(path)
        self._fingerprint = fingerprint(plan)
        self._methods = list(plan.selectors)
        self.finished: dict[int, dict[str, Scored]] = {}
        try:
            self.path.mkdir(exist_ok=True)
            files = sorted(self.path.iterdir())
        except OSError as error:
            raise DataError(
                code="cannot-write",
                message=f"{str(self.path)!r} cannot be the folder of a checkpoint ({error.strerror})",
                advice="give a new one in a folder that exists",
            ) from None
        for file in files:
            if file.match(_FOLD):
                self._take(file)
            elif not file.match(_UNFINISHED):
                raise DataError(
                    code="not-a-checkpoint",
                    message=f"{str(self.path)!r} is no checkpoint of a comparison, it holds {file.name!r}",
                    advice="give another path",
                )

    def add(self, fold: int, scored: dict[str, Scored]) -> None:
        """Keep a finished fold."""
        measured = {
            f"{i} {name}": getattr(scored[method], name) for i, method in enumerate(self._methods) for name in _MEASURED
        }
        with writing(self.path / _FOLD.replace("*", str(fold)), "checkpoint") as file:
            np.savez(file, asked=self._fingerprint, fold=fold, **measured)
        self.finished[fold] = scored

    def _take(self, file: Path) -> None:
        """Read a finished fold of the same comparison; every byte is compared with its checksum."""
        stored_fingerprint = ""
        # Whatever a damaged zip raises is suppressed.
        with suppress(Exception), open(file, "rb") as opened, np.load(opened, allow_pickle=False) as stored:
            if stored.zip.testzip() is None:
                stored_fingerprint = str(stored["asked"])
                if stored_fingerprint == self._fingerprint:
                    self.finished[int(stored["fold"])] = {
                        method: Scored(**{name: stored[f"{i} {name}"][()] for name in _MEASURED})
                        for i, method in enumerate(self._methods)
                    }
                    return
        if stored_fingerprint not in ("", self._fingerprint):
            raise DataError(
                code="other-comparison",
                message=f"the checkpoint {str(self.path)!r} is of another comparison",
                advice="delete it, or give another path or the same data and settings",
            )
        raise DataError(
            code="damaged-file",
            message=f"the finished fold {str(file)!r} is damaged",
            advice="delete it, so that the fold is done again",
        )


def remove(path: Path) -> None:
    """Delete a checkpoint, and its folder where nothing else is in it."""
    for pattern in (_FOLD, _UNFINISHED):
        for file in path.glob(pattern):
            file.unlink(missing_ok=True)
    with suppress(OSError):
        path.rmdir()


def fingerprint(plan: Plan) -> str:
    """A hash of all that was asked and of the data; ValueError where a setting, such as a lambda, has none."""
    from bitsieve import __version__

    table, options = plan.table, plan.options
    values = [*map(table.values, range(table.n_features))], plan.target.truth, table.weights, plan.target.said.n_bins
    settings = (
        [*plan.selectors.items()],
        plan.counts,
        plan.grow,
        plan.discretization,
        [(fold.train, fold.test) for fold in plan.folds],
    )
    versions = __version__, np.__version__, sklearn.__version__
    words = options.protocol, options.scoring, options.random_state, list(table.names)
    try:
        return str(joblib.hash([*map(joblib.hash, (*values, *settings, *words, versions))]))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UserError(
            code="settings-not-comparable",
            message=f"finished folds cannot be kept, as a setting has no value to compare ({one_line(error)})",
            advice="give a function of a module in its place, or no checkpoint",
        ) from None
