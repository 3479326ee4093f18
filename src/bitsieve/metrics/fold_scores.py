"""What a comparison measures of one method in one fold."""

from __future__ import annotations

from dataclasses import dataclass

from bitsieve.utils.arrays import Columns, Floats


@dataclass(frozen=True)
class Scored:
    """The scores of one method in one fold. Every array but ``selected`` has a value for each number of features."""

    selected: Columns  # in order of choice
    errors: Columns | Floats  # losses on the test part of the fold
    redundancy: Floats
    separability: Floats
    seconds_selecting: float
    seconds_classifying: float
