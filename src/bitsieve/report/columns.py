"""The parts of a report on columns: kinds and remarks of all of them, and the bins of one with its rows by class."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.dataset.column_info import identifiers
from bitsieve.dataset.table import TableInMemory
from bitsieve.dataset.text_format import TextMeaning
from bitsieve.explain.evidence import Evidence
from bitsieve.explain.explain import notes_naming
from bitsieve.utils.html import bullets, folded, heading, paragraph, table
from bitsieve.utils.messages import number, quoted

MOST_BINS, MOST_CLASSES = 30, 12

_NUMBER = "{:.6g}".format
_UNITS = (("d", 86_400e6), ("h", 3600e6), ("min", 60e6), ("s", 1e6), ("ms", 1e3), ("µs", 1.0))


def _date(microseconds: float) -> str:
    day, _, clock = str(np.datetime64(round(microseconds), "us")).partition("T")
    return day if clock == "00:00:00.000000" else f"{day} {clock.removesuffix('.000000')}"


def _length(microseconds: float) -> str:
    unit, size = next((one for one in _UNITS if abs(microseconds) >= one[1]), ("s", 1e6))
    return f"{microseconds / size:.6g} {unit}"


_WRITTEN = {None: _NUMBER, "dates": _date, "durations": _length}


class ColumnQuality(NamedTuple):
    """One column: its kind, what it holds, and what makes it useless; a duplicate of an earlier one, or -1."""

    kind: str
    n_missing: int
    n_distinct: int
    constant: bool
    identifier: bool
    duplicate_of: int


def column_quality(table: TableInMemory) -> list[ColumnQuality]:
    """Look at every column. Cost: O(n) a column."""
    first: dict[bytes, int] = {}
    names_of_rows = set(identifiers(table.summarize()))
    return [_look(table, j, j in names_of_rows, first) for j in range(table.n_features)]


def _look(table: TableInMemory, j: int, identifier: bool, first: dict[bytes, int]) -> ColumnQuality:
    if not table.is_numeric(j):
        values = table.categorical(j)
        kind, n_distinct = "categories", len(values.categories)
        n_missing = int((values.codes < 0).sum())
        key = b"c" + repr(values.categories.tolist()).encode() + values.codes.tobytes()
    else:
        numbers = np.ascontiguousarray(table.values(j))
        missing = np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(len(numbers), bool)
        there = numbers[~missing] if missing.any() else numbers
        n_missing, n_distinct = int(missing.sum()), pc.count_distinct(pa.array(there)).as_py()
        whole = numbers.dtype.kind != "f" or bool((there == np.floor(there)).all())
        meaning = table.meanings.get(j)
        kind = (meaning and meaning.format.time) or ("whole numbers" if whole else "numbers")
        key = b"n" + (numbers.astype(np.float64) + 0.0).tobytes()  # -0 is 0
    constant = n_distinct + (n_missing > 0) <= 1
    same = first.setdefault(blake2b(key, digest_size=20).digest(), j)
    return ColumnQuality(kind, n_missing, n_distinct, constant, identifier, -1 if same == j else same)


def bins_of(evidence: Evidence, column: int) -> str:
    """A folded table: a row a bin, the counts and shares of the classes in it."""
    names, target = evidence.table.names, evidence.table.target
    counts = evidence.information.source.tables(None, np.array([column]), True)[0].dense()[0]
    meanings: Mapping[int, TextMeaning] = getattr(evidence.table, "meanings", {})  # saved counts have none
    meaning = meanings.get(column)
    labels = bin_labels(evidence.binner, column, len(counts), _WRITTEN[meaning and meaning.format.time])
    classes = np.argsort(-counts.sum(axis=0), kind="stable")[:MOST_CLASSES]
    classes = np.sort(classes)
    kept = np.arange(len(counts))
    if len(kept) > MOST_BINS:
        kept = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_BINS])
    rows = []
    for at in kept:
        total = int(counts[at].sum())
        shares = [_counted(int(counts[at, c]), total) for c in classes]
        rows.append((labels[at], f"{total:,}", *shares))
    header = ("bin", "rows", *(str(target.labels[c]) for c in classes))
    left = []
    if len(kept) < len(counts):
        left.append(f"{len(counts) - len(kept):,} more bins, of fewer rows")
    if len(classes) < counts.shape[1]:
        left.append(f"{counts.shape[1] - len(classes):,} more classes, of fewer rows")
    note = paragraph(f"Not shown: {' and '.join(left)}.", "aside") if left else ""
    bits = number(evidence.information.relevance[column])
    summary = f"{names[column]}: {len(counts):,} bin{'s' * (len(counts) != 1)}, {bits} bits"
    return folded(summary, table(header, rows) + note)


def bin_labels(binner: object, column: int, n_bins: int, written: Callable[[float], str] = _NUMBER) -> list[str]:
    """What every code of a column represents: a category, an interval of ``written`` ends, or missing values."""
    categories = binner.categories_[column]  # type: ignore[attr-defined]
    if categories is not None:
        labels = [str(value) for value in categories.tolist()]
    else:
        edges = np.asarray(binner.bin_edges_[column])  # type: ignore[attr-defined]
        labels = _intervals([written(edge) for edge in edges.tolist()], getattr(binner, "side", "left"))
    if len(labels) < n_bins:
        labels.append("missing")
    return labels


def _intervals(texts: list[str], side: str) -> list[str]:
    if not texts:
        return ["any value"]
    low, high = (">", "<=") if side == "left" else (">=", "<")  # where a value on a cut goes
    inner = [f"{low} {a}, {high} {b}" for a, b in itertools.pairwise(texts)]
    return [f"{high} {texts[0]}", *inner, f"{low} {texts[-1]}"]


def _counted(count: int, total: int) -> str:
    return f"{count:,} ({100 * count / total:.0f} %)" if total else "0"


def quality_parts(evidence: Evidence, notes: Sequence[str] = ()) -> list[str]:
    """What stands out, and a table of all columns; nothing where the rows are not in memory."""
    whole = evidence.table if evidence.whole is None else evidence.whole
    whole_in_memory = whole.rows
    if whole_in_memory is None:
        return []
    quality = column_quality(whole_in_memory)
    names, n_rows = whole.names, whole.n_samples
    uncut = set(np.asarray(getattr(evidence.binner, "uncut_", ())).tolist()) - set(evidence.dropped)
    rank = {int(j): place for place, j in enumerate(evidence.selected, start=1)}
    remarks = [_remarks(q, j in uncut, names) for j, q in enumerate(quality)]
    relevance, bins = evidence.information.relevance, evidence.information.source.arities
    rows = [
        (
            names[j],
            "; ".join(remarks[j] or notes_naming(notes, names[j])),
            q.kind,
            f"{100 * q.n_missing / n_rows:.1f} %" if q.n_missing else "0",
            f"{q.n_distinct:,}",
            f"{int(bins[j]):,}",
            number(relevance[j]),
            str(rank.get(j, "-")),
        )
        for j, q in enumerate(quality)
    ]
    header = ("column", "remarks", "kind", "missing", "different values", "bins", "relevance (bits)", "rank")
    return [
        heading("The columns"),
        bullets(_summary(quality, remarks, names)),
        table(header, rows, text=(1, 2), long=(1,)),
        paragraph(
            "Bins of numbers are cuts made for this selection; a column of one bin carries no information.", "aside"
        ),
    ]


def _summary(quality: list[ColumnQuality], remarks: list[list[str]], names: Sequence[str]) -> list[str]:
    every = ("numbers", "whole numbers", "dates", "durations", "categories")
    kinds = {kind: sum(q.kind == kind for q in quality) for kind in every}
    listed = ", ".join(f"{count:,} of {kind}" for kind, count in kinds.items() if count)
    lines = [f"{len(quality):,} columns: {listed}"]
    for what, chosen in (
        ("with missing values", [q.n_missing > 0 for q in quality]),
        ("constant", [q.constant for q in quality]),
        ("the same as an earlier one in every row", [q.duplicate_of >= 0 for q in quality]),
        ("like an identifier, most values of which are in one row only", [q.identifier for q in quality]),
        ("left whole, since no cut was accepted", ["no cut accepted" in some for some in remarks]),
    ):
        found = [name for name, is_so in zip(names, chosen, strict=True) if is_so]
        lines.append(f"{len(found):,} {what}: {quoted(found)}" if found else f"none {what}")
    return lines


def _remarks(quality: ColumnQuality, uncut: bool, names: Sequence[str]) -> list[str]:
    remarks = []
    if quality.constant:
        remarks.append("constant")
    elif uncut:
        remarks.append("no cut accepted")
    if quality.identifier:
        remarks.append("looks like an identifier")
    if quality.duplicate_of >= 0:
        remarks.append(f"the same as {names[quality.duplicate_of]}")
    return remarks
