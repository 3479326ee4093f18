"""Vocabularies: the categories, ranges and classes of a site's table, from which several sites agree on bins.

Every site writes its vocabulary, and then counts with the bins that follow from the vocabularies of all
(:mod:`bitsieve.engines.joined_vocabularies`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np

from bitsieve.dataset.column_summary import ColumnSummary
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.discretization.coding import array_to_json
from bitsieve.discretization.equal import EqualFrequencyBinning
from bitsieve.engines import checked_facts
from bitsieve.engines.count_pairs import check_one_target
from bitsieve.engines.counts_file import MAX_ROWS
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.engines.salt import Salt
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
            elif column.kind is None:
                columns.append(_vocabulary_of_text(name, column, min_count, salt))
            else:
                sampled = None if summary.sample is None else summary.sample.columns[j]
                kind: ColumnKind = table.times.get(j, "numbers")
                columns.append(_vocabulary_of_numbers(name, kind, column, sampled, min_count))
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


def _vocabulary_of_text(name: str, column: ColumnSummary, min_count: int, salt: Salt | None) -> ColumnVocabulary:
    categories = _frequent_categories(column, name, min_count)
    if salt is not None:
        categories = np.sort(salt.hashed(name, categories))
    return ColumnVocabulary(name, "text", values=categories)


def _vocabulary_of_numbers(
    name: str, kind: ColumnKind, column: ColumnSummary, sampled: Values | None, min_count: int
) -> ColumnVocabulary:
    """``sampled`` are the numbers in a sample of the rows; None where none was drawn."""
    numbers, n_rows = _numbers(column, sampled)
    values = _frequent_whole_numbers(numbers, n_rows, min_count) if kind == "numbers" else None
    return ColumnVocabulary(name, kind, values=values, range=_range_without_rare_ends(numbers, n_rows, min_count))


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
