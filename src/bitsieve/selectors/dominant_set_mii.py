"""Dominant sets of similar features, and the choice among their members by the information of all that are chosen."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bitsieve.common.memory import check_memory
from bitsieve.common.parameters import FeatureCount, check_bandwidth, check_choice, check_threads, made_by
from bitsieve.common.progress import phase
from bitsieve.methods.by_counts.greedy.scores import WholeSetInformation
from bitsieve.methods.by_samples.parzen.joint import JointInformation, SecondOrderInformation
from bitsieve.methods.by_samples.parzen.pairs import BANDWIDTHS
from bitsieve.methods.by_samples.rows import standardize
from bitsieve.methods.by_samples.set_choice import choose_from_sets
from bitsieve.methods.found import Found, constants_last
from bitsieve.methods.method import Method, defaults_of
from bitsieve.optimize.dominant_sets import DYNAMICS, dominant_sets
from bitsieve.selectors.sample_selector import SampleSelector
from bitsieve.selectors.sampled import numbers_of, rows_of
from bitsieve.selectors.similarity import check_similarity, code_table, find_similarity

if TYPE_CHECKING:
    from bitsieve.data.table import Table
    from bitsieve.methods.by_samples.set_choice import SetInformation

INFORMATIONS = ("parzen", "parzen-posterior", "second-order", "binned")


class DominantSetMII(SampleSelector):
    r"""Choose features from dominant sets of similar ones by what all that are chosen tell about the target.

    A dominant set is the support of a local maximum u of ``x'Wx`` over weights x of sum 1, W the similarities; sets are
    taken off until every feature is in one. They are gone through by falling cohesiveness ``u'Wu / 2``: within a set
    the feature f with the greatest multidimensional interaction information ``I(S + f;C)`` is added to S until the set
    is used up, S being carried over to the next. Ties (1e-10) go to the lowest column; columns that do not vary come
    last.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=10
        A float between 0 and 1 is a share of the columns; "auto" ends before the first feature that lowers the
        information.
    similarity : {"auto", "parzen", "distinct", "binned", "rho", "error"} or ndarray, default="auto"
        "parzen", "distinct" and "binned": ``W_ij = 2 I(Xi;Xj) / (H(Xi) + H(Xj))``, from 0 to 1, by Gaussian Parzen
        windows of standardised columns; by counts of distinct values; by counts in ten bins of one width (columns of
        at most ten distinct values as they are). "auto" is "distinct" where at least half of the columns hold at most a
        quarter as many distinct values as samples, else "parzen"; ``similarity_`` says which. "rho": the size of the
        correlation. "error": 1 less the squared error of regression, as a share of the largest. An array has one row
        and one column a feature.
    information : {"parzen", "parzen-posterior", "second-order", "binned"}, default="parzen"
        How I(S;C) is estimated: by Parzen windows within each class as ``mean log2 p(x|c) / p(x)``, or as
        ``H(C) - mean H(C|x)``; by its second-order approximation ``sum_i I(Xi;C) - sum_ij [I(Xi;Xj) - I(Xi;Xj|C)]``;
        or by counts of bins, which is fast, and rises to H(C) as soon as few samples share their bins.
    bandwidth : {"scott", "log"} or float, default="scott"
        The width of Parzen windows: ``N^(-1/(d+4))``, ``1 / ln N``, or a number, in standard deviations, for N samples
        and d columns.
    dynamics : {"infection", "replicator"}, default="infection"
        How the maxima are found: infection and immunisation dynamics, whose support is exact; replicator dynamics, as
        in the paper, whose support are weights above 1e-5, and which needs all similarities in memory.
    memory : int or str, default=None
        The most that similarities may take, such as "2GB"; beyond, rows are made anew when they are needed. None is as
        much as the matrix takes.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        What each feature added to I(S;C), in bits; may be negative.
    groups_ : list of ndarray of int, length k
        For every selected feature, the others of its dominant set.
    sets_ : list of ndarray of int
        All dominant sets, by falling cohesiveness.
    cohesiveness_ : ndarray of float
        Of each of them; 0 for a single feature.
    similarity_ : str
        The similarity used; "given" for an array, "none" where no column varies.

    Notes
    -----
    Windows have the full sample covariance of the standardised columns plus 1e-6 on its diagonal, so that duplicates,
    classes of one sample, and fewer samples than features are no errors; a duplicate adds nothing. Of Parzen windows,
    columns of two categories count as 0 and 1; those of more are refused, as are missing values.
    Cost, n features, d samples: "parzen" similarities O(n^2 d), 1,150 products a sample and pair instead of d kernels;
    from counts O(n^2 d) samples read as bits; I(S + f;C) d^2 kernels a candidate. Memory: n^2 numbers, or ``memory``.

    References
    ----------
    Z. Zhang, E. R. Hancock, "Mutual information criteria for feature selection", SIMBAD 2011.
    doi:10.1007/978-3-642-24471-1_17

    Examples
    --------
    >>> from bitsieve import DominantSetMII
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = DominantSetMII(2, similarity="rho").fit(X, y)
    >>> [members.tolist() for members in selector.sets_], selector.selected_.tolist()
    ([[0, 2, 3], [1]], [3, 2])
    """

    feature_count = FeatureCount(open_ended=("auto",))
    parameter_rules: ClassVar = {
        "similarity": check_similarity,
        "information": partial(check_choice, choices=INFORMATIONS),
        "bandwidth": partial(check_bandwidth, rules=BANDWIDTHS),
        "dynamics": partial(check_choice, choices=tuple(DYNAMICS)),
        "memory": made_by(check_memory),
        "n_jobs": check_threads,
    }
    described = (
        Method(
            name="dominant-set-mii",
            title="Multidimensional interaction information in dominant sets",
            formula="max I(XS,Xi;C), one dominant set after another of W_ij = 2 I(Xi;Xj) / (H(Xi) + H(Xj))",
            paper="Zhang, Hancock 2011",
            needs="the values themselves: similarities of all pairs of features; n x n numbers",
            cost="O(n^2 d + k m d^2) for sets of m features, n^2 numbers",
        ),
    )

    def __init__(
        self,
        n_features_to_select: int | float | str = 10,
        *,
        similarity: Any = "auto",
        information: str = "parzen",
        bandwidth: str | float = "scott",
        dynamics: str = "infection",
        memory: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.information = information
        self.bandwidth = bandwidth
        self.dynamics = dynamics
        self.memory = memory
        self.n_jobs = n_jobs

    def _choose(self, table: Table, k: int) -> Found:
        varies = rows_of(table, takes_missing=False).varies
        varying = np.flatnonzero(varies)
        if not len(varying):
            nothing = {"groups_": [np.empty(0, np.intp)] * k, "sets_": [], "cohesiveness_": np.empty(0)}
            return Found(np.arange(k), np.zeros(k), extras={**nothing, "similarity_": "none"})
        scores, memory, who = self._information(table), check_memory(self.memory), type(self).__name__
        similarity, kind = find_similarity(table, self.similarity, self.bandwidth, memory, self.n_jobs, who)
        found = dominant_sets(similarity, DYNAMICS[self.dynamics], phase("dominant sets"))
        sets = [each.members for each in found]
        ends_itself = self.n_features_to_select == "auto"
        chosen = choose_from_sets(sets, scores, k, until_negative=ends_itself, progress=phase("ranking"))
        order, gains = varying[chosen.order], chosen.gains
        if not ends_itself and len(order) < k:
            order = constants_last(order, varies)[:k]
            gains = np.concatenate([gains, np.zeros(k - len(gains))])
        in_table = [varying[members] for members in sets]
        group_of = {int(j): members for members in in_table for j in members}
        groups = [group_of.get(j, np.array([j], np.intp)) for j in order.tolist()]
        own = {
            "groups_": [members[members != j] for j, members in zip(order.tolist(), groups, strict=True)],
            "sets_": in_table,
            "cohesiveness_": np.array([each.cohesiveness for each in found]),
            "similarity_": kind,
        }
        return Found(order, gains, extras=own)

    def _information(self, table: Table) -> SetInformation:
        """I(S + f;C) of the varying columns, by place among them."""
        if self.information == "binned":
            return WholeSetInformation(code_table(table, "binned", self.n_jobs))
        target = table.target
        order = np.argsort(target.codes, kind="stable")
        numbers, varies = numbers_of(table, f"{type(self).__name__} with information={self.information!r}")
        values = np.ascontiguousarray(standardize(numbers[:, varies])[:, order])
        sizes = np.bincount(target.codes, minlength=target.n_classes)
        if self.information == "second-order":
            return SecondOrderInformation(values, sizes, self.bandwidth, self.n_jobs)
        posterior = self.information == "parzen-posterior"
        return JointInformation(values, sizes, self.bandwidth, self.n_jobs, posterior=posterior)


METHODS = (
    *(
        replace(
            each,
            selector="bitsieve.selectors.dominant_set_mii:DominantSetMII",
            parameters=defaults_of(DominantSetMII, **each.parameters),
        )
        for each in DominantSetMII.described
    ),
)
