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
    assert heard == ["reading", "binning", "counting", *ranking]


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
