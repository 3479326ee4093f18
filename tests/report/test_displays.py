"""Displays draw the numbers of the selection, from a selection or a fitted selector alike."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import bitsieve
from bitsieve import CurveDisplay, ForwardSelector, RankingDisplay, RedundancyDisplay, ReliefF
from bitsieve.report import figures

DISPLAYS = [RankingDisplay, RedundancyDisplay, CurveDisplay]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("display", DISPLAYS)
def test_from_a_selection_and_from_a_selector(iris, display):
    X, y = iris
    of_selection = display.from_selection(bitsieve.select(X, y, method="jmi", n_features_to_select=3))
    of_selector = display.from_estimator(ForwardSelector(3, criterion="jmi").fit(X, y), X, y)
    again = of_selector.plot()
    for one in (of_selector, again):
        assert one.figure_ is one.ax_.figure
        assert [t.get_text() for t in one.ax_.get_yticklabels()] == [
            t.get_text() for t in of_selection.ax_.get_yticklabels()
        ]


def test_own_axes(iris):
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    selector = ForwardSelector(2).fit(*iris)
    assert RankingDisplay.from_estimator(selector, *iris, ax=ax).ax_ is ax


def test_bars_are_the_contributions(iris):
    display = RankingDisplay.from_selection(bitsieve.select(*iris, n_features_to_select=3))
    found = display.contributions
    new, told, together = (np.array([bar.get_width() for bar in bars]) for bars in display.ax_.containers)
    np.testing.assert_allclose(new + told, found.relevance, atol=1e-12)
    np.testing.assert_allclose(told, found.redundancy, atol=1e-12)
    np.testing.assert_allclose(together, found.complementarity, atol=1e-12)
    assert (new >= -1e-12).all()


def test_cells_are_shared_information(iris):
    X, y = iris
    display = RedundancyDisplay.from_selection(bitsieve.select(X, y, n_features_to_select=4, method="mim"))
    expected = bitsieve.mutual_information_matrix(X[display.names], y)
    assert display.shared.tolist() == expected.tolist()
    assert len(display.ax_.texts) == 12  # every pair, but not the diagonal


def test_a_method_on_values_is_drawn_through_bins(iris):
    display = CurveDisplay.from_estimator(ReliefF(2).fit(*iris), *iris)
    line = display.ax_.get_lines()[0]
    assert line.get_ydata().tolist() == display.curve.joint.tolist()
    assert display.curve.n_selected == 2


def test_mistakes(iris, monkeypatch):
    X, y = iris
    selector = ForwardSelector(2).fit(X, y)
    with pytest.raises(NotFittedError):
        RankingDisplay.from_estimator(ForwardSelector(2), X, y)
    with pytest.raises(ValueError, match="X has 3 features, but ForwardSelector was fitted on 4"):
        RankingDisplay.from_estimator(selector, X.iloc[:, :3], y)
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="figures need matplotlib"):
        RankingDisplay.from_estimator(selector, X, y)
