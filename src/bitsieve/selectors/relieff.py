"""ReliefF: weights by what differs between near samples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from bitsieve.by_samples.differences import Differences
from bitsieve.by_samples.relieff import relieff_weights
from bitsieve.common.parameters import check_integer, check_threads, made_by, optional
from bitsieve.common.progress import phase
from bitsieve.common.ties import rank
from bitsieve.selectors.found import rank_all
from bitsieve.selectors.method_info import MethodInfo
from bitsieve.selectors.sampled import SampleSelector, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table
    from bitsieve.selectors.found import Found


class ReliefF(SampleSelector):
    r"""Weigh each feature by how much more it differs between neighbours of different classes than of the same class.

    ``W = mean_i [ - mean diff to the hits + sum_{c != y_i} P(c) / (1 - P(y_i)) mean diff to the misses of c ]``: hits
    are the nearest samples of the own class, misses those of class c. ``diff`` is ``|a - b| / (max - min)`` in a
    numeric column, 0 or 1 in a categorical one; distance is the sum over the columns, ties go to the lowest sample.

    A missing value differs by what it would on average if drawn from the known values of the column in the
    sample's class: from a category v by ``1 - P(v|c)``, from a number v by the mean of ``|V - v| / (max - min)``;
    two missing ones by the mean over both. (A class without known values borrows those of all classes.)

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
    n_neighbors : int, default=10
        Hits, and misses of each class; all of them where a class has fewer.
    n_samples : int, default=None
        How many samples are drawn to look at, without repetition; None, or more than there are, looks at all in
        order. Neighbours are always sought among all.
    random_state : int, RandomState instance or None, default=None
        Of the draw; without ``n_samples`` nothing is drawn.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    weights_ : ndarray of float, shape (n_features,)
        Between -1 and 1; 0 for columns that do not vary.
    ranking_ : ndarray of int, shape (n_features,)
        1 = largest weight; every feature has its own rank. Ties (1e-10) go to the lowest column; columns that do not
        vary come last.
    scores_ : ndarray of float, shape (k,)
        Their weights.

    Notes
    -----
    Cost: O(m d n), d samples, n features, m samples looked at: the distances. Memory: a few copies of the table in
    float64, and blocks of distances of 16 MiB a thread, whatever d.

    References
    ----------
    M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", Machine Learning 53,
    2003. doi:10.1023/A:1025667309714

    Examples
    --------
    >>> from bitsieve import ReliefF
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ReliefF(2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> selector.weights_.round(2).tolist()
    [0.14, 0.12, 0.36, 0.38]
    """

    takes_missing = True
    parameter_rules: ClassVar = {
        "n_neighbors": partial(check_integer, low=1),
        "n_samples": optional(partial(check_integer, low=1)),
        "random_state": made_by(check_random_state),
        "n_jobs": check_threads,
    }
    described = (
        MethodInfo(
            name="relieff",
            title="Weights by what differs between near samples",
            formula=(
                "mean over samples of [mean diff to near samples of other classes - mean diff to near ones of its own]"
            ),
            paper="Robnik-Sikonja, Kononenko 2003",
            needs="the values themselves: distances of all pairs of samples",
            cost="O(n d^2)",
            unit="weight",
        ),
    )

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_neighbors: int = 10,
        n_samples: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _choose(self, table: Table, k: int) -> Found:
        phase("reading")
        target = table.target
        differences = Differences(rows_of(table, takes_missing=True), target.codes, target.n_classes)
        weights = relieff_weights(
            differences,
            target.codes,
            self._draw(table.n_samples),
            n_neighbors=self.n_neighbors,
            n_jobs=self.n_jobs,
            progress=phase("comparing neighbours"),
        )
        return rank_all(rank(weights), differences.varies, weights, k, weights_=weights)

    def _draw(self, n_samples: int) -> NDArray[np.intp]:
        if self.n_samples is None or self.n_samples >= n_samples:
            return np.arange(n_samples)
        return np.sort(check_random_state(self.random_state).permutation(n_samples)[: self.n_samples])
