"""What all rules of binning share: columns to bins, columns to codes."""

from __future__ import annotations

import inspect
from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.search import ClassSearch
from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.encoding import WHOLE, Encoded, check_whole_numbers, encode, encode_known, lookup
from bitsieve.dataset.text_format import TextFormat
from bitsieve.dataset.value_ranges import MISSING, NUMBERS, InspectedColumns, NumericBlock, ValueRanges, check_values
from bitsieve.diagnostics import UserError
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.parameters import Rule, check_choice, check_parameters, check_threads
from bitsieve.utils.progress import phase

MAX_CODES = 1 << 16


class Binning(ABC):
    """A rule that turns columns into codes; a subclass cuts numeric columns, and categories have their sorted rank."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "missing": partial(check_choice, choices=("error", "bin")),
        "n_jobs": check_threads,
    }
    missing: str | None  # None: a code of their own, of a table that has some
    n_jobs: int | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    bin_edges_: RaggedArray
    categories_: Sequence[NDArray[Any] | None]
    n_bins_: Integers
    uncut_: Integers  # of cuts by the classes, columns without one
    #: What the bins of a numeric column follow from: its "ends", its "numbers", its numbers in the "classes" of the
    #: target, or its numbers as "codes", which must be whole.
    requires: ClassVar[Literal["ends", "numbers", "classes", "codes"]] = "numbers"
    bins_parts: ClassVar[bool] = True  # whether it can be fitted on summaries of rows that are read in partitions
    side: ClassVar[Literal["left", "right"]] = "left"  # where a value on a cut goes
    _formats: Mapping[int, TextFormat] = MappingProxyType({})  # of columns of text that are not plain

    @classmethod
    @cache
    def parameter_names(cls) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(inspect.signature(cls).parameters)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters it was made with, by name."""
        return {name: getattr(self, name) for name in self.parameter_names()}

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in self.parameters.items() if value is not None)
        return f"{type(self).__name__}({', '.join(shown)})"

    def unfitted(self, **changed: Any) -> Self:
        """A copy that is not fitted, with some parameters changed."""
        return type(self)(**{**self.parameters, **changed})

    def for_table(self, table: Dataset) -> Binning:
        """The rule for a table, not fitted: what a user left open is settled by the table."""
        return self if self.missing is not None else self.unfitted(missing=self.missing_for(table))

    def missing_for(self, table: Dataset) -> str:
        """What becomes of missing values of a table: where a user left it open, a code if there are any."""
        if self.missing is not None:
            return self.missing
        return "bin" if table.may_hold_missing(self.n_jobs, whole=self.requires == "codes") else "error"

    def fit_table(self, table: InMemoryDataset) -> Self:
        """Find the bins of every column of a table that is read already."""
        ranges = self.start_fit(table)
        self.find_bins(table, ranges)
        if self.missing == "bin":
            self.n_bins_ += 1
        self.n_bins_[(ranges.holds & NUMBERS) == 0] = 1  # all missing: one code
        self._check_code_limit(table)
        return self

    def find_bins(self, table: InMemoryDataset, ranges: ValueRanges) -> None:
        """Set ``bin_edges_``, ``categories_`` and ``n_bins_``, without the code of missing values, of every column."""
        raise NotImplementedError

    def start_fit(self, table: InspectedColumns) -> ValueRanges:
        """Check the parameters, and the columns of a table or of its summary, and keep their names."""
        check_parameters(self)
        ranges = self._checked_ranges(table)
        table.set_names_on(self)
        self._formats = {j: of.format for j, of in table.meanings.items() if not of.is_plain}
        return ranges

    def _checked_ranges(self, table: InspectedColumns) -> ValueRanges:
        """What the columns hold; refused where it is nothing that the rule takes."""
        ranges = check_values(
            table,
            allow_missing=self.missing == "bin",
            n_jobs=self.n_jobs,
            whole=self.requires == "codes",
        )
        self.check_numbers(table, ranges)
        return ranges

    def codes(self, table: InMemoryDataset, buffer: NDArray[np.uint8] | None = None) -> NDArray[Any]:
        """Codes of a table, to be read only, maybe its own values; ``buffer`` is memory for them, two bytes a value."""
        if self.requires != "codes":  # else numbers are looked up as they are
            table = with_integers_as_categories(table, self.categories_)
        ranges = self._checked_ranges(table)
        shape = table.n_samples, table.n_features
        codes = np.ndarray(shape, self.code_type, None if buffer is None else buffer.data, order="F")
        missing_codes = self.n_bins_ - 1 if self.missing == "bin" else np.zeros_like(self.n_bins_)

        def code_block(block: NumericBlock) -> None:
            self.code_numbers(table, block, missing_codes[block.indices], codes)

        run_blocks(code_block, ranges.blocks, self.n_jobs, phase("encoding"))
        for j, values in table.categories():
            code_categories(table.names[j], values, self.categories_[j], codes[:, j])
            if ranges.holds[j] & MISSING:
                codes[values.codes < 0, j] = missing_codes[j]
        return codes

    @property
    def code_type(self) -> type[np.unsignedinteger[Any]]:
        """The type of the codes."""
        return np.uint8 if self.n_bins_.max() <= 256 else np.uint16

    @property
    def known_arities(self) -> Integers | None:
        """One more than the largest code of every column in the table it was fitted on; None where it is not known."""
        return None

    def search(self, table: InMemoryDataset) -> ClassSearch | None:
        """The search for cuts that looked at the classes, to be repeated with others; None where none did."""
        return None

    def check_numbers(self, table: InspectedColumns, ranges: ValueRanges) -> None:
        """Refuse numbers that the rule does not take: those that fall together when they are cut, or are no codes."""
        for block, low, high in zip(ranges.blocks, ranges.low, ranges.high, strict=True):
            if low.dtype.kind == "f" or low.itemsize < 8:
                continue
            for c in np.flatnonzero((low < -WHOLE) | (high > WHOLE)).tolist():
                check_whole_numbers(block.column(c), f"column {table.names[int(block.indices[c])]!r}")

    def _categories_of(self, table: InMemoryDataset) -> list[NDArray[Any] | None]:
        """The categories of every categorical column, whose number becomes that of its codes."""
        categories: list[NDArray[Any] | None] = [None] * table.n_features
        for j, values in table.categories():
            categories[j] = values.categories
            self.n_bins_[j] = len(values.categories)
        return categories

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        """The cuts among the numbers that the columns from ``first`` to ``end`` of a sparse table store."""
        raise UserError(
            code="dense-rows-needed",
            message=f"{type(self).__name__} bins dense columns alone",
            advice="give them by .toarray()",
        )

    def code_numbers(
        self, table: InMemoryDataset, block: NumericBlock, missing_codes: Integers, codes: NDArray[Any]
    ) -> None:
        """Write the codes of numeric columns to their columns of ``codes``."""
        for j in block.indices.tolist():
            if self.categories_[j] is not None:
                raise UserError(
                    code="column-kind-changed",
                    message=f"column {table.names[j]!r} was categorical when fitting",
                    advice="give categories",
                )
        edges = self.bin_edges_.take(block.indices)
        _native.code_by_cuts(
            choose_kernel().name,
            block.values,
            edges.values,
            edges.ends,
            self.side == "left",
            missing_codes,
            block.indices,
            codes,
        )

    def _check_code_limit(self, table: InMemoryDataset) -> None:
        if self.n_bins_.max() > MAX_CODES:
            j = int(self.n_bins_.argmax())
            raise UserError(
                code="too-many-bins",
                message=f"column {table.names[j]!r} has {self.n_bins_[j]:,} codes",
                advice=f"at most {MAX_CODES:,} are supported, drop it or group its values",
            )


class CutBinning(Binning):
    """A rule that cuts a numeric column into intervals.

    A subclass says where one column is cut, by :meth:`cut_column`; or where all columns of a block are, by
    :meth:`cut_block` and :meth:`cut_stored`, which is faster.
    """

    def cut_column(self, values: Floats, classes: NDArray[Any] | None, weights: Integers | None) -> Floats:
        """The cuts of one column, ascending.

        Parameters
        ----------
        values : ndarray of shape (n_samples,)
            None of them missing. Of a rule that requires "ends" alone these may be the smallest and the largest only.
        classes : ndarray of shape (n_samples,)
            The class codes, if there is a target.
        weights : ndarray of shape (n_samples,)
            How many samples each value stands for; None: one.
        """
        raise NotImplementedError

    def cut_block(
        self, table: InMemoryDataset, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> RaggedArray:
        """The cuts of the columns of a block, whose smallest and largest numbers are given."""
        all_rows = np.arange(table.n_samples)
        columns = [block.column(c) for c in range(len(block.indices))]
        return RaggedArray.from_arrays([self._cut_values(table, column, all_rows) for column in columns])

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        stored = table.stored
        cuts = []
        for j in range(first, end):
            column = slice(int(stored.start[j]), int(stored.start[j + 1]))
            cuts.append(self._cut_values(table, stored.value[column], stored.row[column]))
        return RaggedArray.from_arrays(cuts)

    def _cut_values(self, table: InMemoryDataset, values: NDArray[Any], rows: NDArray[Any]) -> Floats:
        """The cuts of the values of some rows."""
        numbers = values.astype(np.float64)
        is_present = ~np.isnan(numbers)
        if not is_present.any():
            return np.empty(0)
        rows = rows[is_present]
        classes = None if table.y is None else table.y.codes[rows]
        weights = None if table.weights is None else table.weights[rows]
        return self.cut_column(numbers[is_present], classes, weights)

    def find_bins(self, table: InMemoryDataset, ranges: ValueRanges) -> None:
        cuts: list[Any] = [None] * len(ranges.blocks)

        def cut(b: int) -> None:
            block = ranges.blocks[b]
            cuts[b] = block.indices, self.cut_block(table, block, ranges.low[b], ranges.high[b])

        run_blocks(cut, range(len(cuts)), self.n_jobs, phase("binning"))
        self.bin_edges_ = RaggedArray.merged(table.n_features, cuts)
        self.n_bins_ = self.bin_edges_.lengths + 1
        self.categories_ = self._categories_of(table)


def keeps_missing(spec: Any) -> bool:
    """Whether missing values get a code of their own, by a rule of a name or by a binner."""
    return isinstance(spec, str) or getattr(spec, "missing", "error") in ("bin", None)


def codes_that_occur(binner: Binning, table: Dataset) -> Integers:
    """How many codes every column can show; in dense tables the code of missing values only where there are such."""
    n_codes = np.asarray(binner.n_bins_)
    if not keeps_missing(binner):
        return n_codes
    if table.coded_arities is not None:
        return table.coded_arities
    if table.rows is None or table.is_sparse:
        return n_codes
    none_missing = (table.rows.value_ranges(binner.n_jobs).holds & MISSING) == 0
    return np.asarray(n_codes - none_missing, np.int64)


def code_categories(name: str, values: Encoded, fitted_categories: NDArray[Any] | None, codes: NDArray[Any]) -> None:
    """Write the codes of a categorical column, which are the ranks of its values among those met when fitting."""
    if fitted_categories is None:
        raise UserError(
            code="column-kind-changed",
            message=f"column {name!r} was numeric when fitting",
            advice="give numbers",
        )
    if fitted_categories is values.categories:
        codes[:] = values.codes
        return
    try:
        ranks = lookup(values.categories, fitted_categories)
    except TypeError:  # of another kind than when fitting
        ranks = np.full(len(values.categories), -1, np.int32)
    if len(ranks) and ranks.min() < 0:
        raise unknown_category(name, values.categories[ranks < 0])
    if len(ranks):
        codes[:] = ranks[values.codes]


def unknown_category(name: str, values: NDArray[Any]) -> UserError:
    """The error for values of a column that were not there when fitting."""
    value = values[:1].tolist()[0]
    return UserError(
        code="unseen-value",
        message=f"column {name!r} holds {value!r}, which was not there when fitting",
        advice="fit on data that has every value, or replace it",
    )


def with_integers_as_categories(
    table: InMemoryDataset, fitted_categories: Sequence[NDArray[Any] | None]
) -> InMemoryDataset:
    """The table with its columns of whole numbers as categories where those met when fitting are whole numbers."""
    encoded = {}
    for j, categories in enumerate(fitted_categories):
        if categories is not None and categories.dtype.kind in "iu" and table.is_numeric(j):
            encoded[j] = _encoded_integers(table.numbers(j))
    if not encoded:
        return table
    return replace(table, columns=[encoded.get(j, table.values(j)) for j in range(table.n_features)])


def _encoded_integers(values: NDArray[Any]) -> NDArray[Any] | Encoded:
    """The codes of whole numbers, -1 for missing ones; other numbers as they are."""
    if values.dtype.kind in "iu":
        return encode(values)
    numbers = values[~np.isnan(values)]
    if (np.abs(numbers) > WHOLE).any() or (numbers != np.rint(numbers)).any():
        return values
    encoded = encode_known(values)
    return replace(encoded, categories=encoded.categories.astype(np.int64))
