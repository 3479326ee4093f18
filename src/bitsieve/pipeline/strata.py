"""Whether a selection within strata is possible: what the strata of a table are, and what they are about."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from bitsieve.counts.search import ExchangeableUnits
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.information import ANY_EFFECT, COMMON
from bitsieve.pipeline.notes import row_notes
from bitsieve.utils.arrays import Flags, Integers

CONFOUNDED_SHARE = 0.9  # of the entropy of the class that the strata determine


class ClassesOfStrata(NamedTuple):
    """How often every class occurs in every stratum."""

    counts: Integers  # shape (n_strata, n_classes)

    @classmethod
    def of_table(cls, table: Dataset) -> Self | None:
        """The counts of a table whose rows are in memory or were counted; None without strata."""
        counts = table.class_counts_of_strata
        return None if counts is None else cls(counts)

    @property
    def n_strata(self) -> int:
        return len(self.counts)

    @property
    def is_informative(self) -> Flags:
        """Whether each stratum has samples of two classes."""
        n_classes: Integers = (self.counts > 0).sum(axis=1)
        return n_classes > 1

    @property
    def n_informative_rows(self) -> int:
        """The samples of strata with two classes."""
        return int(self.counts[self.is_informative].sum())

    @property
    def has_replicates(self) -> bool:
        """Whether some stratum has at least two samples of each of two classes."""
        return bool(((self.counts > 1).sum(axis=1) > 1).any())

    @property
    def share_of_class(self) -> float:
        """How much of the entropy of the class the strata determine: I(C;S) / H(C)."""
        entropy = _entropy(self.counts.sum(axis=0))
        if entropy == 0:
            return 0.0
        given_strata = 0.0
        for counts in self.counts:
            given_strata += _entropy(counts) * int(counts.sum())
        return 1 - given_strata / int(self.counts.sum()) / entropy


def _entropy(counts: Integers) -> float:
    """The entropy in bits of the shares of some counts."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def check_strata(table: Dataset, effect: str) -> None:
    """Raise UserError where information within the strata of a table says nothing, or where there are no strata."""
    classes = ClassesOfStrata.of_table(table)
    if classes is None:
        if effect == COMMON:
            raise ParameterError("effect", effect, "add {strata}, or leave it out", "needs strata")
        return
    if classes.n_strata == table.n_samples:
        raise UserError(
            code="every-row-a-stratum",
            message="every row is a stratum of its own, so that nothing can be compared within strata",
            advice="name a column that several rows share",
        )
    if table.rows is not None:
        _check_groups_of_strata(table.rows)
    if not classes.is_informative.any():
        raise UserError(
            code="one-class",
            message="no stratum has rows of two classes, so that the strata determine the target",
            advice="leave out {strata}, or name others",
        )
    if effect == ANY_EFFECT and not classes.has_replicates:
        raise UserError(
            code="strata-too-small",
            message="no stratum has two rows of each of two classes, so that single rows decide the information within",
            advice="use {effect}, which finds what the strata have in common",
            fix={"effect": COMMON},
        )


def _check_groups_of_strata(table: InMemoryDataset) -> None:
    """Refuse a group of one class that lies in several strata: shuffles would move it from one to another."""
    if table.groups is None or table.strata is None:
        return
    units = ExchangeableUnits.of(table.groups, table.target.codes)
    stratum_of_unit = table.strata[units.first_sample]
    if (stratum_of_unit[units.unit_of_sample] != table.strata).any():
        raise UserError(
            code="group-in-several-strata",
            message="a group of rows lies in several strata, so that it cannot be shuffled within them",
            advice="leave out {groups} or {strata}",
        )


def on_strata(table: Dataset, effect: str) -> list[Diagnostic]:
    """What to know of the strata: that there is one only; or those of one class, small ones, and the target by them."""
    classes = ClassesOfStrata.of_table(table)
    if classes is None:
        return []
    if classes.n_strata == 1:
        return [row_notes.one_stratum()]
    from bitsieve.information.common_effect import MIN_ROWS_PER_STRATUM

    diagnostics = []
    is_informative = classes.is_informative
    n_informative = int(is_informative.sum())
    if n_informative < classes.n_strata:
        n_rows = int(classes.counts[~is_informative].sum())
        n_other = classes.n_strata - n_informative
        diagnostics.append(row_notes.strata_of_one_class(n_other, classes.n_strata, n_rows, table.target.name))
    if classes.share_of_class > CONFOUNDED_SHARE:
        diagnostics.append(row_notes.strata_determine_target(table.target.name, classes.share_of_class))
    mean_size = classes.n_informative_rows / max(n_informative, 1)
    if effect == ANY_EFFECT and mean_size < MIN_ROWS_PER_STRATUM:
        diagnostics.append(row_notes.small_strata(mean_size))
    return diagnostics
