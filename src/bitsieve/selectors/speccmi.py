"""Global selection by the spectrum of pairwise conditional information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.by_counts.pairwise.certificate import certify, marginal_bound, spectral_bound, subset_objective
from bitsieve.by_counts.pairwise.conditional_matrix import CountedMatrix, conditional_matrix
from bitsieve.by_counts.pairwise.spectral import rank_by_landmarks, rank_by_spectrum
from bitsieve.common.errors import ParameterError
from bitsieve.common.memory import check_memory, refuse_more
from bitsieve.common.parameters import check_choice
from bitsieve.common.progress import phase
from bitsieve.optimize.nystrom import choose_landmarks, make_nystrom
from bitsieve.optimize.swap import improve_by_swaps
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.by_counts.pairwise.conditional_matrix import ConditionalMatrix
    from bitsieve.by_counts.pairwise.spectral import SpectralRanking
    from bitsieve.information import PairwiseInformation
    from bitsieve.optimize.nystrom import Nystrom


class SpecCMI(CountSelector):
    r"""Rank all features at once by the dominant eigenvector of their pairwise conditional information.

    ``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``; the weights are the unit eigenvector of the largest
    eigenvalue, non-negative, and the features with the largest weights are selected. It relaxes the best subset
    ``max x'Qx`` over 0/1 vectors with k ones; at small k it may be far from that optimum.

    Columns that do not vary are left out of Q, get weight 0 and are ranked last: by the letter of the definition a
    constant column would take half of every other column's relevance as its own weight and could be selected before
    an informative one.

    Parameters
    ----------
    n_features_to_select : int, default=10
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
    support_ : ndarray of bool, shape (n_features,)
    weights_ : ndarray of float, shape (n_features,)
        The eigenvector; 0 for columns that do not vary. (Nystrom's variant "paper" may give negative ones.)
    eigenvalue_ : float
        The largest eigenvalue, in bits; of an approximation, its estimate.
    objective_ : float
        ``x'Qx`` of the selected set, in bits, from the exact entries of Q in every case.
    upper_bound_ : float
        No set of k features has a larger objective, in bits. Of an approximation it is a loose one, for want of Q.
    gap_ : float
        ``(upper_bound_ - objective_) / upper_bound_``: at most so much is lost; 0 proves the set optimal.
    landmarks_ : ndarray of int or None
        The columns whose rows were counted, of an approximation.
    shift_ : float
        What was added to the landmarks' diagonal; 0 but for the variant "paper".
    ranking_ : ndarray of int, shape (n_features,)
        The selected features by falling weight, then the others by falling weight; every feature has its own rank. Ties
        (1e-10) go to the lowest column.
    selected_ : ndarray of int, shape (n_features_to_select,)
        Column indices, largest weight first.
    scores_ : ndarray of float, shape (n_features_to_select,)
        What each selected feature contributes to the relaxed objective: ``eigenvalue_ * weights_**2``, in bits
        (negative for a negative weight).
    relevance_ : ndarray of float, shape (n_features,)
        I(Xi;C) of every column, in bits.
    overlap_with_ : ndarray of int, shape (n_features_to_select,)
        The feature ranked before with the largest I(Xi;Xs); -1 for the first.
    overlap_ : ndarray of float, shape (n_features_to_select,)
        That information in bits; nan for the first.
    binner_ : binner
        Fitted; its ``bin_edges_`` show every cut.
    classes_ : ndarray
        The labels of the target, or its intervals where it was continuous.
    target_edges_ : ndarray or None
        The inner edges of a continuous target.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where the columns have names.

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

    def __init__(
        self,
        n_features_to_select: int = 10,
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

    def _check_parameters(self) -> None:
        check_choice("dtype", self.dtype, ("float64", "float32"))
        make_nystrom(self.approximation)
        check_memory(self.memory)
        if self.refine is not None and self.refine != "swap":
            raise ParameterError("refine", self.refine, "give None or 'swap'")

    def _choose(self, information: PairwiseInformation, k: int) -> None:
        varying, constant = np.flatnonzero(information.varies), np.flatnonzero(~information.varies)
        self.weights_ = np.zeros(information.n_features)
        self.eigenvalue_ = self.objective_ = self.upper_bound_ = self.gap_ = self.shift_ = 0.0
        self.landmarks_: NDArray[np.intp] | None = None
        order = constant
        if len(varying):
            matrix, found = self._rank(information, varying)
            self.weights_[varying] = found.weights
            self.eigenvalue_, self.shift_ = found.eigenvalue, found.shift
            members = found.order[:k]
            if self.refine == "swap":
                members = _improved(matrix, members, found.order)
            self._judge(information, matrix, members)
            others = found.order[~np.isin(found.order, members)]
            order = np.concatenate([varying[members], varying[others], constant])
        self.selected_ = order[:k]
        weights = self.weights_[self.selected_]
        self.scores_ = self.eigenvalue_ * np.copysign(weights**2, weights)
        self.ranking_ = np.empty(information.n_features, np.intp)
        self.ranking_[order] = np.arange(1, information.n_features + 1)

    def _rank(
        self, information: PairwiseInformation, varying: NDArray[np.intp]
    ) -> tuple[ConditionalMatrix, SpectralRanking]:
        settings, memory = make_nystrom(self.approximation), check_memory(self.memory)
        if settings is None:
            full = conditional_matrix(information, varying, np.dtype(self.dtype), memory)
            return full, rank_by_spectrum(full)
        self.landmarks_ = choose_landmarks(settings, varying, information.n_features)
        refuse_more(8 * len(self.landmarks_) * len(varying), memory, f"rows of {len(self.landmarks_):,} landmarks")
        counted = CountedMatrix(information, varying)
        places = np.searchsorted(varying, self.landmarks_)
        rows = counted.rows(places, phase("counting pairs"))
        return counted, rank_by_landmarks(rows, places, settings.variant)

    def _judge(self, information: PairwiseInformation, matrix: ConditionalMatrix, members: NDArray[np.intp]) -> None:
        k = len(members)
        bounds = [marginal_bound(matrix.diagonal, information.class_entropy, k), *matrix.upper_bounds(k)]
        if self.landmarks_ is None:
            bounds.append(spectral_bound(self.eigenvalue_, k))
        certificate = certify(subset_objective(matrix.among(members)), bounds)
        self.objective_, self.upper_bound_, self.gap_ = certificate


def _improved(matrix: ConditionalMatrix, members: NDArray[np.intp], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """The members after all swaps, in the order of the ranking."""
    swapped = improve_by_swaps(matrix.row, matrix.diagonal, members, progress=phase("swapping")).members
    return order[np.isin(order, swapped)]
