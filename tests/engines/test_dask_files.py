"""Files that workers read piece by piece give what they give when they are read at once."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.api.select import selection_of
from bitsieve.cli import main
from bitsieve.cli.select import _connected
from bitsieve.diagnostics import UserError
from bitsieve.engines.dask import FilesOnCluster, current_client
from bitsieve.io import text
from bitsieve.io.errors import DataError
from bitsieve.options import DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.pipeline.way import run_on_read_table

N = 500
HOW = {"method": "jmi", "n_features_to_select": 3, "binning": "quantile", "n_jobs": 1}


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, N)
    numbers = {f"f{j}": random.normal(size=N) + y * (j % 3) for j in range(5)}
    text = random.choice(["low", "high"], N)
    return pa.table({**numbers, "text": text, "times": y % 2 + np.arange(N) % 2, "class": np.array(["a", "b", "c"])[y]})


def folder(table, path):
    for part, rows in (("1", slice(0, 120)), ("2", slice(120, N))):
        (path / f"part={part}").mkdir(parents=True)
        parquet.write_table(table[rows], path / f"part={part}" / "rows.parquet", row_group_size=70)


WRITERS = {
    "table.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=90),
    "table.csv": csv.write_csv,
    "table.feather": lambda table, path: feather.write_feather(table, path, compression="uncompressed"),
    "folder": folder,
}


@pytest.fixture(autouse=True)
def short_ranges(monkeypatch):
    monkeypatch.setattr(text, "SENT_BYTES", 5000)


@pytest.fixture(scope="module", params=WRITERS)
def path(request, table, tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / request.param
    WRITERS[request.param](table, path)
    return path


@pytest.mark.parametrize(
    "target", quick_and_slow(["class", ["class", "text"]], quick=["class"], reason="two targets of the same pieces")
)
def test_pieces_give_what_the_file_gives(same_selection, path, table, target):
    if path.is_dir():
        table = table.append_column("part", pa.array(np.where(np.arange(N) < 120, 1, 2)))
    expected = bitsieve.select(table, target, sample_weight="times", **HOW)
    files = FilesOnCluster(path, None)
    assert (len(files.partitions) > 5) == (path.suffix != ".feather")
    read = files.read_in_parts(ReadOptions(target=target, sample_weight="times"))
    fit = run_on_read_table(
        read,
        ExecutionOptions(n_jobs=1),
        DiscretizationOptions(binning="quantile"),
        SelectionOptions.by_name("jmi", {}, n_features_to_select=3),
    )
    same_selection(selection_of(fit, ReadOptions()), expected)
    assert read.original.with_target(["f1"]).column_names == ["f1", *np.ravel(target), "times"]


def test_command_line(path, cluster, capsys, tmp_path):
    if path.suffix != ".parquet":
        return
    words = ["select", str(path), "--target", "class", "--features", "2"]
    assert main(words) == 0
    expected = capsys.readouterr().out
    saved = tmp_path / "chosen.parquet"
    assert main([*words, "--scheduler", cluster.scheduler_address, "--output", str(saved)]) == 0
    assert capsys.readouterr().out == expected
    assert parquet.read_table(saved).shape == (N, 3)


def test_a_file_that_changes_while_it_is_read(tmp_path, table):
    path = tmp_path / "table.parquet"
    parquet.write_table(table, path, row_group_size=90)
    files = FilesOnCluster(path, None)
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(DataError, match=r"^'.*table.parquet' changed while it was read: run again when nobody"):
        files.read_in_parts(ReadOptions(target="class"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "class", "--scheduler", "nowhere"], "--scheduler nowhere: no scheduler answers there"),
        (["--target", "class", "--scheduler", "127.0.0.1:1"], "--scheduler 127.0.0.1:1: no scheduler answers there"),
        (["--scheduler", "local"], "no target is given: name a column with --target"),
        (["--target", "y", "--scheduler", "local", "--output", "a.npz"], "what is read in batches is not written to"),
    ],
)
def test_mistakes_are_one_line(words, message, table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("bitsieve.cli.select._PATIENCE", "0.2s")
    parquet.write_table(table, tmp_path / "table.parquet")
    assert main(["select", str(tmp_path / "table.parquet"), *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"bitsieve: error: {message}")
    assert error.count("\n") == 1


def test_without_dask(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    parquet.write_table(table, tmp_path / "table.parquet")
    words = ["select", str(tmp_path / "table.parquet"), "--target", "class", "--scheduler", "local"]
    assert main(words) == 2
    assert capsys.readouterr().err == "bitsieve: error: --scheduler needs Dask: pip install 'bitsieve[dask]'\n"


def test_the_client_of_a_command_is_not_that_of_the_program_around_it(cluster):
    with _connected(cluster.scheduler_address, None) as client:
        assert client.status == "running"
        assert current_client() is not client
    assert client.status == "closed"


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:1", "tls://127.0.0.1:1", "unheard-of://127.0.0.1:1"])
def test_an_address_without_a_scheduler_leaves_no_client_open(address, monkeypatch):
    """The garbage collector would close it, in a thread that may hold the lock that closing waits for."""
    monkeypatch.setattr("bitsieve.cli.select._PATIENCE", "0.2s")
    made = []
    monkeypatch.setattr("distributed.Client", lambda *given, **named: made.append(given))
    with pytest.raises(UserError, match="no scheduler answers there"), _connected(address, None):
        pass
    assert not made
