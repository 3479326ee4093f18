"""Several tables as one, with a column that says which of them each row is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import pyarrow as pa

from bitsieve.dataset.data_kinds import is_path
from bitsieve.diagnostics import Diagnostic, UserError, without_passwords
from bitsieve.io.annotated import AnnotatedMatrix, is_anndata
from bitsieve.io.read import joined, read_table
from bitsieve.options import ReadOptions
from bitsieve.pipeline.notes import column_notes
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import DataFrame, Label, TableLike


@dataclass(frozen=True)
class JoinedTables:
    """Several tables as one, with a column that numbers them."""

    rows: pa.Table
    name_of_period: str  # the column of the numbers
    names: list[str]  # of the tables
    diagnostics: list[Diagnostic]


def join_tables(data: TableLike, read: ReadOptions) -> JoinedTables:
    """Join the tables, each of which is a period."""
    if not isinstance(data, (list, tuple)) or len(data) < 2:
        raise UserError(
            code="period-needed",
            message="no period is given",
            advice="name the column of the period, or give two tables or more as the data",
        )
    tables = []
    names = []
    for number, table in enumerate(data, start=1):
        name = without_passwords(str(table)) if is_path(table) else f"table {number}"
        tables.append(_as_arrow_table(table, name, read.header))
        names.append(name)
    tables = _with_excluded_columns(tables, read.exclude)
    name_of_period = "period"
    while name_of_period in tables[0].column_names:
        name_of_period += "_"
    numbered = []
    for number, table in enumerate(tables):
        _check_same_columns(tables[0], table, names[0], names[number])
        in_order = table.select(tables[0].column_names)
        numbers = pa.array(np.full(table.num_rows, number))
        numbered.append(in_order.append_column(name_of_period, numbers))
    return JoinedTables(joined(numbered), name_of_period, names, _changed_kinds(tables, names))


def _as_arrow_table(table: TableLike, name: str, header: bool | None) -> pa.Table:
    """The rows of a data frame or of a file, which have named columns."""
    if is_path(table):
        table = read_table(table, header=header)
    if isinstance(table, pa.Table):
        return table
    if isinstance(table, AnnotatedMatrix) or is_anndata(table):
        raise UserError(
            code="data-type-not-read",
            message=f"{name!r} is of AnnData, whose cells are compared in one file",
            advice="join the cells by anndata.concat(..., label='file'), and name that column of obs as the period",
        )
    if not nw.dependencies.is_into_dataframe(table):
        raise UserError(
            code="data-type-not-read",
            message=f"{name!r} is no table of named columns, by which it could be compared",
            advice="give data frames, or files with names, or one table with a column of periods",
        )
    return _frame_to_arrow(table, name)


def _frame_to_arrow(frame: DataFrame, name: str) -> pa.Table:
    try:
        return nw.from_native(frame, eager_only=True).to_arrow()
    except nw.exceptions.DuplicateError:
        raise UserError(
            code="duplicate-names",
            message=f"several columns of {name!r} have the same name",
            advice="give every column a name of its own",
        ) from None


def check_tables_have_rows(names: Sequence[str], numbers: Sequence[Label], target_name: str | None) -> None:
    """Refuse a table without rows, whose number is not among those of the periods that have rows."""
    numbers_as_text = {str(number) for number in numbers}
    for number, name in enumerate(names):
        if str(number) not in numbers_as_text:
            condition = "" if target_name is None else f" with a {target_name!r}"
            raise UserError(
                code="empty-data",
                message=f"{name!r} has no rows{condition}",
                advice="leave it out, or give its rows" if target_name is None else "compare without a target",
            )


def _with_excluded_columns(tables: Sequence[pa.Table], exclude: Sequence[Label]) -> list[pa.Table]:
    """The tables, each with all excluded columns, so that only the other columns have to be the same."""
    all_names = {name for table in tables for name in table.column_names}
    excluded = [name for name in exclude if name in all_names]
    completed = []
    for table in tables:
        for name in excluded:
            if name not in table.column_names:
                table = table.append_column(name, pa.nulls(table.num_rows))
        completed.append(table)
    return completed


def _check_same_columns(first: pa.Table, table: pa.Table, first_name: str, name: str) -> None:
    """Refuse a table that lacks columns of the first, or has others."""
    missing = [column for column in first.column_names if column not in table.column_names]
    additional = [column for column in table.column_names if column not in first.column_names]
    problems = []
    if missing:
        problems.append(f"{name!r} lacks {quoted(missing)} of {first_name!r}")
    if additional:
        problems.append(f"{first_name!r} lacks {quoted(additional)} of {name!r}")
    if problems and len(missing) == first.num_columns:
        raise UserError(
            code="columns-differ",
            message=f"{first_name!r} and {name!r} have no column in common",
            advice="give both the same names of columns",
        )
    if problems:
        raise UserError(
            code="columns-differ",
            message=", and ".join(problems),
            advice="give both the same columns, or add {exclude}",
            fix={"exclude": [*missing, *additional]},
        )


def _changed_kinds(tables: Sequence[pa.Table], names: Sequence[str]) -> list[Diagnostic]:
    """A warning on each column that holds text in some of the tables only."""
    diagnostics = []
    for column in tables[0].column_names:
        with_text = []
        without_text = []
        for table, name in zip(tables, names, strict=True):
            column_type = table.schema.field(column).type
            if pa.types.is_string(column_type) or pa.types.is_large_string(column_type):
                with_text.append(name)
            elif not pa.types.is_null(column_type):
                without_text.append(name)
        if with_text and without_text:
            diagnostics.append(column_notes.text_in_tables(column, with_text, without_text))
    return diagnostics
