"""Whole numbers of few values are codes, such as 0/1 or -2/0/2: there is no cut to look for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bitsieve.data.binning.registry import KEEPS_MISSING
from bitsieve.data.table import Table
from bitsieve.methods.method import Method


def few_are_codes(binning: Any, of_binner: Mapping[str, Any]) -> bool:
    """Whether columns of few whole numbers are codes: "mdl" leaves that open, what is asked for is obeyed."""
    return isinstance(binning, str) and binning.removesuffix(KEEPS_MISSING) == "mdl" and "uncut" not in of_binner


def take_codes(
    table: Table, binning: Any, of_binner: Mapping[str, Any], method: Method, n_jobs: int | None = None
) -> tuple[Any, Any]:
    """The table with its columns of few whole numbers as categories, and the binning of the others.

    Parameters
    ----------
    table : Table
    binning : str or binner
        Only "mdl", the default, takes codes for what they are; what is asked for is obeyed.
    of_binner : mapping
        Parameters that were given for it.
    method : Method
        Only one on counts knows codes.
    n_jobs : int, optional

    Returns
    -------
    Table
    str or binner
        "none" for an array that holds nothing but such columns: no column of it is touched then.
    """
    if not few_are_codes(binning, of_binner) or "rows" in method.requires:
        return table, binning
    table, all_are_codes = table.few_as_codes(n_jobs)
    return table, binning.replace("mdl", "none") if all_are_codes else binning
