"""Damaged caches, full disks and clocks that jump: the same result, or one line of error."""

from __future__ import annotations

import gzip
import os
import sys
import time
from random import Random

import pytest
from tests.faults.mutants import damaged

import bitsieve
from bitsieve.cli import main
from bitsieve.io import spool as spools
from bitsieve.io import text
from bitsieve.io.spool import find_kept

ROWS = "a,b,y\n" + "".join(f"{row % 3},{row % 5},{row % 2}\n" for row in range(3000))


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A file of several ranges, so that its counts are kept."""
    monkeypatch.setattr(text, "RANGE_BYTES", 5000)
    (tmp_path / "t.csv").write_text(ROWS)
    return tmp_path / "t.csv"


def select(table, **options):
    return bitsieve.select(table, "y", method="mim", **options).to_dict()


@pytest.mark.parametrize(
    ("first", "last"), [(0, 60), *(pytest.param(n, n + 1000, marks=pytest.mark.nightly) for n in range(60, 5060, 1000))]
)
def test_damaged_caches(tmp_path, table, first, last):
    spool = tmp_path / "spool"
    select(table, spool=spool)
    (folder,) = spool.iterdir()
    assert find_kept(spool, folder.name) is not None
    files = sorted(path for path in folder.iterdir() if path.name != "lock")
    for number in range(first, last):
        random = Random(number)
        path = random.choice(files)
        content = path.read_bytes()
        changed = damaged(content, random)
        path.write_bytes(changed)
        kept = find_kept(spool, folder.name)
        assert kept is None or changed == content, number
        path.write_bytes(content)
    assert find_kept(spool, folder.name) is not None


@pytest.mark.parametrize("seconds", [-(10.0**9), 10.0**9], ids=["back", "ahead"])
def test_a_clock_that_jumps(tmp_path, table, monkeypatch, seconds):
    expected = select(table, spool=tmp_path / "spool")
    os.utime(table, (time.time() + seconds, time.time() + seconds))
    now = time.time
    monkeypatch.setattr(spools.time, "time", lambda: now() + seconds)
    assert select(table, spool=tmp_path / "spool") == expected
    assert select(table, spool=tmp_path / "spool") == expected


INPUTS = {
    "a compressed file": gzip.compress(ROWS.encode()),
    "UTF-16": ROWS.encode("utf-16"),
    "comments": b"# of a program\n# of two lines\n" + ROWS.encode(),
}
OUTPUTS = {
    "a table": ("--output", "out.csv"),
    "a table of Parquet": ("--output", "out.parquet"),
    "a selection": ("--save", "out.json"),
    "a cache": ("--spool", "spool", "--memory", "1GB"),
}
CASES = [(content, ()) for content in INPUTS.values()] + [(ROWS.encode(), words) for words in OUTPUTS.values()]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of the size of a file")
@pytest.mark.parametrize(("content", "words"), CASES, ids=[*INPUTS, *OUTPUTS])
def test_a_full_disk_at_each_write(tmp_path, monkeypatch, capsys, content, words):
    import resource

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "t.csv").write_bytes(content)
    command = ["select", "t.csv", "-t", "y", "--method", "mim", *words]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, limits[1]))
    try:
        code = main(command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    lines = capsys.readouterr().err.splitlines()
    assert code == 2, lines
    assert len(lines) == 1
    assert lines[0].startswith("bitsieve: error: ")
    assert not list(tmp_path.glob("out*"))
    assert main(command) == 0
