"""Command lines that are changed as a message advises, and what is made of their options before any work."""

from __future__ import annotations

from argparse import Namespace

import pytest

from bitsieve.cli.edits import with_other_columns
from bitsieve.cli.parser import parse
from bitsieve.cli.results import check_written
from bitsieve.report import page

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


@pytest.mark.parametrize(("option", "needs_packages"), [("report", True), ("output", False)])
def test_a_report_alone_needs_the_packages_of_reports(tmp_path, monkeypatch, option, needs_packages):
    asked = []
    monkeypatch.setattr(page, "require_report_packages", lambda: asked.append(option))
    options = Namespace(data=None, force=False, **{option: str(tmp_path / "a.html")})
    check_written(options, **{option: (".html",)})
    assert asked == ([option] if needs_packages else [])
