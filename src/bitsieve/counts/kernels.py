"""Which counting kernel runs: the fastest instruction set of the machine, or the one asked for.

All of them return the same integers. ``table`` keeps every feature as a column of codes; ``avx2:planes`` and
``avx2:counters`` force how an instruction set stores features of few codes, else chosen by measured costs.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from bitsieve import _native
from bitsieve.diagnostics import UserError

ENVIRONMENT_VARIABLE = "BITSIEVE_FORCE_KERNEL"
TABLE = "table"
CHEAPEST = "cheapest"
FORMS = ("planes", "counters")


class KernelChoice(NamedTuple):
    """Instruction set, and how features of few codes are stored: cheapest, planes, counters or table."""

    name: str
    storage: str

    @property
    def asked(self) -> str:
        """The words that :func:`choose_kernel` takes for this choice."""
        if self.storage == TABLE:
            return TABLE
        return self.name if self.storage == CHEAPEST else f"{self.name}:{self.storage}"


def available_kernels() -> list[str]:
    """Names that ``BITSIEVE_FORCE_KERNEL`` accepts on this machine, fastest first."""
    return [*_native.kernel_names(), TABLE]


def choose_kernel(name: str | None = None) -> KernelChoice:
    """The kernel called ``name``, or named by the environment, or the fastest."""
    requested = name or os.environ.get(ENVIRONMENT_VARIABLE, "")
    names = available_kernels()
    forced = [f"{name}:{form}" for name in names if name != TABLE for form in FORMS]
    if not requested:
        return KernelChoice(names[0], CHEAPEST)
    if requested not in names and requested not in forced:
        raise UserError(
            code="unknown-name",
            message=f"{ENVIRONMENT_VARIABLE}={requested!r} is not a kernel of this machine",
            advice=f"it has {', '.join(names)}",
        )
    if requested == TABLE:
        return KernelChoice(names[0], TABLE)
    chosen, _, form = requested.partition(":")
    return KernelChoice(chosen, form or CHEAPEST)


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
