"""DominantSetMII and DominantSetClusters: dominant sets of similar columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags

from bitsieve.dataset.read import read_xy
from bitsieve.methods.by_samples.dominant_sets import METHODS, dominant_set_clusters
from bitsieve.methods.method import check_capabilities
from bitsieve.pipeline.samples import TableSamples
from bitsieve.selectors.base import ColumnSelector, with_parameters
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.selectors.descriptions import ATTRIBUTES
from bitsieve.utils.docstrings import cites
from bitsieve.utils.memory import check_memory
from bitsieve.utils.parameters import check_threads
from bitsieve.utils.types import ColumnLike, TableLike


@with_parameters
class DominantSetMII(MethodSelector):
    r"""Choose features from dominant sets of similar ones by the joint information of all chosen ones.

    A dominant set is the support of a local maximum u of ``x'Wx`` over weights x of sum 1, W the similarities; sets are
    taken off one after another, from equal weights of what is left, until every feature is in one, and gone through in
    this order: within a set the feature f with the greatest multidimensional interaction information ``I(S + f;C)`` is
    added to S until the set is used up, S being carried over to the next. Ties (1e-10) go to the lowest column; columns
    that do not vary come last.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=10
        A float between 0 and 1 is a share of the columns; "auto" ends before the first feature that lowers the
        information.
    similarity : {"auto", "parzen", "distinct", "binned", "rho", "error"} or ndarray, default="auto"
        "parzen", "distinct" and "binned": ``W_ij = 2 I(Xi;Xj) / (H(Xi) + H(Xj))``, from 0 to 1, by Gaussian Parzen
        windows of standardised columns; by counts of distinct values; by counts in ten bins of one width. "auto" is
        "parzen" with the bandwidth "log" where many columns are quantities, else "distinct"; ``similarity_`` says
        which. "rho": the size of the correlation. "error": 1 less the squared error of regression, as a share of the
        largest. An array has one row and one column a feature.
    information : {"parzen", "parzen-posterior", "second-order", "binned"}, default="parzen"
        How I(S;C) is estimated: by Parzen windows within each class as ``mean log2 p(x|c) / p(x)``, or as
        ``H(C) - mean H(C|x)``; by its second-order approximation ``sum_i I(Xi;C) - sum_ij [I(Xi;Xj) - I(Xi;Xj|C)]``,
        the paper's equation 13, within the sets; or by counts of bins.
    bandwidth : {"scott", "log"} or float, default="scott"
        The width of Parzen windows: ``N^(-1/(d+4))``, ``1 / ln N``, or a number, in standard deviations, for N samples
        and d columns. The similarities of "auto" do not depend on it.
    dynamics : {"infection", "replicator"}, default="infection"
        How the maxima are found: infection and immunisation dynamics, whose support is exact; replicator dynamics, as
        in the paper, whose support are weights above 1e-5, and which needs all similarities in memory.
    memory : int or str, default=None
        The most that similarities may take, such as "2GB"; beyond, rows are made anew when they are needed. None is as
        much as the matrix takes.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        What each feature added to I(S;C), in bits; may be negative.
    groups_ : list of ndarray of int, length k
        For every selected feature, the others of its dominant set.
    sets_ : list of ndarray of int
        All dominant sets, in the order in which they were taken off.
    cohesiveness_ : ndarray of float
        ``u'Wu / 2`` of each of them; 0 for a single feature.
    similarity_ : str
        The similarity used; "given" for an array, "none" where no column varies.

    Notes
    -----
    Columns of two categories count as 0 and 1 in Parzen windows; those of more are refused, as are missing values.
    Cost, n features, d samples: "parzen" similarities O(n^2 d), 1,150 products a sample and pair instead of d kernels;
    from counts O(n^2 d) samples read as bits; I(S + f;C) d^2 kernels a candidate. Memory: n^2 numbers, or ``memory``.

    Examples
    --------
    >>> from bitsieve import DominantSetMII
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = DominantSetMII(2, similarity="rho").fit(X, y)
    >>> [members.tolist() for members in selector.sets_], selector.selected_.tolist()
    ([[0, 2, 3], [1]], [3, 2])
    """

    registry_methods = METHODS

    n_features_to_select: int | float | str | None = field(default=10, kw_only=False)
    similarity: Any = "auto"
    information: str = "parzen"
    bandwidth: str | float = "scott"
    dynamics: str = "infection"
    memory: int | str | None = None
    n_jobs: int | None = None


@with_parameters
@cites("Pavan, Pelillo 2007")
class DominantSetClusters(ColumnSelector):
    r"""Group columns that are similar to each other, and keep one column of each group.

    Groups are dominant sets: supports of local maxima u of ``x'Wx`` over weights x of sum 1, W the similarities, taken
    off one after another. Their number need not be known; a column that is similar to no other is a group of its own.
    The column with the greatest weight in u represents its group (ties, 1e-10: the lowest).

    Parameters
    ----------
    similarity, bandwidth, dynamics, memory
        As for :class:`DominantSetMII`.

    Attributes
    ----------
    groups_ : list of ndarray of int
        The columns of every group, in the order in which they were found; columns that do not vary are one group, the
        last.
    labels_ : ndarray of int, shape (n_features,)
        The group of every column.
    selected_ : ndarray of int, shape (n_groups,)
        The column that represents each group. None represents columns that do not vary, unless none varies.
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
        **{name: METHODS[0].rules[name] for name in ("similarity", "bandwidth", "dynamics", "memory")},
        "n_jobs": check_threads,
    }
    shared_attributes: ClassVar[Mapping[str, str]] = {
        line: text
        for line, text in ATTRIBUTES.items()
        if line.split()[0] in ("support_", "n_features_in_", "feature_names_in_")
    }

    similarity: Any = "auto"
    bandwidth: str | float = "scott"
    dynamics: str = "infection"
    memory: int | str | None = None
    n_jobs: int | None = None

    def fit(self, X: TableLike, y: ColumnLike = None, sample_weight: ColumnLike = None) -> Self:
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
        table = read_xy(X, None, sample_weight, estimator=self)
        check_capabilities(self._name_in_messages(), self.required_capabilities, table.capabilities)
        samples = TableSamples(table, type(self).__name__, n_jobs=self.n_jobs)
        memory = check_memory(self.memory)
        clusters = dominant_set_clusters(samples, self.similarity, self.bandwidth, self.dynamics, memory, self.n_jobs)
        table.set_names_on(self)
        self.groups_ = clusters.groups
        self.selected_ = clusters.selected
        self.weights_ = clusters.weights
        self.cohesiveness_ = clusters.cohesiveness
        self.similarity_ = clusters.kind
        self.similarity_matrix_ = clusters.matrix
        self.labels_ = np.zeros(table.n_features, np.intp)
        self.support_ = np.zeros(table.n_features, bool)
        for label, group in enumerate(self.groups_):
            self.labels_[group] = label
        self.support_[self.selected_] = True
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.target_tags.multi_output = False
        return tags
