"""Greedy forward selection by the variational lower bound of the information of the whole set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bitsieve.binning import make_binner
from bitsieve.by_samples.variational.code_tables import CodeTable
from bitsieve.by_samples.variational.codes import NaiveBound, PairwiseBound
from bitsieve.by_samples.variational.densities import DensityBound, DensityTable, IndistinctError
from bitsieve.by_samples.variational.search import PLATEAUS, variational_select
from bitsieve.common.errors import ParameterError, Sentence, Setting
from bitsieve.common.parameters import check_choice, check_feature_count
from bitsieve.common.progress import phase
from bitsieve.selectors.base import ColumnSelector
from bitsieve.table.missing import check_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.by_samples.variational.search import Bound
    from bitsieve.table.columns import Columns
    from bitsieve.table.target import Target

DECOMPOSITIONS = ("naive", "pairwise")
BANDWIDTHS = ("scott", "silverman")


class VMI(ColumnSelector):
    r"""Choose features one at a time by a lower bound of what all of them together tell about the target.

    The bound is ``I(X_S;C) >= mean_n log2 [q(x_S|c_n) / sum_c p(c) q(x_S|c)]``; q is a product in the order of choice,
    of ``p(x_f|c)`` ("naive"), or of ``prod_s p(x_f|x_s,c)^(1/#S)`` over those chosen before ("pairwise").
    Each step adds the feature with the greatest bound; ties (1e-10) go to the lowest column, and a column that does not
    vary is never chosen while another is left. The bound may fall as features are added.

    Probabilities are observed shares, not smoothed: a code that a class does not hold excludes that class, and as a
    sample's own class always holds its codes, the bound stays finite. All likelihoods are kept as logarithms.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=10
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
    support_ : ndarray of bool, shape (n_features,)
    ranking_ : ndarray of int, shape (n_features,)
        1 = chosen first; features that were not chosen share the next rank.
    selected_ : ndarray of int, shape (k,)
        Column indices in order of choice.
    scores_ : ndarray of float, shape (k,)
        The bound after each choice, in bits; it begins anew after a restart.
    restarts_ : ndarray of int
        How many features were chosen when the bound began anew; empty without ``on_plateau="restart"``.
    alone_ : ndarray of float, shape (n_features,)
        The bound of every feature alone, in bits: I(Xi;C) where the columns are codes.
    binner_ : binner or None
        Fitted; its ``bin_edges_`` show every cut. None without binning.
    classes_ : ndarray
        The labels of the target, or its intervals where it was continuous.
    target_edges_ : ndarray or None
        The inner edges of a continuous target.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where the columns have names.

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

    def __init__(
        self,
        n_features_to_select: int | float | str = 10,
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

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
            Text, categorical and boolean columns are codes as they are.
        y : array-like of shape (n_samples,)
            Classes of any kind; floats with a fractional part are binned into five equal-frequency classes, whose
            edges are kept in ``target_edges_``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, more features are asked for than there are, the target has one class, the
            columns hold infinite or missing values that the binner was not told to keep, or a density has no width: a
            class of one sample, or a numeric column that varies but not within some class.
        """
        self._check_parameters()
        columns, target = self._read(X, y)
        n_features = len(columns)
        asked = self.n_features_to_select
        k = n_features if asked == "auto" else check_feature_count(asked, n_features)
        bound = self._bound(columns, target)
        on_plateau = self.on_plateau or ("stop" if asked == "auto" else "continue")
        chosen = variational_select(bound, k, on_plateau, phase("ranking"))
        self.classes_ = target.labels
        self.target_edges_ = target.edges
        self.selected_, self.scores_, self.restarts_, self.alone_ = chosen
        self.support_ = np.zeros(n_features, bool)
        self.support_[self.selected_] = True
        self.ranking_ = np.full(n_features, len(self.selected_) + 1, np.intp)
        self.ranking_[self.selected_] = np.arange(1, len(self.selected_) + 1)
        return self

    def _check_parameters(self) -> None:
        check_choice("decomposition", self.decomposition, DECOMPOSITIONS)
        if self.on_plateau is not None:
            check_choice("on_plateau", self.on_plateau, PLATEAUS)
        if self.n_features_to_select == "auto" and self.on_plateau not in (None, "stop"):
            raise ParameterError(
                "n_features_to_select",
                "auto",
                Sentence("give a number, or ", Setting("on_plateau", "stop")),
                f"ends where the bound no longer grows, and on_plateau is {self.on_plateau!r}:",
            )
        width = self.bandwidth
        number = isinstance(width, (int, float)) and not isinstance(width, bool) and 0 < width < float("inf")
        if not number and not (isinstance(width, str) and width in BANDWIDTHS):
            raise ParameterError("bandwidth", width, f"give {' or '.join(map(repr, BANDWIDTHS))}, or a number above 0")

    def _bound(self, columns: Columns, target: Target) -> Bound:
        order = np.argsort(target.codes, kind="stable")
        class_sizes = np.bincount(target.codes, minlength=target.n_classes).astype(np.int64)
        self.binner_: Binner | None = None
        if self.binning is None:
            return self._density_bound(columns, target, order, class_sizes)
        phase("binning")
        self.binner_ = make_binner(self.binning, n_jobs=self.n_jobs).fit_columns(columns, target)
        codes = self.binner_.codes(columns)[order]
        phase("counting")
        kind = PairwiseBound if self.decomposition == "pairwise" else NaiveBound
        return kind(CodeTable(codes, class_sizes, self.n_jobs))

    def _density_bound(
        self, columns: Columns, target: Target, order: NDArray[np.intp], class_sizes: NDArray[np.int64]
    ) -> Bound:
        check_values(columns, allow_missing=False)
        if class_sizes.min() < 2:
            label = str(target.labels[int(np.argmin(class_sizes))])
            raise ValueError(
                Sentence(
                    f"class {label!r} has 1 sample, and a density needs two: drop the class, or bin the columns (",
                    Setting("binning", "mdl"),
                    ")",
                )
            )
        numeric = np.array([columns.is_numeric(j) for j in range(len(columns))])
        values = np.empty((len(columns), columns.n_samples))
        for j in range(len(columns)):
            column = columns.numeric(j) if numeric[j] else columns.categorical(j).codes
            values[j] = column[order]
        phase("densities")
        try:
            table = DensityTable(values, numeric, class_sizes, self.bandwidth, self.n_jobs)
        except IndistinctError as error:
            label = str(target.labels[error.label])
            raise ValueError(
                Sentence(
                    f"column {columns.names[error.column]!r} does not vary within class {label!r}, so its density has "
                    "no width: drop the column, or bin the columns (",
                    Setting("binning", "mdl"),
                    ")",
                )
            ) from None
        return DensityBound(table, pairwise=self.decomposition == "pairwise")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = getattr(self.binning, "missing", "error") == "bin"
        return tags
