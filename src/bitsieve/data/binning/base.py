"""What all binners share: read the columns, bin each by its rule, and turn columns into codes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bitsieve import _native
from bitsieve.common.parameters import check_choice, check_parameters, check_threads
from bitsieve.common.progress import phase
from bitsieve.counts.blocks import run_blocks
from bitsieve.data.binning.known import as_known, code_categories
from bitsieve.data.columns import read_columns
from bitsieve.data.encoding import Encoded
from bitsieve.data.exact import check_large_columns
from bitsieve.data.extents import MISSING, NUMBERS, check_values
from bitsieve.data.ragged import Ragged
from bitsieve.data.read import read_xy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.counts.search import ClassSearch
    from bitsieve.data.extents import Extents, NumericBlock
    from bitsieve.data.sparse import SparseTable
    from bitsieve.data.table import NamedColumns, Table

MAX_CODES = 1 << 16


class Binner(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Base of the binners; a subclass says how it cuts one numeric column.

    Categorical columns are codes as they are: the rank of each value among the sorted distinct ones.
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "missing": partial(check_choice, choices=("error", "bin")),
        "n_jobs": check_threads,
    }
    missing: str
    n_jobs: int | None
    bin_edges_: Ragged
    categories_: Sequence[NDArray[Any] | None]
    n_bins_: NDArray[np.int64]
    #: What the bins of a numeric column follow from: its "ends", its "numbers", its numbers in the "classes" of the
    #: target, or its numbers as "codes", which must be whole.
    sees: ClassVar[Literal["ends", "numbers", "classes", "codes"]] = "numbers"
    _side: ClassVar[Literal["left", "right"]] = "left"  # where a value on a cut goes

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the bins of every column.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            The target; only MDL looks at it.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, whole numbers: how many times each sample counts; one of weight 0 is left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, X is empty, holds infinite values, missing values with
            ``missing="error"``, or a column of more than 65,536 codes, or the weights are no whole numbers.
        """
        uses_target = self.sees == "classes"
        if uses_target and y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        return self.fit_table(read_xy(X, y if uses_target else None, sample_weight, estimator=self))

    def fit_table(self, table: Table) -> Self:
        """Find the bins of every column of a table that is read already.

        Parameters
        ----------
        table : Table

        Returns
        -------
        self
        """
        extents = self.start_fit(table)
        self._fit_numeric(table, extents)
        self.n_bins_ += self.missing == "bin"
        self.n_bins_[(extents.holds & NUMBERS) == 0] = 1  # all missing: one code
        self._check_code_limit(table)
        return self

    def start_fit(self, table: NamedColumns) -> Extents:
        """Check the parameters and what the columns hold, and keep their names.

        Parameters
        ----------
        table : NamedColumns
            A table, or what is known of one.

        Returns
        -------
        Extents
        """
        check_parameters(self)
        keeps_missing = self.missing == "bin"
        extents = check_values(table, allow_missing=keeps_missing, n_jobs=self.n_jobs, whole=self.sees == "codes")
        self.check_numbers(table, extents)
        table.set_names_on(self)
        return extents

    def code_of(self, value: float, j: int) -> int:
        """The code of one number of a column that is cut.

        Parameters
        ----------
        value : float
        j : int
            The column.

        Returns
        -------
        int
        """
        return int(np.searchsorted(self.bin_edges_[j], float(value), side=self._side))

    def transform(self, X: Any) -> NDArray[Any]:
        """Codes of every column.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)

        Returns
        -------
        codes : ndarray of shape (n_samples, n_features), Fortran order
            uint8 if every column has at most 256 codes, else uint16.

        Raises
        ------
        ValueError
            If the columns are not those of fit, or hold infinite values, missing values with
            ``missing="error"``, or categories that were not there when fitting.
        """
        check_is_fitted(self)
        table = read_columns(X, estimator=self, reset=False)
        codes = self.codes(table)
        return codes.copy(order="F") if codes is table.matrix else codes

    def codes(self, table: Table, room: NDArray[np.uint8] | None = None) -> NDArray[Any]:
        """Codes of a table that is read already, as :meth:`transform` gives them, to be read only.

        Parameters
        ----------
        table : Table
        room : ndarray of uint8, optional
            Memory for them, two bytes a value.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_features), Fortran order
            The matrix of the table itself, in its own order, where its numbers are the codes.
        """
        if self.sees != "codes":  # where they are, numbers are looked up as they are
            table = as_known(table, self.categories_)
        extents = check_values(
            table, allow_missing=self.missing == "bin", n_jobs=self.n_jobs, whole=self.sees == "codes"
        )
        self.check_numbers(table, extents)
        dtype = np.uint8 if self.n_bins_.max() <= 256 else np.uint16
        shape = table.n_samples, table.n_features
        out = np.ndarray(shape, dtype, None if room is None else room.data, order="F")
        missing_code = self.n_bins_ - 1 if self.missing == "bin" else np.zeros_like(self.n_bins_)

        def code(block: NumericBlock) -> None:
            self._code_block(table, block, missing_code[block.places], out)

        run_blocks(code, extents.blocks, self.n_jobs, phase("encoding"))
        for j, values in enumerate(() if table.matrix is not None else table.columns):
            if isinstance(values, Encoded):
                code_categories(table.names[j], values, self.categories_[j], out[:, j])
                if extents.holds[j] & MISSING:
                    out[values.codes < 0, j] = missing_code[j]
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
        return None

    def check_numbers(self, table: NamedColumns, extents: Extents) -> None:
        """Refuse numbers that the rule does not take: here those that fall together when they are cut.

        Parameters
        ----------
        table : NamedColumns
            A table, or what is known of one.
        extents : Extents
            What its columns hold.

        Returns
        -------
        None

        Raises
        ------
        ValueError
            If values of a column differ but are the same in double precision.
        """
        check_large_columns(table, extents)

    def _fit_numeric(self, table: Table, extents: Extents) -> None:
        """Set the edges, the categories, and the number of codes that are not for missing values, of every column."""
        cuts: list[Any] = [None] * len(extents.blocks)

        def cut(b: int) -> None:
            places = extents.blocks[b].places
            cuts[b] = places, *self._cut(table, extents.blocks[b], extents.low[b], extents.high[b])

        run_blocks(cut, range(len(cuts)), self.n_jobs, phase("binning"))
        self.bin_edges_ = Ragged.merged(table.n_features, cuts)
        self.n_bins_ = self.bin_edges_.lengths + 1
        self.categories_ = self._known_categories(table)

    def _known_categories(self, table: Table) -> list[NDArray[Any] | None]:
        """The categories of every categorical column, whose number becomes that of its codes."""
        categories: list[NDArray[Any] | None] = [None] * table.n_features
        for j, values in enumerate(() if table.matrix is not None else table.columns):
            if isinstance(values, Encoded):
                categories[j] = values.categories
                self.n_bins_[j] = len(values.categories)
        return categories

    def _cut(
        self, table: Table, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The rule: the cuts of the columns of a block, one after the other, and where those of each column end."""
        raise NotImplementedError

    def _cut_stored(self, table: SparseTable, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The rule on the numbers that columns ``first`` to ``last`` of a sparse table store, in the same form."""
        raise NotImplementedError

    def _code_block(
        self, table: Table, block: NumericBlock, missing_code: NDArray[np.int64], out: NDArray[Any]
    ) -> None:
        """Write the codes of numeric columns to their places in ``out``."""
        for j in block.places.tolist():
            if self.categories_[j] is not None:
                raise ValueError(f"column {table.names[j]!r} was categorical when fitting: give categories")
        edges = self.bin_edges_.take(block.places)
        _native.code_by_cuts(
            block.values, edges.values, edges.ends, self._side == "left", missing_code, block.places, out
        )

    def _check_code_limit(self, table: Table) -> None:
        if self.n_bins_.max() > MAX_CODES:
            j = int(self.n_bins_.argmax())
            raise ValueError(
                f"column {table.names[j]!r} has {self.n_bins_[j]:,} codes: at most {MAX_CODES:,} are supported, "
                "drop it or group its values"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "bin"
        tags.input_tags.string = True
        tags.target_tags.required = tags.target_tags.multi_output = self.sees == "classes"
        tags.transformer_tags.preserves_dtype = []
        return tags
