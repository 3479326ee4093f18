"""Amounts of memory as they are given: a number of bytes, or words such as "4GB"."""

from __future__ import annotations

import operator
import re
from typing import Any

from bitsieve.common.errors import ParameterError

UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}


def check_memory(memory: Any) -> int | None:
    """Bytes meant by ``memory``; None is no limit.

    Raises
    ------
    ValueError
        If it is neither a whole number of bytes above 0 nor a number with a unit.
    """
    if memory is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*", memory) if isinstance(memory, str) else None
    if found and found[2].lower() in UNITS:
        n_bytes = int(float(found[1]) * UNITS[found[2].lower()])
    else:
        try:
            n_bytes = operator.index(memory)
        except TypeError:
            n_bytes = 0
    if isinstance(memory, bool) or n_bytes < 1:
        raise ParameterError("memory", memory, "give bytes, or a number and a unit such as '4GB' or '512MiB'")
    return n_bytes


def refuse_more(n_bytes: int, memory: int | None, what: str) -> None:
    """Refuse what does not fit the memory given.

    Raises
    ------
    ValueError
        If it does not.
    """
    if memory is not None and n_bytes > memory:
        raise ValueError(
            f"{what} take {n_bytes / 1e9:.3g} GB, more than memory={memory / 1e9:.3g} GB: "
            "give a lower sampling_rate or more memory"
        )
