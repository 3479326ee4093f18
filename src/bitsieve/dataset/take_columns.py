"""Columns taken from any table by their labels in any order, or by position where the table has no labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.columns import check_labels, no_table
from bitsieve.dataset.data_kinds import collect, keeps_columns_only, refuse_path, take_columns
from bitsieve.dataset.encoding import as_array
from bitsieve.diagnostics import UserError, literal
from bitsieve.utils.arrays import Columns, Values
from bitsieve.utils.column_names import NumberedNames
from bitsieve.utils.libraries import issparse
from bitsieve.utils.messages import nearest
from bitsieve.utils.types import Label, TableLike


@dataclass(frozen=True)
class WantedColumns:
    """Columns of a table, as another table had them.

    ``labels`` and ``indices`` are those of the wanted columns, in their order in that table, which had ``n_features``
    columns; ``has_names`` says whether these had names.
    """

    labels: Sequence[object]
    indices: Columns
    n_features: int
    has_names: bool

    def take(self, data: TableLike) -> TableLike:
        """The wanted columns of another table, in its own kind.

        Those of a frame are taken by their labels; those of an array, and of a table without names, by position.

        Raises
        ------
        UserError
            If columns are missing, all of which are named, or an array has another number of columns.
        """
        refuse_path(data)
        if _has_labels_of_any_type(data):  # some of them may be equal
            return data.iloc[:, self.positions_in(list(data.columns))]
        if keeps_columns_only(data):
            names = _names_of(data)
            return take_columns(data, [names[position] for position in self.positions_in(names)])
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return frame[:, self.positions_in(frame.columns)].to_native()
        X: TableLike = data if issparse(data) else as_array(data)
        if len(X.shape) != 2:
            raise no_table(X.shape)
        self._check_number(X.shape[1])
        if issparse(X) and X.format not in ("csr", "csc"):
            return X.tocsc()[:, self.indices].asformat(X.format)
        return X[:, self.indices]

    def positions_in(self, labels: Sequence[Label]) -> list[int]:
        """The positions of the wanted columns among the labels of a table.

        A wanted column without a label of its type is one whose label is the same text. Columns that are not wanted may
        have equal labels. Columns of arrays without names are taken by position.

        Raises
        ------
        UserError
            If columns are missing, all of which are named, or two columns have the label of a wanted one.
        """
        if not self.has_names or isinstance(labels, NumberedNames):
            self._check_number(len(labels))
            return [int(j) for j in self.indices]
        position_of = {label: position for position, label in enumerate(labels)}
        position_of_text = {str(label): position for label, position in position_of.items()}
        positions = []
        missing = []
        for label in self.labels:
            position = position_of.get(label, position_of_text.get(str(label)))
            if position is None:
                missing.append(str(label))
            else:
                positions.append(position)
        if missing:
            listed = ", ".join(map(repr, missing))
            raise UserError(
                code="columns-missing",
                message=f"the table lacks {len(missing):,} of the {len(self.labels):,} selected columns: {listed}",
                advice=_advice_on_missing(missing, list(position_of_text)),
                columns=missing,
            )
        wanted_labels = {labels[position] for position in positions}
        check_labels([label for label in labels if label in wanted_labels])
        return positions

    def _check_number(self, n_columns: int) -> None:
        if n_columns != self.n_features:
            raise UserError(
                code="columns-differ",
                message=f"the table has {n_columns:,} columns, and the selection was made from {self.n_features:,}",
                advice="without names columns are taken by position: give all of them, without the target",
            )


def _has_labels_of_any_type(data: TableLike) -> bool:
    """Whether the columns are labelled as pandas does it: by numbers, text or any other value."""
    return nw.dependencies.is_pandas_like_dataframe(data) or nw.dependencies.is_dask_dataframe(data)


def _names_of(data: TableLike) -> list[str]:
    """The names of the columns of a lazy frame or a record batch."""
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return frame.collect_schema().names()
    return list(data.schema.names)


def with_values(data: TableLike, values: NDArray[np.int32]) -> TableLike:
    """A table of the kind of ``data``, with its names, which holds other values."""
    if issparse(data):
        return type(data)(values)
    if isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame):
        frame_in_memory = with_values(collect(data), values)
        return nw.from_native(frame_in_memory).lazy().to_native()
    if nw.dependencies.is_pandas_like_dataframe(data):
        return type(data)(values, index=data.index, columns=data.columns)
    frame = nw.from_native(collect(data), pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return values
    columns = {name: values[:, j] for j, name in enumerate(frame.columns)}
    return nw.from_dict(columns, backend=frame.implementation).to_native()


def with_columns(data: TableLike, columns: Mapping[str, Values]) -> TableLike:
    """A frame of the kind of ``data`` with more columns."""
    if nw.dependencies.is_pandas_like_dataframe(data):
        return data.assign(**columns)
    is_lazy_frame = isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)
    frame = nw.from_native(collect(data), pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise UserError(
            code="data-type-not-read",
            message="scores are not appended to arrays",
            advice="give a frame, such as pandas.DataFrame(data)",
        )
    series = [nw.new_series(name, values, backend=frame.implementation) for name, values in columns.items()]
    wider_frame = frame.with_columns(*series)
    return wider_frame.lazy().to_native() if is_lazy_frame else wider_frame.to_native()


def keeps_rows(table: TableLike) -> bool:
    """Whether a table holds its rows in memory: a frame, an array or a sparse matrix."""
    frame = nw.from_native(table, pass_through=True)
    return isinstance(frame, nw.DataFrame) or isinstance(table, np.ndarray) or issparse(table)


def _advice_on_missing(missing: Sequence[str], labels: Sequence[str]) -> str:
    """Add the columns, or rename those that seem to have another name now."""
    renamed = []
    for name in missing:
        similar_names = nearest(name, labels, limit=1)
        if similar_names:
            renamed.append(f"{similar_names[0]!r} may be {name!r}")
    if not renamed:
        return "add them, under these names"
    return literal(f"add or rename them ({', '.join(renamed)})")
