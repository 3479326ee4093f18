"""Two sections of a report on columns: the bins of the selected ones, and the kind and quality of all."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.dataset.column_info import identifiers
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.diagnostics import Diagnostic
from bitsieve.discretization.base import Binning
from bitsieve.explain.evidence import Evidence
from bitsieve.report.page import Section
from bitsieve.utils.arrays import Floats
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import phase

MAX_BINS = 30
MAX_CLASSES = 12
MAX_FEATURES_DRAWN = 24
MAX_BINS_DRAWN = 8
MAX_CLASSES_DRAWN = 6

KINDS = ("numbers", "whole numbers", "dates", "durations", "categories")
MICROSECONDS = {"d": 86_400e6, "h": 3600e6, "min": 60e6, "s": 1e6, "ms": 1e3, "µs": 1.0}


@dataclass(frozen=True, kw_only=True)
class Bin:
    """A bin of a feature and its rows, in all and of each class that is shown."""

    label: str
    n_rows: int
    n_rows_of_classes: Sequence[int]
    shares_of_classes: Sequence[float]  # of all rows of each class
    is_drawn: bool


@dataclass(frozen=True, kw_only=True)
class BinnedFeature:
    """A feature with its bins. ``hidden`` says what is too much to be shown."""

    name: str
    relevance: float
    n_bins: int
    class_labels: Sequence[str]
    bins: Sequence[Bin]
    hidden: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Bins(Section):
    """The bins of the selected features, and how the rows of each class are distributed over them."""

    template: ClassVar[str] = "selection/bins.html"
    heading: ClassVar[str] = "Distributions by class"
    features: Sequence[BinnedFeature]
    n_drawn: int  # features, at most
    n_classes_drawn: int


def bins_section(evidence: Evidence) -> Bins:
    features = [_binned_feature(evidence, int(column)) for column in evidence.selected]
    return Bins(features=features, n_drawn=MAX_FEATURES_DRAWN, n_classes_drawn=MAX_CLASSES_DRAWN)


def _binned_feature(evidence: Evidence, column: int) -> BinnedFeature:
    """The largest bins and classes of a column, each in its order."""
    target = evidence.table.target
    (table,) = evidence.information.source.tables(None, np.array([column]), True)
    counts = table.dense()[0]  # of shape (n_bins, n_classes)
    n_bins, n_classes = counts.shape
    shown_bins = _largest(counts.sum(axis=1), MAX_BINS)
    drawn_bins = _largest(counts.sum(axis=1), MAX_BINS_DRAWN)
    shown_classes = _largest(counts.sum(axis=0), MAX_CLASSES)
    shares = counts / np.maximum(counts.sum(axis=0), 1)

    labels = bin_labels(evidence.binner, column, n_bins, _formatter(evidence, column))
    bins = []
    for b in shown_bins:
        shown_bin = Bin(
            label=labels[b],
            n_rows=int(counts[b].sum()),
            n_rows_of_classes=[int(counts[b, c]) for c in shown_classes],
            shares_of_classes=[float(shares[b, c]) for c in shown_classes],
            is_drawn=b in drawn_bins,
        )
        bins.append(shown_bin)

    hidden = []
    if len(shown_bins) < n_bins:
        hidden.append(f"{n_bins - len(shown_bins):,} more bins, of fewer rows")
    if len(shown_classes) < n_classes:
        hidden.append(f"{n_classes - len(shown_classes):,} more classes, of fewer rows")
    return BinnedFeature(
        name=str(evidence.table.names[column]),
        relevance=float(evidence.information.relevance[column]),
        n_bins=n_bins,
        class_labels=[str(target.labels[c]) for c in shown_classes],
        bins=bins,
        hidden=hidden,
    )


def _largest(sizes: np.ndarray, n: int) -> list[int]:
    """The indices of the ``n`` largest sizes, ascending; of equal ones the first."""
    order = np.argsort(-sizes, kind="stable")
    indices: list[int] = np.sort(order[:n]).tolist()
    return indices


def _formatter(evidence: Evidence, column: int) -> Callable[[float], str]:
    """How the cuts of a column are written: as dates or durations if its text was taken for these."""
    meaning = evidence.table.meaning_of(column)
    if meaning is None or meaning.format.time is None:
        return format_number
    if meaning.format.time == "dates":
        return format_date
    return format_duration


def format_number(value: float) -> str:
    return f"{value:.6g}"


def format_date(microseconds: float) -> str:
    """Write microseconds since 1970 as a date, with the time of day if it is not midnight."""
    day, _, clock = str(np.datetime64(round(microseconds), "us")).partition("T")
    if clock == "00:00:00.000000":
        return day
    return f"{day} {clock.removesuffix('.000000')}"


def format_duration(microseconds: float) -> str:
    """Write a duration in the largest unit of which it is at least one."""
    for unit, size in MICROSECONDS.items():
        if abs(microseconds) >= size:
            return f"{microseconds / size:.6g} {unit}"
    return f"{microseconds / MICROSECONDS['s']:.6g} s"


def bin_labels(
    binner: Binning, column: int, n_bins: int, format_cut: Callable[[float], str] = format_number
) -> list[str]:
    """What every code of a column represents: a category, zero, an interval between cuts, or missing values."""
    categories = binner.categories_of(column)
    if categories is not None:
        labels = [str(category) for category in categories.tolist()]
    elif binner.bins_within:
        n_intervals = int(binner.n_bins_[column]) - int(binner.missing == "bin")
        labels = [f"bin {number} of {n_intervals} of the stratum" for number in range(1, n_intervals + 1)]
    else:
        cuts = [format_cut(cut) for cut in binner.bin_edges_[column].tolist()]
        labels = _intervals(cuts, binner.cutting_rule.side)
    if binner.separates_zero(column):
        labels = ["0", *labels]
    if len(labels) < n_bins:
        labels.append("missing")
    return labels


def _intervals(cuts: list[str], side: str) -> list[str]:
    """The intervals between cuts; ``side`` is where a value on a cut goes, as for ``numpy.searchsorted``."""
    if not cuts:
        return ["any value"]
    if side == "left":
        above = ">"
        below = "<="
    else:
        above = ">="
        below = "<"
    between = [f"{above} {low}, {below} {high}" for low, high in itertools.pairwise(cuts)]
    return [f"{below} {cuts[0]}", *between, f"{above} {cuts[-1]}"]


@dataclass(frozen=True, kw_only=True)
class ColumnQuality:
    """What a column holds, and what makes it useless."""

    kind: str  # of KINDS
    n_missing: int
    n_distinct: int
    is_constant: bool
    is_identifier: bool
    duplicate_of: int | None  # the first column with the same values in every row


@dataclass(frozen=True, kw_only=True)
class DescribedColumn:
    """A column in the table of all: its quality, and what the selection made of it."""

    name: str
    remarks: str
    quality: ColumnQuality
    n_bins: int
    relevance: float
    rank: int | None


@dataclass(frozen=True, kw_only=True)
class Columns(Section):
    """What stands out among the columns, and a table of all of them."""

    template: ClassVar[str] = "selection/columns.html"
    heading: ClassVar[str] = "All columns"
    summary: Sequence[str]
    columns: Sequence[DescribedColumn]
    n_rows: int


def columns_section(evidence: Evidence, diagnostics: Sequence[Diagnostic] = ()) -> Columns | None:
    """None where the rows are not in memory."""
    original = evidence.original_table
    table = original.rows
    if table is None:
        return None
    names = [str(name) for name in table.names]
    quality = column_quality(table)
    uncut = _uncut_columns(evidence)
    rank = {int(j): i + 1 for i, j in enumerate(evidence.selected)}
    relevance = evidence.information.relevance
    notes_of_column = _notes_by_column(diagnostics)
    columns = []
    for j, name in enumerate(names):
        remarks = _remarks(quality[j], j in uncut, names) or notes_of_column.get(name, [])
        column = DescribedColumn(
            name=name,
            remarks="; ".join(remarks),
            quality=quality[j],
            n_bins=int(evidence.information.source.arities[j]),
            relevance=float(relevance[j]),
            rank=rank.get(j),
        )
        columns.append(column)
    return Columns(summary=_summary(quality, uncut, names), columns=columns, n_rows=table.n_samples)


def _notes_by_column(diagnostics: Sequence[Diagnostic]) -> dict[str, list[str]]:
    """The texts of the diagnostics that name each column."""
    notes_of_column: dict[str, list[str]] = {}
    for diagnostic in diagnostics:
        text = str(diagnostic)
        for name in dict.fromkeys(diagnostic.columns):
            notes_of_column.setdefault(name, []).append(text)
    return notes_of_column


def _uncut_columns(evidence: Evidence) -> set[int]:
    """The columns of numbers for which no cut was accepted."""
    return set(evidence.binner.columns_without_cut.tolist()) - set(evidence.dropped)


def _remarks(quality: ColumnQuality, is_uncut: bool, names: Sequence[str]) -> list[str]:
    remarks = []
    if quality.is_constant:
        remarks.append("constant")
    elif is_uncut:
        remarks.append("no cut accepted")
    if quality.is_identifier:
        remarks.append("looks like an identifier")
    if quality.duplicate_of is not None:
        remarks.append(f"the same as {names[quality.duplicate_of]}")
    return remarks


def _summary(quality: Sequence[ColumnQuality], uncut: set[int], names: Sequence[str]) -> list[str]:
    """How many columns there are of each kind, and which have a remark."""
    n_of_kind = Counter(column.kind for column in quality)
    kinds = ", ".join(f"{n_of_kind[kind]:,} of {kind}" for kind in KINDS if n_of_kind[kind])
    named = list(zip(names, quality, strict=True))
    incomplete = [name for name, column in named if column.n_missing]
    constant = [name for name, column in named if column.is_constant]
    duplicates = [name for name, column in named if column.duplicate_of is not None]
    like_identifiers = [name for name, column in named if column.is_identifier]
    without_cut = [names[j] for j, column in enumerate(quality) if j in uncut and not column.is_constant]
    return [
        f"{len(quality):,} columns: {kinds}",
        _count_and_names(incomplete, "with missing values"),
        _count_and_names(constant, "constant"),
        _count_and_names(duplicates, "the same as an earlier one in every row"),
        _count_and_names(like_identifiers, "like an identifier, most values of which are in one row only"),
        _count_and_names(without_cut, "in one bin, since no cut was accepted"),
    ]


def _count_and_names(columns: Sequence[str], property_of_columns: str) -> str:
    if not columns:
        return f"none {property_of_columns}"
    return f"{len(columns):,} {property_of_columns}: {quoted(columns)}"


def column_quality(table: InMemoryDataset) -> list[ColumnQuality]:
    """Look at every column. Cost: O(n_samples) a column."""
    identifier_columns = set(identifiers(table.summarize()))
    first_with: dict[bytes, int] = {}  # the first column with a fingerprint
    quality = []
    report_progress = phase("describing the columns")
    for j in range(table.n_features):
        report_progress(j, table.n_features)
        values = _numeric_values(table, j) if table.is_numeric(j) else _categorical_values(table, j)
        first = first_with.setdefault(values.fingerprint, j)
        n_different = values.n_distinct + (values.n_missing > 0)
        column = ColumnQuality(
            kind=values.kind,
            n_missing=values.n_missing,
            n_distinct=values.n_distinct,
            is_constant=n_different <= 1,
            is_identifier=j in identifier_columns,
            duplicate_of=None if first == j else first,
        )
        quality.append(column)
    return quality


@dataclass(frozen=True, kw_only=True)
class _Values:
    """The values of a column: their kind, their numbers, and bytes that two columns share if they are the same."""

    kind: str
    n_missing: int
    n_distinct: int
    fingerprint: bytes


def _categorical_values(table: InMemoryDataset, column: int) -> _Values:
    coded = table.categorical(column)
    content = repr(coded.categories.tolist()).encode() + coded.codes.tobytes()
    return _Values(
        kind="categories",
        n_missing=int((coded.codes < 0).sum()),
        n_distinct=len(coded.categories),
        fingerprint=_fingerprint(b"categories" + content),
    )


def _numeric_values(table: InMemoryDataset, column: int) -> _Values:
    values = np.ascontiguousarray(table.values(column))
    is_float = values.dtype.kind == "f"
    present: Floats = values[~np.isnan(values)] if is_float else values
    meaning = table.text_meanings.get(column)
    if meaning is not None and meaning.format.time is not None:
        kind: str = meaning.format.time
    elif not is_float or bool((present == np.floor(present)).all()):
        kind = "whole numbers"
    else:
        kind = "numbers"
    content = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    return _Values(
        kind=kind,
        n_missing=len(values) - len(present),
        n_distinct=pc.count_distinct(pa.array(present)).as_py(),
        fingerprint=_fingerprint(b"numbers" + content.tobytes()),
    )


def _fingerprint(content: bytes) -> bytes:
    return blake2b(content, digest_size=20).digest()
