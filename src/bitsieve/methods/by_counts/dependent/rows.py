"""The codes of every row, for rules that need more than counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource, coded
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Integers


def codes_and_classes(source: CountSource, rule: str) -> tuple[NDArray[np.integer], Integers]:
    """The codes, shape (n_samples, n_features), and the classes of all rows, class by class.

    Raises UserError if the bins depend on the classes, or if the source has no rows. The message names ``rule``.
    """
    if source.search is not None:
        raise UserError(
            code="bins-from-target",
            message=f"{rule} needs bins that were made without the target",
            advice="give {binning}",
            fix={"binning": "quantile"},
        )
    rows = coded(source)
    if rows is None:
        raise UserError(
            code="rows-not-in-memory",
            message=f"{rule} needs the codes of every row in memory, one column each",
            advice="leave out groups",
        )
    return rows.samples_in_class_order()


def classes_against_others(classes: Integers) -> Integers:
    """The classes that are each tested against all others: all, but of two classes one, the other's complement."""
    labels = np.unique(classes)
    return labels[1:] if len(labels) == 2 else labels
