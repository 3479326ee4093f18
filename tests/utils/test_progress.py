"""Phases reach the listener of their own context and no other; the line that shows them on a terminal."""

from __future__ import annotations

import io
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from sklearn.datasets import dump_svmlight_file, load_iris

import bitsieve
from bitsieve import _native
from bitsieve.utils import progress as ticker
from bitsieve.utils.progress import PhaseProgress, Ticker, bar, listening, phase, progress_bar


@pytest.mark.parametrize(
    ("method", "ranking"),
    [
        ("jmi", ["ranking", "ranking, 50 %", "ranking, 100 %"]),
        ("speccmi", ["counting pairs", "counting pairs, 100 %", "ranking"]),
    ],
)
def test_phases_of_a_selection(method, ranking):
    X, y = load_iris(return_X_y=True)
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        bitsieve.select(X, y, method=method, n_features_to_select=2)
    found = ["binning", "binning, 100 %", "encoding", "encoding, 100 %"]
    assert heard == ["reading", *found, "counting", *ranking]


def test_a_ranking_that_a_rule_ends_has_no_share_that_is_done():
    X, y = load_iris(return_X_y=True)
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        bitsieve.select(X, y, method="jmi", n_features_to_select="auto")
    ranking = [line for line in heard if line.startswith("ranking")]
    assert ranking[:2] == ["ranking", "ranking, 1"]
    assert not any("%" in line for line in ranking)


def write_csv(path, X, y):
    csv.write_csv(as_table(X, y), path)


def write_parquet(path, X, y):
    parquet.write_table(as_table(X, y), path)


def write_npz(path, X, y):
    np.savez(path, X=X, y=y)


def write_libsvm(path, X, y):
    dump_svmlight_file(X, y, str(path))


def as_table(X, y):
    return pa.table({**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "y": y})


@pytest.mark.parametrize(
    ("name", "write", "memory", "fit", "code"),
    [
        ("iris.csv", write_csv, None, "mdl_cuts", "code_by_cuts"),
        ("iris.parquet", write_parquet, None, "mdl_cuts", "code_by_cuts"),
        ("iris.npz", write_npz, None, "mdl_cuts", "code_by_cuts"),
        ("iris.libsvm", write_libsvm, None, "stored_mdl_cuts", "code_stored"),
        ("iris.parquet", write_parquet, "1GiB", "mdl_cuts", "code_by_cuts"),
    ],
)
def test_binning_and_encoding_use_all_threads_and_tell_how_far_they_are(
    name, write, memory, fit, code, tmp_path, monkeypatch
):
    X, y = load_iris(return_X_y=True)
    X = np.tile(X, 8)  # columns that lie side by side in rows are cut several at a time
    write(tmp_path / name, X, y)
    at_once = {work: threading.Barrier(2, timeout=60) for work in (fit, code)}  # one thread alone would wait in vain
    met = set()

    def meeting(work, native):
        def call(*given):
            others = [thread for thread in threading.enumerate() if thread.name.startswith("bitsieve ")]
            if others and work not in met:  # this thread works on blocks beside them
                at_once[work].wait()
                met.add(work)
            return native(*given)

        return call

    for work in (fit, code):
        monkeypatch.setattr(_native, work, meeting(work, getattr(_native, work)))
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        target = None if write is write_libsvm else "y"
        bitsieve.select(tmp_path / name, target, n_features_to_select=2, n_jobs=2, memory=memory)
    assert met == {fit, code}
    assert "binning, 100 %" in heard
    assert memory is not None or "encoding, 100 %" in heard


def test_without_a_listener_nothing_happens():
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        phase("first")
    phase("second")
    assert heard == ["first"]


def test_another_thread_is_not_heard():
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        other = threading.Thread(target=phase, args=("other",))
        other.start()
        other.join()
    assert heard == []


def test_the_time_left_is_told_once_a_phase_lasts(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("bitsieve.utils.progress.time.monotonic", lambda: now[0])
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        step = phase("ranking")
        for passed, done in ((1, 1), (10, 10), (10, 20), (100, 20), (100, 0), (40_000, 50)):
            now[0] = 100.0 + passed
            step(done, 100)
    assert heard == [
        "ranking",
        "ranking, 1 %",
        "ranking, 10 %, about 90 s left",
        "ranking, 20 %, about 40 s left",
        "ranking, 20 %, about 7 min left",
        "ranking, 0 %",
        "ranking, 50 %, about 11.2 h left",
    ]


class Terminal(io.StringIO):
    def isatty(self):
        return True


Notebook = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(ticker, "SILENCE", 0.0)
    monkeypatch.setattr(ticker, "REFRESH_INTERVAL", 0.01)


def test_a_bar_of_what_is_done():
    assert bar(PhaseProgress("counting")) == "counting"
    assert bar(PhaseProgress("counting", 1200)) == "counting, 1,200"
    assert bar(PhaseProgress("ranking", 1, 2, 0.1)) == f"[{'#' * 10}{'.' * 10}] ranking, 50 %, 1 of 2"
    assert bar(PhaseProgress("ranking", 3, 3, 1.5)).startswith(f"[{'#' * 20}] ranking, 100 %, 3 of 3, 2 a second")
    assert bar(PhaseProgress("ranking", 1440, 20000, 2.0)).endswith("1,440 of 20,000, 720 a second")
    assert bar(PhaseProgress("ranking", 3, 10, 40.0)).endswith("3 of 10, 13 s each")
    assert bar(PhaseProgress("ranking", 0, 0, 2.0)) == f"[{'.' * 20}] ranking, 0 %, 0 of 0"


@pytest.mark.parametrize("stream", [Terminal, Notebook])
def test_the_line_is_written_and_wiped(stream, impatient):
    out = stream()
    with Ticker(out) as line:
        line.show(PhaseProgress("counting " + 300 * "x"))
        while "counting" not in out.getvalue():
            time.sleep(0.01)
    text = out.getvalue()
    assert "\n" not in text
    assert max(map(len, text.split("\r"))) < 90
    assert text.split("\r")[-1].removeprefix("\x1b[K") == ""


def test_a_file_gets_a_line_from_time_to_time(impatient, monkeypatch):
    out = io.StringIO()
    with Ticker(out):
        time.sleep(0.03)
    assert out.getvalue() == ""  # ten seconds have not passed
    monkeypatch.setattr(ticker, "LINE_INTERVAL", 0.01)
    with Ticker(out) as line:
        line.show(PhaseProgress("comparing", 1, 2, 0.5))
        while out.getvalue().count("\n") < 2:
            time.sleep(0.01)
    last = out.getvalue().splitlines()[-1]
    assert last.startswith("bitsieve: [##########..........] comparing, 50 %, 1 of 2")
    assert last.endswith(" s")


def test_verbose_shows_the_phases_of_select_compare_and_how_many(impatient, monkeypatch):
    out = Terminal()
    monkeypatch.setattr("sys.stderr", out)
    X, y = [[j % 2, j % 3] for j in range(40)], [j % 2 for j in range(40)]
    with progress_bar(True):
        while "starting" not in out.getvalue():
            time.sleep(0.01)
    bitsieve.select(X, y, binning="none", verbose=True)
    bitsieve.compare(X, y, methods=["mim"], features=[1], classifier="ncm", folds=2, verbose=True)
    before = out.getvalue()
    bitsieve.how_many(X, y, classifier="ncm", folds=2, n_pairs=2, verbose=True)
    assert len(out.getvalue()) > len(before)
    before = out.getvalue()
    bitsieve.select(X, y, binning="none")
    assert out.getvalue() == before
