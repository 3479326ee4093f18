"""Clusters of redundant features: dominant sets of their similarities, and one feature that stands for each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bitsieve.common.memory import check_memory
from bitsieve.common.parameters import check_bandwidth, check_choice, check_threads, made_by
from bitsieve.common.progress import phase
from bitsieve.common.ties import pick
from bitsieve.data.read import read_xy
from bitsieve.methods.by_samples.parzen.pairs import BANDWIDTHS
from bitsieve.optimize.dominant_sets import DYNAMICS, dominant_sets
from bitsieve.optimize.similarity import SimilarityMatrix
from bitsieve.selectors.base import ColumnSelector
from bitsieve.selectors.sampled import repeated, rows_of
from bitsieve.selectors.shared_attributes import OF_ALL
from bitsieve.selectors.similarity import check_similarity, find_similarity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


class DominantSetClusters(ColumnSelector):
    r"""Group columns that are similar to each other, and keep one column of each group.

    Groups are dominant sets: supports of local maxima u of ``x'Wx`` over weights x of sum 1, W the similarities, taken
    off one after another. Their number need not be known; a column that is similar to no other is a group of its own.
    The column with the greatest weight in u stands for its group (ties, 1e-10: the lowest).

    Parameters
    ----------
    similarity : {"auto", "parzen", "distinct", "binned", "rho", "error"} or ndarray, default="auto"
        As for :class:`DominantSetMII`: mutual information as a share of the entropies, by Parzen windows, distinct
        values or bins; the size of the correlation; the error of regression; or one row and one column a feature.
    bandwidth : {"scott", "log"} or float, default="scott"
        The width of Parzen windows: ``N^(-1/(d+4))``, ``1 / ln N``, or a number, in standard deviations.
    dynamics : {"infection", "replicator"}, default="infection"
        How the maxima are found.
    memory : int or str, default=None
        The most that similarities may take, such as "2GB"; beyond, rows are made anew when they are needed. None is as
        much as the matrix takes.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    groups_ : list of ndarray of int
        The columns of every group, by falling cohesiveness; columns that do not vary are one group, the last.
    labels_ : ndarray of int, shape (n_features,)
        The group of every column.
    selected_ : ndarray of int, shape (n_groups,)
        The column that stands for each group. None stands for columns that do not vary, unless none varies.
    weights_ : ndarray of float, shape (n_features,)
        The weight of every column in its group, of sum 1 in each.
    cohesiveness_ : ndarray of float, shape (n_groups,)
        ``u'Wu / 2`` of every group; 0 for a single column.
    similarity_ : str
        The similarity used; "given" for an array, "none" where no column varies.
    similarity_matrix_ : ndarray of shape (n_features, n_features) or None
        The similarities, 0 on the diagonal; None where ``memory`` did not hold them.

    Notes
    -----
    Cost, n features, d samples: O(n^2 d) for the similarities, and O(n) a step of the dynamics, some more steps a group
    than features are left (of more than 1,024, so many). Memory: n^2 numbers, or ``memory``.

    References
    ----------
    M. Pavan, M. Pelillo, "Dominant sets and pairwise clustering", IEEE Transactions on Pattern Analysis and Machine
    Intelligence 29(1), 2007. doi:10.1109/TPAMI.2007.250608

    Examples
    --------
    >>> from bitsieve import DominantSetClusters
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clusters = DominantSetClusters(similarity="rho").fit(X)
    >>> [group.tolist() for group in clusters.groups_], clusters.get_feature_names_out().tolist()
    ([[0, 2, 3], [1]], ['sepal width (cm)', 'petal length (cm)'])
    """

    parameter_rules: ClassVar = {
        "similarity": check_similarity,
        "bandwidth": partial(check_bandwidth, rules=BANDWIDTHS),
        "dynamics": partial(check_choice, choices=tuple(DYNAMICS)),
        "memory": made_by(check_memory),
        "n_jobs": check_threads,
    }
    shared_attributes: ClassVar[Mapping[str, str]] = {
        line: text
        for line, text in OF_ALL.items()
        if line.split()[0] in ("support_", "n_features_in_", "feature_names_in_")
    }

    def __init__(
        self,
        *,
        similarity: Any = "auto",
        bandwidth: str | float = "scott",
        dynamics: str = "infection",
        memory: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.similarity = similarity
        self.bandwidth = bandwidth
        self.dynamics = dynamics
        self.memory = memory
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the groups of a table's columns.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, whole numbers: how many times each sample counts.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, or the columns hold missing or infinite values.
        """
        self._check_parameters()
        table = repeated(read_xy(X, None, sample_weight, estimator=self))
        n, memory = table.n_features, check_memory(self.memory)
        varying = np.flatnonzero(rows_of(table, takes_missing=False).varies)
        labels, weights = np.zeros(n, np.intp), np.zeros(n)
        groups: list[NDArray[np.intp]] = []
        cohesiveness: list[float] = []
        similarity, kind = None, "none"
        if len(varying):
            similarity, kind = find_similarity(
                table, self.similarity, self.bandwidth, memory, self.n_jobs, type(self).__name__
            )
            for found in dominant_sets(similarity, DYNAMICS[self.dynamics], phase("dominant sets")):
                groups.append(varying[found.members])
                weights[groups[-1]] = found.weights
                cohesiveness.append(found.cohesiveness)
        constant = np.setdiff1d(np.arange(n), varying)
        stand = [int(group[pick(weights[group])]) for group in groups]
        if len(constant):
            weights[constant] = 1 / len(constant)
            groups.append(constant)
            cohesiveness.append(0.0)
        for label, group in enumerate(groups):
            labels[group] = label
        table.set_names_on(self)
        self.groups_, self.labels_, self.weights_ = groups, labels, weights
        self.cohesiveness_, self.similarity_ = np.array(cohesiveness), kind
        self.selected_ = np.array(stand or [0], np.intp)
        self.support_ = np.zeros(n, bool)
        self.support_[self.selected_] = True
        self.similarity_matrix_ = (
            _in_all(similarity.matrix, varying, n) if isinstance(similarity, SimilarityMatrix) else None
        )
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.target_tags.multi_output = False
        return tags


def _in_all(matrix: NDArray[Any], varying: NDArray[np.intp], n: int) -> NDArray[Any]:
    """The similarities of all columns, of those of the varying ones."""
    if len(varying) == n:
        return matrix
    out = np.zeros((n, n), matrix.dtype)
    out[np.ix_(varying, varying)] = matrix
    return out
