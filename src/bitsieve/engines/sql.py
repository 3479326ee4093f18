"""A statement that counts all pairs of columns in a database, and the counts that it returns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.coding import RuleFacts, rule_from_facts
from bitsieve.engines.pair_cells import check_cells, each_table, n_cells
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.engines.relation import LARGEST
from bitsieve.engines.saved_counts import SavedCounts
from bitsieve.io.errors import in_one_line
from bitsieve.io.formats import format_of
from bitsieve.io.saved_files import is_saved_selection, is_saved_vocabulary
from bitsieve.utils.arrays import Integers
from bitsieve.utils.messages import quoted
from bitsieve.utils.sql import identifier

COLUMNS = ("first", "first_value", "second", "second_value")  # two more follow: the class and the number of samples


def statement(table: PartitionedDataset, binner: Binning, relation: str) -> str:
    """The statement that counts all pairs of columns by the target; no value of a text column is ever part of it."""
    if table.target.kind == "joint":
        raise UserError(
            code="one-target-needed",
            message="several targets together are not counted by one statement",
            advice="name one column as the target",
        )
    table.count(binner)
    indices = [j for j in range(len(table.names)) if j not in table.dropped]
    _check_columns_are_counted_by_sql(table, indices)
    lines = [f"  select {_class_expression(table)} as class, {_weight(table) or '1'} as samples"]
    for i, j in enumerate(indices):
        lines.append(f"    {_code_expression(table, j)} as c{i}")
    coded = ",\n".join(lines)
    pairs = "\nunion all\n".join(_selects_of_pairs([table.names[j] for j in indices], _target_column(table)))
    return f"with coded as (\n{coded}\n  from {relation}\n{_where(table)}\n)\n{pairs};"


def _target_column(table: PartitionedDataset) -> str:
    (label,) = table.reader.target
    return str(label)


def _weight(table: PartitionedDataset) -> str | None:
    """The column of frequency weights, None without weights."""
    weight = table.reader.weight
    return None if weight is None else identifier(str(weight))


def _where(table: PartitionedDataset) -> str:
    """The clause of the rows that count."""
    clause = f"  where {identifier(_target_column(table))} is not null"
    weight = _weight(table)
    return clause if weight is None else f"{clause} and {weight} > 0"


def _class_expression(table: PartitionedDataset) -> str:
    """The class of a row, as text."""
    column = _target_column(table)
    if table.target.edges is None:
        return _text(identifier(column))
    if table.target.unit or table.target.parsings:
        raise UserError(
            code="not-counted-by-sql",
            message=f"the target {column!r} is text or times that are binned",
            advice="give a column of numbers or of classes",
        )
    return _interval(column, table.target.quantity_edges.tolist(), "left")


def _selects_of_pairs(names: Sequence[str], target: str) -> list[str]:
    """One query for each first column of a pair, as databases limit the terms of one query."""
    queries = []
    for i, first in enumerate(names):
        selects = [_select_of_pair(i, first, j, names[j], target) for j in range(i, len(names))]
        together = "\n  union all\n  ".join(selects)
        queries.append(f"select * from (\n  {together}\n) as of_c{i}")
    return queries


def _select_of_pair(i: int, first: str, j: int, second: str, target: str) -> str:
    """The query that counts one pair of columns by class."""
    columns = f"c{i}" if i == j else f"c{i}, c{j}"
    return (
        f"select {_literal(first)} as {identifier('first')}, c{i} as first_value, "
        f"{_literal(second)} as {identifier('second')}, c{j} as second_value, "
        f"class as {identifier(target)}, cast(sum(samples) as bigint) as samples "
        f"from coded group by {columns}, class"
    )


def _check_columns_are_counted_by_sql(table: PartitionedDataset, indices: Sequence[int]) -> None:
    """Refuse columns of text or times that are binned."""
    assert table.coding is not None  # the table is counted
    binned_text = []
    for j in indices:
        is_parsed_text = j in (table.reader.rules.formats or {})
        is_time = table.coding.binner.categories_[j] is None and j in table.text_meanings
        if is_parsed_text or is_time:
            binned_text.append(str(table.names[j]))
    if not binned_text:
        return
    columns = f"column {binned_text[0]!r} is"
    their = "its"
    if len(binned_text) > 1:
        columns = f"columns {quoted(binned_text, limit=len(binned_text))} are"
        their = "their"
    raise UserError(
        code="not-counted-by-sql",
        message=f"{columns} text or times that are binned, which each database writes in its own way",
        advice=f"add {{exclude}}, or count {their} values, by {{column_types}}",
        fix={"exclude": binned_text, "column_types": dict.fromkeys(binned_text, "category")},
        columns=binned_text,
    )


def _code_expression(table: PartitionedDataset, j: int) -> str:
    """The code of a column, as text: an interval, or its values."""
    assert table.coding is not None  # the table is counted
    name = table.names[j]
    binner = table.coding.binner
    categories = binner.categories_[j]
    missing_numbers = table.reader.rules.missing_numbers_by_index(table.names).get(j, ())
    if categories is None:
        return _interval(name, binner.bin_edges_[j].tolist(), binner.side, missing_numbers)
    if categories.dtype.kind == "f":
        return _interval(name, categories[:-1].tolist(), "left", missing_numbers)
    return _text(identifier(name))


def _interval(name: str, cuts: Sequence[float], side: str, missing_numbers: Sequence[float] = ()) -> str:
    """The interval of a number by its end, as text, so that results of other cuts do not add up; NULL: missing."""
    number = f"cast({identifier(name)} as double precision)"
    for missing_number in missing_numbers:
        number = f"nullif({number}, {_number(missing_number)})"
    sign = "<=" if side == "left" else "<"
    cases = [f"when {number} {sign} {_number(cut)} then '{i}: {sign} {cut!r}'" for i, cut in enumerate(cuts)]
    last = "0"
    if cuts:
        last_sign = ">" if side == "left" else ">="
        last = f"{len(cuts)}: {last_sign} {cuts[-1]!r}"
    cases.append(f"when {number} <= {_number(LARGEST)} then '{last}'")  # NaN is above all numbers
    return f"case {' '.join(cases)} end"


def _number(value: float) -> str:
    """A number as SQL writes those of double precision; another form may be taken for a decimal one."""
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def _text(expression: str) -> str:
    return f"cast({expression} as varchar)"


def _literal(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


def load_counts(path: str | PathLike[str]) -> SavedCounts:
    """Saved counts, or what a statement has returned in a file."""
    if Path(path).is_file() and not is_saved_selection(path) and not is_saved_vocabulary(path):
        return load_result(Path(path))
    return SavedCounts.load(path)


def load_result(path: Path) -> SavedCounts:
    """The counts that the statement has returned, as a Parquet file or a text with a header."""
    problem = f"{str(path)!r} holds no counts of 'bitsieve count' or 'bitsieve sql'"
    with in_one_line(f"{problem}: save all rows that the statement returns, with their header"):
        table = _read(path)
        has_expected_columns = tuple(table.column_names[:4]) == COLUMNS and len(table.columns) == 6
        if not has_expected_columns or not table.num_rows:
            raise ValueError(f"it has the columns {quoted(table.column_names, 6)}")
        rows = _rows_with_class(table)
        return _counts_of_rows(rows, target=str(table.column_names[4]))


class CountedPair(NamedTuple):
    """A row of a result: the samples of one class that have these values in two columns."""

    first: str  # the name of a column
    first_value: str | None
    second: str
    second_value: str | None
    class_value: str
    samples: int


def _rows_with_class(table: pa.Table) -> list[CountedPair]:
    """The rows of a result whose class is not missing. Empty text is missing, as everywhere."""
    columns = [column.to_pylist() for column in table.columns]
    rows = []
    for first, first_value, second, second_value, class_value, samples in zip(*columns, strict=True):
        if class_value:
            rows.append(CountedPair(first, first_value or None, second, second_value or None, class_value, samples))
    return rows


def _counts_of_rows(rows: Sequence[CountedPair], target: str) -> SavedCounts:
    """Put the rows of a result into the tables of all pairs."""
    values = _values_of_columns(rows)
    names = _names_in_order(rows, values)
    class_values = sorted({row.class_value for row in rows})
    has_missing = any(None in values_of_column for values_of_column in values.values())
    categories = []
    for name in names:
        present = [value for value in values[name] if value is not None]
        categories.append(sorted(present, key=_sort_key))
    arities = np.array([len(values_of_column) + has_missing for values_of_column in categories], np.int32)
    cells = _cells_of_pairs(rows, names, categories, class_values, arities)
    _, _, table_of_first_column = next(each_table(cells, arities, len(class_values)))
    classes = Target(np.empty(0, np.int32), np.array(class_values, object), name=target)
    return SavedCounts(
        names=names,
        target=classes,
        binner=_rule_of_categories(names, categories, arities, has_missing=has_missing),
        arities=arities,
        class_sizes=table_of_first_column.sum(axis=(0, 1)),
        cells=cells,
        has_intervals_in_words=True,
    )


def _values_of_columns(rows: Sequence[CountedPair]) -> dict[str, set[str | None]]:
    """The values of each column; None is a missing value."""
    values: dict[str, set[str | None]] = {}
    for row in rows:
        values.setdefault(row.first, set()).add(row.first_value)
        values.setdefault(row.second, set()).add(row.second_value)
    return values


def _rule_of_categories(
    names: list[str], categories: Sequence[list[str]], arities: NDArray[np.int32], *, has_missing: bool
) -> Binning:
    """The fitted rule by which each of these categories is a code."""
    facts: RuleFacts = {
        "binning": "none",
        "missing": "bin" if has_missing else "error",
        "bins": arities.tolist(),
        "bin_edges": [[]] * len(names),
        "categories": [["object", categories_of_column] for categories_of_column in categories],
    }
    return rule_from_facts(facts, names)


def _cells_of_pairs(
    rows: Sequence[CountedPair],
    names: Sequence[str],
    categories: Sequence[Sequence[str]],
    class_values: Sequence[str],
    arities: NDArray[np.int32],
) -> Integers:
    """The cells of the tables of all pairs of columns, one table after the other, from the rows of a result."""
    n_classes = len(class_values)
    check_cells(n_cells(arities, n_classes), len(names))
    cells = np.zeros(n_cells(arities, n_classes), np.int64)
    tables = {(names[i], names[j]): table for i, j, table in each_table(cells, arities, n_classes)}
    codes: dict[str, dict[str | None, int]] = {}  # by column: the code of each value
    for name, values_of_column in zip(names, categories, strict=True):
        codes[name] = {value: code for code, value in enumerate(values_of_column)}
        codes[name][None] = len(values_of_column)
    code_of_class = {value: code for code, value in enumerate(class_values)}
    for row in rows:
        first_code = codes[row.first][row.first_value]
        second_code = codes[row.second][row.second_value]
        tables[row.first, row.second][first_code, second_code, code_of_class[row.class_value]] += int(row.samples)
    class_sizes = tables[names[0], names[0]].sum(axis=(0, 1))
    if any((table.sum(axis=(0, 1)) != class_sizes).any() for table in tables.values()):
        raise ValueError("the pairs of columns have different numbers of rows")
    return cells


def _names_in_order(rows: Sequence[CountedPair], values: Mapping[str, object]) -> list[str]:
    """The columns in their order: a column is the first one in as many pairs as there are columns from it on."""
    partners: dict[str, set[str]] = {}
    for row in rows:
        partners.setdefault(row.first, set()).add(row.second)
    names = sorted(partners, key=lambda name: -len(partners[name]))
    all_pairs = all(partners[name] == set(names[j:]) for j, name in enumerate(names))
    if values.keys() != partners.keys() or not all_pairs:
        raise ValueError("rows of some pairs of columns are missing")
    return names


def _sort_key(value: str) -> tuple[float, str]:
    """Sorts integers and intervals by their number, other values behind them."""
    number = value.partition(":")[0]
    return (int(number) if number.isdecimal() else np.inf), value


def _read(path: Path) -> pa.Table:
    """The rows of a result; values are text."""
    if format_of(path).key == "parquet":
        from pyarrow import parquet

        return parquet.read_table(path)
    from pyarrow import csv

    with open(path, encoding="utf-8-sig") as file:
        header = file.readline()
    match = re.match(r'"?first"?(.)', header)
    delimiter = match[1] if match else ","
    names = header.strip().replace('"', "").split(delimiter)
    return csv.read_csv(
        path,
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names[:5], pa.string()),
            null_values=["", "NULL"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
