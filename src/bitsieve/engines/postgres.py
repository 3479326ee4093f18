"""Ibis tables of PostgreSQL, whose rows are counted where they are only if the user says so.

PostgreSQL takes longer to count the pairs of one column with all others than to send all rows. Fewer statements
would not help: a grouping set takes as long as a statement of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bitsieve.io.errors import in_one_line
from bitsieve.utils.frames import ibis_backend

ADVICE = "give the address of the table, as postgresql://USER@HOST/DATABASE/TABLE, whose rows are read once"


def is_postgres_table(data: Any) -> bool:
    """Whether data is an Ibis table of PostgreSQL."""
    backend = ibis_backend(data)
    return backend is not None and backend.name == "postgres"


@contextmanager
def one_snapshot(data: Any) -> Iterator[None]:
    """Let all statements of the block see the rows as the first one does, if data is an Ibis table of PostgreSQL.

    A transaction that the user has begun is left as it is.
    """
    connection = data.get_backend().con if is_postgres_table(data) else None
    if connection is None or connection.info.transaction_status.name != "IDLE":
        yield
        return
    with connection.transaction():
        with in_one_line("PostgreSQL did not begin a transaction"):
            connection.execute("set transaction isolation level repeatable read")
        yield
