"""Files that are read, or walked over, in a process of their own: what becomes of the file where that does not end."""

from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.faults.targets import cells_file

import bitsieve
from bitsieve.cli import main
from bitsieve.diagnostics import UserError
from bitsieve.io import process
from bitsieve.io.read import read_table

pytest.importorskip("h5py")
#: A damaged file of AnnData in which HDF5 2.0 reads a text for ever
ENDLESS = Path(__file__).parents[1] / "faults" / "corpus" / "read-h5ad" / "text-without-end"


@pytest.fixture
def cells(tmp_path):
    path = tmp_path / "cells.h5ad"
    path.write_bytes(cells_file("latest"))
    return path


@pytest.mark.slow("waits until a process is ended")
@pytest.mark.parametrize("memory", [None, "1GB"])
def test_a_text_without_end_is_one_line(cells, monkeypatch, memory):
    monkeypatch.setenv("BITSIEVE_TIMEOUT", "3")
    assert read_table(cells).n_samples == 3
    cells.write_bytes(ENDLESS.read_bytes())
    with pytest.raises(UserError, match="reading takes longer than 3 s") as raised:
        bitsieve.select(cells, "y", memory=memory)
    assert raised.value.code == "cannot-read"


def test_the_command_waits_once(cells, monkeypatch, capsys):
    calls = []

    def never_end(module, *_):
        calls.append(module)
        raise TimeoutError("reading takes longer than 60 s")

    monkeypatch.setattr("bitsieve.io.h5ad.run_in_process", never_end)
    assert main(["select", str(cells), "--target", "y"]) == 2
    assert calls == ["bitsieve.io.h5ad"]
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("code", "message"), [(1, "no such cell"), (-11, "its reader gave up, as HDF5 does where a file is damaged")]
)
def test_a_process_that_fails_is_one_line(cells, monkeypatch, code, message):
    monkeypatch.setattr(
        process.subprocess, "run", lambda command, **_: CompletedProcess(command, code, b"", b"no such cell\n")
    )
    with pytest.raises(UserError, match=message) as raised:
        read_table(cells)
    assert raised.value.code == "cannot-read"


def test_a_walk_leaves_errors_to_the_reader(tmp_path):
    path = tmp_path / "cells.h5ad"
    path.write_bytes(b"\x89HDF" + bytes(2000))
    with pytest.raises(UserError, match="file signature not found"):
        read_table(path)
