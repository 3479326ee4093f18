"""Database files of DuckDB and SQLite, opened to be read alone: a table of them as rows, or as a relation."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from bitsieve.io.arrow import Stored, StoredParts
from bitsieve.io.errors import DataError, file_and_inside, in_one_line, named_inside
from bitsieve.io.parts import ROWS, Rows
from bitsieve.io.read import database_kind
from bitsieve.utils.messages import quoted

_TABLES = {
    "duckdb": "select table_schema, table_name from information_schema.tables order by all",
    "sqlite": "select 'main', name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite%'",
}
_STORED = {"integer": pa.int64(), "real": pa.float64(), "text": pa.string(), "null": pa.null()}


def relation_of(data: str | PathLike[str], smallest: int = 0) -> Any:
    """A table of a database file as a lazy frame; None of SQLite without Ibis, or below a number of bytes."""
    (path, inside), kind, label = file_and_inside(Path(data)), database_kind(data), repr(str(data))
    if kind == "sqlite" and path.stat().st_size < smallest:
        return None
    with _answering(label):
        con = _connected(path, kind)
        table = _table_of(con, kind, inside, label)
        if kind == "duckdb":
            return con.sql(f"select * from {table}")
        try:
            import ibis
        except ImportError:
            con.close()
            return None
        return ibis.sqlite.from_connection(con).table(table[1:-1].replace('""', '"'))


def name_of_table(data: str | PathLike[str]) -> str:
    """A table of a database file, as its statements name it."""
    (path, inside), kind, label = file_and_inside(Path(data)), database_kind(data), repr(str(data))
    with _answering(label), closing(_connected(path, kind)) as con:
        return _table_of(con, kind, inside, label)


class DatabaseParts(StoredParts):
    """A table of a database file, read in batches."""

    n_rows = 0

    def opened(self, kind: str) -> pa.Schema:
        with _answering(self.label), closing(_connected(self.path, kind)) as con:
            self.table = _table_of(con, kind, self.given.inside, self.label)
            self.n_rows = int(con.execute(f"select count(*) from {self.table}").fetchall()[0][0])
            if kind == "duckdb":
                return con.sql(f"select * from {self.table}").to_arrow_reader(1).schema
            return _schema_in_sqlite(con, self.table, self.label)

    def pieces(self, *, whole: bool) -> Sequence[Rows]:
        return [TableRows(self.stored, self.table)]


@dataclass(frozen=True)
class TableRows:
    """All rows of a table of a database."""

    stored: Stored
    table: str

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        stored, wanted = self.stored, self.stored.asked(columns)
        query = f"select {', '.join(map(identifier, wanted))} from {self.table}"
        with _answering(stored.label), closing(_connected(stored.path, stored.kind)) as con:
            found = self._found(con, query, wanted, rows or ROWS)
            if rows is None:
                yield pa.concat_tables([stored.schema.empty_table().select(wanted), *found])
            else:
                yield from found

    def _found(self, con: Any, query: str, wanted: list[str], rows: int) -> Iterator[pa.Table]:
        """What a statement returns."""
        if self.stored.kind == "duckdb":
            yield from map(pa.Table.from_batches, ([batch] for batch in con.sql(query).to_arrow_reader(rows)))
            return
        cursor, schema = con.execute(query), pa.schema([self.stored.schema.field(name) for name in wanted])
        while found := cursor.fetchmany(rows):
            columns = zip(zip(*found, strict=True), schema.types, strict=True)
            yield pa.Table.from_arrays([pa.array(values, kind) for values, kind in columns], schema=schema)


def identifier(name: str) -> str:
    """A name as SQL has it, whatever its signs are."""
    return '"' + name.replace('"', '""') + '"'


def _connected(path: Path, kind: str | None) -> Any:
    """A connection that cannot write."""
    if kind == "sqlite":
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    import duckdb

    return duckdb.connect(str(path), read_only=True)


def _table_of(con: Any, kind: str | None, inside: str | None, label: str) -> str:
    """The table that is asked for, or the only one, as SQL names it."""
    found = con.execute(_TABLES[kind or ""]).fetchall()
    tables = {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in found}
    schema, name = tables[named_inside(list(tables), inside, label, "table")]
    return identifier(name) if schema == "main" else f"{identifier(schema)}.{identifier(name)}"


def _schema_in_sqlite(con: Any, table: str, label: str) -> pa.Schema:
    """The columns and the types of their values, which a table of SQLite does not promise."""
    names = [of[0] for of in con.execute(f"select * from {table} limit 0").description]
    each = ", ".join(f"group_concat(distinct typeof({identifier(name)}))" for name in names)
    types = []
    for name, stored in zip(names, con.execute(f"select {each} from {table}").fetchone(), strict=True):
        kinds = {*(stored or "null").split(",")} - {"null"} or {"null"}
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
        types.append(_STORED[kinds.pop()] if len(kinds) == 1 else pa.float64())
    return pa.schema(zip(names, types, strict=True))


def _answering(label: str) -> AbstractContextManager[None]:
    return in_one_line(f"cannot read {label}", f"{label} is a database, which")
