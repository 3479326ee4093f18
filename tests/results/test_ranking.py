"""A ranking as text."""

from __future__ import annotations

from sklearn.datasets import load_iris

import bitsieve


def test_features_are_numbered_from_one():
    X, y = load_iris(return_X_y=True, as_frame=True)
    lines = str(bitsieve.select(X, y, n_features_to_select=4)).splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["1", "2", "3", "4"]


def test_a_page_has_a_figure_and_names_the_unit():
    X, y = load_iris(return_X_y=True, as_frame=True)
    selection = bitsieve.select(X, y)
    assert "<svg" in selection._repr_html_()
    assert "relevance (bits)" in str(selection)
