"""Algorithms 1 and 2 of the paper to the letter, in loops, and the problems that they solve by other solvers."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def standardized(X):
    """Columns of mean 0 and length 1; zero where a column does not vary."""
    centred = X - X.mean(axis=0)
    varies = (X[:1] != X).any(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    return np.where(varies, centred / np.where(varies, length, 1.0), 0.0)


def match_literally(F, weights, budget, tau, *, with_break=True):
    """Algorithm 2 with the next support the best ranked feature in no group yet; its supports and groups."""
    c = F.T @ weights
    ranking = sorted(range(F.shape[1]), key=lambda j: (-abs(c[j]), j))
    margin = np.sqrt(2 * tau) * np.linalg.norm(weights)
    support, groups, grouped = [], [], set()
    for k, z in enumerate(ranking):
        if len(support) == budget or abs(c[z]) < 1e-12:
            break
        if z in grouped:
            continue
        support.append(z)
        group = []
        for h in ranking[k + 1 :]:
            if h not in grouped and abs(F[:, z] @ F[:, h]) >= 1 - tau:
                group.append(h)
            if with_break and abs(c[z]) - margin > abs(c[h]):
                break
        grouped.update(group)
        groups.append(sorted(group))
    return support, groups


def best_set(scores, conflicts, budget):
    """The largest sum of squared scores over all sets without a conflict, by trying all of them."""
    n = len(scores)
    best = 0.0
    for size in range(1, budget + 1):
        for chosen in combinations(range(n), size):
            if not conflicts[np.ix_(chosen, chosen)].any():
                best = max(best, float((scores[list(chosen)] ** 2).sum()))
    return best


def solve_by_cones(F, signs, members, C):
    """min over alpha of the largest cut, by a conic solver: optimum and alpha, for one task or several."""
    import cvxpy as cp

    n, n_tasks = signs.shape
    theta = cp.Variable(len(members))
    scaled = [cp.Variable(n, nonneg=True) for _ in range(n_tasks)]  # n alpha, so that all numbers are of order 1
    ridge = sum(cp.sum_squares(alpha) for alpha in scaled) / (2 * C)
    constraints = [cp.sum(alpha) == n for alpha in scaled]
    for t, cut in enumerate(members):
        c = [F[:, cut].T @ cp.multiply(signs[:, k], scaled[k]) for k in range(n_tasks)]
        constraints.append(theta[t] >= sum(cp.sum_squares(one) for one in c) / 2)
    problem = cp.Problem(cp.Minimize((cp.max(theta) + ridge) / n), constraints)
    problem.solve(solver=cp.CLARABEL)
    return problem.value / n, np.stack([alpha.value / n for alpha in scaled], axis=1)
