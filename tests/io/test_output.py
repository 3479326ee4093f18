"""The one writer: whole or nothing, under a name that nobody can guess; and the one check before any work."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from bitsieve.io import output
from bitsieve.io.errors import DataError
from bitsieve.io.output import check_output, write_text, writing


def test_the_new_file_takes_the_place_of_the_old_one(tmp_path):
    path = tmp_path / "out.txt"
    for text in ("first", "seco\N{LATIN SMALL LETTER N WITH TILDE}d"):
        write_text(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_after_an_error(tmp_path, error):
    path = tmp_path / "out.txt"
    path.write_text("the old one")

    def fail():
        with writing(path) as file:
            file.write(b"half")
            assert len(os.listdir(tmp_path)) == 2
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "the old one"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_failing_disk_is_one_line(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output.os, "fsync", full)
    with pytest.raises(DataError, match=r"^cannot write '.*out\.txt': No space left on device$"):
        write_text(tmp_path / "out.txt", "text")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_at_the_temporary_name_is_not_followed(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr(output.secrets, "token_hex", lambda n: "ab" * n)  # the attacker has guessed it
    for target in (victim, tmp_path / "no-such-file"):
        link = tmp_path / f".bitsieve-{'ab' * 8}.tmp"
        link.symlink_to(target)
        with pytest.raises(DataError, match="File exists"):
            write_text(tmp_path / "out.txt", "text")
        link.unlink(missing_ok=True)
    assert victim.read_text() == "precious"
    assert os.listdir(tmp_path) == ["victim"]


def test_temporary_names_are_random(tmp_path):
    names = set()
    for _ in range(5):
        with writing(tmp_path / "out.txt") as file:
            names.add(os.path.basename(file.name))
    assert len(names) == 5
    assert not any(str(os.getpid()) == name.split(".")[-2] for name in names)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_at_the_path_is_replaced(tmp_path):
    (tmp_path / "other").write_text("precious")
    (tmp_path / "out.txt").symlink_to(tmp_path / "other")
    write_text(tmp_path / "out.txt", "text")
    assert (tmp_path / "other").read_text() == "precious"
    assert not (tmp_path / "out.txt").is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_permissions_are_those_of_the_old_file_or_of_the_user(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "new", "text")
        (tmp_path / "old").write_text("text")
        (tmp_path / "old").chmod(0o600)
        write_text(tmp_path / "old", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o600


def test_names_as_long_and_as_odd_as_the_system_takes(tmp_path):
    for name in (b"n" * 250 + b".csv", b"caf\xe9.csv"):  # the second is no UTF-8
        path = os.path.join(tmp_path, os.fsdecode(name))
        try:
            os.close(os.open(path, os.O_CREAT))
        except OSError:
            continue  # not on this system
        write_text(path, "text")
        with open(path) as file:
            assert file.read() == "text"


def test_what_is_refused_before_any_work(tmp_path):
    (tmp_path / "directory").mkdir()
    source = tmp_path / "in.csv"
    source.write_text("a,b\n1,2\n")
    os.link(source, tmp_path / "same.csv")
    refused = {
        "out.xlsx": "unknown format of the report .*: end it in one of .csv, .tsv, for short$",
        "directory": "the report .* is a directory",
        "no/where.csv": "there is no directory .*no' for the report: make it first",
        "same.csv": "the report .* is the input file itself",
    }
    for name, message in refused.items():
        endings = (".csv", ".tsv") if name == "out.xlsx" else ()
        with pytest.raises(DataError, match=message):
            check_output(tmp_path / name, endings, what="report", remark=", for short", source=source)
    check_output(tmp_path / "OUT.CSV", (".csv",), source=source)
    check_output(tmp_path / "out.csv", (".csv",), source=tmp_path / "gone.csv")


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_read_only_and_irregular_targets_are_refused_by_the_check_and_by_the_writer(tmp_path):
    read_only = tmp_path / "read_only.csv"
    read_only.write_text("kept")
    read_only.chmod(0o444)
    os.mkfifo(tmp_path / "pipe.csv")
    for path, message in ((read_only, "is read-only"), (tmp_path / "pipe.csv", "is not a regular file")):
        for write in (check_output, lambda path: write_text(path, "text")):
            with pytest.raises(DataError, match=message):
                write(path)
    assert read_only.read_text() == "kept"
    assert stat.S_ISFIFO((tmp_path / "pipe.csv").stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="nobody knows there whether the process lives")
def test_what_a_killed_process_has_left_is_removed_by_the_next(tmp_path):
    code = f"""
import os, signal
from bitsieve.io.output import writing
with writing({str(tmp_path / "killed")!r}) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    with writing(tmp_path / "living") as living:
        living.write(b"more")
        living.flush()
        write_text(tmp_path / "other", "text")
        assert len(list(tmp_path.iterdir())) == 2  # of the living one its temporary file
    assert sorted(path.name for path in tmp_path.iterdir()) == ["living", "other"]
