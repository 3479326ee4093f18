"""The line that shows progress: a bar, what is done, the rate and the time left, on a terminal and in a notebook."""

from __future__ import annotations

import io
import time

import pytest

import bitsieve
from bitsieve.common import progress as ticker
from bitsieve.common.progress import Step, Ticker, bar, shown


class Terminal(io.StringIO):
    def isatty(self):
        return True


Notebook = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(ticker, "SILENCE", 0.0)
    monkeypatch.setattr(ticker, "EVERY", 0.01)


def test_a_bar_of_what_is_done():
    assert bar("counting") == "counting"
    assert bar(Step("ranking, 50 %", 1, 2, 0.1)) == f"[{'#' * 10}{'.' * 10}] ranking, 50 %, 1 of 2"
    assert bar(Step("ranking, 100 %", 3, 3, 1.5)).startswith(f"[{'#' * 20}] ranking, 100 %, 3 of 3, 2 a second")
    assert bar(Step("ranking, 0 %", 0, 0, 2.0)) == f"[{'.' * 20}] ranking, 0 %, 0 of 0"


@pytest.mark.parametrize("stream", [Terminal, Notebook])
def test_the_line_is_written_and_wiped(stream, impatient):
    out = stream()
    with Ticker(out) as line:
        line.phase("counting " + 300 * "x")
        while "counting" not in out.getvalue():
            time.sleep(0.01)
    text = out.getvalue()
    assert "\n" not in text
    assert max(map(len, text.split("\r"))) < 90
    assert text.split("\r")[-1].removeprefix("\x1b[K") == ""


def test_nothing_is_written_to_a_file(impatient):
    out = io.StringIO()
    with Ticker(out):
        time.sleep(0.03)
    assert out.getvalue() == ""


def test_verbose_shows_the_phases_of_select_and_compare(impatient, monkeypatch):
    out = Terminal()
    monkeypatch.setattr("sys.stderr", out)
    X, y = [[j % 2, j % 3] for j in range(40)], [j % 2 for j in range(40)]
    with shown(True):
        while "starting" not in out.getvalue():
            time.sleep(0.01)
    bitsieve.select(X, y, binning="none", verbose=True)
    bitsieve.compare(X, y, methods=["mim"], features=[1], classifier="ncm", folds=2, verbose=True)
    before = out.getvalue()
    bitsieve.select(X, y, binning="none")
    assert out.getvalue() == before
