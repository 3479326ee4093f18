"""One call from a table to a ranked, explained selection: the data, what is asked for, the run, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from os import PathLike
from typing import Any

import numpy as np

from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.registry import binning_with, make_discretizer
from bitsieve.explain.evidence import Evidence
from bitsieve.methods.constraints import is_given
from bitsieve.methods.method import Method, check_capabilities
from bitsieve.methods.registry import arguments_of, find_method
from bitsieve.options import DiscretizationOptions, ExecutionOptions, ReadOptions, SelectionOptions
from bitsieve.pipeline.counting import count_table, discretization_of_codes
from bitsieve.pipeline.diagnose import may_be_chance, notes_on, refuse_constant_data
from bitsieve.pipeline.evidence import CountEvidence, count_evidence
from bitsieve.pipeline.prepare import (
    ColumnChoice,
    Prepared,
    check_screen,
    note_on_screen,
    prepare,
    screened_out,
    settle_number,
)
from bitsieve.pipeline.reading import method_memory, plan_reading
from bitsieve.pipeline.run import Fit, check_settings, evidence_of_fit, fit_method
from bitsieve.results.selection import Selection
from bitsieve.utils.defaults import BINNING, SELECT_METHOD
from bitsieve.utils.messages import Sentence, Setting, renamed, warn_of
from bitsieve.utils.progress import shown


def select(
    data: Any,
    target: Any = None,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    method: str = SELECT_METHOD,
    n_features_to_select: int | float | str | None = None,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    identifiers: str = "drop",
    screen: int | None = None,
    binning: Any = BINNING,
    n_bins: int | None = None,
    uncut: str | None = None,
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
        numpy, pandas, polars (lazy, too) or pyarrow (table or record batch); or a CSV, TSV, JSON lines, Parquet,
        Arrow/Feather, ORC, libsvm, .npz, Excel, Stata, SAS, SPSS, ARFF, SQLite or DuckDB file, compressed or not, by
        its path or address, a table of several as ``FILE/TABLE``; or a list of paths. A Dask data frame or array is
        counted on its cluster (see :class:`bitsieve.DaskSource`), by the methods that need counts alone; so are a Spark
        data frame (see :class:`bitsieve.SparkSource`) and, in batches, a folder of files, a pyarrow dataset and any
        Arrow stream, and with ``memory`` a file and a lazy frame, too (see :class:`bitsieve.StreamSource`).
    target : str or array-like of shape (n_samples,), or several, optional
        A column of ``data``, which is then no feature, or the values themselves. Of several, the classes are the
        combinations that occur. Only for .npz and libsvm it may be left out: it is ``y`` there.
    sample_weight : str or array-like of shape (n_samples,), optional
        Frequency weights, as a column of ``data``, which is then no feature, or as values: whole numbers, how many
        times each sample counts.
    groups : str or array-like of shape (n_samples,), optional
        Rows that belong together, such as those of one person, as a column of ``data``, which is then no feature, or as
        values. Stopping rules and the other tests shuffle the class among whole groups, or within them.
    method : str, default="cmim"
        One of :func:`bitsieve.list_methods`.
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
    binning : {"auto", "mdl", "quantile", "uniform", "none"} or binner, default="auto"
        How numeric columns become codes: by "auto" as "mdl" where the target has classes, and where it is a quantity in
        max(3, N^(1/5)) + 1 bins of equal frequency. None, for a method on densities (vmi), bins for the explanation
        alone.
    n_bins : int, optional
        Bins of "quantile" and "uniform", by default 10.
    uncut : {"leave", "median"}, optional
        What "mdl" does with a column that it does not cut, by default "leave".
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
        "day-first" or "month-first"; as ``{"zip": "category"}``. By default their values decide.
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
    read = ReadOptions(
        target=target,
        sample_weight=sample_weight,
        groups=groups,
        target_kind=target_kind,
        target_bins=target_bins,
        drop_missing_target=drop_missing_target,
        header=header,
        repair=repair,
        column_types=column_types,
    )
    execution = ExecutionOptions(engine=engine, memory=memory, spool=spool, push_down=push_down, n_jobs=n_jobs)
    discretization = DiscretizationOptions(binning=binning, n_bins=n_bins, uncut=uncut, missing=missing)
    selection = SelectionOptions(
        method=method,
        n_features_to_select=n_features_to_select,
        include=include,
        exclude=exclude,
        identifiers=identifiers,
        screen=screen,
        parameters=parameters,
    )
    plan = plan_reading(data, method, read, execution)
    with shown(verbose):
        table = plan.open(read)
        result = select_from(table, selection, discretization, execution)
    warn_of(result.notes)
    return result


def select_from(
    table: Dataset, selection: SelectionOptions, discretization: DiscretizationOptions, execution: ExecutionOptions
) -> Selection:
    """What :func:`bitsieve.select` gives, from a table that is read already."""
    if "constraints" in selection.parameters:
        return _select(table, selection, discretization, execution)
    with renamed("must_include", "include"):
        return _select(table, selection, discretization, execution)


def _select(
    table: Dataset, selection: SelectionOptions, discretization: DiscretizationOptions, execution: ExecutionOptions
) -> Selection:
    method = find_method(selection.method)
    n_jobs = execution.n_jobs
    parameters = dict(selection.parameters)
    choice = ColumnChoice(
        include=selection.include,
        exclude=selection.exclude,
        constraints=parameters.pop("constraints", None),
        identifiers=selection.identifiers,
    )
    may_constrain = "constraints" in method.parameters
    rule = make_discretizer(discretization, n_jobs).for_table(table)
    prepared = prepare(table, choice, may_constrain=may_constrain, binner=rule)
    notes = [*prepared.notes, *_notes_on_missing(method, prepared, discretization)]
    if prepared.constraints is not None:
        parameters["constraints"] = prepared.constraints
    parameters |= method_memory(selection.method, execution)
    number, on_number = settle_number(
        prepared, selection.n_features_to_select, method, has_rule=parameters.get("stopping") is not None
    )
    arguments = arguments_of(method, parameters, signature(select).parameters)
    refuse_constant_data(prepared.table)

    codes, used = discretization_of_codes(prepared.table, method, discretization, n_jobs)
    binning = binning_with(used.binning, n_jobs, n_bins=used.n_bins, uncut=used.uncut, missing=used.missing)
    check_settings(method, number, arguments, binning=binning, n_jobs=n_jobs)
    needs = method.capabilities_required_with({"n_features_to_select": number, **arguments})
    check_capabilities(method.estimator, needs, codes.capabilities)
    if selection.screen is None:
        fit = fit_method(method, codes, number, arguments, binning=binning, n_jobs=n_jobs)
    else:
        check_screen(selection.screen, method, number, arguments, prepared)
        fit = _fit_screened(selection.screen, method, codes, number, arguments, prepared, used, binning, n_jobs)
    if fit.screened_out and selection.screen is not None:
        notes.append(note_on_screen(selection.screen, len(fit.screened_out)))
    evidence = evidence_of_fit(fit, _discretizer_of_evidence(fit, used, n_jobs), n_jobs)
    return _as_selection(
        fit,
        evidence,
        prepared,
        _parameters_asked(table, selection, discretization, number),
        [*table.notes, *on_number, *notes, *notes_on(fit, evidence, prepared.dropped)],
    )


def _fit_screened(
    screen: int,
    method: Method,
    table: Dataset,
    number: int | float | str | None,
    arguments: dict[str, Any],
    prepared: Prepared[Any],
    discretization: DiscretizationOptions,
    binning: Any,
    n_jobs: int | None,
) -> Fit:
    """Run a method on the columns of the largest relevance alone; its evidence is of all columns."""
    counted = count_table(table, _discretizer_of_screen(method, discretization, binning, n_jobs), n_jobs)
    information = counted.estimated(arguments.get("estimator", counted.information.estimator))
    out = screened_out(prepared, information, screen)
    fit = fit_method(method, table.without(out), number, arguments, binning=binning, n_jobs=n_jobs)
    fit = replace(fit, table=table, screened_out=out)
    if out and fit.evidence is not None:
        fit = replace(fit, evidence=count_evidence(counted, fit.result.selected, information))
    return fit


def _discretizer_of_screen(
    method: Method, discretization: DiscretizationOptions, binning: Any, n_jobs: int | None
) -> Any:
    """The discretizer for a screen: of a method on rows one that cuts every column of numbers, as it may use all."""
    if not method.needs_rows or discretization.binning not in (None, BINNING, "mdl"):
        return binning
    missing = "bin" if method.takes_missing else None
    return make_discretizer(
        replace(
            discretization,
            uncut=discretization.uncut or "median",
            missing=discretization.missing or missing,
        ),
        n_jobs,
    )


def _discretizer_of_evidence(fit: Fit, discretization: DiscretizationOptions, n_jobs: int | None) -> Any:
    """What cuts the columns for the evidence of a method that counts nothing itself."""
    if isinstance(discretization.binning, str) and fit.takes_missing:
        # A method on rows took missing values as they are, so must the counts.
        return make_discretizer(replace(discretization, missing=discretization.missing or "bin"), n_jobs)
    return BINNING if fit.binning is None else fit.binning


def _notes_on_missing(method: Method, prepared: Prepared[Any], discretization: DiscretizationOptions) -> list[str]:
    """A note on columns with missing values where nothing is said of these, or on what is said in vain."""
    if discretization.missing is not None:
        missing = Setting("missing", discretization.missing)
        in_vain = Sentence(missing, f" changes nothing in what {method.name} selects: it makes no bins")
        return [] if method.bins else [in_vain]
    if not method.bins or not isinstance(discretization.binning, str):
        return []
    table = prepared.original
    columns = [j for j, column in enumerate(table.summarize()) if column.has_missing and j not in prepared.dropped]
    if not columns:
        return []
    which = f"column {table.quoted(columns)} has"
    if len(columns) > 1:
        which = f"{len(columns):,} columns ({table.quoted(columns)}) have"
    what = f"{which} missing values, which are a value of their own: to refuse them, add "
    return [Sentence(what, Setting("missing", "error"))]


def _parameters_asked(
    table: Dataset,
    selection: SelectionOptions,
    discretization: DiscretizationOptions,
    number: int | float | str | None,
) -> dict[str, Any]:
    """What a selection records of what it was asked for, as arguments of :func:`select`."""
    asked: dict[str, Any] = {"n_features_to_select": number, "binning": discretization.binning}
    asked |= discretization.rule_parameters
    asked |= {"target_bins": table.target.said.n_bins, "target_kind": table.target.said.kind}
    if selection.screen is not None:
        asked["screen"] = selection.screen
    if selection.identifiers != "drop":
        asked["identifiers"] = selection.identifiers
    if table.original is not None and table.original.weight is not None:
        asked["sample_weight"] = table.original.weight
    if table.original is not None and table.original.groups is not None:
        asked["groups"] = table.original.groups
    if is_given(selection.include):
        asked["include"] = list(selection.include)
    if is_given(selection.exclude):
        asked["exclude"] = list(selection.exclude)
    return asked | dict(selection.parameters)


def _as_selection(
    fit: Fit, evidence: CountEvidence, prepared: Prepared[Any], parameters: dict[str, Any], notes: list[str]
) -> Selection:
    table = prepared.original
    indices = fit.result.selected
    given = table.original
    labels = table.names if given is None or given.labels is None else given.labels
    return Selection(
        method=fit.method.name,
        features=[labels[j] for j in indices],
        indices=indices,
        scores=fit.result.scores,
        relevance=evidence.relevance[indices],
        overlap_with=[None if j < 0 else labels[j] for j in evidence.overlap_with],
        overlap=evidence.overlap,
        informative=~may_be_chance(fit, evidence),
        table=None if given is None else given.take(np.sort(indices)),
        target=table.target,
        target_name=table.target.name,
        n_samples=table.n_samples,
        parameters=parameters,
        notes=notes,
        evidence=Evidence(
            fit.table,
            evidence.binner,
            indices,
            fit.n_jobs,
            table,
            prepared.dropped,
            fit.parameters.get("estimator", "plug-in"),
            fit.screened_out,
        ),
        fit=fit,
    )
