"""Libsvm files that are read in ranges: selections, fits and figures are those of the file read whole, bit for bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.cli import main
from bitsieve.io import libsvm
from bitsieve.io import spool as spools
from bitsieve.io.read import open_columns, read_table
from bitsieve.methods.registry import list_methods
from bitsieve.selectors.making import make_selector
from bitsieve.utils.progress import listening

N, D = 160, 22
KINDS = {type(make_selector(info.name)): info.name for info in list_methods()}
COUNTED = [name for kind, name in KINDS.items() if "rows" not in kind.required_capabilities]
OTHERS = [name for kind, name in KINDS.items() if "rows" in kind.required_capabilities]


def write(path, seed=3, missing=0):
    """Words that are in every tenth text, every third of them in more of those of one class; some labels missing."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, N)
    often = np.where(np.arange(D) % 3 == 0, 0.1 + 0.4 * y[:, None], 0.1)
    X = (random.random((N, D)) < often) * random.integers(1, 5, (N, D)).astype(float)
    dump_svmlight_file(csr_array(X), y, str(path), zero_based=False)
    rows = path.read_text().splitlines()
    path.write_text("\n".join(["nan" + row[1:] for row in rows[:missing]] + rows[missing:]))
    return path


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "data.libsvm")


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch):
    """Ranges of 700 bytes, blocks of some 60 values."""
    monkeypatch.setattr(libsvm, "_MIN_RANGE_BYTES", 700)
    monkeypatch.setattr(libsvm, "_MAX_RANGE_BYTES", 700)
    monkeypatch.setattr(libsvm, "VALUE_BYTES", 1 << 23)


def in_ranges(path):
    return bitsieve.StreamSource(path, memory="2GiB")


def assert_equal(found, expected):
    assert found.to_dict() == expected.to_dict()
    for name in ("scores", "relevance", "overlap"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()


@pytest.mark.parametrize("method", COUNTED)
def test_every_method_that_counts(path, method):
    how = {"method": method, "n_features_to_select": 3}
    found = bitsieve.select(in_ranges(path), **how)
    assert_equal(found, bitsieve.select(path, **how))
    assert found.table is None


@pytest.mark.parametrize("method", OTHERS)
def test_methods_that_need_rows_are_refused_before_the_file_is_read(path, method, monkeypatch, capsys):
    monkeypatch.setattr(bitsieve.StreamSource, "read_in_parts", None)  # cannot be called
    with pytest.raises(ValueError, match="needs all rows in memory"):
        bitsieve.select(path, method=method, n_features_to_select=3, memory="1MB")
    assert main(["select", str(path), "--method", method, "--memory", "1MB"]) == 2
    assert "needs all rows in memory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("binning", "missing"),
    quick_and_slow(
        [("mdl", "error"), ("quantile", "error"), ("uniform", "error"), ("none", "error"), ("mdl", "bin")],
        quick={("uniform", "error"), ("mdl", "bin")},
        reason="the same columns by other bins",
    ),
)
def test_every_binning(path, binning, missing):
    how = {"binning": binning, "missing": missing, "n_features_to_select": 4, "stopping": "permutation"}
    assert_equal(bitsieve.select(in_ranges(path), **how), bitsieve.select(path, **how))


def test_targets_weights_and_columns_that_are_left_out(path):
    random = np.random.default_rng(1)
    words, weights = np.array(["a", "b", "c"])[random.integers(0, 3, N)], random.integers(0, 4, N)
    for target, how in (
        (words, {}),
        ("y", {"sample_weight": weights}),
        (["y"], {"exclude": ["x3"], "include": ["x5"]}),
        ("x3", {"sample_weight": "x2", "binning": "none"}),
        (["x3", "y"], {}),
        ("x0", {"target_bins": 3}),
    ):
        found = bitsieve.select(in_ranges(path), target, n_features_to_select=3, **how)
        assert_equal(found, bitsieve.select(path, target, n_features_to_select=3, **how))


def test_rows_without_a_label(tmp_path):
    path = write(tmp_path / "data.libsvm", missing=9)
    with pytest.raises(ValueError, match="9 missing values"):
        bitsieve.select(path, memory="1MB", drop_missing_target=False)
    how = {"n_features_to_select": 3}
    assert_equal(bitsieve.select(in_ranges(path), **how), bitsieve.select(path, **how))


def test_fit(path):
    X, y = (getattr(read_table(path), name) for name in "Xy")
    for data in (str(path), in_ranges(path)):
        found = bitsieve.ForwardSelector(4, criterion="jmi").fit(data, "y")
        expected = bitsieve.ForwardSelector(4, criterion="jmi").fit(X, y)
        assert found.scores_.tobytes() == expected.scores_.tobytes()
        assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
        assert found.n_features_in_ == expected.n_features_in_


def test_figures_of_information(path):
    X, y = (getattr(read_table(path), name) for name in "Xy")
    for measure in (
        bitsieve.mutual_information,
        bitsieve.conditional_mutual_information_matrix,
        bitsieve.mutual_information_matrix,
    ):
        assert measure(path, "y").tobytes() == measure(X, y).tobytes()
    found, expected = (bitsieve.entropy(data, binning="quantile") for data in (path, X))
    assert found.tobytes() == expected.tobytes()


def test_a_spool_is_used_again(path, tmp_path, monkeypatch):
    calls, read = [], libsvm._read_rows
    monkeypatch.setattr(libsvm, "_read_rows", lambda *of: calls.append(1) or read(*of))
    for method in ("mrmr", "jmi"):
        how = {"method": method, "n_features_to_select": 3}
        assert_equal(bitsieve.select(path, spool=tmp_path / "spool", **how), bitsieve.select(path, **how))
    assert len(calls) == 1
    assert len(list((tmp_path / "spool").iterdir())) == 1


def test_nothing_is_left(path, tmp_path, monkeypatch):
    monkeypatch.setattr(spools.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    bitsieve.select(path, memory="1MB")
    assert list((tmp_path / "temporary").iterdir()) == []


KILLED = """
import sys, time
import bitsieve
from bitsieve.utils.progress import listening
def slow(progress):
    if str(progress).startswith({phase!r}):
        print("here", flush=True)
        time.sleep(60)
with listening(slow):
    bitsieve.select({data!r}, spool={spool!r})
"""


@pytest.mark.parametrize(
    "phase",
    quick_and_slow(
        ["encoding", "reading", "reading, 100", "sorting by column, 100"],
        quick=(),
        reason="one process is killed in test_spool",
    ),
)
def test_a_killed_run_leaves_nothing_that_is_trusted(path, tmp_path, phase):
    spool = tmp_path / "spool"
    code = KILLED.format(phase=phase, data=str(path), spool=str(spool))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "here\n"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    left = [folder.suffix for folder in spool.iterdir()]
    assert sorted(left) == (["", ".part"] if phase == "encoding" else [".part", ".part"])
    assert_equal(bitsieve.select(path, spool=spool), bitsieve.select(path))
    assert [folder.suffix for folder in spool.iterdir()] == [""]


def test_progress(path):
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        bitsieve.select(path, memory="1MB")
    phases = list(dict.fromkeys(what.partition(",")[0] for what in heard))
    assert phases[:-1] == ["reading", "sorting by column", "binning", "encoding", "counting", "ranking"]
    assert phases[-1] == "shuffling the target"
    assert "reading, 100 %" in heard
    assert "sorting by column, 100 %" in heard
    assert len([what for what in heard if what.startswith("reading, ")]) > 3


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match=r"^there is no file '.*none.libsvm'"):
        bitsieve.select(tmp_path / "none.libsvm", memory="1MB")


def test_where_batches_of_columns_are_needed(path, tmp_path):
    with pytest.raises(ValueError, match="is a libsvm file, which is not read in batches of columns: give its path"):
        open_columns(path)
    (tmp_path / "folder").mkdir()
    os.link(path, tmp_path / "folder" / "rows.txt")
    with pytest.raises(ValueError, match=r"rows.txt' is a libsvm file, which is not read in batches of columns"):
        bitsieve.select(tmp_path / "folder", "y")
