"""The bins that follow from the vocabularies of all sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from bitsieve.dataset.column_summary import union_of_categories, union_of_values
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.discretization.coding import RuleFacts, array_to_json, rule_from_facts
from bitsieve.discretization.equal import equal_width_cuts
from bitsieve.engines.count_pairs import check_same_columns, check_same_target
from bitsieve.engines.pair_cells import check_cells, n_cells
from bitsieve.engines.saved_counts import OTHER, SavedCounts, with_categories_and_labels
from bitsieve.engines.vocabulary import ColumnKind, ColumnVocabulary, Vocabulary
from bitsieve.utils.arrays import Floats, Values


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
