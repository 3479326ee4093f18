"""Columns that nearly determine the class alone while no other comes near: such a column often repeats the answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.common.arrays import Integers
from bitsieve.counts.tables import entropy_terms
from bitsieve.information.corrected import expected_terms
from bitsieve.information.protocol import Information

NEARLY = 0.9  # of the entropy of the class, corrected for chance
OTHERS = 0.5  # of it: what no other column may exceed
FEWEST = 20  # samples; in fewer even a column that repeats the class may do so by chance


class Leak(NamedTuple):
    """A column and the share of the entropy of the class that it determines, corrected for chance."""

    column: int
    share: float


def leaks(information: Information) -> list[Leak]:
    """The columns that determine at least 0.9 of the class each, where every other determines at most half; best first.

    The share is ``(I(X;C) - E) / (H(C) - E)``, E the expectation of I(X;C) when the class is permuted (adjusted mutual
    information). None is found in fewer than 20 samples, or where they are more than half of the columns.
    """
    source, entropy = information.source, information.class_entropy
    if source.n_samples < FEWEST or entropy <= 0:
        return []
    plain = information.relevance / entropy  # no share is above it
    if plain.max() <= NEARLY:
        return []
    found: list[Leak] = []
    for column in np.argsort(-plain, kind="stable").tolist():
        if plain[column] <= (OTHERS if found else NEARLY):
            break
        (table,) = source.tables(None, np.array([column]), False)
        expected = expected_information(table.dense().reshape(-1), source.class_sizes)
        share = (information.relevance[column] - expected) / (entropy - expected) if expected < entropy else 0.0
        if share >= NEARLY:
            found.append(Leak(column, float(share)))
        elif share > OTHERS:
            return []
    return sorted(found, key=lambda leak: (-leak.share, leak.column)) if 2 * len(found) <= len(plain) else []


def expected_information(first: Integers, second: Integers) -> float:
    """The plug-in information of two variables with these counts of their values, in bits, when one is permuted."""
    n = int(first.sum())
    terms = entropy_terms(n)
    sizes = (np.unique(margin[margin > 0], return_counts=True) for margin in (first, second))
    (rows, n_rows), (columns, n_columns) = sizes
    joint = int(n_rows @ expected_terms(n, rows, columns) @ n_columns)
    return (joint - terms.sum(first) - terms.sum(second) + terms.sum(np.array([n]))) / terms.per_bit
