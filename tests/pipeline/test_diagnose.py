"""What the notes on a selection say."""

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.utils.terminal_text import number


def test_a_method_that_ends_early_is_named_as_it_was_asked_for():
    random = np.random.default_rng(0)
    signal = random.normal(size=80)
    X = np.column_stack([signal, signal, signal, random.normal(size=80)])
    for method in ("fgm", "gdm", "fcbf"):
        selection = bitsieve.select(X, signal > 0, method=method, n_features_to_select=4)
        messages = [note.message for note in selection.diagnostics if note.code == "fewer-selected"]
        assert all(message.startswith(f"{method} selected") for message in messages)
        assert "GDM" not in " ".join(selection.notes)
    assert messages  # fcbf drops the copies


@pytest.mark.parametrize("binning", ["mdl", "quantile"])
def test_a_selector_that_takes_no_column_says_why_as_select_does(binning):
    X = pd.DataFrame(np.random.default_rng(1).normal(size=(100, 5)), columns=list("abcde"))
    y = np.arange(100) % 2
    selector = bitsieve.ForwardSelector(n_features_to_select="auto", binning=binning)
    with pytest.warns(bitsieve.BitsieveWarning) as caught:
        selector.fit(X, y)
    assert not len(selector.selected_)
    with pytest.warns(bitsieve.BitsieveWarning):
        selection = bitsieve.select(X, y, method="jmi", n_features_to_select="auto", binning=binning)
    (why,) = [str(note) for note in selection.diagnostics if note.code in ("stopped-at", "nothing-left")]
    assert [str(warning.message) for warning in caught] == [why.replace("'target'", "'y'")]


@pytest.mark.parametrize("method", ["cmim", "cmi"])
def test_ties_after_a_copy_of_the_target_go_to_the_lower_column_and_are_named(method):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 400)
    frame = pd.DataFrame({"copy": y, "noise": random.normal(size=400), "signal": random.normal(size=400) + y})
    selection = bitsieve.select(frame, y, method=method, binning="quantile")
    assert selection.features == ["copy", "noise", "signal"]
    (tied,) = [note for note in selection.diagnostics if note.code == "tied-scores"]
    assert tied.columns == ("noise", "signal")
    by_relevance = bitsieve.select(frame, y, method="mim", binning="quantile")
    assert by_relevance.features == ["copy", "signal", "noise"]
    for name, relevance in zip(by_relevance.features[1:], by_relevance.relevance[1:], strict=True):
        assert f"{name!r} {number(relevance)}" in tied.message
    in_order = bitsieve.select(frame[["copy", "signal", "noise"]], y, method=method, binning="quantile")
    assert in_order.features == by_relevance.features
    assert not [note for note in in_order.diagnostics if note.code == "tied-scores"]


def test_values_of_a_column_that_differ_in_case_or_blanks_are_named():
    cities = np.array([" Bern", "Bern", "bern", "Graz", "GRAZ", "Rome"] * 7)[:40]
    table = pd.DataFrame({"city": cities, "shop": np.array(["a", "b"] * 20), "y": np.arange(40) // 20})
    (note,) = [n for n in bitsieve.select(table, "y", verbose=False).diagnostics if n.code == "values-alike"]
    assert note.columns == ("city",)
    assert "' Bern', 'Bern', 'bern'" in note.message
    assert "'Graz'" in note.message
    assert "'GRAZ'" in note.message
    assert "Rome" not in note.message


def test_a_column_that_was_excluded_has_no_note_on_its_values():
    table = pd.DataFrame({"city": ["Bern", "bern"] * 20, "x": np.arange(40) % 3, "y": np.arange(40) // 20})
    selection = bitsieve.select(table, "y", exclude=["city"], verbose=False)
    assert "values-alike" not in {note.code for note in selection.diagnostics}
