"""Trees with the class at the root: what is chosen tells as much as any set of its size, and all that there is.

The theorem of the paper's appendix B. Given the class its children are independent, so the bound is I(x_S;y) while
S holds children only; a deeper feature tells no more than the child above it, and nothing beside that child. So the
children come first, the bound is then I(x;y) of all features, and it grows no more.

The samples hold every state of the tree as often as its probability says, so that shares are the probabilities.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from bitsieve.methods.by_samples.variational.bounds import variational_select
from bitsieve.methods.by_samples.variational.codes import CodeTable, NaiveBound, PairwiseBound

SCALE = 5  # probabilities are fifths
# Parents of the features, -1: the class.
TREES = {
    "three with a child each": (-1, -1, -1, 0, 1, 2),
    "two, one with two": (-1, 0, 0, -1),
    "a chain and a child": (-1, 0, 1, 2, -1),
    "children before parents": (2, 3, -1, -1, 2),
}
ROUNDING = 1e-11  # bits: sums of 60,000 logarithms, 2^x of 4e-14, and those of the reference


def tree_samples(parents, seed):
    """All states, as often as they are probable, and their features' tables P(x = 1 | parent)."""
    random = np.random.default_rng(seed)
    ones = np.array([random.choice(np.arange(1, SCALE), 2, replace=False) for _ in parents])
    states, weights = [], []
    for y, *x in product((0, 1), repeat=len(parents) + 1):
        weight = 1
        for f, parent in enumerate(parents):
            one = ones[f, y if parent < 0 else x[parent]]
            weight *= one if x[f] else SCALE - one
        states.append([y, *x])
        weights.append(weight)
    return np.array(states), np.array(weights)


def information(states, weights, chosen):
    """I(x_S;y) from the distribution."""
    total = 0.0
    p = weights / weights.sum()
    groups = np.unique(states[:, [f + 1 for f in chosen]], axis=0, return_inverse=True)[1].reshape(-1)
    for group in range(groups.max() + 1):
        for y in (0, 1):
            joint = p[(groups == group) & (states[:, 0] == y)].sum()
            total += joint * np.log2(joint / (p[groups == group].sum() * p[states[:, 0] == y].sum()))
    return total


@pytest.mark.each_value
@pytest.mark.parametrize("kind", [NaiveBound, PairwiseBound])
@pytest.mark.parametrize("parents", TREES.values(), ids=TREES.keys())
@pytest.mark.parametrize("seed", range(4))
def test_children_of_the_class_are_chosen_and_are_the_best(kind, parents, seed):
    states, weights = tree_samples(parents, seed)
    samples = np.repeat(states, weights, axis=0)  # sorted by class, as product() runs
    table = CodeTable(samples[:, 1:].astype(np.uint8), np.bincount(samples[:, 0]).astype(np.int64), None)
    n_features = len(parents)
    children = [f for f, parent in enumerate(parents) if parent < 0]
    found = variational_select(kind(table), n_features, "stop")
    assert sorted(found.selected.tolist()) == children
    for size in range(1, len(children) + 1):
        exact = information(states, weights, found.selected[:size].tolist())
        assert abs(found.scores[size - 1] - exact) <= ROUNDING
    everything = information(states, weights, range(n_features))
    assert abs(found.scores[-1] - everything) <= ROUNDING
    others = [information(states, weights, subset) for subset in combinations(range(n_features), len(children))]
    assert max(others) <= found.scores[-1] + ROUNDING
    # Beyond them the bound never rises again.
    longer = variational_select(kind(table), n_features)
    assert (longer.scores <= everything + ROUNDING).all()
