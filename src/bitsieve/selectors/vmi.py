"""Greedy forward selection by the variational lower bound of the information of the whole set."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bitsieve.common.errors import ParameterError, Sentence, Setting
from bitsieve.common.parameters import FeatureCount, check_bandwidth, check_choice, check_threads, made_by, optional
from bitsieve.common.progress import phase
from bitsieve.data.binning import make_binner
from bitsieve.data.extents import check_values
from bitsieve.methods.by_samples.variational.bounds import PLATEAUS, variational_select
from bitsieve.methods.by_samples.variational.codes import CodeTable, NaiveBound, PairwiseBound
from bitsieve.methods.by_samples.variational.densities import DensityBound, DensityTable, IndistinctError
from bitsieve.methods.found import Found
from bitsieve.methods.method import Method, defaults_of
from bitsieve.selectors.sample_selector import SampleSelector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table
    from bitsieve.methods.by_samples.variational.bounds import Bound


DECOMPOSITIONS = ("naive", "pairwise")
BANDWIDTHS = ("scott", "silverman")


class VMI(SampleSelector):
    r"""Choose features one at a time by a lower bound of the information that all of them have about the target.

    The bound is ``I(X_S;C) >= mean_n log2 [q(x_S|c_n) / sum_c p(c) q(x_S|c)]``; q is a product in the order of choice,
    of ``p(x_f|c)`` ("naive"), or of ``prod_s p(x_f|x_s,c)^(1/#S)`` over those chosen before ("pairwise").
    Each step adds the feature with the greatest bound; ties (1e-10) go to the lowest column, and a column that does not
    vary is never chosen while another is left. The bound may fall as features are added.

    Probabilities are observed shares, not smoothed: a code that a class does not hold excludes that class, and as a
    sample's own class always holds its codes, the bound stays finite. All likelihoods are kept as logarithms.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", optional
        By default 10, or all columns where there are fewer.
        A float between 0 and 1 is a share of the columns; "auto" goes on until the bound no longer grows.
    decomposition : {"naive", "pairwise"}, default="naive"
    on_plateau : {"continue", "restart", "stop"}, default=None
        What to do when no feature raises the bound: go on with the one that lowers it least; forget the chosen features
        (they stay chosen) and begin a new bound, where the gain is under 0.01 nats (0.0144 bits); or stop, where it is
        at most 1e-10 bits. One feature at least is chosen. None is "stop" with "auto", else "continue".
    bandwidth : {"scott", "silverman"} or float, default="scott"
        Width of the kernels of ``binning=None``: ``s_c n_c^(-1/(d+4))``, s_c the standard deviation in the class of
        n_c samples, d the number of numeric columns in the estimate; times ``(4/(d+2))^(1/(d+4))``; or so many s_c.
    binning : {"mdl", "quantile", "uniform", "none"}, binner, or None, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code. None leaves them as they
        are and estimates Gaussian kernel densities within each class; categorical columns then keep their frequencies.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        The bound after each choice, in bits; it begins anew after a restart.
    restarts_ : ndarray of int
        How many features were chosen when the bound began anew; empty without ``on_plateau="restart"``.
    alone_ : ndarray of float, shape (n_features,)
        The bound of every feature alone, in bits: I(Xi;C) where the columns are codes.
    binner_ : binner or None
        Fitted; its ``bin_edges_`` show every cut. None without binning.

    Notes
    -----
    Cost on codes: O(k n d C), d = n_samples, n = n_features, C classes. Memory: the codes, and for "pairwise"
    4 n d C bytes up to 2 GiB; features beyond are summed anew in each step. Densities: O(n d^2) kernels, for "pairwise"
    in each step, and 8 n d C bytes (twice that for "pairwise").

    References
    ----------
    S. Gao, G. Ver Steeg, A. Galstyan, "Variational information maximization for feature selection", NIPS 2016.
    doi:10.48550/arXiv.1606.02827

    Examples
    --------
    >>> from bitsieve import VMI
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = VMI("auto").fit(X, y)
    >>> selector.selected_.tolist(), selector.scores_.round(3).tolist()
    ([3, 2], [1.378, 1.408])
    """

    feature_count = FeatureCount(open_ended=("auto",))
    parameter_rules: ClassVar = {
        "decomposition": partial(check_choice, choices=DECOMPOSITIONS),
        "on_plateau": optional(partial(check_choice, choices=PLATEAUS)),
        "bandwidth": partial(check_bandwidth, rules=BANDWIDTHS),
        "binning": optional(made_by(make_binner)),
        "n_jobs": check_threads,
    }
    described = (
        Method(
            name="vmi",
            title="Variational information maximisation, naive",
            formula="I(XS,Xi;C) >= mean log2 q(xS,xi|c) / q(xS,xi), q(xi|xS,c) = p(xi|c)",
            paper="Gao, Ver Steeg, Galstyan 2016",
            needs="the samples: a likelihood of each in every class",
            cost="O(k n d C) for C classes; densities O(n d^2)",
        ),
        Method(
            name="vmi-pairwise",
            title="Variational information maximisation, pairwise",
            formula="I(XS,Xi;C) >= mean log2 q(xS,xi|c) / q(xS,xi), q(xi|xS,c) = prod_s p(xi|xs,c)^(1/#S)",
            paper="Gao, Ver Steeg, Galstyan 2016",
            needs="the samples: a likelihood of each in every class",
            cost="O(k n d C) for C classes; densities O(n d^2)",
            parameters={"decomposition": "pairwise"},
        ),
    )

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        decomposition: str = "naive",
        on_plateau: str | None = None,
        bandwidth: str | float = "scott",
        binning: Any = "mdl",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.decomposition = decomposition
        self.on_plateau = on_plateau
        self.bandwidth = bandwidth
        self.binning = binning
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_features_to_select == "auto" and self.on_plateau not in (None, "stop"):
            raise ParameterError(
                "n_features_to_select",
                "auto",
                Sentence("give a number, or ", Setting("on_plateau", "stop")),
                f"ends where the bound no longer grows, and on_plateau is {self.on_plateau!r}",
            )

    def _choose(self, table: Table, k: int) -> Found:
        target, binner = table.target, None
        order = np.argsort(target.codes, kind="stable")
        class_sizes = np.bincount(target.codes, minlength=target.n_classes).astype(np.int64)
        bound: Bound
        if self.binning is None:
            bound = self._density_bound(table, order, class_sizes)
        else:
            binner = make_binner(self.binning, n_jobs=self.n_jobs).fit_table(table)
            codes = binner.codes(table)[order]
            phase("counting")
            kind = PairwiseBound if self.decomposition == "pairwise" else NaiveBound
            bound = kind(CodeTable(codes, class_sizes, self.n_jobs))
        on_plateau = self.on_plateau or ("stop" if self.n_features_to_select == "auto" else "continue")
        found = variational_select(bound, k, on_plateau, phase("ranking"))
        own = {"restarts_": found.restarts, "alone_": found.alone, "binner_": binner}
        return Found(found.selected, found.scores, extras=own)

    def _density_bound(self, table: Table, order: NDArray[np.intp], class_sizes: NDArray[np.int64]) -> DensityBound:
        check_values(table, allow_missing=False)
        if class_sizes.min() < 2:
            label = str(table.target.labels[int(np.argmin(class_sizes))])
            instead = Sentence("drop the class, or bin the columns (", Setting("binning", "mdl"), ")")
            raise ValueError(Sentence(f"class {label!r} has 1 sample, and a density needs two: ", instead))
        numeric = np.array([table.is_numeric(j) for j in range(table.n_features)])
        values = np.empty((table.n_features, table.n_samples))
        for j in range(table.n_features):
            column = table.numeric(j) if numeric[j] else table.categorical(j).codes
            values[j] = column[order]
        phase("densities")
        try:
            densities = DensityTable(values, numeric, class_sizes, self.bandwidth, self.n_jobs)
        except IndistinctError as error:
            label = str(table.target.labels[error.label])
            narrow = f"column {table.names[error.column]!r} does not vary within class {label!r}"
            instead = Sentence("drop the column, or bin the columns (", Setting("binning", "mdl"), ")")
            raise ValueError(Sentence(narrow, ", so its density has no width: ", instead)) from None
        return DensityBound(densities, pairwise=self.decomposition == "pairwise")


METHODS = (
    *(
        replace(each, selector="bitsieve.selectors.vmi:VMI", parameters=defaults_of(VMI, **each.parameters))
        for each in VMI.described
    ),
)
