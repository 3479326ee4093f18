"""Weights in the order of the ranking, the selected ones marked; similarities reordered, one frame a cluster."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError

import bitsieve.plots.figure_files as figure_files
from bitsieve import (
    DominantSetClusters,
    ForwardSelector,
    SpecCMI,
    StabilitySelector,
    plot_similarity,
    plot_stability,
    plot_weights,
)


@pytest.fixture(scope="module")
def fitted():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return SpecCMI(6, refine="swap").fit(X, y)


def test_lines_are_the_weights(fitted):
    ax = plot_weights(fitted)
    by_rank = fitted.weights_[np.argsort(fitted.ranking_)]
    chosen, others = ax.get_lines()[:2]
    assert chosen.get_xdata().tolist() == [1, 2, 3, 4, 5, 6]
    assert chosen.get_ydata().tolist() == by_rank[:6].tolist() == fitted.weights_[fitted.selected_].tolist()
    assert others.get_xdata().tolist() == list(range(7, 31))
    assert others.get_ydata().tolist() == by_rank[6:].tolist()
    assert ax.get_xlabel() == "rank"
    assert ax.get_ylabel() == "weight (no unit)"
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told == [f"6 selected, x'Qx = {fitted.objective_:.4g} bits", "24 others"]


def test_names(fitted):
    named = [text.get_text().strip() for text in plot_weights(fitted, n_names=3).texts]
    assert named == fitted.feature_names_in_[fitted.selected_[:3]].tolist()
    assert not plot_weights(fitted, n_names=0).texts
    assert len(plot_weights(fitted, n_names=50).texts) == 30
    X, y = load_breast_cancer(return_X_y=True)
    without = SpecCMI(2).fit(X, y)
    assert [t.get_text().strip() for t in plot_weights(without, n_names=1).texts] == [f"x{without.selected_[0]}"]


def test_own_axes_and_a_name_with_signs(fitted, tmp_path):
    ax = Figure().add_subplot()
    assert plot_weights(fitted, ax=ax) is ax
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X.columns = [f"${name}_^" for name in X.columns]
    ax = plot_weights(SpecCMI(1).fit(X, y))
    ax.figure.savefig(tmp_path / "figure.svg")
    assert "$worst" in (tmp_path / "figure.svg").read_text()


def test_everything_selected(make_table):
    codes, classes = make_table(60, 4, seed=0)
    ax = plot_weights(SpecCMI(4, binning="none").fit(codes, classes))
    assert [text.get_text()[:10] for text in ax.get_legend().get_texts()] == ["4 selected"]


def test_many_features_are_drawn_on_a_logarithmic_axis(make_table, tmp_path):
    codes, classes = make_table(60, 400, seed=1)
    ax = plot_weights(SpecCMI(10, binning="none").fit(codes, classes))
    assert ax.get_xscale() == "log"
    assert ax.get_xlim()[0] > 0
    ax.figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_mistakes(fitted, monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="ForwardSelector chooses without weights: give a fitted global method"):
        plot_weights(ForwardSelector(2).fit(X, y))
    with pytest.raises(NotFittedError):
        plot_weights(SpecCMI(2))
    with pytest.raises(ValueError, match="n_names=-1 is not allowed: give a whole number from 0 to 50"):
        plot_weights(fitted, n_names=-1)
    monkeypatch.setattr(figure_files, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"not installed: pip install 'bitsieve\[report\]'"):
        plot_weights(fitted)


pytest.importorskip("matplotlib")


def test_blocks():
    X, _ = load_breast_cancer(return_X_y=True, as_frame=True)
    clusters = DominantSetClusters(similarity="rho").fit(X)
    axes = plot_similarity(clusters)
    shown = np.asarray(axes.images[0].get_array())
    order = [X.columns.get_loc(label.get_text()) for label in axes.get_yticklabels()]
    assert sorted(order) == list(range(30))
    assert shown.tolist() == clusters.similarity_matrix_[np.ix_(order, order)].tolist()
    sizes = [len(group) for group in clusters.groups_]
    assert [int(patch.get_width()) for patch in axes.patches] == [size for size in sizes if size > 1]
    begins = np.concatenate([[0], np.cumsum(sizes)])
    for label, group in enumerate(clusters.groups_):
        assert sorted(order[begins[label] : begins[label + 1]]) == sorted(group.tolist())
    assert plot_similarity(clusters, ax=axes) is axes


def test_what_is_refused():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="kept no matrix of similarities"):
        plot_similarity(DominantSetClusters(similarity="rho", memory="1KB").fit(X))
    with pytest.raises(ValueError, match="kept no matrix of similarities"):
        plot_similarity(ForwardSelector(2).fit(X[:, :4], y))


def test_the_bound_of_stability_has_its_condition():
    X, y = load_breast_cancer(return_X_y=True)
    stable = StabilitySelector(ForwardSelector(3), n_pairs=3).fit(X, y)
    (bound,) = [text.get_text() for text in plot_stability(stable).get_legend().get_texts()]
    k = len(stable.selected_)
    assert bound == f"{k} selected, at most {stable.expected_false_:.2g} false expected if noise is alike"
