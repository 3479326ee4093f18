"""Files that earlier schemas have saved: every later version reads them.

``kept/first_schema.json`` and those beside it are never written anew. A later schema gets a file of its own.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import bitsieve
from bitsieve.results.saved.schema import VERSION

KEPT = Path(__file__).with_name("kept") / "first_schema.json"
SECOND = KEPT.with_name("second_schema.json")  # the same selection
THIRD = KEPT.with_name("third_schema.json")  # another selection, with the digest of its values and their ranges
FOURTH = KEPT.with_name("fourth_schema.json")  # a selection by gdm, with its groups of columns
FIFTH = KEPT.with_name("fifth_schema.json")  # a selection with numbers that mean a missing value, and all kinds
WITHIN_STRATA = KEPT.with_name("fifth_schema_strata.json")  # a selection within strata


def without_fields_of_the_fifth(document):
    """The document without what the fifth schema has added, which is empty of an earlier file."""
    assert document.pop("strata") is None
    assert document["data"].pop("kinds") is None
    for feature in document["features"]:
        assert feature["column"].pop("missing_numbers") == []
    return document


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
def test_earlier_schemas_are_written_again_in_the_latest(tmp_path, path):
    bitsieve.load(path).save(tmp_path / "again.json")
    document = without_fields_of_the_fifth(json.loads((tmp_path / "again.json").read_bytes()))
    assert document.pop("values_digest") is None
    assert document.pop("groups") == []
    for feature in document["features"]:
        assert feature["column"].pop("smallest") is None
        assert feature["column"].pop("largest") is None
    assert document.pop("version") == VERSION
    second = json.loads(SECOND.read_bytes())
    assert second.pop("version") == 2
    assert document == second


def test_the_third_schema_has_a_digest_and_ranges(tmp_path):
    selection = bitsieve.load(THIRD)
    assert selection.details.values_digest == "86c97658a5f2197ed32946e424575eee"
    ranges = {column.name: (column.smallest, column.largest) for column in selection.details.columns}
    assert ranges["city"] == (None, None)
    assert ranges["share"] == (1.0, 59.0)
    selection.save(tmp_path / "again.json")
    document = without_fields_of_the_fifth(json.loads((tmp_path / "again.json").read_bytes()))
    third = json.loads(THIRD.read_bytes())
    assert document.pop("groups") == []
    assert document.pop("version") == VERSION
    assert third.pop("version") == 3
    assert document == third


def test_the_fourth_schema_has_groups(tmp_path):
    selection = bitsieve.load(FOURTH)
    assert [(group.selected, group.others) for group in selection.groups] == [
        (("petal length (cm)",), ("petal width (cm)", "sepal length (cm)")),
        (("sepal width (cm)",), ()),
    ]
    selection.save(tmp_path / "again.json")
    document = without_fields_of_the_fifth(json.loads((tmp_path / "again.json").read_bytes()))
    fourth = json.loads(FOURTH.read_bytes())
    assert document.pop("version") == VERSION
    assert fourth.pop("version") == 4
    assert document == fourth


def test_the_fifth_schema_has_kinds_and_numbers_that_mean_a_missing_value(tmp_path):
    selection = bitsieve.load(FIFTH)
    assert selection.details.data.kinds == "nncn-"
    missing_numbers = {column.name: column.missing_numbers for column in selection.details.columns}
    assert missing_numbers == {"age": (-99.0, 999.0), "city": (), "noise": (), "answer": (9.0,)}
    selection.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == FIFTH.read_bytes()


def test_the_fifth_schema_has_strata(tmp_path):
    selection = bitsieve.load(WITHIN_STRATA)
    assert selection.details.strata.n_strata == 3
    assert selection.n_informative_rows == 90
    assert len(selection.relevance_pooled) == len(selection.heterogeneity) == len(selection.features)
    selection.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == WITHIN_STRATA.read_bytes()
