"""The likely class of each row of new data, and the bits by which its values speak for it, by the saved counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import UserError
from bitsieve.results.saved.cut import ColumnCodes
from bitsieve.results.saved.schema import SavedColumn
from bitsieve.utils.arrays import Floats, Values
from bitsieve.utils.messages import quoted

CLASS_COLUMN = "likely_class"
SCORE_COLUMN = "score_bits"


@dataclass(frozen=True)
class RowScores:
    """The likely class of every row, and the bits by which its values speak for that class."""

    classes: NDArray[np.intp]  # shape (n_samples,): indices of the labels of the target
    bits: Floats  # shape (n_samples,)


def score_rows(
    columns: Sequence[SavedColumn], codes: Sequence[NDArray[np.int32]], class_sizes: Sequence[int]
) -> RowScores:
    """The likely class of every row and its score.

    The bits for a class c are the sum over the columns of the pointwise information

        i(x; c) = log2 p(c | x) / p(c),        p(c | x) = (n(x, c) + p(c)) / (n(x) + 1)

    with n(x, c) the rows of code x and class c that were selected from, and p(c) the share of the class. One row is
    added to each code, divided as all rows are, so that a code of few rows counts for little; a value without a code
    (-1) adds nothing. The likely class has the largest sum of these bits and log2 p(c), as naive Bayes has it.
    Information that several columns share is counted once for each.
    """
    without_counts = [column.name for column in columns if column.counts is None]
    if without_counts:
        raise UserError(
            code="no-counts-saved",
            message=f"the selection has kept no counts of the columns {quoted(without_counts)}, which have many values",
            advice="leave the score out, or select again with fewer bins",
            columns=without_counts,
        )
    shares = np.array(class_sizes, np.float64) / sum(class_sizes)
    bits = np.zeros((len(codes[0]), len(shares)))
    for column, codes_of_column in zip(columns, codes, strict=True):
        bits += _pointwise_information(np.array(column.counts, np.float64), shares)[codes_of_column]
    classes = np.argmax(bits + np.log2(shares), axis=1)
    return RowScores(classes, bits[np.arange(len(bits)), classes])


def score_columns(
    columns: Sequence[SavedColumn], column_codes: Sequence[ColumnCodes], class_sizes: Sequence[int], labels: Values
) -> dict[str, Values]:
    """The likely class of every row, as text, and its score, by the names of their columns."""
    scores = score_rows(columns, [column.codes for column in column_codes], class_sizes)
    labels_as_text = np.array([str(label) for label in labels.tolist()], object)
    return {CLASS_COLUMN: labels_as_text[scores.classes], SCORE_COLUMN: scores.bits}


def check_names_of_scores(names: Sequence[str]) -> None:
    """Refuse to append the likely class and its score to data with columns of the same names."""
    check_names_are_free(names, (CLASS_COLUMN, SCORE_COLUMN), "rename it, or leave the score out")


def check_names_are_free(names: Sequence[str], names_of_scores: Sequence[str], advice: str) -> None:
    """Refuse to append columns of scores to data that has a column of the same name."""
    for name in names_of_scores:
        if name in names:
            raise UserError(
                code="name-taken",
                message=f"the data has a column {name!r} already, which is the name of a column of scores",
                advice=advice,
            )


def _pointwise_information(counts: Floats, shares: Floats) -> Floats:
    """The pointwise information of every code (rows) with every class; the last row is for no code, and zero."""
    smoothed_shares = (counts + shares) / (counts.sum(axis=1, keepdims=True) + 1)
    return np.vstack([np.log2(smoothed_shares / shares), np.zeros(len(shares))])
