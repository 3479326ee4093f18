"""The paper's synthetic experiment, and the frame of the table of parity."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bitsieve import VMI
from papers.gao2016 import ITEMS, agreeing, make_tree_model
from papers.item import Options


@pytest.mark.parametrize("seed", [0, 1])
def test_first_the_children_then_the_bound_falls(seed):
    """What the paper's figure 3 shows: x1, x2, x3, and no more; by information alone x1, x4, x5."""
    X, y = make_tree_model(random_state=seed)
    fitted = VMI(9, binning=None, n_jobs=-1).fit(X, y)
    assert fitted.selected_[:3].tolist() == [0, 1, 2]
    assert int(np.argmax(fitted.scores_)) == 2
    assert (np.diff(fitted.scores_[2:]) < 0).all()
    assert fitted.alone_[[3, 4]].min() > fitted.alone_[1]


def test_figure_3_in_words():
    text = ITEMS["figure 3"].run(Options()).text
    assert "greatest after 3 features, x1, x2, x3." in text
    assert "MIM: the three greatest I(xi;y) are those of x1, x4, x5." in text


def test_agreeing():
    assert agreeing([1, 2, 3], [1, 2, 3]) == 3
    assert agreeing([1, 2, 4, 5], [1, 2, 3, 5]) == 2
    assert agreeing([], []) == 0


def test_parity_needs_the_data(tmp_path):
    with pytest.raises(ValueError, match="give the directory that holds it by --data-dir"):
        ITEMS["table parity"].run(Options())
    with pytest.raises(ValueError, match=r"there is no lung_d3\.npz in"):
        ITEMS["table parity"].run(Options(data_dir=tmp_path))
    np.savez(tmp_path / "lung_d3.npz", X=np.zeros((2, 3)), y=np.zeros(2))
    with pytest.raises(ValueError, match="holds 2 x 3 values, the lung data has 73 x 325"):
        ITEMS["table parity"].run(Options(data_dir=tmp_path))


def test_parity_on_other_data_agrees_nowhere_but_by_chance(tmp_path):
    random = np.random.default_rng(0)
    np.savez(tmp_path / "lung_d3.npz", X=2 * random.integers(-1, 2, (73, 325)), y=np.arange(73) % 7 + 1)
    text = ITEMS["table parity"].run(Options(data_dir=tmp_path)).text
    assert re.search(r"^naive +0 of 100 ", text, re.MULTILINE)
