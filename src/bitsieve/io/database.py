"""Tables of DuckDB and SQLite files, read as rows or as a relation. The files are opened for reading only."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pyarrow as pa

from bitsieve.diagnostics import literal
from bitsieve.io.background import TIMEOUT_VARIABLE, timeout
from bitsieve.io.column_file import ROWS, Partition
from bitsieve.io.errors import DataError, file_and_inside, in_one_line, named_inside
from bitsieve.io.ibis_tables import ibis_backend
from bitsieve.io.read import database_kind
from bitsieve.io.typed_file import TypedColumns, TypedFile
from bitsieve.utils.messages import quoted
from bitsieve.utils.sql import identifier

if TYPE_CHECKING:
    import duckdb

Connection: TypeAlias = "sqlite3.Connection | duckdb.DuckDBPyConnection"

#: The schema and the name of every table and view, and whether it is a view
_LIST_TABLES = {
    "duckdb": "select table_schema, table_name, table_type = 'VIEW' from information_schema.tables order by all",
    "sqlite": "select 'main', name, type = 'view' from sqlite_schema "
    "where type in ('table', 'view') and name not like 'sqlite%'",
}
#: A file may hold views that read other files, load extensions or write what does not fit into memory.
_CLOSED_TO_OUTSIDE: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "temp_directory": "",
    "lock_configuration": True,
}
_TIMEOUT_OF_VIEW = 600.0  # seconds in which a view must have been computed once
_STEPS_BETWEEN_SIGNALS = 100_000  # of the virtual machine of SQLite, after which it looks for Ctrl-C
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
        if relation.is_view:
            _count_rows(connection, relation)  # refuses a view that does not end
        statement = f"select * from {relation.identifier}"
        if not isinstance(connection, sqlite3.Connection):
            return connection.sql(statement)
        try:
            import ibis
        except ImportError:
            connection.close()
            return None
        declared_booleans = _declared_booleans(connection, relation.identifier)
        schema = _schema_in_sqlite(connection, relation.identifier, declared_booleans, label)
        return _ibis_table(ibis.sqlite.from_connection(connection), statement, schema)


def with_types_of_values(data: Any) -> Any:
    """An Ibis table of SQLite with columns of the types that its values have; any other data as it is.

    Ibis takes the declared types, and SQLite lets values differ from them.
    """
    backend = ibis_backend(data)
    if backend is None or backend.name != "sqlite":
        return data
    query = backend.compile(data)
    declared_booleans = {name for name, kind in data.schema().items() if kind.is_boolean()}
    schema = _schema_in_sqlite(backend.con, f"({query})", declared_booleans, "the Ibis table")
    return _ibis_table(backend, query, schema)


def _ibis_table(backend: Any, query: str, schema: pa.Schema) -> Any:
    """The rows of a query as an Ibis table whose columns have the types of ``schema``."""
    import ibis

    return backend.sql(query, schema=ibis.Schema.from_pyarrow(schema))


def name_of_table(data: str | PathLike[str]) -> str:
    """The name of a table of a database file, quoted for SQL."""
    path, table = file_and_inside(Path(data))
    kind = database_kind(data)
    label = repr(str(data))
    with _answering(label), closing(_connected(path, kind)) as connection:
        return _relation_named(connection, kind, table, label).identifier


class DatabaseFile(TypedFile):
    """A table of a database file, read in batches."""

    n_rows = 0

    @property
    def description(self) -> str:
        return self.kind

    def read_schema(self) -> pa.Schema:
        with _answering(self.label), closing(_connected(self.path, self.kind)) as connection:
            relation = _relation_named(connection, self.kind, self.file.table, self.label)
            self.relation = relation.identifier
            self.n_rows = _count_rows(connection, relation)
            if not isinstance(connection, sqlite3.Connection):
                return connection.sql(f"select * from {self.relation}").to_arrow_reader(1).schema
            declared_booleans = _declared_booleans(connection, self.relation)
            return _schema_in_sqlite(connection, self.relation, declared_booleans, self.label)

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
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

    def _batches(self, connection: Connection, statement: str, names: list[str], rows: int) -> Iterator[pa.Table]:
        if not isinstance(connection, sqlite3.Connection):
            for batch in connection.sql(statement).to_arrow_reader(rows):
                yield pa.Table.from_batches([batch])
            return
        schema = pa.schema([self.columns.schema.field(name) for name in names])
        cursor = connection.execute(statement)
        while fetched := cursor.fetchmany(rows):
            columns = zip(*fetched, strict=True)
            arrays = [_array(values, kind) for values, kind in zip(columns, schema.types, strict=True)]
            yield pa.Table.from_arrays(arrays, schema=schema)


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Values of SQLite as an array; it has no booleans, but 0 and 1."""
    if pa.types.is_boolean(kind):
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, kind)


def _connected(path: Path, kind: str | None) -> Connection:
    """Connect to a database file for reading only. What it holds cannot reach other files."""
    if kind == "sqlite":
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        connection.execute("pragma trusted_schema = off")
        connection.set_progress_handler(_look_for_signals, _STEPS_BETWEEN_SIGNALS)
        return connection
    import duckdb

    return duckdb.connect(str(path), read_only=True, config=_CLOSED_TO_OUTSIDE)


def _look_for_signals() -> int:
    """Go on with a statement of SQLite. After Ctrl-C Python raises KeyboardInterrupt in here, which ends it."""
    return 0


class _Relation(NamedTuple):
    """A table or a view of a database."""

    identifier: str  # quoted for SQL
    is_view: bool


def _relation_named(connection: Connection, kind: str | None, table: str | None, label: str) -> _Relation:
    """The requested table or view, or the only table. A view is taken only where it is named."""
    relations: dict[str, _Relation] = {}
    for schema, name, is_view in connection.execute(_LIST_TABLES[kind or ""]).fetchall():
        if schema == "main":
            relations[name] = _Relation(identifier(name), bool(is_view))
        else:
            relations[f"{schema}.{name}"] = _Relation(f"{identifier(schema)}.{identifier(name)}", bool(is_view))
    tables = [name for name, relation in relations.items() if not relation.is_view]
    if table is None and len(tables) == 1:
        return relations[tables[0]]
    if table is None and relations and not tables:
        raise DataError(
            code="table-not-named",
            message=f"{label} has no table, only views",
            advice=literal(
                f"name one of {quoted(list(relations), 20)} behind the file, as FILE/{next(iter(relations))}"
            ),
        )
    return relations[named_inside(list(relations), table, label, "table")]


def _count_rows(connection: Connection, relation: _Relation) -> int:
    """The number of rows. A view that takes too long is refused."""
    statement = f"select count(*) from {relation.identifier}"
    if not relation.is_view:
        ((n_rows,),) = connection.execute(statement).fetchall()
        return int(n_rows)
    seconds = timeout(_TIMEOUT_OF_VIEW)
    deadline = time.monotonic() + seconds
    timer = threading.Timer(seconds, connection.interrupt)
    timer.start()
    try:
        ((n_rows,),) = connection.execute(statement).fetchall()
    except Exception:
        if time.monotonic() >= deadline:
            raise TimeoutError(
                f"the view takes longer than {seconds:g} s ({TIMEOUT_VARIABLE} in the environment sets the time)"
            ) from None
        raise
    finally:
        timer.cancel()
    return int(n_rows)


def _declared_booleans(connection: sqlite3.Connection, relation: str) -> set[str]:
    """The columns of a table of SQLite that are declared as BOOLEAN."""
    columns = connection.execute(f"pragma table_xinfo({relation})")
    return {column[1] for column in columns if column[2].upper() in ("BOOLEAN", "BOOL")}


def _schema_in_sqlite(
    connection: sqlite3.Connection, relation: str, declared_booleans: set[str], label: str
) -> pa.Schema:
    """The columns of a table, or of a query in parentheses, and the types of their values.

    A column that is declared as BOOLEAN and holds no numbers but 0 and 1 is boolean.
    """
    names = [column[0] for column in connection.execute(f"select * from {relation} limit 0").description]
    types_of_values = ", ".join(f"group_concat(distinct typeof({identifier(name)}))" for name in names)
    row = connection.execute(f"select {types_of_values} from {relation}").fetchone()
    fields = {name: _type_in_sqlite(types, name, label) for name, types in zip(names, row, strict=True)}
    for name in names:
        if name in declared_booleans and pa.types.is_integer(fields[name]):
            column = identifier(name)
            statement = f"select 1 from {relation} where {column} not in (0, 1) limit 1"
            if connection.execute(statement).fetchone() is None:
                fields[name] = pa.bool_()
    return pa.schema(list(fields.items()))


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
            advice="make all of its values numbers, or all text",
        )
    if not kinds:
        return _ARROW_TYPES["null"]
    if len(kinds) == 1:
        return _ARROW_TYPES[kinds.pop()]
    return pa.float64()  # integers and real numbers


@contextmanager
def _answering(label: str) -> Iterator[None]:
    """Turn an error of a database in the block into an error of one line, and an end by Ctrl-C into that."""
    with in_one_line(f"cannot read {label}", f"{label} is a database, which"):
        try:
            yield
        except sqlite3.OperationalError as error:
            if str(error) == "interrupted":
                raise KeyboardInterrupt from None
            raise
