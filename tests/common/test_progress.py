"""The phases of a job reach the listener of its own context and no other."""

from __future__ import annotations

import threading

import pytest
from sklearn.datasets import load_iris

import bitsieve
from bitsieve.common.progress import listening, phase


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
    with listening(heard.append):
        bitsieve.select(X, y, method=method, n_features_to_select=2)
    assert heard == ["reading", "binning", "binning, 100 %", "counting", *ranking]


def test_without_a_listener_nothing_happens():
    heard = []
    with listening(heard.append):
        phase("first")
    phase("second")
    assert heard == ["first"]


def test_another_thread_is_not_heard():
    heard = []
    with listening(heard.append):
        other = threading.Thread(target=phase, args=("other",))
        other.start()
        other.join()
    assert heard == []


def test_the_time_left_is_told_once_a_phase_lasts(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("bitsieve.common.progress.time.monotonic", lambda: now[0])
    heard = []
    with listening(heard.append):
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
