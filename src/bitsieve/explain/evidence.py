"""The table behind a selection, and what is counted again from it for an explanation or a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.encoding import all_missing
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.read import read_xy
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning, with_integers_as_categories
from bitsieve.discretization.registry import make_binner
from bitsieve.engines.local import count_coded
from bitsieve.information import ANY_EFFECT, COMMON, make_information
from bitsieve.information.protocol import BITS_PER_EVENT, Information
from bitsieve.pipeline.discretize import CountedTable, count_table
from bitsieve.pipeline.prepare import Reason
from bitsieve.utils.arrays import Columns
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.types import ColumnLike, TableLike

if TYPE_CHECKING:
    from bitsieve.explain.chance import Chance
    from bitsieve.explain.contribution import Contributions
    from bitsieve.explain.joint import JointInformation
    from bitsieve.selectors.base import ColumnSelector

PLUG_IN = "plug-in"
ADDITIVE_ESTIMATORS = (PLUG_IN, "corrected")  # whose terms obey the chain rule, so that contributions add up


@dataclass(frozen=True, eq=False)
class Evidence:
    """The table behind a selection. Counts, contributions and chance are computed when they are first read."""

    table: Dataset  # as the method got it: dropped columns hold one value
    binner: Binning  # fitted
    selected: Columns
    n_jobs: int | None
    original_table: Dataset  # with the values of the dropped columns
    dropped: Mapping[int, Reason] = field(default_factory=dict)
    estimator: str = PLUG_IN  # of the method
    effect: str = ANY_EFFECT  # within strata
    screened_out: Sequence[int] = ()

    @cached_property
    def counted_table(self) -> CountedTable:
        """The counts of the table."""
        rows = self.table.rows
        if rows is None:
            return count_table(self.table, self.binner, self.n_jobs)
        source = count_coded(rows, self.binner, self.n_jobs)
        return CountedTable(self.table, self.binner, make_information(PLUG_IN, source))

    @property
    def explaining_estimator(self) -> str:
        """The estimator by which columns are explained: that of the method, if its terms add up; else plug-in."""
        return self.estimator if self.estimator in ADDITIVE_ESTIMATORS else PLUG_IN

    @property
    def information(self) -> Information:
        """The information by which columns are explained."""
        return self.counted_table.estimated(self.explaining_estimator, self.effect)

    @property
    def unit(self) -> str:
        """The unit of the information about the target."""
        return BITS_PER_EVENT if self.table.target.kind == "survival" else "bits"

    @cached_property
    def contributions(self) -> Contributions:
        """The contribution of every selected column beside those selected before it."""
        from bitsieve.explain.contribution import Contributions, contribution_of

        contributions = []
        for n_earlier, column in enumerate(self.selected.tolist()):
            contributions.append(contribution_of(column, self.selected[:n_earlier], self.information))
        return Contributions.stack(contributions)

    @cached_property
    def joint(self) -> JointInformation | None:
        """What the first selected columns have together.

        None if the rows are too few for each value of the first, and for a common effect.
        """
        if self.effect == COMMON:
            return None
        from bitsieve.explain.joint import joint_information

        return joint_information(self.counted_table, self.selected, self.n_jobs)

    @cached_property
    def chance(self) -> Chance | None:
        """How relevant columns look by chance. None if the rows are not in memory, or too many once repeated."""
        rows = self.table.rows
        if rows is None:
            return None
        from bitsieve.explain.chance import relevance_by_chance, relevance_by_drawn_events
        from bitsieve.information.survival import SurvivalInformation

        if isinstance(self.information, SurvivalInformation):
            return relevance_by_drawn_events(self.information)
        return relevance_by_chance(rows, self.binner, self.explaining_estimator, self.n_jobs, self.effect)


def evidence_of(selector: ColumnSelector, X: TableLike, y: ColumnLike, sample_weight: ColumnLike = None) -> Evidence:
    """The evidence behind the columns of a fitted selector, counted on a table that is given as for ``fit``."""
    from sklearn.utils.validation import check_is_fitted

    from bitsieve.selectors.base import fitted_binner

    check_is_fitted(selector)
    if "relevance_pooled_" in vars(selector):
        raise UserError(
            code="strata-not-supported",
            message=f"{type(selector).__name__} was fitted within strata, which X and y do not hold",
            advice="use bitsieve.select with strata, whose result explains itself",
        )
    target_kind = TargetKind(selector.target_kind)
    table = read_xy(X, y, sample_weight, target_kind=target_kind, weight_kind=selector.weight_kind)
    if table.n_features != selector.n_features_in_:
        raise UserError(
            code="columns-differ",
            message=(
                f"X has {table.n_features:,} features, but {type(selector).__name__} was fitted on "
                f"{selector.n_features_in_:,}"
            ),
            advice="give the same columns",
        )
    parameters = selector.get_params(deep=False)
    n_jobs = parameters.get("n_jobs")
    binner = fitted_binner(selector)
    if binner is None:
        missing = "bin" if selector.__sklearn_tags__().input_tags.allow_nan else "error"
        binner = make_binner(missing=missing, n_jobs=n_jobs).for_table(table).fit_table(table)
    dropped: dict[int, Reason] = {}
    if binner.requires != "codes" and binner.categories_ is not None:
        table = with_integers_as_categories(table, binner.categories_)
        dropped = _columns_that_fit_dropped(table, binner)
    return Evidence(
        table=table.without(sorted(dropped)),
        binner=binner,
        selected=np.asarray(selector.selected_),
        n_jobs=n_jobs,
        original_table=table,
        dropped=dropped,
        estimator=parameters.get("estimator", PLUG_IN),
    )


def _columns_that_fit_dropped(table: InMemoryDataset, binner: Binning) -> dict[int, Reason]:
    """The columns that a fitted selector has dropped, though this table still holds them.

    The binner was given one number in every row of such a column, so that it expects numbers, and cut one bin.
    """
    dropped: dict[int, Reason] = {}
    for j in np.flatnonzero(np.asarray(binner.n_bins_) == 1).tolist():
        holds_no_numbers = not table.is_numeric(j) or all_missing(table.numbers(j))
        if binner.categories_of(j) is None and holds_no_numbers:
            dropped[j] = "empty"
    return dropped
