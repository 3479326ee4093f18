"""Nystrom's approximation: a symmetric matrix Q from some of its rows, those of the landmarks.

With A the entries among the landmarks and B those between landmarks and other columns,
``Qhat = [[A, B], [B', B' A^-1 B]] = G G'``.

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
from bitsieve.utils.libraries import threadpool_limits
from bitsieve.utils.messages import advice_on_choice

MIN_CONDITION = 0.05  # a shift makes the smallest eigenvalue of A at least this share of its largest
NEGATIVE = -1e-12  # entries of a unit vector below this are negative; above it they are rounding
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
        is_number = isinstance(rate, (int, float, np.number)) and not isinstance(rate, bool)
        if not is_number or not 0 < rate <= 1:
            raise ParameterError("sampling_rate", rate, "give a share of the columns, above 0 and at most 1")
        if self.variant is not None and self.variant not in VARIANTS:
            raise ParameterError(
                "variant",
                self.variant,
                advice_on_choice(str(self.variant), VARIANTS),
                "is not known",
                code="unknown-name",
            )
        try:
            np.random.default_rng(self.random_state)
        except (TypeError, ValueError):
            advice = "give a whole number of 0 or more, a Generator or None"
            raise ParameterError("random_state", self.random_state, advice) from None
        if self.landmarks is not None:
            object.__setattr__(self, "landmarks", _checked_landmarks(self.landmarks))


def make_nystrom(approximation: object) -> Nystrom | None:
    """The approximation that a parameter names: None, "nystrom" or the object itself; ValueError for anything else."""
    if approximation is None or isinstance(approximation, Nystrom):
        return approximation
    if isinstance(approximation, str) and approximation == "nystrom":
        return Nystrom()
    raise ParameterError("approximation", approximation, "give None, 'nystrom' or Nystrom(...)")


def choose_landmarks(settings: Nystrom, columns: Columns, n_features: int) -> Columns:
    """The landmarks among ``columns``, as ascending indices; ValueError if no requested landmark is one of them."""
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
    """A factor G of the approximation, ``Qhat = G G'``."""

    matrix: Floats  # G, shape (n_columns, n_landmarks)
    shift: float  # what was added to the diagonal of A


def nystrom_factor(rows: Floats, landmarks: Columns) -> Factor:
    """``G = [A; B'] R^-1`` with ``A + shift I = R'R``, from the rows ``[A B]`` of p landmarks, shape (p, n)."""
    from scipy.linalg import cholesky, eigvalsh, solve_triangular

    with threadpool_limits(1, "blas"):
        among_landmarks = (rows[:, landmarks] + rows[:, landmarks].T) / 2  # A
        eigenvalues = eigvalsh(among_landmarks)
        if not eigenvalues[-1] > 0:  # not even a single landmark carries information
            return Factor(np.zeros(rows.shape[::-1]), 0.0)
        shift = max(0.0, float(MIN_CONDITION * eigenvalues[-1] - eigenvalues[0]))
        among_landmarks[np.diag_indices_from(among_landmarks)] += shift
        shifted_rows = np.array(rows, np.float64)
        shifted_rows[:, landmarks] = among_landmarks
        root = cholesky(among_landmarks, overwrite_a=True)
        return Factor(solve_triangular(root, shifted_rows, trans="T", overwrite_b=True).T, shift)


def top_eigenpair(factor: Floats) -> Eigenpair:
    """The largest eigenpair of ``G G'``; the eigenvector has length 1 and a sum >= 0. Cost: O(n p) a product."""
    n = len(factor)
    with threadpool_limits(1, "blas"):
        pair = lanczos(lambda vector: factor @ (factor.T @ vector), np.full(n, 1 / np.sqrt(n)))
    if pair.vector.sum() < 0:
        return pair._replace(vector=-pair.vector)
    return pair


def nystrom_weights(factor: Floats) -> Floats:
    """The top eigenvector of ``G G'``; where it has negative entries, that of the matrix with a row of sums on top.

    The second is the paper's "bipolar" matrix.
    """
    vector = top_eigenpair(factor).vector
    if vector.min() >= NEGATIVE:
        return np.maximum(vector, 0)
    bipolar = top_eigenpair(np.vstack([factor.sum(axis=0), factor])).vector
    return bipolar[1:] if bipolar[0] >= 0 else -bipolar[1:]


def extended_weights(rows: Floats, landmarks: Columns) -> Floats:
    """The top eigenvector u of A, with eigenvalue a, extended to all columns: ``[a u; B'u]``, divided by its length."""
    pair = dominant_eigenvector(rows[:, landmarks])
    with threadpool_limits(1, "blas"):
        vector = pair.vector @ rows
    vector[landmarks] = pair.value * pair.vector
    length = np.sqrt(dot(vector, vector))
    if length == 0:
        return np.full(len(vector), 1 / np.sqrt(len(vector)))
    return np.asarray(vector / length)


def _checked_landmarks(landmarks: object) -> tuple[int, ...]:
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
