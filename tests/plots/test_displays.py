"""Displays draw the numbers of the selection, from a selection or a fitted selector alike."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import bitsieve
from bitsieve import (
    CurveDisplay,
    DendrogramDisplay,
    ForwardSelector,
    RankingDisplay,
    RedundancyDisplay,
    ReliefF,
)
from bitsieve.plots import figure_files
from bitsieve.plots.figures import new_axes
from bitsieve.plots.panel import Panel, draw_panel

pandas = pytest.importorskip("pandas")

DISPLAYS = [RankingDisplay, RedundancyDisplay, DendrogramDisplay, CurveDisplay]


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
    expected = bitsieve.mutual_information_matrix(X[display.names], y, estimator="corrected")
    assert display.shared.tolist() == expected.tolist()
    assert len(display.ax_.texts) == 12  # every pair, but not the diagonal


def test_the_map_has_alike_features_side_by_side():
    shared = np.array([[0, 0.1, 0.9, 0.1], [0.1, 0, 0.1, 0.8], [0.9, 0.1, 0, 0.1], [0.1, 0.8, 0.1, 0]])
    display = RedundancyDisplay(list("abcd"), shared).plot()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert {frozenset(labels[:2]), frozenset(labels[2:])} == {frozenset(["1: a", "3: c"]), frozenset(["2: b", "4: d"])}
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == [label[0] for label in labels]


def test_zero_has_no_sign():
    shared = np.array([[0, -0.001], [-0.001, 0]])
    assert [text.get_text() for text in RedundancyDisplay(["a", "b"], shared).plot().ax_.texts] == ["0.00", "0.00"]


def test_the_limit_of_chance_is_drawn(iris):
    display = RankingDisplay.from_selection(bitsieve.select(*iris, n_features_to_select=3, binning="quantile"))
    positions = [line.get_xdata()[0] for line in display.ax_.get_lines()]
    assert positions == [display.class_entropy, display.chance.best_high]


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
    monkeypatch.setattr(figure_files, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="figures need matplotlib"):
        RankingDisplay.from_estimator(selector, X, y)


def test_columns_that_are_alike_join_first():
    random = np.random.default_rng(0)
    first, other = random.integers(0, 4, (2, 400))
    near = np.where(random.random(400) < 0.1, random.integers(0, 4, 400), first)
    X = np.column_stack([first, other, near, np.zeros(400, int)])
    display = bitsieve.select(X, first % 2, n_features_to_select=2, binning="none", method="mim").plot("dendrogram")
    assert display.names == ["x0", "x2", "x1"]  # a constant that is not selected is alike to nothing
    entropy = bitsieve.entropy(X, binning="none")
    shared = bitsieve.mutual_information_matrix(X, binning="none")
    # One division and one sum of floats in another order.
    assert display.distances[0, 1] == pytest.approx(1 - 2 * shared[0, 2] / (entropy[0] + entropy[2]), abs=1e-12)
    joins = sorted(max(line.get_xdata()) for line in display.ax_.get_lines())
    assert joins[0] == pytest.approx(display.distances[0, 1], abs=1e-12)
    assert joins[1] == pytest.approx(display.distances[2, :2].mean(), abs=1e-12)
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert sorted(labels) == ["1: x0", "2: x2", "x1"]
    assert abs(labels.index("1: x0") - labels.index("2: x2")) == 1


@pytest.mark.parametrize("kind", ["ranking", "redundancy", "dendrogram", "curve"])
def test_a_selection_draws_itself(iris, kind):
    for k in (1, 3):
        display = bitsieve.select(*iris, n_features_to_select=k).plot(kind)
        assert display.figure_.axes
    with pytest.raises(ValueError, match="kind='pie' is not"):
        bitsieve.select(*iris, n_features_to_select=2).plot("pie")


def test_a_comparison_draws_its_errors(iris):
    comparison = bitsieve.compare(*iris, methods=["mim", "jmi"], features=[1, 2, 3], classifier="ncm", folds=3)
    ax = comparison.plot()
    drawn = [line.get_ydata().tolist() for line in ax.get_lines() if len(line.get_ydata()) == 3]
    assert drawn == (100 * comparison.rates).tolist()
    for band, rates, spread in zip(ax.collections, comparison.rates, comparison.standard_errors, strict=True):
        outline = band.get_paths()[0].vertices[:, 1]
        assert outline.max() == (100 * rates + 100 * spread).max()
        assert outline.min() == (100 * rates - 100 * spread).min()
    assert comparison.plot(ax) is ax


@pytest.mark.parametrize("binning", ["mdl", "uniform"])  # values on an edge belong below it, and above it
def test_a_quantity_over_each_feature(binning):
    random = np.random.default_rng(0)
    frame = pandas.DataFrame({"x": random.integers(0, 40, 400) / 8, "letter": list("abbc") * 100})
    frame.loc[3, "x"] = np.nan
    y = (frame["x"].fillna(0) + 0.1 * random.normal(size=400)).rename("y")
    binner = {"mdl": bitsieve.MDLBinner, "uniform": bitsieve.EqualWidthBinner}[binning](missing="bin")
    selection = bitsieve.select(frame, y, n_features_to_select=2, method="mim", binning=binner)
    display = selection.plot("target")
    assert [panel.name for panel in display.panels] == ["x", "letter"]
    number, letter = display.panels
    fitted = selection.selector.binner_
    codes = np.asarray(fitted.transform(frame))[:, 0]
    assert number.edges.tolist() == fitted.bin_edges_[0].tolist()
    wanted = [np.median(y[codes == code]) for code in range(len(number.edges) + 1)]
    assert number.medians.tolist() == wanted
    assert letter.medians.tolist() == [np.median(y[frame["letter"] == of]) for of in "abc"]
    panels = display.ax_.child_axes
    assert [panel.get_title() for panel in panels] == ["1: x", "2: letter"]
    assert len(panels[0].lines) == 1 + len(number.edges)
    assert len(panels[0].lines[0].get_xdata()) == 300
    assert [label.get_text() for label in panels[1].get_xticklabels()] == ["a", "b", "c"]


def test_classes_have_no_values_to_draw(iris):
    with pytest.raises(ValueError, match="target 'target' is no quantity whose rows are in memory"):
        bitsieve.select(*iris, n_features_to_select=1).plot("target")


def test_labels_of_many_categories_reach_the_last():
    panel = Panel("letter", np.arange(11.0), np.arange(11.0), np.arange(10) + 0.5, list("abcdefghijk"))
    ax = new_axes((3, 2))
    draw_panel(ax, panel)
    assert [label.get_text() for label in ax.get_xticklabels()] == list("acegik")
    assert ax.get_xticks().tolist() == [0, 2, 4, 6, 8, 10]
