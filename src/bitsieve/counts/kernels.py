"""Which counting kernel runs: the fastest instruction set of the machine, or the one asked for.

``BITSIEVE_FORCE_KERNEL`` picks one of ``avx512``, ``avx2``, ``portable``, or ``table``, which keeps every feature
as a column of codes and counts by table increments. All of them return the same integers.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from bitsieve import _native

ENVIRONMENT_VARIABLE = "BITSIEVE_FORCE_KERNEL"
TABLE = "table"


class KernelChoice(NamedTuple):
    """Name of the bit-plane kernel, and whether only table increments are used."""

    name: str
    table_only: bool


def available_kernels() -> list[str]:
    """Names that ``BITSIEVE_FORCE_KERNEL`` accepts on this machine, fastest first."""
    return [*_native.kernel_names(), TABLE]


def choose_kernel(name: str | None = None) -> KernelChoice:
    """The kernel called ``name``, or named by the environment, or the fastest.

    Raises
    ------
    ValueError
        If this machine has no kernel of that name.
    """
    wanted = name or os.environ.get(ENVIRONMENT_VARIABLE, "")
    names = available_kernels()
    if not wanted:
        return KernelChoice(names[0], False)
    if wanted not in names:
        raise ValueError(
            f"{ENVIRONMENT_VARIABLE}={wanted!r} is not a kernel of this machine; it has {', '.join(names)}"
        )
    return KernelChoice(names[0], True) if wanted == TABLE else KernelChoice(wanted, False)


def show_kernel() -> str:
    """One line that names the counting kernel in use and the others this machine could run.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If ``BITSIEVE_FORCE_KERNEL`` names a kernel that this machine does not have.

    Examples
    --------
    >>> import bitsieve
    >>> "kernel" in bitsieve.show_kernel()
    True
    """
    choice = choose_kernel()
    used = TABLE if choice.table_only else choice.name
    others = ", ".join(name for name in available_kernels() if name != used)
    return f"bitsieve counts with the {used} kernel; also here: {others}"
