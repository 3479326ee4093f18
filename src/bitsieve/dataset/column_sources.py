"""Where columns are taken by their names: a table of Arrow, another data frame, or the arrays of an archive."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from bitsieve.dataset.arrow import is_text
from bitsieve.dataset.columns import check_unique
from bitsieve.io.npz import ArrayTable
from bitsieve.utils.arrays import Values
from bitsieve.utils.libraries import issparse
from bitsieve.utils.types import Label, TableLike


class ArrowTableSource:
    """The named columns of a table of Arrow."""

    def __init__(self, data: pa.Table) -> None:
        self.arrow_table = data
        self.labels = check_unique(data)
        self.n_samples = len(data)

    def columns(self, labels: list[Label]) -> pa.ChunkedArray | pa.Table:
        """One column, or a table of several."""
        return self.arrow_table.column(labels[0]) if len(labels) == 1 else self.table(labels)

    def features(self, labels: list[Label]) -> pa.Table:
        """A table of these columns."""
        return self.table(labels)

    def table(self, labels: list[Label]) -> pa.Table:
        """A table of these columns, which has their names."""
        return self.arrow_table.select(labels)

    def texts_of_first_column(self) -> list[str | None]:
        """The values of the first column if it holds text, else none."""
        first_column = self.arrow_table.column(0)
        return list(first_column.to_pylist()) if is_text(first_column.type) else []


class FrameSource:
    """The named columns of a data frame of any other library."""

    def __init__(self, data: TableLike) -> None:
        import narwhals as nw

        check_unique(data)
        self.frame = nw.from_native(data, eager_only=True)
        self.labels = list(self.frame.columns)
        self.n_samples = len(self.frame)
        self.index_of = {label: j for j, label in enumerate(self.labels)}

    def columns(self, labels: list[Label]) -> TableLike:
        """A series of one column, or a frame of several."""
        if len(labels) > 1:
            return self.table(labels)
        return self.frame[:, self.index_of[labels[0]]].to_native()

    def features(self, labels: list[Label]) -> TableLike:
        """A frame of these columns."""
        return self.table(labels)

    def table(self, labels: list[Label]) -> TableLike:
        """A frame of these columns, which has their names."""
        return self.frame[:, [self.index_of[label] for label in labels]].to_native()

    def texts_of_first_column(self) -> list[str | None]:
        """The values of the first column if it holds text, else none."""
        import narwhals as nw

        first_column = self.frame[:, 0]
        return first_column.to_list() if first_column.dtype == nw.String else []


class ArchiveSource:
    """The arrays of a .npz file: the columns of ``X``, and ``y`` behind them if there is one, which is no feature."""

    def __init__(self, arrays: ArrayTable) -> None:
        self.arrays = arrays
        self.labels = [*arrays.names] if arrays.y is None else [*arrays.names, "y"]
        self.n_samples = arrays.X.shape[0]

    def columns(self, labels: list[Label]) -> TableLike:
        """An array of one column, or an Arrow table of several."""
        return self.column(labels[0]) if len(labels) == 1 else self.table(labels)

    def features(self, labels: list[Label]) -> TableLike:
        """Columns of ``X``."""
        X = self.arrays.X
        if len(labels) == len(self.arrays.names):
            return X
        indices = [self.arrays.names.index(label) for label in labels]
        return X[:, indices] if isinstance(X, np.ndarray) or issparse(X) else X.columns(indices)

    def column(self, label: str) -> Values:
        """One feature, or ``y``."""
        if label in self.arrays.names:
            return self.arrays.column(label)
        assert self.arrays.y is not None  # a label of the source
        return self.arrays.y

    def table(self, labels: Sequence[str]) -> TableLike:
        """An Arrow table of these columns, of which ``y`` may be one."""
        return pa.table([pa.array(self.column(label)) for label in labels], names=list(labels))

    def with_target(self, target_and_weight: list[str], names: Sequence[str]) -> TableLike:
        """Features, then the target and the weights, for writing to a file."""
        if len(target_and_weight) > 1:
            return self.table([*names, *target_and_weight])
        indices = [self.arrays.names.index(name) for name in names]
        return ArrayTable(self.arrays.X[:, indices], self.column(target_and_weight[0]), list(names))
