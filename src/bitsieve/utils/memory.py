"""Memory: amounts such as "4GB" in bytes, and how much this process can still allocate."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.utils.arrays import Values
from bitsieve.utils.parameters import whole_number

UNITS = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
    "tib": 1 << 40,
}
INFINITE = float("inf")
WITHOUT_LOOKING = 32 << 20  # bytes below which the system is not asked whether they are free


def check_memory(memory: object) -> int | None:
    """The bytes of ``memory``, which is a whole number above 0 or a number with a unit; None is no limit."""
    if memory is None:
        return None
    n_bytes = _parsed_bytes(memory) if isinstance(memory, str) else whole_number(memory)
    if n_bytes is None or n_bytes < 1:
        raise ParameterError("memory", memory, "give a number with a unit, such as '4GB' or '512MiB'")
    return n_bytes


def _parsed_bytes(text: str) -> int | None:
    """The bytes of a text such as "4GB" or "1.5 GiB"; None if it is no such text."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*", text)
    if match is None:
        return None
    number, unit = match.groups()
    if unit.lower() not in UNITS:
        return None
    return int(float(number) * UNITS[unit.lower()])


def refuse_more(n_bytes: int, memory: int | None, what: str) -> None:
    """Refuse ``n_bytes`` for ``what`` if they exceed the parameter ``memory``."""
    if memory is not None and n_bytes > memory:
        raise UserError(
            code="not-enough-memory",
            message=f"{what} take {n_bytes / 1000000000.0:.3g} GB, more than {memory / 1000000000.0:.3g} GB",
            advice="give a lower {sampling_rate} or more {memory}",
        )


def available_bytes(root: Path = Path("/")) -> float:
    """The memory that the machine, its control groups and ``ulimit -v`` leave; infinite if none of these is known."""
    return min(_free_on_machine(root), _left_by_control_groups(root), _left_by_address_space(root))


def check_room(n_bytes: float, what: str, advice: str) -> None:
    """Refuse, before they are allocated, more bytes for ``what`` than are free; ``advice`` says what to do."""
    if n_bytes < WITHOUT_LOOKING:
        return
    available = available_bytes()
    if n_bytes > available:
        raise UserError(
            code="not-enough-memory",
            message=f"{what} {_in_gigabytes(n_bytes)}, more than the {_in_gigabytes(available)} that are free",
            advice=advice,
        )


def square_matrix(n: int, dtype: DTypeLike) -> Values:
    """Allocate a matrix of shape (n, n), or refuse if it does not fit the free memory."""
    check_matrices(1, n, dtype)
    return np.empty((n, n), dtype)


def check_matrices(how_many: int, n: int, dtype: DTypeLike = np.float64) -> None:
    """Refuse ``how_many`` matrices of shape (n, n) that do not fit the free memory, before the first is computed."""
    what = f"a matrix of {n:,} x {n:,} features takes"
    if how_many > 1:
        what = f"{how_many} matrices of {n:,} x {n:,} features take"
    check_room(how_many * n * n * np.dtype(dtype).itemsize, what, "give fewer columns")


def _in_gigabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:,.3g} GB"


def _free_on_machine(root: Path) -> float:
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return float(line.split()[1]) * 1024
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return INFINITE


def _left_by_control_groups(root: Path) -> float:
    """What the tightest of the control groups of this process leaves."""
    available = INFINITE
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":  # version 2
            mount = root / "sys/fs/cgroup"
            limit = "memory.max"
            used = "memory.current"
            cache = "inactive_file"
        elif "memory" in controllers.split(","):
            mount = root / "sys/fs/cgroup/memory"
            limit = "memory.limit_in_bytes"
            used = "memory.usage_in_bytes"
            cache = "total_inactive_file"
        else:
            continue
        group = mount / path.lstrip("/")
        for level in (group, *group.parents):  # a limit holds for the groups inside, too
            available = min(available, _left_in(level, limit, used, cache))
            if level == mount:
                break
    return available


def _left_in(group: Path, limit: str, used: str, cache: str) -> float:
    """What one group leaves. Cached pages of files count as free, as the system gives them up for other memory."""
    limit_bytes = _number(_lines(group / limit))
    if limit_bytes == INFINITE:
        return INFINITE
    taken = _number(_lines(group / used), 0.0)
    reclaimed = [float(line.split()[1]) for line in _lines(group / "memory.stat") if line.startswith(f"{cache} ")]
    return max(0.0, limit_bytes - taken + sum(reclaimed))


def _left_by_address_space(root: Path) -> float:
    try:
        import resource
    except ImportError:  # Windows
        return INFINITE
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return INFINITE
    pages = [line.split()[0] for line in _lines(root / "proc/self/statm")]
    return max(0.0, float(limit) - _number(pages, 0.0) * resource.getpagesize())


def _lines(path: Path) -> list[str]:
    """The lines of a file of the system; an empty list if it cannot be read."""
    try:
        return path.read_text().splitlines()
    except (OSError, ValueError):
        return []


def _number(lines: list[str], otherwise: float = INFINITE) -> float:
    return float(lines[0]) if lines and lines[0].strip().isdigit() else otherwise
