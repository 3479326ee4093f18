"""A statement that counts all pairs of columns in a database, and the counts that it returns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.discretization.coding import binning_of
from bitsieve.engines.grouped_counts import LARGEST
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.engines.saved_counts import SavedCounts, check_cells, each_table, n_cells
from bitsieve.io.database import identifier
from bitsieve.io.errors import in_one_line
from bitsieve.io.formats import format_of
from bitsieve.utils.messages import quoted

COLUMNS = ("first", "first_value", "second", "second_value")  # then the class and the number of samples


def statement(table: PartitionedDataset, binner: Any, relation: str) -> str:
    """The statement that counts all pairs of columns by the target; no value of a text column is ever part of it."""
    if table.target.kind == "joint":
        raise UserError(
            code="one-target-needed",
            message="several targets together are not counted by one statement",
            advice="name one column as the target",
        )
    table.count(binner)
    names = [name for j, name in enumerate(table.names) if j not in table.left_out]
    codes = [_value(table, j) for j in range(len(table.names)) if j not in table.left_out]
    (label,) = table.reader.target
    edges = table.target.edges
    if edges is not None and (table.target.unit or table.target.parsings):
        raise UserError(
            code="not-counted-by-sql",
            message=f"the target {label!r} is text or times that are cut",
            advice="give a column of numbers or of classes",
        )
    of_class = _text(identifier(str(label))) if edges is None else _interval(str(label), edges.tolist(), "left")
    weight = None if table.reader.weight is None else identifier(str(table.reader.weight))
    lines = [f"  select {of_class} as class, {'1' if weight is None else weight} as samples"]
    lines += [f"    {code} as c{place}" for place, code in enumerate(codes)]
    where = f"  where {identifier(str(label))} is not null{'' if weight is None else f' and {weight} > 0'}"
    what = f"class as {identifier(str(label))}, cast(sum(samples) as bigint) as samples from coded group by"
    first, second = identifier("first"), identifier("second")
    selects = []  # a subquery of each first column, as databases limit the terms of one query
    for i, one in enumerate(names):
        pairs = [
            f"select {_literal(one)} as {first}, c{i} as first_value, {_literal(other)} as {second}, "
            f"c{j} as second_value, {what} {f'c{i}' if i == j else f'c{i}, c{j}'}, class"
            for j, other in enumerate(names[i:], i)
        ]
        together = "\n  union all\n  ".join(pairs)
        selects.append(f"select * from (\n  {together}\n) as of_c{i}")
    coded = ",\n".join(lines)
    return f"with coded as (\n{coded}\n  from {relation}\n{where}\n)\n" + "\nunion all\n".join(selects) + ";"


def _value(table: PartitionedDataset, j: int) -> str:
    """A column as what is counted: an interval, or its values, as text."""
    assert table.coding is not None  # the table is counted
    name, binner = table.names[j], table.coding.binner
    known = binner.categories_[j]
    if j in (table.reader.rules.formats or {}) or (known is None and j in table.meanings):
        raise UserError(
            code="not-counted-by-sql",
            message=f"column {name!r} is text or times that are cut, which SQL has no common words for",
            advice="add {exclude}, or count its values, by {column_types}",
            fix={"exclude": [name], "column_types": {name: "category"}},
            columns=[str(name)],
        )
    if known is None:
        return _interval(name, binner.bin_edges_[j].tolist(), binner.side)
    if known.dtype.kind == "f":
        return _interval(name, known[:-1].tolist(), "left")
    return _text(identifier(name))


def _interval(name: str, cuts: Sequence[float], side: str) -> str:
    """The interval of a number by its end, as text, so that results of other cuts do not add up; NULL: missing."""
    number, sign = f"cast({identifier(name)} as double precision)", "<=" if side == "left" else "<"
    cases = [f"when {number} {sign} {_number(cut)} then '{place}: {sign} {cut!r}'" for place, cut in enumerate(cuts)]
    last = f"{len(cuts)}: {'>' if side == 'left' else '>='} {cuts[-1]!r}" if cuts else "0"
    cases.append(f"when {number} <= {_number(LARGEST)} then '{last}'")  # NaN is above all numbers
    return f"case {' '.join(cases)} end"


def _number(value: float) -> str:
    """A number as SQL has those of double precision; another form may be taken for a decimal one."""
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def _text(expression: str) -> str:
    return f"cast({expression} as varchar)"


def _literal(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


def load_counts(path: str | PathLike[str]) -> SavedCounts:
    """Saved counts, or what a statement has returned in a file."""
    return load_result(Path(path)) if Path(path).is_file() else SavedCounts.load(path)


def load_result(path: Path) -> SavedCounts:
    """The counts that the statement has returned, as a Parquet file or a text with a header."""
    problem = f"{str(path)!r} holds no counts of 'bitsieve count' or 'bitsieve sql'"
    with in_one_line(f"{problem}: save all rows that the statement returns, with their header"):
        table = _read(path)
        if tuple(table.column_names[:4]) != COLUMNS or len(table.columns) != 6 or not table.num_rows:
            raise ValueError(f"it has the columns {quoted(table.column_names, 6)}")
        columns = [column.to_pylist() for column in table.columns]
        for place in (1, 3):  # as everywhere, empty text is missing
            columns[place] = [value or None for value in columns[place]]
        rows = [row for row in zip(*columns, strict=True) if row[4]]
        return _assembled(rows, str(table.column_names[4]))


def _assembled(rows: Sequence[tuple[Any, ...]], target: str) -> SavedCounts:
    """The tables of all pairs; a column is the first one in as many pairs as there are columns from it on."""
    partners: dict[str, set[str]] = {}
    values: dict[str, set[str | None]] = {}
    for first, one, second, other, _, _ in rows:
        partners.setdefault(first, set()).add(second)
        values.setdefault(first, set()).add(one)
        values.setdefault(second, set()).add(other)
    names, labels = sorted(partners, key=lambda name: -len(partners[name])), sorted({of[4] for of in rows})
    if values.keys() != partners.keys() or any(partners[of] != {*names[j:]} for j, of in enumerate(names)):
        raise ValueError("rows of some pairs of columns are missing")
    known = [sorted((of for of in values[name] if of is not None), key=_place) for name in names]
    missing = any(None in of for of in values.values())
    arities = np.array([len(of) + missing for of in known], np.int32)
    check_cells(n_cells(arities, len(labels)), len(names))
    cells = np.zeros(n_cells(arities, len(labels)), np.int64)
    tables = {(names[i], names[j]): of for i, j, of in each_table(cells, arities, len(labels))}
    codes = {
        name: {None: len(of), **dict(zip(of, range(len(of)), strict=True))}
        for name, of in zip(names, known, strict=True)
    }
    classes = {of: place for place, of in enumerate(labels)}
    for first, one, second, other, of_class, samples in rows:
        tables[first, second][codes[first][one], codes[second][other], classes[of_class]] += int(samples)
    sizes = tables[names[0], names[0]].sum(axis=(0, 1))
    if any((of.sum(axis=(0, 1)) != sizes).any() for of in tables.values()):
        raise ValueError("the pairs of columns have different numbers of rows")
    facts: dict[str, Any] = {"binning": "none", "missing": "bin" if missing else "error", "bins": arities}
    facts |= {"bin_edges": [[]] * len(names), "categories": [["object", of] for of in known]}
    binner = binning_of(facts, names)
    classes_alone = Target(np.empty(0, np.int32), np.array(labels, object), name=target)
    return SavedCounts(names, classes_alone, binner, arities, sizes, cells)


def _place(value: str) -> tuple[float, str]:
    """Whole numbers and intervals in their order, then other values."""
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
    mark = re.match(r'"?first"?(.)', header)
    names = header.strip().replace('"', "").split(mark[1] if mark else ",")
    return csv.read_csv(
        path,
        parse_options=csv.ParseOptions(delimiter=mark[1] if mark else ",", newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names[:5], pa.string()),
            null_values=["", "NULL"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
