"""Count the tables of all pairs of columns of a table: with bins of its own, or with those of other counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource
from bitsieve.counts.strata import SourceInStrata
from bitsieve.dataset.column_summary import union_of_values
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, UserError, literal
from bitsieve.discretization.base import Binning
from bitsieve.engines.counted_rules import with_categories
from bitsieve.engines.counted_strata import CountedStrata
from bitsieve.engines.pair_cells import check_cells, each_table, n_cells
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.engines.saved_counts import OTHER, SavedCounts
from bitsieve.utils.arrays import Values
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import phase


def count_table(table: PartitionedDataset, binner: Binning, *, small_integers_as_categories: bool) -> SavedCounts:
    """Count the tables of all pairs of columns of a table, with bins of its own."""
    check_one_target(table.target)
    if small_integers_as_categories:
        table = table.with_small_integers_as_categories()
    strata = counted_strata(table)
    fitted, source = table.count(binner)
    if isinstance(source, SourceInStrata):
        source = source.source  # its classes are the combinations of stratum and class
    counts = count_all_pairs(source, table.names, table.target, fitted, fitted.n_bins_.astype(np.int32))
    return replace(counts, dropped=table.dropped, times=table.times, strata=strata)


def count_like(
    table: PartitionedDataset, first: SavedCounts, *, hash_categories: Callable[[str, Values], Values] | None = None
) -> SavedCounts:
    """Count the tables of all pairs of columns of a table, with the bins of other counts of the same columns.

    Categories and classes that the other counts lack are added. Where a column has a category for all other text, text
    that it does not list is of that category. Columns that either of them left out are left out.
    ``hash_categories(column, categories)`` gives the categories of the table as the other counts have them.
    """
    target = first.target
    if target.edges is None:
        target = replace(target, labels=union_of_values(target.labels, table.target.labels, "the target"))
    candidates = table.without(first.dropped)
    first = first.without(candidates.dropped)
    categories_of_column = {
        j: values for j, values in enumerate(first.binner.categories_) if values is not None and j not in first.dropped
    }
    columns_of_categories = list(categories_of_column)
    distinct_values = candidates.distinct_values(columns_of_categories)
    _check_same_times(candidates, first)
    for j, values in distinct_values.items():
        name = first.names[j]
        if hash_categories is not None:
            values = np.sort(hash_categories(name, values))
        categories_of_both = union_of_values(categories_of_column[j], values, f"column {name!r}")  # of one kind only
        if OTHER not in categories_of_column[j].tolist():
            categories_of_column[j] = categories_of_both
    binner = with_categories(first.binner, categories_of_column)
    binner.unseen_category = OTHER
    binner.hash_categories = hash_categories
    arities = first.arities.copy()
    arities[columns_of_categories] = binner.n_bins_[columns_of_categories]
    recoded = candidates.with_classes_of(target)
    source = recoded.count_as(binner, arities)
    counts = count_all_pairs(source, first.names, target, binner, arities)
    return replace(counts, dropped=first.dropped, times=first.times, salt=first.salt, strata=counted_strata(recoded))


def count_all_pairs(
    source: CountSource, names: Sequence[str], target: Target, binner: Binning, arities: NDArray[np.int32]
) -> SavedCounts:
    """Count the tables of all pairs of columns of a source, whose codes are below ``arities``; too many are refused."""
    n_columns = len(names)
    total = n_cells(arities, source.n_classes)
    check_cells(total, n_columns)
    report = phase("counting pairs")
    cells = np.zeros(total, np.int64)
    tables_of_all_pairs = each_table(cells, arities, source.n_classes)
    for i in range(n_columns):
        counted_tables = source.tables(i, np.arange(i, n_columns), True)
        # ``strict`` is off, as the pairs of the next columns follow those of column i.
        for counted_table, (_, _, cells_of_pair) in zip(counted_tables, tables_of_all_pairs, strict=False):
            n_codes_i, n_codes_j, _ = counted_table.shape
            cells_of_pair[:n_codes_i, :n_codes_j] = counted_table.dense()
        report(i + 1, n_columns)
    return SavedCounts(list(names), target, binner, arities.astype(np.int32), source.class_sizes, cells)


def counted_strata(table: PartitionedDataset) -> CountedStrata | None:
    """The strata by which the rows of a table are counted; None without strata."""
    name = ", ".join(map(str, table.reader.strata))
    return CountedStrata.of_coding(name, table.target_coding)


def check_one_target(target: Target) -> None:
    """Refuse the combinations of several targets."""
    if target.kind == "joint":
        raise UserError(
            code="one-target-needed",
            message="the counts of several targets together are not saved",
            advice="name one column as the target",
        )


def added_classes(target: Target, first_target: Target, first: str) -> Diagnostic | None:
    """Rows have classes that are not among the first ones, which ``first`` gives; None if there are none."""
    if first_target.edges is not None:
        return None
    known = set(first_target.labels.tolist())
    added = [label for label in target.labels.tolist() if label not in known]
    if not added:
        return None
    return Diagnostic(
        code="added-classes",
        message=f"the target {target.name!r} has classes that {first} lack, and that are added: {quoted(added)}",
        advice=literal(f"rename them where they are those of {first}: {quoted(first_target.labels.tolist())}"),
    )


def check_same_columns(names: Sequence[str], who: str, first_names: Sequence[str], first: str) -> None:
    """Refuse columns that are not the first ones, in any order; messages call the tables ``who`` and ``first``."""
    lost = [name for name in first_names if name not in set(names)]
    new = [name for name in names if name not in set(first_names)]
    if not lost and not new:
        return
    if lost:
        message = f"{who} lacks {quoted(lost)} of {first}"
    else:
        message = f"{who} has {quoted(new)} beside the columns of {first}"
    raise UserError(
        code="columns-differ",
        message=message,
        advice=(f"give it the columns of {first}: {literal(quoted(first_names))}; all sites name the same --strata"),
        columns=[*lost, *new],
    )


def check_same_target(name: str, who: str, first_name: str, first: str) -> None:
    """Refuse a target of another name than the first one; messages call the tables ``who`` and ``first``."""
    if name != first_name:
        raise UserError(
            code="counts-differ",
            message=f"the target of {who} is {name!r}, and that of {first} is {first_name!r}",
            advice="name the same target, and give its column the same name in all files",
        )


def _check_same_times(table: PartitionedDataset, first: SavedCounts) -> None:
    """Refuse a column of dates or durations that the first counts have as numbers, and the other way round."""
    columns = table.summarize(first.binner)
    for j, name in enumerate(first.names):
        categories = first.binner.categories_[j]
        is_text = categories is not None and categories.dtype.kind not in "iuf"
        if is_text or j in table.dropped or not columns[j].has_values:
            continue
        kind_of_first = first.times.get(j, "numbers")
        kind = table.times.get(j, "numbers")
        if kind != kind_of_first:
            raise UserError(
                code="mixed-values",
                message=f"column {name!r} holds {kind_of_first} in the first counts, and {kind} in this data",
                advice="make it of one kind at all sites, or leave it out by {exclude}",
                fix={"exclude": [name]},
                columns=(name,),
            )
