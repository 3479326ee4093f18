"""Two ways to the minimum over a face, against its equations."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.optimize.simplex_qp import LARGE_FACE, DenseQuadratic, by_cholesky, by_conjugate_gradients, face_step


def positive(n, seed):
    loads = np.random.default_rng(seed).standard_normal((n, 2 * n))
    return loads @ loads.T / n


def cholesky(quadratic, support, gradient, tolerance):
    del tolerance
    return by_cholesky(quadratic, support, gradient)


def conjugate_gradients(quadratic, support, gradient, tolerance):
    return by_conjugate_gradients(quadratic, support, gradient, np.ones(len(support)), tolerance)


def minimum(matrix, support, gradient):
    """The saddle point of the Lagrangian."""
    s = len(support)
    system = np.block([[matrix[np.ix_(support, support)], np.ones((s, 1))], [np.ones((1, s)), np.zeros((1, 1))]])
    return np.linalg.solve(system, [*-gradient[support], 0.0])[:s]


@pytest.mark.parametrize("step", [cholesky, conjugate_gradients])
@pytest.mark.parametrize("seed", range(5))
def test_against_the_equations(step, seed):
    random = np.random.default_rng(seed)
    matrix, gradient = positive(40, seed), random.standard_normal(40)
    support = np.sort(random.choice(40, 15, replace=False))
    expected = minimum(matrix, support, gradient)
    found = gradient.copy()
    total = np.zeros(15)
    for _ in range(8):  # one run takes off 999 of 1,000 of the residual, or all but the ridge of 1e-11
        part = step(DenseQuadratic(matrix), support, found, 1e-14)
        total += part
        full = np.zeros(40)
        full[support] = part
        found = found + matrix @ full
    assert np.abs(total - expected).max() <= 1e-11  # a system of condition 40, solved twice
    assert abs(total.sum()) <= 1e-13
    assert np.ptp(found[support]) <= 1e-12


def test_one_step_by_cholesky_is_enough():
    matrix, gradient = positive(30, 1), np.random.default_rng(1).standard_normal(30)
    support = np.arange(30)
    # The ridge moves the solution by 1e-11 times the condition, some 40.
    assert (
        np.abs(by_cholesky(DenseQuadratic(matrix), support, gradient) - minimum(matrix, support, gradient)).max()
        <= 1e-8
    )


@pytest.mark.parametrize("step", [cholesky, conjugate_gradients])
def test_where_there_is_nothing_to_solve(step):
    nothing = DenseQuadratic(np.zeros((4, 4)))
    assert step(nothing, np.arange(4), np.arange(4.0), 0.0).tolist() == [0, 0, 0, 0]
    level = DenseQuadratic(np.eye(4))
    assert np.abs(step(level, np.arange(4), np.full(4, 0.3), 0.0)).max() <= 1e-15  # all gradients equal


@pytest.mark.parametrize("step", [cholesky, conjugate_gradients])
def test_singular(step):
    """Twins: any split between them is a minimum; the step goes to one."""
    matrix = np.array([[1.0, 1.0, 0.2], [1.0, 1.0, 0.2], [0.2, 0.2, 1.0]])
    gradient = np.array([0.5, 0.5, -0.5])
    step_taken = step(DenseQuadratic(matrix), np.arange(3), gradient, 1e-14)
    after = gradient + matrix @ step_taken
    assert np.ptp(after) <= 1e-2 * np.ptp(gradient)


def test_a_wrong_face_is_left_early():
    """Conjugate gradients on an ill-conditioned face stop sooner if the step leads out of the simplex."""
    random = np.random.default_rng(0)
    loads = random.standard_normal((300, 300))
    gradient, support = random.standard_normal(300), np.arange(300)

    class Counted(DenseQuadratic):
        products = 0

        def times(self, x):
            self.products += 1
            return super().times(x)

    products = []
    for weight in (1 / 300, 1e9):
        quadratic = Counted(loads @ loads.T)
        by_conjugate_gradients(quadratic, support, gradient, np.full(300, weight), 0.0)
        products.append(quadratic.products)
    assert products[0] == 5
    assert products[1] > 100


def test_size_decides(monkeypatch):
    called = []

    def watched(name, found):
        def step(quadratic, support, *_):
            called.append(name)
            return np.full(len(support), found)

        monkeypatch.setattr(f"bitsieve.optimize.simplex_qp.{name}", step)

    watched("by_cholesky", 1.0)
    watched("by_conjugate_gradients", np.inf)
    weights = np.ones(LARGE_FACE + 2)
    weights[[0, 5]] = 0
    assert face_step(None, weights, None, 0.0).tolist() == [1.0] * LARGE_FACE
    weights[0] = 1
    assert face_step(None, weights, None, 0.0).tolist() == [0.0] * (LARGE_FACE + 1)  # what is no number goes no further
    assert called == ["by_cholesky", "by_conjugate_gradients"]
