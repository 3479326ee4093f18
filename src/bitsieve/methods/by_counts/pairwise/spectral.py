"""SPECCMI: the global objective of pairwise conditional information, relaxed to an eigenvector."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.pairwise.matrices import (
    ConditionalMatrix,
    CountedMatrix,
    FullMatrix,
    conditional_matrix,
)
from bitsieve.methods.by_counts.pairwise.subsets import (
    Certificate,
    certify,
    improve_by_swaps,
    marginal_bound,
    subset_objective,
)
from bitsieve.methods.method import Method, MethodResult, rank_all
from bitsieve.optimize.eigen import dot, lanczos, multiply
from bitsieve.optimize.nystrom import (
    Nystrom,
    choose_landmarks,
    extended_weights,
    make_nystrom,
    nystrom_factor,
    nystrom_weights,
)
from bitsieve.utils.arrays import Columns, Floats, Matrix
from bitsieve.utils.choice import rank
from bitsieve.utils.memory import check_memory, refuse_more
from bitsieve.utils.parameters import check_choice, made_by
from bitsieve.utils.progress import phase


class SpectralRanking(NamedTuple):
    """A ranking of columns by an eigenvector."""

    weights: Floats  # the entries of the eigenvector
    order: Columns  # indices of the columns, best first
    eigenvalue: float
    shift: float = 0.0  # bits that Nystrom's approximation added to the diagonal


def rank_by_spectrum(matrix: FullMatrix) -> SpectralRanking:
    """Rank by the absolute entries of the dominant eigenvector; ties go to the lowest column."""
    phase("ranking")
    n = len(matrix.diagonal)
    pair = lanczos(matrix.multiply, np.full(n, 1 / np.sqrt(n)))
    weights = np.abs(pair.vector)
    return SpectralRanking(weights, rank(weights), pair.value)


def rank_by_landmarks(rows: Matrix, landmarks: Columns, variant: str | None = None) -> SpectralRanking:
    """Rank by Nystrom's approximation of the dominant eigenvector v from the rows of Q with indices ``landmarks``.

    The eigenvalue is estimated from these rows L: ``w'(Qv)_L / w'w`` with ``w = v_L``, which is exact for the exact v.
    """
    phase("ranking")
    landmark_rows = np.asarray(rows, np.float64)
    if variant == "paper":
        factor = nystrom_factor(landmark_rows, landmarks)
        weights = nystrom_weights(factor.matrix)
        shift = factor.shift
    else:
        weights = extended_weights(landmark_rows, landmarks)
        shift = 0.0
    landmark_weights = weights[landmarks]
    square = dot(landmark_weights, landmark_weights)
    eigenvalue = 0.0
    if square > 0:
        eigenvalue = dot(landmark_weights, multiply(landmark_rows, weights)) / square
    return SpectralRanking(weights, rank(weights), eigenvalue, shift)


def speccmi(
    information: Information,
    k: int,
    *,
    approximation: str | Nystrom | None = None,
    refine: str | None = None,
    memory: int | str | None = None,
    dtype: str = "float64",
) -> MethodResult:
    """Rank by the dominant eigenvector of the conditional matrix; see :class:`bitsieve.SpecCMI`."""
    varying = np.flatnonzero(information.varies)
    weights = np.zeros(information.n_features)
    order = varying
    landmarks = None
    ranking = SpectralRanking(weights[varying], order, 0.0)
    certificate = Certificate(0.0, 0.0, 0.0)
    if len(varying):
        settings = make_nystrom(approximation)
        max_bytes = check_memory(memory)
        matrix: ConditionalMatrix
        if settings is None:
            full_matrix = conditional_matrix(information, varying, np.dtype(dtype), max_bytes)
            matrix = full_matrix
            ranking = rank_by_spectrum(full_matrix)
        else:
            landmarks = choose_landmarks(settings, varying, information.n_features)
            matrix, ranking = _ranked_by_landmarks(information, varying, landmarks, settings.variant, max_bytes)
        members = ranking.order[:k]
        if refine == "swap":
            swapped = improve_by_swaps(matrix.row, matrix.diagonal, members, progress=phase("swapping"))
            members = ranking.order[np.isin(ranking.order, swapped)]
        bounds = []
        if landmarks is None:  # else the eigenvalue is approximate, and no bound
            bounds.append(len(members) * ranking.eigenvalue)  # x'Qx of a vector of squared length k
        certificate = _certificate(information, varying, matrix, members, bounds, dtype)
        weights[varying] = ranking.weights
        others = ranking.order[~np.isin(ranking.order, members)]
        order = varying[np.concatenate([members, others])]
    scores = ranking.eigenvalue * np.copysign(weights**2, weights)
    attributes = {
        "weights_": weights,
        "eigenvalue_": ranking.eigenvalue,
        **certificate.attributes(),
        "landmarks_": landmarks,
        "shift_": ranking.shift,
    }
    return rank_all(order, information.varies, scores, k, **attributes)


def _ranked_by_landmarks(
    information: Information, varying: Columns, landmarks: Columns, variant: str | None, memory: int | None
) -> tuple[ConditionalMatrix, SpectralRanking]:
    """The matrix, which is counted row by row, and the ranking by the rows of landmarks."""
    refuse_more(8 * len(landmarks) * len(varying), memory, f"rows of {len(landmarks):,} landmarks")
    matrix = CountedMatrix(information, varying)
    indices = np.searchsorted(varying, landmarks)
    rows = matrix.rows(indices, phase("counting pairs"))
    return matrix, rank_by_landmarks(rows, indices, variant)


def _certificate(
    information: Information,
    varying: Columns,
    matrix: ConditionalMatrix,
    members: Columns,
    bounds: list[float],
    dtype: str,
) -> Certificate:
    """The objective of the members, from exact entries of Q, and the smallest of ``bounds`` and two others."""
    all_bounds = [
        marginal_bound(information.relevance[varying], information.class_entropy, len(members)),
        *matrix.upper_bounds(len(members)),
        *bounds,
    ]
    exact_matrix = matrix
    if dtype == "float32":  # the entries of Q may have been rounded down
        exact_matrix = CountedMatrix(information, varying)
        all_bounds = [bound * (1 + float(np.finfo(np.float32).eps)) for bound in all_bounds]
    return certify(subset_objective(exact_matrix.among(members)), all_bounds)


METHODS = (
    Method(
        name="speccmi",
        title="Spectral relaxation of global conditional mutual information",
        formula="max x'Qx, |x| = 1, Q_ij = [I(Xi;C|Xj) + I(Xj;C|Xi)] / 2",
        paper="Vinh, Chan, Romano, Bailey 2014",
        inputs="all pairs of features within each class; n x n numbers",
        cost="O(n^2 d), n^2 numbers",
        seconds=lambda n, d, k: n * n * (3e-8 + 3e-11 * d),
        selector="bitsieve.selectors.pairwise:SpecCMI",
        run=speccmi,
        takes_strata=True,
        rules={
            "approximation": made_by(make_nystrom),
            "refine": partial(check_choice, choices=(None, "swap")),
            "memory": made_by(check_memory),
            "dtype": partial(check_choice, choices=("float64", "float32")),
        },
    ),
)
