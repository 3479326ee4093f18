"""The base of the selectors that are fitted to a target."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import ClassVar, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.quantity import TargetKind, check_target_kind
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.survival import survival_columns
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.engines.registry import data_in_parts, refuse_groups, refuse_sampling_weights
from bitsieve.methods.method import UNSTRATIFIED, MethodResult, check_capabilities
from bitsieve.options import (
    FREQUENCY,
    IDENTIFIERS,
    WEIGHT_KINDS,
    ColumnOptions,
    DiscretizationOptions,
    ReadOptions,
)
from bitsieve.pipeline.diagnose import on_preparation
from bitsieve.pipeline.prepare import prepare
from bitsieve.selectors.base import ColumnSelector
from bitsieve.selectors.callbacks import phases_as_tasks, tears_callbacks_down
from bitsieve.selectors.lazy_diagnostics import LazyDiagnostics
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.note_warnings import warn_of_important
from bitsieve.utils.parameters import Rule, check_choice, made_by
from bitsieve.utils.types import ColumnLike, TableLike


class SupervisedSelector(ColumnSelector):
    """Base of the selectors that are fitted to a target. A subclass has ``_select``."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "target_kind": made_by(check_target_kind),
        "weight_kind": partial(check_choice, choices=WEIGHT_KINDS),
        "identifiers": partial(check_choice, choices=IDENTIFIERS),
    }
    target_kind: str | None = None
    weight_kind: str = FREQUENCY
    identifiers: str = "drop"

    @tears_callbacks_down
    def fit(
        self,
        X: TableLike,
        y: ColumnLike = None,
        sample_weight: ColumnLike = None,
        groups: ColumnLike = None,
        strata: ColumnLike = None,
    ) -> Self:
        """Choose features of a table.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, scipy.sparse, of shape (n_samples, n_features)
            Text, categorical and boolean columns are categories, all others numbers; numbers are binned where the
            selector has a parameter ``binning``. Methods on counts, and linear ones, take sparse matrices and arrays,
            in which zero is a code of its own; the others refuse them.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Classes of any kind, or a quantity: dates, durations, numbers with a fractional part, and whole numbers of
            many values; ``target_kind`` says otherwise. A quantity is cut into max(3, N^(1/5)) classes of equal
            frequency, by ``target_edges_``. Several columns are one target: their combinations are the classes. A
            structured array of scikit-survival, or a frame of a boolean column and one of times, is a time to an event,
            which :class:`ForwardSelector` takes.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, whole numbers: how many times each sample counts, exactly as if it were repeated; a
            sample of weight 0 is left out. With ``weight_kind="sampling"`` any numbers from 0, the weights of a survey.
        groups : array-like of shape (n_samples,), default=None
            Samples that belong together, such as those of one person: rules, tests and halves keep them together.
        strata : array-like of shape (n_samples,) or (n_samples, n_columns), default=None
            Batches, sites, periods or matched sets, for greedy selectors and those of all pairs: all information is
            within the strata. Of several columns the strata are the joint values. ``transform`` needs none.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, more features are asked for than there are, the target has one class,
            a weight is no whole number, or the columns hold infinite values, or missing ones that the method or its
            binner was not asked to keep.
        """
        if y is None:
            raise target_needed(self)
        with phases_as_tasks(self):
            self._check_parameters()
            table = self._read(X, y, sample_weight, groups, strata)
            check_capabilities(self._name_in_messages(), self._capabilities_needed(), table.capabilities)
            table.target.check_usable(table.n_samples)
            self._prepare_and_select(table)
            self._warn()
        return self

    def fit_table(self, table: Dataset, discretization: DiscretizationOptions | None = None) -> Self:
        """Choose features of a table from which empty columns and identifiers were dropped before.

        ``discretization`` replaces the options of the selector, for example by those chosen for a larger table.
        """
        self._check_parameters()
        table.target.check_kind(self.target_kind)
        check_capabilities(self._name_in_messages(), self._capabilities_needed(), table.capabilities)
        self._select(table, self.discretization if discretization is None else discretization)
        return self

    @property
    def _takes_survival(self) -> bool:
        """Whether the target may be a time to an event."""
        return any(method.takes_survival for method in self.registry_methods)

    def _read(
        self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike, groups: ColumnLike, strata: ColumnLike
    ) -> Dataset:
        """Read the arguments of ``fit`` as a table."""
        survival = survival_columns(y)
        if survival is not None:
            if not self._takes_survival:
                raise survival_not_supported(self)
            y = survival
        parts = data_in_parts(X, self._capabilities_needed())
        if parts is not None:
            refuse_groups(groups)
            options = ReadOptions(
                target=y,
                sample_weight=sample_weight,
                strata=strata,
                weight_kind=self.weight_kind,
                target_name="y",
                target_kind=self.target_kind,
            )
            refuse_sampling_weights(options)
            return parts.read_in_parts(options)
        return read_xy(
            X,
            y,
            sample_weight,
            groups,
            strata,
            estimator=self,
            target_kind=TargetKind(self.target_kind),
            weight_kind=self.weight_kind,
        )

    def _prepare_and_select(self, table: Dataset) -> None:
        """Drop empty columns and identifiers, and select from the others."""
        columns = ColumnOptions(identifiers=self.identifiers)
        prepared = prepare(table, columns, self.discretization, self._execution())
        self._select(prepared.table, self.discretization)
        self._diagnostics = LazyDiagnostics(on_preparation(prepared))

    def _warn(self) -> None:
        """Warn of what was noticed in the data, and of a result that should not be used; three warnings at most."""
        diagnostics = [*self._diagnostics.preparation_diagnostics, *self._result_warnings()]
        warn_of_important(diagnostics, where_all="see .diagnostics_")

    @abstractmethod
    def _select(self, table: Dataset, discretization: DiscretizationOptions) -> None:
        """Select from a prepared table that has what is required, and set the fitted attributes."""

    def _set_result(self, table: Dataset, result: MethodResult) -> None:
        """Set the fitted attributes that follow from a result."""
        table.set_names_on(self)
        self.classes_ = table.target.labels
        self.target_edges_ = table.target.edges
        self.selected_ = result.selected
        self.scores_ = result.scores
        self.ranking_ = result.ranking(table.n_features)
        self.support_ = np.zeros(table.n_features, bool)
        self.support_[self.selected_] = True
        for name, value in result.extras.items():
            setattr(self, name, value)
        if result.stopping is not None:
            for name, value in result.stopping.fitted_attributes.items():
                setattr(self, name, value)

    @property
    def diagnostics_(self) -> Diagnostics:
        """What was noticed in the data and in the selection, as :func:`bitsieve.select` says it.

        Computed at the first access. A selector that is pickled before keeps only what was noticed in the data.
        """
        check_is_fitted(self, "_diagnostics")
        return self._diagnostics.value

    def _result_warnings(self) -> list[Diagnostic]:
        """The warnings of ``fit`` on the selected columns."""
        return []

    def _capabilities_needed(self) -> frozenset[str]:
        """The capabilities that the data must have for these parameters."""
        return self.required_capabilities | UNSTRATIFIED

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def survival_not_supported(selector: ColumnSelector) -> UserError:
    """The target is a time to an event, which the selector does not take."""
    return UserError(
        code="survival-not-supported",
        message=f"{type(selector).__name__} does not take a time to an event",
        advice="use ForwardSelector, or give the two columns as an array if they are two targets",
    )


def target_needed(selector: ColumnSelector) -> UserError:
    """No target is given."""
    return UserError(
        code="target-needed",
        message=f"{type(selector).__name__} requires y to be passed, but the target y is None",
    )
