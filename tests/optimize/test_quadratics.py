"""Both forms against the matrices they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.optimize.simplex_qp import DenseQuadratic, FactorQuadratic

RANDOM = np.random.default_rng(0)
FACTOR = RANDOM.standard_normal((700, 6))
DIAGONAL = (FACTOR**2).sum(axis=1) + RANDOM.random(700)


def forms(diagonal, scale):
    whole = scale * (FACTOR @ FACTOR.T)
    if diagonal is not None:
        whole[np.diag_indices(700)] = scale * diagonal
    dense = DenseQuadratic(FACTOR @ FACTOR.T, diagonal, scale)
    return [(dense, whole), (FactorQuadratic(FACTOR, diagonal, scale), whole)]


@pytest.mark.parametrize("diagonal", [None, DIAGONAL], ids=["own", "given"])
@pytest.mark.parametrize("scale", [1.0, 0.25, 0.0])
def test_products_and_blocks(diagonal, scale):
    few, many = np.zeros(700), RANDOM.standard_normal(700)
    few[[3, 4, 699]] = [1.0, -2.0, 0.5]
    several = np.zeros(700)
    several[200:410] = 0.01  # not few, but fewer than a third; more and less than one block of rows
    support = np.array([0, 7, 699])
    for quadratic, whole in forms(diagonal, scale):
        for x in (few, several, many, np.zeros(700)):
            # Sums of 700 products of some 10, each rounded twice.
            assert np.abs(quadratic.times(x) - whole @ x).max() <= 1e-11
        assert np.abs(quadratic.block(support) - whole[np.ix_(support, support)]).max() <= 1e-13  # sums of 6 products
        assert np.abs(quadratic.diagonal - np.diag(whole)).max() <= 1e-13


def test_the_matrix_is_left_alone():
    matrix = FACTOR @ FACTOR.T
    before = matrix.tobytes()
    quadratic = DenseQuadratic(matrix, DIAGONAL, 0.5)
    quadratic.block(np.arange(10))[:] = 0
    quadratic.times(np.ones(700))
    assert matrix.tobytes() == before
