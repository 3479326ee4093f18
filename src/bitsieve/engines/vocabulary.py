"""Vocabularies: the categories, ranges and classes of a site's table, from which several sites agree on bins.

Every site writes its vocabulary, and then counts with the bins that follow from the vocabularies of all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from bitsieve.dataset.column_summary import ColumnSummary, union_of_categories, union_of_values
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.discretization.coding import RuleFacts, array_to_json, rule_from_facts
from bitsieve.discretization.equal import EqualFrequencyBinning, equal_width_cuts
from bitsieve.engines import checked_facts
from bitsieve.engines.count_pairs import check_one_target, check_same_columns, check_same_target
from bitsieve.engines.counts_file import MAX_ROWS
from bitsieve.engines.pair_cells import check_cells, n_cells
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.engines.salt import Salt
from bitsieve.engines.saved_counts import OTHER, SavedCounts, with_categories_and_labels
from bitsieve.io.errors import in_one_line
from bitsieve.io.output import write_text
from bitsieve.io.saved_files import VOCABULARY_FORMAT
from bitsieve.utils.arrays import Floats, Integers, Values
from bitsieve.utils.types import JsonObject

MAX_LISTED_NUMBERS = 32  # a column of whole numbers lists the frequent ones, if they are so many or fewer
MIN_SHARE_LISTED = 0.9  # and if this share of its rows or more has one of them

ColumnKind: TypeAlias = Literal["text", "truth values", "numbers", "dates", "durations", "empty", "left out"]


@dataclass(frozen=True, eq=False)
class ColumnVocabulary:
    """What a site says of one column."""

    name: str
    kind: ColumnKind
    #: The categories in ``min_count`` rows or more, or the whole numbers where these are few; None for other columns.
    values: Values | None = None
    #: The smallest number that ``min_count`` rows do not exceed, and the largest that as many rows reach. None for
    #: text, and where too few rows have a number.
    range: tuple[float, float] | None = None

    def to_dict(self) -> JsonObject:
        """The column as a dictionary for JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "values": None if self.values is None else array_to_json(self.values),
            "range": None if self.range is None else list(self.range),
        }

    @classmethod
    def from_dict(cls, facts: JsonObject) -> ColumnVocabulary:
        """Rebuild a column from the dictionary made by :meth:`to_dict`."""
        checked_facts.choice(facts, "kind", get_args(ColumnKind))
        values = None
        if facts["values"] is not None:
            values = checked_facts.sorted_array(facts["values"], "values")
            if values.dtype.kind != ("O" if facts["kind"] == "text" else "f"):
                raise ValueError(f"'values' of {facts['kind']} are of type {values.dtype}")
        elif facts["kind"] == "text":
            raise ValueError("a column of text lists no 'values'")
        value_range = None
        if facts["range"] is not None:
            low, high = checked_facts.rising_numbers(facts["range"], "range")
            value_range = (low, high)
        return cls(name=checked_facts.text(facts, "name"), kind=facts["kind"], values=values, range=value_range)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The columns of a site's table, without counts."""

    columns: Sequence[ColumnVocabulary]
    target: str
    classes: Values
    min_count: int  # a value in fewer rows is rare, and not listed
    site: str = ""
    salt: str = ""  # the fingerprint of the salt by which the text of categories was hashed; empty for plain text

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @property
    def title(self) -> str:
        """What messages call it."""
        return f"the vocabulary of {self.site!r}" if self.site else "a vocabulary"

    def in_order(self, names: Sequence[str]) -> Vocabulary:
        """The same vocabulary with its columns in the order of ``names``, which are theirs."""
        column_of_name = {column.name: column for column in self.columns}
        return replace(self, columns=[column_of_name[name] for name in names])

    @classmethod
    def of_table(
        cls, table: PartitionedDataset, min_count: int, *, site: str = "", salt: Salt | None = None
    ) -> Vocabulary:
        """The vocabulary of a table, without its dropped columns; with a salt the text of categories is hashed."""
        summary = table.summary_for(EqualFrequencyBinning(missing="bin"))
        columns = []
        for j, column in enumerate(summary.columns):
            name = str(table.names[j])
            if j in table.dropped:
                columns.append(ColumnVocabulary(name, "left out"))
            elif column.is_empty:
                columns.append(ColumnVocabulary(name, "empty"))
            elif _holds_truth_values(column):
                columns.append(ColumnVocabulary(name, "truth values"))
            elif column.kind is None:  # the column holds categories
                categories = _frequent_categories(column, name, min_count)
                if salt is not None:
                    categories = np.sort(salt.hashed(name, categories))
                columns.append(ColumnVocabulary(name, "text", values=categories))
            else:
                sampled = None if summary.sample is None else summary.sample.columns[j]
                numbers, n_rows = _numbers(column, sampled)
                low_and_high = _range_without_rare_ends(numbers, n_rows, min_count)
                kind: ColumnKind = table.times.get(j, "numbers")
                values = _frequent_whole_numbers(numbers, n_rows, min_count) if kind == "numbers" else None
                columns.append(ColumnVocabulary(name, kind, values=values, range=low_and_high))
        return cls(
            columns=columns,
            target=table.target.name,
            classes=table.target.labels,
            min_count=min_count,
            site=site,
            salt="" if salt is None else salt.fingerprint,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the vocabulary to a file of JSON."""
        facts = {
            "format": VOCABULARY_FORMAT,
            "site": self.site,
            "min_count": self.min_count,
            "salt": self.salt,
            "target": self.target,
            "classes": array_to_json(self.classes),
            "columns": [column.to_dict() for column in self.columns],
        }
        write_text(path, json.dumps(facts, indent=1, ensure_ascii=False) + "\n", what="vocabulary")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Vocabulary:
        """Read what :meth:`save` has written."""
        with in_one_line(f"{str(path)!r} holds no vocabulary of 'bitsieve count'"):
            facts = json.loads(Path(path).read_text(encoding="utf-8"))
            columns = [ColumnVocabulary.from_dict(column) for column in facts["columns"]]
            names = [column.name for column in columns]
            if not names or len(set(names)) < len(names):
                raise ValueError("'columns' is no list of columns of different names")
            return cls(
                columns=columns,
                target=checked_facts.text(facts, "target"),
                classes=checked_facts.sorted_array(facts["classes"], "classes"),
                min_count=checked_facts.whole_number(facts, "min_count", 1, MAX_ROWS),
                site=checked_facts.text(facts, "site"),
                salt=checked_facts.text(facts, "salt"),
            )


def check_target(target: Target) -> None:
    """Refuse a target of which no vocabulary is written: several columns, or a quantity."""
    check_one_target(target)
    if target.kind != "classes":
        raise UserError(
            code="wrong-kind-of-target",
            message=f"a vocabulary is of classes, and the target {target.name!r} is a quantity",
            advice="add {target_kind}, or let the first site count and the others use --like with its counts",
            fix={"target_kind": "classes"},
        )


def _holds_truth_values(column: ColumnSummary) -> bool:
    return column.kind is None and column.values is not None and column.values.dtype == bool


def _frequent_categories(column: ColumnSummary, name: str, min_count: int) -> Values:
    """The categories in at least ``min_count`` rows; categories that are no text are refused."""
    assert column.distinct is not None  # all categories are counted
    categories = column.distinct.values
    if not isinstance(categories[0], str):
        raise UserError(
            code="numbers-not-categories",
            message=f"column {name!r} has categories that are no text, which a vocabulary does not list",
            advice="write them as text or as numbers, or leave the column out by {exclude}",
            fix={"exclude": [name]},
            columns=(name,),
        )
    is_frequent = column.distinct.counts.sum(axis=1) >= min_count
    return np.asarray(categories[is_frequent], object)


def _numbers(column: ColumnSummary, sampled: Values | None) -> tuple[Floats, Integers]:
    """The distinct numbers of a column and their rows; of too many numbers, those in a sample of the rows."""
    if column.distinct is not None:
        return column.distinct.values.astype(np.float64), column.distinct.counts.sum(axis=1)
    assert sampled is not None  # it was drawn for such columns
    numbers = sampled.astype(np.float64)
    return np.unique(numbers[~np.isnan(numbers)], return_counts=True)


def _frequent_whole_numbers(numbers: Floats, n_rows: Integers, min_count: int) -> Values | None:
    """The numbers in at least ``min_count`` rows; None for fractions, for many numbers, and if many rows are rare."""
    is_frequent = n_rows >= min_count
    if (numbers != np.rint(numbers)).any() or is_frequent.sum() > MAX_LISTED_NUMBERS:
        return None
    if n_rows[is_frequent].sum() < MIN_SHARE_LISTED * n_rows.sum():
        return None
    return numbers[is_frequent]


def _range_without_rare_ends(numbers: Floats, n_rows: Integers, min_count: int) -> tuple[float, float] | None:
    """The smallest number that ``min_count`` rows do not exceed, and the largest that as many rows reach.

    None where so few rows have a number that the first is above the second.
    """
    if n_rows.sum() < min_count:
        return None
    n_rows_up_to = np.cumsum(n_rows)
    n_rows_from_largest = np.cumsum(n_rows[::-1])
    largest_first = numbers[::-1]
    low = float(numbers[np.searchsorted(n_rows_up_to, min_count)])
    high = float(largest_first[np.searchsorted(n_rows_from_largest, min_count)])
    return (low, high) if low <= high else None


def empty_counts(vocabularies: Sequence[Vocabulary], n_bins: int, missing: str) -> SavedCounts:
    """Counts of no rows, with the bins that follow from the vocabularies of all sites.

    Text has a code for each category that is frequent at any site, and one for all others. Whole numbers that all sites
    list, at most ``n_bins`` of them together, have a code each, and numbers between them the code of the next smaller
    one. All other numbers are cut into ``n_bins`` intervals of equal width over the ranges of all sites. A column that
    any site leaves out is left out.
    """
    first = vocabularies[0]
    for vocabulary in vocabularies[1:]:
        check_same_columns(vocabulary.names, vocabulary.title, first.names, first.title)
        check_same_target(vocabulary.target, vocabulary.title, first.target, first.title)
    in_order = [vocabulary.in_order(first.names) for vocabulary in vocabularies]
    columns = [
        _JoinedColumn.of_sites([vocabulary.columns[j] for vocabulary in in_order]) for j in range(len(first.columns))
    ]
    has_missing_code = missing == "bin"
    categories: list[list[Any] | None] = []
    bin_edges: list[list[float]] = []
    arities = np.ones(len(columns), np.int32)
    for j, column in enumerate(columns):
        edges = column.edges(n_bins)
        bin_edges.append(edges.tolist())
        if column.categories is None:
            categories.append(None)
            n_values = len(edges) + 1
        else:
            categories.append(array_to_json(column.categories))
            n_values = len(column.categories)
        arities[j] = n_values + has_missing_code
    facts: RuleFacts = {
        "binning": "uniform",
        "missing": missing,
        "bins": arities.tolist(),
        "bin_edges": bin_edges,
        "categories": categories,
    }
    classes = reduce(_union_of_classes, [vocabulary.classes for vocabulary in vocabularies])
    n_cells_of_all_pairs = n_cells(arities, len(classes))
    check_cells(n_cells_of_all_pairs, len(columns))
    counts = SavedCounts(
        names=first.names,
        target=Target(np.empty(0, np.int32), classes, name=first.target),
        binner=rule_from_facts(facts, first.names, n_bins=n_bins),
        arities=arities,
        class_sizes=np.zeros(len(classes), np.int64),
        cells=np.zeros(n_cells_of_all_pairs, np.int64),
        salt=first.salt,
        times={j: column.kind for j, column in enumerate(columns) if column.kind in ("dates", "durations")},
    )
    return counts.without([j for j, column in enumerate(columns) if column.kind == "left out"])


def _union_of_classes(first: Values, second: Values) -> Values:
    return union_of_values(first, second, "the target")


def _kinds_differ(name: str, kinds: Sequence[str]) -> UserError:
    """The error for a column that is of one kind at some sites, and of another kind at others."""
    message = f"column {name!r} holds {' and '.join(kinds)}, each at some sites"
    if kinds == ["numbers", "text"]:
        return UserError(
            code="mixed-values",
            message=message,
            advice="write all vocabularies again with {column_types}, and count with it, or leave it out by {exclude}",
            fix={"column_types": {name: "number"}, "exclude": [name]},
            columns=(name,),
        )
    return UserError(
        code="mixed-values",
        message=message,
        advice="make it of one kind at all sites, or leave it out by {exclude}",
        fix={"exclude": [name]},
        columns=(name,),
    )


@dataclass(frozen=True, eq=False)
class _JoinedColumn:
    """What the vocabularies of all sites say of one column."""

    kind: ColumnKind
    categories: Values | None = None  # of text, with `OTHER` for all other text, and of truth values
    numbers: Values | None = None  # the whole numbers that all sites list; None if any site does not list its numbers
    range: tuple[float, float] | None = None

    @classmethod
    def of_sites(cls, columns: Sequence[ColumnVocabulary]) -> _JoinedColumn:
        kinds = {column.kind for column in columns}
        if "left out" in kinds:
            return cls("left out")
        filled = [column for column in columns if column.kind != "empty"]
        if not filled:
            return cls("empty")
        name = filled[0].name
        kind = filled[0].kind
        if len({column.kind for column in filled}) > 1:
            raise _kinds_differ(name, sorted(kinds - {"empty"}))
        if kind == "truth values":
            return cls(kind, categories=np.array([False, True]))
        listed = [column.values for column in filled if column.values is not None]
        if kind == "text":
            other = np.array([OTHER], object)
            return cls(kind, categories=union_of_categories([*listed, other], f"column {name!r}"))
        ranges = [column.range for column in filled if column.range is not None]
        low_and_high = None
        if ranges:
            low_and_high = (min(low for low, _ in ranges), max(high for _, high in ranges))
        numbers = np.unique(np.concatenate(listed)) if len(listed) == len(filled) else None
        return cls(kind, numbers=numbers, range=low_and_high)

    def edges(self, n_bins: int) -> Floats:
        """The edges of the intervals of a column of numbers; a number on an edge is in the interval above it."""
        if self.numbers is not None and len(self.numbers) <= n_bins:
            return self.numbers[1:].astype(np.float64)
        if self.range is None or self.range[0] == self.range[1]:
            return np.empty(0)
        low, high = self.range
        cuts = equal_width_cuts(np.array([low]), np.array([high]), n_bins)
        return cuts.reshape(-1)


def with_vocabularies(counts: SavedCounts, vocabularies: Sequence[Vocabulary]) -> SavedCounts:
    """Saved counts, with the categories and classes of vocabularies beside their own, and the bins as they are."""
    if counts.target.edges is not None:
        raise UserError(
            code="counts-differ",
            message="vocabularies are of classes, and the target of the counts is a quantity",
            advice="leave out the vocabularies, or count again with {target_kind}",
            fix={"target_kind": "classes"},
        )
    labels = counts.target.labels
    for vocabulary in vocabularies:
        check_same_columns(vocabulary.names, vocabulary.title, counts.names, "the first counts")
        check_same_target(vocabulary.target, vocabulary.title, counts.target.name, "the first counts")
        labels = _union_of_classes(labels, vocabulary.classes)
    in_order = [vocabulary.in_order(counts.names) for vocabulary in vocabularies]
    categories_of_column: dict[int, Values] = {}
    left_out = []
    for j, name in enumerate(counts.names):
        column = _JoinedColumn.of_sites([vocabulary.columns[j] for vocabulary in in_order])
        categories = counts.binner.categories_[j]
        if column.kind == "left out":
            left_out.append(j)
        if categories is None or j in counts.dropped:
            continue
        if column.categories is not None:
            categories_of_column[j] = union_of_values(categories, column.categories, f"column {name!r}")
        elif column.numbers is not None:
            numbers = column.numbers.astype(np.int64)
            categories_of_column[j] = union_of_values(categories, numbers, f"column {name!r}")
    return with_categories_and_labels(counts, categories_of_column, labels).without(left_out)
