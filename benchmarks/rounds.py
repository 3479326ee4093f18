"""Interleaved rounds, medians and ratios.

Two programs are compared only within one run: every round times each of them once, in an order that moves on
from round to round, so that a slow minute of the machine falls on all of them. A ratio is the median of the
ratios of the rounds, not the ratio of two medians.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def interleave(
    contestants: Mapping[str, Callable[[], float]], rounds: int, patience_s: float = float("inf")
) -> dict[str, list[float]]:
    """Seconds of every contestant in every round; the order is rotated by one from round to round.

    A contestant whose first round took more than `patience_s` seconds is not run again.
    """
    if rounds < 1:
        raise ValueError(f"rounds is {rounds}; at least 1 is needed")
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    names = list(contestants)
    for r in range(rounds):
        turn = r % max(len(names), 1)
        for name in names[turn:] + names[:turn]:
            if r == 0 or seconds[name][0] <= patience_s:
                seconds[name].append(contestants[name]())
    return seconds


def ratio(slow: Sequence[float], fast: Sequence[float]) -> float:
    """The median over the rounds of slow / fast: how many times faster `fast` is.

    When one of the two ran in fewer rounds, the rounds that both ran are compared.
    """
    if not slow or not fast:
        raise ValueError("a ratio needs at least one round of both")
    return median(s / f for s, f in zip(slow, fast, strict=False))


def significant(value: float, digits: int = 4) -> float:
    """`value` to so many significant digits: what a timing can mean."""
    return float(f"{value:.{digits}g}")
