"""The tree of the columns as users have it: likelihood, check, picture, mistakes."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import bitsieve


def chain(seed=0, n_samples=600, n_columns=8, agree=0.7):
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (n_samples, n_columns))
    for column in range(1, n_columns):
        X[:, column] = np.where(random.random(n_samples) < agree, X[:, column - 1], X[:, column])
    return X


def test_the_likelihood_is_that_of_the_shares_of_the_table():
    X = chain()
    tree = bitsieve.chow_liu_tree(X, binning="none")
    bits = 0.0
    for row in X:
        for column, parent in tree.forest.parents:
            same = np.ones(len(X), bool) if parent < 0 else X[:, parent] == row[parent]
            bits += np.log2((X[same, column] == row[column]).mean())
    assert tree.log_likelihood == pytest.approx(bits, rel=1e-10)  # 4,800 logarithms
    alone = sum(np.log2((X[:, column] == row[column]).mean()) for row in X for column in range(8))
    assert tree.independent == pytest.approx(alone, rel=1e-10)
    assert tree.bits.tolist() == [
        bitsieve.mutual_information_matrix(X, binning="none")[i, j] for i, j in tree.edges.tolist()
    ]


def test_it_is_the_same_for_a_frame_and_a_permuted_table():
    X = chain()
    order = np.random.default_rng(0).permutation(8)
    tree = bitsieve.chow_liu_tree(pd.DataFrame(X, columns=list("abcdefgh")), binning="none")
    other = bitsieve.chow_liu_tree(X[:, order], binning="none", n_jobs=3)
    assert {frozenset(edge) for edge in order[other.edges].tolist()} == {
        frozenset(edge) for edge in tree.edges.tolist()
    }
    assert tree.neighbours[:2] == [["b"], ["a", "c"]]


def test_a_true_tree_passes_its_check_and_a_triangle_fails():
    check = bitsieve.chow_liu_tree(chain(), binning="none").check()
    assert check.gain > 1
    assert check.p > 0.05
    random = np.random.default_rng(1)
    x, y = random.integers(0, 2, (2, 500))
    hub = np.column_stack(
        [x, y, (x + y + (random.random(500) < 0.1)) % 2, x]
    )  # each pair of three determines the third
    found = bitsieve.chow_liu_tree(np.column_stack([hub[:, 0] + hub[:, 1], hub[:, :3]]), binning="none").check()
    assert found.p < 1e-6
    assert found.bits > 0.1


def test_conditional_bits_of_the_check_are_those_of_the_engine():
    X = chain(2, 300, 5)
    tree = bitsieve.chow_liu_tree(X, binning="none", chain=True)
    check = tree.check()
    i, j = (tree.names.index(name) for name in check.pair)
    given = X[:, [k for k in range(5) if [min(i, k), max(i, k)] in tree.edges.tolist()]]
    joint = np.unique(given, axis=0, return_inverse=True)[1].reshape(-1)
    pair = np.column_stack([X[:, j], joint])
    bits = bitsieve.conditional_mutual_information_matrix(pair, X[:, i], binning="none")[0, 1]
    assert check.bits == pytest.approx(bits, rel=1e-9)  # float sums of some dozens of terms


def test_columns_without_dependence_have_no_edge():
    tree = bitsieve.chow_liu_tree(chain(agree=0.0), binning="none")
    assert len(tree.edges) == 0
    assert tree.log_likelihood == tree.independent
    assert "8 columns, 0 edges" in str(tree)
    assert tree.check().gain == 0


def test_blocks_are_labels_of_any_kind():
    X = chain()
    numbers = bitsieve.chow_liu_tree(X, blocks=[0, 0, 0, 1, 1, 2, 2, 2], binning="none")
    labels = bitsieve.chow_liu_tree(X, blocks=[None, None, None, "a", "a", (1, 2), (1, 2), (1, 2)], binning="none")
    made = bitsieve.chow_liu_tree(X, blocks=(label for label in "aaabbccc"), binning="none")
    assert (
        made.edges.tolist()
        == numbers.edges.tolist()
        == labels.edges.tolist()
        == [[0, 1], [1, 2], [3, 4], [5, 6], [6, 7]]
    )


def test_constant_columns_are_drawn_and_one_row_has_no_halves():
    mpl.use("Agg")
    ax = bitsieve.chow_liu_tree(np.zeros((20, 3)), level=1).plot()
    assert [line.get_linewidth() for line in ax.lines] == [0.5, 0.5]
    with pytest.raises(ValueError, match="at least two rows"):
        bitsieve.chow_liu_tree(chain()[:1], binning="none").check()


def test_it_is_shown_and_drawn():
    mpl.use("Agg")
    tree = bitsieve.chow_liu_tree(chain(), binning="none")
    assert "x1" in str(tree)
    ax = tree.plot()
    assert len(ax.lines) == len(tree.edges) == 7
    assert [text.get_text().strip() for text in ax.texts] == tree.names


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"blocks": [0, 1]}, "blocks has 2 values for 8 columns"),
        ({"blocks": 3}, "blocks are labels, one a column"),
        ({"blocks": np.zeros((8, 2))}, "blocks are labels, one a column"),
        ({"level": 2}, "level"),
        (
            {"binning": "mdl"},
            "a tree of the columns has none: give 'quantile', 'uniform', 'none'",
        ),
        ({"chain": "yes"}, "chain"),
    ],
)
def test_mistakes(given, message):
    with pytest.raises(ValueError, match=message):
        bitsieve.chow_liu_tree(chain() + 0.5, **given)
