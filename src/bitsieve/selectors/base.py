"""The base classes of all selectors.

:class:`ColumnSelector`: has parameters, and takes the selected columns of any table.
:class:`SupervisedSelector`: selects by a target.
:class:`MethodSelector`: selects a number of features by a method of the registry.
:class:`CountSelector`: the method works on counts.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import narwhals as nw
import numpy as np
from sklearn import get_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from bitsieve.dataset.data_kinds import collect, keeps_columns_only, take_columns
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.quantity import TargetKind, check_target_kind
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.survival import survival_columns
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.base import Binning, BinningLike
from bitsieve.discretization.registry import make_binner, make_discretizer
from bitsieve.discretization.transformers import as_transformer
from bitsieve.engines.registry import data_in_parts, refuse_groups, refuse_sampling_weights
from bitsieve.engines.saved_counts import SavedCountsDataset
from bitsieve.methods.by_counts.stopping import StoppingRule
from bitsieve.methods.method import (
    DENSE_ROWS,
    INDEPENDENT,
    ROWS,
    SHARED,
    UNSTRATIFIED,
    Method,
    MethodResult,
    check_capabilities,
)
from bitsieve.options import (
    FREQUENCY,
    IDENTIFIERS,
    SAMPLING,
    WEIGHT_KINDS,
    ColumnOptions,
    DiscretizationOptions,
    ExecutionOptions,
    ReadOptions,
)
from bitsieve.pipeline import notes
from bitsieve.pipeline.diagnose import on_missing, on_preparation
from bitsieve.pipeline.discretize import CountedTable, take_default_bins
from bitsieve.pipeline.evidence import has_no_information
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.prepare import PreparedSelection, prepare, prepare_selection
from bitsieve.pipeline.run import check_options, run, run_on_counts, run_on_table
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.selectors.callbacks import CallbackSupportMixin, phases_as_tasks, tears_callbacks_down
from bitsieve.selectors.lazy_diagnostics import LazyDiagnostics
from bitsieve.selectors.partial_counts import (
    PartialCounts,
    check_classes,
    classes_needed,
    count_part,
    frequency_weights_needed,
    partial_fit_begins_again,
    read_part,
)
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.docstrings import PAPERS, described_fully, with_references
from bitsieve.utils.estimator import Estimator
from bitsieve.utils.lazy import Lazy
from bitsieve.utils.note_warnings import warn, warn_of_important
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import Rule, check_choice, check_parameters, made_by
from bitsieve.utils.types import ColumnLike, TableLike

PARAMETERS = {
    "n_features_to_select : int, optional": "By default 20, or all columns where there are fewer.",
    'binning : {"auto", "mdl", "monotone", "quantile", "uniform", "none"} or binner, default="auto"': (
        'How numeric columns become codes: by "auto" as "mdl" where y is classes, and in bins of equal frequency where '
        'it is a quantity; "none" takes each distinct value as its own code.'
    ),
    'missing : {"error", "bin"}, optional': (
        "What missing values are: an error, or a code of their own (the default). A binner has its own ``missing``."
    ),
    'target_kind : {"classes", "quantity"}, optional': "What the target is, where its values are not to decide.",
    'weight_kind : {"frequency", "sampling"}, default="frequency"': (
        "What ``sample_weight`` of ``fit`` is: how many times each sample counts, or the weights of a survey, scaled "
        "to the effective number of samples as by :func:`bitsieve.select`."
    ),
    'identifiers : {"drop", "keep"}, default="drop"': (
        "What becomes of columns that name or number the rows: dropped, with a warning, or kept."
    ),
    "n_jobs : int, default=None": (
        "Threads (None is 1, -1 every core); the result is the same to the last bit for any number."
    ),
}
ATTRIBUTES = {
    "support_ : ndarray of bool, shape (n_features,)": "Which columns were selected.",
    "ranking_ : ndarray of int, shape (n_features,)": (
        "1 = selected first; columns that were not selected share the next rank."
    ),
    "selected_ : ndarray of int, shape (k,)": "Indices of the k selected columns, best first.",
    "classes_ : ndarray": "The labels of the target, or its intervals where it was continuous.",
    "target_edges_ : ndarray or None": "The inner edges of a continuous target.",
    "n_features_in_ : int": "Number of columns of the table.",
    "feature_names_in_ : ndarray of str": "Names of the columns, where they have names.",
    "diagnostics_ : Diagnostics": "What was noticed in the data and in the selection.",
}
COUNT_ATTRIBUTES = {
    "relevance_ : ndarray of float, shape (n_features,)": "I(Xi;C) of every column, in bits.",
    "overlap_with_ : ndarray of int, shape (k,)": (
        "For every selected column, the one before it in ``selected_`` with the largest I(Xi;Xs); -1 for the first."
    ),
    "overlap_ : ndarray of float, shape (k,)": "That information in bits; nan for the first.",
    "informative_ : ndarray of bool, shape (k,)": (
        "Whether each selected column is more informative than chance, alone or given one of the others, at "
        "level 0.05 for all of them; the others may only fill the list."
    ),
    "binner_ : binner": "The fitted binner; its ``bin_edges_`` show every cut.",
}


S = TypeVar("S", bound="ColumnSelector")


class ColumnSelector(CallbackSupportMixin, SelectorMixin, Estimator):
    """Base of all selectors. A subclass has parameters, a docstring and ``fit``, which sets ``support_``."""

    #: Checks of the parameters that no method of the registry checks.
    parameter_rules: ClassVar[Mapping[str, Rule]] = {}
    #: The methods of the registry that the selector can use. All of them call one function.
    described: ClassVar[tuple[Method, ...]] = ()
    #: What the data must offer: what the method requires, if there is one.
    required_capabilities: ClassVar[frozenset[str]] = DENSE_ROWS
    #: Descriptions of the fitted attributes that the docstring gets.
    shared_attributes: ClassVar[Mapping[str, str]] = ATTRIBUTES

    parameter_names: ClassVar[tuple[str, ...]]
    support_: Flags
    selected_: Columns

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.described:
            cls.required_capabilities = cls.described[0].required_capabilities
        if "__init__" in vars(cls):
            cls._describe_parameters()

    @classmethod
    def _describe_parameters(cls) -> None:
        """Add the parameters, attributes and papers that several selectors share to the docstring."""
        cls.parameter_names = tuple(inspect.signature(cls).parameters)
        doc = described_fully(cls.__doc__ or "", cls.parameter_names, PARAMETERS, cls.shared_attributes)
        papers = dict.fromkeys(method.paper for method in cls.described)
        cls.__doc__ = with_references(doc, [PAPERS[name] for name in papers if name in PAPERS])

    def transform(self, X: TableLike) -> TableLike:
        """Keep the selected columns, in their order in X.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)

        Returns
        -------
        X_selected : of the kind of X, shape (n_samples, k)
            Column names and dtypes are those of X.
        """
        check_is_fitted(self)
        if keeps_columns_only(X):
            collected = collect(X)
            validate_data(self, collected, reset=False, skip_check_array=True)
            column_names = nw.from_native(collected).columns
            return take_columns(X, [column_names[j] for j in np.flatnonzero(self.support_)])
        frame = nw.from_native(X, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        selected = np.flatnonzero(self.support_).tolist()
        if nw.dependencies.is_pandas_like_dataframe(X):
            return X.iloc[:, selected]
        # scikit-learn would lose the dtypes of a frame, and refuse an Arrow table.
        set_output_config = getattr(self, "_sklearn_output_config", {})  # what set_output sets
        requested_output = set_output_config.get("transform") or get_config()["transform_output"]
        if requested_output == "pandas":
            return frame[:, selected].to_pandas()
        return frame[:, selected].to_native()

    @property
    def discretization(self) -> DiscretizationOptions:
        """The options of discretization; ``binning`` is None for a selector without this parameter."""
        parameters = self.get_params(deep=False)
        return DiscretizationOptions(binning=parameters.get("binning"), missing=parameters.get("missing"))

    def _execution(self) -> ExecutionOptions:
        return ExecutionOptions(n_jobs=self.get_params(deep=False).get("n_jobs"))

    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that are wrong for any data."""
        check_parameters(self)

    def _name_in_messages(self) -> str:
        """The name that messages on missing capabilities of the data use, such as "StabilitySelector"."""
        return type(self).__name__

    def _get_support_mask(self) -> Flags:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = "dense" not in self.required_capabilities
        tags.input_tags.allow_nan = self._takes_missing()
        return tags

    def _takes_missing(self) -> bool:
        """Whether missing values are allowed, by the method or by the binner."""
        if any(method.takes_missing for method in self.described):
            return True
        if self.discretization.binning is None:
            return False
        return make_discretizer(self.discretization).takes_missing


def fitted_binner(selector: ColumnSelector) -> Binning | None:
    """The binner that a selector has fitted; None for a selector that has no ``binner_``, as it makes no bins."""
    binner: Binning | None = vars(selector).get("binner_")
    return binner


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
        return any(method.takes_survival for method in self.described)

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
    def _select(self, table: TableLike, discretization: DiscretizationOptions) -> None:
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


#: Codes of notes that say why no column was selected.
EMPTY_SELECTION_CODES = {"stopped-at", "stopped-by-rule", "nothing-left", "nothing-related", "empty-blanket"}


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
def with_parameters(cls: type[S]) -> type[S]:
    """Make the constructor of a selector from its fields. Its own parameters come before those of all selectors."""
    constructor = vars(dataclass(eq=False, repr=False, kw_only=True)(cls))["__init__"]
    parameters = inspect.signature(constructor).parameters.values()
    position_of_shared = {name: position for position, name in enumerate(SHARED[1:])}

    def position(parameter: inspect.Parameter) -> int:
        return position_of_shared.get(parameter.name, -1)

    constructor.__signature__ = inspect.Signature(sorted(parameters, key=position))
    cls.__init__ = proposes_right_names(constructor)  # type: ignore[method-assign]
    cls._describe_parameters()
    return cls


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

    def _parameters(self) -> dict[str, Any]:
        """The parameters of the method's function."""
        return {name: getattr(self, name) for name in self.parameter_names if name not in SHARED}

    def _selection_options(self) -> SelectionOptions:
        """The options of selection."""
        parameters = self._parameters()
        constraints = parameters.pop("constraints", None)
        return SelectionOptions(
            method=self.described[0],
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
        discretization = take_default_bins(discretization, selection.method, selection.stopping, table.n_samples)
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


def _takes_codes(selector: CountSelector) -> bool:
    """True if ``partial_fit`` is available, as later rows cannot change the bins. Else AttributeError with advice."""
    if make_binner(selector.binning).requires == "codes":
        return True
    raise AttributeError(
        f"partial_fit takes codes, which later rows do not change: give the codes of a fitted binner, and "
        f"binning='none' in place of binning={selector.binning!r}"
    )


@with_parameters
class CountSelector(MethodSelector):
    """Base of the selectors by a method on counts."""

    shared_attributes: ClassVar[Mapping[str, str]] = {**ATTRIBUTES, **COUNT_ATTRIBUTES}
    relevance_: Floats = field(init=False)
    _informative: Lazy[Flags] = field(init=False)
    _partial_counts: PartialCounts | None = field(init=False, default=None)  # of the rows that partial_fit has counted

    binning: BinningLike = BINNING
    missing: str | None = None
    n_jobs: int | None = None

    def fit_counted(self, counted_table: CountedTable) -> Self:
        """Choose features by the counts of a table; ``binning`` and ``n_jobs`` have no effect on these."""
        self._check_parameters()
        counted_table.table.target.check_kind(self.target_kind)
        selection = self._selection_options()
        prepared = PreparedSelection.of_prepared_table(counted_table.table, selection, self.discretization)
        self._set_fit(run_on_counts(prepared, counted_table, self._execution()))
        return self

    @available_if(_takes_codes)  # type: ignore[untyped-decorator]  # of scikit-learn
    def partial_fit(self, X: TableLike, y: ColumnLike, classes: Any = None, sample_weight: ColumnLike = None) -> Self:
        """Count some more rows, and choose features by all that were counted.

        After each call the selector is what ``fit`` makes of all rows so far, to the last bit; a row of weight w is
        taken for w rows. Only with ``binning="none"``, on the codes of a fitted binner; not by methods such as ``cmi``,
        nor by stopping rules.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Dense; whole numbers and categories. Values that were not there before are welcome.
        y : array-like of shape (n_samples,)
            Classes: text, or at most 100 different whole numbers. The first rows must hold two.
        classes : array-like, default=None
            All classes that may occur; another one is then refused.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, as for ``fit``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            What ``fit`` raises; or the columns are not those of the rows before.

        Warns
        -----
        BitsieveWarning
            If ``fit`` was called before, which keeps no counts of its rows.

        Notes
        -----
        Cost: the tables of all pairs of columns of these rows, which are kept: 8 bytes for every pair of codes of every
        pair of columns and every class.

        Examples
        --------
        >>> import bitsieve
        >>> selector = bitsieve.ForwardSelector(1, criterion="mrmr", binning="none")
        >>> selector.partial_fit([[0, 1], [1, 1]], ["a", "b"]).selected_.tolist()
        [0]
        >>> selector.partial_fit([[0, 0], [0, 0], [1, 1], [1, 1]], ["b", "b", "a", "a"]).selected_.tolist()
        [1]
        """
        self._check_parameters()
        earlier = self._partial_counts
        is_fitted = hasattr(self, "selected_")
        if earlier is None and is_fitted:
            warn(partial_fit_begins_again())
        if y is None:
            raise target_needed(self)
        if self.target_kind == "quantity":
            raise classes_needed()
        if sample_weight is not None and self.weight_kind == SAMPLING:
            raise frequency_weights_needed()
        table = read_part(X, y, sample_weight, classes, estimator=self, is_first=earlier is None)
        counts = count_part(table, self.discretization, self.n_jobs)
        if earlier is not None:
            counts = earlier + counts
        check_classes(counts.counts.target)
        self._select_by_counts(counts)
        self._partial_counts = counts
        self._warn()
        return self

    def _select_by_counts(self, partial_counts: PartialCounts) -> None:
        """Choose features by the counts of all rows so far."""
        counts = partial_counts.counts
        has_names = hasattr(self, "feature_names_in_")
        table = SavedCountsDataset(counts, named=has_names, identifier_candidates=partial_counts.identifier_candidates)
        table.target.check_kind(self.target_kind)
        check_capabilities(self._name_in_messages(), self._capabilities_needed(), table.capabilities)
        prepared = self._prepare(table)
        table_left = SavedCountsDataset(counts.without(list(prepared.dropped)), named=has_names)
        self._set_fit(run(replace(prepared, table=table_left), self._execution()))

    def _set_fit(self, fit: Fit) -> None:
        super()._set_fit(fit)
        self._partial_counts = None
        evidence = fit.evidence
        if evidence is not None:
            self.binner_ = as_transformer(evidence.binner)
            self.relevance_ = evidence.relevance
            self.overlap_with_ = evidence.overlap_with
            self.overlap_ = evidence.overlap
            self._informative = evidence.informative
            for name in ("relevance_pooled_", "heterogeneity_", "n_informative_rows_"):
                if name in vars(self):
                    delattr(self, name)  # of an earlier fit within strata
            if evidence.strata is not None:
                self.relevance_pooled_ = evidence.strata.relevance_pooled
                self.heterogeneity_ = evidence.strata.heterogeneity
                self.n_informative_rows_ = evidence.strata.n_informative_rows

    @property
    def informative_(self) -> Flags:
        """Whether each selected column is more informative than chance. Tested at the first access."""
        check_is_fitted(self, "_informative")
        return self._informative.value

    def _result_warnings(self) -> list[Diagnostic]:
        if not len(self.selected_):
            return [note for note in self.diagnostics_ if note.code in EMPTY_SELECTION_CODES]
        if has_no_information(self.relevance_[self.selected_], self._informative):
            return [notes.no_information(len(self.selected_))]
        return []
