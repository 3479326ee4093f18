"""The binner that suits a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bitsieve.binning.registry import make_binner
from bitsieve.binning.zero_apart import ZeroApartBinner
from bitsieve.table.sparse import SparseTable

if TYPE_CHECKING:
    from bitsieve.binning.base import Binner
    from bitsieve.table.table import Table


def binner_of(table: Table, spec: Any, n_jobs: int | None) -> Binner:
    """The binner of a name, or an unfitted copy of one; in a sparse table zero is a code of its own."""
    binner = make_binner(spec, n_jobs=n_jobs)
    if isinstance(table, SparseTable) and not isinstance(binner, ZeroApartBinner):
        return ZeroApartBinner(binner, n_jobs=n_jobs)
    return binner
