"""The figure of clusters shows the similarities reordered, one frame a cluster."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from bitsieve import DominantSetClusters, ForwardSelector, plot_similarity

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
        plot_similarity(ForwardSelector(2).fit(X, y))
