"""QPFS and EQPFS: weights of all features by a quadratic program."""

from __future__ import annotations

from collections.abc import Mapping
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
    """For every column i the first column j with ``I(Xi;Xj) = H(Xi) = H(Xj)``: an earlier duplicate, or i itself."""
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
    information: Information, columns: Columns, alpha: float | None = None, *, convexify: bool = False
) -> QuadraticRanking:
    """QPFS of columns that vary. With ``convexify`` an H that is not convex is shifted until it is, else refused."""
    check_matrices(matrices_for_proof(len(columns)), len(columns))
    redundancy = np.asarray(
        information.matrix("redundancy", columns=columns, progress=phase("counting pairs")), np.float64
    )
    phase("ranking")
    shift = 0.0
    if not is_convex(redundancy):
        smallest = smallest_eigenvalue(redundancy)
        if not convexify:
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
    diagonal = np.diagonal(redundancy) + shift
    duplicated = first_duplicates(redundancy)
    return _rank_dense(information, columns, redundancy, diagonal, duplicated, alpha, shift)


def extended_ranking(
    information: Information,
    columns: Columns,
    alpha: float | None = None,
    beta: float = 1.0,
    shift: float | None = None,
) -> QuadraticRanking:
    """EQPFS: ``H_ij = I(Xi;Xj) - beta I(Xi;Xj|C)`` and ``H_ii = shift``, by default the least that makes H convex."""
    check_matrices(2, len(columns))
    redundancy = np.asarray(
        information.matrix("redundancy", columns=columns, progress=phase("counting pairs")), np.float64
    )
    duplicated = first_duplicates(redundancy)
    if beta:
        conditional_redundancy = information.matrix(
            "conditional_redundancy", columns=columns, progress=phase("counting pairs by class")
        )
        conditional_redundancy *= beta
        redundancy -= conditional_redundancy
        del conditional_redundancy
    phase("ranking")
    # The diagonal is 0 while the eigenvalues are computed. Duplicates need its values afterwards: see _rank_dense.
    diagonal = np.diagonal(redundancy).copy()
    np.fill_diagonal(redundancy, 0.0)
    if shift is None:
        shift = max(0.0, -smallest_eigenvalue(redundancy))
    elif not is_convex(redundancy, shift):
        smallest = smallest_eigenvalue(redundancy)
        raise ParameterError(
            "shift",
            shift,
            f"give {-smallest:.6g} or more, or None for the smallest number that does",
            f"does not make the redundancy of these {len(columns):,} columns convex",
            code="not-convex",
        )
    np.fill_diagonal(redundancy, diagonal)
    shifts = np.full(len(columns), shift)
    return _rank_dense(information, columns, redundancy, shifts, duplicated, alpha, shift)


def approximated_ranking(
    information: Information,
    columns: Columns,
    landmarks: Columns,
    alpha: float,
    *,
    exact_diagonal: bool = True,
    n_eigenvalues: int | None = None,
) -> QuadraticRanking:
    """QPFS with Nystrom's approximation of H from the rows of ``landmarks``, some of the ``columns``.

    With ``exact_diagonal`` the diagonal of H has the entropies, as without an approximation. Else it is approximated:
    too small for columns that are no landmarks, so that these take nearly all the weight. With ``n_eigenvalues`` the
    weights are a sum of that many eigenvectors of the approximated H, diagonal included.
    """
    n_bytes = 3 * 8 * len(landmarks) * len(columns)
    check_room(n_bytes, f"rows of {len(landmarks):,} landmarks and their factor take", "give fewer landmarks")
    report = phase("counting pairs")
    rows = np.empty((len(landmarks), len(columns)))
    for i, landmark in enumerate(landmarks.tolist()):
        rows[i] = information.pair(landmark, columns, by_class=False).redundancy
        report(i + 1, len(landmarks))
    phase("ranking")
    factor = nystrom_factor(rows, np.searchsorted(columns, landmarks))
    linear = alpha * information.relevance[columns]
    solution: SimplexSolution | None
    if n_eigenvalues is None:
        diagonal = np.einsum("ij,ij->i", factor.matrix, factor.matrix)
        if exact_diagonal:
            diagonal = np.maximum(diagonal, information.entropy[columns])
        solution = minimize_on_simplex(FactorQuadratic(factor.matrix, diagonal, 1 - alpha), linear)
    else:
        solution = minimize_in_span(factor.matrix, linear, n_eigenvalues, 1 - alpha)
        if solution is None:
            raise ParameterError(
                "n_eigenvalues",
                n_eigenvalues,
                "give a larger number, or None",
                "leaves no weights that are all 0 or more",
            )
    return _ranking(solution, solution.weights, solution.gradient, alpha, factor.shift)


def balanced_alpha(mean_redundancy: float, mean_relevance: float) -> float:
    """The a that gives both terms the same weight, ``q / (q + f)``; 1/2 where both are 0.

    q is the mean absolute value of the entries of H, and f the mean relevance.
    """
    redundancy = max(0.0, mean_redundancy)
    relevance = max(0.0, mean_relevance)
    if redundancy + relevance == 0:
        return 0.5
    return redundancy / (redundancy + relevance)


def _rank_dense(
    information: Information,
    columns: Columns,
    redundancy: Floats,
    diagonal: Floats,
    duplicated: Columns,
    alpha: float | None,
    shift: float,
) -> QuadraticRanking:
    """Rank by H, which is ``redundancy`` with another ``diagonal``. Duplicates are one variable and share its weight.

    ``duplicated`` are the :func:`first_duplicates`. ``redundancy`` is overwritten.
    """
    relevance = information.relevance[columns]
    if alpha is None:
        alpha = balanced_alpha(_mean_size(redundancy, diagonal), float(relevance.mean()))
    distinct, group, group_size = np.unique(duplicated, return_inverse=True, return_counts=True)

    # Equal weights w / m of m duplicates, with diagonal h and redundancy r of two of them, add w^2 (h + (m - 1) r) / m.
    redundancy_of_duplicates = np.diagonal(redundancy)[distinct]
    merged_diagonal = (diagonal[distinct] + (group_size - 1) * redundancy_of_duplicates) / group_size
    n_distinct = len(distinct)
    if n_distinct < len(columns):
        for new, old in enumerate(distinct):
            redundancy[new, :n_distinct] = redundancy[old, distinct]
    quadratic = DenseQuadratic(redundancy[:n_distinct, :n_distinct], merged_diagonal, 1 - alpha)
    solution = minimize_on_simplex(quadratic, alpha * relevance[distinct])
    weights = (solution.weights / group_size)[group]
    return _ranking(solution, weights, solution.gradient[group], alpha, shift)


def _mean_size(matrix: Floats, diagonal: Floats) -> float:
    """The mean absolute value of the entries of a matrix with another diagonal, computed without a copy of it."""
    total = sum(float(np.abs(row).sum()) for row in matrix)
    change = float((np.abs(diagonal) - np.abs(np.diagonal(matrix))).sum())
    return (total + change) / matrix.size


def _ranking(
    solution: SimplexSolution, weights: Floats, gradient: Floats, alpha: float, shift: float
) -> QuadraticRanking:
    """Order the columns by falling weight, and those of weight 0 by rising gradient."""
    positive = np.flatnonzero(weights)
    zero = np.flatnonzero(weights == 0)
    order = np.concatenate([positive[rank(weights[positive])], zero[rank(-gradient[zero])]])
    return QuadraticRanking(weights, order, float(alpha), shift, solution.gap, solution.converged)


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
    nystrom = make_nystrom(approximation)
    varying = np.flatnonzero(information.varies)
    landmarks = None
    if len(varying) == 0:
        ranking = _empty_ranking(alpha)
    elif nystrom is not None and alpha is not None:  # _check_approximation refuses one without the other
        landmarks = choose_landmarks(nystrom, varying, information.n_features)
        ranking = approximated_ranking(
            information,
            varying,
            landmarks,
            alpha,
            exact_diagonal=nystrom.variant != "paper",
            n_eigenvalues=n_eigenvalues,
        )
    else:
        ranking = quadratic_ranking(information, varying, alpha, convexify=convexify == "shift")
    result = _method_result(information, k, varying, ranking, "QPFS")
    return replace(result, extras={**result.extras, "landmarks_": landmarks})


def eqpfs(
    information: Information, k: int, *, alpha: float | None = None, beta: float = 1.0, shift: float | None = None
) -> MethodResult:
    """Rank by the weights of a quadratic program without a penalty for entropy; see :class:`bitsieve.EQPFS`."""
    varying = np.flatnonzero(information.varies)
    if len(varying) == 0:
        return _method_result(information, k, varying, _empty_ranking(alpha), "EQPFS")
    ranking = extended_ranking(information, varying, alpha, beta, shift)
    return _method_result(information, k, varying, ranking, "EQPFS")


def _empty_ranking(alpha: float | None) -> QuadraticRanking:
    return QuadraticRanking(
        weights=np.empty(0),
        order=np.empty(0, np.intp),
        alpha=np.nan if alpha is None else float(alpha),
        shift=0.0,
        gap=0.0,
        converged=True,
    )


def _method_result(
    information: Information, k: int, varying: Columns, ranking: QuadraticRanking, name: str
) -> MethodResult:
    """The result for all columns, from the ranking of those that vary; the others have weight 0."""
    weights = np.zeros(information.n_features)
    weights[varying] = ranking.weights
    result = rank_all(
        varying[ranking.order],
        information.varies,
        weights,
        k,
        weights_=weights,
        alpha_=ranking.alpha,
        shift_=ranking.shift,
        gap_=ranking.gap,
    )
    if ranking.converged:
        return result
    return replace(result, convergence_warning=not_converged(name, ranking.gap))


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
