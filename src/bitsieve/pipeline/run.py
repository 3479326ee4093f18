"""A method is run on a prepared table: on its counts, or on its rows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bitsieve.counts.threads import kept_threads
from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.base import keeps_missing
from bitsieve.discretization.registry import make_binner
from bitsieve.methods.method import Method, MethodResult
from bitsieve.pipeline.counting import Counted, count_table
from bitsieve.pipeline.evidence import CountEvidence, count_evidence, informative_by_shuffles
from bitsieve.pipeline.prepare import constraints_on
from bitsieve.pipeline.samples import TableSamples
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.lazy import Later
from bitsieve.utils.messages import Sentence, Setting, warn
from bitsieve.utils.parameters import FeatureCount, check_threads
from bitsieve.utils.progress import duration

LONG = 60  # seconds of one thread from which a method says beforehand how long it takes
SHORT = 20  # and those that a screen is to leave
SCREENS = (10_000, 5_000, 2_000, 1_000, 500, 200, 100)  # columns


@dataclass(frozen=True, kw_only=True)
class Fit:
    """What a method was run with, what it returned, and what the counts say of that."""

    method: Method
    table: Dataset  # as the method got it
    n_features_to_select: int | float | str | None
    parameters: Mapping[str, Any]  # of the method's function
    binning: Any  # a name, a discretizer, or None
    n_jobs: int | None
    result: MethodResult
    evidence: CountEvidence | None = None  # None for a method on rows
    screened_out: Sequence[int] = ()

    @property
    def takes_missing(self) -> bool:
        """Whether missing values were taken, by the method or by its discretizer."""
        return self.method.takes_missing or (self.method.bins and keeps_missing(self.binning))

    @property
    def stopping(self) -> Any:
        """The stopping rule that was asked for; None: no rule."""
        return self.parameters.get("stopping")

    @property
    def is_tested(self) -> bool:
        """Whether a rule tested each choice."""
        return self.stopping is not None or self.n_features_to_select == "auto"

    @property
    def about_unused_bins(self) -> str:
        """The beginning of a note on bins of a method that does not use them; empty for one that does."""
        return "" if self.method.bins else f"once cut into bins, which {self.method.name} does not use, "

    def fitted_attribute(self, name: str, default: Any = None) -> Any:
        """A fitted attribute that this method alone sets, such as ``upper_bound_``."""
        return self.result.extras.get(name, default)


def fit_method(
    method: Method,
    table: Dataset,
    n_features_to_select: int | float | str | None,
    parameters: Mapping[str, Any],
    *,
    binning: Any = None,
    n_jobs: int | None = None,
) -> Fit:
    """Run a method on a table that has what it requires, with parameters that were checked."""
    if not method.needs_rows:
        counted = count_table(table, binning, n_jobs)
        return fit_counted(method, counted, n_features_to_select, parameters, binning=binning, n_jobs=n_jobs)
    n_selected, arguments = _resolved(method, table, n_features_to_select, parameters)
    samples = TableSamples(table.required_rows(), method.estimator, binning, n_jobs)
    if "n_jobs" in inspect.signature(method.run).parameters:
        arguments["n_jobs"] = n_jobs
    _foretell(method, table, table.n_features - len(table.left_out), n_selected)
    with kept_threads():
        result = method.run(samples, n_selected, **arguments).with_dropped_last(table.left_out, table.n_features)
    return Fit(
        method=method,
        table=table,
        n_features_to_select=n_features_to_select,
        parameters=parameters,
        binning=binning,
        n_jobs=n_jobs,
        result=result,
    )


def fit_counted(
    method: Method,
    counted: Counted,
    n_features_to_select: int | float | str | None,
    parameters: Mapping[str, Any],
    *,
    binning: Any = None,
    n_jobs: int | None = None,
) -> Fit:
    """Run a method on a table that is discretized and packed already."""
    table = counted.table
    n_selected, arguments = _resolved(method, table, n_features_to_select, parameters)
    with kept_threads():
        information = counted.estimated(arguments.pop("estimator", counted.information.estimator))
        _foretell(method, table, int(information.varies.sum()), n_selected)
        result = method.run(information, n_selected, **arguments).with_dropped_last(table.left_out, table.n_features)
        evidence = count_evidence(counted, result.selected, information)
    return Fit(
        method=method,
        table=table,
        n_features_to_select=n_features_to_select,
        parameters=parameters,
        binning=binning,
        n_jobs=n_jobs,
        result=result,
        evidence=evidence,
    )


def evidence_of_fit(fit: Fit, discretizer: Any, n_jobs: int | None) -> CountEvidence:
    """The evidence of a fit, with shuffles where these decide whether a column is more informative than chance.

    ``discretizer`` is for a method that counts nothing itself.
    """
    selected = fit.result.selected
    evidence = fit.evidence or count_evidence(count_table(fit.table, discretizer, n_jobs), selected)
    informative = evidence.informative.value.copy()
    by_shuffles = informative_by_shuffles(fit.table, evidence.binner, selected[~informative], n_jobs)
    if by_shuffles is not None:
        informative[~informative] = by_shuffles
    return replace(evidence, informative=Later(lambda: informative), is_sure=by_shuffles is not None)


def check_settings(
    method: Method,
    n_features_to_select: int | float | str | None,
    parameters: Mapping[str, Any],
    *,
    binning: Any = BINNING,
    n_jobs: int | None = None,
) -> None:
    """Raise ValueError for parameters that are wrong whatever the data."""
    if method.bins and not (binning is None and method.needs_rows):
        make_binner(binning)
    check_threads("n_jobs", n_jobs)
    method.check_parameters({"n_features_to_select": n_features_to_select, **parameters})


def _resolved(
    method: Method, table: Dataset, n_features_to_select: Any, parameters: Mapping[str, Any]
) -> tuple[int | None, dict[str, Any]]:
    """The number of features to select from this table, None if the method ends by itself; constraints by column."""
    count = FeatureCount(method.ends_with)
    arguments = dict(parameters)
    if "constraints" in arguments:
        candidates = constraints_on(table, arguments["constraints"])
        arguments["constraints"] = candidates
        number = candidates.number(n_features_to_select, count)
    else:
        number = count.among(n_features_to_select, table.n_features - len(table.left_out))
    ends_by_itself = isinstance(n_features_to_select, str | None) and n_features_to_select in method.ends_with
    return (None if ends_by_itself else number), arguments


def _foretell(method: Method, table: Dataset, n: int, k: int | None) -> None:
    """Warn of a method that takes more than a minute for n columns of a dense table, and say what takes less."""
    d, least = table.n_samples, min(n, k or 1)
    if table.is_sparse or (seconds := method.seconds(n, d, k or n)) <= LONG:
        return
    short = [m for m in SCREENS if least <= m < n and method.seconds(m, d, min(k or m, m)) <= SHORT]
    way: tuple[str | Setting, ...] = (": fewer rows take less",)
    if short:
        left = duration(method.seconds(short[0], d, min(k or n, short[0])))
        way = (
            ": select with ",
            Setting("screen", short[0]),
            f" takes the {short[0]:,} most relevant first, about {left}",
        )
    what = f"{method.name} of {n:,} columns and {d:,} rows takes about {duration(seconds)} on one thread"
    warn(Sentence(what, *way))
