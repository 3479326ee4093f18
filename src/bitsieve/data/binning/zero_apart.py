"""Zero as a code of its own, for sparse tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import special
from scipy.sparse import csc_array
from sklearn.utils.validation import check_is_fitted

from bitsieve import _native
from bitsieve.common.parameters import check_parameters, check_threads
from bitsieve.common.progress import phase
from bitsieve.counts.blocks import run_blocks
from bitsieve.counts.search import Dependence, dependence_of_codes
from bitsieve.counts.sparse_codes import SparseCodes
from bitsieve.data.binning.base import Binner
from bitsieve.data.binning.known import unknown_category
from bitsieve.data.binning.mdl import RepeatedCuts
from bitsieve.data.binning.registry import make_binner
from bitsieve.data.columns import read_columns
from bitsieve.data.extents import IN_A_BIN
from bitsieve.data.ragged import Ragged
from bitsieve.data.sparse import SparseTable, read_sparse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.counts.search import ClassSearch, Parts
    from bitsieve.counts.terms import Terms
    from bitsieve.data.extents import Extents
    from bitsieve.data.table import NamedColumns, Table

    Integers = NDArray[np.int64]
    Labels = NDArray[np.int32]


def as_sparse(table: Table) -> SparseTable:
    """A table of numbers as a sparse one.

    Raises
    ------
    ValueError
        If a column holds categories.
    """
    if isinstance(table, SparseTable):
        return table
    words = [j for j in range(table.n_features) if not table.is_numeric(j)]
    if words:
        raise ValueError(f"zero is a code of its own in columns of numbers, but {table.quoted(words)} hold categories")
    columns = [csc_array(table.numeric(j)[:, None]) for j in range(table.n_features)]
    start = np.cumsum([0, *(column.nnz for column in columns)])
    arrays = (np.concatenate([getattr(column, name) for column in columns]) for name in ("data", "indices"))
    sparse = read_sparse(csc_array((*arrays, start), shape=(table.n_samples, table.n_features)))
    return replace(sparse, names=table.names, feature_names=table.feature_names, y=table.y, weights=table.weights)


class RepeatedStoredCuts(RepeatedCuts):
    """The cuts of the numbers of every column that are not zero, which keeps a code of its own.

    Parameters
    ----------
    search : RepeatedCuts
        Of the rule, on all numbers.
    binner : Binner
        Fitted on the same table.
    """

    def __init__(self, search: RepeatedCuts, binner: Binner) -> None:
        super().__init__(search.table, binner, search.cut_at_median)

    def codes(self, column: int) -> Integers:
        """The codes that the binner made."""
        values = super()._values(column)
        zero = values == 0
        codes = np.searchsorted(self.binner.bin_edges_[column], values, side="left") + zero.any()
        codes[np.isnan(values)] = self.binner.n_bins_[column] - 1
        codes[zero] = 0
        return codes.astype(np.int64)

    def dependence(self, classes: Labels, columns: NDArray[np.intp], parts: Parts, terms: Terms) -> Dependence:
        """Of ``columns``, cut anew by each row of ``classes``, on that row."""
        found = Dependence(*np.zeros((2, len(columns), len(classes)), np.int64))
        mixed = np.array([self._zeros_and_gaps(column).all() for column in columns.tolist()], bool)
        if not mixed.all():
            for all_of_them, some in zip(
                found, super().dependence(classes, columns[~mixed], parts, terms), strict=True
            ):
                all_of_them[~mixed] = some
        for place in np.flatnonzero(mixed).tolist():
            for vector, labels in enumerate(classes):
                codes = self._recut(int(columns[place]), labels, terms)
                made = dependence_of_codes(codes, labels[None], self.n_classes, parts, terms)
                found.freedom[place, vector], found.sums[place, vector] = made.freedom[0, 0], made.sums[0, 0]
        return found

    def log_codings(self, column: int) -> float:
        """The logarithm of how many sets of cuts there were to choose from, doubled for every cut in the set."""
        n_cuts = len(self.binner.bin_edges_[column])
        places = max(int(np.count_nonzero(~np.isnan(self._values(column)))) - 1, 0)
        ways = special.gammaln(places + 1) - special.gammaln(n_cuts + 1) - special.gammaln(places - n_cuts + 1)
        return float(ways + n_cuts * np.log(2))

    def _recut(self, column: int, classes: Labels, terms: Terms) -> Integers:
        codes = super()._recut(column, classes, terms)
        if self._zeros_and_gaps(column).all():
            codes[np.isnan(super()._values(column))] = codes.max() + 1
        return codes

    def _values(self, column: int) -> NDArray[np.float64]:
        """Zeros take no part in the cuts and have one code, just as missing values."""
        values = super()._values(column)
        return np.where(values == 0, np.nan, values)

    def _zeros_and_gaps(self, column: int) -> NDArray[np.bool_]:
        """Whether the column holds zeros, and missing values."""
        values = super()._values(column)
        return np.array([(values == 0).any(), np.isnan(values).any()])


class ZeroApartBinner(Binner):
    """Make zero a code of its own in every column, and bin the other numbers by a rule.

    The rule sees the numbers of a column that are not zero, and the samples that hold them, as if there were no others.
    A column that holds zeros has the code 0 for these, and the codes 1, 2, ... for the bins; one without zeros has the
    codes 0, 1, ... for the bins. With the rule "none" every distinct number is a code, by its rank among all, zero
    included: the codes of :class:`CategoricalBinner`. This is how sparse tables are binned, whatever the rule; a dense
    table of the same numbers gets the same codes. Costs a sort of the numbers that are not zero, a column at a time.

    Parameters
    ----------
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        The rule, with its own parameters; missing values are what it says.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is every core. The result does not depend on it.

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
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    Examples
    --------
    >>> from bitsieve.data.binning import EqualFrequencyBinner, ZeroApartBinner
    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[0.0], [0.2], [0.0], [0.3], [7.0]])
    >>> binner = ZeroApartBinner(EqualFrequencyBinner(n_bins=2)).fit(X)
    >>> binner.bin_edges_[0].tolist(), binner.transform(X).toarray().ravel().tolist()
    ([0.3], [0, 1, 0, 1, 2])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"n_jobs": check_threads}  # and of binning, which makes the rule
    rule_: Binner

    def __init__(self, binning: Any = "mdl", *, n_jobs: int | None = None) -> None:
        self.binning = binning
        self.n_jobs = n_jobs

    @property
    def missing(self) -> str:  # type: ignore[override]
        """What the rule makes of missing values."""
        return self._rule().missing

    @property
    def sees(self) -> Any:  # type: ignore[override]
        """What the bins follow from: that of the rule."""
        return self._rule().sees

    def _rule(self) -> Binner:
        return make_binner(self.binning, n_jobs=self.n_jobs)

    def start_fit(self, table: NamedColumns) -> Extents:
        """Refuse columns of which only a summary is known.

        Parameters
        ----------
        table : NamedColumns

        Returns
        -------
        Extents
            Never.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("ZeroApartBinner bins tables in memory: give another binning for data that is read in parts")

    def fit_table(self, table: Table) -> ZeroApartBinner:
        """Find the bins of every column of a table that is read already.

        Parameters
        ----------
        table : Table

        Returns
        -------
        self
        """
        check_parameters(self)
        self.rule_ = rule = self._rule()
        check_parameters(rule)
        sparse = as_sparse(table)
        sparse.check_finite(allow_missing=rule.missing == "bin", instead=IN_A_BIN)
        table.set_names_on(self)
        blocks = sparse.blocks(self.n_jobs)
        cuts: list[Any] = [None] * len(blocks)

        def cut(b: int) -> None:
            first, last = blocks[b]
            cuts[b] = np.arange(first, last), *rule._cut_stored(sparse, first, last)

        run_blocks(cut, range(len(cuts)), self.n_jobs, phase("binning"))
        found = Ragged.merged(table.n_features, cuts)
        self.zero_ = sparse.has_zeros
        self.n_bins_ = found.lengths + self.zero_
        if rule.sees == "codes":
            self.categories_: Any = _with_zero(found, self.zero_)
            self.bin_edges_ = Ragged(np.empty(0), np.zeros(table.n_features, np.int64))
        else:
            self.categories_, self.bin_edges_ = None, found
            self.n_bins_ += sparse.has_numbers  # a bin more than cuts, where there is any number
        self.n_bins_ += rule.missing == "bin"
        self.n_bins_[self.n_bins_ == 0] = 1  # all missing
        self._check_code_limit(table)
        return self

    def transform(self, X: Any) -> Any:
        """Codes of every column.

        Parameters
        ----------
        X : array-like, dataframe or scipy.sparse of shape (n_samples, n_features)

        Returns
        -------
        codes : ndarray in Fortran order, or csc_array of a sparse table, of shape (n_samples, n_features)
            uint8 if every column has at most 256 codes, else uint16.

        Raises
        ------
        ValueError
            If the columns are not those of fit, or hold infinite values, missing values that the rule does not keep, or
            numbers that were not there when fitting with the rule "none"; or if zero is not the code 0 of a column of a
            sparse table.
        """
        check_is_fitted(self)
        if not hasattr(X, "tocsc"):
            return self.codes(read_columns(X, estimator=self, reset=False))
        table = read_sparse(X, estimator=self, reset=False)
        codes = self._listed(table)
        if codes.common.any():
            raise ValueError("codes of negative numbers come before that of zero, which a sparse table cannot hold")
        shape = table.n_samples, table.n_features
        return csc_array((codes.code.astype(self._code_type), codes.row, codes.start), shape=shape)

    def codes(self, table: Table, room: NDArray[np.uint8] | None = None) -> Any:
        """Codes of a table that is read already: of a sparse one those that are listed.

        Parameters
        ----------
        table : Table
        room : ndarray of uint8, optional
            Not needed here.

        Returns
        -------
        SparseCodes, or ndarray of shape (n_samples, n_features) in Fortran order
        """
        listed = self._listed(as_sparse(table))
        if isinstance(table, SparseTable):
            return listed
        out = np.empty((table.n_samples, table.n_features), self._code_type, order="F")
        for j in range(table.n_features):
            out[:, j] = listed.column(j)
        return out

    def search(self, table: Table) -> ClassSearch | None:
        """What looked at the classes of the table it was fitted on, to be repeated with others; None if nothing did.

        Parameters
        ----------
        table : Table

        Returns
        -------
        ClassSearch or None
        """
        search = self.rule_.search(table)
        return RepeatedStoredCuts(search, self) if isinstance(search, RepeatedCuts) else None

    @property
    def _code_type(self) -> type[np.unsignedinteger[Any]]:
        return np.uint8 if self.n_bins_.max() <= 256 else np.uint16

    def _listed(self, table: SparseTable) -> SparseCodes:
        """The codes of the numbers that are not zero."""
        keeps = self.missing == "bin"
        table.check_finite(allow_missing=keeps, instead=IN_A_BIN)
        ranked = self.categories_ is not None
        known = self.categories_ if ranked else self.bin_edges_
        code = table.room(len(table.value), np.uint16)
        missing_code = self.n_bins_ - 1 if keeps else np.zeros_like(self.n_bins_)
        base = np.zeros_like(self.n_bins_) if ranked else self.zero_.astype(np.int64)
        left = ranked or self.rule_._side == "left"

        def write(block: tuple[int, int]) -> None:
            first, last = block
            begin, end = known.ends[[first - 1, last - 1]].tolist() if first else (0, int(known.ends[last - 1]))
            stored = table.start, table.row, table.value
            ends = missing_code[first:last], code
            cuts = known.values[begin:end].astype(np.float64, copy=False), known.ends[first:last] - begin
            _native.code_stored(*stored, first, last, *cuts, left, base[first:last], *ends)

        run_blocks(write, table.blocks(self.n_jobs), self.n_jobs, phase("encoding"))
        common = self._common(table, known)
        if ranked:
            self._check_known(table, code)
        return SparseCodes(table.n_samples, table.start, table.row, code, common, table.room)

    def _common(self, table: SparseTable, known: Ragged) -> NDArray[np.uint16]:
        """The code of zero in every column."""
        if self.categories_ is not None:
            some = known.lengths > 0
            below = np.zeros(table.n_features, np.uint16)
            if len(known.values):
                starts = (known.ends - known.lengths)[some]
                below[some] = np.add.reduceat((known.values < 0).astype(np.int64), starts)
            for j in np.flatnonzero(table.has_zeros & ~self.zero_)[:1].tolist():
                raise unknown_category(table.names[j], np.zeros(1))
            return below
        common = np.zeros(table.n_features, np.uint16)
        for j in np.flatnonzero(table.has_zeros & ~self.zero_).tolist():  # zeros that were not there when fitting
            common[j] = np.searchsorted(self.bin_edges_[j], 0.0, side="left" if self.rule_._side == "left" else "right")
        return common

    def _check_known(self, table: SparseTable, code: NDArray[np.uint16]) -> None:
        """Refuse numbers that are no categories."""
        known = self.categories_
        for first, last in table.blocks(None):
            stored = slice(*table.start[[first, last]].tolist())
            value, lengths, ends = table.value[stored], np.diff(table.start[first : last + 1]), known.ends[first:last]
            place = np.repeat(ends - known.lengths[first:last], lengths) + code[stored]
            there = np.isnan(value)
            inside = ~there & (place < np.repeat(ends, lengths))
            there[inside] = known.values[place[inside]] == value[inside]
            for wrong in np.flatnonzero(~there)[:1].tolist():
                column = int(np.searchsorted(table.start, stored.start + wrong, side="right")) - 1
                raise unknown_category(table.names[column], value[wrong : wrong + 1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _with_zero(found: Ragged, zero: NDArray[np.bool_]) -> Ragged:
    """Sorted arrays with a zero in some of them, at its place."""
    column = np.concatenate([np.repeat(np.arange(len(found)), found.lengths), np.flatnonzero(zero)])
    values = np.concatenate([found.values, np.zeros(int(zero.sum()))])
    return Ragged(values[np.lexsort((values, column))], np.cumsum(found.lengths + zero))
