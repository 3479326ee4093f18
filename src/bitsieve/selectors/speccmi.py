"""Global selection by the spectrum of pairwise conditional information."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bitsieve.common.memory import check_memory, refuse_more
from bitsieve.common.parameters import check_choice, made_by
from bitsieve.common.progress import phase
from bitsieve.methods.by_counts.pairwise.certificate import (
    Certificate,
    certify,
    marginal_bound,
    spectral_bound,
    subset_objective,
)
from bitsieve.methods.by_counts.pairwise.matrices import CountedMatrix, conditional_matrix
from bitsieve.methods.by_counts.pairwise.spectral import rank_by_landmarks, rank_by_spectrum
from bitsieve.methods.found import rank_all
from bitsieve.methods.method import Method, defaults_of
from bitsieve.optimize.nystrom import choose_landmarks, make_nystrom
from bitsieve.optimize.swap import improve_by_swaps
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.information import Information
    from bitsieve.methods.by_counts.pairwise.matrices import ConditionalMatrix
    from bitsieve.methods.by_counts.pairwise.spectral import SpectralRanking
    from bitsieve.methods.found import Found
    from bitsieve.optimize.nystrom import Nystrom


class SpecCMI(CountSelector):
    r"""Rank all features at once by the dominant eigenvector of the matrix of their pairwise conditional information.

    ``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``; the weights are the unit eigenvector of the largest
    eigenvalue, non-negative, and the features with the largest weights are selected. It relaxes the best subset
    ``max x'Qx`` over 0/1 vectors with k ones; at small k it may be far from that optimum.

    Columns that do not vary are left out of Q, get weight 0 and are ranked last: by the letter of the definition a
    constant column would take half of every other column's relevance as its own weight and could be selected before
    an informative one.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
    approximation : {None, "nystrom"} or Nystrom, default=None
        None counts all of Q. Nystrom counts the rows of some landmark columns alone and carries their eigenvector on
        to the others; "nystrom" is ``Nystrom(sampling_rate=0.5, variant="extension")``.
    refine : {None, "swap"}, default=None
        "swap" improves the selected set by the best exchange of one feature for another, as long as one raises the
        objective. It is then best among its neighbours, and not the top of the ranking by weights any more.
    memory : int or str, default=None
        Most bytes for Q, such as ``"4GB"``. Where Q is larger it is kept in tiles as far as they go, and the others are
        counted anew for every product with it, of which there are about ten. None keeps Q whole, whatever it takes.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    dtype : {"float64", "float32"}, default="float64"
        Of Q; float32 halves its memory. Rows of landmarks are float64.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    weights_ : ndarray of float, shape (n_features,)
        The eigenvector; 0 for columns that do not vary. (Nystrom's variant "paper" may give negative ones.)
    eigenvalue_ : float
        The largest eigenvalue, in bits; of an approximation, its estimate.
    objective_ : float
        ``x'Qx`` of the selected set, in bits, from the exact entries of Q in every case.
    upper_bound_ : float
        No set of as many columns that vary has a larger objective, in bits. Of an approximation it is a loose one, for
        want of Q.
    gap_ : float
        ``(upper_bound_ - objective_) / upper_bound_``: at most so much is lost; 0 proves the set optimal.
    landmarks_ : ndarray of int or None
        The columns whose rows were counted, of an approximation.
    shift_ : float
        What was added to the landmarks' diagonal; 0 but for the variant "paper".
    ranking_ : ndarray of int, shape (n_features,)
        The selected features by falling weight, then the others by falling weight; every feature has its own rank. Ties
        (1e-10) go to the lowest column.
    selected_ : ndarray of int, shape (k,)
        Column indices, largest weight first.
    scores_ : ndarray of float, shape (k,)
        What each selected feature contributes to the relaxed objective: ``eigenvalue_ * weights_**2``, in bits
        (negative for a negative weight).

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for Q, O(n^2) a Lanczos step, O(n k) a swap. Memory: n^2 numbers for Q and the
    bit planes. In tiles O(n^2 d) a step. With p landmarks O(n p d), and n p numbers.

    The bound is the least of three: k times the largest eigenvalue; the k best rows of Q, each its diagonal entry and
    its k - 1 largest others; and ``k (k - 1) H(C)`` less ``k - 2`` times the k smallest relevances. Of an approximation
    only the last is known.

    References
    ----------
    N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
    selection", KDD 2014. doi:10.1145/2623330.2623611

    Examples
    --------
    >>> from bitsieve import SpecCMI
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> SpecCMI(2).fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    parameter_rules: ClassVar = {
        "approximation": made_by(make_nystrom),
        "refine": partial(check_choice, choices=(None, "swap")),
        "memory": made_by(check_memory),
        "dtype": partial(check_choice, choices=("float64", "float32")),
    }
    described = (
        Method(
            name="speccmi",
            title="Spectral relaxation of global conditional mutual information",
            formula="max x'Qx, |x| = 1, Q_ij = [I(Xi;C|Xj) + I(Xj;C|Xi)] / 2",
            paper="Vinh, Chan, Romano, Bailey 2014",
            needs="all pairs of features within each class; n x n numbers",
            cost="O(n^2 d), n^2 numbers",
        ),
    )

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        approximation: str | Nystrom | None = None,
        refine: str | None = None,
        memory: int | str | None = None,
        binning: Any = "mdl",
        dtype: str = "float64",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.approximation = approximation
        self.refine = refine
        self.memory = memory
        self.binning = binning
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _choose(self, information: Information, k: int) -> Found:
        varying = np.flatnonzero(information.varies)
        weights = np.zeros(information.n_features)
        order, landmarks, eigenvalue, shift = varying, None, 0.0, 0.0
        certificate = Certificate(0.0, 0.0, 0.0)
        if len(varying):
            landmarks = self._landmarks(varying, information.n_features)
            matrix, found = self._rank(information, varying, landmarks)
            eigenvalue, shift = found.eigenvalue, found.shift
            members = found.order[:k]
            if self.refine == "swap":
                members = _improved(matrix, members, found.order)
            bounds = [
                marginal_bound(information.relevance[varying], information.class_entropy, len(members)),
                *matrix.upper_bounds(len(members)),
            ]
            if landmarks is None:
                bounds.append(spectral_bound(eigenvalue, len(members)))
            exact: ConditionalMatrix = matrix
            if self.dtype == "float32":  # the entries of Q may have been rounded down
                exact = CountedMatrix(information, varying)
                bounds = [bound * (1 + float(np.finfo(np.float32).eps)) for bound in bounds]
            certificate = certify(subset_objective(exact.among(members)), bounds)
            weights[varying] = found.weights
            order = varying[np.concatenate([members, found.order[~np.isin(found.order, members)]])]
        return rank_all(
            order,
            information.varies,
            eigenvalue * np.copysign(weights**2, weights),
            k,
            weights_=weights,
            eigenvalue_=eigenvalue,
            objective_=certificate.objective,
            upper_bound_=certificate.upper_bound,
            gap_=certificate.gap,
            landmarks_=landmarks,
            shift_=shift,
        )

    def _landmarks(self, varying: NDArray[np.intp], n_features: int) -> NDArray[np.intp] | None:
        settings = make_nystrom(self.approximation)
        return None if settings is None else choose_landmarks(settings, varying, n_features)

    def _rank(
        self, information: Information, varying: NDArray[np.intp], landmarks: NDArray[np.intp] | None
    ) -> tuple[ConditionalMatrix, SpectralRanking]:
        settings, memory = make_nystrom(self.approximation), check_memory(self.memory)
        if settings is None or landmarks is None:
            full = conditional_matrix(information, varying, np.dtype(self.dtype), memory)
            return full, rank_by_spectrum(full)
        refuse_more(8 * len(landmarks) * len(varying), memory, f"rows of {len(landmarks):,} landmarks")
        counted = CountedMatrix(information, varying)
        places = np.searchsorted(varying, landmarks)
        rows = counted.rows(places, phase("counting pairs"))
        return counted, rank_by_landmarks(rows, places, settings.variant)


def _improved(matrix: ConditionalMatrix, members: NDArray[np.intp], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """The members after all swaps, in the order of the ranking."""
    swapped = improve_by_swaps(matrix.row, matrix.diagonal, members, progress=phase("swapping")).members
    return order[np.isin(order, swapped)]


METHODS = (
    *(
        replace(each, selector="bitsieve.selectors.speccmi:SpecCMI", parameters=defaults_of(SpecCMI, **each.parameters))
        for each in SpecCMI.described
    ),
)
