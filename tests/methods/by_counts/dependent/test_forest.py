"""The maximum spanning tree, beside all trees of a few columns; its distribution, and that its knockoffs are exact."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import chi2

from bitsieve.counts.packed import PackedSource
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.methods.by_counts.dependent.forest import (
    SMOOTHING,
    Forest,
    TreeModel,
    draw,
    maximum_spanning_tree,
    spanning_forest,
)

TREES = [[[0, 1], [1, 2], [2, 3]], [[0, 1], [1, 2], [1, 3]], [[0, 3], [1, 3], [2, 3]], [[0, 3], [1, 3]], []]


def is_tree(n, edges):
    parts = [{column} for column in range(n)]
    for i, j in edges:
        one, other = (next(part for part in parts if column in part) for column in (i, j))
        if one is other:
            return False
        parts.remove(other)
        one |= other
    return len(parts) == 1


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_best_of_all_trees_and_of_equal_ones_the_lowest(seed):
    random = np.random.default_rng(seed)
    n = 5
    weights = random.integers(0, 4, (n, n))
    weights = (weights + weights.T).astype(float)
    edges, bits = maximum_spanning_tree(weights)
    pairs = list(combinations(range(n), 2))
    trees = [tree for tree in combinations(pairs, n - 1) if is_tree(n, tree)]
    # Of equal weights the lower pair: what a greedy choice over (weight, pair) takes is the first by these keys.
    best = min(trees, key=lambda tree: sorted((-weights[pair], pair) for pair in tree))
    assert [tuple(edge) for edge in edges.tolist()] == sorted(best)
    assert bits.tolist() == [weights[pair] for pair in sorted(best)]


def test_a_large_one_has_the_weight_of_scipys():
    weights = np.random.default_rng(0).random((200, 200))
    weights = weights + weights.T
    edges, bits = maximum_spanning_tree(weights)
    assert len(edges) == 199
    theirs = minimum_spanning_tree(np.triu(3.0 - weights, 1)).sum()
    assert bits.sum() == pytest.approx(3.0 * 199 - theirs, rel=1e-12)  # sums of 199 floats


def chain(random, n_samples, n_columns, agree):
    X = random.integers(0, 3, (n_samples, n_columns))
    for column in range(1, n_columns):
        X[:, column] = np.where(random.random(n_samples) < agree, X[:, column - 1], X[:, column])
    return PlugInInformation(PackedSource(X.astype(np.uint8)))


def test_a_chain_is_found_and_noise_has_no_edge():
    information = chain(np.random.default_rng(1), 2000, 30, 0.6)
    forest = spanning_forest(information)
    assert forest.edges.tolist() == [[i, i + 1] for i in range(29)]
    same = spanning_forest(information, chain=True)
    assert same.edges.tolist() == forest.edges.tolist()
    assert same.bits.tolist() == forest.bits.tolist()
    noise = [chain(np.random.default_rng([2, seed]), 300, 10, 0.0) for seed in range(100)]
    assert (
        sum(len(spanning_forest(table).edges) > 0 for table in noise) <= 5 + 4 * 2.2
    )  # four standard errors above 5 %
    assert len(spanning_forest(noise[0], level=1.0).edges) == 9


def test_a_column_of_many_codes_takes_no_edge_of_others():
    X = np.random.default_rng(4).integers(0, 3, (400, 6))
    X[:, 1:4] = X[:, :1]  # I(id;X) = H(X): no dependence of other columns has more bits
    X[:, 5] = np.where(np.arange(400) < 280, X[:, 4], X[:, 5])
    X = np.column_stack([np.arange(400), X]).astype(np.uint16)
    forest = spanning_forest(PlugInInformation(PackedSource(X)))
    assert forest.edges.tolist() == [[1, 2], [1, 3], [1, 4], [5, 6]]


def test_of_equal_numbers_of_codes_it_is_the_tree_less_its_weak_edges():
    for seed in range(10):
        information = chain(np.random.default_rng([5, seed]), 300, 12, 0.2)
        tree, forest = (spanning_forest(information, level=level) for level in (1.0, 0.05))
        kept = np.isin(tree.bits, forest.bits)
        assert tree.edges[kept].tolist() == forest.edges.tolist()
        assert forest.bits.min(initial=np.inf) > tree.bits[~kept].max(initial=0.0)


@pytest.mark.parametrize("seed", range(8))
def test_edges_are_those_of_pairs_whose_p_is_small_for_all_pairs(seed):
    """By scipy's tail of chi-squared, times the pairs that are compared: of all columns, of blocks, of a chain."""
    random = np.random.default_rng(seed)
    X = np.stack([random.integers(0, arity, 80) for arity in (2, 3, 5, 2, 4, 3)], axis=1)
    X[:, 3], X[:, 4] = X[:, 0] ^ (random.random(80) < 0.35), (X[:, 1] + random.integers(0, 3, 80)) % 4
    information = PlugInInformation(PackedSource(X.astype(np.uint8)))
    bits, arities = np.asarray(information.matrix("redundancy")), X.max(axis=0) + 1
    blocks = np.array([0, 0, 1, 0, 0, 1])
    for of_blocks, along in ((None, False), (blocks, False), (None, True)):
        pairs = [(i, j) for i in range(6) for j in range(i + 1, 6)]
        pairs = [
            (i, j) for i, j in pairs if (of_blocks is None or blocks[i] == blocks[j]) and (not along or j == i + 1)
        ]
        p = {(i, j): chi2.sf(2 * 80 * np.log(2) * bits[i, j], (arities[i] - 1) * (arities[j] - 1)) for i, j in pairs}
        for level in (0.9, 0.3, 0.05):
            weights = np.full((6, 6), -np.inf)
            for (i, j), of_pair in p.items():
                if of_pair * len(pairs) <= level:
                    weights[i, j] = weights[j, i] = bits[i, j]
            found = spanning_forest(information, blocks=of_blocks, chain=along, level=level)
            assert found.edges.tolist() == maximum_spanning_tree(weights)[0].tolist()


def test_blocks_and_columns_left_out_share_no_edge():
    information = chain(np.random.default_rng(3), 1000, 12, 0.7)
    blocks = np.repeat([0, 1, 2], 4)
    for form in (False, True):
        edges = spanning_forest(information, blocks=blocks, chain=form).edges
        assert (blocks[edges[:, 0]] == blocks[edges[:, 1]]).all()
        assert len(edges) == 9
    some = np.array([0, 1, 5, 6, 7])
    assert np.isin(spanning_forest(information, some).edges, some).all()


def test_every_column_comes_after_its_parent():
    forest = Forest(7, np.array([[0, 3], [1, 3], [2, 5], [3, 4]]), np.ones(4))
    found = dict(forest.parents)
    places = {column: place for place, (column, _) in enumerate(forest.parents)}
    assert sorted(found) == list(range(7))
    assert [column for column, parent in found.items() if parent < 0] == [0, 2, 6]
    assert all(parent < 0 or places[parent] < places[column] for column, parent in found.items())
    assert [of.tolist() for of in forest.neighbours] == [[3], [3], [5], [0, 1, 4], [3], [2], []]


def model_of(edges, arities=(2, 3, 2, 2), seed=0):
    random = np.random.default_rng(seed)
    codes = np.array([random.integers(0, arity, 25) for arity in arities])
    forest = Forest(len(arities), np.array(edges, np.intp).reshape(-1, 2), np.zeros(len(edges)))
    return TreeModel(codes, np.array(arities), forest), codes


def joint_law(model):
    """P(x, x~) of every pair of rows, by the weights that the sampler draws from."""
    states = list(product(*(range(arity) for arity in model.arities.tolist())))
    law = {}
    for x, drawn in product(states, states):
        probability = 2 ** model.log_likelihood(np.array(x)[:, None])
        order = iter([column for column, _ in reversed(model.forest.parents)])

        def choose(weights, drawn=drawn, order=order):
            nonlocal probability
            code = drawn[next(order)]
            probability *= weights[code, 0] / weights[:, 0].sum()
            return np.array([code])

        model.knockoffs(np.array(x)[:, None], choose)
        law[x, drawn] = probability
    return law


@pytest.mark.parametrize("edges", TREES)
def test_knockoffs_are_exchangeable_in_every_pair(edges):
    model, _ = model_of(edges)
    law = joint_law(model)
    assert sum(law.values()) == pytest.approx(1.0, abs=1e-12)  # 576 floats
    for (x, drawn), probability in law.items():
        for column in range(len(x)):
            one, other = list(x), list(drawn)
            one[column], other[column] = other[column], one[column]
            # a product of at most a dozen floats, and 1e-17 is a millionth of the largest rounding of the sum
            assert law[tuple(one), tuple(other)] == pytest.approx(probability, rel=1e-12, abs=1e-17)


@pytest.mark.parametrize("edges", TREES)
def test_the_likelihood_is_the_product_of_smoothed_shares(edges):
    model, codes = model_of(edges)
    total = 0.0
    for column, parent in model.forest.parents:
        for row in range(codes.shape[1]):
            same = np.ones(codes.shape[1], bool) if parent < 0 else codes[parent] == codes[parent, row]
            count = (codes[column, same] == codes[column, row]).sum()
            total += np.log2((count + SMOOTHING) / (same.sum() + SMOOTHING * model.arities[column]))
    assert model.log_likelihood(codes) == pytest.approx(total, rel=1e-12)  # 100 logarithms


def test_codes_are_drawn_by_their_weights():
    weights = np.repeat([[1.0], [0.0], [3.0]], 40000, axis=1)
    shares = np.bincount(draw(np.random.default_rng(0), weights), minlength=3) / 40000
    assert shares[1] == 0
    assert abs(shares[2] - 0.75) < 5 * (0.75 * 0.25 / 40000) ** 0.5  # five standard errors
