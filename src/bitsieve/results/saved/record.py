"""All that the file of a selection holds, as frozen dataclasses, whose parts :mod:`~bitsieve.results.saved.schema` has.

Only what writes, reads or compares files needs it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bitsieve.dataset.target import KindOfTarget
from bitsieve.diagnostics import Diagnostic
from bitsieve.pipeline.selected_tests import InformativeState
from bitsieve.results.saved.schema import (
    Certificate,
    ColumnGroup,
    Option,
    SavedColumn,
    SavedData,
    SavedRankTest,
    SavedRole,
    SavedStep,
    SavedStopping,
    SavedStrata,
    Values,
    Versions,
)


@dataclass(frozen=True, kw_only=True)
class SavedTarget:
    """The target: its name, and its classes or where it was cut."""

    name: str  # what messages call it
    kind: KindOfTarget  # "classes", "binned" for a quantity, "joint" for several columns, "survival" for times
    columns: tuple[str, ...]  # the names of several target columns; empty for one
    labels: Values  # of the classes
    edges: tuple[float, ...] | tuple[tuple[float, ...] | None, ...] | None  # of a quantity; several columns: of each
    unit: str  # "M" of dates, "m" of durations, in microseconds; several columns: a letter each
    requested_kind: str | None  # the option target_kind
    requested_bins: int | None  # the option target_bins, where it is a number
    n_numbers: int  # how many different whole numbers were cut
    n_classes_of_quantity: int  # classes that a quantity is cut into by default
    class_sizes: tuple[int, ...]  # the sum of the weights of every class


@dataclass(frozen=True, kw_only=True)
class SavedFeature:
    """A selected feature: its evidence and its column."""

    score: float  # of the method at this choice
    relevance: float  # I(X;C) in bits
    overlap_with: int | None  # the position (0 for the best) of the earlier feature that shares most with it
    overlap: float  # that information in bits; NaN for the first
    informative: bool  # False where it was tested and is not shown to be more informative than chance
    informative_state: InformativeState  # how it is shown to be; absent in version 1
    column: SavedColumn  # how it was read and cut
    rank_test: SavedRankTest | None = None  # by which a column without a cut is ranked; absent for other features
    log_p: float | None = None  # of the test that keeps it in a Markov blanket, natural; absent for other methods
    role: SavedRole | None = None  # in a Markov blanket; absent where no roles were found
    interchangeable: tuple[str, ...] = ()  # columns that ses could not tell apart from it; absent where there are none


@dataclass(frozen=True, kw_only=True)
class SelectionRecord:
    """All that the file of a selection holds. Selections are equal whatever they were made with and where they ran."""

    versions: Versions = field(compare=False)  # what it was made with
    data: SavedData  # the table that was selected from
    target: SavedTarget  # classes, or edges of a quantity
    method: str  # its name
    score_unit: str  # "bits", or another unit of the scores
    options: dict[str, Option]  # the arguments of the call, defaults filled in; target and weights by their names
    settled: dict[str, Option]  # what the options that were left open came to
    execution: dict[str, Option] = field(compare=False)  # engine, memory and threads, which do not change the result
    parameters: dict[str, Option]  # those of the options that were given
    features: tuple[SavedFeature, ...]  # best first
    steps: tuple[SavedStep, ...]  # of a greedy method, else empty
    stopping: SavedStopping | None  # null where the method has no stopping rules
    certificate: Certificate | None  # null where the method has no bound
    groups: tuple[ColumnGroup, ...]  # that the method made, in its order; absent in versions 1 to 3
    strata: SavedStrata | None  # null without strata; absent in versions 1 to 4
    diagnostics: tuple[Diagnostic, ...]  # notes and warnings: code, severity, message, advice, columns, fix, parameters
    # of all columns and the target, as they were cut and counted; the same for every order of rows and columns; None
    # from a file of version 1 or 2
    values_digest: str | None = field(compare=False, default=None)
