"""The solver against closed forms, the conditions of a minimum and another solver; its steps over a face."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from bitsieve.optimize.simplex_qp import (
    LARGE_FACE,
    DenseQuadratic,
    FactorQuadratic,
    face_step,
    face_step_by_cholesky,
    face_step_by_conjugate_gradients,
    minimize_on_simplex,
    project_on_simplex,
)


def solve(matrix, linear, **options):
    return minimize_on_simplex(DenseQuadratic(matrix), np.asarray(linear, np.float64), **options)


def objective(matrix, linear, x):
    return x @ matrix @ x / 2 - linear @ x


def random_problem(n, seed, rank=None):
    random = np.random.default_rng(seed)
    loads = random.standard_normal((n, rank or n + 5))
    return loads @ loads.T / n, random.standard_normal(n) * random.choice([0.01, 0.3, 3.0])


def by_clarabel(matrix, linear):
    n = len(linear)
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-12
    problem = clarabel.DefaultSolver(
        sp.triu(sp.csc_matrix(matrix), format="csc"),
        -linear,
        sp.vstack([sp.csc_matrix(np.ones((1, n))), -sp.eye(n)], format="csc"),
        np.concatenate([[1.0], np.zeros(n)]),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n)],
        options,
    )
    x = np.maximum(np.array(problem.solve().x), 0)
    return x / x.sum()


def check(matrix, linear, found):
    """The conditions of Karush, Kuhn and Tucker, and that the gap is what it is said to be."""
    x, scale = found.weights, np.abs(matrix).max() + np.abs(linear).max()
    assert (x >= 0).all()
    assert abs(x.sum() - 1) <= 1e-14 * len(x)  # n roundings
    gradient = matrix @ x - linear
    # Two sums of n products, each rounded twice.
    assert np.abs(gradient - found.gradient).max() <= 1e-14 * scale * len(x)
    assert abs(found.objective - objective(matrix, linear, x)) <= 1e-14 * scale * len(x)
    gap = gradient @ x - gradient.min()
    assert abs(gap - found.gap) <= 1e-13 * scale * len(x)
    assert found.gap <= 1e-10 * (x @ matrix @ x + abs(linear @ x)) * (1 + 1e-6)
    assert found.converged
    # The gap is sum x_i (g_i - min g), so every weight times the excess of its gradient is at most the gap.
    assert (x * (gradient - gradient.min()) <= found.gap + 1e-13 * scale).all()


@pytest.mark.each_value
@pytest.mark.parametrize("n", [1, 2, 3, 10, 60])
@pytest.mark.parametrize("seed", range(8))
def test_against_another_solver(n, seed):
    matrix, linear = random_problem(n, seed)
    found = solve(matrix, linear)
    check(matrix, linear, found)
    other = by_clarabel(matrix, linear)
    theirs = objective(matrix, linear, other)
    # Ours is above no other by more than its gap and rounding; theirs ends within 1e-12 or, where it stalls, 1e-8.
    assert found.objective <= theirs + found.gap + 1e-14 * (1 + abs(theirs)) * n
    assert found.objective >= theirs - 1e-7 * (1 + abs(theirs))


@pytest.mark.parametrize("seed", range(8))
def test_singular(seed):
    matrix, linear = random_problem(50, seed, rank=7)
    found = solve(matrix, linear)
    check(matrix, linear, found)
    assert found.objective <= objective(matrix, linear, by_clarabel(matrix, linear)) + found.gap + 1e-12  # rounding


@pytest.mark.parametrize("seed", range(4))
def test_large_faces(seed, monkeypatch):
    """Conjugate gradients end where Cholesky does."""
    matrix, linear = random_problem(120, seed)
    exact = solve(matrix, linear * 0.1)
    monkeypatch.setattr("bitsieve.optimize.simplex_qp.LARGE_FACE", 3)
    monkeypatch.setattr("bitsieve.optimize.simplex_qp.LARGE_FACE", 3)
    found = solve(matrix, linear * 0.1)
    check(matrix, linear * 0.1, found)
    assert abs(found.objective - exact.objective) <= found.gap + exact.gap
    # The least eigenvalue is some 1e-3; a gap of 1e-12 leaves the weights within its root over that.
    assert np.abs(found.weights - exact.weights).max() <= 1e-4


def test_identity_is_a_projection():
    """min |x - f|^2 / 2: the nearest point of the simplex."""
    random = np.random.default_rng(0)
    for n in (1, 2, 30, 300):
        linear = random.standard_normal(n)
        assert (
            np.abs(solve(np.eye(n), linear).weights - project_on_simplex(linear)).max() <= 1e-9
        )  # the root of the gap


def test_diagonal_in_closed_form():
    """f = 0: weights in proportion to 1/h."""
    entries = np.array([1.0, 2.0, 4.0, 0.5])
    expected = (1 / entries) / (1 / entries).sum()
    assert np.abs(solve(np.diag(entries), np.zeros(4)).weights - expected).max() <= 1e-9


def test_two_variables_in_closed_form():
    matrix, linear = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([0.3, 0.1])
    # Derivative of the objective along (t, 1 - t): (h11 - 2 h12 + h22) t = h22 - h12 + f1 - f2.
    t = (1.0 - 0.5 + 0.3 - 0.1) / (2.0 - 1.0 + 1.0)
    assert np.abs(solve(matrix, linear).weights - [t, 1 - t]).max() <= 1e-12
    assert solve(matrix, [9.0, 0.0]).weights.tolist() == [1, 0]


def test_nothing_quadratic():
    linear = np.array([0.1, 0.7, 0.2, 0.7])
    assert solve(np.zeros((4, 4)), linear).weights.tolist() == [0, 0.5, 0, 0.5]  # both columns of the best share it
    random = np.random.default_rng(0).random(3000)
    found = solve(np.zeros((3000, 3000)), random)
    assert found.weights[random.argmax()] == 1
    assert found.converged


def test_nothing_at_all():
    found = solve(np.zeros((5, 5)), np.zeros(5))
    assert np.abs(found.weights - 0.2).max() <= 1e-15
    assert (found.gap, found.converged) == (0, True)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e6])
def test_scale(scale):
    """The problem times a number has the same minimum: the tolerance is relative."""
    matrix, linear = random_problem(40, 3)
    one, other = solve(matrix, linear), solve(matrix * scale, linear * scale)
    # Two paths that may part by rounding: both within the root of the gap over the least eigenvalue.
    assert np.abs(one.weights - other.weights).max() <= 1e-5
    assert other.objective == pytest.approx(scale * one.objective, rel=1e-9)  # both within 1e-10 of their size


def test_order_of_the_variables():
    matrix, linear = random_problem(40, 4)
    order = np.random.default_rng(4).permutation(40)
    one, other = solve(matrix, linear), solve(matrix[np.ix_(order, order)], linear[order])
    assert np.abs(one.weights[order] - other.weights).max() <= 1e-5  # as above


def test_a_number_added_to_all_of_f_changes_nothing():
    matrix, linear = random_problem(40, 5)
    assert np.abs(solve(matrix, linear).weights - solve(matrix, linear + 1.0).weights).max() <= 1e-5  # as above


def test_factors():
    random = np.random.default_rng(6)
    factor, linear = random.random((80, 9)), random.random(80) * 0.2
    diagonal = (factor**2).sum(axis=1) + random.random(80)
    whole = factor @ factor.T
    found = minimize_on_simplex(FactorQuadratic(factor), linear)
    check(whole, linear, found)
    whole[np.diag_indices(80)] = diagonal
    check(whole, linear, minimize_on_simplex(FactorQuadratic(factor, diagonal), linear))


def test_many_rounds_are_not_waited_for():
    matrix, linear = random_problem(200, 1)
    found = solve(matrix, linear * 1e-3, max_rounds=0)
    assert not found.converged
    assert np.abs(found.weights - 1 / 200).max() <= 1e-17
    best = solve(matrix, linear * 1e-3)
    # What the gap promises of any point.
    assert found.objective - found.gap <= best.objective <= found.objective


def test_same_bits_for_any_number_of_threads():
    matrix, linear = random_problem(700, 2)
    with threadpool_limits(1):
        one = solve(matrix, linear * 1e-3)
    with threadpool_limits(4):
        four = solve(matrix.copy(), linear * 1e-3)
    assert one.weights.tobytes() == four.weights.tobytes()
    assert one.gap == four.gap


def test_projection_from_far_away():
    assert project_on_simplex(np.array([1e17, 0.0, -1e300])).tolist() == [1, 0, 0]
    assert project_on_simplex(np.array([-1e17, -1e17])).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("seed", range(3))
def test_singular_with_directions_that_cost_nothing(seed):
    """Rank 2 among 60, f in the span of nothing: faces have no finite minimum of their own."""
    random = np.random.default_rng(seed)
    factor, linear = random.random((60, 2)), random.random(60)
    found = minimize_on_simplex(FactorQuadratic(factor), linear)
    check(factor @ factor.T, linear, found)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_projection(values):
    """Nearest: no direction towards a corner leads closer."""
    point = np.array(values)
    found = project_on_simplex(point)
    scale = 1 + np.abs(point).max()
    assert (found >= 0).all()
    assert abs(found.sum() - 1) <= 1e-14 * scale * len(point)  # the sum of the point is rounded in its own size
    towards = np.eye(len(point)) - found
    assert (towards @ (point - found)).max() <= 1e-14 * scale**2 * len(point)


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


def positive(n, seed):
    loads = np.random.default_rng(seed).standard_normal((n, 2 * n))
    return loads @ loads.T / n


def cholesky(quadratic, support, gradient, tolerance):
    del tolerance
    return face_step_by_cholesky(quadratic, support, gradient)


def conjugate_gradients(quadratic, support, gradient, tolerance):
    return face_step_by_conjugate_gradients(quadratic, support, gradient, np.ones(len(support)), tolerance)


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
        np.abs(
            face_step_by_cholesky(DenseQuadratic(matrix), support, gradient) - minimum(matrix, support, gradient)
        ).max()
        <= 1e-8
    )


@pytest.mark.parametrize("step", [cholesky, conjugate_gradients])
def test_where_there_is_nothing_to_solve(step):
    nothing = DenseQuadratic(np.zeros((4, 4)))
    assert step(nothing, np.arange(4), np.arange(4.0), 0.0).tolist() == [0, 0, 0, 0]
    level = DenseQuadratic(np.eye(4))
    assert np.abs(step(level, np.arange(4), np.full(4, 0.3), 0.0)).max() <= 1e-15  # all gradients equal


@pytest.mark.parametrize("step", [cholesky, conjugate_gradients])
def test_singular_face(step):
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
        face_step_by_conjugate_gradients(quadratic, support, gradient, np.full(300, weight), 0.0)
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

    watched("face_step_by_cholesky", 1.0)
    watched("face_step_by_conjugate_gradients", np.inf)
    weights = np.ones(LARGE_FACE + 2)
    weights[[0, 5]] = 0
    assert face_step(None, weights, None, 0.0).tolist() == [1.0] * LARGE_FACE
    weights[0] = 1
    assert face_step(None, weights, None, 0.0).tolist() == [0.0] * (LARGE_FACE + 1)  # what is no number goes no further
    assert called == ["face_step_by_cholesky", "face_step_by_conjugate_gradients"]
