"""What the file of a selection holds, as frozen dataclasses. Nothing in it is a row of the data.

``python -m tools.schema_page`` makes ``docs/reference/saved_selection.md`` of it, comments of the fields included.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias

from bitsieve.diagnostics import Diagnostic

VERSION = 1  # of the schema; a later version reads every earlier one

Label: TypeAlias = "str | int | float | bool | bytes | tuple[Label, ...] | None"
Option: TypeAlias = (
    "bool | int | float | str | list[Option] | tuple[Option, ...] | dict[str, Option] | ObjectOption | None"
)
ColumnKind = Literal["number", "date", "duration", "category"]
ParsingFormat = Literal["numbers", "dates", "durations", "booleans"]
COLUMN_KINDS: tuple[ColumnKind, ...] = ("number", "date", "duration", "category")
TARGET_KINDS = ("classes", "binned", "joint")
SIDES = ("left", "right")


@dataclass(frozen=True, kw_only=True, repr=False)
class ObjectOption:
    """An option that is an object, such as a criterion with parameters: its class, its parameters, and its text."""

    class_name: str
    parameters: dict[str, Option]
    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True)
class Values:
    """The values of an array: the categories of a column, or the labels of a target."""

    dtype: str  # as numpy writes it, such as "<f8"; "U" for text of any length, "O" for objects
    items: tuple[Label, ...]  # of dates and durations whole numbers in the unit of the dtype


@dataclass(frozen=True, kw_only=True)
class Versions:
    """What a selection was made with."""

    bitsieve: str
    python: str
    numpy: str


@dataclass(frozen=True, kw_only=True)
class SavedData:
    """The table that was selected from."""

    n_samples: int  # rows of positive weight
    total_weight: int  # the sum of their weights
    n_features: int
    names: tuple[str, ...] | None  # of all features, in their order; None where they have none: x0, x1, ...
    digest: str  # SHA-256 of the names and the kinds of all features


@dataclass(frozen=True, kw_only=True)
class SavedTarget:
    """The target: its name, and its classes or where it was cut."""

    name: str
    kind: str  # one of TARGET_KINDS
    columns: tuple[str, ...]  # the names of several target columns; empty for one
    labels: Values  # of the classes
    edges: tuple[float, ...] | tuple[tuple[float, ...] | None, ...] | None  # of a quantity; several columns: of each
    unit: str  # "M" of dates, "m" of durations, in microseconds; several columns: a letter each
    requested_kind: str | None
    requested_bins: int | None
    n_numbers: int  # how many different whole numbers were cut
    n_allowed: int  # classes that a quantity is cut into by default
    class_sizes: tuple[int, ...]  # the sum of the weights of every class


@dataclass(frozen=True, kw_only=True)
class SavedParsing:
    """How the text of a column is read; the fields that a format does not have are empty."""

    format: ParsingFormat
    decimal: str = ""  # of numbers: "." or ","
    group: str = ""  # of numbers: what groups their thousands
    unit: str = ""  # of numbers: "%", a currency or a unit
    is_whole: bool = False  # numbers without decimals
    order: str = ""  # of dates: "day-first", "month-first" or "undecided"
    has_time_zone: bool = False  # dates with a time zone become UTC
    is_time_of_day: bool = False  # durations that are times of day


@dataclass(frozen=True, kw_only=True)
class Cut:
    """How the values of a column become codes.

    A number gets the count of the edges below it, a category its rank. Where zero has a code of its own, it is 0, and
    the other numbers begin at 1. The code of missing values is the last one.
    """

    edges: tuple[float, ...] | None  # ascending; None for categories
    side: str = "left"  # where a number on an edge goes: "left" below it, "right" above it
    categories: Values | None = None  # ascending; None for numbers that are cut
    zero_apart: bool = False
    missing_code: int | None = None  # None: missing values have no code
    n_codes: int = 1


@dataclass(frozen=True, kw_only=True)
class SavedColumn:
    """The column of a selected feature: how it was read and cut, and its counts."""

    label: Label  # as the data has it
    index: int  # among all features
    kind: ColumnKind
    parsing: SavedParsing | None  # None where its values were no text, or text that is categories
    cut: Cut
    # shape (n_codes, n_classes): the sum of the weights of the rows of each code and class; None for a large table
    counts: tuple[tuple[int, ...], ...] | None

    @property
    def name(self) -> str:
        """The label as text."""
        return str(self.label)


@dataclass(frozen=True, kw_only=True)
class SavedFeature:
    """A selected feature: its evidence and its column."""

    score: float
    relevance: float  # I(X;C) in bits
    overlap_with: int | None  # the position (0 for the best) of the earlier feature that shares most with it
    overlap: float  # that information in bits; NaN for the first
    informative: bool
    column: SavedColumn


@dataclass(frozen=True, kw_only=True)
class SavedStep:
    """A step of a greedy selection: which columns won, which came second, and by how much."""

    winner: tuple[str, ...]  # names; several for a group of columns that are taken together
    runner_up: tuple[str, ...] = ()  # empty where the choice was forced, and where the second is not known
    gap: float = float("nan")  # of the scores that decided, in their unit; within 1e-10 it is a tie
    is_exact: bool = True  # False: the gap is at least this


@dataclass(frozen=True, kw_only=True)
class SavedStopping:
    """What ended a greedy selection."""

    by: str
    candidate: str | None  # the name of the column at which it ended
    value: float
    reason: str
    values: tuple[float, ...]  # of the rule, one for each feature
    neighbours: tuple[tuple[str, ...], ...] | None  # the names of the columns that each was tested given
    conclusion: str | None  # what a reader may conclude of each feature, of a rule with a rate


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """The objective of a subset, the bound on every other's, and the gap between; NaN for no number."""

    objective_bits: float
    upper_bound_bits: float
    gap: float


@dataclass(frozen=True, kw_only=True)
class SelectionDetails:
    """What is known of a selection beside its ranking, without its rows."""

    versions: Versions
    data: SavedData
    score_unit: str  # "bits", or another unit of the method's scores
    options: dict[str, Option]  # the arguments of the call, defaults filled in; target and weights by their names
    settled: dict[str, Option]  # what the options that were left open came to
    execution: dict[str, Option]  # engine, memory and threads, which do not change the result
    class_sizes: tuple[int, ...]  # the sum of the weights of the rows of every class
    columns: tuple[SavedColumn, ...]  # of the selected features, best first
    steps: tuple[SavedStep, ...]  # of a greedy method, else empty
    stopping: SavedStopping | None
    certificate: Certificate | None


@dataclass(frozen=True, kw_only=True)
class SelectionRecord:
    """All that the file of a selection holds. Selections are equal whatever they were made with and where they ran."""

    versions: Versions = field(compare=False)
    data: SavedData
    target: SavedTarget
    method: str
    score_unit: str
    options: dict[str, Option]
    settled: dict[str, Option]
    execution: dict[str, Option] = field(compare=False)
    parameters: dict[str, Option]  # those of the options that were given
    features: tuple[SavedFeature, ...]  # best first
    steps: tuple[SavedStep, ...]
    stopping: SavedStopping | None
    certificate: Certificate | None
    diagnostics: tuple[Diagnostic, ...]


def field_names(kind: type) -> list[str]:
    """The names of the fields of a dataclass, which are the keys of its object in the file."""
    return [item.name for item in fields(kind)]
