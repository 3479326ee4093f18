"""The public transformers: scikit-learn's face of the rules that turn columns into codes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from scipy.sparse import csc_array
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.plain_text import Plain
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.strata import numbers_of_strata
from bitsieve.dataset.text_format import ColumnRules, TextFormat
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning, ColumnBinning
from bitsieve.discretization.categorical import CategoricalBinning
from bitsieve.discretization.equal import EqualFrequencyBinning, EqualWidthBinning
from bitsieve.discretization.mdl import MDLBinning
from bitsieve.discretization.monotone.binning import MonotoneBinning
from bitsieve.discretization.separate_zero import SeparateZeroBinning
from bitsieve.utils.arrays import Values
from bitsieve.utils.docstrings import cites, described_fully
from bitsieve.utils.estimator import Estimator
from bitsieve.utils.types import ColumnLike, TableLike

#: Parameters, and below attributes, that the classes share: those that a class does not describe itself.
_PARAMETERS = {
    'missing : {"error", "bin"}, default="error"': (
        "What missing values are: an error that names the columns, or a code of their own, the last one of every "
        "column (NaN takes no part in cutting)."
    ),
    "bins_within : bool, default=False": (
        "Whether each stratum has bins of its own, found in its rows alone: ``fit`` and ``transform`` then take "
        "``strata``, and a code is the rank of a bin in its stratum. In place of ``bin_edges_``, ``strata_`` has the "
        "values of each stratum and ``bin_edges_of_strata_`` its edges."
    ),
    "n_jobs : int or None, default=None": "Threads; None is 1, -1 is every core. The result does not depend on it.",
    "n_bins : int, default=10": "Bins of a column, 2 to 65,535.",
}
_ATTRIBUTES = {
    "bin_edges_ : sequence of ndarray of float64": (
        "Inner edges of every column, ascending; empty for a categorical column and for one that was left whole."
    ),
    "categories_ : list of ndarray or None": "Sorted values of every categorical column, None for a numeric one.",
    "n_bins_ : ndarray of int, shape (n_features,)": (
        'Codes of every column; with ``missing="bin"`` the code of the missing values is one of them.'
    ),
    "n_features_in_ : int": "Number of columns.",
    "feature_names_in_ : ndarray of str": "Their names, if they are strings.",
}


class Binner(OneToOneFeatureMixin, TransformerMixin, Estimator, Binning):
    """Base of the transformers; the other base class of each is its rule."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__doc__:
            cls.__doc__ = described_fully(cls.__doc__, cls.parameter_names(), _PARAMETERS, _ATTRIBUTES)

    def fit(
        self, X: TableLike, y: ColumnLike = None, sample_weight: ColumnLike = None, strata: ColumnLike = None
    ) -> Self:
        """Find the bins of every column.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            The target; only MDL looks at it.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, whole numbers: how many times each sample counts; one of weight 0 is left out.
        strata : array-like of shape (n_samples,) or (n_samples, n_columns), default=None
            Batches, sites or periods, for ``bins_within=True`` only.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, X is empty, holds infinite values, missing values with
            ``missing="error"``, or a column of more than 65,536 codes, or the weights are no whole numbers.
        """
        uses_target = self.requires == "classes"
        self._check_strata_are_used(strata)
        table = read_xy(X, y if uses_target else None, sample_weight, strata=strata, estimator=self)
        self._refuse_sparse(table)
        if uses_target and y is None:
            raise UserError(
                code="target-needed",
                message=f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.",
            )
        return self.fit_table(table)

    def fit_transform(
        self, X: TableLike, y: ColumnLike = None, sample_weight: ColumnLike = None, strata: ColumnLike = None
    ) -> Values:
        """Find the bins of every column, and code the same rows: :meth:`fit`, then :meth:`transform`.

        Parameters
        ----------
        X, y, sample_weight, strata
            As for :meth:`fit`.

        Returns
        -------
        codes : ndarray or csc_array of shape (n_samples, n_features)
            As of :meth:`transform`.

        Raises
        ------
        ValueError
            As by :meth:`fit`.
        """
        return self.fit(X, y, sample_weight, strata).transform(X, strata)

    def transform(self, X: TableLike, strata: ColumnLike = None) -> Values:
        """Code every column by the bins that :meth:`fit` found. Costs O(log b) for a number of a column of b bins.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
        strata : array-like of shape (n_samples,) or (n_samples, n_columns), default=None
            As for :meth:`fit`; with ``bins_within=True`` the stratum of a row decides its codes.

        Returns
        -------
        codes : ndarray in Fortran order, or csc_array of a sparse table, of shape (n_samples, n_features)
            uint8 if every column has at most 256 codes, else uint16.

        Raises
        ------
        ValueError
            If the columns are not those of fit, or hold infinite values, missing values with
            ``missing="error"``, or categories or strata that were not there when fitting; or if zero is not the code 0
            of a column of a sparse table.
        """
        check_is_fitted(self)
        self._check_strata_are_used(strata)
        table = self._read_again(X)
        if strata is not None:
            table = replace(table, strata=numbers_of_strata(strata, table.n_samples, self.strata_))
        codes: Values = self.codes(table)
        is_matrix_of_user = codes is table.matrix  # codes already, which are not copied so far
        return codes.copy(order="F") if is_matrix_of_user else codes

    def _read_again(self, X: TableLike) -> InMemoryDataset:
        """The columns of new rows, whose text means what it meant when fitting."""
        categories = self.categories_
        formats: dict[int, TextFormat] = {}
        for j in range(self.n_features_in_):
            if categories is None or categories[j] is None:
                formats[j] = Plain()
        formats.update(self._formats)
        table = read_columns(X, estimator=self, reset=False, rules=ColumnRules(formats=formats))
        self._refuse_sparse(table)
        return table

    def _check_strata_are_used(self, strata: ColumnLike) -> None:
        if strata is not None and not self.bins_within:
            raise UserError(
                code="parameter-without-effect",
                message="strata has no effect on bins that are the same in all strata",
                advice="leave it out, or use EqualFrequencyBinner or EqualWidthBinner with {bins_within}",
                fix={"bins_within": True},
            )

    def _refuse_sparse(self, table: InMemoryDataset) -> None:
        if table.is_sparse and isinstance(self, ColumnBinning):
            other = f"ZeroApartBinner({type(self).__name__}())"
            raise UserError(
                code="dense-rows-needed",
                message="the table is sparse",
                advice=f"use {other}, which keeps zero as a separate code, or X.toarray()",
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "bin"
        tags.input_tags.string = True
        tags.target_tags.required = self.requires == "classes"
        tags.target_tags.multi_output = self.requires == "classes"
        tags.transformer_tags.preserves_dtype = []
        return tags


@cites("Fayyad, Irani 1993")
class MDLBinner(Binner, MDLBinning):
    """Cut every numeric column where a cut saves more bits about the class than its description costs.

    Fayyad and Irani's rule. Candidates are the midpoints between adjacent distinct values, but for those where
    all samples of both values are of one same class. The best cut has the smallest class entropy
    ``E = N1/N Ent(S1) + N2/N Ent(S2)`` in bits; among equal ones (1e-12) it is the smallest. It is accepted if ::

        Ent(S) - E > log2(N - 1)/N + (log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)])/N

    with k, k1, k2 the classes present in S, S1, S2; then both sides are cut in turn. A value on a cut goes left. Costs
    a few passes over a long column and a sort of stretches with a cut; at most a sort and O(N) for every level of cuts.

    Parameters
    ----------
    uncut : {"leave", "median"}, default="leave"
        What becomes of a numeric column without an accepted cut: one bin, or two bins cut at the lower median (the
        order statistic of rank ``ceil(N / 2)``; a value on the cut goes left; no cut where no value lies above).

    Attributes
    ----------
    uncut_ : ndarray of int
        The numeric columns in which no cut was accepted.

    Examples
    --------
    >>> from bitsieve import MDLBinner
    >>> X = [[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]
    >>> binner = MDLBinner().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> binner.bin_edges_[0].tolist(), binner.transform(X).ravel().tolist()
    ([6.5], [0, 0, 0, 1, 1, 1])
    """


class CategoricalBinner(Binner, CategoricalBinning):
    """Take columns as the codes they are: each distinct value gets its rank among the sorted ones.

    Numeric columns must hold whole numbers; they need not be contiguous nor start at 0. Costs O(n) a column for
    integers in a span of 65,536, else a sort.

    Attributes
    ----------
    categories_ : sequence of ndarray
        Sorted distinct values of every column.

    Examples
    --------
    >>> from bitsieve import CategoricalBinner
    >>> CategoricalBinner().fit_transform([[7, "b"], [3, "a"], [7, "a"]]).tolist()
    [[1, 1], [0, 0], [1, 0]]
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


class EqualFrequencyBinner(Binner, EqualFrequencyBinning):
    """Cut every numeric column into bins of about the same number of samples.

    Cut j = 1, ..., n_bins - 1 of d values is the order statistic of rank ``r = round-half-up(j d / n_bins)``; a value
    on a cut goes left; equal cuts are one and empty bins are removed, so a column may get fewer bins. Costs a
    sort of every column: O(p d log d).

    Parameters
    ----------
    uncut : {"leave", "apart"}, default="leave"
        What becomes of a numeric column without a cut, as where nearly all values are the largest: one bin, or two,
        the largest value apart.

    Examples
    --------
    >>> from bitsieve import EqualFrequencyBinner
    >>> binner = EqualFrequencyBinner(n_bins=2).fit([[1.0], [2.0], [3.0], [10.0]])
    >>> binner.bin_edges_[0].tolist(), binner.transform([[2.0], [2.5]]).ravel().tolist()
    ([2.0], [0, 1])
    """


class EqualWidthBinner(Binner, EqualWidthBinning):
    """Cut the range of every numeric column into bins of one width.

    A value v gets the code ``min(floor((v - min) / (max - min) * n_bins), n_bins - 1)``, so a value on a cut goes
    right; min and max are those of the fitted table, and values beyond them go to the outer bins. Costs O(n) a column.

    Examples
    --------
    >>> from bitsieve import EqualWidthBinner
    >>> binner = EqualWidthBinner(n_bins=2).fit([[1.0], [2.0], [3.0], [10.0]])
    >>> binner.bin_edges_[0].tolist(), binner.transform([[3.0], [5.5]]).ravel().tolist()
    ([5.5], [0, 1])
    """


class MonotoneCutsBinner(Binner, MonotoneBinning):
    """Cut every numeric column so that the rate of one of two classes rises or falls from bin to bin.

    The cuts are those of :class:`bitsieve.MonotoneBinner`, which merges categories too, and has tables of its bins.
    This class is the fitted ``binner_`` of a selector with ``binning="monotone"``. Costs O(N log N) a column, and
    O(B^2 k) for B distinct numbers or pre-bins and k bins.

    Examples
    --------
    >>> from bitsieve import ForwardSelector
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> ForwardSelector(1, binning="monotone").fit(X, y).binner_.transform([[0.0], [9.0]]).ravel().tolist()
    [0, 1]
    """


class ZeroApartBinner(Binner, SeparateZeroBinning):
    """Make zero a code of its own in every column, and bin the other numbers by a rule.

    The rule gets the numbers of a column that are not zero, and the samples that hold them, as if there were no others.
    A column that holds zeros has the code 0 for these, and the codes 1, 2, ... for the bins; one without zeros has the
    codes 0, 1, ... for the bins. With the rule "none" every distinct number is a code, by its rank among all, zero
    included. Sparse tables are binned so, whatever the rule. Costs a sort of the numbers of a column that are not zero.

    Parameters
    ----------
    binning : {"mdl", "monotone", "quantile", "uniform", "none"} or binner, default="mdl"
        The rule, with its own parameters; missing values are what it says.

    Attributes
    ----------
    rule_ : binner
        The rule.
    bin_edges_ : sequence of ndarray of float64
        Inner edges of every column among its numbers that are not zero, ascending; empty where it was left whole.
    zero_ : ndarray of bool, shape (n_features,)
        Whether zero is a code of the column.
    categories_ : sequence of ndarray, or None
        With the rule "none" the sorted distinct numbers of every column.
    n_bins_ : ndarray of int, shape (n_features,)
        Codes of every column; with ``missing="bin"`` of the rule the code of the missing values is one of them.

    Examples
    --------
    >>> from bitsieve import EqualFrequencyBinner, ZeroApartBinner
    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[0.0], [0.2], [0.0], [0.3], [7.0]])
    >>> binner = ZeroApartBinner(EqualFrequencyBinner(n_bins=2)).fit(X)
    >>> binner.bin_edges_[0].tolist(), binner.transform(X).toarray().ravel().tolist()
    ([0.3], [0, 1, 0, 1, 2])
    """

    def transform(self, X: TableLike, strata: ColumnLike = None) -> TableLike:
        check_is_fitted(self)
        self._check_strata_are_used(strata)
        table = self._read_again(X)
        if not table.is_sparse:
            return self.codes(table)
        codes = self.sparse_codes(table)
        if codes.common.any():
            raise UserError(
                code="dense-rows-needed",
                message="the codes of a sparse table begin with zero, and some columns hold negative numbers",
                advice="give a dense table, by X.toarray()",
            )
        shape = table.n_samples, table.n_features
        return csc_array((codes.code.astype(self.code_type), codes.row, codes.start), shape=shape)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def as_transformer(binning: Binning) -> Binning:
    """The public transformer of a rule, fitted if the rule is; a transformer, or a rule without one, as it is."""
    for transformer_class in Binner.__subclasses__():
        if type(binning) in transformer_class.__bases__:
            transformer: Binner = transformer_class(**binning.parameters)
            transformer.__dict__.update(vars(binning))  # the fitted attributes
            return transformer
    return binning
