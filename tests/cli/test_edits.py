"""Command lines that are changed as a message advises, and the data that options make of an address."""

from __future__ import annotations

import pytest

from bitsieve.cli.edits import with_other_columns
from bitsieve.cli.parser import parse

ADDRESS = "postgresql://ann@host/shop"


@pytest.mark.parametrize("before", [[], ["select"], ["select", "a.csv"]])
def test_each_of_several_columns_has_the_option_in_front(before):
    changed = with_other_columns([*before, "--exclude", "a,b,c"], "a,b,c", ["a", "b", "c"])
    assert changed == [*before, "--exclude", "a", "--exclude", "b", "--exclude", "c"]


@pytest.mark.parametrize(
    ("words", "data"),
    [
        (["--query", "select 1"], f"{ADDRESS}/(select 1)"),
        (["--table", "orders"], f"{ADDRESS}/orders"),
        ([], ADDRESS),
    ],
)
def test_a_table_or_a_query_is_added_to_an_address(words, data):
    assert parse(["select", ADDRESS, "--target", "y", *words]).data == data


def test_a_query_is_for_a_server():
    with pytest.raises(ValueError, match="--query is for a server"):
        parse(["select", "a.csv", "--target", "y", "--query", "select 1"])
