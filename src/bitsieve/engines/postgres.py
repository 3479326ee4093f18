"""Ibis tables of PostgreSQL. The server counts their rows only if the user asks for it.

PostgreSQL takes longer to count the pairs of one column with all others than to send all rows. Fewer statements
would not help, as a grouping set takes as long as a separate statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bitsieve.io.errors import in_one_line
from bitsieve.io.ibis_tables import ibis_backend

ADVICE = "give the address of the table, as postgresql://USER@HOST/DATABASE/TABLE, whose rows are read once"


def is_postgres_table(data: Any) -> bool:
    """Whether data is an Ibis table of PostgreSQL."""
    backend = ibis_backend(data)
    return backend is not None and backend.name == "postgres"


@contextmanager
def one_snapshot(data: Any) -> Iterator[None]:
    """Run the block in one transaction, so that all its statements see the same rows.

    Has no effect for data that is no Ibis table of PostgreSQL, and within a transaction of the user.
    """
    if not is_postgres_table(data):
        yield
        return
    connection = data.get_backend().con
    if connection.info.transaction_status.name != "IDLE":
        yield
        return
    with connection.transaction():
        with in_one_line("PostgreSQL did not begin a transaction"):
            connection.execute("set transaction isolation level repeatable read")
        yield
