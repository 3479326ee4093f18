"""The page of the file's schema is that of the dataclasses, and the document has their fields."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass

import pytest
from tools import schema_page

import bitsieve
from bitsieve.results.saved import record, schema
from bitsieve.results.saved.record import SelectionRecord
from bitsieve.results.saved.write import document_of
from bitsieve.results.selection import record_of


def test_the_page_is_up_to_date():
    assert schema_page.PAGE.read_text(encoding="utf-8") == schema_page.page(), "run python -m tools.schema_page"


@pytest.mark.parametrize("module", [record, schema])
def test_the_parts_of_a_record_take_their_fields_by_name(module):
    for name, kind in vars(module).items():
        if inspect.isclass(kind) and is_dataclass(kind) and kind.__module__ == module.__name__:
            kinds = {parameter.kind for parameter in inspect.signature(kind).parameters.values()}
            assert kinds == {inspect.Parameter.KEYWORD_ONLY}, name


def test_the_file_has_the_fields_of_the_record():
    selection = bitsieve.select([[0, 1], [1, 0]] * 10, ["a", "b"] * 10)
    document = document_of(record_of(selection))
    assert [*document] == ["format", "version", *(item.name for item in fields(SelectionRecord))]
