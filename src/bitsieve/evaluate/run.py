"""Run a comparison: every method ranks features in every fold, and a model is judged for every number of features."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from dataclasses import replace
from threading import Event, Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, UndefinedMetricWarning
from threadpoolctl import threadpool_limits

from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.data_kinds import library_of
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.survival import SurvivalTarget
from bitsieve.diagnostics import UserError
from bitsieve.evaluate.baselines import baseline_errors
from bitsieve.evaluate.checkpoint import Checkpoint
from bitsieve.evaluate.plan import Plan
from bitsieve.evaluate.scoring import Check, Ranking, Stopped, never_stopped, score
from bitsieve.methods.by_samples.spanning_tree.bayes_error import global_bounds
from bitsieve.metrics.fold_scores import Scored
from bitsieve.options import ExecutionOptions
from bitsieve.pipeline.discretize import CountedTable, binning_parameter, discretize, take_default_bins
from bitsieve.results.comparison import Comparison
from bitsieve.selectors.by_counts import CountSelector
from bitsieve.utils.arrays import Columns, Floats, Values
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.messages import one_line
from bitsieve.utils.progress import phase


class _TimedCounts(NamedTuple):
    counted_table: CountedTable
    seconds: float


class _SharedCounts:
    """The counts of some rows of the table: methods with the same binning share one count."""

    def __init__(self, plan: Plan, rows: Columns, n_jobs: int | None) -> None:
        self.plan = plan
        self.rows = rows
        self.execution = ExecutionOptions(n_jobs=n_jobs)
        self._counts_of_binning: dict[str, _TimedCounts] = {}

    def counts_for(self, selector: CountSelector) -> _TimedCounts:
        """The counts by the binning of a method, and the seconds that they took when they were made."""
        table, discretization = self.plan.settle_categories(selector.discretization)
        stopping = selector.get_params(deep=False).get("stopping")
        discretization = take_default_bins(discretization, selector.registry_methods[0], stopping, len(self.rows))
        binning = repr(discretization)
        if binning not in self._counts_of_binning:
            start = time.perf_counter()
            counted_table = discretize(_rows_of(table, self.rows), discretization, self.execution)
            self._counts_of_binning[binning] = _TimedCounts(counted_table, time.perf_counter() - start)
        return self._counts_of_binning[binning]


def rank(plan: Plan, rows: Columns, n_jobs: int | None = None, check: Check = never_stopped) -> dict[str, Ranking]:
    """Rank the features by every method from the samples ``rows`` alone.

    Methods with the same binning share one count of the table; its seconds are those of each.
    """
    shared_counts = _SharedCounts(plan, rows, n_jobs)
    rankings = {}
    for label, unfitted in plan.selectors.items():
        check()
        selector = clone(unfitted)
        if "n_jobs" in selector.get_params():
            selector.set_params(n_jobs=n_jobs)
        if isinstance(selector, CountSelector):
            counts = shared_counts.counts_for(selector)
            start = time.perf_counter()
            selector.fit_counted(counts.counted_table)
            seconds = counts.seconds + time.perf_counter() - start
        else:
            start = time.perf_counter()
            selector.fit_table(_rows_of(plan.table, rows))
            seconds = time.perf_counter() - start
        selected = np.asarray(selector.selected_, np.intp)
        if not len(selected):
            raise UserError(
                code="nothing-selected",
                message=f"method {label!r} selects no feature of this table",
                advice="leave it out, or loosen its settings",
            )
        rankings[label] = Ranking(selected, seconds)
    return rankings


def _rows_of(table: InMemoryDataset, rows: Columns) -> InMemoryDataset:
    """The ``rows`` of a table. If the target is a quantity, its classes are cut from these rows alone."""
    subset = table.take(rows)
    return replace(subset, y=subset.target.cut_again(subset.weights))


def run_plan(plan: Plan, n_jobs: int | None = None, checkpoint: Checkpoint | None = None) -> Comparison:
    """Run the folds that the checkpoint does not have, each on a thread of its own, and put the comparison together."""
    with _quiet_models():
        folds = _FoldRun(plan, checkpoint).run(n_jobs)
        baselines = baseline_errors(plan, n_jobs) if plan.options.baselines else {}
        comparison = make_comparison(plan, folds, baselines)
    return with_bounds(plan, comparison, n_jobs) if plan.options.bounds else comparison


@contextmanager
def _quiet_models() -> Iterator[None]:
    """Let each model work on one thread, and ignore the warnings of models that mean nothing in a comparison.

    The filters are set outside the threads of the folds, because all threads of a process share them.
    """
    with threadpool_limits(1), warnings.catch_warnings():
        # A mixture's 100 iterations are its definition here, and constant columns come last in a ranking.
        warnings.filterwarnings("ignore", "Features .* are constant", UserWarning)
        warnings.filterwarnings("ignore", ".*nitialization did not converge", ConvergenceWarning)
        # A score without a definition, such as the precision of a class that is never predicted, is scikit-learn's 0.
        warnings.filterwarnings("ignore", category=UndefinedMetricWarning)
        yield


class _FoldRun:
    """The folds of a plan, run on threads that share the results and the count of finished fits."""

    def __init__(self, plan: Plan, checkpoint: Checkpoint | None) -> None:
        self.plan = plan
        self.checkpoint = checkpoint
        self.scored_by_fold: dict[int, dict[str, Scored]] = {} if checkpoint is None else dict(checkpoint.finished)
        self.rankings_of_all_rows: dict[str, Ranking] | None = None  # None where each fold ranks its own rows
        self.stopped = Event()
        self.lock = Lock()
        fits_per_fold = len(plan.selectors) * len(plan.counts)
        self.n_fits = fits_per_fold * len(plan.folds)
        self.n_finished_fits = fits_per_fold * len(self.scored_by_fold)
        self.report_progress = phase(f"comparing by {plan.classifier.partition('(')[0]}")

    def run(self, n_jobs: int | None) -> list[dict[str, Scored]]:
        """Run the folds that are not finished. Returns the results of all folds in their order."""
        folds = range(len(self.plan.folds))
        unfinished = [fold for fold in folds if fold not in self.scored_by_fold]
        if self.plan.ranks_once and unfinished:
            self.rankings_of_all_rows = rank(self.plan, np.arange(self.plan.table.n_samples), n_jobs)
        run_blocks(self._run_fold, unfinished, n_jobs, stopped=self.stopped)
        return [self.scored_by_fold[fold] for fold in folds]

    def _run_fold(self, number: int) -> None:
        fold = self.plan.folds[number]
        rankings = self.rankings_of_all_rows
        if rankings is None:
            # In a context of its own: the phases of a ranking would hide that of the comparison.
            rankings = Context().run(rank, self.plan, fold.train, check=self._check)
        scored = score(self.plan, fold, rankings, self._check_after_fit)
        with self.lock:
            self.scored_by_fold[number] = scored
            if self.checkpoint is not None:
                self.checkpoint.add(number, scored)

    def _check(self) -> None:
        if self.stopped.is_set():
            raise Stopped

    def _check_after_fit(self) -> None:
        with self.lock:
            self.n_finished_fits = min(self.n_finished_fits + 1, self.n_fits)
            self.report_progress(self.n_finished_fits, self.n_fits)
        self._check()


def make_comparison(plan: Plan, folds: list[dict[str, Scored]], baselines: dict[str, Floats]) -> Comparison:
    """Put a comparison together from the results of all folds, which are by the labels of the methods."""
    labels = list(plan.selectors)
    original_data = plan.table.original
    binning = binning_parameter(plan.discretization)

    parameters = {
        "target": plan.target.name,
        "n_samples": plan.table.n_samples,
        "n_features": plan.table.n_features,
        "n_classes": plan.target.n_classes if plan.measure.predicts == "classes" else None,
        "classifier": plan.classifier,
        "scoring": plan.measure.name,
        "protocol": plan.options.protocol,
        "binning": binning if isinstance(binning, str) else one_line(repr(binning)),
        "n_folds": len(plan.folds),
        "random_state": plan.options.random_state,
    }
    if isinstance(plan.target, SurvivalTarget):
        parameters["event"] = plan.target.event_name
    if original_data is not None and original_data.strata is not None:
        parameters["strata"] = original_data.strata
        parameters["effect"] = plan.options.effect
    if plan.discretization.bins_within:
        parameters["bins_within"] = True

    def stacked(measured: Callable[[Scored], ArrayLike]) -> Values:
        """An array of shape (n_methods, n_folds, ...)."""
        return np.array([[measured(fold[label]) for fold in folds] for label in labels])

    return Comparison(
        methods=labels,
        counts=plan.counts,
        n_test=np.array([len(fold.test) for fold in plan.folds], np.intp),
        errors=stacked(lambda scored: scored.errors),
        redundancy=stacked(lambda scored: scored.redundancy),
        separability=stacked(lambda scored: scored.separability),
        seconds_selecting=stacked(lambda scored: scored.seconds_selecting),
        seconds_classifying=stacked(lambda scored: scored.seconds_classifying),
        selected=[[fold[label].selected for fold in folds] for label in labels],
        names=list(plan.table.names),
        parameters=parameters,
        diagnostics=Diagnostics(plan.diagnostics),
        majority=plan.baseline_errors(),
        baselines=baselines,
        library=library_of(None if original_data is None else original_data.take(np.arange(1))),
    )


def with_bounds(plan: Plan, comparison: Comparison, n_jobs: int | None = None) -> Comparison:
    """Add bounds on the Bayes error of the features chosen by each method, from the training samples of each fold."""
    n_chosen = [comparison.chosen(method).n_features for method in comparison.methods]
    bounds = np.empty((len(n_chosen), len(plan.folds), 2))

    def bound(method_and_fold: tuple[int, int]) -> None:
        method, number = method_and_fold
        fold = plan.folds[number]
        chosen = comparison.selected[method][number][: n_chosen[method]]
        points = plan.encode(chosen, fold).values[fold.train]
        bounds[method, number] = global_bounds(points, plan.target.codes[fold.train], plan.target.n_classes)

    run_blocks(bound, list(np.ndindex(bounds.shape[:2])), n_jobs, phase("bounding the Bayes error"))
    return replace(comparison, bayes_error_bounds=np.average(bounds, axis=1, weights=comparison.n_test))
