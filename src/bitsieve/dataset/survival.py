"""A target that is a time to an event, which may be censored: its columns, what they hold, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.dataset.data_kinds import is_arrow_column
from bitsieve.dataset.encoding import ColumnValues, Encoded, are_categories, encode, is_missing
from bitsieve.dataset.quantity import number_of_classes
from bitsieve.dataset.target import Target, read_values
from bitsieve.diagnostics import NAME_ONLY, Diagnostic, UserError, literal
from bitsieve.options import SurvivalOptions, survival_options
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Values
from bitsieve.utils.types import ColumnLike, DataFrame

if TYPE_CHECKING:
    from bitsieve.counts.risk_sets import RiskSets

MEANING_OF_EVENT = {"0": False, "false": False, "1": True, "true": True}
MAX_VALUES_LISTED = 10
NAMES_OF_EVENT = ("event", "status")
NAMES_OF_DURATION = ("duration", "time")


@dataclass(frozen=True, eq=False)
class SurvivalColumns:
    """The columns of a time to an event as the user gave them: arrays or series."""

    duration: ColumnLike
    event: ColumnLike
    entry: ColumnLike = None
    event_value: str | None = None  # the value of ``event`` that is the event; None where it is 1 or True
    n_intervals: int = 1
    duration_name: str = "duration"
    event_name: str = "event"
    entry_name: str = "entry"
    are_named: bool = False  # whether they were given as names of columns of the data

    @classmethod
    def of_options(cls, options: SurvivalOptions, columns: Sequence[ColumnLike]) -> SurvivalColumns:
        """The columns of a target, in the order of ``options.columns``."""
        duration, event, *entries = columns
        return cls(
            duration=duration,
            event=event,
            entry=entries[0] if entries else None,
            event_value=options.event_value,
            n_intervals=options.n_intervals,
            duration_name=options.duration if options.are_named else "duration",
            event_name=options.event_column if options.are_named else "event",
            entry_name=options.entry if options.are_named and entries else "entry",
            are_named=options.are_named,
        )

    def __len__(self) -> int:
        return len(self.duration)

    @property
    def names(self) -> list[str]:
        """The names of the columns in which each row needs a value."""
        return [self.duration_name, self.event_name]

    @property
    def event_in_words(self) -> str:
        """The event as the parameter was typed; empty if values were given."""
        if not self.are_named:
            return ""
        if self.event_value is None:
            return self.event_name
        return f"{self.event_name}={self.event_value}"

    def rows_without_value(self) -> Flags:
        """Which rows have no time or no event."""
        has_no_time = is_missing(read_values(self.duration, _called("duration", self.duration_name)))
        has_no_event = is_missing(read_values(self.event, f"the event {self.event_name!r}"))
        if len(has_no_time) != len(has_no_event):
            return np.zeros(len(has_no_time), bool)  # the lengths are refused later
        return has_no_time | has_no_event


@dataclass(frozen=True, eq=False)
class SurvivalTarget(Target):
    """A time to an event: the classes are censored rows and rows with an event."""

    time: Floats = field(default_factory=lambda: np.empty(0))  # shape (n_samples,)
    entry: Floats | None = None  # shape (n_samples,): when each row came under observation; None: from the start
    stratum: Integers | None = None  # shape (n_samples,): risk sets are within strata; None: one stratum
    n_intervals: int = 1
    event_name: str = ""  # the column of the event, such as "status=2"; empty if values were given

    @property
    def event(self) -> Flags:
        """Whether each row has an event."""
        return np.asarray(self.codes == 1)

    @property
    def varies(self) -> bool:
        """Whether there is something to select for: an event."""
        return bool(self.event.any())

    @property
    def truth(self) -> Values:
        """What a model predicts, in the structured form of scikit-survival: the event and the time of each row."""
        pairs = np.empty(len(self.time), dtype=[("event", bool), ("time", np.float64)])
        pairs["event"] = self.event
        pairs["time"] = self.time
        return pairs

    def risk_sets(self, weights: Integers | None) -> RiskSets:
        """The risk sets of the rows."""
        from bitsieve.counts.risk_sets import RiskSets

        return RiskSets.of_rows(
            self.time,
            self.event,
            entry=self.entry,
            stratum=self.stratum,
            weight=weights,
            n_intervals=self.n_intervals,
        )

    def take(self, rows: Columns) -> SurvivalTarget:
        return replace(
            self,
            codes=self.codes[rows],
            time=self.time[rows],
            entry=None if self.entry is None else self.entry[rows],
            stratum=None if self.stratum is None else self.stratum[rows],
        )


def survival_columns(y: ColumnLike) -> SurvivalColumns | None:
    """The columns of a target that is a time to an event; None for any other target.

    Such a target is a structured array as scikit-survival's ``Surv`` makes it, or a frame of two columns, of which one
    is boolean and the other holds numbers, or which are named event and duration (or status and time).
    """
    if isinstance(y, SurvivalColumns):
        return y
    if isinstance(y, np.ndarray):
        return None if y.dtype.names is None else _columns_of_structured_array(y)
    if isinstance(y, (str, list)) or is_arrow_column(y):  # names of columns, or a single column
        return None
    import narwhals as nw

    if nw.dependencies.is_into_series(y):  # known at once; to tell whether it is a frame narwhals searches for plugins
        return None
    return _columns_of_frame(y) if nw.dependencies.is_into_dataframe(y) else None


def survival_of_target(
    target: ColumnLike, duration: ColumnLike, event: ColumnLike, entry: ColumnLike, n_intervals: int
) -> SurvivalOptions | None:
    """The options of a time to an event, which is given by its columns or as the target; None for any other target."""
    columns = None
    if duration is None and event is None:
        columns = survival_columns(target)
    if columns is None:
        return survival_options(target, duration, event, entry, n_intervals)
    return survival_options(None, columns.duration, columns.event, entry, n_intervals)


def _columns_of_structured_array(y: Values) -> SurvivalColumns:
    names = y.dtype.names or ()
    if len(names) == 2 and y.ndim == 1:
        event = y[names[0]]
        is_boolean = event.dtype.kind == "b" or (event.dtype.kind in "iu" and bool(np.isin(event, (0, 1)).all()))
        if is_boolean and y[names[1]].dtype.kind in "iuf":
            return SurvivalColumns(y[names[1]], event, duration_name=str(names[1]), event_name=str(names[0]))
    raise UserError(
        code="wrong-kind-of-target",
        message=f"the target is a structured array of the fields {', '.join(map(repr, names))}",
        advice="for times to an event give the event (bool) and the time, as Surv.from_arrays of scikit-survival does",
    )


def _columns_of_frame(y: DataFrame) -> SurvivalColumns | None:
    import narwhals as nw

    frame = nw.from_native(y)
    if isinstance(frame, nw.LazyFrame) or len(frame.columns) != 2:
        return None
    for event_name, duration_name in (tuple(frame.columns), tuple(frame.columns)[::-1]):
        event = frame[event_name]
        duration = frame[duration_name]
        are_named = str(event_name).lower() in NAMES_OF_EVENT and str(duration_name).lower() in NAMES_OF_DURATION
        is_boolean = event.dtype == nw.Boolean
        if duration.dtype.is_numeric() and (is_boolean or are_named):
            return SurvivalColumns(
                duration.to_native(), event.to_native(), duration_name=str(duration_name), event_name=str(event_name)
            )
    return None


def refuse_survival_target(target: ColumnLike) -> None:
    """Refuse a target that :func:`survival_columns` takes for a time to an event, where other targets are needed."""
    if survival_columns(target) is not None:
        raise UserError(
            code="survival-not-supported",
            message="the target is a time to an event, which is not taken here",
            advice="give one column, or the two columns as an array if they are two targets",
        )


def read_survival(
    columns: SurvivalColumns, n_samples: int, weights: Integers | None, strata: Columns | None
) -> SurvivalTarget:
    """Read the columns of a time to an event. Samples of weight 0 are left out."""
    rows = np.arange(n_samples) if weights is None else np.flatnonzero(weights)
    time = _times(columns.duration, "duration", columns.duration_name, n_samples, rows)
    event = _events(columns, n_samples, rows)
    entry = None
    if columns.entry is not None:
        entry = _times(columns.entry, "entry", columns.entry_name, n_samples, rows)
        _check_entry_is_before(columns, entry, time)
    if not event.any():
        raise UserError(
            code="no-events",
            message=f"none of the {len(event):,} rows has an event in {columns.event_name!r}",
            advice="1 (or True) is an event and 0 a censored row; {event='status=2'} takes another value as the event",
        )
    total_weight = len(time) if weights is None else int(weights.sum())
    return SurvivalTarget(
        codes=event.astype(np.int32),
        labels=np.array([False, True]),
        kind="survival",
        name=columns.duration_name,
        n_classes_of_quantity=number_of_classes(total_weight),
        time=time,
        entry=entry,
        stratum=None if strata is None else strata[rows].astype(np.int64),
        n_intervals=columns.n_intervals,
        event_name=columns.event_in_words,
    )


def _check_entry_is_before(columns: SurvivalColumns, entry: Floats, time: Floats) -> None:
    """Refuse rows that came under observation at their time or later."""
    refused = np.flatnonzero(entry >= time)
    if not len(refused):
        return
    first = refused[0]
    which_entry = _called("entry", columns.entry_name)
    which_duration = _called("duration", columns.duration_name)
    raise UserError(
        code="invalid-times",
        message=(
            f"{which_entry} is not before {which_duration} in {len(refused):,} of {len(time):,} rows "
            f"(such as {entry[first]:g} and {time[first]:g})"
        ),
        advice="leave these rows out",
    )


def events_counted(target: SurvivalTarget, weights: Integers | None) -> Diagnostic:
    """How many rows have an event. Where 1 stands for censored rows, the user sees it by this number."""
    times = np.ones(len(target.codes), np.int64) if weights is None else weights
    n_events = int(times[target.event].sum())
    n_rows = int(times.sum())
    events = "event" if n_events == 1 else "events"
    return Diagnostic(
        code="events-counted",
        message=f"{n_events:,} {events} in {n_rows:,} rows ({100 * n_events / n_rows:.1f} %); the others are censored",
    )


def _check_length(values: ColumnValues, parameter: str, n_samples: int) -> None:
    if len(values) != n_samples:
        raise UserError(
            code="lengths-differ",
            message=f"has {len(values):,} values but the data has {n_samples:,} rows",
            advice="both must have the same number of rows",
            parameters={parameter: NAME_ONLY},
        )


def _check_complete(values: ColumnValues, what: str) -> None:
    n_missing = int(is_missing(values).sum())
    if n_missing:
        raise UserError(
            code="missing-values",
            message=f"{what} is missing in {n_missing:,} of {len(values):,} rows",
            advice="leave these rows out, or fill them in",
        )


def _called(parameter: str, name: str) -> str:
    """What messages call a column."""
    return f"the {parameter}" if name == parameter else f"the {parameter} {name!r}"


def _times(values: ColumnLike, parameter: str, name: str, n_samples: int, rows: Columns) -> Floats:
    """Times of some rows as numbers; durations of numpy or pandas are microseconds."""
    what = _called(parameter, name)
    times_of_all_rows = read_values(values, what)
    _check_length(times_of_all_rows, parameter, n_samples)
    times = times_of_all_rows[rows]
    _check_complete(times, what)
    if are_categories(times) or times.dtype.kind not in "iufm":
        raise UserError(
            code="numbers-needed",
            message=f"{what} holds {_in_place_of_numbers(times)}",
            advice=_advice_for_times(times),
        )
    if times.dtype.kind == "m":
        times = times.astype("timedelta64[us]").astype(np.int64)
    numbers = times.astype(np.float64)
    if np.isinf(numbers).any():
        raise UserError(
            code="infinite-values",
            message=f"{what} is infinite in {int(np.isinf(numbers).sum()):,} of {len(numbers):,} rows",
            advice="a row without an event has the time of its end of observation",
        )
    if parameter == "duration" and (numbers < 0).any():
        raise UserError(
            code="invalid-times",
            message=f"{what} is negative in {int((numbers < 0).sum()):,} of {len(numbers):,} rows",
            advice="give times from 0",
        )
    return numbers


def _events(columns: SurvivalColumns, n_samples: int, rows: Columns) -> Flags:
    """Whether each of some rows has an event."""
    what = f"the event {columns.event_name!r}"
    values_of_all_rows = read_values(columns.event, what)
    _check_length(values_of_all_rows, "event", n_samples)
    values = values_of_all_rows[rows]
    _check_complete(values, what)
    encoded = values if are_categories(values) else encode(values)
    written = [_as_written(value) for value in encoded.categories.tolist()]
    if columns.event_value is not None:
        return _equal_to(columns.event_value, encoded, written, what)
    meanings = [MEANING_OF_EVENT.get(text.lower()) for text in written]
    if None in meanings:
        if columns.are_named:
            advice = "name the value that is the event, such as {event}"
        else:
            advice = literal(f"give a boolean array, such as event == {encoded.categories.tolist()[-1]!r}")
        raise UserError(
            code="invalid-events",
            message=f"{what} holds {_listed(written)}, and not just 0 and 1",
            advice=advice,
            fix={"event": f"{columns.event_name}={written[-1]}"} if columns.are_named else {},
        )
    return np.array(meanings, bool)[encoded.codes]


def _equal_to(event_value: str, encoded: Encoded, written: Sequence[str], what: str) -> Flags:
    """Which values are the one that is the event; all others are censored."""
    if event_value not in written:
        raise UserError(
            code="unseen-value",
            message=f"{what} is {event_value!r} in no row",
            advice=f"it holds {literal(_listed(written))}",
        )
    return np.asarray(encoded.codes == written.index(event_value))


def _in_place_of_numbers(times: ColumnValues) -> str:
    """What times hold that are not all numbers."""
    if are_categories(times):
        texts = [value for value in times.categories.tolist() if not _is_number(value)]
        return f"{_listed(texts)}, and not just numbers" if texts else "categories"
    return "dates" if times.dtype.kind == "M" else "no numbers"


def _advice_for_times(times: ColumnValues) -> str:
    """How to get numbers from what stands in their place."""
    if not are_categories(times) and times.dtype.kind == "M":
        return (
            "give the time from the start of observation to the event or to the end of observation, in days for "
            "example: subtract the date at which each row came under observation"
        )
    return "give a number in each row, in one unit such as days, and leave it empty where the time is not known"


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _listed(written: Sequence[str]) -> str:
    """The first values, in quotes."""
    values = ", ".join(map(repr, written[:MAX_VALUES_LISTED]))
    return values if len(written) <= MAX_VALUES_LISTED else f"{values} and others"


def _as_written(value: object) -> str:
    """A value as people write it: 1.0 as 1."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
