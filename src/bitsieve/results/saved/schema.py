"""What is kept of a selection: the parts of its file, which do not change. Nothing in it is a row of the data.

``python -m tools.schema_page`` makes ``docs/reference/saved_selection.md`` of it and of ``record.py``, comments of the
fields included.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from bitsieve.dataset.target import KindOfTarget
from bitsieve.utils.lazy import Lazy

VERSION = 5  # of the schema; a later version reads every earlier one

Label: TypeAlias = "str | int | float | bool | bytes | tuple[Label, ...] | None"
Option: TypeAlias = (
    "bool | int | float | str | list[Option] | tuple[Option, ...] | dict[str, Option] | ObjectOption | None"
)
ColumnKind = Literal["number", "date", "duration", "category"]
ParsingFormat = Literal["numbers", "dates", "durations", "booleans"]
COLUMN_KINDS: tuple[ColumnKind, ...] = ("number", "date", "duration", "category")
TARGET_KINDS: tuple[KindOfTarget, ...] = ("classes", "binned", "joint", "survival")
ROLES = ("neighbour", "spouse")
KINDS_OF_FEATURES = "nc-"  # numbers and times, categories, dropped
SIDES = ("left", "right")
OPTIONAL_OF_PARSING = ("reads_marks", "unit_is_optional")  # absent where they are False
OPTIONAL_OF_CUT = ("within_strata",)  # absent where it is False


@dataclass(frozen=True, kw_only=True, repr=False)
class ObjectOption:
    """An option that is an object, such as a criterion with parameters: its class, its parameters, and its text."""

    class_name: str
    parameters: dict[str, Option]
    text: str

    def __repr__(self) -> str:
        return self.text


class Values(NamedTuple):
    """The values of an array: the categories of a column, or the labels of a target."""

    dtype: str  # as numpy writes it, such as "<f8"; "U" for text of any length, "O" for objects
    items: tuple[Label, ...]  # of dates and durations whole numbers in the unit of the dtype


class Versions(NamedTuple):
    """What a selection was made with."""

    bitsieve: str  # the version of bitsieve
    python: str  # that of Python
    numpy: str  # that of numpy


@dataclass(frozen=True, kw_only=True)
class SavedData:
    """The table that was selected from."""

    n_samples: int  # rows of positive weight
    total_weight: int  # the sum of their weights
    n_features: int  # columns, the dropped ones included, without target, weights and groups
    names: tuple[str, ...] | None  # of all features, in their order; None where they have none: x0, x1, ...
    digest: str  # SHA-256 of the names and the kinds of all features
    # a letter for each feature: "n" for numbers and times, "c" for categories, "-" for a dropped one; None from a file
    # of version 1 to 4
    kinds: str | None = field(compare=False, default=None)


class SavedParsing(NamedTuple):
    """How the text of a column is read; the fields that a format does not have are empty."""

    format: ParsingFormat  # what the text is
    decimal: str = ""  # of numbers: "." or ","
    group: str = ""  # of numbers: what groups their thousands
    unit: str = ""  # of numbers: "%", a currency or a unit
    is_whole: bool = False  # numbers without decimals
    reads_marks: bool = False  # numbers with a mark, such as "<200" or "12 k", are read; absent if False
    unit_is_optional: bool = False  # numbers without the unit are read like those with it; absent if False
    order: str = ""  # of dates: "day-first", "month-first" or "undecided"
    has_time_zone: bool = False  # dates with a time zone become UTC
    is_time_of_day: bool = False  # durations that are times of day


class Cut(NamedTuple):
    """How the values of a column become codes.

    A number gets the count of the edges below it, a category its rank. Where zero has a code of its own, it is 0, and
    the other numbers begin at 1. The code of missing values is the last one.
    """

    edges: tuple[float, ...] | None  # ascending; None for categories
    n_codes: int  # that of missing values included
    side: str = "left"  # where a number on an edge goes: "left" below it, "right" above it
    categories: Values | None = None  # ascending; None for numbers that are cut
    zero_apart: bool = False  # whether zero has a code of its own
    missing_code: int | None = None  # None: missing values have no code
    # whether each stratum has edges of its own: they are not saved, and new rows get no codes; absent if False
    within_strata: bool = False


@dataclass(frozen=True, kw_only=True)
class SavedColumn:
    """The column of a selected feature: how it was read and cut, and its counts."""

    label: Label  # as the data has it
    index: int  # among all features
    kind: ColumnKind  # what its values are
    parsing: SavedParsing | None  # None where its values were no text, or text that is categories
    cut: Cut  # how they become codes
    # shape (n_codes, n_classes): the sum of the weights of the rows of each code and class; None for a large table
    counts: tuple[tuple[int, ...], ...] | None
    smallest: float | None = field(compare=False, default=None)  # of numbers and times; None where it is not known
    largest: float | None = field(compare=False, default=None)  # as smallest
    missing_numbers: tuple[float, ...] = ()  # that mean a missing value; absent in versions 1 to 4

    @property
    def name(self) -> str:
        """The label as text."""
        return str(self.label)


class SavedRankTest(NamedTuple):
    """A test whether the ranks of a column depend on the target."""

    statistic: float  # of Kruskal and Wallis; of a quantity the number of rows times the squared rank correlation
    p: float  # by the chi-squared distribution


class SavedRole(NamedTuple):
    """How a member of a Markov blanket is related to the target."""

    name: str  # "neighbour", directly; "spouse", only once the columns ``via`` are known
    via: tuple[str, ...]  # the names of these columns; empty for a neighbour


class SavedStep(NamedTuple):
    """A step of a greedy selection: which columns won, which came second, and by how much."""

    winner: tuple[str, ...]  # names; several for a group of columns that are taken together
    runner_up: tuple[str, ...] = ()  # empty where the choice was forced, and where the second is not known
    gap: float = float("nan")  # of the scores that decided, in their unit; within 1e-10 it is a tie
    is_exact: bool = True  # False: the gap is at least this


class SavedStopping(NamedTuple):
    """What ended a greedy selection."""

    by: str  # "n_features_to_select", the name of a rule, or "no varying column left"
    candidate: str | None  # the name of the column at which it ended
    value: float  # of the rule, for that candidate; NaN where no rule stopped
    reason: str  # the same in words
    values: tuple[float, ...]  # of the rule, one for each feature
    neighbours: tuple[tuple[str, ...], ...] | None  # the names of the columns that each was tested given
    conclusion: str | None  # what a reader may conclude of each feature, of a rule with a rate


class Certificate(NamedTuple):
    """The objective of a subset, the bound on every other's, and the gap between; NaN for no number."""

    objective_bits: float  # of the selected subset
    upper_bound_bits: float  # on the objective of every subset of this size
    gap: float  # between the two, as a share of the bound


class ColumnGroup(NamedTuple):
    """A group of columns that the method made: a dominant set, a cluster, or a feature with those it represents."""

    selected: tuple[Label, ...]  # the selected features of the group, best first; empty for a set that was not reached
    others: tuple[Label, ...]  # its other columns
    correlations: tuple[float, ...] | None  # of the others with the selected feature; None where the method has none
    cohesiveness: float | None  # of a dominant set, u'Wu / 2; None for another group


class SavedStrata(NamedTuple):
    """The strata of the rows, and what the selected features say without them."""

    n_strata: int
    n_informative_rows: int  # of strata with two classes
    relevance_pooled: tuple[float, ...]  # of the selected features: I(X;C) of all rows, in bits
    # of the selected features: what differs between the strata, in bits; null where no stratum has two rows of each of
    # two classes
    heterogeneity: tuple[float, ...] | None


@dataclass(frozen=True, kw_only=True)
class SelectionDetails:
    """What is known of a selection beside its ranking, without its rows."""

    versions: Lazy[Versions]
    data: SavedData
    score_unit: str  # "bits", or another unit of the method's scores
    options: dict[str, Option]  # the arguments of the call, defaults filled in; target and weights by their names
    settled: dict[str, Option]  # what the options that were left open came to
    execution: dict[str, Option]  # engine, memory and threads, which do not change the result
    class_sizes: tuple[int, ...]  # the sum of the weights of the rows of every class
    columns: tuple[SavedColumn, ...]  # of the selected features, best first
    rank_tests: tuple[SavedRankTest | None, ...]  # of the selected features; None where the counts rank a feature
    log_p: tuple[float | None, ...]  # of the selected features; None where no Markov blanket was searched
    roles: tuple[SavedRole | None, ...]  # of the selected features; None where no roles were found
    interchangeable: tuple[tuple[str, ...], ...]  # of the selected features: the columns that could replace each
    steps: tuple[SavedStep, ...]  # of a greedy method, else empty
    stopping: SavedStopping | None
    certificate: Certificate | None
    groups: tuple[ColumnGroup, ...]  # that the method made, in its order; empty from a file of version 1 to 3
    strata: SavedStrata | None  # None without strata
    values_digest: str | None  # of all columns and the target; None from a file of version 1 or 2


def field_names(kind: type) -> list[str]:
    """The names of the fields of a class, which are the keys of its object in the file."""
    return list(kind.__annotations__)
