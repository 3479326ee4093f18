"""The table behind a selection, and what is counted again from it for an explanation or a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.encoding import all_missing
from bitsieve.dataset.read import read_xy
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import with_integers_as_categories
from bitsieve.discretization.registry import make_binner
from bitsieve.engines.local import count_coded
from bitsieve.explain.chance import Chance, relevance_by_chance
from bitsieve.explain.contribution import Contributions, contribution_of
from bitsieve.explain.joint import JointInformation, joint_information
from bitsieve.information import make_information
from bitsieve.information.protocol import Information
from bitsieve.pipeline.discretize import Counted, count_table
from bitsieve.pipeline.prepare import Reason
from bitsieve.utils.arrays import Columns
from bitsieve.utils.lazy import cached_property

PLUG_IN = "plug-in"
ADDITIVE_ESTIMATORS = (PLUG_IN, "corrected")  # whose terms obey the chain rule, so that contributions add up


@dataclass(frozen=True, eq=False)
class Evidence:
    """The table behind a selection. Counts, contributions and chance are computed when they are first read."""

    table: Dataset  # as the method got it: dropped columns hold one value
    binner: Any  # fitted
    selected: Columns
    n_jobs: int | None
    original_table: Dataset  # with the values of the dropped columns
    dropped: Mapping[int, Reason] = field(default_factory=dict)
    estimator: str = PLUG_IN  # of the method
    screened_out: Sequence[int] = ()

    @cached_property
    def counted(self) -> Counted:
        """The counts of the table."""
        rows = self.table.rows
        if rows is None:
            return count_table(self.table, self.binner, self.n_jobs)
        source = count_coded(rows, self.binner, self.n_jobs)
        return Counted(self.table, self.binner, make_information(PLUG_IN, source))

    @property
    def explaining_estimator(self) -> str:
        """The estimator by which columns are explained: that of the method, if its terms add up; else plug-in."""
        return self.estimator if self.estimator in ADDITIVE_ESTIMATORS else PLUG_IN

    @property
    def information(self) -> Information:
        """The information by which columns are explained."""
        return self.counted.estimated(self.explaining_estimator)

    @cached_property
    def contributions(self) -> Contributions:
        """The contribution of every selected column beside those selected before it."""
        contributions = []
        for n_earlier, column in enumerate(self.selected.tolist()):
            contributions.append(contribution_of(column, self.selected[:n_earlier], self.information))
        return Contributions.stack(contributions)

    @cached_property
    def joint(self) -> JointInformation | None:
        """What the first selected columns have together; None if the rows are too few for each value of the first."""
        return joint_information(self.counted, self.selected, self.n_jobs)

    @cached_property
    def chance(self) -> Chance | None:
        """How relevant columns look by chance. None if the rows are not in memory, or too many once repeated."""
        rows = self.table.rows
        if rows is None:
            return None
        return relevance_by_chance(rows, self.binner, self.explaining_estimator, self.n_jobs)


def evidence_of(selector: Any, X: Any, y: Any, sample_weight: Any = None) -> Evidence:
    """The evidence behind the columns of a fitted selector, counted on a table that is given as for ``fit``."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(selector)
    table = read_xy(X, y, sample_weight, weight_kind=selector.weight_kind)
    if table.n_features != selector.n_features_in_:
        raise UserError(
            code="columns-differ",
            message=(
                f"X has {table.n_features:,} features, but {type(selector).__name__} was fitted on "
                f"{selector.n_features_in_:,}"
            ),
            advice="give the same columns",
        )
    n_jobs = getattr(selector, "n_jobs", None)
    binner = getattr(selector, "binner_", None)
    if binner is None:
        missing = "bin" if selector.__sklearn_tags__().input_tags.allow_nan else "error"
        binner = make_binner(missing=missing, n_jobs=n_jobs).for_table(table).fit_table(table)
    dropped: dict[int, Reason] = {}
    categories = binner.categories_
    if binner.requires != "codes" and categories is not None:
        table = with_integers_as_categories(table, categories)
        # The selector was given one number in every row of a column that was dropped, which this table still holds.
        single_bin = np.flatnonzero(np.asarray(binner.n_bins_) == 1).tolist()
        for j in single_bin:
            if categories[j] is None and (not table.is_numeric(j) or all_missing(table.numbers(j))):
                dropped[j] = "empty"
    return Evidence(
        table=table.without(sorted(dropped)),
        binner=binner,
        selected=np.asarray(selector.selected_),
        n_jobs=n_jobs,
        original_table=table,
        dropped=dropped,
        estimator=getattr(selector, "estimator", PLUG_IN),
    )
