"""The target, and columns that give it away."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from bitsieve.diagnostics import Diagnostic, literal
from bitsieve.utils.messages import quoted, quoted_groups
from bitsieve.utils.note_lines import MAX_NAMES


def joint_target(names: Sequence[str], n_classes: int, cuts: Sequence[str]) -> Diagnostic:
    """Several targets are one; ``cuts``: how those of numbers were binned."""
    text = "".join(f"; {cut}" for cut in cuts)
    return Diagnostic(
        code="joint-target",
        message=f"the targets {quoted(names, MAX_NAMES)} are combined into one: {n_classes:,} combinations occur{text}",
    )


def many_classes(name: str, n_classes: int, n_rows: int, is_perhaps_numeric: bool) -> Diagnostic:
    """The target has suspiciously many classes."""
    message = f"target {name!r} has {n_classes:,} classes in {n_rows:,} rows"
    if is_perhaps_numeric:
        return Diagnostic(
            code="many-classes",
            message=message,
            advice="if it is a number to predict, add {target_kind}",
            fix={"target_kind": "quantity"},
            severity="warning",
        )
    return Diagnostic(
        code="many-classes",
        message=message,
        advice="check that it does not only name or number the rows",
        severity="warning",
    )


def single_row_classes(target: str, labels: Sequence[str], meant: str | None) -> Diagnostic:
    """Classes have one row each. ``meant`` is the class that the only one of them may be a misspelling of."""
    if len(labels) == 1:
        message = f"class {labels[0]!r} of the target {target!r} has a single row"
        error = "a typing error" if meant is None else f"a typing error for {meant!r}"
        advice = f"correct it if it is {error}, or delete the row if it holds a total"
    else:
        message = (
            f"{len(labels):,} classes of the target {target!r} have a single row each: {quoted(labels, MAX_NAMES)}"
        )
        advice = "correct them if they are typing errors, or delete the rows if they hold totals"
    return Diagnostic(code="single-row-class", message=message, advice=literal(advice), severity="warning")


def classes_alike(target: str, groups: Sequence[Sequence[str]]) -> Diagnostic:
    """Classes differ in upper and lower case or in blanks only."""
    return Diagnostic(
        code="classes-alike",
        message=f"classes of the target {target!r} differ in case or blanks only: {quoted_groups(groups)}",
        advice="give each class one spelling if they mean the same",
        severity="warning",
    )


def numbers_as_classes(name: str, n_classes: int) -> Diagnostic:
    """The target holds numbers, each of which is a class."""
    return Diagnostic(
        code="numbers-as-classes",
        message=f"target {name!r} has {n_classes:,} different numbers, each taken as a class",
        advice="if it is a number to predict, add {target_kind}",
        fix={"target_kind": "quantity"},
    )


def target_binned_on_sample(name: str, error: float) -> Diagnostic:
    """The edges of a numeric target were found on a sample."""
    return Diagnostic(
        code="target-binned-on-sample",
        message=(
            f"the edges of the target {name!r} were found on a sample of the rows; their ranks are off by at most "
            f"{error:.2%} of the rows, 99 times in 100"
        ),
    )


def leak(names: Sequence[str], decided: str, share_of_rows: float) -> Diagnostic:
    """Columns nearly decide what ``decided`` says; each alone decides it in at least ``share_of_rows`` of the rows."""
    percent = f"{floor(1000 * share_of_rows) / 10:g} % of the rows"
    if len(names) == 1:
        message = f"{quoted(names, MAX_NAMES)} alone decides {decided} in {percent}"
        question = "is it"
    else:
        at_least = "" if share_of_rows == 1 else "at least "
        message = f"{quoted(names, MAX_NAMES)} each alone decide {decided} in {at_least}{percent}"
        question = "are they"
    return Diagnostic(
        code="leak",
        message=message,
        advice=f"{question} known at prediction time? If not, add {{exclude}}",
        fix={"exclude": list(names)},
        columns=tuple(names),
        severity="warning",
    )


def target_encoding(name: str, n_values: int, target: str, label: str) -> Diagnostic:
    """The values of a column are shares of one class, as target encoding makes them."""
    return Diagnostic(
        code="target-encoding",
        message=(
            f"{quoted([name])} looks like an encoding of the target: each of its {n_values:,} values is near the share "
            f"of {target!r} = {label!r} among the rows with that value"
        ),
        advice="encode on other rows, such as within the folds, or add {exclude}",
        fix={"exclude": [name]},
        columns=(name,),
        severity="warning",
    )
