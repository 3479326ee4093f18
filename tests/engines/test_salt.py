"""Hashes in place of the text of categories: the same counts, and no text in what a site sends."""

from __future__ import annotations

import hashlib
import hmac
import json

import numpy as np
import pandas as pd
import pytest

from bitsieve.cli import main
from bitsieve.engines.salt import MIN_BYTES, Salt
from bitsieve.engines.saved_counts import OTHER, SavedCounts

WARDS = ("surgery", "oncology", "cardiology", "neurology")
SALT = "0123456789abcdef"


@pytest.fixture
def folder(tmp_path):
    """The rows of two sites, with a column of text and another one of the same words, and salts."""
    random = np.random.default_rng(5)
    for index, name in enumerate(("Jena", "Bonn")):
        outcome = random.integers(0, 2, 300)
        ward = np.array(WARDS)[random.integers(0, 3, 300) + index]
        columns = {
            "age": random.normal(50, 9, 300) + 4 * outcome,
            "ward": np.where(random.random(300) < 0.3 * outcome, WARDS[1], ward),
            "earlier": random.choice(WARDS, 300),
            "outcome": outcome,
        }
        pd.DataFrame(columns).to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "salt").write_text(f"{SALT}\n")
    (tmp_path / "other").write_text(SALT[::-1])
    (tmp_path / "short").write_text(SALT[1:])
    return tmp_path


def count(folder, name, *words):
    arguments = [word if word.startswith("-") else str(folder / word) for word in words]
    return main(["count", str(folder / f"{name}.csv"), "--target", "outcome", *arguments])


def selected(folder, capsys, *names):
    capsys.readouterr()
    assert main(["select", *(f"--counts={folder / name}" for name in names), "--method", "jmi", "--json"]) == 0
    features = json.loads(capsys.readouterr().out)["features"]
    return [(column["name"], column["score"]) for column in features]


def assert_without_words(path):
    content = path.read_bytes()
    assert not any(ward.encode() in content for ward in WARDS)
    assert SALT.encode() not in content


def test_hashes_of_vocabularies_and_counts_change_no_score(folder, capsys):
    for words, end in (((), ""), (("--salt-file", "salt"), "-hashed")):
        vocabularies = [f"Jena{end}.json", f"Bonn{end}.json"]
        for name in ("Jena", "Bonn"):
            assert count(folder, name, "--vocabulary", f"{name}{end}.json", *words) == 0
        for name in ("Jena", "Bonn"):
            assert count(folder, name, "--like", *vocabularies, "--save", f"{name}{end}", *words) == 0
    for name in ("Jena", "Bonn"):
        assert_without_words(folder / f"{name}-hashed.json")
        assert_without_words(folder / f"{name}-hashed" / "counts.bitsieve")
    assert selected(folder, capsys, "Jena-hashed", "Bonn-hashed") == selected(folder, capsys, "Bonn", "Jena")
    hashed = SavedCounts.load(folder / "Bonn-hashed").binner.categories_
    assert hashed[1].tolist()[0] == OTHER
    assert not {*hashed[1].tolist()[1:]} & {*hashed[2].tolist()}  # equal text in two columns has two hashes


def test_hashes_with_the_bins_of_the_first_site_change_no_score(folder, capsys):
    for words, end in (((), ""), (("--salt-file", "salt"), "-hashed")):
        assert count(folder, "Jena", "--save", f"Jena{end}", *words) == 0
        assert count(folder, "Bonn", "--like", f"Jena{end}", "--save", f"Bonn{end}", *words) == 0
    for name in ("Jena", "Bonn"):
        assert_without_words(folder / f"{name}-hashed" / "counts.bitsieve")
        plain, hashed = (SavedCounts.load(folder / f"{name}{end}") for end in ("", "-hashed"))
        assert sorted(plain.cells.tolist()) == sorted(hashed.cells.tolist())
    assert selected(folder, capsys, "Jena-hashed", "Bonn-hashed") == selected(folder, capsys, "Jena", "Bonn")


def test_a_hash_is_that_of_the_standard_library(folder):
    expected = hmac.new(SALT.encode(), b"ward\0surgery", hashlib.sha256).hexdigest()[:32]
    salt = Salt.from_file(str(folder / "salt"))
    assert salt.hashed("ward", np.array(["surgery", OTHER], object)).tolist() == [expected, OTHER]
    assert salt.hashed("ward", np.array([3, 4])).tolist() == [3, 4]
    assert SALT not in repr(salt)


@pytest.mark.parametrize("like", ["hashed", "hashed.json", "plain", "plain.json"])
@pytest.mark.parametrize("salt_file", [None, "salt", "other", "short", "none"])
def test_other_salts_are_refused(folder, capsys, like, salt_file):
    output = "--vocabulary" if like.endswith(".json") else "--save"
    words = ["--salt-file", "salt"] if "hashed" in like else []
    assert count(folder, "Jena", output, like, *words) == 0
    capsys.readouterr()
    chosen = [] if salt_file is None else ["--salt-file", salt_file]
    status = count(folder, "Bonn", "--like", like, "--save", "Bonn", *chosen)
    assert status == (0 if chosen == words else 2)
    if status:
        (line,) = (line for line in capsys.readouterr().err.splitlines() if "error" in line)
        assert "salt" in line
        assert SALT not in line


def test_counts_of_two_salts_do_not_add_up(folder, capsys):
    for salt_file in ("salt", "other"):
        assert count(folder, "Jena", "--save", f"by-{salt_file}", "--salt-file", salt_file) == 0
    assert main(["select", f"--counts={folder / 'by-salt'}", f"--counts={folder / 'by-other'}"]) == 2
    assert "--salt-file" in capsys.readouterr().err
    assert len(SALT) == MIN_BYTES
