"""Files and streams as tables that are summarized, coded and packed batch by batch, in little memory."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bitsieve.common.progress import listening, phase, row_phase
from bitsieve.counts.class_order import sizes_of_classes
from bitsieve.counts.packed_batches import PackedBatches
from bitsieve.data.binning.base import MAX_CODES
from bitsieve.data.binning.coding import fit_on_summary
from bitsieve.data.summary import Limits, Summary, summarize
from bitsieve.data.target_summary import TargetSummary
from bitsieve.engines.in_parts import GivenInParts, TableInParts, search_in_parts
from bitsieve.files.errors import DataError, check_unchanged
from bitsieve.files.own_key import is_own, signed
from bitsieve.files.spool import Spool, kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from bitsieve.counts.source import CountSource
    from bitsieve.data.binning.base import Binner
    from bitsieve.data.binning.coding import Coding
    from bitsieve.data.table import Table
    from bitsieve.data.target_summary import TargetCoding
    from bitsieve.engines.in_parts import PartReader
    from bitsieve.files.arrow import ColumnParts
Item = TypeVar("Item")


class StreamPacking:
    """Planes in a spool, to be filled with one batch of rows after the other.

    Parameters
    ----------
    coding : Coding
    class_sizes : ndarray of int64
        Samples of every class in all batches together.
    parent : Path or None
        Where the spool is kept; None: nowhere, it is removed at the end.
    n_jobs : int or None
    """

    def __init__(self, coding: Coding, class_sizes: NDArray[np.int64], parent: Path | None, n_jobs: int | None) -> None:
        self.coding, self._parent = coding, parent
        self._packed = PackedBatches(class_sizes, coding.arities, n_jobs)
        self.spool = Spool(parent)
        planes = self.spool.array("planes", self._packed.plane_words, np.uint64)
        self._packed.use(planes, self.spool.array("wide", self._packed.wide_codes, np.uint16))
        self._room = np.empty(0, np.uint8)  # fresh memory for every batch costs more than its codes

    def add(self, table: Table) -> None:
        """Pack the next rows."""
        codes: Any = self.coding.own_codes(table)
        if codes is None:
            codes = self._coded(table)
        self._packed.add(codes, table.target.codes, table.weights)

    def _coded(self, table: Table) -> NDArray[Any]:
        if len(self._room) < 2 * table.n_samples * table.n_features:
            self._room = np.empty(2 * table.n_samples * table.n_features, np.uint8)
        return self.coding.codes(table, self._room)

    def finish(self) -> CountSource:
        """The counts of all rows that were added."""
        if self._parent is None and os.name == "posix":
            self.spool.close()  # the planes stay as long as they are mapped, and go with the process
        return self._packed.finish()


class EarlyPacking:
    """Rows packed in the pass that looks for their codes, as long as every batch holds what the first one holds.

    Codes of values as they are hang on which values there are, not on how often: those of the first batch are those of
    all rows, unless a later one holds another value. Then the planes are given up, and the rows are read once more.

    Parameters
    ----------
    start : callable
        Makes the packing of all rows, given the summary of the first batch.
    """

    def __init__(self, start: Callable[[Summary], StreamPacking]) -> None:
        self._start = start
        self._first: Summary | None = None
        self.packing: StreamPacking | None = None

    def add(self, table: Table, part: Summary) -> None:
        """Pack the next rows, of which this is the summary."""
        if self._first is None:
            self._first = part
            try:
                with listening(lambda _: None):  # the bins of all rows are still looked for
                    self.packing = self._start(part)
            except ValueError:  # what is wrong is said once all rows were looked at
                return
        if self.packing is None:
            return
        if all(column.adds_no_code_to(known) for column, known in zip(part.columns, self._first.columns, strict=True)):
            self.packing.add(table)
        else:
            self.packing.spool.close()
            self.packing = None


DEFAULT_MEMORY = 2 << 30
_FORMS = 6  # of the values of a batch that are in memory at once: read ahead, decoded, as columns, as codes
_PENDING = 8  # summaries of batches that wait to be merged


@dataclass(frozen=True)
class Budget:
    """What a table of so many columns may keep in memory.

    Attributes
    ----------
    rows : int
        Of a batch.
    limits : Limits
        Of a summary.
    """

    rows: int
    limits: Limits

    @classmethod
    def of(cls, memory: int, n_columns: int, row_bytes: int) -> Budget:
        """A quarter for the batches, a quarter for the sample, a quarter for the distinct numbers."""
        rows = memory // 4 // (_FORMS * (row_bytes + n_columns))
        sample, cells = memory // 4 // (3 * 8 * n_columns), memory // 4 // (3 * 16 * n_columns)
        most = Limits()
        limits = Limits(_power(cells, MAX_CODES, most.cells), _power(sample, 1 << 10, most.rows))
        return cls(int(np.clip(rows, 1 << 10, 1 << 20)), limits)


@dataclass(frozen=True)
class StreamedGiven(GivenInParts):
    """The file or the stream that was given."""

    batches: ColumnParts
    others: Sequence[str]
    weight: str | None
    rows: int

    def take(self, indices: NDArray[np.intp]) -> None:
        """The selected columns are not read again."""

    def with_target(self, names: Sequence[str]) -> Any:
        """Some features, the target and the weights, read into memory."""
        import pyarrow as pa

        return pa.concat_tables(self.batches.batches([*names, *self.others], self.rows), promote_options="permissive")


class StreamedTable(TableInParts):
    """A table whose rows are read from a file, batch by batch, as often as they are needed.

    Parameters
    ----------
    batches : ColumnParts
    reader : PartReader
        Its features and target are columns of the batches.
    beside : tuple of ndarray or None
        Target and weights that are given by their values.
    budget : Budget
    spool : Path or None
        Where the packed table is kept; None: nowhere, it is removed at the end.
    """

    def __init__(
        self,
        batches: ColumnParts,
        reader: PartReader,
        beside: tuple[Any, Any],
        budget: Budget,
        spool: Path | None,
    ) -> None:
        self.batches, self.reader, self.beside, self.budget = batches, reader, beside, budget
        self.spool = spool
        self.state = batches.state()
        self.names = [str(name) for name in reader.features or batches.names]
        self.notes = tuple(batches.notes)
        self.feature_names = np.array(self.names, object)

    def read_target(self, name: str, target_bins: int | str | None) -> None:
        """Look at the target: one pass over it, two where it is of several columns or of very many numbers."""
        known = self._target_summary(sampled=False) or self._target_summary(sampled=True)
        assert known is not None  # with a sample every target can be told
        coded = known.fitted(name, target_bins)
        if coded.is_joint:
            found = [
                self.reader.combinations(first, *objects, target=coded)
                for first, objects in self._parts("reading the target", features=False)
            ]
            coded = coded.with_combinations(np.concatenate(found))
        self.coded_target: TargetCoding = coded
        self.target, self.target_rank_error = coded.target, coded.rank_error

    def _target_summary(self, *, sampled: bool) -> TargetSummary | None:
        """What the target holds; None where it turns out that it can not be told without a sample of the rows."""
        known: TargetSummary | None = None
        for first, objects in self._parts("reading the target", features=False):
            part = self.reader.summarize_target(first, *objects, sampled=sampled)
            known = part if known is None else TargetSummary.merged([known, part])
            if known.needs_sample:
                return None
            self.n_samples = first + self.reader.n_rows(*objects)[0]
        if known is None:
            raise DataError(f"{self.batches.label} has no rows that count: at least one is required")
        return known

    def summary(self, binner: Binner, early: EarlyPacking | None = None) -> Summary:
        """What a binner must know of all rows, which are packed in the same pass if their codes are known so early."""
        known: Summary | None = None
        pending: list[Summary] = []
        waiting = 0
        told = self.coded_target.class_sizes
        self.class_sizes = np.zeros(self.target.n_classes, np.int64) if told is None else told
        for first, objects in self._parts("finding bins" if early is None else "finding bins and packing"):
            table = self.reader.read(first, *objects, target=self.coded_target)
            if told is None:
                self.class_sizes += sizes_of_classes(table.target.codes, table.weights, self.target.n_classes)
            part = summarize(table, binner, first_row=first, limits=self.budget.limits, known=known)
            if early is not None:
                early.add(table, part)
            pending.append(part)
            waiting += max(0 if part.sample is None else len(part.sample.rows), part.most_cells)
            if len(pending) > _PENDING or known is None or waiting > self.budget.limits.rows // 2:
                known = Summary.merged(pending if known is None else [known, *pending])
                pending, waiting = [], 0
        assert known is not None  # there are rows
        return Summary.merged([known, *pending])

    def source(self, coding: Coding) -> CountSource:
        """The counts of the columns as they are coded, packed into planes in a spool."""
        packing = self._packing(coding)
        for first, objects in self._parts("packing"):
            packing.add(self.reader.read(first, *objects, target=self.coded_target))
        self.packed_in = packing.spool
        return packing.finish()

    def _packing(self, coding: Coding) -> StreamPacking:
        return StreamPacking(coding, self.class_sizes, self.spool, self.n_jobs)

    def _early_packing(self, binner: Binner) -> EarlyPacking | None:
        """What packs rows before all of them were looked at; None where more must be known of them."""
        if binner.sees != "codes" or self.coded_target.class_sizes is None:
            return None
        return EarlyPacking(lambda first: self._packing(fit_on_summary(binner, self._with_codes(first))))

    def count(self, binner: Binner) -> tuple[Coding, CountSource]:
        """Fit a copy of the binner on all rows, and pack them coded by it; or take both from the spool."""
        self.n_jobs = binner.n_jobs
        name = self._key(binner)
        if name is not None and self.spool is not None:
            found = self._reopened(self.spool, name)
            if found is not None:
                return found
        phase("reading")
        early = self._early_packing(binner)
        self.known = self._with_codes(self.summary(binner, early))
        self.coding = coding = fit_on_summary(binner, self.known)
        if early is not None and early.packing is not None:
            self.packed_in, source = early.packing.spool, early.packing.finish()
        else:
            source = self.source(coding)
        if name is not None:
            fitted = pickle.dumps((coding, self.known, self.class_sizes))
            self.packed_in.write("fitted", fitted)
            self.packed_in.keep(name, {"signature": signed(fitted)})
        source.search = search_in_parts(coding, source)
        return coding, source

    def _reopened(self, parent: Path, name: str) -> tuple[Coding, CountSource] | None:
        """What an earlier run has kept; None where there is nothing that can be trusted."""
        found = kept(parent, name)
        if found is None:
            return None
        folder, facts = found
        fitted = (folder / "fitted").read_bytes()
        if not is_own(fitted, facts.get("signature")):
            return None
        phase("opening the spool")
        coding, self.known, self.class_sizes = pickle.loads(fitted)  # written by this user's bitsieve
        packed = PackedBatches(self.class_sizes, coding.arities, self.n_jobs)
        sizes = {"planes": (packed.plane_words, np.uint64), "wide": (packed.wide_codes, np.uint16)}
        try:
            # A copy on write: nothing is ever written to what is kept.
            packed.use(*(_mapped(folder / name, size, kind) for name, (size, kind) in sizes.items()))
            source = packed.reopen()
        except (OSError, ValueError):  # another kernel's, or spoiled
            return None
        source.search = search_in_parts(coding, source)
        self.coding = coding
        return coding, source

    def _key(self, binner: Binner) -> str | None:
        """The name of the packed table: another file, target, binner or kernel has another one. None: it has none."""
        if self.spool is None or not self.state or any(values is not None for values in self.beside):
            return None
        from bitsieve import __version__

        parameters = {name: value for name, value in binner.get_params().items() if name != "n_jobs"}
        what = {
            "version": __version__,
            "state": self.state,
            "reader": [list(self.names), self.reader.target, self.reader.weight, self.reader.drop_missing],
            "bins": [str(self.target.n_bins), repr(self.coded_target.target.labels.tolist())],
            "binner": [type(binner).__name__, parameters, self.few_are_codes],
            "limits": [self.budget.limits.cells, self.budget.limits.rows],
            "kernel": PackedBatches.kernel(),
        }
        text = json.dumps(what, sort_keys=True, default=repr)
        return f"bitsieve-{hashlib.sha256(text.encode()).hexdigest()[:32]}"

    def _parts(self, what: str, *, features: bool = True) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """The number of the first row that counts of every batch, and its objects as the reader takes them."""
        beside = [name for name in (self.reader.target, self.reader.weight) if name is not None]
        columns = [str(name) for one in beside for name in (one if isinstance(one, list) else [one])]
        if features:
            columns = [*self.names, *columns]
        step = row_phase(what, self.batches.n_rows)
        first = seen = 0
        for part in read_ahead(self.batches.batches(columns or self.batches.names[:1], self.budget.rows)):
            last = seen + part.num_rows
            self._check_lengths(last, at_end=False)
            objects = (part, *(None if values is None else values[seen:last] for values in self.beside))
            n_rows = self.reader.n_rows(*objects)[0]
            if n_rows:
                yield first, objects
            first, seen = first + n_rows, last
            step(seen)
        self._check_lengths(seen, at_end=True)
        check_unchanged(self.batches.label, self.state, self.batches.state())

    def _check_lengths(self, n_rows: int, *, at_end: bool) -> None:
        """Refuse a target or weights, given by their values, that are fewer or, at the end, more than the rows."""
        for values in self.beside:
            if values is not None and (len(values) < n_rows or (at_end and len(values) > n_rows)):
                raise ValueError(
                    f"the target or the weights have {len(values):,} values but the data has "
                    f"{self.batches.n_rows or n_rows:,} rows: they must be as many"
                )


def _power(wanted: int, least: int, most: int) -> int:
    """The largest power of two up to a number, within bounds."""
    return int(np.clip(1 << max(wanted, 1).bit_length() - 1, least, most))


def _mapped(path: Path, size: int, kind: Any) -> NDArray[Any]:
    return np.memmap(path, kind, "c", shape=(size,)) if size else np.empty(0, kind)


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, each made on a thread while the one before it is used."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item
