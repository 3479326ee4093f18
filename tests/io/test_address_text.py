"""What the text of an address says, and how it is changed."""

from __future__ import annotations

from bitsieve.io.address_text import address, with_relation


def test_what_is_an_address():
    assert address("s3://bucket/t.csv") == address("s3:/bucket/t.csv") == "s3://bucket/t.csv"
    assert address("HTTPS://host/t.csv?a=b") == "https://host/t.csv?a=b"
    for path in "t.csv", "/a/b.csv", "c:/t.csv", "s3:/", "a:b", ["s3://bucket/t.csv"]:
        assert address(path) is None


def test_a_table_is_added_to_an_address():
    assert with_relation("postgresql://h/d?sslmode=require", "t") == "postgresql://h/d/t?sslmode=require"
