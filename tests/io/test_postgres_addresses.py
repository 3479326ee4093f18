"""Addresses of PostgreSQL tables, and what is read at them; no server is asked."""

from __future__ import annotations

import pytest

from bitsieve.diagnostics import UserError, without_passwords
from bitsieve.io.postgres import PostgresAddress, _from_clause


@pytest.mark.parametrize(
    ("where", "connection", "relation"),
    [
        ("postgresql://ann@host:5433/shop/orders", "postgresql://ann@host:5433/shop", "orders"),
        ("postgres://host/shop", "postgres://host/shop", ""),
        ("postgresql:///shop/public.orders", "postgresql:///shop", "public.orders"),
        ("postgresql://host/shop/orders?sslmode=require", "postgresql://host/shop?sslmode=require", "orders"),
        (
            "postgresql://h/d/(select a / b from t where c like '?')",
            "postgresql://h/d",
            "(select a / b from t where c like '?')",
        ),
    ],
)
def test_an_address_has_its_parts(where, connection, relation):
    address = PostgresAddress.of(where)
    assert address.connection.startswith(connection)
    assert "connect_timeout=" in address.connection
    assert address.relation == relation


def test_passwords_are_hidden():
    assert without_passwords("postgresql://a:b/c#d@host/d") == "postgresql://a:***@host/d"
    assert without_passwords("postgresql://a:b@host/x@y") == "postgresql://a:***@host/x@y"
    assert without_passwords("http://host:80/x@y") == "http://host:80/x@y"
    assert without_passwords("postgresql://a:b@c@host/d") == "postgresql://a:***@host/d"
    assert without_passwords("s3://bucket/x?secret_key=abc&region=eu") == "s3://bucket/x?secret_key=***&region=eu"
    assert without_passwords("at 10:30 a@b") == "at 10:30 a@b"


class Cursor:
    """A cursor of a server with these tables: the schema, the name, whether it is a view, whether it is at hand."""

    def __init__(self, *tables):
        self.tables = tables

    def execute(self, statement):
        pass

    def fetchall(self):
        return list(self.tables)


ORDERS = ("public", "orders", False, True)
OLD_ORDERS = ("archive", "orders", False, False)
LATEST = ("public", "latest", True, True)


@pytest.mark.parametrize(
    ("tables", "relation", "clause"),
    [
        ([ORDERS, LATEST], "", '"public"."orders"'),
        ([ORDERS, OLD_ORDERS], "orders", '"public"."orders"'),
        ([ORDERS, OLD_ORDERS], "archive.orders", '"archive"."orders"'),
        ([OLD_ORDERS], "", '"archive"."orders"'),
        ([ORDERS, LATEST], "latest", '"public"."latest"'),
        ([ORDERS], "(select 1; )", "(select 1) as rows_of_query"),
        ([("public", "(a", False, True)], "(a", '"public"."(a"'),
        ([("public", "a)", False, True)], "a)", '"public"."a)"'),
    ],
)
def test_what_is_read_is_a_query_or_a_table_or_a_view_that_is_named(tables, relation, clause):
    assert _from_clause(Cursor(*tables), relation, "'address'") == clause


@pytest.mark.parametrize(
    ("tables", "relation", "code", "part"),
    [
        ([ORDERS, OLD_ORDERS], "", "table-not-named", "has 2 tables"),
        ([LATEST], "", "table-not-named", "has 0 tables"),
        ([], "", "empty-data", "has no table:"),
        ([ORDERS], "order", "table-not-named", "is no table"),
    ],
)
def test_a_table_that_is_not_named_is_refused(tables, relation, code, part):
    with pytest.raises(UserError, match=part) as caught:
        _from_clause(Cursor(*tables), relation, "'address'")
    assert caught.value.diagnostic.code == code
