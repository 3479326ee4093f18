"""Pairs and triples of columns."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.diagnostics import Diagnostic
from bitsieve.utils.messages import quoted
from bitsieve.utils.note_lines import MAX_NAMES


def constant_in_tuples(names: Sequence[str]) -> Diagnostic:
    """Columns have a single bin, so that no pair or triple holds them."""
    have = "1 column has" if len(names) == 1 else f"{len(names):,} columns have"
    are = "is" if len(names) == 1 else "are"
    return Diagnostic(
        code="constant-in-tuples",
        message=f"{have} a single value, or a single bin, and {are} in no pair or triple: {quoted(names, MAX_NAMES)}",
        columns=tuple(names),
    )


def many_values_in_tuples(names: Sequence[str], order: int, bits: float) -> Diagnostic:
    """Columns have so many values that all their pairs or triples are strong by chance."""
    tuples = "pairs" if order == 2 else "triples"
    its = "its" if len(names) == 1 else "their"
    return Diagnostic(
        code="many-values-in-tuples",
        message=(
            f"{tuples} with {quoted(names, MAX_NAMES)} have about {bits:.2g} bits by chance, so weaker {tuples} have "
            "no small p"
        ),
        advice=f"group {its} many values, or add {{exclude}}",
        fix={"exclude": list(names)},
        columns=tuple(names),
        severity="warning",
    )


def without_shuffles() -> Diagnostic:
    """The strongest tuples were not compared with chance."""
    return Diagnostic(
        code="without-shuffles",
        message="the strongest of so many tuples may be strong by chance alone",
        advice="for p-values, add {n_shuffles}, each of which takes as long as the search",
        fix={"n_shuffles": 99},
    )
