"""A target that is read in parts: what a pass over the rows keeps of it, and the classes of each part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import sizes_of_classes
from bitsieve.dataset.arrow import text_of
from bitsieve.dataset.column_summary import ColumnSummary, Distinct, RowSample
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import Encoded, are_categories, lookup
from bitsieve.dataset.quantity import AS_FOUND, TargetKind, number_of_classes, numbers_of
from bitsieve.dataset.target import (
    MAX_JOINT_CLASSES,
    Target,
    called,
    check_bins,
    check_complete,
    count_unusable,
    join_targets,
    read_values,
    split_target,
    to_classes,
)
from bitsieve.dataset.text import meaning_of_text, target_text
from bitsieve.dataset.text_format import ColumnRules, TextMeaning
from bitsieve.dataset.value_ranges import NUMBERS
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Integers

_CELLS = _ROWS = 1 << 18  # distinct values of a column; rows of the sample where there are more


@dataclass(frozen=True, eq=False)
class TargetColumn:
    """What some rows of one column of a target hold."""

    n_samples: int
    n_missing: int
    n_infinite: int
    # its values, of categories with how many samples and how many rows each; None where any are missing or infinite,
    # which is refused in the end
    column: ColumnSummary | None = None
    sample: RowSample | None = None  # of numbers; None where nobody asked for one
    total: int = 0  # of the weights of numbers

    @classmethod
    def of_part(
        cls,
        values: NDArray[Any] | Encoded,
        rows: Integers | None,
        weights: Integers | None,
        times: Integers | None = None,
        is_text: bool = False,
    ) -> TargetColumn:
        """What rows of these numbers hold, None: no sample; ``times``: how many rows each is, where equal are one."""
        missing, infinite = count_unusable(values, times)
        n_rows = len(values) if times is None else int(times.sum())
        if missing or infinite:
            return cls(n_rows, missing, infinite)
        if are_categories(values):
            of = [np.bincount(values.codes, each, len(values.categories)) for each in (weights, times)]
            distinct = Distinct(values.categories, np.stack(of, axis=1).astype(np.int64))
            return cls(n_rows, 0, 0, ColumnSummary(NUMBERS, None, distinct=distinct, is_text=is_text))
        sample = (
            None if rows is None else RowSample.of_part(InMemoryDataset([values], ["y"], weights=weights), rows, _ROWS)
        )
        total = n_rows if weights is None else int(weights.sum())
        known = Distinct.of_samples(values, None, 1, weights, _CELLS)
        return cls(n_rows, 0, 0, ColumnSummary(NUMBERS, values.dtype, distinct=known), sample, total)

    @classmethod
    def merged(cls, parts: Sequence[TargetColumn], what: str) -> TargetColumn:
        """What all parts of the rows hold."""
        if len(parts) == 1:
            return parts[0]
        counts = zip(*((part.n_samples, part.n_missing, part.n_infinite, part.total) for part in parts), strict=True)
        n_samples, missing, infinite, total = map(sum, counts)
        columns = [part.column for part in parts if part.column is not None]
        if len(columns) < len(parts):
            return cls(n_samples, missing, infinite)
        samples = [part.sample for part in parts if part.sample is not None]
        sample = RowSample.merged(samples) if samples else None
        return cls(n_samples, 0, 0, ColumnSummary.merged(columns, what, _CELLS), sample, total)

    def classes(self, what: str, said: TargetKind) -> TargetPart:
        """The classes of all rows."""
        check_complete(what, self.n_samples, self.n_missing, self.n_infinite)
        assert self.column is not None  # nothing is missing
        if self.column.distinct is not None:
            values, counts = self.column.distinct.values, self.column.distinct.counts[:, 0]
            is_words = self.column.kind is None
            given = Encoded(np.arange(len(values), dtype=np.int32), values) if is_words else values
            return TargetPart(values, to_classes(given, said, counts, what), counts=counts)
        assert self.sample is not None
        (sampled,) = self.sample.columns
        assert sampled is not None
        if said.kind == "classes":
            raise UserError(
                code="too-many-classes",
                message=f"{what} has more than {_CELLS:,} classes",
                advice="check that it is not a number of each row",
            )
        allowed = number_of_classes(self.total)
        as_all = TargetKind("quantity", said.n_bins or allowed)
        cut = to_classes(sampled, as_all, self.sample.weights, what)
        found = replace(cut, said=said, n_allowed=allowed, n_numbers=0)  # all that there are were not counted
        return TargetPart(sampled, found, self.sample.rank_error)


@dataclass(frozen=True, eq=False)
class TargetPart:
    """The classes of one column of a target."""

    values: NDArray[Any]  # distinct ones, or a sample
    target: Target  # its codes are those of ``values``
    rank_error: float = 0.0  # by what share of the samples the rank of an edge may be off; 0: exact
    # how many of all samples have each of ``values``; None where that is not known
    counts: Integers | None = None

    def codes(self, given: NDArray[Any] | Encoded) -> NDArray[np.int32]:
        """The classes of some rows."""
        if are_categories(given):
            return self.target.codes[lookup(given.categories, self.values)][given.codes]
        if self.target.edges is not None:
            return np.searchsorted(self.target.edges, numbers_of(given, self.target.name)).astype(np.int32)
        return self.target.codes[lookup(given, self.values)]


@dataclass(frozen=True, eq=False)
class TargetSummary:
    """What some rows of a target hold, by column; summaries of parts of the rows merge."""

    columns: Mapping[str, TargetColumn]

    @classmethod
    def of_part(
        cls,
        y: Any,
        *,
        first_row: int = 0,
        weights: Integers | None = None,
        sampled: bool = True,
        times: Integers | None = None,
    ) -> TargetSummary:
        """What a part of the rows holds, the first of which has this number; the rest as of a column."""
        columns = split_target(y)
        found = {}
        for name, given in columns.items():
            values = read_values(given, called(name, len(columns) > 1))
            rows = np.arange(first_row, first_row + len(values)) if sampled else None
            is_text = are_categories(values) and target_text(given) is not None
            found[name] = TargetColumn.of_part(values, rows, weights, times, is_text)
        return cls(found)

    @classmethod
    def merged(cls, parts: Sequence[TargetSummary]) -> TargetSummary:
        """What all parts of the rows hold."""
        joint = len(parts[0].columns) > 1
        by_column = {name: [part.columns[name] for part in parts] for name in parts[0].columns}
        return cls({name: TargetColumn.merged(of, called(name, joint)) for name, of in by_column.items()})

    @property
    def n_samples(self) -> int:
        """Rows that it is of."""
        return next(iter(self.columns.values())).n_samples

    @property
    def needs_sample(self) -> bool:
        """Whether a column holds too many numbers to know them all, and no sample of them."""
        without = [of.column for of in self.columns.values() if of.sample is None]
        return any(column is not None and column.has_uncounted for column in without)

    def text_meanings(self, rules: ColumnRules) -> dict[int, TextMeaning]:
        """What the text of columns means that is numbers or times, by the indices of the columns."""
        meanings = {}
        for j, target_column in enumerate(self.columns.values()):
            summary = target_column.column
            if summary is not None and summary.is_text and summary.distinct is not None:
                text = text_of(summary.distinct.values.tolist())
                n_rows = summary.distinct.counts[:, 1]
                meaning = meaning_of_text(text, n_rows, repair=rules.repair)
                if meaning.format.no_class:
                    meanings[j] = meaning
        return meanings

    def fitted(self, name: str, said: TargetKind = AS_FOUND) -> TargetCoding:
        """How the target becomes classes: as by :func:`~bitsieve.dataset.target.read_target` of all rows."""
        joint = len(self.columns) > 1
        parts = {part: column.classes(called(part, joint), said) for part, column in self.columns.items()}
        check_bins(part.target for part in parts.values())
        if joint:
            return TargetCoding(parts, Target(np.empty(0, np.int32), np.empty(0), name=name, said=said))
        (only,) = parts.values()
        return TargetCoding(parts, replace(only.target, codes=np.empty(0, np.int32), values=None, name=name))


@dataclass(frozen=True, eq=False)
class TargetCoding:
    """How a target becomes classes, the same in every part of its rows."""

    parts: Mapping[str, TargetPart]  # by column
    target: Target  # the classes, with no codes. Of several columns it is known with their combinations only
    # the numbers of the combinations of classes of several columns that occur, ascending
    combinations: Integers | None = field(default=None)

    @property
    def is_joint(self) -> bool:
        """Whether it is of several columns, whose combinations must be known before there are classes."""
        return len(self.parts) > 1

    @property
    def rank_error(self) -> float:
        """By what share of the samples the rank of an edge may be off; 0: exact."""
        return max(part.rank_error for part in self.parts.values())

    @property
    def class_sizes(self) -> Integers | None:
        """How many samples each class has; None where that takes a pass over their classes."""
        first = next(iter(self.parts.values()))
        if self.is_joint or first.counts is None:
            return None
        return sizes_of_classes(first.target.codes, first.counts, first.target.n_classes)

    def codes(self, y: Any) -> NDArray[np.int32]:
        """The classes of some rows."""
        if not self.is_joint:
            return self._codes_by_column(y)[0]
        assert self.combinations is not None  # they are found first
        return np.searchsorted(self.combinations, self.combinations_of(y)).astype(np.int32)

    def combinations_of(self, y: Any) -> Integers:
        """The number of the combination of classes of every row, among those that there might be."""
        sizes = [part.target.n_classes for part in self.parts.values()]
        if np.prod(sizes, dtype=float) > MAX_JOINT_CLASSES:
            join_targets({name: part.target for name, part in self.parts.items()})  # says why that is too many
        return np.ravel_multi_index(self._codes_by_column(y), sizes).astype(np.int64)

    def with_combinations(self, occurring: Integers) -> TargetCoding:
        """The same for several columns of which these :meth:`combinations_of` all rows are known."""
        present = np.unique(occurring)
        places = np.unravel_index(present, [part.target.n_classes for part in self.parts.values()])
        targets = {
            name: replace(part.target, codes=place.astype(np.int32))
            for (name, part), place in zip(self.parts.items(), places, strict=True)
        }
        joint = replace(join_targets(targets), codes=np.empty(0, np.int32), name=self.target.name)
        return replace(self, target=joint, combinations=present)

    def _codes_by_column(self, y: Any) -> tuple[NDArray[np.int32], ...]:
        given = split_target(y)
        return tuple(
            part.codes(read_values(of_column, called(name, self.is_joint)))
            for (name, part), of_column in zip(self.parts.items(), given.values(), strict=True)
        )
