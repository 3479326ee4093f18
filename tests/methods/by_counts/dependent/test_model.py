"""The distribution of a tree, and that its knockoffs are exact: all cases of a few columns, one by one."""

from itertools import product

import numpy as np
import pytest

from bitsieve.methods.by_counts.dependent.forest import Forest
from bitsieve.methods.by_counts.dependent.model import SMOOTHING, TreeModel, draw

TREES = [[[0, 1], [1, 2], [2, 3]], [[0, 1], [1, 2], [1, 3]], [[0, 3], [1, 3], [2, 3]], [[0, 3], [1, 3]], []]


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
