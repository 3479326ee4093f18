"""The page of the file's schema is that of the dataclasses, and the document has their fields."""

from __future__ import annotations

from dataclasses import fields

from tools import schema_page

import bitsieve
from bitsieve.results.saved.schema import SelectionRecord
from bitsieve.results.saved.write import document_of
from bitsieve.results.selection import record_of


def test_the_page_is_up_to_date():
    assert schema_page.PAGE.read_text(encoding="utf-8") == schema_page.page(), "run python -m tools.schema_page"


def test_the_file_has_the_fields_of_the_record():
    selection = bitsieve.select([[0, 1], [1, 0]] * 10, ["a", "b"] * 10)
    document = document_of(record_of(selection))
    assert [*document] == ["format", "version", *(item.name for item in fields(SelectionRecord))]
