"""Interleaved rounds, medians and ratios, results as JSON and as tables.

Two programs are compared only within one run: every round times each of them once, in an order that moves on
from round to round, so that a slow minute of the machine falls on all of them. A ratio is the median of the
ratios of the rounds, not the ratio of two medians.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

RESULTS = Path(__file__).resolve().parent / "results"


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


def summary(seconds: Sequence[float]) -> dict[str, Any]:
    """Median, least, greatest and number of the rounds' seconds."""
    if not seconds:
        raise ValueError("no seconds to summarise: the contestant never ran")
    return {
        "median_s": significant(median(seconds)),
        "min_s": significant(min(seconds)),
        "max_s": significant(max(seconds)),
        "rounds": len(seconds),
    }


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


def parser(description: str | None, rounds: int) -> argparse.ArgumentParser:
    """The options that every script has."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--quick", action="store_true", help="small jobs, to see that it runs; results/quick/")
    made.add_argument("--rounds", type=int, default=rounds, help="interleaved rounds (default: %(default)s)")
    return made


def write_result(name: str, content: Mapping[str, Any], *, quick: bool, folder: Path = RESULTS) -> Path:
    """Write `content` and the machine to folder/name.json (of a quick run: folder/quick/name.json)."""
    path = (folder / "quick" if quick else folder) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"benchmark": name, "machine": machine(), **content}
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table in columns as wide as their longest entry, the first to the left, the others to the right."""
    print(f"\n{title}")
    print(format_table(header, rows))
    sys.stdout.flush()


def format_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    cells = [list(header)] + [["-" if c is None else str(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = [
        "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in cells
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines)


def seconds_text(value: float | None, scaled: bool = False) -> str:
    """Seconds for a table; "~" marks a time scaled up from a smaller piece of the job."""
    if value is None:
        return "-"
    text = f"{value:.4f}" if value < 0.1 else f"{value:.3g}"
    return ("~" if scaled else "") + text
