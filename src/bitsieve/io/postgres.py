"""Tables of a PostgreSQL server. They are read by ADBC in one transaction, which sees the table as it was at its start.

An address is ``postgresql://user@host/database``, with the name of a table or a query in parentheses behind it:
``postgresql://user@host/database/orders`` and ``postgresql://user@host/database/(select * from orders)``. The password
is that of the address, of ``PGPASSWORD`` or of the file ``.pgpass``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from bitsieve.diagnostics import literal
from bitsieve.io.background import timeout
from bitsieve.io.errors import DataError, in_one_line, named_inside
from bitsieve.utils.messages import quoted
from bitsieve.utils.sql import identifier

if TYPE_CHECKING:
    import pyarrow as pa

_ADDRESS = re.compile(
    r"""
    (?P<server> postgres(?:ql)?://[^/?\#]* )   # the user, the host and the port
    (?: / (?P<database> [^/?\#]* ) )?
    (?: / (?P<relation> \(.*\) | [^?\#]* ) )?  # a query in parentheses, or the name of a table
    (?P<options> \?.* )?                       # options of the connection, such as "?sslmode=require"
    """,
    re.DOTALL | re.VERBOSE,
)
_LIST_TABLES = """
    select table_schema, table_name, table_type = 'VIEW', table_schema = current_schema()
    from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema')
    order by 1, 2
"""
# The same rows come in the same order: a scan does not start in the middle, and is not divided among processes.
_TRANSACTION = (
    "set transaction isolation level repeatable read, read only",
    "set local synchronize_seqscans = off",
    "set local max_parallel_workers_per_gather = 0",
)


class PostgresAddress(NamedTuple):
    """The parts of an address of a table on a PostgreSQL server."""

    connection: str  # as libpq takes it, with the user, the password and the database
    relation: str  # the name of a table, or a query in parentheses; empty where none is named

    @classmethod
    def of(cls, where: str) -> PostgresAddress:
        """Take an address apart."""
        match = _ADDRESS.fullmatch(where)
        if match is None:
            raise DataError(
                code="cannot-read",
                message=f"{where!r} is not the address of a PostgreSQL table",
                advice="write it as postgresql://USER@HOST/DATABASE/TABLE",
            )
        options = match["options"] or ""
        separator = "&" if options else "?"
        if "connect_timeout" not in options:
            options += f"{separator}connect_timeout={max(2, round(timeout()))}"
        return cls(f"{match['server']}/{match['database'] or ''}{options}", (match["relation"] or "").rstrip("/"))


def rows_at(where: str) -> Iterator[pa.RecordBatch]:
    """Read all rows of the table, or of the query, at an address."""
    address = PostgresAddress.of(where)
    label = repr(where)
    with in_one_line(f"cannot read {label}", f"{label} is a PostgreSQL server, which", extra="postgres"):
        from adbc_driver_postgresql import dbapi

        try:
            with closing(dbapi.connect(address.connection)) as connection, closing(connection.cursor()) as cursor:
                for statement in _TRANSACTION:
                    cursor.execute(statement)
                cursor.execute(f"select * from {_from_clause(cursor, address.relation, label)}")
                yield from cursor.fetch_record_batch()
        except Exception as error:  # the driver raises its own errors, and pyarrow others while it reads batches
            if "due to user request" in str(error):  # the driver cancels the statement after Ctrl-C
                raise KeyboardInterrupt from None
            raise


def _from_clause(cursor: Any, relation: str, label: str) -> str:
    """What stands after ``from``: a query, or the name of a table or a view. A view is read only if it is named."""
    if relation.startswith("(") and relation.endswith(")"):
        query = relation.removeprefix("(").removesuffix(")").strip().rstrip(";")
        return f"({query}) as rows_of_query"

    cursor.execute(_LIST_TABLES)
    identifiers: dict[str, str] = {}
    tables: list[str] = []
    for schema, name, is_view, is_in_current_schema in cursor.fetchall():
        full_name = f"{schema}.{name}"
        identifier_in_schema = f"{identifier(schema)}.{identifier(name)}"
        if relation == full_name:
            return identifier_in_schema
        shown_name = name if is_in_current_schema else full_name
        identifiers[shown_name] = identifier_in_schema
        if not is_view:
            tables.append(shown_name)
    if not relation and len(tables) == 1:
        return identifiers[tables[0]]
    if not relation and identifiers:
        raise DataError(
            code="table-not-named",
            message=f"{label} has {len(tables):,} tables",
            advice=literal(f"name one of {quoted(list(identifiers), 20)} by --table, or behind the database"),
        )
    return identifiers[named_inside(list(identifiers), relation or None, label, "table")]
