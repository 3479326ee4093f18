"""SDPCMI: a semidefinite relaxation of the best subset, and its rounding."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.pairwise.subsets import (
    Certificate,
    certify,
    improve_by_swaps,
    row_bound,
    subset_objective,
)
from bitsieve.methods.method import Method, MethodResult, rank_all
from bitsieve.optimize.eigen import dominant_eigenvector
from bitsieve.optimize.low_rank_sdp import solve_low_rank
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import pick, rank, top
from bitsieve.utils.libraries import threadpool_limits
from bitsieve.utils.memory import check_matrices
from bitsieve.utils.parameters import check_choice, check_integer, made_by, make_random
from bitsieve.utils.progress import phase
from bitsieve.utils.types import RandomState

Draw = Callable[[int], Floats]


class Rounded(NamedTuple):
    """The subset of the best direction, every feature's cosine with it, and ``x'Qx`` of every direction's subset."""

    members: Columns
    cosines: Floats
    objectives: Floats


def sphere_cosines(factor: Floats, draw: Draw) -> Floats:
    """Cosines of the rows 1 .. n of ``Y = VV'`` with a random direction of n + 1 entries: the paper's words."""
    return _row_cosines(factor, draw(len(factor)))[1:]


def aligned_cosines(factor: Floats, draw: Draw) -> Floats:
    """The same, with the other sign if the cosine of row 0, which represents y = 1, is negative."""
    cosines = _row_cosines(factor, draw(len(factor)))
    return (-cosines if cosines[0] < 0 else cosines)[1:]


def factor_cosines(factor: Floats, draw: Draw) -> Floats:
    """Cosines of the rows of V itself, as Goemans and Williamson do, on the side of row 0."""
    direction = draw(factor.shape[1])
    cosines = factor @ direction / np.sqrt(direction @ direction)
    return (-cosines if cosines[0] < 0 else cosines)[1:]


ROUNDINGS: dict[str, Callable[[Floats, Draw], Floats]] = {
    "sphere": sphere_cosines,
    "align": aligned_cosines,
    "factor": factor_cosines,
}


def round_factor(matrix: Floats, factor: Floats, k: int, rounding: str, n_roundings: int, draw: Draw) -> Rounded:
    """The k features with the largest cosines, for the direction whose subset has the largest x'Qx."""
    cosines_of_draws = [ROUNDINGS[rounding](factor, draw) for _ in range(n_roundings)]
    subsets = [top(cosines, k) for cosines in cosines_of_draws]
    objectives = np.array([subset_objective(matrix[np.ix_(members, members)]) for members in subsets])
    best = pick(objectives)
    return Rounded(subsets[best], cosines_of_draws[best], objectives)


def _row_cosines(factor: Floats, direction: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", factor @ (factor.T @ factor), factor))  # of the rows of Y
    cosines: Floats = factor @ (factor.T @ direction) / (lengths * np.sqrt(direction @ direction))
    return cosines


class SemidefiniteChoice(NamedTuple):
    """What SDPCMI finds among some columns: the subset comes first in the order; its shares in x'Qx in bits."""

    order: Columns
    shares: Floats
    cosines: Floats
    membership: Floats
    certificate: Certificate


def semidefinite_choice(
    information: Information, columns: Columns, k: int, *, rounding: str, n_roundings: int, draw: Draw, swaps: bool
) -> SemidefiniteChoice:
    """The best subset of k varying columns found by rounding the relaxation, and how good it can be at most."""
    check_matrices(3, len(columns))
    progress = phase("counting pairs")
    mean_relevance = information.matrix("mean_relevance", np.float64, columns, progress)
    matrix = mean_relevance.astype(np.float64, copy=False)
    with threadpool_limits(1):  # sums of BLAS depend on its threads
        solution = solve_low_rank(matrix, k, progress=phase("ranking"))
        rounded = round_factor(matrix, solution.factor, k, rounding, n_roundings, draw)
    members = rounded.members
    if swaps:
        members = _lowest_of_equals(matrix, improve_by_swaps(matrix.__getitem__, matrix.diagonal(), members))
    members = np.sort(members)
    submatrix = matrix[np.ix_(members, members)]
    shares = np.add.reduce(submatrix, axis=1)
    best_first = rank(shares)
    others = np.delete(np.arange(len(columns)), members)
    bounds = [
        solution.bound / 4,
        k * dominant_eigenvector(matrix).value,  # x has the squared length k
        row_bound(matrix, k),
    ]
    return SemidefiniteChoice(
        np.concatenate([members[best_first], others[rank(rounded.cosines[others])]]),
        shares[best_first],
        rounded.cosines,
        (1 + solution.factor[1:, 0]) / 2,
        certify(subset_objective(submatrix), bounds),
    )


def _lowest_of_equals(matrix: Floats, members: Columns) -> Columns:
    """The members, each replaced by the lowest column that gives the same objective to the last bit, such as a copy."""
    chosen = np.sort(members)
    diagonal = matrix.diagonal()
    for index, member in enumerate(chosen.tolist()):
        others = np.delete(chosen, index)
        has_equal_row = (matrix[:member, others] == matrix[member, others]).all(axis=1)
        is_equal = has_equal_row & (diagonal[:member] == diagonal[member])
        is_equal[others[others < member]] = False
        if is_equal.any():
            chosen[index] = np.argmax(is_equal)
    return chosen


def sdpcmi(
    information: Information,
    k: int,
    *,
    rounding: str = "sphere",
    n_roundings: int = 100,
    random_state: RandomState = 0,
    refine: str | None = "swap",
) -> MethodResult:
    """Choose ``k`` features at once by rounding the relaxation; see :class:`bitsieve.SDPCMI`."""
    varying = np.flatnonzero(information.varies)
    weights = np.full(information.n_features, -1.0)
    membership = np.zeros(information.n_features)
    scores = np.zeros(information.n_features)
    order = varying
    certificate = Certificate(0.0, 0.0, 0.0)
    if len(varying):
        choice = semidefinite_choice(
            information,
            varying,
            min(k, len(varying)),
            rounding=rounding,
            n_roundings=n_roundings,
            draw=make_random(random_state).standard_normal,
            swaps=refine == "swap",
        )
        order = varying[choice.order]
        certificate = choice.certificate
        weights[varying] = choice.cosines
        membership[varying] = choice.membership
        scores[order[: len(choice.shares)]] = choice.shares
    attributes = {"weights_": weights, "membership_": membership, **certificate.attributes()}
    return rank_all(order, information.varies, scores, k, **attributes)


METHODS = (
    Method(
        name="sdpcmi",
        title="Semidefinite relaxation of global conditional mutual information",
        formula="max <Qa,Y>, diag Y = 1, sum_i Y_0i = 2k - n, Y psd; Qa = [[1'Q1, 1'Q], [Q1, Q]], Q_ii = I(Xi;C)",
        paper="Vinh, Chan, Romano, Bailey 2014",
        inputs="all pairs of features within each class; n x n numbers",
        cost="O(n^2 d + n^3), 3 n^2 numbers",
        seconds=lambda n, d, k: 5e-10 * n**3 if n <= 2000 else n * n * (3e-7 + 3e-11 * d) + 1.5e-11 * n**3,
        selector="bitsieve.selectors.pairwise:SDPCMI",
        run=sdpcmi,
        takes_strata=True,
        published={"refine": None},
        why_default="a swap of two columns is made only where it raises x'Qx, so that the subset is never a worse one",
        rules={
            "rounding": partial(check_choice, choices=tuple(ROUNDINGS)),
            "n_roundings": partial(check_integer, low=1, high=1_000_000),
            "random_state": made_by(make_random),
            "refine": partial(check_choice, choices=(None, "swap")),
        },
    ),
)
