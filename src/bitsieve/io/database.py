"""Tables of DuckDB and SQLite files, read as rows or as a relation. The files are opened for reading only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from bitsieve.io.column_file import ROWS, Partition
from bitsieve.io.errors import DataError, file_and_inside, in_one_line, named_inside
from bitsieve.io.read import database_kind
from bitsieve.io.typed_file import TypedColumns, TypedFile
from bitsieve.utils.messages import quoted

_LIST_TABLES = {
    "duckdb": "select table_schema, table_name from information_schema.tables order by all",
    "sqlite": "select 'main', name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite%'",
}
_ARROW_TYPES = {"integer": pa.int64(), "real": pa.float64(), "text": pa.string(), "null": pa.null()}  # of SQLite


def relation_of(data: str | PathLike[str], min_bytes: int = 0) -> Any:
    """A table of a database file as a lazy frame. None for SQLite without Ibis, or in a file below ``min_bytes``."""
    path, table = file_and_inside(Path(data))
    kind = database_kind(data)
    label = repr(str(data))
    if kind == "sqlite" and path.stat().st_size < min_bytes:
        return None
    with _answering(label):
        connection = _connected(path, kind)
        relation = _relation_named(connection, kind, table, label)
        if kind == "duckdb":
            return connection.sql(f"select * from {relation}")
        try:
            import ibis
        except ImportError:
            connection.close()
            return None
        name = relation[1:-1].replace('""', '"')
        return ibis.sqlite.from_connection(connection).table(name)


def name_of_table(data: str | PathLike[str]) -> str:
    """The name of a table of a database file, quoted for SQL."""
    path, table = file_and_inside(Path(data))
    kind = database_kind(data)
    label = repr(str(data))
    with _answering(label), closing(_connected(path, kind)) as connection:
        return _relation_named(connection, kind, table, label)


class DatabaseFile(TypedFile):
    """A table of a database file, read in batches."""

    n_rows = 0

    @property
    def description(self) -> str:
        return self.kind

    def read_schema(self) -> pa.Schema:
        with _answering(self.label), closing(_connected(self.path, self.kind)) as connection:
            self.relation = _relation_named(connection, self.kind, self.file.table, self.label)
            ((n_rows,),) = connection.execute(f"select count(*) from {self.relation}").fetchall()
            self.n_rows = int(n_rows)
            if self.kind == "duckdb":
                return connection.sql(f"select * from {self.relation}").to_arrow_reader(1).schema
            return _schema_in_sqlite(connection, self.relation, self.label)

    def partitions(self, *, whole: bool) -> Sequence[Partition]:
        return [DatabaseRows(self.columns, self.relation)]


@dataclass(frozen=True)
class DatabaseRows:
    """All rows of a table of a database."""

    columns: TypedColumns
    relation: str  # the name of the table in statements

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        names = self.columns.names(columns)
        statement = f"select {', '.join(map(identifier, names))} from {self.relation}"
        with (
            _answering(self.columns.label),
            closing(_connected(self.columns.path, self.columns.kind)) as connection,
        ):
            batches = self._batches(connection, statement, names, rows or ROWS)
            if rows is None:
                yield pa.concat_tables([self.columns.schema.empty_table().select(names), *batches])
            else:
                yield from batches

    def _batches(self, connection: Any, statement: str, names: list[str], rows: int) -> Iterator[pa.Table]:
        if self.columns.kind == "duckdb":
            for batch in connection.sql(statement).to_arrow_reader(rows):
                yield pa.Table.from_batches([batch])
            return
        schema = pa.schema([self.columns.schema.field(name) for name in names])
        cursor = connection.execute(statement)
        while fetched := cursor.fetchmany(rows):
            columns = zip(*fetched, strict=True)
            arrays = [pa.array(values, kind) for values, kind in zip(columns, schema.types, strict=True)]
            yield pa.Table.from_arrays(arrays, schema=schema)


def identifier(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _connected(path: Path, kind: str | None) -> Any:
    """Connect to a database file for reading only."""
    if kind == "sqlite":
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    import duckdb

    return duckdb.connect(str(path), read_only=True)


def _relation_named(connection: Any, kind: str | None, table: str | None, label: str) -> str:
    """The requested table, or the only one, quoted for SQL."""
    listed = connection.execute(_LIST_TABLES[kind or ""]).fetchall()
    tables = {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in listed}
    schema, name = tables[named_inside(list(tables), table, label, "table")]
    if schema == "main":
        return identifier(name)
    return f"{identifier(schema)}.{identifier(name)}"


def _schema_in_sqlite(connection: Any, relation: str, label: str) -> pa.Schema:
    """The columns and the types of their values. SQLite lets values differ from the declared type."""
    names = [column[0] for column in connection.execute(f"select * from {relation} limit 0").description]
    types_of_values = ", ".join(f"group_concat(distinct typeof({identifier(name)}))" for name in names)
    row = connection.execute(f"select {types_of_values} from {relation}").fetchone()
    return pa.schema([(name, _type_in_sqlite(types, name, label)) for name, types in zip(names, row, strict=True)])


def _type_in_sqlite(types: str | None, name: str, label: str) -> pa.DataType:
    """The type of a column. ``types`` are the types of its values, separated by commas."""
    kinds = set((types or "null").split(",")) - {"null"}
    if "blob" in kinds:
        raise DataError(
            code="column-type-not-read",
            message=f"column {name!r} of {label} holds raw bytes",
            advice="drop it or make it text",
        )
    if "text" in kinds and len(kinds) > 1:
        raise DataError(
            code="mixed-values",
            message=f"column {name!r} of {label} holds numbers and text ({quoted(sorted(kinds))})",
            advice="make it one",
        )
    if not kinds:
        return _ARROW_TYPES["null"]
    if len(kinds) == 1:
        return _ARROW_TYPES[kinds.pop()]
    return pa.float64()  # integers and real numbers


def _answering(label: str) -> AbstractContextManager[None]:
    return in_one_line(f"cannot read {label}", f"{label} is a database, which")
