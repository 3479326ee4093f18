"""The diagnostics of reading data, one function for each code."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.diagnostics import Diagnostic


def rows_without_target(names: Sequence[str], n_without: int, n_rows: int) -> Diagnostic:
    """Rows have no value in a column of the target."""
    have = "has" if n_without == 1 else "have"
    are = "is" if n_without == 1 else "are"
    targets = " or ".join(map(repr, names))
    return Diagnostic(
        code="rows-without-target",
        message=f"{n_without:,} of {n_rows:,} rows {have} no {targets} and {are} left out",
    )


def weights_like_sampling(n_rows: int, total_weight: int) -> Diagnostic:
    """Frequency weights look like those of a survey."""
    return Diagnostic(
        code="weights-like-sampling",
        message=f"the weights count {n_rows:,} rows as {total_weight:,} samples",
        advice=("if they are those of a survey, add {weight_kind}, or noise looks informative"),
        fix={"weight_kind": "sampling"},
        severity="warning",
    )


def quantity_binned(name: str, values: str, n_classes: int, edges: str, was_detected: bool) -> Diagnostic:
    """A numeric target was cut into classes. ``values`` says what the numbers are; it may be empty."""
    values_in_brackets = f" ({values})" if values else ""
    return Diagnostic(
        code="quantity-binned",
        message=f"target {name!r} is a quantity{values_in_brackets}: cut into {n_classes} classes at {edges}",
        advice="to keep its values, add {target_kind}" if was_detected else "",
        fix={"target_kind": "classes"} if was_detected else {},
    )
