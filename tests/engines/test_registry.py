"""What is asked of an engine is obeyed or refused, never passed over."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bitsieve as bs
from bitsieve.cli import main


@pytest.fixture
def path(tmp_path):
    rows = np.random.default_rng(0).integers(0, 3, (40, 3))
    found = tmp_path / "data.csv"
    np.savetxt(found, rows, "%d", ",", header="a,b,y", comments="")
    return found


@pytest.mark.parametrize("asked", [{"engine": "stream"}, {"engine": "nonsense"}, {"header": False}])
def test_a_source_refuses_what_it_would_not_obey(path, asked):
    (name,) = asked
    with pytest.raises(ValueError, match=f"^{name}=.* is not allowed: leave it out, or give a path or a table"):
        bs.select(bs.StreamSource(path), "y", **asked)


def test_engines_are_known_by_name(path):
    with pytest.raises(ValueError, match="engine='nonsense' is not known: give one of 'dask'"):
        bs.select(path, "y", engine="nonsense")


@pytest.mark.parametrize(
    ("asked", "advice"),
    [
        ({"memory": "1GB"}, "memory='1GB' is not allowed: leave it out, as engine 'local' does not read {kind} in"),
        ({"spool": "here"}, "spool='here' is not allowed: leave it out, as engine 'local' does not read {kind} in"),
        ({"header": True}, "header=True is not allowed: leave it out, as only a text file has a header"),
        ({"memory": "-3"}, "memory='-3' is not allowed: give a number with a unit"),
    ],
)
def test_what_tables_have_no_use_for(path, asked, advice):
    X, y = np.loadtxt(path, delimiter=",", skiprows=1)[:, :2], np.arange(40) % 2
    for data, kind in (X, "ndarray"), (X.tolist(), "list"):
        with pytest.raises(ValueError, match=f"^{re.escape(advice.format(kind=kind))}"):
            bs.select(data, y, **asked)


@pytest.mark.parametrize("engine", ["local", "dask"])
@pytest.mark.parametrize("asked", [{"memory": "1GB"}, {"spool": "here"}])
def test_engines_that_read_no_batches(path, engine, asked):
    with pytest.raises(ValueError, match=f"is not allowed: leave it out, as engine '{engine}' does not read files in"):
        bs.select(path, "y", engine=engine, **asked)


def test_memory_of_a_method_is_its_own(path):
    X, y = np.loadtxt(path, delimiter=",", skiprows=1)[:, :2], np.arange(40) % 2
    found = bs.select(X, y, method="speccmi", memory="1GB", n_features_to_select=1, binning="none")
    assert found.selector.memory == "1GB"
    with pytest.raises(ValueError, match=r"^memory='much' is not allowed: give a number with a unit"):
        bs.select(X, y, method="speccmi", memory="much")


@pytest.mark.parametrize("engine", [None, "local", "stream", "dask"])
def test_every_engine_reads_a_path_and_obeys_the_header(path, engine):
    expected = bs.select(path, "y", binning="none")
    found = bs.select(path, "y", binning="none", engine=engine)
    assert found.features == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()
    path.write_text(path.read_text().partition("\n")[2])
    found = bs.select(path, "x2", binning="none", engine=engine, header=False)
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_engines_on_the_command_line(path, capsys):
    printed = []
    for engine in "local", "stream", "dask":
        assert main(["select", str(path), "--target", "y", "--binning", "none", "--engine", engine]) == 0
        printed.append(capsys.readouterr())
    assert printed[0].out == printed[1].out == printed[2].out
    assert printed[1] == printed[2]
    # Shuffles need the rows in memory: the one note on chance says what was not tested, the others are the same.
    tested, untested = ([line for line in of.err.splitlines() if "chance" in line] for of in printed[:2])
    assert tested == ["bitsieve: note: 0 of 2 selected columns are more informative than chance: 0 alone, 2 not shown"]
    (line,) = untested
    assert line.startswith(
        "bitsieve: note: 0 of 2 selected columns are more informative than chance: 0 alone, 2 not shown; not tested by"
    )
    assert printed[0].err.replace(tested[0], line) == printed[1].err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "spark"], "data is 'data.csv': give a Spark data frame"),
        (
            ["--engine", "cloud"],
            "--engine cloud is not known: give one of 'dask', 'spark', 'database', 'stream', 'local'",
        ),
        (["--engine", "local", "--memory", "1GB"], "--memory 1GB is not allowed: leave it out, as engine 'local'"),
        (
            ["--engine", "stream", "--method", "vmi"],
            "method 'vmi' needs all rows in memory: leave out --engine",
        ),
        (
            ["--engine", "stream", "--scheduler", "local"],
            "--scheduler works with engine dask only: leave it out",
        ),
        (["--scheduler", "local", "--spool", "here"], "--spool here is not allowed: leave it out, as engine 'dask'"),
        (["--scheduler", "local", "--output", "x.npz"], "what is read in batches is not written to .npz"),
    ],
)
def test_mistakes_on_the_command_line(path, capsys, monkeypatch, words, message):
    monkeypatch.chdir(path.parent)
    assert main(["select", "data.csv", "--target", "y", *words]) == 2
    assert message in capsys.readouterr().err
