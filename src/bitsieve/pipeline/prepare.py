"""Drop the columns that no method should get (empty, identifier, excluded), and settle what options leave open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, TypeAlias

import numpy as np

from bitsieve.dataset.column_info import ColumnInfo, empty_columns, identifiers
from bitsieve.dataset.dataset import Dataset, DatasetT
from bitsieve.diagnostics import Diagnostic, UserError, parameter_reported_as
from bitsieve.discretization.registry import make_discretizer
from bitsieve.methods.constraints import Candidates, Constraints, has_items, names_columns, resolve
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline.bins_within import check_bins_within, check_numbers_are_cut
from bitsieve.pipeline.columns import on_columns, on_groups
from bitsieve.pipeline.discretize import take_default_bins, take_few_numbers_as_categories
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.pipeline.survival import check_survival
from bitsieve.utils.defaults import N_FEATURES
from bitsieve.utils.messages import quoted
from bitsieve.utils.parameters import fewer_columns, whole_number

#: Why a column is dropped. "counted": it was dropped before, when the counts of the table were saved.
Reason: TypeAlias = Literal["empty", "identifier", "excluded", "counted"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared(Generic[DatasetT]):
    """A table without its dropped columns.

    Indices stay as they were: in ``table`` a dropped column holds one value, so that no method selects it.
    """

    original: DatasetT  # as it was read
    table: DatasetT
    dropped: Mapping[int, Reason]
    discretization: DiscretizationOptions
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def n_left(self) -> int:
        """The number of columns that are left."""
        return self.table.n_features - len(self.dropped)


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedSelection(Prepared[Dataset]):
    """A prepared table, and what is to be selected from it.

    ``selection`` is settled: it has the number of features by default, and ``include`` as constraints. So is
    ``discretization``: for a method on counts, columns of few different whole numbers are categories, unless the user
    chose how to bin them.
    """

    selection: SelectionOptions
    requested_discretization: DiscretizationOptions  # as the user gave it, or the protocol of the papers has it

    @property
    def takes_missing(self) -> bool:
        """Whether missing values are taken, by the method or by its discretizer."""
        method = self.selection.method
        if method.takes_missing:
            return True
        if not method.bins or self.discretization.binning is None:
            return False
        return make_discretizer(self.discretization).takes_missing

    @classmethod
    def of_prepared_table(
        cls, table: Dataset, selection: SelectionOptions, discretization: DiscretizationOptions
    ) -> PreparedSelection:
        """Drop nothing and settle nothing: the table is, for example, a part of the rows of a prepared table."""
        return cls(
            original=table,
            table=table,
            dropped={},
            discretization=discretization,
            selection=selection,
            requested_discretization=discretization,
        )


def prepare(
    table: DatasetT,
    columns: ColumnOptions,
    discretization: DiscretizationOptions,
    execution: ExecutionOptions,
) -> Prepared[DatasetT]:
    """Drop the columns without values, the identifiers, and the columns that are excluded."""
    check_bins_within(table, discretization)
    included = _indices_of_included(table, columns, Constraints(columns.include))
    infos = _summarize(table, discretization, execution)
    every_column = Candidates(np.arange(table.n_features))
    return _drop_columns(table, columns, discretization, infos, included, every_column)


def prepare_selection(
    table: Dataset,
    selection: SelectionOptions,
    discretization: DiscretizationOptions,
    execution: ExecutionOptions,
) -> PreparedSelection:
    """Drop the columns that :func:`prepare` drops, and settle what the options leave open.

    These are the constraints, the number of features, whether columns of few whole numbers are categories, and the bins
    that a stopping rule has by default.
    """
    check_survival(table, selection, discretization)
    check_bins_within(table, discretization)
    discretization = selection.discretization_by_protocol(discretization, table.target)
    constraints = selection.constraints
    if constraints is None:
        constraints = Constraints(selection.columns.include)
    candidates = resolve(constraints, table.names, table.role_of_column)
    included = _indices_of_included(table, selection.columns, constraints)
    infos = _summarize(table, discretization, execution)
    if not selection.takes_constraints:
        _refuse_constraints(table, infos, included, selection.columns, constraints)
    prepared = _drop_columns(table, selection.columns, discretization, infos, included, candidates)

    settled_selection, diagnostics_on_number = _settle_selection(prepared.table, selection, constraints)
    coded_table, settled_discretization = take_few_numbers_as_categories(
        prepared.table, selection.method, discretization, execution
    )
    check_numbers_are_cut(coded_table, settled_discretization)
    settled_discretization = take_default_bins(
        settled_discretization, selection.method, selection.stopping, table.total_weight
    )
    return PreparedSelection(
        original=table,
        table=coded_table,
        dropped=prepared.dropped,
        discretization=settled_discretization,
        requested_discretization=discretization,
        diagnostics=[*prepared.diagnostics, *on_groups(constraints.groups, candidates), *diagnostics_on_number],
        selection=settled_selection,
    )


def _settle_selection(
    table: Dataset, selection: SelectionOptions, constraints: Constraints
) -> tuple[SelectionOptions, list[Diagnostic]]:
    """The selection with its constraints, None where they name no column, and with the number of features."""
    unconstrained = not selection.takes_constraints or not names_columns(constraints)
    settled_constraints = None if unconstrained else constraints
    number, diagnostics = settle_number(table, replace(selection, constraints=settled_constraints))
    return replace(selection, constraints=settled_constraints, n_features_to_select=number), diagnostics


def _indices_of_included(table: Dataset, columns: ColumnOptions, constraints: Constraints) -> list[int]:
    """The columns to be included. Raises ValueError if one is excluded too, or is left out of saved counts."""
    with parameter_reported_as("must_include", "include"):
        resolve(Constraints(columns.include, columns.exclude), table.names, table.role_of_column)
    included = resolve(Constraints(constraints.must_include), table.names).must_include
    absent = [table.names[j] for j in included if j in table.dropped]
    if absent:
        raise UserError(
            code="not-in-saved-counts",
            message=f"left out when the rows were counted: {quoted(absent)}",
            advice="count again with {include}",
            fix={"include": absent},
            columns=absent,
        )
    return included


def _summarize(
    table: Dataset, discretization: DiscretizationOptions, execution: ExecutionOptions
) -> Sequence[ColumnInfo]:
    return table.summarize(make_discretizer(discretization, execution.n_jobs).for_table(table))


def _drop_columns(
    table: DatasetT,
    columns: ColumnOptions,
    discretization: DiscretizationOptions,
    infos: Sequence[ColumnInfo],
    included: Sequence[int],
    candidates: Candidates,
) -> Prepared[DatasetT]:
    """Drop the columns; an identifier stays if it is included or belongs to a group of columns."""
    with parameter_reported_as("must_include", "include"):
        excluded = resolve(Constraints(exclude=columns.exclude), table.names, table.role_of_column).exclude
    dropped: dict[int, Reason] = dict.fromkeys(empty_columns(infos), "empty")
    dropped |= dict.fromkeys(excluded, "excluded")
    dropped |= dict.fromkeys(table.dropped, "counted")
    if len(dropped) == table.n_features:
        raise UserError(
            code="no-features",
            message="no column is left",
            advice="every one is empty or excluded",
        )
    dropped_identifiers: list[int] = []
    if columns.identifiers == "drop":
        in_groups = np.flatnonzero(candidates.sizes[candidates.candidate_of_column] > 1).tolist()
        dropped_identifiers = _identifiers_to_drop(infos, dropped, {*included, *in_groups})
    dropped |= dict.fromkeys(dropped_identifiers, "identifier")
    return Prepared(
        original=table,
        table=table.without(sorted(dropped)),
        dropped=dict(sorted(dropped.items())),
        discretization=discretization,
        diagnostics=on_columns(table, infos, dropped_identifiers, {*excluded, *candidates.exclude}),
    )


def _identifiers_to_drop(infos: Sequence[ColumnInfo], dropped: Mapping[int, Reason], retained: set[int]) -> list[int]:
    """The identifiers that are not to be retained; none if no column were left without them."""
    to_drop = [j for j in identifiers(infos) if j not in retained and j not in dropped]
    n_left = len(infos) - len(dropped) - len(to_drop)
    return to_drop if n_left > 0 else []


def settle_number(table: Dataset, selection: SelectionOptions) -> tuple[int | float | str | None, list[Diagnostic]]:
    """The number of features to select, and a note if the user requests more than there are.

    The default is 20; for a stopping rule it is all columns, as the rule ends the selection. A share and "auto" stay as
    they are, and so does a value that is not allowed: the method refuses it.
    """
    requested = selection.n_features_to_select
    if selection.ends_by_itself:
        return requested, []
    number = whole_number(requested)
    if requested is not None and number is None:
        return requested, []
    candidates = constraints_on(table, selection.constraints)
    n_open = candidates.n_open
    if number is not None:
        if number <= n_open:
            return requested, []
        return n_open, [fewer_columns(_open_in_words(candidates), number)]
    if selection.stopping is not None:
        return n_open, []
    return max(min(N_FEATURES, n_open), len(candidates.must_include)), []


def _open_in_words(candidates: Candidates) -> str:
    """How many columns may be selected, as in "the table has 5 features left"."""
    n_open = candidates.n_open
    if candidates.grouped:
        text = f"the table has {n_open:,} columns and groups"
    elif n_open == 1:
        text = "the table has 1 feature"
    else:
        text = f"the table has {n_open:,} features"
    if n_open < len(candidates.sizes):
        text += " left"
    return text


def constraints_on(table: Dataset, constraints: Constraints | None) -> Candidates:
    """The candidates for selection: a dropped column is none, unless it is included or belongs to a group."""
    if not table.dropped:
        return resolve(constraints, table.names)
    if constraints is None:
        constraints = Constraints()
    candidates = resolve(constraints, table.names)
    is_in_group = candidates.sizes[candidates.candidate_of_column] > 1
    included = {*candidates.must_include}
    excluded = [*constraints.exclude]
    for j in table.dropped:
        if not is_in_group[j] and int(candidates.candidate_of_column[j]) not in included:
            excluded.append(j)
    return resolve(replace(constraints, exclude=excluded), table.names)


def _refuse_constraints(
    table: Dataset,
    infos: Sequence[ColumnInfo],
    included: Sequence[int],
    columns: ColumnOptions,
    constraints: Constraints,
) -> None:
    """Raise ValueError for what a method without constraints cannot do: select a feature first, groups, penalties.

    An identifier may be included, as this keeps it in the table. Columns may be excluded if the table can leave them
    out.
    """
    included_features = [table.names[j] for j in included if not infos[j].is_identifier]
    if included_features:
        raise UserError(
            code="include-not-supported",
            message=f"this method cannot be made to select {quoted(included_features)} first",
            advice="leave {include} out, or use a greedy method such as cmim",
            columns=included_features,
        )
    if constraints.penalties:
        raise UserError(
            code="penalties-not-supported",
            message="this method takes no penalties of columns",
            advice="use a greedy method such as cmim",
        )
    if constraints.groups:
        raise UserError(
            code="groups-not-supported",
            message="this method takes no groups of columns",
            advice="use a greedy method such as cmim",
        )
    if has_items(columns.exclude) and not table.can_leave_out:
        raise UserError(
            code="exclude-not-supported",
            message="this method takes no excluded columns here",
            advice="leave them out of the data",
        )
