"""QPFS and EQPFS: weights of all features by a quadratic program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.information.protocol import Information
from bitsieve.methods.method import Method, MethodResult, rank_all
from bitsieve.optimize.convexity import is_convex, matrices_for_proof, smallest_eigenvalue
from bitsieve.optimize.nystrom import Nystrom, choose_landmarks, make_nystrom, nystrom_factor
from bitsieve.optimize.simplex_qp import (
    DenseQuadratic,
    FactorQuadratic,
    Quadratic,
    SimplexSolution,
    minimize_on_simplex,
)
from bitsieve.optimize.spanned_qp import minimize_in_span
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import rank
from bitsieve.utils.memory import check_matrices, check_room
from bitsieve.utils.parameters import check_choice, check_integer, check_number, made_by, optional
from bitsieve.utils.progress import phase

BLOCK = 1 << 22  # comparisons at once


def first_duplicates(redundancy: Floats) -> Columns:
    """For every column the first column that it duplicates, which is mostly itself: ``I(Xi;Xj) = H(Xi) = H(Xj)``."""
    n = len(redundancy)
    entropy = np.diagonal(redundancy)
    first = np.empty(n, np.intp)
    block_rows = max(1, BLOCK // n)
    for start in range(0, n, block_rows):
        rows = slice(start, start + block_rows)
        row_entropy = entropy[rows, None]
        first[rows] = np.argmax((redundancy[rows] == row_entropy) & (entropy == row_entropy), axis=1)
    return first


class QuadraticRanking(NamedTuple):
    """A ranking of columns by the weights of a quadratic program."""

    weights: Floats  # of sum 1
    order: Columns  # indices of the columns, best first
    alpha: float
    shift: float  # bits added to the diagonal of H
    gap: float  # bits: the objective is at most this far above its minimum
    converged: bool


def quadratic_ranking(
    information: Information, columns: Columns, alpha: float | None = None, *, shifted: bool = False
) -> QuadraticRanking:
    """QPFS of columns that vary; with ``shifted`` an H that is not convex is made so on its diagonal, else refused."""
    check_matrices(matrices_for_proof(len(columns)), len(columns))
    redundancy = np.asarray(
        information.matrix("redundancy", columns=columns, progress=phase("counting pairs")), np.float64
    )
    phase("ranking")
    shift = 0.0
    if not is_convex(redundancy):
        smallest = smallest_eigenvalue(redundancy)
        if not shifted:
            raise UserError(
                code="not-convex",
                message=(
                    f"the redundancy of these {len(columns):,} columns is not convex, its smallest eigenvalue is "
                    f"{smallest:.6g} bits, so a minimum that is found may be a local one only"
                ),
                advice=f"{{convexify}} adds {-smallest:.6g} to its diagonal, or use fewer columns or bins",
                fix={"convexify": "shift"},
            )
        shift = -smallest
    entropy = np.diagonal(redundancy).copy()
    return _rank_dense(information, columns, redundancy, entropy + shift, first_duplicates(redundancy), alpha, shift)


def extended_ranking(
    information: Information,
    columns: Columns,
    alpha: float | None = None,
    beta: float = 1.0,
    shift: float | None = None,
) -> QuadraticRanking:
    """EQPFS: ``H_ij = I(Xi;Xj) - beta I(Xi;Xj|C)``, the ``shift`` on the diagonal; None: the least that is convex."""
    check_matrices(2, len(columns))
    total = np.asarray(information.matrix("redundancy", columns=columns, progress=phase("counting pairs")), np.float64)
    first = first_duplicates(total)
    if beta:
        within = information.matrix(
            "conditional_redundancy", columns=columns, progress=phase("counting pairs by class")
        )
        within *= beta
        total -= within
        del within
    phase("ranking")
    kept_diagonal = np.diagonal(total).copy()
    np.fill_diagonal(total, 0.0)
    if shift is None:
        shift = max(0.0, -smallest_eigenvalue(total))
    elif not is_convex(total, shift):
        smallest = smallest_eigenvalue(total)
        raise ParameterError(
            "shift",
            shift,
            f"give {-smallest:.6g} or more, or None for the smallest number that does",
            f"does not make the redundancy of these {len(columns):,} columns convex",
            code="not-convex",
        )
    np.fill_diagonal(total, kept_diagonal)
    return _rank_dense(information, columns, total, np.full(len(kept_diagonal), shift), first, alpha, shift)


def approximated_ranking(
    information: Information,
    columns: Columns,
    landmarks: Columns,
    alpha: float,
    *,
    own_entropy: bool = True,
    n_eigenvalues: int | None = None,
) -> QuadraticRanking:
    """QPFS with Nystrom's approximation of H from the rows of ``landmarks``, some of the ``columns``.

    ``own_entropy``: the others, too, have their entropy on the diagonal; else they take nearly all the weight. With
    ``n_eigenvalues`` the weights are a sum of so many eigenvectors of the approximated H, whose diagonal stays.
    """
    n_bytes = 3 * 8 * len(landmarks) * len(columns)
    check_room(n_bytes, f"rows of {len(landmarks):,} landmarks and their factor take", "give fewer landmarks")
    report = phase("counting pairs")
    rows = np.empty((len(landmarks), len(columns)))
    for done, (row, landmark) in enumerate(zip(rows, landmarks, strict=True), 1):
        row[:] = information.pair(int(landmark), columns, by_class=False).redundancy
        report(done, len(landmarks))
    phase("ranking")
    factor = nystrom_factor(rows, np.searchsorted(columns, landmarks))
    linear = alpha * information.relevance[columns]
    if n_eigenvalues is not None:
        spanned = minimize_in_span(factor.matrix, linear, n_eigenvalues, 1 - alpha)
        if spanned is None:
            raise ParameterError(
                "n_eigenvalues",
                n_eigenvalues,
                "give a larger number, or None",
                "leaves no weights that are all 0 or more",
            )
        return _ranking(spanned, spanned.weights, spanned.gradient, alpha, factor.shift)
    diagonal = np.einsum("ij,ij->i", factor.matrix, factor.matrix)
    if own_entropy:
        diagonal = np.maximum(diagonal, information.entropy[columns])
    quadratic = FactorQuadratic(factor.matrix, diagonal, 1 - alpha)
    solution = minimize_on_simplex(quadratic, linear)
    return _ranking(solution, solution.weights, solution.gradient, alpha, factor.shift)


def balanced_alpha(mean_redundancy: float, mean_relevance: float) -> float:
    """The a that gives both terms like weight: ``q / (q + f)``, q the mean size of the entries of H; else 1/2."""
    redundancy = max(0.0, mean_redundancy)
    relevance = max(0.0, mean_relevance)
    return redundancy / (redundancy + relevance) if redundancy + relevance > 0 else 0.5


def _rank_dense(
    information: Information,
    columns: Columns,
    matrix: Floats,
    diagonal: Floats,
    first: Columns,
    alpha: float | None,
    shift: float,
) -> QuadraticRanking:
    """Solve with ``diagonal`` in place of that of the matrix, which is overwritten; duplicates are one variable."""
    relevance = information.relevance[columns]
    old_diagonal = np.diagonal(matrix).copy()
    if alpha is None:
        sizes = sum(float(np.abs(row).sum()) for row in matrix) + float((np.abs(diagonal) - np.abs(old_diagonal)).sum())
        alpha = balanced_alpha(sizes / matrix.size, float(relevance.mean()))
    distinct, member, size = np.unique(first, return_inverse=True, return_counts=True)
    if len(distinct) < len(first):
        for new, old in enumerate(distinct):
            matrix[new, : len(distinct)] = matrix[old, distinct]
    merged = (diagonal[distinct] + (size - 1) * old_diagonal[distinct]) / size
    quadratic: Quadratic = DenseQuadratic(matrix[: len(distinct), : len(distinct)], merged, 1 - alpha)
    solution = minimize_on_simplex(quadratic, alpha * relevance[distinct])
    return _ranking(solution, (solution.weights / size)[member], solution.gradient[member], alpha, shift)


def _ranking(
    solution: SimplexSolution, weights: Floats, gradient: Floats, alpha: float, shift: float
) -> QuadraticRanking:
    inside = np.flatnonzero(weights)
    outside = np.flatnonzero(weights == 0)
    order = np.concatenate([inside[rank(weights[inside])], outside[rank(-gradient[outside])]])
    return QuadraticRanking(weights, order, alpha, shift, solution.gap, solution.converged)


def qpfs(
    information: Information,
    k: int,
    *,
    alpha: float | None = None,
    convexify: str | None = None,
    approximation: str | Nystrom | None = None,
    n_eigenvalues: int | None = None,
) -> MethodResult:
    """Rank by the weights of a quadratic program; see :class:`bitsieve.QPFS`."""
    settings = make_nystrom(approximation)
    varying = np.flatnonzero(information.varies)
    landmarks = None
    solve = partial(quadratic_ranking, alpha=alpha, shifted=convexify == "shift")
    if settings is not None and alpha is not None and len(varying):
        landmarks = choose_landmarks(settings, varying, information.n_features)
        own_entropy = settings.variant != "paper"
        solve = partial(
            approximated_ranking,
            landmarks=landmarks,
            alpha=alpha,
            own_entropy=own_entropy,
            n_eigenvalues=n_eigenvalues,
        )
    return _rank_by_weights(information, k, alpha, solve, "QPFS", landmarks_=landmarks)


def eqpfs(
    information: Information, k: int, *, alpha: float | None = None, beta: float = 1.0, shift: float | None = None
) -> MethodResult:
    """Rank by the weights of a quadratic program without a penalty for entropy; see :class:`bitsieve.EQPFS`."""
    solve = partial(extended_ranking, alpha=alpha, beta=beta, shift=shift)
    return _rank_by_weights(information, k, alpha, solve, "EQPFS")


def _rank_by_weights(
    information: Information,
    k: int,
    alpha: float | None,
    solve: Callable[[Information, Columns], QuadraticRanking],
    name: str,
    **extras: Any,
) -> MethodResult:
    """Rank the columns that vary by the weights that a program gives them; the others have weight 0."""
    varying = np.flatnonzero(information.varies)
    weights = np.zeros(information.n_features)
    order = varying
    attributes = {"alpha_": np.nan if alpha is None else float(alpha), "shift_": 0.0, "gap_": 0.0}
    convergence_warning = None
    if len(varying):
        ranking = solve(information, varying)
        if not ranking.converged:
            convergence_warning = not_converged(name, ranking.gap)
        weights[varying] = ranking.weights
        order = varying[ranking.order]
        attributes = {"alpha_": float(ranking.alpha), "shift_": ranking.shift, "gap_": ranking.gap}
    ranked = rank_all(order, information.varies, weights, k, weights_=weights, **attributes, **extras)
    return replace(ranked, convergence_warning=convergence_warning)


def not_converged(method: str, gap: float) -> Diagnostic:
    """A solver ended before the minimum."""
    return Diagnostic(
        code="not-converged",
        message=f"{method} stopped {gap:.3g} bits above the minimum at most: see gap_",
        severity="warning",
    )


def _check_approximation(parameters: Mapping[str, Any]) -> None:
    """Refuse what an approximation of QPFS does not go with."""
    settings = make_nystrom(parameters["approximation"])
    n_eigenvalues = parameters["n_eigenvalues"]
    if settings is None and n_eigenvalues is not None:
        raise ParameterError(
            "n_eigenvalues",
            n_eigenvalues,
            "leave it out, or give an approximation",
            "is for an approximation by Nystrom",
            code="contradicting-parameters",
        )
    if settings is None:
        return
    if n_eigenvalues is not None and parameters["alpha"] == 1:
        raise ParameterError(
            "alpha",
            1,
            "give less than 1, or leave out {n_eigenvalues}",
            "looks at relevance alone, and eigenvalues at redundancy",
            code="contradicting-parameters",
        )
    if parameters["alpha"] is None:
        raise ParameterError(
            "alpha",
            None,
            "give a number from 0 to 1",
            "is not allowed with an approximation: the balance is a mean over all pairs, which are not counted",
            code="contradicting-parameters",
        )
    if settings.variant == "extension":
        raise ParameterError(
            "variant",
            "extension",
            "give QPFS None or 'paper'",
            "is a variant about eigenvectors, which QPFS does not use",
            code="contradicting-parameters",
        )


METHODS = (
    Method(
        name="qpfs",
        title="Quadratic programming: relevance against redundancy",
        formula="min (1-a)/2 x'Hx - a f'x on the simplex, f_i = I(Xi;C), H_ij = I(Xi;Xj), H_ii = H(Xi)",
        paper="Rodriguez-Lujan, Huerta, Elkan, Santa Cruz 2010",
        inputs="all pairs of features; n x n numbers",
        cost="O(n^2 d + n^3), 2 n^2 numbers",
        seconds=lambda n, d, k: n * n * (5e-8 + 2e-11 * d) + 2e-11 * n**3,
        unit="share",
        selector="bitsieve.selectors.pairwise:QPFS",
        run=qpfs,
        takes_strata=True,
        rules={
            "alpha": optional(partial(check_number, low=0, high=1, instead="or None to balance both terms")),
            "convexify": partial(check_choice, choices=(None, "shift")),
            "approximation": made_by(make_nystrom),
            "n_eigenvalues": optional(partial(check_integer, low=1)),
        },
        check=_check_approximation,
    ),
    Method(
        name="eqpfs",
        title="Quadratic programming: relevance against total redundancy",
        formula=(
            "min (1-a)/2 x'Hx - a f'x on the simplex, f_i = I(Xi;C), H_ij = I(Xi;Xj) - beta I(Xi;Xj|C), H_ii = shift"
        ),
        paper="Vinh, Chan, Romano, Bailey 2014",
        inputs="all pairs of features, alone and within each class; n x n numbers",
        cost="O(n^2 d + n^3), 2 n^2 numbers",
        seconds=lambda n, d, k: n * n * (5e-8 + 4e-11 * d) + 1e-11 * n**3,
        unit="share",
        selector="bitsieve.selectors.pairwise:EQPFS",
        run=eqpfs,
        takes_strata=True,
        rules={
            "alpha": optional(partial(check_number, low=0, high=1, instead="or None to balance both terms")),
            "beta": partial(check_number, low=0, instead="0 for the redundancy without the classes"),
            "shift": optional(
                partial(check_number, low=0, instead="or None for the smallest number that makes the problem convex")
            ),
        },
    ),
)
