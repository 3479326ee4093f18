"""A file that version 0.3 of bitsieve has saved, with the first schema: every later version reads it.

``kept/first_schema.json`` is never written anew. A later schema gets a file of its own beside it.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import bitsieve

KEPT = Path(__file__).with_name("kept") / "first_schema.json"
SECOND = KEPT.with_name("second_schema.json")  # the same selection


def test_the_kept_file_is_read():
    selection = bitsieve.load(KEPT)
    assert selection.method == "mim"
    assert selection.features == ["share", "city", "when", "dose"]
    assert selection.scores[0].hex() == "0x1.84a8ec55a894dp-1"
    assert [column.kind for column in selection.details.columns] == ["number", "category", "date", "number"]
    assert [step.runner_up for step in selection.details.steps][:1] == [("city",)]
    assert selection.target.labels.tolist() == ["no", "yes"]
    assert "share" in str(selection)


def test_the_kept_file_cuts_new_data():
    low = {"dose": -9.0, "share": "1 %", "when": "13.1.2024", "city": "Bern"}
    high = {"dose": 9.0, "share": "99 %", "when": "28.9.2024", "city": "Rome"}
    new = pd.DataFrame([low, high])
    codes = bitsieve.load(KEPT).transform(new, codes=True)
    assert codes.to_numpy().tolist() == [[0, 0, 0, 0], [1, 2, 2, 2]]


@pytest.mark.parametrize("path", [KEPT, SECOND])
def test_the_same_bytes_are_written_again_in_the_latest_schema(tmp_path, path):
    bitsieve.load(path).save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == SECOND.read_bytes()
