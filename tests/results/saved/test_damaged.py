"""A file that is damaged, foreign, enormous or hostile is one line with a code, and never anything else."""

from __future__ import annotations

import json
import os
import random

import numpy as np
import pandas as pd
import pytest
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.results.saved import read
from bitsieve.results.saved.read import record_of_bytes
from bitsieve.results.saved.schema import VERSION
from bitsieve.results.saved.write import text_of_record
from bitsieve.results.selection import record_of, selection_of_record

CODES = {"damaged-file", "not-saved-selection", "newer-selection"}
NAME = "churn.json"


@pytest.fixture(scope="module")
def content():
    draw = np.random.default_rng(1)
    y = draw.integers(0, 2, 60)
    noisy = y ^ (draw.random(60) < 0.2)
    X = pd.DataFrame(
        {
            "a": draw.normal(size=60) + 5 * y,
            "b": ["x" if c else "y" for c in noisy],
            "c": [f"{10 * c + draw.integers(12)} %" for c in noisy],
        }
    )
    selection = bitsieve.select(X, y, method="mim")
    assert selection.features[0] == "a"
    assert len(selection.features) == 3
    return text_of_record(record_of(selection)).encode()


@pytest.fixture
def document(content):
    return json.loads(content)


def refused(content, codes=CODES):
    with pytest.raises(bitsieve.UserError) as error:
        record_of_bytes(content, NAME)
    text = str(error.value)
    assert error.value.code in codes
    assert NAME in text
    assert "\n" not in text
    assert len(text) < 500
    return error.value


def refused_document(document, code="damaged-file"):
    return refused(json.dumps(document).encode(), {code})


def test_the_file_itself_is_read(content):
    record_of_bytes(content, NAME)


@pytest.mark.parametrize(
    "foreign",
    [
        b"",
        b"{",
        b"{}",
        b"[]",
        b"1",
        b"null",
        b'"text"',
        b"a,b\n1,2\n",
        b"\x80\x04\x95",
        b"\xff\xfe{\x00}\x00",
        b"PK\x03\x04",
    ],
)
def test_what_is_no_selection(foreign):
    refused(foreign, {"not-saved-selection"})


def test_other_json_is_foreign(content):
    refused(json.dumps({"format": "another", "version": 1}).encode(), {"not-saved-selection"})


def test_every_beginning_is_refused(content):
    for end in {*range(0, len(content) - 2, 97), len(content) - 3}:
        refused(content[:end])


@pytest.mark.parametrize("version", [VERSION + 1, 10**6])
def test_a_later_version_is_named(document, version):
    assert str(version) in str(refused_document({**document, "version": version}, "newer-selection"))


@pytest.mark.parametrize("version", [0, -1, "1", None, True, 1.0, [1]])
def test_no_version(document, version):
    refused_document({**document, "version": version})


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_depth_bombs(content, opening):
    bomb = opening * 100_000
    refused(content.rstrip()[:-1] + b', "more": ' + bomb.encode())
    nested = content.replace(b'"mapping": {}', b'"mapping": {"a": ' + b"[" * 900 + b"]" * 900 + b"}", 1)
    assert nested != content
    refused(nested, {"damaged-file"})


def test_numbers_that_are_none(content):
    for text in (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"9" * 5000):
        changed = content.replace(b'"overlap": "nan"', b'"overlap": ' + text, 1)
        assert changed != content
        refused(changed, {"damaged-file"})


def test_a_name_that_stands_twice(content):
    refused(content.replace(b'"method":', b'"method": "mim",\n "method":', 1), {"damaged-file"})


@pytest.mark.slow("arrays of a million values")
def test_long_arrays(document):
    document["features"][0]["column"]["cut"]["edges"] = [float(i) for i in range(10**6)]
    refused_document(document)
    document["steps"] = [0] * 10**6
    refused_document(document)


def test_a_file_that_is_too_large(tmp_path, monkeypatch, content):
    path = tmp_path / NAME
    path.write_bytes(content)
    monkeypatch.setattr(read, "MAX_BYTES", 100)
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.load(path)
    assert error.value.code == "not-saved-selection"


def test_a_file_of_the_largest_size_is_read(tmp_path, monkeypatch, content):
    path = tmp_path / NAME
    path.write_bytes(content)
    monkeypatch.setattr(read, "MAX_BYTES", len(content))
    assert bitsieve.load(path).features[0] == "a"
    monkeypatch.setattr(read, "MAX_BYTES", len(content) - 1)
    with pytest.raises(bitsieve.UserError, match=f"has {len(content):,} bytes, more than the {len(content) - 1:,} of"):
        bitsieve.load(path)


@pytest.mark.parametrize("path", ["missing.json", "folder", "/dev/zero", "pipe"])
def test_paths_that_are_no_files(tmp_path, path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.load(tmp_path / path)
    assert error.value.code in ("not-saved-selection", "cannot-read")


HOSTILE = [
    (("features", 0, "column", "index"), 3),
    (("features", 0, "column", "index"), -1),
    (("features", 0, "overlap_with"), 0),
    (("features", 1, "overlap_with"), 1),
    (("features", 0, "column", "cut", "n_codes"), 10**9),
    (("features", 0, "column", "cut", "side"), "middle"),
    (("features", 0, "column", "cut", "edges"), [2.0, 1.0]),
    (("features", 0, "column", "cut", "edges"), None),
    (("features", 0, "column", "cut", "missing_code"), 10**6),
    (("features", 0, "column", "counts"), [[1]]),
    (("features", 0, "column", "parsing"), {"format": "numbers"}),
    (("features", 0, "column", "label"), {"a": 1}),
    (("features", 0, "column", "smallest"), "low"),
    (("features", 0, "column", "largest"), True),
    (("values_digest",), 7),
    (("features", 0, "column", "label"), {"bytes": "zz"}),
    (("features", 0, "informative"), 1),
    (("features", 0, "informative_state"), "perhaps"),
    (("features", 0, "score"), True),
    (("target", "labels", "dtype"), "<U1000000000"),
    (("target", "labels", "dtype"), "O8"),
    (("target", "labels", "dtype"), "<i99"),
    (("target", "labels", "dtype"), "<f16"),
    (("target", "labels", "dtype"), "=i8"),
    (("target", "labels", "dtype"), "(9999999,)i8"),
    (("target", "labels", "items"), [0]),
    (("target", "kind"), "anything"),
    (("target", "edges"), "abc"),
    (("target", "unit"), "Y"),
    (("data", "names"), ["a"]),
    (("data", "n_features"), -3),
    (("options", "beta"), {"object": {"class": "os.system", "parameters": {}}}),
    (("options", "beta"), {"pickle": "x"}),
    (("stopping", "values"), [1.0]),
    (("diagnostics",), {}),
    (("diagnostics",), [{"code": "x"}]),
]


@pytest.mark.parametrize(("path", "value"), HOSTILE)
def test_wrong_values(document, path, value):
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    refused_document(document)


@pytest.mark.parametrize("name", ["decimal", "group"])
def test_numbers_in_text_without_their_marks(document, name):
    (parsing,) = [feature["column"]["parsing"] for feature in document["features"] if feature["column"]["parsing"]]
    parsing[name] = ""
    refused_document(document)


def test_an_advice_that_is_no_template(document):
    diagnostic = {"code": "x", "severity": "note", "message": "", "columns": [], "fix": {}, "parameters": {}}
    document["diagnostics"] = [{**diagnostic, "advice": "{a=__import__('os')}"}]
    refused_document(document)


def test_unknown_and_missing_members(document):
    refused_document({**document, "more": 1})
    for name in document:
        if name not in ("format", "version"):
            refused_document({key: value for key, value in document.items() if key != name})


@pytest.mark.parametrize(("version", "lacks"), [(3, "smallest"), (3, "largest"), (2, "informative_state")])
def test_a_field_is_missing_only_in_an_earlier_version(document, version, lacks):
    feature = document["features"][0]
    feature.pop(lacks, None)
    feature["column"].pop(lacks, None)
    refused_document({**document, "version": version})
    record_of_bytes(json.dumps({**document, "version": version - 1}).encode(), NAME)


def places_of(value, path=()):
    """The path of every value inside a document."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places_of(member, (*path, key))


WRONG = [None, True, -1, 2**70, 1e300, "", "x" * 1000, [], {}, [[]], {"a": {}}, "nan"]


@pytest.mark.parametrize(
    ("seed", "n_values"), quick_and_slow([(0, 100), (1, 1200)], quick={(0, 100)}, reason="more values")
)
def test_any_value_in_any_place_is_read_or_refused(content, seed, n_values):
    """No value anywhere makes an error that is no UserError, also when the selection is shown and applied."""
    draw = random.Random(seed)
    places = [path for path in places_of(json.loads(content)) if path]
    for _ in range(n_values):
        document = json.loads(content)
        path = draw.choice(places)
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = draw.choice(WRONG)
        use(json.dumps(document).encode())


def test_any_byte_changed_is_read_or_refused(content):
    draw = random.Random(1)
    for _ in range(1500):
        changed = bytearray(content)
        for _ in range(draw.choice([1, 1, 1, 5])):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        use(bytes(changed))


def use(content):
    """Read a selection, and show and apply it if it can be read."""
    try:
        record = record_of_bytes(content, NAME)
    except bitsieve.UserError:
        refused(content)
        return
    selection = selection_of_record(record)
    assert selection == selection_of_record(record)
    str(selection)
    selection.to_dict()
    text_of_record(record_of(selection))
