"""A table whose rows an engine reads in partitions: what follows from the answers of the engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from shlex import quote
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource
from bitsieve.counts.strata import SourceInStrata
from bitsieve.dataset.column_info import ColumnInfo, TextParsing
from bitsieve.dataset.dataset import COUNTS, Approximation
from bitsieve.dataset.notes import rows_without_target
from bitsieve.dataset.original import OriginalData, not_read_again
from bitsieve.dataset.plain_text import Words
from bitsieve.dataset.rank_test import RankTest
from bitsieve.dataset.roles import Roles
from bitsieve.dataset.target import Target
from bitsieve.dataset.target_summary import TargetCoding, TargetPart
from bitsieve.dataset.text_columns import check_types_read
from bitsieve.dataset.text_format import ColumnRules, TextMeaning
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.coding import Coding, arity_of, fit_on_summary
from bitsieve.discretization.equal import EqualFrequencyBinning, EqualWidthBinning
from bitsieve.discretization.mdl import CutsOfPartitions
from bitsieve.discretization.summary import Summary
from bitsieve.engines.engine import CachedCounts, CountRequest, Engine, SummaryRequest
from bitsieve.engines.out_of_core import OutOfCoreDataset
from bitsieve.engines.partition_reader import PartitionReader
from bitsieve.engines.partitioned_target import open_target, with_combinations
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Columns, Integers, Values
from bitsieve.utils.progress import phase
from bitsieve.utils.types import JsonObject, Label, TableLike


class PartitionedDataset(OutOfCoreDataset):
    """A table whose rows an engine reads in partitions. Rows are read when the first answer needs them."""

    def __init__(
        self,
        engine: Engine,
        reader: PartitionReader,
        names: Sequence[str],
        feature_names: Values | None,
        target_coding: TargetCoding,
        n_rows: int,
        total_weight: int,
    ) -> None:
        self.engine = engine
        self.reader = reader
        self.names = names
        self.feature_names = feature_names
        self.target_coding = target_coding
        self.original = None
        self.dropped = ()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        if engine.n_without_target:
            n_all_rows = engine.n_without_target + n_rows
            note = rows_without_target(target_coding.target.names, engine.n_without_target, n_all_rows)
            self.diagnostics = (note,)
        self.small_integers_as_categories = False  # in an array: only if all columns hold small integers
        self.coding: Coding | None = None  # of all rows; None until they are counted
        self.parsings: dict[int, TextParsing] | None = None  # of text columns; None until all rows are summarized
        self._n_rows = n_rows
        self._total_weight = total_weight
        self._text_meanings: Mapping[int, TextMeaning] = {}
        self._summary: Summary | None = None  # of all rows
        self._columns: Sequence[ColumnInfo] | None = None
        self._class_sizes: Integers | None = None  # as rows are counted; None until they are
        self._cached: CachedCounts | None = None
        self._cache_key: JsonObject | None = None  # under which ``_cached`` was found

    @classmethod
    def read(
        cls,
        open_engine: Callable[[PartitionReader], Engine],
        roles: Roles,
        n_columns: int,
        options: ReadOptions,
        *,
        named: bool = True,
        take_original: Callable[[Columns], TableLike] | None = None,
    ) -> PartitionedDataset:
        """Open an engine and summarize the target.

        That is one pass over the target; more for several columns, for very many different numbers, and for text.
        ``named`` says whether the columns have names; ``take_original`` takes features by their indices in the user's
        own kind of data, None where the data is not read again.
        """
        if options.strata is not None and not roles.strata:
            raise UserError(
                code="column-needed",
                message="the strata must be columns of the data, where its rows are not in memory",
                advice="name them, or give a table in memory",
            )
        rules = replace(ColumnRules.from_options(options), formats={})
        reader = PartitionReader(
            features=roles.features if named else None,
            target=roles.target,
            strata=roles.strata,
            weight=roles.weight,
            drop_missing=options.drop_missing_target,
            rules=rules,
            dropped=_excluded(roles.features, options.exclude),
        )
        opened = open_target(open_engine, reader, roles, options)
        names = [f"x{j}" for j in range(n_columns)]
        feature_names = None
        if named:
            names = [str(label) for label in roles.features]
            if all(isinstance(label, str) for label in roles.features):
                feature_names = np.array(roles.features, object)
        table = cls(
            opened.engine,
            opened.reader,
            names,
            feature_names,
            opened.coding,
            opened.n_samples,
            opened.total_weight,
        )
        table.original = OriginalData(
            take=not_read_again if take_original is None else take_original,
            with_target=opened.engine.take,
            weight=roles.weight_name,
            labels=None if take_original is None else roles.features or None,
            strata=options.strata_in_words,
        )
        return table

    @property
    def capabilities(self) -> frozenset[str]:
        return COUNTS if self.target_coding.strata_and_classes is None else COUNTS - {"unstratified"}

    @property
    def class_counts_of_strata(self) -> Integers | None:
        strata_and_classes = self.target_coding.strata_and_classes
        if strata_and_classes is None or self._class_sizes is None:
            return None
        return strata_and_classes.class_counts(self._class_sizes)

    @property
    def n_samples(self) -> int:
        return self._n_rows

    @property
    def total_weight(self) -> int:
        return self._total_weight

    @property
    def target(self) -> Target:
        """The classes of all rows; its ``codes`` are empty."""
        return self.target_coding.target

    @property
    def target_rank_error(self) -> float:
        return self.target_coding.rank_error

    def is_constant(self, j: int) -> bool:
        return j in self.dropped or bool(self.summarize()[j].is_constant)

    def is_row_counter(self, j: int) -> bool:
        return j not in self.dropped and bool(self.summarize()[j].is_row_counter)

    def number_range(self, j: int) -> tuple[float, float] | None:
        summary = self._summary
        if summary is None:  # the counts of an earlier run were used
            return None
        column = summary.columns[j]
        has_exact_ends = column.kind is not None and column.low is not None and column.rank_error == 0
        return (float(column.low), float(column.high)) if has_exact_ends else None

    def rank_tests(self, columns: Sequence[int], n_jobs: int | None = None) -> list[RankTest] | None:
        coding = self.coding
        if coding is None or not all(j in coding.rank_tests for j in columns):
            return None
        return [coding.rank_tests[j] for j in columns]

    @property
    def approximation(self) -> Approximation | None:
        if self.coding is None or not self.coding.sampled:
            return None
        n_rows = self.engine.limits_for(self.coding.binner).rows
        return Approximation(
            self.coding.sampled,
            self.coding.rank_error,
            from_intervals=self.engine.counts_intervals,
            rows_in_memory=n_rows if n_rows < self.engine.limits.rows else None,
        )

    @property
    def coded_arities(self) -> Integers | None:
        return None if self.coding is None else self.coding.arities.astype(np.int64)

    @property
    def text_meanings(self) -> Mapping[int, TextMeaning]:
        """What the text of columns means, and which columns are times; empty before the rows are summarized."""
        return {} if self._summary is None else self._summary.text_meanings

    @property
    def times(self) -> dict[int, Literal["dates", "durations"]]:
        """The columns that hold dates or durations, by index; empty before the rows are summarized."""
        times = {}
        for j, meaning in self.text_meanings.items():
            if meaning.format.time is not None and j not in self.dropped:
                times[j] = meaning.format.time
        return times

    def meaning_of(self, j: int) -> TextMeaning | None:
        return self.text_meanings.get(j)

    def summarize(self, binner: Any = None) -> Sequence[ColumnInfo]:
        if self._columns is not None:
            return self._columns
        self._cache_key = self._key(binner)
        self._cached = self.engine.cached(self._cache_key)
        if self._cached is not None:
            self._columns = _columns_from_facts(self._cached.facts)
        else:
            self._columns = self._with_parsings(self.summary_for(binner).column_infos())
        return self._columns

    def _with_parsings(self, columns: list[ColumnInfo]) -> list[ColumnInfo]:
        for j, parsing in (self.parsings or {}).items():
            columns[j] = replace(columns[j], parsing=parsing)
        return columns

    def summary_for(self, binner: Binning) -> Summary:
        """The summary of all rows that holds what a binner needs: one pass, two where text is read as other values."""
        if self._summary is None or self._summary.requires != binner.requires:
            summary = self._summarize_rows(binner)
            if self.parsings is None:
                text_has_formats = self._decide_meanings(summary)
                if text_has_formats:
                    summary = self._summarize_rows(binner)
            self._summary = replace(
                summary,
                text_meanings={**summary.text_meanings, **self._text_meanings},
                strata_and_classes=self.target_coding.strata_and_classes,
            )
        return self._summary

    def _summarize_rows(self, binner: Binning) -> Summary:
        phase("reading")
        request = SummaryRequest(
            reader=self.reader,
            target=self.target_coding,
            binner=binner,
            early_coding=self._early_coding(binner),
        )
        summary = self.engine.summarize(request)
        assert summary is not None  # the target has rows
        return summary

    def _early_coding(self, binner: Binning) -> Callable[[Summary], Coding] | None:
        """The coding as a function of the first partition's summary; None where all rows must be summarized first."""
        codes_are_values = binner.requires == "codes"
        if codes_are_values and self.target_coding.class_sizes is not None and not self.dropped:
            return partial(self._coding_of, binner)
        return None

    def _decide_meanings(self, summary: Summary) -> bool:
        """Decide what the text of columns means; return whether any of it is something else than categories."""
        rules = self.reader.rules
        self._text_meanings = summary.decide_text_meanings(rules.repair, rules.kinds_by_index(self.names))
        check_types_read(self._text_meanings, self.names)
        self.parsings = {
            j: meaning.parsing for j, meaning in self._text_meanings.items() if meaning.parsing is not None
        }
        formats = {j: meaning.format for j, meaning in self._text_meanings.items() if meaning.format != Words()}
        if formats:
            self.reader = replace(self.reader, rules=replace(rules, formats=formats))
        return bool(formats)

    def without(self, columns: Sequence[int]) -> PartitionedDataset:
        if not len(columns):
            return self
        table = copy(self)
        table.dropped = tuple(sorted({*self.dropped, *columns}))
        table.reader = replace(self.reader, dropped=table.dropped)
        table._summary = None if self._summary is None else self._summary.without(table.dropped)
        return table

    def with_small_integers_as_categories(self, n_jobs: int | None = None) -> PartitionedDataset:
        table = copy(self)
        table.small_integers_as_categories = True
        return table

    def count(self, binner: Binning) -> tuple[Binning, CountSource]:
        """Fit a copy of the binner on all rows and count these as it codes them; reuse both from an earlier run."""
        key = self._key(binner)
        source = self._open_cached(key)
        if source is None:
            source = self._count_rows(binner, key)
        self._class_sizes = source.class_sizes
        if self.target_coding.strata_and_classes is not None:
            source = SourceInStrata(source, self.target_coding.strata_and_classes)
        assert self.coding is not None
        fitted = self.coding.binner
        if fitted.requires == "classes":
            source.search = CutsOfPartitions(fitted, source.n_samples, source.n_classes)
        else:
            source.search = None
        return fitted, source

    def _open_cached(self, key: JsonObject) -> CountSource | None:
        """The counts that an earlier run has cached; None if there are none that fit."""
        cached = self._cached if self._cache_key == key else self.engine.cached(key)
        if cached is None or not self._has_same_columns(cached.facts):
            return None
        source = cached.open()
        if source is not None:
            self.coding = Coding.from_facts(cached.facts["coding"], list(self.names))
            self._columns = _columns_from_facts(cached.facts)
        return source

    def _count_rows(self, binner: Binning, key: JsonObject) -> CountSource:
        summary = self.summary_for(binner)
        self.coding = self._coding_of(binner, summary)
        self.summarize(binner)
        phase("counting")
        request = CountRequest(
            reader=self.reader,
            target=self.target_coding,
            coding=self.coding,
            class_sizes=summary.class_sizes,
            cache_key=key,
            cached_facts=self._facts(),
        )
        return self.engine.count(request)

    def with_classes_of(self, target: Target) -> PartitionedDataset:
        """The same rows with the classes of other rows, which have all of their own."""
        (name,) = self.target_coding.parts
        values = target.labels if target.edges is None else np.empty(0)
        codes_of_values = np.arange(target.n_classes, dtype=np.int32)
        part = TargetPart(values, replace(target, codes=codes_of_values))
        table = copy(self)
        table._summary = None  # it is of other classes
        table.target_coding = replace(self.target_coding, parts={name: part}, target=target)
        if table.target_coding.strata:
            table.target_coding = with_combinations(table.target_coding, table.engine, table.reader)
        return table

    def count_as(self, binner: Binning, arities: NDArray[np.int32]) -> CountSource:
        """Count all rows as a binner codes them that was fitted on other rows."""
        ranges = self.summary_for(EqualWidthBinning(missing=binner.missing))
        self._check_kinds_of_numbers(binner, ranges)
        occurring = [min(arity_of(binner, ranges, j), arity) for j, arity in enumerate(arities)]
        kinds = [column.kind for column in ranges.columns]
        for j, column in enumerate(ranges.columns):
            if column.is_empty and binner.categories_[j] is not None:
                kinds[j] = None  # a column without values may have been read as one of numbers
        coding = Coding(binner, kinds, np.array(occurring, np.int32), (), 0.0, {})
        request = CountRequest(
            reader=self.reader, target=self.target_coding, coding=coding, class_sizes=ranges.class_sizes
        )
        return self.engine.count(request)

    def _check_kinds_of_numbers(self, binner: Binning, summary: Summary) -> None:
        """Refuse text or categories in a column that the binner cuts as numbers."""
        for j, (name, column) in enumerate(zip(self.names, summary.columns, strict=True)):
            if j in self.dropped or binner.categories_[j] is not None:
                continue
            if column.kind is None and not column.is_empty:
                raise UserError(
                    code="mixed-values",
                    message=f"column {name!r} holds numbers in the first counts, and text or categories in this data",
                    advice=f"if its text means numbers, count all sites with --column-type {quote(f'{name}=number')}",
                    columns=(str(name),),
                )

    def distinct_values(self, columns: Sequence[int]) -> dict[int, NDArray[Any]]:
        """The sorted distinct values of columns, by index, without those of columns of too many numbers."""
        summary = self.summary_for(EqualWidthBinning(missing="bin"))
        if any(summary.columns[j].values is None for j in columns):  # numbers, of which it has only the ends
            summary = self.summary_for(EqualFrequencyBinning(missing="bin"))
        values = {j: summary.columns[j].values for j in columns}
        return {j: column_values for j, column_values in values.items() if column_values is not None}

    def _coding_of(self, binner: Binning, summary: Summary) -> Coding:
        """Fit a copy of the binner on a summary."""
        small_integers = summary.small_integers() if self.small_integers_as_categories else []
        is_frame = self.feature_names is not None
        if is_frame or len(small_integers) == self.n_features:
            summary = summary.with_categories([j for j in small_integers if j not in self.dropped])
        return fit_on_summary(binner, summary)

    def _facts(self) -> JsonObject:
        """What is cached with packed rows, so that they can be used again."""
        assert self.coding is not None
        assert self._columns is not None
        return {
            "left_out": list(self.dropped),
            "few_are_codes": self.small_integers_as_categories,
            "coding": self.coding.facts(),
            "columns": [column.to_dict() for column in self._columns],
        }

    def _has_same_columns(self, facts: JsonObject) -> bool:
        """Whether packed rows leave out the same columns, and take the same integers as categories."""
        same_columns = facts["left_out"] == list(self.dropped)
        return bool(same_columns and facts["few_are_codes"] == self.small_integers_as_categories)

    def _key(self, binner: Binning) -> JsonObject:
        """The key of cached rows: all that their codes follow from, beside the data."""
        reader = self.reader
        parameters = {name: value for name, value in binner.parameters.items() if name != "n_jobs"}
        limits = self.engine.limits_for(binner)
        return {
            "reader": [list(self.names), list(reader.target), reader.weight, reader.drop_missing],
            "strata": list(reader.strata),
            "columns": [reader.rules.repair, sorted(reader.rules.types_by_index(self.names).items())],
            "target": [list(self.target.requested_kind), repr(self.target.labels.tolist())],
            "binner": [type(binner).__name__, parameters],
            "limits": [limits.cells, limits.rows],
        }


def _columns_from_facts(facts: JsonObject) -> list[ColumnInfo]:
    return [ColumnInfo.from_dict(column) for column in facts["columns"]]


def _excluded(labels: Sequence[Label], exclude: Collection[Label]) -> tuple[int, ...]:
    """The indices of the features that the user excludes, by label, or by index where the labels are text."""
    excluded = []
    for j, label in enumerate(labels):
        is_index_named = isinstance(label, str) and j in exclude
        if label in exclude or is_index_named:
            excluded.append(j)
    return tuple(excluded)
