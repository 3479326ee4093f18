"""Whole numbers of few values are codes, such as 0/1 or -2/0/2: there is no cut to look for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.data.binning.registry import KEEPS_MISSING
from bitsieve.data.encoding import FEW, encode
from bitsieve.data.identifiers import are_at_hand
from bitsieve.data.table import Table
from bitsieve.engines.in_parts import TableInParts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bitsieve.methods.method import Method


def few_are_codes(binning: Any, of_binner: Mapping[str, Any]) -> bool:
    """Whether columns of few whole numbers are codes: "mdl" leaves that open, what is asked for is obeyed."""
    return isinstance(binning, str) and binning.removesuffix(KEEPS_MISSING) == "mdl" and "uncut" not in of_binner


def take_codes(
    table: Table | TableInParts, binning: Any, of_binner: Mapping[str, Any], method: Method, n_jobs: int | None = None
) -> tuple[Any, Any]:
    """The table with its columns of few whole numbers as categories, and the binning of the others.

    Parameters
    ----------
    table : Table or TableInParts
    binning : str or binner
        Only "mdl", the default, takes codes for what they are; what is asked for is obeyed.
    of_binner : mapping
        Parameters that were given for it.
    method : Method
        Only one on counts knows codes.
    n_jobs : int, optional

    Returns
    -------
    Table or TableInParts
    str or binner
        "none" for an array that holds nothing but such columns: no column of it is touched then.
    """
    if not few_are_codes(binning, of_binner) or "rows" in method.requires:
        return table, binning
    if isinstance(table, TableInParts):
        table.few_are_codes = True
    if not isinstance(table, Table) or not are_at_hand(table):
        return table, binning
    extents = table.extents(n_jobs)
    few = []
    for block, low, high in zip(extents.blocks, extents.low, extents.high, strict=True):
        first = block.values[0] if isinstance(block.values, list) else block.values
        if first.dtype.kind in "iu":
            spread = np.asarray(high, object) - np.asarray(low, object)  # of uint64, too
            few += block.places[(spread < FEW).astype(bool)].tolist()
    if not few:
        return table, binning
    if isinstance(table.columns, np.ndarray):
        return table, binning.replace("mdl", "none") if len(few) == table.n_features else binning
    chosen = set(few) - set(table.blank)
    columns: list[Any] = list(table.columns)
    for j in chosen:
        columns[j] = encode(columns[j])
    return replace(table, columns=columns), binning
