"""What all binners share: read the columns, bin each by its rule, and turn columns into codes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bitsieve.common.parameters import check_choice, check_parameters, check_threads
from bitsieve.counts.blocks import run_blocks, thread_count
from bitsieve.table.assign import Side, assign
from bitsieve.table.columns import read_columns
from bitsieve.table.encoding import Encoded, lookup
from bitsieve.table.missing import check_values, is_missing
from bitsieve.table.read_xy import read_xy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.counts.search import ClassSearch
    from bitsieve.table.table import Table

MAX_CODES = 1 << 16
_BLOCKS_PER_THREAD = 8


class Binner(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Base of the binners; a subclass says how it cuts one numeric column.

    Categorical columns are codes as they are: the rank of each value among the sorted distinct ones.
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "missing": partial(check_choice, choices=("error", "bin")),
        "n_jobs": check_threads,
    }
    missing: str
    n_jobs: int | None = None
    _uses_target: ClassVar[bool] = False
    _side: ClassVar[Side] = "left"  # where a value on a cut goes

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
        if self._uses_target and y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        return self.fit_table(read_xy(X, y if self._uses_target else None, sample_weight, estimator=self))

    def fit_table(self, table: Table) -> Self:
        """Find the bins of every column of a table that is read already.

        Parameters
        ----------
        table : Table

        Returns
        -------
        self
        """
        check_parameters(self)
        keeps_missing = self.missing == "bin"
        check_values(table, allow_missing=keeps_missing)
        table.set_names_on(self)
        n_features = table.n_features
        edges: list[NDArray[np.float64]] = [np.empty(0)] * n_features
        categories: list[NDArray[Any] | None] = [None] * n_features
        n_bins = np.ones(n_features, dtype=np.int64)
        cut = self._cutter(table)

        def fit_block(block: range) -> None:
            for j in block:
                values = table.values(j)
                if isinstance(values, Encoded):
                    categories[j], present = values.categories, len(values.categories)
                else:
                    edges[j], categories[j], present = self._fit_numeric(table, j, cut)
                n_bins[j] = present + keeps_missing if present else 1  # all missing: one code

        run_blocks(fit_block, _blocks(n_features, self.n_jobs), self.n_jobs)
        self.bin_edges_, self.categories_, self.n_bins_ = edges, categories, n_bins
        self._finish(table)
        self._check_code_limit(table)
        return self

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
        return self.codes(read_columns(X, estimator=self, reset=False))

    def codes(self, table: Table) -> NDArray[Any]:
        """Codes of a table that is read already, as :meth:`transform` gives them.

        Parameters
        ----------
        table : Table

        Returns
        -------
        codes : ndarray of shape (n_samples, n_features), Fortran order
        """
        check_values(table, allow_missing=self.missing == "bin")
        dtype = np.uint8 if self.n_bins_.max() <= 256 else np.uint16
        out = np.empty((table.n_samples, table.n_features), dtype, order="F")

        def code_block(block: range) -> None:
            for j in block:
                self._code_column(table, j, out[:, j])

        run_blocks(code_block, _blocks(table.n_features, self.n_jobs), self.n_jobs)
        return out

    def column_codes(self, table: Table, j: int) -> NDArray[Any]:
        """The codes of one column of a table that is read already.

        Parameters
        ----------
        table : Table
        j : int

        Returns
        -------
        codes : ndarray of uint16, shape (n_samples,)
        """
        out = np.empty(table.n_samples, np.uint16)
        self._code_column(table, j, out)
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

    def _finish(self, table: Table) -> None:
        """Change the bins of all columns once they are found, where the rule of one column is not enough."""

    def _cutter(self, table: Table) -> Callable[..., NDArray[np.float64]]:
        """The rule: ``cut(values, missing)`` of the values that are there, and where others are missing, or None."""
        raise NotImplementedError

    def _fit_numeric(
        self, table: Table, j: int, cut: Callable[..., NDArray[np.float64]]
    ) -> tuple[NDArray[np.float64], NDArray[Any] | None, int]:
        """Edges, categories and number of codes (0: all is missing) of a numeric column."""
        values = table.numeric(j)
        missing = is_missing(values)
        if missing is not None:
            values = values[~missing]
        edges = cut(values, missing)
        return edges, None, len(edges) + 1 if len(values) else 0

    def _code_column(self, table: Table, j: int, out: NDArray[Any]) -> None:
        values, categories = table.values(j), self.categories_[j]
        if isinstance(values, Encoded):
            if categories is None:
                raise ValueError(f"column {table.names[j]!r} was numeric when fitting: give numbers")
            self._code_categories(table.names[j], values.categories, categories, values.codes, out)
            missing = values.codes < 0
        else:
            self._code_numeric(table, j, out)
            if values.dtype.kind != "f" or self.missing == "error":
                return
            missing = np.isnan(values)
        out[missing] = self.n_bins_[j] - 1

    def _code_numeric(self, table: Table, j: int, out: NDArray[Any]) -> None:
        if self.categories_[j] is not None:
            raise ValueError(f"column {table.names[j]!r} was categorical when fitting: give categories")
        assign(table.numeric(j), self.bin_edges_[j], self._side, out)

    def _code_categories(
        self, name: str, given: NDArray[Any], known: NDArray[Any], place: NDArray[np.int32], out: NDArray[Any]
    ) -> None:
        """Codes of the values ``given[place]`` among the ``known`` ones."""
        try:
            codes = lookup(given, known)
        except TypeError:  # of another kind than when fitting
            codes = np.full(len(given), -1, np.int32)
        if len(codes) and codes.min() < 0:
            raise unknown_category(name, given[codes < 0])
        if len(codes):
            out[:] = codes[place]

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
        tags.target_tags.required = tags.target_tags.multi_output = self._uses_target
        tags.transformer_tags.preserves_dtype = []
        return tags


def unknown_category(name: str, values: NDArray[Any]) -> ValueError:
    """The error for values of a column that were not there when fitting."""
    value = values[:1].tolist()[0]
    return ValueError(
        f"column {name!r} holds {value!r}, which was not there when fitting: fit on data that has every value, "
        "or replace it"
    )


def _blocks(n_features: int, n_jobs: int | None) -> list[range]:
    """Columns in some blocks a thread."""
    size = -(-n_features // (_BLOCKS_PER_THREAD * thread_count(n_jobs)))
    return [range(first, min(first + size, n_features)) for first in range(0, n_features, size)]
