"""Nystrom: a symmetric matrix known by some of its rows, the landmarks, ``Qhat = [[A, B], [B', B' A^-1 B]] = G G'``.

Fowlkes, Belongie, Chung, Malik, IEEE PAMI 26(2), 2004. doi:10.1109/TPAMI.2004.1262185
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.optimize.eigen import Eigenpair, dominant_eigenvector, dot, lanczos
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.lazy import threadpool_limits
from bitsieve.utils.messages import choices

CLEARLY_POSITIVE = 0.05  # the least eigenvalue of A over its largest, once shifted
MIXED = -1e-12  # an entry of a unit vector below this is negative, above it is rounding
VARIANTS = ("extension", "paper")


@dataclass(frozen=True)
class Nystrom:
    """Which rows of a matrix of information are counted, in place of all.

    Attributes
    ----------
    sampling_rate : float, default=0.5
        Share of the columns that are landmarks, in (0, 1]: ``round(sampling_rate * n)`` of them, at least one.
    landmarks : sequence of int, optional
        Column indices to use instead of a draw. Those that do not vary are left out.
    random_state : int, Generator or None, default=0
        Of the draw, uniform without replacement; None draws anew at every fit.
    variant : {"extension", "paper"}, optional
        "paper": the approximation to the letter; "extension": eigenvectors of the landmarks carried on to the others;
        None: what serves the method best.

    Raises
    ------
    ValueError
        If the rate is not in (0, 1], or landmarks repeat or are no column indices.

    Examples
    --------
    >>> from bitsieve import Nystrom
    >>> Nystrom(0.2, random_state=7)
    Nystrom(sampling_rate=0.2, landmarks=None, random_state=7, variant=None)
    """

    sampling_rate: float = 0.5
    landmarks: Sequence[int] | NDArray[np.integer] | None = None
    random_state: int | np.random.Generator | None = 0
    variant: str | None = None

    def __post_init__(self) -> None:
        rate = self.sampling_rate
        number = isinstance(rate, (int, float, np.number)) and not isinstance(rate, bool)
        if not number or not 0 < rate <= 1:
            raise ParameterError("sampling_rate", rate, "give a share of the columns, above 0 and at most 1")
        if self.variant is not None and self.variant not in VARIANTS:
            raise ParameterError(
                "variant", self.variant, choices(str(self.variant), VARIANTS), "is not known", code="unknown-name"
            )
        try:
            np.random.default_rng(self.random_state)
        except (TypeError, ValueError):
            advice = "give a whole number of 0 or more, a Generator or None"
            raise ParameterError("random_state", self.random_state, advice) from None
        if self.landmarks is not None:
            object.__setattr__(self, "landmarks", _checked(self.landmarks))


def make_nystrom(approximation: object) -> Nystrom | None:
    """The settings meant by a parameter: None, "nystrom" or settings; ValueError if it is none of them."""
    if approximation is None or isinstance(approximation, Nystrom):
        return approximation
    if isinstance(approximation, str) and approximation == "nystrom":
        return Nystrom()
    raise ParameterError("approximation", approximation, "give None, 'nystrom' or Nystrom(...)")


def choose_landmarks(settings: Nystrom, columns: Columns, n_features: int) -> Columns:
    """The landmarks among ``columns``, both as ascending indices; ValueError where given ones are none of them."""
    if settings.landmarks is None:
        count = max(1, round(settings.sampling_rate * len(columns)))
        return np.sort(np.random.default_rng(settings.random_state).choice(columns, count, replace=False))
    requested = np.array(settings.landmarks, np.intp)
    if requested.max() >= n_features:
        raise UserError(
            code="unknown-column",
            message=f"landmark {int(requested.max())} is not a column",
            advice=f"the table has {n_features:,}, give indices from 0 to {n_features - 1}",
        )
    usable = np.intersect1d(requested, columns)
    if not len(usable):
        raise UserError(
            code="constant-columns",
            message=f"none of the {len(requested):,} landmarks varies",
            advice="give columns of more than one value",
        )
    return usable


class Factor(NamedTuple):
    """``Qhat = matrix @ matrix.T``, matrix of shape (n, p), and what was added to the diagonal of A."""

    matrix: Floats
    shift: float


def nystrom_factor(rows: Floats, landmarks: Columns) -> Factor:
    """``G = [A; B'] R^-1`` with ``A + shift = R'R`` from the rows ``[A B]`` of landmarks, shape (p, n)."""
    from scipy.linalg import cholesky, eigvalsh, solve_triangular

    with threadpool_limits(1, "blas"):
        inner = (rows[:, landmarks] + rows[:, landmarks].T) / 2
        values = eigvalsh(inner)
        if not values[-1] > 0:  # the landmarks carry no information, even alone
            return Factor(np.zeros(rows.shape[::-1]), 0.0)
        shift = max(0.0, float(CLEARLY_POSITIVE * values[-1] - values[0]))
        inner[np.diag_indices_from(inner)] += shift
        outer = np.array(rows, np.float64)
        outer[:, landmarks] = inner
        root = cholesky(inner, overwrite_a=True)
        return Factor(solve_triangular(root, outer, trans="T", overwrite_b=True).T, shift)


def top_eigenpair(factor: Floats) -> Eigenpair:
    """The largest eigenpair of ``factor @ factor.T``, its vector a unit one with a sum >= 0; O(n p) a product."""
    n = len(factor)
    with threadpool_limits(1, "blas"):
        pair = lanczos(lambda vector: factor @ (factor.T @ vector), np.full(n, 1 / np.sqrt(n)))
    return pair._replace(vector=-pair.vector) if pair.vector.sum() < 0 else pair


def nystrom_weights(factor: Floats) -> Floats:
    """The top eigenvector of the approximated matrix, or where its signs are mixed the paper's bipolar one."""
    vector = top_eigenpair(factor).vector
    if vector.min() >= MIXED:
        return np.maximum(vector, 0)
    bipolar = top_eigenpair(np.vstack([factor.sum(axis=0), factor])).vector
    return bipolar[1:] if bipolar[0] >= 0 else -bipolar[1:]


def extended_weights(rows: Floats, landmarks: Columns) -> Floats:
    """The top eigenvector u of A (no shift) carried on: ``v = [u; B'u / value]``, of unit length."""
    inner = dominant_eigenvector(rows[:, landmarks])
    with threadpool_limits(1, "blas"):
        vector = inner.vector @ rows
    vector[landmarks] = inner.value * inner.vector
    length = np.sqrt(dot(vector, vector))
    return vector / length if length > 0 else np.full(len(vector), 1 / np.sqrt(len(vector)))


def _checked(landmarks: object) -> tuple[int, ...]:
    indices = np.asarray(landmarks)
    if indices.ndim != 1 or not indices.size or indices.dtype.kind not in "iu" or indices.min() < 0:
        raise ParameterError("landmarks", landmarks, "give a list of column indices, 0 or more")
    distinct, counts = np.unique(indices, return_counts=True)
    if len(distinct) < len(indices):
        raise UserError(
            code="given-twice",
            message=f"landmarks hold column {distinct[counts > 1][0]} more than once",
            advice="give each column once",
        )
    return tuple(indices.tolist())
