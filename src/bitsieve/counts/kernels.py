"""The choice of the counting kernel: by default the fastest instruction set of the machine.

All kernels return the same integers. The kernel ``table`` stores every feature as a column of codes. A name such as
``avx2:planes`` or ``avx2:counters`` also says how features of few codes are stored; without it the form with the lower
measured cost is chosen.
"""

from __future__ import annotations

import os
from itertools import product
from typing import NamedTuple

from bitsieve import _native
from bitsieve.diagnostics import UserError

ENVIRONMENT_VARIABLE = "BITSIEVE_FORCE_KERNEL"
TABLE = "table"
CHEAPEST = "cheapest"
STORAGE_FORMS = ("planes", "counters")


class KernelChoice(NamedTuple):
    """An instruction set, and how features of few codes are stored with it."""

    name: str  # of the instruction set
    storage: str  # "cheapest", "planes", "counters" or "table"

    @property
    def full_name(self) -> str:
        """The name for which :func:`choose_kernel` returns this choice."""
        if self.storage == TABLE:
            return TABLE
        if self.storage == CHEAPEST:
            return self.name
        return f"{self.name}:{self.storage}"


def available_kernels() -> list[str]:
    """Names that ``BITSIEVE_FORCE_KERNEL`` accepts on this machine, fastest first."""
    return [*_native.kernel_names(), TABLE]


def choose_kernel(name: str | None = None) -> KernelChoice:
    """The kernel called ``name``; by default the one that the environment names, else the fastest."""
    requested = name or os.environ.get(ENVIRONMENT_VARIABLE, "")
    names = available_kernels()
    fastest = names[0]
    if not requested:
        return KernelChoice(fastest, CHEAPEST)
    instruction_sets = [kernel for kernel in names if kernel != TABLE]
    kernels_in_a_storage_form = [f"{kernel}:{form}" for kernel, form in product(instruction_sets, STORAGE_FORMS)]
    if requested not in names and requested not in kernels_in_a_storage_form:
        raise UserError(
            code="unknown-name",
            message=f"{ENVIRONMENT_VARIABLE}={requested!r} is not a kernel of this machine",
            advice=f"it has {', '.join(names)}",
        )
    if requested == TABLE:
        return KernelChoice(fastest, TABLE)
    instruction_set, _, storage = requested.partition(":")
    return KernelChoice(instruction_set, storage or CHEAPEST)


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
    used = TABLE if choice.storage == TABLE else choice.name
    others = ", ".join(name for name in available_kernels() if name != used)
    return f"bitsieve counts with the {used} kernel; also here: {others}"
