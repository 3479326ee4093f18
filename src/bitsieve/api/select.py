"""Select features by one call, from a table to a ranked and explained selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from os import PathLike
from typing import Any

import numpy as np

from bitsieve.dataset.survival import survival_of_target
from bitsieve.diagnostics import Diagnostic
from bitsieve.discretization.base import BinningLike
from bitsieve.explain.evidence import Evidence
from bitsieve.methods.constraints import has_items
from bitsieve.options import (
    FREQUENCY,
    ColumnOptions,
    DiscretizationOptions,
    ExecutionOptions,
    ReadOptions,
)
from bitsieve.pipeline.diagnose import diagnose
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.informative import informative_states
from bitsieve.pipeline.period_columns import missing_column_reported_by_role
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.pipeline.way import run_selection
from bitsieve.results.saved.describe import details_of
from bitsieve.results.selection import Selection
from bitsieve.utils.defaults import BINNING, SELECT_METHOD
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.types import ColumnLike, Label, TableLike


def select(
    data: TableLike,
    target: ColumnLike = None,
    *,
    duration: ColumnLike = None,
    event: ColumnLike = None,
    entry: ColumnLike = None,
    n_intervals: int = 1,
    sample_weight: ColumnLike = None,
    weight_kind: str = "frequency",
    groups: ColumnLike = None,
    strata: ColumnLike = None,
    period: ColumnLike = None,
    drift: str | None = None,
    max_drift: float | None = None,
    drift_penalty: float | None = None,
    method: str = SELECT_METHOD,
    protocol: str | None = None,
    n_features_to_select: int | float | str | None = None,
    include: Sequence[Label] = (),
    exclude: Sequence[Label] = (),
    identifiers: str = "drop",
    screen: int | None = None,
    binning: BinningLike = BINNING,
    n_bins: int | None = None,
    uncut: str | None = None,
    bins_within: bool = False,
    missing: str | None = None,
    target_bins: int | str | None = None,
    target_kind: str | None = None,
    drop_missing_target: bool = True,
    header: bool | None = None,
    repair: bool = True,
    column_types: Mapping[Any, str] | None = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    spool: str | PathLike[str] | None = None,
    engine: str | None = None,
    push_down: bool | None = None,
    verbose: bool = False,
    **parameters: Any,
) -> Selection:
    """Select the features of a table that are most informative about its target.

    Parameters
    ----------
    data : array-like or scipy.sparse of shape (n_samples, n_features), dataframe, or path
        numpy, pandas, polars (lazy, too), pyarrow (table or record batch) or AnnData; or a file, such as CSV, Parquet,
        Arrow or Excel, whose format is detected from the content, compressed or not, by its path or address, a table of
        several as ``FILE/TABLE``; or a list of paths. A Dask data frame or array is
        counted on its cluster (see :class:`bitsieve.DaskSource`), by the methods that need counts alone; so are a Spark
        data frame (see :class:`bitsieve.SparkSource`) and, in batches, a folder of files, a pyarrow dataset and any
        Arrow stream, and with ``memory`` a file and a lazy frame, too (see :class:`bitsieve.StreamSource`).
    target : str or array-like of shape (n_samples,), or several, optional
        A column of ``data``, which is then no feature, or the values themselves. Of several, the classes are the
        combinations that occur. Only for .npz and libsvm it may be left out: it is ``y`` there.
    duration : str or array-like of shape (n_samples,), optional
        In place of ``target``: the time to an event, or to the end of observation of a row that is censored. Scores are
        then bits per event. ``target`` may also be a structured array of scikit-survival's ``Surv``, or a frame of a
        boolean column and one of times. See "My target is a time" in the documents.
    event : str or array-like of shape (n_samples,), optional
        1 or True where the event happened at the time, and 0 or False where the row is censored. Of several kinds of
        events "status=2" takes one, and the others are censored.
    entry : str or array-like of shape (n_samples,), optional
        When each row came under observation: it is at risk after its entry only (left truncation).
    n_intervals : int, default=1
        Intervals of time, of about as many events each, at least 20: more than one for hazards that cross.
    sample_weight : str or array-like of shape (n_samples,), optional
        Frequency weights, as a column of ``data``, which is then no feature, or as values: whole numbers, how many
        times each sample counts.
    weight_kind : {"frequency", "sampling"}, default="frequency"
        "sampling" is for the weights of a survey, which need not be whole: they are scaled to the effective number of
        rows (Kish), ``(sum w)^2 / sum w^2``, and a row counts once or not at all, with a chance of its scaled weight (1
        at most), by sums rounded in the order of the rows. So corrections for chance and tests hold for the rows that
        count. The rows must be in memory.
    groups : str or array-like of shape (n_samples,), optional
        Rows that belong together, such as those of one person, as a column of ``data``, which is then no feature, or as
        values. Stopping rules and the other tests shuffle the class among whole groups, or within them.
    strata : str, sequence of str, or array-like of shape (n_samples,), optional
        Batches, sites, periods or matched sets: columns of ``data``, which are then no features, or values. All
        information is then within the strata, I(Xi;C|S), and so is its correction for chance, for greedy methods and
        those of all pairs. With ``effect="common"`` it is the effect that all strata have in common, as matched sets of
        few rows need it.
    period : str or array-like of shape (n_samples,), optional
        The period of each row, such as its month: a column of ``data``, which is then no feature, or values.
    drift : {"exclude", "penalty", "within"}, optional
        What is done about columns that move with the period. "exclude", the default with a period, leaves out those
        that drift as :func:`bitsieve.drift` says, within the classes of the target. "penalty" takes their shift within
        the classes off their scores, J(i|S) - ``drift_penalty`` I(Xi;T|C), for greedy methods whose scores are bits of
        pairs. For both the data is read twice. "within" takes all information within the periods, as ``strata`` does.
    max_drift : float, optional
        Of "exclude": a column drifts above so many bits with p of at most 0.05; 0.018 by default.
    drift_penalty : float, optional
        Of "penalty": bits of score for a bit of shift; 1 by default.
    method : str, default="cmim2"
        One of :func:`bitsieve.list_methods`.
    protocol : {"paper"}, optional
        "paper" selects as the paper of the method does, where the parameters below leave it open: information is
        plug-in, not corrected for chance; numeric columns are cut by MDL, and those that it does not cut at their
        median, where the target has classes; and the method has the paper's parameters (``published`` of
        :func:`bitsieve.list_methods`).
    n_features_to_select : int, float or "auto", optional
        By default 20, or all columns where there are fewer. A float between 0 and 1 is a share of the columns; "auto"
        lets a greedy method, fcbf or vmi stop by itself.
    include : sequence of column, optional
        Selected first, whatever their scores, by a greedy method. An identifier that is named here is kept.
    exclude : sequence of column, optional
        Dropped before anything is counted, and so never selected.
    identifiers : {"drop", "keep"}, default="drop"
        Columns in which nearly every row has a value of its own are dropped, with a note.
    screen : int, optional
        The method is run on so many columns alone, those of the largest mutual information with the target: for methods
        whose time grows with the square of the columns, or faster. Explanations are of all columns. Not with stopping
        rules, groups and saved counts.
    binning : {"auto", "mdl", "monotone", "quantile", "uniform", "none"} or binner, default="auto"
        How numeric columns become codes: by "auto" as "mdl" where the target has classes, and where it is a quantity in
        max(3, N^(1/5)) + 1 bins of equal frequency. "monotone" makes bins of which the rate of one of two classes rises
        or falls (:class:`MonotoneBinner`). None, for a method on densities (vmi), bins for the explanation alone.
    n_bins : int, optional
        Bins of "quantile" and "uniform", and the largest number of those of "monotone", by default 10.
    uncut : {"leave", "median", "apart"}, optional
        What becomes of a column without a cut, by default "leave": a greedy method then ranks it by a test of its ranks
        (Kruskal and Wallis), behind the columns that add information, with a score of 0. "median" of "mdl" cuts it at
        its median; "apart" of "quantile" gives its largest value a code of its own.
    bins_within : bool, default=False
        With ``strata``: whether numbers are cut in each stratum for itself, by "quantile" or "uniform", as where the
        values of a batch are all shifted. Codes are then the ranks of the bins in the stratum of a row. By "auto" there
        are max(3, N^(1/5)) + 1 bins of equal frequency. By default all strata have the same bins.
    missing : {"error", "bin"}, optional
        What missing values are: an error, or a code of their own (the default). A binner has its own ``missing``.
    target_bins : int or "none", optional
        Classes of equal frequency of a target that is a quantity: by default m = max(3, N^(1/5)), rounded; "none" takes
        each number as a class.
    target_kind : {"classes", "quantity"}, optional
        What the target is. By default its values decide: dates, durations and numbers with a fractional part are a
        quantity; so are whole numbers of many values, such as ages, but for those that look like the codes of classes.
    drop_missing_target : bool, default=True
        Whether rows without a target are left out, with a note; else they are an error.
    header : bool, optional
        Whether the first line of a text file has the names. By default one that looks like data is an error.
    repair : bool, default=True
        Whether text that is almost all numbers, dates, times or booleans as people write them is read as such, with a
        note on each column.
    column_types : mapping, optional
        What columns hold, by name or index of the feature: "category", "number", or the order of digits in dates,
        "day-first" or "month-first"; as ``{"zip": "category"}``. By default their values decide. "number, missing 99
        999" takes these numbers as missing values.
    n_jobs : int, optional
        Threads; the result is the same to the last bit for any number.
    memory : int or str, optional
        About how many bytes the work may take, such as ``"4GB"``: a file is then read in batches. A method with this
        parameter gets it, too.
    spool : path, optional
        For data that is read in batches: a folder in which what was packed is kept for later runs.
    engine : {"local", "stream", "database", "dask", "spark"}, optional
        Where the rows are worked on: in memory, in batches, where a lazy frame has them, or by a cluster. By default it
        follows from the data.
    push_down : bool, optional
        Whether the rows of a database file or of a lazy frame are counted where they are, and only counts come back. By
        default they are if they hold more than 2**28 values in at most 200 columns, which a note says.
    verbose : bool, default=False
        Whether a job of more than a second shows what it is doing, in one line of a terminal or a notebook.
    **parameters
        Of the method, such as ``beta`` of MIFS, or ``stopping`` and ``constraints`` of the greedy ones.

    Returns
    -------
    Selection
        ``print`` shows it as a table with its notes, a notebook as one of HTML. Each note is a
        :class:`BitsieveWarning`, too.

    Raises
    ------
    ValueError
        The data, the target or a parameter cannot be used: one line that says what to do.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bitsieve.select(X, y, method="jmi", n_features_to_select=2).features
    ['x3', 'x2']
    """
    survival = survival_of_target(target, duration, event, entry, n_intervals)
    read = ReadOptions(
        target=target if survival is None else None,
        survival=survival,
        sample_weight=sample_weight,
        weight_kind=weight_kind,
        groups=groups,
        strata=strata,
        target_kind=target_kind,
        target_bins=target_bins,
        drop_missing_target=drop_missing_target,
        header=header,
        repair=repair,
        column_types=column_types,
        exclude=exclude,
    )
    execution = ExecutionOptions(engine=engine, memory=memory, spool=spool, push_down=push_down, n_jobs=n_jobs)
    discretization = DiscretizationOptions(
        binning=binning, n_bins=n_bins, uncut=uncut, bins_within=bins_within, missing=missing
    )
    selection = SelectionOptions.by_name(
        method,
        parameters,
        n_features_to_select=n_features_to_select,
        columns=ColumnOptions(include=include, exclude=exclude, identifiers=identifiers),
        screen=screen,
        memory=memory,
        protocol=protocol,
        function_parameters=signature(select).parameters,
    )
    diagnostics: list[Diagnostic] = []
    with progress_bar(verbose):
        if any(value is not None for value in (period, drift, max_drift, drift_penalty)):
            from bitsieve.api.drift_rule import DriftRule, apply_drift_rule  # here, as it loads scipy

            rule = DriftRule.from_parameters(period, drift, max_drift, drift_penalty)
            applied = apply_drift_rule(data, read, execution, selection.columns, rule)
            read = applied.read
            diagnostics = applied.diagnostics
            selection = replace(selection, columns=applied.columns).with_penalties(applied.penalties)
        with missing_column_reported_by_role(period, strata, read.survival):
            fit = run_selection(data, read, execution, discretization, selection)
        result = selection_of(fit, read)
        result.diagnostics[:0] = diagnostics
    result.diagnostics.warn()
    return result


def selection_of(fit: Fit, read: ReadOptions) -> Selection:
    """The result of :func:`select` from a fit with its evidence; ``read`` is how its data was read."""
    table = fit.prepared.original
    evidence = fit.evidence_from_counts
    selected = fit.result.selected
    states = informative_states(fit, evidence)
    original_data = table.original
    labels = table.labels
    return Selection(
        method=fit.method.name,
        features=[labels[j] for j in selected],
        indices=selected,
        scores=fit.result.scores,
        relevance=evidence.relevance[selected],
        overlap_with=[None if j < 0 else labels[j] for j in evidence.overlap_with],
        overlap=evidence.overlap,
        informative=np.array([state != "not shown" for state in states], bool),
        informative_state=states,
        table=None if original_data is None else original_data.take(np.sort(selected)),
        target=table.target,
        target_name=table.target.name,
        n_samples=table.n_samples,
        parameters=_requested_parameters(fit, read),
        diagnostics=Diagnostics(diagnose(fit)),
        evidence=Evidence(
            table=fit.table,
            binner=evidence.binner,
            selected=selected,
            n_jobs=fit.execution.n_jobs,
            original_table=table,
            dropped=fit.prepared.dropped,
            estimator=fit.selection.estimator,
            effect=fit.selection.effect,
            screened_out=fit.screened_out,
        ),
        fit=fit,
        details=details_of(fit, read, labels),
    )


def _requested_parameters(fit: Fit, read: ReadOptions) -> dict[str, Any]:
    """The arguments of :func:`select` that led to this fit, those of the data aside."""
    selection = fit.selection
    discretization = fit.prepared.requested_discretization
    table = fit.prepared.original
    parameters: dict[str, Any] = {
        "n_features_to_select": selection.n_features_to_select,
        "binning": discretization.binning,
        **discretization.rule_parameters,
        "target_bins": table.target.requested_kind.n_bins,
        "target_kind": table.target.requested_kind.kind,
    }
    if read.survival is not None:
        parameters |= read.survival.names()
    if selection.screen is not None:
        parameters["screen"] = selection.screen
    if selection.columns.identifiers != "drop":
        parameters["identifiers"] = selection.columns.identifiers
    if table.original is not None and table.original.weight is not None:
        parameters["sample_weight"] = table.original.weight
        if read.weight_kind != FREQUENCY:
            parameters["weight_kind"] = read.weight_kind
    if table.original is not None and table.original.groups is not None:
        parameters["groups"] = table.original.groups
    if read.strata is not None:
        parameters["strata"] = read.strata_in_words
    if has_items(selection.columns.include):
        parameters["include"] = list(selection.columns.include)
    if has_items(selection.columns.exclude):
        parameters["exclude"] = list(selection.columns.exclude)
    return parameters | dict(selection.requested)
