"""Saved counts: the tables of all pairs of columns in a file, which add up over parts of the rows, and serve as one."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource
from bitsieve.counts.tables import ContingencyTable
from bitsieve.dataset.column_info import ColumnInfo
from bitsieve.dataset.column_summary import changes_kind, union_of_categories
from bitsieve.dataset.dataset import OutOfCoreDataset
from bitsieve.dataset.encoding import lookup
from bitsieve.dataset.identifiers import are_counts_of_identifier
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.coding import binning_facts, binning_of, from_list, listed
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.io.output import writing
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import phase

MOST_CELLS = 1 << 28  # of all tables: 2 GiB
_FILE = "counts.bitsieve"  # a digest of what follows, the facts as a line of JSON, and the cells


@dataclass(frozen=True, eq=False)
class SavedCounts:
    """The tables of every pair of columns with the class, and what the codes in them mean."""

    names: list[str]  # of the columns
    target: Target  # the classes, without the codes of rows
    binner: Binning  # fitted: how the columns became codes
    arities: NDArray[np.int32]  # codes of every column, whether they occur or not
    class_sizes: Integers
    cells: Integers  # of the pairs (0, 0), (0, 1), ..., (1, 1), (1, 2), ... one after the other, in C order
    left_out: tuple[int, ...] = ()  # columns that were left out, such as identifiers: they have one code

    def __add__(self, other: SavedCounts) -> SavedCounts:
        """The counts of both parts of the rows, refused if the columns, their codes or the classes are not the same."""
        if _meaning(self) != _meaning(other):
            raise UserError(
                code="counts-differ",
                message="the counts do not add up, since their columns, bins, values or classes differ",
                advice=(
                    "count all parts with the bins of the first, by 'bitsieve count DATA --like COUNTS', or all "
                    "rows by one statement of 'bitsieve sql'"
                ),
            )
        return replace(self, class_sizes=self.class_sizes + other.class_sizes, cells=self.cells + other.cells)

    def without(self, columns: Sequence[int]) -> SavedCounts:
        """The counts with one code for every row in some columns."""
        if not len(columns):
            return self
        arities = self.arities.copy()
        arities[list(columns)] = 1
        n_classes = len(self.class_sizes)
        cells = np.empty(n_cells(arities, n_classes), np.int64)
        tables = each_table(self.cells, self.arities, n_classes)
        for (i, j, pooled), (_, _, table) in zip(each_table(cells, arities, n_classes), tables, strict=True):
            if i in columns:
                table = table.sum(axis=0, keepdims=True)
            if j in columns:
                table = table.sum(axis=1, keepdims=True)
            pooled[:] = table
        binner = copy(self.binner)
        binner.n_bins_ = self.binner.n_bins_.copy()
        binner.n_bins_[list(columns)] = 1
        binner.categories_ = list(self.binner.categories_)
        for column in columns:
            binner.categories_[column] = np.zeros(1, np.uint8)
        left_out = tuple(sorted({*self.left_out, *columns}))
        return replace(self, binner=binner, arities=arities, cells=cells, left_out=left_out)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the counts to a folder, which is made."""
        check_folder(folder)
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(
                code="cannot-write",
                message=f"cannot make the folder {str(path)!r}: {error.strerror}",
            ) from None
        facts = json.dumps({**_meaning(self), "class_sizes": self.class_sizes.tolist()}).encode() + b"\n"
        cells = np.ascontiguousarray(self.cells, "<i8").data
        with writing(path / _FILE, "counts") as file:
            file.write(_digest(facts, cells))
            file.write(facts)
            file.write(cells)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> SavedCounts:
        """Read what :meth:`save` has written; refused if the folder holds no whole counts."""
        path = Path(folder)
        if not (path / _FILE).is_file():
            raise DataError(
                code="not-saved-counts",
                message=f"{str(path)!r} holds no counts of 'bitsieve count'",
                advice="give the folder that its --save names",
            )
        with in_one_line(f"{str(path)!r} holds no counts of 'bitsieve count'"):
            with open(path / _FILE, "rb") as file:
                digest, text, content = file.readline(), file.readline(), file.read()
            if digest != _digest(text, content):
                raise DataError(
                    code="damaged-file",
                    message=f"the counts in {str(path)!r} are not whole",
                    advice="count again",
                )
            facts, cells = json.loads(text), np.frombuffer(content, "<i8").astype(np.int64, copy=False)
            arities = np.array(facts["arities"], np.int32)
            sizes = np.array(facts["class_sizes"], np.int64)
            target = Target(
                np.empty(0, np.int32),
                from_list(facts["labels"]),
                None if facts["edges"] is None else np.array(facts["edges"]),
                facts["kind"],
                name=facts["target"],
                said=TargetKind("classes" if facts["edges"] is None else "quantity"),
                unit=facts["unit"],
            )
            left_out = tuple(facts["left_out"])
            counts = cls(facts["names"], target, binning_of(facts, facts["names"]), arities, sizes, cells, left_out)
        if cells.shape != (n_cells(arities, len(sizes)),):
            raise DataError(
                code="damaged-file",
                message=f"the counts in {str(path)!r} are not whole",
                advice="count again",
            )
        return counts


def check_folder(folder: str | PathLike[str]) -> None:
    """Refuse a file where counts are to be saved."""
    if Path(folder).is_file():
        raise DataError(
            code="cannot-write",
            message=f"{str(folder)!r} is a file, and counts are saved to a folder",
            advice="give another name",
        )


class TabledSource(CountSource):
    """Saved tables of pairs as a source of counts, for the methods that need no others."""

    def __init__(self, counts: SavedCounts) -> None:
        self.counts, self.n_jobs = counts, None
        self.class_sizes, self.n_classes = counts.class_sizes, len(counts.class_sizes)
        self.n_samples, self.n_features = int(counts.class_sizes.sum()), len(counts.names)
        self._starts = _starts(counts.arities, self.n_classes)
        # The codes that occur in these rows: as of columns in memory, a code beyond the largest counts for nothing.
        self.arities = counts.arities
        alone = [self._dense(j, j).sum(axis=(1, 2)) for j in range(self.n_features)]
        self.arities = np.array([int(np.flatnonzero(counts)[-1]) + 1 for counts in alone], np.int32)

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        found = []
        for column in map(int, columns):
            dense = self._dense(column if pivot is None else pivot, column)
            if pivot is None:
                dense = dense.sum(axis=1)[None]
            first = 1 if pivot is None else int(self.arities[pivot])
            dense = dense[:first, : self.arities[column]]
            if not by_class:
                dense = dense.sum(axis=2, keepdims=True)
            flat = np.ascontiguousarray(dense).reshape(-1)
            cells = np.flatnonzero(flat)
            shape = (dense.shape[0], dense.shape[1], dense.shape[2])
            found.append(ContingencyTable.of_cells(shape, cells, flat[cells]))
        return found

    def _dense(self, i: int, j: int) -> Integers:
        """The cells of a pair, of shape (codes of i, codes of j, classes)."""
        low, high = min(i, j), max(i, j)
        m = self.counts.arities
        shape = int(m[low]), int(m[high]), self.n_classes
        first = self._starts[low] + int(m[low]) * self.n_classes * int(m[low:high].sum())
        dense = self.counts.cells[first : first + int(np.prod(shape))].reshape(shape)
        return dense if i <= j else dense.transpose(1, 0, 2)


def count_all_pairs(
    source: CountSource, names: Sequence[str], target: Target, binner: Binning, arities: NDArray[np.int32]
) -> SavedCounts:
    """Count the tables of all pairs of columns of a source, whose codes are below ``arities``; too many are refused."""
    total = n_cells(arities, source.n_classes)
    check_cells(total, len(names))
    step, cells = phase("counting pairs"), np.zeros(total, np.int64)
    places = each_table(cells, arities, source.n_classes)
    for i in range(len(names)):
        for table, (_, _, into) in zip(source.tables(i, np.arange(i, len(names)), True), places, strict=False):
            into[: table.shape[0], : table.shape[1]] = table.dense()
        step(i + 1, len(names))
    return SavedCounts(list(names), target, binner, arities.astype(np.int32), source.class_sizes, cells)


def _digest(*contents: bytes | memoryview) -> bytes:
    """A line that belongs to these contents, one after the other."""
    found = sha256()
    for content in contents:
        found.update(content)
    return found.hexdigest().encode() + b"\n"


def n_cells(arities: NDArray[np.int32], n_classes: int) -> int:
    """Cells of the tables of all pairs with the class."""
    return int(_starts(arities, n_classes)[-1])


def check_cells(total: int, n_columns: int) -> None:
    """Refuse tables of so many cells that they can not be kept."""
    if total > MOST_CELLS:
        raise UserError(
            code="table-too-large",
            message=(
                f"the tables of all pairs of {n_columns:,} columns have {total:,} cells, more than {MOST_CELLS:,}"
            ),
            advice="give fewer columns or bins",
        )


def _starts(arities: NDArray[np.int32], n_classes: int) -> Integers:
    """Where the tables of each column with itself and those after it begin; last: the end."""
    m = arities.astype(np.int64)
    following = m[::-1].cumsum()[::-1]
    return np.concatenate([[0], np.cumsum(m * following * n_classes)])


def _meaning(counts: SavedCounts) -> dict[str, Any]:
    """What must be equal for tables to add up, as JSON holds it."""
    binner, target = counts.binner, counts.target
    edges = None if target.edges is None else [float(edge) for edge in target.edges]
    return {
        "names": list(counts.names),
        "arities": counts.arities.tolist(),
        **binning_facts(binner),
        "target": target.name,
        "kind": target.kind,
        "labels": listed(target.labels),
        "edges": edges,
        "unit": target.unit,
        "left_out": list(counts.left_out),
    }


def combined(first: SavedCounts, second: SavedCounts) -> SavedCounts:
    """The counts of both parts of the rows, of codes as they are; refused where a column is of two kinds."""
    known: list[Any] = [
        _union(one, other, f"column {name!r}")
        for name, one, other in zip(first.names, first.binner.categories_, second.binner.categories_, strict=True)
    ]
    labels = _union(first.target.labels, second.target.labels, "the target")
    return _grown(first, known, labels) + _grown(second, known, labels)


def _union(one: Any, other: Any, what: str) -> NDArray[Any]:
    """The sorted values of both parts."""
    if len(one) and len(other) and (one.dtype.kind in "iuf") != (other.dtype.kind in "iuf"):
        raise changes_kind(what, "numbers", "text or categories")
    return union_of_categories([values for values in (one, other) if len(values)] or [one], what)


def _grown(counts: SavedCounts, known: list[Any], labels: NDArray[Any]) -> SavedCounts:
    """The same counts in tables with a place for every value and class that is known."""
    before: Any = counts.binner.categories_
    binner: Any = copy(counts.binner)
    with_missing = counts.binner.missing == "bin"
    binner.categories_ = known
    binner.n_bins_ = np.array([len(values) + with_missing for values in known], np.int64)
    arities = binner.n_bins_.astype(np.int32)
    places = [
        np.append(lookup(old, new), len(new))[: len(old) + with_missing]  # that of missing values is the last
        for old, new in zip(before, known, strict=True)
    ]
    classes = lookup(counts.target.labels, labels)
    sizes = np.zeros(len(labels), np.int64)
    sizes[classes] = counts.class_sizes
    total = n_cells(arities, len(labels))
    check_cells(total, len(known))
    cells = counts.cells
    if total != len(cells):
        cells = np.zeros(total, np.int64)
        old = each_table(counts.cells, counts.arities, len(counts.class_sizes))
        new = each_table(cells, arities, len(labels))
        for (i, j, some), (_, _, all_of) in zip(old, new, strict=True):
            all_of[np.ix_(places[i], places[j], classes)] = some
    target = replace(counts.target, labels=labels)
    return replace(counts, target=target, binner=binner, arities=arities, class_sizes=sizes, cells=cells)


def each_table(cells: Integers, arities: NDArray[np.int32], n_classes: int) -> Iterator[tuple[int, int, Integers]]:
    """Every pair of columns and its table, a view."""
    end = 0
    for i in range(len(arities)):
        for j in range(i, len(arities)):
            shape = int(arities[i]), int(arities[j]), n_classes
            first, end = end, end + int(np.prod(shape))
            yield i, j, cells[first:end].reshape(shape)


class SavedCountsDataset(OutOfCoreDataset):
    """Saved counts in place of a table: they are binned and counted already."""

    capabilities = frozenset({"tables"})  # of pairs of columns
    leaves_out = False  # every column was counted

    def __init__(self, counts: SavedCounts, *, named: bool = True, identifier_candidates: Collection[int] = ()) -> None:
        self.identifier_candidates = identifier_candidates  # none where identifiers were dropped before counting
        self.counts, self.names = counts, counts.names
        self.feature_names = np.array(counts.names, object) if named else None
        self.original, self.left_out = None, counts.left_out
        left_out = [str(self.names[j]) for j in self.left_out]
        self.diagnostics = (left_out_of_counts(left_out),) if left_out else ()
        source = TabledSource(counts)
        alone = source.tables(None, np.arange(len(counts.names)), False)
        self._varies = np.array([len(table.occupied()[0]) > 1 for table in alone], bool)
        self._uncut = {*getattr(counts.binner, "uncut_", ())} - {*counts.left_out}
        self._coded_arities = source.arities.astype(np.int64)

    @property
    def n_samples(self) -> int:
        return int(self.counts.class_sizes.sum())

    @property
    def target(self) -> Target:
        return self.counts.target

    @property
    def coded_arities(self) -> Integers:
        return self._coded_arities

    def summarize(self, binner: Any = None) -> list[ColumnInfo]:
        return [self._describe(j) for j in range(self.n_features)]

    def _describe(self, j: int) -> ColumnInfo:
        is_constant = not self._varies[j]
        categories = self.counts.binner.categories_[j]
        if j not in self.identifier_candidates or categories is None:
            return ColumnInfo(is_constant=is_constant)
        (table,) = TabledSource(self.counts).tables(None, np.array([j]), False)
        codes, n_rows = table.occupied()
        has_value = codes < len(categories)  # the code behind those of all categories is that of missing values
        return ColumnInfo(
            is_constant=is_constant,
            has_values=bool(has_value.any()),
            is_identifier=are_counts_of_identifier(categories[codes[has_value]], n_rows[has_value]),
        )

    def few_as_codes(self, n_jobs: int | None = None) -> tuple[SavedCountsDataset, bool]:
        return self, False

    def count(self, binner: Any) -> tuple[Binning, CountSource]:
        return self.counts.binner, TabledSource(self.counts)

    def without(self, columns: Sequence[int]) -> SavedCountsDataset:
        """The same counts, of every column; ``left_out`` says which of them no method is to choose."""
        if set(columns) <= {*self.left_out}:
            return self
        table = copy(self)
        table.left_out = tuple(sorted({*self.left_out, *columns}))
        return table

    def varies(self, j: int) -> bool:
        return bool(self._varies[j]) or j in self._uncut

    def counts_rows(self, j: int) -> bool:
        return False


def count_table(table: PartitionedDataset, binner: Binning, *, few_are_codes: bool) -> SavedCounts:
    """The tables of all pairs of columns of a table, with bins of its own."""
    if table.target.kind == "joint":
        raise UserError(
            code="one-target-needed",
            message="the counts of several targets together are not saved",
            advice="name one column as the target",
        )
    if few_are_codes:
        table, _ = table.few_as_codes()
    fitted, source = table.count(binner)
    counts = count_all_pairs(source, table.names, table.target, fitted, fitted.n_bins_.astype(np.int32))
    return replace(counts, left_out=table.left_out)


def left_out_of_counts(names: Sequence[str]) -> Diagnostic:
    """Columns were dropped before the rows were counted."""
    return Diagnostic(
        code="left-out-of-counts",
        message=f"left out when the rows were counted: {quoted(names)}",
        columns=tuple(names),
    )


def count_like(table: PartitionedDataset, first: SavedCounts) -> SavedCounts:
    """The tables of all pairs of columns of a table, with the columns, the bins and the classes of other counts."""
    if list(table.names) != first.names:
        lost = [name for name in first.names if name not in set(table.names)]
        message = f"the columns are not those of the first counts: {quoted(first.names)}"
        if lost:
            message = f"the data lacks {quoted(lost)}, which the first counts have"
        raise UserError(code="columns-differ", message=message, columns=lost)
    known, labels = first.target, first.target.labels
    if known.edges is None:
        new = sorted(set(map(str, table.target.labels.tolist())) - set(map(str, labels.tolist())))
        if new:
            raise UserError(
                code="unseen-value",
                message=f"the target holds {quoted(new)}, which the first counts have not",
                advice="count all rows anew",
            )
    source = table.without(first.left_out).count_as(first.binner, first.arities, known)
    counts = count_all_pairs(source, first.names, known, first.binner, first.arities)
    return replace(counts, left_out=first.left_out)
