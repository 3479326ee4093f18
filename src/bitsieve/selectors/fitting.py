"""Running a method on a table, without scikit-learn: bin and count, or take the rows; and its selector by name."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from bitsieve.counts.source import CountSource, class_order
from bitsieve.counts.threads import kept_threads
from bitsieve.dataset.encoding import as_array, encode_known
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.table import Table, TableInMemory
from bitsieve.discretization.base import Binning, keeps_missing, make_binner
from bitsieve.engines.local import count
from bitsieve.information import make_information
from bitsieve.information.evidence import Leak, carries_information, leaks
from bitsieve.information.protocol import Information
from bitsieve.methods.constraints import Constraints, resolve
from bitsieve.methods.method import Found, Method
from bitsieve.methods.registry import arguments_of, find_method
from bitsieve.selectors.sampled import TableSamples
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.choice import TIE
from bitsieve.utils.defaults import BINNING, INTERACTIONS_BINS
from bitsieve.utils.lazy import Later
from bitsieve.utils.messages import Sentence, Setting, renamed, warn
from bitsieve.utils.parameters import FeatureCount, check_threads
from bitsieve.utils.progress import duration

LONG = 60  # seconds of one thread from which a method says beforehand how long it takes
SHORT = 20  # and those that a screen is to leave
SCREENS = (10_000, 5_000, 2_000, 1_000, 500, 200, 100)  # columns


@dataclass(frozen=True)
class Counted:
    """A table that is binned by a fitted ``binner`` and packed, whose counts serve every method."""

    table: Table
    binner: Binning
    information: Information
    _estimated: dict[str, Information] = field(default_factory=dict, repr=False, compare=False)

    def estimated(self, estimator: str) -> Information:
        """The information by an estimator, from the same counts; made once."""
        if estimator == self.information.estimator:
            return self.information
        if estimator not in self._estimated:
            self._estimated[estimator] = make_information(estimator, self.information.source)
        return self._estimated[estimator]


class Explained(NamedTuple):
    """What the counts say of the columns selected: ``overlap_with`` is the earlier one that each shares most with."""

    binner: Binning
    relevance: Floats
    overlap_with: Columns
    overlap: Floats
    informative: Later[Flags]
    leaks: list[Leak]
    is_sure: bool = False  # whether all that are informative are known to be


@dataclass(frozen=True)
class Fitted:
    """What a method found in a table, and what explains it by the counts of a method on counts."""

    found: Found
    explained: Explained | None = None

    def attributes(self) -> dict[str, Any]:
        """What was counted, as fitted attributes."""
        names = ("binner", "relevance", "overlap_with", "overlap")
        return {} if self.explained is None else {f"{name}_": getattr(self.explained, name) for name in names}


@dataclass(frozen=True)
class Outcome:
    """What :func:`bitsieve.select` asked for, ran and found: a fitted selector as far as it needs no scikit-learn."""

    method: str
    asked: Any
    parameters: dict[str, Any]
    binning: Any
    n_jobs: int | None
    table: Table
    fitted: Fitted
    screened_off: Sequence[int] = ()

    @property
    def takes_missing(self) -> bool:
        """Whether missing values were taken, by the method or by its binner."""
        method = find_method(self.method)
        return method.takes_missing or (method.bins and keeps_missing(self.binning))

    def facts(self) -> SimpleNamespace:
        """The parameters and the fitted attributes, under the names that a selector has for them."""
        names, method = self.table.feature_names, find_method(self.method)
        return SimpleNamespace(
            name=method.estimator,
            unused_bins="" if method.bins else f"once cut into bins, which {method.name} does not use, ",
            n_features_to_select=self.asked,
            selected_=self.fitted.found.selected,
            scores_=self.fitted.found.scores,
            **({} if names is None else {"feature_names_in_": names}),
            **self.parameters,
            **self.fitted.attributes(),
            **self.fitted.found.extras,
        )

    def selector(self) -> Any:
        """The fitted scikit-learn transformer."""
        own = {**self.parameters, "binning": self.binning, "target_kind": self.table.target.said.kind}
        made = selector_of(find_method(self.method), self.asked, n_jobs=self.n_jobs, **own)
        return made._keep_fitted(self.table, self.fitted)


def fit_method(
    method: Method,
    table: Table,
    asked: Any,
    parameters: Mapping[str, Any],
    *,
    binning: Any = None,
    n_jobs: Any = None,
    beyond_is_all: bool = False,
) -> Fitted:
    """Run a method on a table that has what it requires: ``asked`` features, with parameters that were checked."""
    k, own = _resolved(method, table, asked, parameters, beyond_is_all=beyond_is_all)
    if "rows" not in method.requires:
        with kept_threads():
            return _run(method, count_table(table, binning, n_jobs), k, own)
    samples = TableSamples(cast("TableInMemory", table), method.estimator, binning, n_jobs)
    if "n_jobs" in inspect.signature(method.run).parameters:
        own["n_jobs"] = n_jobs
    _foretell(method, table, table.n_features - len(table.left_out), k)
    with kept_threads():
        return Fitted(method.run(samples, k, **own).with_last(table.left_out, table.n_features))


def fit_counted(method: Method, counted: Counted, asked: Any, parameters: Mapping[str, Any]) -> Fitted:
    """Run a method on a table that is binned and packed already."""
    with kept_threads():
        return _run(method, counted, *_resolved(method, counted.table, asked, parameters, beyond_is_all=True))


def check_settings(
    method: Method, asked: Any, parameters: Mapping[str, Any], *, binning: Any = BINNING, n_jobs: Any = None
) -> None:
    """Raise ValueError for parameters that are wrong whatever the data."""
    if method.bins and not (binning is None and "rows" in method.requires):
        make_binner(binning)
    check_threads("n_jobs", n_jobs)
    method.check_parameters({"n_features_to_select": asked, **parameters})


def _resolved(
    method: Method, table: Table, asked: Any, parameters: Mapping[str, Any], *, beyond_is_all: bool
) -> tuple[int | None, dict[str, Any]]:
    """The number of features to select from this table, None if the method ends by itself; constraints by column."""
    number, own = FeatureCount(method.ends_with, beyond_is_all), dict(parameters)
    if "constraints" in own:
        candidates = own["constraints"] = resolve(own["constraints"], table.names)
        k = candidates.number(asked, number)
    else:
        k = number.among(asked, table.n_features)
    open_ended = isinstance(asked, str | None) and asked in method.ends_with
    return (None if open_ended else k), own


def _run(method: Method, counted: Counted, k: int | None, own: dict[str, Any]) -> Fitted:
    information = counted.estimated(own.pop("estimator", counted.information.estimator))
    _foretell(method, counted.table, int(information.varies.sum()), k)
    found = method.run(information, k, **own).with_last(counted.table.left_out, counted.table.n_features)
    return Fitted(found, explain_by(counted, found.selected, information))


def _foretell(method: Method, table: Table, n: int, k: int | None) -> None:
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


def count_table(table: Table, binning: Any, n_jobs: int | None = None) -> Counted:
    """Bin the columns of a table and count their codes."""
    binner, source = count(table, binning, n_jobs)
    return Counted(table, binner, make_information("plug-in", source))


def rule_for_tuples(binning: Any, of_binner: Mapping[str, Any], order: int, n_jobs: int | None) -> Binning:
    """The binner for pairs and triples of columns: of three and of two bins where no number is given."""
    parameters = dict(of_binner)
    if isinstance(binning, str) and binning in ("quantile", "uniform"):
        parameters.setdefault("n_bins", INTERACTIONS_BINS[order])
    return make_binner(binning, n_jobs=n_jobs, **parameters)


def count_for_tuples(
    table: Table, binning: Any, rule: Binning, of_binner: Mapping[str, Any], n_jobs: int | None
) -> tuple[Binning, CountSource]:
    """The fitted rule and the counts; columns of few whole numbers are codes, where nothing is said of the bins."""
    if isinstance(binning, str) and binning != "none" and of_binner.keys() <= {"missing"}:
        table, all_are_codes = table.few_as_codes(n_jobs)
        rule = make_binner("none", n_jobs=n_jobs, missing=rule.missing) if all_are_codes else rule
    return count(table, rule, n_jobs)


def strata_of(table: Table, strata: Any) -> tuple[Integers | None, list[int]]:
    """The stratum of every sample, class by class, of a column or one value a row, and the column, where it is one."""
    if strata is None:
        return None, []
    if not table.in_memory or table.is_sparse:
        raise ValueError(
            "strata need dense rows in memory: leave out memory, spool and engine, or give some of the rows"
        )
    rows = cast("TableInMemory", table)
    with renamed("exclude", "strata"):
        columns = resolve(Constraints(exclude=[strata]), table.names).exclude if np.isscalar(strata) else []
    given = rows if columns else read_xy(pa.table({"strata": pa.array(as_array(strata))}))
    if given.n_samples != table.n_samples:
        what = "rows of weight 0 and those without a target do not count: name a column in place of values"
        raise ValueError(f"strata has {given.n_samples:,} values but the data has {table.n_samples:,} rows: {what}")
    values = given.values(columns[0] if columns else 0)
    codes = values.codes if hasattr(values, "codes") else encode_known(values).codes
    if codes.min() < 0:
        raise ValueError("strata are missing in some rows: give every row one")
    target = table.target
    order, _ = class_order(target.codes, rows.weights, target.n_classes)
    strata, classes = codes[order].astype(np.int64), target.codes[order]
    if len(np.unique(strata * target.n_classes + classes)) == len(np.unique(strata)):
        of = f" of {table.quoted(columns)}" if columns else ""
        raise ValueError(f"no stratum{of} has rows of two classes, so that shuffles within strata change nothing")
    return strata, columns


def nothing_informative(relevance: Floats, informative: Later[Flags]) -> list[str]:
    """A note where no selected column is informative about the class, alone or with another."""
    k = len(relevance)
    if not k or relevance.max() > TIE or informative.value.any():
        return []
    what = "column has" if k == 1 else f"{k:,} columns have"
    return [f"the selected {what} no information about the target (relevance 0): any other would do as well"]


def explain_by(counted: Counted, selected: Columns, information: Information | None = None) -> Explained:
    """What the counts say of the selected columns, by the plug-in information where no other is given."""
    information = information or counted.information
    informative, known = carries_information(counted.information, selected), leaks(counted.information)
    return Explained(counted.binner, information.relevance, *overlaps(information, selected), informative, known)


def overlaps(information: Information, selected: Columns) -> tuple[Columns, Floats]:
    """For every selected feature the earlier one with the largest I(Xi;Xs), and that; -1 and nan for the first."""
    nearest, overlap = np.full(len(selected), -1, np.intp), np.full(len(selected), np.nan)
    if len(selected) > 1:
        shared = information.matrix("redundancy", columns=selected)
        shared[np.triu_indices(len(selected))] = -np.inf
        places = shared.argmax(axis=1)[1:]
        nearest[1:], overlap[1:] = selected[places], shared[np.arange(1, len(selected)), places]
    return nearest, overlap


def make_selector(
    method: str,
    n_features_to_select: int | float | str | None = None,
    *,
    binning: Any = BINNING,
    missing: str | None = None,
    target_kind: str | None = None,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Any:
    """Build the selector of a method.

    Parameters
    ----------
    method : str
        A name of :func:`list_methods`.
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer (fcbf: all that its rule keeps). Or "auto"
        for a method that can end by itself (the greedy methods, fcbf, and vmi with ``on_plateau="stop"``).
    binning : {"auto", "mdl", "quantile", "uniform", "none"} or binner, default="auto"
        Left out for a method on values, which does not bin.
    missing : {"error", "bin"}, optional
        What missing values are: an error (the default), or a code of their own.
    target_kind : {"classes", "quantity"}, optional
        What the target is, where its values are not to decide.
    n_jobs : int, optional
        Threads.
    **parameters
        Of the method, as :func:`list_methods` has them: such as ``beta`` of mifs, or ``estimator``, ``stopping`` and
        ``constraints`` of every greedy method.

    Returns
    -------
    estimator
        A scikit-learn transformer, not fitted.

    Raises
    ------
    ValueError
        If there is no such method (the nearest names are given) or it has no such parameter.

    Examples
    --------
    >>> import bitsieve
    >>> bitsieve.make_selector("mifs", 5, beta=0.5)
    ForwardSelector(criterion=MIFS(beta=0.5), n_features_to_select=5)
    """
    found = find_method(method)
    own = arguments_of(found, parameters) | {"binning": binning, "missing": missing, "target_kind": target_kind}
    return selector_of(found, n_features_to_select, n_jobs=n_jobs, **own)


def selector_of(method: Method, n_features_to_select: Any, **arguments: Any) -> Any:
    """The selector of a method with the arguments of its function, and of those that several share what it has."""
    module, _, name = method.selector.partition(":")
    made = getattr(importlib.import_module(module), name)
    taken = inspect.signature(made).parameters
    return made(n_features_to_select, **{key: value for key, value in arguments.items() if key in taken})
