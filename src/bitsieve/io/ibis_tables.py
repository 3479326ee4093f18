"""Ibis tables. This module imports no library, as it is asked before anything is read."""

from __future__ import annotations

import sys
from typing import Any

from bitsieve.utils.types import TableLike


def ibis_backend(data: TableLike) -> Any:
    """The database of an Ibis table, such as ``ibis.backends.sqlite.Backend``; None for other data."""
    ibis = sys.modules.get("ibis")  # without it no data is one
    if ibis is None or not isinstance(data, ibis.expr.types.Table):
        return None
    return data.get_backend()
