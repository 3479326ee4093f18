"""MonotoneBinner: bins whose event rate follows a trend, with the largest information value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar, Self, TypeAlias, TypeVar

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_is_fitted

from bitsieve.counts.threads import run_blocks, threads_of_block
from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import Encoded, encode_with_missing
from bitsieve.dataset.plain_text import Plain
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.text_format import ColumnRules as TextRules
from bitsieve.dataset.text_format import TextFormat, TextMeaning
from bitsieve.dataset.value_ranges import check_integers, check_values
from bitsieve.diagnostics import NAME_ONLY, ParameterError, UserError
from bitsieve.discretization.monotone.bin_counts import Totals
from bitsieve.discretization.monotone.column_bins import (
    ClassedRows,
    ColumnBins,
    ColumnRules,
    SpecialValue,
    bin_categories,
    bin_numbers,
)
from bitsieve.discretization.monotone.division import OBJECTIVES, TRENDS, BinRules, Objective, Trend
from bitsieve.discretization.monotone.event import rows_of_event
from bitsieve.discretization.monotone.pre_bins import PreBinRules
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.docstrings import cites
from bitsieve.utils.estimator import Estimator
from bitsieve.utils.frames import default_library, frame_of
from bitsieve.utils.messages import advice_on_name, nearest_in, quoted
from bitsieve.utils.parameters import (
    Rule,
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_parameters,
    check_threads,
    optional,
)
from bitsieve.utils.progress import phase
from bitsieve.utils.types import ColumnLike, DataFrame, Label, TableLike

MAX_PRE_BINS = 4096  # the search over so many takes about a gigabyte
ALL_OTHERS = "*"  # the name that stands for all columns that a mapping does not name
MAX_BIN_COST = 500
DATES = "M"  # the time unit of columns of dates
_KINDS = {"": "numbers", DATES: "dates", "m": "durations"}
_ADVICE_ON_TEXT = {
    "": "give a number, without quotes",
    DATES: "give a date, such as 1900-01-01",
    "m": "give a number of microseconds",
}
DEFAULTS = ColumnRules(BinRules(), PreBinRules())  # of columns that a mapping does not name
Value = TypeVar("Value")
#: Values of a column that are no measurements, such as -999; None for none.
SpecialValues: TypeAlias = Iterable[float | str] | None


def by_column(check: Rule) -> Rule:
    """The rule for a parameter that has one value for all columns, or a mapping with a value for each column."""

    def check_each(name: str, value: object) -> None:
        if not isinstance(value, Mapping):
            check(name, value)
            return
        for column, column_value in value.items():
            try:
                check(name, column_value)
            except ParameterError as error:
                raise ParameterError(name, {column: column_value}, error.advice, error.message) from None

    return check_each


def value_for(column: str, parameter: Value | Mapping[str, Value], default: Value) -> Value:
    """The value of a parameter for a column: its own, or that of ``"*"``, or the default."""
    if not isinstance(parameter, Mapping):
        return parameter
    return parameter.get(column, parameter.get(ALL_OTHERS, default))


_check_share = partial(check_number, low=0, high=1)
_check_count = partial(check_integer, low=0)
_check_n_bins = partial(check_integer, low=1, high=MAX_PRE_BINS)


@cites("Navas-Palencia 2020")
class MonotoneBinner(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Cut columns into bins whose event rate rises or falls, with the largest information value that there is.

    Of all divisions of a column into intervals that keep the bounds below, it takes the one that maximises ::

        IV = sum_b (e_b/E - n_b/N) ln((e_b/E) / (n_b/N))        in nats

    with e_b and n_b the rows of bin b with the event and without it, E and N those of the whole table. The search is
    exact: over all distinct numbers up to ``max_exact`` of them, else over ``max_prebins`` cuts of equal frequency and
    the vertices of the convex hull. Categories are put in the order of their event rates, and neighbours are merged.
    Ordered categories (of pandas, an Enum of polars, an ordered dictionary of Arrow) keep their order, and are binned
    as the numbers 0, 1, ... would be. Each special value and the missing values have a bin of their own. Costs
    O(N log N) a column, and O(B^2 k) for B distinct numbers or pre-bins and k bins.

    Parameters
    ----------
    trend : {"auto", "ascending", "descending", "peak", "valley", "none"}, default="auto"
        The trend of the event rate over the bins of numbers and ordered categories; "auto" is the better one of
        ascending and descending. Like each parameter down to ``min_level_share``, also a mapping from names of columns
        to values, such as ``{"age": "descending", "*": "auto"}``.
    max_n_bins : int or None, default=10
        The largest number of bins, not counting those of special and missing values; None for no limit.
    min_n_bins : int, default=1
        The smallest number of bins.
    min_bin_share : float, default=0.05
        The smallest share of all rows that a bin may have.
    max_bin_share : float or None, default=None
        The largest share of all rows that a bin may have.
    min_events, min_nonevents : int, default=1
        The smallest numbers of rows with the event, and without it, that a bin may have.
    min_rate_diff : float, default=0
        The smallest difference between the event rates of neighbouring bins.
    objective : {"iv", "mi", "gini", "chi2"}, default="iv"
        What is maximised: information value, mutual information, the decrease of Gini's impurity, or chi-square.
    bin_cost : float, default=0
        What a bin costs, in units of ``1/E + 1/N``: 1 is the bias of a bin, 2 is Akaike's criterion.
    special_values : list, optional
        Values such as -999 that are no measurements; of a column of dates text such as "1900-01-01".
    min_level_share : float, default=0.01
        Categories with a smaller share of all rows are together as "other", unless they are ordered.
    edges : mapping from names to lists of float, optional
        Columns whose cuts are given. Their bins are counted, and not merged; with a ``trend`` of the column other than
        "auto" they are merged like other bins.
    missing : {"bin", "error"}, default="bin"
        Whether missing values have a bin of their own, or are refused.
    event : class label, optional
        The class that is the event. By default the greater of two numbers, and "yes" of "yes" and "no".
    max_exact : int, default=1500
        The largest number of distinct numbers of a column that are all tried as cuts.
    max_prebins : int, default=500
        The number of bins of equal frequency that are merged in a column with more distinct numbers.
    refine : bool, default=True
        Whether the vertices of the convex hull are tried as cuts of such a column, too.
    digits : int, optional
        The number of decimals of the cuts. The result is the best one among such cuts.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is every core. The result does not depend on it.

    Attributes
    ----------
    binning_tables_ : dict of str to data frame
        For each column a frame with a row for each bin: bin, rows, share, events, nonevents, event_rate, woe, iv. The
        name of a bin of numbers has edges of few digits, which part the rows of the table as ``edges_`` do.
    iv_, iv_corrected_, p_values_ : ndarray of float64, shape (n_features,)
        The information value in nats, the same less its mean for shuffled targets, and the share of shuffled targets
        with at least this information value.
    trends_, status_ : list of str
        The trend of each column (None where nothing was merged), and whether its bounds could be kept: "optimal", or
        "infeasible", which is one bin.
    edges_ : list of ndarray or None
        The cuts of each column of numbers, the largest number left of each; None for categories.
    groups_ : list of tuple or None
        The categories in each bin of a column of categories; None for numbers.
    column_names_ : list of str
        The names of the columns, or "x0", "x1", ... without names.
    column_bins_ : list of ColumnBins
        All of the above for each column, with intervals and mutual information.
    event_ : class label
        The class that is the event.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    Examples
    --------
    >>> from bitsieve import MonotoneBinner
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]
    >>> binner = MonotoneBinner(max_n_bins=2).fit(X, [0, 0, 1, 0, 1, 1, 0, 1])
    >>> binner.edges_[0].tolist(), binner.trends_, binner.iv_.round(3).tolist()
    ([4.0], ['ascending'], [1.099])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "trend": by_column(partial(check_choice, choices=TRENDS)),
        "max_n_bins": by_column(optional(_check_n_bins)),
        "min_n_bins": by_column(_check_n_bins),
        "min_bin_share": by_column(_check_share),
        "max_bin_share": by_column(optional(_check_share)),
        "min_events": by_column(_check_count),
        "min_nonevents": by_column(_check_count),
        "min_rate_diff": by_column(_check_share),
        "objective": by_column(partial(check_choice, choices=OBJECTIVES)),
        "bin_cost": by_column(partial(check_number, low=0, high=MAX_BIN_COST)),
        "min_level_share": by_column(_check_share),
        "missing": partial(check_choice, choices=("bin", "error")),
        "max_exact": partial(check_integer, low=2, high=MAX_PRE_BINS),
        "max_prebins": partial(check_integer, low=2, high=MAX_PRE_BINS),
        "refine": check_flag,
        "digits": optional(partial(check_integer, low=0, high=17)),
        "n_jobs": check_threads,
    }

    def __init__(
        self,
        *,
        trend: Trend | Mapping[str, Trend] = "auto",
        max_n_bins: int | Mapping[str, int | None] | None = 10,
        min_n_bins: int | Mapping[str, int] = 1,
        min_bin_share: float | Mapping[str, float] = 0.05,
        max_bin_share: float | Mapping[str, float | None] | None = None,
        min_events: int | Mapping[str, int] = 1,
        min_nonevents: int | Mapping[str, int] = 1,
        min_rate_diff: float | Mapping[str, float] = 0,
        objective: Objective | Mapping[str, Objective] = "iv",
        bin_cost: float | Mapping[str, float] = 0,
        special_values: SpecialValues | Mapping[str, SpecialValues] = None,
        min_level_share: float | Mapping[str, float] = 0.01,
        edges: Mapping[str, Sequence[float]] | None = None,
        missing: str = "bin",
        event: Label | None = None,
        max_exact: int = 1500,
        max_prebins: int = 500,
        refine: bool = True,
        digits: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.trend = trend
        self.max_n_bins = max_n_bins
        self.min_n_bins = min_n_bins
        self.min_bin_share = min_bin_share
        self.max_bin_share = max_bin_share
        self.min_events = min_events
        self.min_nonevents = min_nonevents
        self.min_rate_diff = min_rate_diff
        self.objective = objective
        self.bin_cost = bin_cost
        self.special_values = special_values
        self.min_level_share = min_level_share
        self.edges = edges
        self.missing = missing
        self.event = event
        self.max_exact = max_exact
        self.max_prebins = max_prebins
        self.refine = refine
        self.digits = digits
        self.n_jobs = n_jobs

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike = None) -> Self:
        """Find the bins of every column.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            A target of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, whole numbers: how many times each sample counts.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, the target does not have two classes, or a column holds infinite values,
            missing values with ``missing="error"``, or integers that differ and are the same in double precision.
        """
        check_parameters(self)
        if y is None:
            raise target_missing(self)
        return self.fit_table(read_xy(X, y, sample_weight, estimator=self))

    def fit_table(self, table: InMemoryDataset) -> Self:
        """Find the bins of every column of a table that is read. The parameters were checked."""
        self._check_columns(table)
        is_event, self.event_ = rows_of_event(table.target, self.event)
        names = [str(name) for name in table.names]
        check_special_values(self.special_values, names, [unit_of_column(table, j) for j in range(len(names))])
        self._check_trends(table, names)
        self._check_edges(table, names)
        rows = ClassedRows(is_event, table.weights, Totals.of_rows(is_event, table.weights))
        columns = self._bins_of_columns(table, names, rows)
        self.column_bins_ = columns
        self.column_names_ = names
        self._formats = {j: meaning.format for j, meaning in table.text_meanings.items() if not meaning.is_plain}
        self.trends_ = [column.trend for column in columns]
        self.status_ = [column.status for column in columns]
        self.edges_ = [column.merged.edges for column in columns]
        self.groups_ = [column.merged.groups for column in columns]
        self.iv_ = np.array([column.iv for column in columns])
        self.iv_corrected_ = np.array([column.iv_corrected for column in columns])
        return self

    def _bins_of_columns(self, table: InMemoryDataset, names: Sequence[str], rows: ClassedRows) -> list[ColumnBins]:
        n_threads = threads_of_block(table.n_features, self.n_jobs)
        column_of_index: dict[int, ColumnBins] = {}

        def bin_column(j: int) -> None:
            rules = self._rules_of(names[j], time_unit_of(table.text_meanings.get(j)))
            if table.is_numeric(j):
                column_of_index[j] = bin_numbers(table.numeric(j), rows, rules, n_threads)
            else:
                column_of_index[j] = bin_categories(table.categorical(j), rows, rules)

        run_blocks(bin_column, range(table.n_features), self.n_jobs, phase("binning"))
        return [column_of_index[j] for j in range(table.n_features)]

    @property
    def p_values_(self) -> Floats:
        """The share of shuffled targets with which bins made in the same way have as much information value."""
        check_is_fitted(self, "iv_")
        p_values = np.empty(len(self.column_bins_))

        def test(column: int) -> None:
            p_values[column] = self.column_bins_[column].p_value

        run_blocks(test, range(len(p_values)), self.n_jobs, phase("testing"))
        return p_values

    @property
    def binning_tables_(self) -> dict[str, DataFrame]:
        """A data frame for each column, with a row for each of its bins."""
        check_is_fitted(self, "iv_")
        return {name: binning_table(column) for name, column in zip(self.column_names_, self.column_bins_, strict=True)}

    def transform(self, X: TableLike) -> Integers:
        """The bin of every value, from 0 on; special values and missing values have the last bins.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples, n_features)

        Raises
        ------
        ValueError
            If the columns are not those of fit, or hold missing values or categories that were not there when fitting.
        """
        bins = self.bins_of(X)
        for name, column in zip(self.column_names_, bins.T, strict=True):
            n_without = int((column < 0).sum())
            if n_without:
                raise UserError(
                    code="unseen-value",
                    message=f"column {name!r} has {n_without:,} missing or new values, which it had not when fitting",
                    advice="WOEEncoder takes them",
                )
        return bins

    def bins_of(self, X: TableLike) -> Integers:
        """The bin of every value, as :meth:`transform` has it; -1 for a value that has none.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples, n_features)

        Raises
        ------
        ValueError
            If the columns are not those of fit, or hold infinite values.
        """
        check_is_fitted(self, "iv_")
        table = self._read_again(X)
        refuse_sparse(table)
        check_values(table, allow_missing=self.missing == "bin", n_jobs=self.n_jobs)
        bins = np.empty((table.n_samples, table.n_features), np.int64, order="F")
        for j, column in enumerate(self.column_bins_):
            if column.merged.edges is not None:
                if not table.is_numeric(j):
                    words = table.categorical(j).categories.tolist()
                    raise text_in_numbers(self.column_names_[j], words, column.fixed.time_unit)
                bins[:, j] = column.bins_of_numbers(table.numeric(j))
            else:
                bins[:, j] = column.bins_of_categories(_as_categories(table, j))
        return bins

    def _read_again(self, X: TableLike) -> InMemoryDataset:
        """Read the columns of new rows. Text is read in the format that it had when fitting."""
        formats: dict[int, TextFormat] = {}
        for j, edges in enumerate(self.edges_):
            if j in self._formats:
                formats[j] = self._formats[j]
            elif edges is not None:
                formats[j] = Plain()
        return read_columns(X, estimator=self, reset=False, rules=TextRules(formats=formats))

    def _check_columns(self, table: InMemoryDataset) -> None:
        """Refuse values that cannot be cut, and names of columns that the table does not have."""
        if self.edges is not None and not isinstance(self.edges, Mapping):
            raise ParameterError("edges", self.edges, "give a mapping from names of columns to their edges")
        refuse_sparse(table)
        ranges = check_values(table, allow_missing=self.missing == "bin", n_jobs=self.n_jobs)
        check_integers(table, ranges)
        refuse_unknown_columns(self, [str(name) for name in table.names])

    def _check_trends(self, table: InMemoryDataset, names: Sequence[str]) -> None:
        """Refuse a trend that is given for a column of categories without an order."""
        if not isinstance(self.trend, Mapping):
            return
        for j, name in enumerate(names):
            trend = self.trend.get(name, "auto")
            is_ordered = table.is_numeric(j) or table.categorical(j).declared_ranks is not None
            if trend not in ("auto", "none") and not is_ordered:
                raise UserError(
                    code="parameter-without-effect",
                    message=f"needs numbers or ordered categories, and those of column {name!r} have no order",
                    advice="leave it out",
                    columns=[name],
                    parameters={"trend": {name: trend}},
                )

    def _check_edges(self, table: InMemoryDataset, names: Sequence[str]) -> None:
        """Refuse edges that are given for all columns, or for a column of categories."""
        if self.edges is None:
            return
        if ALL_OTHERS in self.edges:
            raise ParameterError("edges", self.edges, "name the column of each list of edges")
        for j, name in enumerate(names):
            if name in self.edges and not table.is_numeric(j):
                raise UserError(
                    code="parameter-without-effect",
                    message=f"needs numbers, and column {name!r} holds categories",
                    advice="leave it out",
                    columns=[name],
                    parameters={"edges": {name: self.edges[name]}},
                )

    def _rules_of(self, column: str, time_unit: str) -> ColumnRules:
        """The rules for one column, from its own values of the parameters that may be mappings."""
        trend = value_for(column, self.trend, DEFAULTS.bins.trend)
        edges = None if self.edges is None else self.edges.get(column)
        return ColumnRules(
            bins=self._bin_rules_of(column, trend),
            pre_bins=PreBinRules(self.max_exact, self.max_prebins, self.refine, self.digits),
            special_values=self._special_values_of(column, time_unit),
            min_level_share=value_for(column, self.min_level_share, DEFAULTS.min_level_share),
            edges=None if edges is None else _ascending(edges, column),
            merges_edges=trend != "auto",
            time_unit=time_unit,
        )

    def _bin_rules_of(self, column: str, trend: Trend) -> BinRules:
        """The trend and the bounds that the bins of a column keep."""
        max_n_bins = value_for(column, self.max_n_bins, DEFAULTS.bins.max_n_bins)
        min_n_bins = value_for(column, self.min_n_bins, DEFAULTS.bins.min_n_bins)
        min_bin_share = value_for(column, self.min_bin_share, DEFAULTS.bins.min_bin_share)
        if max_n_bins is not None and min_n_bins > max_n_bins:
            raise ParameterError("min_n_bins", min_n_bins, f"give at most {{max_n_bins}}, which is {max_n_bins}")
        if min_bin_share * min_n_bins > 1:
            raise ParameterError(
                "min_bin_share", min_bin_share, f"give at most 1 / {{min_n_bins}}, which is {1 / min_n_bins:g}"
            )
        return BinRules(
            trend=trend,
            objective=value_for(column, self.objective, DEFAULTS.bins.objective),
            max_n_bins=max_n_bins,
            min_n_bins=min_n_bins,
            min_bin_share=min_bin_share,
            max_bin_share=value_for(column, self.max_bin_share, DEFAULTS.bins.max_bin_share),
            min_events=value_for(column, self.min_events, DEFAULTS.bins.min_events),
            min_nonevents=value_for(column, self.min_nonevents, DEFAULTS.bins.min_nonevents),
            min_rate_diff=value_for(column, self.min_rate_diff, DEFAULTS.bins.min_rate_diff),
            bin_cost=value_for(column, self.bin_cost, DEFAULTS.bins.bin_cost),
        )

    def _special_values_of(self, column: str, time_unit: str) -> tuple[SpecialValue, ...]:
        """The special values of a column; those of a column of dates are numbers."""
        values = special_values_in(value_for(column, self.special_values, None))
        if time_unit != DATES:
            return values
        numbers = [number_of_special(value, time_unit) for value in values]
        return tuple(number for number in numbers if number is not None)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "bin"
        tags.input_tags.string = True
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)  # the target has two classes
        tags.transformer_tags.preserves_dtype = []
        return tags


def binning_table(column: ColumnBins) -> DataFrame:
    """A data frame with a row for each bin of a column."""
    counts = column.counts
    return frame_of(
        {
            "bin": list(column.labels),
            "rows": counts.rows,
            "share": counts.rows / column.totals.rows,
            "events": counts.events,
            "nonevents": counts.nonevents,
            "event_rate": counts.events / counts.rows,
            "woe": column.woe,
            "iv": column.iv_terms,
        },
        default_library(),
    )


def refuse_unknown_columns(binner: MonotoneBinner, names: Sequence[str]) -> None:
    """Refuse parameters that name a column which is not among ``names``."""
    for parameter, value in binner.get_params(deep=False).items():
        if not isinstance(value, Mapping):
            continue
        unknown = [column for column in value if column not in names and column != ALL_OTHERS]
        if unknown:
            raise UserError(
                code="unknown-column",
                message=f"names {quoted(unknown)}, no column of the table",
                advice=advice_on_name(str(unknown[0]), names),
                fix=nearest_in(parameter, unknown[0], names),
                columns=[str(unknown[0])],
                parameters={parameter: NAME_ONLY},
            )


def for_columns(binner: MonotoneBinner, names: Sequence[str]) -> MonotoneBinner:
    """The binner without the parameters of columns that are not among ``names``."""
    binner_of_names: MonotoneBinner = clone(binner)
    for parameter, value in binner.get_params(deep=False).items():
        if isinstance(value, Mapping):
            value_of_names = {column: value[column] for column in value if column in names or column == ALL_OTHERS}
            setattr(binner_of_names, parameter, value_of_names)
    return binner_of_names


def time_unit_of(meaning: TextMeaning | None) -> str:
    """The time unit of a column: "M" of dates, "m" of durations, empty of other values."""
    if meaning is None or meaning.format.time is None:
        return ""
    return DATES if meaning.format.time == "dates" else "m"


def unit_of_column(table: InMemoryDataset, j: int) -> str | None:
    """The time unit of a column of numbers, as :func:`time_unit_of` has it; None for categories."""
    return time_unit_of(table.text_meanings.get(j)) if table.is_numeric(j) else None


def check_special_values(
    special_values: SpecialValues | Mapping[str, SpecialValues], names: Sequence[str], units: Sequence[str | None]
) -> None:
    """Refuse text as a special value of a column of numbers, and text that is no date of a column of dates.

    Text that was declared for all columns is meant for those of categories and dates. It is refused if the table has
    none of them. ``units`` are those of :func:`unit_of_column`.
    """
    time_units = {name: unit for name, unit in zip(names, units, strict=True) if unit is not None}
    takes_text = len(time_units) < len(names) or DATES in time_units.values()
    named_columns = set(special_values) if isinstance(special_values, Mapping) else set()
    for name, time_unit in time_units.items():
        is_named = name in named_columns
        if takes_text and not is_named:
            continue
        for value in special_values_in(value_for(name, special_values, None)):
            if isinstance(value, str) and number_of_special(value, time_unit) is None:
                raise UserError(
                    code="special-value-type",
                    message=f"is a text, and column {name!r} holds {_KINDS[time_unit]}",
                    advice=_ADVICE_ON_TEXT[time_unit],
                    columns=[name],
                    parameters={"special_values": {name: [value]} if is_named else [value]},
                )


def number_of_special(value: SpecialValue, time_unit: str) -> float | None:
    """A special value as a column of numbers holds it: a date as microseconds since 1970. None for other text.

    None also for a number where a column holds dates: -999 for all columns is no microsecond of 1969.
    """
    if not isinstance(value, str):
        return None if time_unit == DATES else value
    if time_unit != DATES:
        return None
    try:
        return float((datetime.fromisoformat(value) - datetime(1970, 1, 1)) // timedelta(microseconds=1))
    except (ValueError, TypeError):  # no date, or one with a time zone
        return None


def _as_categories(table: InMemoryDataset, j: int) -> Encoded:
    """A column as categories, also one that holds numbers now."""
    return encode_with_missing(table.numbers(j)) if table.is_numeric(j) else table.categorical(j)


def target_missing(estimator: Estimator) -> UserError:
    """The error of ``fit`` without a target."""
    name = type(estimator).__name__
    return UserError(
        code="target-needed",
        message=f"This {name} estimator requires y to be passed, but the target y is None.",
    )


def refuse_sparse(table: InMemoryDataset) -> None:
    """Refuse a sparse table."""
    if table.is_sparse:
        raise UserError(
            code="dense-rows-needed",
            message="sparse input is not supported",
            advice="give X.toarray()",
        )


def text_in_numbers(name: str, texts: Sequence[object] = (), time_unit: str = "") -> UserError:
    """The error for a column of text that held numbers when fitting, or dates if there is a time unit.

    ``texts`` are its values, if they are known.
    """
    words = [] if time_unit else [str(text) for text in texts if not is_number_in_text(str(text))]
    advice = f"give numbers in place of {quoted(words, limit=1)}, or nothing for a missing value"
    return UserError(
        code="column-kind-changed",
        message=f"column {name!r} was numeric when fitting",
        advice=advice if words else f"give {_KINDS[time_unit]}",
    )


def is_number_in_text(text: str) -> bool:
    """Whether text is a number as Python writes it."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_binner(binner: object) -> None:
    """Refuse what is no MonotoneBinner; None stands for the default one."""
    if binner is not None and not isinstance(binner, MonotoneBinner):
        raise ParameterError("binner", binner, "give a MonotoneBinner, or None for the default one")


def special_values_in(values: SpecialValues) -> tuple[float | str, ...]:
    """The special values without duplicates.

    Raises
    ------
    ParameterError
        If they are not a list, or hold what is neither a finite number nor text.
    """
    if values is None:
        return ()
    if isinstance(values, (str, float, int)):
        raise ParameterError("special_values", values, f"give a list, such as [{values!r}]")
    special_values = tuple(dict.fromkeys(values))
    for value in special_values:
        if not isinstance(value, str) and not _is_finite(value):
            raise ParameterError("special_values", [value], "give numbers or text; missing values have a bin already")
    return special_values


def _is_finite(value: object) -> bool:
    """Whether a value is a number, neither NaN nor infinite."""
    return isinstance(value, (float, int, np.number, np.bool_)) and math.isfinite(value)


def _ascending(edges: Sequence[float], name: str) -> Floats:
    error = ParameterError("edges", edges, f"give ascending finite numbers for column {name!r}")
    try:
        values = np.asarray(edges, np.float64)
    except (TypeError, ValueError):
        raise error from None
    if values.ndim != 1 or not np.isfinite(values).all() or (np.diff(values) <= 0).any():
        raise error
    return values
