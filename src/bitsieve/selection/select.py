"""One call from a table to a ranked, explained selection: the data, what is asked for, the run, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from inspect import signature
from os import PathLike
from typing import Any

import numpy as np

from bitsieve.dataset.given import column_rules
from bitsieve.dataset.table import Table
from bitsieve.discretization.base import binning_with, make_binner
from bitsieve.methods.constraints import is_given, resolve
from bitsieve.methods.method import Method, check_requirements
from bitsieve.methods.registry import arguments_of, find_method
from bitsieve.selection.evidence import Evidence, explanation
from bitsieve.selection.left_out import Considered, check_screen, consider, refuse_more_than_left, screened
from bitsieve.selection.notes import may_be_chance, notes_on, refuse_constant_data
from bitsieve.selection.reading import Reading
from bitsieve.selection.selection import Selection
from bitsieve.selectors.fitting import Explained, Outcome, check_settings, count_table, explain_by, fit_method
from bitsieve.utils.defaults import BINNING, SELECT_FEATURES, SELECT_METHOD
from bitsieve.utils.messages import Sentence, Setting, renamed, warn_of
from bitsieve.utils.parameters import check_threads
from bitsieve.utils.progress import shown

BINNER_PARAMETERS = ("n_bins", "uncut", "missing")
_OF_ITS_OWN = Sentence("text that was read as missing has a code of its own: ", Setting("missing", "bin"))


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
    screen: int | None = None,
    binning: Any = BINNING,
    target_bins: int | str | None = None,
    target_kind: str | None = None,
    drop_missing_target: bool = False,
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
        Selected first, whatever their scores, by a greedy method. Identifiers are left out unless named here.
    exclude : sequence of column, optional
        Never selected.
    screen : int, optional
        The method is run on so many columns alone, those of the largest mutual information with the target: for methods
        whose time grows with the square of the columns, or faster. Explanations are of all columns. Not with stopping
        rules, groups and saved counts.
    binning : {"auto", "mdl", "quantile", "uniform", "none"} or binner, default="auto"
        How numeric columns become codes: by "auto" as "mdl" where the target has classes, and where it is a quantity in
        max(3, N^(1/5)) + 1 bins of equal frequency. None, for a method on densities (vmi), bins for the explanation
        alone.
    target_bins : int or "none", optional
        Classes of equal frequency of a target that is a quantity: by default m = max(3, N^(1/5)), rounded; "none" takes
        each number as a class.
    target_kind : {"classes", "quantity"}, optional
        What the target is. By default its values decide: dates, durations and numbers with a fractional part are a
        quantity; so are whole numbers of many values, such as ages, but for those that look like the codes of classes.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out; else they are an error.
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
        Of the binner (``n_bins``, ``uncut``, ``missing``) or of the method (such as ``beta`` of MIFS, or ``stopping``
        and ``constraints`` of the greedy ones).

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
    reading = Reading.planned(method, data, engine, push_down=push_down, memory=memory, spool=spool, header=header)
    named = nullcontext() if "constraints" in parameters else renamed("must_include", "include")
    with shown(verbose), named:
        of_target: dict[str, Any] = {"target_bins": target_bins, "target_kind": target_kind, "groups": groups}
        of_target |= {"drop_missing": drop_missing_target, "rules": column_rules(repair, column_types)}
        table = reading.read(target, sample_weight, **of_target)
        asked: dict[str, Any] = {"method": method, "n_features_to_select": n_features_to_select, "binning": binning}
        asked |= {"include": include, "exclude": exclude, "screen": screen, "n_jobs": n_jobs}
        selection = select_from(table, **asked, **reading.own, **parameters)
    warn_of(selection.notes)
    return selection


def select_from(
    table: Table,
    *,
    method: str,
    n_features_to_select: int | float | str | None,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    screen: int | None = None,
    binning: Any,
    n_jobs: int | None,
    **parameters: Any,
) -> Selection:
    """What :func:`bitsieve.select` gives, from a table that is read already."""
    check_threads("n_jobs", n_jobs)  # also for methods that have no such parameter
    found = find_method(method)
    constraints = parameters.pop("constraints", None)
    of_binner = {name: parameters.pop(name) for name in BINNER_PARAMETERS if name in parameters}
    rule = make_binner(binning_with(binning, n_jobs, **of_binner) or BINNING, n_jobs=n_jobs).for_table(table)
    constrains = "constraints" in found.parameters
    considered = consider(table, include, exclude, constraints, constrains=constrains, binner=rule)
    of_target = {"target_bins": table.target.said.n_bins, "target_kind": table.target.said.kind}
    asked_for = {"binning": binning, **of_binner, **of_target}
    named = {"constraints": constraints, "screen": screen}
    if table.given is not None:
        named |= {"sample_weight": table.given.weight, "groups": table.given.groups}
    asked_for |= {name: of for name, of in named.items() if of is not None}
    asked_for |= {name: list(of) for name, of in (("include", include), ("exclude", exclude)) if is_given(of)}
    asked_for |= parameters
    parameters |= {} if considered.constraints is None else {"constraints": considered.constraints}
    considered.notes.extend(_without_bins(found, of_binner))
    if _only_text_is_missing(table, considered, binning, of_binner):
        of_binner["missing"] = asked_for["missing"] = "bin"
        considered.notes.append(_OF_ITS_OWN)
    if n_features_to_select is None:
        n_features_to_select, considered.notes[:0] = _default_number(considered, parameters)
    refuse_more_than_left(n_features_to_select, considered)
    asked = n_features_to_select
    outcome, own_binning = _fit(found, considered, asked, screen, binning, of_binner, n_jobs, parameters)
    explained = _explained(outcome, own_binning, of_binner)
    notes = [*table.notes, *considered.notes, *notes_on(outcome.facts(), outcome.table, explained, considered.left_out)]
    return _selection(table, considered, outcome, explained, {"n_features_to_select": asked, **asked_for}, notes)


def _without_bins(method: Method, of_binner: Mapping[str, Any]) -> list[str]:
    """A note on what is said of missing values beside a method that makes no bins."""
    if method.bins or of_binner.get("missing") is None:
        return []
    missing = Setting("missing", of_binner["missing"])
    return [Sentence(missing, f" changes nothing in what {method.name} selects: it makes no bins")]


def _only_text_is_missing(table: Table, considered: Considered, binning: Any, of_binner: Mapping[str, Any]) -> bool:
    """Whether all missing values are text that was read so, and nothing says what missing values are."""
    if not isinstance(binning, str) or "missing" in of_binner:
        return False
    profile = table.profile()
    missing = {*profile.what_is_noticed.missing} - {*considered.left_out}
    return bool(missing) and missing <= {j for j, of in profile.accounts.items() if of.n_unread and not of.has_missing}


def _fit(
    method: Method,
    considered: Considered,
    asked: Any,
    screen: int | None,
    binning: Any,
    of_binner: Mapping[str, Any],
    n_jobs: int | None,
    parameters: Mapping[str, Any],
) -> tuple[Outcome, Any]:
    """What the method finds, and the binning as it is once codes are taken for what they are."""
    arguments = arguments_of(method, parameters, [*signature(select).parameters, *BINNER_PARAMETERS])
    refuse_constant_data(considered.table)
    codes, own_binning = considered.table, binning
    if few_are_codes(binning, of_binner) and "rows" not in method.requires:
        codes, all_are_codes = considered.table.few_as_codes(n_jobs)
        if all_are_codes:
            own_binning = "none"  # no column is touched then
    binner = binning_with(own_binning, n_jobs, **of_binner)
    check_settings(method, asked, arguments, binning=binner, n_jobs=n_jobs)
    needs = method.requirements({"n_features_to_select": asked, **arguments})
    check_requirements(method.estimator, needs, codes.offers)
    off: Sequence[int] = ()
    if screen is not None:
        check_screen(screen, method, asked, arguments, considered)
        counted = count_table(codes, _screening_binner(method, own_binning, of_binner, binner, n_jobs), n_jobs)
        information = counted.estimated(arguments.get("estimator", counted.information.estimator))
        off = screened(considered, information, screen)
    fitted = fit_method(method, codes.without(off), asked, arguments, binning=binner, n_jobs=n_jobs)
    if off and fitted.explained is not None:  # by all columns
        fitted = replace(fitted, explained=explain_by(counted, fitted.found.selected, information))
    return Outcome(method.name, asked, arguments, binner, n_jobs, codes, fitted, off), own_binning


def _screening_binner(
    method: Method, binning: Any, of_binner: Mapping[str, Any], binner: Any, n_jobs: int | None
) -> Any:
    """The binner for a screen: of a method on rows one that cuts every column of numbers, as it may use them all."""
    if "rows" not in method.requires or binning not in (None, BINNING, "mdl"):
        return binner
    missing = {"missing": "bin"} if method.takes_missing else {}
    return make_binner(binning or BINNING, n_jobs=n_jobs, **{"uncut": "median", **missing, **of_binner})


def _explained(outcome: Outcome, own_binning: Any, of_binner: Mapping[str, Any]) -> Explained:
    """The explanation, by counts of their own where the method counts nothing."""
    binner = outcome.binning
    if isinstance(own_binning, str) and outcome.takes_missing:
        # A method on rows took missing values as they are, so must the binner of the explanation.
        binner = binning_with(own_binning, outcome.n_jobs, **{"missing": "bin", **of_binner})
    return explanation(outcome.fitted, outcome.table, BINNING if binner is None else binner, outcome.n_jobs)


def _selection(
    table: Table,
    considered: Considered,
    outcome: Outcome,
    explained: Explained,
    asked_for: dict[str, Any],
    notes: list[str],
) -> Selection:
    indices = outcome.fitted.found.selected
    given = table.given
    labels = table.names if given is None or given.labels is None else given.labels
    return Selection(
        method=outcome.method,
        features=[labels[j] for j in indices],
        indices=indices,
        scores=outcome.fitted.found.scores,
        relevance=explained.relevance[indices],
        overlap_with=[None if j < 0 else labels[j] for j in explained.overlap_with],
        overlap=explained.overlap,
        informative=~may_be_chance(outcome.facts(), outcome.table, explained),
        table=None if given is None else given.take(np.sort(indices)),
        selector=outcome,
        target=table.target,
        target_name=table.target.name,
        n_samples=table.n_samples,
        parameters=asked_for,
        notes=notes,
        evidence=Evidence(
            outcome.table,
            explained.binner,
            indices,
            outcome.n_jobs,
            table,
            considered.left_out,
            outcome.parameters.get("estimator", "plug-in"),
            outcome.screened_off,
        ),
    )


def few_are_codes(binning: Any, of_binner: Mapping[str, Any]) -> bool:
    """Whether columns of few whole numbers, such as 0/1 or -2/0/2, are codes: "auto" and "mdl" leave that open."""
    open_to_it = isinstance(binning, str) and binning in (BINNING, "mdl")
    return open_to_it and of_binner.keys().isdisjoint(("n_bins", "uncut"))


def _default_number(considered: Considered, parameters: Mapping[str, Any]) -> tuple[int, list[str]]:
    """The default number, or all columns and groups that may be selected where there are fewer, and a note on that."""
    candidates = resolve(considered.constraints, considered.table.names)
    excluded = {j for j, of in enumerate(candidates.of_column) if of in candidates.exclude}
    n_open = candidates.n_open - len(set(considered.left_out) - excluded)
    if n_open >= SELECT_FEATURES:
        return max(SELECT_FEATURES, len(candidates.must_include)), []
    if parameters.get("stopping") is not None:
        return n_open, []
    left = " left" if n_open < len(candidates.sizes) else ""
    what = "columns and groups" if candidates.grouped else f"feature{'s' * (n_open != 1)}"
    return n_open, [f"the table has {n_open:,} {what}{left}, fewer than {SELECT_FEATURES}: all are ranked"]
