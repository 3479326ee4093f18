"""The tree model and its information by quadrature, the paper's experiment, the frame of the table of parity."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from tests.cover import quick_and_slow

from bitsieve import VMI
from papers import gao2016_errors
from papers.command import main
from papers.gao2016 import ITEMS, PARENTS, SLOPES, agreeing, make_tree_model, tree_model_information
from papers.item import Options


@pytest.mark.parametrize("seed", quick_and_slow([0, 1], quick={0}, reason="another table"))
def test_first_the_children_then_the_bound_falls(seed):
    """What the paper's figure 3 shows: x1, x2, x3, and no more; by information alone x1, x4, x5."""
    X, y = make_tree_model(random_state=seed)
    fitted = VMI(9, on_plateau="continue", binning=None, n_jobs=-1).fit(X, y)
    assert fitted.selected_[:3].tolist() == [0, 1, 2]
    assert int(np.argmax(fitted.scores_)) == 2
    assert (np.diff(fitted.scores_[2:]) < 0).all()
    assert fitted.alone_[[3, 4]].min() > fitted.alone_[1]


@pytest.mark.slow("as test_first_the_children_then_the_bound_falls, with the words of the program")
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


# Nats, to four or five digits.
KNOWN = [0.11142, 0.05267, 0.02410, 0.05888, 0.05888, 0.02703, 0.02703, 0.01220, 0.01220]


def test_seeded():
    X, y = make_tree_model(50, random_state=3)
    again, labels = make_tree_model(50, random_state=np.random.default_rng(3))
    assert X.tobytes() == again.tobytes()
    assert y.tolist() == labels.tolist()
    assert make_tree_model(50, random_state=4)[0].tobytes() != X.tobytes()


def test_moments():
    X, y = make_tree_model(200_000, random_state=0)
    # Means and covariances of 100,000 normal numbers err by some 0.006; five times that.
    assert np.abs(X[y == 0].mean(axis=0)).max() <= 0.03
    slopes = [*SLOPES, *(SLOPES[parent] for parent in PARENTS)]
    assert np.abs(X[y == 1].mean(axis=0) - slopes).max() <= 0.03
    expected = np.eye(9)
    for child, parent in enumerate(PARENTS, 3):
        expected[child, child] = 2
        expected[child, parent] = expected[parent, child] = 1
        for other, shared in enumerate(PARENTS, 3):
            if other != child and shared == parent:
                expected[child, other] = 1
    assert np.abs(np.cov(X[y == 1].T) - expected).max() <= 0.05


def test_information():
    found = tree_model_information()
    assert np.abs(found * np.log(2) - KNOWN).max() <= 6e-6  # they are given to 5 digits

    def term(x):
        own, other = norm.pdf(x), norm.pdf(x, SLOPES[1])
        return own * np.log2(2 * own / (own + other))

    assert abs(found[1] - quad(term, -12, 13, epsabs=1e-12)[0]) <= 1e-9  # the integrator's tails


def test_no_samples():
    with pytest.raises(ValueError, match=r"^n_samples=0 is not allowed: give a whole number from 1$"):
        make_tree_model(0)


@pytest.mark.slow("eight methods one after the other")
def test_errors_are_saved_method_by_method(tmp_path, monkeypatch, capsys):
    random = np.random.default_rng(0)
    y = np.arange(12) % 2
    np.savez(tmp_path / "krvskp.npz", X=(random.random((12, 11)) < 0.3 + 0.4 * y[:, None]).astype(np.int64), y=y)
    path = tmp_path / "errors.json"
    n_saved = []

    def compared_and_counted(options, table, methods, protocol, features):
        n_saved.append(len(json.loads(path.read_bytes())["parts"]) if path.exists() else 0)
        return compared(options, table, methods, protocol, features)

    compared = gao2016_errors.compared
    monkeypatch.setattr(gao2016_errors, "compared", compared_and_counted)
    words = ["gao2016", "--table", "errors", "--sets", "krvskp", "--data-dir", str(tmp_path), "--output", str(path)]
    assert main([*words, "--threads", "1"]) == 0
    assert n_saved == [*range(8)]
    document = json.loads(path.read_bytes())
    assert document["finished"]
    *parts, last = document["parts"]
    assert {part["method"]: part["error"] for part in parts} == last["errors"]
    assert [*last["errors"]] == [*gao2016_errors.METHODS]
    assert "krvskp, VMI naive: " in capsys.readouterr().out
