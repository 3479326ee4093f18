"""The base of the selectors that select a number of features by a method of the registry."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.base import Binning
from bitsieve.methods.by_counts.stopping import StoppingRule
from bitsieve.methods.method import INDEPENDENT, ROWS, SHARED
from bitsieve.options import FREQUENCY, ColumnOptions, DiscretizationOptions
from bitsieve.pipeline.diagnose import on_missing, on_preparation
from bitsieve.pipeline.discretize import take_default_bins
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.prepare import PreparedSelection, prepare_selection
from bitsieve.pipeline.run import check_options, run, run_on_table
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.lazy_diagnostics import LazyDiagnostics
from bitsieve.selectors.supervised import SupervisedSelector
from bitsieve.utils.note_warnings import warn


@with_parameters
class MethodSelector(SupervisedSelector):
    """Base of the selectors that take a number of features by a method of the registry."""

    _fitted_rule: Binning | None = field(init=False, repr=False)

    n_features_to_select: int | float | str | None = field(default=None, kw_only=False)
    target_kind: str | None = None
    weight_kind: str = FREQUENCY
    identifiers: str = "drop"

    @property
    def fitted_rule(self) -> Binning | None:
        """The rule of binning of the last fit; None for a method that bins nothing."""
        return self._fitted_rule

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_options(self._selection_options(), self.discretization, self._execution())

    def _capabilities_needed(self) -> frozenset[str]:
        return self._selection_options().required_capabilities

    def _name_in_messages(self) -> str:
        """The name, followed by the stopping rule if the rule needs rows, or independent rows."""
        name = super()._name_in_messages()
        stopping: str | StoppingRule | None = self.get_params(deep=False).get("stopping")
        if not stopping or not self._capabilities_needed() & (ROWS | INDEPENDENT):
            return name
        rule = stopping if isinstance(stopping, str) else stopping.name
        return f"{name} with {rule}"

    def _method_parameters(self) -> dict[str, Any]:
        """The parameters of the method's function."""
        return {name: getattr(self, name) for name in self.parameter_names if name not in SHARED}

    def _selection_options(self) -> SelectionOptions:
        parameters = self._method_parameters()
        constraints = parameters.pop("constraints", None)
        return SelectionOptions(
            method=self.registry_methods[0],
            parameters=parameters,
            n_features_to_select=self.n_features_to_select,
            columns=ColumnOptions(identifiers=self.identifiers),
            constraints=constraints,
        )

    def _prepare_and_select(self, table: Dataset) -> None:
        prepared = self._prepare(table)
        self._set_fit(run(prepared, self._execution()))

    def _prepare(self, table: Dataset) -> PreparedSelection:
        """Drop columns and settle the number of features."""
        return prepare_selection(table, self._selection_options(), self.discretization, self._execution())

    def _select(self, table: Dataset, discretization: DiscretizationOptions) -> None:
        selection = self._selection_options()
        discretization = take_default_bins(discretization, selection.method, selection.stopping, table.total_weight)
        prepared = PreparedSelection.of_prepared_table(table, selection, discretization)
        self._set_fit(run_on_table(prepared, self._execution()))

    def _set_fit(self, fit: Fit) -> None:
        """Set all fitted attributes from the run of a method."""
        if fit.evidence is not None:
            self._fitted_rule = fit.evidence.binner
        else:
            self._fitted_rule = fit.result.extras.get("binner_")  # of a method on rows that bins them itself
        if fit.result.convergence_warning:
            warn(fit.result.convergence_warning, ConvergenceWarning)
        self._diagnostics = LazyDiagnostics([*on_preparation(fit.prepared), *on_missing(fit.prepared)], fit)
        self._set_result(fit.table, fit.result)
