"""Values that are in no bin: missing, special and new ones where the fitted column had none."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.diagnostics import Diagnostic

WEIGHT_OF_UNSEEN = "0"  # the weight of evidence of a value that is in no bin of a scorecard


def notes_on_unseen_values(names: Sequence[str], n_unseen: Sequence[int], *, weight: str) -> list[Diagnostic]:
    """Which columns have such values, given their number in each; ``weight`` is their weight of evidence."""
    return [_unseen_values(name, n, weight) for name, n in zip(names, n_unseen, strict=True) if n]


def _unseen_values(name: str, n_values: int, weight: str) -> Diagnostic:
    return Diagnostic(
        code="values-without-bin",
        severity="warning",
        message=f"column {name!r} has missing, special or new values in {n_values:,} rows, of which fitting saw none",
        advice=f"their weight of evidence is {weight}",
        columns=[name],
    )
