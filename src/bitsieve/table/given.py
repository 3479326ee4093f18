"""What a table was read from, so that selected features can be handed back in the kind that was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from bitsieve.files.npz import ArrayTable
from bitsieve.files.spooled_columns import SpooledColumns
from bitsieve.table.kinds import take_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Given:
    """The data as it was given, all of its rows.

    Attributes
    ----------
    features : ndarray, dataframe, SpooledColumns or sparse matrix or array of shape (n_samples, n_features)
        The features alone.
    whole : dataframe, ArrayTable or None
        The table that held the target, too; None for an array.
    others : tuple of str
        The columns of ``whole`` that are no features: the target, of one or several columns, and the weights.
    weight : str or None
        The name of the frequency weights, "sample_weight" where they were given by their values.
    labels : sequence or None
        What the columns of ``features`` are called in the data, of whatever type; None where they have no names.
    original : lazy frame, RecordBatch or None
        The data, where its rows had to be collected first: selected columns are taken from it.
    """

    features: Any
    whole: Any = None
    others: tuple[str, ...] = ()
    weight: str | None = None
    labels: Sequence[Any] | None = None
    original: Any = None

    def take(self, indices: NDArray[np.intp]) -> Any:
        """The features ``indices`` in that order, in the kind and with the dtypes of the data that was given.

        None where they lie in a spool, as they need not fit into memory.
        """
        if isinstance(self.features, SpooledColumns):
            return None
        if isinstance(self.features, np.ndarray):
            return self.features[:, indices]
        if issparse(self.features):
            return columns_of_sparse(self.features, indices)
        if self.original is not None and self.labels is not None:
            return take_columns(self.original, [self.labels[j] for j in indices])
        import narwhals as nw

        return nw.from_native(self.features, eager_only=True)[:, [int(j) for j in indices]].to_native()

    def with_target(self, names: Sequence[str]) -> Any:
        """Some features of the whole table, then its target and weights, for writing to a file."""
        if not isinstance(self.whole, ArrayTable):
            return self.whole.select([*names, *self.others])
        if len(self.others) > 1:
            return arrow_table(self.whole, [*names, *self.others])
        places = [self.whole.names.index(name) for name in names]
        return ArrayTable(self.whole.X[:, places], array_column(self.whole, self.others[0]), list(names))


def columns_of_sparse(values: Any, columns: Any) -> Any:
    """Some columns of a sparse matrix or array, in its own format."""
    by_index = values if values.format in ("csr", "csc") else values.tocsc()
    return by_index[:, columns].asformat(values.format)


def arrow_table(arrays: ArrayTable, names: Sequence[str]) -> Any:
    """Some columns of a table of arrays, of which ``y`` is one, as an Arrow table."""
    import pyarrow as pa

    return pa.table([pa.array(array_column(arrays, name)) for name in names], names=list(names))


def array_column(arrays: ArrayTable, name: str) -> NDArray[Any]:
    """One feature of a table of arrays, or its ``y``."""
    return arrays.column(name) if name in arrays.names else arrays.y
