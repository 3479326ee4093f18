"""Which of two classes is the event."""

from __future__ import annotations

import numpy as np

from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Flags
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import Label

AFFIRMATIVES = frozenset({"yes", "true", "y", "t"})
NEGATIVES = frozenset({"no", "false", "n", "f"})


def rows_of_event(target: Target, event: Label | None) -> tuple[Flags, Label]:
    """Whether each row has the event, and the label of the event.

    Without ``event`` it is the greater of two numbers, and the affirmative of "yes" and "no" or "true" and "false".
    """
    labels = list(target.labels)
    if target.is_quantity:
        raise _not_of_two_classes("the target is a quantity")
    if len(labels) == 1:
        raise UserError(
            code="one-class",
            message=f"the target has one class only: {quoted(labels)}",
            advice="give rows with the event and rows without it",
        )
    if len(labels) > 2:
        raise _not_of_two_classes(f"the target has {len(labels):,} classes")
    code = _code_of_event(labels, event)
    return target.codes == code, labels[code]


def _not_of_two_classes(message: str) -> UserError:
    return UserError(
        code="wrong-kind-of-target",
        message=f"{message}, and weight of evidence needs two classes",
        advice="combine classes, or split the quantity in two",
    )


def code_of_label(labels: list[Label], wanted: Label, parameter: str) -> int:
    """The code of the class that a parameter names, by its label or by the text of its label."""
    for code, label in enumerate(labels):
        if label == wanted or str(label) == str(wanted):
            return code
    raise UserError(
        code="unknown-name",
        message=f"{parameter} is {wanted!r}, which is not a class of the target",
        advice=f"the classes are {quoted(labels)}",
    )


def _code_of_event(labels: list[Label], event: Label | None) -> int:
    if event is not None:
        return code_of_label(labels, event, "event")
    if all(isinstance(label, (int, float, bool, np.number, np.bool_)) for label in labels):
        return int(labels[1] > labels[0])
    words = [str(label).strip().lower() for label in labels]
    for code, word in enumerate(words):
        if word in AFFIRMATIVES and words[1 - code] in NEGATIVES:
            return code
    raise UserError(
        code="event-needed",
        message=f"the target has the classes {quoted(labels)}, and either may be the event",
        advice="say which, such as by {event}",
        fix={"event": labels[0]},
    )
