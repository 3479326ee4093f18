"""Tables whose rows are not in memory: they are read in parts, and known by what the parts add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource
from bitsieve.dataset.column_info import ColumnInfo, TextParsing
from bitsieve.dataset.dataset import Approximation, InMemoryDataset, OutOfCoreDataset
from bitsieve.dataset.notes import rows_without_target
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.read import n_rows, n_without, read_xy
from bitsieve.dataset.roles import Roles
from bitsieve.dataset.target import Target, check_read, no_row_counts, read_weights, take_weighted, zero_where_missing
from bitsieve.dataset.target_summary import TargetCoding, TargetPart, TargetSummary
from bitsieve.dataset.text import Words, target_with_text_read
from bitsieve.dataset.text_format import ColumnRules, TextMeaning
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.coding import Coding, arity_of, fit_on_summary
from bitsieve.discretization.equal import EqualWidthBinning
from bitsieve.discretization.mdl import CutsOfPartitions
from bitsieve.discretization.summary import Limits, Summary, summarize
from bitsieve.engines.data_partitions import united
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Flags, Integers
from bitsieve.utils.progress import phase

Result = TypeVar("Result")
Work = Callable[..., Result]
Merge = Callable[[Sequence[Result]], Result]


@dataclass(frozen=True)
class PartitionReader:
    """How a part of the rows is read: the same for all parts, and small enough to be sent to each."""

    # the columns of a part that are features; None: all are, and target and weights come beside it
    features: Sequence[Any] | None = None
    target: Sequence[Any] = ()  # the columns of a part that are the target; empty: the target comes beside it
    weight: Any = None  # the column of frequency weights
    drop_missing: bool = False  # whether rows without a target are left out, as if their weight were 0
    left_out: tuple[int, ...] = ()  # features that get one value in every row
    rules: ColumnRules = field(default_factory=partial(ColumnRules, formats={}))  # how columns are read
    target_rules: ColumnRules | None = None  # how text of the target is read; None: as classes

    def n_rows(self, part: Any, y: Any = None, weights: Any = None) -> list[int]:
        """How many rows of the part count: all, or those whose weight is not 0. In a list, as parts have an order."""
        y, weights = self.beside(part, y, weights)
        rows = n_rows(part)
        if y is not None and n_rows(y) != rows:
            raise UserError(
                code="partitions-differ",
                message=f"a part of the features has {rows:,} rows and that of the target {n_rows(y):,}",
                advice="cut both at the same rows",
            )
        kept = _kept(weights, rows)
        return [rows if kept is None else int(kept.sum())]

    def summarize_target(self, first_row: int, *objects: Any, sampled: bool) -> TargetSummary:
        """What the part holds of the target."""
        y, weights = self._target(*objects)
        times = objects[3] if len(objects) > 3 else None
        return TargetSummary.of_part(y, first_row=first_row, weights=weights, sampled=sampled, times=times)

    def n_without(self, *objects: Any) -> list[int]:
        """How many rows of the part are left out for want of a target, in a list."""
        y = self.beside(*objects)[0] if self.drop_missing else None
        return [0 if y is None else n_without(y)]

    def combinations(self, first_row: int, *objects: Any, target: TargetCoding) -> Integers:
        """The combinations of classes of a target of several columns that occur in the part."""
        return np.unique(target.combinations_of(self._target(*objects)[0]))

    def read(self, first_row: int, *objects: Any, target: TargetCoding) -> InMemoryDataset:
        """The part as a table, its classes those of all rows."""
        features = objects[0] if self.features is None else columns_of(objects[0], list(self.features))
        _, weights = self.beside(*objects)
        y, _ = self._target(*objects)
        table = replace(
            read_xy(features, None, weights, rules=self.rules), y=replace(target.target, codes=target.codes(y))
        )
        return table.without(self.left_out)

    def summarize(
        self,
        first_row: int,
        *objects: Any,
        target: TargetCoding,
        binner: Binning,
        limits: Limits,
        known: Summary | None = None,
        also: Callable[[InMemoryDataset, Summary], None] | None = None,
    ) -> Summary:
        """What the binner must know of the part; ``also`` is called with the part and its summary."""
        table = self.read(first_row, *objects, target=target)
        summary = summarize(table, binner, first_row=first_row, limits=limits, known=known)
        if also is not None:
            also(table, summary)
        return summary

    def beside(self, part: Any, y: Any = None, weights: Any = None) -> tuple[Any, Any]:
        """The target and the frequency weights of a part."""
        if self.target:
            y = columns_of(part, list(self.target)) if len(self.target) > 1 else part[self.target[0]]
        if self.weight is not None:
            weights = part[self.weight]
        if self.target_rules is not None:
            y, _ = target_with_text_read(y, self.target_rules)
        if self.drop_missing and y is not None and n_rows(y):
            weights = zero_where_missing(weights, y)
        return y, weights

    def _target(self, *objects: Any) -> tuple[Any, Integers | None]:
        """The target and the frequency weights of the rows that count."""
        y, weights = self.beside(*objects[:3])
        rows = n_rows(objects[0])
        if y is None:
            y = np.zeros(rows, np.int8)  # nobody asks for classes
        kept, given = _kept(weights, rows), read_weights(weights, rows)
        return (y, given) if kept is None or given is None else (take_weighted(y, kept), given[kept])


def columns_of(part: Any, labels: list[Any]) -> Any:
    """Some columns of a part of a table."""
    return part.select(labels) if hasattr(part, "column_names") else part[labels]


def _kept(weights: Any, rows: int) -> Flags | None:
    """Which rows count; None: all. A part all of whose weights are 0 has none, while a table must have some."""
    if weights is None:
        return None
    if not rows:
        return np.zeros(0, bool)
    given = np.asarray(weights)
    if given.dtype.kind in "biuf" and len(given) == rows and not given.any():
        return np.zeros(rows, bool)
    known = read_weights(given, rows)
    return None if known is None else known > 0


class Summarizing(NamedTuple):
    """What is asked of all parts: a summary of the columns."""

    reader: PartitionReader
    target: TargetCoding
    binner: Binning
    limits: Limits

    @property
    def of_part(self) -> Work[Summary]:
        """The summary of a part."""
        return partial(self.reader.summarize, target=self.target, binner=self.binner, limits=self.limits)


class Parts(Protocol):
    """The rows of a table, part by part, wherever they lie: what an engine offers."""

    label: str  # what messages call the data
    limits: Limits  # of what is kept of all rows
    n_without: int = 0  # rows that were left out for want of a target
    has_intervals: ClassVar[bool] = False  # whether too many numbers are known by intervals, not by a sample of rows

    def run(self, task: str, work: Work[Result], merge: Merge[Result], *, target_only: bool = False) -> Result | None:
        """Merge ``work(first_row, *objects)``, as :class:`PartitionReader` takes them, of all parts; None: no row."""

    def summarize(
        self, how: Summarizing, coding: Callable[[Summary], Coding] | None, class_sizes: Integers | None
    ) -> tuple[Summary | None, Packed | None]:
        """:meth:`run` for a summary; rows packed in the same pass where ``coding`` of the first part is that of all."""
        return self.run("summarize", how.of_part, Summary.merged), None

    def pack(self, reader: PartitionReader, target: TargetCoding, coding: Coding, class_sizes: Integers) -> Packed:
        """All parts, coded and packed where they are."""

    def kept(self, key: dict[str, Any]) -> Kept | None:
        """What an earlier run has kept of the same data and ``key``, if this engine keeps anything."""
        return None


class Packed:
    """Packed rows; these are where they are, counted by the source that ``counts`` opens."""

    def __init__(self, counts: Callable[[], CountSource]) -> None:
        self._counts = counts

    def finish(self, key: dict[str, Any] | None = None, facts: dict[str, Any] | None = None) -> CountSource:
        """Their counts; kept under ``key`` with what must be known of them, where the engine keeps anything."""
        return self._counts()

    def drop(self) -> None:
        """Give them up."""


class Kept(NamedTuple):
    """Packed rows of an earlier run."""

    facts: dict[str, Any]
    open: Callable[[], CountSource | None]  # the counts; None where they cannot be used any more


class PartitionedDataset(OutOfCoreDataset):
    """A table whose rows are read in parts."""

    def __init__(
        self,
        parts: Parts,
        reader: PartitionReader,
        names: Sequence[str],
        feature_names: NDArray[Any] | None,
        coded_target: TargetCoding,
        n_rows: int,
    ) -> None:
        self.parts, self.reader, self.names, self.feature_names = parts, reader, names, feature_names
        self.coded_target, self._n_rows = coded_target, n_rows
        self.original, self.left_out = None, ()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        if parts.n_without:
            names = coded_target.target.names
            self.diagnostics = (rows_without_target(names, parts.n_without, parts.n_without + n_rows),)
        self.few_are_codes = False  # whole numbers of few values; in an array, only if all columns are such
        self.known: Summary | None = None  # of all rows, once they were looked at
        self.coding: Coding | None = None  # of all rows, once they were counted
        self.parsings: dict[int, TextParsing] | None = None  # of text, once all rows of it were looked at
        self._meanings: Mapping[int, TextMeaning] = {}  # of the same
        self._columns: Sequence[ColumnInfo] | None = None
        self._kept: Kept | None = None
        self._kept_key: dict[str, Any] | None = None
        self._early: Packed | None = None  # the rows, if they were packed in the pass that looked at them

    @classmethod
    def read(
        cls,
        open_parts: Callable[[PartitionReader], Parts],
        roles: Roles,
        n_columns: int,
        options: ReadOptions,
        *,
        named: bool = True,
    ) -> PartitionedDataset:
        """Look at the target: one pass, more where it is of several columns, of very many numbers or of text."""
        said = TargetKind.from_options(options)
        drop_missing = options.drop_missing_target
        rules = replace(ColumnRules.from_options(options), formats={})
        reader = PartitionReader(
            roles.features if named else None, roles.target, roles.weight, drop_missing, rules=rules
        )
        parts = open_parts(reader)
        known, parsings = _summarized_target(parts, reader), dict[str, TextParsing]()
        meanings = {} if known is None else known.understood(rules)
        if meanings and known is not None:
            names = [*known.columns]
            parsings = {names[place]: of.parsing for place, of in meanings.items() if of.parsing is not None}
            check_read(parsings, drop_missing)
            reader = replace(reader, target_rules=replace(rules, formats={j: of.format for j, of in meanings.items()}))
            parts = open_parts(reader)  # fewer rows may have a target
            known = _summarized_target(parts, reader)
        if known is None:
            weighted = roles.weight_name is not None
            raise no_row_counts(parts.label, weighted=weighted, drop_missing=drop_missing)
        coded = known.fitted(roles.target_name, said)
        if coded.is_joint:
            work = partial(reader.combinations, target=coded)
            found = parts.run("target", work, united, target_only=True)
            assert found is not None  # there are rows
            coded = coded.with_combinations(found)
        coded = replace(coded, target=replace(coded.target, parsings=parsings))
        names = [str(label) for label in roles.features] if named else [f"x{j}" for j in range(n_columns)]
        strings = named and all(isinstance(label, str) for label in roles.features)
        feature_names = np.array(roles.features, object) if strings else None
        return cls(parts, reader, names, feature_names, coded, known.n_samples)

    @property
    def n_samples(self) -> int:
        return self._n_rows

    @property
    def target(self) -> Target:
        """The classes of all rows; its ``codes`` are none of anything."""
        return self.coded_target.target

    @property
    def target_rank_error(self) -> float:
        return self.coded_target.rank_error

    def varies(self, j: int) -> bool:
        return j not in self.left_out and not self.summarize()[j].is_constant

    def counts_rows(self, j: int) -> bool:
        return j not in self.left_out and bool(self.summarize()[j].is_row_counter)

    @property
    def approximation(self) -> Approximation | None:
        if self.coding is None or not self.coding.sampled:
            return None
        return Approximation(self.coding.sampled, self.coding.rank_error, self.parts.has_intervals)

    @property
    def coded_arities(self) -> Integers | None:
        return None if self.coding is None else self.coding.arities.astype(np.int64)

    def summarize(self, binner: Any = None) -> Sequence[ColumnInfo]:
        if self._columns is None:
            self._kept_key = self._key(binner)
            self._kept = self.parts.kept(self._kept_key)
            if self._kept is not None:
                self._columns = _columns_from_facts(self._kept.facts)
            else:
                self._columns = self._with_parsings(self._summarized(binner).column_infos())
        return self._columns

    def _with_parsings(self, columns: list[ColumnInfo]) -> list[ColumnInfo]:
        for j, parsing in (self.parsings or {}).items():
            columns[j] = replace(columns[j], parsing=parsing)
        return columns

    def _summarized(self, binner: Binning) -> Summary:
        """What the binner must know of all rows: one pass, in which they are packed if their codes are known early."""
        if self.known is None or self.known.requires != binner.requires:
            phase("reading")
            how = Summarizing(self.reader, self.coded_target, binner, self.parts.limits)
            sizes = self.coded_target.class_sizes
            early = binner.requires == "codes" and sizes is not None and not self.left_out
            coding = (lambda first: self._coding(binner, first)) if early else None
            self.known, self._early = self.parts.summarize(how, coding, sizes)
            assert self.known is not None  # there are rows
            if self.parsings is None and self._understand(self.known):  # once more
                self._drop_early()
                self.known = None
                return self._summarized(binner)
            self.known = replace(self.known, meanings={**self.known.meanings, **self._meanings})
        return self.known

    def _understand(self, known: Summary) -> bool:
        """Decide what text means; whether any of it means other things than categories."""
        rules = self.reader.rules
        found = known.understood(rules.repair, rules.types_by_index(self.names))
        self._meanings = found
        self.parsings = {j: of.parsing for j, of in found.items() if of.parsing is not None}
        forms = {j: of.format for j, of in found.items() if of.format != Words()}
        self.reader = replace(self.reader, rules=replace(rules, formats=forms))
        return bool(forms)

    def _drop_early(self) -> None:
        """Give up the rows that were packed in the pass that looked at them: their codes are not those wanted."""
        if self._early is not None:
            self._early.drop()
        self._early = None

    def without(self, columns: Sequence[int]) -> PartitionedDataset:
        if not len(columns):
            return self
        self._drop_early()
        table = copy(self)
        table.left_out = tuple(sorted({*self.left_out, *columns}))
        table.reader = replace(self.reader, left_out=table.left_out)
        table.known = None if self.known is None else self.known.without(table.left_out)
        return table

    def few_as_codes(self, n_jobs: int | None = None) -> tuple[PartitionedDataset, bool]:
        table = copy(self)
        table.few_are_codes = True
        return table, False

    def count(self, binner: Binning) -> tuple[Binning, CountSource]:
        """Fit a copy of the binner on all rows, and count them as it codes them; or take both from an earlier run."""
        key = self._key(binner)
        kept = self._kept if self._kept_key == key else self.parts.kept(key)
        source = kept.open() if kept is not None and self._is_as_kept(kept.facts) else None
        if source is not None and kept is not None:
            self.coding = Coding.from_facts(kept.facts["coding"], list(self.names))
            self._columns = _columns_from_facts(kept.facts)
        else:
            known = self._summarized(binner)
            self.coding = self._coding(binner, known)
            self.summarize(binner)
            phase("counting")
            packed, self._early = self._early, None  # it can be finished once
            if packed is None:
                packed = self.parts.pack(self.reader, self.coded_target, self.coding, known.class_sizes)
            source = packed.finish(key, self._facts())
        fitted = self.coding.binner
        source.search = (
            CutsOfPartitions(fitted, source.n_samples, source.n_classes) if fitted.requires == "classes" else None
        )
        return fitted, source

    def count_as(self, binner: Binning, arities: NDArray[np.int32], target: Target) -> CountSource:
        """The counts of all rows, coded by a binner that was fitted on others, with the classes of those."""
        (name,) = self.coded_target.parts
        values = target.labels if target.edges is None else np.empty(0)
        part = TargetPart(values, replace(target, codes=np.arange(target.n_classes, dtype=np.int32)))
        table = copy(self)
        table.known = table._early = None  # they are of other classes
        table.coded_target = replace(self.coded_target, parts={name: part}, target=target)
        ends = table._summarized(EqualWidthBinning(missing=binner.missing))
        known = np.array([min(arity_of(binner, ends, j), n) for j, n in enumerate(arities)], np.int32)
        coding = Coding(binner, [column.kind for column in ends.columns], known, (), 0.0)
        return self.parts.pack(table.reader, table.coded_target, coding, ends.class_sizes).finish()

    def _facts(self) -> dict[str, Any]:
        """What must be known of packed rows to use them again."""
        assert self.coding is not None
        assert self._columns is not None
        return {
            "left_out": list(self.left_out),
            "few_are_codes": self.few_are_codes,
            "coding": self.coding.facts(),
            "columns": [column.to_dict() for column in self._columns],
        }

    def _is_as_kept(self, facts: dict[str, Any]) -> bool:
        return bool(facts["left_out"] == list(self.left_out) and facts["few_are_codes"] == self.few_are_codes)

    def _coding(self, binner: Binning, known: Summary) -> Coding:
        few = known.few_valued() if self.few_are_codes else []
        if self.feature_names is not None or len(few) == self.n_features:
            known = known.with_categories([j for j in few if j not in self.left_out])
        return fit_on_summary(binner, known)

    def _key(self, binner: Binning) -> dict[str, Any]:
        """What the packed rows follow from, beside the data."""
        parameters = {name: value for name, value in binner.parameters.items() if name != "n_jobs"}
        return {
            "reader": [list(self.names), list(self.reader.target), self.reader.weight, self.reader.drop_missing],
            "columns": [self.reader.rules.repair, sorted(self.reader.rules.types_by_index(self.names).items())],
            "target": [list(self.target.said), repr(self.target.labels.tolist())],
            "binner": [type(binner).__name__, parameters],
        }

    @property
    def meanings(self) -> Mapping[int, TextMeaning]:
        """What text means, and which columns are times, as far as the rows were looked at."""
        return {} if self.known is None else self.known.meanings


def _columns_from_facts(facts: Mapping[str, Any]) -> list[ColumnInfo]:
    return [ColumnInfo.from_dict(column) for column in facts["columns"]]


def _summarized_target(parts: Parts, reader: PartitionReader) -> TargetSummary | None:
    """What is known of the target: one pass, two where it has very many numbers; None where no row counts."""
    run = partial(parts.run, "target", merge=TargetSummary.merged, target_only=True)
    known: TargetSummary | None = run(partial(reader.summarize_target, sampled=False))
    if known is not None and known.needs_sample:
        known = run(partial(reader.summarize_target, sampled=True))
    return known
