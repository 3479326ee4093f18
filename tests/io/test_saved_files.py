"""What was saved is recognised by its first bytes; what cannot be read is none of it."""

from __future__ import annotations

import pytest

from bitsieve.io import saved_files
from bitsieve.io.saved_files import (
    FORMAT,
    SCORECARD_FORMAT,
    VOCABULARY_FORMAT,
    is_saved_scorecard,
    is_saved_selection,
    is_saved_vocabulary,
)

RECOGNIZES = {
    FORMAT: is_saved_selection,
    SCORECARD_FORMAT: is_saved_scorecard,
    VOCABULARY_FORMAT: is_saved_vocabulary,
}


@pytest.mark.parametrize("file_format", RECOGNIZES)
def test_a_file_is_recognised_by_the_format_it_names(tmp_path, file_format):
    path = tmp_path / "saved.json"
    path.write_text(f'{{\n "format": "{file_format}",\n')
    assert [name for name, recognizes in RECOGNIZES.items() if recognizes(path)] == [file_format]


def refuse_to_open(path, mode):
    raise PermissionError(13, "Permission denied", str(path))


def test_what_cannot_be_read_is_no_saved_file(tmp_path, monkeypatch):
    path = tmp_path / "saved.json"
    path.write_text(f'{{\n "format": "{FORMAT}",\n')
    assert not is_saved_selection(tmp_path)
    assert not is_saved_selection(tmp_path / "absent")
    monkeypatch.setattr(saved_files, "open", refuse_to_open, raising=False)
    assert not is_saved_selection(path)
