"""The options that the public functions and the command line share, as plain data.

Those of a method are in :class:`bitsieve.pipeline.selection_options.SelectionOptions`, as they need the methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from os import PathLike
from typing import Any, NamedTuple

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.parameters import check_choice, check_flag, check_integer, check_threads
from bitsieve.utils.types import ColumnLike, Label

DAY_FIRST = "day-first"
MONTH_FIRST = "month-first"
FREQUENCY = "frequency"
SAMPLING = "sampling"
WEIGHT_KINDS = (FREQUENCY, SAMPLING)
IDENTIFIERS = ("drop", "keep")
MAX_INTERVALS = 1000  # of time
PAPER = "paper"  # the protocol of the papers
NUMBER = "number"
COLUMN_TYPES = ("category", NUMBER, DAY_FIRST, MONTH_FIRST)


class ColumnType(NamedTuple):
    """What a column holds, as the user chose it."""

    kind: str  # one of ``COLUMN_TYPES``
    missing_numbers: tuple[float, ...] = ()  # the numbers of the column that mean a missing value

    @classmethod
    def from_text(cls, text: str) -> ColumnType | None:
        """The type that is written as one of ``COLUMN_TYPES`` or as "number, missing 99 999"; None for other text."""
        if text in COLUMN_TYPES:
            return cls(text)
        kind, _, numbers = text.partition(", missing ")
        try:
            missing_numbers = tuple(float(number) for number in numbers.split())
        except ValueError:
            return None
        if kind != NUMBER or not missing_numbers or not all(map(isfinite, missing_numbers)):
            return None
        return cls(kind, missing_numbers)


def type_without(missing_numbers: Sequence[float]) -> str:
    """The text of the column type in which these numbers mean a missing value."""
    return f"{NUMBER}, missing {' '.join(f'{number:.17g}' for number in missing_numbers)}"


@dataclass(frozen=True, kw_only=True, eq=False)
class SurvivalOptions:
    """The target is a time to an event, which may be censored.

    The fields are the parameters of :func:`bitsieve.select` of the same names: columns of the data, or values.
    """

    duration: ColumnLike
    event: ColumnLike
    entry: ColumnLike = None
    n_intervals: int = 1

    @property
    def event_column(self) -> ColumnLike:
        """The column of the event, or its values."""
        return self._event_and_value[0]

    @property
    def event_value(self) -> str | None:
        """The value of the column that is the event; None where it is 1 or True."""
        return self._event_and_value[1]

    @property
    def _event_and_value(self) -> tuple[ColumnLike, str | None]:
        """The two parts of ``event``: "status=1", or "status == 1", is the value 1 of the column "status"."""
        if not isinstance(self.event, str) or "=" not in self.event:
            return self.event, None
        column, _, value = self.event.rpartition("=")
        return column.removesuffix("=").strip(), value.strip()

    @property
    def columns(self) -> list[ColumnLike]:
        """The columns, or the values, in the order duration, event and, where there is one, entry."""
        columns = [self.duration, self.event_column]
        if self.entry is not None:
            columns.append(self.entry)
        return columns

    def names(self) -> dict[str, str | int]:
        """The parameters by name; those that were given as values are written as "values"."""
        names: dict[str, str | int] = {}
        for parameter, value in (("duration", self.duration), ("event", self.event), ("entry", self.entry)):
            if value is not None:
                names[parameter] = value if isinstance(value, str) else "values"
        if self.n_intervals != 1:
            names["n_intervals"] = self.n_intervals
        return names

    @property
    def are_named(self) -> bool:
        """Whether they are names of columns of the data."""
        return all(isinstance(column, str) for column in self.columns)


def survival_options(
    target: Any, duration: Any, event: Any, entry: Any = None, n_intervals: int = 1
) -> SurvivalOptions | None:
    """The options of a time to an event from the parameters of :func:`bitsieve.select`; None for any other target.

    Raises UserError for parameters that do not go together.
    """
    check_integer("n_intervals", n_intervals, 1, MAX_INTERVALS)
    if duration is None and event is None and entry is None:
        if n_intervals != 1:
            raise _without_duration("intervals are")
        return None
    if duration is None:
        raise _without_duration("an event is" if event is not None else "an entry is")
    if event is None:
        raise UserError(
            code="contradicting-parameters",
            message="a time is given without an event",
            advice="add {event}, the column that is 1 where the event happened, and 0 where the row is censored",
        )
    if target is not None:
        raise UserError(
            code="contradicting-parameters",
            message="target and duration are given, and there is one target",
            advice="leave one of them out",
        )
    options = SurvivalOptions(duration=duration, event=event, entry=entry, n_intervals=n_intervals)
    n_named = sum(isinstance(column, str) for column in options.columns)
    if 0 < n_named < len(options.columns):
        raise UserError(
            code="contradicting-parameters",
            message="duration, event and entry are partly names of columns and partly values",
            advice="give all by name, or all as values",
        )
    return options


def _without_duration(given: str) -> UserError:
    return UserError(
        code="contradicting-parameters",
        message=f"{given} given without a time",
        advice="add {duration}, the column of the time to the event, or to the end of observation",
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadOptions:
    """How a table is read: what its target, weights and groups are, and what its columns hold.

    The fields are the parameters of :func:`bitsieve.select` of the same names. ``target``, ``sample_weight``,
    ``groups`` and ``strata`` are columns of the data, or values. ``target_name`` is what messages call a target that
    is given by values without a name. A column of ``exclude`` may be of a type that is not read.
    ``survival`` stands in place of ``target`` where that is a time to an event.
    """

    target: ColumnLike = None
    sample_weight: ColumnLike = None
    weight_kind: str = FREQUENCY
    groups: ColumnLike = None
    strata: ColumnLike = None
    survival: SurvivalOptions | None = None
    target_name: str = "target"
    target_kind: str | None = None
    target_bins: int | str | None = None
    drop_missing_target: bool = False
    header: bool | None = None
    repair: bool = True
    column_types: Mapping[Any, str] | None = None
    exclude: Sequence[Label] = ()

    @property
    def has_sampling_weights(self) -> bool:
        return self.sample_weight is not None and self.weight_kind == SAMPLING

    @property
    def names_strata(self) -> bool:
        """Whether the strata may be the names of columns."""
        if isinstance(self.strata, str):
            return True
        is_list = isinstance(self.strata, list | tuple)
        return is_list and all(isinstance(name, str) for name in self.strata)

    @property
    def strata_in_words(self) -> str | list[str] | None:
        """The names of the strata; "strata" for values."""
        if self.strata is None:
            return None
        if not self.names_strata:
            return "strata"
        return self.strata if isinstance(self.strata, str) else list(self.strata)

    @property
    def _named_strata(self) -> list[str]:
        if not self.names_strata:
            return []
        return [self.strata] if isinstance(self.strata, str) else list(self.strata)

    @property
    def categories_of_strata(self) -> list[str] | None:
        """The columns of strata that the user declared to be categories; None for strata of values."""
        if not self.names_strata:
            return None
        types = self.column_types or {}
        return [name for name in self._named_strata if types.get(name) == "category"]

    @property
    def types_of_features(self) -> dict[Any, str]:
        """The types of columns that the user chose, those of the strata aside."""
        types = self.column_types or {}
        return {column: kind for column, kind in types.items() if column not in self._named_strata}

    def __post_init__(self) -> None:
        check_choice("weight_kind", self.weight_kind, WEIGHT_KINDS)
        check_flag("drop_missing_target", self.drop_missing_target)
        check_flag("repair", self.repair)
        if self.column_types is None:
            return
        if not isinstance(self.column_types, Mapping):
            raise ParameterError("column_types", self.column_types, "give a mapping, such as {{'zip': 'category'}}")
        for column, kind in self.column_types.items():
            if not isinstance(kind, str) or ColumnType.from_text(kind) is None:
                advice = (
                    f"give one of {', '.join(map(repr, COLUMN_TYPES))}, or 'number, missing 99 999' with the numbers "
                    "that mean a missing value"
                )
                raise ParameterError("column_types", {column: kind}, advice)


@dataclass(frozen=True, kw_only=True)
class ExecutionOptions:
    """Where the rows are processed, and with how much memory and how many threads.

    The fields are the parameters of :func:`bitsieve.select` of the same names; ``client`` is that of a Dask cluster.
    """

    engine: str | None = None
    memory: int | str | None = None
    spool: str | PathLike[str] | None = None
    push_down: bool | None = None
    n_jobs: int | None = None
    client: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.engine, str | None):
            raise ParameterError("engine", self.engine, "give the name of an engine")
        if not isinstance(self.spool, str | PathLike | None):
            raise ParameterError("spool", self.spool, "give the path of a folder")
        check_threads("n_jobs", self.n_jobs)
        if self.push_down is not None:
            check_flag("push_down", self.push_down)

    @property
    def parameters_for_engines(self) -> list[str]:
        """The parameters given by the user that keep the rows out of memory."""
        options = {
            "engine": self.engine,
            "push_down": self.push_down or None,
            "memory": self.memory,
            "spool": self.spool,
        }
        return [name for name, value in options.items() if value is not None]


@dataclass(frozen=True, kw_only=True)
class DiscretizationOptions:
    """How columns become codes: ``binning`` is the name of a rule, or a discretizer; the others are for a named rule.

    The fields are the parameters of :func:`bitsieve.select` of the same names. A parameter that is None has the default
    of the rule. ``binning=None`` makes no codes, for a method on densities.
    """

    binning: Any = BINNING
    n_bins: int | None = None
    uncut: str | None = None
    bins_within: bool = False
    missing: str | None = None

    def __post_init__(self) -> None:
        check_flag("bins_within", self.bins_within)
        if not isinstance(self.uncut, str | None):
            raise ParameterError("uncut", self.uncut, "give 'leave', 'median' (of mdl) or 'apart' (of quantile)")

    @property
    def is_default(self) -> bool:
        """Whether the user chose neither a rule of binning nor one of its parameters, but for ``missing``."""
        is_default_rule = isinstance(self.binning, str) and self.binning == BINNING
        return is_default_rule and self.n_bins is None and self.uncut is None and not self.bins_within

    @property
    def leaves_codes_open(self) -> bool:
        """Whether columns of few whole numbers may be taken as codes, as the user did not say how to cut them."""
        is_cut_by_classes = isinstance(self.binning, str) and self.binning in (BINNING, "mdl")
        return is_cut_by_classes and self.n_bins is None and self.uncut is None

    def as_published(self) -> DiscretizationOptions:
        """The same as the papers have it: MDL, and columns that it does not cut at their median.

        A rule or a parameter that the user chose stays.
        """
        return replace(self, uncut="median") if self.is_default else self

    @property
    def rule_parameters(self) -> dict[str, Any]:
        """The parameters of the rule that the user gave."""
        parameters = {
            "n_bins": self.n_bins,
            "uncut": self.uncut,
            "bins_within": self.bins_within or None,
            "missing": self.missing,
        }
        return {name: value for name, value in parameters.items() if value is not None}


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnOptions:
    """Which columns may be used.

    ``include`` are columns that are kept although they look like identifiers, and that a greedy method selects first.
    ``exclude`` are columns that are dropped. ``identifiers`` says what becomes of columns in which nearly every row
    has a value of its own: "drop" or "keep".
    """

    include: Sequence[Label] = ()
    exclude: Sequence[Label] = ()
    identifiers: str = "drop"

    def __post_init__(self) -> None:
        check_choice("identifiers", self.identifiers, IDENTIFIERS)
