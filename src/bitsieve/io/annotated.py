"""A matrix of cells by genes with a table of annotations of the cells, as AnnData has it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.io.spooled_columns import SpooledColumns
from bitsieve.utils.arrays import Columns, Values
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import TableLike

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class AnnotatedMatrix:
    """A matrix whose columns are the features, and annotations of its rows, which may be the target or the strata."""

    X: TableLike  # ndarray, csr_array, csc_array or SpooledColumns, of shape (n_samples, n_features)
    names: list[str]  # of the columns of X
    annotations: pa.Table  # of n_samples rows
    _index_of_name: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index_of_name = {name: j for j, name in enumerate(self.names)}
        if len(index_of_name) < len(self.names):
            repeated = sorted({name for j, name in enumerate(self.names) if index_of_name[name] != j})
            raise UserError(
                code="duplicate-names",
                message=f"several columns have the same name: {quoted(repeated)}",
                advice="make them unique first, such as by adata.var_names_make_unique()",
            )
        object.__setattr__(self, "_index_of_name", index_of_name)

    @property
    def n_samples(self) -> int:
        return int(self.X.shape[0])

    @property
    def labels(self) -> list[str]:
        """The names of the annotations, then those of the columns that no annotation has."""
        annotations = self.annotations.column_names
        return [*annotations, *(name for name in self.names if name not in set(annotations))]

    def columns(self, labels: Sequence[str]) -> TableLike:
        """An array of one column, or an Arrow table of several; annotations come before columns of the same name."""
        return self._column(labels[0]) if len(labels) == 1 else self.table(labels)

    def table(self, labels: Sequence[str]) -> pa.Table:
        """An Arrow table of these columns."""
        import pyarrow as pa

        return pa.table([self._column(label) for label in labels], names=list(labels))

    def features(self, labels: Sequence[str]) -> TableLike:
        """The part of the matrix with these columns."""
        if list(labels) == self.names:
            return self.X
        indices = np.array([self._index_of_name[label] for label in labels], np.intp)
        return self.X.columns(indices) if isinstance(self.X, SpooledColumns) else self.take(indices)

    def take(self, indices: Columns) -> TableLike:
        """The part of the matrix with the columns of these indices."""
        return self.X[:, indices]

    def _column(self, label: str) -> pa.Array:
        import pyarrow as pa

        if label in self.annotations.column_names:
            return self.annotations[label].combine_chunks()
        column = self.take(np.array([self._index_of_name[label]], np.intp))
        values: Values = column if isinstance(column, np.ndarray) else column.toarray()
        return pa.array(values[:, 0])


def is_anndata(data: TableLike) -> bool:
    """Whether something is an AnnData object."""
    anndata = sys.modules.get("anndata")
    return anndata is not None and isinstance(data, anndata.AnnData)


def from_anndata(data: TableLike) -> AnnotatedMatrix:
    """The matrix ``X`` of an AnnData object with the annotations of its cells."""
    import pyarrow as pa

    if data.X is None:
        raise UserError(
            code="empty-data",
            message="the AnnData object has no X",
            advice=f"set X to one of its layers {quoted(list(data.layers))}",
        )
    if data.isbacked:
        data = data.to_memory()
    annotations = pa.Table.from_pandas(data.obs, preserve_index=False)
    return AnnotatedMatrix(data.X, [str(name) for name in data.var_names], annotations)
